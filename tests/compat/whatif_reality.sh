#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: full exclusive timeout=240
# What `weft what-if` predicts, held to reality: programs of examples/whatif are recorded as they are, their remedy is predicted, then they are recorded with
# the remedy really done. A prediction may be wrong by 10 %; the ranking has to put the real remedy first for 9 of 10. TAP.
# Programs of threads sleep instead of working, so three of them are recorded at once, in both variants; ranks wait by spinning, so those of MPI are alone.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
weft=$build/weft
# Threads that wait for others at a team's end sleep, as the work does, and ranks that wait let others go first: else the two cores of a small machine are taken by waiting.
export OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
flags="-O1 -I$source/include -L$build -Wl,-rpath,$build"
count=0 firsts=0 ranked=0 jobs=() later=()

ok() # STATUS NAME
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

busy() # TIMES: whether so many times the processors that there are are wanted
{
	awk -v n="$(nproc)" -v times="$1" '{exit !($1 > times * n)}' /proc/loadavg
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

record() # NAME RANKS RECORD-OPTIONS OUT [fixed]
{
	local launcher=
	[ -z "$2" ] || launcher="mpirun --oversubscribe -np $2"
	# Where that is allowed before others: what is predicted is of this program, not of what else the machine does.
	# shellcheck disable=SC2086
	nice -n -10 "$weft" record -q --off samples --force $3 -o "$4" -- $launcher "./$1" ${5:-} </dev/null >"$4.txt" 2>&1
}

both() # NAME RANKS RECORD-OPTIONS: as it is, and fixed; of threads side by side, so that what disturbs one disturbs both
{
	if [ -n "$2" ]; then
		record "$1" "$2" "$3" "$1.weft"
		record "$1" "$2" "$3" "$1.fixed.weft" fixed
	else
		record "$1" "$2" "$3" "$1.weft" &
		local first=$!
		record "$1" "$2" "$3" "$1.fixed.weft" fixed
		wait $first
	fi
}

predict() # NAME WHAT-IF-OPTIONS: sets was, predicted, real (ns without the begin and end of MPI) and option, the first one's; whether within 10 %
{
	set -f
	# shellcheck disable=SC2086
	predicted=$("$weft" what-if -q "$1.weft" $2 --csv | awk -F, 'NR == 2' | sed 's/^"[^"]*"//; s/^[^,]*,//' | cut -d, -f1)
	set +f
	local edge fixed_edge
	edge=$(edges "$1.weft") fixed_edge=$(edges "$1.fixed.weft")
	was=$(($(run_took "$1.weft") - edge)) real=$(($(run_took "$1.fixed.weft") - fixed_edge)) predicted=$((predicted - edge))
	option=$("$weft" what-if -q "$1.weft" --json | tr -d '\n' | sed 's/}.*//; s/.*"option": *"//; s/",* *"assumes.*//')
	awk -v p="$predicted" -v r="$real" 'BEGIN {exit !(p / r > 0.9 && p / r < 1.1)}'
}

# NAME RANKS RECORD-OPTIONS WHAT-IF-OPTIONS WHAT-THE-FIRST-ROW'S-OPTION-HAS-IN-IT. Where others want the processors, too, two more tries are alone.
judge()
{
	local was predicted real option good=0 more=2
	predict "$1" "$4" || good=1
	while [[ $more -gt 0 && ($good = 1 || $option != *"$5"*) ]] && busy 1; do
		echo "# $1: predicted $predicted ns, measured $real ns, first $option; recorded once more, as the machine is busy"
		both "$1" "$2" "$3"
		good=0 more=$((more - 1))
		predict "$1" "$4" || good=1
	done
	if [ $good = 1 ] && busy 3; then
		echo "# $1: left out, on a machine that wants so much more than it has nothing takes twice the same"
		return
	fi
	awk -v n="$1" -v w="$was" -v p="$predicted" -v r="$real" -v o="$option" 'BEGIN {
		printf "# %-14s was %6.0f ms, predicted %6.0f ms, measured %6.0f ms: %+5.1f %%; first: %s\n", n, w / 1e6, p / 1e6, r / 1e6, 100 * (p / r - 1), o
	}'
	ok $good "$1: the prediction is within 10 %"
	ranked=$((ranked + 1))
	case $option in *"$5"*) firsts=$((firsts + 1)) ;; esac
}

one() # the same arguments; programs of threads are judged together, by together()
{
	if [ -n "$2" ] && busy 3; then
		echo "# $1: skipped, ranks wait by spinning and the machine has no processor for them"
	elif ! compile "$1"; then
		echo "# $1: skipped, it cannot be built here"
	elif [ -n "$2" ]; then
		both "$1" "$2" "$3"
		judge "$@"
	else
		both "$1" "$2" "$3" &
		jobs+=($!) later+=("$1|$3|$4|$5")
		[ ${#later[@]} -lt 3 ] || together
	fi
}

together()
{
	local row name options remedy first
	wait "${jobs[@]}"
	for row in "${later[@]}"; do
		IFS='|' read -r name options remedy first <<<"$row"
		judge "$name" '' "$options" "$remedy" "$first"
	done
	jobs=() later=()
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
[ ${#later[@]} = 0 ] || together
[ $((10 * firsts)) -ge $((9 * ranked)) ]
ok $? "the ranking puts the real remedy first: $firsts of $ranked"
echo "1..$count"
