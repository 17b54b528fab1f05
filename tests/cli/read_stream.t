## SPDX-License-Identifier: Apache-2.0
## The program of docs/format.md reads what we write, and sees as many events as our reader.
$ read="$WEFT_BUILD/examples/read_stream"; trace="$WEFT_SOURCE/tests/golden/traces/heat.weft"
$ "$read" "$trace/0.stream" | head -3
thread 0 ticks 0 kind 64 id 1 words 2
thread 0 ticks 0 kind 64 id 2 words 2
thread 0 ticks 0 kind 64 id 3 words 2
$ cp -r "$trace" heat.weft; for s in heat.weft/*.stream; do "$read" "$s"; done | awk '$6 < 64' | wc -l
55
$ weft dump -q heat.weft | wc -l
55
$ echo nothing >x; "$read" x
? 1
