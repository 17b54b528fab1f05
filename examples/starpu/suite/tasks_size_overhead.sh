#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs tasks_size_overhead with the options given and leaves, in this folder,
#   tasks_size_overhead.output   what it measured
#   tasks_size_overhead.gp       gnuplot's program for it: how many times faster, by length of the tasks, a curve a number of workers
#   tasks_size_overhead.svg      the picture, where there is a gnuplot
set -eu
here=$(dirname "$0")
name=tasks_size_overhead
case ${1:-} in -h|--help) exec "${TASKS_SIZE_OVERHEAD:-$here/$name}" -h ;; esac
"${TASKS_SIZE_OVERHEAD:-$here/$name}" "$@" >$name.output
workers=$(grep -v '^#' $name.output | cut -f1 | sort -nu)
{
	cat <<END
set terminal svg size 900,600 background "white"
set output "$name.svg"
set title "Speedup by length of the tasks"
set xlabel "length of a task (us)"
set ylabel "speedup"
set logscale x 2
set key top left
set grid
END
	printf 'plot '
	for n in $workers; do
		# shellcheck disable=SC2016
		printf '"< awk '"'"'$1 == %s'"'"' %s.output" using 2:4 with linespoints title "%s worker%s", %s with lines dashtype 2 notitle' \
			"$n" "$name" "$n" "$([ "$n" = 1 ] || echo s)" "$n"
		[ "$n" = "$(echo "$workers" | tail -n 1)" ] || printf ', '
	done
	echo
} >$name.gp
if command -v gnuplot >/dev/null; then
	gnuplot $name.gp
	echo "$name.svg"
else
	echo "$name.gp (there is no gnuplot here to draw it)"
fi
