## SPDX-License-Identifier: Apache-2.0
## Views through paramedir's command line: a file for each row, units of the trace, ten decimals, several views in the order of
## their names, default names, and what is said of a view that cannot stand on the trace.
$ g=$WEFT_SOURCE/tests/golden/paraver; cp $g/traces/t1.* . && cp $g/views/generated/thread__Last_Evt_Val.cfg v.cfg && cp $g/views/generated/hist3d_auto.cfg h.cfg
$ weft paramedir -m -tu t1.prv v.cfg rows && ls && cat rows.csv_00002
h.cfg
rows.csv_00001
rows.csv_00002
t1.pcf
t1.prv
v.cfg
0	500	0.00
500	400	2.00
900	100	0.00
$ rm rows*; weft paramedir t1.prv v.cfg h.cfg && ls && head -2 v.csv
h
h.cfg
t1.pcf
t1.prv
v.cfg
v.csv
1.1.1	0.00	0.10	0.00
1.1.1	0.10	0.20	1.00
$ weft paramedir -npr -e t1.prv h.cfg ten && head -3 ten
MPI_Send
	[0.05..0.05)	[0.15..0.15)	
THREAD 1.1.1	1.0000000000	1.0000000000	
$ weft paramedir -p t1.prv h.cfg one && grep -c Total one
1
$ sed 's/evt_type 4 .*/evt_type 1 12345/' v.cfg >none.cfg; weft paramedir t1.prv none.cfg; echo "status $?"; ls none*
none.cfg: None of the events specified in the filter appear in the trace. File creation aborted. Missing: 12345 (the nearest is 42000050 'PAPI_TOT_INS')
status 0
none.cfg
$ sed 's/Last Evt Val}/Last Event}/' v.cfg >wrong.cfg; weft paramedir t1.prv wrong.cfg; echo "status $?"
Cannot load 'wrong.cfg' file: wrong.cfg:40: unknown function 'Last Event' (the nearest is 'Last Evt Type')
status 0
$ sed 's/window_level thread/window_level cpu/' v.cfg >cpu.cfg; sed '1s/:1(2):/:0:/; s/^\([12]\):[0-9]:/\1:0:/' t1.prv >flat.prv; weft paramedir flat.prv cpu.cfg; echo "status $?"
weft paramedir: warning: 'flat.pcf' is not there: states, types and values have numbers for names
Cannot load 'cpu.cfg' file: window 'Last Evt Val': the trace has no level cpu
status 0
$ echo text >no.cfg; weft paramedir t1.prv no.cfg; echo "status $?"
'no.cfg' is not a Paraver configuration file.
status 1
$ sed 's/Statistic: .*/Statistic: Entropy/; /3D_ControlWindow/d' h.cfg >stat.cfg; weft table -q stat.cfg t1.prv
weft table: error: stat.cfg:91: unknown statistic 'Entropy' (the nearest is 'Time')
? 2
$ printf '%s\n' '#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:1(1:1)' 'lost' >bad.prv; weft paramedir bad.prv v.cfg; echo "status $?"
bad.prv:2: expected a record (1, 2, 3 or 4, and ':'); line skipped
weft paramedir: warning: 'bad.pcf' is not there: states, types and values have numbers for names
Undefined error: no record in it
[ERROR] Cannot load 'bad.prv' file.
status 1
