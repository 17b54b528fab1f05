## SPDX-License-Identifier: Apache-2.0
## The trace tools' verbs, and cut and filter line by line: .prv in, .prv out; traces of ours by way of one.
$ cp "$WEFT_SOURCE"/tests/golden/paraver/traces/t[123].* . && cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ printf '# offsets\n0\n1000\n-5\n' >times.txt
$ weft shift t1.prv -o shifted.prv --times times.txt; cat shifted.prv
#Paraver (2024-Jan-01 10:00:00):2000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
1:1:1:1:1:150:300:3
1:1:1:1:1:300:1000:1
1:2:1:2:1:1000:1500:1
1:2:1:2:1:1500:1900:2
2:1:1:1:1:100:50000001:1:42000050:500
2:1:1:1:1:300:50000001:0:42000050:20
2:2:1:2:1:1500:50000001:2:42000050:1000
2:2:1:2:1:1900:50000001:0
3:1:1:1:1:100:110:2:1:2:1:500:600:64:7
$ cmp t1.pcf shifted.pcf
$ weft shift t1.prv -o shifted.prv --times times.txt
weft shift: error: 'shifted.prv' is there already (--force replaces it)
? 2
$ weft shift t1.prv -o shifted.prv --times times.txt --by all --force; sed -n 2p shifted.prv
1:1:1:1:1:0:100:1
$ weft shift t1.prv -o t1.prv --times times.txt --force
weft shift: error: 't1.prv' is the trace itself: the new one needs another name
? 2
$ weft shift t2.prv -o x.prv --times times.txt
weft shift: error: 'times.txt' has fewer times (3) than the trace has threads (4)
? 2
$ weft shift t2.prv -o x.prv --times t2.prv
weft shift: error: t2.prv:2: expected a time, found '1:0:1:1:1:0:1000:1'
? 2
$ weft shift t2.prv -o x.prv
weft shift: error: say how far, with --times FILE
Try 'weft shift --help'.
? 2
$ weft shift t2.prv -o x.prv --times times.txt --by node
weft shift: error: option '--by': expected thread, process, application or all, found 'node'
Try 'weft shift --help'.
? 2
$ weft shift -q heat.weft -o moved.weft --times <(seq 4); weft info -q moved.weft | head -3
trace         moved.weft
format        weft
duration      140 ms
$ ls -d heat* moved*
heat.weft
moved.weft
## counters
$ weft counters t1.prv -o c.prv --count 50000001 --sum 42000050 --bursts 10ns; cat c.prv c.pcf
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
1:1:1:1:1:300:1000:1
1:2:1:2:1:0:500:1
2:0:1:2:1:500:42000050:1000
2:0:1:2:1:500:15001002:1
2:0:1:1:1:1000:42000050:520
2:0:1:1:1:1000:15001001:1
2:0:1:1:1:1000:42000050:0
2:0:1:1:1:1000:15001001:0
2:0:1:2:1:1000:42000050:0
2:0:1:2:1:1000:15001002:0
DEFAULT_OPTIONS
LEVEL               
UNITS               
LOOK_BACK           
SPEED               
FLAG_ICONS          
NUM_OF_STATE_COLORS 0
YMAX_SCALE          

DEFAULT_SEMANTIC
THREAD_FUNC         

STATES
0	Idle
1	Running
3	Waiting

STATES_COLOR

EVENT_TYPE
0   15001001    MPI_Send_counter
0   15001002    MPI_Recv_counter
0   42000050    PAPI_TOT_INS


$ weft counters t1.prv -o c.prv --force --count 50000001:2 --every 10us --together --keep-types 42000050; cat c.prv
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
1:1:1:1:1:300:1000:1
1:2:1:2:1:0:500:1
2:1:1:1:1:100:42000050:500
2:1:1:1:1:300:42000050:20
2:2:1:2:1:500:42000050:1000
2:0:1:2:1:990:25001:1
$ weft counters t1.prv -o c.prv --force --count 50000001
weft counters: error: say when to write samples, with --every TIME or --bursts TIME
Try 'weft counters --help'.
? 2
$ weft counters t1.prv -o c.prv --force --every 10us
weft counters: error: say what to count, with --count TYPES or --sum TYPES
Try 'weft counters --help'.
? 2
$ weft counters t1.prv -o c.prv --force --every 10us --count MPI
weft counters: error: option '--count': expected event types like '50000001-50000003;7:1,2', found 'MPI'
Try 'weft counters --help'.
? 2
## split
$ weft split t1.prv -o part.prv --type 50000001; head -n 20 part-part*.prv
3 parts
==> part-part1.prv <==
#Paraver (2024-Jan-01 10:00:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
1:1:1:1:1:150:300:3
1:1:1:1:1:300:1000:1
1:2:1:2:1:0:500:1
1:2:1:2:1:500:900:2
2:1:1:1:1:100:50000001:1:42000050:500
2:2:1:2:1:500:50000001:2:42000050:1000

==> part-part2.prv <==
#Paraver (2024-Jan-01 10:00:00):1000_ns:1(2):1:2(1:1,1:1)
2:1:1:1:1:100:50000001:1:42000050:500
2:1:1:1:1:300:50000001:0:42000050:20
2:2:1:2:1:500:50000001:2:42000050:1000
2:2:1:2:1:900:50000001:0

==> part-part3.prv <==
#Paraver (2024-Jan-01 10:00:00):1000_ns:1(2):1:2(1:1,1:1)
2:1:1:1:1:300:50000001:0:42000050:20
2:2:1:2:1:900:50000001:0
3:1:1:1:1:100:110:2:1:2:1:500:600:64:7
$ weft split t1.prv -o part.prv --type 50000001
weft split: error: 'part-part1.prv' is there already (--force replaces it)
? 2
$ weft split t1.prv -o part.weft --type 50000001
weft split: error: the parts are .prv files: say -o OUT.prv
Try 'weft split --help'.
? 2
$ weft split t1.prv -o part.prv
weft split: error: say which event type begins a part, with --type TYPE
Try 'weft split --help'.
? 2
## translate
$ sed 's/^1 MPI_Send/3 MPI_Send/; s/^2 MPI_Recv/1 MPI_Recv/' t1.pcf >other.pcf; cp t1.prv other.prv
$ weft translate other.prv -o same.prv --like t1.prv; diff t1.prv same.prv; sed -n '/50000001/,$p' same.pcf
7c7
< 2:1:1:1:1:100:50000001:1:42000050:500
---
\> 2:1:1:1:1:100:50000001:2:42000050:500
0   50000001    MPI call
VALUES
0  Outside MPI
1  MPI_Send
2  MPI_Recv


$ weft translate t1.prv -o back.prv --like t1.weft
weft translate: error: option '--like': expected a .prv, found 't1.weft'
Try 'weft translate --help'.
? 2
$ weft translate t1.prv -o back.prv --like t4.prv
weft translate: error: cannot open 't4.prv': no such file or directory
? 2
## cut and filter
$ weft cut t1.prv -o cut.prv --time 250ns..500ns; sed 's/^#[0-9]*:/#TIME:/' cut.prv
#Paraver (01/01/2024 at 10:00):250_ns:1(2):1:2(1:1,1:1)
#TIME:CUTTER:ORIGINAL:"t1.prv":250:250:500
1:1:1:1:1:0:50:3
1:1:1:1:1:50:250:1
1:2:1:2:1:0:250:1
1:2:1:2:1:250:250:2
2:1:1:1:1:50:50000001:0:42000050:0
2:2:1:2:1:250:50000001:2:42000050:0
# Appending events with value 0
2:1:1:1:1:250:42000050:0
2:2:1:2:1:250:50000001:0
2:2:1:2:1:250:42000050:0
$ weft cut t1.prv -o cut.prv --force --time 250ns..500ns --keep-times --tasks 2; sed 's/^#[0-9]*:/#TIME:/' cut.prv
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
#TIME:CUTTER:ORIGINAL:"t1.prv":0:250:500
1:2:1:2:1:0:500:1
1:2:1:2:1:500:900:2
2:2:1:2:1:500:50000001:2:42000050:0
# Appending events with value 0
2:2:1:2:1:1000:50000001:0
2:2:1:2:1:1000:42000050:0
$ weft cut t1.prv -o cut.prv --force --tasks 2,9
weft cut: warning: t1.prv: there is no task 9: tasks are numbered from 1 to 2
$ weft cut t1.prv -o cut.prv --force --tasks two
weft cut: error: option '--tasks': expected numbers of tasks like 1,3-5, found 'two'
Try 'weft cut --help'.
? 2
$ weft cut -q t1.prv -o cut.weft --time 25%..50% --whole-states; weft dump -q cut.weft -n 3
   0  1.1.1   cpu           0 of "node 1"
   0  1.2.1   cpu           1 of "node 1"
   0  1.2.1   state         Running for 500
$ weft filter t1.prv -o f.prv --keep-types 50000001:2 --discard states,messages; cat f.prv
dropped 5 of 5 states, 3 of 4 lines of events, 1 of 1 messages; 6 events of types that were not wanted
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
2:2:1:2:1:500:50000001:2
$ weft filter t1.prv -o f.prv --force --states Wait,Run --min-state-time 200ns --drop-types 42000000-42999999; cat f.prv
weft filter: warning: t1.prv: no state is called 'Wait'
dropped 5 of 5 states, 0 of 4 lines of events, 0 of 1 messages; 3 events of types that were not wanted
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
2:1:1:1:1:100:50000001:1
2:1:1:1:1:300:50000001:0
2:2:1:2:1:500:50000001:2
2:2:1:2:1:900:50000001:0
3:1:1:1:1:100:110:2:1:2:1:500:600:64:7
$ weft filter t1.prv -o f.prv --force --states Waiting,Running --min-state-time 400ns --min-bytes 1K --discard events; cat f.prv
dropped 3 of 5 states, 4 of 4 lines of events, 1 of 1 messages
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:300:1000:1
1:2:1:2:1:0:500:1
$ weft filter t1.prv -o f.prv --force --states Runing
weft filter: warning: t1.prv: no state is called 'Runing' (did you mean 'Running'?)
dropped 5 of 5 states, 0 of 4 lines of events, 0 of 1 messages
$ weft filter t1.prv -o f.prv --force --discard everything
weft filter: error: option '--discard': expected states, events or messages, found 'everything'
Try 'weft filter --help'.
? 2
$ weft filter t1.prv -o f.prv --force --keep-types 1 --drop-types 2
weft filter: error: both --keep-types and --drop-types say which events stay
Try 'weft filter --help'.
? 2
$ weft filter t1.prv -o f.prv.gz --keep-types 42000050; zcat f.prv.gz | tail -1; weft filter f.prv.gz -o g.prv.zst --discard states; zstd -dcq g.prv.zst | wc -l
dropped 0 of 5 states, 1 of 4 lines of events, 0 of 1 messages; 4 events of types that were not wanted
3:1:1:1:1:100:110:2:1:2:1:500:600:64:7
dropped 5 of 5 states, 0 of 3 lines of events, 0 of 1 messages
5
$ weft filter -q heat.weft -o m.prv -f kind=message; grep -c ^3 m.prv
2
$ weft filter t3.prv -o f.prv --force --discard messages
weft filter: warning: t3.prv: left out what is no record of this trace: 1 line
dropped 0 of 9 states, 0 of 15 lines of events, 3 of 3 messages
## files of options
$ weft cut t1.prv -o x.prv --xml "$WEFT_SOURCE/tests/golden/paraver/tools/xml/chain.xml"; sed 's/^#[0-9]*:/#TIME:/' x.prv
#Paraver (01/01/2024 at 10:00):50_ns:1(2):1:2(1:1,1:1)
#TIME:CUTTER:ORIGINAL:"t1.prv":250:50:100
1:1:1:1:1:0:50:3
1:1:1:1:1:50:250:1
1:2:1:2:1:0:250:1
1:2:1:2:1:250:250:2
2:1:1:1:1:50:50000001:0:42000050:0
2:2:1:2:1:250:50000001:2:42000050:0
# Appending events with value 0
2:1:1:1:1:250:42000050:0
2:2:1:2:1:250:50000001:0
2:2:1:2:1:250:42000050:0
$ weft filter t1.prv -o x.prv --force --xml "$WEFT_SOURCE/tests/golden/paraver/tools/xml/cut_size_1MB.xml" 2>&1 | sed 's/ [^ ]*xml:/ FILE:/'
weft filter: error: FILE: expected <filter>, which says what to do
$ printf '<config><filter><discard_state>1</discard_state><comm>3</comm><typo/></filter><chopper/></config>' >odd.xml
$ weft filter t1.prv -o x.prv --force --xml odd.xml; wc -l <x.prv
weft filter: warning: odd.xml:1: unknown key <discard_state> in <filter> (did you mean <discard_states>?)
weft filter: warning: odd.xml:1: unknown key <comm> in <filter> (did you mean <comms>?)
weft filter: warning: odd.xml:1: unknown key <typo> in <filter>
weft filter: warning: odd.xml:1: unknown key <chopper> in <config>
dropped 0 of 5 states, 0 of 4 lines of events, 0 of 1 messages
11
$ printf '<config><filter><comms>few</comms></filter></config>' >odd.xml; weft filter t1.prv -o x.prv --force --xml odd.xml
weft filter: error: odd.xml:1: <comms>: expected a number, found 'few'
? 2
$ printf '<config>\n<filter><comms>1</filter></config>' >odd.xml; weft filter t1.prv -o x.prv --force --xml odd.xml
weft filter: error: odd.xml:2:19: mismatched tag
? 2
$ printf '<tools/>' >odd.xml; weft filter t1.prv -o x.prv --force --xml odd.xml
weft filter: error: odd.xml:1: expected <config>, found <tools>
? 2
$ weft filter t1.prv -o x.prv --force --xml none.xml
weft filter: error: cannot open 'none.xml': no such file or directory
? 2
$ weft filter t1.pcf -o x.prv --force --discard events
weft filter: error: cannot read 't1.pcf': no format that is known
? 2
## records of threads that the header does not have: cutter and counters keep them, the shifter leaves them out
$ { head -1 t1.prv; printf '%s\n' 1:1:1:1:1:0:100:1 1:1:1:3:1:10:90:1 2:1:1:3:1:20:50000001:1:42000050:9 2:1:2:1:7:40:50000001:2 2:1:1:1:1:50:50000001:1 3:1:1:9:1:20:30:1:1:1:1:40:50:64:7; } >strange.prv; cp t1.pcf strange.pcf
$ weft cut strange.prv -o x.prv --force --time 5ns..80ns; sed 's/^#[0-9]*:/#TIME:/' x.prv
weft cut: warning: strange.prv: kept what names threads that the header does not have: 4 lines (the first: line 3)
#Paraver (01/01/2024 at 10:00):75_ns:1(2):1:2(1:1,1:1)
#TIME:CUTTER:ORIGINAL:"strange.prv":5:5:80
1:1:1:1:1:0:75:1
1:1:1:3:1:5:75:1
2:1:1:3:1:15:50000001:1:42000050:0
2:1:2:1:7:35:50000001:2
2:1:1:1:1:45:50000001:1
3:1:1:9:1:15:25:1:1:1:1:35:45:64:7
# Appending events with value 0
2:1:1:1:1:75:50000001:0
2:1:1:3:1:75:50000001:0
2:1:1:3:1:75:42000050:0
2:1:2:1:7:75:50000001:0
$ weft counters strange.prv -o x.prv --force --count 50000001 --bursts 10ns; cat x.prv
weft counters: warning: strange.prv: kept what names threads that the header does not have: 3 lines (the first: line 3)
#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
1:1:1:3:1:10:90:1
2:0:1:1:1:100:15001001:1
2:0:1:1:1:1000:15001001:0
2:0:1:3:1:90:15001001:1
2:0:1:3:1:1000:15001001:0
$ weft shift strange.prv -o x.prv --force --times times.txt; cat x.prv
weft shift: warning: strange.prv: left out what is no record of this trace: 4 lines
#Paraver (2024-Jan-01 10:00:00):2000_ns:1(2):1:2(1:1,1:1)
1:1:1:1:1:0:100:1
2:1:1:1:1:50:50000001:1
## two types of one line stay on one line, with every tool
$ two=50000001:1:42000050:500; weft filter -q t1.prv -o x.prv --force --drop-types 7; grep -c $two x.prv; weft counters t1.prv -o x.prv --force --count 7 --every 1us --keep-types '50000001;42000050'; grep -c $two x.prv; weft cut t1.prv -o x.prv --force --time 0ns..200ns --keep-times; grep -c 50000001:1:42000050:0 x.prv
1
1
1
## an event at the begin of a cut whose states are kept whole and whose times begin at 0 goes, as with Paraver
$ printf '<config><cutter><by_time>1</by_time><minimum_time>300</minimum_time><maximum_time>500</maximum_time><keep_events>1</keep_events></cutter></config>' >break.xml; weft cut t1.prv -o x.prv --force --xml break.xml; grep ^2 x.prv
2:1:1:1:1:100:50000001:1:42000050:0
2:2:1:2:1:500:50000001:2:42000050:0
2:1:1:1:1:1000:50000001:0
2:1:1:1:1:1000:42000050:0
2:2:1:2:1:1000:50000001:0
2:2:1:2:1:1000:42000050:0
