## SPDX-License-Identifier: Apache-2.0
## weft table: forms, options, from cells back to time.
$ cp "$WEFT_SOURCE"/tests/golden/paraver/traces/t3.* .
$ weft table -q states t3.prv
states: % Window Time by states; t3.prv

             Running  Waiting a message  Blocked  Unknown state 5
MAIN 1.1.1   12.96 %            83.80 %   2.43 %                -
WORK 1.1.2    1.62 %                  -        -           0.81 %
MAIN 1.2.1   81.00 %                  -        -                -
MAIN 1.3.1  100.00 %                  -        -                -

Total       195.59 %            83.80 %   2.43 %           0.81 %
Average      48.90 %            83.80 %   2.43 %           0.81 %
Maximum     100.00 %            83.80 %   2.43 %           0.81 %
Minimum       1.62 %            83.80 %   2.43 %           0.81 %
StDev        42.33 %             0.00 %   0.00 %           0.00 %
Avg/Max     0.488963                  1        1                1
$ weft table -q states t3.prv --csv
row,Running,Waiting a message,Blocked,Unknown state 5
MAIN 1.1.1,12.960712839206156,83.7991089509923,2.4301336573511545,
WORK 1.1.2,1.6200891049007695,,,0.8100445524503848
MAIN 1.2.1,81.00445524503847,,,
MAIN 1.3.1,100,,,
$ weft table -q states t3.prv --statistic time --rows '*1.1.1' --time 10%..50%
states: Time by states; t3.prv, 1.24 us to 6.17 us

            Running  Waiting a message
MAIN 1.1.1   765 ns            4.17 us
$ weft table -q states t3.prv --statistic bursts --json
[
  {
    "table": "states",
    "trace": "t3.prv",
    "statistic": "# Bursts",
    "unit": "",
    "begin_ns": 0,
    "end_ns": 12345,
    "columns": [
      {
        "label": "Running",
        "from": 1
      },
      {
        "label": "Waiting a message",
        "from": 3
      },
      {
        "label": "Blocked",
        "from": 4
      },
      {
        "label": "Unknown state 5",
        "from": 5
      }
    ],
    "rows": [
      {
        "label": "MAIN 1.1.1",
        "values": [
          2,
          1,
          1,
          null
        ]
      },
      {
        "label": "WORK 1.1.2",
        "values": [
          1,
          null,
          null,
          1
        ]
      },
      {
        "label": "MAIN 1.2.1",
        "values": [
          1,
          null,
          null,
          null
        ]
      },
      {
        "label": "MAIN 1.3.1",
        "values": [
          1,
          null,
          null,
          null
        ]
      }
    ],
    "totals": {
      "Total": [
        5,
        1,
        1,
        1
      ],
      "Average": [
        1.25,
        1,
        1,
        1
      ],
      "Maximum": [
        2,
        1,
        1,
        1
      ],
      "Minimum": [
        1,
        1,
        1,
        1
      ],
      "StDev": [
        0.4330127018922193,
        0,
        0,
        0
      ],
      "Avg/Max": [
        0.625,
        1,
        1,
        1
      ]
    }
  }
]
$ weft table -q states t3.prv t3.prv --csv
trace,plane,row,column,value
t3.prv,,MAIN 1.1.1,Running,12.960712839206156
t3.prv,,MAIN 1.1.1,Waiting a message,83.7991089509923
t3.prv,,MAIN 1.1.1,Blocked,2.4301336573511545
t3.prv,,WORK 1.1.2,Running,1.6200891049007695
t3.prv,,WORK 1.1.2,Unknown state 5,0.8100445524503848
t3.prv,,MAIN 1.2.1,Running,81.00445524503847
t3.prv,,MAIN 1.3.1,Running,100
t3.prv,,MAIN 1.1.1,Running,12.960712839206156
t3.prv,,MAIN 1.1.1,Waiting a message,83.7991089509923
t3.prv,,MAIN 1.1.1,Blocked,2.4301336573511545
t3.prv,,WORK 1.1.2,Running,1.6200891049007695
t3.prv,,WORK 1.1.2,Unknown state 5,0.8100445524503848
t3.prv,,MAIN 1.2.1,Running,81.00445524503847
t3.prv,,MAIN 1.3.1,Running,100
$ weft table -q useful t3.prv --window useful_duration
weft table: error: option '--window': there is none called 'useful_duration'; there is 'useful duration'
Try 'weft table --help'.
? 2
$ weft table -q useful t3.prv --window 'useful duration'
useful duration: Time by useful duration in us; t3.prv

            [0.30..0.36)  [0.49..0.55)  [1.06..1.12)  [9.98..10.04)  [12.31..12.38)
MAIN 1.1.1             -        500 ns       1.10 us              -               -
WORK 1.1.2        200 ns             -             -              -               -
MAIN 1.2.1             -             -             -        10.0 us               -
MAIN 1.3.1             -             -             -              -         12.3 us

Total             200 ns        500 ns       1.10 us        10.0 us         12.3 us
Average           200 ns        500 ns       1.10 us        10.0 us         12.3 us
Maximum           200 ns        500 ns       1.10 us        10.0 us         12.3 us
Minimum           200 ns        500 ns       1.10 us        10.0 us         12.3 us
StDev               0 ns          0 ns          0 ns           0 ns            0 ns
Avg/Max                1             1             1              1               1
$ weft table -q states t3.prv --table 2
weft table: error: option '--table': there is none called '2'; there is 'states'
Try 'weft table --help'.
? 2
$ weft table -q states t3.prv --statistic tim
weft table: error: option '--statistic': unknown statistic 'tim' (did you mean 'time'?)
Try 'weft table --help'.
? 2
$ weft table -q states t3.prv --rows 7.7.7
weft table: error: option '--rows': no row is called '7.7.7'; the first is 'MAIN 1.1.1'
Try 'weft table --help'.
? 2
$ weft table -q mpi-profile t3.prv
MPI profile: % Time by MPI call; t3.prv

                 End  MPI_Send  MPI_Recv  MPI_Isend
MAIN 1.1.1   93.52 %    2.43 %    4.05 %          -
WORK 1.1.2  100.00 %         -         -          -
MAIN 1.2.1   98.38 %         -         -     1.62 %
MAIN 1.3.1  100.00 %         -         -          -

Total       391.90 %    2.43 %    4.05 %     1.62 %
Average      97.97 %    2.43 %    4.05 %     1.62 %
Maximum     100.00 %    2.43 %    4.05 %     1.62 %
Minimum      93.52 %    2.43 %    4.05 %     1.62 %
StDev         2.66 %    0.00 %    0.00 %     0.00 %
Avg/Max     0.979749         1         1          1
$ weft table -q mpi-profil t3.prv
weft table: error: unknown view 'mpi-profil', did you mean 'mpi-profile'? (see 'weft view list')
? 2
$ weft table -q mpi-matrix t3.prv
bytes sent: Bytes sent by partner; t3.prv

            MAIN 1.1.1  MAIN 1.2.1  MAIN 1.3.1
MAIN 1.1.1           -       100 B           -
WORK 1.1.2           -           -           -
MAIN 1.2.1    4.00 KiB           -           -
MAIN 1.3.1           -           -         5 B

Total         4.00 KiB       100 B         5 B
Average       4.00 KiB       100 B         5 B
Maximum       4.00 KiB       100 B         5 B
Minimum       4.00 KiB       100 B         5 B
StDev              0 B         0 B         0 B
Avg/Max              1           1           1
$ weft table -q states t3.prv --cell '*,Running' --timeline --save running.view --csv
row,begin_ns,duration_ns,value
MAIN 1.1.1,0,500,1
MAIN 1.1.1,900,1100,1
WORK 1.1.2,100,200,1
MAIN 1.2.1,0,10000,1
MAIN 1.3.1,0,12345,1
$ cat running.view
about "time in each state, by thread"

states = state
in_the_columns "in the columns" = max(states, states) | in_range(1..1.9999999999999998)
states_in_running "states in Running" = states * in_the_columns {
	rows thread of 0 0: 1 * 2
	rows thread of 0 1: 1
	rows thread of 0 2: 1
}
$ weft table -q running.view t3.prv
states in Running: Time by states in Running; t3.prv

             Running
MAIN 1.1.1   1.60 us  ##
WORK 1.1.2    200 ns
MAIN 1.2.1   10.0 us  #############
MAIN 1.3.1   12.3 us  ################

Total        24.1 us
Average      6.04 us
Maximum      12.3 us
Minimum       200 ns
StDev        5.23 us
Avg/Max     0.488963
$ weft table -q states t3.prv --cell '*,Running' --timeline -o running.svg && grep -c '<svg' running.svg
1
$ weft table -q states t3.prv -o t.png && head -c 4 t.png | tail -c 3
PNG
\ no newline
$ weft table -q states t3.prv -o t.png
weft table: error: 't.png' is there already (--force replaces it)
Try 'weft table --help'.
? 2
$ weft table -q states t3.prv --cell 1.1.1,Runing --timeline
weft table: error: no cell '1.1.1,Runing': no column is called 'Runing' (did you mean 'Running'?)
? 2
$ weft table -q states t3.prv --cell 1.1.1,Running
weft table: error: option '--cell' wants --timeline or --save
Try 'weft table --help'.
? 2
$ printf 'a = value(7000001 "Sise")\n' >wrong.view; weft table wrong.view t3.prv
weft table: warning: t3.prv:18: cpu 3 is on node 2, the thread on node 1; record skipped
weft table: warning: t3.prv:19: cpu 9, of 3; record skipped
weft table: warning: t3.prv:20: there is no thread 1.9.1; record skipped
weft table: warning: and 1 problems more (see 'weft check t3.prv')
weft table: error: wrong.view: the trace has none of its events: 'Sise' (the nearest is 'Other')
? 2
$ printf 'a = vale(5)\n' >wrong.view; weft table wrong.view t3.prv
weft table: error: wrong.view:1:5: unknown metric or function 'vale' (did you mean 'value'?)
a = vale(5)
    ^
? 2
## Planes: a table for each value of a third metric.
$ cp "$WEFT_SOURCE"/tests/golden/views/sample.* .
$ printf 'st = state\ncall = value(50000001 .. 50000005)\ntable "p" = time by st planes call { plane_scale 0..20 step 1 }\n' >planes.view
$ weft table -q planes.view sample.prv
p: Time by st, call: Outside MPI; sample.prv

               Running  Not created
THREAD 1.1.1   8.00 us            -
THREAD 1.1.2   2.00 us      1.00 us
THREAD 1.2.1   9.00 us            -
THREAD 1.2.2   1.00 us      1.00 us

Total          20.0 us      2.00 us
Average        5.00 us      1.00 us
Maximum        9.00 us      1.00 us
Minimum        1.00 us      1.00 us
StDev          3.54 us         0 ns
Avg/Max       0.555556            1

p: Time by st, call: MPI_Send; sample.prv

              Blocking Send
THREAD 1.1.1              -
THREAD 1.1.2              -
THREAD 1.2.1         500 ns  ################
THREAD 1.2.2              -

Total                500 ns
Average              500 ns
Maximum              500 ns
Minimum              500 ns
StDev                  0 ns
Avg/Max                   1

p: Time by st, call: MPI_Recv; sample.prv

              Waiting a message
THREAD 1.1.1            1.00 us  ################
THREAD 1.1.2                  -
THREAD 1.2.1                  -
THREAD 1.2.2                  -

Total                   1.00 us
Average                 1.00 us
Maximum                 1.00 us
Minimum                 1.00 us
StDev                      0 ns
Avg/Max                       1

p: Time by st, call: MPI_Allreduce; sample.prv

              Group Communication
THREAD 1.1.1              1.00 us  ################
THREAD 1.1.2                    -
THREAD 1.2.1               500 ns  ########
THREAD 1.2.2                    -

Total                     1.50 us
Average                    750 ns
Maximum                   1.00 us
Minimum                    500 ns
StDev                      250 ns
Avg/Max                      0.75
$ weft table -q planes.view sample.prv --csv | tail -3
sample.prv,MPI_Recv,THREAD 1.1.1,Waiting a message,1
sample.prv,MPI_Allreduce,THREAD 1.1.1,Group Communication,1
sample.prv,MPI_Allreduce,THREAD 1.2.1,Group Communication,0.5
$ weft table -q planes.view sample.prv --plane MPI_Recv
p: Time by st, call: MPI_Recv; sample.prv

              Waiting a message
THREAD 1.1.1            1.00 us  ################
THREAD 1.1.2                  -
THREAD 1.2.1                  -
THREAD 1.2.2                  -

Total                   1.00 us
Average                 1.00 us
Maximum                 1.00 us
Minimum                 1.00 us
StDev                      0 ns
Avg/Max                       1
$ weft table -q planes.view sample.prv --plane MPI_Irecv
weft table: error: option '--plane': the table has no plane 'MPI_Irecv'
Try 'weft table --help'.
? 2
$ weft table -q planes.view sample.prv --plane MPI_Allreduce --cell '*,Group Communication' --timeline
row             begin  duration  value
THREAD 1.1.1  8.00 us   1.00 us     13
THREAD 1.2.1  8.50 us    500 ns     13
$ weft table -q mpi-profile sample.prv --cell '1.1.1,Outside MPI' --timeline --save outside.cfg && weft table -q outside.cfg sample.prv --rows 1.1.1 --csv
row             begin  duration  value
THREAD 1.1.1     0 ns   4.00 us      1
THREAD 1.1.1  5.00 us   3.00 us      1
THREAD 1.1.1  9.00 us   1.00 us      1
row,1
THREAD 1.1.1,8

## A trace that is larger than the memory limit: the command that it proposes keeps what the view needs.
$ weft table mpi-profile sample.prv --memory 1 --csv 2>&1 >large.csv | grep -o 'weft filter .*' >propose.sh; cut -c1-42 propose.sh
weft filter sample.prv -o sample.filtered.
$ sh propose.sh; weft table mpi-profile sample.filtered.weft --csv | cmp - large.csv
dropped 145 of 155 events

## Columns by options: what is not said stays the view's.
$ weft table -q useful-histogram sample.prv --min 0 --max 5 --columns 5 --csv
row,0.00 us,1.00 us,2.00 us,3.00 us,4.00 us
THREAD 1.1.1,2,1,,3,4
THREAD 1.1.2,8,,2,,
THREAD 1.2.1,1,1,,3,5
THREAD 1.2.2,9,1,,,
$ weft table -q useful-histogram sample.prv --min 1 --max 5 --delta 2 --csv
row,[1.00..3.00),[3.00..5.00]
THREAD 1.1.1,1,7
THREAD 1.1.2,2,
THREAD 1.2.1,1,8
THREAD 1.2.2,1,
$ weft table -q useful-histogram sample.prv --delta 2 --csv
row,[1.00..3.00),[3.00..5.00),[5.00..5.20]
THREAD 1.1.1,1,7,
THREAD 1.1.2,2,,
THREAD 1.2.1,1,3,5
THREAD 1.2.2,1,,
$ weft table -q useful-histogram sample.prv --columns 3 --csv; weft table -q useful-histogram sample.prv --max 2 --columns 2 --csv
row,[1.00..2.40),[2.40..3.80),[3.80..5.20]
THREAD 1.1.1,1,3,4
THREAD 1.1.2,2,,
THREAD 1.2.1,1,3,5
THREAD 1.2.2,1,,
row,[1.00..1.50),[1.50..2.00]
THREAD 1.1.1,1,
THREAD 1.1.2,,2
THREAD 1.2.1,1,
THREAD 1.2.2,1,
$ weft table -q useful sample.prv --min 0 --max 1 --csv
row,0,1
THREAD 1.1.1,20,80
THREAD 1.1.2,80,20
THREAD 1.2.1,10,90
THREAD 1.2.2,90,10
$ for bad in '--min x' '--delta 0' '--delta -1' '--columns 0' '--columns 9999999' '--min 5 --max 2' '--delta 1 --columns 2'; do weft table -q useful sample.prv $bad; done 2>&1 | grep -v '^Try'
weft table: error: option '--min': expected a number, found 'x'
weft table: error: option '--delta': expected a width greater than 0, found '0'
weft table: error: option '--delta': expected a width greater than 0, found '-1'
weft table: error: option '--columns': expected 1 to 1000000
weft table: error: option '--columns': expected 1 to 1000000
weft table: error: option '--max' (2) is less than '--min' (5)
weft table: error: options '--delta' and '--columns' exclude each other
$ weft table -q mpi-matrix sample.prv --min 1
weft table: error: columns of 'Bytes sent' are partners, which have no scale
Try 'weft table --help'.
? 2
