## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang jq
## tags: builds=release,debug timeout=180
## A program that counts what it calls of the C library: the trace must say the same.
$ cp "$WEFT_SOURCE"/tests/tools/calls_counts.c . && gcc -O1 -w -pthread calls_counts.c -o counts; echo $?
0
$ cat >compare <<'END'
> # What the program counted, and what the trace has of it: prints what differs.
> weft stat --by region --csv $1.weft | awk -F, '$4 > 0 {print "calls", $1, $4}' >got
> weft dump $1.weft | awk '$3 == "attr" && $4 == "bytes" {n[$2] = $6} $3 == "leave" {if (n[$2]) sum[$4] += n[$2]; n[$2] = 0} END {for (i in sum) print "bytes", i, sum[i]}' >>got
> grep -E '^(calls|bytes)' counted | sort >want
> sort got | comm -23 want -
> END
$ weft record -q --on threads -o threads.weft -- ./counts threads; sh compare threads; weft info --json threads.weft | jq -c '[.dropped,.problems]'
[0,0]

## Arrows: from the creator to the thread, from its end to who joins it, from who wakes to who was woken; each has both ends.
$ weft dump threads.weft | awk '$3 == "flow_in" && / from 1/ {n[$4 == "woken" ? $4 : $5]++} END {print "woken", n["woken"]; print "opened", n["opened"]; print "started", n["started"]; print "joined", n["ended"]}' >arrows
$ grep -E '^(woken|opened|joined)' counted | sort >want; grep -E '^(woken|opened|joined)' arrows | sort | diff want - && echo same
same
$ n=$(sed -n 's/^started //p' counted); m=$(sed -n 's/^started //p' arrows); [ "$m" = "$n" ] || [ "$m" = $((n - 1)) ] && echo all but perhaps the detached one
all but perhaps the detached one

## Locks taken, waited for or not; one that was waited for, as often as it was, by its address, with who held it; and how long it was held then.
$ weft dump -f 'name="lock entries"' threads.weft | awk '{n += $NF} END {print "entries", n}' | diff - <(grep entries counted) && echo same
same
$ lock=$(sed -n 's/^lock //p' counted); weft dump threads.weft | awk -v lock=$lock '$3 == "enter" {in_[$2] = $4} $3 == "attr" && $4 == "lock" && $6 == lock && in_[$2] == "pthread_mutex_lock" {n++; of[$2] = 1} $3 == "attr" && $4 == "holder" && of[$2] {h++; of[$2] = 0} END {print n, h}'
20 20
$ lock=$(sed -n 's/^lock //p' counted); weft dump threads.weft | awk -v lock=$lock '$3 == "point" && $4 == "lock" && $7 == lock {n[$5]++} END {print n["taken"], n["released"]}'
20 20
## Who lets a lock go leads to who waited for it: each round from the first thread; locks for reading and C11's, too.
$ lock=$(sed -n 's/^lock //p' counted); weft dump threads.weft | awk -v lock=$lock '$3 == "enter" {of[$2] = 0; in_[$2] = $4} $3 == "attr" && $4 == "lock" {of[$2] = $6} $3 == "flow_in" && /lock passed on/ && / from 1/ {if (of[$2] == lock && in_[$2] == "pthread_mutex_lock") n++; if (in_[$2] == "mtx_lock") m++; if (in_[$2] == "pthread_rwlock_rdlock") r++} END {print n, m, r}'
20 20 20
$ weft record -q --on locks -o locks.weft -- ./counts threads; weft dump locks.weft | awk '$3 == "point" && $4 == "lock" {n[$5]++} $3 == "enter" && /_cond_/ {n["waits"]++} END {print "entries", n["taken"] - n["waits"]}' | diff - <(grep entries counted) && echo same
same

## Cancelled in a wait: what was open is closed.
$ weft record -q --on threads,io -o cancel.weft -- ./counts cancel; sh compare cancel; weft dump cancel.weft | awk '$3 == "enter" {n[$2]++} $3 == "leave" {n[$2]--} END {for (i in n) if (n[i]) print i, n[i]}'

## Ten thousand threads.
$ weft record -q -o many.weft -- ./counts many 10000; sh compare many; weft info --json many.weft | jq -c '[.dropped,.problems]'; weft dump many.weft | awk '$3 == "flow_in" && / from 1/ {n[$5]++} END {print n["started"], n["ended"]}'
[0,0]
10000 10000

## Files: descriptors, sockets, streams; a handler that writes, one that jumps out of a read; children that close everything, or have our memory.
$ weft record -q --on io,stdio --off threads -o io.weft -- ./counts io; sed -i '/pthread/d' counted; sh compare io; weft info --json io.weft | jq -c '[.dropped,.problems]'
[0,0]
$ weft dump io.weft | awk '$3 == "enter" {n[$2]++} $3 == "leave" {n[$2]--} END {for (i in n) if (n[i]) print i, n[i]}'
$ weft dump io.weft | awk '$3 == "attr_s" && $4 == "file" {print $NF}' | sort -u | grep '"calls'
"calls.aio"
"calls.chars"
"calls.child"
"calls.none/x"
"calls.tmp"
"calls.txt"

## Without stdio's short calls they are counted; what is written is the same.
$ weft record -q --on io -o short.weft -- ./counts io; weft dump short.weft | awk '$3 == "attr" && /short calls/ {n = 1} END {print n}'
1

## Memory: each function's bytes, and what is in use.
$ weft record -q --on memory -o memory.weft -- ./counts memory; grep -E '^(calls|bytes)' counted | sort >want
$ weft dump -f kind=point memory.weft | awk '$NF == "bytes" && $6 >= 100000 && $6 < 1000000 && $4 != "free" {n[$4]++; s[$4] += $6} END {for (i in n) {print "calls", i, n[i]; print "bytes", i, s[i]}}' | sort | diff want - && echo same
same
$ weft dump memory.weft | awk '$3 == "counter" && /memory in use/ {if ($(NF-1) > most) most = $(NF-1); last = $(NF-1)} END {print (most >= 8388608 && most < 10000000), (last < 200000)}'
1 1

## Processes.
$ weft record -q --on process --off threads,io -o process.weft -- ./counts process
? 6
$ sh compare process; weft dump process.weft | grep 'attr_s.* command' | sed 's/.*= //' | sort -u
"/bin/sh"
"/bin/true"
"calls-no-such-program"
"echo hello"
"exit 4"
"sh"

## Built by clang: threads (C11's, semaphores, condition variables with who woke whom) and files.
$ clang -O1 -w -pthread calls_counts.c -o counts.clang && for k in threads io; do weft record -q --on threads,io,stdio -o clang-$k.weft -- ./counts.clang $k; sh compare clang-$k; weft info --json clang-$k.weft | jq -c '[.dropped,.problems]'; done
[0,0]
[0,0]
$ ./counts.clang threads; weft record -q --on threads -o woken.weft -- ./counts.clang threads; weft dump woken.weft | awk '$3 == "flow_in" && / from 1/ && $4 == "woken" {n++} END {print "woken", n}' | diff - <(grep ^woken counted) && echo same
same
