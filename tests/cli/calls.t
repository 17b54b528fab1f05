## SPDX-License-Identifier: Apache-2.0
## weft calls: samples as a tree, by function, by line; files for other programs; what is wrong. Addresses are of a program made here.
$ cat >p.c <<'END'
> static inline __attribute__((always_inline)) int leaf(int x) { return x * x ^ 3; }
> __attribute__((noinline)) int work(volatile int *x)
> {
> 	return leaf(*x) +
> 		*x;
> }
> int main(int c, char **v) { (void)v; return work(&c); }
> END
## The first address of a function's own code, and of the one that was put into it.
$ gcc -g -O0 -Wl,--build-id -o p p.c; start() { echo 0x$(nm p | sed -n "s/ . $1\$//p"); }; at() { printf '0x%x' $((0x10000 + $1)); }
$ for k in $(seq 0 60); do a=$(($(start work) + k)); [ "$(addr2line -fie p $(printf %x $a) | head -1)" = leaf ] && leaf=$a && break; done; id=$(readelf -n p | sed -n 's/.*Build ID: //p')
$ { printf 'process 0 p\nthread main\nmodule 0x10000 0x20000 %s %s\ncategory samples\npoint 5 1000000 sample period\n' "$id" "$PWD/p"
> for i in 1 2 3 4 5 6; do echo "sample ${i}0 $(at $leaf) $(at $(start main)+20)"; done; echo "sample 80 $(at $(start main)+8)"; echo 'sample 90'; } >p.txt
$ "$WEFT_BUILD/tests/trace_of_text" p.weft <p.txt && weft calls p.weft
   total     self  samples  own  function
100.00 %  14.29 %        7    1  main
 85.71 %   0.00 %        6    0    work
 85.71 %  85.71 %        6    6      leaf

8 samples, one each 1.00 ms of CPU time; 1 without a stack.
## Perfetto's samples: a packet each, with a stack whose frames are functions, the outermost first; told by a reader of the wire format.
$ cat >wire.py <<'END'
> # Yields (number, value) of a protobuf message; values: numbers, or bytes.
> def wire(b):
>     def varint(i):
>         v = s = 0
>         while True:
>             v |= (b[i] & 127) << s; s += 7; i += 1
>             if b[i - 1] < 128: return v, i
>     i = 0
>     while i < len(b):
>         tag, i = varint(i)
>         if tag & 7 == 0: v, i = varint(i)
>         elif tag & 7 == 1: v, i = b[i:i + 8], i + 8
>         else: n, i = varint(i); v, i = b[i:i + n], i + n
>         yield tag >> 3, v
> END
$ cat >samples.py <<'END'
> import sys
> from wire import wire
> names, frames, stacks, n = {}, {}, {}, 0
> for _, packet in wire(open(sys.argv[1], "rb").read()):
>     p = dict(wire(packet))
>     for table, entry in wire(p.get(12, b"")):
>         e = list(wire(entry)); d = dict(e); key = (p[10], d[1])
>         if table == 5: names[key] = d[2].decode()
>         if table == 6: frames[key] = d[2]
>         if table == 7: stacks[key] = [v for k, v in e if k == 2]
>     if 66 in p:
>         s = dict(wire(p[66]))
>         print(p[8], s[5], s[2] > 0 and s[3] > 0, " ".join(names[p[10], frames[p[10], f]] for f in stacks[p[10], s[4]]))
> END
$ weft convert p.weft -o p.pftrace && python3 samples.py p.pftrace
10 3 True main work leaf
20 3 True main work leaf
30 3 True main work leaf
40 3 True main work leaf
50 3 True main work leaf
60 3 True main work leaf
80 3 True main

## pprof's: locations are addresses in mappings, with functions that are one in the other; of processes that had the file at other addresses, too.
$ cat >pprof.py <<'END'
> import gzip, sys
> from wire import wire
> top = list(wire(gzip.open(sys.argv[1]).read()))
> text = [v.decode() for k, v in top if k == 6]
> def of(field): return {dict(wire(v))[1]: list(wire(v)) for k, v in top if k == field}
> function = {i: text[dict(f)[2]] for i, f in of(5).items()}
> for i, m in of(3).items():
>     m = dict(m); print("mapping", i, hex(m[2]), hex(m[3]), m[4], text[m[5]].split("/")[-1], len(text[m[6]]), m[7], m[10])
> place = {}
> for i, l in of(4).items():
>     d = dict(l); lines = [dict(wire(v)) for k, v in l if k == 4]
>     place[i] = "%d:%s" % (d.get(2, 0), "+".join("%s:%d" % (function[n[1]], n[2]) for n in lines))
> def packed(b): # numbers without tags
>     v = s = 0
>     for c in b:
>         v |= (c & 127) << s; s += 7
>         if c < 128: yield v; v = s = 0
> for k, v in top:
>     if k == 2: s = dict(wire(v)); print([place[i] for i in packed(s[1])], list(packed(s[2])))
> END
$ weft calls p.weft -o addresses.pprof && python3 pprof.py addresses.pprof
mapping 1 0x10000 0x20000 0 p 40 1 1
['1:leaf:1+work:4', '1:main:7'] [6, 6000000]
['1:main:7'] [1, 1000000]
$ { cat p.txt; printf 'process 1 p\nthread main\nmodule 0x50000 0x60000 %s %s\n' "$id" "$PWD/p"; echo "sample 10 $(printf '0x%x' $((0x50000 + $(start main) + 8)))"; echo "sample 20 0x123"; } >two.txt; "$WEFT_BUILD/tests/trace_of_text" two.weft <two.txt && weft calls two.weft -o two.pprof && python3 pprof.py two.pprof | tail -n 3
['1:leaf:1+work:4', '1:main:7'] [6, 6000000]
['1:main:7'] [2, 2000000]
['0:0x123:0'] [1, 1000000]

## Tables.
$ weft calls p.weft --by-function --csv | sed "s|$PWD|.|"
total_percent,self_percent,total_samples,self_samples,function,module,file,line
85.71428571428571,85.71428571428571,6,6,leaf,./p,,
100,14.285714285714286,7,1,main,./p,,
85.71428571428571,0,6,0,work,./p,,
$ weft calls p.weft --lines --no-inlined --top 2
   total     self  samples  own  function  where
100.00 %  14.29 %        7    1  main      p.c:7
 85.71 %  85.71 %        6    6    work    p.c:4

8 samples, one each 1.00 ms of CPU time; 1 without a stack.
$ weft calls p.weft --callers --depth 1
  total     self  samples  own  function
85.71 %   0.00 %        6    0  leaf
14.29 %  14.29 %        1    1  main

8 samples, one each 1.00 ms of CPU time; 1 without a stack.
$ weft calls p.weft --per thread -t 0..45ns -o - --to folded
thread 1.1.1 main;main;work;leaf 4
$ weft calls p.weft --focus work -o a.folded && cat a.folded
main;work;leaf 6
$ weft stat p.weft --by function --csv | sed "s|$PWD|.|"
function,module,samples,self_percent,low_percent,high_percent,self_ns,total_percent
leaf,./p,6,85.71428571428571,48.68721707256811,97.43203756552565,6000000,85.71428571428571
main,./p,1,14.285714285714285,2.5679624344743552,51.31278292743189,1000000,100
$ weft stat p.weft --by function --json | sed -n '2,11p' | sed "s|$PWD|.|"
  {
    "function": "leaf",
    "module": "./p",
    "samples": 6,
    "self_percent": 85.71428571428571,
    "low_percent": 48.68721707256811,
    "high_percent": 97.43203756552565,
    "self_ns": 6000000,
    "total_percent": 85.71428571428571
  },

## Stacks in other formats have names.
$ weft convert -q p.weft -o - --to chrome | sed -n "/\"sf\"/p; /stackFrames/,\$p" | sed "s/.*\"sf\"/sf/" | sort | uniq -c
      1 "1":{"name":"main"},
      1 "2":{"parent":"1","name":"work"},
      1 "3":{"parent":"2","name":"leaf"}}}
      1 "stackFrames":{
      1 sf:"1"},
      6 sf:"3"},

## Another build than the one that ran is not asked.
$ gcc -g -O1 -Wl,--build-id -o p p.c; weft calls p.weft 2>&1 | sed "s|$PWD|.|; s/[0-9a-f]\{40\}/ID/g; s/p+0x[0-9a-f]*/p+AT/"
weft calls: warning: './p' is another build than the one that ran: its build id is ID, in the trace ID; its functions have no names
  total     self  samples  own  function
85.71 %   0.00 %        6    0  p+AT
85.71 %  85.71 %        6    6    p+AT
14.29 %  14.29 %        1    1  p+AT

8 samples, one each 1.00 ms of CPU time; 1 without a stack.
$ rm p; weft calls p.weft 2>&1 | head -1 | sed "s|$PWD|.|"
weft calls: warning: cannot open './p': no such file or directory; its functions have no names

## Regions that lie in each other.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" .
$ weft calls -q heat.weft --of regions
  total     self     time      own  calls  function
92.85 %   7.47 %   260 ms  20.9 ms      2  main
67.94 %  67.94 %   190 ms   190 ms      4    solve
14.30 %  14.30 %  40.0 ms  40.0 ms      2    MPI_Recv
 3.14 %   3.14 %  8.79 ms  8.79 ms      2    exchange
 7.15 %   7.15 %  20.0 ms  20.0 ms      1  solve

280 ms in regions.
$ weft calls -q heat.weft --of regions -o h.svg --title 'heat <1>' && grep -c '<g class="f"' h.svg && grep -o '<text class="t"[^/]*' h.svg && grep -c 'http' h.svg
6
<text class="t" x="10" y="26">heat &lt;1&gt;<
1
$ weft calls -q heat.weft --of regions -o h.json && python3 -c 'import json; p = json.load(open("h.json")); s = p["profiles"][0]; print(len(p["shared"]["frames"]), s["endValue"] == sum(s["weights"]), len(s["samples"]) == len(s["weights"]))'
4 True True
$ weft calls -q heat.weft --of regions -o h.pb.gz && gzip -dc h.pb.gz | wc -c | tr -d ' '
223

## What is wrong is one line.
$ weft calls -q heat.weft --of regions -o h.svg
weft calls: error: 'h.svg' is there already (--force replaces it)
Try 'weft calls --help'.
? 2
$ weft calls -q heat.weft --of regions -o h.xyz
weft calls: error: cannot tell the format from the name 'h.xyz': known endings are .svg .folded .txt .pb.gz .pprof .json; or say it with --to
Try 'weft calls --help'.
? 2
$ weft calls heat.weft --of sample
weft calls: error: option '--of': unknown 'sample' (did you mean 'samples'?)
Try 'weft calls --help'.
? 2
$ weft filter -q heat.weft -f 'kind=enter,leave' -o r.weft; weft calls r.weft --of samples
weft calls: error: 'r.weft' has no samples here (record them with weft record --on samples)
? 2
$ weft stat -q heat.weft --by function
function  module  samples      self  at least   at most  CPU time  with calls
0x401000                1  100.00 %   20.65 %  100.00 %         -    100.00 %

Of 1 sample. Shares of time lie between 'at least' and 'at most' with 95 % confidence (Wilson).
$ weft stat heat.weft --by function,thread
weft stat: error: option '--by': function stands alone
Try 'weft stat --help'.
? 2
$ weft calls heat.weft --least 101
weft calls: error: option '--least': from 0 to 100 percent
Try 'weft calls --help'.
? 2

## A sample whose signal came late stands for all the periods that it missed, also in a recorded stream, a cut and a filtered trace.
$ printf 'process 0 p\nthread main\nsample 10 0x300 0x101\nmore 20 4 0x300 0x101\n' >m.txt; "$WEFT_BUILD/tests/trace_of_text" m.weft <m.txt && weft calls m.weft -o - --to folded; weft cut -q m.weft -t 15ns.. -o cut.weft && weft calls cut.weft -o - --to folded
0x100;0x300 6
0x100;0x300 5
