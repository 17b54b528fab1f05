#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug
# The clock: weft doctor says what the recorder does, where the kernel lists the time stamp counter and where it does not (in a
# mount namespace of its own, which needs the right to mount). TAP.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/doctor" "$work/info")
cd "$work" || exit 1
export PATH=$build:$PATH
list=/sys/devices/system/clocksource/clocksource0/available_clocksource

# with LIST COMMAND...: where the kernel's list is that one
with()
{
	printf '%s\n' "$1" >listed
	shift
	unshare --mount sh -c 'mount --bind listed "$0" && exec "$@"' "$list" "$@"
}

[ -r "$list" ] && with tsc true 2>/dev/null || skip 'no right to mount, or no list of clock sources'
for listed in 'tsc kvm-clock' 'kvm-clock '; do
	with "$listed" weft doctor --csv tsc >doctor 2>&1
	with "$listed" weft record -q --force -o t.weft -- "$build/examples/heat" -n 40 -s 4 >/dev/null 2>&1
	weft info t.weft >info 2>&1
	said=$(sed -n 's/^clock,tsc,[^,]*,\([a-z]*\),.*/\1/p' doctor)
	did=$(grep -q '^clock .*tsc' info && echo yes || echo no)
	is "the list is '$listed': said and done" "$said" "$did"
	is "the list is '$listed': why" "$(grep -cE 'used, .*(trusts it|calls its clock stable|reference time)|CLOCK_MONOTONIC is used: ' doctor)" 1
done
echo "1..$count"
