#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=300
# weft tune --place on five hosts, which are network namespaces; the first one's collector has a hundredth of a processor, and iterations come as
# fast as they can. The tunlet that ships brings a level of collectors by itself, and takes it away when iterations have become few;
# what is evaluated is, to the last digit, what it is without any collector. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
# shellcheck source=tests/tools/tune_waves.sh
. "$source/tests/tools/tune_waves.sh"
# shellcheck source=tests/tools/two_hosts.sh
. "$source/tests/tools/two_hosts.sh"
# shellcheck source=tests/tools/share_of_cpu.sh
. "$source/tests/tools/share_of_cpu.sh"
shown=("$work/talk")
trap 'end_hosts; end_share; rm -rf "$work"' EXIT

needs_collectors
begin_share
begin_hosts 4
for n in 5 6 7; do more_host $n; done
make_waves_elsewhere
there=(--listen 10.177.4.1)
for n in 0 1 2 3; do there+=(--place "host$n=ip netns exec ${others[n]}"); done

echo 1..6
WAVES=0,500000,24 ip netns exec $a "$build/weft" tune --limit 60s "${there[@]}" -t "$source/tests/golden/tunlets/waves.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 "$work/rose" "$work/fell" >"$work/said" 2>"$work/talk" &
run=$!
# What is done once, translating tunlets above all, it may do quickly.
when_said 'waves, iteration 20:' began
first=$(pgrep -P $run -x weft-collector | head -n 1)
share_little "$first"
when_said 'analyzer .*between = 2, was 0' rose
when_said 'analyzer .*between = 0, was 2' fell
wait $run
is 'the program ends well' $? 0
read -r high low <"$work/said"
is 'a level comes by itself' "$(grep -cE 'SetVariableValue between = 2, was 0;' "$work/tuned" | sed 's/[1-9].*/some/')" some
is 'and goes when there is less to do' "$(grep -cE 'SetVariableValue between = 0, was 2;' "$work/tuned" | sed 's/[1-9].*/some/')" some
is 'no iteration is lost' "$(whole "$work/tuned")" "$(all_of $((high + low)))"
make_waves_here
WAVES=0,0,24 "$build/weft" tune --limit 60s -q --collectors 0 -t "$source/tests/golden/tunlets/waves.tsl" --report "$work/alone" -- \
	"$work/waves_master" 4 "$high" "$low" >"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is "all $((high + low)) iterations are what they are on one host without collectors" "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" \
	"$((high + low)) same"
is 'nothing is left running' "$(for n in $a "${others[@]}"; do ip netns pids "$n"; done | wc -l)" 0
