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
