## SPDX-License-Identifier: Apache-2.0
## weft timeline: forms, views and their windows, values of cells, and what it refuses.
$ cp "$WEFT_SOURCE"/tests/golden/prv/t1.prv "$WEFT_SOURCE"/tests/golden/prv/t1.pcf .
$ weft timeline t1.prv -o a.svg; weft timeline t1.prv -o a.png; weft timeline t1.prv -o b --format png; head -c 4 a.svg; echo; od -An -c -N4 a.png; cmp a.png b
<svg
 211   P   N   G
$ printf '%s\n' '#ParaverCFG' 'ConfigFile.Version: 3.4' 'ConfigFile.NumWindows: 2' 'window_name states' 'window_type single' 'window_level thread' 'window_units Nanoseconds' 'window_maximum_y 10' 'window_selected_functions { 1, { {thread, State As Is} } }' 'window_name useful' 'window_type single' 'window_level thread' 'window_units Microseconds' 'window_drawmode draw_maximum' 'window_color_mode window_in_null_gradient_mode' 'window_selected_functions { 1, { {thread, Useful} } }' > v.cfg
$ weft timeline v.cfg t1.prv -o v.svg; weft timeline v.cfg t1.prv -o v.png; od -An -c -N4 v.png; grep -c '<image' v.svg
 211   P   N   G
2
$ weft timeline v.cfg t1.prv -o p.csv; weft paramedir t1.prv v.cfg q.csv; cmp p.csv q.csv
$ weft timeline v.cfg t1.prv -o - --cells --width 4
row,0,0.25,0.5,0.75
"THREAD 1.1.1",1,1,1,1
"THREAD 1.2.1",1,1,0,0
$ weft timeline v.cfg t1.prv -o - --format csv --cells --width 4 --window states
row,0,250,500,750
"THREAD 1.1.1",3,1,1,1
"THREAD 1.2.1",1,2,2,0
$ weft timeline v.cfg t1.prv -o - --format csv --cells --width 4 --window 1 --draw-mode maximum --rows 1
row,0,250,500,750
"THREAD 1.1.1",3,3,1,1
$ weft timeline v.cfg t1.prv -o - --format csv --cells --width 2 --window states --draw-mode average --time 0%..50%
row,0,250
"THREAD 1.1.1",1.3333333333333333,2
"THREAD 1.2.1",1,1
$ for c in code gradient null-gradient alternative-gradient punctual fused line; do weft timeline v.cfg t1.prv -o $c.png --color $c || echo $c; done; cmp -s line.png fused.png || echo differ
differ
$ weft timeline v.cfg t1.prv -o v.svg
weft timeline: error: 'v.svg' is there already (--force replaces it)
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --window stats
weft timeline: error: option '--window': no window is called 'stats'; 'states' is one
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --window 3
weft timeline: error: option '--window': no window is called '3'; there are 2
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --draw-mode maximun
weft timeline: error: option '--draw-mode': no mode is called 'maximun'; 'maximum' is one
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --cells
weft timeline: error: option '--cells' makes CSV, and no png
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --color gradent
weft timeline: error: option '--color': no mode is called 'gradent'; 'gradient' is one
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --color green
weft timeline: error: option '--color': no mode is called 'green'
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --max much
weft timeline: error: option '--max': expected a number, found 'much'
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --width 12
weft timeline: error: option '--width': expected 400 to 16384, found '12'
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --height 0
weft timeline: error: option '--height': expected 1 to 16384, found '0'
Try 'weft timeline --help'.
? 2
$ weft timeline v.cfg t1.prv -o x.png --format gif
weft timeline: error: option '--format': expected svg, png or csv, found 'gif'
Try 'weft timeline --help'.
? 2
$ weft timeline t1.prv -o x.png --color code
weft timeline: error: option '--color' needs a view: weft timeline VIEW TRACE
Try 'weft timeline --help'.
? 2
$ weft timeline t1.prv -o x.csv
weft timeline: error: CSV needs a view: weft timeline VIEW TRACE -o OUT.csv
Try 'weft timeline --help'.
? 2
$ weft timeline none.cfg t1.prv -o x.png
weft timeline: error: cannot open 'none.cfg': no such file or directory
? 2
$ weft timeline v.cfg t1.prv
weft timeline: error: say where to write, with -o OUT
Try 'weft timeline --help'.
? 2
