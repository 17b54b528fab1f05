## SPDX-License-Identifier: Apache-2.0
## weft record at a terminal: Ctrl-C reaches the command once, as without it.
$ cat >at_terminal.py <<'END'
> import os, pty, sys, time
> pid, fd = pty.fork()
> if pid == 0:
>     os.execvp(sys.argv[1], sys.argv[1:])
> out = b""
> while b"ready" not in out:
>     out += os.read(fd, 1000)
> os.write(fd, b"\x03")
> try:
>     while more := os.read(fd, 1000):
>         out += more
> except OSError:
>     pass
> print(out.decode().replace("\r", "").replace("^C", ""), end="")
> sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
> END
$ cat >count.sh <<'END'
> n=0
> trap 'n=$((n+1))' INT
> echo ready
> for i in $(seq 600); do [ $n = 0 ] && sleep 0.1; done; sleep 0.3
> echo "interrupted $n times"
> exit 9
> END
$ python3 at_terminal.py weft record -q -o a.weft -- sh count.sh
ready
interrupted 1 times
? 9

$ python3 at_terminal.py weft record -q -o b.weft -- sh -c 'echo ready; exec sleep 60'
ready
? 130
