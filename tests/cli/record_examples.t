## SPDX-License-Identifier: Apache-2.0
## needs: jq
## tags: timeout=120
## weft record with programs that use libweft: what must be in the traces of the examples, by number.
## (The leak checker of a sanitizer build makes processes of its own, which would be recorded.)
$ heat="env ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 $WEFT_BUILD/examples/heat"
$ weft record --off threads,io -o heat.weft -- $heat -n 200 -s 30
200 x 200 points, 30 steps, 4 processes of 2 threads: right
weft record: 10.[..] k events of 4 processes and 8 threads, [..]; next: weft stat heat.weft

## No message is received before its send began: neither here nor in what other tools are given; and Paje's lines are in order of time.
$ weft check -q heat.weft; weft convert -q heat.weft -o heat.json; jq -c '[.traceEvents[] | select(.cat == "message" and (.ph == "s" or .ph == "f"))] | group_by(.id) | map(sort_by(.ph) | .[0].ts >= .[1].ts) | [length, all]' heat.json
[198,true]
$ weft convert -q heat.weft -o heat.paje; awk '/^%EventDef/ { name[$3] = $2; next } $1 in name && name[$1] !~ /Define/ { t = $2 + 0; if (t < last) bad++; last = t; key = ""; for (i = 4; i <= NF; i++) if ($i ~ /^m[0-9]+$/) key = $i; if (key != "" && name[$1] ~ /StartLink/) begun[key] = 1; if (key != "" && name[$1] ~ /EndLink/) { n++; if (!(key in begun)) bad++ } } END { print n + 0, bad + 0 }' heat.paje
198 0

## 30 steps: 3 pairs of neighbours, both ways; every 10 steps a sum goes down and up the chain of ranks.
$ weft info --json heat.weft | jq -c '[.processes, .messages, .flows, .dropped, .problems]'
[4,198,120,0,0]

$ weft stat --csv heat.weft | cut -d, -f1-4 | sort
barrier,synchronizing,8,752
exchange borders,communicating,4,120
initialise,memory,8,8
region,state,threads,calls
solve,running,8,8
sum up heat,communicating,4,12
table lookup,running,6,3600
update rows,running,8,240
verify,running,8,8

$ weft info --list processes --json heat.weft | jq -r '.[] | "\(.rank) \(.name)"'
0 heat 0
1 heat 1
2 heat 2
3 heat 3

## The recorder's own thread is no row, and statistics and views mean the same by useful time.
$ weft table --csv states heat.weft | awk '/weft-helper/' | wc -l
0
$ weft table --csv states heat.weft --own-threads | awk '/weft-helper/' | wc -l | awk '{print ($1 > 0)}'
1
$ a=$(weft stat heat.weft | sed -n 's/^Load balance \([0-9.]*\) %.*/\1/p'); b=$(weft table load-balance heat.weft | awk '/^Avg.Max/ {printf "%.1f", 100 * $2}'); [ -n "$a" ] && [ "$a" = "$b" ] && echo equal
equal

## Values, not only events: the attribute of a call, and the counter of the heat that is left.
$ weft dump -f 'attr="points by table" and thread=1.3.1' heat.weft | awk '{print $NF}' | sort -u | wc -l
1

$ weft dump -f 'counter=heat and process=1.1' heat.weft | awk '{print $(NF-1)}'
0.4008255570815205
0.40042615975497914
0.40002716040262143

## A category that is switched off.
$ weft record -q -o less.weft --off 'det*,threads,io' -- $heat -n 200 -s 30 && weft stat --csv less.weft | grep -c '^table lookup'
200 x 200 points, 30 steps, 4 processes of 2 threads: right
0
? 1

## Compressed while and after it is recorded, it says the same.
$ weft record --off threads,io -q --pack -o packed.weft -- $heat -n 200 -s 30; weft stat --csv packed.weft | cut -d, -f1-4 | grep 'update rows'
200 x 200 points, 30 steps, 4 processes of 2 threads: right
update rows,running,8,240

$ [ "$(du -s --apparent-size --exclude index packed.weft | cut -f1)" -lt "$(du -s --apparent-size --exclude index heat.weft | cut -f1)" ] && echo smaller
smaller

## The flight recorder: what led to the slow request, not the 149,000 before.
$ weft record -q --ring 256K -o run.weft -- "$WEFT_BUILD/examples/flight_recorder" slow.weft
request 150000 was slow: saved

$ weft dump -f 'attr=number' slow.weft | tail -n 1 | awk '{print $NF}'
150000

$ weft stat --json slow.weft | jq '.[] | select(.region == "request") | (.calls > 500 and .calls < 20000, .max_ns > 150000000)'
true
true

## Where recording is ended by choice, that is said.
$ weft record --off threads,io --stop-at 64K -o stop.weft -- $heat -n 200 -s 200
200 x 200 points, 200 steps, 4 processes of 2 threads: right
weft record: [..] k events of 4 processes and 8 threads, [..], [..] dropped (--stop-at was reached), in [..]; next: weft stat stop.weft

## Categories that nobody had are named at the end; patterns, lists and packed streams count as well.
$ for o in '--off threads,io,detail' '--off threads,io,nothing --off det*,no*ne --on user' '--pack --off threads,io --on usr'; do weft record -q --force $o -o c.weft -- $heat -n 20 -s 1 2>&1 | grep category; done; true
weft record: warning: option '--off': no process had a category 'nothing' (there were: user, detail)
weft record: warning: option '--off': no process had a category 'no*ne' (there were: user, detail)
weft record: warning: option '--on': no process had a category 'usr' (there were: user, detail)
$ weft record -q --off=x -o none.weft -- true
weft record: warning: option '--off': no process had a category 'x' (there were none)
