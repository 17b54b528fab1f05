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
shown=("$work/doctor.txt" "$work/info.txt")
cd "$work" || exit 1
export PATH=$build:$PATH
list=/sys/devices/system/clocksource/clocksource0/available_clocksource

# with LIST COMMAND...: where the kernel's list is that one
with()
{
	printf '%s\n' "$1" >kernels_list
	shift
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount --bind kernels_list "$0" && exec "$@"' "$list" "$@"
}

[ -r "$list" ] || skip 'the kernel has no list of clock sources'
with tsc true 2>/dev/null || skip 'no right to mount'
for kernel in 'tsc kvm-clock' 'kvm-clock '; do
	with "$kernel" weft doctor --csv tsc >doctor.txt 2>&1
	with "$kernel" weft record -q --force -o t.weft -- "$build/examples/heat" -n 40 -s 4 >/dev/null 2>&1
	weft info t.weft >info.txt 2>&1
	said=$(sed -n 's/^clock,tsc,[^,]*,\([a-z]*\),.*/\1/p' doctor.txt)
	did=$(grep -q '^clock .*tsc' info.txt && echo yes || echo no)
	is "the list is '$kernel': said and done" "$said" "$did"
	is "the list is '$kernel': why" "$(grep -cE 'used, .*(trusts it|calls its clock stable|reference time)|CLOCK_MONOTONIC is used: ' doctor.txt)" 1
done
echo "1..$count"
