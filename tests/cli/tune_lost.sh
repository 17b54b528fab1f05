#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=120
# Iterations of which events were lost are not decided upon, with and without collectors, unless the specification takes estimates. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/report" "$work/talk")
trap 'rm -rf "$work"' EXIT

command -v gcc >/dev/null || skip 'needs gcc'
gcc -O2 -g -o "$work/tune_bursts" "$source/tests/tools/tune_bursts.c" || exit 1
exact=$source/tests/golden/tunlets/bursts.tsl
sed 's/^unit: ms/&\nlost: estimate/' "$exact" >"$work/estimate.tsl"
sed 's/^unit: ms/&\nlost: ignore/' "$exact" >"$work/wrong.tsl"

# run ENDS SPEC OPTION...: 10 iterations that lose events, as they have more calls than a ring holds, and others until one of them is evaluated
calls=20000
export WEFT_AGENT_RING_KB=128 # one level of 2,048 events
run()
{
	ends=$1 && shift
	# shellcheck disable=SC2086
	"$build/weft" tune -q -t "$@" --report "$work/report" -- "$work/tune_bursts" 10 "$calls" $ends >"$work/talk" 2>&1
	whole=$(grep -c ': missing=0 ' "$work/report")
	lacking=$(grep -c ': missing=[1-9]' "$work/report")
	line=$(sed -n 's/^  \([0-9]*\) iterations\{0,1\} \(not decided upon: events were lost\|evaluated although .*\)$/\1 \2/p' "$work/report")
}

echo 1..9
for collectors in 0 1; do
	run "" "$exact" --collectors $collectors
	is "nothing is decided on what lacks something, with $collectors collectors" "$lacking" 0
	is 'and the others are evaluated' "$([ "$whole" -ge 10 ] && echo "one after each")" 'one after each'
	is 'the report counts them' "$([ "${line%% *}" -ge 10 ] && echo "${line#* }")" 'not decided upon: events were lost'
done
run ends "$work/estimate.tsl"
is 'estimates, where they do' "$([ "$lacking" -ge 10 ] && echo some) ${line#* }" 'some evaluated although events were lost: estimates will do'
"$build/weft" tunlet check "$work/wrong.tsl" >"$work/talk" 2>&1
is 'other words are refused' $? 2
is 'in one line' "$(grep -c 'wrong.tsl:7:7: error: lost: .ignore. is nothing to do' "$work/talk")" 1
