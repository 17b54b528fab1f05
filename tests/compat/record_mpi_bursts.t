## SPDX-License-Identifier: Apache-2.0
## needs: mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=120
## --bursts: computation that lasts, and statistics of what lies between, against what the program counts; of MPI, and of OpenMP.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cat >bursts.c <<'END'
> #include <mpi.h>
> #include <time.h>
> static volatile unsigned long sum;
> static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
> static void compute(double s) { for (double end = now() + s; now() < end;) for (int i = 0; i < 1000; i++) sum += i; }
> int main(int argc, char **argv)
> {
> 	int me, n; double v[100] = {0}, w[100];
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &me); MPI_Comm_size(MPI_COMM_WORLD, &n);
> 	for (int step = 0; step < 10; step++) {
> 		compute(0.06);
> 		for (int i = 0; i < 50; i++) {
> 			MPI_Sendrecv(v, 100, MPI_DOUBLE, (me + 1) % n, 1, w, 100, MPI_DOUBLE, (me + n - 1) % n, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
> 			MPI_Allreduce(v, w, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
> 		}
> 	}
> 	compute(0.06);
> 	MPI_Finalize();
> 	return 0;
> }
> END
$ for m in openmpi mpich; do mpicc.$m -w -O1 bursts.c -o bursts.$m && weft record -q --bursts 40ms --sample 1000 --off io,threads -o $m.weft -- mpirun.$m -np 2 ./bursts.$m; weft info --json $m.weft | jq -c '[.messages, .dropped, .problems]'; weft check -q $m.weft; done
[null,0,0]
[null,0,0]

## What was 0 is not said. 1,004 calls in all, 50 exchanges and 50 reductions a stretch, 400 kB; a stretch may be cut where the machine is busy.
$ for m in openmpi mpich; do weft dump $m.weft | awk '$3 == "enter" && $4 == "MPI" {n[$2]++; c[$2] = k[$2] = b[$2] = 0} $3 == "attr" && $4 == "calls" {c[$2] = $NF} $3 == "attr" && $4 == "collective" && $5 == "calls" {k[$2] = $(NF)} $3 == "attr" && $4 == "bytes" && $5 == "sent" {b[$2] = $(NF - 1)} $3 == "leave" && $4 == "MPI" {calls[$2] += c[$2]; colls[$2] += k[$2]; bytes[$2] += b[$2]} END {for (t in n) print (n[t] >= 11 && n[t] < 100), calls[t], colls[t], bytes[t]}'; done
1 1004 500 400000
1 1004 500 400000
1 1004 500 400000
1 1004 500 400000

## Of the 50 exchanges of a stretch all are from rank to rank; the times of both kinds are within that of all calls. As Extrae's types, in the sum over all stretches.
$ for m in openmpi mpich; do weft convert --like extrae $m.weft $m.prv 2>/dev/null; awk -F: '/^2/ {for (i = 7; i < NF; i += 2) {v[$i] += $(i + 1); if ($i == 40000018) mode = $(i + 1)}} END {print mode, v[54000000], v[54000003], v[54000018], v[54000001], (v[54000009] - v[54000014] - v[54000015] - v[54000016] == 0), (v[54000015] > 0 && v[54000016] > 0)}' $m.prv; done
2 1000 1000 8 800000 1 1
2 1000 1000 8 800000 1 1

## Requests that others complete, any source, persistent ones, collective operations of the world and of others: what three ranks count themselves, as types of Extrae's.
$ cat >many.c <<'END'
> #include <mpi.h>
> #include <stdio.h>
> #include <time.h>
> static volatile unsigned long sum;
> static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
> static void compute(double s) { for (double end = now() + s; now() < end;) for (int i = 0; i < 1000; i++) sum += i; }
> static long pairs, out, in, sent, received, given, got, worlds, world_given, world_got, collectives;
> static void collective(int world, long give, long get) { collectives++; given += give; got += get; if (world) { worlds++; world_given += give; world_got += get; } }
> int main(int argc, char **argv)
> {
> 	int me, n, list[10] = {0}, other[10]; double v[100] = {0}, w[200]; char one[3] = "ab", all[30];
> 	MPI_Comm mine; MPI_Request r[2], p[2]; MPI_Status s[2];
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &me); MPI_Comm_size(MPI_COMM_WORLD, &n);
> 	MPI_Comm_dup(MPI_COMM_WORLD, &mine);
> 	MPI_Send_init(list, 10, MPI_INT, (me + 1) % n, 7, mine, &p[0]);
> 	MPI_Recv_init(other, 10, MPI_INT, (me + n - 1) % n, 7, mine, &p[1]);
> 	for (int step = 0; step < 4; step++) {
> 		compute(0.06);
> 		MPI_Isend(v, 100, MPI_DOUBLE, (me + 1) % n, 1, MPI_COMM_WORLD, &r[0]); pairs++, out++, sent += 800;
> 		MPI_Irecv(w, 200, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[1]); pairs++;
> 		MPI_Waitall(2, r, MPI_STATUSES_IGNORE); in++, received += 800;
> 		MPI_Startall(2, p); out++, sent += 40;
> 		int done = 0; while (!done) MPI_Testall(2, p, &done, s); in++, received += 40;
> 		if (me == 0) { MPI_Ssend(v, 5, MPI_BYTE, 2, 3, MPI_COMM_WORLD); pairs++, out++, sent += 5; }
> 		if (me == 2) { MPI_Recv(w, 800, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); pairs++, in++, received += 5; }
> 		MPI_Sendrecv(v, 1, MPI_BYTE, MPI_PROC_NULL, 1, w, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &s[0]); pairs++;
> 		for (int i = 0; i < 5; i++) { MPI_Allreduce(v, w, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); collective(1, 8, 8); }
> 		MPI_Bcast(list, 7, MPI_INT, 0, mine); collective(0, me ? 0 : 28, me ? 28 : 0);
> 		MPI_Iallgather(one, 3, MPI_CHAR, all, 3, MPI_CHAR, MPI_COMM_WORLD, &r[0]); collective(1, 3, 3 * n);
> 		MPI_Wait(&r[0], &s[0]);
> 	}
> 	compute(0.06);
> 	for (int i = 0; i < n; i++) { MPI_Barrier(mine); collective(0, 0, 0);
> 		if (i == me) { printf("%d: %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld in %d out %d\n", me + 1, pairs, sent, received, collectives + n - 1 - i, given, got, worlds, world_given, world_got, in, out, me == 2 ? 2 : 1, me == 0 ? 2 : 1); fflush(stdout); } }
> 	MPI_Finalize();
> 	return 0;
> }
> END
$ for m in openmpi mpich; do mpicc.$m -w -O1 many.c -o many.$m && weft record -q --bursts 40ms --off io,threads,samples -o many.$m.weft -- mpirun.$m -np 3 ./many.$m | sort >truth.$m; weft convert --like extrae many.$m.weft many.$m.prv 2>/dev/null; awk -F: '/^2/ {t[$4] = $4; for (i = 7; i < NF; i += 2) {v[$4, $i] += $(i + 1); if ($(i + 1) > most[$4, $i]) most[$4, $i] = $(i + 1)}} END {for (r in t) if (v[r, 54000000]) {printf "%s:", r; for (k = 0; k < 12; k++) if (k != 9) printf " %d", v[r, 54000000 + k]; printf " in %d out %d\n", most[r, 54000012], most[r, 54000013]}}' many.$m.prv | sort >seen.$m; cmp truth.$m seen.$m; done; cat seen.mpich
1: 16 3380 3360 31 284 196 24 172 196 8 12 in 1 out 2
2: 12 3360 3360 31 172 308 24 172 196 8 8 in 1 out 1
3: 16 3360 3380 31 172 308 24 172 196 12 8 in 2 out 1

$ weft record --bursts 0 -- true 2>&1 | head -1
weft record: error: option '--bursts': expected a time from 1ns to 1000s
