## SPDX-License-Identifier: Apache-2.0
## weft convert --like extrae: a program of known shape (tests/golden/extrae/ring.txt) in Extrae's types, values and states.
$ "$WEFT_BUILD/tests/trace_of_text" ring.weft <"$WEFT_SOURCE/tests/golden/extrae/ring.txt"
$ weft convert --like extrae ring.weft ring.prv && cat ring.prv
#Paraver (01/01/1970 at 00:00):13000_ns:1(1):1:2(2:1,1:1),3
c:1:1:2:1:2
c:1:2:1:1
c:1:3:1:2
1:0:1:1:1:0:1000:2
1:0:1:1:2:0:7150:2
1:0:1:2:1:0:1000:2
2:0:1:1:1:1000:40000001:1:40000018:1:40000036:1000:50000003:31
1:0:1:1:1:1000:2000:15
2:0:1:2:1:1000:40000001:1:40000018:1:40000036:1001:50000003:31
1:0:1:2:1:1000:2000:15
2:0:1:1:1:2000:50000003:0
1:0:1:1:1:2000:3000:1
2:0:1:2:1:2000:50000003:0
1:0:1:2:1:2000:3200:1
2:0:1:1:1:2500:60000019:1:60000100:1:60000119:1
2:0:1:1:1:3000:50000001:1
1:0:1:1:1:3000:3500:4
2:0:1:2:1:3200:50000001:2
1:0:1:2:1:3200:4200:3
3:0:1:1:1:3000:3490:0:1:2:1:3200:4190:1000:7
2:0:1:1:1:3500:50000001:0
1:0:1:1:1:3500:4000:1
2:0:1:1:1:4000:50000001:2
1:0:1:1:1:4000:6000:3
2:0:1:2:1:4200:50000001:0
1:0:1:2:1:4200:5000:1
2:0:1:2:1:5000:50000001:1
1:0:1:2:1:5000:5800:4
3:0:1:2:1:5000:5790:0:1:1:1:4000:5990:1000:7
2:0:1:2:1:5800:50000001:0
1:0:1:2:1:5800:8500:1
2:0:1:1:1:6000:50000001:0
1:0:1:1:1:6000:7000:1
2:0:1:1:1:7000:60000001:3
1:0:1:1:1:7000:7100:7
2:0:1:1:1:7100:60000018:1:60000118:1
1:0:1:1:1:7100:7600:1
2:0:1:1:2:7150:40000018:1:60000018:1:60000118:1
1:0:1:1:2:7150:7250:1
2:0:1:1:1:7200:60000002:4
2:0:1:1:2:7250:60000007:3
1:0:1:1:2:7250:7350:5
2:0:1:1:2:7350:60000007:6
1:0:1:1:2:7350:7700:1
2:0:1:1:2:7450:60000007:0
2:0:1:1:1:7600:60000002:0:60000005:1
1:0:1:1:1:7600:7900:5
2:0:1:1:2:7700:60000005:1
1:0:1:1:2:7700:7900:5
2:0:1:1:1:7900:60000005:0
1:0:1:1:1:7900:7950:1
2:0:1:1:2:7900:60000005:0
1:0:1:1:2:7900:7960:1
2:0:1:1:1:7950:60000018:0:60000118:0
1:0:1:1:1:7950:8000:7
2:0:1:1:2:7960:60000018:0:60000118:0
1:0:1:1:2:7960:13000:0
2:0:1:1:1:8000:60000001:0
1:0:1:1:1:8000:9000:1
2:0:1:2:1:8500:50000002:10:50100001:8:50100002:8:51000001:8:51000002:8:50100004:1
1:0:1:2:1:8500:10000:13
2:0:1:1:1:9000:50000002:10:50100001:8:50100002:8:51000001:8:51000002:8:50100004:1
1:0:1:1:1:9000:10000:13
2:0:1:1:1:10000:50000002:0
1:0:1:1:1:10000:10500:1
2:0:1:2:1:10000:50000002:0
1:0:1:2:1:10000:12000:1
2:0:1:1:1:10500:40000004:2:40000010:1
1:0:1:1:1:10500:10600:12
2:0:1:1:1:10600:40000011:512:40000004:0
1:0:1:1:1:10600:12000:1
2:0:1:1:1:10700:40000040:1:40000041:4096
2:0:1:1:1:10701:40000040:0
2:0:1:1:1:10800:40000040:2
2:0:1:1:1:10801:40000040:0
2:0:1:1:1:11000:60000019:0:60000119:0:60000100:0
2:0:1:1:1:12000:50000003:32
1:0:1:1:1:12000:13000:15
2:0:1:2:1:12000:50000003:32
1:0:1:2:1:12000:13000:15
2:0:1:1:1:13000:50000003:0:40000001:0
2:0:1:2:1:13000:50000003:0:40000001:0
$ cat ring.row
LEVEL TASK SIZE 2
ring
ring

LEVEL CPU SIZE 1


LEVEL NODE SIZE 1
host

LEVEL THREAD SIZE 3
THREAD 1.1.1
THREAD 1.1.2
THREAD 1.2.1


$ sed -n '/50000002 /,/^$/p' ring.pcf | head -6; grep -A3 '60000018 ' ring.pcf; grep -B1 '50000001 ' ring.pcf
0    50000002    MPI Collective Comm
VALUES
0    Outside MPI
7    MPI_Bcast
8    MPI_Barrier
9    MPI_Reduce
0    60000018    Executed OpenMP parallel function
VALUES
0    End
1    solve
EVENT_TYPE
0    50000001    MPI Point-to-point
$ "$WEFT_BUILD/tests/prv_validate" ring.prv
ring.prv: 35 states, 42 events, 2 communications, 0 warnings

## Views that name Extrae's types compute.
$ weft table -q mpi-profile ring.prv --csv
row,Outside MPI,MPI_Send,MPI_Recv,MPI_Allreduce,MPI_Init,MPI_Finalize
THREAD 1.1.1,57.69230769230769,3.8461538461538463,15.384615384615385,7.6923076923076925,7.6923076923076925,7.6923076923076925
THREAD 1.1.2,100,,,,,
THREAD 1.2.1,59.23076923076923,6.153846153846154,7.6923076923076925,11.538461538461538,7.6923076923076925,7.6923076923076925
$ weft table -q mpi-calls ring.prv --csv | head -4
row,MPI_Send,MPI_Recv,MPI_Allreduce,MPI_Init,MPI_Finalize
THREAD 1.1.1,1,1,1,1,1
THREAD 1.1.2,,,,,
THREAD 1.2.1,1,1,1,1,1
$ weft table -q mpi-matrix ring.prv --table 'bytes sent' --csv
row,THREAD 1.1.1,THREAD 1.2.1
THREAD 1.1.1,,1000
THREAD 1.1.2,,
THREAD 1.2.1,1000,
$ weft table -q openmp-parallel ring.prv --csv | head -4
row,REGION (open)
THREAD 1.1.1,7.6923076923076925
THREAD 1.1.2,
THREAD 1.2.1,
$ weft table -q states ring.prv --csv | head -4
row,Running,Not created,Waiting a message,Blocking Send,Synchronization,Scheduling and Fork/Join,I/O,Group Communication,Others
THREAD 1.1.1,45.76923076923077,7.6923076923076925,15.384615384615385,3.8461538461538463,2.3076923076923075,1.1538461538461537,0.7692307692307693,7.6923076923076925,15.384615384615385
THREAD 1.1.2,3.923076923076923,55,,,2.3076923076923075,,,,
THREAD 1.2.1,51.53846153846154,7.6923076923076925,7.6923076923076925,6.153846153846154,,,,11.538461538461538,15.384615384615385

## Callers at calls, samples, counters, a communicator of two of three ranks with a root, one-sided bytes.
$ cat >c.txt <<'END'
> process 0 p
> thread main
> process 1 p
> thread main
> process 2 p
> thread main
> on 2
> comm 3 MPI_COMM_WORLD
> category mpi
> enter 100 3 MPI_Bcast
> collective 190 7 2 80 0
> stack 195 0x401 0x301
> leave 200 MPI_Bcast
> enter 300 3 MPI_Put
> attr 300 1 target
> attr 300 64 bytes
> leave 310 MPI_Put
> enter 400 3 MPI_Test
> point 401 5 MPI polls in vain
> point 401 700 time in MPI polls in vain
> leave 410 MPI_Test
> category samples
> sample 500 0x777 0x301
> counter 600 12345 PAPI_TOT_INS
> on 0
> category mpi
> enter 100 3 MPI_Bcast
> collective 190 7 2 0 80
> leave 200 MPI_Bcast
> END
$ "$WEFT_BUILD/tests/trace_of_text" c.weft <c.txt && weft convert --like extrae c.weft c.prv && grep '^2:0:1:[13]:1:[1-6]00:' c.prv; grep -A4 '70000001 \|30000000 ' c.pcf
2:0:1:1:1:100:40000001:1:40000018:1:40000036:1000:50000002:7:50100001:0:50100002:80:51000001:0:51000002:80:50100004:1
2:0:1:3:1:100:40000001:1:40000018:1:40000036:1002:50000002:7:50100001:80:50100002:0:51000001:80:51000002:0:50100003:1:50100004:1:70000001:1:80000001:1:70000002:2:80000002:2
2:0:1:1:1:200:50000002:0:40000001:0
2:0:1:3:1:200:50000002:0
2:0:1:3:1:300:50000004:65:50001001:1:50001000:64
2:0:1:3:1:400:50000003:39:50000080:5:50000304:5:50000305:700
2:0:1:3:1:500:30000000:3:30000100:3:30000001:2:30000101:2
2:0:1:3:1:600:42000050:12345:40000001:0
0    70000001    Caller at level 1
VALUES
1    0x400

EVENT_TYPE
--
0    30000000    Sampled functions
VALUES
3    0x777

EVENT_TYPE

## mpi2prv, by its name, with the options of Extrae's merger.
$ ln -s "$(command -v weft)" mpi2prv; ./mpi2prv -f ring.weft -o m.prv -maxmem 512 -syn-by-node && cmp m.prv ring.prv && echo same
same
$ ./mpi2prv -f ring.weft -dump -no-dump-time; cmp ring.prv m.prv && echo same
mpi2prv: warning: option '-dump' has no counterpart here, and is left alone
same
$ ./mpi2prv -f ring.weft -nonsense
mpi2prv: error: unknown option '-nonsense' (-h prints help)
? 2
$ ./mpi2prv -f
mpi2prv: error: option '-f' wants an argument
? 2
## Several traces: each is an application. Half of the time; a state record for each region; counters' sums; addresses as they are.
$ ./mpi2prv -f ring.weft -- -f c.weft -o two.prv && head -9 two.prv && "$WEFT_BUILD/tests/prv_validate" two.prv; ls -d two*
#Paraver (01/01/1970 at 00:00):13000_ns:1(1):2:2(2:1,1:1),3(1:1,1:1,1:1),7
c:1:1:2:1:2
c:1:2:1:1
c:1:3:1:2
c:2:1:3:1:2:3
c:2:2:1:1
c:2:3:1:2
c:2:4:1:3
1:0:1:1:1:0:1000:2
two.prv: 47 states, 53 events, 2 communications, 0 warnings
two.pcf
two.prv
two.row
$ ./mpi2prv -f ring.weft -stop-at-percentage 50 -o half.prv && tail -3 half.prv && "$WEFT_BUILD/tests/prv_validate" half.prv
2:0:1:1:1:6500:60000019:0:60000119:0:60000100:0:40000001:0
2:0:1:1:2:6500:40000018:1
2:0:1:2:1:6500:40000001:0
half.prv: 15 states, 16 events, 2 communications, 0 warnings
$ ./mpi2prv -f ring.weft -split-states -o split.prv && "$WEFT_BUILD/tests/prv_validate" split.prv
split.prv: 39 states, 42 events, 2 communications, 0 warnings
$ ./mpi2prv -f c.weft -absolute-counters -no-translate-addresses -o abs.prv && grep -E ':[56]00:(3|4)' abs.prv
2:0:1:3:1:500:30000000:1911:30000001:769
2:0:1:3:1:600:43000050:12345:42000050:12345:40000001:0
$ ./mpi2prv -f ring.weft -stop-at-percentage 0
mpi2prv: error: option '-stop-at-percentage': expected 1 to 99, found '0'
? 2
$ ./mpi2prv -f ring.weft -no-trace-overwrite -o half.prv
mpi2prv: error: 'half.prv' is there already, and is not to be overwritten
? 2
$ ./mpi2prv -f ring.weft -f nothing.weft -o two.prv; ls -d two*
mpi2prv: error: cannot open 'nothing.weft': no such file or directory
two.pcf
two.prv
two.row
$ ./mpi2prv
usage: mpi2prv -f TRACE.weft [-f TRACE.weft...] -o OUT.prv [OPTION...]
Writes a trace as Extrae's merger would: .prv, .pcf and .row; several as one, each an application.
Options are those of that program;
each that has no counterpart here is said and left alone. See weft-convert(1).
? 2

## What is wrong is one line.
$ weft convert --like vampir ring.weft x.prv
weft convert: error: option '--like': unknown tool 'vampir' (it can be: extrae)
Try 'weft convert --help'.
? 2
$ weft convert --like extrae ring.weft x.json
weft convert: error: option '--like': extrae writes .prv, not chrome
Try 'weft convert --help'.
? 2
$ weft convert --like extrae ring.weft ring.prv
weft convert: error: 'ring.prv' is there already (--force replaces it)
? 2
$ weft convert --like extrae ring.prv x.prv
weft convert: error: 'ring.prv' is a trace of Paraver already
? 2
$ weft convert --like extrae ring.weft x.prv -f region=solve
weft convert: error: option '--like': filter the trace first, with weft filter
Try 'weft convert --help'.
? 2

## OpenMP: tasks with their functions and numbers, where they are made and where they run; dependencies; the newer vocabulary.
$ cat >tasks.txt <<'END'
> process 0 p
> thread main
> thread omp worker 1
> on 0
> category openmp
> enter 100 9 omp parallel in f
> enter 110 1 f [omp parallel]
> enter 200 9 omp task create
> flow 210 out 7 omp task
> leave 220 omp task create
> enter 300 9 omp task create
> flow 310 out 8 omp task
> depend 315 7 8 omp task dependency
> leave 320 omp task create
> enter 400 4 omp taskwait
> enter 500 1 g [omp task]
> flow 500 in 8 omp task
> leave 600 g [omp task]
> leave 700 omp taskwait
> enter 710 4 omp critical wait
> leave 720 omp critical wait
> enter 720 1 omp critical
> leave 730 omp critical
> leave 800 f [omp parallel]
> leave 900 omp parallel in f
> on 1
> category openmp
> enter 150 1 f [omp parallel]
> enter 350 1 g [omp task]
> flow 350 in 7 omp task
> leave 450 g [omp task]
> leave 790 f [omp parallel]
> END
$ "$WEFT_BUILD/tests/trace_of_text" tasks.weft <tasks.txt && weft convert --like extrae tasks.weft tasks.prv --openmp dependencies && grep -E '^3|6000002[348]|650000' tasks.prv; grep -A3 '60000024 ' tasks.pcf
2:0:1:1:1:200:60000021:1:60000028:2:60000024:2:60000124:2
2:0:1:1:1:220:60000021:0:60000028:0:60000024:0:60000124:0
2:0:1:1:1:300:60000021:1:60000028:1:60000024:2:60000124:2
2:0:1:1:1:320:60000021:0:60000028:0:60000024:0:60000124:0
2:0:1:1:2:350:60000023:2:60000123:2:60000028:2
2:0:1:1:2:450:60000023:0:60000123:0:60000028:0
3:0:1:1:2:450:450:0:1:1:1:500:500:0:0
2:0:1:1:1:500:60000023:2:60000123:2:60000028:1
2:0:1:1:1:600:60000023:0:60000123:0:60000028:0
2:0:1:1:2:790:60000018:0:60000118:0:65000001:1
2:0:1:1:1:900:60000001:0:65000000:2:65000001:1:40000001:0
0    60000024    Instantiated OpenMP task function
VALUES
0    End
2    g
$ weft convert --like extrae tasks.weft new.prv --openmp new && grep -E '^2' new.prv | grep -v ':6000001' && "$WEFT_BUILD/tests/prv_validate" new.prv
2:0:1:1:1:100:40000001:1:40000018:1:40000036:1000:60000:43:60002:1
2:0:1:1:1:110:60002:2:60012:1:60013:1
2:0:1:1:2:150:40000018:1:60002:2:60012:1:60013:1
2:0:1:1:1:200:60000:50:60009:47:60014:2:60015:1:60016:1
2:0:1:1:1:220:60000:0:60009:0:60014:0:60015:0:60016:0
2:0:1:1:1:300:60000:50:60009:47:60014:1:60015:1:60016:1
2:0:1:1:1:320:60000:0:60009:0:60014:0:60015:0:60016:0
2:0:1:1:2:350:60009:48:60018:1:60019:1:60017:2
2:0:1:1:1:400:60000:41:60004:34
2:0:1:1:2:450:60009:0:60018:0:60019:0:60017:0
2:0:1:1:1:500:60009:48:60018:1:60019:1:60017:1
2:0:1:1:1:600:60009:0:60018:0:60019:0:60017:0
2:0:1:1:1:700:60000:0:60004:0
2:0:1:1:1:710:60000:4:60004:30:60005:38
2:0:1:1:1:720:60000:0:60004:0:60005:39
2:0:1:1:1:730:60005:0
2:0:1:1:2:790:60002:0:60012:0:60013:0:65000001:1
2:0:1:1:1:800:60002:0:60012:0:60013:0
2:0:1:1:1:900:60000:0:60002:0:65000000:2:65000001:1:40000001:0
new.prv: 17 states, 19 events, 0 communications, 0 warnings
$ weft convert --like extrae tasks.weft x.prv --openmp old
weft convert: error: option '--openmp': unknown word 'old' (it can be: classic, new, dependencies)
Try 'weft convert --help'.
? 2
$ weft convert tasks.weft -o x.prv --openmp new
weft convert: error: option '--openmp' goes with --like extrae
Try 'weft convert --help'.
? 2

## Counters: presets by the kernel's names, too; getrusage's; native ones and the machine's by a hash of their names.
$ printf '%s\n' 'process 0 p' 'thread main' 'on 0' 'category counters' 'counter 100 5 instructions' 'counter 100 7 PAPI_L2_DCM' 'counter 100 9000 user-time' 'counter 100 3 r1a2' 'counter 100 4 energy package-0' 'counter 200 2 instructions' >k.txt; "$WEFT_BUILD/tests/trace_of_text" k.weft <k.txt && weft convert --like extrae k.weft k.prv && grep '^2' k.prv; grep -E ' (4[2-6][0-9]{6}) ' k.pcf
2:0:1:1:1:100:40000001:1:40000018:1:40000036:1000:42000050:5:42000002:7:45000000:9:44096956:3:46789191:4
2:0:1:1:1:200:42000050:2:40000001:0
0    42000050    instructions
0    42000002    PAPI_L2_DCM
0    45000000    User time used
0    44096956    r1a2
0    46789191    energy package-0

## Bursts: what was counted of MPI in front of one stands where it ends, and at the thread's end.
$ printf '%s\n' 'process 0 a' 'thread main' 'on 0' 'category mpi' 'enter 1000 3 MPI' 'attr 2000 7 calls' 'attr 2000 900 time in calls' 'attr 2000 2 point-to-point calls' 'attr 2000 300 time in point-to-point calls' 'attr 2000 1 collective calls' 'attr 2000 200 time in collective calls' 'attr 2000 4096 bytes sent' 'leave 2000 MPI' 'enter 5000 3 MPI' 'attr 5500 1 calls' 'attr 5500 450 time in calls' 'leave 5500 MPI' >bursts.txt; "$WEFT_BUILD/tests/trace_of_text" bursts.weft <bursts.txt && weft convert --like extrae bursts.weft bursts.prv && grep -v '^#' bursts.prv; grep 5400 bursts.pcf
c:1:1:1:1
c:1:2:1:1
1:0:1:1:1:0:1000:2
2:0:1:1:1:1000:40000001:1:40000018:2:40000036:1000
1:0:1:1:1:1000:2000:15
1:0:1:1:1:2000:5000:1
2:0:1:1:1:5000:54000000:2:54000001:4096:54000002:0:54000003:1:54000004:0:54000005:0:54000006:0:54000007:0:54000008:0:54000009:900:54000010:0:54000011:0:54000012:0:54000013:0:54000015:300:54000016:200:54000017:0:54000014:400:54000018:4
1:0:1:1:1:5000:5500:15
2:0:1:1:1:5500:54000000:0:54000001:0:54000002:0:54000003:0:54000004:0:54000005:0:54000006:0:54000007:0:54000008:0:54000009:450:54000010:0:54000011:0:54000012:0:54000013:0:54000015:0:54000016:0:54000017:0:54000014:450:54000018:1:40000001:0
0    54000000    Number of P2P MPI calls
0    54000001    Bytes sent in P2P MPI calls
0    54000002    Bytes received in P2P MPI calls
0    54000003    Number of Collective MPI calls
0    54000004    Bytes sent in Collective MPI calls
0    54000005    Bytes received in Collective MPI calls
0    54000006    Number of Collective World MPI calls
0    54000007    Bytes sent in Collective World calls
0    54000008    Bytes received in Collective World calls
0    54000009    Elapsed time in MPI
0    54000010    Number of incoming P2P MPI calls
0    54000011    Number of outgoing P2P MPI calls
0    54000012    Number of partners in incoming communications
0    54000013    Number of partners in outgoing communications
0    54000015    Elapsed time in P2P MPI calls
0    54000016    Elapsed time in Collective MPI calls
0    54000017    Elapsed time in Collective World calls
0    54000014    Elapsed time in Other MPI calls
0    54000018    Number of Other MPI calls
