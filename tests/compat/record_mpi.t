## SPDX-License-Identifier: Apache-2.0
## needs: mpirun jq
## Four ranks of an MPI program under weft record.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ weft record -o ring.weft -- mpirun -np 4 "$WEFT_BUILD/examples/mpi_ring"
the token was handed on 40 times
weft record: [..] events of 4 processes and 4 threads, [..]; next: weft stat ring.weft

$ weft info --json ring.weft | jq -c '[.messages, .dropped, .problems]'
[40,0,0]

$ weft info --list processes --json ring.weft | jq -r '.[] | select(.rank != null and .rank >= 0) | "\(.rank) \(.name)"'
0 mpi_ring
1 mpi_ring
2 mpi_ring
3 mpi_ring

$ weft stat --by region,process --csv ring.weft | grep -E 'MPI_(Send|Recv)' | cut -d, -f1,3,4,6 | sort
MPI_Recv,1.1,mpi_ring,10
MPI_Recv,1.2,mpi_ring,10
MPI_Recv,1.3,mpi_ring,10
MPI_Recv,1.4,mpi_ring,10
MPI_Send,1.1,mpi_ring,10
MPI_Send,1.2,mpi_ring,10
MPI_Send,1.3,mpi_ring,10
MPI_Send,1.4,mpi_ring,10

## Every message has both ends, and goes to the next rank.
$ weft dump -f kind=send ring.weft | awk '{print $2, $5, $6}' | sort | uniq -c | sed 's/^ *//'
10 1.1.1 to 1.2.1
10 1.2.1 to 1.3.1
10 1.3.1 to 1.4.1
10 1.4.1 to 1.1.1

## The status of the ranks is mpirun's business, and mpirun's is ours.
$ weft record -q -o one.weft -- mpirun -np 2 sh -c 'exit $OMPI_COMM_WORLD_RANK' 2>/dev/null
? 1

## Who computes: the ranks, and neither mpirun nor the threads that MPI has for itself.
$ weft record -q -o four.weft -- mpirun -np 4 "$WEFT_BUILD/examples/mpi_ring" >/dev/null
$ weft table -q useful four.weft --csv | awk -F, 'NR > 1 && $2 > 0 { print $1 }' | grep -v -c mpi_ring
0
? 1
$ weft efficiency -q --no-ideal four.weft --csv | head -1
model,factor,4,meaning
