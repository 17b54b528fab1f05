#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=240
# A program of several units, C and C++, with kernels, templates and codelets of each: every standard from C++11, every compiler, no
# warning, the right result. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
units=$source/tests/compat/starpu_cpp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STARPU_SILENT=1 STARPU_NCPU=2 STARPU_NOPENCL=0
number=0 failed=0
include=(-I"$source/include" -Wall -Wextra -Wshadow -Wconversion -Werror)
library=("$build/libstarpu-1.4.so" "-Wl,-rpath,$build")

# C-COMPILER C++-COMPILER STANDARD
works()
{
	local output
	number=$((number + 1))
	output=$({ "$1" "${include[@]}" -std=c99 -D_GNU_SOURCE -c -o "$work/kernel.o" "$units/kernel.c" &&
		"$2" "${include[@]}" -Wno-missing-field-initializers -std="$3" -o "$work/program" "$units"/*.cpp "$work/kernel.o" \
			"${library[@]}" && "$work/program"; } 2>&1)
	if [ "$output" = '20 20 called 1 1 1' ]; then
		echo "ok $number - $2 $3"
	else
		echo "not ok $number - $2 $3"
		printf '%s\n' "$output" | sed 's/^/# /' | head -20
		failed=1
	fi
}

for compilers in 'gcc g++' 'clang clang++'; do
	read -r c cpp <<<"$compilers"
	if ! command -v "$c" >/dev/null || ! command -v "$cpp" >/dev/null; then
		continue
	fi
	for standard in c++11 c++14 c++17 c++20; do
		works "$c" "$cpp" $standard
	done
done
echo "1..$number"
exit $failed
