## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang jq
## tags: builds=release,debug timeout=120
## Calls of the C library that record_calls.t has none of: C11's waits, locks and semaphores with a time, files at places, from file to file, datagrams.
$ cp "$WEFT_SOURCE"/tests/tools/calls_more.c .; for c in gcc clang; do $c -O1 -w -pthread calls_more.c -o more-$c; done
$ cat >compare <<'END'
> # What the program counted, and what the trace has of it: prints what differs.
> weft stat --by region --csv $1.weft | awk -F, '$4 > 0 {print "calls", $1, $4}' >got
> weft dump $1.weft | awk '$3 == "attr" && $4 == "bytes" {n[$2] = $6} $3 == "leave" {if (n[$2]) sum[$4] += n[$2]; n[$2] = 0} END {for (i in sum) print "bytes", i, sum[i]}' >>got
> grep -E '^(calls|bytes)' counted | sort >want
> sort got | comm -23 want -; grep -c . want
> END
$ for c in gcc clang; do for k in threads io; do weft record -q --on threads,io,stdio -o $k-$c.weft -- ./more-$c $k && sh compare $k-$c; weft info --json $k-$c.weft | jq -c '[.dropped, .problems]'; done; done
13
[0,0]
33
[0,0]
13
[0,0]
33
[0,0]

## Who signals by C11's leads to each wait that was ended by it; the one with a time is not.
$ weft record -q -o turns.weft -- ./more-gcc threads; weft dump turns.weft | awk '$3 == "enter" {in_[$2] = $4} $3 == "flow_in" && /woken/ && / from 1/ {n[in_[$2]]++} END {for (i in n) print "calls", i, n[i]}' | diff - <(grep 'calls cnd_wait' counted) && echo same
same
