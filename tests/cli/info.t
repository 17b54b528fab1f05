## SPDX-License-Identifier: Apache-2.0
## weft info: facts and lists, in all forms.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft info heat.weft
weft info: warning: 3 events were dropped while recording
trace         heat.weft
format        weft
recorded      2023-11-14 22:13:20 UTC
duration      140 ms
hosts         node1
command       ./heat --size 100
clock         monotonic
processes     2 (ranks 0 to 1)
threads       3
cpus          2 on 1 node
events        55 (392 a second)
definitions   19 (strings 4, regions 4, types 3, counters 2, categories 2, attributes 1, communicators 1, kinds of flow 1, sets 1)
messages      2, 0 with one end only, 0 received before they were sent
flows         1, 0 with one end only
size          28.0 KiB
bytes/event   521.3
dropped       3 events were lost while recording
damage        none
helper        24.7 us of CPU time
$ weft info -q heat.weft/
trace         heat.weft/
format        weft
recorded      2023-11-14 22:13:20 UTC
duration      140 ms
hosts         node1
command       ./heat --size 100
clock         monotonic
processes     2 (ranks 0 to 1)
threads       3
cpus          2 on 1 node
events        55 (392 a second)
definitions   19 (strings 4, regions 4, types 3, counters 2, categories 2, attributes 1, communicators 1, kinds of flow 1, sets 1)
messages      2, 0 with one end only, 0 received before they were sent
flows         1, 0 with one end only
size          28.0 KiB
bytes/event   521.3
dropped       3 events were lost while recording
damage        none
helper        24.7 us of CPU time
$ weft info -q --csv heat.weft
key,value
trace,heat.weft
format,weft
recorded,2023-11-14 22:13:20 UTC
duration_ns,140010000
hosts,node1
commands,./heat --size 100
clock,monotonic
processes,2
threads,3
cpus,2
events,55
definitions,19
messages,2
flows,1
bytes,28672
bytes_per_event,521.31
dropped,3
problems,0
helper_cpu_ns,24690
$ weft info -q --json heat.weft
{
  "trace": "heat.weft",
  "format": "weft",
  "recorded": "2023-11-14 22:13:20 UTC",
  "duration_ns": 140010000,
  "hosts": "node1",
  "commands": "./heat --size 100",
  "clock": "monotonic",
  "processes": 2,
  "threads": 3,
  "cpus": 2,
  "events": 55,
  "definitions": 19,
  "messages": 2,
  "flows": 1,
  "bytes": 28672,
  "bytes_per_event": 521.31,
  "dropped": 3,
  "problems": 0,
  "helper_cpu_ns": 24690
}
$ weft info -q heat.weft/1.stream
trace         heat.weft/1.stream
format        weft
recorded      2023-11-14 22:13:20 UTC
duration      120 ms
hosts         node1
command       ./heat --size 100
clock         monotonic
processes     1 (ranks 1 to 1)
threads       1
cpus          2 on 1 node
events        19 (158 a second)
definitions   19 (strings 4, regions 4, types 3, counters 2, categories 2, attributes 1, communicators 1, kinds of flow 1, sets 1)
messages      2, 2 with one end only, 0 received before they were sent
size          12.0 KiB
bytes/event   646.7
dropped       0
damage        none
helper        12.3 us of CPU time
$ for what in processes threads nodes cpus regions types labels counters; do echo "-- $what"; weft info -q heat.weft --list $what; done
-- processes
process  name   pid  parent  rank  host   node   threads    begin     end  cpu  user  system  status  command
1.1      heat  4711     100     0  node1  node1        2     0 ns  140 ms    -     -       -       0  ./heat --size 100
1.2      heat  4712     100     1  node1  node1        1  1.00 ms  121 ms    -     -       -       0  ./heat --size 100
-- threads
thread  name     tid  events  dropped    begin      end
1.1.1   main    4711      26        0     0 ns   140 ms
1.1.2   helper  4712      10        3  30.0 ms  85.0 ms
1.2.1   main    4712      19        0  1.00 ms   121 ms
-- nodes
node  name   cpus
   1  node1     2
-- cpus
node   cpu  name  core  package  memory node
node1    0           0        0            0
node1    1           1        0            0
-- regions
id  name      category  state          events  file    line
 1  main      user      running             4  heat.c    10
 2  solve     user      running            10  heat.c    20
 3  exchange  user      communicating       4  heat.c    30
 4  MPI_Recv  mpi       waiting             4             -
-- types
id  name      category  unit  code  labels  events
 1  phase     user            5001       2       2
 2  residual  user      K        -       0       1
 3  note      user               -       0       1
-- labels
type   code  value  label
phase  5001      1  warm-up
phase  5001      2  main loop
-- counters
id  name    category  unit  events
 1  flops   user      flop       2
 2  misses  user                 0
$ for what in attributes categories communicators flows sets data states notes; do echo "-- $what"; weft info -q heat.weft -l $what; done
-- attributes
id  name       category  unit  events
 1  iteration  user                 4
-- categories
id  name  events
 1  user       2
 2  mpi        0
-- communicators
id  name   ranks  key  events
 1  world      2   77       4
-- flows
id  name  category  events
 1  task  user           2
-- sets
id  name          category  events
 1  flops,misses                 1
-- data
id  name  category  events
-- states
id  name  code  events
-- notes
key  text
$ weft info -q heat.weft -l threads --json
[
  {
    "thread": "1.1.1",
    "name": "main",
    "tid": 4711,
    "events": 26,
    "dropped": 0,
    "begin_ns": 0,
    "end_ns": 140010000
  },
  {
    "thread": "1.1.2",
    "name": "helper",
    "tid": 4712,
    "events": 10,
    "dropped": 3,
    "begin_ns": 30000000,
    "end_ns": 85000000
  },
  {
    "thread": "1.2.1",
    "name": "main",
    "tid": 4712,
    "events": 19,
    "dropped": 0,
    "begin_ns": 1000000,
    "end_ns": 121010000
  }
]
$ weft info -q heat.weft -l threads --csv
thread,name,tid,events,dropped,begin_ns,end_ns
1.1.1,main,4711,26,0,0,140010000
1.1.2,helper,4712,10,3,30000000,85000000
1.2.1,main,4712,19,0,1000000,121010000
$ weft info heat.weft -l treads
weft info: error: option '--list': unknown 'treads' (did you mean 'threads'?)
Try 'weft info --help'.
? 2
