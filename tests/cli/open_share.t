## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## What a page saves of what is seen is, byte for byte, what commands write; a saved view opens its traces.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" "$WEFT_SOURCE/tests/golden/traces/tiles.weft" .
$ get() { python3 -c 'import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1]).read())' "$(cat address)api/$1"; }
$ serve() { weft open -q --no-browser "$@" >address & server=$!; until [ -s address ]; do :; done; until [ "$(get session/info 2>/dev/null | jq 'all(.traces[]; .state == "ready")')" = true ]; do :; done; }
$ serve heat.weft tiles.weft
$ get 'share/picture?form=png' >a; weft timeline -q heat.weft -o b.png; cmp a b.png; get 'share/picture?from=10000000&to=60000000&width=800' >a; weft timeline -q heat.weft -o b.svg --time 10ms..60ms --width 800; cmp a b.svg
$ get 'share/picture?view=regions&from=10000000&to=60000000&draw=maximum' >a; weft timeline -q regions heat.weft -o c.svg --time 10ms..60ms --draw-mode maximum; cmp a c.svg
$ get 'share/csv?view=regions&from=10000000&to=60000000' >a; weft timeline -q regions heat.weft -o d.csv --time 10ms..60ms; cmp a d.csv; get 'share/csv?view=regions&cells=1' >a; weft timeline -q regions heat.weft -o e.csv --cells; cmp a e.csv; wc -l <d.csv
11
$ get 'share/picture?trace=1&kind=gantt&form=png&from=1000000&to=3000000&show=curves,dependencies&colors=codelets' >a; weft gantt tiles.weft -o f.png --time 1ms..3ms --show curves,dependencies --colors; cmp a f.png
$ get 'share/picture?trace=1&kind=graph&by=level' >a; weft graph tiles.weft -o g.svg --by level; cmp a g.svg
$ get 'share/csv' 2>&1 | tail -n 1; get 'share/picture?kind=gantt' 2>&1 | tail -n 1; get share/state | jq .; kill $server; wait $server
urllib.error.HTTPError: HTTP Error 400: Bad Request
urllib.error.HTTPError: HTTP Error 404: Not Found
null

## A view that a page has saved: relative names of traces begin where it lies. A text of metrics with the same ending is still a view.
$ mkdir sub; printf '{"weft":"page","traces":["../heat.weft"],"from":10000000,"to":60000000}' >sub/seen.view; rm address; serve sub/seen.view; get session/info | jq -c '[.page, [.traces[].name], .view]'; get share/state | jq -c .; kill $server; wait $server
[true,["heat.weft"],""]
{"weft":"page","traces":["../heat.weft"],"from":10000000,"to":60000000}
$ rm address; serve heat.weft "$WEFT_SOURCE/views/regions.view"; get session/info | jq -c '[.page, .view]'; kill $server; wait $server
[false,"@1"]
$ printf '{"weft":"page"' >broken.view; printf '{"traces":["heat.weft"]}' >other.view; weft open broken.view; weft open other.view; printf '{"weft":"page","traces":["gone.weft"]}' >gone.view; weft open --no-browser gone.view 2>&1 | grep -v '^http' | sed "s|$PWD/||"
weft open: error: 'broken.view': byte 14: expected ',' or '}', found the end
weft open: error: 'other.view' is JSON, but no view that a page has saved
weft open: error: cannot open 'gone.weft': no such file or directory
