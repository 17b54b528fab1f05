#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The public headers of StarPU's interface compile alone and together, in C99 to C17, strict or with _GNU_SOURCE, and in C++98 to C++20,
# with gcc and clang, without a warning. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
number=0 failed=0

# NAME COMMAND… with the program on stdin
says_nothing()
{
	local name=$1 output
	shift
	number=$((number + 1))
	if output=$("$@" -I"$source/include" -Wall -Wextra -Werror -c -o /dev/null - 2>&1) && [ -z "$output" ]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		printf '%s\n' "$output" | sed 's/^/# /' | head -20
		failed=1
	fi
}

everything='#include <starpu.h>
#include <starpu_scheduler.h>
#include <starpu_scheduler_toolbox.h>
#include <starpu_sched_component.h>
#include <starpu_heteroprio.h>
#include <starpu_openmp.h>
static struct starpu_task task = STARPU_TASK_INITIALIZER;
int main(void) { return task.magic == STARPU_VARIABLE_NBUFFERS; }'
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for standard in c99 c11 c17 gnu99 gnu17; do
		says_nothing "$compiler $standard" $compiler -x c -std=$standard -pedantic <<<"$everything"
		says_nothing "$compiler $standard with _GNU_SOURCE" $compiler -x c -std=$standard -pedantic -D_GNU_SOURCE <<<"$everything"
	done
done
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	# Initialisers that name fields come with C++20; both compilers know them before, clang from C++11 on.
	quiet=(-Wno-missing-field-initializers)
	[ $compiler = g++ ] || quiet+=(-Wno-c99-designator -Wno-c++20-designator)
	for standard in c++98 c++03 c++11 c++14 c++17 c++20; do
		says_nothing "$compiler $standard" $compiler -x c++ -std=$standard "${quiet[@]}" <<<"$everything"
	done
done
for header in "$source"/include/starpu*.h; do
	name=$(basename "$header")
	says_nothing "$name alone" gcc -x c -std=c11 <<<"#include <$name>"
	says_nothing "$name alone in C++" g++ -x c++ <<<"#include <$name>"
done
echo "1..$number"
exit $failed
