#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=300
# weft tune --place on five hosts, which are network namespaces: a level of collectors between the first one and those of the others comes and
# goes while the program runs, and what is evaluated is, to the last digit, what it is without any collector. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
# shellcheck source=tests/tools/tune_waves.sh
. "$source/tests/tools/tune_waves.sh"
# shellcheck source=tests/tools/two_hosts.sh
. "$source/tests/tools/two_hosts.sh"
shown=("$work/talk")
trap 'end_hosts; rm -rf "$work"' EXIT

needs_collectors
begin_hosts 3
for n in 4 5 6; do more_host $n; done

make_waves_elsewhere
there=(--listen 10.177.3.1)
for n in 0 1 2 3; do there+=(--place "host$n=ip netns exec ${others[n]}"); done

# The shipped tunlet, by which the level is there in some intervals and not in others, whatever the load.
sed -E 's/return \(int\)fmax\(least, more\);/return iter.level ? 0 : 2;/; s/wanted != iter.now/wanted != iter.now \&\& 0/' \
	"$source/share/weft/tunlets/collectors.tsl" >"$work/collectors.tsl"

echo 1..6
ip netns exec $a "$build/weft" tune --limit 60s "${there[@]}" -t "$source/tests/golden/tunlets/waves.tsl" -t "$work/collectors.tsl" \
	--report "$work/tuned" -- "$work/waves_master" 4 400 1 >"$work/said" 2>"$work/talk"
is 'the program ends well' $? 0
changes=$(grep -cE 'SetVariableValue between = (2, was 0|0, was 2);' "$work/tuned")
is "the level comes and goes ($changes times)" "$([ "$changes" -ge 4 ] && echo yes)" yes
is 'no iteration is lost' "$(whole "$work/tuned")" "$(all_of 401)"
is 'and no connection' "$(grep -c 'connection to' "$work/talk")" 0
make_waves_here
"$build/weft" tune --limit 60s -q --collectors 0 -t "$source/tests/golden/tunlets/waves.tsl" --report "$work/alone" -- "$work/waves_master" 4 400 1 \
	>"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is 'all iterations are what they are on one host without collectors' "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" '401 same'
is 'nothing is left running' "$(for n in $a "${others[@]}"; do ip netns pids "$n"; done | wc -l)" 0
