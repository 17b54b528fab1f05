## SPDX-License-Identifier: Apache-2.0
## needs: mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=120
## --bursts: computation that lasts, and statistics of what lies between, against what the program counts.
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

## In the last of each stretch between bursts: 50 exchanges and 50 reductions, 40,000 bytes; 1,004 calls in all.
$ for m in openmpi mpich; do weft dump $m.weft | awk '$3 == "enter" && $4 == "MPI" {n[$2]++} $3 == "attr" && $4 == "calls" {c[$2] = $NF} $3 == "attr" && $4 == "collective" {k[$2] = $(NF)} $3 == "attr" && $4 == "bytes" {b[$2] = $(NF - 1)} $3 == "leave" && $4 == "MPI" {calls[$2] += c[$2]; colls[$2] += k[$2]; bytes[$2] += b[$2]} END {for (t in n) print (n[t] >= 11 && n[t] < 100), calls[t], colls[t], bytes[t]}'; done
1 1004 500 400000
1 1004 500 400000
1 1004 500 400000
1 1004 500 400000

## Of the 50 exchanges of a stretch all are from rank to rank; the times of both kinds are within that of all calls. As Extrae's types, in the sum over all stretches.
$ for m in openmpi mpich; do weft convert --like extrae $m.weft $m.prv 2>/dev/null; awk -F: '/^2/ {for (i = 7; i < NF; i += 2) {v[$i] += $(i + 1); if ($i == 40000018) mode = $(i + 1)}} END {print mode, v[54000000], v[54000003], v[54000018], v[54000001], (v[54000009] - v[54000014] - v[54000015] - v[54000016] == 0), (v[54000015] > 0 && v[54000016] > 0)}' $m.prv; done
2 1000 1000 8 800000 1 1
2 1000 1000 8 800000 1 1

$ weft record --bursts 0 -- true 2>&1 | head -1
weft record: error: option '--bursts': expected a time from 1ns to 1000s
