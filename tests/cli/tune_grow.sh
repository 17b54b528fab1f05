#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=300
# weft tune --collectors auto with a program whose rate of events rises and falls: collectors are added and taken away while it runs, and what is
# evaluated is, to the last digit, what it is without any. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gold=$source/tests/golden/tunlets
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
# shellcheck source=tests/tools/tune_waves.sh
. "$source/tests/tools/tune_waves.sh"
shown=("$work/talk")

command -v gcc >/dev/null || skip 'needs gcc'
needs_collectors
gcc -O2 -g -o "$work/waves_master" "$source/tests/tools/tune_waves.c" && cp "$work/waves_master" "$work/waves_worker" || exit 1
make_collectors 4

echo 1..16
"$build/weft" tune --limit 60s --collectors auto -t "$gold/waves.tsl" -t "$work/collectors.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 "$work/rose" "$work/fell" >"$work/said" 2>"$work/talk" &
run=$!
when_said 'analyzer .*collectors = (2|3|4), was 1' rose
when_said 'analyzer .*collectors = 1, was' fell
wait $run
read -r high low <"$work/said"
is 'the program ends well' $? 0
is 'collectors were added' "$(grep -cE 'SetVariableValue collectors = [234], was 1;' "$work/tuned" | sed 's/[1-9].*/some/')" some
is 'and taken away' "$(grep -cE 'SetVariableValue collectors = 1, was [234];' "$work/tuned" | sed 's/[1-9].*/some/')" some
is 'no iteration is lost' "$(whole "$work/tuned")" \
	"$(all_of $((high + low)))"
"$build/weft" tune --limit 60s -q --collectors 0 -t "$gold/waves.tsl" --report "$work/alone" -- "$work/waves_master" 4 "$high" "$low" >"$work/said" 2>>"$work/talk"
is 'the same program runs without collectors' "$(cat "$work/said")" "$high $low"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is "all $((high + low)) iterations are the same" "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" "$((high + low)) same"

# To and fro, at each interval, whatever the load.
sed 's/= collectors_for()/= iter.now % 4 + 1/' "$work/collectors.tsl" >"$work/other.tsl"
"$build/weft" tune --limit 60s --collectors auto -t "$gold/waves.tsl" -t "$work/other.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 400 1 >"$work/said" 2>"$work/talk"
changes=$(grep -c ': SetVariableValue collectors = .*, was' "$work/tuned")
is "the number changes many times ($changes)" "$([ "$changes" -ge 6 ] && echo yes)" yes
is 'and no iteration is lost' "$(whole "$work/tuned")" \
	"$(all_of 401)"
"$build/weft" tune --limit 60s -q --collectors 0 -t "$gold/waves.tsl" --report "$work/alone" -- "$work/waves_master" 4 400 1 >"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is 'or another' "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" '401 same'

# All of it is in a trace, whoever has folded it: an event of each piece, and what the analyzer replays from there is what it was.
"$build/weft" tune --limit 60s --collectors auto -o "$work/trace" -t "$gold/waves.tsl" -t "$work/other.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 200 1 >"$work/said" 2>"$work/talk"
is 'with a trace, too' "$([ "$(grep -c ': SetVariableValue collectors = .*, was' "$work/tuned")" -ge 3 ] && echo yes) $(
	whole "$work/tuned")" "yes $(all_of 201)"
is 'the trace has every event' "$("$build/weft" dump "$work/trace" 2>>"$work/talk" | grep -cE 'waves\.Piece( |$)')" $((4 * (200 * 60 + 1)))
"$build/weft" tune --limit 60s -q --collectors 0 -t "$gold/waves.tsl" --report "$work/alone" -- "$work/waves_master" 4 200 1 >"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is 'and its iterations are the same' "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" '201 same'
"$build/weft" tune --limit 60s -q --replay "$work/trace" -t "$gold/waves.tsl" --report "$work/replayed" 2>>"$work/talk"
iterations "$work/replayed" >"$work/c"
is 'as are those of a replay' "$(cmp "$work/c" "$work/b" && echo same)" same

# The conflict that the thesis names: collectors are not added just when workers are removed. These rest from iteration 50 on; until then there
# are many events, but who removes them has not seen what that brings.
{
	sed '/^ENDTUNLET/d; s/^name: waves/&\nhold: 100/; s/^EVENTS/variable\n  id: active\n  source: asVarValue\n  type: int\n  actorId: master\nendvariable\n&/' "$gold/waves.tsl"
	printf '%s\n' point '  id: active' '  kind: SetVariableValue' '  value: /# 0 #/' '  cond: /# iter.number == 1 #/' \
		'  resource: processes' '  sense: more' endpoint ENDTUNLET
} >"$work/waves.tsl"
"$build/weft" tune --limit 60s --collectors auto -t "$work/waves.tsl" -t "$work/collectors.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 160 1 >"$work/said" 2>"$work/talk"
is 'none is added while workers are being removed' \
	"$(grep -c "collectors = . is not done: another way with the same resource: 'waves' has just set 'variable active' to 0" "$work/talk" |
		sed 's/[1-9].*/said/') $(grep -c ': SetVariableValue collectors =' "$work/tuned")" 'said 0'
is 'workers are' "$(grep -c ': SetVariableValue active = 0, was 64' "$work/tuned")" 1
is 'and no iteration is lost' "$(whole "$work/tuned")" \
	"$(all_of 161)"
