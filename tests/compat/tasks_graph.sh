#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=300
# Programs of known graphs (tests/starpu/graph_shapes.c) under weft record: weft tasks and weft graph find every task, every dependency, the depth, the width and
# the critical path; Graphviz reads the DOT, a parser of XML the SVG, node runs the tests of web/ and editors/, a browser opens the page. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_SILENT=1 STARPU_NCPU=2 PATH=$build:$PATH
unset VISUAL EDITOR BROWSER
shapes=$build/tests/starpu/starpu_graph_shapes
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

skip() # NAME REASON
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

if [ ! -x "$shapes" ]; then
	echo "1..0 # SKIP the programs of tests/starpu are not built"
	exit 0
fi

# NAME SHAPE ARGUMENTS…: tasks,dependencies,levels,widest
numbers()
{
	local name=$1
	shift
	weft record -q --on starpu_detail -o "$name.weft" -- "$shapes" "$@" >/dev/null || echo failed
	weft graph -q "$name.weft" --csv | tail -1 | cut -d, -f 1-4
}

check "a chain of 50" 50,49,50,1 "$(numbers chain chain 50 100)"
check "all of a chain is critical" "50" "$(weft graph -q chain.weft --path --csv | tail -n +2 | wc -l)"
check "its length is its tasks' time" "1" "$(weft graph -q chain.weft --csv | tail -1 | cut -d, -f 8)"
check "each takes 100 us at least" "50" "$(weft tasks -q chain.weft -f 'duration>=100us slack=0' -c number --csv | tail -n +2 | wc -l)"
check "a fork of 20 and a join, which waits for who read" 22,40,3,20 "$(numbers fork fork 20)"
check "three of them are critical" 3 "$(weft graph -q fork.weft --csv | tail -1 | cut -d, -f 7)"
check "the join waits for all that read" 20 "$(weft tasks -q fork.weft -f number=22 -c depends --csv | tail -1)"
# n tiles: n + 2 * n(n-1)/2 + n(n-1)(n-2)/6 tasks, 3n - 2 levels
check "Cholesky of 10 x 10 tiles" 220,495,28,45 "$(numbers cholesky cholesky 10)"
check "its tasks by codelet" "gemm 165 potrf 10 trsm 45" "$(weft tasks -q cholesky.weft --by codelet --csv | tail -n +2 | cut -d, -f 1,2 | tr , ' ' | sort | tr '\n' ' ' | sed 's/ $//')"
check "8 iterations of 5" 40 "$(numbers loops loops 8 5 | cut -d, -f 1)"
check "iterations are known" "8 5" "$(weft tasks -q loops.weft --by iteration --csv | tail -n +2 | cut -d, -f 2 | sort | uniq -c | awk '{print $1, $2}')"
check "by iteration it is a chain of 8 boxes" "7" "$(weft graph -q loops.weft -o - --to dot --by iteration | grep -c -e '->')"
check "panels: 8 iterations of 5 tasks, one after the other" "1 5 2 5 3 5 4 5 5 5 6 5 7 5 8 5 in order" "$(weft panels -q loops.weft --table iterations --csv | tail -n +2 |
	awk -F, '{ printf "%d %d ", $1, $2; if ($4 < last) out = 1; last = $4 } END { print out ? "out of order" : "in order" }')"
check "panels: the path bound of one kind of workers is the graph's critical path" "$(weft graph -q cholesky.weft --csv | tail -1 | cut -d, -f 6)" \
	"$(weft panels -q cholesky.weft --table bounds --csv | sed -n 's/^critical path bound (CPB),\([0-9]*\),.*/\1/p')"
check "panels: the area is the work by two workers" "$(weft graph -q cholesky.weft --csv | tail -1 | awk -F, '{ printf "%d", $5 / 2 + 0.5 }')" \
	"$(weft panels -q cholesky.weft --table bounds --csv | sed -n 's/^area bound (ABE),\([0-9]*\),.*/\1/p')"
check "panels: the last task's chain goes through each level of a chain of 50" 50 "$(weft panels -q chain.weft --table chain --csv | tail -n +2 | wc -l)"
check "panels: no task of Cholesky's chain begins before the one before has ended" "" "$(weft panels -q cholesky.weft --table chain --csv | tail -n +2 | awk -F, '$4 < last { print } { last = $5 }')"
check "panels: idleness and time in tasks are all of the range" "same" "$(weft panels -q cholesky.weft --table workers --csv | tail -n +2 | awk -F, '{ all = $4 / (1 - $5 / 100) } NR > 1 && (all - first > 1 || first - all > 1) { print "other" } { first = all } END { print "same" }')"
# Threads that move data are no workers, whatever thread made them.
export HWLOC_SYNTHETIC="numa:2 core:1 pu:1" STARPU_USE_NUMA=1
numbers numa cholesky 10 200 >numa.csv
unset HWLOC_SYNTHETIC STARPU_USE_NUMA
check "two workers with memory nodes of their own are two" 2 "$(weft panels -q numa.weft --table workers --csv | tail -n +2 | wc -l)"
check "workers are called as they are" "CPU 0 CPU 1" "$(weft info -q numa.weft -l threads --csv | grep -o 'CPU [0-9]*' | sort | tr '\n' ' ' | sed 's/ $//')"
if [ "$(weft tasks -q numa.weft --by worker --csv | tail -n +2 | wc -l)" = 2 ]; then
	check "who moved data is called so" yes "$(weft info -q numa.weft -l threads --csv | grep -q ',mover [01],' && echo yes)"
else
	skip "who moved data is called so" "one worker ran all tasks, so that nothing was moved"
fi
check "what ran before its turn: nothing" "" "$(weft tasks -q cholesky.weft -f 'critical=0,1' --json -c number,start,ready |
	python3 -c 'import json, sys; print(*[t["number"] for t in json.load(sys.stdin) if t["start_ns"] < t["ready_ns"]])')"
check "paths as Python computes them from DOT and CSV" same "$(weft graph -q cholesky.weft -o g.dot && weft tasks -q cholesky.weft -c number,duration,slack,level,earliest --csv >t.csv &&
	python3 - <<'END'
import csv, re
rows = list(csv.DictReader(open("t.csv")))
edges = [tuple(map(int, e)) for e in re.findall(r"^\tt(\d+) -> t(\d+)", open("g.dot").read(), re.M)]
n, d = len(rows), [int(r["duration_ns"]) for r in rows]
before, after = [[] for _ in rows], [[] for _ in rows]
for a, b in edges:
    before[b].append(a)
    after[a].append(b)
to, level, behind = [0] * n, [0] * n, [0] * n
for i in range(n):
    to[i] = max([to[b] + d[b] for b in before[i]], default=0)
    level[i] = max([level[b] + 1 for b in before[i]], default=0)
for i in reversed(range(n)):
    behind[i] = max([behind[a] + d[a] for a in after[i]], default=0)
length = max(to[i] + d[i] for i in range(n))
wanted = [(str(level[i]), str(to[i]), str(length - to[i] - d[i] - behind[i])) for i in range(n)]
print("same" if wanted == [(r["level"], r["earliest_ns"], r["slack_ns"]) for r in rows] else "other")
END
)"
check "efficiencies multiply, and times are all there is" same "$(weft efficiency -q loops.weft --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
product = {}
for r in rows:
    if "product" in r["factor"]:
        if abs(product[r["chain"]] - r["all_percent"]) > 1e-6 * r["all_percent"]: print("other", r)
    else:
        product[r["chain"]] = product.get(r["chain"], 100) * r["all_percent"] / 100
print("same" if len(set(round(p, 6) for p in product.values())) == 1 else product)')"

numbers hostile hostile 1 >/dev/null
weft graph -q hostile.weft -o hostile.svg && weft graph -q hostile.weft -o hostile.html && weft graph -q hostile.weft -o hostile.dot
check "hostile names: the SVG is sound" sound "$(python3 -c 'import xml.dom.minidom as x; x.parse("hostile.svg"); print("sound")')"
check "hostile names: no markup in the page" "" "$(grep -o 'onerror[^<]*<img\|<img\|</script><script>document' hostile.html)"
if command -v dot >/dev/null; then
	check "Graphviz reads the DOT" "2 222" "$(dot -Tplain hostile.dot | grep -c ^node) $(($(dot -Tplain g.dot 2>/dev/null | grep -c ^node) + 2))"
else
	skip "Graphviz reads the DOT" "no dot"
fi
if command -v node >/dev/null; then
	check "node's tests of web/ and editors/" 0 "$(node --test "$source"/tests/web/*.test.mjs "$source"/editors/vscode/*.test.js >node.txt 2>&1; echo $?)"
	[ ! -s node.txt ] || grep -B 1 -A 20 '^ *not ok' node.txt | sed 's/^/# /'
else
	skip "node's tests of web/ and editors/" "no node"
fi

# The page's elements once its script has run; nothing that a name says has.
opened()
{
	timeout 120 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --user-data-dir="$work/browser" --dump-dom "file://$work/$1" 2>/dev/null
}
if command -v chromium >/dev/null; then
	weft graph -q cholesky.weft -o cholesky.html --by level
	opened cholesky.html >opened.txt
	check "a browser shows a box for each codelet and level" 28 "$(grep -o 'data-boxes="[0-9]*"' opened.txt | tr -dc 0-9)"
	opened hostile.html >opened.txt
	check "names are text there, too" "hostile.weft 2" "$(sed -n 's/.*<title>\(hostile[^<]*\)<.*/\1/p' opened.txt | head -1) $(grep -o 'data-boxes="[0-9]*"' opened.txt | tr -dc 0-9)"
else
	skip "a browser shows a box for each codelet and level" "no chromium"
	skip "names are text there, too" "no chromium"
fi
echo "1..$count"
