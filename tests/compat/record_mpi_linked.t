## SPDX-License-Identifier: Apache-2.0
## needs: gcc gfortran mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=120
## Programs that are linked with -lweft-mpi (MPICH's library, of which the program itself names nothing any more, wants --no-as-needed): recorded where nothing is preloaded; once, where something is; run as they are without WEFT_DIR.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cat >ring.c <<'END'
> #include <mpi.h>
> #include <stdio.h>
> int main(int argc, char **argv)
> {
> 	int me, n, v = 0;
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &me);
> 	MPI_Comm_size(MPI_COMM_WORLD, &n);
> 	for (int i = 0; i < 100; i++) MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 5, &v, 1, MPI_INT, (me + n - 1) % n, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
> 	PMPI_Barrier(MPI_COMM_WORLD);
> 	if (me == 0) printf("%d\n", v);
> 	MPI_Finalize();
> 	return 3;
> }
> END
$ for m in openmpi mpich; do mpicc.$m -w -O1 ring.c -L"$WEFT_BUILD" -Wl,-rpath,"$WEFT_BUILD" -lweft-mpi -Wl,--no-as-needed -o ring.$m && mpirun.$m -np 2 ./ring.$m 2>/dev/null; echo $?; done; true
1
3
1
3
$ printf '%s\n' '#!/bin/sh' 'unset LD_PRELOAD' 'exec "$@"' >bare; chmod +x bare
$ for m in openmpi mpich; do for how in ./bare ''; do weft record -q --force --off threads,io,samples -o $m.weft -- mpirun.$m -np 2 $how ./ring.$m 2>/dev/null; echo $?; weft info --json $m.weft | jq -c '[.messages, .dropped, .problems]'; weft stat --by region --csv $m.weft | awk -F, '$1 ~ /Sendrecv|Barrier/ {print $1, $4}' | sort; done; done
1
3
[200,0,0]
MPI_Barrier 2
MPI_Sendrecv 200
1
3
[200,0,0]
MPI_Barrier 2
MPI_Sendrecv 200
1
3
[200,0,0]
MPI_Barrier 2
MPI_Sendrecv 200
1
3
[200,0,0]
MPI_Barrier 2
MPI_Sendrecv 200
