## SPDX-License-Identifier: Apache-2.0
## needs: mpirun.openmpi mpicc.openmpi mpirun.mpich mpicc.mpich gcc
## tags: builds=release,debug timeout=240
## weft tune with MPI programs: both launchers, one executable for all actors, both shipped specifications; and the iteration-time example.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ nbody=$WEFT_BUILD/examples/nbody; alone=$($nbody --bodies 200 --steps 12); echo "$alone"
200 bodies, 12 steps: checksum [..]

## Number of workers: rank 0 turns out to be the master by what it enters, the others workers; what is computed does not change.
$ weft tune -q -t nworkers --exe nbody --report r.txt -- mpirun.openmpi -np 4 $nbody --bodies 200 --steps 12 --speed 4e5 | diff - <(echo "$alone") && grep -oE '^  (master|worker) [0-9]+ ' r.txt | sort
  master 0 
  worker 1 
  worker 2 
  worker 3 
$ awk -F"[:,]" '/^Tunlet/ {print ($2 + 0 > 6 ? "most" : "few") " iterations"}' r.txt
most iterations

## Both at once, the second with every worker's chunk; the program's variables are really set.
$ weft tune -q -t nworkers -t loadbalance --exe nbody --report r.txt -- mpirun.openmpi -np 4 $nbody --bodies 200 --steps 12 --speed 4e5 | diff - <(echo "$alone") && grep -cE 'SetVariableValue (NOptWorkers|globalSizeChunk) = [0-9]+, was [0-9]+; in force after' r.txt | awk '{print ($1 > 3 ? "several" : "few")}'
several

## With ranks said instead of found; a dry run.
$ weft tune -q -n -t nworkers --exe nbody --rank master=0 --rank worker=1- --report r.txt -- mpirun.openmpi -np 3 $nbody --bodies 200 --steps 12 --speed 4e5 | diff - <(echo "$alone") && grep -oE '^  (master|worker) [0-9]+ ' r.txt | sort
  master 0 
  worker 1 
  worker 2 

## MPICH's launcher: ranks are seen in its environment, each rank a process of steps.tsl.
$ cat >ranks.c <<'END'
> #include <mpi.h>
> #include <stdio.h>
> #include <unistd.h>
> int iteration, chunk = 1;
> double load = 2.5;
> __attribute__((noinline)) void step_begin(int i) { iteration = i; __asm__ volatile("" ::: "memory"); }
> __attribute__((noinline)) void step_end(int i, double took) { __asm__ volatile("" ::"r"(i), "x"(took) : "memory"); }
> int main(int argc, char **argv)
> {
> 	int rank, sum = 0;
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
> 	for (int i = 0; i < 20; i++) {
> 		step_begin(i);
> 		usleep(5000);
> 		step_end(i, 5000);
> 		MPI_Barrier(MPI_COMM_WORLD);
> 	}
> 	MPI_Reduce(&chunk, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
> 	if (rank == 0)
> 		printf("chunks %d\n", sum);
> 	MPI_Finalize();
> 	return 0;
> }
> END
$ gold=$WEFT_SOURCE/tests/golden/tunlets; for m in mpich openmpi; do mpicc.$m -O2 -g -w -o ranks.$m ranks.c; weft tune -q -t $gold/steps.tsl --exe "ranks.*" --report r.txt -- mpirun.$m -np 3 ./ranks.$m; grep -oE '^  p [0-9]+ ' r.txt | sort; done
chunks 21
  p 0 
  p 1 
  p 2 
chunks 21
  p 0 
  p 1 
  p 2 

## A rank is killed: the launcher ends the others and says so by its status, and so do we; nothing hangs.
$ weft tune -q -t $gold/steps.tsl --exe "ranks.*" -- sh -c 'mpirun.mpich -np 2 sh -c "test \$PMI_RANK = 1 && { sleep 0.3; kill -KILL \$\$; }; exec ./ranks.mpich" >/dev/null 2>&1'; echo $?
[..]

## The iteration-time example of the thesis: two programs, computation and communication of each iteration.
$ cat >halves.c <<'END'
> #include <time.h>
> #include <unistd.h>
> #define FUNCTION __attribute__((noinline))
> static void wait_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, 0); }
> FUNCTION void Initialize(void) { wait_ms(4); }
> FUNCTION void DivideData(void) { wait_ms(2); __asm__ volatile(""); }
> FUNCTION void Process(long ms) { wait_ms(ms); }
> FUNCTION void SendData(void) { wait_ms(3); __asm__ volatile("" ::: "memory"); }
> FUNCTION void Finalize(void) { wait_ms(5); __asm__ volatile("" ::: "memory"); }
> int main(int argc, char **argv)
> {
> 	int to = argv[1][0] == '1' ? 4 : 3, from = to == 4 ? 3 : 4, second = to == 3;
> 	char c = 0;
> 	for (int i = 0; i < 12; i++) {
> 		if (!second) {
> 			Initialize();
> 			DivideData();
> 			write(to, &c, 1);
> 			Process(10);
> 			read(from, &c, 1);
> 			Finalize();
> 		} else {
> 			read(from, &c, 1);
> 			Process(20);
> 			SendData();
> 			write(to, &c, 1);
> 		}
> 	}
> 	return argc - 2;
> }
> END
$ gcc -O2 -g -w -o Process_1 halves.c; cp Process_1 Process_2; mkfifo a b; weft tune -q -t itertime --report r.txt -- sh -c './Process_2 2 3<>a 4<>b & ./Process_1 1 3<>a 4<>b; wait'; grep -oE "^Tunlet.*evaluated" r.txt
Tunlet 'itertime': 12 iterations evaluated
$ grep -oE ' 7: .*' r.txt | tr ' ' '\n' | awk -F= '/^T/ {v[$1] = $2} END {e = v["Tex"] - v["Tcomp"] - v["Tcomm"]; print (v["Tini"] > 5.9 && v["Tproc"] > 19.9 && v["Tfin"] > 4.9 && v["Tcomm"] > 0 && e < 0.01 && e > -0.01 ? "right" : "wrong")}'
right
