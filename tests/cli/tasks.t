## SPDX-License-Identifier: Apache-2.0
## weft tasks: fields, filters, orders, groups, forms. tests/golden/traces/make_tasks.py says what the trace is.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/tiles.weft" .
$ weft tasks tiles.weft
number  name                   worker  submitted    start  duration     wait  depends  place
     1  potrf                  CPU 0     1.00 ms  1.05 ms    200 us  50.0 us        0  tiles.c:21
     2  trsm                   CPU 0     1.01 ms  1.27 ms    300 us  20.0 us        1  tiles.c:24
     3  trsm                   CPU 1     1.02 ms  1.30 ms    300 us  50.0 us        1  tiles.c:24
     4  trsm                   CPU 0     1.03 ms  1.59 ms    300 us   340 us        1  tiles.c:24
     5  syrk                   CPU 1     1.04 ms  1.62 ms    200 us  50.0 us        1  tiles.c:27
     6  gemm                   CPU 1     1.05 ms  1.84 ms    450 us   240 us        2  tiles.c:30
     7  syrk                   CPU 0     1.06 ms  1.91 ms    200 us   310 us        1  tiles.c:27
     8  gemm                   CPU 0     1.07 ms  2.13 ms    450 us   240 us        2  tiles.c:30
     9  gemm                   CPU 1     1.08 ms  2.31 ms    450 us   420 us        2  tiles.c:30
    10  syrk                   CPU 0     1.09 ms  2.60 ms    200 us   710 us        1  tiles.c:27
    11  potrf                  CPU 1     1.10 ms  2.78 ms    200 us   960 us        1  tiles.c:21
    12  trsm                   CPU 1     1.11 ms  3.00 ms    300 us  20.0 us        2  tiles.c:24
    13  trsm                   CPU 0     1.12 ms  3.03 ms    300 us  50.0 us        2  tiles.c:24
    14  syrk                   CPU 1     1.13 ms  3.32 ms    200 us  20.0 us        2  tiles.c:27
    15  gemm                   CPU 0     1.14 ms  3.35 ms    450 us  20.0 us        3  tiles.c:30
    16  syrk                   CPU 1     1.15 ms  3.54 ms    200 us   210 us        2  tiles.c:27
    17  potrf                  CPU 1     1.16 ms  3.76 ms    200 us   240 us        1  tiles.c:21
    18  trsm                   CPU 1     1.17 ms  3.98 ms    300 us  20.0 us        2  tiles.c:24
    19  syrk                   CPU 1     1.18 ms  4.30 ms    200 us  20.0 us        2  tiles.c:27
    20  <b>last & "least"</b>  CPU 1     1.19 ms  4.52 ms    200 us  20.0 us        1  tiles.c:21
$ weft tasks tiles.weft -n 2 --sort wait -c number,codelet,submit,ready,start,wait,blocked
number  codelet  submitted    ready    start    wait  blocked
    11  potrf      1.10 ms  1.82 ms  2.78 ms  960 us   720 us
    10  syrk       1.09 ms  1.89 ms  2.60 ms  710 us   800 us

2 of 20 tasks are shown ('-n 0': all).
$ weft tasks tiles.weft -c number,name,level,earliest,slack,critical -f 'codelet=potrf'
number  name                   level  earliest    slack  critical
     1  potrf                      0      0 ns     0 ns         1
    11  potrf                      3    700 us  50.0 us         0
    17  potrf                      6   1.45 ms  50.0 us         0
    20  <b>last & "least"</b>      9   2.20 ms     0 ns         1
$ weft tasks tiles.weft --by codelet
codelet  tasks    total    mean  deviation     min     max     wait  GFlop/s    share
trsm         6  1.80 ms  300 us       0 ns  300 us  300 us  83.3 us        -  32.14 %
gemm         4  1.80 ms  450 us       0 ns  450 us  450 us   230 us        -  32.14 %
syrk         6  1.20 ms  200 us       0 ns  200 us  200 us   220 us        -  21.43 %
potrf        4   800 us  200 us       0 ns  200 us  200 us   318 us        -  14.29 %
$ weft tasks tiles.weft --by iteration,worker --sort tasks -n 3
iteration  worker  tasks    total    mean  deviation     min     max    wait  GFlop/s    share
        0  CPU 0       6  1.65 ms  275 us    90.1 us  200 us  450 us  278 us        -  29.46 %
        0  CPU 1       4  1.40 ms  350 us     106 us  200 us  450 us  190 us        -  25.00 %
        1  CPU 1       4   900 us  225 us    43.3 us  200 us  300 us  303 us        -  16.07 %

3 of 6 groups are shown ('-n 0': all).
$ weft tasks tiles.weft --by critical,codelet --csv
critical,codelet,tasks,total_ns,mean_ns,deviation_ns,min_ns,max_ns,wait_ns,gflops,share_percent
1,trsm,6,1800000,300000,0,300000,300000,83333,,32.142857142857146
1,gemm,3,1350000,450000,0,450000,450000,166666,,24.107142857142858
0,syrk,5,1000000,200000,0,200000,200000,260000,,17.857142857142858
0,gemm,1,450000,450000,0,450000,450000,420000,,8.035714285714286
1,potrf,2,400000,200000,0,200000,200000,35000,,7.142857142857143
0,potrf,2,400000,200000,0,200000,200000,600000,,7.142857142857143
1,syrk,1,200000,200000,0,200000,200000,20000,,3.5714285714285716

## Filters: any field, as docs/filters.md says.
$ for f in 'critical=1' 'worker=0' 'worker="CPU 1" codelet=gemm,syrk' 'time=..1300us' 'time=90%..' 'duration>=300us not codelet=trsm' 'iteration!=0' 'place=tiles.c:30' 'name="<b>last*"' 'name=<b>last*' 'depends=3' 'priority>9 slack>500us' 'gflops>0'; do printf '%s: ' "$f"; weft tasks tiles.weft -f "$f" -c number --csv 2>&1 | tail -n +2 | tr '\n' ' '; echo; done
critical=1: 1 2 3 4 6 8 12 13 15 18 19 20 
worker=0: 1 2 4 7 8 10 13 15 
worker="CPU 1" codelet=gemm,syrk: 5 6 9 14 16 19 
time=..1300us: 1 2 3 
time=90%..: 18 19 20 
duration>=300us not codelet=trsm: 6 8 9 15 
iteration!=0: 11 12 13 14 15 16 17 18 19 20 
place=tiles.c:30: 6 8 9 15 
name="<b>last*": 
name=<b>last*: 
depends=3: 15 
priority>9 slack>500us: 7 10 
gflops>0: 

## For programs: all that there is, and what is not there is null.
$ weft tasks tiles.weft --json -f number=20
[
  {
    "job": 4294967315,
    "number": 20,
    "name": "<b>last & \"least\"</b>",
    "codelet": "potrf",
    "model": null,
    "worker": "CPU 1",
    "resource": "CPU",
    "process": "tiles",
    "submitter": "1.1.1",
    "submit_ns": 1190000,
    "ready_ns": 4500000,
    "start_ns": 4520000,
    "end_ns": 4720000,
    "duration_ns": 200000,
    "wait_ns": 20000,
    "blocked_ns": 3310000,
    "iteration": 3,
    "sub_iteration": null,
    "priority": 7,
    "tag": null,
    "size_bytes": 8192,
    "flops": null,
    "gflops": null,
    "footprint": null,
    "submit_order": 20,
    "parameters": null,
    "file": "tiles.c",
    "line": 21,
    "place": "tiles.c:21",
    "color": null,
    "context": 0,
    "data": 1,
    "depends": 1,
    "level": 9,
    "earliest_ns": 2200000,
    "slack_ns": 0,
    "critical": 1
  }
]
$ weft tasks tiles.weft --csv -c number,name,tag,flops,submit_order -n 1 --sort number
number,name,tag,flops,submit_order
20,"<b>last & ""least""</b>",,,20

## The order is stable, the reverse of it is its reverse, and all tasks are there.
$ weft tasks tiles.weft --csv -c number --sort codelet | tail -n +2 | tr '\n' ' '; weft tasks tiles.weft --csv -c number -r | tail -n +2 | head -3 | tr '\n' ' '; weft tasks tiles.weft -n 0 --csv -c number | wc -l
6 8 9 15 1 11 17 20 5 7 10 14 16 19 2 3 4 12 13 18 20 19 18 21
$ weft tasks tiles.weft --fields | head -4
field          recorded  meaning
job            yes       the runtime's number of it, one of its process
number         yes       from 1 in the order of submission, in its process
name           yes       of the task, else its model's, else its codelet's

## What is wrong is one line.
$ weft tasks tiles.weft -f 'codelt=x'
weft tasks: error: filter: column 1: unknown field 'codelt' (did you mean 'codelet'?)
? 2
$ weft tasks tiles.weft -c number,nmae
weft tasks: error: option '--columns': unknown field 'nmae' (did you mean 'name'?)
Try 'weft tasks --help'.
? 2
$ weft tasks tiles.weft --by codelet --sort duration
weft tasks: error: option '--sort': unknown column of groups 'duration' (it can be: tasks, total, mean, deviation, min, max, wait, gflops, share)
Try 'weft tasks --help'.
? 2
$ weft tasks tiles.weft -c time
weft tasks: error: option '--columns': unknown field 'time' (it can be: job, number, name, codelet, model, worker, resource, process, submitter, submit, ready, push, pop, start, end, duration, wait, blocked, iteration, sub_iteration, priority, tag, size, flops, gflops, footprint, submit_order, parameters, file, line, place, color, context, data, depends, level, earliest, slack, critical)
Try 'weft tasks --help'.
? 2
$ weft tasks tiles.weft --by codelet -c number
weft tasks: error: option '--columns': groups have columns of their own
Try 'weft tasks --help'.
? 2
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft tasks -q heat.weft
weft tasks: error: 'heat.weft' has no tasks: it is not of a program of the task runtime
? 2
$ weft tasks
weft tasks: error: expected TRACE
Try 'weft tasks --help'.
? 2
