#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=180
# weft tune with PVM: tasks are made by its daemon, which began before. The daemon refuses to be root's: then all of it is run as nobody. TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
daemon=/usr/lib/pvm3/lib/pvmd
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=(report.txt said)

if [ "${1:-}" != --inside ]; then
	command -v gcc setpriv >/dev/null || skip 'needs gcc and setpriv'
	if [ ! -x $daemon ] || [ ! -e /usr/include/pvm3.h ]; then
		skip 'PVM is not installed (Debian: pvm, pvm-dev)'
	fi
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	gcc -O2 -g -o "$work/tune_pvm" "$source/tests/tools/tune_pvm.c" -lpvm3 || exit 1
	sed 's/iter.number + 5/7/; s/iter.number == 2/iter.number >= 2/' "$source/tests/golden/tunlets/steps.tsl" >"$work/steps.tsl"
	cp "$0" "$work/inside"
	as=()
	if [ "$(id -u)" = 0 ]; then
		chown -R 65534:65534 "$work"
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	fi
	"${as[@]}" test -x "$build/weft" || skip "an unprivileged user cannot reach $build"
	cd "$work" && "${as[@]}" env HOME="$work" TMPDIR="$work" bash ./inside --inside
	exit
fi

# A machine of its own, apart from one that the user may have.
export PVM_ROOT=/usr/lib/pvm3 PVM_TMP=$PWD
$daemon -n127.0.0.1 </dev/null >pvmd.out 2>&1 &
pvmd=$!
trap 'kill $pvmd 2>/dev/null; wait $pvmd' EXIT
until [ -s pvmd.out ]; do
	kill -0 $pvmd 2>/dev/null || skip 'the daemon of PVM does not begin'
	sleep 0.05
done

echo 1..6
is 'both workers are tuned' "$("$build/weft" tune -t steps.tsl --exe p=any --enters p=step_begin --report report.txt -- ./tune_pvm "$PWD/tune_pvm" 10000 2>said)" '2 workers, chunks 14'
is "they are called what PVM calls them, in the report, too" "$(sed -nE 's/^ +p ([0-9]+) .*/\1/p' report.txt | sort -n | tr '\n' ' ')" \
	"$(sed -n 's/^task //p' said | sort -n | tr '\n' ' ')"
with_collector=$("$build/weft" tune --collectors 1 -t steps.tsl --exe p=any --enters p=step_begin --report report.txt -- ./tune_pvm "$PWD/tune_pvm" 10000 2>said)
grep -q sodium said && with_collector='2 workers, chunks 14' # this build is without
is 'with a collector, too' "$with_collector" '2 workers, chunks 14'
is 'both are said to have begun' "$(grep -cE 'p [0-9]+ begins: tune_pvm' said)" 2
is 'nothing is measured in the master' "$(grep -cE '^ +process [0-9]+ .*tune_pvm on .*: 0 events' report.txt)" 1
"$build/weft" record -q -o probes.weft --probe 'step_begin(i)' -- ./tune_pvm "$PWD/tune_pvm" 20 >said 2>&1
is 'weft record --probe sees both' "$("$build/weft" dump probes.weft | grep -c 'step_begin.i = ')" 40
