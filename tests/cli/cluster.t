## SPDX-License-Identifier: Apache-2.0
## weft cluster: clusters of bursts as a table, files and traces; BurstClustering; what is wrong or degenerate.
## Four threads; in turn a burst of 1000 instructions at IPC 2, and one of 5000 at IPC 1, each a little different; between them messages.
$ cat >make.awk <<'END'
> BEGIN {
> 	print "#Paraver (01/01/2026 at 00:00):90000000_ns:1(4):1:4(1:1,1:1,1:1,1:1),0"
> 	for (i = 0; i < 60; i++) for (t = 1; t <= 4; t++) {
> 		begin = i * 1000000 + t * 100; kind = i % 2; k = (i * 7 + t * 13) % 11
> 		end = begin + (kind ? 500000 : 80000) + 300 * k
> 		print "1:" t ":1:" t ":1:" begin ":" end ":1"
> 		print "1:" t ":1:" t ":1:" end ":" (i + 1) * 1000000 + t * 100 ":3"
> 		ins = (kind ? 5000 : 1000) + k; cyc = kind ? ins : ins / 2
> 		if (!(i == 10 && t == 2)) print "2:" t ":1:" t ":1:" end ":42000050:" ins ":42000059:" int(cyc)
> 	}
> }
> END
$ sorted() { awk -f make.awk | (read -r head; echo "$head"; sort -t: -s -k6n); }; sorted >a.prv
$ printf 'EVENT_TYPE\n7 42000050 PAPI_TOT_INS [Instr completed]\n7 42000059 PAPI_TOT_CYC [Total cycles]\n' >a.pcf
$ weft cluster a.prv
cluster  bursts    total     time     mean     score  PAPI_TOT_INS  PAPI_TOT_INS/PAPI_TOT_CYC
1           120  60.2 ms  86.12 %   501 us         1       5004.99                          1
2           119  9.70 ms  13.88 %  81.5 us  0.991667       1004.93                    2.00092
noise         0     0 ns   0.00 %        -         -             -                          -

DBSCAN, epsilon 0.01, min points 10; 2 clusters of 239 bursts (1 left out).
Noise: 0 bursts, 0.00 % of their time. Sequence score 0.9988 (1: all threads do the same).
$ weft cluster a.prv --eps 0.1 --csv
cluster,bursts,total_ns,share_percent,mean_ns,score,PAPI_TOT_INS,PAPI_TOT_INS/PAPI_TOT_CYC
1,120,60179700,86.12380824262476,501497,1,5004.991666666667,1
2,119,9696100,13.876191757375228,81479,0.9916666666666667,1004.9327731092437,2.0009206943069207
noise,0,0,0,,,,
$ weft cluster a.prv --method hdbscan --json | head -c 150
[
  {
    "cluster": "1",
    "bursts": 11,
    "total_ns": 5533000,
    "share_percent": 7.918335103140143,
    "mean_ns": 503000,
    "score": 0.916
\ no newline
$ weft cluster a.prv --method aggregate | tail -3

aggregative refinement, epsilon 0.01, min points 10; 2 clusters of 239 bursts (1 left out).
Noise: 0 bursts, 0.00 % of their time. Sequence score 0.9988 (1: all threads do the same).
$ weft cluster a.prv --by 'log(duration)' --eps 0.05 --min-points 4 | tail -2
DBSCAN, epsilon 0.05, min points 4; 2 clusters of 240 bursts.
Noise: 0 bursts, 0.00 % of their time. Sequence score 1.0000 (1: all threads do the same).
$ weft cluster a.prv --sample 100 --eps 0.1 | tail -1
100 bursts were clustered, the others have the cluster of their nearest: of 50 that were held back, 0.00 % got another one.
$ weft cluster a.prv --eps 0.1 --data a.csv --info i.csv --scores s.csv --sequences q.csv --k-distances k.csv --picture p.svg >out; head -3 a.csv; cat i.csv s.csv; head -1 q.csv | cut -c1-40; head -2 k.csv; grep -c '<circle' p.svg
# Instance,TaskId,ThreadId,Begin_Time,End_Time,Duration, Line, d_PAPI_TOT_INS, d_PAPI_TOT_INS/PAPI_TOT_CYC, n_PAPI_TOT_INS, n_PAPI_TOT_INS/PAPI_TOT_CYC,ClusterID
0,0,0,100,80700,80600,4,1002,2.000000, 0.001240, 0.998004,7
1,1,0,200,81400,81200,5,1004,2.000000, 0.002477, 0.998004,7
Cluster Name,NOISE,Cluster 1,Cluster 2
Density,0,120,119
Total Duration,0,60179700,9696100
Avg. Duration,0,501498,81480
% Total Duration,0.00000,0.86124,0.13876
Cluster,Cluster Score,Occurrences,WeightedScore
NOISE,0.000000,0,0.000000
Cluster 1,1.000000,120,0.861238
Cluster 2,0.991667,119,0.137606
GLOBAL,0.998844
7,6,7,6,7,6,7,6,7,6,7,6,7,6,7,6,7,6,7,6,
point,distance
0,0
12
## The trace with clusters: lines of the .prv stand as they stood.
$ weft cluster a.prv --eps 0.1 -o b.prv >out; diff a.prv b.prv | grep '^[<>]' | head -4; diff a.prv b.prv | grep -c '^<'; tail -10 b.pcf
\> 2:1:1:1:1:100:90000001:7
\> 2:2:1:2:1:200:90000001:7
\> 2:3:1:3:1:300:90000001:7
\> 2:4:1:4:1:400:90000001:7
0
9	90000001	Cluster ID
VALUES
0	End
1	Missing Data
2	Duration Filtered
3	Range Filtered
4	Threshold Filtered
5	Noise
6	Cluster 1
7	Cluster 2
$ weft cluster a.prv --eps 0.1 -o b.prv
weft cluster: error: 'b.prv' is there already (--force replaces it)
? 2
$ weft cluster a.prv --eps 0.1 -o b.weft >out; weft dump b.weft -f 'type="Cluster ID"' | head -2
     100  1.1.1   point         Cluster ID = 7 "Cluster 2"
     200  1.2.1   point         Cluster ID = 7 "Cluster 2"
## Filters know clusters then: of a burst's events and states, not of what lies between; 0 is the noise.
$ for c in =1 =2 =1..2 =0 '!=1' '>=1'; do echo "$c $(weft stat b.prv --by state --csv -f "cluster$c" | awk -F, 'NR > 1 {print $1, $3, $4}')"; done
=1 Unknown state 1 4 120
=2 Unknown state 1 4 119
=1..2 Unknown state 1 4 239
=0 
!=1 Unknown state 1 4 119
>=1 Unknown state 1 4 239
$ weft stat b.weft --by state --csv -f 'cluster=2 thread=1.1.1' | cut -d, -f 1-4; weft dump b.weft -f 'cluster=1 type="Cluster ID"' | awk '{print $NF}' | sort | uniq -c
state,class,threads,calls
Unknown state 1,unknown,1,30
    120 1"
$ weft stat a.prv --by state -f cluster=1 2>&1 | head -1
weft stat: warning: filter: column 1: the trace has no clusters (weft cluster -o writes one that has)
$ weft stat b.prv --by state -f cluster=one
weft stat: error: filter: column 9: expected a whole number, found 'one'
? 2
## By a control file, and under the name of BSC's program.
$ cat >c.xml <<'END'
> <clustering_definition use_duration="no" apply_log="yes" normalize_data="yes" duration_filter="100">
>  <clustering_algorithm name="DBSCAN"><epsilon>0.1</epsilon><min_points>5</min_points></clustering_algorithm>
>  <clustering_parameters><single_event name="INS" apply_log="yes"><event_type>42000050</event_type></single_event></clustering_parameters>
>  <extrapolation_parameters><single_event name="CYC"><event_type>PAPI_TOT_CYC</event_type></single_event></extrapolation_parameters>
>  <output_plots><plot_definition raw_metrics="yes"><x_metric>INS</x_metric><y_metric>CYC</y_metric></plot_definition></output_plots>
> </clustering_definition>
> END
$ weft cluster a.prv --control c.xml
cluster  bursts    total     time    mean     score      INS      CYC
1            65  32.6 ms  54.25 %  502 us    0.8125  5007.52  5007.52
2            11  5.51 ms   9.16 %  501 us      0.55     5004     5004
3            11  5.51 ms   9.16 %  501 us  0.392857     5003     5003
4            11  5.51 ms   9.15 %  501 us  0.458333     5002     5002
5            11  5.50 ms   9.14 %  500 us  0.458333     5001     5001
6            11  5.50 ms   9.14 %  500 us  0.392857     5000     5000
noise         0     0 ns   0.00 %       -         -        -        -

DBSCAN, epsilon 0.1, min points 5; 6 clusters of 120 bursts (120 left out).
Noise: 0 bursts, 0.00 % of their time. Sequence score 0.6469 (1: all threads do the same).
$ ln -s "$WEFT_BUILD/weft" BurstClustering; ./BurstClustering -d c.xml -i a.prv -o d.prv -a; ls d.*; cat d.clusters_info.csv; head -8 d.INS.CYC.gnuplot
** DATA EXTRACTION **
** CLUSTER ANALYSIS **
120 bursts of 240, 6 clusters
** GENERATING CLUSTERS INFORMATION FILE **
** GENERATING GNUPlot SCRIPTS **
** RECONSTRUCTING INPUT TRACE **
d.DATA.csv
d.INS.CYC.gnuplot
d.SCORES.csv
d.clusters_info.csv
d.pcf
d.prv
d.seq
Cluster Name,NOISE,Cluster 1,Cluster 2,Cluster 3,Cluster 4,Cluster 5,Cluster 6
Density,0,65,11,11,11,11,11
Total Duration,0,32646700,5513200,5509900,5506600,5503300,5500000
Avg. Duration,0,502257,501200,500900,500600,500300,500000
% Total Duration,0.00000,0.54249,0.09161,0.09156,0.09150,0.09145,0.09139
CYC,0,5008,5004,5003,5002,5001,5000
set datafile separator ","

set title "Cluster Analysis Results of trace 'a.prv'\nDBSCAN (Eps=0.1, MinPoints=5)"
set xlabel "INS"
set ylabel "CYC"
set xrange [:]
set yrange [:]


$ ./BurstClustering -s -d c.xml -i a.prv -o d.prv -ra 5,0.2,0.01,3 -os -of; grep -c '' d.prv; tail -1 d.SCORES.csv
241
GLOBAL,1.000000
$ ./BurstClustering -s -d c.xml -i a.prv -o e.prv -rap 5,0.2,0.01,3; ls e.STEP*; tail -1 e.STEP1.SCORES.csv; tail -1 e.SCORES.csv; cut -d, -f 1-3 e.STEP1.clusters_info.csv | head -2
e.STEP1.DATA.csv
e.STEP1.INS.CYC.gnuplot
e.STEP1.SCORES.csv
e.STEP1.clusters_info.csv
e.STEP2.DATA.csv
e.STEP2.INS.CYC.gnuplot
e.STEP2.SCORES.csv
e.STEP2.clusters_info.csv
GLOBAL,0.804771
GLOBAL,1.000000
Cluster Name,NOISE,Cluster 1
Density,0,11
$ ./BurstClustering -s -d c.xml -i a.prv -o e.prv -t | sed 's/[0-9.]* s/N s/g'
TIMING: clusters N s, files N s
## Bursts that a list gives, as Paraver saves a timeline: here the same states (but for one), so the same clusters; and only those of the first kind.
$ awk -F: '$1 == 1 && $8 == 1 && $6 > 1000000 {printf "1.%d.1\t%d\t%d\t%d\n", $2, $6, $7 - $6, int($6 / 1000000) % 2 + 1} $1 == 1 && $8 == 3 {printf "1.%d.1\t%d\t%d\t0\n", $2, $6, $7 - $6}' a.prv >list.csv
$ ./BurstClustering -d c.xml -i a.prv -o f.prv -c list.csv -s; cut -d, -f 2- e.DATA.csv >e; cut -d, -f 2- f.DATA.csv | diff e - && sed 1d f.DATA.csv | wc -l; weft dump f.prv -f 'type="Cluster ID"' | head -2
120
 1000100  1.1.1   point         Cluster ID = 6 "Cluster 1"
 1000200  1.2.1   point         Cluster ID = 11 "Cluster 6"
$ awk '$4 == 1' list.csv >some.csv; weft cluster a.prv --of csv=some.csv --eps 0.1 | tail -2; weft phases a.prv --of csv=list.csv --csv
DBSCAN, epsilon 0.1, min points 10; 10 clusters of 115 bursts (1 left out).
Noise: 9 bursts, 7.91 % of their time. Sequence score 0.7809 (1: all threads do the same).
from_ns,to_ns,period_ns,strength,iterations,perturbed,inner_ns,outer
1010742,43505859,2000049,0.993,23,0,,
54008789,59501953,2000153,1,5,0,,
$ (cat list.csv; echo '1.5.1 0 1 1') >wrong.csv; weft cluster a.prv --of csv=wrong.csv
weft cluster: error: 'wrong.csv', line 477: the trace has no such thread
? 2
$ ./BurstClustering -d c.xml -i a.prv -o e.prv -c nothing.csv
BurstClustering: error: cannot open 'nothing.csv': no such file or directory
** DATA EXTRACTION **
? 1
$ ./BurstClustering -d c.xml
BurstClustering: say what to do, with -d XML -i IN.prv -o OUT.prv
usage: BurstClustering [-s] [-m N] [-a[f]] [-r(a|d)[p] [MINPTS,MAXEPS,MINEPS,STEPS]] [-dbscan EPS,MINPTS]
                       [-e TYPES] [-c[l] CSV] [-t] [-os] [-of] -d XML -i IN.prv -o OUT.prv
? 1
$ ./BurstClustering -d c.xml -i a.prv -o d.prv -dbscan 0
BurstClustering: expected EPS,MINPTS behind -dbscan
usage: BurstClustering [-s] [-m N] [-a[f]] [-r(a|d)[p] [MINPTS,MAXEPS,MINEPS,STEPS]] [-dbscan EPS,MINPTS]
                       [-e TYPES] [-c[l] CSV] [-t] [-os] [-of] -d XML -i IN.prv -o OUT.prv
? 1
## Degenerate: one thread, no counters, one burst, all noise, constant values.
$ grep -v '^[123]:[234]:' a.prv | sed 's/:1(4):1:4(1:1,1:1,1:1,1:1)/:1(4):1:1(1:1)/' >one.prv; weft cluster one.prv --by 42000050 --eps 0.1 | tail -2
DBSCAN, epsilon 0.1, min points 10; 2 clusters of 60 bursts.
Noise: 0 bursts, 0.00 % of their time. Sequence score 1.0000 (1: all threads do the same).
$ grep -v '^2:' a.prv >none.prv; weft cluster none.prv | tail -2
DBSCAN, epsilon 0.01, min points 10; 2 clusters of 240 bursts.
Noise: 0 bursts, 0.00 % of their time. Sequence score 1.0000 (1: all threads do the same).
$ weft cluster none.prv --by PAPI_TOT_INS
weft cluster: warning: 'none.prv' has no counter 'PAPI_TOT_INS': bursts without it are left out
weft cluster: error: 'none.prv': all 240 bursts are left out: too short, or without 'PAPI_TOT_INS'
? 2
$ head -2 a.prv >single.prv; weft cluster single.prv; head -1 a.prv >empty.prv; weft cluster empty.prv
cluster  bursts    total      time     mean  score  duration
noise         1  80.6 us  100.00 %  80.6 us      1     80600

no epsilon: too few bursts; 0 clusters of 1 bursts.
Noise: 1 bursts, 100.00 % of their time. Sequence score 1.0000 (1: all threads do the same).
weft cluster: error: 'empty.prv' has no bursts here (--of says what else a burst can be)
? 2
$ weft cluster a.prv --eps 1e-12 --by 'log(duration)' | tail -4
weft cluster: error: epsilon 1e-12 is too small for values that lie so far apart
$ sed 's/42000050:[0-9]*/42000050:7/' a.prv >same.prv; weft cluster same.prv --by 42000050 | tail -2
DBSCAN, epsilon 0.01, min points 10; 1 cluster of 239 bursts (1 left out).
Noise: 0 bursts, 0.00 % of their time. Sequence score 0.9958 (1: all threads do the same).
## What is wrong.
$ weft cluster a.prv --eps 0
weft cluster: error: option '--eps': expected a positive number or auto, found '0'
Try 'weft cluster --help'.
? 2
$ weft cluster a.prv --eps 1..2
weft cluster: error: option '--eps': a range is for --method aggregate or divide
Try 'weft cluster --help'.
? 2
$ weft cluster a.prv --method kmeans
weft cluster: error: option '--method': unknown 'kmeans' (it can be: dbscan, hdbscan, aggregate, divide)
Try 'weft cluster --help'.
? 2
$ weft cluster a.prv --by 'INS/'
weft cluster: error: metric 'INS/': a metric has no name
? 2
$ weft cluster a.prv --of burst
weft cluster: error: bursts can be states, compute, regions, type=NAME or csv=FILE, not 'burst'
? 2
$ weft cluster a.prv --control c.xml --by duration
weft cluster: error: say what to cluster by once, with --by or with --control
Try 'weft cluster --help'.
? 2
$ echo '<x/>' >x.xml; weft cluster a.prv --control x.xml
weft cluster: error: x.xml:1: <x>: expected clustering_definition, found 'x'
? 2
$ weft cluster nothing.prv
weft cluster: error: cannot open 'nothing.prv': no such file or directory
? 2
$ weft cluster a.prv --picture p.gif
weft cluster: error: cannot tell the format from the name 'p.gif': known endings are .svg .png .eps .pdf
Try 'weft cluster --help'.
? 2
