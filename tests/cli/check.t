## SPDX-License-Identifier: Apache-2.0
## weft check: sound, with warnings, damaged in several ways; and what the other commands still read of it.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft check heat.weft
error: 0.stream: 3 events could not be recorded [events-missing]
heat.weft: damaged; what is there was recovered; 2 streams, 3 threads, 116 records, 61 definitions
? 1
$ weft check --strict heat.weft
error: 0.stream: 3 events could not be recorded [events-missing]
heat.weft: damaged; what is there was recovered; 2 streams, 3 threads, 116 records, 61 definitions
? 1
$ weft check -q heat.weft; weft check heat.weft/1.stream
warning: 2 of 2 messages have one end only [message-unmatched]
heat.weft/1.stream: sound; 1 stream, 1 thread, 49 records, 30 definitions
$ weft check --csv heat.weft
grade,rule,file,offset,line,lost_bytes,text
error,events-missing,0.stream,0,,0,3 events could not be recorded
? 1
$ weft check --json heat.weft | jq -c '[.streams, .pages, .records, .warnings, .errors, .index, .findings[0].rule]'
[2,5,116,0,1,"none","events-missing"]

## A flipped bit: one page is lost, and nothing else.
$ cp -r heat.weft flip.weft; printf '\377' | dd of=flip.weft/0.stream bs=1 seek=8500 conv=notrunc status=none
$ weft check flip.weft
warning: 1 of 1 flows have one end only [flow-unmatched]
warning: 2 of 2 messages have one end only [message-unmatched]
error: 0.stream: 3 events could not be recorded [events-missing]
error: 0.stream: page 2: checksum differs; 4096 bytes skipped [page-checksum]
flip.weft: damaged: 4.00 KiB lost, the rest was recovered; 2 streams, 3 threads, 90 records, 61 definitions
? 1
$ weft check --json flip.weft | jq -c '[.pages_bad, .lost_bytes, .errors]'
[1,4096,2]
$ weft info flip.weft | grep -E 'threads|events|damage'
weft info: warning: 0.stream: page 2: checksum differs; 4096 bytes skipped
weft info: warning: 3 events were dropped while recording
threads       3
events        29 (208 a second)
dropped       3 events were lost while recording
damage        1 (see 'weft check')
$ weft stat -q flip.weft --by thread --csv | cut -d, -f1,3
thread,calls
1.2.1,5
1.1.2,1

## Cut off in a page, and behind the header.
$ cp -r heat.weft short.weft; truncate -s 10000 short.weft/0.stream; weft check short.weft
warning: 2 of 2 messages have one end only [message-unmatched]
error: 0.stream: 3 events could not be recorded [events-missing]
error: 0.stream: page 2: the file ends inside it [file-end]
short.weft: damaged: 1.77 KiB lost, the rest was recovered; 2 streams, 3 threads, 80 records, 61 definitions
? 1
$ truncate -s 4096 short.weft/0.stream; weft check short.weft
warning: 2 of 2 messages have one end only [message-unmatched]
error: 0.stream: 3 events could not be recorded [events-missing]
short.weft: damaged; what is there was recovered; 2 streams, 1 thread, 49 records, 30 definitions
? 1
$ truncate -s 50 short.weft/0.stream; weft check short.weft
warning: 2 of 2 messages have one end only [message-unmatched]
error: 0.stream: cannot read 'short.weft/0.stream': no stream of Weft [stream-unreadable]
short.weft: damaged: 50 B lost, the rest was recovered; 2 streams, 1 thread, 49 records, 30 definitions
? 1
$ weft dump -q short.weft | wc -l
19

## Still open, as after a kill: no damage.
$ cp -r heat.weft open.weft; printf '\001' | dd of=open.weft/1.stream bs=1 seek=80 conv=notrunc status=none
$ weft check open.weft
error: 0.stream: 3 events could not be recorded [events-missing]
1 note (shown with -v)
open.weft: damaged; what is there was recovered; 2 streams, 3 threads, 116 records, 61 definitions
? 1
$ weft check -v open.weft
error: 0.stream: 3 events could not be recorded [events-missing]
note: 1.stream: was not closed: process 4712 was killed, or another program took its place [stream-open]
open.weft: damaged; what is there was recovered; 2 streams, 3 threads, 116 records, 61 definitions
? 1
