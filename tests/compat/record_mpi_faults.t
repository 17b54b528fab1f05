## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++ mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=240
## Programs that go wrong see of it what they see without us: output, statuses, codes, handlers, the status of all.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cp "$WEFT_SOURCE"/tests/tools/mpi_faults.c "$WEFT_SOURCE"/tests/tools/mpi_throws.cc .
$ for m in openmpi mpich; do mpicc.$m -w -O1 mpi_faults.c -o faults.$m -ldl && mpicc.$m -w -O1 -DOMPI_SKIP_MPICXX -x c++ mpi_throws.cc -o throws.$m -lstdc++ || echo cannot be built; done
$ printf '%s\n' 'n=$1 w=$2' 'for m in openmpi mpich; do mpirun.$m -np $n ./faults.$m $w >plain 2>&1; a=$?; weft record -q --off threads,io -o $w-$m.weft -- mpirun.$m -np $n ./faults.$m $w >recorded 2>&1; echo $m $a $?' 'for f in plain recorded; do grep -E "^rank" $f | sort >$f.said; done; cmp plain.said recorded.said && wc -l <plain.said; weft info --json $w-$m.weft | jq -c "[.dropped, .problems]"; done' >both.sh

## A handler that jumps out of the call, twice, once with requests in hand: the call has ended, and what follows is recorded.
$ sh both.sh 2 jump
openmpi 0 0
6
[0,0]
mpich 0 0
6
[0,0]
$ for m in openmpi mpich; do weft stat --by region --csv jump-$m.weft | awk -F, '$1 ~ /MPI_(Send|Sendrecv|Wait|Error_class)$/ {print $1, $4}' | sort; weft dump jump-$m.weft | awk '$3 == "enter" {d[$2]++} $3 == "leave" {d[$2]--} END {for (t in d) if (d[t]) print t, d[t]}'; weft dump -f kind=recv jump-$m.weft | wc -l; done
MPI_Error_class 4
MPI_Send 4
MPI_Sendrecv 40
MPI_Wait 4
40
MPI_Error_class 4
MPI_Send 4
MPI_Sendrecv 40
MPI_Wait 4
40

## One that throws, through MPI and us.
$ for m in openmpi mpich; do weft record -q -o throw-$m.weft -- mpirun.$m -np 1 ./throws.$m; weft stat --by region --csv throw-$m.weft | awk -F, '$1 ~ /MPI_Send/ {print $1, $4}' | sort; weft info --json throw-$m.weft | jq .messages; done
caught 3, got 1
MPI_Send 3
MPI_Sendrecv 1
1
caught 3, got 1
MPI_Send 3
MPI_Sendrecv 1
1

## Errors that are returned; of a Waitall that failed, the receives that did not are there.
$ sh both.sh 2 errors
openmpi 0 0
12
[0,0]
mpich 0 0
12
[0,0]
$ for m in openmpi mpich; do weft dump -f kind=recv errors-$m.weft | grep -c 'tag 3 '; weft dump -f kind=recv errors-$m.weft | grep -c 'tag [12] '; done; true
2
0
2
0

## No memory for us: what is not followed is counted, and the next is.
$ sh both.sh 2 memory
openmpi 0 0
2
[0,0]
mpich 0 0
2
[0,0]
$ for m in openmpi mpich; do weft dump -f 'name="MPI operations lost"' memory-$m.weft | awk '{print $NF}'; weft dump -f kind=recv memory-$m.weft | wc -l; done
300
300
20
300
300
20

## Ends of all kinds.
$ for w in abort exit _exit exec; do sh both.sh 2 $w; done | grep -v '^0$'
openmpi 7 7
[0,0]
mpich 7 7
[0,0]
openmpi 3 3
[0,0]
mpich 3 3
[0,0]
openmpi 4 4
[0,0]
mpich 4 4
[0,0]
openmpi 3 3
[0,0]
mpich 3 3
[0,0]
$ sh both.sh 2 kill | grep -v '^0$'
openmpi 137 137
[0,0]
mpich 9 9
[0,0]
$ for w in abort exit _exit exec kill; do for m in openmpi mpich; do weft dump -f kind=recv $w-$m.weft | wc -l; done; done | uniq
20

## A child of a rank, with and without another program; a thread that is cancelled in a receive; four threads at once.
$ sh both.sh 2 fork
openmpi 0 0
2
[0,0]
mpich 0 0
2
[0,0]
$ sh both.sh 1 cancel | grep -v '^\[' | sed 's/ [0-9]* [0-9]*$//'
openmpi
1
mpich
1
$ sh both.sh 2 threads
openmpi 0 0
2
[0,0]
mpich 0 0
2
[0,0]
$ for m in openmpi mpich; do weft dump -f kind=recv threads-$m.weft | wc -l; weft stat --by region --csv threads-$m.weft | awk -F, '$1 ~ /MPI_(Irecv|Isend|Wait.*)$/ {print $1, $4}' | sort; done
4000
MPI_Irecv 4000
MPI_Isend 4000
MPI_Waitall 2000
MPI_Waitany 4000
4000
MPI_Irecv 4000
MPI_Isend 4000
MPI_Waitall 2000
MPI_Waitany 4000
