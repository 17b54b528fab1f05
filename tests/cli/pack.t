## SPDX-License-Identifier: Apache-2.0
## weft pack and weft index.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft dump -q heat.weft >before
$ weft pack heat.weft --csv | cut -d, -f1-4
trace,streams,changed,bytes_before
heat.weft,2,2,28672
$ weft dump -q heat.weft | diff before -
$ weft pack heat.weft --json | jq -c '.[0] | [.streams, .changed]'
[2,0]
$ weft check --json heat.weft | jq -c "[.findings[].rule]"
["events-missing"]
$ weft pack --unpack heat.weft --csv | cut -d, -f1-3
trace,streams,changed
heat.weft,2,2
$ cmp heat.weft/0.stream "$WEFT_SOURCE/tests/golden/traces/heat.weft/0.stream"
$ weft pack --level 20 heat.weft
weft pack: error: option '--level': expected 1 to 19, found '20'
Try 'weft pack --help'.
? 2
$ weft pack no.weft
weft pack: error: cannot open 'no.weft': no such file or directory
? 2
$ weft pack -q heat.weft

$ ls heat.weft
0.stream
1.stream
index
$ rm -r heat.weft/index; weft index heat.weft; ls heat.weft
weft index: warning: 3 events were dropped while recording
0.stream
1.stream
index
$ weft index --rebuild heat.weft; weft dump -q heat.weft | diff before -
weft index: warning: 3 events were dropped while recording
$ printf 'garbage' >heat.weft/index/$(ls heat.weft/index | head -n 1); weft dump -q heat.weft | diff before -
$ weft index no.weft heat.weft
weft index: error: cannot open 'no.weft': no such file or directory
weft index: warning: 3 events were dropped while recording
? 2
