## SPDX-License-Identifier: Apache-2.0
## weft phases: iterations as a table, a part as a trace, a trace with labels; what is wrong or degenerate.
## Four threads, 50 iterations of 20 ms, of which the 30th takes 40 ms; a beginning and an end in which nothing happens.
$ cat >make.awk <<'END'
> BEGIN {
> 	print "#Paraver (01/01/2026 at 00:00):1300000000_ns:1(4):1:4(1:1,1:1,1:1,1:1),0"
> 	now = 100000000
> 	for (i = 0; i < 50; i++) {
> 		length_ = i == 29 ? 40000000 : 20000000
> 		for (t = 1; t <= 4; t++) {
> 			print "1:" t ":1:" t ":1:" now + t * 1000 ":" now + int(length_ * 0.7) + t * 20000 ":1"
> 			print "1:" t ":1:" t ":1:" now + int(length_ * 0.7) + t * 20000 ":" now + length_ + t * 1000 ":3"
> 		}
> 		now += length_
> 	}
> }
> END
$ awk -f make.awk | (read -r head; echo "$head"; sort -t: -s -k6n) >a.prv
$ weft phases a.prv
  from      to   period  strength  iterations  perturbed  inner  outer
100 ms  1.10 s  20.0 ms     0.889          50          1      -      -

Signal: computing.
Region 1: 49.99 iterations of 20.0 ms, 50 of them whole, from 100 ms to 1.12 s; likeliness 0.9966, 2.0000, 0.9459.
$ weft phases a.prv --csv
from_ns,to_ns,period_ns,strength,iterations,perturbed,inner_ns,outer
100292968,1100048828,20000229,0.889,50,1,,
$ weft phases a.prv --iterations | sed -n '1,3p;29,32p'
iteration   begin  duration  likeness  region  kind
        1  100 ms   20.0 ms    0.9997       1  regular
        2  120 ms   20.0 ms    0.9997       1  regular
       28  640 ms   20.0 ms    0.9998       1  regular
       29  660 ms   20.0 ms    0.9998       1  regular
       30  680 ms   40.0 ms   -0.0132       1  perturbed
       31  720 ms   20.0 ms    0.9998       1  regular
$ weft phases a.prv --cut 2 -o two.prv >out; weft info two.prv | grep -e duration -e threads; weft phases a.prv --cut 2 -o two.weft -q >out; weft info two.weft | grep duration
iterations 28 to 29, from 640 ms to 680 ms
duration      40.0 ms
threads       4
duration      40.0 ms
$ weft phases a.prv -o l.prv >out; grep -c :90000101: l.prv; tail -6 l.pcf; weft phases a.prv -o l.weft >out; weft dump l.weft -f 'type=Phase and value=2' | head -1
204
9	90000102	Phase
VALUES
0	End
1	Regular iteration
2	Perturbed iteration
3	Outside
 679987117  1.1.1   point         Phase = 2 "Perturbed iteration"
## Filters know iterations and phases then.
$ for f in iteration=3..5 iteration=30 phase=regular phase=perturbed 'phase=per*' phase=2 phase=outside 'phase!=regular' 'not phase=*'; do for t in l.prv l.weft; do echo "$f $(weft stat $t --by state --csv -f "$f" | awk -F, 'NR > 1 {n += $4} END {print n + 0}')"; done; done
iteration=3..5 24
iteration=3..5 24
iteration=30 8
iteration=30 8
phase=regular 392
phase=regular 392
phase=perturbed 8
phase=perturbed 8
phase=per* 8
phase=per* 8
phase=2 8
phase=2 8
phase=outside 0
phase=outside 0
phase!=regular 8
phase!=regular 8
not phase=* 0
not phase=* 0
$ weft stat a.prv --by state -f iteration=1 2>&1 | head -1
weft stat: warning: filter: column 1: the trace has no iterations (weft phases -o writes one that has)
$ weft phases a.prv --signal calls | tail -1 | sed 's/likeliness.*//'
Region 3: 6.03 iterations of 20.0 ms, 9 of them whole, from 953 ms to 1.13 s; 
$ weft phases a.prv --time 200ms..500ms --csv
from_ns,to_ns,period_ns,strength,iterations,perturbed,inner_ns,outer
214062500,494140625,20000965,0.9992,14,0,,
## Degenerate and wrong.
$ head -5 a.prv >few.prv; weft phases few.prv
Nothing changes in 'few.prv' for long enough to be looked at: no region, no period.
$ head -1 a.prv >none.prv; weft phases none.prv
weft phases: error: 'none.prv' has no bursts here: nothing computes
? 2
$ { head -1 a.prv; for i in $(seq 1 300); do b=$((i * 4000000 + i * i * 7919 % 3000000)); echo "1:1:1:1:1:$b:$((b + 100000 + i * i * 104729 % 900000)):1"; done; } >random.prv; weft phases random.prv --strength 0.6 --signal computing | tail -1
Signal: computing. No period: nothing repeats (autocorrelation below 0.6, or what it says is not like itself).
## Six bursts every 52 us, at times of chance: the 52 us are no iterations.
$ { head -1 a.prv; awk 'BEGIN {now = 1000000; for (i = 0; i < 60; i++) {now += 3000000 + i * i * 7919 * 31 % 14000000; for (k = 0; k < 6; k++) print "1:1:1:1:1:" now + k * 52000 ":" now + k * 52000 + 20000 ":1"}}'; } >bursty.prv; for s in computing calls; do weft phases bursty.prv --signal $s | tail -1; done
Signal: computing. No period: nothing repeats (autocorrelation below 0.25, or what it says is not like itself).
Signal: calls. No period: nothing repeats (autocorrelation below 0.25, or what it says is not like itself).
$ weft phases random.prv --strength 0.9 --cut 2 -o x.weft
weft phases: error: 'random.prv' has no period: there are no iterations to write
? 2
$ weft phases a.prv --cut 2
weft phases: error: option '--cut': say where to write, with -o OUT
Try 'weft phases --help'.
? 2
$ weft phases a.prv --cut 70 -o x.weft
weft phases: error: there are no 70 regular iterations in a row
? 2
$ weft phases a.prv --signal noise
weft phases: error: option '--signal': unknown 'noise' (it can be: computing, durations, calls)
Try 'weft phases --help'.
? 2
$ weft phases a.prv --strength 2
weft phases: error: option '--strength': expected a number from 0 to 1
Try 'weft phases --help'.
? 2
