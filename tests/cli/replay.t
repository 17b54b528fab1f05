## SPDX-License-Identifier: Apache-2.0
## weft replay, Dimemas, prv2dim: predictions, sweeps, what gets stuck, what is wrong.
$ cat >pair.dim <<'END'
> #DIMEMAS:"pair.dim":0:2(1,1),1,0,0
> d:1:1:2:0:1
> 1:0:0:0.000100
> 20:0:0:50000001:1
> 2:0:0:1:-1:10000:1:1:1
> 20:0:0:50000001:0
> 10:0:0:0:1:0:0:0:0:1
> 1:1:0:0.000020
> 20:1:0:50000001:2
> 3:1:0:0:-1:10000:1:1:0
> 20:1:0:50000001:0
> 10:1:0:0:1:0:0:0:0:1
> END
$ weft replay pair.dim --ideal --csv | cut -d, -f1-3,6,7
rank,end_ns,computation_ns,latency_ns,receiving_ns
0,100000,100000,0,0
1,100000,20000,0,80000
$ weft replay pair.dim --latency 5us --bandwidth 1GB/s --csv | cut -d, -f1-3,6-10
rank,end_ns,computation_ns,latency_ns,receiving_ns,sending_ns,waiting_ns,collective_ns
0,125000,100000,5000,0,0,10000,10000
1,125000,20000,5000,90000,0,0,10000
$ weft replay pair.dim --machine infiniband-hdr --cpu 2 --csv | cut -d, -f1-3
rank,end_ns,computation_ns
0,54017,50000
1,54017,10000
$ weft replay pair.dim --map 0,0 --set node-latency=0 --set node-bandwidth=0 --set collectives=free --json | head -3
[
  {
    "rank": 0,
$ weft replay pair.dim --rank-speed 1=0.5 --rank-speed 0=2 --ideal --csv | cut -d, -f1-3
rank,end_ns,computation_ns
0,50000,50000
1,50000,40000
$ weft replay pair.dim --latency 5us -o out.prv && grep -c '^3:' out.prv && grep '^2:' out.prv && head -1 out.prv | sed 's/(.*[0-9][0-9]:[0-9][0-9])/(DATE)/'
predicted 116 us

rank     end  computes  measured  other calls  latency  waits to receive  waits to send  waits for all  collective  for links  for buses  for CPUs  sent     bytes  received     bytes  collectives
   0  116 us    100 us         -         0 ns  5.00 us              0 ns           0 ns        1.00 us     10.0 us       0 ns       0 ns      0 ns     1  9.77 KiB         0       0 B            1
   1  116 us   20.0 us         -         0 ns  5.00 us           81.0 us           0 ns           0 ns     10.0 us       0 ns       0 ns      0 ns     0       0 B         1  9.77 KiB            1
1
2:2:1:2:1:20000:50000001:2
2:1:1:1:1:100000:50000001:1
2:1:1:1:1:105000:50000001:0
2:2:1:2:1:106000:50000001:0
#Paraver (DATE):116000_ns:2(1,1):1:2(1:1,1:2),1
## A sweep: what is the same for all numbers of threads, and where a setting does not matter.
$ weft replay pair.dim --sweep latency=1us..1ms/4 --sweep cpu=1,2 --set collectives=free --threads 1 >one; weft replay pair.dim --sweep latency=1us..1ms/4 --sweep cpu=1,2 --set collectives=free --threads 2 | cmp - one && cat one
latency  cpu     time  computes  communicates  stuck
1us      1     102 us    100 us       42.0 us      0
1us      2    52.0 us   50.0 us       22.0 us      0
10us     1     111 us    100 us       51.0 us      0
10us     2    61.0 us   50.0 us       31.0 us      0
100us    1     201 us    100 us        141 us      0
100us    2     151 us   50.0 us        121 us      0
1ms      1    1.10 ms    100 us       1.04 ms      0
1ms      2    1.05 ms   50.0 us       1.02 ms      0
$ weft replay pair.dim --sweep bandwidth=1GB/s..100GB/s/3 --picture curve.svg --csv && grep -c '<svg' curve.svg; weft replay pair.dim --sweep cpu=1,2 --sweep latency=1us,2us --picture field.png --csv >/dev/null && head -c 4 field.png | tail -c 3
bandwidth,time_ns,computation_ns,communication_ns,stuck
1GB/s,113000,100000,53000,0
10GB/s,104000,100000,44000,0
100GB/s,103100,100000,43100,0
1
PNG
\ no newline
$ for r in 1 2 0; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=3 PMIX_NAMESPACE=t weft replay pair.dim --sweep latency=1us..1ms/4 --sweep cpu=1,2 --set collectives=free; done | cmp - one && echo same; ls -d .weft-sweep* 2>/dev/null
same
? 2
## A topology: two messages meet on a link of a ring, or not, by who is where; memory that two threads of a node want.
$ printf '#DIMEMAS:"ring":0:4(1,1,1,1),1,0,0\nd:1:1:4:0:1:2:3\n1:0:0:0.000001\n2:0:0:2:-1:5000:1:1:0\n1:1:0:0.000001\n2:1:0:3:-1:5000:1:1:0\n1:2:0:0.000001\n3:2:0:0:-1:5000:1:1:0\n1:3:0:0.000001\n3:3:0:1:-1:5000:1:1:0\n' >ring.dim
$ weft replay ring.dim --bandwidth 1GB/s --topology torus:4
predicted 12.0 us

rank      end  computes  measured  other calls  latency  waits to receive  waits to send  waits for all  collective  for links  for buses  for CPUs  sent     bytes  received     bytes  collectives
   0  2.00 us   1.00 us         -         0 ns  1.00 us              0 ns           0 ns           0 ns        0 ns    5.00 us       0 ns      0 ns     1  4.88 KiB         0       0 B            0
   1  2.00 us   1.00 us         -         0 ns  1.00 us              0 ns           0 ns           0 ns        0 ns    5.00 us       0 ns      0 ns     1  4.88 KiB         0       0 B            0
   2  12.0 us   1.00 us         -         0 ns  1.00 us           10.0 us           0 ns           0 ns        0 ns       0 ns       0 ns      0 ns     0       0 B         1  4.88 KiB            0
   3  12.0 us   1.00 us         -         0 ns  1.00 us           10.0 us           0 ns           0 ns        0 ns       0 ns       0 ns      0 ns     0       0 B         1  4.88 KiB            0

busiest of 7 links that were used:
  router (1) -> router (2): 83.3 %, full for 10.0 us, up to 2 messages at once
  node 0 -> router (0): 41.7 %, full for 0 ns, up to 1 messages at once
  node 1 -> router (1): 41.7 %, full for 0 ns, up to 1 messages at once
  router (2) -> node 2: 41.7 %, full for 0 ns, up to 1 messages at once
  router (3) -> node 3: 41.7 %, full for 0 ns, up to 1 messages at once
$ weft replay ring.dim --bandwidth 1GB/s --topology torus:4 --map 0,2,1,3 --links --csv
link,from,to,use_percent,bytes,messages,most_at_once,busy_ns,full_ns
0,node 0,router (0),71.42857142857143,5000,1,1,5000,5000
3,router (1),node 1,71.42857142857143,5000,1,1,5000,5000
4,node 2,router (2),71.42857142857143,5000,1,1,5000,5000
7,router (3),node 3,71.42857142857143,5000,1,1,5000,5000
8,router (0),router (1),71.42857142857143,5000,1,1,5000,5000
12,router (2),router (3),71.42857142857143,5000,1,1,5000,5000
$ printf 'bandwidth = 1GB/s\ntopology = two.topology\n' >two.machine; printf 'node a b c d\nswitch s t\nlink a s\nlink b s\nlink c t\nlink d t\nlink s t bandwidth=500MB/s\n' >two.topology; weft replay ring.dim --machine ./two.machine --links --csv | head -2; weft replay ring.dim --sweep bandwidth=1GB/s,2GB/s --sweep memory-share=0,1 --machine ./two.machine --map 4 --threads 1 --csv >one.csv; weft replay ring.dim --sweep bandwidth=1GB/s,2GB/s --sweep memory-share=0,1 --machine ./two.machine --map 4 --threads 2 --csv | cmp - one.csv; cat one.csv
link,from,to,use_percent,bytes,messages,most_at_once,busy_ns,full_ns
8,s,t,90.9090909090909,10000,2,2,20000,20000
bandwidth,memory-share,time_ns,computation_ns,communication_ns,stuck
1GB/s,0,2300,1000,800,0
1GB/s,1,5300,4000,800,0
2GB/s,0,2300,1000,800,0
2GB/s,1,5300,4000,800,0
$ weft replay ring.dim --set memory-share=0.5 --map 4 --ideal --csv | cut -d, -f1-3,19
rank,end_ns,computation_ns,memory_wait_ns
0,2000,2000,1000
1,2000,2000,1000
2,2000,2000,1000
3,2000,2000,1000
## Collective operations as messages of an algorithm; and without.
$ weft replay pair.dim --topology torus:2 --bandwidth 1GB/s --csv | cut -d, -f1,2,9,10; weft replay pair.dim --set collectives=messages --csv | cut -d, -f1,2,10; weft replay pair.dim --topology torus:2 --set collectives=free --csv | cut -d, -f1,2,10; weft replay pair.dim --set collectives=mail
rank,end_ns,waiting_ns,collective_ns
0,112000,10000,1000
1,112000,0,1000
rank,end_ns,collective_ns
0,103000,1000
1,103000,1000
rank,end_ns,collective_ns
0,102000,0
1,102000,0
weft replay: error: 'collectives' wants a value like logarithmic, not 'mail'
Try 'weft replay --help'.
? 2
$ weft replay ring.dim --topology torus:3; weft replay ring.dim --topology hypercube; weft replay ring.dim --links; weft replay ring.dim --topology torus:4 --set gap=1us; weft replay ring.dim --set memory-share=2; weft replay ring.dim --set topology=missing.topology
weft replay: error: 4 ranks do not fit on the machine's 3 nodes
weft replay: error: unknown topology 'hypercube': fat-tree:k=4, torus:4x4x2, dragonfly:a=4,p=2,h=2, or a file (its name has a dot or a slash)
weft replay: error: option '--links' wants --topology, or a machine with one
Try 'weft replay --help'.
weft replay: error: topology 'torus:4': flows share links, a gap has no meaning there
weft replay: error: the share of memory bandwidth is not between 0 and 1
weft replay: error: cannot open 'missing.topology': no such file or directory
? 2
## One-sided operations: 5000 bytes that a fence of both waits for, 3000 that the end of a lock does.
$ cat >sided.txt <<'END'
> process 0 solver
> thread main
> process 1 solver
> thread main
> on 0
> category mpi
> enter 10000 3 MPI_Put
> attr 10000 1 target
> attr 10000 5000 bytes
> leave 11000 MPI_Put
> enter 13000 4 MPI_Win_fence
> leave 30000 MPI_Win_fence
> category user
> enter 30000 1 solve
> leave 31000 solve
> on 1
> category mpi
> enter 4000 4 MPI_Win_fence
> leave 30000 MPI_Win_fence
> enter 32000 4 MPI_Win_lock
> attr 32000 0 target
> leave 32100 MPI_Win_lock
> enter 32100 3 MPI_Get
> attr 32100 0 target
> attr 32100 3000 bytes
> leave 33000 MPI_Get
> enter 33000 4 MPI_Win_unlock
> attr 33000 0 target
> leave 37000 MPI_Win_unlock
> category user
> enter 37000 1 solve
> leave 37500 solve
> END
$ "$WEFT_BUILD/tests/trace_of_text" sided.weft <sided.txt && weft replay sided.weft --bandwidth 1GB/s --set collectives=free --csv | cut -d, -f1-3,5-9,14-17
rank,end_ns,computation_ns,fixed_ns,latency_ns,receiving_ns,sending_ns,waiting_ns,sent,bytes_sent,received,bytes_received
0,17000,3000,10000,1000,0,3000,0,1,5000,0,0
1,23600,2500,4100,1000,0,4000,12000,0,0,1,3000
$ weft replay sided.weft --bandwidth 1GB/s --set collectives=free --topology torus:2 --csv | cut -d, -f1-3,5-9,14-17; weft replay sided.weft --set ranks-per-node=2 --set cpus=1 --csv | cut -d, -f1-3; weft replay sided.weft --bandwidth 1GB/s -o again.weft -q >first && weft dump again.weft | grep -c collective
rank,end_ns,computation_ns,fixed_ns,latency_ns,receiving_ns,sending_ns,waiting_ns,sent,bytes_sent,received,bytes_received
0,17000,3000,10000,1000,0,3000,0,1,5000,0,0
1,23600,2500,4100,1000,0,4000,12000,0,0,1,3000
weft replay: warning: 1 nodes have fewer CPUs than threads run there (the first is node 0, of 1 CPUs): threads take turns
rank,end_ns,computation_ns
0,17900,3000
1,21700,2500
0
? 1
## Memory by region, as an option and from a file; what is wrong with it.
$ cat >memory.txt <<'END'
> process 0 solver
> thread main
> process 1 solver
> thread main
> on 0
> category user
> enter 0 1 solve
> leave 4000 solve
> category mpi
> enter 4000 4 MPI_Win_fence
> leave 8000 MPI_Win_fence
> on 1
> category user
> enter 0 1 solve
> leave 1000 solve
> enter 1000 2 copy
> leave 8000 copy
> category mpi
> enter 8000 4 MPI_Win_fence
> leave 8000 MPI_Win_fence
> END
$ "$WEFT_BUILD/tests/trace_of_text" memory.weft <memory.txt
$ weft replay memory.weft --map 2 --set 'memory-share:sol*=0.75' --ideal --csv | cut -d, -f1-3,19; printf 'memory-share:solve = 1\n' >share.machine; weft replay memory.weft --map 2 --machine ./share.machine --set memory-share:copy=1 --csv | cut -d, -f19; weft replay memory.weft --set memory-share:other=1; weft replay memory.weft --set memory-share:solve=1.5; weft replay memory.weft --set memory-share:=1; printf 'memory-share:solve = much\n' >share.machine; weft replay memory.weft --machine ./share.machine
rank,end_ns,computation_ns,memory_wait_ns
0,8500,4500,500
1,8500,8500,500
memory_wait_ns
4000
4000
weft replay: error: no region that computes matches 'other'
weft replay: error: the share of memory bandwidth is not between 0 and 1
Try 'weft replay --help'.
weft replay: error: 'memory-share:': it names no region, or too long a one, or is one of more than 16
Try 'weft replay --help'.
weft replay: error: './share.machine', line 1: 'memory-share' wants a value like 1.5, not 'much'
? 2
## Sends that were seen to leave before their receiver was ready wait for nobody, nor do smaller ones; a larger one that waited does so again, and MPI_Ssend always. A program that ran does not get stuck.
$ printf 'EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n33 MPI_Ssend\n0 End\n' >both.pcf
$ printf '#Paraver (01/01/2024 at 10:00):100000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n2:1:1:1:1:10000:50000001:1\n3:1:1:1:1:10000:10000:2:1:2:1:40000:41000:100:1\n2:1:1:1:1:11000:50000001:0\n2:2:1:2:1:12000:50000001:1\n3:2:1:2:1:12000:12000:1:1:1:1:30000:32000:100:1\n2:2:1:2:1:13000:50000001:0\n2:1:1:1:1:30000:50000001:2\n2:1:1:1:1:32000:50000001:0\n2:2:1:2:1:40000:50000001:2\n2:2:1:2:1:41000:50000001:0\n2:1:1:1:1:50000:50000001:1\n3:1:1:1:1:50000:50000:2:1:2:1:75000:80000:100000:2\n2:2:1:2:1:75000:50000001:2\n2:1:1:1:1:80000:50000001:0\n2:2:1:2:1:80000:50000001:0\n2:1:1:1:1:100000:60000019:0\n2:2:1:2:1:100000:60000019:0\n' >both.prv; weft replay both.prv --ideal --drop-calls --csv | cut -d, -f1-3,8
rank,end_ns,computation_ns,sending_ns
0,93000,67000,26000
1,93000,93000,0
$ weft replay both.prv --ideal --drop-calls --eager 1 --csv | cut -d, -f1,2
weft replay: warning: deadlock: 2 of 2 threads do not go on
weft replay: warning: rank 0 in MPI_Send since 0.000010000 s waits for rank 1 to receive (100 bytes, tag 1, communicator 0)
weft replay: warning: rank 1 in MPI_Send since 0.000012000 s waits for rank 0 to receive (100 bytes, tag 1, communicator 0)
weft replay: warning: a circle: rank 0 waits for rank 1 waits for rank 0
rank,end_ns
0,10000
1,12000
$ weft replay both.prv --ideal --drop-calls --eager 1M --csv | cut -d, -f1,8; sed 's/:50000:50000001:1$/:50000:50000001:33/' both.prv >sync.prv; cp both.pcf sync.pcf; weft replay sync.prv --ideal --drop-calls --eager 1M --csv | cut -d, -f1,8
rank,sending_ns
0,0
1,0
rank,sending_ns
0,26000
1,0
$ for t in first imbalance balanced late-sender; do weft replay "$WEFT_SOURCE/share/weft/learn/$t.weft" | head -1; done
predicted 18.8 ms, measured 19.9 ms (-5.39 %)
predicted 33.0 ms, measured 34.1 ms (-3.44 %)
predicted 21.3 ms, measured 22.4 ms (-4.92 %)
predicted 23.5 ms, measured 24.3 ms (-3.08 %)

## What gets stuck, and why.
$ printf '#DIMEMAS:"d":0:2(1,1),1,0,0\nd:1:1:2:0:1\n1:0:0:0.001\n20:0:0:50000001:2\n3:0:0:1:-1:100:1:1:0\n20:0:0:50000001:0\n2:0:0:1:-1:100:1:1:1\n1:1:0:0.002\n20:1:0:50000001:2\n3:1:0:0:-1:100:1:1:0\n20:1:0:50000001:0\n2:1:0:0:-1:100:1:1:1\n' >circle.dim; weft replay circle.dim --csv | cut -d, -f1-3; weft replay circle.dim --quiet --csv >/dev/null
weft replay: warning: deadlock: 2 of 2 threads do not go on
weft replay: warning: rank 0 in MPI_Recv since 0.001001000 s waits for rank 1 to send (100 bytes, tag 1, communicator 1)
weft replay: warning: rank 1 in MPI_Recv since 0.002001000 s waits for rank 0 to send (100 bytes, tag 1, communicator 1)
weft replay: warning: a circle: rank 0 waits for rank 1 waits for rank 0
rank,end_ns,computation_ns
0,1001000,1000000
1,2001000,2000000
? 1
$ printf '#DIMEMAS:"d":0:2(1,1),1,0,0\nd:1:1:2:0:1\n1:0:0:0.001\n10:0:0:0:1:0:0:0:0:1\n1:1:0:0.002\n2:1:0:0:-1:5:9:1:2\n' >alone.dim; weft replay alone.dim --csv | cut -d, -f1-3
weft replay: warning: 'alone.dim': 1 times: messages are sent that nobody receives (first: rank 1)
weft replay: warning: 'alone.dim': 1 times: collective operations are not called by all members of their communicator (first: rank 0)
weft replay: warning: deadlock: 1 of 2 threads do not go on
weft replay: warning: rank 0 is in a collective operation and since 0.001000000 s waits for 1 of the 2 ranks of communicator 1, rank 1 among them
rank,end_ns,computation_ns
0,1000000,1000000
1,2001000,2000000
## What is wrong.
$ head -c 90 pair.dim >cut.dim; weft replay cut.dim --csv | cut -d, -f1-3
weft replay: warning: 'cut.dim': 1 times: threads end inside of a call (first: rank 0)
rank,end_ns,computation_ns
0,100000,100000
1,0,0
$ printf '#DIMEMAS:"d":0:1(1),0,0,0\n1:0:0:soon\n1:0:0:1\n' >bad.dim; weft replay bad.dim
weft replay: error: 'bad.dim', line 2: a burst without its seconds
? 2
$ weft replay pair.dim --latency 5; weft replay pair.dim --latency soon; weft replay pair.dim --machine nowhere; weft replay pair.dim --set luck=1; weft replay pair.dim --map 0; weft replay pair.dim --faster solve=2; weft replay pair.dim --rank-speed 9=2; weft replay pair.dim -o out.txt; weft replay pair.dim --sweep latency; weft replay nothing.dim
predicted 101 us

rank     end  computes  measured  other calls  latency  waits to receive  waits to send  waits for all  collective  for links  for buses  for CPUs  sent     bytes  received     bytes  collectives
   0  101 us    100 us         -         0 ns     5 ns              0 ns           0 ns        1.00 us       10 ns       0 ns       0 ns      0 ns     1  9.77 KiB         0       0 B            1
   1  101 us   20.0 us         -         0 ns     5 ns           81.0 us           0 ns           0 ns       10 ns       0 ns       0 ns      0 ns     0       0 B         1  9.77 KiB            1
weft replay: error: 'latency' wants a value like 2us, not 'soon'
Try 'weft replay --help'.
weft replay: error: no machine 'nowhere' came with Weft (a file's name has a dot or a slash)
weft replay: error: option '--set': unknown setting 'luck'
Try 'weft replay --help'.
weft replay: error: option '--map' names the nodes of 1 ranks, but there are 2
weft replay: error: no region that computes matches 'solve'
weft replay: error: option '--rank-speed': there are ranks 0 to 1 only
weft replay: error: cannot tell the format from the name 'out.txt': known endings are .weft .prv and those of weft convert
Try 'weft replay --help'.
weft replay: error: option '--sweep': 'latency': not NAME=VALUES
Try 'weft replay --help'.
weft replay: error: cannot open 'nothing.dim': no such file or directory
? 2
$ printf 'latency = -1us\n' >bad.machine; weft replay pair.dim --machine ./bad.machine
weft replay: error: './bad.machine', line 1: 'latency' wants a value like 2us, not '-1us'
? 2
## By the names of others, with their statuses.
$ for n in Dimemas prv2dim; do ln -s "$(command -v weft)" $n; done
$ printf '#DIMEMAS_CONFIGURATION\n"wide area network information" {"", 1, 0, 4, 0.0, 0.0, 1};;\n"environment information" {"", 0, "", 2, 100, 0, 1};;\n"multi node information" {0, 2, "", 1, 1, 0, 0, 0, 1, 0, 1e-05, 1, 1, 0.0};;\n"predefined mapping information" {"1 TASKS_PER_NODE"};;\n' >two.cfg; ./Dimemas -S 32k --dim pair.dim -p sim.prv two.cfg; cat sim.row | head -5
-> Simulator configuration to be read two.cfg
-> Loading default random values
-> Loading default scheduler configuration
   * Loading default communications configuration

0.000000000: START SIMULATION

0.000225367: END SIMULATION

**** Application 0 (pair.dim) ****

**** Total Statistics ****

Execution time:	0.000225367
Speedup:	0.53 
CPU Time:	0.000120000

 Id.	Computation	%time	Communication
  0	0.000100000	30.73	0.000125367
  1	0.000020000	8.15	0.000205367

 Id.	Mess.sent	Bytes sent	Immediate recv	Waiting recv	Bytes recv	Coll.op.	Block time	Comm. time	Wait link time	Wait buses time	I/O time
  0	1.000000e+00	1.000000e+04	0.000000e+00	0.000000e+00	0.000000e+00	1.000000e+00	0.000095367	0.000020000	0.000000000	0.000000000	0.000000000
  1	0.000000e+00	0.000000e+00	0.000000e+00	1.000000e+00	1.000000e+04	1.000000e+00	0.000000000	0.000020000	0.000000000	0.000000000	0.000000000
------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
Total	1.000000e+00	1.000000e+04	0.000000e+00	1.000000e+00	1.000000e+04	2.000000e+00	9.536743e+04	4.000000e+04	0.000000e+00	0.000000e+00	0.000000e+00	
Average	5.000000e-01	5.000000e+03	0.000000e+00	5.000000e-01	5.000000e+03	1.000000e+00	4.768372e+04	2.000000e+04	0.000000e+00	0.000000e+00	0.000000e+00	
Maximum	1.000000e+00	1.000000e+04	0.000000e+00	1.000000e+00	1.000000e+04	1.000000e+00	9.536743e+04	2.000000e+04	0.000000e+00	0.000000e+00	0.000000e+00	
Minimum	0.000000e+00	0.000000e+00	0.000000e+00	0.000000e+00	0.000000e+00	1.000000e+00	0.000000e+00	2.000000e+04	0.000000e+00	0.000000e+00	0.000000e+00	
Stdev	5.000000e-01	5.000000e+03	0.000000e+00	5.000000e-01	5.000000e+03	0.000000e+00	4.768372e+04	0.000000e+00	0.000000e+00	0.000000e+00	0.000000e+00	

Output Paraver trace "sim.prv" generated
LEVEL SYSTEM SIZE 1
unnamed_1 ()


LEVEL NODE SIZE 2
$ ./Dimemas --dim circle.dim -t two.cfg; echo $?; ./Dimemas --dim pair.dim pair.dim; echo $?; sed 's/, 2, 100/, 3, 100/' two.cfg >three.cfg; ./Dimemas -t --dim pair.dim three.cfg; ./Dimemas -t --dim pair.dim --latency 0 --bandwidth 0 two.cfg
./Dimemas: warning: deadlock: 2 of 2 threads do not go on
./Dimemas: warning: rank 0 in MPI_Recv since 0.001010000 s waits for rank 1 to send (100 bytes, tag 1, communicator 1)
./Dimemas: warning: rank 1 in MPI_Recv since 0.002010000 s waits for rank 0 to send (100 bytes, tag 1, communicator 1)
./Dimemas: warning: a circle: rank 0 waits for rank 1 waits for rank 0
0.002010000
0
./Dimemas: error: 'pair.dim', line 1: no configuration for Dimemas, which begins with #DIMEMAS_CONFIGURATION
-> Simulator configuration to be read pair.dim
-> Loading default random values
-> Loading default scheduler configuration
   * Loading default communications configuration
1
./Dimemas: error: 'three.cfg': machine '': it says that it has 3 nodes, but 2 are described
0.000100000
$ printf '#DIMEMAS:"w":0:2(1,1),1,0,0\nd:1:1:2:0:1\n1:0:0:0.000010\n3:0:0:1:-1:100:1:1:1\n1:0:0:0.000050\n3:0:0:1:-1:100:1:1:2\n1:1:0:0.000010\n2:1:0:0:-1:100:1:1:0\n' >posted.dim; for w in '' -w; do ./Dimemas $w -t --dim posted.dim -p posted.prv two.cfg; grep '^3:' posted.prv; done
0.000070000
3:2:1:2:1:10000:20000:1:1:1:1:10000:20954:100:1
0.000070000
3:2:1:2:1:10000:20000:1:1:1:1:60000:20954:100:1
$ printf 'Machine policy: 0 RR\n' >rr; ./Dimemas -t -f x -r x -R 2 -e 7 --clean-deadlocks 10 --asynch-read -s rr --dim pair.dim two.cfg; printf 'Machine policy: 0 LIFO\n' >lifo; ./Dimemas -t -s lifo --dim pair.dim two.cfg
./Dimemas: warning: option '-f' describes a file system; here files take no time: it has no effect
./Dimemas: warning: option '-r' makes times random; here the same input gives the same times: it has no effect
./Dimemas: warning: option '-R' begins the program again when it has ended; here it runs once: it has no effect
./Dimemas: warning: option '-e' chooses the events that are kept; here all are: it has no effect
./Dimemas: warning: option '--clean-deadlocks' breaks deadlocks; here they are explained: it has no effect
./Dimemas: warning: option '--asynch-read' reads while it runs; here the program is read first, or mapped: it has no effect
./Dimemas: warning: machine '': its policy RR has no counterpart here: processors go to who came first
0.000225367
./Dimemas: error: 'lifo', line 1: unknown policy 'LIFO'
? 1
$ printf '#Paraver (01/01/2024 at 10:00):300000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n1:1:1:1:1:0:100000:1\n1:2:1:2:1:0:20000:1\n2:2:1:2:1:20000:50000001:2\n2:1:1:1:1:100000:50000001:1\n3:1:1:1:1:100000:100000:2:1:2:1:20000:130000:10000:1\n2:1:1:1:1:110000:50000001:0\n2:2:1:2:1:130000:50000001:0\n1:2:1:2:1:130000:300000:1\n' >run.prv; ./prv2dim -s -v run.prv run.dim && cat run.dim; ./prv2dim nothing.prv x.dim; echo $?
5 records, 1 communications
#DIMEMAS:"run.dim":1,376:2(1,1),1,0,0            
d:1:1:2:0:1
1:0:0:0.000000000
20:0:0:0:1
1:0:0:0.000000000
20:0:0:0:0
1:0:0:0.000100000
20:0:0:50000001:1
20:0:0:0:1
2:0:0:1:-1:10000:1:3:1
20:0:0:50000001:0
20:0:0:0:0
1:1:0:0.000000000
20:1:0:0:1
1:1:0:0.000000000
20:1:0:0:0
1:1:0:0.000020000
20:1:0:50000001:2
20:1:0:0:1
3:1:0:0:-1:10000:1:3:0
20:1:0:50000001:0
20:1:0:0:0
s:0:62
s:1:219
./prv2dim: error: cannot open 'nothing.prv': no such file or directory
1
$ weft replay run.prv --ideal --drop-calls --faster '(outside*=2' --csv 2>/dev/null | cut -d, -f1-3; weft replay run.prv --ideal --drop-calls --faster '*=4' --csv 2>/dev/null | cut -d, -f3
rank,end_ns,computation_ns
0,50000,50000
1,135000,95000
computation_ns
25000
47500
$ ./prv2dim -h | head -1; ./Dimemas --help | head -1; ./prv2dim -s -i 10 -e run.prv ran.dim; sed 1d run.dim >a; sed 1d ran.dim | cmp - a && echo same
usage: weft prv2dim [options] IN.prv OUT.dim
usage: weft Dimemas [options] MACHINE.cfg
./prv2dim: warning: option '-i' would drop stretches of polling; here they are kept: it has no effect
./prv2dim: warning: option '-e' prints statistics; 'weft stat' does: it has no effect
same
$ weft replay run.prv --ideal --drop-calls --csv 2>/dev/null | cut -d, -f1-3; weft replay run.prv --latency 10us -o p.weft && weft info p.weft | grep -E 'processes|messages'
rank,end_ns,computation_ns
0,100000,100000
1,270000,190000
predicted 281 us, measured 300 us (-6.33 %)

rank     end  computes  measured  other calls  latency  waits to receive  waits to send  waits for all  collective  for links  for buses  for CPUs  sent     bytes  received     bytes  collectives
   0  110 us    100 us    100 us         0 ns  10.0 us              0 ns           0 ns           0 ns        0 ns       0 ns       0 ns      0 ns     1  9.77 KiB         0       0 B            0
   1  281 us    190 us    190 us         0 ns  10.0 us           81.0 us           0 ns           0 ns        0 ns       0 ns       0 ns      0 ns     0       0 B         1  9.77 KiB            0
processes     2 (ranks 0 to 1)
messages      1, 0 with one end only, 0 received before they were sent

## Among other numbers of ranks: what each computes, and collective operations of so many (4: two steps in and out, 5: three; on one node of 8: what is inside of it)
$ for n in 1 2 4 5; do weft replay pair.dim --latency 10us --bandwidth 0 --set node-latency=1us --set ranks=$n --csv | cut -d, -f1,3,10 | sed -n 2p; done; weft replay pair.dim --latency 10us --bandwidth 0 --set node-latency=1us --set ranks=8 --set ranks-per-node=8 --csv | cut -d, -f1,3,10 | sed -n 2p
0,200000,0
0,100000,20000
0,50000,40000
0,40000,60000
0,25000,6000
$ weft replay pair.dim --sweep ranks=2,4,8 --csv | cut -d, -f1,3; weft replay pair.dim --set ranks=4 --topology torus:2; weft replay pair.dim --set ranks=-1
ranks,computation_ns
2,100000
4,50000
8,25000
weft replay: error: 'ranks' divides the work anew; that needs formulas for collective operations
weft replay: error: 'ranks' wants a value like 4, not '-1'
Try 'weft replay --help'.
? 2
