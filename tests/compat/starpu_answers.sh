#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Data of every interface, whole and in parts, and the life cycle with many settings answer as with Debian's StarPU 1.3, line by line. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
programs=${WEFT_BUILD:-$source/build}/tests/starpu
if [ ! -x "$programs/answers_theirs" ]; then
	echo '1..0 # SKIP there is no other StarPU to compare with'
	exit 0
fi
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export STARPU_HOME=$home STARPU_NCUDA=0 STARPU_NOPENCL=0 HWLOC_SYNTHETIC='core:4 pu:2'
unset STARPU_NCPU STARPU_SCHED

failed=0
number=0
# compare PROGRAM WHAT [VARIABLE=VALUE...] [-- ARGUMENT...]
compare() {
	local program=$1 what=$2 settings=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		settings+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	number=$((number + 1))
	env "${settings[@]}" "$programs/${program}_ours" "$@" >"$home/ours" 2>"$home/words" &&
		env "${settings[@]}" "$programs/${program}_theirs" "$@" >"$home/theirs" 2>>"$home/words"
	local ended=$?
	if [ $ended = 0 ] && [ -s "$home/ours" ] && diff -u "$home/theirs" "$home/ours" >"$home/difference"; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what: status $ended"
		cat "$home/words" "$home/difference" | sed 's/^/# /' | head -60
		failed=1
	fi
}

compare answers 'data' -u HWLOC_SYNTHETIC STARPU_NCPU=2 STARPU_WORKERS_NOBIND=1

# Each a line: settings, and after -- what the program sets.
while read -r line; do
	# shellcheck disable=SC2086 # words
	compare life_answers "$line" $line
done <<'END'
STARPU_NCPU=3
STARPU_NCPU=0
STARPU_NCPU=4
STARPU_NCPUS=2
STARPU_NCPU=3 -- ncpus=1
STARPU_NCPU=3 -- ncpus=1 precedence_over_environment_variables=1
STARPU_SILENT=1 -- ncpus=0
STARPU_SILENT=1 -- magic=7
STARPU_RESERVE_NCPU=1
STARPU_RESERVE_NCPU=3
STARPU_SILENT=1 -- reserve_ncpus=2
STARPU_NTHREADS_PER_CORE=2 STARPU_NCPU=4
STARPU_WORKERS_CPUID=3,1
STARPU_WORKERS_CPUID=2-5
STARPU_WORKERS_CPUID=6-
STARPU_WORKERS_CPUID=1 STARPU_NCPU=3
STARPU_WORKERS_COREID=3,1 STARPU_NCPU=3
STARPU_SILENT=1 -- bind=5,0,2,7
STARPU_SILENT=1 -- bind=5,0 ncpus=2
STARPU_WORKERS_NOBIND=1
STARPU_SCHED=eager
STARPU_SCHED=prio STARPU_MIN_PRIO=2 STARPU_MAX_PRIO=5
STARPU_SCHED=prio -- global_sched_ctx_min_priority=-5 global_sched_ctx_max_priority=6
STARPU_SCHED=eager -- policy=prio
STARPU_SILENT=1 -- policy=dmda
STARPU_SCHED=nonsense STARPU_SILENT=1
STARPU_SCHED=peager
STARPU_SCHED=peager STARPU_SINGLE_COMBINED_WORKER=1
STARPU_SCHED=peager STARPU_MAX_WORKERSIZE=2
STARPU_CALIBRATE=2 STARPU_BUS_CALIBRATE=1
STARPU_DISABLE_ASYNCHRONOUS_COPY=1 STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY=1
STARPU_BACKOFF_MIN=2 STARPU_BACKOFF_MAX=8 STARPU_CATCH_SIGNALS=0 STARPU_TRACE_BUFFER_SIZE=5
STARPU_PREFETCH=0
STARPU_LIMIT_CPU_MEM=64 TELLS_LIMITS=1
STARPU_LIMIT_CPU_NUMA_MEM=64 TELLS_LIMITS=1
END
export HWLOC_SYNTHETIC='numa:2 core:2 pu:1'
while read -r line; do
	# shellcheck disable=SC2086
	compare life_answers "$line" $line
done <<'END'
STARPU_USE_NUMA=0
STARPU_USE_NUMA=1
STARPU_USE_NUMA=1 STARPU_WORKERS_CPUID=3,1
STARPU_USE_NUMA=1 STARPU_LIMIT_CPU_NUMA_MEM=10 TELLS_LIMITS=1
STARPU_USE_NUMA=1 STARPU_LIMIT_CPU_MEM=10 TELLS_LIMITS=1
STARPU_USE_NUMA=1 STARPU_LIMIT_CPU_NUMA_0_MEM=6 STARPU_LIMIT_CPU_NUMA_1_MEM=7 TELLS_LIMITS=1
END
echo "1..$number"
exit $failed
