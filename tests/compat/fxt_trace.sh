#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=120
# A StarPU program that is not changed, run as StarPU's handbook says: STARPU_FXT_TRACE and what belongs to it; the functions of
# starpu_fxt.h; names of files, ranks, kills, absurd values. What is in the traces is counted. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_NCPU=2 USER=someone STARPU_HOME=$work
unset STARPU_SILENT STARPU_FXT_TRACE STARPU_FXT_PREFIX STARPU_FXT_SUFFIX STARPU_FXT_EVENTS STARPU_GENERATE_TRACE STARPU_GENERATE_TRACE_OPTIONS
program=$build/tests/starpu/starpu_fxt_scope traced=$build/tests/starpu/starpu_traced
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

# So many lines of the trace's text.
has() # NAME PATTERN COUNT
{
	check "$1" "$3" "$(grep -c -E -- "$2" trace.txt)"
}

read_trace() # FILE
{
	"$build/weft" dump "$1" | sed 's/^ *[0-9]* *//' >trace.txt
}

if [ ! -x "$program" ]; then
	echo "1..0 # SKIP the programs are not built"
	exit 0
fi

# ---- one file, under its name ----
mkdir disk
STARPU_FXT_PREFIX=$work/out STARPU_FXT_TRACE=1 "$traced" disk 2>said.txt
check "one file, called by user and rank" "0 prof_file_someone_0" "$? $(cd out && echo *)"
check "nothing is said" "" "$(cat said.txt)"
check "it is a trace" weft "$("$build/weft" info out/prof_file_someone_0 | sed -n 's/^format *//p')"
check "which is sound" 0 "$("$build/weft" check out/prof_file_someone_0 >/dev/null 2>&1; echo $?)"
read_trace out/prof_file_someone_0
has "tasks" ' enter  *(both|one)$' 2
has "what they are" ' attr_s  *model = "traced_model"$' 1
has "which workers there are" ' attr  *worker = [01]$' 2
keys() { sed -n "s/.* $1//p" trace.txt | while read -r key rest; do echo $((key)); done | sort; }
check "each was submitted, and became ready, once" "$(keys 'flow_out  *task key ')" "$(keys 'point  *ready = ')"
has "both did" ' point  *ready = ' 2
has "a message" ' user message = "here we go"$' 1
check "the text of a task is in one record" yes "$(for s in out/*; do "$build/examples/read_stream" "$s"; done | awk '$6 == 24 {n++} END {print (n > 10) ? "yes" : "no"}')"
STARPU_FXT_PREFIX=$work/out STARPU_FXT_SUFFIX=mine STARPU_FXT_TRACE=1 "$program" ranked
STARPU_FXT_PREFIX=$work/out OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 STARPU_FXT_TRACE=1 "$program"
STARPU_FXT_PREFIX=$work/out OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 STARPU_FXT_TRACE=1 "$traced" disk
check "names: another one with the rank that the program says, that of the launcher" "mine_7 prof_file_someone_0 prof_file_someone_3" "$(cd out && echo *)"
(cd out && STARPU_FXT_PREFIX=deep/er STARPU_FXT_SUFFIX=a/b STARPU_FXT_TRACE=1 "$program" ranked)
check "folders are made; a name is no place" "out/deep/er/a_b_7" "$(find out/deep -type f)"
rm -rf out

# ---- portions ----
STARPU_FXT_PREFIX=$work/out STARPU_FXT_TRACE=1 "$program" scope
check "a program that begins and stops it" 0 $?
read_trace out/prof_file_someone_0
has "tasks of both portions" ' enter  *inside$' 10
has "each ends" ' leave  *inside$' 10
has "and no others" ' enter  *outside$' 0
has "nor were they submitted" ' flow_out  *task ' 12
has "events of portions only" ' user event = ' 2
check "which are those" "2 2" "$(sed -n 's/.* user event = //p' trace.txt | xargs)"
has "what is told in any case" ' user meta message = "in any case"$' 1
has "all data, whenever they came" ' enter  *data registered$' 2
has "their names" ' name = "early"$' 1
has "their ends" ' unregistered = ' 2
has "all workers" ' name = "CPU [01]"$' 2
check "marks" "off on off on off" "$(sed -n 's/.* \(on\|off\)  *starpu$/\1/p' trace.txt | xargs)"
STARPU_FXT_PREFIX=$work/out STARPU_FXT_TRACE=1 "$program" twice 2>said.txt
check "begun twice, with a child between" 0 $?
read_trace out/prof_file_someone_0
has "both are in the file" ' enter  *inside$' 20
has "the child's are not" ' enter  *outside$' 0
check "they are in a file of its own" 4 "$("$build/weft" dump out/prof_file_someone_0-* | grep -c ' enter *outside$')"
check "which is said" 1 "$(grep -c "another process records into '$work/out/prof_file_someone_0'" said.txt)"
rm -rf out

# ---- killed ----
STARPU_FXT_PREFIX=$work/out STARPU_FXT_TRACE=1 "$program" killed
read_trace out/prof_file_someone_0 2>/dev/null
has "what was recorded when it was killed" ' enter  *inside$' 1000

# ---- several at once ----
for rank in 0 1 2; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 STARPU_GENERATE_TRACE=1 STARPU_FXT_PREFIX=$work/ranks STARPU_FXT_TRACE=1 "$traced" disk 2>>said3.txt &
done
wait
check "a file for each rank" "prof_file_someone_0 prof_file_someone_1 prof_file_someone_2" "$(cd ranks && echo *)"
check "each says that all are wanted" 3 "$(grep -c 'starpu_fxt_tool -i, with all their files' said3.txt)"

# ---- which events ----
events() # EVENTS
{
	STARPU_FXT_EVENTS=$1 STARPU_FXT_PREFIX=$work/events STARPU_FXT_TRACE=1 "$traced" disk 2>said.txt
	read_trace events/prof_file_someone_0
}
events USER
has "USER: events of the user" ' user (event|message) = ' 2
has "USER: no tasks" ' (enter  *(both|one)|flow_out  *task .*|point  *ready .*)$' 0
has "USER: no copies" ' enter  *(copying|allocating)$' 0
events 'TASK|DSM'
has "TASK, DSM: tasks" ' enter  *(both|one)$' 2
has "TASK, DSM: copies" ' enter  *copying$' 1
has "TASK, DSM: no events of the user" ' user event = ' 0
has "TASK, DSM: no states of workers" ' enter  *(sleeping|callback|overhead|initialising)$' 0
has "TASK, DSM: no counts" ' counter  *(ready|submitted) tasks' 0
has "whatever is left out: data" ' enter  *data registered$' 2
events LOCK
check "LOCK: locks" yes "$(grep -q ' attr_s  *lock = "data"$' trace.txt && grep -q ' attr_s  *lock = "order"$' trace.txt && echo yes)"
check "LOCK: each ends" "$(grep -c ' enter  *locking$' trace.txt)" "$(grep -c ' leave  *locking$' trace.txt)"
events TASK,NONSENSE
check "what is not known is said" "starpu: STARPU_FXT_EVENTS: there are no events 'NONSENSE'" "$(cat said.txt)"
has "and the rest holds" ' enter  *(both|one)$' 2
export HWLOC_SYNTHETIC="numa:2 core:1 pu:1" STARPU_USE_NUMA=1
STARPU_FXT_PREFIX=$work/events STARPU_FXT_TRACE=1 "$traced" disk
read_trace events/prof_file_someone_0
has "where pages lie is not asked" ' NUMA nodes = ' 0
events TASK,TASK_VERBOSE_EXTRA
has "unless somebody wants to know" ' NUMA nodes = [1-3]$' 3
unset HWLOC_SYNTHETIC STARPU_USE_NUMA

# ---- beside weft record ----
STARPU_FXT_PREFIX=$work/beside STARPU_FXT_TRACE=1 "$build/weft" record -q -o own.weft -- "$program" scope 2>said.txt
check "a trace of its own stays the only one" "0 no 1" "$? $([ -e beside ] || echo no) $(grep -c "recorded into '$work/own.weft' already" said.txt)"
read_trace own.weft
has "with the portions" ' enter  *inside$' 10

# ---- at the end ----
cat >starpu_fxt_tool <<'END'
#!/bin/sh
echo to standard output
printf '%s\n' "$@" >"$ARGUMENTS"
env | grep -c -E '^(WEFT_|STARPU_FXT_TRACE=|STARPU_GENERATE_TRACE=)' >>"$ARGUMENTS"
while [ $# -gt 1 ]; do
	[ "$1" != -d ] || for f in paje.trace tasks.rec comms.rec dag.dot; do echo "$f" >"$2/$f"; done
	shift
done
exit "${STATUS:-0}"
END
cat >starpu_fxt_data_trace <<'END'
#!/bin/sh
echo data >"$2/data_trace.gp"
END
chmod +x starpu_fxt_tool starpu_fxt_data_trace
# The library finds commands beside itself first.
mkdir lib
cp -L "$build"/libweft.so.0 lib/ 2>/dev/null || cp -L "$build"/libweft.so* lib/
cp -L "$build/libstarpu-1.4.so.0" lib/ 2>/dev/null || cp -L "$build"/libstarpu-1.4.so* lib/
cp starpu_fxt_tool starpu_fxt_data_trace lib/
export ARGUMENTS=$work/arguments.txt
tool() # what the command is given; its output in out.txt, the program's words in said.txt
{
	LD_LIBRARY_PATH=$work/lib STARPU_GENERATE_TRACE=1 STARPU_FXT_TRACE=1 "$program" ranked >out.txt 2>said.txt
	xargs <arguments.txt
}
check "files are made at the end" "-i /tmp/prof_file_someone_fxt_$$_7 0" "$(STARPU_FXT_SUFFIX=prof_file_someone_fxt_$$ tool)"
rm -f "/tmp/prof_file_someone_fxt_$$_7"
check "the program's output is its own" "" "$(cat out.txt)"
export STARPU_FXT_PREFIX=$work/made
check "where the trace is" "-i $work/made/prof_file_someone_7 -d $work/made 0" "$(tool)"
check "with options" "-i $work/made/prof_file_someone_7 -d $work/made -no-acquire -c 0" "$(STARPU_GENERATE_TRACE_OPTIONS=' -no-acquire  -c' tool)"
STATUS=3 tool >/dev/null
check "a command that fails is said" "starpu: 'starpu_fxt_tool' ended with status 3 starpu: STARPU_GENERATE_TRACE: the trace itself is '$work/made/prof_file_someone_7'" "$(grep ^starpu: said.txt | xargs -d '\n')"
rm lib/starpu_fxt_tool arguments.txt
PATH=/nowhere LD_LIBRARY_PATH=$work/lib STARPU_GENERATE_TRACE=1 STARPU_FXT_TRACE=1 "$program" ranked 2>said.txt
check "one that is not there, too" "0 1" "$? $(grep -c "cannot run 'starpu_fxt_tool'" said.txt)"
cp starpu_fxt_tool lib/
unset STARPU_FXT_PREFIX
LD_LIBRARY_PATH=$work/lib "$program" generate "$work/made/prof_file_someone_7" "$work/by/hand"
check "by hand: the names that the program wants" "0 dag.dot data_trace.gp paje.trace renamed.rec" "$? $(cd by/hand && echo *)"
check "and not what it does not want" "no no" "$([ -e by/hand/comms.rec ] || echo no) $([ -e by/hand/tasks.rec ] || echo no)"

# With the commands themselves: two tasks of "inside", without data.
mkdir tools
for name in starpu_fxt_tool starpu_fxt_data_trace; do ln -s "$build/weft" "tools/$name"; done
cp -L lib/lib* tools/
LD_LIBRARY_PATH=$work/tools "$program" generate "$work/made/prof_file_someone_7" "$work/by/tool" >out.txt 2>said.txt
check "what the program is told of each task" "2" "$(grep -c '^codelet inside on cpu0_impl0 of worker [01], 0 bytes, some time$' out.txt)"
check "its files, by the tool" "yes yes" "$([ -s by/tool/renamed.rec ] && echo yes) $([ -s by/tool/dag.dot ] && echo yes)"
check "data traces of tasks that have no model" "2" "$(grep -c . by/tool/data_trace.inside)"

# ---- absurd ----
STARPU_FXT_PREFIX=/proc/no/such STARPU_FXT_TRACE=1 "$program" ranked 2>said.txt
check "where nothing can be written" "0 1" "$? $(grep -c '^starpu: STARPU_FXT_TRACE: ' said.txt)"
STARPU_FXT_PREFIX=$work/absurd STARPU_FXT_SUFFIX=$(printf 'x%.0s' {1..5000}) STARPU_FXT_TRACE=1 "$program" ranked 2>said.txt
check "a name that is too long" "0 1" "$? $(grep -c '^starpu: STARPU_FXT_TRACE: ' said.txt)"
mkdir -p absurd/taken_7
STARPU_FXT_PREFIX=$work/absurd STARPU_FXT_SUFFIX=taken STARPU_FXT_TRACE=1 "$program" ranked 2>said.txt
check "a folder of that name" "0 1" "$? $(grep -c '^starpu: STARPU_FXT_TRACE: cannot record' said.txt)"
STARPU_FXT_TRACE=perhaps "$program" ranked 2>said.txt
check "no number" "1 1" "$? $(grep -c "STARPU_FXT_TRACE is 'perhaps'" said.txt)"
STARPU_FXT_PREFIX=$work/off STARPU_FXT_TRACE=0 STARPU_GENERATE_TRACE=1 "$program" ranked
check "switched off" "0 no" "$? $([ -e off ] || echo no)"
STARPU_FXT_MAX_FILES_NB=0 "$program" 2>said.txt
check "without any of it, and a limit that is none" 0 $?
echo "1..$count"
