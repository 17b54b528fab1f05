#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: full timeout=900
# What `weft paramedir` writes for traces and views, beside what Paraver's own tool wrote for them: equal to the last byte, and
# nothing where that wrote nothing. A folder of cases has traces/, views/, expected/ and index.tsv with the columns trace, view,
# command, output, bytes, status (ok or nooutput). Ours is tests/golden/paraver; the one in $SHARED/data/paraver, or in ../shared,
# is larger and is left out where it is not. The exit status is 0 each time, as the tool's: no output is no crash. TAP; the last comment counts. BRIEF=1 leaves out what is equal.
# ONCE=1 takes each view with one of its traces only, another one from view to view.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
export weft=${WEFT_BUILD:-$source/build}/weft
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

# One row of an index: number, folder, trace, view, output, status.
one_case()
{
	IFS='|' read -r number folder trace view output status <<<"$1"
	got=$work/$number.out
	timeout 60 "$weft" paramedir "$folder/traces/$trace.prv" "$folder/views/$view" "$got" >"$work/$number.log" 2>&1
	ended=$?
	[ "$status" = ok ] && [ "${output##*.}" = csv ] && [ -e "$got.csv" ] && got=$got.csv
	if [ "$status" = ok ]; then
		cmp -s "$got" "$folder/expected/$output"
	else
		[ ! -e "$got" ] && [ ! -e "$got.csv" ]
	fi && [ $ended = 0 ] && echo "ok $number - $trace $view" || echo "not ok $number - $trace $view ($status, exit status $ended)"
	rm -f "$work/$number".*
}
export -f one_case

rows()
{
	for folder in "$source/tests/golden/paraver" "${SHARED:-$source/../shared}/data/paraver"; do
		[ -f "$folder/index.tsv" ] || continue
		awk -F'\t' -v folder="$folder" 'NR > 1 { print folder "|" $1 "|" $2 "|" $4 "|" $6 }' "$folder/index.tsv"
	done | if [ -n "${ONCE:-}" ]; then once; else cat; fi | awk '{ print NR "|" $0 }'
}

# Of the rows of each view one, the nth of them for the nth view (one with an output, if there is any).
once()
{
	awk -F'|' '{ key = $1 FS $3; best = $5 == "ok" }
		!(key in rows) { order[++views] = key }
		best && !good[key] { good[key] = 1; rows[key] = 0 }
		best == good[key] { row[key, rows[key]++] = $0 }
		END { for (v = 1; v <= views; v++) print row[order[v], v % rows[order[v]]] }'
}

rows >"$work/rows"
count=$(wc -l <"$work/rows")
[ -f "${SHARED:-$source/../shared}/data/paraver/index.tsv" ] || echo '# the larger set of views is not here, skipped'
# shellcheck disable=SC2016 # the inner shell expands it
xargs -P "$(nproc)" -d '\n' -I{} bash -c 'one_case "$1"' _ {} <"$work/rows" >"$work/said"
sort -V "$work/said" | if [ -n "${BRIEF:-}" ]; then sed '/^ok/d'; else cat; fi
echo "# equal: $(grep -c '^ok' "$work/said") of $count"
echo "1..$count"
[ "$count" -gt 0 ] && ! grep -q '^not ok' "$work/said"
