## SPDX-License-Identifier: Apache-2.0
## weft convert: formats by name and by --to, refusals; what the formats say is tested elsewhere.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft convert --list-formats
format    suffix                    what it is
prv       .prv .prv.gz .prv.zst     Paraver: .prv, .pcf and .row
paje      .paje .trace              Paje, for ViTE, pajeng and PajeNG-based R scripts
chrome    .json                     Trace Event Format (JSON), for chrome://tracing, Perfetto, speedscope
perfetto  .pftrace .perfetto-trace  Perfetto's protobuf format, for ui.perfetto.dev
csv       .csv                      one row for each region, state, message, flow and event
otf2      .otf2                     Open Trace Format 2, for Vampir, Scalasca, Cube: an archive, a folder
weft      .weft                     Weft's own streams, a folder
$ weft convert --list-formats --json | jq -r '.[].format'
prv
paje
chrome
perfetto
csv
otf2
weft
$ for s in prv paje json pftrace csv; do weft convert -q heat.weft -o heat.$s; test -s heat.$s || echo "no heat.$s"; done; ls heat.p*
heat.paje
heat.pcf
heat.pftrace
heat.prv
$ jq -e . heat.json >/dev/null && echo JSON
JSON
$ weft convert -q heat.weft -o again.weft; diff <(weft dump -q heat.weft) <(weft dump -q again.weft)
$ weft convert -q heat.prv -o from-prv.weft; weft stat -q from-prv.weft --csv --by thread | cut -d, -f1,3,4
thread,calls,total_ns
1.1.1,7,140010000
1.1.2,6,140010000
1.2.1,9,140010000
$ weft convert -q heat.weft --to csv -o - | diff - heat.csv
$ weft convert -q heat.weft --to csv -o - -f 'region=MPI_Recv' | wc -l
3
$ weft convert -q heat.weft -o heat.csv
weft convert: error: 'heat.csv' is there already (--force replaces it)
? 2
$ weft convert -q heat.weft -o heat.csv --force
$ weft convert -q heat.weft -o again.weft --force; weft dump -q again.weft | wc -l
55

## Only what is a trace is ever replaced by one; what fails leaves what was there.
$ mkdir folder; echo dear >folder/letter; weft convert -q heat.weft -o folder --to weft --force
weft convert: error: will not replace 'folder': it is no trace, it holds 'letter'
? 2
$ for f in csv json prv; do weft convert -q heat.weft -o folder --to $f --force; done
weft convert: error: cannot write 'folder': is a directory
weft convert: error: cannot write 'folder': is a directory
weft convert: error: cannot write 'folder': is a directory
? 2
$ cat folder/letter; weft convert -q heat.weft -o again.weft --force -f 'thread=9.*' && echo written; weft dump -q again.weft | wc -l
dear
weft convert: error: nothing to write to 'again.weft': no thread is left
55

## A format may be called by its suffix.
$ weft convert -q heat.weft -o - --to json | cmp - heat.json; weft convert -q heat.weft -o - --to pftrace | cmp - heat.pftrace
$ weft convert -q heat.weft -o by-name --to prv.gz
weft convert: error: unknown format 'prv.gz' (it can be: prv, paje, chrome, perfetto, csv, otf2, weft)
Try 'weft convert --help'.
? 2
$ weft convert -q heat.weft -o heat.xyz
weft convert: error: cannot tell the format from the name 'heat.xyz': known endings are .prv .prv.gz .prv.zst .paje .trace .json .pftrace .perfetto-trace .csv .otf2 .weft; or say it with --to
Try 'weft convert --help'.
? 2
$ weft convert -q heat.weft -o heat.xyz --to pajee
weft convert: error: unknown format 'pajee' (did you mean 'paje'?)
Try 'weft convert --help'.
? 2
$ weft convert -q heat.weft -o heat.xyz --to something-else
weft convert: error: unknown format 'something-else' (it can be: prv, paje, chrome, perfetto, csv, otf2, weft)
Try 'weft convert --help'.
? 2
$ weft convert -q heat.weft -o - --to weft
weft convert: error: the format 'weft' is more than one file, and cannot go to stdout
Try 'weft convert --help'.
? 2
$ weft convert -q heat.weft
weft convert: error: say where to write, with -o OUT
Try 'weft convert --help'.
? 2
$ weft convert -q heat.weft -o no/folder/heat.csv
weft convert: error: cannot write 'no/folder/heat.csv': no such file or directory
? 2
$ weft convert -q heat.weft --to csv -o - >/dev/full
weft convert: error: cannot write '-': no space left on device
? 2
$ weft convert -q heat.weft --to csv -o - | head -n 0
