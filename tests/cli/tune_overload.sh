#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=300
# weft tune on one host, where the analyzer has a hundredth of a processor and the program waits for nobody: until a collector has begun by itself,
# what nobody takes is kept, and not an iteration is lost; what is evaluated is, to the last digit, what it is without any of that. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
# shellcheck source=tests/tools/tune_waves.sh
. "$source/tests/tools/tune_waves.sh"
# shellcheck source=tests/tools/share_of_cpu.sh
. "$source/tests/tools/share_of_cpu.sh"
shown=("$work/talk")
trap 'end_share; rm -rf "$work"' EXIT

command -v gcc >/dev/null || skip 'needs gcc'
begin_share
gcc -O2 -g -o "$work/waves_master" "$source/tests/tools/tune_waves.c" && cp "$work/waves_master" "$work/waves_worker" || exit 1
waves=$source/tests/golden/tunlets/waves.tsl
said='the analyzer is busy: a collector shares its work from now on'

echo 1..4
"$build/weft" tune --limit 60s -t "$waves" --report "$work/tuned" -- "$work/waves_master" 4 400 1 60 >"$work/said" 2>"$work/talk" &
run=$!
when_said 'waves, iteration 20:' began
analyzer=$(pgrep -P $run -x weft-analyzer)
share_little "$analyzer"
when_said "$said" begun
share_freely
wait $run
is 'the program ends well' $? 0
is 'a collector begins' "$(grep -c "$said" "$work/talk")" 1
is 'no iteration is lost' "$(whole "$work/tuned")" "$(all_of 401)"
"$build/weft" tune --limit 60s -q --collectors 0 -t "$waves" --report "$work/alone" -- "$work/waves_master" 4 400 1 60 >"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is 'all iterations are the same' "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" '401 same'
