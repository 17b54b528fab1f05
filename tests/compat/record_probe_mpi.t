## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.openmpi mpirun.openmpi mpicc.mpich mpiexec.mpich jq
## tags: builds=release,debug timeout=120
## Probes in MPI programs, in the library and in the program, under Open MPI and MPICH.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cat >ring.c <<'END'
> #include <mpi.h>
> #include <stdio.h>
> __attribute__((noinline)) int turn(int rank, int round)
> {
> 	return rank + round;
> }
> int main(int argc, char **argv)
> {
> 	int rank, size, token = 0;
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
> 	MPI_Comm_size(MPI_COMM_WORLD, &size);
> 	for (int i = 0; i < 10; i++) {
> 		if (rank)
> 			MPI_Recv(&token, 1, MPI_INT, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
> 		token += turn(rank, i) > 0;
> 		MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
> 		if (!rank)
> 			MPI_Recv(&token, 1, MPI_INT, size - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
> 	}
> 	if (!rank)
> 		printf("token %d\n", token);
> 	MPI_Finalize();
> 	return 0;
> }
> END

$ mpicc.openmpi -O2 -g -o ring-openmpi ring.c && mpicc.mpich -O2 -g -o ring-mpich ring.c
$ weft record -q --off threads,io -o o.weft --probe 'MPI_Send($2:int, $4:int, $5:int)' --probe 'turn(rank, round; return)' -- mpirun.openmpi -np 3 ./ring-openmpi
token 29

$ weft record -q --off threads,io -o m.weft --probe 'MPI_Send($2:int, $4:int, $5:int)' --probe 'turn(rank, round; return)' -- mpiexec.mpich -n 3 ./ring-mpich
token 29

$ for t in o m; do weft check $t.weft | sed 's/;.*//'; weft stat --csv $t.weft | cut -d, -f1-4 | sort; done
o.weft: sound
MPI_Send,running,3,30
region,state,threads,calls
turn,running,3,30
m.weft: sound
MPI_Send,running,3,30
region,state,threads,calls
turn,running,3,30

$ for t in o m; do weft dump $t.weft | grep -c 'MPI_Send.$4 = 1'; weft dump $t.weft | grep -c 'turn.round = 9'; done
10
3
10
3
