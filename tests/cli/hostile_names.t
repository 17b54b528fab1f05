## SPDX-License-Identifier: Apache-2.0
## Names that steer terminals (ESC, C1 controls in UTF-8, marks of direction) and spreadsheets: no text has them as they are.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft convert -q heat.weft -o heat.prv; esc=$(printf '\033[31m\302\23331m\342\200\256'); raw() { LC_ALL=C grep -cE "$(printf '\033|\302[\200-\237]|\342\200[\250-\256]')"; true; }
$ sed -i "s/^main.*/=cmd()$esc/; s/^helper.*/@x$esc/" heat.row; sed -i "s/Running/=run$esc/" heat.pcf; for c in info "stat --by thread" "stat --by thread --csv" "stat --by thread --json" "dump" "check -v" "table useful" "info --list threads --csv"; do weft $c heat.prv 2>&1 | raw; done
0
0
0
0
0
0
0
0
$ weft stat -q --by thread --csv heat.prv | cut -d, -f 1,2 | cat -v
thread,thread_name
1.1.1,'=cmd()?[31m?31m?
1.1.2,'@x?[31m?31m?
1.2.1,'=cmd()?[31m?31m?

## Windows and tables of a view and of a .cfg.
$ printf 'a "red%s" = state\ntable "tab%s" = window_time_share by a\n' "$esc" "$esc" >x.view; weft view convert -q x.view -o x.cfg; sed -i "s/red[^ ]*/red$esc/" x.cfg; raw <x.cfg; for v in x.view x.cfg; do weft view show $v | raw; weft table -q $v heat.prv | raw; weft table -q $v heat.prv | head -1; done
5
0
0
tab\x1b[31m\u009b31m\u202e: % Window Time by red\x1b[31m\u009b31m\u202e; heat.prv
0
0
tab\x1b[31m\u009b31m\u202e: % Window Time by red\x1b[31m\u009b31m\u202e; heat.prv
$ weft view show x.view >y.view; weft view convert -q y.view -o y.cfg && weft view convert -q --force x.view -o x.cfg && cmp x.cfg y.cfg

## The names of files.
$ mkdir "d$esc" && cp heat.weft/*.stream "d$esc" && truncate -s 9000 "d$esc/1.stream"; for c in info check "stat" "diff heat.weft"; do weft $c "d$esc" 2>&1 | raw; done
0
0
0
0
