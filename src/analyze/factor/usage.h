/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads did with their time, by stretches of time: computing, in MPI, in parallel regions, and counters of what they computed.
 * All factors of efficiency are made of these sums.
 *
 *     edge     0        1             2       3
 *     thread   ├─useful─┼──MPI─┬useful┼───────┤        sum[WEFT_USAGE_USEFUL][thread * n_bins + bin]
 *
 * One walk over each thread and metric, threads in parallel; the sums do not depend on how many work.
 */
#ifndef WEFT_ANALYZE_USAGE_H
#define WEFT_ANALYZE_USAGE_H

#include "base/err.h"
#include "metric/func/metric.h"

enum weft_usage_of {
	WEFT_USAGE_USEFUL,          /* time in state Running */
	WEFT_USAGE_MPI,             /* time in calls of MPI */
	WEFT_USAGE_P2P,             /* of these, point-to-point */
	WEFT_USAGE_COLLECTIVE,      /* and collective */
	WEFT_USAGE_PARALLEL,        /* time in parallel regions, on the thread that begins them */
	WEFT_USAGE_PARALLEL_USEFUL, /* of that, useful */
	WEFT_USAGE_OFFLOAD,         /* time in calls that give work to accelerators, or wait for them */
	WEFT_USAGE_INSTRUCTIONS,    /* while useful */
	WEFT_USAGE_CYCLES,          /* while useful */
	WEFT_USAGES
};
const char *weft_usage_name(enum weft_usage_of of);

struct weft_usage {
	const struct weft_space *space;  /* borrowed */
	uint32_t n_threads, n_processes; /* that there are; bystanders (weft_space_is_bystander) are none */
	uint32_t *row;                   /* by thread: its row in the space; owned */
	uint32_t *process_of;            /* by thread, from 0 on without gaps; owned */
	uint32_t *node_of;               /* by row, WEFT_NONE: unknown; borrowed from the space */
	uint32_t n_bins;
	double *edge; /* n_bins + 1 of them, rising, in the trace's units; owned */
	/* [thread * n_bins + bin], times in ns; owned; NULL: the trace says nothing of the kind. */
	double *sum[WEFT_USAGES];
	uint32_t
		n_devices; /* threads that stand for accelerators (called CUDA, HIP, OpenCL … in the trace): none of the threads above */
	uint32_t *device_row;             /* owned */
	double *kernel, *copy;            /* [device * n_bins + bin], ns: running, transferring memory; owned */
	uint64_t *messages[2], *bytes[2]; /* by bin of the send's end: inside of nodes, between nodes; owned */
};
/*
 * edge: n_bins + 1 rising times in the trace's units (copied); threads: 0 for all. 0, -ENOMEM or what reading gave; then fini all the
 * same.
 */
int weft_usage_measure(struct weft_usage *u, const struct weft_space *s, const double *edge, uint32_t n_bins, unsigned threads,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* What the bins hold together, each times its weight (0: not at all), becomes that of the only bin, as long as they are together. */
void weft_usage_merge(struct weft_usage *u, const double *weight);
void weft_usage_fini(struct weft_usage *u);
/* 0 where the trace has nothing of the kind. */
static inline double weft_usage_at(const struct weft_usage *u, enum weft_usage_of of, uint32_t thread, uint32_t bin)
{
	return u->sum[of] ? u->sum[of][(size_t)thread * u->n_bins + bin] : 0;
}
/* Length of a bin in ns. */
double weft_usage_length(const struct weft_usage *u, uint32_t bin);
/* Whether the thread is the first one of its process. */
bool weft_usage_is_first(const struct weft_usage *u, uint32_t thread);

#endif
