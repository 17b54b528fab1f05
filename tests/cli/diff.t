## SPDX-License-Identifier: Apache-2.0
## weft diff: two traces through the same views.
$ cp "$WEFT_SOURCE"/tests/golden/paraver/traces/t3.* . && cp t3.pcf b.pcf && cp t3.row b.row
$ sed -e 's/^1:1:1:1:1:0:500:1/1:1:1:1:1:0:700:1/' t3.prv >b.prv; diff t3.prv b.prv
7c7
< 1:1:1:1:1:0:500:1
---
\> 1:1:1:1:1:0:700:1
? 1
$ weft diff -q t3.prv b.prv states
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

states: Time (states)
              A       B   change  percent
Blocked  300 ns  200 ns  -100 ns  -33.3 %  ----------------
$ weft diff -q t3.prv b.prv states --by row
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

states: Time (states)
row               A        B   change  percent
MAIN 1.1.1  12.2 us  12.1 us  -100 ns   -0.8 %  ----------------
$ weft diff -q t3.prv b.prv states --by cell --top 1
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

states: Time (states)
row                       A       B   change  percent
MAIN 1.1.1  Blocked  300 ns  200 ns  -100 ns  -33.3 %  ----------------
$ sed -e 's/MAIN 1.1.1/first/' t3.row >b.row; weft diff -q t3.prv b.prv states --by row
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

states: Time (states)
row               A        B   change  percent
MAIN 1.1.1  12.2 us  12.1 us  -100 ns   -0.8 %  ----------------
$ weft diff -q t3.prv b.prv states --csv
view,table,statistic,unit,row,column,a,b,change
states,states,Time,us,,Blocked,0.3,0.2,-0.09999999999999998
$ weft diff -q t3.prv b.prv states --json --statistic bursts
[]
$ weft diff -q t3.prv t3.prv
A  t3.prv  3 processes, 4 threads, 12.3 us
B  t3.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

states: Time (states)
no change

time in calls: Time (mpi-time)
no change

bytes sent: Bytes sent (mpi-matrix)
no change

instructions: Sum bursts (instructions)
no change

MIPS: Average value (mips)
no change
$ weft diff -q t3.prv b.prv states --check --threshold 50
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

states: Time (states)
no change
$ weft diff -q t3.prv b.prv states --check --threshold 0.5 >out
? 1
$ weft diff -q t3.prv b.prv useful-histogram
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)

useful duration: Time (useful-histogram)
                   A       B   change  percent
[0.49..0.55)  500 ns       -  -500 ns     gone  ----------------
[0.68..0.74)       -  500 ns  +500 ns      new  ++++++++++++++++
$ weft diff -q t3.prv b.prv openmp-tasks
weft diff: error: openmp-tasks: neither trace has the events that it asks for
A  t3.prv  3 processes, 4 threads, 12.3 us
B  b.prv  3 processes, 4 threads, 12.3 us (+0.0 %)
? 2
$ weft diff -q t3.prv b.prv states --by tread
weft diff: error: option '--by': expected column, row or cell, found 'tread'
Try 'weft diff --help'.
? 2
$ weft diff -q t3.prv
weft diff: error: expected A B [VIEW...]
Try 'weft diff --help'.
? 2
