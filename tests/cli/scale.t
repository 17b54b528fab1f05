## SPDX-License-Identifier: Apache-2.0
## weft efficiency, scale, regress: of traces whose every figure is known. A run of N ranks computes 100 ms of which 10 are serial: rank 1 for
## 10 + 90 / N ms, the others for 90 / N; then they wait. Rank 1 counts 2000 instructions a us, 1000 cycles.
$ cat >make.sh <<'END'
> n=$1 slow=${2:-0}
> awk -v n="$n" -v slow="$slow" 'BEGIN {
>     each = int(90000 / n) + slow; end = 10000 + each
>     printf "#Paraver (01/01/2024 at 10:00):%d_us:1(%d):1:%d(", end, n, n
>     for (r = 1; r <= n; r++) printf "%s1:1", (r > 1 ? "," : "")
>     print ")"
>     for (r = 1; r <= n; r++) {
>         busy = r == 1 ? end : each
>         printf "1:%d:1:%d:1:0:%d:1\n", r, r, busy
>         if (busy < end) printf "1:%d:1:%d:1:%d:%d:3\n", r, r, busy, end
>         printf "2:%d:1:%d:1:%d:42000050:%d:42000059:%d\n", r, r, busy, 2000 * busy, 1000 * busy
>         if (busy < end) printf "2:%d:1:%d:1:%d:50000002:8\n2:%d:1:%d:1:%d:50000002:0\n", r, r, busy, r, r, end
>     }
> }' >"run$n.prv"
> printf 'STATES\n1 Running\n3 Waiting a message\n\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n0 Outside MPI\n8 MPI_Barrier\n\nEVENT_TYPE\n7 42000050 PAPI_TOT_INS\n7 42000059 PAPI_TOT_CYC\n' >"run$n.pcf"
> END
$ for n in 1 2 4 8; do sh make.sh $n; done
$ weft efficiency --no-ideal run2.prv
efficiency                  2         when it is small
Parallel efficiency         90.91 %   cores wait: see the factors below
  Load balance              90.91 %   some compute longer than others
  Communication efficiency  100.00 %  even the busiest one waits
Average IPC                 2.00
Average frequency (GHz)     1.00
$ weft efficiency --no-ideal run4.prv run1.prv run2.prv --csv --scaling strong | cut -d, -f 2-5 | head -14
factor,1,2,4
Parallel efficiency,100,90.9090909090909,76.92307692307693
Load balance,100,90.9090909090909,76.92307692307693
Communication efficiency,100,100,100
Serialization efficiency,,,
Transfer efficiency,,,
Computation scalability,100,100,100
Global efficiency,100,90.9090909090909,76.92307692307693
IPC scalability,100,100,100
Instruction scalability,100,100,100
Frequency scalability,100,100,100
Speedup,1,1.8181818181818181,3.076923076923077
Average IPC,2,2,2
Average frequency (GHz),1,1,1
$ weft efficiency --no-ideal run1.prv run2.prv -o -
Number of processes;1;2
Parallel efficiency;100.000000;90.909091
Load balance;100.000000;90.909091
Communication efficiency;100.000000;100.000000
Serialization efficiency;NaN;NaN
Transfer efficiency;NaN;NaN
Computation scalability;100.000000;100.000000
Global efficiency;100.000000;90.909091
IPC scalability;100.000000;100.000000
Instruction scalability;100.000000;100.000000
Frequency scalability;100.000000;100.000000
Speedup;1.000000;1.818182
Average IPC;2.000000;2.000000
Average frequency (GHz);1.000000;1.000000
#
#Runtime (us);100000.00;55000.00
#Runtime (ideal);NaN;NaN
#Useful duration (average);100000.00;50000.00
#Useful duration (maximum);100000.00;55000.00
#Useful duration (total);100000.00;100000.00
#Useful duration (ideal, max);NaN;NaN
#Useful instructions (total);200000000.00;200000000.00
#Useful cycles (total);100000000.00;100000000.00
$ weft efficiency run2.prv --window 20ms --csv
begin_ns,end_ns,parallel_efficiency_percent,load_balance_percent,communication_efficiency_percent,average_ipc,mips
0,20000000,100,100,100,2,2000
20000000,40000000,100,100,100,2,2000
40000000,55000000,66.66666666666666,66.66666666666666,100,2,2000
$ weft efficiency --no-ideal run2.prv run4.prv -o factors.svg && xmllint --noout factors.svg && grep -c 'Load balance' factors.svg
1
$ weft scale --no-ideal run1.prv run2.prv run4.prv run8.prv
run  threads  runtime  speed-up  efficiency  parallel  computation  serial part
1          1   100 ms         1    100.00 %  100.00 %     100.00 %            -
2          2  55.0 ms   1.81818     90.91 %   90.91 %     100.00 %      10.00 %
4          4  32.5 ms   3.07692     76.92 %   76.92 %     100.00 %      10.00 %
8          8  21.3 ms   4.70588     58.82 %   58.82 %     100.00 %      10.00 %

Scaling: strong. Against the run of 1:
  serial part by Amdahl    10.00 % (95 %: 10.00 to 10.00)
  serial part by Gustafson 44.08 % (95 %: 23.50 to 64.67)

factor                    curve of p threads (%)           at 17     at 37     at 80  error left out
Load balance              100 / (0.9 + 0.1 * p)          38.46 %   21.74 %   11.24 %          0.00 %
Communication efficiency  100 / (1 + 0 * p)             100.00 %  100.00 %  100.00 %          0.00 %
Computation scalability   100 / (1 + 0 * p)             100.00 %  100.00 %  100.00 %          0.00 %
Parallel efficiency       load balance * communication   38.46 %   21.74 %   11.24 %               -
Global efficiency         parallel * computation         38.46 %   21.74 %   11.24 %               -

region             a thread now    share  ns of p threads         at 80  share then  error left out
Waiting a message       8.75 ms  41.18 %  1e+07 - 1e+07 * p^-1  9.88 ms     88.76 %         50.00 %
Running                 12.5 ms  58.82 %  0 + 1e+08 * p^-1      1.25 ms     11.24 %          0.00 %
$ weft scale --no-ideal run1.prv run2.prv run4.prv --table factors --model term --limit 16 --csv
factor,curve,at_6_percent,at_10_percent,at_16_percent,error_percent
Load balance,100 - 7.262 * p^0.333 * log2(p),65.8909922019304,48.029585956484524,26.80746649916567,0.1350115126634686
Communication efficiency,100,100,100,100,0
Computation scalability,100,100,100,100,0
Parallel efficiency,load balance * communication,65.8909922019304,48.029585956484524,26.80746649916567,
Global efficiency,parallel * computation,65.8909922019304,48.029585956484524,26.80746649916567,
$ weft scale --no-ideal run1.prv run2.prv run4.prv -o curves.gp && gnuplot -e 'set terminal dumb' curves.gp >/dev/null && grep -c EOD curves.gp
10
$ weft scale --no-ideal run1.prv run2.prv -o curves.svg && xmllint --noout curves.svg
$ weft scale run2.prv run2.prv
weft scale: error: the runs are all of 2 threads: nothing scales (to compare them: 'weft regress')
? 2
$ weft scale run1.prv run2.prv --limit 2 --no-ideal
weft scale: error: option '--limit': more than the 2 threads of the largest run
Try 'weft scale --help'.
? 2
## Runs before spread by 1 ms; after, each is 10 ms slower in what all compute.
$ mkdir before after && for k in 0 1 2 3 4; do sh make.sh 2 $((k * 250)) && cp run2.prv before/$k.prv && cp run2.pcf before/$k.pcf && sh make.sh 2 $((10000 + k * 250)) && mv run2.prv after/$k.prv && mv run2.pcf after/$k.pcf; done
$ weft regress before after; echo "status $?"
region        before    after   change  at least  at most  effect    p (all)  verdict
(whole run)  55.5 ms  65.5 ms  18.02 %   17.19 %  18.82 %   22.85  0.0238095  slower
Running      50.5 ms  60.5 ms  19.80 %   18.85 %  20.68 %   22.85  0.0238095  slower
status 1
$ weft regress before/0.prv -b before/1.prv -b before/2.prv before/3.prv before/4.prv --threshold 2; echo "status $?"
region        before    after  change  at least  at most   effect   p (all)  verdict
(whole run)  55.3 ms  55.9 ms  1.13 %    0.60 %   1.66 %  1.99172  0.148249  same
status 0
$ weft regress before after --markdown --top 1
**Slower**: +18.0 % (regions slower: 1, faster: 0; runs before: 5, after: 5)

| region | before | after | change | 95 % of cases | p | verdict |
|---|---:|---:|---:|---:|---:|---|
| \(whole run\) | 55.5 ms | 65.5 ms | +18.0 % | +17.2 … +18.8 | 0.024 | slower |
| Running | 50.5 ms | 60.5 ms | +19.8 % | +18.9 … +20.7 | 0.024 | slower |
? 1
$ weft regress after before --csv | cut -d, -f 1,9
region,verdict
(whole run),faster
Running,faster
$ weft regress before/0.prv after/0.prv --threshold 30; echo "status $?"
region        before    after   change  at least  at most  effect  p (all)  verdict
(whole run)  55.0 ms  65.0 ms  18.18 %         -        -       -        -  same
status 0
$ mkdir empty; weft regress before empty
weft regress: error: the folder 'empty' has no traces
? 2
$ weft regress before after --correct maybe
weft regress: error: option '--correct': unknown 'maybe' (it can be: any, share)
Try 'weft regress --help'.
? 2
$ weft regress before nothing.prv
weft regress: error: cannot open 'nothing.prv': no such file or directory
? 2
