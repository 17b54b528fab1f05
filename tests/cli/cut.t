## SPDX-License-Identifier: Apache-2.0
## weft cut, weft filter, weft merge: traces out of traces.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft cut -q heat.weft -o middle.weft --time 40%..60%; weft dump -q middle.weft
       0  1.1.1   cpu           0 of "node1"
       0  1.1.1   counter       flops = 501000 flop
       0  1.1.1   enter         main
       0  1.1.1   enter         solve
       0  1.1.1   attr          iteration = 2
       0  1.1.2   cpu           1 of "node1"
       0  1.2.1   cpu           1 of "node1"
       0  1.2.1   enter         main
       0  1.2.1   enter         solve
       0  1.2.1   attr          iteration = 2
 3996000  1.1.1   flow_out      task key 0x10 to 1.1.2
 3996000  1.2.1   sample        0x401000 0x402000
 4996000  1.1.2   flow_in       task key 0x10 from 1.1.1
 5006000  1.1.2   enter         solve
13996000  1.1.2   cpu           0 of "node1"
25006000  1.1.2   leave         solve
25996000  1.1.2   off           user
26996000  1.1.2   on            user
27996000  1.1.2   dropped       3
28002000  1.1.1   leave         solve
28002000  1.1.1   leave         main
28002000  1.2.1   leave         solve
28002000  1.2.1   leave         main
$ weft cut -q heat.weft -o kept.weft --time 40%..60% --keep-times; weft dump -q kept.weft -n 5
56004000  1.1.1   cpu           0 of "node1"
56004000  1.1.1   counter       flops = 501000 flop
56004000  1.1.1   enter         main
56004000  1.1.1   enter         solve
56004000  1.1.1   attr          iteration = 2
$ diff <(weft stat -q middle.weft --csv | cut -d, -f1-12) <(weft stat -q heat.weft --time 40%..60% --csv | cut -d, -f1-12)
$ weft cut -q heat.weft -o start.weft --time ..1ms -f 'thread=1.1.*'; weft dump -q start.weft
      0  1.1.1   thread_begin
      0  1.1.1   cpu           0 of "node1"
 100000  1.1.1   enter         main
 100000  1.1.1   point         phase = 1 "warm-up"
 150000  1.1.1   point_s       note = "starting up"
 200000  1.1.1   enter         solve
 200000  1.1.1   attr          iteration = 1
 210000  1.1.1   counter       flops = 1000 flop
1000000  1.1.1   leave         solve
1000000  1.1.1   leave         main
$ weft cut -q heat.weft -o start.weft --time ..1ms
weft cut: error: 'start.weft' is there already (--force replaces it)
? 2
$ weft cut -q heat.weft -o start.weft --time ..300us --force; weft dump -q start.weft -n 100 | wc -l
10
$ weft cut -q heat.weft -o x.weft
weft cut: error: say what to keep, with --time A..B or -f FILTER
Try 'weft cut --help'.
? 2
$ weft cut -q heat.weft -o x.weft --time 20ms..10ms
weft cut: error: option '--time': the range of time '20ms..10ms' is empty
Try 'weft cut --help'.
? 2
$ weft cut -q heat.weft -o x.weft --time soon
weft cut: error: option '--time': expected a range of time like 10ms..20ms or 25%..50%, found 'soon'
Try 'weft cut --help'.
? 2
$ weft cut -q heat.weft --time 0..1ms
weft cut: error: say where to write, with -o OUT
Try 'weft cut --help'.
? 2
$ weft cut -q heat.weft -o x.weft --time 2s..3s
weft cut: error: 'heat.weft' ends at 140 ms, before the range '2s..3s'
? 2

$ weft filter -q heat.weft -o long.weft -f 'duration>45ms or kind=message'; weft dump -q long.weft
        0  1.1.1   thread_begin
   100000  1.1.1   enter         main
   200000  1.1.1   enter         solve
   200000  1.1.1   attr          iteration = 1
  1000000  1.2.1   thread_begin
  1100000  1.2.1   enter         main
 30000000  1.1.2   thread_begin
 50300000  1.1.1   leave         solve
 50350000  1.1.1   send          world to 1.2.1 tag 7 size 65536 message 0
 51210000  1.2.1   recv          world from 1.1.1 tag 7 size 65536 message 0
 51300000  1.2.1   enter         solve
 51300000  1.2.1   attr          iteration = 2
 82000000  1.1.2   off           user
 83000000  1.1.2   on            user
 84000000  1.1.2   dropped       3
 85000000  1.1.2   thread_end
111300000  1.2.1   leave         solve
120000000  1.2.1   send          world to 1.1.1 tag 8 size 512 message 1
120500000  1.1.1   recv          world from 1.2.1 tag 8 size 512 message 1
121000000  1.2.1   leave         main
121010000  1.2.1   thread_end
121010000  1.2.1   exit          0
140000000  1.1.1   leave         main
140010000  1.1.1   thread_end
140010000  1.1.1   exit          0
$ weft filter -q heat.weft -o same.weft -f 'kind=*'; diff <(weft dump -q heat.weft) <(weft dump -q same.weft)

## All of it is all of it, the last instant too.
$ weft cut -q heat.weft -o all.weft --time 0%..100%; diff <(weft dump -q heat.weft) <(weft dump -q all.weft)

## A region passes by its attributes when the filter asks for them; weft stat counts the same.
$ weft filter -q heat.weft -o second.weft -f 'attr=iteration value=2'; weft dump -q second.weft -f 'kind=region,attr'
 50500000  1.1.1   enter         solve
 50500000  1.1.1   attr          iteration = 2
 51300000  1.2.1   enter         solve
 51300000  1.2.1   attr          iteration = 2
 90500000  1.1.1   leave         solve
111300000  1.2.1   leave         solve
$ weft stat -q second.weft --csv | cut -d, -f1,4,5; weft stat -q heat.weft --csv -f 'attr=iteration value=2' | cut -d, -f1,4,5
region,calls,total_ns
solve,2,100000000
region,calls,total_ns
solve,2,100000000

## What no thread is left of is no trace.
$ weft filter -q heat.weft -o x.weft -f 'thread=9.*'
weft filter: error: nothing to write to 'x.weft': no thread is left
? 2
$ weft filter -q heat.weft -o x.weft
weft filter: error: say what to keep, with -f FILTER
Try 'weft filter --help'.
? 2
$ weft filter -q heat.weft -o x.weft -f 'region='
weft filter: error: filter: column 8: expected a name, found the end
? 2
$ weft filter -q heat.weft -f 'region=solve'
weft filter: error: say where to write, with -o OUT
Try 'weft filter --help'.
? 2
$ ls -d x.weft
ls: cannot access 'x.weft': No such file or directory
? 2

$ weft merge -q heat.weft long.weft -o both.weft; weft info -q both.weft -l threads
thread  name     tid  events  dropped    begin      end
1.1.1   main    4711      26        0     0 ns   140 ms
1.1.2   helper  4712      10        3  30.0 ms  85.0 ms
1.2.1   main    4712      19        0  1.00 ms   121 ms
2.1.1   main    4711      10        0     0 ns   140 ms
2.1.2   helper  4712       5        3  30.0 ms  85.0 ms
2.2.1   main    4712      10        0  1.00 ms   121 ms
$ weft merge -q heat.weft start.weft --align -o both.weft --force; weft info -q both.weft -l threads --csv | wc -l
5
$ weft merge -q heat.weft -o both.weft
weft merge: error: 'both.weft' is there already (--force replaces it)
? 2
$ weft merge -q heat.weft no.weft -o x.weft
weft merge: error: cannot open 'no.weft': no such file or directory
? 2
$ for c in 'merge' 'cut -t 1ms..2ms' 'filter -f kind=message'; do weft $c -q heat.weft -o x.json; done
weft merge: error: 'x.json' would be a folder of streams: call it NAME.weft ('weft convert' writes chrome)
Try 'weft merge --help'.
weft cut: error: 'x.json' would be a folder of streams: call it NAME.weft ('weft convert' writes chrome)
Try 'weft cut --help'.
weft filter: error: 'x.json' would be a folder of streams: call it NAME.weft ('weft convert' writes chrome)
Try 'weft filter --help'.
? 2
$ weft merge -q -o x.weft
weft merge: error: expected TRACE...
Try 'weft merge --help'.
? 2

## What was cut or filtered knows where it comes from: times that were seen there cut the original.
$ weft filter -q heat.weft -o seen.weft -f 'region=solve'; weft info -q seen.weft -l notes
key          text
weft.origin  "heat.weft":0:0:140010000
$ weft cut -q heat.weft -o cut.weft --time 40ms..100ms; weft cut -q cut.weft -o part.weft --time 10ms..30ms; weft info -q part.weft -l notes --csv
key,text
weft.origin,"""heat.weft"":50000000:50000000:70000000"
$ weft cut -q heat.weft -o direct.weft --time 55ms..65ms --keep-times; weft dump -q direct.weft >direct
$ weft cut -q --like part.weft --range 5ms..15ms heat.weft -o like.weft --keep-times; weft dump -q like.weft | diff - direct
$ weft cut -q --like seen.weft --range 55ms..65ms heat.weft -o like.weft --keep-times --force; weft dump -q like.weft | diff - direct
$ weft convert -q part.weft -o part.prv; grep CUTTER part.prv | cut -d: -f2-; weft cut -q --like part.prv --range 5ms..15ms heat.weft -o like.weft --keep-times --force; weft dump -q like.weft | diff - direct
CUTTER:ORIGINAL:"heat.weft":50000000:50000000:70000000
$ weft convert -q heat.weft -o heat.prv; weft cut -q heat.prv -o chop.prv --time 50ms..90ms; grep CUTTER chop.prv | cut -d: -f2-
CUTTER:ORIGINAL:"heat.prv":50000000:50000000:90000000
$ weft cut -q --like chop.prv --range 25%..50% heat.prv -o like.prv; weft cut --like chop.prv --range 25%..50% direct.weft -o like.weft --force
weft cut: warning: 'chop.prv' was made from 'heat.prv', not from 'direct.weft'
$ cp -r part.weft other.weft; weft cut --like cut.weft --range ..10ms other.weft -o like.weft --force
weft cut: warning: 'cut.weft' was made from 'heat.weft', not from 'other.weft'
weft cut: error: 'other.weft' ends at 20.0 ms, before the range '40000000ns..50000000ns'
? 2
$ weft cut --like cut.weft heat.weft -o x.weft
weft cut: error: --like SEEN and --range A..B go together
Try 'weft cut --help'.
? 2
$ weft cut --like cut.weft --range 1..2 --time 1..2 heat.weft -o x.weft
weft cut: error: say the range once, with --time or with --like and --range
Try 'weft cut --help'.
? 2
$ weft cut --like cut.weft --range 3 heat.weft -o x.weft
weft cut: error: option '--range': expected a range of time like 10ms..20ms or 25%..50%, found '3'
Try 'weft cut --help'.
? 2
$ weft cut --like no.weft --range 1..3 heat.weft -o x.weft
weft cut: error: cannot open 'no.weft': no such file or directory
? 2
