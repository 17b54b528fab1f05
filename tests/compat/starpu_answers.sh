#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Data of every interface, whole and in parts, answers as it does with Debian's StarPU 1.3, line by line. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
programs=${WEFT_BUILD:-$source/build}/tests/starpu
if [ ! -x "$programs/answers_theirs" ]; then
	echo '1..0 # SKIP there is no other StarPU to compare with'
	exit 0
fi
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export STARPU_HOME=$home STARPU_NCPU=2 STARPU_NCUDA=0 STARPU_NOPENCL=0 STARPU_WORKERS_NOBIND=1

failed=0
"$programs/answers_ours" >"$home/ours" 2>"$home/words" && "$programs/answers_theirs" >"$home/theirs" 2>>"$home/words"
ended=$?
if [ $ended = 0 ] && [ -s "$home/ours" ] && diff -u "$home/theirs" "$home/ours" >"$home/difference"; then
	echo "ok 1 - the same answers"
else
	echo "not ok 1 - the same answers: status $ended"
	cat "$home/words" "$home/difference" | sed 's/^/# /' | head -60
	failed=1
fi
echo '1..1'
exit $failed
