## SPDX-License-Identifier: Apache-2.0
## weft gantt: rows, curves, colours, legend. tests/golden/traces/make_tasks.py says what the trace is.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/tiles.weft" .
$ weft gantt tiles.weft -o a.svg && grep -o '>[^<]*</text>' a.svg | tr -d '>' | sed 's|</text||' | tr '\n' '|'; echo
tiles.weft|20 tasks on 2 workers; 3.72 ms are shown|20 tasks|submitted|5 tasks|ready|1.0 ms|1.5 ms|2.0 ms|2.5 ms|3.0 ms|3.5 ms|4.0 ms|4.5 ms|CPU 0|CPU 1|main|in no state 14.1 %|sleeping 7.3 %|fetching input 1.3 %|potrf 10.8 %|overhead 2.0 %|trsm 24.2 %|syrk 16.1 %|gemm 24.2 %|waiting for tasks 0.0 %|

## The handbook's colours; each codelet its own with --colors.
$ grep -o '<path fill="#[0-9a-f]*"\|<title>[^<]*' a.svg | tail -n +2 | paste - - | sort; weft gantt tiles.weft -o b.svg -c; grep -c 'fill="#2f9e44"' a.svg b.svg
<path fill="#2f9e44"	<title>gemm
<path fill="#2f9e44"	<title>potrf
<path fill="#2f9e44"	<title>syrk
<path fill="#2f9e44"	<title>trsm
<path fill="#954535"	<title>overhead
<path fill="#d6249f"	<title>fetching input
<path fill="#e03131"	<title>sleeping
<path fill="#e03131"	<title>waiting for tasks
<path fill="#f1f3f5"	<title>in no state
a.svg:8
b.svg:0

## From 1.05 to 1.25 ms worker 0 is in potrf all the time, worker 1 sleeps: 142 pixels each. At 1.27 ms the first trsm begins.
$ weft gantt tiles.weft -o c.svg --time 1050us..1250us --width 400; grep -o '<path fill[^>]*><title>[^<]*' c.svg | sed 's/fill="[^"]*" //'
<path d="M174 252h107v20h-107z"><title>in no state
<path d="M174 227h142v20h-142z"><title>sleeping
<path d="M174 202h142v20h-142z"><title>potrf
<path d="M281 252h35v20h-35z"><title>waiting for tasks
$ weft gantt tiles.weft -o d.svg --time 1270us..1290us --width 400; grep -o '<path fill[^>]*><title>trsm' d.svg | sed 's/fill="[^"]*" //'
<path d="M174 202h142v20h-142z"><title>trsm

## The same bytes each time; PNG; names as text.
$ weft gantt tiles.weft -o b.svg --force && cmp a.svg b.svg; weft gantt tiles.weft -o a.png && head -c 8 a.png | od -An -c | head -1; weft gantt tiles.weft -o e.svg --title '<i>' && grep -c '<i>' e.svg
 211   P   N   G  \r  \n 032  \n
0
? 1

## Memory nodes, arrows and points: tests/golden/traces/make_kinds.py says what the trace is. 942 pixels are 1.6 ms from 0.9 ms on; node 1 allocates for 10 us
## from 0.95 ms, submits a copy for 10 us from 0.97 ms and gets it for 20 us; node 0 gets one for 20 us at 1.5 ms.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/kinds.weft" . && weft gantt kinds.weft -o k.svg -s nodes && grep -o '<path fill[^>]*><title>[^<]*ing[^<]*' k.svg
<path fill="#800020" d="M203 123h7v20h-7z"><title>allocating
<path fill="#5c0016" d="M1086 123h7v20h-7z"><title>freeing
<path fill="#0b5d1e" d="M215 123h6v20h-6z"><title>submitting a copy
<path fill="#8ce99a" d="M527 98h13v20h-13zM221 123h12v20h-12z"><title>copying
## Two copies, 14 dependencies; the pushes of the two tasks that waited, the pops of three, one event of the program's own, which says 42.
$ weft gantt kinds.weft -o l.svg -s nodes,transfers,dependencies,push,pop,events && grep -c 'class="m"' l.svg; grep -c 'stroke="#868e96"' l.svg; grep -o '<path fill[^>]*><title>\(push\|pop\|42\)' l.svg
2
14
<path fill="#1971c2" d="M527 194h2v5h-2zM821 194h2v5h-2z"><title>push
<path fill="#e8590c" d="M232 194h2v5h-2zM527 194h2v5h-2zM821 194h2v5h-2z"><title>pop
<path fill="#111111" d="M645 219h2v10h-2z"><title>42
$ weft gantt kinds.weft -o m.svg -s none && grep -c 'polyline\|class="m"\|copying' m.svg
0
? 1
$ weft gantt kinds.weft -o m.svg --force -s all && grep -c 'polyline' m.svg
25
## Arrows that lie outside of the range are left out.
$ weft gantt kinds.weft -o n.svg -s nodes,transfers,dependencies -t 1.45ms..1.55ms && grep -c 'class="m"' n.svg; grep -c 'stroke="#868e96"' n.svg
1
4
$ weft gantt kinds.weft -o x.svg -s nodes,transfrs
weft gantt: error: option '--show': unknown name 'transfrs' (did you mean 'transfers'?)
Try 'weft gantt --help'.
? 2

## What is wrong is one line.
$ weft gantt tiles.weft
weft gantt: error: say where to write, with -o OUT
Try 'weft gantt --help'.
? 2
$ weft gantt tiles.weft -o a.svg
weft gantt: error: 'a.svg' is there already (--force replaces it)
Try 'weft gantt --help'.
? 2
$ weft gantt tiles.weft -o a.pdf
weft gantt: error: cannot tell the format from the name 'a.pdf': known endings are .svg .png
Try 'weft gantt --help'.
? 2
$ weft gantt tiles.weft -o x.svg --width 3
weft gantt: error: option '--width': from 400 to 20000 pixels
Try 'weft gantt --help'.
? 2
$ weft gantt tiles.weft -o x.svg --time 50%..50%
weft gantt: error: the range of time '50%..50%' is empty
? 2
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft gantt -q heat.weft -o x.svg
weft gantt: error: 'heat.weft' has no tasks: it is not of a program of the task runtime
? 2
