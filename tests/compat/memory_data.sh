#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=120
# weft data, the memory feedback of StarPU's handbook, on programs whose copies are known: a vector that two workers on two memory nodes (that hwloc makes up) write in turn; data
# that have no room beside each other. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_SILENT=1 STARPU_NCPU=2 STARPU_HOME=$work
export HWLOC_SYNTHETIC="numa:2 core:1 pu:1" STARPU_USE_NUMA=1 STARPU_NOPENCL=0
ln -s "$build/weft" weft
PATH=$work:$PATH
command -v jq >/dev/null || skip "jq is not installed"

# ---- back and forth: 8 tasks on node 1 and node 0 in turn; another vector stays on node 1 for two tasks ----

cat >turns.c <<'END'
#include <starpu.h>
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet ping = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "ping"};
static struct starpu_codelet pong = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "pong"};
static struct starpu_codelet reads = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_R}, .name = "reads"};
int main(void)
{
	static char a[4096], b[1024];
	starpu_data_handle_t ball, still;
	if (starpu_init(NULL))
		return 77;
	int there = starpu_worker_get_memory_node(0) == 1 ? 0 : 1;
	starpu_vector_data_register(&ball, STARPU_MAIN_RAM, (uintptr_t)a, sizeof a, 1);
	starpu_vector_data_register(&still, STARPU_MAIN_RAM, (uintptr_t)b, sizeof b, 1);
	starpu_data_set_name(ball, "ball");
	starpu_data_set_name(still, "still");
	starpu_data_set_coordinates(ball, 2, 3, 4);
	for (int i = 0; i < 8; i++) {
		starpu_task_insert(i % 2 ? &pong : &ping, STARPU_RW, ball, STARPU_EXECUTE_ON_WORKER, i % 2 ? !there : there, 0);
		starpu_task_wait_for_all();
	}
	for (int i = 0; i < 2; i++)
		starpu_task_insert(&reads, STARPU_R, still, STARPU_EXECUTE_ON_WORKER, there, 0);
	starpu_task_wait_for_all();
	starpu_task_insert(&ping, STARPU_RW, ball, STARPU_EXECUTE_ON_WORKER, there, 0);
	starpu_task_wait_for_all();
	starpu_data_acquire(ball, STARPU_RW); /* back to node 0 */
	starpu_data_release(ball);
	starpu_data_prefetch_on_node(ball, 1, 1);
	starpu_task_insert(&ping, STARPU_RW, ball, STARPU_EXECUTE_ON_WORKER, there, 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(ball); /* brings it home */
	starpu_data_unregister(still);
	starpu_shutdown();
	return 0;
}
END
cc turns.c -I"$source/include" -L"$build" -lstarpu-1.4 -o turns || skip "no compiler"
weft record -q --on starpu_detail -o turns.weft -- ./turns || skip "no two memory nodes can be made up"
ask() # SUBJECT JQ
{
	weft data turns.weft --by "$1" --json | jq -r "$2"
}
# 8 tasks take 4 copies there and 4 back; then there, back (acquired), there (prefetched, or fetched when the task came first), home.
is "copies of each datum" "ball 12 49152,still 1 1024" "$(ask handle '.[] | "\(.name) \(.copies) \(.copied_bytes)"' | paste -sd,)"
is "accesses" "0 0 10 2 0 0" "$(ask handle '.[] | .reads, .writes, .updates' | xargs)"
is "coordinates, sizes, descriptions" "3 4|4096|V4096x1" "$(ask handle '.[0] | "\(.coordinates)|\(.bytes)|\(.description)"')"
is "each has memory of node 1 once" "1 1" "$(ask handle '.[].allocations' | xargs)"
is "why: the same bytes in other tables" "50176 50176" "$(ask cause 'map(.bytes) | add') $(ask way 'map(.bytes) | add')"
is "one copy was for the program, one to come home" "acquire 4096,unregister 4096" \
	"$(ask cause '.[] | select(.cause == "acquire" or .cause == "unregister") | "\(.cause) \(.bytes)"' | sort | paste -sd,)"
is "the others for tasks, and one ahead" "fetch 10,prefetch 1" \
	"$(ask cause '.[] | select(.cause | test("fetch")) | "\(.cause) \(.copies)"' | paste -sd,)"
is "ways" "0 1 7,1 0 6" "$(ask way '.[] | "\(.from) \(.to) \(.copies)"' | paste -sd,)"
# Each copy but the first brings it back where it was; the last one must be.
is "returns" "ball 0 1 10 40960 ping pong" \
	"$(ask return '.[] | "\(.name) \(.node) \(.other_node) \(.returned) \(.bytes) \(.there_for) \(.back_for)"' | paste -sd,)"
is "trips name their tasks" "1 ping 2 pong" \
	"$(ask trip 'sort_by(.time_ns)[0] | "\(.there_task) \(.there_for) \(.back_task) \(.back_for)"')"
is "nobody's task: the program acquired it" "acquire null" \
	"$(ask trip '.[] | select(.back_cause == "acquire") | "\(.back_cause) \(.back_task)"')"
is "nodes: most, what came in, what went out" "0 0 5120 24576 25600,1 5120 0 25600 24576" \
	"$(ask node '.[] | "\(.node) \(.managed_peak_bytes) \(.home_peak_bytes) \(.bytes_in) \(.bytes_out)"' | sed 's/^\(.\) \(.*\)/\1 \2/' | paste -sd,)"
is "a datum is not on a node longer than it is there" "true" "$(ask place 'all(.valid_ns <= .allocated_ns or .node == 0)')"
is "patterns: names, and handles" "1 1 0" "$(weft data turns.weft --by handle -d 'st*' --json | jq length) \
$(weft data turns.weft --by handle -d "$(ask handle '.[0].handle')" --json | jq length) $(weft data turns.weft --by handle -d nobody --json | jq length)"
weft data turns.weft -o memory.csv
is "the curve ends with nothing managed, and nothing of the program's" "0 0" \
	"$(awk -F, '$3 == 1 {m = $5} $3 == 0 {h = $6} END {print m, h}' memory.csv)"
is "and has the peak of the table" "$(ask node '.[1].allocated_peak_bytes')" "$(awk -F, '$3 == 1 && $4 > m {m = $4} END {print m}' memory.csv)"
weft data turns.weft -o memory.svg && weft data turns.weft -o memory.png
is "a picture as SVG" "2" "$(grep -o '>node [01], NUMA [01]<' memory.svg | wc -l)"
is "as PNG" "PNG" "$(head -c 4 memory.png | tail -c 3)"
is "which is not replaced" "2" "$(weft data turns.weft -o memory.png 2>/dev/null; echo $?)"
is "JSON and CSV have the same columns" "$(weft data turns.weft --by handle --json | jq -r '.[0] | keys_unsorted | join(",")')" \
	"$(weft data turns.weft --by handle --csv | head -1)"

# ---- no room: three vectors of 600 kB in 1 MB, each written on node 1, two rounds ----

cat >full.c <<'END'
#include <starpu.h>
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet writes = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "writes"};
int main(void)
{
	enum { N = 3, BYTES = 600000 };
	static char a[N][BYTES];
	starpu_data_handle_t h[N];
	if (starpu_init(NULL))
		return 77;
	int there = starpu_worker_get_memory_node(0) == 1 ? 0 : 1;
	for (int i = 0; i < N; i++)
		starpu_vector_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)a[i], BYTES, 1);
	for (int i = 0; i < 2 * N; i++) {
		starpu_task_insert(&writes, STARPU_RW, h[i % N], STARPU_EXECUTE_ON_WORKER, there, 0);
		starpu_task_wait_for_all();
	}
	for (int i = 0; i < N; i++)
		starpu_data_unregister(h[i]);
	starpu_shutdown();
	return 0;
}
END
cc full.c -I"$source/include" -L"$build" -lstarpu-1.4 -o full
STARPU_LIMIT_CPU_NUMA_1_MEM=1 weft record -q --on starpu_detail -o turns2.weft -- ./full
full() # SUBJECT JQ
{
	weft data turns2.weft --by "$1" --json | jq -r "$2"
}
# An idle worker brings the last one home, too, when it finds its node full: that, or the program's unregister.
is "six come, six go: to make room, the last one home" "6 6 true" \
	"$(full cause '(map(select(.cause == "fetch").copies) | add), (map(select(.cause == "reclaim" or .cause == "write back" or .cause == "unregister").copies) | add), ((map(select(.cause == "unregister").copies) | add) <= 1)' | xargs)"
is "never more than one at once" "600000 6" "$(full node '.[] | select(.node == 1) | "\(.managed_peak_bytes) \(.allocations)"')"
is "each came back once to node 1" "600000 600000 600000" "$(full trip '.[] | select(.node == 1) | .bytes' | xargs)"

# ---- bad input ----

weft record -q -o none.weft -- true
weft record -q -o plain.weft -- ./turns
echo nonsense >nonsense
for bad in none.weft plain.weft nonsense nothing; do
	weft data "$bad" >out.txt 2>err.txt
	is "$bad: one line" "2 1 0" "$? $(wc -l <err.txt) $(wc -l <out.txt)"
done
weft data turns.weft --by colour >out.txt 2>err.txt
is "a subject that there is not" "2 yes" "$? $(grep -q "unknown subject 'colour'" err.txt && echo yes)"
echo "1..$count"
