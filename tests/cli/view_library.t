## SPDX-License-Identifier: Apache-2.0
## Every view of the library, on a trace that was made by hand for them (tests/golden/views/sample.prv), or on one of ours.
$ cp "$WEFT_SOURCE"/tests/golden/views/sample.* "$WEFT_SOURCE"/tests/golden/views/tasks.* . && cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft view list --csv | tail -n +2 | cut -d, -f1 | LC_ALL=C sort >views; ls "$WEFT_SOURCE"/views/*.view | sed 's|.*/||; s|\.view$||' | LC_ALL=C sort | diff - views
$ weft table -q cpus sample.prv
cpus: % Window Time by executing cpu; sample.prv

               value 1  value 2   value 3  value 4
THREAD 1.1.1  100.00 %        -         -        -
THREAD 1.1.2         -  90.00 %         -        -
THREAD 1.2.1         -        -  100.00 %        -
THREAD 1.2.2         -        -         -  90.00 %

Total         100.00 %  90.00 %  100.00 %  90.00 %
Average       100.00 %  90.00 %  100.00 %  90.00 %
Maximum       100.00 %  90.00 %  100.00 %  90.00 %
Minimum       100.00 %  90.00 %  100.00 %  90.00 %
StDev           0.00 %   0.00 %    0.00 %   0.00 %
Avg/Max              1        1         1        1
$ weft table -q efficiency sample.prv; weft table -q efficiency sample.prv --table 1
efficiency: % Window Time by useful; sample.prv

                     1
THREAD 1.1.1   80.00 %  ##############
THREAD 1.1.2   20.00 %  ####
THREAD 1.2.1   90.00 %  ################
THREAD 1.2.2   10.00 %  ##

Total         200.00 %
Average        50.00 %
Maximum        90.00 %
Minimum        10.00 %
StDev          35.36 %
Avg/Max       0.555556
share of threads: % Time by computing share; sample.prv

          [0.00..10.00)  [20.00..30.00)  [50.00..60.00)  [70.00..80.00)  [90.00..100.00]
WORKLOAD         5.00 %         20.00 %         55.00 %         10.00 %          10.00 %
$ weft table -q flushing sample.prv
flushing: % Window Time by flushing; sample.prv

               Begin
THREAD 1.1.1  2.00 %  ################
THREAD 1.1.2       -
THREAD 1.2.1       -
THREAD 1.2.2       -

Total         2.00 %
Average       2.00 %
Maximum       2.00 %
Minimum       2.00 %
StDev         0.00 %
Avg/Max            1
$ weft table -q frequency sample.prv
GHz: Average value of GHz by useful; sample.prv

                1
THREAD 1.1.1    1  ################
THREAD 1.1.2    0
THREAD 1.2.1    1  ################
THREAD 1.2.2    0

Total           2
Average       0.5
Maximum         1
Minimum         1
StDev         0.5
Avg/Max       0.5
$ weft table -q functions sample.prv
functions: % Time by user function; sample.prv

                   End     setup    solve
THREAD 1.1.1         -   50.00 %  50.00 %
THREAD 1.1.2  100.00 %         -        -
THREAD 1.2.1         -  100.00 %        -
THREAD 1.2.2  100.00 %         -        -

Total         200.00 %  150.00 %  50.00 %
Average       100.00 %   75.00 %  50.00 %
Maximum       100.00 %  100.00 %  50.00 %
Minimum       100.00 %   50.00 %  50.00 %
StDev           0.00 %   25.00 %   0.00 %
Avg/Max              1      0.75        1
$ weft table -q idle sample.prv
waiting: % Window Time by waiting; sample.prv

                     1
THREAD 1.1.1   20.00 %  ####
THREAD 1.1.2   70.00 %  ##############
THREAD 1.2.1   10.00 %  ##
THREAD 1.2.2   80.00 %  ################

Total         180.00 %
Average        45.00 %
Maximum        80.00 %
Minimum        10.00 %
StDev          30.41 %
Avg/Max         0.5625
$ weft table -q instructions sample.prv
instructions: Sum bursts of instructions by useful; sample.prv

                     1
THREAD 1.1.1     12000  ##############
THREAD 1.1.2         0
THREAD 1.2.1     14000  ################
THREAD 1.2.2         0

Total            26000
Average           6500
Maximum          14000
Minimum          12000
StDev          6538.35
Avg/Max       0.464286
$ weft table -q ipc sample.prv --table 1
time by instructions a cycle: Time by instructions a cycle; sample.prv

              [0.91..1.01)  [1.91..2.01)
THREAD 1.1.1       4.00 us       4.00 us
THREAD 1.1.2             -             -
THREAD 1.2.1       4.00 us       5.00 us
THREAD 1.2.2             -             -

Total              8.00 us       9.00 us
Average            4.00 us       4.50 us
Maximum            4.00 us       5.00 us
Minimum            4.00 us       4.00 us
StDev                 0 ns        500 ns
Avg/Max                  1           0.9
$ weft table -q ipc sample.prv --table 2
instructions a cycle: Average value of instructions a cycle by useful; sample.prv

                     1
THREAD 1.1.1       1.5  ###############
THREAD 1.1.2         0
THREAD 1.2.1   1.55556  ################
THREAD 1.2.2         0

Total          3.05556
Average       0.763889
Maximum        1.55556
Minimum            1.5
StDev         0.764141
Avg/Max       0.491071
$ weft table -q l1-misses sample.prv
L1 misses: Average value of L1 misses per 1000 instructions by useful; sample.prv

                     1
THREAD 1.1.1        10  ###############
THREAD 1.1.2         0
THREAD 1.2.1   10.5556  ################
THREAD 1.2.2         0

Total          20.5556
Average        5.13889
Maximum        10.5556
Minimum             10
StDev          5.14264
Avg/Max       0.486842
$ weft table -q l2-misses sample.prv
L2 misses: Average value of L2 misses per 1000 instructions by useful; sample.prv

                     1
THREAD 1.1.1         5  ###############
THREAD 1.1.2         0
THREAD 1.2.1   5.27778  ################
THREAD 1.2.2         0

Total          10.2778
Average        2.56944
Maximum        5.27778
Minimum              5
StDev          2.57132
Avg/Max       0.486842
$ weft table -q l3-misses sample.prv
L3 misses: Average value of L3 misses per 1000 instructions by useful; sample.prv

                     1
THREAD 1.1.1         1  ###############
THREAD 1.1.2         0
THREAD 1.2.1   1.05556  ################
THREAD 1.2.2         0

Total          2.05556
Average       0.513889
Maximum        1.05556
Minimum              1
StDev         0.514264
Avg/Max       0.486842
$ weft table -q load-balance sample.prv
load balance: Time by useful; sample.prv

                     1
THREAD 1.1.1   8.00 us  ##############
THREAD 1.1.2   2.00 us  ####
THREAD 1.2.1   9.00 us  ################
THREAD 1.2.2   1.00 us  ##

Total          20.0 us
Average        5.00 us
Maximum        9.00 us
Minimum        1.00 us
StDev          3.54 us
Avg/Max       0.555556
$ weft table -q mips sample.prv
MIPS: Average value of MIPS by useful; sample.prv

                     1
THREAD 1.1.1      1500  ###############
THREAD 1.1.2         0
THREAD 1.2.1   1555.56  ################
THREAD 1.2.2         0

Total          3055.56
Average        763.889
Maximum        1555.56
Minimum           1500
StDev          764.141
Avg/Max       0.491071
$ weft table -q mpi-bandwidth sample.prv
MB/s: Average value of MB/s by always; sample.prv

                    1
THREAD 1.1.1       20  ###
THREAD 1.1.2        0
THREAD 1.2.1      100  ################
THREAD 1.2.2        0

Total             120
Average            30
Maximum           100
Minimum            20
StDev         41.2311
Avg/Max           0.3
$ weft table -q mpi-bytes-in-transit sample.prv
bytes in transit: Average value of bytes in transit by always; sample.prv

                     1
THREAD 1.1.1        22  ##
THREAD 1.1.2         0
THREAD 1.2.1       190  ################
THREAD 1.2.2         0

Total              212
Average             53
Maximum            190
Minimum             22
StDev          79.6053
Avg/Max       0.278947
$ weft table -q mpi-call-duration sample.prv
duration of MPI calls: Time by duration of MPI calls in us; sample.prv

              [0.50..0.50)  [1.00..1.00)
THREAD 1.1.1             -       2.00 us
THREAD 1.1.2             -             -
THREAD 1.2.1       1.00 us             -
THREAD 1.2.2             -             -

Total              1.00 us       2.00 us
Average            1.00 us       2.00 us
Maximum            1.00 us       2.00 us
Minimum            1.00 us       2.00 us
StDev                 0 ns          0 ns
Avg/Max                  1             1
$ weft table -q mpi-callers sample.prv
calling lines: % Window Time by calling line; sample.prv

              120 (halo.c)  133 (norm.c)
THREAD 1.1.1       10.00 %       10.00 %
THREAD 1.1.2             -             -
THREAD 1.2.1        5.00 %        5.00 %
THREAD 1.2.2             -             -

Total              15.00 %       15.00 %
Average             7.50 %        7.50 %
Maximum            10.00 %       10.00 %
Minimum             5.00 %        5.00 %
StDev               2.50 %        2.50 %
Avg/Max               0.75          0.75
## two addresses of one line are that line
$ sed 's/80000001:2$/80000001:7/; s/80000001:2:/80000001:7:/' sample.prv >lines.prv; sed 's/^2   133 (norm.c)/7   120 (halo.c)/' sample.pcf >lines.pcf; weft table -q mpi-callers lines.prv --csv; weft view convert mpi-callers -o c.cfg; weft table -q c.cfg lines.prv --csv | sed -n 2p; sed 's/ { join_labels }//' "$WEFT_SOURCE"/views/mpi-callers.view >apart.view; weft table -q apart.view lines.prv --csv | head -1
row,120 (halo.c)
THREAD 1.1.1,20
THREAD 1.1.2,
THREAD 1.2.1,10
THREAD 1.2.2,
THREAD 1.1.1,20
row,120 (halo.c),120 (halo.c)
$ weft table -q mpi-calls sample.prv
MPI calls: # Bursts by MPI call; sample.prv

              MPI_Send  MPI_Recv  MPI_Allreduce
THREAD 1.1.1         -         1              1
THREAD 1.1.2         -         -              -
THREAD 1.2.1         1         -              1
THREAD 1.2.2         -         -              -

Total                1         1              2
Average              1         1              1
Maximum              1         1              1
Minimum              1         1              1
StDev                0         0              0
Avg/Max              1         1              1
$ weft table -q mpi-collective-sizes sample.prv --table 1
bytes received: Maximum of bytes received by MPI collective; sample.prv

              MPI_Allreduce
THREAD 1.1.1            128  ################
THREAD 1.1.2              -
THREAD 1.2.1            128  ################
THREAD 1.2.2              -

Total                   256
Average                 128
Maximum                 128
Minimum                 128
StDev                     0
Avg/Max                   1
$ weft table -q mpi-collective-sizes sample.prv --table 2
bytes sent: Maximum of bytes sent by MPI collective; sample.prv

              MPI_Allreduce
THREAD 1.1.1             64  ################
THREAD 1.1.2              -
THREAD 1.2.1             64  ################
THREAD 1.2.2              -

Total                   128
Average                  64
Maximum                  64
Minimum                  64
StDev                     0
Avg/Max                   1
$ weft table -q mpi-collectives sample.prv
collectives: % Window Time by MPI collective; sample.prv

              MPI_Allreduce
THREAD 1.1.1        10.00 %  ################
THREAD 1.1.2              -
THREAD 1.2.1         5.00 %  ########
THREAD 1.2.2              -

Total               15.00 %
Average              7.50 %
Maximum             10.00 %
Minimum              5.00 %
StDev                2.50 %
Avg/Max                0.75
$ weft table -q mpi-in-calls sample.prv
in MPI: % Window Time by in MPI; sample.prv

                    1
THREAD 1.1.1  20.00 %  ################
THREAD 1.1.2        -
THREAD 1.2.1  10.00 %  ########
THREAD 1.2.2        -

Total         30.00 %
Average       15.00 %
Maximum       20.00 %
Minimum       10.00 %
StDev          5.00 %
Avg/Max          0.75
$ weft table -q mpi-matrix sample.prv --table 1
messages: #Sends by partner; sample.prv

              THREAD 1.1.1  THREAD 1.2.1
THREAD 1.1.1             -             1
THREAD 1.1.2             -             -
THREAD 1.2.1             1             -
THREAD 1.2.2             -             -

Total                    1             1
Average                  1             1
Maximum                  1             1
Minimum                  1             1
StDev                    0             0
Avg/Max                  1             1
$ weft table -q mpi-matrix sample.prv --table 2
bytes received: Bytes received by partner; sample.prv

              THREAD 1.1.1  THREAD 1.2.1
THREAD 1.1.1             -        1000 B
THREAD 1.1.2             -             -
THREAD 1.2.1         200 B             -
THREAD 1.2.2             -             -

Total                200 B        1000 B
Average              200 B        1000 B
Maximum              200 B        1000 B
Minimum              200 B        1000 B
StDev                  0 B           0 B
Avg/Max                  1             1
$ weft table -q mpi-matrix sample.prv --table 3
bytes sent: Bytes sent by partner; sample.prv

              THREAD 1.1.1  THREAD 1.2.1
THREAD 1.1.1             -         200 B
THREAD 1.1.2             -             -
THREAD 1.2.1        1000 B             -
THREAD 1.2.2             -             -

Total               1000 B         200 B
Average             1000 B         200 B
Maximum             1000 B         200 B
Minimum             1000 B         200 B
StDev                  0 B           0 B
Avg/Max                  1             1
$ weft table -q mpi-messages-in-transit sample.prv
messages in transit: % Time by messages in transit; sample.prv

                0        1
WORKLOAD  70.00 %  30.00 %
$ weft table -q mpi-p2p-sizes sample.prv
messages by size: # Bursts by message size in bytes; sample.prv

              [200.00..204.20)  [998.00..1,002.20)
THREAD 1.1.1                 1                   -
THREAD 1.1.2                 -                   -
THREAD 1.2.1                 -                   1
THREAD 1.2.2                 -                   -

Total                        1                   1
Average                      1                   1
Maximum                      1                   1
Minimum                      1                   1
StDev                        0                   0
Avg/Max                      1                   1
$ weft table -q mpi-p2p sample.prv
point-to-point: % Window Time by MPI point-to-point; sample.prv

              MPI_Send  MPI_Recv
THREAD 1.1.1         -   10.00 %
THREAD 1.1.2         -         -
THREAD 1.2.1    5.00 %         -
THREAD 1.2.2         -         -

Total           5.00 %   10.00 %
Average         5.00 %   10.00 %
Maximum         5.00 %   10.00 %
Minimum         5.00 %   10.00 %
StDev           0.00 %    0.00 %
Avg/Max              1         1
$ weft table -q mpi-profile sample.prv
MPI profile: % Time by MPI call; sample.prv

              Outside MPI  MPI_Send  MPI_Recv  MPI_Allreduce
THREAD 1.1.1      80.00 %         -   10.00 %        10.00 %
THREAD 1.1.2     100.00 %         -         -              -
THREAD 1.2.1      90.00 %    5.00 %         -         5.00 %
THREAD 1.2.2     100.00 %         -         -              -

Total            370.00 %    5.00 %   10.00 %        15.00 %
Average           92.50 %    5.00 %   10.00 %         7.50 %
Maximum          100.00 %    5.00 %   10.00 %        10.00 %
Minimum           80.00 %    5.00 %   10.00 %         5.00 %
StDev              8.29 %    0.00 %    0.00 %         2.50 %
Avg/Max             0.925         1         1           0.75
$ weft table -q mpi-time sample.prv --table 1
time of a call: Average Burst Time by MPI call; sample.prv

              MPI_Send  MPI_Recv  MPI_Allreduce
THREAD 1.1.1         -   1.00 us        1.00 us
THREAD 1.1.2         -         -              -
THREAD 1.2.1    500 ns         -         500 ns
THREAD 1.2.2         -         -              -

Total           500 ns   1.00 us        1.50 us
Average         500 ns   1.00 us         750 ns
Maximum         500 ns   1.00 us        1.00 us
Minimum         500 ns   1.00 us         500 ns
StDev             0 ns      0 ns         250 ns
Avg/Max              1         1           0.75
$ weft table -q mpi-time sample.prv --table 2
time in calls: Time by MPI call; sample.prv

              MPI_Send  MPI_Recv  MPI_Allreduce
THREAD 1.1.1         -   1.00 us        1.00 us
THREAD 1.1.2         -         -              -
THREAD 1.2.1    500 ns         -         500 ns
THREAD 1.2.2         -         -              -

Total           500 ns   1.00 us        1.50 us
Average         500 ns   1.00 us         750 ns
Maximum         500 ns   1.00 us        1.00 us
Minimum         500 ns   1.00 us         500 ns
StDev             0 ns      0 ns         250 ns
Avg/Max              1         1           0.75
$ weft table -q openmp-barriers sample.prv
barriers: % Window Time by barrier; sample.prv

                 Begin
THREAD 1.1.1         -
THREAD 1.1.2    2.00 %  ###
THREAD 1.2.1         -
THREAD 1.2.2   12.00 %  ################

Total          14.00 %
Average         7.00 %
Maximum        12.00 %
Minimum         2.00 %
StDev           5.00 %
Avg/Max       0.583333
$ weft table -q openmp-functions sample.prv
parallel functions: % Time by parallel function; sample.prv

                   End  main.omp_fn.0  main.omp_fn.1
THREAD 1.1.1  100.00 %              -              -
THREAD 1.1.2   84.00 %        16.00 %              -
THREAD 1.2.1  100.00 %              -              -
THREAD 1.2.2   94.00 %              -         6.00 %

Total         378.00 %        16.00 %         6.00 %
Average        94.50 %        16.00 %         6.00 %
Maximum       100.00 %        16.00 %         6.00 %
Minimum        84.00 %        16.00 %         6.00 %
StDev           6.54 %         0.00 %         0.00 %
Avg/Max          0.945              1              1
$ weft table -q openmp-parallel sample.prv
parallel: % Window Time by parallel region; sample.prv

                 open
THREAD 1.1.1        -
THREAD 1.1.2  20.00 %  ################
THREAD 1.2.1        -
THREAD 1.2.2  20.00 %  ################

Total         40.00 %
Average       20.00 %
Maximum       20.00 %
Minimum       20.00 %
StDev          0.00 %
Avg/Max             1
$ weft table -q openmp-tasks sample.prv --table 1
number: # Bursts by task function; sample.prv

              task.0
THREAD 1.1.1       -
THREAD 1.1.2       1  ################
THREAD 1.2.1       -
THREAD 1.2.2       -

Total              1
Average            1
Maximum            1
Minimum            1
StDev              0
Avg/Max            1
$ weft table -q openmp-tasks sample.prv --table 2
time: Time by task function; sample.prv

              task.0
THREAD 1.1.1       -
THREAD 1.1.2  500 ns  ################
THREAD 1.2.1       -
THREAD 1.2.2       -

Total         500 ns
Average       500 ns
Maximum       500 ns
Minimum       500 ns
StDev           0 ns
Avg/Max            1
$ weft table -q openmp-worksharing sample.prv
worksharing: % Window Time by worksharing; sample.prv

                  For
THREAD 1.1.1        -
THREAD 1.1.2  16.00 %  ################
THREAD 1.2.1        -
THREAD 1.2.2   6.00 %  ######

Total         22.00 %
Average       11.00 %
Maximum       16.00 %
Minimum        6.00 %
StDev          5.00 %
Avg/Max        0.6875
$ weft table -q parallelism sample.prv
computing threads: % Time by computing threads; sample.prv

               0        1        2        3        4
WORKLOAD  5.00 %  20.00 %  55.00 %  10.00 %  10.00 %
$ weft table -q pthread-calls sample.prv
pthread calls: % Time by pthread call; sample.prv

                   End  pthread_cond_wait
THREAD 1.1.1  100.00 %                  -
THREAD 1.1.2   80.00 %            20.00 %
THREAD 1.2.1  100.00 %                  -
THREAD 1.2.2  100.00 %                  -

Total         380.00 %            20.00 %
Average        95.00 %            20.00 %
Maximum       100.00 %            20.00 %
Minimum        80.00 %            20.00 %
StDev           8.66 %             0.00 %
Avg/Max           0.95                  1
$ weft table -q pthread-functions sample.prv
pthread functions: % Time by pthread function; sample.prv

                   End   worker   writer
THREAD 1.1.1  100.00 %        -        -
THREAD 1.1.2   20.00 %  80.00 %        -
THREAD 1.2.1  100.00 %        -        -
THREAD 1.2.2   20.00 %        -  80.00 %

Total         240.00 %  80.00 %  80.00 %
Average        60.00 %  80.00 %  80.00 %
Maximum       100.00 %  80.00 %  80.00 %
Minimum        20.00 %  80.00 %  80.00 %
StDev          40.00 %   0.00 %   0.00 %
Avg/Max            0.6        1        1
$ weft table -q regions heat.weft
regions: % Time by region; heat.weft

                   End      main     solve  exchange  MPI_Recv
main 1.1.1     14.00 %    0.16 %   64.35 %    0.06 %   21.43 %
helper 1.1.2   85.72 %         -   14.28 %         -         -
main 1.2.1     14.42 %    0.79 %   71.42 %    6.21 %    7.15 %

Total         114.13 %    0.95 %  150.06 %    6.28 %   28.58 %
Average        38.04 %    0.47 %   50.02 %    3.14 %   14.29 %
Maximum        85.72 %    0.79 %   71.42 %    6.21 %   21.43 %
Minimum        14.00 %    0.16 %   14.28 %    0.06 %    7.15 %
StDev          33.71 %    0.32 %   25.43 %    3.07 %    7.14 %
Avg/Max       0.443852  0.599099  0.700333  0.505172  0.666833
$ weft table -q states sample.prv
states: % Window Time by states; sample.prv

               Running  Not created  Waiting a message  Blocking Send  Group Communication
THREAD 1.1.1   80.00 %            -            10.00 %              -              10.00 %
THREAD 1.1.2   20.00 %      10.00 %                  -              -                    -
THREAD 1.2.1   90.00 %            -                  -         5.00 %               5.00 %
THREAD 1.2.2   10.00 %      10.00 %                  -              -                    -

Total         200.00 %      20.00 %            10.00 %         5.00 %              15.00 %
Average        50.00 %      10.00 %            10.00 %         5.00 %               7.50 %
Maximum        90.00 %      10.00 %            10.00 %         5.00 %              10.00 %
Minimum        10.00 %      10.00 %            10.00 %         5.00 %               5.00 %
StDev          35.36 %       0.00 %             0.00 %         0.00 %               2.50 %
Avg/Max       0.555556            1                  1              1                 0.75
$ weft table -q useful-histogram sample.prv
useful duration: Time by useful duration in us; sample.prv

              [1.00..1.02)  [1.99..2.01)  [3.00..3.02)  [3.98..4.00)  [4.99..5.01)
THREAD 1.1.1       1.00 us             -       3.00 us       4.00 us             -
THREAD 1.1.2             -       2.00 us             -             -             -
THREAD 1.2.1       1.00 us             -       3.00 us             -       5.00 us
THREAD 1.2.2       1.00 us             -             -             -             -

Total              3.00 us       2.00 us       6.00 us       4.00 us       5.00 us
Average            1.00 us       2.00 us       3.00 us       4.00 us       5.00 us
Maximum            1.00 us       2.00 us       3.00 us       4.00 us       5.00 us
Minimum            1.00 us       2.00 us       3.00 us       4.00 us       5.00 us
StDev                 0 ns          0 ns          0 ns          0 ns          0 ns
Avg/Max                  1             1             1             1             1
$ weft table -q tasks tasks.prv
tasks: % Window Time by task; tasks.prv

         sleeping  waiting for tasks    potrf     gemm
main            -            90.00 %        -        -
CPU 0           -                  -  30.00 %  50.00 %
CPU 1     50.00 %                  -  40.00 %        -

Total     50.00 %            90.00 %  70.00 %  50.00 %
Average   50.00 %            90.00 %  35.00 %  50.00 %
Maximum   50.00 %            90.00 %  40.00 %  50.00 %
Minimum   50.00 %            90.00 %  30.00 %  50.00 %
StDev      0.00 %             0.00 %   5.00 %   0.00 %
Avg/Max         1                  1    0.875        1
$ weft table -q tasks-ready tasks.prv
ready tasks: % Time by ready tasks; tasks.prv

              0        2
APPL 1  70.00 %  30.00 %
$ weft table -q tasks-runtime tasks.prv
task runtime: % Window Time by task runtime; tasks.prv

         fetching input  overhead
main                  -         -
CPU 0                 -   10.00 %
CPU 1           10.00 %         -

Total           10.00 %   10.00 %
Average         10.00 %   10.00 %
Maximum         10.00 %   10.00 %
Minimum         10.00 %   10.00 %
StDev            0.00 %    0.00 %
Avg/Max               1         1
$ weft table -q tasks tasks.prv --table 'number'
number: # Bursts by task; tasks.prv

         sleeping  waiting for tasks  potrf  gemm
main            -                  1      -     -
CPU 0           -                  -      1     1
CPU 1           1                  -      1     -

Total           1                  1      2     1
Average         1                  1      1     1
Maximum         1                  1      1     1
Minimum         1                  1      1     1
StDev           0                  0      0     0
Avg/Max         1                  1      1     1
$ weft table -q tasks tasks.prv --table 'time of one'
time of one: Average Burst Time by task; tasks.prv

         sleeping  waiting for tasks    potrf    gemm
main            -             900 us        -       -
CPU 0           -                  -   300 us  500 us
CPU 1      500 us                  -   400 us       -

Total      500 us             900 us   700 us  500 us
Average    500 us             900 us   350 us  500 us
Maximum    500 us             900 us   400 us  500 us
Minimum    500 us             900 us   300 us  500 us
StDev        0 ns               0 ns  50.0 us    0 ns
Avg/Max         1                  1    0.875       1
$ weft table -q useful sample.prv
computing: % Window Time by useful; sample.prv

                     1
THREAD 1.1.1   80.00 %  ##############
THREAD 1.1.2   20.00 %  ####
THREAD 1.2.1   90.00 %  ################
THREAD 1.2.2   10.00 %  ##

Total         200.00 %
Average        50.00 %
Maximum        90.00 %
Minimum        10.00 %
StDev          35.36 %
Avg/Max       0.555556
## and the other windows that they have
$ weft table -q useful sample.prv --window 'useful duration'
useful duration: Time by useful duration in us; sample.prv

              [1.00..1.02)  [1.99..2.01)  [3.00..3.02)  [3.98..4.00)  [4.99..5.01)
THREAD 1.1.1       1.00 us             -       3.00 us       4.00 us             -
THREAD 1.1.2             -       2.00 us             -             -             -
THREAD 1.2.1       1.00 us             -       3.00 us             -       5.00 us
THREAD 1.2.2       1.00 us             -             -             -             -

Total              3.00 us       2.00 us       6.00 us       4.00 us       5.00 us
Average            1.00 us       2.00 us       3.00 us       4.00 us       5.00 us
Maximum            1.00 us       2.00 us       3.00 us       4.00 us       5.00 us
Minimum            1.00 us       2.00 us       3.00 us       4.00 us       5.00 us
StDev                 0 ns          0 ns          0 ns          0 ns          0 ns
Avg/Max                  1             1             1             1             1
