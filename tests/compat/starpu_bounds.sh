#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lp_solve, glpsol and cbc read the programs of bounds, and find the optimum that our own search finds; pj_dump reads the schedules that
# they found. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
program=$build/tests/starpu/starpu_bounds
for tool in lp_solve glpsol cbc pj_dump; do
	if ! command -v "$tool" >/dev/null; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STARPU_HOME=$folder

failed=0
number=0
# report STATUS WHAT
report() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

# same WHAT OPTIMUM FOUND
same() {
	awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(b != "" && d < 1e-4 && d > -1e-4) }'
	local differs=$?
	[ $differs = 0 ] || echo "# $1: '$3' instead of '$2'"
	report $differs "$1"
}

# schedule WHAT SOLUTION TASKS OPTIMUM: all tasks, each alone on its worker, the last one over at the optimum (seconds)
schedule() {
	local said
	"$folder/starpu_lp2paje" <"$2" >"$folder/best.paje" && "$build/weft" bound "$2" | cmp -s - "$folder/best.paje" &&
		said=$(pj_dump "$folder/best.paje" | awk -F', ' -v tasks="$3" -v best="$4" '
			/^State/ { n++; bad += $7 + 0 != 0; if ($5 > last) last = $5 }
			/^Container, program, Worker/ { d = $5 - best / 1000; bad += d > 2e-6 || d < -2e-6 }
			END { d = last - best / 1000; print n, bad; exit !(n == tasks && !bad && d < 2e-6 && d > -2e-6) }')
	local wrong=$?
	[ $wrong = 0 ] || echo "# $1: $said"
	report $wrong "$1"
}

ln -s "$build/weft" "$folder/starpu_lp2paje"
"$program" "$folder" 2>"$folder/words"
report $? 'programs are written'
for lp in "$folder"/*.lp; do
	base=${lp%.lp}
	name=$(basename "$base")
	best=$(cat "$base.optimum")
	same "lp_solve, $name" "$best" "$(lp_solve "$lp" | sed -n 's/^Value of objective function: *//p')"
	same "lp_solve, MPS $name" "$best" "$(lp_solve -fmps "$base.mps" | sed -n 's/^Value of objective function: *//p')"
	glpsol --mps "$base.mps" -o "$base.out" >/dev/null
	same "glpsol, MPS $name" "$best" "$(sed -n 's/^Objective: *COST = *\([^ ]*\).*/\1/p' "$base.out")"
	same "cbc, MPS $name" "$best" "$(cbc "$base.mps" solve | sed -n 's/^Objective value: *//p')"
	# Those with dependencies say when each task begins; all tasks of these programs take time.
	tasks=$(grep -o ' s[0-9]* ' "$lp" | sort -u | wc -l)
	[ "$tasks" -gt 0 ] || continue
	lp_solve "$lp" >"$base.solution"
	cbc "$base.mps" solve solution "$base.cbc" >/dev/null
	schedule "schedule of lp_solve, $name" "$base.solution" "$tasks" "$best"
	schedule "schedule of glpsol, $name" "$base.out" "$tasks" "$best"
	schedule "schedule of cbc, $name" "$base.cbc" "$tasks" "$best"
done
echo "1..$number"
exit $failed
