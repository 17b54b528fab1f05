## SPDX-License-Identifier: Apache-2.0
## What Paraver's tool does in cases that its documents leave open: views and tables of small traces, made to tell them apart.
$ views=$WEFT_SOURCE/tests/golden/paraver/views/generated
$ row() { sed "s/{thread, Event Bytes}/{thread, $1}/; s/evt_type, =/evt_type, All/; ${2:-}" $views/thread__Event_Bytes.cfg >v.cfg; weft paramedir t.prv v.cfg out; cat out.csv; }
$ head='#Paraver (01/01/2024 at 10:00):1000:1(2):1:2(1:1,1:1)'; touch t.pcf
## a message that is received at the instant of an event stands there as in the file; behind the last event there is nothing
$ printf '%s\n' "$head" 2:1:1:1:1:10:1:1 3:2:1:2:1:20:25:1:1:1:1:100:60:64:1 2:1:1:1:1:100:1:0 2:1:1:1:1:200:1:1 2:1:1:1:1:300:1:0 3:1:1:1:1:400:410:2:1:2:1:420:430:8:1 >t.prv; row 'Event Bytes' | grep ^1.1
1.1.1	0.00	10.00	0.00
1.1.1	10.00	90.00	64.00
1.1.1	100.00	100.00	0.00
1.1.1	200.00	100.00	0.00
1.1.1	300.00	700.00	0.00
$ printf '%s\n' "$head" 2:2:1:2:1:150:1:0 2:1:1:1:1:10:1:1 2:1:1:1:1:100:1:0 2:2:1:2:1:160:1:0 3:2:1:2:1:20:155:1:1:1:1:100:60:64:1 2:1:1:1:1:200:1:1 >t.prv; row 'Event Bytes' | grep ^1.1
1.1.1	0.00	10.00	0.00
1.1.1	10.00	90.00	0.00
1.1.1	100.00	100.00	0.00
1.1.1	200.00	800.00	0.00
## of two receives that end together Next Recv Dur. takes the second; Comm Size knows only this end
$ printf '%s\n' "$head" 3:2:1:2:1:10:15:1:1:1:1:20:30:64:1 3:2:1:2:1:40:45:1:1:1:1:50:80:64:1 3:2:1:2:1:42:45:1:1:1:1:55:80:32:2 >t.prv; row 'Next Recv Dur.'; row 'Comm Size'
1.1.1	0.00	20.00	0.00
1.1.1	20.00	30.00	-10.00
1.1.1	50.00	5.00	-8.00
1.1.1	55.00	945.00	-13.00
1.2.1	0.00	1000.00	0.00
1.1.1	0.00	20.00	0.00
1.1.1	20.00	10.00	64.00
1.1.1	30.00	20.00	64.00
1.1.1	50.00	5.00	64.00
1.1.1	55.00	25.00	32.00
1.1.1	80.00	0.00	64.00
1.1.1	80.00	920.00	32.00
1.2.1	0.00	10.00	0.00
1.2.1	10.00	30.00	64.00
1.2.1	40.00	2.00	64.00
1.2.1	42.00	958.00	32.00
## None without a list lets all values through
$ printf '%s\n' "$head" 2:1:1:1:1:10:1:7 >t.prv; row 'Last Evt Val' 's/evt_value, All/evt_value, None/' | grep ^1.1
1.1.1	0.00	10.00	0.00
1.1.1	10.00	990.00	7.00
## enumerate is 1 in the first burst only; sqrt (abs) is a compose function
$ cp $WEFT_SOURCE/tests/golden/paraver/traces/t1.* .; cp t1.prv t.prv; sed 's/window_operation .*/window_operation controlled: enumerate/' $views/derived__controlled_average.cfg >e.cfg; weft paramedir t.prv e.cfg out; cat out.csv
1.1.1	0.00	0.10	1.00
1.1.1	0.10	0.05	0.00
1.1.1	0.15	0.15	0.00
1.1.1	0.30	0.70	0.00
1.2.1	0.00	0.50	1.00
1.2.1	0.50	0.40	0.00
1.2.1	0.90	0.10	0.00
$ row 'Last Evt Val' 's/compose_thread, As Is/compose_thread, sqrt (abs)/' | head -2
1.1.1	0.00	0.10	0.00
1.1.1	0.10	0.00	1.00
## of equally frequent values the greatest, of the tasks of an application
$ printf '%s\n' "$head" 1:1:1:1:1:0:1000:1 1:2:1:2:1:0:1000:5 >t.prv; row 'State As Is' 's/appl, Adding/appl, Mode/; s/window_level thread/window_level appl/; /window_object/d'
1	0.00	1000.00	5.00
## tables: names of values, of what was computed from them, of bytes and of the system
$ table() { { sed "s/{thread, Event Bytes}/{thread, $1}/; s/evt_type, =/evt_type, All/; $2" $views/thread__Event_Bytes.cfg; printf '%s\n' '< NEW ANALYZER2D >' 'Analyzer2D.Name: t' 'Analyzer2D.ControlWindow: 1' 'Analyzer2D.DataWindow: 1' 'Analyzer2D.Statistic: Time' "${@:3}"; } >h.cfg; weft paramedir t.prv h.cfg out; cut -f1-4 out; }
$ auto='Analyzer2D.ComputeYScale: True' empty='Analyzer2D.HideCols: True'
$ printf '%s\n' "$head" 1:1:1:1:1:0:1000:1 2:1:1:1:1:0:1:1000 2:1:1:1:1:500:1:1001 3:1:1:1:1:0:0:2:1:2:1:600:600:1024:1 >t.prv
$ table 'Last Evt Val' '' "$auto" "$empty" | head -1; table 'Last Evt Val' 's/topcompose1, As Is/topcompose1, Add/' "$auto" "$empty" | head -1; table 'Last Send Size' '' "$auto" "$empty" | head -1
	value 1,000	value 1,001	
	1,000	1,001	
	1,024 bytes	
$ printf 'LEVEL NODE SIZE 1\nbox\n' >t.row; table 'Last Evt Val' 's/window_level thread/window_level system/; /window_object/d' "$auto" "$empty" | head -2; rm t.row
	1,000	1,001	
box	500.00	500.00	
## sorted from the greatest on: of columns that are equal the later one comes first
$ printf '%s\n' "$head" 2:1:1:1:1:0:1:1 2:1:1:1:1:500:1:2 2:2:1:2:1:0:1:3 >t.prv; table 'Last Evt Val' '' "$auto" "$empty" 'Analyzer2D.SortCols: True' 'Analyzer2D.SortCriteria: Total' | head -3
	value 3	value 2	value 1
THREAD 1.1.1	0.00	500.00	500.00
THREAD 1.2.1	1000.00	0.00	0.00
## the scale begins at 0 when it is asked to; the rows are those that were zoomed to
$ table 'Last Evt Val' '' "$auto" 'Analyzer2D.ComputeYScaleZero: True' | head -1
	value 0	value 1	value 2
$ table 'Last Evt Val' '' "$auto" 'Analyzer2D.Zoom: Enabled' 'Analyzer2D.Objects: 1' | sed '/^$/,$d'
	value 3	
THREAD 1.2.1	1000.00	
$ table 'Last Evt Val' '' 'Analyzer2D.Zoom: Disabled' 'Analyzer2D.Objects: 1' | sed '/^$/,$d'
	value 1	value 2	value 3
THREAD 1.1.1	500.00	500.00	0.00
THREAD 1.2.1	0.00	0.00	1000.00
