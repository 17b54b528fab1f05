## SPDX-License-Identifier: Apache-2.0
## Tables fit the terminal: columns that have no room stand below each other, long names are shortened, long texts wrapped. What is no
## terminal gets 120 columns, and whole names.
$ cat >wide.py <<'END'
> import fcntl, os, pty, struct, sys, termios
> pid, fd = pty.fork()
> if pid == 0:
>     sys.stdin.readline()
>     os.execvp(sys.argv[2], sys.argv[2:])
> fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
> os.write(fd, b"\n")
> out = b""
> try:
>     while more := os.read(fd, 65536):
>         out += more
> except OSError:
>     pass
> print(out.decode().replace("\r\n", "\n").lstrip("\n"), end="")
> sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
> END
$ cp "$WEFT_SOURCE"/tests/golden/views/sample.* .
$ python3 wide.py 60 weft table -q mpi-profile sample.prv
MPI profile: % Time by MPI call; sample.prv

              Outside MPI  MPI_Send  MPI_Recv
THREAD 1.1.1      80.00 %         -   10.00 %
THREAD 1.1.2     100.00 %         -         -
THREAD 1.2.1      90.00 %    5.00 %         -
THREAD 1.2.2     100.00 %         -         -

Total            370.00 %    5.00 %   10.00 %
Average           92.50 %    5.00 %   10.00 %
Maximum          100.00 %    5.00 %   10.00 %
Minimum           80.00 %    5.00 %   10.00 %
StDev              8.29 %    0.00 %    0.00 %
Avg/Max             0.925         1         1

              MPI_Allreduce
THREAD 1.1.1        10.00 %
THREAD 1.1.2              -
THREAD 1.2.1         5.00 %
THREAD 1.2.2              -

Total               15.00 %
Average              7.50 %
Maximum             10.00 %
Minimum              5.00 %
StDev                2.50 %
Avg/Max                0.75
$ python3 wide.py 200 weft table -q mpi-profile sample.prv
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
$ weft table -q mpi-profile sample.prv | cat
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
$ python3 wide.py 70 weft view list | head -6; weft view list | sed -n 3p; python3 wide.py 70 weft view list | awk 'length > 70'
view                     shows
cpus                     which cpu each thread runs on, as the trace's
                         events say it
efficiency               how well the processes of a program are used:
                         share of time that each thread computes
flushing                 time that tracing itself took, when it wrote
efficiency               how well the processes of a program are used: share of time that each thread computes
$ printf '%s\n' '#Paraver (01/01/2024 at 10:00):1000:1(2):1:2(1:1,1:1)' 2:1:1:1:1:10:8:1 2:1:1:1:1:20:8:0 >long.prv; printf 'EVENT_TYPE\n0 8 A type whose name is longer than what a narrow terminal has room for beside its numbers\n' >long.pcf
$ python3 wide.py 60 weft info -q long.prv --list types; weft info -q long.prv --list types | cat
id  name                category  unit  code  labels  events
 1  A type whose name…                     8       0       2
id  name                                                                                     category  unit  code  labels  events
 1  A type whose name is longer than what a narrow terminal has room for beside its numbers                     8       0       2
