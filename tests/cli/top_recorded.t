## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug timeout=120
## needs: gcc
## weft top of a program that merely records: its threads and where they are, events, regions, messages, counters, exact while it runs.
$ cat >steps.c <<'END'
> #include <pthread.h>
> #include <stdlib.h>
> #include <unistd.h>
> #include <weft/record.h>
> WEFT_REGION(outer, "outer", WEFT_STATE_RUNNING);
> WEFT_REGION(inner, "inner", WEFT_STATE_RUNNING);
> WEFT_REGION(waits, "waits", WEFT_STATE_WAITING);
> static weft_counter level;
> static void wait_for_file(void) { while (access("go", F_OK)) usleep(1000); }
> static void *beside(void *arg) { weft_name_thread("beside"); weft_enter(waits); wait_for_file(); weft_leave(waits); return arg; }
> int main(int argc, char **argv)
> {
> 	pthread_t t;
> 	long calls = argc > 1 ? atol(argv[1]) : 0;
> 	level = weft_define_counter("level", "", weft_define_category("levels", 1));
> 	weft_comm c = weft_define_comm("world", 1, NULL, 0);
> 	pthread_create(&t, NULL, beside, NULL);
> 	weft_enter(outer);
> 	for (long i = 0; i < calls; i++) { weft_enter(inner); weft_count(level, i); weft_leave(inner); }
> 	weft_send(c, 1, 7, 1000);
> 	weft_send(c, 1, 7, 24);
> 	weft_recv(c, 1, 7, 8);
> 	weft_enter(inner);
> 	wait_for_file();
> 	weft_leave(inner);
> 	weft_leave(outer);
> 	pthread_join(t, NULL);
> 	return 5;
> }
> END
$ gcc -O2 -pthread steps.c -I"$WEFT_SOURCE/include" "$WEFT_BUILD/libweft.so" -Wl,-rpath,"$WEFT_BUILD" -o steps; export WEFT_LIVE="$PWD/live"; mkdir -m 700 live
$ sample() { weft top --once --json steps 2>/dev/null; }; ready() { until [ "$(sample | jq '.message_ends.received == 1 and ([.threads[] | .region] | sort) == ["inner", "waits"]')" = true ]; do :; done; }
$ weft record -q --off threads,io -o few.weft -- ./steps 20 & recorder=$!; ready; weft top --list | awk '{ print $2, $3 }'; sample | jq -c '.program, (.events | [.recorded >= 68, .dropped, .lost_pages]), .message_ends, (.threads | sort_by(.name) | .[] | [.name, .region, .depth]), (.regions | sort_by(.name) | .[] | [.name, .calls]), .recorded_counters'
program kind
steps recording
"steps"
[true,0,0]
{"sent":2,"received":1,"sent_bytes":1024,"received_bytes":8}
["beside","waits",1]
["steps","inner",2]
["inner",21]
["outer",1]
["waits",1]
[{"name":"level","value":19}]
$ sample | jq '[.threads[] | .since_s > 0] | all'; weft top --json --count 3 --rate 50 steps | jq -c '[.sample, .left_out, (.at_ns > 0), (.pid > 0)]'
true
[0,0,true,true]
[1,0,true,true]
[2,0,true,true]
$ weft top --csv --once steps | grep -e dropped_total -e region_calls -e messages -e 'weft_counter' -e depth | cut -d, -f2- | sort
weft_counter,"counter=level",19
weft_events_dropped_total,"",0
weft_messages_received_bytes_total,"",8
weft_messages_received_total,"",1
weft_messages_sent_bytes_total,"",1024
weft_messages_sent_total,"",2
weft_region_calls_total,"region=inner",21
weft_region_calls_total,"region=outer",1
weft_region_calls_total,"region=waits",1
weft_thread_depth,"thread=beside",1
weft_thread_depth,"thread=steps",2
$ weft top --count 2 --rate 20 steps | grep -cE '^steps \([0-9]+\) records|  (steps|beside) .* (inner|waits) |  (inner|outer|waits)  |2 sent .0.0 MB., 1 received|  level +19'
16
$ : >where; weft top --export 0 steps 2>where & exporter=$!; until port=$(sed -n 's,.*127.0.0.1:\([0-9]*\)/metrics,\1,p' where) && [ -n "$port" ]; do :; done; until exec 9<>/dev/tcp/127.0.0.1/$port && printf 'GET /metrics HTTP/1.1\r\n\r\n' >&9 && cat <&9 >page && grep -q weft_events page; do :; done; kill $exporter; grep -e 'calls_total{region="inner"}' page; sed -nE 's/^weft_events_total ([0-9]+)$/\1/p' page | awk '{ print ($1 >= 68) }'
weft_region_calls_total{region="inner"} 21
1
$ printf '#!/bin/sh\nshift\nexec "$@"\n' >there; chmod +x there; weft top --on there --ssh ./there --json --once steps | jq -c '[.regions[] | .calls]'
[1,21,1]

## Nothing of it can be turned; who does not look where it does does not see it; its end is the end.
$ weft top --set a=1 steps
weft top: error: a program that merely records can be looked at, and nothing of it be turned
? 1
$ WEFT_LIVE=/elsewhere weft top --list; WEFT_LIVE=off weft top steps
pid  program  kind
weft top: error: no program 'steps' can be looked at ('weft top --list' lists those that can)
? 1
$ (sleep 0.2; touch go) & weft top --json --rate 50 steps | tail -n 1 | jq -c '[.regions[] | .calls, (.time_s > 0)]'; wait $recorder; echo $?; rm go; weft top steps
[1,true,21,true,1,true]
5
weft top: error: no program 'steps' can be looked at ('weft top --list' lists those that can)
? 1

## Many pages, which are copied and used again while it runs: none is counted twice, and none is missing.
$ weft record -q --off threads,io -o many.weft -- ./steps 1000000 & recorder=$!; ready; sample | jq -c '[(.events.recorded - 3000000 | . >= 8 and . < 2000), .events.lost_pages, (.regions[] | select(.name == "inner").calls), .recorded_counters[0].value]'; touch go; wait $recorder; rm go
[true,0,1000001,999999]
$ weft stat many.weft --json | jq '.. | objects | select(.region? == "inner") | .calls' | head -n 1
1000001
