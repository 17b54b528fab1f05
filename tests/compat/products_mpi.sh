#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: timeout=180
# The handbook's "tracing MPI applications": a ring of four MPI ranks with tasks between their messages, recorded as one trace, and each rank by itself: StarPU's files of both have the
# same messages with their data, and its readers take them. TAP.
set -u
source=${WEFT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${WEFT_BUILD:-$source/build}
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LD_LIBRARY_PATH=$build STARPU_SILENT=1 STARPU_NCPU=1 STARPU_NOPENCL=0 STARPU_HOME=$work
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
command -v mpicc >/dev/null || skip "no MPI"
command -v mpirun >/dev/null || skip "no MPI"
for name in weft starpu_fxt_tool starpu_send_recv_data_use.py; do ln -s "$build/weft" "$name"; done
PATH=$work:$PATH

cat >ring.c <<'END'
#include <mpi.h>
#include <starpu.h>
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet step = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "step"};
int main(int argc, char **argv)
{
	static double a[128], b[2];
	int rank, n;
	starpu_data_handle_t ball, other;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (starpu_init(NULL))
		return 77;
	starpu_vector_data_register(&ball, STARPU_MAIN_RAM, (uintptr_t)a, 128, sizeof a[0]);
	starpu_vector_data_register(&other, STARPU_MAIN_RAM, (uintptr_t)b, 2, sizeof b[0]);
	starpu_data_set_name(ball, "ball");
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++) {
		starpu_task_insert(&step, STARPU_RW, ball, 0);
		starpu_data_acquire(other, STARPU_R);
		starpu_data_acquire(ball, STARPU_RW);
		if (!rank)
			MPI_Send(a, 128, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
		MPI_Recv(a, 128, MPI_DOUBLE, (rank + n - 1) % n, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank)
			MPI_Send(a, 128, MPI_DOUBLE, (rank + 1) % n, i, MPI_COMM_WORLD);
		starpu_data_release(ball);
		starpu_data_release(other);
	}
	starpu_data_unregister(ball);
	if (!rank)
		MPI_Send(b, 2, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD); /* of no datum that it has acquired */
	if (rank == 1)
		MPI_Recv(b, 2, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	starpu_data_unregister(other);
	MPI_Barrier(MPI_COMM_WORLD);
	starpu_shutdown();
	MPI_Finalize();
	return 0;
}
END
mpicc ring.c -I"$source/include" -L"$build" -lstarpu-1.4 -o ring 2>/dev/null || skip "no compiler for MPI"
weft record -q --on starpu_detail -o ring.weft -- mpirun -n 4 ./ring || skip "mpirun cannot run four ranks"
# shellcheck disable=SC2016
mpirun -n 4 sh -c 'exec ./weft record -q --on starpu_detail -o rank$OMPI_COMM_WORLD_RANK.weft -- ./ring'
starpu_fxt_tool -i ring.weft -d one >one.txt 2>&1
# Ranks in any order: they are what was recorded.
starpu_fxt_tool -i rank2.weft -i rank0.weft -i rank3.weft -i rank1.weft -d four >four.txt 2>&1

for how in one four; do
	shown=("$how.txt" "$how/comms.rec")
	is "$how: silent: the clocks of one node are one" "" "$(cat $how.txt)"
	is "$how: every rank's tasks" "0_1 0_2 0_3 1_1 1_2 1_3 2_1 2_2 2_3 3_1 3_2 3_3" "$(sed -n 's/^JobId: //p' $how/tasks.rec | sort | xargs)"
	is "$how: ranks in tasks.rec" "3 0,3 1,3 2,3 3" "$(sed -n 's/^MPIRank: //p' $how/tasks.rec | sort | uniq -c | sed 's/^ *//' | paste -sd,)"
	is "$how: messages" "3 0 1 1024,1 0 1 16,3 1 2 1024,3 2 3 1024,3 3 0 1024" \
		"$(awk '/^Src/ {s = $2} /^Dst/ {d = $2} /^Size/ {print s, d, $2}' $how/comms.rec | sort | uniq -c | sed 's/^ *//' | sort -k2,3n -k4,4nr | paste -sd,)"
	awk '/^Handle/ {h = $2} /^MPIRank/ {r = $2} /^Name: ball/ {print r, h}' $how/data.rec | sort >$how/balls
	is "$how: what is sent and received is the ball that was acquired, of the two that were" "12" \
		"$(awk 'NR == FNR {ball[$1] = $2; next} /^Src/ {s = $2} /^Dst/ {d = $2} /^SendHandle/ {a = $2} /^RecvHandle/ {b = $2}
			/^Size: 1024/ {n += a == ball[s] && b == ball[d]} END {print n}' $how/balls $how/comms.rec)"
	is "$how: what nobody has acquired is not said" "0 0" "$(awk '/Handle/ {h = h " " $2} /^Size: 16/ {print substr(h, 2)} /^Size/ {h = ""}' $how/comms.rec)"
	is "$how: sent before it is received" "13" "$(awk '/^SendTime/ {s = $2} /^RecvTime/ {n += $2 >= s} END {print n}' $how/comms.rec)"
	is "$how: arrows of messages" "13 13" "$(grep -c -P '^23\t.*\tMPIL\t' $how/paje.trace) $(grep -c -P '^19\t.*\tMPIL\t' $how/paje.trace)"
	is "$how: ranks in names of the chart" "4" "$(grep -o -P '^7\t\S+\t[0-3]_p\t' $how/paje.trace | wc -l)"
	# Each rank uses what it received in its next step; after the last one nobody does, and nobody knows of the one without a datum.
	is "$how: use of data between messages and tasks" "8 5 12 1" \
		"$(weft files use $how --csv | awk -F, 'NR > 1 {print $2, $3}' | xargs)"
	is "$how: the matrix" "0 1 4 3088" "$(weft files matrix $how/comms.rec --csv | awk -F, '$1 == 0 && $2 == 1 {print $1, $2, $3, $4}')"
	is "$how: forms of its files" "" "$("$source/tests/tools/products_check.sh" $how | head -5)"
	if command -v pj_dump >/dev/null; then
		is "$how: pj_dump reads it" "0 13" "$(pj_dump $how/paje.trace >pj.txt 2>err.txt; echo $?) $(grep -c '^Link.*mpicom' pj.txt)"
	else
		echo "ok $((++count)) - $how: pj_dump reads it # SKIP it is not installed"
	fi
	if command -v recsel >/dev/null; then
		is "$how: recsel finds messages" "4" "$(recsel -c -e 'Src = 0' $how/comms.rec)"
	else
		echo "ok $((++count)) - $how: recsel finds messages # SKIP recutils are not installed"
	fi
	if command -v vite >/dev/null; then
		is "$how: ViTE draws the chart" "0 errors and 0 warnings" \
			"$(QT_QPA_PLATFORM=offscreen vite -e k.svg $how/paje.trace 2>&1 | grep -o '0 errors and 0 warnings')"
	else
		echo "ok $((++count)) - $how: ViTE draws the chart # SKIP it is not installed"
	fi
done
echo "1..$count"
