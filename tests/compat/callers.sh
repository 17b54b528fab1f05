#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Call stacks at calls: who called a function that a library wraps, innermost first, without the library's own frames. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
weft=$build/weft
export LD_LIBRARY_PATH=$build:$work
flags=(-O2 -Wall -Wextra -Werror "-I$source/include" "-L$build" "-L$work")
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

if ! gcc "${flags[@]}" -shared -fPIC -o libwrapping.so "$source/tests/compat/samples/wrapping.c" -lweft ||
	! gcc "${flags[@]}" -no-pie -o prog "$source/tests/compat/samples/callers.c" -lwrapping -lweft -lpthread; then
	echo "not ok 1 - the programs are built"
	exit 1
fi

# Functions of the program by their addresses: each line of addresses becomes one of names; what is not the program's is "-".
names()
{
	nm -S prog | awk '$3 == "T" || $3 == "t" {print $1, $2, $4}' | while read -r from bytes name; do
		echo $((16#$from)) $((16#$from + 16#$bytes)) "$name"
	done >functions
	while read -r -a stack; do
		for a in "${stack[@]}"; do
			awk -v a=$((a - 1)) 'a >= $1 && a < $2 {print $3; found = 1; exit} END {if (!found) print "-"}' functions
		done | paste -sd' '
	done
}
stacks() # of a trace: "thread: names"
{
	"$weft" dump -q -f kind=callstack "$1.weft" >dumped
	paste -d' ' <(awk '{print $2 == "1.1.1" ? "main:" : "thread:"}' dumped) <(sed 's/.*callstack *//' dumped | names)
}
expect() # NAME CALLERS LINES
{
	"$weft" record -q --off samples,threads,io ${2:+--callers} ${2:+"$2"} -o "$1.weft" -- ./prog || return 1
	stacks "$1" | sort >found
	printf '%s\n' "$3" | sort >wanted
	diff wanted found
}

check "three callers" expect three 3 'main: inner middle outer
main: inner middle main
main: direct
thread: inner middle outer'
check "one caller" expect one 1 'main: inner
main: inner
main: direct
thread: inner'
check "up to the thread's begin" expect all 200 'main: inner middle outer main - - _start
main: inner middle main - - _start
main: direct
thread: inner middle outer in_thread - -'
check "only of calls that last" expect long 3:1ms 'main: inner middle main
main: direct'
check "none where none are asked for" expect none '' 'main: direct'
check "as they are asked for, all are switched off" bash -c "
	'$weft' record -q --off samples --off callers --callers 3 -o off.weft -- ./prog && [ \$('$weft' dump -q -f kind=callstack off.weft | wc -l) -eq 0 ]"
echo "1..$count"
