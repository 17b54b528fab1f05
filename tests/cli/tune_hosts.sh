#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=120
# weft tune --place on two hosts, which are network namespaces with a cable between them: the second program runs on the other one, whose
# clock is also made wrong. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
# shellcheck source=tests/tools/two_hosts.sh
. "$source/tests/tools/two_hosts.sh"
shown=("$work/report" "$work/output")
trap 'end_hosts; rm -rf "$work"' EXIT

command -v gcc >/dev/null || skip 'needs gcc'
begin_hosts 1
gcc -O2 -g -o "$work/tune_steps" "$source/tests/tools/tune_steps.c" || exit 1

echo 1..8
# The command is not begun before the other host's controller; and between the programs there is no pause.
# The words before ours are what --place runs: with a tail that makes the clock of that host wrong, by options for tests.
cat >"$work/there" <<END
#!/bin/sh
exec ip netns exec $b "\$@" \$SKEW
END
chmod +x "$work/there"
for skew in '' '--skew 2s --skew-ppm 80'; do
	SKEW=$skew ip netns exec $a "$build/weft" tune -q --listen 10.177.1.1 --place "b=$work/there" -t "$source/tests/golden/tunlets/steps.tsl" \
		--report "$work/report" -- sh -c "ip netns exec $b '$work/tune_steps' 20 5000; '$work/tune_steps' 20 5000" >"$work/output" 2>&1
	is "both programs are tuned, with clock ${skew:-right}" "$(grep -c '^chunk 7,' "$work/output")" 2
	is 'both actions are reported' "$(grep -c 'SetVariableValue chunk = 7, was 1' "$work/report")" 2
	is 'the second counts its iterations anew, without a pause' "$(grep -cE 'begun anew|[1-9][0-9]* late events' "$work/report")" 0
	# A step takes 5 ms by the clock of its own host, wherever that is, or longer where the machine is busy.
	short=$(grep -cE ' [0-9]+: T=(-|[0-3](\.| )|4\.[0-4])' "$work/report")
	good=$(grep -cE ' [0-9]+: T=[56]\.' "$work/report")
	is "no iteration is too short, and some ($good) are undisturbed" "$short $([ "$good" -ge 2 ] && echo some)" '0 some'
done
