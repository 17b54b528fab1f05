## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.openmpi mpirun.openmpi mpicc.mpich mpiexec.mpich jq
## tags: builds=release,debug timeout=180
## MPI programs as they are, under Open MPI and MPICH: the program counts what it does itself, and the trace must say the same.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cp "$WEFT_SOURCE"/tests/tools/mpi_counts.c .
$ mpicc.openmpi -O1 mpi_counts.c -o counts.openmpi && mpicc.mpich -w -O1 mpi_counts.c -o counts.mpich; echo $?
0
$ weft record -q -o openmpi.weft -- mpirun.openmpi -np 3 ./counts.openmpi >openmpi.txt; weft record -q -o mpich.weft -- mpiexec.mpich -n 3 ./counts.mpich >mpich.txt; echo $?
0

## Each message once, with both ends, between the right ranks, with its bytes and tag.
$ for m in openmpi mpich; do weft info --json $m.weft | jq -c '[.dropped, .problems]'; done
[0,0]
[0,0]
$ for m in openmpi mpich; do weft dump -f kind=send $m.weft | sed -nE 's/.* 1\.([0-9])\.1 +.* to 1\.([0-9])\.1.*/\1 \2/p' | sort | uniq -c | awk '{print $2 - 1, $3 - 1, $1}' >sent; sed -n 's/^sent //p' $m.txt | sort | diff - sent && echo same; done
same
same
$ for m in openmpi mpich; do weft info --json $m.weft | jq .messages; sed -n 's/^sent .* //p' $m.txt | awk '{n += $1} END {print n}'; done | uniq | wc -l
1

## Each call once, but for polls in vain, which are counted.
$ for m in openmpi mpich; do weft stat --by region --csv $m.weft | awk -F, '/^MPI_/ {print $1, $4}' | sort >calls; sed -n 's/^calls //p' $m.txt | sort | diff - calls && echo same; done
same
same
$ for m in openmpi mpich; do weft dump -f 'name="MPI polls in vain"' $m.weft | awk '{n += $NF} END {print n + 0}' >vain; sed -n 's/^vain //p' $m.txt | awk '{n += $1} END {print n + 0}' | diff - vain && echo same; done
same
same

## What is in vain is told with the next success of its kind, and the time in it; as Extrae's types.
$ cat >polls.c <<'END'
> #include <mpi.h>
> #include <stdio.h>
> #include <unistd.h>
> int main(int argc, char **argv)
> {
> 	int me, x = 0, flag; long probes = 0, tests = 0; double t = 0; MPI_Request r; MPI_Status s;
> 	MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &me);
> 	for (int i = 0; i < 10; i++) {
> 		MPI_Barrier(MPI_COMM_WORLD);
> 		if (me) { usleep(3000); MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); usleep(3000); MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); continue; }
> 		t -= MPI_Wtime();
> 		MPI_Irecv(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r);
> 		for (flag = 0; !flag; probes += !flag) MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, &s);
> 		MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &s);
> 		for (flag = 0; !flag; tests += !flag) MPI_Test(&r, &flag, &s);
> 		t += MPI_Wtime();
> 	}
> 	if (!me) printf("%ld %ld %.0f\n", probes, tests, t * 1e9);
> 	MPI_Finalize(); return 0;
> }
> END
$ for m in openmpi mpich; do mpicc.$m -w -O1 polls.c -o polls && weft record -q --force --off io,threads,samples -o polls.weft -- mpirun.$m -np 2 ./polls >polls.txt; weft convert -q --force --like extrae polls.weft polls.prv; awk -F: 'NR == FNR {split($0, c, " "); next} /^2/ {for (i = 7; i < NF; i += 2) v[$i] += $(i + 1)} END {print v[50000300] - c[1], v[53000000] - c[1], v[50000304] - c[2], v[50000080] - c[2], (v[50000301] > 0 && v[50000305] > 0 && v[50000301] + v[50000305] < c[3])}' polls.txt polls.prv; done
0 0 0 0 1
0 0 0 0 1

## Not asked for: nothing of it.
$ weft record -q --off mpi -o off.weft -- mpirun.openmpi -np 2 ./counts.openmpi >/dev/null; weft info --json off.weft | jq '.messages // 0'
0
$ weft record -q -o shell.weft -- sh -c 'true; ls >/dev/null'; ls shell.weft | grep -c stream
1

## A program with AddressSanitizer runs as it does alone, whatever options it is given.
$ printf '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n' >checked.c; gcc -fsanitize=address checked.c -o checked; weft record -q -o checked.weft -- env ASAN_OPTIONS=detect_leaks=1 ./checked
ran
