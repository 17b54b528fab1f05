## SPDX-License-Identifier: Apache-2.0
## paramedir's command line: what is recognised, names of outputs, order of tools, what it says and ends with. Equality of the
## tools' results is in tests/compat/equality_tools.sh.
$ g=$WEFT_SOURCE/tests/golden/paraver; mkdir in && cp $g/traces/t1.* in && cp $g/tools/xml/{chain.xml,shift.txt} . && cp $g/views/generated/thread__Last_Evt_Val.cfg v.cfg
$ ln -s "$(command -v weft)" paramedir
## names
$ ./paramedir -c in/t1.prv chain.xml; ./paramedir chain.xml -c in/t1.prv; ls in
t1.chop1.pcf
t1.chop1.prv
t1.chop2.pcf
t1.chop2.prv
t1.pcf
t1.prv
$ ./paramedir -f -c in/t1.prv chain.xml && ./paramedir -c -f in/t1.prv chain.xml && ls in
t1.chop1.pcf
t1.chop1.prv
t1.chop2.pcf
t1.chop2.prv
t1.chop3.filter1.pcf
t1.chop3.filter1.prv
t1.filter1.chop1.pcf
t1.filter1.chop1.prv
t1.pcf
t1.prv
$ rm in/*.*1.prv in/*.*1.pcf in/*chop2*; ls in
t1.pcf
t1.prv
$ ./paramedir -t shift.txt -g 50000001 in/t1.prv && ls in
t1.pcf
t1.prv
t1.shift1.event_cutter1-part1.pcf
t1.shift1.event_cutter1-part1.prv
t1.shift1.event_cutter1-part2.pcf
t1.shift1.event_cutter1-part2.prv
t1.shift1.event_cutter1-part3.pcf
t1.shift1.event_cutter1-part3.prv
$ rm in/*shift*; gzip -k in/t1.prv && ./paramedir -s in/t1.prv.gz $g/tools/xml/sc_interval_accum.xml && ls in && cat in/t1.sc1.prv
t1.pcf
t1.prv
t1.prv.gz
t1.sc1.pcf
t1.sc1.prv
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
1:1:1:1:1:300:1000:1
1:2:1:2:1:0:500:1
2:0:1:1:1:990:42000050:520
2:0:1:2:1:990:42000050:1000
$ rm in/t1.sc*; ./paramedir --filter --output-name out.prv in/t1.prv chain.xml; ls *.prv *.pcf in
out.pcf
out.prv

in:
t1.pcf
t1.prv
t1.prv.gz
## views on the last trace
$ ./paramedir -f -o f.prv in/t1.prv chain.xml v.cfg last && ls f.prv && head -3 last.csv
f.prv
1.1.1	0.00	0.10	0.00
1.1.1	0.10	0.20	1.00
1.1.1	0.30	0.70	0.00
$ ./paramedir in/t1.prv chain.xml v.cfg && cmp v.csv last.csv
## hidden ones
$ ./paramedir -d in/t1.prv && ls in && head -2 in/t1.prv.new.global && rm in/t1.prv.new.global
t1.pcf
t1.prv
t1.prv.gz
t1.prv.new.global
#Paraver (2024-Jan-01 10:00:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
$ ./paramedir -n in/none.prv v.cfg
$ ./paramedir -v; ./paramedir -c --version in/t1.prv
weft 0.1.0 (paramedir)
weft 0.1.0 (paramedir)
$ ./paramedir --help | head -3
usage: weft paramedir [options] TRACE [OPTIONS.xml] [VIEW.cfg [OUTPUT]]...

Takes the command line of Paraver's paramedir, also when called by that name, and writes
## what is wrong
$ ./paramedir
Missing tracefile or unrecognized tracefile format.
$ ./paramedir in/none.prv chain.xml -c
Missing tracefile or unrecognized tracefile format: cannot open 'in/none.prv': no such file or directory.
$ ./paramedir in/t1.prv
Missing arguments.
$ ./paramedir -c in/t1.prv
Unable to find XML options file.
$ ./paramedir -c in/t1.prv none.xml
Unable to find XML options file.
$ ./paramedir -c -o in/t1.prv in/t1.prv chain.xml
Source trace and output trace are the same.
$ ./paramedir --cut in/t1.prv chain.xml
Unknown option --cut
$ ./paramedir in/t1.prv -g
Missing argument of option -g
$ ./paramedir in/t1.prv -g MPI
expected an event type, found 'MPI'
? 1
$ printf '<config><filter></config>' >bad.xml; ./paramedir -f in/t1.prv bad.xml
bad.xml:1:19: mismatched tag
? 1
$ printf '<config><filters/></config>' >bad.xml; ./paramedir -f in/t1.prv bad.xml
bad.xml:1: unknown key <filters> in <config> (did you mean <filter>?)
bad.xml: expected <filter>, which the tool needs
? 1
$ printf '5\n' >few.txt; ./paramedir -t few.txt in/t1.prv
'few.txt' has fewer times (1) than the trace has threads (2)
? 1
$ ./paramedir -t none.txt in/t1.prv
cannot open 'none.txt': no such file or directory
? 1
$ ./paramedir -et none.prv in/t1.prv
cannot open 'none.pcf': no such file or directory
? 1
$ printf 'no trace\n' >no.prv; ./paramedir -f no.prv chain.xml
'no.prv' is no Paraver trace: its first line does not begin with '#Paraver'
? 1
$ ls in
t1.pcf
t1.prv
t1.prv.gz
