## SPDX-License-Identifier: Apache-2.0
## weft table of what runtimes did: tests/golden/extrae/ring.txt says what the trace is.
$ "$WEFT_BUILD/tests/trace_of_text" ring.weft <"$WEFT_SOURCE/tests/golden/extrae/ring.txt"
$ weft table mpi-profile ring.weft
call           calls     time     mean      max  messages      sent  received  smallest  mean size  largest
MPI_Recv           2  3.00 us  1.50 us  2.00 us         2       0 B  1.95 KiB    1000 B     1000 B   1000 B
MPI_Allreduce      2  2.50 us  1.25 us  1.50 us         2      16 B      16 B       8 B        8 B      8 B
MPI_Finalize       2  2.00 us  1.00 us  1.00 us         0       0 B       0 B         -          -        -
MPI_Init           2  2.00 us  1.00 us  1.00 us         0       0 B       0 B         -          -        -
MPI_Send           2  1.30 us   650 ns   800 ns         2  1.95 KiB       0 B    1000 B     1000 B   1000 B
$ weft table mpi-profile ring.weft --csv --time 0..4500ns
call,calls,time_ns,mean_ns,max_ns,messages,sent_bytes,received_bytes,least_bytes,mean_bytes,most_bytes
MPI_Init,2,2000,1000,1000,0,0,0,,,
MPI_Recv,2,1500,750,1000,1,0,1000,1000,1000,1000
MPI_Send,1,500,500,500,1,1000,0,1000,1000,1000
$ weft table mpi-matrix ring.weft --csv
from,to,messages,bytes,mean_bytes,most_bytes
0,1,1,1000,1000,1000
1,0,1,1000,1000,1000
$ weft table openmp ring.weft
function              entries  threads     time     work  waiting  scheduling     max  balance
solve [omp parallel]        2        2  1.66 us  1.06 us   600 ns        0 ns  850 ns  96.36 %
$ weft table locks ring.weft
lock          waits  waited  max wait  held  held for    mean     max
omp critical      1  100 ns    100 ns     1    100 ns  100 ns  100 ns
$ weft table io ring.weft --json
[
  {
    "file": "descriptor 1",
    "calls": 1,
    "time_ns": 100,
    "mean_ns": 100,
    "max_ns": 100,
    "read_bytes": 0,
    "written_bytes": 512,
    "errors": 0
  }
]
$ weft table memory ring.weft
function  calls     bytes      mean  smallest   largest
free          1  4.00 KiB  4.00 KiB  4.00 KiB  4.00 KiB
malloc        1  4.00 KiB  4.00 KiB  4.00 KiB  4.00 KiB

## Locks of threads: waits have the lock's address, taking and releasing are points. What was not waited for is only counted.
$ cat >locks.txt <<'END'
> process 0 p
> thread main
> thread two
> category threads
> on 0
> point 10 0xabc lock taken
> point 500 0xabc lock released
> point 600 41 lock entries
> on 1
> enter 100 4 pthread_mutex_lock
> attr 100 0xabc lock
> leave 520 pthread_mutex_lock
> point 520 0xabc lock taken
> point 620 0xabc lock released
> END
$ "$WEFT_BUILD/tests/trace_of_text" locks.weft <locks.txt && weft table locks locks.weft
lock        waits  waited  max wait  held  held for    mean     max
lock 0xabc      1  420 ns    420 ns     2    590 ns  295 ns  490 ns

41 times locks were taken; only those that were waited for have rows, unless all were recorded.

## Files by name; errors; what was read and written.
$ cat >io.txt <<'END'
> process 0 p
> thread main
> category io
> enter 10 5 read
> text 10 file=/data/in
> attr 12 100 bytes
> leave 20 read
> enter 30 5 read
> text 30 file=/data/in
> attr 35 4 error
> leave 40 read
> enter 50 5 write
> text 50 file=/data/out
> attr 60 70 bytes
> leave 80 write
> END
$ "$WEFT_BUILD/tests/trace_of_text" io.weft <io.txt && weft table io io.weft
file       calls   time   mean    max   read  written  errors
/data/out      1  30 ns  30 ns  30 ns    0 B     70 B       0
/data/in       2  20 ns  10 ns  10 ns  100 B      0 B       1

## A trace of Paraver has the library's view of that name; one without any of it says so.
$ weft convert -q --like extrae ring.weft ring.prv && weft table -q io ring.prv | head -5; weft table mpi-profile locks.weft
I/O calls: % Time by I/O call; ring.prv

                   End  write()
THREAD 1.1.1   99.23 %   0.77 %
THREAD 1.1.2  100.00 %        -
weft table: error: 'locks.weft' has nothing of the category 'mpi', of which the table 'mpi-profile' is (weft record --on mpi)
? 2
$ weft table io io.weft -o x.csv
weft table: error: the table 'io' goes to stdout: say --csv or --json, and no -o
Try 'weft table --help'.
? 2
