/* SPDX-License-Identifier: Apache-2.0 */
#include "link_counter.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define HARDWARE(event) LINK_COUNTER_PERF, false, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define CACHED(cache, op, result) LINK_COUNTER_PERF, false, PERF_TYPE_HW_CACHE, CACHE(cache, op, result)
#define SOFTWARE(event) LINK_COUNTER_PERF, false, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event
#define USAGE(what) LINK_COUNTER_USAGE, false, LINK_USAGE_##what, 0
#define MACHINE(source, what) LINK_COUNTER_##source, false, what, 0

const struct link_counter link_counters[] = {
	{"cpu-cycles", "PAPI_TOT_CYC", "", "cycles", HARDWARE(CPU_CYCLES)},
	{"instructions", "PAPI_TOT_INS", "", "instructions that completed", HARDWARE(INSTRUCTIONS)},
	{"ref-cycles", "PAPI_REF_CYC", "", "cycles of a clock that does not change", HARDWARE(REF_CPU_CYCLES)},
	{"branches", "PAPI_BR_INS", "", "branches", HARDWARE(BRANCH_INSTRUCTIONS)},
	{"branch-misses", "PAPI_BR_MSP", "", "branches that went otherwise than foreseen", HARDWARE(BRANCH_MISSES)},
	{"cache-references", "PAPI_L3_TCA", "", "accesses to the last cache", HARDWARE(CACHE_REFERENCES)},
	{"cache-misses", "PAPI_L3_TCM", "", "accesses that no cache had", HARDWARE(CACHE_MISSES)},
	{"L1-dcache-loads", "PAPI_LD_INS", "", "loads", CACHED(L1D, READ, ACCESS)},
	{"L1-dcache-stores", "PAPI_SR_INS", "", "stores", CACHED(L1D, WRITE, ACCESS)},
	{"L1-dcache-load-misses", "PAPI_L1_DCM", "", "loads that the first cache had not", CACHED(L1D, READ, MISS)},
	{"L1-icache-load-misses", "PAPI_L1_ICM", "", "instructions that the first cache had not", CACHED(L1I, READ, MISS)},
	{"LLC-loads", "PAPI_L3_DCR", "", "loads from the last cache", CACHED(LL, READ, ACCESS)},
	{"LLC-load-misses", "PAPI_L3_LDM", "", "loads that no cache had", CACHED(LL, READ, MISS)},
	{"LLC-store-misses", "PAPI_L3_STM", "", "stores that no cache had", CACHED(LL, WRITE, MISS)},
	{"dTLB-load-misses", "PAPI_TLB_DM", "", "loads whose page was not at hand", CACHED(DTLB, READ, MISS)},
	{"iTLB-load-misses", "PAPI_TLB_IM", "", "instructions whose page was not at hand", CACHED(ITLB, READ, MISS)},
	{"stalled-cycles-frontend", "PAPI_STL_ICY", "", "cycles without instructions", HARDWARE(STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", "PAPI_RES_STL", "", "cycles without a free unit", HARDWARE(STALLED_CYCLES_BACKEND)},
	{"cpu-migrations", "", "", "moves to another CPU", SOFTWARE(CPU_MIGRATIONS)},
	{"alignment-faults", "", "", "accesses that the kernel had to mend", SOFTWARE(ALIGNMENT_FAULTS)},
	{"page-faults", "", "", "pages that were not mapped", USAGE(FAULTS)},
	{"minor-faults", "", "", "those that were in memory", USAGE(MINOR)},
	{"major-faults", "", "", "those that were read from a disk", USAGE(MAJOR)},
	{"context-switches", "", "", "times that the thread left its CPU", USAGE(SWITCHES)},
	{"voluntary-switches", "", "", "those at which it waited", USAGE(YIELDS)},
	{"involuntary-switches", "", "", "those at which another thread was to run", USAGE(PREEMPTED)},
	{"user-time", "", "ns", "CPU time outside of the kernel", USAGE(USER)},
	{"system-time", "", "ns", "CPU time in the kernel", USAGE(SYSTEM)},
	{"task-clock", "", "ns", "CPU time", USAGE(CLOCK)},
	{"blocks-read", "", "", "blocks of 512 bytes that came from a disk", USAGE(BLOCKS_IN)},
	{"blocks-written", "", "", "blocks of 512 bytes for a disk", USAGE(BLOCKS_OUT)},
	{"rss", "", "bytes", "memory of the process that is in use", LINK_COUNTER_STATM, true, 0, 0},
	{"heap", "", "bytes", "memory that malloc has given out", LINK_COUNTER_HEAP, true, 4, 0},
	{"heap-brk", "", "bytes", "of malloc: taken from the system by brk", LINK_COUNTER_HEAP, true, 0, 0},
	{"heap-mmap", "", "bytes", "of malloc: taken by mmap, for large blocks", LINK_COUNTER_HEAP, true, 1, 0},
	{"heap-used", "", "bytes", "of malloc: given out of what brk gave", LINK_COUNTER_HEAP, true, 2, 0},
	{"heap-free", "", "bytes", "of malloc: free in what brk gave", LINK_COUNTER_HEAP, true, 3, 0},
	{"energy", "", "uJ", "energy of the machine, a counter for each part that tells", MACHINE(ENERGY, 0)},
	{"net-rx", "", "bytes", "that came from the network (net-rx:IF: by one interface)", MACHINE(NET, 0)},
	{"net-tx", "", "bytes", "that went to the network (net-tx:IF: by one interface)", MACHINE(NET, 1)},
	{"mpi_t", "", "", "performance variables of MPI (mpi_t:PATTERN)", MACHINE(MPI_T, 0)},
};
const unsigned link_n_counters = sizeof link_counters / sizeof *link_counters;

int link_counter_open(const struct link_counter *c, pid_t tid, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof attr,
		.type = c->type,
		.config = c->config,
		.exclude_kernel = c->type != PERF_TYPE_SOFTWARE, /* what the kernel does for the program is its own */
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	if (c->source != LINK_COUNTER_PERF)
		return -EINVAL;
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == EACCES && !attr.exclude_kernel) { /* who is not privileged counts for itself only */
		attr.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}
