## SPDX-License-Identifier: Apache-2.0
## What -o may end with: an unknown ending is refused, by one line with the known ones; nothing is written.
$ cp "$WEFT_SOURCE"/tests/golden/prv/t1.prv "$WEFT_SOURCE"/tests/golden/prv/t1.pcf . && cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && touch times && ls >before
$ weft timeline heat.weft -o picture.pdf
weft timeline: error: cannot tell the format from the name 'picture.pdf': known endings are .svg .png .csv; or say it with --format
Try 'weft timeline --help'.
? 2
$ weft timeline heat.weft -o a/b.c/picture.jpeg
weft timeline: error: cannot tell the format from the name 'a/b.c/picture.jpeg': known endings are .svg .png .csv; or say it with --format
Try 'weft timeline --help'.
? 2
$ weft table states t1.prv -o table.xlsx
weft table: error: cannot tell the format from the name 'table.xlsx': known endings are .txt .csv .json .png .svg
Try 'weft table --help'.
? 2
$ weft table states t1.prv --cell '*,*' --save cells.txt
weft table: error: cannot tell the format from the name 'cells.txt': known endings are .view .cfg
Try 'weft table --help'.
? 2
$ weft view convert useful -o useful.prv
weft view: error: cannot tell the format from the name 'useful.prv': known endings are .cfg .view .txt
Try 'weft view --help'.
? 2
$ weft cut heat.weft --time 0%..50% -o half.xyz
weft cut: error: cannot tell the format from the name 'half.xyz': known endings are .weft .prv .prv.gz .prv.zst
Try 'weft cut --help'.
? 2
$ weft filter heat.weft -f kind=counter -o some.paje.gz
weft filter: error: cannot tell the format from the name 'some.paje.gz': known endings are .weft .prv .prv.gz .prv.zst
Try 'weft filter --help'.
? 2
$ weft cut heat.weft --time 0%..50% -o half.json
weft cut: error: 'half.json' would be a folder of streams: call it NAME.weft ('weft convert' writes chrome)
Try 'weft cut --help'.
? 2
$ weft shift t1.prv --times times -o later.csv
weft shift: error: 'later.csv' would be a folder of streams: call it NAME.weft ('weft convert' writes csv)
Try 'weft shift --help'.
? 2
$ weft merge heat.weft heat.weft -o both.tar
weft merge: error: cannot tell the format from the name 'both.tar': known endings are .weft
Try 'weft merge --help'.
? 2
$ weft merge heat.weft heat.weft -o both.prv
weft merge: error: 'both.prv' would be a folder of streams: call it NAME.weft ('weft convert' writes prv)
Try 'weft merge --help'.
? 2
$ weft record -o run.prv -- true
weft record: error: 'run.prv' would be a folder of streams: call it NAME.weft ('weft convert' writes prv)
? 2
$ weft tune -t nworkers -o run.json -- true
weft tune: error: 'run.json' would be a folder of streams: call it NAME.weft ('weft convert' writes chrome)
? 2
$ ls | diff before - | grep -v before
? 1

## Without one, with a folder that has one, with a number behind the dot: as ever.
$ mkdir run.d && weft timeline heat.weft -o run.d/picture && head -c 4 run.d/picture; echo; weft timeline heat.weft -o run.2 && weft cut -q heat.weft --time 0%..50% -o half.v/ ; weft cut -q heat.weft --time 0%..50% -o half && ls -d half run.2
weft timeline: warning: 3 events were dropped while recording
<svg
weft timeline: warning: 3 events were dropped while recording
weft cut: error: cannot tell the format from the name 'half.v/': known endings are .weft .prv .prv.gz .prv.zst
Try 'weft cut --help'.
half
run.2
