## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## weft simulate: the machines that came with Weft, the handbook's benchmark on each, its trace, and what cannot be.
$ export HOME="$PWD" STARPU_HOME="$PWD"; unset STARPU_HOSTNAME STARPU_PERF_MODEL_DIR STARPU_SIMULATED STARPU_SCHED STARPU_NCPU; suite="$WEFT_BUILD/examples/starpu/suite"; test -x "$suite/cholesky_implicit" || echo "no BLAS"
$ weft simulate --list
machine     cpus  numa  cuda  opencl  about
weft-1gpu      9     1     1       0  made up: 9 CPU cores, one of which serves 1 accelerator (PCIe 3)
weft-2cpus     2     1     0       0  measured: 2 cores of a virtual machine (Intel Xeon, one BLAS thread a core), November 2026
weft-2numa    32     2     0       0  made up: 32 CPU cores in 2 NUMA nodes (memory nodes with STARPU_USE_NUMA=1)
weft-3gpus    12     1     3       0  made up: 12 CPU cores, three of which serve 3 accelerators (PCIe 4)
$ weft simulate --list --json | jq -c '.[] | [.machine, .cpus, .numa, .cuda, .opencl]'
["weft-1gpu",9,1,1,0]
["weft-2cpus",2,1,0,0]
["weft-2numa",32,2,0,0]
["weft-3gpus",12,1,3,0]

## All sizes of tiles of all programs, on each.
$ for m in weft-1gpu weft-2cpus weft-2numa weft-3gpus; do for p in cholesky_implicit cholesky_tag lu_implicit lu_tag; do for b in 320 640 960; do weft simulate -m $m -s dmda -- "$suite/$p" -size $((4 * b)) -nblocks 4 2>/dev/null | grep -c "^$((4 * b))"; done; done; done | sort | uniq -c | sed 's/^ *//'
48 1
$ for b in 320 640 960; do for p in sgemm dgemm; do weft simulate -q -m weft-1gpu -- "$suite/$p" -x $((4 * b)) -y $((4 * b)) -z $b -nblocksx 4 -nblocksy 4 2>&1 | grep -c 'simulated on .weft-1gpu.: 48 tasks'; done; done | sort | uniq -c | sed 's/^ *//'
6 1

## The more it has the faster it is; the same each time; the policy counts.
$ t() { weft simulate -m "$1" -s "$2" -- "$suite/cholesky_implicit" -size 9600 -nblocks 10 2>/dev/null | awk '/^9600/ { print int($2 * 1000) }'; }
$ a=$(t weft-2cpus dmda); b=$(t weft-2numa dmda); c=$(t weft-1gpu dmda); d=$(t weft-3gpus dmda); test "$a" -gt "$b" && test "$b" -gt "$c" && test "$c" -gt "$d" && test "$(t weft-3gpus lws)" -gt "$d" && for i in 1 2 3 4; do test "$(t weft-3gpus dmda)" = "$d" || echo "differs"; done

## A real and a simulated run of 4 x 4 tiles state by state: potrf 4, trsm 6, syrk 6, gemm 4 of each, whichever is first; a run beside itself does not differ.
$ STARPU_NCPU=2 weft record -q --on starpu_detail -o real.weft -- "$suite/cholesky_implicit" -size 640 -nblocks 4 >/dev/null 2>&1; weft simulate -q -m weft-2cpus -o made.weft -- "$suite/cholesky_implicit" -size 1280 -nblocks 4 >/dev/null 2>&1
$ weft efficiency --states real.weft made.weft --csv | grep ',tasks,' | cut -d, -f 1-3,5 | sort
gemm,tasks,4,4
potrf,tasks,4,4
syrk,tasks,6,6
trsm,tasks,6,6
$ weft efficiency --states made.weft real.weft --csv | grep ',tasks,' | cut -d, -f 1-3,5 | sort
chol_model_gemm,tasks,4,4
chol_model_potrf,tasks,4,4
chol_model_syrk,tasks,6,6
chol_model_trsm,tasks,6,6
$ weft efficiency --states made.weft made.weft --csv | cut -d, -f 1,2,7 | sort
(outside of all),idle,0
chol_model_gemm,tasks,0
chol_model_potrf,tasks,0
chol_model_syrk,tasks,0
chol_model_trsm,tasks,0
state,type,change_percent
## What both workers did, and when they idled, is all of their time, from the first task to the last one's end: what the simulation says that it took.
$ weft simulate -m weft-2cpus -o again.weft -- "$suite/cholesky_implicit" -size 1280 -nblocks 4 2>&1 >/dev/null | sed -n 's/.*20 tasks in \([0-9.]*\) ms.*/\1/p' >took; weft efficiency --states again.weft --csv | awk -F, 'NR > 1 { sum += $4 } END { printf "%.3f\n", sum / 2e6 }' | cmp - took

## The handbook's own command line.
$ (export STARPU_PERF_MODEL_DIR="$WEFT_SOURCE/share/starpu/perfmodels/sampling" STARPU_HOSTNAME=weft-3gpus; "$suite/cholesky_implicit" -size $((960*20)) -nblocks 20 2>&1 >/dev/null | sed 's/ in .*//')
starpu: simulated on 'weft-3gpus': 1540 tasks

## Statistics and a trace, of one clock.
$ STARPU_WORKER_STATS=1 STARPU_BUS_STATS=1 weft simulate -m weft-1gpu -s dmda -o run.weft -- "$suite/cholesky_implicit" -size 3840 -nblocks 4 2>&1 | sed -n 's/^\(#.*\|Worker stats:\|C.*[0-9]\) *$/\1/p;s/	NUMA 0 -> CUDA 0	.*/way/p' | sort -u | grep -c -e '^C' -e way -e stats
11
$ weft stat run.weft --json | jq -c '.[] | [.region, .calls]' | grep chol
["chol_model_potrf",4]
["chol_model_trsm",6]
["chol_model_gemm",4]
["chol_model_syrk",6]
$ weft simulate -q -m weft-1gpu -s dmda -o other.weft -- "$suite/cholesky_implicit" -size 3840 -nblocks 4 >/dev/null 2>&1; weft stat run.weft >a; weft stat other.weft | cmp a -
$ for i in 1 2; do STARPU_SIMULATED=1 STARPU_SIMULATED_TRACE=own$i.trace STARPU_HOSTNAME=weft-1gpu STARPU_PERF_MODEL_DIR="$WEFT_SOURCE/share/starpu/perfmodels/sampling" "$suite/lu_implicit" -size 1280 -nblocks 4 >/dev/null 2>&1; done; cmp own1.trace own2.trace; grep -c '^6 .* S t' own1.trace; weft check own1.trace
30
own1.trace: sound; 11 threads, 140 records
$ weft simulate -m weft-1gpu -o run.weft -- true
weft simulate: error: 'run.weft' is there already (--force replaces it)
? 2
$ weft simulate -m weft-1gpu -o new.weft -- true
weft simulate: error: 'true' has simulated nothing: it does not use Weft's runtime, or did not end it
? 2

## What cannot be: one line, and 2.
$ weft simulate -- true
weft simulate: error: say which machine, with --machine NAME (--list lists them)
Try 'weft simulate --help'.
? 2
$ weft simulate -m nobody -- true
weft simulate: error: there is no machine 'nobody' (weft simulate --list lists those that there are)
? 2
$ weft simulate -m weft-1gpu
weft simulate: error: say which program
Try 'weft simulate --help'.
? 2
$ weft simulate -m weft-1gpu -o run.what -- true
weft simulate: error: no format is known by the name of 'run.what'
Try 'weft simulate --help'.
? 2
$ weft simulate -m weft-1gpu -- ./not-there
weft simulate: error: cannot start './not-there': No such file or directory
? 127
$ weft simulate -m weft-1gpu -- sh -c 'exit 5'
? 5
$ weft simulate -m weft-1gpu -- "$suite/cholesky_implicit" -size 1000 -nblocks 4
starpu: model 'chol_model_potrf' of 'weft-1gpu' does not know tasks of 250000 bytes (footprint 0abb8f57) on CUDA 0, so that they cannot be simulated: it wants a run there with STARPU_CALIBRATE=1
? 2
$ weft simulate -m weft-1gpu --unknown 100 -- "$suite/stencil" 2>&1 | grep -c 'simulated on'
1

## A folder that StarPU measured: the one task takes what its model says.
$ weft simulate --models "$WEFT_SOURCE/tests/golden/models" -m suite -- "$suite/cholesky_implicit" -size 160 -nblocks 1 2>&1; grep '^[0-9a-f]\{8\}' "$WEFT_SOURCE/tests/golden/models/codelets/45/chol_model_potrf.suite" | tr -s ' \t' ' ' | cut -d ' ' -f 2,4
starpu: simulated on 'suite': 1 tasks in 0.157 ms, 0 transfers of 0.000 MB
# size	ms	GFlop/s
160	0.157	8.678
102400 1.573279e+02

## A recorded run: as many workers as it had, more, another machine, where it is what the program itself takes; and what cannot be.
$ STARPU_NCPU=2 weft record -q --on starpu_detail -o tiles.weft -- "$suite/cholesky_implicit" -size 2560 -nblocks 8 >/dev/null 2>&1; weft simulate -s lws tiles.weft 2>&1 | sed 's/[0-9.]* ms/TIME/'
starpu: simulated on 'recorded': 120 tasks in TIME, 0 transfers of 0.000 MB
tasks	120
recorded	TIME
replayed	TIME
$ weft simulate -s lws tiles.weft 2>/dev/null | awk '/^recorded/ {was = $2} /^replayed/ {exit !($2 > 0.6 * was && $2 < 1.2 * was)}' && echo near
near
$ for w in 1 4 128; do weft simulate --workers $w -s eager tiles.weft 2>/dev/null | awk '/^replayed/ {print $2}'; done | sort -rn -c && echo fewer
fewer
$ weft simulate -m weft-3gpus -s dmdas tiles.weft 2>&1 | sed -n 's/^starpu: .* in \(.* ms\),.*/\1/p; s/^replayed\t//p' | uniq | wc -l; weft simulate -m weft-3gpus -s dmdas -- "$suite/cholesky_implicit" -size 2560 -nblocks 8 2>&1 | sed -n 's/^starpu: .* in \(.* ms\),.*/\1/p' >program; weft simulate -m weft-3gpus -s dmdas tiles.weft 2>&1 | sed -n 's/^starpu: .* in \(.* ms\),.*/\1/p' | cmp - program && echo same
1
same
$ weft simulate --workers 4 -o made4.weft tiles.weft >/dev/null 2>&1; weft stat made4.weft --json | jq -c '.[] | [.region, .calls]' | sort
["chol_model_gemm",56]
["chol_model_potrf",8]
["chol_model_syrk",28]
["chol_model_trsm",28]
$ weft simulate --recorded -m weft-3gpus -s dmdas tiles.weft 2>&1 | sed -n 's/.*, \([0-9]* transfers\).*/\1/p'
0 transfers
$ STARPU_NCPU=2 weft record -q -o plain.weft -- "$suite/cholesky_implicit" -size 640 -nblocks 4 >/dev/null 2>&1; weft simulate plain.weft; cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .; weft simulate heat.weft 2>&1 | tail -1; weft simulate --workers 2 -- "$suite/cholesky_implicit"; weft simulate --workers 2 -m weft-2cpus tiles.weft; weft simulate --workers 200 tiles.weft; weft simulate tiles.weft more; weft simulate gone.weft; echo status $?; mkdir tmp; TMPDIR=$PWD/tmp weft simulate -s lws tiles.weft >/dev/null 2>&1; ls tmp
weft simulate: error: 'plain.weft': its tasks say their times only: record with '--on starpu_detail', or STARPU_FXT_TRACE=1
weft simulate: error: 'heat.weft' has no tasks: it is not of a program of the task runtime
weft simulate: error: option '--workers' is for a trace, not for a program
Try 'weft simulate --help'.
weft simulate: error: option '--workers' makes a machine, '--machine' names one
Try 'weft simulate --help'.
weft simulate: error: option '--workers': the runtime has 128 at most
Try 'weft simulate --help'.
weft simulate: error: a trace has no arguments
Try 'weft simulate --help'.
weft simulate: error: cannot open 'gone.weft': no such file or directory
status 2
