#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=120
# Faults in what a tunlet computes are said once each, with their place, and counted in the report, which says what they left as it was. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/talk")
trap 'rm -rf "$work"' EXIT

command -v gcc >/dev/null || skip 'needs gcc'
gcc -O2 -g -o "$work/tune_bursts" "$source/tests/tools/tune_bursts.c" || exit 1

# tunlet NAME VALUE FUNCTION: bursts.tsl, whose parameter is computed otherwise, and which sets a variable
tunlet()
{
	sed -e "s/^name: bursts/name: $1/" -e "s|missing = iter.said - iter.n;|missing = $2;|" -e "s|^TUNING POINTS|func def: /# $3 #/ endfunc\n&\npoint\n  id: iteration\n  kind: SetVariableValue\n  value: /# missing #/\nendpoint|" \
		"$source/tests/golden/tunlets/bursts.tsl" >"$work/$1.tsl"
	(cd "$work" && "$build/weft" tune -t "$1.tsl" -- ./tune_bursts 4 60 alone) >"$work/talk" 2>&1
}

echo 1..6
tunlet endless 'spin(iter.said)' 'int spin(int n) { while (n >= 0) { n = n % 1000 + 1; } return n; }'
is 'what never ends is said, once, with its place' "$(grep -c ' s  endless.*: no answer in time: an endless loop? (endless.tsl:112:13)' "$work/talk")" 1
is 'and counted' "$(grep -cE '^  [2-4] times: no answer in time: an endless loop\? \(endless.tsl:112:13\)$' "$work/talk")" 1
is 'what it left as it was is said' "$(grep -c "^  nothing was decided for 'iteration', which keeps the value that it began with$" "$work/talk")" 1
tunlet zero 'same(iter.said) / (iter.n - iter.n)' 'int same(int n) { return n; }'
is 'a division by zero is said once' "$(grep -c ' s  zero, iteration 1: division by zero (zero.tsl:112:13)' "$work/talk") $(grep -c ' s  .*division' "$work/talk")" '1 1'
is 'and that nothing is decided upon it' "$(grep -c '^weft tune: .*not decided upon: a fault in its evaluation' "$work/talk")" 1
is 'and counted' "$(grep -c '^  4 times: division by zero (zero.tsl:112:13)$' "$work/talk")" 1
