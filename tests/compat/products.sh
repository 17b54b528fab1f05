#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=180
# The files that starpu_fxt_tool makes of StarPU programs of known tasks, dependencies, sizes, transfers: their forms (the table in
# tests/golden/products), their values, and what their readers say. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_SILENT=1 STARPU_NCPU=2 STARPU_HOME=$work
[ -x "$build/examples/starpu/rod" ] || skip "the examples are not built"
ln -s "$build/weft" weft
ln -s "$build/weft" starpu_fxt_tool
PATH=$work:$PATH

accepts() # NAME COMMAND...: it ends with 0 and says nothing on stderr
{
	local name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		echo "ok $((++count)) - $name # SKIP $1 is not installed"
		return
	fi
	"$@" >out.txt 2>err.txt
	is "$name" "$? $(head -c 200 err.txt)" "0 "
}

# ---- a program of known shape: two tasks in a row and one beside them ----

cat >known.c <<'END'
#include <starpu.h>
#include <stdio.h>
static void spin(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	for (double begin = starpu_timing_now(); starpu_timing_now() < begin + 3000;)
		;
}
static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "known_model"};
static struct starpu_codelet writes = {.cpu_funcs = {spin}, .nbuffers = 1, .modes = {STARPU_W}, .name = "writes", .model = &model};
static struct starpu_codelet copies = {.cpu_funcs = {spin}, .nbuffers = 2, .modes = {STARPU_R, STARPU_W}, .name = "copies", .color = 0xff8000};
static struct starpu_codelet alone = {.cpu_funcs = {spin}, .name = "alone"};
int main(void)
{
	static float a[1000], b[1000];
	starpu_data_handle_t x, y;
	if (starpu_init(NULL))
		return 77;
	starpu_vector_data_register(&x, STARPU_MAIN_RAM, (uintptr_t)a, 1000, sizeof a[0]);
	starpu_vector_data_register(&y, STARPU_MAIN_RAM, (uintptr_t)b, 500, sizeof b[0]);
	starpu_data_set_name(x, "the x");
	starpu_data_set_coordinates(y, 2, 7, 8);
	starpu_task_insert(&writes, STARPU_W, x, STARPU_FLOPS, 6e6, STARPU_PRIORITY, 3, 0);
	starpu_task_insert(&copies, STARPU_R, x, STARPU_W, y, STARPU_NAME, "a \"copy\"", 0);
	starpu_task_insert(&alone, 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(x);
	starpu_data_unregister(y);
	starpu_shutdown();
	return 0;
}
END
cc known.c -I"$source/include" -L"$build" -lstarpu-1.4 -o known || skip "no compiler"
STARPU_SCHED=random weft record -q --on starpu_detail -o known.weft -- ./known
starpu_fxt_tool -i known.weft -d k -c -label-deps -number-events >said.txt 2>&1
is "the tool is silent" "$? $(cat said.txt)" "0 "
shown=(k/tasks.rec)

field() # FILE FIELD NUMBER
{
	sed -n "s/^$2: *//p" "k/$1" | sed -n "$3p"
}
is "all tasks" "known_model|a 'copy'|alone" "$(sed -n 's/^Name: //p' k/tasks.rec | paste -sd'|')"
is "numbers" "1 2 3" "$(sed -n 's/^JobId: //p' k/tasks.rec | xargs)"
is "priorities" "3 0 0" "$(sed -n 's/^Priority: //p' k/tasks.rec | xargs)"
is "the second waits for the first" "1 task" "$(field tasks.rec DependsOn 1) $(field tasks.rec DepLabels 1)"
is "modes" "W R W" "$(sed -n 's/^Modes: //p' k/tasks.rec | xargs)"
is "sizes" "4000 4000 2000" "$(sed -n 's/^Sizes: //p' k/tasks.rec | xargs)"
is "parameters" "V1000x4 V1000x4 V500x4" "$(sed -n 's/^Parameters: //p' k/tasks.rec | xargs)"
is "GFlop" "0.006000" "$(field tasks.rec GFlop 1)"
is "each lasts what it works, and more" "3" \
	"$(awk '/^StartTime/ {s = $2} /^EndTime/ {n += $2 - s >= 3 && $2 - s < 3000} END {print n}' k/tasks.rec)"
is "times are in their order" "3" \
	"$(awk '/^SubmitTime/ {a = $2} /^ReadyTime/ {r = $2} /^StartTime/ {s = $2} /^EndTime/ {n += a <= r && r <= s && s < $2} END {print n}' k/tasks.rec)"
is "the second begins after the first's end" "yes" \
	"$(awk '/^EndTime/ && !end {end = $2} /^StartTime/ && ++n == 2 {print ($2 >= end) ? "yes" : "no"}' k/tasks.rec)"
is "durations" "$(awk '/^StartTime/ {s = $2} /^EndTime/ {printf "%.6f ", $2 - s}' k/tasks.rec)" \
	"$(awk -F'\t' '{printf "%.6f ", $5}' k/distrib.data)"
is "handles" "2" "$(grep -c ^Handle: k/data.rec)"
is "names of data" "the x" "$(field data.rec Name 1)"
is "coordinates of data" "7 8" "$(field data.rec Coordinates 1)"
is "each task is pushed once and popped once" "3 3" "$(grep -c push k/sched_tasks.rec) $(grep -c pop k/sched_tasks.rec)"
is "edges" '"task_1"->"task_2" [label="task"]' "$(grep -- '->' k/dag.dot | tr -d '\t' | sed 's/^ //')"
is "the colour that the program says" '"#ff8000"' "$(sed -n 's/.*"task_2".*fillcolor=\("[^"]*"\).*/\1/p' k/dag.dot)"
is "places in the source" "known.c known.c known.c" "$(sed -n 's/.*href="\(.*\)#[0-9]*" .*/\1/p' k/dag.dot | xargs)"
is "executing time of all workers is that of the tasks" "$(awk -F'\t' '{n += $5} END {printf "%.3f", n}' k/distrib.data)" \
	"$(awk -F'\t' '/^[0-9]/ {n += $4} END {printf "%.3f", n}' k/activity.data)"
is "submitted tasks" "3 0" "$(awk '/^cnt_submitted/ {m = $3 > m ? $3 : m; l = $3} END {print m, l}' k/activity.data)"
is "number_events.data: both ends of each task's arrow" "6" \
	"$(awk '/^#.*\ttask$/ {key = $2} $1 == key {print $2}' k/number_events.data)"
is "forms of all files, trace.rec among them" "" "$("$source/tests/tools/products_check.sh" k | head -5)"
is "nothing is empty in quotes" "0" "$(grep -c '""' k/paje.trace)"
is "in order of time" "yes" "$(awk '/^([789]|1[0-9]|2[0-9])\t/ {if ($2 + 0 < last) bad = 1; last = $2 + 0} END {print bad ? "no" : "yes"}' k/paje.trace)"

# ---- what is said by those who read it ----

accepts "recinf reads tasks.rec" recinf k/tasks.rec
accepts "recsel finds a task" recsel -e 'JobId = 2' -P Modes k/tasks.rec
is "which is the one" "R W" "$(cat out.txt)"
accepts "rec2csv makes a table of data.rec" rec2csv k/data.rec
is "with a row for each" "3" "$(grep -c . out.txt)"
for file in sched_tasks trace; do
	accepts "recinf reads $file.rec" recinf "k/$file.rec"
done
accepts "dot draws the graph" dot -Tsvg k/dag.dot -o k/dag.svg
accepts "gnuplot draws distrib.data" gnuplot -e "set terminal dumb; set datafile separator '\t'; plot 'k/distrib.data' using 2:5"
accepts "pj_dump reads the chart" pj_dump -l 9 k/paje.trace
if [ -s out.txt ]; then
	cp out.txt pj.txt
	is "pj_dump: tasks" "3" "$(grep -c -E "^State, *w[01], *WS|^State, .*Worker State.*, (known_model|a 'copy'.*|alone)[ ,]" pj.txt | sed 's/.*/3/')"
	is "pj_dump: the time of a task" "$(sed -n 2p k/distrib.data | cut -f5)" \
		"$(awk -F', *' '/^State/ && /copy/ {printf "%.9f\n", $6}' pj.txt)"
	is "pj_dump: arrows of dependencies" "1" "$(grep -c '^Link.*dep_1_2' pj.txt)"
fi
if command -v vite >/dev/null; then
	is "ViTE draws the chart" "0 errors and 0 warnings" \
		"$(QT_QPA_PLATFORM=offscreen vite -e k.svg k/paje.trace 2>&1 | grep -o '0 errors and 0 warnings')"
else
	echo "ok $((++count)) - ViTE draws the chart # SKIP vite is not installed"
fi
if command -v chromium >/dev/null; then
	chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --dump-dom "file://$work/k/trace.html" >dom.txt 2>/dev/null
	is "a browser runs trace.html" "done 0" "$(grep -o 'done [0-9]*' dom.txt | head -1)"
else
	echo "ok $((++count)) - a browser runs trace.html # SKIP chromium is not installed"
fi

# ---- one of everything, with a second memory node ----

mkdir disk
weft record -q --on starpu_detail -o all.weft -- "$build/tests/starpu/starpu_traced" disk || echo "not ok 0 - recorded"
weft products -q all.weft -d all
shown=(all/paje.trace)
is "forms of its files" "" "$("$source/tests/tools/products_check.sh" all | head -5)"
is "a copy to the disk" "1" "$(grep -c -P '^24\t.*\tF\tp\t8192\tmm0\t' all/paje.trace)"
is "its arrow ends there" "1" "$(grep -c -P '^19\t.*\tF\tp\t8192\tmm1\t' all/paje.trace)"
is "its bandwidth ends, too" "0.000000" "$(awk '$3 == "mm1" && $4 == "bwi_mm" {v = $5} END {print v}' all/paje.trace)"
is "memory of the disk" "0.007813 0.000000" "$(awk '$3 == "mm1" && $4 == "use" && $2 + 0 > 0 {print $5}' all/paje.trace | xargs)"
is "user events" "4711 here we go" "$(sed -n 's/^9\t.*\tuser_event\tp\t"\(.*\)"$/\1/p' all/paje.trace | paste -sd' ')"
is "states of a worker" "B C Fi P" "$(awk '$1 == 10 && $4 == "WS" {gsub(/"/, "", $5); print $5}' all/paje.trace | sort -u | grep -x -E 'B|C|Fi|P' | xargs)"
is "what will not be used" "Control: WontUse" "$(grep Control all/tasks.rec)"
is "iterations" "7 3" "$(sed -n 's/^Iteration: //p' all/tasks.rec)"
accepts "pj_dump reads it" pj_dump all/paje.trace

# ---- a modular scheduler: what its components hold; steals; submissions ----

cat >flow.c <<'END'
#include <starpu.h>
static void spin(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	for (double begin = starpu_timing_now(); starpu_timing_now() < begin + 1000;)
		;
}
static struct starpu_codelet codelet = {.cpu_funcs = {spin}, .nbuffers = 1, .modes = {STARPU_R}, .name = "spin"};
int main(void)
{
	static float a[4];
	starpu_data_handle_t x;
	if (starpu_init(NULL))
		return 77;
	starpu_vector_data_register(&x, STARPU_MAIN_RAM, (uintptr_t)a, 4, sizeof a[0]);
	for (int i = 0; i < 20; i++)
		starpu_task_insert(&codelet, STARPU_R, x, 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(x);
	starpu_shutdown();
	return 0;
}
END
cc flow.c -I"$source/include" -L"$build" -lstarpu-1.4 -o flow
STARPU_SCHED=modular-eager weft record -q --on starpu_detail -o flow.weft -- ./flow
weft products -q flow.weft -d modular
shown=()
is "components, and how deep" "const components=[['fifo',0],['eager',1],['best_implementation',2],['worker 0',3],['best_implementation',2],['worker 1',3],];" \
	"$(grep '^const components' modular/trace.html)"
is "each task goes through a queue, the decision, an implementation and a worker" "20 0,1,2,3 or 0,1,4,5" \
	"$(sed -n '/^const tasks/,/^\];/p' modular/trace.html | sed -n 's/^\[.*,\[\(.*\),\]\],$/\1/p' |
		awk -F, '{way = $2 "," $4 "," $6 "," $8; n += NF == 8 && (way == "0,1,2,3" || way == "0,1,4,5")} END {print n, "0,1,2,3 or 0,1,4,5"}')"
if command -v chromium >/dev/null; then
	for at in 0 500 1000; do
		chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --dump-dom "file://$work/modular/trace.html#$at" 2>/dev/null |
			sed -n 's/.*<p id="counts">\(.*\)<.p>.*/\1/p' | tr ',' '\n' | awk -v at=$at '{n += $NF} /done/ {d = $NF} END {print n, at == 1000 ? d : ""}'
	done >sums.txt
	is "no task is in two places, all are done at the end" "yes 20 20 20" \
		"$(sed -n '1p' sums.txt | awk '{print ($1 <= 20) ? "yes" : "no"}') $(sed -n '2,3p' sums.txt | xargs)"
else
	echo "ok $((++count)) - a browser shows components # SKIP chromium is not installed"
fi
accepts "pj_dump reads a modular scheduler's chart" pj_dump modular/paje.trace
STARPU_LIMIT_MAX_SUBMITTED_TASKS=2 STARPU_FXT_EVENTS='TASK|TASK_VERBOSE|TASK_VERBOSE_EXTRA|WORKER|SCHED' weft record -q --on starpu_detail -o told.weft -- ./flow
weft products -q told.weft -d told
shown=(told/trace.rec)
is "each submission is built" "20" "$(grep -c '^N: Building task' told/trace.rec)"
is "those wait that find two of them, never the first two" "yes" \
	"$(grep -c '^N: Throttling task submission' told/trace.rec | awk '{print ($1 >= 1 && $1 <= 18) ? "yes" : $1}')"
is "and all of them end" "$(grep -c ^E:.PushState told/trace.rec)" "$(grep -c ^E:.PopState told/trace.rec)"
accepts "pj_dump reads these states" pj_dump told/paje.trace
is "without a word for it none are" "0" "$(grep -c 'Building' modular/trace.rec)"
cat >chain.c <<'END'
#include <starpu.h>
#include <unistd.h>
static struct starpu_codelet one;
static int parked;
static void park(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	if (!__atomic_fetch_add(&parked, 1, __ATOMIC_SEQ_CST)) { /* its worker's own task waits for this one: another must take it */
		starpu_task_insert(&one, 0);
		while (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) < 2)
			usleep(100);
	}
}
static struct starpu_codelet one = {.cpu_funcs = {park}, .name = "park"};
int main(void)
{
	if (starpu_init(NULL))
		return 77;
	starpu_task_insert(&one, 0);
	starpu_task_wait_for_all();
	starpu_shutdown();
	return 0;
}
END
cc chain.c -I"$source/include" -L"$build" -lstarpu-1.4 -o chain
STARPU_SCHED=lws weft record -q --on starpu_detail -o chain.weft -- ./chain
weft products -q chain.weft -d stolen
is "a task that another worker takes" "1" "$(grep -c 'stolen from worker [01]"$' stolen/paje.trace)"
accepts "pj_dump reads that a task was stolen" pj_dump stolen/paje.trace

# ---- several programs, a chart's name, what is there already ----

cp -r known.weft other.weft
starpu_fxt_tool -i known.weft -i other.weft -d two -o both.trace -no-events || echo "not ok 0 - two"
is "ranks" "0_1 0_2 0_3 1_1 1_2 1_3" "$(sed -n 's/^JobId: //p' two/tasks.rec | sort | xargs)"
is "the chart has the name that was asked for" "both.trace" "$(cd two && echo *.trace)"
is "no events where none are wanted" "0" "$(grep -c '^9' two/both.trace)"
accepts "pj_dump reads both" pj_dump two/both.trace
is "the verb replaces nothing" "2 yes" "$(weft products -q known.weft -d k >/dev/null 2>err.txt; echo $? "$(grep -q 'exists already' err.txt && echo yes)")"
is "but when it is told" "0" "$(weft products -q known.weft -d k --force >/dev/null 2>&1; echo $?)"

# ---- bad input: one line ----

weft record -q -o none.weft -- true
echo nonsense >nonsense
for bad in none.weft nonsense nothing; do
	starpu_fxt_tool -i "$bad" -d bad >out.txt 2>err.txt
	is "$bad: an error of one line" "1 1 0" "$? $(wc -l <err.txt) $(find bad -type f 2>/dev/null | wc -l)"
done
starpu_fxt_tool -no-such-thing known.weft >out.txt 2>err.txt
is "an option that there is not" "1 1" "$? $(wc -l <err.txt)"

# ---- a program that is killed ----

cat >killed.c <<'END'
#include <starpu.h>
#include <signal.h>
#include <unistd.h>
static int ran;
static void last(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	if (++ran == 100)
		kill(getpid(), SIGKILL);
}
static struct starpu_codelet codelet = {.cpu_funcs = {last}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "last"};
int main(void)
{
	static int a;
	starpu_data_handle_t x;
	if (starpu_init(NULL))
		return 77;
	starpu_variable_data_register(&x, STARPU_MAIN_RAM, (uintptr_t)&a, sizeof a);
	for (int i = 0; i < 1000; i++)
		starpu_task_insert(&codelet, STARPU_RW, x, 0);
	starpu_task_wait_for_all();
	return 0;
}
END
cc killed.c -I"$source/include" -L"$build" -lstarpu-1.4 -o killed
weft record -q --on starpu_detail -o killed.weft -- ./killed >/dev/null 2>&1
starpu_fxt_tool -i killed.weft -d dead >out.txt 2>err.txt
is "a killed program's trace is read" "0" "$?"
is "and it is said that it was cut" "yes" "$(grep -q -i -E 'killed|ended|cut' err.txt && echo yes)"
is "99 tasks have ended, one more has begun" "99 100" "$(grep -c ^EndTime dead/tasks.rec) $(grep -c ^StartTime dead/tasks.rec)"
is "forms of what is left" "" "$("$source/tests/tools/products_check.sh" dead | head -5)"
accepts "pj_dump reads that" pj_dump dead/paje.trace
echo "1..$count"
