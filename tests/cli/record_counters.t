## SPDX-License-Identifier: Apache-2.0
## weft record --counters: with samples, at regions, each so often; lists that take turns; counters of the machine.

## What the program counts itself: page faults of the two threads in a parallel region. A thread's first reading of its own may add a few.
$ gcc -O1 -fopenmp "$WEFT_SOURCE/tests/tools/count_pages.c" -o pages
$ weft record -q --counters page-faults,task-clock@openmp -o r.weft -- ./pages 2000 0 >truth
$ weft dump r.weft | awk '/counter .*page-faults/ {n[$2] = $NF} /leave .*omp parallel\]/ {sum += n[$2]} END {while ((getline t < "truth") > 0); print ((sum >= 4000 && sum < 4100 && sum >= t) ? "as counted" : sum)}'
as counted
## Each value stands right before the region's event.
$ weft dump r.weft | awk '/counter .*task-clock/ {had[$2] = 1} /enter .*omp|leave .*omp/ {bad += !had[$2] && at[$2] != $1; had[$2] = 0; at[$2] = $1; n++} END {print bad + 0, (n > 6)}'
0 1
## Other categories than the one that was named have none.
$ weft record -q --counters page-faults@mpi -o none.weft -- ./pages 10 0 >/dev/null; weft dump -f kind=counter none.weft | wc -l
0

## The process each 20 ms: what is added up is what getrusage says at the end (faults of the beginning included).
$ weft record -q --off samples --counters page-faults,rss,heap@20ms -o t.weft -- ./pages 3000 200 >/dev/null
$ weft dump t.weft | awk '/page-faults/ {sum += $NF; n++} /rss/ {rss = $(NF - 1)} END {print (n >= 5), (sum > 6000), (sum < 8000), (rss > 3000 * 4096)}'
1 1 1 1

## Lists take turns: a point says whose values follow.
$ WEFT_SAMPLE=100 weft record -q --counters page-faults,minor-faults/task-clock@samples:30ms -o s.weft -- ./pages 10 300 >/dev/null
$ weft dump s.weft | awk '/counter list/ {list = $NF; seen[list]++} /counter  .*page-faults/ {bad += list != 1} /task-clock/ {bad += list != 2} END {print bad + 0, (seen[1] > 1), (seen[2] > 1)}'
0 1 1

## With samples, unless something else is asked for, faults and switches.
$ WEFT_SAMPLE=100 weft record -q -o d.weft -- ./pages 10 200 >/dev/null; weft dump -f kind=counter d.weft | awk '{print $4}' | sort -u
context-switches
page-faults
$ WEFT_SAMPLE=100 weft record -q --off counters -o off.weft -- ./pages 10 100 >/dev/null; weft dump -f kind=counter off.weft | wc -l
0

## Energy: zones of powercap (a made-up tree); behind its range a zone begins anew.
$ for z in 0 0:0; do mkdir -p cap/intel-rapl:$z; echo 1000 >cap/intel-rapl:$z/energy_uj; echo 5000 >cap/intel-rapl:$z/max_energy_range_uj; done
$ mkdir cap/intel-rapl-mmio:0; cp cap/intel-rapl:0/* cap/intel-rapl-mmio:0; echo package-0 >cap/intel-rapl:0/name; echo dram >cap/intel-rapl:0:0/name; echo package-0 >cap/intel-rapl-mmio:0/name
$ (sleep 0.3; echo 4000 >n; mv n cap/intel-rapl:0/energy_uj; sleep 0.2; echo 500 >n; mv n cap/intel-rapl:0/energy_uj) & WEFT_POWERCAP=$PWD/cap weft record -q --off samples --counters energy@20ms -o e.weft -- ./pages 10 900 >/dev/null
$ weft dump e.weft | awk '/energy/ {unit = $NF; v = $(NF - 1); sub(/ =.*/, "", $0); sum[$4 " " $5 " " $6] += v} END {for (k in sum) print k, sum[k], unit}' | sort
energy package-0  4500 uJ
energy package-0 dram 0 uJ

## Two processes of one run: one of them reads what is the machine's, and the other when that one is over.
$ WEFT_POWERCAP=$PWD/cap weft record -q --off samples --counters energy,net-rx:lo@20ms -o two.weft -- sh -c './pages 10 300 & ./pages 10 300; wait' >/dev/null; weft dump two.weft | awk '/dram/ {split($2, p, "."); n += p[2] != last; last = p[2]} END {print (n == 1 || n == 2)}'
1

$ weft record --counters page-fault -- ./pages
weft record: error: option '--counters': no counter is called 'page-fault' (weft record --counters list)
Try 'weft record --help'.
? 2
$ weft record --counters rss --counters rss -- ./pages
weft record: error: option '--counters': 'rss' is there twice
Try 'weft record --help'.
? 2
$ weft record --counters energy@regions -- ./pages
weft record: error: option '--counters': 'energy' is of the whole machine: give it a time, as in '@100ms'
Try 'weft record --help'.
? 2
$ weft record --counters list | awk '{print $1}' | grep -x -e PAPI_TOT_INS -e instructions -e energy -e net-rx -e mpi_t
instructions
energy
net-rx
mpi_t

## Programs that call Extrae's functions: readings where they ask for them.
$ printf '#include <extrae_user_events.h>\n#include <string.h>\n#include <sys/mman.h>\nint main(void)\n{\n\tfor (int i = 0; i < 3; i++) {\n\t\tExtrae_eventandcounters(1000, 1);\n\t\tchar *p = mmap(0, 1000 * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n\t\tmadvise(p, 1000 * 4096, MADV_NOHUGEPAGE);\n\t\tmemset(p, 1, 1000 * 4096);\n\t\tExtrae_eventandcounters(1000, 0);\n\t}\n\tExtrae_counters();\n}\n' >ev.c; gcc -O0 -D_GNU_SOURCE -I "$WEFT_SOURCE"/include ev.c -o ev && weft record -q --counters page-faults@regions -o ev.weft -- ./ev; weft dump ev.weft | awk '/page-faults/ {n = $NF} /type 1000 = 0/ {print (n >= 1000 && n < 1010)}'
1
1
1
