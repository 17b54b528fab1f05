## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## What somebody may leave in a folder where Weft reads and writes: links to what is precious, pipes that nobody writes, devices without end.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && echo precious >precious && chmod 600 precious && mkdir away && echo kept >away/tables

## A link under the name that a packed stream was written under before it took its place.
$ for s in 0 1; do for n in .$s.stream.tmp $s.stream.part $s.stream.tmp; do ln -s ../precious heat.weft/$n; done; done; weft pack heat.weft --csv | cut -d, -f1-3; cat precious; stat -c %a precious
trace,streams,changed
heat.weft,2,2
precious
600
$ weft pack -q --unpack heat.weft && cmp heat.weft/0.stream "$WEFT_SOURCE/tests/golden/traces/heat.weft/0.stream" && cat precious; rm heat.weft/.*.tmp heat.weft/*.tmp heat.weft/*.part
precious

## An index that is a link to another folder: nothing is written there, and nothing taken from there.
$ rm -rf heat.weft/index && ln -s ../away heat.weft/index && weft info -q heat.weft | head -3; weft index heat.weft; ls away; cat away/tables
trace         heat.weft
format        weft
recorded      2023-11-14 22:13:20 UTC
weft index: warning: 3 events were dropped while recording
tables
kept
$ rm heat.weft/index && weft index -q heat.weft && mv heat.weft/index real && ln -s ../real heat.weft/index && touch -d 2001-01-01 real/columns real/tables && weft stat -q heat.weft --csv | wc -l; stat -c %y real/* | cut -d- -f1
5
2001
2001

## A link where the labels of a new .prv will be: one's own is followed, as a shell's > does.
$ rm heat.weft/index; touch behind; ln -s behind heat.pcf; weft convert -q heat.weft -o heat.prv; test -L heat.pcf && head -1 behind | cut -c 1-20; rm heat.pcf; mv behind heat.pcf
DEFAULT_OPTIONS

## Pipes without a writer, in a trace's folder and beside a .prv: each command ends, and says so in a line at most.
$ rm -rf heat.weft/index; mkfifo heat.weft/2.stream heat.weft/topology-x.xml; for c in info check stat dump index pack "merge -o out.weft"; do timeout 20 weft $c -q heat.weft 2>&1 >/dev/null || echo "$c: $?"; done; rm -rf heat.weft/index out.weft
check: 1
weft pack: error: cannot read 'heat.weft/2.stream': not a regular file
pack: 2
$ rm heat.weft/2.stream; for c in info check stat dump index pack "merge -o out.weft"; do timeout 20 weft $c -q heat.weft >/dev/null || echo "$c: $?"; done; rm -r out.weft
check: 1
$ rm -rf heat.weft/index; mkdir heat.weft/index; mkfifo heat.weft/index/tables heat.weft/index/columns; timeout 20 weft info -q heat.weft | head -1; ls -l heat.weft/index | cut -c 1
trace         heat.weft
t
-
-
$ rm heat.pcf heat.row; mkfifo heat.pcf heat.row; for c in info stat "cut --time 0..50% -o out.prv"; do timeout 20 weft $c -q heat.prv 2>&1 >/dev/null; done
weft cut: error: cannot read 'heat.pcf': not a regular file
? 2

## Devices that never end.
$ rm heat.pcf heat.row; ln -s /dev/zero heat.pcf; ln -s /dev/zero heat.row; ln -s /dev/zero zero.prv; (ulimit -v 4000000; timeout 20 weft info -q heat.prv; timeout 20 weft info -q zero.prv; timeout 20 weft paramedir zero.prv heat.cfg; ln -s /dev/zero zero.cfg; timeout 20 weft view show ./zero.cfg) 2>&1 >/dev/null
weft info: error: cannot read 'zero.prv': neither a file nor a pipe
cannot open 'heat.cfg': no such file or directory
weft view: error: cannot read './zero.cfg': neither a file nor a pipe
? 2
