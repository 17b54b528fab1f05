## SPDX-License-Identifier: Apache-2.0
## needs: mpicc.openmpi mpirun.openmpi jq
## tags: builds=release,debug timeout=120
## Worlds that MPI spawns (Open MPI; Debian's MPICH refuses to spawn): their processes are recorded, and messages between worlds have both ends.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ mpicc.openmpi -w -O1 "$WEFT_SOURCE"/tests/tools/mpi_spawns.c -o spawn && mpirun.openmpi -np 2 ./spawn | sort >plain; weft record -q --off threads,io -o spawn.weft -- mpirun.openmpi -np 2 ./spawn | sort >recorded; cmp plain recorded; cat recorded
child 0: 7 between, 1 within
child 0: 7 between, 1 within
child 1: 7 between, 1 within
child 1: 7 between, 1 within, as asked for
child 2: 7 between, 1 within
child 2: 7 between, 1 within, as asked for
parent 0: 18 between, 2 within
parent 1: 18 between, 2 within
$ weft info --json spawn.weft | jq -c '[.messages, .dropped, .problems]'; weft check spawn.weft | grep -c -e 'one end' -e 'operations lost'
[88,0,0]
0
? 1
$ awk '{n += $3 + $5} END {print n}' recorded
88
$ weft dump -f kind=recv spawn.weft | awk '$4 == "MPI_COMM_WORLD" {w++} END {print w}'
10

## Children that are not recorded hold nobody up; their messages have one end.
$ weft record -q --off threads,io -o alone.weft -- mpirun.openmpi -np 2 ./spawn alone | grep -c between
8
$ weft info --json alone.weft | jq -c '[.dropped, .problems]'
[0,0]
