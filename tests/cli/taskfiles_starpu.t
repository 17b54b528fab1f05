## SPDX-License-Identifier: Apache-2.0
## StarPU's commands on a trace's files, under their names: options, files, statuses; pictures as poppler and ghostscript read them.
## needs: pj_dump pdfinfo pdftotext gs convert gnuplot recsel xmllint file
$ cp "$WEFT_SOURCE"/tests/golden/taskfiles/* .; chmod u+w ./*; mkdir bin; for n in tasks_rec_complete workers_activity codelet_profile codelet_histo_profile fxt_data_trace paje_sort paje_state_stats paje_draw_histogram paje_summary trace_state_stats.py fxt_number_events_to_names.py fxt_stats send_recv_data_use.py mpi_comm_matrix.py; do ln -s "$(command -v weft)" bin/starpu_$n; done; PATH=$PWD/bin:$PATH
## states, side by side
$ starpu_paje_state_stats -v native.trace simulated.trace | sed 's/ *$//'
"Value"                          "Events_native.csv" "Duration_native.csv" "Events_simulated.csv" "Duration_simulated.csv"
"Scheduling"                     2                   4                    2                   6
"Sleeping"                       2                   5                    2                   7.5
"potrf"                          1                   8                    1                   12
"gemm"                           2                   9                    2                   13.5
"Submitting task"                1                   10                   1                   15
"Overhead"                       3                   17                   3                   25.5
"Initializing"                   2                   21                   2                   31.5
$ starpu_paje_state_stats -n potrf,gemm -r 0:-1 native.trace simulated.trace; cat statistics.csv
"Value","Events_native.csv","Duration_native.csv","Events_simulated.csv","Duration_simulated.csv"
"potrf",1,8,1,12
"gemm",2,9,2,13.5
$ starpu_trace_state_stats.py trace.rec
"Name","Count","Type","Duration"
"Scheduling",2,"Runtime",4
"Overhead",3,"Other",17
"Submitting task",1,"User",10
"potrf",1,"Task",8
"gemm",2,"Task",9
"Sleeping",2,"Other",5
$ starpu_trace_state_stats.py -te -s=8.5 trace.rec >/dev/null; cat times.csv efficiencies.csv
"Time","Duration"
"Runtime",25.000000
"Task",17.000000
"Idle",4.000000
"Scheduling",3.000000
"Efficiency","Value"
"Parallel",0.173469
"Task",0.500000
"Runtime",0.444444
"Scheduling",0.850000
"Pipeline",0.918367
$ starpu_trace_state_stats.py --efficiency trace.rec | wc -l; sed -n 2,3p efficiencies.csv
starpu_trace_state_stats.py: warning: the task efficiency is 1: -s says how long the tasks take one after the other
7
"Parallel",0.346939
"Task",1.0
$ starpu_paje_draw_histogram -n potrf,gemm native.trace simulated.trace; pdfinfo histogram.pdf | grep -e Title -e Pages; pdftotext -layout histogram.pdf - | grep -o -e 'potrf.*1' -e 'gemm.*2'
Title:           Lengths of states
Pages:           1
potrf · native: 1                                                    potrf · simulated: 1
gemm · native: 2                                                     gemm · simulated: 2
$ starpu_paje_summary native.trace simulated.trace; grep -o -e '<h2>[^<]*' -e '<p>.*' -e '<td>potrf.*' summary.html; grep -o 'https*://[^"]*' summary.html | sort -u; sed -n '/<svg/,/<\/svg/p' summary.html | sed '1i<all>' | sed '$a</all>' | xmllint --noout -
<h2>native
<p>0 ms to 30 ms</p>
<h2>simulated
<p>0 ms to 45 ms</p>
<h2>States
<td>potrf</td><td class="n">1</td><td class="n">8</td><td class="n">8</td><td class="n">1</td><td class="n">12</td><td class="n">12</td></tr>
<h2>Time in each state
<h2>Lengths of what took longest
http://www.w3.org/2000/svg
$ starpu_paje_sort native.trace simulated.trace; weft files sort -v native.trace simulated.trace
weft files: 'native.trace': 114 lines, 1 stretches that were in order
weft files: 'simulated.trace': 114 lines, 1 stretches that were in order
## pj_dump adds up the same times (it counts a task's state twice, for it is written twice)
$ diff <(pj_dump native.trace | awk -F', ' '$1 == "State" && $3 !~ /^InCtx/ { t[$8] += $6 } END { for (k in t) print k "," t[k] }' | sort) <(weft files states native.trace --csv | cut -d, -f1,3 | sed 1d | sort)
## workers: of each of 100 to 500 ms, eight hundred cells
$ starpu_workers_activity activity.data; gs -q -dNOPAUSE -dBATCH -dEPSCrop -sDEVICE=png16m -r72 -sOutputFile=activity.png activity.eps && file activity.png | cut -d, -f2
 934 x 392
$ for at in 250,85 250,74 250,67 500,70 250,112 800,112 250,197 250,310 250,264 800,264; do convert activity.png -format "$at %[pixel:p{$at}]\n" info:; done
250,85 srgb(43,161,43)
250,74 srgb(214,38,41)
250,67 srgb(0,0,0)
500,70 srgb(43,161,43)
250,112 srgb(0,0,0)
800,112 srgb(214,38,41)
250,197 srgb(176,176,176)
250,310 srgb(0,0,0)
250,264 srgb(176,176,176)
800,264 srgb(0,0,0)
## codelets
$ starpu_codelet_profile distrib.data gemm_kernel; cat distrib.data.0 distrib.data.1 distrib.data.gp; gnuplot distrib.data.gp 2>/dev/null && head -c 23 distrib.data.eps
Arch 0
Arch 1
gemm_kernel	0	307200	db9db110	2.000000000
gemm_kernel	1	307200	db9db110	2.500000000
gemm_kernel	1	1228800	0a9db110	16.000000000
#!/usr/bin/gnuplot -persist

set term postscript eps enhanced color
set output "distrib.data.eps"
set logscale x
set logscale y
set key top left
set xlabel "Total data size"
set ylabel "Execution time (ms)"
plot "distrib.data.0" using 3:5 title "gemm\\_kernel arch 0", "distrib.data.1" using 3:5 title "gemm\\_kernel arch 1"
%!PS-Adobe-2.0 EPSF-2.0
\ no newline
$ starpu_codelet_histo_profile distrib.data; for f in distrib.data.*.pdf; do echo "$f"; pdfinfo "$f" | grep Pages; done; pdftotext distrib.data.potrf.0.db326755.102400.pdf - | head -1
distrib.data.gemm_kernel.0.db9db110.307200.pdf
Pages:           1
distrib.data.gemm_kernel.1.0a9db110.1228800.pdf
Pages:           1
distrib.data.gemm_kernel.1.db9db110.307200.pdf
Pages:           1
distrib.data.potrf.0.db326755.102400.pdf
Pages:           1
distrib.data.potrf.1.db326755.102400.pdf
Pages:           1
potrf.0.db326755.102400: 2 tasks
$ starpu_fxt_data_trace distrib.data gemm_kernel; cat data_trace.gemm_kernel; grep plot data_trace.gp; starpu_fxt_data_trace tasks.rec; cat data_trace.trsm
2.000000000 307200
2.500000000 307200
16.000000000 1228800
#!/usr/bin/gnuplot -persist
plot "./data_trace.gemm_kernel" using 2:1 with dots lw 1 title "gemm\\_kernel"
1.500000000 307200
$ starpu_fxt_number_events_to_names.py number_events.data
START_CODELET_BODY	96
worker asleep	5
0xabcdef	7
$ starpu_fxt_stats -i trace.rec
event      type             n
SetState   Initializing     2
ProgEvent  start_profiling  1
PushState  Submitting task  1
PushState  Scheduling       2
PopState                    3
SetState   Overhead         3
SetState   potrf            1
SetState   gemm             2
SetState   Sleeping         2
ProgEvent  stop_profiling   1
SetState   End              2
$ starpu_send_recv_data_use.py .; starpu_send_recv_data_use.py -png comms.rec tasks.rec; pdftotext recv_use.pdf - | head -1; pdftotext send_use.pdf - | head -1; file recv_use.png send_use.png | cut -d, -f1
From reception to use
From use to sending
recv_use.png: PNG image data
send_use.png: PNG image data
$ starpu_mpi_comm_matrix.py comms.rec; starpu_mpi_comm_matrix.py output.log -png; pdftotext -layout comms_volume.pdf - | grep -e Sent -e darkest; pdftotext comms_bandwidth.pdf - | grep darkest; file output_volume.png output_bandwidth.png | cut -d, -f1
    Sent between programs (MB)
    darkest: 4 MB
darkest: 1143 MB/s
output_volume.png:    PNG image data
output_bandwidth.png: PNG image data
$ export STARPU_PERF_MODEL_DIR="$WEFT_SOURCE/tests/golden/models" STARPU_HOSTNAME=suite STARPU_HOME=/nowhere; unset STARPU_PERF_MODEL_PATH STARPU_NCPU STARPU_NCUDA STARPU_NOPENCL
$ starpu_tasks_rec_complete tasks.rec tasks2.rec; starpu_tasks_rec_complete <tasks.rec 2>/dev/null | cmp - tasks2.rec; grep -A1 'MPIRank: 1' tasks2.rec
starpu_tasks_rec_complete: warning: there is no performance model 'unheard_of'
MPIRank: 1

--
MPIRank: 1
EstimatedTime: 278.103600 278.103600
$ recsel -e 'EstimatedTime ~ "157"' -p JobId tasks2.rec
JobId: 0_1

JobId: 0_2
## wrong use, and help
$ starpu_codelet_profile distrib.data
starpu_codelet_profile: error: expected distrib.data CODELET
usage: starpu_codelet_profile [options] distrib.data CODELET
Writes what the codelet's tasks took by size of data: a file for each worker, and distrib.data.gp for gnuplot.
  -h, --help                          this text
  -v, --version                       the version
? 1
$ starpu_paje_sort nothing.trace
starpu_paje_sort: error: cannot open 'nothing.trace': no such file or directory
? 1
$ starpu_trace_state_stats.py -x trace.rec
starpu_trace_state_stats.py: error: unknown option '-x'
usage: starpu_trace_state_stats.py [options] trace.rec
How often and how long each state was there, and efficiencies.
  -t, --time                          write where the time went to times.csv
  -e, --efficiency                    write efficiencies to efficiencies.csv
  -s, --seq_task_time MS              how long the tasks take one after the other, for the task efficiency
  -h, --help                          this text
? 1
$ starpu_paje_state_stats -n
starpu_paje_state_stats: error: option '-n' wants an argument
usage: starpu_paje_state_stats [options] paje.trace...
How often and how long each state was there, traces beside each other.
  -r FROM:TO                          only states that lie within (-1: no end)
  -n NAMES                            only these states, with commas between
  -v                                  print the table instead of writing statistics.csv
  -h, --help                          this text
? 1
$ starpu_workers_activity -v; starpu_workers_activity --help
starpu_workers_activity (StarPU 1.4 by Weft 0.1.0)
usage: starpu_workers_activity [options] activity.data
Draws what workers did, and how many tasks there were: activity.eps.
  -h, --help                          this text
  -v, --version                       the version
