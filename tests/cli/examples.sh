#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every example of the help texts, of the man pages and of docs/filters.md, docs/models.md, docs/online-tools.md and docs/views.md as it is printed, in a folder that has the
# traces that they speak of. Those of `weft record`, and of what needs programs of the user, are in record_examples.t
# tune.t and top.t.
# tags: timeout=300
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
PATH=$build:$build/examples/starpu:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/start"
cd "$work/start" || exit 1

cp -r "$source/tests/golden/traces/tiles.weft" alone.weft # of a program of tasks
cp -r "$source/tests/golden/traces/heat.weft" heat.weft
weft cut -q heat.weft -t 0%..100% -o run.weft # three events of that were lost: what is left is sound
rm -r heat.weft
for name in cholesky rank0 rank1; do cp -r alone.weft $name.weft; done
cp -r run.weft again.weft
weft filter -q run.weft -o seen.weft -f 'region=solve'
weft convert -q run.weft -o run.prv
weft view convert -q useful -o useful.cfg
cp run.prv again.prv
cp run.pcf again.pcf
printf '0\n1000\n' >offsets.txt
weft tunlet new mine >mine.tsl
printf '%s\n' 'tmax 2' 's0 0' 'c0 2' 'x0_1 1' >solution.txt
printf '%s\n' 'min: tmax;' 'r0: c0 - s0 - 2 x0_0 = 0;' 'r1: x0_0 = 1;' 'r2: tmax - c0 >= 0;' 'int x0_0;' >tasks.lp
printf '%s\n' '0 IterationStarts 1 iteration=1' '5 IterationFinishes 1 iteration=1' >events.txt
ln -s "$(command -v weft)" fxt_print
cp "$source"/tests/golden/taskfiles/*.* . # what starpu_fxt_tool writes
cp native.trace paje.trace
mkdir -p sampling/codelets # models, as docs/models.md has them
cp -r "$source/tests/golden/models/codelets/45" "$source/tests/golden/models/codelets/tmp" sampling/codelets/
(cd sampling/codelets && cp 45/chol_model_potrf.suite 45/potrf.suite && cp 45/memset.suite 45/weft_fill.suite && cp tmp/gemm.out tmp/weft_product.out)
export STARPU_PERF_MODEL_DIR=sampling STARPU_HOSTNAME=suite
for name in display plot recdump; do ln -s "$(command -v weft)" "starpu_perfmodel_$name"; done
ln -s "$(command -v weft)" starpu_mlr_analysis
ln -s "$(command -v weft)" starpu_lp2paje
export STARPU_HOME=$work STARPU_NCPU=2 STARPU_NOPENCL=0
# What docs/simulate.md runs; where there is no BLAS, something that says as little.
cp -r "$source/tests/golden/models/bus" sampling/
for name in cholesky_implicit lu_implicit; do
	ln -s "${WEFT_BUILD:-$source/build}/examples/starpu/suite/$name" "$name"
	[ -x "$name" ] || ln -sf "${WEFT_BUILD:-$source/build}/examples/starpu/count_tasks" "$name"
done

# where | the command
examples()
{
	local verb page
	for verb in $(weft --list-options | cut -d' ' -f1 | sort -u); do
		[ "$verb" = - ] || weft "$verb" --help | sed -n "s/^    \\(\\(lp_solve .*|  *\\)*weft .*\\)/help of $verb|\\1/p"
	done
	for page in "$source"/docs/man/*.[1-9]; do
		sed -n "s/^\\.Dl \\(weft .*\\|fxt_print .*\\|source .*\\)/${page##*/}|\\1/p" "$page" | sed 's/\\e/\\/g'
	done
	sed -n 's/^    \(weft .*\)/filters.md|\1/p' "$source/docs/filters.md"
	sed -n 's/^    \(weft .*\)/views.md|\1/p' "$source/docs/views.md"
	sed -n 's/^    \(\(STARPU_[A-Z_]*=[^ ]* \)*looks_at_itself\)$/online-tools.md|\1/p' "$source/docs/online-tools.md"
	sed -n 's/^    \(\(weft\|starpu_[a-z_]*\) .*\)/models.md|\1/p' "$source/docs/models.md"
}

examples | grep -v -e '|weft record' -e '|weft tune ' -e '|weft top' -e paramedir -e program | sort -u >"$work/examples"
echo "1..$(wc -l <"$work/examples")"
number=0 failed=0
while IFS='|' read -r where command; do
	number=$((number + 1))
	rm -rf "$work/now"
	cp -r "$work/start" "$work/now"
	cd "$work/now" || exit 1
	[[ ! $command =~ ^weft\ data ]] || { rm -r cholesky.weft && cp -r "$source/tests/golden/traces/memory.weft" cholesky.weft; }
	[[ ! $command =~ ^weft\ (tasks|graph|efficiency|gantt|panels) ]] || { rm -r run.weft && cp -r alone.weft run.weft; }
	# What an example makes is not there yet.
	[[ ! $command =~ \ -o\ ([^ ]+) ]] || [ "${BASH_REMATCH[1]}" = - ] || [ "${command%% *}" = fxt_print ] || rm -rf "${BASH_REMATCH[1]}"
	output=$(PATH=.:$PATH bash -c "$command" 2>&1 </dev/null)
	status=$?
	# A check of this machine, or of models, may well say no.
	if [ $status = 0 ] || { [ $status = 1 ] && [[ $command == *doctor* || $command == 'weft model check'* ]]; }; then
		echo "ok $number - $where: $command" | sed 's/ #/ \\#/g'
	else
		failed=$((failed + 1))
		printf '%s\n' "$output" | sed 's/^/# /'
		echo "not ok $number - $where: $command (status $status)"
	fi
done <"$work/examples"
echo "$((number - failed)) passed, $failed failed"
[ $failed = 0 ]
