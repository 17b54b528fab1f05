## SPDX-License-Identifier: Apache-2.0
## weft waits: classes, causes, places, single waits; of a run of which one rank assembles for longer, and the other waits for it twice.
$ cat >run.txt <<'END'
> process 0 solver
> thread main
> process 1 solver
> thread main
> comm 2 MPI_COMM_WORLD
> on 0
> category user
> enter 0 1 assemble
> leave 100000 assemble
> category mpi
> enter 100000 3 MPI_Send
> on 1
> category user
> enter 0 1 assemble
> leave 20000 assemble
> category mpi
> enter 20000 2 MPI_Recv
> message 0 1 800 7 100000 101000 20000 104000
> on 0
> leave 101000 MPI_Send
> category user
> enter 101000 1 solve
> leave 151000 solve
> category mpi
> enter 151000 4 MPI_Barrier
> collective 206000 8 -1 0 0
> leave 206000 MPI_Barrier
> on 1
> leave 104000 MPI_Recv
> category user
> enter 104000 1 solve
> leave 204000 solve
> category mpi
> enter 204000 4 MPI_Barrier
> collective 206000 8 -1 0 0
> leave 206000 MPI_Barrier
> END
$ "$WEFT_BUILD/tests/trace_of_text" run.weft <run.txt && weft waits run.weft
waits                count     time  of all waits  of all threads' time  what it is
late sender              1  80.0 us       60.15 %               19.42 %  the message was sent after its receiver was ready
wait at MPI barrier      1  53.0 us       39.85 %               12.86 %  others came later

caused by  on     directly  over other waits  of all waits
assemble   1.1.1   80.0 us              0 ns       60.15 %
solve      1.2.1   53.0 us              0 ns       39.85 %
$ weft waits run.weft --csv
class,count,wait_ns,percent_of_waits,percent_of_time,about
late_sender,1,80000,60.150375939849624,19.41747572815534,the message was sent after its receiver was ready
mpi_barrier,1,53000,39.849624060150376,12.864077669902912,others came later
$ weft waits run.weft --by cause --csv
path,thread,direct_ns,propagated_ns,percent_of_waits
assemble,1.1.1,80000,0,60.150375939849624
solve,1.2.1,53000,0,39.849624060150376
$ weft waits run.weft --by place
where        class        count     time  of all waits
MPI_Recv     late_sender      1  80.0 us       60.15 %
MPI_Barrier  mpi_barrier      1  53.0 us       39.85 %
$ weft waits run.weft --by thread
thread  class        count     time  of all waits
1.2.1   late_sender      1  80.0 us       60.15 %
1.1.1   mpi_barrier      1  53.0 us       39.85 %
$ weft waits run.weft --by wait --json
[
  {
    "thread": "1.1.1",
    "begin_ns": 151000,
    "wait_ns": 53000,
    "class": "mpi_barrier",
    "where": "MPI_Barrier",
    "for": "1.2.1"
  },
  {
    "thread": "1.2.1",
    "begin_ns": 20000,
    "wait_ns": 80000,
    "class": "late_sender",
    "where": "MPI_Recv",
    "for": "1.1.1"
  }
]
$ weft waits run.weft --by region
weft waits: error: option '--by': unknown 'region' (it can be: class, cause, place, thread, wait)
Try 'weft waits --help'.
? 2
$ weft waits
weft waits: error: expected TRACE
Try 'weft waits --help'.
? 2
