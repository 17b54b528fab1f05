#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands that StarPU's users know say what is true of this machine, of models that a program has made, and of this build. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${WEFT_BUILD:-$source/build}
tools=$build/src/runtime/tools
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
models=$home/starpu_perfmodel_display
ln -s "$build/weft" "$models"
export STARPU_HOME=$home STARPU_HOSTNAME=somewhere STARPU_SILENT=1 STARPU_NCPU=2 STARPU_NOPENCL=0
number=0 failed=0

# NAME STATUS PATTERN COMMAND…: ends so, and says this on stdout or stderr
says()
{
	local name=$1 status=$2 pattern=$3 output rc
	shift 3
	number=$((number + 1))
	output=$("$@" 2>&1)
	rc=$?
	if [ $rc = "$status" ] && grep -q -e "$pattern" <<<"$output"; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name: status $rc"
		printf '%s\n' "$output" | sed 's/^/# /' | head -20
		failed=1
	fi
}

STARPU_CALIBRATE=1 "$build/tests/starpu/models_ours" write here >/dev/null 2>&1
mkdir -p "$home/prefix/bin" "$home/prefix/include"
cp "$build/share/starpu/starpu_config" "$home/prefix/bin/"
cp "$source/include/starpu_config.h" "$home/prefix/include/"

suite=$source/examples/starpu/suite
# shellcheck disable=SC2317 # says() calls it
overhead()
{
	cd "$home" && TASKS_SIZE_OVERHEAD=$build/examples/starpu/suite/tasks_size_overhead "$suite/tasks_size_overhead.sh" "$@" >said &&
		grep -vc '^#' tasks_size_overhead.output && grep -o 'plot .*' tasks_size_overhead.gp && cat said
}
says 'a line for each length and number of workers' 0 '^8$' overhead -i 20 -T 8 -C 2
says 'a curve for each number of workers' 0 'plot .*1 worker".*2 workers"' overhead -i 20 -T 2 -C 2
says 'the picture, or how to draw it' 0 '^tasks_size_overhead\.\(svg\|gp\)' overhead -i 20 -T 2 -C 2
says 'help of the script' 0 '^usage: tasks_size_overhead' env TASKS_SIZE_OVERHEAD="$build/examples/starpu/suite/tasks_size_overhead" "$suite/tasks_size_overhead.sh" -h

tab=$(printf '\t')
numa=(env HWLOC_SYNTHETIC='numa:2 core:1 pu:1' STARPU_USE_NUMA=1 "$tools/starpu_machine_display")
says 'workers' 0 "^${tab}2 CPU workers" "$tools/starpu_machine_display"
says 'each of them' 0 "^${tab}${tab}CPU 1$" "$tools/starpu_machine_display"
says 'a kind of workers' 0 '^2 CPU workers$' "$tools/starpu_machine_display" -w cpu
says 'a kind that there is not' 1 "no kind of workers 'abacus'" "$tools/starpu_machine_display" -w abacus
says 'bandwidth there' 0 "^NUMA 0${tab}0.000000${tab}[1-9][0-9]*[.][0-9]" "${numa[@]}"
says 'and back' 0 "^NUMA 1${tab}[1-9][0-9]*[.][0-9]*${tab}0.000000" "${numa[@]}"
says 'its head' 0 "^from${tab}to NUMA 0${tab}to NUMA 1$" "${numa[@]}"
says 'affinity' 0 '^affinity$' "${numa[@]}"
# shellcheck disable=SC2016
says 'without the ways' 0 'topology' sh -c 'out=$("$@") && ! echo "$out" | grep -q bandwidth && echo "$out"' - "${numa[@]}" -n
says 'files of the ways' 0 "bandwidth: <$home/.starpu/sampling/bus/somewhere.bandwidth>" "${numa[@]}" -i
# What was measured is kept, read back, and measured again only when that is asked for; what is no such file is replaced.
bandwidths=$home/.starpu/sampling/bus/somewhere.bandwidth
sed -i "2s/.*/$(sed -n 2p "$bandwidths" | sed "s/[0-9][0-9.e+]*/123.5/2")/" "$bandwidths"
says 'what was measured' 0 "^NUMA 0${tab}0.000000${tab}123.500000" "${numa[@]}"
# shellcheck disable=SC2016
says 'measured again' 0 "^NUMA 0${tab}0.000000" sh -c 'out=$("$@") && ! echo "$out" | grep -q 123.500000 && echo "$out"' - "${numa[@]}" -f
echo 'not numbers' >"$bandwidths"
says 'a damaged file' 0 "^NUMA 0${tab}0.000000${tab}[1-9]" "${numa[@]}"
echo 'not numbers' >"$bandwidths"
says 'which is said' 0 "somewhere.bandwidth:1: expected .*; the ways between memories are measured again" env STARPU_SILENT=0 "${numa[@]}"
says 'once' 1 '^0$' sh -c '"$@" 2>&1 | grep -c again' - env STARPU_SILENT=0 "${numa[@]}"
sed -i '3s/.*/3 # NUMA nodes/' "${bandwidths%.bandwidth}.config"
says 'files of another machine' 0 "somewhere.config' is of another machine (NUMA nodes: 3, CUDA devices: 0, OpenCL devices: 0; here 2, 0, 0)" env STARPU_SILENT=0 "${numa[@]}"
sed -i '2s/.*/9 # CPUs/' "${bandwidths%.bandwidth}.config"
says 'more CPUs make no other ways' 1 '^0$' sh -c '"$@" 2>&1 | grep -c again' - env STARPU_SILENT=0 "${numa[@]}"
head -c 300 "$bandwidths" >"$bandwidths.short" && mv "$bandwidths.short" "$bandwidths"
says 'a file that was cut off' 0 'somewhere.bandwidth:.* expected .* measured again' env STARPU_SILENT=0 "${numa[@]}"
sed -i '2s/[1-9][^ \t]*/-5/' "$bandwidths"
says 'a bandwidth below 0' 0 'somewhere.bandwidth:2: expected numbers from 0 on' env STARPU_SILENT=0 "${numa[@]}"
says 'topology' 0 'CPU 1 on processing unit' "$tools/starpu_machine_display"
says 'only the ways' 0 "^NUMA 0${tab}0.000000${tab}[1-9]" "${numa[@]}" --bus
# The same as verbs of weft.
weft=$build/weft
says 'weft machine' 0 "^${tab}2 CPU workers" "$weft" machine
says 'weft machine, a kind of workers' 0 '^2 CPU workers$' "$weft" machine --worker cpu
says 'weft machine, a kind that there is not' 1 "no kind of workers 'abacus'" "$weft" machine -w abacus
says 'weft machine, too much' 2 "unexpected 'more'" "$weft" machine more
says 'weft bus' 0 "^NUMA 1${tab}[1-9][0-9]*[.][0-9]*${tab}0.000000" env HWLOC_SYNTHETIC='numa:2 core:1 pu:1' STARPU_USE_NUMA=1 "$weft" bus -f
says 'weft bus, its files' 0 "latency: <$home/.starpu/sampling/bus/somewhere.latency>" "$weft" bus --info
says 'weft sched' 0 '^dmdas ' "$weft" sched
says 'weft bench' 0 '^local_pingpong  ' "$weft" bench
says 'weft bench, a benchmark' 0 "^1${tab}1${tab}" "$weft" bench tasks_size_overhead -i 20 -T 1 -C 1
# shellcheck disable=SC2016
says 'weft bench, the script' 0 '^tasks_size_overhead\.\(svg\|gp\)' sh -c 'cd "$1" && "$2" bench tasks_size_overhead.sh -i 20 -T 2 -C 1' - "$home" "$weft"
says 'weft bench, one that there is not' 2 "no benchmark 'sgem' (did you mean 'sgemm'?)" "$weft" bench sgem
cp "$weft" "$home/weft"
says 'weft without the runtime' 2 "'starpu_machine_display', which comes with Weft's runtime" "$home/weft" machine
says 'only how many' 0 '^2 CPU workers$' "$tools/starpu_machine_display" -c
says 'help' 0 '^usage: starpu_machine_display' "$tools/starpu_machine_display" --help
says 'version' 0 'StarPU 1.4' "$tools/starpu_machine_display" --version
says 'a wrong option' 1 '^usage: starpu_sched_display' "$tools/starpu_sched_display" --wrong
says 'policies' 0 '^dmdas ' "$tools/starpu_sched_display"
printf 'Control: WontUse\nJobId: 9\n\nName: a\nJobId: 1\nStartTime: 0\nEndTime: 3\nHandles: f0\nModes: W\nSizes: 8\n\nName: b\nJobId: 2\nDependsOn: 1\nStartTime: 3\nEndTime: 5\nHandles: f0 f1\nModes: R W\nSizes: 8 8\n\nName: b\nJobId: 3\nStartTime: 3\nEndTime: 4\n' >"$home/tasks.rec"
says 'recorded tasks' 0 "^replayed${tab}5.000 ms" "$weft" simulate -m weft-2cpus -- "$tools/starpu_replay" "$home/tasks.rec"
says 'recorded tasks, their begin and end' 0 "^recorded${tab}5.000 ms" "$weft" simulate -m weft-2cpus -s eager -- "$tools/starpu_replay" --recorded "$home/tasks.rec"
says 'recorded tasks, of StarPU' 0 "^tasks${tab}5" "$weft" simulate -m weft-3gpus -s dmdas -- "$tools/starpu_replay" "$source/tests/golden/taskfiles/tasks.rec"
says 'no recorded tasks' 2 "has no tasks" "$tools/starpu_replay" /dev/null
says 'a file of tasks that is not there' 1 "cannot open '/nowhere'" "$tools/starpu_replay" /nowhere
says 'which file of tasks' 2 '^usage: starpu_replay' "$tools/starpu_replay"
says 'the ways to devices' 0 '' env HWLOC_SYNTHETIC='numa:2 core:1 pu:1' STARPU_USE_NUMA=1 "$tools/starpu_calibrate_bus"
says 'which are kept' 0 '^0' grep -v '^#' "$bandwidths"
says 'where models lie' 0 "$home/.starpu/sampling" "$models" -d
says 'no model' 1 "no performance model 'unheard_of'" "$models" -s unheard_of
says 'nothing asked' 1 '^usage: starpu_perfmodel_display' "$models"
says 'the models' 0 'file: <move_here_0.somewhere>' "$models" -l
says 'a model' 0 'performance model for cpu0_impl0' "$models" -s move_here_0
says 'a model as XML' 0 '<perfmodel version="45">' "$models" -x -s move_here_0
says 'the configuration' 0 '^STARPU_NMAXBUFS=8$' sh "$home/prefix/bin/starpu_config"
for variable in prefix exec_prefix libdir includedir pkglibdir; do
	says "pkg-config's $variable" 0 '^/' env PKG_CONFIG_PATH="$build/meson-private" pkg-config --variable=$variable starpu-1.3
done
echo "1..$number"
exit $failed
