## SPDX-License-Identifier: Apache-2.0
## weft what-if: the usual remedies of a run that is uneven, single ones, and what is wrong.
$ { printf 'process 0 solver\nthread main\nprocess 1 solver\nthread main\ncomm 2 MPI_COMM_WORLD\n'
> for rank in 0 1; do
> 	echo "on $rank"
> 	for step in 0 1 2 3 4; do
> 		from=$((step * 310000)) come=$((step * 310000 + (rank ? 300000 : 100000))) end=$((step * 310000 + 310000))
> 		printf 'category user\nenter %d 1 sweep\nleave %d sweep\ncategory mpi\n' $from $come
> 		printf 'enter %d 4 MPI_Allreduce\ncollective %d 10 -1 8 8\nleave %d MPI_Allreduce\n' $come $end $end
> 	done
> done; } >run.txt
$ "$WEFT_BUILD/tests/trace_of_text" run.weft <run.txt && weft what-if run.weft
the run took 1.55 ms; played again without a change it takes 1.55 ms

remedy                          predicted     gain     from       to  option
'sweep' balanced in each phase    1.05 ms  32.26 %  29.03 %  35.48 %  --balance 'sweep'
'sweep' 2 times faster             800 us  48.39 %  45.97 %  50.81 %  --faster 'sweep'=2
ranks times 2                      850 us  45.16 %  33.87 %  56.45 %  --ranks x2
an ideal network                  1.50 ms   3.23 %   2.90 %   3.55 %  --ideal
latency times 0.5                 1.53 ms   1.61 %   1.13 %   2.10 %  --latency 0.5

--why says what each assumes and cannot know
$ weft what-if run.weft --faster 'sweep'=4 --balance sweep --ideal --ranks 4 --csv | cut -d, -f1-5
remedy,predicted_ns,gain_percent,gain_low_percent,gain_high_percent
'sweep' 4 times faster,424999,72.58064516129032,68.95161290322581,76.20967741935483
'sweep' balanced in each phase,1050000,32.25806451612904,29.03225806451613,35.48387096774194
an ideal network,1500000,3.2258064516129004,2.9032258064516103,3.54838709677419
ranks times 2,849999,45.16129032258065,33.87096774193549,56.451612903225815
$ weft what-if run.weft --balance sweep --why
the run took 1.55 ms; played again without a change it takes 1.55 ms

remedy                          predicted     gain     from       to  option
'sweep' balanced in each phase    1.05 ms  32.26 %  29.03 %  35.48 %  --balance 'sweep'

--balance
  assumes that between two meetings each region takes the same time on all threads that are in it
  cannot know whether the work can be divided so finely, and what dividing it costs
$ weft what-if run.weft --merge-messages --schedule guided,2 --latency 0.5 --bandwidth 2 --overlap '*'
weft what-if: warning: option '--merge-messages': there is nothing that it would change
weft what-if: warning: option '--schedule': there is nothing that it would change
the run took 1.55 ms; played again without a change it takes 1.55 ms

remedy                                  predicted    gain    from      to  option
messages overlapped with work             1.55 ms  0.00 %  0.00 %  0.00 %  --overlap '*'
messages in a row merged                  1.55 ms  0.00 %  0.00 %  0.00 %  --merge-messages
loops handed out by schedule(guided,2)    1.55 ms  0.00 %  0.00 %  0.00 %  --schedule guided,2
latency times 0.5                         1.53 ms  1.61 %  1.13 %  2.10 %  --latency 0.5
bandwidth times 2                         1.55 ms  0.00 %  0.00 %  0.00 %  --bandwidth 2

--overlap
  assumes that messages travel while the program computes, and are waited for where the next exchange begins
  cannot know whether the data is needed earlier; whether the library moves messages by itself

--merge-messages
  assumes that messages in a row to one receiver become one: latency and calls once
  cannot know what copying them together costs

--schedule
  assumes that the iterations of a recorded chunk take the same time each; handing out costs what it did
  cannot know caches that iterations in a row share

--latency
  assumes that what small messages and collectives take scales with the latency
  cannot know what of it is the library's own work

--bandwidth
  assumes that what large messages take beyond the latency scales with the bandwidth
  cannot know the share of memory copies; contention
$ weft what-if run.weft --top 1 --json
[
  {
    "remedy": "'sweep' balanced in each phase",
    "predicted_ns": 1050000,
    "gain_percent": 32.25806451612904,
    "gain_low_percent": 29.03225806451613,
    "gain_high_percent": 35.48387096774194,
    "option": "--balance 'sweep'",
    "assumes": "between two meetings each region takes the same time on all threads that are in it",
    "cannot_know": "whether the work can be divided so finely, and what dividing it costs"
  }
]
$ weft what-if run.weft --faster nothing=2
weft what-if: error: option '--faster': nothing in 'run.weft' is called 'nothing'
? 2
$ weft what-if run.weft --faster sweep=0
weft what-if: error: option '--faster': cannot use 'sweep=0'
Try 'weft what-if --help'.
? 2
$ weft what-if run.weft --schedule round
weft what-if: error: option '--schedule': cannot use 'round'
Try 'weft what-if --help'.
? 2
$ weft what-if run.weft --workers 4
weft what-if: error: option '--workers': there are none in 'run.weft'
? 2
$ weft what-if run.weft --no-lock foo
weft what-if: error: option '--no-lock': nothing in 'run.weft' is called 'foo'
? 2
$ weft what-if run.weft --task-size x
weft what-if: error: option '--task-size': cannot use 'x'
Try 'weft what-if --help'.
? 2
$ weft what-if
weft what-if: error: expected TRACE
Try 'weft what-if --help'.
? 2
## Fences, and what else has no communicator in a trace: who was there at one time met there; an early fence of one rank alone meets nobody.
$ sed '/^collective/d; s/MPI_Allreduce/MPI_Win_fence/' run.txt >fence.txt; printf 'on 0\nenter 2000000 4 MPI_Win_fence\nleave 2000100 MPI_Win_fence\non 1\nenter 3000000 4 MPI_Win_fence\nleave 3000100 MPI_Win_fence\n' >>fence.txt; "$WEFT_BUILD/tests/trace_of_text" fence.weft <fence.txt && weft what-if fence.weft --balance sweep --faster sweep=2 --csv | cut -d, -f1-3; weft waits fence.weft --csv | head -3
remedy,predicted_ns,gain_percent
'sweep' 2 times faster,2250100,24.99916669444352
'sweep' balanced in each phase,2500100,16.666111129629012
class,count,wait_ns,percent_of_waits,percent_of_time,about
mpi_barrier,5,1000000,100,19.99920003199872,others came later
## A loop of 8 iterations, 4 of 1 us and 4 of 2 us, in two chunks: handed out one by one to 2 threads, to 4, by static to 8; what cannot be.
$ cat >loop.txt <<'END'
> process 0 loop
> thread main
> thread second
> on 0
> category openmp
> enter 0 1 omp parallel in main
> attr 0 1 omp team
> enter 0 1 main [omp parallel]
> attr 0 1 omp team
> enter 0 1 omp for
> attr 0 8 omp iterations
> enter 0 1 omp chunk
> attr 0 4 omp iterations
> leave 4000 omp chunk
> leave 4000 omp for
> enter 4000 4 omp barrier
> leave 8001 omp barrier
> leave 8001 main [omp parallel]
> leave 8001 omp parallel in main
> on 1
> category openmp
> enter 0 1 main [omp parallel]
> attr 0 1 omp team
> enter 0 1 omp for
> attr 0 8 omp iterations
> enter 1 1 omp chunk
> attr 1 4 omp iterations
> leave 8001 omp chunk
> leave 8001 omp for
> enter 8001 4 omp barrier
> leave 8001 omp barrier
> leave 8001 main [omp parallel]
> END
$ "$WEFT_BUILD/tests/trace_of_text" loop.weft <loop.txt && weft what-if loop.weft --schedule dynamic,1 --schedule dynamic,1,4 --schedule static,0,8 --schedule static,0,1 --csv | cut -d, -f1-3; weft what-if loop.weft --schedule dynamic,1,4 -q | grep -- --schedule | head -1; for s in dynamic,0 dynamic,1,0 static,0,1,2 fair; do weft what-if loop.weft --schedule $s; done
remedy,predicted_ns,gain_percent
"loops handed out by schedule(dynamic,1)",6002
"loops handed out by schedule(dynamic,1) to 4 threads",3001
loops handed out by schedule(static) to 8 threads,2000,75.00312460942382
loops handed out by schedule(static) to 1 threads,12000,-49.98125234345707
loops handed out by schedule(dynamic,1) to 4 threads    3.00 us  62.49 %  53.12 %  71.87 %  --schedule dynamic,1,4
weft what-if: error: option '--schedule': cannot use 'dynamic,0'
Try 'weft what-if --help'.
weft what-if: error: option '--schedule': cannot use 'dynamic,1,0'
Try 'weft what-if --help'.
weft what-if: error: option '--schedule': cannot use 'static,0,1,2'
Try 'weft what-if --help'.
weft what-if: error: option '--schedule': cannot use 'fair'
Try 'weft what-if --help'.
? 2
## What processes do before MPI_Init is not balanced: nobody can share it.
$ printf 'process 0 p\nthread main\nprocess 1 p\nthread main\non 0\ncategory user\nenter 0 1 read\nleave 100000 read\ncategory mpi\nenter 100000 4 MPI_Init\nleave 300000 MPI_Init\ncategory user\nenter 300000 1 solve\nleave 500000 solve\ncategory mpi\nenter 500000 4 MPI_Finalize\nleave 900000 MPI_Finalize\non 1\ncategory user\nenter 0 1 read\nleave 300000 read\ncategory mpi\nenter 300000 4 MPI_Init\nleave 300000 MPI_Init\ncategory user\nenter 300000 1 solve\nleave 900000 solve\ncategory mpi\nenter 900000 4 MPI_Finalize\nleave 900000 MPI_Finalize\n' >begin.txt; "$WEFT_BUILD/tests/trace_of_text" begin.weft <begin.txt && weft what-if begin.weft --balance '*' --balance read --csv | cut -d, -f1-3
remedy,predicted_ns,gain_percent
all work balanced in each phase,700000,22.22222222222222
'read' balanced in each phase,900000,0
