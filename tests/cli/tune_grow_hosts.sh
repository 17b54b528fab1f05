#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=300
# weft tune --place on two hosts, which are network namespaces with a cable between them: how many collectors there are follows the load on both,
# without anybody having asked for it, and what is evaluated is, to the last digit, what it is without any. TAP.
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
begin_hosts 2

# Workers with an odd number are on the other host.
mkdir "$work/real"
gcc -O2 -g -o "$work/waves_master" "$source/tests/tools/tune_waves.c" && cp "$work/waves_master" "$work/real/waves_worker" || exit 1
cat >"$work/waves_worker" <<END
#!/bin/sh
case \$1 in *[13579]) exec ip netns exec $b "$work/real/waves_worker" "\$@" ;; esac
exec "$work/real/waves_worker" "\$@"
END
chmod +x "$work/waves_worker"
make_collectors 6
tune=("$build/weft" tune --limit 60s -t "$source/tests/golden/tunlets/waves.tsl")
there=(--listen 10.177.2.1 --place "b=ip netns exec $b")

echo 1..9
ip netns exec $a "${tune[@]}" "${there[@]}" -t "$work/collectors.tsl" --report "$work/tuned" -- "$work/waves_master" 4 "$work/rose" "$work/fell" \
	>"$work/said" 2>"$work/talk" &
run=$!
when_said 'analyzer .*collectors = [3456], was 2' rose
when_said 'analyzer .*collectors = 2, was' fell
wait $run
status=$?
is 'the program ends well' $status 0
read -r high low <"$work/said"
is 'collectors were added' "$(grep -cE 'SetVariableValue collectors = [3456], was 2;' "$work/tuned" | sed 's/[1-9].*/some/')" some
is 'on this host' "$(grep -cE 'collector 655[0-9]+ begins' "$work/talk" | sed 's/[1-9].*/some/')" some
is 'and on the other' "$(grep -cE 'collector 1310[0-9]+ begins' "$work/talk" | sed 's/[1-9].*/some/')" some
is 'and taken away, but for one on each' "$(grep -cE 'SetVariableValue collectors = 2, was [3456];' "$work/tuned" | sed 's/[1-9].*/some/')-$(
	grep -cE 'SetVariableValue collectors = 1,' "$work/tuned")" some-0
is 'no iteration is lost' "$(whole "$work/tuned")" \
	"$(all_of $((high + low)))"
cp "$work/real/waves_worker" "$work/waves_worker.real" && mv "$work/waves_worker.real" "$work/waves_worker"
"${tune[@]}" -q --collectors 0 --report "$work/alone" -- "$work/waves_master" 4 "$high" "$low" >"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is "all $((high + low)) iterations are what they are on one host without collectors" "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" \
	"$((high + low)) same"

# Nothing to do: each host keeps its own, and nobody tries to take it away.
ip netns exec $a "$build/weft" tune --limit 60s "${there[@]}" -t "$source/tests/golden/tunlets/waves.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 1 30 >"$work/said" 2>"$work/talk"
is 'the tunlet that ships leaves a quiet run alone' "$(grep -c 'collectors =' "$work/talk")" 0
is 'and all is evaluated' "$(whole "$work/tuned")" "$(all_of 31)"
