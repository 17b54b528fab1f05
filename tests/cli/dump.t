## SPDX-License-Identifier: Apache-2.0
## weft dump: every kind in the sample, in both forms; filters; fxt_print.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft dump -q heat.weft
        0  1.1.1   thread_begin
        0  1.1.1   cpu           0 of "node1"
   100000  1.1.1   enter         main
   100000  1.1.1   point         phase = 1 "warm-up"
   150000  1.1.1   point_s       note = "starting up"
   200000  1.1.1   enter         solve
   200000  1.1.1   attr          iteration = 1
   210000  1.1.1   counter       flops = 1000 flop
  1000000  1.2.1   thread_begin
  1000000  1.2.1   cpu           1 of "node1"
  1100000  1.2.1   enter         main
  1200000  1.2.1   enter         solve
  1200000  1.2.1   attr          iteration = 1
 30000000  1.1.2   thread_begin
 30000000  1.1.2   cpu           1 of "node1"
 41200000  1.2.1   leave         solve
 41210000  1.2.1   enter         MPI_Recv
 50200000  1.1.1   counter       flops = 501000 flop
 50210000  1.1.1   point_f       residual = 0.125 K
 50300000  1.1.1   leave         solve
 50310000  1.1.1   enter         exchange
 50350000  1.1.1   send          world to 1.2.1 tag 7 size 65536 message 0
 50400000  1.1.1   leave         exchange
 50400000  1.1.1   point         phase = 2 "main loop"
 50500000  1.1.1   enter         solve
 50500000  1.1.1   attr          iteration = 2
 51210000  1.2.1   recv          world from 1.1.1 tag 7 size 65536 message 0
 51220000  1.2.1   leave         MPI_Recv
 51300000  1.2.1   enter         solve
 51300000  1.2.1   attr          iteration = 2
 60000000  1.1.1   flow_out      task key 0x10 to 1.1.2
 60000000  1.2.1   sample        0x401000 0x402000
 61000000  1.1.2   flow_in       task key 0x10 from 1.1.1
 61010000  1.1.2   enter         solve
 70000000  1.1.2   cpu           0 of "node1"
 81010000  1.1.2   leave         solve
 82000000  1.1.2   off           user
 83000000  1.1.2   on            user
 84000000  1.1.2   dropped       3
 85000000  1.1.2   thread_end
 90500000  1.1.1   leave         solve
 90510000  1.1.1   enter         MPI_Recv
111300000  1.2.1   leave         solve
111310000  1.2.1   enter         exchange
120000000  1.2.1   send          world to 1.1.1 tag 8 size 512 message 1
120010000  1.2.1   leave         exchange
120500000  1.1.1   recv          world from 1.2.1 tag 8 size 512 message 1
120510000  1.1.1   leave         MPI_Recv
121000000  1.2.1   leave         main
121010000  1.2.1   thread_end
121010000  1.2.1   exit          0
130000000  1.1.1   counter_set   flops,misses flops=502000 misses=17
140000000  1.1.1   leave         main
140010000  1.1.1   thread_end
140010000  1.1.1   exit          0
$ weft dump -q heat.weft --json
{"time":0,"thread":"1.1.1","kind":"thread_begin"}
{"time":0,"thread":"1.1.1","kind":"cpu","value":0,"node":"node1"}
{"time":100000,"thread":"1.1.1","kind":"enter","name":"main"}
{"time":100000,"thread":"1.1.1","kind":"point","name":"phase","value":1,"label":"warm-up"}
{"time":150000,"thread":"1.1.1","kind":"point_s","name":"note","value":"starting up"}
{"time":200000,"thread":"1.1.1","kind":"enter","name":"solve"}
{"time":200000,"thread":"1.1.1","kind":"attr","name":"iteration","value":1}
{"time":210000,"thread":"1.1.1","kind":"counter","name":"flops","value":1000,"unit":"flop"}
{"time":1000000,"thread":"1.2.1","kind":"thread_begin"}
{"time":1000000,"thread":"1.2.1","kind":"cpu","value":1,"node":"node1"}
{"time":1100000,"thread":"1.2.1","kind":"enter","name":"main"}
{"time":1200000,"thread":"1.2.1","kind":"enter","name":"solve"}
{"time":1200000,"thread":"1.2.1","kind":"attr","name":"iteration","value":1}
{"time":30000000,"thread":"1.1.2","kind":"thread_begin"}
{"time":30000000,"thread":"1.1.2","kind":"cpu","value":1,"node":"node1"}
{"time":41200000,"thread":"1.2.1","kind":"leave","name":"solve"}
{"time":41210000,"thread":"1.2.1","kind":"enter","name":"MPI_Recv"}
{"time":50200000,"thread":"1.1.1","kind":"counter","name":"flops","value":501000,"unit":"flop"}
{"time":50210000,"thread":"1.1.1","kind":"point_f","name":"residual","value":0.125,"unit":"K"}
{"time":50300000,"thread":"1.1.1","kind":"leave","name":"solve"}
{"time":50310000,"thread":"1.1.1","kind":"enter","name":"exchange"}
{"time":50350000,"thread":"1.1.1","kind":"send","name":"world","to":"1.2.1","tag":7,"size":65536,"message":0}
{"time":50400000,"thread":"1.1.1","kind":"leave","name":"exchange"}
{"time":50400000,"thread":"1.1.1","kind":"point","name":"phase","value":2,"label":"main loop"}
{"time":50500000,"thread":"1.1.1","kind":"enter","name":"solve"}
{"time":50500000,"thread":"1.1.1","kind":"attr","name":"iteration","value":2}
{"time":51210000,"thread":"1.2.1","kind":"recv","name":"world","from":"1.1.1","tag":7,"size":65536,"message":0}
{"time":51220000,"thread":"1.2.1","kind":"leave","name":"MPI_Recv"}
{"time":51300000,"thread":"1.2.1","kind":"enter","name":"solve"}
{"time":51300000,"thread":"1.2.1","kind":"attr","name":"iteration","value":2}
{"time":60000000,"thread":"1.1.1","kind":"flow_out","name":"task","key":"0x10","to":"1.1.2"}
{"time":60000000,"thread":"1.2.1","kind":"sample","words":["0x401000","0x402000"]}
{"time":61000000,"thread":"1.1.2","kind":"flow_in","name":"task","key":"0x10","from":"1.1.1"}
{"time":61010000,"thread":"1.1.2","kind":"enter","name":"solve"}
{"time":70000000,"thread":"1.1.2","kind":"cpu","value":0,"node":"node1"}
{"time":81010000,"thread":"1.1.2","kind":"leave","name":"solve"}
{"time":82000000,"thread":"1.1.2","kind":"off","name":"user"}
{"time":83000000,"thread":"1.1.2","kind":"on","name":"user"}
{"time":84000000,"thread":"1.1.2","kind":"dropped","value":3}
{"time":85000000,"thread":"1.1.2","kind":"thread_end"}
{"time":90500000,"thread":"1.1.1","kind":"leave","name":"solve"}
{"time":90510000,"thread":"1.1.1","kind":"enter","name":"MPI_Recv"}
{"time":111300000,"thread":"1.2.1","kind":"leave","name":"solve"}
{"time":111310000,"thread":"1.2.1","kind":"enter","name":"exchange"}
{"time":120000000,"thread":"1.2.1","kind":"send","name":"world","to":"1.1.1","tag":8,"size":512,"message":1}
{"time":120010000,"thread":"1.2.1","kind":"leave","name":"exchange"}
{"time":120500000,"thread":"1.1.1","kind":"recv","name":"world","from":"1.2.1","tag":8,"size":512,"message":1}
{"time":120510000,"thread":"1.1.1","kind":"leave","name":"MPI_Recv"}
{"time":121000000,"thread":"1.2.1","kind":"leave","name":"main"}
{"time":121010000,"thread":"1.2.1","kind":"thread_end"}
{"time":121010000,"thread":"1.2.1","kind":"exit","value":0}
{"time":130000000,"thread":"1.1.1","kind":"counter_set","name":"flops,misses","values":{"flops":502000,"misses":17}}
{"time":140000000,"thread":"1.1.1","kind":"leave","name":"main"}
{"time":140010000,"thread":"1.1.1","kind":"thread_end"}
{"time":140010000,"thread":"1.1.1","kind":"exit","value":0}
$ weft dump -q heat.weft --json | jq -s length
55
$ weft dump -q heat.weft -n 3 --delta
        0  1.1.1   thread_begin
        0  1.1.1   cpu           0 of "node1"
   100000  1.1.1   enter         main
$ weft dump -q heat.weft -n 2 -o text; cat text
        0  1.1.1   thread_begin
        0  1.1.1   cpu           0 of "node1"

## Filters; the ones on durations know at the enter how long the region will last.
$ weft dump -q heat.weft -f 'region=MPI*'
 41210000  1.2.1   enter         MPI_Recv
 51220000  1.2.1   leave         MPI_Recv
 90510000  1.1.1   enter         MPI_Recv
120510000  1.1.1   leave         MPI_Recv
$ weft dump -q heat.weft -f 'region=solve duration>45ms'
   200000  1.1.1   enter         solve
 50300000  1.1.1   leave         solve
 51300000  1.2.1   enter         solve
111300000  1.2.1   leave         solve
$ weft dump -q heat.weft -f 'kind=leave duration<=20ms'
 50400000  1.1.1   leave         exchange
 51220000  1.2.1   leave         MPI_Recv
 81010000  1.1.2   leave         solve
120010000  1.2.1   leave         exchange
$ weft dump -q heat.weft -f 'kind=message size>=1K'
 50350000  1.1.1   send          world to 1.2.1 tag 7 size 65536 message 0
 51210000  1.2.1   recv          world from 1.1.1 tag 7 size 65536 message 0
$ weft dump -q heat.weft -f 'thread=1.2.* time=40%..60%'
 60000000  1.2.1   sample        0x401000 0x402000
$ weft dump -q heat.weft -f 'value=main* or type=residual'
 50210000  1.1.1   point_f       residual = 0.125 K
 50400000  1.1.1   point         phase = 2 "main loop"
$ weft dump -q heat.weft -f 'cpu=0 and thread=helper'
 70000000  1.1.2   cpu           0 of "node1"
 81010000  1.1.2   leave         solve
 82000000  1.1.2   off           user
 83000000  1.1.2   on            user
 84000000  1.1.2   dropped       3
 85000000  1.1.2   thread_end
$ weft dump -q heat.weft -f 'region=nothing'
$ weft dump -q heat.weft -f 'regoin=solve'
weft dump: error: filter: column 1: unknown field 'regoin' (did you mean 'region'?)
? 2
$ weft dump -q heat.weft -f 'region=solve or ('
weft dump: error: filter: column 18: expected a test like region=solve, found the end
? 2

## An output file appears whole or not at all.
$ weft dump -q heat.weft -o no/such/folder/text
weft dump: error: cannot write 'no/such/folder/text': no such file or directory
? 2
$ weft dump -q no.weft -o text2; ls text2
weft dump: error: cannot open 'no.weft': no such file or directory
ls: cannot access 'text2': No such file or directory
? 2

## A reader that has seen enough ends the dump quietly; a full disk does not.
$ weft dump -q heat.weft | head -n 1
        0  1.1.1   thread_begin
$ weft dump -q heat.weft >/dev/full
weft dump: error: cannot write to stdout: no space left on device
? 2
$ weft dump -q heat.weft >&-
weft dump: error: cannot write to stdout: bad file descriptor
? 2

## fxt_print is the same under FxT's name.
$ ln -s "$(command -v weft)" fxt_print
$ ./fxt_print -o -f heat.weft | diff - <(weft dump -q heat.weft)
$ ./fxt_print -d -f heat.weft | diff - <(weft dump -q heat.weft)
$ ./fxt_print -x -f heat.weft | diff - <(weft dump -q heat.weft --delta)
$ TRACE_FILE=heat.weft ./fxt_print | diff - <(weft dump -q heat.weft)
$ ./fxt_print
fxt_print: error: cannot open 'trace_file': no such file or directory
? 2
$ ./fxt_print --help
usage: fxt_print [-d] [-o] [-x] [-f FILE]
Prints the events of a trace of Weft, as FxT's fxt_print does of one of FxT.
  -f FILE  the trace (default: $TRACE_FILE, or trace_file)
  -o       times from the begin of the trace (so they are always)
  -x       times since the event before
  -d       no interpretation (accepted, and changes nothing)
$ ./fxt_print -z
fxt_print: error: unknown option '-z'
usage: fxt_print [-d] [-o] [-x] [-f FILE]
Prints the events of a trace of Weft, as FxT's fxt_print does of one of FxT.
  -f FILE  the trace (default: $TRACE_FILE, or trace_file)
  -o       times from the begin of the trace (so they are always)
  -x       times since the event before
  -d       no interpretation (accepted, and changes nothing)
? 2
$ ./fxt_print heat.weft 2>&1 | head -n 1
fxt_print: error: it takes no operands: say -f FILE

$ weft dump -q heat.weft -o /dev/full
weft dump: error: cannot write '/dev/full': no space left on device
? 2
$ weft dump -q heat.weft -n 0
$ weft dump -q heat.weft -n 1 -o -
        0  1.1.1   thread_begin
