## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## A trace as one page: what is in it, what is not, what is refused.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" "$WEFT_SOURCE"/tests/golden/views/sample.* .
$ weft export -q --html heat.weft -o heat.html --view states --title 'a <b> & "c"'; head -c 15 heat.html; grep -o '<title>.*</title>' heat.html; grep -c "$PWD" heat.html; grep -o "Content-Security-Policy[^;]*;" heat.html; [ "$(wc -c <heat.html)" -lt 1048576 ] && echo small
<!DOCTYPE html><title>a &lt;b&gt; &amp; &quot;c&quot;</title>
0
Content-Security-Policy" content="default-src 'none';
small
$ weft export -q --html heat.weft -o - --view states --title 'a <b> & "c"' | cmp - heat.html && echo same; weft export -v --html heat.weft -o x.html 2>&1 | grep -o '[0-9]* intervals, tables of [0-9]* parts'
same
15 intervals, tables of 127 parts
## What the page has is what commands print: the profile of the whole, the rows' intervals.
$ cat >look.py <<'END'
> import base64, gzip, json, re, sys
> data = gzip.decompress(base64.b64decode(re.search(r'id="weft-data">([^<]*)<', open(sys.argv[1]).read())[1]))
> n = int.from_bytes(data[:4], "little")
> page = json.loads(data[4:4 + n])
> if sys.argv[2] == "profile":
>     a = page["parts"][0]["answers"]["table/profile?by=region"]
>     key = [c["key"] for c in a["columns"]]
>     for row in sorted(a["rows"], key=lambda r: -r[key.index("self_ns")]):
>         print(row[0], row[key.index("calls")], row[key.index("self_ns")])
> elif sys.argv[2] == "more":
>     print({k: v["count"] for k, v in page["arrows"].items()}, [c["name"] for c in page["answers"]["time/counters"]["counters"]], "tasks" in page)
> else:
>     print(page["step"], [(t["view"], t["count"], t["nested"], len(t["values"])) for t in page["tracks"]], page["info"]["traces"][0].get("path"))
> END
$ python3 look.py heat.html profile >a; weft stat -q heat.weft --json | jq -r '.[] | "\(.region) \(.calls) \(.self_ns)"' >b; cmp a b && cat a; python3 look.py heat.html tracks; python3 look.py heat.html more
solve 5 210100000
MPI_Recv 2 40010000
main 2 20900000
exchange 2 8790000
1 [('', 3, True, 4), ('states', 3, False, 5), ('@1', 3, False, 3), ('@3', 3, False, 1)] None
{'messages': 2, 'flows': 1} ['flops', 'misses'] False
$ weft export -q --html sample.prv -o s.html --view useful --time 25%..75%; python3 look.py s.html tracks
1 [('', 4, False, 4), ('useful', 4, False, 1), ('@1', 4, False, 0), ('@3', 4, False, 0), ('@5', 4, False, 4), ('@7', 4, False, 4), ('@9', 4, False, 4), ('@11', 4, False, 2), ('@13', 4, False, 2), ('@15', 4, False, 2)] None
$ cp -r "$WEFT_SOURCE/tests/golden/traces/tiles.weft" .; weft export -q --html tiles.weft -o t.html; python3 look.py t.html more
{'messages': 0, 'flows': 20} [] True
## What is wrong.
$ weft export heat.weft -o x.html; weft export --html heat.weft; weft export --html heat.weft -o x.svg; weft export --html heat.weft -o heat.html; weft export --html heat.weft -o y.html --limit 10K; weft export --html heat.weft -o y.html --view nothing; weft export --html none.weft -o y.html; weft export --html heat.weft -o y.html --time 9s..; ls y.html
weft export: error: say as what: --html (other formats: weft convert)
Try 'weft export --help'.
weft export: error: say where to write, with -o OUT
Try 'weft export --help'.
weft export: error: cannot tell the format from the name 'x.svg': known endings are .html .htm
Try 'weft export --help'.
weft export: error: 'heat.html' is there already (--force replaces it)
Try 'weft export --help'.
weft export: error: option '--limit': expected 1M at least, as the page itself takes a quarter of that
Try 'weft export --help'.
weft export: error: unknown view 'nothing' (see 'weft view list')
weft export: error: cannot open 'none.weft': no such file or directory
weft export: error: 'heat.weft' has nothing from 9000000000 ns on
ls: cannot access 'y.html': No such file or directory
? 2
