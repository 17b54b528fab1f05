#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=120
# Models that programs measure, from the program to the picture: a recorded program's tasks beside its model, two clouds under one
# footprint, rows of a multiple regression and their equation; gnuplot makes pictures of all scripts. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_SILENT=1 STARPU_NCPU=2 STARPU_HOME=$work STARPU_HOSTNAME=here STARPU_SCHED=dmda
unset STARPU_PERF_MODEL_DIR STARPU_PERF_MODEL_PATH STARPU_CALIBRATE_MINIMUM
program=$build/tests/starpu/starpu_modelled weft=$build/weft
for name in perfmodel_display perfmodel_plot perfmodel_recdump mlr_analysis; do ln -s "$weft" "$work/starpu_$name"; done
PATH=$work:$PATH
count=0

check() # NAME WANTED GOT
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		echo "# wanted '$2', got '$3'"
		echo "not ok $count - $1"
	fi
}
# A picture that is not white all over, by gnuplot, which says nothing wrong.
drawn() # SCRIPT PICTURE
{
	gnuplot "$1" 2>errors || { echo "gnuplot failed: $(cat errors)"; return; }
	grep -qv -e '^Warning: empty . range' -e '^$' errors && cat errors
	[ "$(wc -c <"$2")" -gt 2000 ] && echo drawn
}

STARPU_CALIBRATE=1 "$weft" record -q --on starpu_detail -o run.weft -- "$program" >program.txt 2>&1
check "the program ran" "0 " "$? $(cat program.txt)"
check "models that it measured" "modelled_clouds modelled_given modelled_rows" \
	"$("$weft" model list --csv | sed -n 's/^\(modelled[^,]*\),here,.*/\1/p' | tr '\n' ' ' | sed 's/ $//')"
check "its explicit measurements" "cpu0_impl0,1000,12,5 cpu0_impl0,2000,12,9 cpu0_impl0,4000,12,17" \
	"$("$weft" model show modelled_given --csv | awk -F, 'NR > 1 {print $1 "," $3 "," $4 "," $5}' | sort -t, -k2n | tr '\n' ' ' | sed 's/ $//')"
check "the curve found at its end" "cpu0_impl0: y = 0.004 * size^1 + 1" "$("$weft" model show modelled_given | grep '+')"
check "rows of parameters" "Duration, M, N 30" "$(head -n 1 .starpu/sampling/codelets/tmp/modelled_rows.out) $(sed 1d .starpu/sampling/codelets/tmp/modelled_rows.out | wc -l)"
check "their equation" "cpu0_impl0,30,0,7 + 0.25*M*N^2,1" "$("$weft" model fit modelled_rows --csv | sed -n 's/\(,1\),.*,best$/\1/p')"
check "which StarPU's name for it says, too" 1 "$(starpu_mlr_analysis .starpu/sampling/codelets/tmp/modelled_rows.out | grep -c '7 + 0.25\*M\*N^2 .* best$')"
check "two clouds under one footprint" "two clouds 12 12" \
	"$("$weft" model check modelled_clouds --trace run.weft --csv | sed -n 's/.*,\(two clouds\),"*\([0-9]*\) tasks of the trace took about [^,]*, \([0-9]*\) about.*/\1 \2 \3/p')"
check "which only a trace tells" 0 "$("$weft" model check modelled_clouds --csv | grep -c 'two clouds')"
"$weft" model plot modelled_clouds --trace run.weft -o clouds.svg
check "each task of the trace in the picture" 24 "$(grep -c '<circle[^>]*r="1.5"' clouds.svg)"
check "no such task" "2 1" "$("$weft" model plot modelled_given --trace run.weft -o none.svg 2>errors; echo "$? $(grep -c "no task of 'run.weft' says that it has the model" errors)")"
ln -s "$weft" "$work/starpu_fxt_data_trace"
starpu_fxt_data_trace run.weft modelled_clouds
check "starpu_fxt_data_trace: length and size of each task" "24 0" "$(wc -l <data_trace.modelled_clouds) $(cut -d' ' -f2 data_trace.modelled_clouds | sort -u)"
if command -v gnuplot >/dev/null; then
	starpu_perfmodel_plot -s modelled_given
	check "starpu_perfmodel_plot -s" drawn "$(drawn starpu_modelled_given.gp starpu_modelled_given.png)"
	starpu_perfmodel_plot -s modelled_clouds -i run.weft
	check "starpu_perfmodel_plot -i" drawn "$(drawn starpu_modelled_clouds.gp starpu_modelled_clouds.png)"
	mv starpu_modelled_clouds.gp by_weft.gp
	cp -r run.weft prof_file_foo_0
	starpu_perfmodel_plot -s modelled_clouds -i prof_file_foo_0
	check "starpu_perfmodel_plot -i, a trace of another name" "0 24" \
		"$(cmp -s by_weft.gp starpu_modelled_clouds.gp; echo "$? $(sed -n "/^.curve_1/,/^END/p" starpu_modelled_clouds.gp | grep -c "^0 ")")"
	export STARPU_PERF_MODEL_DIR=$source/tests/golden/models STARPU_HOSTNAME=suite
	starpu_perfmodel_plot -f -s memset
	check "starpu_perfmodel_plot -f" drawn "$(drawn starpu_gflops_memset.gp starpu_gflops_memset.png)"
	starpu_perfmodel_plot -e -s memset_energy
	check "starpu_perfmodel_plot -e" drawn "$(drawn starpu_memset_energy.gp starpu_memset_energy.png)"
	starpu_perfmodel_plot -f -e -s memset_energy
	check "starpu_perfmodel_plot -f -e" drawn "$(drawn starpu_gflops_memset_energy.gp starpu_gflops_memset_energy.png)"
	starpu_perfmodel_plot -se memset memset_energy
	check "starpu_perfmodel_plot -se" drawn "$(drawn starpu_power_memset.gp starpu_power_memset.eps)"
	"$weft" model plot memset -o of_weft.gp
	check "weft model plot -o .gp" drawn "$(drawn of_weft.gp of_weft.png)"
else
	echo "ok $((++count)) - gnuplot # SKIP gnuplot is not installed"
fi
echo "1..$count"
