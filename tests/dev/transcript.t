## SPDX-License-Identifier: Apache-2.0
## dev/run-transcript itself: what passes, what fails, what --update writes.
$ run() { "$WEFT_SOURCE/dev/run-transcript" "$@"; }
$ cat >good.t <<'END'
> ## a comment
> $ echo one; echo two >&2
> one
> two
> 
> $ false
> ? 1
> $ echo '$ escaped'; echo '\'; printf 'no end'
> \$ escaped
> \\
> no end
> \ no newline
> $ x=kept
> $ echo $x "$PWD" | sed 's,/tmp[^ ]*/work,HOME,'
> kept[..]HOME
> $ seq 20
> 1
> ...
> 19
> [..]0
> END
$ run good.t
1..6
ok 1 - good.t:2: echo one; echo two >&2
ok 2 - good.t:6: false
ok 3 - good.t:8: echo '$ escaped'; echo '\'; printf 'no end'
ok 4 - good.t:13: x=kept
ok 5 - good.t:14: echo $x "$PWD" | sed 's,/tmp[^ ]*/work,HOME,'
ok 6 - good.t:16: seq 20
6 passed, 0 failed

## Each way to differ is seen, and the commands after it still run.
$ cat >bad.t <<'END'
> $ echo one
> two
> $ true
> ? 3
> $ seq 5
> 1
> ...
> 6
> $ if
> $ echo on
> on
> $ exit 4
> $ echo not reached
> not reached
> END
$ run bad.t
1..7
# at line 1; expected:
#   two
# got:
#   one
not ok 1 - bad.t:1: echo one
# at line 3; expected:
#   ? 3
# got:
not ok 2 - bad.t:3: true
# at line 5; expected:
#   1
#   ...
#   6
# got:
#   1
#   2
#   3
#   4
#   5
not ok 3 - bad.t:5: seq 5
# at line 9; expected:
# got:
#   [..]: line 8: syntax error: unexpected end of file
#   ? 2
not ok 4 - bad.t:9: if
ok 5 - bad.t:10: echo on
# at line 12; expected:
# got:
#   (the shell ended)
#   ? 255
not ok 6 - bad.t:12: exit 4
# at line 13; expected:
#   not reached
# got:
#   (the shell ended)
#   ? 255
not ok 7 - bad.t:13: echo not reached
1 passed, 6 failed
? 1

$ cat >update.t <<'END'
> ## tags: short
> 
> $ printf 'a\n\n'
> $ seq 3
> 1
> [..]
> 4
> 
> ## end
> END
$ run --update update.t | tail -n 1; cat update.t; run update.t
2 passed, 0 failed
\## tags: short

\$ printf 'a\n\n'
a


\$ seq 3
1
[..]
3

\## end
1..2
ok 1 - update.t:3: printf 'a\n\n'
ok 2 - update.t:7: seq 3
2 passed, 0 failed

$ printf '## needs: no-such-program\n$ no-such-program\n' >needs.t; run needs.t
1..1
ok 1 - needs.t # SKIP needs no-such-program

$ run
usage: dev/run-transcript [--update] FILE.t
? 2
