#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=120
# A StarPU program under weft record, as it is: each task is a region, called like its codelet, and has an arrow from where it was
# submitted; with details, dependencies and all that tests/starpu/traced.c has one of. The same program without a recorder writes
# nothing. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_SILENT=1 STARPU_NCPU=2
program=$build/examples/starpu/rod traced=$build/tests/starpu/starpu_traced
count=0

check() # NAME WANTED GOT
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		echo "# wanted '$2', got '$3'"
		echo "not ok $count - $1"
	fi
}

if [ ! -x "$program" ]; then
	echo "1..0 # SKIP the examples are not built"
	exit 0
fi
"$build/weft" record -q --off threads,io -o plain.weft -- "$program" -b 6 -s 50 -c 100 >/dev/null || echo "not ok 0 - recorded"
"$build/weft" dump plain.weft >plain.txt
check "each task is a region" 300 "$(grep -c ' enter *step$' plain.txt)"
check "each region ends" 300 "$(grep -c ' leave *step$' plain.txt)"
check "each task was submitted" 300 "$(grep -c ' flow_out *task key .* to ' plain.txt)"
check "each arrow arrives" 300 "$(grep -c ' flow_in *task key .* from ' plain.txt)"
check "at the region's begin" 300 "$(awk '/ enter *step$/ {t = $1 $2} / flow_in *task / {n += t == $1 $2} END {print n + 0}' plain.txt)"
for stream in plain.weft/*.stream; do "$build/examples/read_stream" "$stream"; done >records.txt
check "40 bytes a task: arrow's begin, region with arrow's end, region's end" 12000 \
	"$(awk '$6 == 10 || $6 == 23 {n += 8 * (1 + $NF)} $6 == 23 {own[$8 % 4096]} $6 == 2 && $8 in own {n += 8 * (1 + $NF)} END {print n}' records.txt)"
check "no details" 0 "$(grep -c ' dependency ' plain.txt)"
check "the main thread waits" 1 "$(grep -c ' enter *waiting for tasks$' plain.txt)"

"$build/weft" record -q --on starpu_detail -o detail.weft -- "$program" -b 6 -s 50 -c 100 >/dev/null || echo "not ok 0 - recorded"
"$build/weft" dump detail.weft >detail.txt
check "details come when they are asked for" yes "$([ "$(grep -c ' dependency ' detail.txt)" -ge 294 ] && echo yes)"
STARPU_PROFILING=1 STARPU_PROF_PAPI_EVENTS='task-clock,no-such-event' "$build/weft" record -q --on starpu_detail -o events.weft -- "$program" -b 6 -s 50 -c 100 >/dev/null ||
	echo "not ok 0 - recorded"
"$build/weft" dump events.weft >events.txt
counted=$(grep -c ' attr  *task-clock = [0-9]*$' events.txt)
if [ "$counted" = 0 ]; then
	echo "ok $((++count)) - each task has its events # SKIP this kernel counts none"
else
	check "each task has its events" 300 "$counted"
fi
# Which way tasks take: the native policies have no queues of their own, also where a worker has been off.
for policy in lws dmda; do
	"$build/weft" record -q --on starpu_detail -o $policy.weft -- "$build/tests/starpu/starpu_knobs" $policy >/dev/null || echo "not ok 0 - recorded"
	"$build/weft" dump $policy.weft >$policy.txt
done
check "a worker that was off leaves no slower way behind" "200 0" "$(grep -c ' enter *notes$' lws.txt) $(grep -c ' enter *scheduling$' lws.txt)"
check "dmda has its queues" yes "$([ "$(grep -c ' enter *scheduling$' dmda.txt)" -ge 200 ] && echo yes)"
rm -r lws.* dmda.*
grep ' dependency ' detail.txt | awk '{print $NF}' | sort -u >to.txt
grep ' flow_out *task ' detail.txt | sed 's/.*key \(0x[0-9a-f]*\).*/\1/' | sort -u >tasks.txt
check "dependencies are of tasks" 0 "$(comm -23 to.txt tasks.txt | wc -l)"

"$build/weft" record -q -o two.weft -- sh -c "'$program' -b 6 -s 1500 -c 400 & '$program' -b 6 -s 1500 -c 400 & wait" >/dev/null
"$build/weft" dump two.weft | awk '/ flow_in *task / {split($2, to, "."); split($NF, from, "."); n[to[2] == from[2]]++} END {print n[0] + 0, n[1] + 0}' >two.txt
check "two programs that number their tasks alike: no arrow leads from one to the other" "0 18000" "$(cat two.txt)"

"$program" -b 6 -s 50 -c 100 >/dev/null
check "nothing without a recorder" "detail.txt detail.weft events.txt events.weft plain.txt plain.weft records.txt tasks.txt to.txt two.txt two.weft" "$(echo *)"

"$build/weft" record -q -o nameless.weft -- "$traced" || echo "not ok 0 - recorded"
"$build/weft" dump nameless.weft | sed -n 's/.* enter *\(starpu_traced+0x[0-9a-f]*\)$/\1/p' | sort | uniq -c | awk '{print $1}' >nameless.txt
check "codelets without names are called by where their functions are" "3 3" "$(xargs <nameless.txt)"

# ---- one of everything ----

has() # NAME PATTERN [COUNT]: so many lines of detail.txt, 1 unless told
{
	check "$1" "${3:-1}" "$(grep -c -E -- "$2" detail.txt)"
}

cd "$(mktemp -d -p "$work")" || exit 1
mkdir disk
export STARPU_HOME=$PWD
"$build/weft" record -q --on starpu_detail -o detail.weft -- "$traced" disk || echo "not ok 0 - recorded"
"$build/weft" dump detail.weft | sed 's/^ *[0-9]* *//' >detail.txt
first=$(sed -n 's/.* flow_out *task key \(0x[0-9a-f]*\) .*/\1/p' detail.txt | sed -n 1p)
has "a task becomes ready, by name" " point  *ready = $((first))\$"
has "all that run have become ready" ' point  *ready = ' "$(grep -c ' flow_in *task ' detail.txt)"
has "both are submitted" ' counter  *submitted tasks = 2$'
check "none is left ready" "ready tasks = 0" "$(grep -o 'ready tasks = .*' detail.txt | tail -1)"
check "none is left submitted" "submitted tasks = 0" "$(grep -o 'submitted tasks = .*' detail.txt | tail -1)"
has "iteration" ' attr  *iteration = 7$'
has "sub-iteration" ' attr  *sub-iteration = 3$'
has "job id" " attr  *job id = $((first))\$"
has "submit order" ' attr  *submit order = [01]$' 2
has "model" ' attr_s  *model = "traced_model"$'
has "footprint" ' attr  *footprint = [0-9]+$' 2
has "size" ' attr  *size = 9216 bytes$'
has "flops" ' attr_f  *flops = 2500000$'
has "colour" ' attr  *colour = 1193046$'
has "what its data are, said of the data" ' attr_s  *description = "(V1024x8|M8x16x8)"$' 2
has "where it was submitted" ' attr_s  *file = ".*traced.c"$' 2
check "lines" "$(grep -n -E 'starpu_task_insert\(&(both|one),' "$source/tests/starpu/traced.c" | cut -d: -f1 | xargs)" \
	"$(sed -n 's/.* attr *line = //p' detail.txt | xargs)"
vector=$(grep -A1 ' enter  *data registered' detail.txt | sed -n 's/.* handle = //p' | sed -n 1p)
matrix=$(grep -A1 ' enter  *data registered' detail.txt | sed -n 's/.* handle = //p' | sed -n 2p)
check "modes" 'R RW RW' "$(sed -n '/ enter *\(both\|one\)$/,/ leave *\(both\|one\)$/s/.* mode = //p' detail.txt | xargs)"
check "who acquires says what, and how" "$vector R" "$(grep -A2 ' enter  *acquiring data$' detail.txt | sed -n 's/.* = //p' | head -2 | xargs)"
has "which workers there are" ' attr_s  *name = "CPU [01]"$' 2
has "which memory nodes there are" ' attr_s  *name = "(NUMA 0|Disk)"$' 2
check "all begin and end" "3 3 3 3" "$(for what in 'enter  *init' 'leave  *init' 'enter  *deinit' 'leave  *deinit'; do grep -c " ${what}ialising\$" detail.txt; done | xargs)"
has "somebody waits for all tasks" ' point  *wait for all = 0$'
check "states of copies" "$vector 0 shared $vector 1 shared" "$(grep -A3 ' enter  *data state$' detail.txt | sed -n 's/.* = //p' | head -6 | xargs)"
check "a task's handles" "$vector $matrix" "$(sed -n '/ enter *both$/,/ leave *both$/s/.* handle = //p' detail.txt | xargs)"
has "states of workers: callback" ' enter  *callback$'
has "states of workers: fetching input" ' enter  *fetching input$' 2
check "states of workers: overhead" yes "$(grep -q ' enter  *overhead$' detail.txt && echo yes)"
has "home node" ' attr  *home node = 0$' 2
check "a handle has a name" "$vector \"the vector\"" "$(grep -A2 ' enter  *data named' detail.txt | sed -n 's/.* = //p' | xargs -d '\n')"
check "a handle has coordinates" "$matrix 11 12" "$(grep -A3 ' enter  *data coordinates' detail.txt | sed -n 's/.* = //p' | xargs)"
check "which is not said of each access" "" "$(sed -n '/ enter *\(both\|one\)$/,/ leave *\(both\|one\)$/s/.* coordinate = //p' detail.txt | xargs)"
check "states of workers: progressing" yes "$(grep -q ' enter  *progressing$' detail.txt && echo yes)"
has "unregistered" " point  *unregistered = ($vector|$matrix)\$" 2
has "won't use" " point  *won't use = $matrix\$"
has "allocating" ' enter  *allocating$'
has "freeing" ' enter  *freeing$'
has "memory in use" ' counter  *memory in use, node 1 = 8192 bytes$'
check "memory in use, at the end" "node 1 = 0 bytes" "$(grep -o 'node 1 = .* bytes' detail.txt | tail -1)"
check "a copy" "$vector 0 1 8192 bytes acquire" "$(grep -A5 ' enter  *copying$' detail.txt | sed -n 's/.* = //p' | xargs)"
has "bandwidth of the node that is copied into" ' counter  *copied into, node 1 = 8192 bytes$'
has "bandwidth of the node that is copied from" ' counter  *copied from, node 0 = 8192 bytes$'
has "one NUMA node is not worth words" ' attr  *NUMA nodes = ' 0
has "what an interface reports itself" ' enter  *copying by interface$'
check "its nodes and size" "0 1 77 bytes" "$(grep -A3 ' enter  *copying by interface$' detail.txt | sed -n 's/.* = //p' | xargs)"
has "a transfer leads to another thread" ' flow_in  *transfer key 0x1 from '
has "user event" ' point  *user event = 4711$'
has "user message" ' point_s  *user message = "here we go"$'
has "native policies push nothing" ' scheduler (push|pop)' 0
STARPU_SCHED=random "$build/weft" record -q --on starpu_detail -o policy.weft -- "$traced" disk || echo "not ok 0 - recorded"
"$build/weft" dump policy.weft >detail.txt
has "other policies are given tasks" ' point  *scheduler push = [0-9]+$' 2
has "and give them" ' point  *scheduler pop = [0-9]+$' 2
check "scheduling" yes "$(grep -q ' enter  *scheduling$' detail.txt && echo yes)"
HWLOC_SYNTHETIC="numa:2 core:1 pu:1" STARPU_USE_NUMA=1 "$build/weft" record -q --on starpu_detail -o numa.weft -- "$traced" disk || echo "not ok 0 - recorded"
"$build/weft" dump numa.weft >detail.txt
has "NUMA nodes of a task's data" ' attr  *NUMA nodes = [1-3]$' 3
echo "1..$count"
