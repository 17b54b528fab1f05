## SPDX-License-Identifier: Apache-2.0
## weft files, on small files whose sums can be worked out by hand: two workers, 0 to 30 ms, and a thread that submits; a simulated run half as long again.
$ cp "$WEFT_SOURCE"/tests/golden/taskfiles/* .; chmod u+w ./*
$ weft files states native.trace simulated.trace
state            native n  native total ms  native mean ms  simulated n  simulated total ms  simulated mean ms  second/first
Initializing            2               21            10.5            2                31.5              15.75           1.5
Overhead                3               17         5.66667            3                25.5                8.5           1.5
Submitting task         1               10              10            1                  15                 15           1.5
gemm                    2                9             4.5            2                13.5               6.75           1.5
potrf                   1                8               8            1                  12                 12           1.5
Sleeping                2                5             2.5            2                 7.5               3.75           1.5
Scheduling              2                4               2            2                   6                  3           1.5
$ weft files states native.trace -n potrf,gemm --csv
state,n,total_ms,mean_ms
gemm,2,9,4.5
potrf,1,8,8
$ weft files states native.trace -r 11:29 --json
[
  {
    "state": "Overhead",
    "n": 2,
    "total_ms": 15,
    "mean_ms": 7.5
  },
  {
    "state": "gemm",
    "n": 2,
    "total_ms": 9,
    "mean_ms": 4.5
  },
  {
    "state": "potrf",
    "n": 1,
    "total_ms": 8,
    "mean_ms": 8
  },
  {
    "state": "Scheduling",
    "n": 1,
    "total_ms": 3,
    "mean_ms": 3
  }
]
$ weft files states trace.rec
state            n  total ms  mean ms
Overhead         3        17  5.66667
Submitting task  1        10       10
gemm             2         9      4.5
potrf            1         8        8
Sleeping         2         5      2.5
Scheduling       2         4        2
$ weft files efficiency trace.rec
efficiency     value  what it is
Parallel    0.346939  all of them multiplied
Task               1  tasks alone one after the other / tasks here (1 where that was not given)
Runtime     0.444444  tasks and scheduling / these and the runtime
Scheduling      0.85  tasks / tasks and scheduling
Pipeline    0.918367  tasks, scheduling and runtime / these and idle workers
$ weft files efficiency trace.rec -s 8.5 --csv
efficiency,value,meaning
Parallel,0.173469,all of them multiplied
Task,0.5,tasks alone one after the other / tasks here (1 where that was not given)
Runtime,0.444444,tasks and scheduling / these and the runtime
Scheduling,0.85,tasks / tasks and scheduling
Pipeline,0.918367,"tasks, scheduling and runtime / these and idle workers"
$ cp native.trace sorted.trace; weft files sort -v sorted.trace; tail -n +86 sorted.trace
weft files: 'sorted.trace': 114 lines, 2 stretches that were in order
7	0.000000000	t1	T	p	T1
7	0.000000000	w1	W	t1	CPU1
7	0.000000000	m	UT	p	UserThread5
10	0.000000000	w0	WS	"In"
10	0.000000000	w1	WS	"In"
11	5.000000000	m	US	Su
11	6.000000000	m	US	Sc
12	7.000000000	m	US # done
10	10.000000000	w0	WS	"B"
10	11.000000000	w1	WS	"B"
10	12.000000000	w0	WS	"potrf"
20	12.000000000	w0	WS	"potrf"	102400	"M160x160x4"	db326755	1
10	12.000000000	w0	Ctx1	"potrf"
13	12.000000000	w0	gf	1.5
12	15.000000000	m	US # done
10	20.000000000	w0	WS	"B"
10	20.000000000	w1	WS	"gemm"
20	20.000000000	w1	WS	"gemm"	102400	"M160x160x4"	db326755	2
10	20.000000000	w1	Ctx1	"gemm"
13	20.000000000	w0	gf	0
11	21.000000000	w0	WS	Sc
12	24.000000000	w0	WS # done
10	26.000000000	w0	WS	"Sl"
10	27.000000000	w1	WS	"gemm"
20	27.000000000	w1	WS	"gemm"	102400	"M160x160x4"	db326755	3
10	27.000000000	w1	Ctx1	"gemm"
10	29.000000000	w1	WS	"Sl"
8	30.000000000	t0	T
8	30.000000000	t1	T
$ weft files sort -v sorted.trace; cmp <(sort native.trace) <(sort sorted.trace)
weft files: 'sorted.trace': 114 lines, 1 stretches that were in order
$ weft files states sorted.trace native.trace --csv | awk -F, 'NR > 1 && ($2 != $5 || $3 != $6 || $8 != 1)'
$ weft files sort native.trace -o other.trace; cmp other.trace sorted.trace; weft files sort native.trace -o other.trace
weft files: error: 'other.trace' is there already (--force replaces it)
? 2
$ weft files use .
what                   messages  without a task  mean ms  min ms  max ms
From reception to use         2               2     4.25     0.5       8
From use to sending           4               0    2.875     0.5       9
$ weft files use comms.rec tasks.rec --csv
what,n,unused,mean_ms,min_ms,max_ms
From reception to use,2,2,4.25,0.5,8
From use to sending,4,0,2.875,0.5,9
$ weft files matrix comms.rec
from  to  messages    bytes     MB/s
   0   1         2  4000000  1142.86
   1   0         2  1000000      500
$ weft files matrix output.log
from  to  messages   bytes  MB/s
   0   1         -  409600     2
   1   0         -  204800     1
$ weft files events number_events.data
event                n
START_CODELET_BODY  96
worker asleep        5
0xabcdef             7
$ weft files count native.trace --csv | tail -7
PajePushState,US,2
PajePopState,US,2
PajeSetState,Ctx1,3
PajePushState,WS,1
PajePopState,WS,1
PajeDestroyContainer,T,2
PajeSetVariable,gf,2
$ export STARPU_PERF_MODEL_DIR="$WEFT_SOURCE/tests/golden/models" STARPU_HOSTNAME=suite STARPU_HOME=/nowhere; unset STARPU_PERF_MODEL_PATH STARPU_NCPU STARPU_NCUDA STARPU_NOPENCL
$ weft files estimate tasks.rec | grep -e JobId -e Estimated
weft files: warning: there is no performance model 'unheard_of'
JobId: 9
JobId: 0_1
EstimatedTime: 157.327900 157.327900
JobId: 0_2
EstimatedTime: 157.327900 157.327900
JobId: 1_3
JobId: 1_4
EstimatedTime: 278.103600 278.103600
JobId: 0_5
$ weft files estimate tasks.rec -o tasks2.rec -q; weft files estimate tasks2.rec | cmp - tasks2.rec; grep -v EstimatedTime tasks2.rec | cmp - tasks.rec
weft files: warning: there is no performance model 'unheard_of'
## what is wrong
$ head -c 1900 native.trace >cut.trace; weft files states cut.trace
weft files: error: cut.trace:97: fewer fields than its event has
? 2
$ weft files sort cut.trace
$ head -c 600 tasks.rec >cut.rec; weft files use comms.rec cut.rec
weft files: error: cut.rec:44: expected 'Field: value', found 'Submi'
? 2
$ printf 'potrf\t0\t1024\n' >narrow.data; weft files profile narrow.data potrf
weft files: error: narrow.data:1: expected codelet, worker, size, footprint and milliseconds, found 3 columns
? 2
$ weft files activity distrib.data
weft files: error: distrib.data:1: column 4, executing: expected a number, found 'db326755'
? 2
$ : >empty; weft files activity empty; weft files states empty; weft files matrix empty
weft files: error: 'empty' says nothing of any time
weft files: error: empty: no Paje trace: it has no %EventDef
weft files: error: empty: no line '[starpu_comm_stats][0:1] …', as STARPU_MPI_STATS=1 makes them
? 2
$ weft files distribution empty; weft files sizes empty -o empty.svg && file empty.svg
empty.svg: SVG Scalable Vector Graphics image
$ weft files states nothing.trace
weft files: error: cannot open 'nothing.trace': no such file or directory
? 2
$ weft files states native.trace -r 5
weft files: error: option '--range': expected FROM:TO, as in 100:300 (-1: no end), found '5'
? 2
$ weft files histogram native.trace -n gem -o h.svg
weft files: warning: no trace has a state 'gem'
weft files: error: there are no such states
? 2
$ weft files activity activity.data -o a.gif
weft files: error: 'a.gif' is no name of a picture: it ends with .svg, .png, .eps or .pdf
? 2
$ weft files summary native.trace -o trace.rec
weft files: error: 'trace.rec' is there already (--force replaces it)
? 2
$ weft files sorting native.trace; weft files sort; weft files efficiency trace.rec trace.rec
weft files: error: action 'sorting' (it can be: sort, states, histogram, summary, efficiency, activity, profile, distribution, sizes, estimate, events, count, use, matrix)
Try 'weft files --help'.
weft files: error: 'sort' takes traces
Try 'weft files --help'.
weft files: error: 'efficiency' takes one trace.rec
Try 'weft files --help'.
? 2
$ weft files histogram native.trace --bins 401
weft files: error: option '--bins': expected 1 to 400, found '401'
Try 'weft files --help'.
? 2
