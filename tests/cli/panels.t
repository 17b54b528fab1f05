## SPDX-License-Identifier: Apache-2.0
## weft panels, what StarVZ shows: bounds, idleness, iterations, outliers, chains, curves as numbers; the picture. tests/golden/traces/make_kinds.py says what the trace is.
$ cp -r "$WEFT_SOURCE/tests/golden/traces/kinds.weft" "$WEFT_SOURCE/tests/golden/traces/tiles.weft" .

## Area: of 6 heavy tasks the device runs 5 and 7/60, else it would end after the CPUs: (600 - 100 x) = (600 + 70 + 400 x) / 2 for x = 53/60: 511.667 us.
## The path of a heavy and a light task three times, the heavy one where it is fast, is 600 us.
$ weft panels kinds.weft --table bounds --csv
what,ns,percent,meaning
time taken,1600000,100,from the first submission to the last task's end
area bound (ABE),511667,31.9791875,"all workers busy to the end, tasks shared out as is best"
critical path bound (CPB),600000,37.5,"as many workers as wanted, each task where it is fast"
bound,600000,37.5,the greater of both
## With one kind of workers the area is the tasks' time by the workers, and the path that of weft graph: 8 tasks of 2.4 ms.
$ weft panels tiles.weft --table bounds --csv | cut -d, -f 2; weft graph tiles.weft --csv | head -3
ns
3720000
2800000
2400000
2800000
tasks,dependencies,levels,widest,work_ns,critical_ns,critical_tasks,parallelism,took_ns,longer
20,30,10,6,5600000,2400000,8,2.3333333333333335,3670000,1.5291666666666666
## Of 1600 us CPU 0 runs three tasks of 400, CPU 1 three of 100 and five of 70 in all, the device six of 100.
$ weft panels kinds.weft --table workers --csv
worker,kind,tasks,tasks_ns,idle_percent
CPU 0,CPU,3,1200000,25
CPU 1,CPU,8,370000,76.875
OpenCL 0,OpenCL,6,600000,62.5
## From 1.1 to 1.3 ms: CPU 0 all the time, CPU 1 100 + 4 * 10 + 20, the device never. Bounds stay those of the program.
$ weft panels kinds.weft --table workers --csv -t 1.1ms..1.3ms; weft panels kinds.weft --table bounds --csv -t 1.1ms..1.3ms | cut -d, -f 2 | tail -1
worker,kind,tasks,tasks_ns,idle_percent
CPU 0,CPU,1,200000,0
CPU 1,CPU,6,160000,20
OpenCL 0,OpenCL,0,0,100
600000
$ weft panels kinds.weft --table iterations --csv
iteration,tasks,submit_ns,start_ns,end_ns,lasts_ns,tasks_ns
0,4,900000,1000000,1500000,500000,700000
1,4,920000,1500000,2000000,500000,700000
2,4,940000,2000000,2500000,500000,700000
$ weft panels tiles.weft --table iterations --csv --by priority | cut -d, -f 1,2
iteration,tasks
7,1
8,3
9,6
10,10
$ weft panels kinds.weft --table codelets --csv
codelet,kind,tasks,total_ns,mean_ns,least_ns,most_ns,outliers
heavy,CPU,3,1200000,400000,400000,400000,0
heavy,OpenCL,3,300000,100000,100000,100000,0
light,CPU,3,300000,100000,100000,100000,0
light,OpenCL,3,300000,100000,100000,100000,0
small,CPU,5,70000,14000,10000,30000,1
## Of 10, 10, 10, 10, 30 us both quartiles are 10, and so is the fence.
$ weft panels kinds.weft --table outliers --json
[
  {
    "task": 17,
    "model": "small",
    "footprint": 43970,
    "worker": "CPU 1",
    "start_ns": 1280000,
    "duration_ns": 30000,
    "expected_ns": 10000,
    "limit_ns": 10000
  }
]
$ weft panels kinds.weft --table outliers --csv --outliers none; weft panels kinds.weft --table outliers --csv --outliers flops | tail -n +2
task,model,footprint,worker,start_ns,duration_ns,expected_ns,limit_ns
## The last task waited for the heavy one on CPU 0, and so on back; the first began 100 us late.
$ weft panels kinds.weft --table chain --csv
task,name,worker,start_ns,end_ns,duration_ns,late_ns
2,heavy,CPU 0,1000000,1400000,400000,100000
4,light,OpenCL 0,1400000,1500000,100000,0
6,heavy,CPU 0,1500000,1900000,400000,0
8,light,OpenCL 0,1900000,2000000,100000,0
10,heavy,CPU 0,2000000,2400000,400000,0
12,light,OpenCL 0,2400000,2500000,100000,0
$ weft panels kinds.weft --table chain --csv --chain 3 | cut -d, -f 1,2; weft panels kinds.weft --table chain --csv --chain none | wc -l
task,name
1,heavy
3,light
1
$ weft panels kinds.weft --table links --csv
link,copies,bytes,copying_ns,mbs
0 to 1,1,40000,20000,2000
1 to 0,1,20000,20000,1000
## From 1 to 1.1 ms seven tasks have left the ready ones, five are ready; 17 are submitted; the device has 10 GFlop/s, CPU 0 2.5; from 1.5 to 1.6 ms 20 kB
## are copied, 200 MB/s.
$ weft panels kinds.weft --table curves --csv --bins 5 -t 1000us..1500us | grep -v '^1[12]'
from_ns,curve,value,unit
1000000,submitted,17,tasks
1000000,ready,5,tasks
1000000,gflops,12.5,GFlop/s
1000000,"memory in use, node 1",2,MB
1000000,0 to 1,0,MB/s
1000000,1 to 0,0,MB/s
1300000,submitted,10.1,tasks
1300000,ready,0,tasks
1300000,gflops,2.5,GFlop/s
1300000,"memory in use, node 1",2,MB
1300000,0 to 1,0,MB/s
1300000,1 to 0,0,MB/s
1400000,submitted,9,tasks
1400000,ready,0,tasks
1400000,gflops,1,GFlop/s
1400000,"memory in use, node 1",2,MB
1400000,0 to 1,0,MB/s
1400000,1 to 0,0,MB/s
$ weft panels kinds.weft --table curves --csv --bins 1 -t 1500us..1600us | grep 'to\|memory'
1500000,"memory in use, node 1",4,MB
1500000,0 to 1,0,MB/s
1500000,1 to 0,200,MB/s

## The picture: 940 pixels are 1.6 ms. What it says is what the tables say.
$ weft panels kinds.weft -o a.svg && xmllint --noout a.svg && grep -o '>[^<]*</text>' a.svg | tr -d '>' | sed 's|</text||' | tr '\n' '|'; echo
kinds.weft|17 tasks on 3 workers in 1.60 ms; bounds: area 512 us, critical path 600 us; outliers: 1|1.0 ms|1.2 ms|1.4 ms|1.6 ms|1.8 ms|2.0 ms|2.2 ms|2.4 ms|idle|CPU 0|25.0 %|CPU 1|76.9 %|OpenCL 0|62.5 %|area bound (ABE) 512 us|time taken 1.60 ms|critical path bound (CPB) 600 us|iterations|0|1|2|kiteration|0|1|2|utilization|3 workers|submitted|17 tasks|ready|7 tasks|gflops|12.5 GFlop/s|memory|4 MB|node 1|transfers|2000 MB/s|0 to 1|1 to 0|heavy|light|small|
$ grep -o '<path fill[^>]*><title>\(small\|outliers\|submitted[^<]*\)' a.svg
<path fill="#117733" d="M326 170h6v19h-6zM338 170h6v19h-6zM350 170h6v19h-6zM362 170h5v19h-5zM373 170h18v19h-18z"><title>small
<path fill="#111111" d="M373 167h18v3h-18z"><title>outliers
<path fill="#adb5bd" d="M150 245h59v2h-59zM161 261h342v2h-342zM173 277h624v2h-624z"><title>submitted, not begun
<path fill="#117733" d="M326 401h1v20h-1zM327 401h5v26h-5zM332 424h1v3h-1zM338 401h5v26h-5zM343 404h1v23h-1zM349 421h1v6h-1zM350 401h5v26h-5zM355 411h1v16h-1zM361 414h1v13h-1zM362 401h5v26h-5zM367 417h1v10h-1zM373 407h1v20h-1zM374 401h16v26h-16zM390 404h1v23h-1z"><title>small
## The chain goes through six tasks; area bound, time and path bound are lines; then a curve each, memory and two links.
$ grep -o '<polyline fill="none" stroke-width="1.6" points="[^"]*" stroke="#\(111111\|1c7ed6\|e03131\)"' a.svg | grep -o 'points.*'; grep -c '<polyline' a.svg
points="209,155.5 444,155.5 444,203.5 503,203.5 503,155.5 738,155.5 738,203.5 796,203.5 796,155.5 1031,155.5 1031,203.5 1090,203.5" stroke="#111111"
points="450.6,98 450.6,218" stroke="#1c7ed6"
points="1090,112 1090,218" stroke="#111111"
points="502.5,126 502.5,218" stroke="#e03131"
10
## Iterations: a bar from the first submission, one from the first task on; and each iteration's tasks.
$ weft panels kinds.weft -o b.svg -p kiteration,iterations --chain none && grep -o '<path fill[^>]*><title>[^<]*' b.svg | sed 's/fill="[^"]*" //'
<path d="M150 105h59v2h-59zM161 121h342v2h-342zM173 137h624v2h-624z"><title>submitted, not begun
<path d="M208 98h295v14h-295zM502 114h295v14h-295zM796 130h294v14h-294z"><title>from the first task to the last
<path d="M208 98h295v14h-295zM502 114h295v14h-295zM796 130h294v14h-294z"><title>tasks run
<path d="M208 166h236v14h-236zM502 182h236v14h-236zM796 198h235v14h-235z"><title>heavy
<path d="M444 166h59v14h-59zM738 182h59v14h-59zM1031 198h59v14h-59z"><title>light
$ weft panels kinds.weft -o b.svg -p workers --chain none --outliers none -t 1.0ms..1.1ms --force && grep -o '<path fill[^>]*><title>[^<]*' b.svg | sed 's/fill="[^"]*" //'; grep -c '<polyline' b.svg
<path d="M150 146h940v19h-940zM150 194h940v19h-940z"><title>heavy
0
? 1
## The same bytes each time; PNG; a page without a script, with the numbers; names as text.
$ weft panels kinds.weft -o c.svg && cmp a.svg c.svg; weft panels kinds.weft -o a.png && head -c 8 a.png | od -An -c | head -1
 211   P   N   G  \r  \n 032  \n
$ weft panels kinds.weft -o a.html --title '<i>&' && grep -c '<i>\|<script' a.html; grep -o '<h2>[^<]*\|<td>small</td>.*' a.html
0
<h2>bounds
<h2>workers
<h2>codelets
<td>small</td><td>CPU</td><td class="n">5</td><td class="n">70.0 us</td><td class="n">14.0 us</td><td class="n">10.0 us</td><td class="n">30.0 us</td><td class="n">1</td></tr>
<h2>iterations
<h2>outliers
<td>small</td><td class="n">43970</td><td>CPU 1</td><td class="n">1.28 ms</td><td class="n">30.0 us</td><td class="n">10.0 us</td><td class="n">10.0 us</td></tr>
<h2>chain
<h2>links
## What was not recorded is said, and has no panel.
$ weft panels tiles.weft -o t.svg && grep -o 'not recorded: [^<]*' t.svg
not recorded: gflops, memory, transfers
$ weft panels --panel list --csv | cut -d, -f 1,2
panel,usual
workers,yes
runtime,no
iterations,yes
kiteration,yes
utilization,yes
submitted,yes
ready,yes
gflops,yes
memory,yes
transfers,yes
codelets,no

## Several programs in one trace: their tasks keep what they depend on (14 and 30), rows say whose they are, the path is that of tiles.
$ weft merge -q kinds.weft tiles.weft -o both.weft; weft graph both.weft --csv | cut -d, -f 1,2; weft panels both.weft --table bounds --csv | grep -o 'CPB),[0-9]*'; weft panels both.weft --table workers --csv | cut -d, -f 1,3,4
tasks,dependencies
37,44
CPB),2400000
worker,tasks,tasks_ns
0: CPU 0,3,1200000
0: CPU 1,8,370000
0: OpenCL 0,6,600000
1: CPU 0,8,2400000
1: CPU 1,12,3200000

## What is wrong is one line.
$ weft panels kinds.weft --csv
weft panels: error: say which numbers, with --table NAME
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft --table bound
weft panels: error: option '--table': unknown table 'bound' (did you mean 'bounds'?)
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft -o x.svg -p worker
weft panels: error: option '--panel': unknown panel 'worker' (did you mean 'workers'?)
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft --table chain --chain 99
weft panels: error: option '--chain': there is no task 99
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft --table chain --chain first
weft panels: error: option '--chain': 'first' is neither 'last', 'none' nor a task's number
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft --by codelet
weft panels: error: option '--by': one field of a task that is a whole number
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft --outliers much
weft panels: error: option '--outliers': unknown rule 'much' (it can be: footprint, flops, none)
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft -o a.svg
weft panels: error: 'a.svg' is there already (--force replaces it)
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft -o a.pdf
weft panels: error: cannot tell the format from the name 'a.pdf': known endings are .svg .png .html
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft -o x.svg --table bounds
weft panels: error: options '--output' and '--table' do not go together
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft --bins 0
weft panels: error: option '--bins': from 1 to 100000
Try 'weft panels --help'.
? 2
$ weft panels kinds.weft -t 10ms..20ms --table workers
weft panels: error: 'kinds.weft' has nothing in this range of time
? 2
$ cp -r "$WEFT_SOURCE/tests/golden/traces/heat.weft" . && weft panels -q heat.weft
weft panels: error: 'heat.weft' has no tasks: it is not of a program of the task runtime
? 2
