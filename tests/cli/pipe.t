## SPDX-License-Identifier: Apache-2.0
## Traces from a pipe: '-', a FIFO, /dev/stdin; plain and packed; every format.
## needs: gzip zstd
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft convert -q heat.weft -o heat.prv; weft convert -q heat.weft -o heat.paje; weft dump -q heat.prv >prv; weft dump -q heat.paje >paje; wc -l <prv; wc -l <paje
89
56
$ rm heat.pcf heat.row; weft dump -q heat.prv >bare; cat heat.prv | weft dump -q - | diff - bare; weft dump -q /dev/stdin <heat.prv | diff - bare; weft dump -q - <heat.prv | diff - bare
$ gzip -c heat.prv | weft dump -q - | diff - bare; zstd -qc heat.prv | weft dump -q - | diff - bare; cat heat.paje | weft dump -q - | diff - paje; zstd -qc heat.paje | weft dump -q - | diff - paje
$ cat heat.weft/1.stream | weft dump -q - | diff - <(weft dump -q heat.weft/1.stream)
$ mkfifo fifo; cat heat.prv >fifo & weft stat -q fifo --csv --by thread; wait
thread,thread_name,calls,total_ns,self_ns,min_ns,mean_ns,p50_ns,p99_ns,max_ns,share_percent
1.1.1,,7,140010000,140010000,10000,20001429,19490000,50210000,50210000,33.33333333333333
1.1.2,,6,140010000,140010000,3990000,23335000,11010000,55010000,55010000,33.33333333333333
1.2.1,,9,140010000,140010000,10000,15556667,8700000,60090000,60090000,33.33333333333333
$ mkfifo nobodys; weft stat nobodys
weft stat: error: cannot read 'nobodys': a pipe that nobody writes to
? 2
$ (exec 3>nobodys; echo ready >&2; head -c 100 heat.prv >&3; sleep 6; tail -c +101 heat.prv >&3) & weft dump -q nobodys | diff - bare; wait
ready
$ rm nobodys
$ cat heat.prv | weft info -q - | grep -E '^(trace|format|events|duration)'
trace         /dev/stdin
format        prv
duration      140 ms
events        89 (635 a second)
$ cat heat.prv | weft convert -q - -o kept.weft; weft dump -q kept.weft | grep -v thread_end | diff - bare; ls
bare
fifo
heat.paje
heat.prv
heat.weft
kept.weft
paje
prv

## A file that was cut off says where it ends, and so does a stream that was.
$ head -c 1490 heat.prv >cut.prv; weft check cut.prv
error: cut.prv: line 44: the record ends after 1 of 8 fields; skipped [input]
error: cut.prv: line 44: the last line has no end, the file was cut off; there are records up to 140 ms of 140 ms [input]
cut.prv: damaged: 2 B lost, the rest was recovered; 3 threads, 72 records
? 1
$ head -c 1490 heat.prv | weft info - 2>&1 | grep -E 'warning|damage'
weft info: warning: /dev/stdin:44: the last line has no end, the file was cut off; there are records up to 140 ms of 140 ms
weft info: warning: /dev/stdin:44: the record ends after 1 of 8 fields; skipped
damage        2 (see 'weft check')
$ gzip -c heat.prv | head -c 300 >cut.prv.gz; weft check cut.prv.gz
warning: cut.prv.gz: the last state ends at 111 ms of 140 ms: the end of the file may be missing [end-missing]
error: cut.prv.gz: line 30: the gzip stream ends early; there are records up to 111 ms of 140 ms [input]
error: cut.prv.gz: line 30: the record ends after 5 of 8 fields; skipped [input]
cut.prv.gz: damaged: 10 B lost, the rest was recovered; 3 threads, 49 records
? 1
$ head -n 30 heat.prv >lines.prv; weft check lines.prv
warning: lines.prv: the last state ends at 111 ms of 140 ms: the end of the file may be missing [end-missing]
lines.prv: sound as far as it goes; 3 threads, 51 records
$ weft check --json lines.prv | jq .ends_missing; weft check --strict -q lines.prv
1
? 1
