## SPDX-License-Identifier: Apache-2.0
## needs: mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=120
## Ranks of which only what is new is kept: all leave out the same, messages and collective operations stay whole, and what is computed of the rest is right.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cat >ring.c <<'END'
> #include <mpi.h>
> #include <unistd.h>
> int main(int argc, char **argv)
> {
> 	int me, n; double v[8] = {0}, w[8];
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &me); MPI_Comm_size(MPI_COMM_WORLD, &n);
> 	for (int step = 0; step < 900; step++) {
> 		int kind = step / 300 % 2;
> 		usleep(me ? 4000 : 2000);
> 		for (int i = 0; i < (kind ? 1 : 5); i++)
> 			MPI_Sendrecv(v, 8, MPI_DOUBLE, (me + 1) % n, step, w, 8, MPI_DOUBLE, (me + n - 1) % n, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
> 		if (kind) MPI_Bcast(v, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
> 		MPI_Allreduce(v, w, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
> 	}
> 	MPI_Finalize();
> 	return 0;
> }
> END
$ for m in openmpi mpich; do mpicc.$m -w -O1 ring.c -o ring.$m && weft record -q --representative --tolerance 0.5 --off samples,io,threads -o $m.weft -- mpirun.$m -np 2 ./ring.$m; weft info --json $m.weft | jq -c '[.messages, .dropped, .problems]'; weft check -q $m.weft; done
[6600,0,0]
[6600,0,0]

## Both ranks leave out the same stretches, at the same times; of 6600 exchanges many are gone.
$ for m in openmpi mpich; do for t in 1.1.1 1.2.1; do weft dump $m.weft -f "thread=$t type=\"left out: stretches\"" | awk '{print $1, $NF}' >$t; done; paste -d ' ' 1.1.1 1.2.1 | awk '{d = $1 - $3; if (d > 1e6 || d < -1e6 || $2 != $4) bad++} END {print (NR > 0), bad + 0}'; weft stat --csv $m.weft | awk -F, '$1 == "MPI_Sendrecv" {print ($4 > 10 && $4 < 5000)}'; weft phases --left-out $m.weft --json | jq -c '[([.[] | .left_out] | add > 5), ([.[] | .kept] | max)]'; done
1 0
1
[true,2]
1 0
1
[true,2]

## Ranks compute for 1.8 and 3.6 s at least, of which little was kept: what is kept counts for what it stands for, and each stretch is replayed.
$ for m in openmpi mpich; do weft efficiency -q --all $m.weft --csv | awk -F, 'NR > 1 {v[$2] = $3} END {u = v["Useful duration (average)"]; r = v["Runtime (us)"]; print (u > 2.2e6), (u < r), (v["Serialization efficiency"] > 40)}'; weft efficiency $m.weft 2>&1 | head -1 | sed 's/[0-9.]* s in [0-9]*/N s in N/'; done
1 1 1
weft efficiency: warning: 'openmpi.weft': N s in N stretches were left out (weft phases --left-out): this is of what was kept, each for those that it stands for
1 1 1
weft efficiency: warning: 'mpich.weft': N s in N stretches were left out (weft phases --left-out): this is of what was kept, each for those that it stands for
$ weft waits openmpi.weft 2>&1 | head -1 | sed 's/[0-9.]* s in [0-9]*/N s in N/'; weft replay openmpi.weft 2>&1 | head -1 | sed 's/[0-9.]* s in [0-9]*/N s in N/'
weft waits: warning: 'openmpi.weft': N s in N stretches were left out (weft phases --left-out): that time counts as computing, and its messages wait for nobody
weft replay: warning: 'openmpi.weft': N s in N stretches were left out (weft phases --left-out): that time counts as computing
$ weft efficiency openmpi.weft --window 1s 2>&1 >out | sed 's/[0-9.]* s in [0-9]*/N s in N/' | head -1
weft efficiency: warning: 'openmpi.weft': N s in N stretches were left out (weft phases --left-out): nothing seems to compute there
