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

## Not asked for: nothing of it.
$ weft record -q --off mpi -o off.weft -- mpirun.openmpi -np 2 ./counts.openmpi >/dev/null; weft info --json off.weft | jq '.messages // 0'
0
$ weft record -q -o shell.weft -- sh -c 'true; ls >/dev/null'; ls shell.weft | grep -c stream
1

## A program with AddressSanitizer runs as it does alone, whatever options it is given.
$ printf '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n' >checked.c; gcc -fsanitize=address checked.c -o checked; weft record -q -o checked.weft -- env ASAN_OPTIONS=detect_leaks=1 ./checked
ran
