#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: full timeout=600
# Runs the commands of README.md, docs/first-steps.md, docs/tunlets.md, examples/starpu/README.md and docs/tasks.md as they are printed, and the build line and the
# run of each program in examples/ as its comment says them. What they print is not compared (times differ): each must succeed. TAP.
set -u
source=${WEFT_SOURCE:?} build=${WEFT_BUILD:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$build:$PATH PKG_CONFIG_PATH=$build/meson-uninstalled LD_LIBRARY_PATH=$build OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
count=0

# Numbers a test and says how it went; the command's output is shown when it failed.
try()
{
	count=$((count + 1))
	for needed in mpicc mpirun c++; do
		case " $1 " in
		*" $needed "*)
			command -v "$needed" >/dev/null || { echo "ok $count - $1 # SKIP no $needed"; return; }
			;;
		esac
	done
	if (eval "$1") >"$work/output" 2>&1 </dev/null; then
		echo "ok $count - ${1//#/}"
	else
		sed 's/^/# /' "$work/output"
		echo "not ok $count - ${1//#/}"
	fi
}

mkdir "$work/steps" "$work/examples" "$work/tasks"
cp "$source"/examples/*.{c,cpp,tsl,view} "$work/steps"
cp "$source"/examples/starpu/changing_*.c "$work/steps"
cp "$source"/examples/*.{c,cpp,tsl,view} "$work/examples"

# shellcheck disable=SC2016
commands='/^```console$/,/^```$/s/^\$ //p'
cd "$work/steps" || exit 1
while IFS= read -r line; do
	try "$line"
done < <(sed -n "$commands" "$source/docs/first-steps.md")

# The events that the page shows are what it feeds to the tunlet.
sed -n 's/^    \([0-9]* \(Begins\|Ends\) .*\)/\1/p' "$source/docs/tunlets.md" >relax.events
while IFS= read -r line; do
	try "$line"
done < <(sed -n "$commands" "$source/docs/tunlets.md")
try 'grep -q "SetVariableValue block = 1024, was 512" report.txt # all widths were tried'

# The README from `cd examples` on, in a copy of that folder: what is before it installs what stands here in build/.
cp -r "$source/examples" "$work/readme"
cd "$work" || exit 1
try "sed -n '/make install/,/cd examples/p' '$source/README.md' | grep -q PKG_CONFIG_PATH= # is said before the first program"
cd "$work/readme" || exit 1
while IFS= read -r line; do
	case $line in
	make*|export*|'cd examples') ;;
	cd\ *) cd "${line#cd }" || exit 1 ;;
	*) try "$line" ;;
	esac
done < <(sed -n 's/^    \$ //p' "$source/README.md")

# Programs of tasks.
cp "$source"/examples/starpu/*.[ch] "$work/tasks"
cd "$work/tasks" || exit 1
while IFS= read -r line; do
	try "$line"
done < <(sed -n 's/^    \(\(cc\|weft\) .*\)/\1/p' "$source/examples/starpu/README.md" "$source/docs/tasks.md" |
	grep -v prof_file # that lies in /tmp, which is everybody's: compat/fxt_trace
)

# Lines like ` *     cc x.c ... -o x`, ` *     weft record -- ./x ...`; what is behind && or two blanks is for the reader.
cd "$work/examples" || exit 1
while IFS= read -r line; do
	try "$line"
done < <(sed -n 's/^ \*     \(\(cc\|c++\|mpicc\|weft record\) [^&]*\).*$/\1/p; s,^/\* The least there is\. \(.*\) \*/$,\1,p' ./*.c ./*.cpp |
	sed 's/    *\(then\|weft\).*//; /--host\|\.\/server/d')
try "test $count -ge 40 # commands were found"
echo "1..$count"
