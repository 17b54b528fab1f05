#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: full timeout=300
# What the trace tools of `weft paramedir` write, beside what Paraver's own tool wrote for the same command: equal to the last
# byte, but for the time in the cutter's note. A folder of cases has traces/ and tools/ with xml/, out/ and index.tsv, whose
# columns are trace, name, command (run where traces/ is), output, status. A status other than ok says that the foreign tool
# crashed: ours must end with 0 and a trace that reads. TAP; the last comment counts. BRIEF=1 leaves out what is equal.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
weft=${WEFT_BUILD:-$source/build}/weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0

# The note's time is of the day on which it was written.
timeless()
{
	sed -E 's/^#[0-9]{14}:CUTTER:/#TIME:CUTTER:/' "$1"
}

say()
{
	count=$((count + 1))
	if [ "$1" = ok ]; then
		[ -n "${BRIEF:-}" ] || echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2 ($3)"
	fi
}

# folder, name, command, output, status
one_case()
{
	run=$work/$count
	mkdir "$run"
	cp -r "$1/traces" "$run"
	ln -s "$1/tools" "$run/tools"
	(cd "$run" && eval "timeout 60 \"$weft\" $3") >"$run.log" 2>&1
	status=$?
	expected=$1/tools/out/$4
	if [ $status -ne 0 ]; then
		say bad "$2" "status $status: $(head -1 "$run.log")"
	elif [ "$5" != ok ]; then
		if (cd "$run" && "$weft" info -q "$4" >/dev/null 2>&1); then
			say ok "$2"
		else
			say bad "$2" 'no trace'
		fi
	elif ! cmp -s <(timeless "$expected") <(timeless "$run/$4"); then
		say bad "$2" "$4 differs"
	elif [ -f "${expected%.prv}.pcf" ] && [ "${expected%.prv}" != "$expected" ] &&
		! cmp -s "${expected%.prv}.pcf" "$run/${4%.prv}.pcf"; then
		say bad "$2" "${4%.prv}.pcf differs"
	elif [ "$(cd "$run/traces" && ls)" != "$(cd "$1/traces" && ls)" ]; then
		say bad "$2" 'a trace between tools was left'
	else
		say ok "$2"
	fi
	rm -rf "$run" "$run.log"
}

for folder in "$source/tests/golden/paraver" "${SHARED:-$source/../shared}/data/paraver"; do
	[ -f "$folder/tools/index.tsv" ] || continue
	folder=$(cd "$folder" && pwd)
	while IFS=$'\t' read -r _ name command output status; do
		one_case "$folder" "$name" "$command" "$output" "$status" </dev/null
	done < <(tail -n +2 "$folder/tools/index.tsv")
done
echo "# equal: $((count - failed)) of $count"
echo "1..$count"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
