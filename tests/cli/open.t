## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## weft open: its address, its end, whom it refuses.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft open
weft open: error: expected TRACE|PROGRAM... [VIEW...]
Try 'weft open --help'.
? 2
$ weft open none.weft --no-browser 2>&1 | sed "s|$PWD/||"
weft open: error: cannot open 'none.weft': no such file or directory
$ weft open heat.weft --port 70000
weft open: error: option '--port': expected 0 to 65535, found '70000'
Try 'weft open --help'.
? 2
$ weft open heat.weft --cert a.pem
weft open: error: options '--cert' and '--key' belong together
Try 'weft open --help'.
? 2
$ weft open heat.weft --listen 0.0.0.0 --control
weft open: error: options '--listen' and '--control' together want TLS (--cert and --key), or an ssh tunnel in place of --listen
Try 'weft open --help'.
? 2
$ weft open heat.weft --no-browser --listen host.example
weft open: warning: whoever has the address can see the traces, and who hears the network has it
weft open: error: expected an address in numbers, like 127.0.0.1 or ::1, found 'host.example'
? 2
$ printf 'no trace\n' >bad.prv; weft open -q --no-browser bad.prv >address; echo $?; sed 's/[0-9a-f]\{32\}/TOKEN/; s/:[0-9][0-9]*\//:PORT\//' address
weft open: error: bad.prv:1: header, column 1: expected '#Paraver', found 'n'
2
http://127.0.0.1:PORT/TOKEN/

## It serves until a signal, and ends in order.
$ ask() { python3 -c 'import sys, http.client as h, urllib.parse as p; u = p.urlsplit(open("address").read().strip()); c = h.HTTPConnection(u.hostname, u.port); c.request(sys.argv[1], u.path.rstrip("/") + sys.argv[2], headers=dict(a.split("=", 1) for a in sys.argv[3:])); r = c.getresponse(); print(r.status, r.headers.get_content_type())' "$@"; }
$ rm address; weft open -q --no-browser heat.weft >address & server=$!; until [ -s address ]; do :; done; sed 's/[0-9a-f]\{32\}/TOKEN/; s/:[0-9][0-9]*\//:PORT\//' address
http://127.0.0.1:PORT/TOKEN/
$ ask GET /; ask HEAD /web/pages.js; ask GET /api/session/info; ask GET /web/none.js; ask GET /api/none; ask POST /api/time/rows; ask PUT /
200 text/html
200 text/javascript
200 application/json
404 application/json
404 application/json
405 application/json
405 application/json
$ ask GET x/; ask GET / Host=evil.example; ask GET /api/session/info Origin=http://evil.example; ask GET /api/session/info Sec-Fetch-Site=cross-site
403 application/json
403 application/json
403 application/json
403 application/json
$ ask POST /api/live/set
403 application/json
$ kill -INT $server; wait $server; echo $?
0
