#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=240
# Samples of programs as they are: shares of functions, shapes of stacks, periods, and that programs behave as without us. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
weft=$build/weft
unset WEFT_SAMPLE
count=0

check() # NAME COMMAND...: passes when the command does; what it prints is shown when not
{
	count=$((count + 1))
	local name=$1
	shift
	if ("$@") >output 2>&1 </dev/null; then
		echo "ok $count - $name"
	else
		sed 's/^/# /' output
		echo "not ok $count - $name"
	fi
}

if ! gcc -O2 -no-pie -Wall -Wextra -Werror -o prog "$source/tests/compat/samples/samples.c" -lpthread 2>log; then
	sed 's/^/# /' log
	echo "not ok 1 - the program is built"
	exit 1
fi

# The address range of a function, as "from to" in decimal.
range()
{
	nm -S prog | awk -v f="$1" '$4 == f {print $1, $2}' | { read -r from bytes; echo $((16#$from)) $((16#$from + 16#$bytes)); }
}
record() # MODE: into MODE.weft
{
	"$weft" record -q -o "$1.weft" -- ./prog "$@"
}
samples() # of a trace, one a line: addresses, innermost first
{
	"$weft" dump -q -f kind=sample "$1.weft" | sed 's/.*sample *//'
}
in_range() # FROM TO: how many of the addresses on stdin (one a line) lie there
{
	while read -r a; do echo $((a)); done | awk -v from="$1" -v to="$2" '$1 >= from && $1 < to {n++} END {print n + 0}'
}
streams() # of a trace: how many, with that of weft record
{
	find "$1.weft" -name '*.stream' | wc -l
}
# Of all periods that samples of the trace stand for: their own, and those that they missed.
periods()
{
	for s in "$1".weft/*.stream; do "$build/examples/read_stream" "$s"; done |
		awk '$5 == "kind" && $6 == 17 {n += 1 + int($8 / 16)} END {print n + 0}'
}

shares()
{
	record shares || return 1
	samples shares | cut -d' ' -f1 >tops
	local all heavy light
	# shellcheck disable=SC2046 # two words
	all=$(wc -l <tops) heavy=$(in_range $(range heavy) <tops) light=$(in_range $(range turns) <tops)
	echo "$all samples: heavy $heavy, turns $light"
	# Three of four; five standard deviations of a binomial distribution.
	awk -v n=$((heavy + light)) -v k="$heavy" -v all="$all" 'BEGIN {
		if (n < 100 || n < 0.98 * all) exit 1
		d = 5 * sqrt(n * 0.75 * 0.25); exit !(k > 0.75 * n - d && k < 0.75 * n + d)}'
}
# CPU time that the kernel says, in periods of 10 ms, is what samples stand for, but for the first, before they begin.
cpu_periods()
{
	local want found
	want=$("$weft" info --list processes --json shares.weft | jq '[.[] | .cpu_ns // 0] | max / 1e7 | floor')
	found=$(periods shares)
	echo "$found periods, CPU time of $want"
	[ "$found" -ge 250 ] && { [ "$want" -eq 0 ] || [ "$found" -le $((want + 2)) ]; }
}
shape()
{
	record shape || return 1
	samples shape >stacks
	local n=0 from to
	read -r from to < <(range nested)
	while read -r stack; do
		found=$(tr ' ' '\n' <<<"$stack" | in_range "$from" "$to")
		[ "$found" -eq 37 ] || { echo "$found calls of nested: $stack"; return 1; }
		n=$((n + 1))
	done <stacks
	echo "$n samples"
	[ "$n" -ge 40 ]
}
deep()
{
	record deep >said || return 1
	[ "$(cat said)" = 1000000 ] || return 1
	samples deep | awk 'NF != 250 {print NF, "addresses"; exit 1} END {exit NR < 20}' || return 1
	# All of them say that they are cut off.
	"$build/examples/read_stream" deep.weft/*-0.stream | awk '$6 == 17 && $8 % 2 != 1 {exit 1}'
}
threads()
{
	record threads || return 1
	"$weft" dump -q -f kind=sample threads.weft | awk '{n[$2]++} END {for (t in n) {print t, n[t]; if (n[t] >= 20) k++} exit k != 3 && k != 4}'
}
same() # MODE: as without us, output and status
{
	./prog "$1" >plain
	local status=$?
	"$weft" record -q -o "same-$1.weft" -- ./prog "$1" >said
	[ $? -eq $status ] && diff plain said
}
# What lives a millisecond leaves no stream.
short_lived()
{
	"$weft" record -q -o true.weft -- true && [ "$(streams true)" -eq 1 ]
}
children()
{
	record forks >said && grep -q 'children 6' said && [ "$(streams forks)" -eq 5 ] &&
		"$weft" dump -q -f kind=sample forks.weft | awk '{n[$2]++} END {for (t in n) if (n[t] >= 8) k++; exit k < 4}'
}
rate()
{
	"$weft" record -q --sample 50 -o rate.weft -- ./prog shape || return 1
	"$weft" dump -q rate.weft | grep -q 'sample period = 20000000 ns' || return 1
	local n
	n=$(periods rate)
	echo "$n periods"
	[ "$n" -ge 40 ] && [ "$n" -le 60 ]
}
none()
{
	"$weft" record -q --off samples -o none.weft -- ./prog shape && [ "$(streams none)" -eq 1 ]
}
wrong()
{
	for o in --sample=0 --sample=x --sample=10:cpu --sample=99999 --callers=0 --callers=3:x --counters=no,such --counters= --sample-period=2s --ranks=3-1 --while=; do
		"$weft" record -q "$o" -o wrong.weft -- true 2>said
		if [ $? -ne 2 ] || [ "$(grep -c error: said)" -ne 1 ]; then
			echo "$o"
			cat said
			return 1
		fi
	done
}
cpp()
{
	gcc -c -O2 -x c -D_GNU_SOURCE -I"$source/src" "$source"/src/unwind/unwind_{cache,find,rule,table,walk}.c || return 1
	local compiler options tried=0
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		for options in -O0 -O2 '-O1 -fno-omit-frame-pointer'; do
			# shellcheck disable=SC2086 # several options
			$compiler $options -std=c++17 -I"$source/src" -I"$source/tests" -o steps "$source/tests/compat/samples/steps.cpp" unwind_*.o || return 1
			./steps || { echo "$compiler $options"; return 1; }
			tried=$((tried + 1))
		done
	done
	[ "$tried" -gt 0 ]
}

check "functions have their shares of samples" shares
check "samples stand for the CPU time" cpu_periods
check "stacks have the frames that there are" shape
check "a million frames: cut off, and said" deep
check "each thread has samples" threads
check "children of fork have samples, and streams of their own" children
check "a millisecond leaves no stream" short_lived
check "--sample sets the rate, which is in the trace" rate
check "--off samples" none
# As many faults and switches as the program makes, and the CPU time: sums of what was between the readings.
counters()
{
	"$weft" record -q --counters page-faults,voluntary-switches,task-clock,cpu-migrations,rss -o counters.weft -- ./prog counted || return 1
	"$weft" dump -q -f kind=counter counters.weft | sed 's/.*counter *//; s/ = / /' >readings
	awk '{sum[$1] += $2; n[$1]++} $1 == "rss" && $2 > most {most = $2} END {
		for (c in n) print c, n[c], sum[c]
		print "rss", most
		exit !(sum["page-faults"] >= 20000 && sum["page-faults"] < 23000 && sum["voluntary-switches"] >= 300 && sum["voluntary-switches"] < 900 &&
		       sum["task-clock"] > 0.9e9 && sum["task-clock"] < 2.5e9 && n["cpu-migrations"] == n["rss"] && most > 80e6)}' readings
}
counters_alone()
{
	"$weft" record -q --off samples --counters PAPI_TOT_INS,task-clock -o alone.weft -- ./prog shape || return 1
	"$weft" dump -q -f kind=counter alone.weft | grep -q task-clock && ! "$weft" dump -q -f kind=sample alone.weft | grep -q .
}
counter_list()
{
	"$weft" record --counters list >known && grep -q '^page-faults ' known && grep -q '^instructions  *PAPI_TOT_INS' known
}

check "counters with samples" counters
check "counters without samples" counters_alone
check "which counters there are" counter_list
check "wrong values of options" wrong
check "at each instruction of C++ the stack is that of backtrace()" cpp
for mode in many waits handlers blocks execs jumps library; do
	check "as without us: $mode" same $mode
done
echo "1..$count"
