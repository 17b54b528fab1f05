## SPDX-License-Identifier: Apache-2.0
## weft track: objects over runs; what is wrong or degenerate.
## Runs of two kinds of bursts, which grow by a factor from run to run; in the third run the second kind parts in two.
$ cat >make.awk <<'END'
> BEGIN {
> 	print "#Paraver (01/01/2026 at 00:00):90000000_ns:1(2):1:2(1:1,1:1),0"
> 	for (i = 0; i < 60; i++) for (t = 1; t <= 2; t++) {
> 		begin = i * 1000000 + t * 100; kind = i % 2; k = (i * 7 + t * 13) % 11
> 		ins = (kind ? 5000 : 1000) * grow + k; if (part && kind && i % 4 == 1) ins = int(ins * 1.4)
> 		end = begin + 20 * ins
> 		print "1:" t ":1:" t ":1:" begin ":" end ":1"
> 		print "1:" t ":1:" t ":1:" end ":" (i + 1) * 1000000 + t * 100 ":3"
> 		print "2:" t ":1:" t ":1:" end ":42000050:" ins ":42000059:" int(kind ? ins : ins / 2) ":70000001:" (kind ? 3 : 2)
> 	}
> }
> END
$ make() { awk -v grow=$1 -v part=$2 -f make.awk | (read -r head; echo "$head"; sort -t: -s -k6n); }
$ make 1 0 >a.prv; make 2 0 >b.prv; make 3 1 >c.prv
$ weft track a.prv b.prv c.prv --by 42000050,42000050/42000059 --eps 0.05 -o chains --picture t.svg --traces x; cat chains; grep -c '<animate' t.svg; ls x.*
object  run    clusters  bursts    total     time     mean    change  42000050  42000050/42000059
     1  a.prv         1      60  6.01 ms  83.28 %   100 us    0.00 %    5005.1                  1
     1  b.prv         1      60  12.0 ms  83.31 %   200 us   99.90 %   10005.1                  1
     1  c.prv         2      60  21.6 ms  85.70 %   360 us  259.75 %   18005.9                  1
     2  a.prv         1      60  1.21 ms  16.72 %  20.1 us    0.00 %   1004.88             2.0009
     2  b.prv         1      60  2.41 ms  16.69 %  40.1 us   99.51 %   2004.88            2.00045
     2  c.prv         1      60  3.61 ms  14.30 %  60.1 us  199.03 %   3004.88             2.0003

2 objects, 2 in all 3 runs; 1 is of several clusters in some run (they part, or come together).
1: {1} <-> {1} <-> {1,2}
2: {2} <-> {2} <-> {3}
5
x.1.tracked.pcf
x.1.tracked.prv
x.2.tracked.pcf
x.2.tracked.prv
x.3.tracked.pcf
x.3.tracked.prv
$ weft track a.prv b.prv c.prv --by 42000050,42000050/42000059 --eps 0.05 --csv | head -3
object,run,clusters,bursts,total_ns,share_percent,mean_ns,mean_change_percent,42000050,42000050/42000059
1,a.prv,1,60,6006120,83.27976505758474,100102,0,5005.1,1
1,b.prv,1,60,12006120,83.30652693106707,200102,99.89810393398733,10005.1,1
$ weft track b.prv c.prv --by 42000050,42000050/42000059 --eps 0.05 --links --callers 70000001
run  from  to      near      back   callers  object
  1     1   1  100.00 %  100.00 %  100.00 %       1
  1     1   2    0.00 %  100.00 %  100.00 %       1
  1     2   3  100.00 %  100.00 %  100.00 %       2

2 objects, 2 in all 2 runs; 1 is of several clusters in some run (they part, or come together).
$ weft cluster a.prv --eps 0.05 -o ca.prv >out; weft cluster b.prv --eps 0.05 -o cb.prv >out; weft track ca.prv cb.prv | tail -1
2 objects, 2 in all 2 runs; 0 are of several clusters in some run (they part, or come together).
$ weft track x.1.tracked.prv x.3.tracked.prv --by 42000050,42000050/42000059 | tail -1
2 objects, 2 in all 2 runs; 0 are of several clusters in some run (they part, or come together).
## Degenerate and wrong.
$ weft track a.prv b.prv --by duration --eps 1e-9 | tail -1
0 objects, 0 in all 2 runs; 0 are of several clusters in some run (they part, or come together).
$ head -1 a.prv >none.prv; weft track a.prv none.prv
weft track: error: 'none.prv' has no bursts here
? 2
$ weft track a.prv
weft track: error: expected RUN RUN...
Try 'weft track --help'.
? 2
$ weft track a.prv b.prv --threshold 200
weft track: error: option '--threshold': expected 0 to 100
Try 'weft track --help'.
? 2
$ weft track a.prv b.prv --method x
weft track: error: option '--method': unknown 'x' (it can be: dbscan, hdbscan, aggregate, divide)
Try 'weft track --help'.
? 2
$ weft track a.prv b.prv --callers 70000009 --eps 0.05 | tail -1
weft track: warning: 'a.prv' has no type '70000009': callers are not known
weft track: warning: 'b.prv' has no type '70000009': callers are not known
2 objects, 2 in all 2 runs; 0 are of several clusters in some run (they part, or come together).
