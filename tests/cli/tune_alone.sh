#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=200
# weft tune on one host, without a word about collectors: when the analyzer is busy, one begins while the program runs, and others follow as the
# load asks for it; what is evaluated is, to the last digit, what it is without any. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
# shellcheck source=tests/tools/tune_waves.sh
. "$source/tests/tools/tune_waves.sh"
shown=("$work/talk")

command -v gcc >/dev/null || skip 'needs gcc'
gcc -O2 -g -o "$work/waves_master" "$source/tests/tools/tune_waves.c" && cp "$work/waves_master" "$work/waves_worker" || exit 1
make_collectors 4
waves=$source/tests/golden/tunlets/waves.tsl
said='the analyzer is busy: a collector shares its work from now on'

# tune REPORT ARGUMENTS...: 400 iterations, all with many events.
tune()
{
	"$build/weft" tune --limit 60s -t "$waves" --report "$work/$1" "${@:2}" -- "$work/waves_master" 4 400 1 >"$work/said" 2>"$work/talk"
}

same()
{
	iterations "$work/$1" >"$work/a"
	iterations "$work/alone" >"$work/b"
	echo "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)"
}

echo 1..10
tune alone --collectors 0
tune tuned --busy 0.00001 -t "$work/collectors.tsl"
is 'the program ends well' $? 0
is 'a collector begins' "$(grep -c "$said" "$work/talk")" 1
is 'and others after it' "$(grep -cE 'SetVariableValue collectors = [234], was 1;' "$work/tuned" | sed 's/[1-9].*/some/')" some
is 'no iteration is lost' "$(whole "$work/tuned")" "$(all_of 401)"
is 'all iterations are the same' "$(same tuned)" '401 same'

tune tuned --busy 0.00001 -o "$work/trace"
is 'with a trace, too' "$(grep -c "$said" "$work/talk") $(whole "$work/tuned")" "1 $(all_of 401)"
is 'its iterations are the same' "$(same tuned)" '401 same'
is 'the trace has every event' "$("$build/weft" dump "$work/trace" 2>>"$work/talk" | grep -cE 'waves\.Piece( |$)')" $((4 * (400 * 60 + 1)))

tune tuned --busy 1
is 'an analyzer that is not busy stays alone' "$(grep -c "$said" "$work/talk") $(whole "$work/tuned")" "0 $(all_of 401)"
is 'and nobody hears of a tunlet for collectors' "$(grep -c "Tunlet 'collectors'" "$work/tuned")" 0
