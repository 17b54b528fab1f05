## SPDX-License-Identifier: Apache-2.0
## weft stat: groupings, orders, windows, filters, forms.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft stat -q heat.weft
region    threads  calls    total     self      min     mean      p50      p99      max  balance    share
solve           3      5   210 ms   210 ms  20.0 ms  42.0 ms  40.0 ms  60.0 ms  60.0 ms  70.03 %  66.69 %  ################
MPI_Recv        2      2  40.0 ms  40.0 ms  10.0 ms  20.0 ms  10.0 ms  30.0 ms  30.0 ms  66.68 %  12.70 %  ###
main            2      2   260 ms  20.9 ms   120 ms   130 ms   120 ms   140 ms   140 ms  53.02 %   6.63 %  ##
exchange        2      2  8.79 ms  8.79 ms  90.0 us  4.40 ms  90.0 us  8.70 ms  8.70 ms  50.52 %   2.79 %  #

Threads lasted 315 ms in all; 11.2 % of it is in none of these.
Load balance 70.1 %: average over greatest busy time of 3 threads.
$ weft stat -q heat.weft --by thread
thread  name    calls    total     self      min     mean      p50      p99      max    share
1.1.1   main        5   140 ms   140 ms  90.0 us  52.0 ms  40.0 ms   140 ms   140 ms  44.41 %  ################
1.2.1   main        5   120 ms   120 ms  8.70 ms  47.7 ms  40.0 ms   120 ms   120 ms  38.06 %  ##############
1.1.2   helper      1  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms   6.35 %  ##

Threads lasted 315 ms in all; 11.2 % of it is in none of these.
Load balance 70.1 %: average over greatest busy time of 3 threads.
$ weft stat -q heat.weft --by process
process  name  threads  calls   total    self      min     mean      p50     p99     max  balance    share
1.1      heat        2      6  160 ms  160 ms  90.0 us  46.7 ms  30.0 ms  140 ms  140 ms  59.11 %  50.76 %  ################
1.2      heat        1      5  120 ms  120 ms  8.70 ms  47.7 ms  40.0 ms  120 ms  120 ms        -  38.06 %  ############

Threads lasted 315 ms in all; 11.2 % of it is in none of these.
Load balance 70.1 %: average over greatest busy time of 3 threads.
$ weft stat -q heat.weft --by all
threads  calls   total    self      min     mean      p50     p99     max  balance    share
      3     11  280 ms  280 ms  90.0 us  47.2 ms  40.0 ms  140 ms  140 ms  70.12 %  88.82 %  ################

Threads lasted 315 ms in all; 11.2 % of it is in none of these.
Load balance 70.1 %: average over greatest busy time of 3 threads.
$ weft stat -q heat.weft --by region,process --sort max --top 3
region  process  name  threads  calls   total     self      min     mean      p50      p99      max  balance    share
main    1.1      heat        1      1  140 ms  19.7 ms   140 ms   140 ms   140 ms   140 ms   140 ms        -   6.26 %  ###
main    1.2      heat        1      1  120 ms  1.19 ms   120 ms   120 ms   120 ms   120 ms   120 ms        -   0.38 %
solve   1.2      heat        1      2  100 ms   100 ms  40.0 ms  50.0 ms  40.0 ms  60.0 ms  60.0 ms        -  31.74 %  ###############

3 of 8 rows are shown.
Threads lasted 315 ms in all; 11.2 % of it is in none of these.
Load balance 70.1 %: average over greatest busy time of 3 threads.
$ weft stat -q heat.weft --by thread,region --sort name
region    thread  name    calls    total     self      min     mean      p50      p99      max    share
main      1.1.1   main        1   140 ms  19.7 ms   140 ms   140 ms   140 ms   140 ms   140 ms   6.26 %  ###
main      1.2.1   main        1   120 ms  1.19 ms   120 ms   120 ms   120 ms   120 ms   120 ms   0.38 %
solve     1.1.1   main        2  90.1 ms  90.1 ms  40.0 ms  45.1 ms  40.0 ms  50.1 ms  50.1 ms  28.60 %  ##############
solve     1.1.2   helper      1  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms   6.35 %  ###
solve     1.2.1   main        2   100 ms   100 ms  40.0 ms  50.0 ms  40.0 ms  60.0 ms  60.0 ms  31.74 %  ################
exchange  1.1.1   main        1  90.0 us  90.0 us  90.0 us  90.0 us  90.0 us  90.0 us  90.0 us   0.03 %
exchange  1.2.1   main        1  8.70 ms  8.70 ms  8.70 ms  8.70 ms  8.70 ms  8.70 ms  8.70 ms   2.76 %  #
MPI_Recv  1.1.1   main        1  30.0 ms  30.0 ms  30.0 ms  30.0 ms  30.0 ms  30.0 ms  30.0 ms   9.52 %  #####
MPI_Recv  1.2.1   main        1  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms   3.18 %  ##

Threads lasted 315 ms in all; 11.2 % of it is in none of these.
Load balance 70.1 %: average over greatest busy time of 3 threads.
$ weft stat -q heat.weft --csv
region,state,threads,calls,total_ns,self_ns,min_ns,mean_ns,p50_ns,p99_ns,max_ns,balance_percent,share_percent
solve,running,3,5,210100000,210100000,20000000,42020000,40000000,60000000,60000000,70.03333333333333,66.69417814741921
MPI_Recv,waiting,2,2,40010000,40010000,10010000,20005000,10010000,30000000,30000000,66.68333333333332,12.70078090279982
main,running,2,2,259800000,20900000,119900000,129900000,119900000,139900000,139900000,53.01877219685439,6.634499396863691
exchange,communicating,2,2,8790000,8790000,90000,4395000,90000,8700000,8700000,50.51724137931034,2.7902990286331026
$ weft stat -q heat.weft --json --top 1
[
  {
    "region": "solve",
    "state": "running",
    "threads": 3,
    "calls": 5,
    "total_ns": 210100000,
    "self_ns": 210100000,
    "min_ns": 20000000,
    "mean_ns": 42020000,
    "p50_ns": 40000000,
    "p99_ns": 60000000,
    "max_ns": 60000000,
    "balance_percent": 70.03333333333333,
    "share_percent": 66.69417814741921
  }
]
$ weft stat -q heat.weft --by thread --csv
thread,thread_name,calls,total_ns,self_ns,min_ns,mean_ns,p50_ns,p99_ns,max_ns,share_percent
1.1.1,main,5,139900000,139900000,90000,52018000,40000000,139900000,139900000,44.409878737857916
1.2.1,main,5,119900000,119900000,8700000,47722000,40000000,119900000,119900000,38.06107548727065
1.1.2,helper,1,20000000,20000000,20000000,20000000,20000000,20000000,20000000,6.348803250587265
$ for c in self total calls threads min mean p50 p99 max share balance name; do weft stat -q heat.weft --csv -s $c | sed -n 2p | cut -d, -f1; done
solve
main
solve
solve
main
main
main
main
main
solve
solve
main

## A window cuts regions; a filter takes whole ones.
$ weft stat -q heat.weft --time 0..50ms --csv
region,state,threads,calls,total_ns,self_ns,min_ns,mean_ns,p50_ns,p99_ns,max_ns,balance_percent,share_percent
solve,running,2,2,89800000,89800000,40000000,44900000,40000000,49800000,49800000,90.16064257028113,75.46218487394958
MPI_Recv,waiting,1,1,8790000,8790000,8790000,8790000,8790000,8790000,8790000,,7.38655462184874
main,running,2,2,98800000,210000,48900000,49400000,48900000,49900000,49900000,95.45454545454545,0.17647058823529413
$ weft stat -q heat.weft --time 50%.. -f 'region=solve' --csv
region,state,threads,calls,total_ns,self_ns,min_ns,mean_ns,p50_ns,p99_ns,max_ns,balance_percent,share_percent
solve,running,3,3,72795000,72795000,11005000,24265000,20495000,41295000,41295000,58.76014045283932,53.52376750854748
$ weft stat -q heat.weft -f 'time=0..50ms region=solve' --csv
region,state,threads,calls,total_ns,self_ns,min_ns,mean_ns,p50_ns,p99_ns,max_ns,balance_percent,share_percent
solve,running,2,2,90100000,90100000,40000000,45050000,40000000,50100000,50100000,89.92015968063872,28.601358643895626
$ weft stat -q heat.weft -f 'duration>45ms'
region  threads  calls   total     self      min     mean      p50      p99      max  balance    share
solve         2      2  110 ms   110 ms  50.1 ms  55.1 ms  50.1 ms  60.0 ms  60.0 ms  91.75 %  34.95 %  ################
main          2      2  260 ms  20.9 ms   120 ms   130 ms   120 ms   140 ms   140 ms  53.02 %   6.63 %  ###

Threads lasted 315 ms in all; 58.4 % of it is in none of these.
Load balance 93.8 %: average over greatest busy time of 2 threads.
$ weft stat -q heat.weft -f 'region=none'
region  threads  calls  total  self  min  mean  p50  p99  max  balance  share

Threads lasted 315 ms in all; 100.0 % of it is in none of these.

$ weft stat -q heat.weft --by regoin
weft stat: error: option '--by': cannot group by 'regoin' (did you mean 'region'?)
Try 'weft stat --help'.
? 2
$ weft stat -q heat.weft --by thread,process
weft stat: error: option '--by': a thread is of one process; group by one of the two
Try 'weft stat --help'.
? 2
$ weft stat -q heat.weft --sort slef
weft stat: error: option '--sort': unknown column 'slef' (did you mean 'self'?)
Try 'weft stat --help'.
? 2
$ weft stat -q heat.weft --time 10ms
weft stat: error: expected a range of time like 10ms..20ms or 25%..50%, found '10ms'
? 2
$ weft stat -q heat.weft --memory 1K
weft stat: error: the rows of the statistics do not fit the memory: allow more, or group by fewer things
? 2

## Processes only: which there were, and how they ended.
$ weft record -q --watch ptrace -o foreign.weft -- sh -c 'sh -c "exit 9"; sh -c "kill -KILL \$\$"; exit 3' 2>/dev/null; weft stat foreign.weft | sed -E 's/ +[0-9.]+ [mun]?s/ T/g; s/ +/ /g'
process name threads names of threads begin lasted cpu user system status command
1.1 sh 1 T T T T T 3 sh -c sh -c "exit 9"; sh -c "kill -KILL \$\$"; exit 3
1.2 sh 1 T T T T T 9 sh -c exit 9
1.3 sh 1 T T T T T 137 sh -c kill -KILL $$

No regions were recorded, so nothing is known of what threads did.
$ weft stat foreign.weft --csv | cut -d, -f1,2,3,4,10; weft stat foreign.weft --top 1 | tail -n 2
process,name,threads,thread_names,status
1.1,sh,1,,3
1.2,sh,1,,9
1.3,sh,1,,137
1 of 3 processes are shown.
No regions were recorded, so nothing is known of what threads did.
$ weft stat foreign.weft --by process --csv | head -n 1 | cut -d, -f1-3
process,process_name,threads
$ cat >named.c <<'END'
> #include <pthread.h>
> static void *run(void *name) { pthread_setname_np(pthread_self(), name); return name; }
> int main(void) { for (int i = 0; i < 3; i++) { pthread_t t; pthread_create(&t, 0, run, i ? "reader" : "writer"); pthread_join(t, 0); } }
> END
$ gcc -D_GNU_SOURCE -pthread named.c -o named && weft record -q --off threads,io -o named.weft -- ./named && weft stat named.weft --csv | grep -o '^1.1,.*",'
1.1,named,4,"writer, reader",
