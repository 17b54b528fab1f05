#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lp_solve, glpsol and cbc read the programs of bounds, and find the optimum that our own search finds. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
program=${WEFT_BUILD:-$source/build}/tests/starpu/starpu_bounds
for tool in lp_solve glpsol cbc; do
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
done
echo "1..$number"
exit $failed
