## SPDX-License-Identifier: Apache-2.0
## weft data, the handbook's data statistics from a trace: subjects, patterns, forms, the curve. tests/golden/traces/make_memory.py says what the trace is.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/memory.weft" .
$ weft data memory.weft
node  name    allocated      at   managed      at      home  allocations  reused  refused  evicted        in       out
   0  NUMA 0        0 B       -       0 B       -  12.0 KiB            0       0        0        0  24.0 KiB  40.0 KiB
   1  NUMA 1   12.0 KiB  110 us  12.0 KiB  110 us       0 B            4       2        1        0  40.0 KiB  24.0 KiB
$ weft data memory.weft --by handle
data            size  R  W  RW  allocations  reused  copies    copied     time  returned
grid (2 3)  8.00 KiB  0  0   6            1       0       7  56.0 KiB   260 us         6
table       4.00 KiB  3  0   0            2       1       2  8.00 KiB  40.0 us         0
scratch     4.00 KiB  0  0   0            1       1       0       0 B     0 ns         0
$ weft data memory.weft --by place -d 't*'
data   node  name    allocated   valid  allocations  reused  copies in        in     time
table     0  NUMA 0     980 us  980 us            0       0          0       0 B     0 ns
table     1  NUMA 1     606 us  570 us            2       1          2  8.00 KiB  40.0 us
$ weft data memory.weft --by cause
cause          copies     bytes    share     time   MB/s  wait
fetch               6  48.0 KiB  75.00 %   240 us  204.8     -
prefetch            1  8.00 KiB  12.50 %  20.0 us  409.6     -
task prefetch       1  4.00 KiB   6.25 %  20.0 us  204.8     -
acquire             1  4.00 KiB   6.25 %  20.0 us  204.8     -
$ weft data memory.weft --by way --csv
process,from,from_name,to,to_name,copies,bytes,time_ns,mb_per_s
1,0,NUMA 0,1,NUMA 1,6,40960,180000,227.55555555555554
1,1,NUMA 1,0,NUMA 0,3,24576,120000,204.8
$ weft data memory.weft --by return
data        between  and  returned     bytes    time   first    last  there for  back for
grid (2 3)        0    1         6  48.0 KiB  220 us  340 us  820 us  right      left
$ weft data memory.weft --by trip -n 2
data        back at  at  from    away     bytes     took  there by  for task  called  back by  for task  called
grid (2 3)   340 us   0     1  100 us  8.00 KiB  40.0 us  fetch            1  right   fetch           2  left
grid (2 3)   440 us   1     0  100 us  8.00 KiB  40.0 us  fetch            2  left    fetch           3  right

2 of 6 are shown ('-n 0': all).
$ weft data memory.weft --by trip -d 0x1000 -n 1 --json
[
  {
    "process": 1,
    "handle": "0x1000",
    "name": "grid",
    "time_ns": 340000,
    "node": 0,
    "other_node": 1,
    "away_ns": 100000,
    "bytes": 8192,
    "took_ns": 40000,
    "there_cause": "fetch",
    "there_task": 1,
    "there_for": "right",
    "back_cause": "fetch",
    "back_task": 2,
    "back_for": "left"
  }
]
$ weft data memory.weft --by handle -d table --json
[
  {
    "process": 1,
    "handle": "0x2000",
    "name": "table",
    "coordinates": "",
    "bytes": 4096,
    "description": "V512x8",
    "home": 0,
    "parent": "",
    "registered_ns": 20000,
    "unregistered_ns": null,
    "reads": 3,
    "writes": 0,
    "updates": 0,
    "scratches": 0,
    "reductions": 0,
    "allocations": 2,
    "reused": 1,
    "copies": 2,
    "copied_bytes": 8192,
    "copied_ns": 40000,
    "returned": 0,
    "returned_bytes": 0,
    "returned_ns": 0
  }
]
$ weft data memory.weft -o memory.csv && cat memory.csv
time_ns,process,node,allocated_bytes,managed_bytes,home_bytes
10000,1,0,0,0,8192
20000,1,0,0,0,12288
105000,1,1,8192,0,0
105000,1,1,8192,8192,0
110000,1,1,12288,8192,0
110000,1,1,12288,12288,0
546000,1,1,12288,12288,0
550000,1,1,12288,12288,0
550000,1,1,12288,8192,0
552000,1,1,12288,8192,0
552000,1,1,12288,12288,0
825000,1,1,12288,12288,0
825000,1,1,12288,8192,0
830000,1,1,12288,8192,0
830000,1,1,12288,12288,0
$ weft data memory.weft -o memory.svg && grep -c '<path\|<polyline' memory.svg
7
$ weft data memory.weft -o memory.svg
weft data: error: 'memory.svg' is there already (--force replaces it)
Try 'weft data --help'.
? 2
$ weft data memory.weft -o memory.gif
weft data: error: cannot tell the format from the name 'memory.gif': known endings are .svg .png .csv
Try 'weft data --help'.
? 2
$ weft data memory.weft --by nodes
weft data: error: option '--by': unknown subject 'nodes' (did you mean 'node'?)
Try 'weft data --help'.
? 2
$ cp -r "$WEFT_SOURCE/tests/golden/traces/tiles.weft" "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft data tiles.weft --by return
data  between  and  returned  bytes  time  first  last  there for  back for
(none: no copy between memory nodes was recorded)
$ weft data heat.weft
weft data: warning: 3 events were dropped while recording
weft data: error: 'heat.weft' has no data: it is not of a program of the task runtime
? 2
