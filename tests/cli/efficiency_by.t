## SPDX-License-Identifier: Apache-2.0
## needs: jq
## weft efficiency over time: phases and iterations that are found, windows; table, CSV, JSON, picture.
## Four threads, 50 iterations of 20 ms, 14 ms of them computing; the 30th takes 40 ms. Thread 4 computes half as long from the 26th on.
$ cat >make.awk <<'END'
> BEGIN {
> 	print "#Paraver (01/01/2026 at 00:00):1300000000_ns:1(4):1:4(1:1,1:1,1:1,1:1),0"
> 	now = 100000000
> 	for (i = 0; i < 50; i++) {
> 		length_ = i == 29 ? 40000000 : 20000000
> 		for (t = 1; t <= 4; t++) {
> 			busy = int(length_ * (t == 4 && i >= 25 ? 0.35 : 0.7))
> 			print "1:" t ":1:" t ":1:" now ":" now + busy ":1"
> 			late[t] = "1:" t ":1:" t ":1:" now + busy ":" now + length_ ":3"
> 		}
> 		print late[4]; print late[1]; print late[2]; print late[3]
> 		now += length_
> 	}
> }
> END
$ awk -f make.awk >run.prv
$ weft efficiency run.prv --by phase
stretch                  begin     end  parallel  load balance  communication
outside                   0 ns  100 ms    0.00 %             -         0.00 %
phase 1: 50 iterations  100 ms  1.12 s   65.54 %       93.63 %        70.00 %
outside                 1.12 s  1.30 s    0.00 %             -         0.00 %
$ weft efficiency run.prv --by iteration --csv | sed -n '1,3p; 28,33p; $p'
stretch,begin_ns,end_ns,parallel_efficiency_percent,load_balance_percent,communication_efficiency_percent
outside,0,99980475,0,,0
iteration 1,99980475,119980013,70.00161703735355,100,70.00161703735355
iteration 26,599968940,619968479,61.25141184504302,87.5,70.00161353719203
iteration 27,619968479,639968018,61.25141184504302,87.5,70.00161353719203
iteration 28,639968018,659967556,61.251414907684364,87.5,70.00161703735355
iteration 29,659967556,680045218,61.23829557445484,87.54024323438767,69.95444987568771
"iteration 30, perturbed",680045218,719966172,61.25801001649409,87.47978074019679,70.02533556688049
iteration 31,719966172,739965711,61.25141184504302,87.5,70.00161353719203
outside,1119956945,1300000000,0,,0
$ weft efficiency run.prv --by iteration --json | jq -c '.[29]'
{"stretch":"iteration 29","begin_ns":659967556,"end_ns":680045218,"parallel_efficiency_percent":61.23829557445484,"load_balance_percent":87.54024323438767,"communication_efficiency_percent":69.95444987568771}
$ weft efficiency run.prv --by window --csv | sed -n '1,2p; 10,12p; $p'
begin_ns,end_ns,parallel_efficiency_percent,load_balance_percent,communication_efficiency_percent
0,13000000,0,,0
104000000,117000000,76.92307692307693,100,76.92307692307693
117000000,130000000,76.92307692307693,100,76.92307692307693
130000000,143000000,53.84615384615385,100,53.84615384615385
1287000000,1300000000,0,,0
$ weft efficiency run.prv --by window --csv | wc -l
101
$ weft efficiency run.prv --by window --window 100ms | head -4
 begin     end  parallel  load balance  communication
  0 ns  100 ms    0.00 %             -         0.00 %
100 ms  200 ms   70.00 %      100.00 %        70.00 %
200 ms  300 ms   70.00 %      100.00 %        70.00 %
$ weft efficiency run.prv --by phase --time 200ms..400ms --csv
stretch,begin_ns,end_ns,parallel_efficiency_percent,load_balance_percent,communication_efficiency_percent
phase 1: 50 iterations,200000000,400000000,70,100,70
$ weft efficiency run.prv --by iteration -o strip.svg && grep -c '<rect' strip.svg && grep -o 'Load balance\|Parallel efficiency\|Communication efficiency' strip.svg
155
Parallel efficiency
Load balance
Communication efficiency
$ weft efficiency run.prv --by phase -o strip.png && head -c 4 strip.png | od -An -c | tr -d ' '
211PNG
## Nothing repeats: one stretch, and no iterations.
$ (head -1 run.prv; echo 1:1:1:1:1:0:400000000:1) >one.prv
$ weft efficiency one.prv --by phase --csv
stretch,begin_ns,end_ns,parallel_efficiency_percent,load_balance_percent,communication_efficiency_percent
outside,0,1300000000,7.6923076923076925,25,30.76923076923077
$ weft efficiency one.prv --by iteration
weft efficiency: error: 'one.prv' has no period: there are no iterations (--iterations REGION takes a region's)
? 2
$ weft efficiency run.prv --by foo 2>&1 | head -1
weft efficiency: error: option '--by': unknown 'foo' (it can be: phase, iteration, window)
$ weft efficiency run.prv --by phase --window 10ms 2>&1 | head -1
weft efficiency: error: options '--by phase' and '--window' do not go together
$ weft efficiency run.prv --by phase -o run.csv 2>&1 | head -1
weft efficiency: error: cannot tell the format from the name 'run.csv': known endings are .svg .png
$ weft efficiency run.prv run.prv --by phase 2>&1 | head -1
weft efficiency: error: options '--by', '--window' and '--iterations' take one trace
## Communication is divided in each stretch, by a replay of it alone. Two ranks; in the first five 10 ms they compute for 8 and reduce for 2; in the others one
## computes 4, sends (1 ms), and then the other one does.
$ cat >parts.awk <<'END'
> function call(t, at, type, value) { print "2:" t ":1:" t ":1:" at * 1000000 ":" type ":" value }
> function state(t, from, to, s) { print "1:" t ":1:" t ":1:" from * 1000000 ":" to * 1000000 ":" s }
> function message(from, to, sent, posted, there) { print "3:" from ":1:" from ":1:" sent * 1000000 ":" sent * 1000000 ":" to ":1:" to ":1:" posted * 1000000 ":" there * 1000000 ":64:1" }
> function turn(t, o, from, waits) {
> 	if (waits) { call(t, from - 5, 50000001, 2); state(t, from - 5, from, 3); call(t, from, 50000001, 0) }
> 	state(t, from, from + 4, 1); call(t, from + 4, 50000001, 1); call(t, from + 5, 50000001, 0)
> 	state(t, from + 4, from + 5, 4); message(t, o, from + 4, from, from + 5)
> }
> BEGIN {
> 	for (i = 0; i < 10; i++) {
> 		b = 10 * i
> 		if (i < 5) for (t = 1; t <= 2; t++) {
> 			state(t, b, b + 8, 1); state(t, b + 8, b + 10, 13)
> 			print "2:" t ":1:" t ":1:" (b + 8) * 1000000 ":50000002:10:50100001:8:50100002:8:50100004:1"
> 			call(t, b + 10, 50000002, 0)
> 		} else {
> 			turn(1, 2, b, 0); turn(2, 1, b + 5, 1)
> 			call(1, b + 5, 50000001, 2); state(1, b + 5, b + 10, 3); call(1, b + 10, 50000001, 0)
> 		}
> 	}
> }
> END
$ awk -f parts.awk | sort -t: -s -k6n | { echo '#Paraver (01/01/2026 at 00:00):100000000_ns:1(2):1:2(1:1,1:1),1'; echo c:1:1:2:1:2; cat; } >parts.prv
$ printf 'EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n0 End\n\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n10 MPI_Allreduce\n0 End\n' >parts.pcf
$ weft efficiency parts.prv --window 10ms
  begin      end  parallel  load balance  communication  serialization  transfer
   0 ns  10.0 ms   80.00 %      100.00 %        80.00 %       100.00 %   80.00 %
10.0 ms  20.0 ms   80.00 %      100.00 %        80.00 %       100.00 %   80.00 %
20.0 ms  30.0 ms   80.00 %      100.00 %        80.00 %       100.00 %   80.00 %
30.0 ms  40.0 ms   80.00 %      100.00 %        80.00 %       100.00 %   80.00 %
40.0 ms  50.0 ms   80.00 %      100.00 %        80.00 %       100.00 %   80.00 %
50.0 ms  60.0 ms   40.00 %      100.00 %        40.00 %        50.00 %   80.00 %
60.0 ms  70.0 ms   40.00 %      100.00 %        40.00 %        50.00 %   80.00 %
70.0 ms  80.0 ms   40.00 %      100.00 %        40.00 %        50.00 %   80.00 %
80.0 ms  90.0 ms   40.00 %      100.00 %        40.00 %        50.00 %   80.00 %
90.0 ms   100 ms   40.00 %      100.00 %        40.00 %        50.00 %   80.00 %
$ weft efficiency parts.prv --window 50ms --csv
begin_ns,end_ns,parallel_efficiency_percent,load_balance_percent,communication_efficiency_percent,serialization_efficiency_percent,transfer_efficiency_percent
0,50000000,80,100,80,100,80
50000000,100000000,40,100,40,50,80
$ weft efficiency parts.prv --window 50ms --no-ideal
  begin      end  parallel  load balance  communication
   0 ns  50.0 ms   80.00 %      100.00 %        80.00 %
50.0 ms   100 ms   40.00 %      100.00 %        40.00 %
$ weft efficiency parts.prv --time 50ms.. | head -6
efficiency                    2         when it is small
Parallel efficiency           40.00 %   cores wait: see the factors below
  Load balance                100.00 %  some compute longer than others
  Communication efficiency    40.00 %   even the busiest one waits
    Serialization efficiency  50.00 %   waits for each other remain on an ideal network
    Transfer efficiency       80.00 %   the network takes time
$ weft efficiency parts.prv --by window -o parts.svg; grep -o '[A-Z][a-z]* [a-z ]*efficiency\|Load balance' parts.svg
Parallel efficiency
Load balance
Communication efficiency
Serialization efficiency
Transfer efficiency
## Threads that begin while their process is in MPI_Init are MPI's own: of the two ranks' threads two count. One that begins later is the program's.
$ for later in 500 5000; do for r in 0 1; do printf 'process %s p\nthread main\nenter 100 3 MPI_Init\nleave 1000 MPI_Init\nenter 9000 5 MPI_Barrier\nleave 10000 MPI_Barrier\nthread helper\nenter %s 4 wait\nleave %s wait\ntext %s k=v\n' $r $later $((later + 100)) $((later + 200)); done | "$WEFT_BUILD/tests/trace_of_text" h$later.weft; weft efficiency -q h$later.weft | sed -n '1,3p'; done
efficiency                    2         when it is small
Parallel efficiency           80.81 %   cores wait: see the factors below
  Load balance                100.00 %  some compute longer than others
efficiency                    2x2      when it is small
Parallel efficiency           40.91 %  cores wait: see the factors below
  Load balance                50.62 %  some compute longer than others
