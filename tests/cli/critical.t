## SPDX-License-Identifier: Apache-2.0
## weft critical: a run of two ranks, of which one sends late and both meet at a barrier; and what is wrong.
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
$ "$WEFT_BUILD/tests/trace_of_text" run.weft <run.txt && weft critical run.weft
region       on the path    share  of all threads  calls  least slack
solve             100 us  48.54 %          150 us      2         0 ns
assemble          100 us  48.54 %          120 us      2         0 ns
MPI_Recv         4.00 us   1.94 %         84.0 us      1            -
MPI_Barrier      2.00 us   0.97 %         57.0 us      2            -
MPI_Send            0 ns   0.00 %         1.00 us      1            -
$ weft critical run.weft --by thread
thread  on the path    share  of all threads  calls  least slack
1.2.1        104 us  50.49 %          206 us      -         0 ns
1.1.1        102 us  49.51 %          206 us      -         0 ns
$ weft critical run.weft --by path --csv
path,critical_ns,critical_percent,total_ns,calls,least_slack_ns
solve,100000,48.54368932038835,150000,2,0
assemble,100000,48.54368932038835,120000,2,0
MPI_Recv,4000,1.941747572815534,84000,1,
MPI_Barrier,2000,0.970873786407767,57000,2,
MPI_Send,0,0,1000,1,
$ weft critical run.weft --by step
 begin     end  thread  what   where
  0 ns  100 us  1.1.1   burst  assemble
100 us  104 us  1.2.1   call   MPI_Recv
104 us  204 us  1.2.1   burst  solve
204 us  206 us  1.1.1   call   MPI_Barrier
$ weft critical run.weft --by burst --csv
thread,begin_ns,end_ns,region,slack_ns
1.1.1,0,100000,assemble,0
1.1.1,101000,151000,solve,53000
1.2.1,0,20000,assemble,80000
1.2.1,104000,204000,solve,0
$ weft critical run.weft --json --top 1
[
  {
    "region": "solve",
    "critical_ns": 100000,
    "critical_percent": 48.54368932038835,
    "total_ns": 150000,
    "calls": 2,
    "least_slack_ns": 0
  }
]
$ weft critical run.weft -o path.svg && grep -oE 'in red the [^<]*' path.svg && grep -oE '<path fill="#d1242f"[^>]*>|<polyline[^>]*>' path.svg; weft critical run.weft -o path.png --width 400 && head -c 4 path.png | tail -c 3
in red the critical path, 206 us
<path fill="#d1242f" d="M118 83h489v4h-489zM607 111h509v4h-509zM1116 83h10v4h-10z">
<polyline fill="none" stroke-width="1.6" points="118.5,85 607.5,85 607.5,113 1116.5,113 1116.5,85 1126.5,85" stroke="#d1242f"/>
PNG
\ no newline
$ weft critical run.weft -o path.jpg; weft critical run.weft -o path.svg --width 4; weft critical run.weft -o path.svg --rows 0; weft critical run.weft -o path.svg --rows 1 && grep -o 'stretch[^<]*' path.svg
weft critical: error: option '-o': the name of a picture ends in .svg or .png, not 'path.jpg'
Try 'weft critical --help'.
weft critical: error: option '--width': expected 400 to 16384, found '4'
Try 'weft critical --help'.
weft critical: error: option '--rows': expected at least 1
Try 'weft critical --help'.
stretch of the path is on a thread that is not shown; 1 more thread is not shown
$ weft critical run.weft --by place
weft critical: error: option '--by': unknown 'place' (it can be: region, path, thread, step, burst)
Try 'weft critical --help'.
? 2
$ weft critical
weft critical: error: expected TRACE
Try 'weft critical --help'.
? 2
$ weft critical nothing.weft
weft critical: error: cannot open 'nothing.weft': no such file or directory
? 2
