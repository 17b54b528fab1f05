#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: full exclusive timeout=240
# What `weft what-if` predicts, held to reality: programs of examples/whatif are recorded as they are, their remedy is predicted, then they are recorded with
# the remedy really done. A prediction may be wrong by 10 %; the ranking has to put the real remedy first for 9 of 10. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
weft=$build/weft
# Threads that wait for others at a team's end sleep, as the work does: else the two cores of a small machine are taken by waiting.
export OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
flags="-O1 -I$source/include -L$build -Wl,-rpath,$build"
count=0 firsts=0 ranked=0

ok() # STATUS NAME
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

busy() # whether others want thrice the processors that there are
{
	awk -v n="$(nproc)" '{exit !($1 > 3 * n)}' /proc/loadavg
}

compile() # NAME: by what its name begins with
{
	local libraries=-lweft compiler=gcc
	case $1 in
	mpi_*) compiler=mpicc ;;
	omp_*) libraries="-fopenmp -lweft" ;;
	thread_*) libraries="-pthread -lweft" ;;
	tasks_*) libraries="-lstarpu-1.4 -lweft" ;;
	esac
	# shellcheck disable=SC2086
	command -v $compiler >/dev/null && $compiler -o "$1" "$source/examples/whatif/$1.c" $flags $libraries 2>compile.txt
}

run_took() # TRACE: ns; the path covers the run once
{
	"$weft" critical -q "$1" --by step --csv | awk -F, 'NR > 1 {n += $2 - $1} END {printf "%.0f\n", n}'
}

# What of the path is the begin and the end of MPI: of programs that run for a second it is a third, and twice that when the machine is busy.
edges() # TRACE
{
	"$weft" critical -q "$1" --csv | awk -F, '$1 == "MPI_Init" || $1 == "MPI_Finalize" {n += $2} END {printf "%.0f\n", n}'
}

one() # NAME RANKS RECORD-OPTIONS WHAT-IF-OPTIONS WHAT-THE-FIRST-ROW'S-OPTION-HAS-IN-IT
{
	local name=$1 ranks=$2 record=$3 remedy=$4 first=$5 launcher=
	if [ -n "$ranks" ] && busy; then
		echo "# $name: skipped, ranks wait by spinning and the machine has no processor for them"
		return
	fi
	if ! compile "$name"; then
		echo "# $name: skipped, it cannot be built here"
		return
	fi
	[ -z "$ranks" ] || launcher="mpirun --oversubscribe -np $ranks"
	# shellcheck disable=SC2086
	"$weft" record -q --off samples $record -o "$name.weft" -- $launcher "./$name" </dev/null >run.txt 2>&1
	# shellcheck disable=SC2086
	"$weft" record -q --off samples $record -o "$name.fixed.weft" -- $launcher "./$name" fixed </dev/null >run.txt 2>&1
	set -f
	# shellcheck disable=SC2086
	local predicted was real option
	# shellcheck disable=SC2086
	predicted=$("$weft" what-if -q "$name.weft" $remedy --csv | awk -F, 'NR == 2' | sed 's/^"[^"]*"//; s/^[^,]*,//' | cut -d, -f1)
	set +f
	was=$(($(run_took "$name.weft") - $(edges "$name.weft"))) real=$(($(run_took "$name.fixed.weft") - $(edges "$name.fixed.weft")))
	predicted=$((predicted - $(edges "$name.weft")))
	option=$("$weft" what-if -q "$name.weft" --json | tr -d '\n' | sed 's/}.*//; s/.*"option": *"//; s/",* *"assumes.*//')
	awk -v n="$name" -v w="$was" -v p="$predicted" -v r="$real" -v o="$option" 'BEGIN {
		printf "# %-14s was %6.0f ms, predicted %6.0f ms, measured %6.0f ms: %+5.1f %%; first: %s\n", n, w / 1e6, p / 1e6, r / 1e6, 100 * (p / r - 1), o
		exit !(p / r > 0.9 && p / r < 1.1)
	}'
	ok $? "$name: the prediction is within 10 %"
	ranked=$((ranked + 1))
	case $option in *"$first"*) firsts=$((firsts + 1)) ;; esac
}

one mpi_uneven 2 '' '--balance sweep' "balance 'sweep'"
one mpi_serial 2 '' '--faster assemble=2' "faster 'assemble'"
one mpi_overlap 2 '' '--overlap exchange' "overlap 'exchange'"
one omp_critical '' '' '--no-lock *add' "no-lock 'omp critical add'"
one omp_chunks '' '' '--schedule dynamic,1' 'schedule dynamic,1'
one omp_static '' '' '--balance row' "balance 'row'"
one omp_coarse '' '' '--task-size 0.5' 'task-size 0.'
one omp_threads '' '' '--omp-threads 4' 'omp-threads'
one thread_lock '' '--on locks' '--no-lock *' 'no-lock'
one thread_queue '' '' '--faster produce=2' "faster 'produce'"
one thread_phases '' '' '--balance particles' "balance 'particles'"
one tasks_workers '' '' '--workers 4' 'workers'
one tasks_coarse '' '' '--task-size 0.5' 'task-size 0.'
[ $((10 * firsts)) -ge $((9 * ranked)) ]
ok $? "the ranking puts the real remedy first: $firsts of $ranked"
echo "1..$count"
