## SPDX-License-Identifier: Apache-2.0
## weft graph: numbers, the critical path, DOT, drawings, the page. tests/golden/traces/make_tasks.py says what the trace is: 4 x 4 tiles have
## 4 + 6 + 6 + 4 tasks; the longest way has 200 + 300 + 450 + 300 + 450 + 300 + 200 + 200 us.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/tiles.weft" . && unset VISUAL EDITOR BROWSER
$ weft graph tiles.weft
tasks  dependencies  levels  widest     work  critical path  of tasks  parallelism     took  longer by
   20            30      10       6  5.60 ms        2.40 ms         8      2.33333  3.67 ms    1.52917

on the critical path  tasks   total    share
trsm                      3  900 us  37.50 %
gemm                      2  900 us  37.50 %
potrf                     2  400 us  16.67 %
syrk                      1  200 us   8.33 %
$ weft graph tiles.weft --path
number  name                   worker    start  duration     late  place
     1  potrf                  CPU 0   1.05 ms    200 us        -  tiles.c:21
     2  trsm                   CPU 0   1.27 ms    300 us  20.0 us  tiles.c:24
     6  gemm                   CPU 1   1.84 ms    450 us   270 us  tiles.c:30
    12  trsm                   CPU 1   3.00 ms    300 us   710 us  tiles.c:24
    15  gemm                   CPU 0   3.35 ms    450 us  50.0 us  tiles.c:30
    18  trsm                   CPU 1   3.98 ms    300 us   180 us  tiles.c:24
    19  syrk                   CPU 1   4.30 ms    200 us  20.0 us  tiles.c:27
    20  <b>last & "least"</b>  CPU 1   4.52 ms    200 us  20.0 us  tiles.c:21
$ weft graph tiles.weft --json
[
  {
    "tasks": 20,
    "dependencies": 30,
    "levels": 10,
    "widest": 6,
    "work_ns": 5600000,
    "critical_ns": 2400000,
    "critical_tasks": 8,
    "parallelism": 2.3333333333333335,
    "took_ns": 3670000,
    "longer": 1.5291666666666666
  }
]
$ weft graph tiles.weft -f 'iteration=0' --csv; weft graph tiles.weft --path --csv -f 'codelet=potrf'
tasks,dependencies,levels,widest,work_ns,critical_ns,critical_tasks,parallelism,took_ns,longer
10,12,3,6,3050000,950000,3,3.210526315789474,1750000,1.8421052631578947
number,name,worker,start_ns,duration_ns,late_ns,place
1,potrf,CPU 0,1050000,200000,,tiles.c:21

## DOT has all tasks and all edges; what is folded, the groups.
$ weft graph tiles.weft -o - --to dot -f 'iteration=2..'
digraph tasks {
	graph [rankdir=TB, label="tiles.weft"];
	node [shape=box, style=filled, fontcolor=white, fontname="sans-serif", fontsize=11];
	edge [color="#8c959f"];
	t0 [label="potrf\n200 us", fillcolor="#2f6fb0", color="#cf222e", penwidth=3, tooltip="tiles.c:21"];
	t1 [label="trsm\n300 us", fillcolor="#66bfa3", color="#cf222e", penwidth=3, tooltip="tiles.c:24"];
	t2 [label="syrk\n200 us", fillcolor="#1f9a7c", color="#cf222e", penwidth=3, tooltip="tiles.c:27"];
	t3 [label="<b>last & \"least\"</b>\n200 us", fillcolor="#2f6fb0", color="#cf222e", penwidth=3, tooltip="tiles.c:21"];
	t0 -> t1 [color="#cf222e", penwidth=2];
	t1 -> t2 [color="#cf222e", penwidth=2];
	t2 -> t3 [color="#cf222e", penwidth=2];
}
$ weft graph tiles.weft -o - --to dot --by iteration | grep label; weft graph tiles.weft -o - --to dot --by codelet | grep -c -e '->'
	graph [rankdir=TB, label="tiles.weft"];
	t0 [label="potrf\n200 us", fillcolor="#1f9a7c", color="#cf222e", penwidth=3, tooltip="tiles.c:21"];
	t1 [label="trsm x3\n900 us, iteration 0", fillcolor="#66bfa3", color="#cf222e", penwidth=3, tooltip="tiles.c:24"];
	t2 [label="syrk x3\n600 us, iteration 0", fillcolor="#5fa8dc", tooltip="tiles.c:27"];
	t3 [label="gemm x3\n1.35 ms, iteration 0", fillcolor="#2f6fb0", color="#cf222e", penwidth=3, tooltip="tiles.c:30"];
	t4 [label="potrf\n200 us", fillcolor="#1f9a7c", tooltip="tiles.c:21"];
	t5 [label="trsm x2\n600 us, iteration 1", fillcolor="#66bfa3", color="#cf222e", penwidth=3, tooltip="tiles.c:24"];
	t6 [label="syrk x2\n400 us, iteration 1", fillcolor="#5fa8dc", tooltip="tiles.c:27"];
	t7 [label="gemm\n450 us", fillcolor="#2f6fb0", color="#cf222e", penwidth=3, tooltip="tiles.c:30"];
	t8 [label="potrf\n200 us", fillcolor="#1f9a7c", tooltip="tiles.c:21"];
	t9 [label="trsm\n300 us", fillcolor="#66bfa3", color="#cf222e", penwidth=3, tooltip="tiles.c:24"];
	t10 [label="syrk\n200 us", fillcolor="#5fa8dc", color="#cf222e", penwidth=3, tooltip="tiles.c:27"];
	t11 [label="<b>last & \"least\"</b>\n200 us", fillcolor="#1f9a7c", color="#cf222e", penwidth=3, tooltip="tiles.c:21"];
5
$ for most in 30 10 5 1; do weft graph tiles.weft -o - --to dot --by level --most $most | grep -c 'label="[a-z]'; done
12
10
5
5

## Drawings: the same bytes each time, sound XML, links only to what is there and only where the editor has some.
$ weft graph tiles.weft -o a.svg && weft graph tiles.weft -o b.svg && cmp a.svg b.svg && weft graph tiles.weft -o a.png && head -c 8 a.png | od -An -c | head -1
 211   P   N   G  \r  \n 032  \n
$ grep -c '<rect' a.svg; grep -c href a.svg; grep -o '&lt;b&gt;last[^<]*' a.svg | sort -u; grep -c '<b>' a.svg
67
0
&lt;b&gt;last &amp; &quot;least&quot;&lt;/b&gt;
0
? 1
$ printf '\n' >tiles.c; weft graph tiles.weft -o - --to svg --editor vscode | grep -o 'href="[^"]*tiles.c:[0-9]*"' | sed "s|$PWD|.|" | sort | uniq -c
      4 href="vscode://file./tiles.c:21"
      6 href="vscode://file./tiles.c:24"
      6 href="vscode://file./tiles.c:27"
      4 href="vscode://file./tiles.c:30"
$ mkdir 'a "b&c' && printf '\n' >'a "b&c/tiles.c'; weft graph tiles.weft -o - --to svg --editor idea --source 'a "b&c' | grep -o 'href="[^"]*"' | sed "s|$PWD|.|" | sort -u | head -1
href="idea://open?file=./a%20%22b%26c/tiles.c&amp;line=21"

## The page: data that are JSON, no name of the trace as markup.
$ weft graph tiles.weft -o a.html; grep -c '<b>last' a.html; grep -o "default-src 'none'" a.html; sed -n 's/.*id="data">\(.*\)/\1/p' a.html | head -c 60; echo
0
default-src 'none'
{"title":"tiles.weft","pitch":74,"words":"20 tasks, 30 depen
$ weft graph tiles.weft -o a.html
weft graph: error: 'a.html' is there already (--force replaces it)
Try 'weft graph --help'.
? 2
$ VISUAL='/usr/bin/code -n' weft graph tiles.weft -o a.html --force; grep -c vscode:// a.html; VISUAL=vim weft graph tiles.weft -o a.html --force; grep -c vscode:// a.html
1
0
? 1

## An editor at a task's line; without one the place; never with a name from a trace as an option.
$ printf '#!/bin/sh\necho "$@"\n' >editor; chmod +x editor; VISUAL="$PWD/editor -x" weft graph tiles.weft --edit 6 | sed "s|$PWD|.|"; weft graph tiles.weft --edit 6 | sed "s|$PWD|.|"; rm tiles.c; VISUAL=./editor weft graph tiles.weft --edit 6
-x +30 ./tiles.c
./tiles.c:30
weft graph: error: cannot find 'tiles.c' (--source says where relative names begin)
? 2
$ weft graph tiles.weft --edit 77
weft graph: error: there is no task 77
? 2
$ BROWSER=echo weft graph tiles.weft --open; BROWSER=echo weft graph tiles.weft -o a.html --force --open; ls tiles.html
tiles.html
tiles.html
a.html
a.html
tiles.html

## What is wrong is one line.
$ weft graph tiles.weft -o a.pdf
weft graph: error: cannot tell the format from the name 'a.pdf': known endings are .svg .png .html .dot; or say it with --to
Try 'weft graph --help'.
? 2
$ weft graph tiles.weft -o -
weft graph: error: say the format, with --to (svg, png, html or dot)
Try 'weft graph --help'.
? 2
$ weft graph tiles.weft --by levle
weft graph: error: option '--by': unknown 'levle' (did you mean 'level'?)
Try 'weft graph --help'.
? 2
$ weft graph tiles.weft -o a.svg --open
weft graph: error: option '--open' is for a page: OUT ends with .html
Try 'weft graph --help'.
? 2
$ weft graph tiles.weft --editor emcs -o b.html
weft graph: error: option '--editor': unknown 'emcs' (it can be: vscode, vscodium, cursor, zed, idea, sublime, file, path)
Try 'weft graph --help'.
? 2
$ weft graph tiles.weft -f 'number=99'
weft graph: error: no task passes the filter
? 2
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft graph -q heat.weft
weft graph: error: 'heat.weft' has no tasks: it is not of a program of the task runtime
? 2
