#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=300
# weft tune --place on two hosts, which are network namespaces with a cable between them: how many collectors there are follows the load on both,
# without anybody having asked for it, and what is evaluated is, to the last digit, what it is without any. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
a=weftga$$ b=weftgb$$ gold=$source/tests/golden/tunlets
trap 'ip netns del $a 2>/dev/null; ip netns del $b 2>/dev/null; rm -rf "$work"' EXIT
count=0

is()
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		echo "# expected '$3', got '$2'"
		tail -40 "$work/talk" | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}

# Waits until a line of the display says so, then lets the program go on.
when_said()
{
	for _ in $(seq 600); do
		grep -qE "$1" "$work/talk" && break
		kill -0 "$run" 2>/dev/null || break
		sleep 0.2
	done
	: >"$work/$2"
}

iterations()
{
	sed -n "/^Tunlet 'waves'/,/^\$/p" "$1" | sed -nE 's/^ *[0-9.]+ s +([0-9]+: .*)$/\1/p' | sort -n
}

whole()
{
	grep -oE "^Tunlet 'waves': .*" "$1"
}

if ! "$build/weft" tune --collectors 1 -q -t "$gold/waves.tsl" -- true 2>"$work/talk" && grep -q sodium "$work/talk"; then
	echo '1..0 # SKIP this build is without libsodium'
	exit 0
fi
if ! command -v ip >/dev/null || ! ip netns add $a 2>/dev/null || ! ip netns add $b || ! ip netns exec $a true 2>/dev/null ||
	! ip link add vga$$ netns $a type veth peer name vgb$$ netns $b; then
	echo '1..0 # SKIP no right to make network namespaces'
	exit 0
fi
ip -n $a addr add 10.177.2.1/24 dev vga$$
ip -n $b addr add 10.177.2.2/24 dev vgb$$
for n in $a $b; do ip -n "$n" link set lo up; done
ip -n $a link set vga$$ up
ip -n $b link set vgb$$ up

# Workers with an odd number are on the other host.
mkdir "$work/real"
gcc -O2 -g -o "$work/waves_master" "$source/tests/tools/tune_waves.c" && cp "$work/waves_master" "$work/real/waves_worker" || exit 1
cat >"$work/waves_worker" <<END
#!/bin/sh
case \$1 in *[13579]) exec ip netns exec $b "$work/real/waves_worker" "\$@" ;; esac
exec "$work/real/waves_worker" "\$@"
END
chmod +x "$work/waves_worker"
# One takes 1000 events a second here, and there may be six, so that the test needs no machine that is busy.
sed -E 's/capacity = 0.5 \/ each;/capacity = 1000 + 0 * each;/; s/iter.most = .* #/iter.most = 6; #/' "$source/share/weft/tunlets/collectors.tsl" >"$work/collectors.tsl"
tune=("$build/weft" tune -t "$gold/waves.tsl")
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
	"Tunlet 'waves': $((high + low)) iterations evaluated, 0 not decided upon, 0 late events, 0 faults"
cp "$work/real/waves_worker" "$work/waves_worker.real" && mv "$work/waves_worker.real" "$work/waves_worker"
"${tune[@]}" -q --collectors 0 --report "$work/alone" -- "$work/waves_master" 4 "$high" "$low" >"$work/said" 2>>"$work/talk"
iterations "$work/tuned" >"$work/a"
iterations "$work/alone" >"$work/b"
is "all $((high + low)) iterations are what they are on one host without collectors" "$(wc -l <"$work/a") $(cmp "$work/a" "$work/b" && echo same)" \
	"$((high + low)) same"

# Nothing to do: each host keeps its own, and nobody tries to take it away.
ip netns exec $a "$build/weft" tune "${there[@]}" -t "$source/tests/golden/tunlets/waves.tsl" --report "$work/tuned" -- \
	"$work/waves_master" 4 1 30 >"$work/said" 2>"$work/talk"
is 'the tunlet that ships leaves a quiet run alone' "$(grep -c 'collectors =' "$work/talk")" 0
is 'and all is evaluated' "$(whole "$work/tuned")" "Tunlet 'waves': 31 iterations evaluated, 0 not decided upon, 0 late events, 0 faults"
