#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug
# weft record where there is no space: in a tiny file system of its own, which needs the right to mount one. TAP.
set -u
build=${WEFT_BUILD:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tiny"
count=0

# Runs a script in the tiny file system; its output goes to $work/output.
tiny()
{
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount -t tmpfs -o size=600k tmpfs "$1/tiny" && cd "$1/tiny" && PATH=$2:$PATH eval "$3"' sh "$work" "$build" "$1" >"$work/output" 2>&1
}

expect()
{
	count=$((count + 1))
	if grep -qE -e "$1" "$work/output"; then
		echo "ok $count - $1"
	else
		sed 's/^/# /' "$work/output"
		echo "not ok $count - $1"
	fi
}

if ! tiny true; then
	echo '1..0 # SKIP no right to mount'
	exit 0
fi

# The program ends as it would; what could be recorded is there; what could not is said.
tiny "weft record -o t.weft -- $build/examples/heat -n 200 -s 200; echo status \$?; weft check -q t.weft; echo check \$?"
expect '^200 x 200 points, 200 steps, 4 processes of 2 threads: right$'
expect "^weft record: warning: .* left on the disk of 't.weft': events, and whole processes, may be missing$"
expect '^weft record: .* events of .*; next: weft stat t.weft$'
expect '^status 0$'
expect '^check 0$'

# A limit that the disk does not let it reach is not what ended it.
tiny "weft record --stop-at 500M -o l.weft -- $build/examples/heat -n 60 -s 20000; echo status \$?"
expect '^weft record: .* dropped \(no space left on device\)'
expect '^status 0$'

# The launcher's own stream.
# shellcheck disable=SC2016
tiny 'weft record -o p.weft -- sh -c "i=0; while [ \$i -lt 300 ]; do true & i=\$((i+1)); done; wait; exit 5"; echo status $?; weft check -q p.weft; echo check $?'
expect '^weft record: .*forks, execs or exits not recorded'
expect '^status 5$'
expect '^check 0$'

# A disk that the program fills: the holes of what was recorded cannot be read through a mapping then.
tiny "weft record -o h.weft -- sh -c '$build/examples/heat -n 20 -s 20; dd if=/dev/zero of=fill bs=1k 2>/dev/null; exit 3'; echo status \$?"
expect '^weft record: .* events of .*; next: weft stat h.weft$'
expect '^status 3$'

# Nothing at all.
# shellcheck disable=SC2016
tiny 'dd if=/dev/zero of=fill bs=1k 2>/dev/null; weft record -o u.weft -- true; echo status $?; ls'
expect "^weft record: error: cannot write .*/u.weft.*: no space left on device$"
expect '^status 2$'
expect '^fill$'
echo "1..$count"
