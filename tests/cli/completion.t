## SPDX-License-Identifier: Apache-2.0
## weft completion: what each word may be; what bash makes of it. (zsh and fish: completion_zsh.t, completion_fish.t)
$ words() { weft completion words -- "$@"; }; names() { words "$@" | cut -f 1; }
$ names '' | grep -x -e record -e stat -e completion -e help
help
record
stat
completion
$ names st
stat
$ words stat --b
--by	what a row is: region, thread, process, state (of Paraver), all; or two, like region,thread; or function (of samples), or counter
$ names stat -
-b
--by
-s
--sort
-n
--top
-t
--time
-f
--filter
--json
--csv
--own-threads
--memory
--threads
-q
--quiet
-v
--verbose
--help
$ names -
--help
--version
$ names help che
check

## Values of options: as a word of their own, joined, in a list.
$ names stat --by ''
region
thread
process
state
all
function
counter
$ names stat -b th
thread
$ names stat -qb th
thread
$ names stat --by=th
--by=thread
$ names stat --by region,th
region,thread
$ names stat --by=region,th
--by=region,thread
$ names convert --to p
prv
paje
perfetto
$ names info --list c
cpus
counters
categories
communicators
$ names timeline --draw-mode-rows mo
mode
$ names table --statistic=average_per_
--statistic=average_per_burst
--statistic=average_per_burst_not_zero
$ names record --watch ''
perf
ptrace
none
$ names dump --count ''
$ names convert -o ''
:files
$ names record -o ''
:folders

## Verbs of verbs, names of views and tunlets; what is an operand is counted as the command counts.
$ names view ''
list
show
convert
$ names view show mpi-ca
mpi-call-duration
mpi-callers
mpi-calls
:files
$ names view list ''
$ names view -q convert ip
ipc
:files
$ mkdir own && touch own/mpi-cakes.view && WEFT_VIEWS=own names table --csv mpi-cak
mpi-cakes
:files
$ names table --rows '*' useful
useful
useful-histogram
:files
$ names table useful ''
:files
$ names timeline useful-h
useful-histogram
:files
$ names diff a.prv b.prv useful-h
useful-histogram
:files
$ names tunlet ''
check
explain
new
compile
try
$ names tunlet check n
nworkers
:files
$ names tunlet new n
$ names tune --tunlet lo
loadbalance
:files
$ names tune -t lo
loadbalance
:files
$ names doctor time-name
time-namespace
$ names completion ''
bash
zsh
fish
$ names stat ''
:files
$ names record -q ''
:commands
$ names record -q ls --
:files
$ names record -q -- ''
:commands
$ names record -- ls -
:files
$ names no-such-command ''
:files
$ words; words '' | wc -l
help	explain a command
record	run a command and record it into a trace
ctl	switch a recording that runs on or off
simulate	run a program of tasks as on another machine, in simulated time
open	look at traces in a browser
info	what a trace is: when, where, how long, how much
stat	where the time went: per region, thread or process
calls	who called whom, and what it took: profiles and flame graphs
timeline	draw a trace along time, as SVG or PNG
dump	print the events of a trace as text
check	is a trace sound; what is damaged, what was recovered
top	look at a program while it runs, and turn its knobs
files	StarPU's paje.trace, *.rec and *.data: sort, sums, pictures
tasks	the tasks of a program: any field, filtered, sorted, grouped
graph	the graph of a program's tasks: critical path, DOT, drawings, a page
efficiency	how well cores were used, as factors: what was lost, and to what
gantt	draw the workers of a program of tasks, with curves, as StarPU's handbook
panels	draw a run of tasks in panels over one axis of time, as StarVZ does
data	memory and data of a program of tasks: nodes, handles, copies, returns
products	StarPU's files from a trace: paje.trace, dag.dot, tasks.rec, ...
critical	the critical path: what made the run as long as it was
waits	what threads waited for, and which work was to blame
what-if	what a change of the program or the machine would bring
scale	runs of several sizes: speed-up, serial part, what will hurt at more processes
regress	is it slower than it was: several runs before and after, region by region
table	a view's table of a trace: profiles, histograms, who talks to whom
diff	what changed from one trace to another, by the same views
view	views: what there are, what one says, converting
paramedir	Paraver's views and trace tools, as paramedir
bound	the schedule that a solver found for a bound, as a Paje trace
replay	what a message-passing program would take on another machine
Dimemas	predict a .dim program on a machine, as Dimemas does
prv2dim	turn a trace of Paraver into a program for Dimemas
cluster	which computations are of one kind
fold	what happens within one instance of a region
phases	iterations of a program, found without a hint
track	kinds of computation, followed from run to run
cut	keep a range of time of a trace
filter	keep what a filter matches of a trace
merge	put several traces into one
convert	write a trace in another format, or read one
export	a trace as one page, to mail and to attach
shift	move threads or processes in time
counters	make a small trace: events become counters
split	a trace for each iteration, by an event
translate	number events as another trace does
tune	run a command under tunlets, which measure and tune it
tunlet	check, explain and translate tunlet specifications
model	performance models of codelets: list, show, plot, check, fit
index	build the index of a trace
pack	compress a trace in place, or decompress it
doctor	what this build and this machine can do, and why not
machine	workers of this machine, and the ways between its memories
bus	how fast data goes between memories, measured
sched	the scheduling policies that STARPU_SCHED may name
bench	run a benchmark of the task runtime, or list them
completion	print the completion script of a shell
57

## Every value that is offered is one that the command takes, and none is missing.
$ refusal() { "$@" 2>&1 | sed -n 's/.*it can be: \(.*\))$/\1/p' | tr -d , | tr ' ' '\n' | sort; }; same() { local what=$1; shift; diff <(names $what '' | sort) <(refusal "$@") && echo "same $what"; }
$ same 'stat --by' weft stat --by zzzzzzzzz x
same stat --by
$ same 'stat --sort' weft stat --sort zzzzzzzzz x
same stat --sort
$ same 'gantt --show' weft gantt --show zzzzzzzzz -o x.svg x; same 'panels --panel' weft panels --panel zzzzzzzzz -o x.svg x; same 'panels --table' weft panels --table zzzzzzzzz x; same 'panels --outliers' weft panels --outliers zzzzzzzzz x
same gantt --show
same panels --panel
same panels --table
same panels --outliers
$ same 'info --list' weft info --list zzzzzzzzz x
same info --list
$ same 'convert --to' weft convert --to zzzzzzzzz x -o y
same convert --to
$ same 'doctor' weft doctor zzzzzzzzz
same doctor
$ same 'bench' weft bench zzzzzzzzz
same bench
$ names machine -w ''; names sched ''
cpu
opencl
$ same 'view' weft view zzzzzzzzz
same view
$ same 'completion' weft completion zzzzzzzzz
same completion
$ same 'record --watch' weft record --watch zzzzzzzzz -- true
same record --watch
$ same 'files' weft files zzzzzzzzz
same files
$ for by in $(names diff --by ''); do weft diff --by $by no-a no-b 2>&1 | grep option; done; true
$ for m in $(names timeline --color ''); do weft timeline --color $m useful no-such -o x.svg 2>&1 | grep option; done; true
$ for m in $(names timeline --draw-mode ''); do weft timeline --draw-mode $m useful no-such -o x.svg 2>&1 | grep option; done; true
$ for m in $(names timeline --format ''); do weft timeline --format $m no-such -o x 2>&1 | grep option; done; true
$ for s in $(names table --statistic ''); do weft table --statistic $s useful no-such 2>&1 | grep option; done; true
$ for s in $(names record --save-on ''); do weft record --ring 1M --save-on $s -- no-such 2>&1 | grep signal; done; true
$ for l in $(names shift --by ''); do weft shift --by $l --times no-such no-such -o x.prv 2>&1 | grep -e option -e LEVEL; done; true
$ touch x.prv; for k in $(names filter --discard ''); do weft filter --discard $k no-such.prv -o y.prv 2>&1 | grep option; done; true
$ for v in $(names view show ''); do [ $v = :files ] || weft view show $v >/dev/null || echo $v; done
$ for v in $(names tunlet check ''); do [ $v = :files ] || weft tunlet check -q $v || echo $v; done

## bash.
$ weft completion bash >script && bash -n script && source ./script && complete -p weft
complete -o filenames -F _weft weft
$ offer() { COMP_WORDS=(weft "$@"); COMP_CWORD=$#; COMPREPLY=(); _weft; printf '%s\n' "${COMPREPLY[@]}"; }
$ offer '' | grep -x -e record -e help
help
record
$ offer stat --by th
thread
$ offer stat --by = th
thread
$ offer stat --by =
region
thread
process
state
all
function
counter
$ offer stat --by = region,th
region,thread
$ mkdir dir && touch run.weft 'run two.prv'; offer dump run
run.weft
run two.prv
$ offer convert --output = run
run.weft
run two.prv
$ offer record -o di
dir
$ mkdir bin; printf '#!/bin/sh\n' >bin/weft-test-solver; chmod +x bin/*; PATH=$PWD/bin:$PATH; offer record -- weft-test-so
weft-test-solver
$ offer table --rows = '1,2' useful-h
useful-histogram
$ offer help che
check
$ offer dump --count ''


$ weft completion tcsh
weft completion: error: there is no completion for 'tcsh' (it can be: bash, zsh, fish)
Try 'weft completion --help'.
? 2
$ weft completion zsh fish
weft completion: error: unexpected 'fish'
Try 'weft completion --help'.
? 2
$ weft completion
weft completion: error: expected bash | zsh | fish
Try 'weft completion --help'.
? 2
