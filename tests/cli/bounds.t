## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## What a kilobyte of input may cost: each of these files once took all the memory, or did not end.
## needs: gzip python3 zstd
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft convert -q heat.weft -o heat.prv; within() { (ulimit -v 3000000; timeout 40 weft "$@"); }

## Sixty windows, each twice the one before it, in both languages of views; and a shared window of different levels and shifts.
$ { echo 'a_0 = state'; for i in $(seq 60); do echo "a_$i = a_$((i-1)) + a_$((i-1))"; done; echo 'table "t" = window_time_share by a_60 {scale 0..1e30 step 1e29}'; } >deep.view; weft view convert -q deep.view -o deep.cfg
$ for v in deep.view deep.cfg; do within table -q $v heat.prv --csv | tail -n +2 | head -2; within timeline -q $v heat.prv -o $v.svg --force; within timeline -q $v heat.prv -o $v.csv; within view show $v | tail -1; done; within paramedir heat.prv deep.cfg; ls *.svg; md5sum <deep.view.csv | cmp - <(md5sum <deep.cfg.csv)
main 1.1.1,100
helper 1.1.2,100
table "t" = window_time_share by a_60 {scale 0..1e30 step 1e29}
main 1.1.1,100
helper 1.1.2,100
}
deep.cfg.svg
deep.view.svg

## A chain that is too long to compute: it once ended by a segmentation fault.
$ { echo 'a_0 = state'; for i in $(seq 20000); do echo "a_$i = a_$((i-1)) + a_0"; done; echo 'table "t" = window_time_share by a_20000'; } >chain.view; within table -q chain.view heat.prv
weft table: error: chain.view: window 'a_401': more than 400 windows are derived one from the other to make it
? 2
$ { echo 'a_0 = state'; for i in $(seq 390); do echo "a_$i = a_$((i-1)) + a_0"; done; echo 'table "t" = window_time_share by a_390 {scale 0..1e30 step 1e29}'; } >chain.view; within table -q chain.view heat.prv --csv | wc -l
4

## One line of a view with many tokens: its columns were counted from its begin for each.
$ { echo 'a = state'; printf 'b = a'; yes ' + a' | head -20000 | tr -d '\n'; echo; echo 'table "t" = window_time_share by b'; } >wide.view; within table -q wide.view heat.prv
weft table: error: wide.view: window 'b.401': more than 400 windows are derived one from the other to make it
? 2

## Event types that share their values, 3000 and 3000; and such as stand in many sections each.
$ { echo EVENT_TYPE; for i in $(seq 3000); do echo "0 $((i+1000)) t"; done; echo VALUES; for i in $(seq 3000); do echo "$i v"; done; } >many.pcf; cp heat.prv many.prv; (ulimit -v 600000; weft info -q many.prv | tail -1; weft table -q useful many.prv | wc -l)
damage        none
13
$ python3 -c "
> import itertools
> types = list(itertools.combinations(range(40), 3))[:6000]
> for g in range(40):
>     print('EVENT_TYPE')
>     for i, t in enumerate(types):
>         if g in t: print(0, i + 1000, 't')
>     print('VALUES')
>     for v in range(400): print(g * 400 + v, 'v')" >pairs.pcf; cp heat.prv pairs.prv; (ulimit -v 600000; weft check pairs.prv)
error: pairs.pcf: line 1145: type 1000 is here and in line 2: its last label holds (11999 more such lines) [input]
error: pairs.prv: event types of the .pcf have values of several sections, too many to keep: only those of the last [input]
pairs.prv: damaged; what is there was recovered; 3 threads, 89 records
? 1

## A line without end: packed, plain, and as the first.
$ python3 -c "
> import sys
> print(open('heat.prv').readline(), end='')
> for i in range(300): sys.stdout.write('2:1:1:1:1:100' + ':1:1' * 250000)" | gzip >line.prv.gz; (ulimit -v 600000; timeout 40 weft info -q --memory=256M line.prv.gz; zcat line.prv.gz | head -c 100M >line.prv; timeout 40 weft info -q --memory=256M line.prv; zcat line.prv.gz | timeout 40 weft stat -q --memory=256M -; timeout 40 weft cut -q line.prv -o out.prv --time 0..50%; (head -c 20 heat.prv; head -c 1G /dev/zero | tr '\0' 1) | zstd -q >first.prv.zst; timeout 40 weft info -q --memory=256M first.prv.zst); ls | grep out
weft info: error: line.prv.gz: the line that byte 64 is in has no end within 8 MiB
weft info: error: line.prv: the line that byte 131135 is in has no end within 8 MiB
weft stat: error: /dev/stdin: the line that byte 64 is in has no end within 8 MiB
weft cut: error: line.prv: the line that byte 1048639 is in has no end within 8 MiB
weft info: error: first.prv.zst: the line that byte 0 is in has no end within 32 MiB
? 1
