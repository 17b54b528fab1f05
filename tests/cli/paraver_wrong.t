## SPDX-License-Identifier: Apache-2.0
## Traces and views that are wrong somewhere: each says so in a line, with the place.
$ view=$WEFT_SOURCE/tests/golden/paraver/views/generated/thread__Last_Evt_Val.cfg
$ head='#Paraver (01/01/2024 at 10:00):1000:1(2):1:2(1:1,1:1)'
## numbers that no 64 bits hold: time, value, size
$ printf '%s\n' "$head" 2:1:1:1:1:18446744073709551626:1:1 2:1:1:1:1:10:1:18446744073709551617:2:5 3:1:1:1:1:0:0:2:1:2:1:600:600:99999999999999999999:1 1:1:1:1:1:0:1000:1 >large.prv; weft check large.prv
error: large.prv: line 2: the number in field 6 does not fit in 64 bits; record skipped [input]
error: large.prv: line 3: the number in field 8 does not fit in 64 bits; pair skipped [input]
error: large.prv: line 4: the number in field 14 does not fit in 64 bits; record skipped [input]
large.prv: damaged: 125 B lost, the rest was recovered; 2 threads, 4 records
? 1
## the mark of UTF-8 in front of a trace, its .pcf and a view
$ mark=$(printf '\357\273\277'); for s in prv pcf; do { printf %s "$mark"; cat "$WEFT_SOURCE/tests/golden/paraver/traces/t1.$s"; } >marked.$s; done; { printf %s "$mark"; cat $view; } >marked.cfg
$ weft check marked.prv; weft paramedir marked.prv marked.cfg out; wc -l <out.csv
marked.prv: sound; 2 threads, 21 records
6
## a view that is cut off, has other windows than it announces, or a malformed function
$ cp marked.prv t.prv; cp marked.pcf t.pcf; cut() { weft paramedir t.prv v.cfg out; }
$ sed 's/^ConfigFile.NumWindows:.*/ConfigFile.NumWindows: 3/' $view >v.cfg; cut
Cannot load 'v.cfg' file: v.cfg:44: the file ends after 1 of the 3 windows that it announces
$ sed 's/^window_filter_module.*/window_semantic_module thread Last Evt Val/' $view >v.cfg; cut
Cannot load 'v.cfg' file: v.cfg:42: expected a function and { n, { count values... } }
$ sed 's/{thread, [^}]*}/{thread, Given Evt Val}/; s/^window_filter_module.*/window_semantic_module thread Given Evt Val { 1, { 1 5.0/' $view >v.cfg; cut
Cannot load 'v.cfg' file: v.cfg:42: the function's parameters have no end
## scales that have no columns
$ scale() { { cat $view; printf '%s\n' '< NEW ANALYZER2D >' 'Analyzer2D.ControlWindow: 1' 'Analyzer2D.Statistic: Time' 'Analyzer2D.ComputeYScale: False' "$@"; } >h.cfg; weft table h.cfg t.prv; }
$ scale 'Analyzer2D.Minimum: 5' 'Analyzer2D.Maximum: 1'
weft table: error: h.cfg:50: Analyzer2D.Maximum (1) is less than Analyzer2D.Minimum (5)
? 2
$ scale 'Analyzer2D.Minimum: 0' 'Analyzer2D.Maximum: 9' 'Analyzer2D.Delta: 0'
weft table: error: h.cfg:51: Analyzer2D.Delta: expected a width greater than 0, found 0
? 2
## a range of the cutter that ends before it begins
$ echo '<config><cutter><by_time>1</by_time><minimum_time>9</minimum_time><maximum_time>3</maximum_time></cutter></config>' >cut.xml; weft cut t.prv -o c.prv --xml cut.xml; ls c.prv
weft cut: error: cut.xml: <minimum_time> (9) is greater than <maximum_time> (3)
ls: cannot access 'c.prv': No such file or directory
? 2
$ sed "s/evt_type, =/evt_type, All/" $view >any.cfg
## types twice in a .pcf: one line, however many there are; no .pcf: one line
$ printf '%s\n' EVENT_TYPE '9 7 Seven' '9 8 Eight' VALUES '1 one' EVENT_TYPE '9 8 Other' '9 7 Seven again' >twice.pcf; printf '%s\n' "$head" 2:1:1:1:1:10:8:1 >twice.prv; weft check twice.prv
error: twice.pcf: line 7: type 8 is here and in line 3: its last label holds (1 more such line) [input]
twice.prv: damaged; what is there was recovered; 2 threads, 2 records
? 1
$ sed -i '7d' twice.pcf; weft paramedir twice.prv any.cfg out
twice.pcf:7: type 7 is here and in line 2: its last label holds
$ rm twice.pcf; weft paramedir twice.prv any.cfg out; weft table any.cfg twice.prv --csv; weft table -q any.cfg twice.prv --csv
weft paramedir: warning: 'twice.pcf' is not there: states, types and values have numbers for names
weft table: warning: 'twice.pcf' is not there: states, types and values have numbers for names
row,value 1
THREAD 1.1.1,990
THREAD 1.2.1,
row,value 1
THREAD 1.1.1,990
THREAD 1.2.1,
## ten records that are wrong are shown, the others counted; a trace that is not there is named
$ { printf '%s\n' "$head" 2:1:1:1:1:10:8:1; for i in $(seq 11 40); do echo 2:1:1:9:1:$i:8:1; done; } >bad.prv; touch bad.pcf; weft paramedir bad.prv any.cfg out; grep -c ^1.1.1 out.csv
bad.prv:3: there is no thread 1.9.1; record skipped
bad.prv:4: there is no thread 1.9.1; record skipped
bad.prv:5: there is no thread 1.9.1; record skipped
bad.prv:6: there is no thread 1.9.1; record skipped
bad.prv:7: there is no thread 1.9.1; record skipped
bad.prv:8: there is no thread 1.9.1; record skipped
bad.prv:9: there is no thread 1.9.1; record skipped
bad.prv:10: there is no thread 1.9.1; record skipped
bad.prv:11: there is no thread 1.9.1; record skipped
bad.prv:12: there is no thread 1.9.1; record skipped
bad.prv: and 20 problems more (see 'weft check bad.prv')
2
$ weft paramedir nowhere/none.prv any.cfg out
Missing tracefile or unrecognized tracefile format: cannot open 'nowhere/none.prv': no such file or directory.
