#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every example of the help texts, of the man pages and of docs/filters.md, docs/models.md, docs/online-tools.md and docs/views.md as it is printed, in a folder that has the
# traces that they speak of. Those of `weft record`, and of what needs programs of the user, are in record_examples.t
# tune.t and top.t.
# tags: timeout=300
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
PATH=$build:$build/examples/starpu:$build/src/runtime/tools:$PATH
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

# What the transcripts of those verbs make.
made_in() { sed -n "/^\$ .*cat >$2 <<'END'/,/^> END/s/^> //p" "$source/tests/cli/$1.t" | sed '/^END$/,$d'; }
trace_of() { awk "$@" | { read -r head; echo "$head"; sort -t: -s -k6n; }; }
made_in scale make.sh >ranks.sh
for n in 2 4 8; do
	sh ranks.sh $n
	weft convert -q run$n.prv -o run$n.weft
done
mkdir before after other
(cd other && for k in 1 2 3 4; do
	sh ../ranks.sh 2 $((k * 250))
	weft convert -q run2.prv -o ../a$k.weft
	cp run2.prv ../before/$k.prv && cp run2.pcf ../before/$k.pcf
	cp run2.prv ../after/$k.prv && cp run2.pcf ../after/$k.pcf
done)
for k in 1 2 3; do cp -r a$k.weft b$k.weft; done
made_in fold make.awk >other/fold.awk
made_in fold m.xml >cpi.xml
awk -f other/fold.awk >other/fold.prv
made_in fold a.pcf >other/fold.pcf
weft convert -q other/fold.prv -o other/fold.weft
weft cluster -q other/fold.prv --of type=60000019 --by duration --eps 0.5 -o run.clustered.prv >other/clusters
sed 's/1 solve/1 main/' other/fold.pcf >other/main.pcf
cp other/fold.prv other/main.prv
{
	echo 'process 0 p'
	for thread in one two; do
		echo "thread $thread"
		for i in $(seq 0 29); do
			printf 'enter %d 1 step\nenter %d 1 solve\nleave %d solve\nenter %d 1 sweep\nleave %d sweep\nleave %d step\n' \
				$((i * 1000)) $((i * 1000 + 10)) $((i * 1000 + 400)) $((i * 1000 + 410)) $((i * 1000 + 600 + i % 7 * 10)) $((i * 1000 + 950))
		done
	done
} | "$build/tests/trace_of_text" other/regions.weft
made_in track make.awk >other/track.awk
trace_of -v grow=1 -v part=0 -f other/track.awk >small.prv
trace_of -v grow=2 -v part=0 -f other/track.awk >middle.prv
trace_of -v grow=3 -v part=1 -f other/track.awk >large.prv
weft convert -q small.prv -o old.weft
weft convert -q middle.prv -o new.weft
made_in phases make.awk >other/phases.awk
trace_of -f other/phases.awk >other/phases.prv
weft convert -q other/phases.prv -o other/phases.weft
made_in cluster c.xml >dbscan.xml
made_in cluster make.awk >other/cluster.awk
trace_of -f other/cluster.awk >other/cluster.prv
sed -n "s/^\$ \(printf '#DIMEMAS_CONFIGURATION.* >two\.cfg\);.*/\1/p" "$source/tests/cli/replay.t" | sed 's/two\.cfg/machine.cfg/' | bash
weft prv2dim run.prv run.dim >other/dim
cp run.prv before.prv && cp run.pcf before.pcf && cp run.prv after.prv && cp run.pcf after.pcf
for name in long running; do cp -r run.weft $name.weft; done
cp -r alone.weft tasks.weft

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

# Files are links to those of the start, as copies take longer than the examples; none may be written to in place.
sums() { (cd "$work/start" && find . -type f -exec cksum {} + | sort -k3); }
sums >"$work/sums"

examples | grep -v -e '|weft record' -e '|weft tune ' -e '|weft top' -e '|weft ctl ' -e ' \./tasks$' -e ' --map ' -e paramedir -e program | sort -u >"$work/examples"
echo "1..$(($(wc -l <"$work/examples") + 1))"
number=0 failed=0
while IFS='|' read -r where command; do
	number=$((number + 1))
	rm -rf "$work/now"
	cp -al "$work/start" "$work/now"
	cd "$work/now" || exit 1
	[[ ! $command =~ ^weft\ data ]] || { rm -r cholesky.weft && cp -r "$source/tests/golden/traces/memory.weft" cholesky.weft; }
	[[ ! $command =~ ^weft\ scale\ run\* ]] || rm run.prv run.clustered.prv
	[[ ! $command =~ ^weft\ fold\ run\.prv ]] || { cp --remove-destination other/main.prv run.prv && cp --remove-destination other/main.pcf run.pcf; }
	[[ ! $command =~ ^weft\ fold\ run\.weft ]] || { rm -r run.weft && cp -r other/fold.weft run.weft; }
	[[ ! $command =~ ^weft\ phases.*--cut ]] || { rm -r run.weft && cp -r other/phases.weft run.weft; }
	[[ ! $command =~ ^weft\ cluster.*--control ]] || cp --remove-destination other/cluster.prv run.prv
	[[ ! $command =~ --workers ]] || { rm -r run.weft && cp -r alone.weft run.weft; }
	[[ ! $command =~ ^weft\ (tasks|graph|efficiency|gantt|panels) ]] || { rm -r run.weft && cp -r alone.weft run.weft; }
	[[ ! $command =~ ^weft\ (efficiency.*--(iterations|by)|what-if.*--balance) ]] || { rm -r run.weft && cp -r other/regions.weft run.weft; }
	# What an example makes is not there yet.
	[[ ! $command =~ \ -o\ ([^ ]+) ]] || [ "${BASH_REMATCH[1]}" = - ] || [ "${command%% *}" = fxt_print ] || rm -rf "${BASH_REMATCH[1]}"
	# A server of pages runs until it is told to end.
	runs=()
	[[ ! $command =~ ^weft\ open ]] || runs=(timeout -s INT --preserve-status 2)
	output=$(PATH=.:$PATH "${runs[@]}" bash -c "$command" 2>&1 </dev/null)
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
number=$((number + 1))
if sums | cmp -s - "$work/sums"; then
	echo "ok $number - no example has changed a file that it was given"
else
	failed=$((failed + 1))
	sums | diff - "$work/sums" | sed 's/^/# /'
	echo "not ok $number - no example has changed a file that it was given"
fi
echo "$((number - failed)) passed, $failed failed"
[ $failed = 0 ]
