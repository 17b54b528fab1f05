## SPDX-License-Identifier: Apache-2.0
## weft fold: curves, phases, calls and files of one region; what is wrong or degenerate.
## Forty instances of solve, 10 ms each, one of 30 ms; instructions come fast for 40 % of it, then slowly; two functions; samples every 1.03 ms.
$ cat >make.awk <<'END'
> BEGIN {
> 	print "#Paraver (01/01/2026 at 00:00):900000000_ns:1(1):1:1(1:1),0"
> 	now = 1000000; next_sample = 0
> 	for (i = 0; i < 40; i++) {
> 		length_ = i == 20 ? 30000000 : 10000000 + (i % 5) * 1000
> 		print "2:1:1:1:1:" now ":60000019:1:42000050:0:42000059:0"
> 		last = 0
> 		for (; next_sample < length_; next_sample += 1030000) {
> 			x = next_sample / length_; if (x == 0) continue
> 			c = int(1e6 * (x < 0.4 ? 2 * x : 0.8 + (x - 0.4) / 3))
> 			print "2:1:1:1:1:" now + next_sample ":30000000:" (x < 0.4 ? 3 : 4) ":30000100:" (x < 0.4 ? 7 : 8) ":42000050:" c - last ":42000059:1030000"
> 			last = c
> 		}
> 		next_sample -= length_
> 		print "2:1:1:1:1:" now + length_ ":60000019:0:42000050:" 1000000 - last ":42000059:500000"
> 		now += length_ + 100000
> 	}
> }
> END
$ awk -f make.awk >a.prv; cat >a.pcf <<'END'
> EVENT_TYPE
> 7 42000050 PAPI_TOT_INS [Instr completed]
> 7 42000059 PAPI_TOT_CYC [Total cycles]
> 
> EVENT_TYPE
> 9 60000019 User function
> VALUES
> 0 End
> 1 solve [a.c]
> 
> EVENT_TYPE
> 0 30000000 Sampled functions
> VALUES
> 3 fast
> 4 slow
> 
> EVENT_TYPE
> 0 30000100 Sampled line functions
> VALUES
> 7 12 (a.c, a)
> 8 34 (a.c, a)
> END
$ weft fold a.prv --counters PAPI_TOT_INS
phase    begin  duration  PAPI_TOT_INS/us
    1     0 ns   3.90 ms          199.626
    2  3.90 ms    300 us          92.7622
    3  4.20 ms   5.80 ms          33.3503

solve: 40 instances, median 10.0 ms ± 1.00 us; 24 within 1.5 times that are folded, 10.0 ms long; 406 samples.
PAPI_TOT_INS: 233 samples of 24 instances, 1e+06 each, ± 0.23 % of it

What ran, of one instance:
   0.3.. 39.9 %  fast  a.c:12
  40.4.. 99.7 %  slow  a.c:34
$ weft fold a.prv --region solve --counters PAPI_TOT_INS --csv
phase,begin_ns,duration_ns,PAPI_TOT_INS/us
1,0,3900780,199.62556570882842
2,3900780,300059,92.76221019804979
3,4200840,5801160,33.35028804623378
$ weft fold a.prv --use-mean --sigma 1 --counters PAPI_TOT_INS | sed -n '/solve:/p'
solve: 40 instances, mean 10.5 ms ± 3.16 ms; 39 within 1 times that are folded, 10.0 ms long; 406 samples.
$ weft fold a.prv --method kriging -o k --cube k.cube --lines k.csv --picture k.svg >out; ls k.*; cat k.stats | tail -1; sed -n 500p k.interpolate.csv; cat k.csv; grep -c cnode k.cube; grep -o '<name>[a-zP ]*[0-9]*</name>' k.cube | head -5
k.csv
k.cube
k.dump.csv
k.groups.csv
k.interpolate.csv
k.slope.csv
k.stats
k.svg
solve,Group_0,40,406,10.002,0.001,1.5,10.0005,10.0035,24,60,10.002,0.001
solve;0;PAPI_TOT_INS;0.499;0.833107
file,line,function,samples,percent,place,PAPI_TOT_INS/us,PAPI_TOT_CYC/us
"a.c",34,"slow",140,60.09,0.7014,34.6326,962.34
"a.c",12,"fast",93,39.91,0.2015,198.075,963.854
175
<name>solve</name>
<name>Phase 1</name>
<name>fast</name>
<name>Phase 2</name>
<name>fast</name>
## One instance as a trace: its counts add up to what an instance counts; its phases and functions are there.
$ weft fold a.prv --trace folded.prv >out; grep solve out | sed 's/.* folded, //'; head -2 folded.prv; weft dump folded.prv -f 'type="Folded phase"' | awk '{print $1, $NF}'; weft dump folded.prv | awk '$4 == "PAPI_TOT_INS" {n++; s += $NF} END {print n, s}'; grep -A3 'Folded function' folded.pcf; weft check folded.prv; weft stat folded.prv --by state | head -2
10.0 ms long; 406 samples.
#Paraver (01/01/1970 at 00:00):10002000_ns:1(1):1:1(1:1),0
1:1:1:1:1:0:10002000:1
0 1"
200040 2"
900180 3"
1200240 4"
1600320 5"
4000800 6"
7401480 7"
7801560 8"
8201640 9"
8801760 10"
9201840 11"
9801960 12"
10002000 "End"
1000 1000000
9    600000004    Folded function
VALUES
0      ?
3      fast
folded.prv: sound; 1 thread, 2484 records
state    threads  calls    total     self      min     mean      p50      p99      max  balance     share
Running        1      1  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms        -  100.00 %  ################
## Instances of two durations: each group by itself.
$ awk 'BEGIN {OFS = ":"} /^#/ {print "#Paraver (01/01/2026 at 00:00):200000000_ns:1(1):1:1(1:1),0"}' a.prv >g.prv; awk 'BEGIN {for (i = 0; i < 40; i++) {b = i * 4000000; d = i % 4 ? 1000000 + i * 1000 : 3000000; x = b + int(d * (i * 13 % 40 + 0.5) / 40); y = (x - b) / d; n = int(1000 * (i % 4 ? y : y * y)); print "2:1:1:1:1:" b ":60000019:1:42000050:0"; print "2:1:1:1:1:" x ":42000050:" n; print "2:1:1:1:1:" b + d ":42000050:" 1000 - n ":60000019:0"}}' >>g.prv; cp a.pcf g.pcf
$ weft fold g.prv --split-instances | tail -3
solve: 30 instances, median 1.02 ms ± 10.0 us; 23 within 1.5 times that are folded, 1.02 ms long; 30 samples.
Groups by duration: 1: 30 instances, 1.02 ms each, folded; 2: 10 instances, 3.00 ms each.
PAPI_TOT_INS: 23 samples of 23 instances, 1000 each, ± 0.01 % of it
$ weft fold g.prv --split-instances --group 2 -o g | tail -3; tail -1 g.stats | cut -d, -f 1-3; head -1 g.groups.csv; sed -n 500p g.interpolate.csv | cut -d';' -f 1-4
solve: 10 instances, median 3.00 ms ± 0 ns; 10 within 1.5 times that are folded, 3.00 ms long; 10 samples.
Groups by duration: 1: 30 instances, 1.02 ms each; 2: 10 instances, 3.00 ms each, folded.
PAPI_TOT_INS: 10 samples of 10 instances, 1000 each, ± 0.00 % of it
solve,Group_1,10
u;solve;2;3000000
solve;1;PAPI_TOT_INS;0.499
$ weft fold g.prv --split-instances --group 3
weft fold: error: 'g.prv': the instances of 'solve' are of 2 groups, and none is 3
? 2
$ weft fold g.prv --group 2 2>&1 | head -1
weft fold: error: option '--group' needs --split-instances
$ weft fold g.prv --trace g.otf2 2>&1 | head -1
weft fold: error: cannot tell the format from the name 'g.otf2': known endings are .prv .weft
## A trace of ours of the instance: the same counts, regions for it and its phases.
$ weft fold a.prv --trace folded.weft >out; weft check folded.weft; weft stat folded.weft --csv | cut -d, -f 1-5; weft dump folded.weft | awk '$3 == "counter" && $4 == "PAPI_TOT_INS" {n++; s = $NF} END {print n, s}'; weft dump folded.weft -f 'type="Folded line"' | head -2
folded.weft: sound; 1 stream, 1 thread, 2518 records, 26 definitions
region,state,threads,calls,total_ns
phase 6,running,1,1,3400680
phase 5,running,1,1,2400480
phase 2,running,1,1,700140
phase 9,running,1,1,600120
phase 11,running,1,1,600120
phase 4,running,1,1,400080
phase 7,running,1,1,400080
phase 8,running,1,1,400080
phase 10,running,1,1,400080
phase 3,running,1,1,300060
phase 1,running,1,1,200040
phase 12,running,1,1,200040
solve,running,1,1,10002000
1000 1000000
   29000  1.1.1   point         Folded line = 7 "12 (a.c)"
  110011  1.1.1   point         Folded line = 7 "12 (a.c)"
$ weft fold a.prv --trace folded.weft 2>&1 >out
weft fold: error: 'folded.weft' is there already
? 2
$ cat >m.xml <<'END'
> <model name="cpi" title-name="Cycles per instruction"><component name="CPI" where="y1"><operation type="/"><value>PAPI_TOT_CYC</value><value>PAPI_TOT_INS</value></operation></component>
> <component name="L2"><value>PAPI_L2_DCM</value></component></model>
> END
$ weft fold a.prv --model m.xml | tail -1 | sed 's/CPI [0-9.]*/CPI N/'
Cycles per instruction: CPI N; L2: a counter of it is missing; means over an instance
## A cluster that weft cluster wrote.
$ weft cluster a.prv --of type=60000019 --by duration --eps 0.5 -o c.prv >out; weft fold c.prv --cluster 1 --counters PAPI_TOT_INS | tail -4

What ran, of one instance:
   0.3.. 39.9 %  fast  a.c:12
  40.4.. 99.7 %  slow  a.c:34
## Degenerate and wrong.
$ grep -v ':30000000:' a.prv >nosample.prv; cp a.pcf nosample.pcf; weft fold nosample.prv
weft fold: error: 'nosample.prv': there are no samples in the 40 instances of 'solve' that could be folded
? 2
$ weft fold a.prv --region nothing
weft fold: error: 'a.prv' has no type of events with a value 'nothing'
? 2
$ weft fold a.prv --cluster 1
weft fold: error: 'a.prv' has no clusters: make them with 'weft cluster a.prv -o OUT'
? 2
$ weft fold a.prv --counters PAPI_L1_DCM
weft fold: error: 'a.prv' has no counter 'PAPI_L1_DCM'
? 2
$ weft fold a.prv --method spline
weft fold: error: option '--method': unknown 'spline' (it can be: monotone, kriging)
Try 'weft fold --help'.
? 2
$ weft fold a.prv --sigma 0
weft fold: error: option '--sigma': expected a positive number
Try 'weft fold --help'.
? 2
$ weft fold a.prv --region solve --cluster 2
weft fold: error: say what to fold once, with --region or with --cluster
Try 'weft fold --help'.
? 2
$ echo '<model/>' >x.xml; weft fold a.prv --model x.xml
weft fold: error: x.xml:1: <model>: a model has a name and components: ''
? 2
$ head -1 a.prv >empty.prv; weft fold empty.prv
weft fold: error: 'empty.prv' has no regions: say with --type which events begin and end one
? 2
## A trace of ours: a counter that runs on.
$ { printf 'process 0 p\nthread main\n'; for i in $(seq 0 30); do b=$((i * 1000)); echo "enter $b 1 solve"; echo "counter $b $((i * 500)) flops"; k=$((i * 37 % 900 + 50)); echo "counter $((b + k)) $((i * 500 + k / 2)) flops"; echo "counter $((b + 950)) $((i * 500 + 475)) flops"; echo "leave $((b + 950)) solve"; done; } >o.txt; "$WEFT_BUILD/tests/trace_of_text" o.weft <o.txt && weft fold o.weft --region solve
phase  begin  duration  flops/us
    1   0 ns    950 ns       500

solve: 31 instances, median 950 ns ± 0 ns; 31 within 1.5 times that are folded, 950 ns long; 31 samples.
flops: 31 samples of 31 instances, 475 each, ± 0.05 % of it
## Call stacks of samples, by addresses of a program made here: main calls fast in the first half, slow in the second.
$ printf '__attribute__((noinline)) int fast(volatile int *x)\n{\n\treturn *x;\n}\n__attribute__((noinline)) int slow(volatile int *x)\n{\n\treturn *x + 1;\n}\nint main(int c, char **v)\n{\n\t(void)v;\n\treturn fast(&c) + slow(&c);\n}\n' >p.c; gcc -g -O0 -Wl,--build-id -o p p.c
$ at() { printf '0x%x' $((0x10000 + 0x$(nm p | sed -n "s/ . $1\$//p") + 12)); }; id=$(readelf -n p | sed -n 's/.*Build ID: //p')
$ { printf 'process 0 p\nthread main\nmodule 0x10000 0x20000 %s %s\n' "$id" "$PWD/p"; for i in $(seq 0 39); do b=$((i * 1000)); echo "enter $b 1 step"; k=$((i * 23 % 900 + 20)); [ $k -lt 450 ] && f=fast || f=slow; echo "sample $((b + k)) $(at $f) $(at main)"; echo "leave $((b + 950)) step"; done; } >s.txt; "$WEFT_BUILD/tests/trace_of_text" s.weft <s.txt && weft fold s.weft --region step --lines s.csv --cube s.cube; sed "s|$PWD/||" s.csv; grep -c '<cnode' s.cube
phase  begin  duration
    1   0 ns    950 ns

step: 40 instances, median 950 ns ± 0 ns; 40 within 1.5 times that are folded, 950 ns long; 40 samples.

What ran, of one instance:
   2.1.. 96.5 %  main  p.c:10
   2.1.. 45.7 %    fast  p.c:3
  48.1.. 96.5 %    slow  p.c:7
file,line,function,samples,percent,place
"p.c",7,"slow",21,52.50,0.7232
"p.c",3,"fast",19,47.50,0.2389
6
## The same for an editor, and as a page: with the source where it lies below the folder, else with the lines that are known.
$ weft fold s.weft --region step --lines s.txt >out; sed "s|$PWD/||" s.txt; weft fold s.weft --region step --lines s.html >out; grep -c '^<tr><td>' s.html; grep -o '<td>7</td>.*' s.html; xmllint --html --noout s.html; mkdir elsewhere; weft fold s.weft --region step --lines t.html --source elsewhere >out; grep -o '<td>[0-9]*</td><td s.*\|The source.*' t.html
p.c:7: 52.50 % in slow, at 0.72 of 'step'
p.c:3: 47.50 % in fast, at 0.24 of 'step'
13
<td>7</td><td style="background:rgba(220,80,40,1.000)">52.50 %</td><td class="s"> return *x + 1;</td></tr>
The source is not below the folder.</p>
<td>3</td><td style="background:rgba(220,80,40,0.950)">47.50 %</td><td class="s"></td></tr>
<td>7</td><td style="background:rgba(220,80,40,1.000)">52.50 %</td><td class="s"></td></tr>
## Instances by a list, as Paraver saves a timeline: those of solve give the same as the region; of several values that with most time is folded.
$ weft dump a.prv -f 'type="User function"' | awk '$NF ~ /solve/ || / = 1/ {b = $1; next} {printf "1.1.1\t%d\t%d\t1\n", b, $1 - b} END {for (i = 0; i < 3; i++) printf "1.1.1 %d 5000 2\n", i * 10000}' >list.csv; wc -l <list.csv; weft fold a.prv --region solve --counters PAPI_TOT_INS --csv >was; weft fold a.prv --list list.csv --counters PAPI_TOT_INS --csv | diff was - && echo same
43
same
$ weft fold a.prv --list list.csv --region 2 --counters PAPI_TOT_INS | tail -1
weft fold: error: 'a.prv': there are no samples in the 3 instances of '2' that could be folded
$ weft fold a.prv --list list.csv --region 3
weft fold: error: 'a.prv' has no instance of '3' here
? 2
$ weft fold a.prv --list list.csv --cluster 1 2>&1 | head -1
weft fold: error: options '--list' and '--cluster' do not go together
