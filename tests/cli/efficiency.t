## SPDX-License-Identifier: Apache-2.0
## weft efficiency: factors, times, states. Of tests/golden/traces/make_tasks.py's trace the sums are known: 5.6 ms in tasks, 19 ends of 8 us within the range, 20
## fetches of 5 us.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/tiles.weft" .
$ weft efficiency tiles.weft
          efficiency               all  when it is small
StarPU's  task                100.00 %  not known without a reference run
StarPU's  runtime              97.36 %  the runtime itself takes time: tasks are too small for it
StarPU's  scheduling          100.00 %  the policy takes time to choose
StarPU's  pipeline             77.31 %  workers wait: for data, or for tasks that are ready
StarPU's  parallel (product)   75.27 %
finer     task                100.00 %  not known without a reference run
finer     runtime              97.36 %  the runtime itself takes time: tasks are too small for it
finer     scheduling          100.00 %  the policy takes time to choose
finer     transfers            98.29 %  workers wait for data: more to overlap, to keep in place, or larger tasks
finer     dispatch             95.15 %  tasks are ready, and workers that idle do not get them: waking up, policy, or no worker may run them
finer     parallelism          82.66 %  no task is ready: the graph is too narrow, the submission too slow, or the end uneven
finer     parallel (product)   75.27 %

workers  number    tasks  runtime  scheduling  transfers  idle, tasks ready  idle, none ready
CPU           2  5.60 ms   152 us        0 ns     100 us             298 us           1.29 ms

Of 3.72 ms.
$ weft efficiency tiles.weft tiles.weft --csv | cut -d, -f 1-3
chain,factor,all_percent
StarPU's,task,100
StarPU's,runtime,97.35744089012516
StarPU's,scheduling,100
StarPU's,pipeline,77.31182795698925
StarPU's,parallel (product),75.26881720430106
finer,task,100
finer,runtime,97.35744089012516
finer,scheduling,100
finer,transfers,98.29118250170882
finer,dispatch,95.15447154471545
finer,parallelism,82.66129032258065
finer,parallel (product),75.26881720430107
$ weft efficiency tiles.weft --time 1050us..1250us --csv | cut -d, -f 1-3
chain,factor,all_percent
StarPU's,task,100
StarPU's,runtime,100
StarPU's,scheduling,100
StarPU's,pipeline,50
StarPU's,parallel (product),50
finer,task,100
finer,runtime,100
finer,scheduling,100
finer,transfers,100
finer,dispatch,100
finer,parallelism,50
finer,parallel (product),50
$ weft efficiency tiles.weft --states
state             type       count    total
trsm              tasks          6  1.80 ms
gemm              tasks          4  1.80 ms
syrk              tasks          6  1.20 ms
(outside of all)  idle           0  1.05 ms
potrf             tasks          4   800 us
sleeping          idle           1   540 us
overhead          runtime       19   152 us
fetching input    transfers     20   100 us
$ weft efficiency tiles.weft tiles.weft --states --csv
state,type,count,total_ns,other_count,other_total_ns,change_percent
trsm,tasks,6,1800000,6,1800000,0
gemm,tasks,4,1800000,4,1800000,0
syrk,tasks,6,1200000,6,1200000,0
(outside of all),idle,0,1048000,0,1048000,0
potrf,tasks,4,800000,4,800000,0
sleeping,idle,1,540000,1,540000,0
overhead,runtime,19,152000,19,152000,0
fetching input,transfers,20,100000,20,100000,0
$ weft efficiency tiles.weft --json | head -8
[
  {
    "chain": "StarPU's",
    "factor": "task",
    "all_percent": 100,
    "meaning": "not known without a reference run"
  },
  {
$ weft efficiency tiles.weft --time x
weft efficiency: error: expected a range of time like 10ms..20ms or 25%..50%, found 'x'
? 2
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft efficiency -q heat.weft
efficiency                         2/3      when it is small
Parallel efficiency                55.00 %  cores wait: see the factors below
  Load balance                     70.12 %  some compute longer than others
  Communication efficiency         78.43 %  even the busiest one waits
    Serialization efficiency       79.21 %  waits for each other remain on an ideal network
    Transfer efficiency            99.01 %  the network takes time
MPI parallel efficiency            85.71 %  processes wait in MPI
  MPI load balance                 92.31 %  some processes are longer outside of MPI than others
  MPI communication efficiency     92.85 %  even the busiest process waits in MPI
OpenMP parallel efficiency         64.16 %  threads wait inside of processes
  OpenMP load balance              75.96 %  some threads compute longer than others
  OpenMP communication efficiency  84.47 %  synchronisation, and what only one thread does

## Of a trace that was cut off what there is: no task was done, then some.
$ mkdir cut.weft; for n in 13000 17000; do head -c $n tiles.weft/0.stream >cut.weft/0.stream; weft efficiency -q cut.weft | tail -3; weft graph -q cut.weft --csv | tail -1; weft tasks -q cut.weft -f 'end>0' -c number --csv | wc -l; done
CPU           2   0 ns     0 ns        0 ns       0 ns               0 ns           7.48 ms

Of 3.74 ms.
20,30,10,6,0,0,1,0,0,0
1
CPU           2  2.40 ms  56.0 us        0 ns    40.0 us            1.14 ms           1.96 ms

Of 2.80 ms.
20,30,10,6,2400000,1700000,5,1.411764705882353,2750000,1.6176470588235294
9
