/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well workers were used, as factors that multiply to the whole: of the time that workers had, what is left after one cause of loss
 * and the next one has been taken away.
 *
 *     all time of workers   |work           |runtime|scheduling|transfers|late|starved|
 *     runtime = work / (work + runtime),  scheduling = (work + runtime) / (work + runtime + scheduling),  ...
 *
 * The product of all is work / all time, times what the tasks' own time would have been (the reference) / what it was.
 */
#ifndef WEFT_GRAPH_EFFICIENCY_H
#define WEFT_GRAPH_EFFICIENCY_H

#include "base/err.h"
#include <stdint.h>

enum weft_effort {
	WEFT_EFFORT_WORK,       /* in tasks */
	WEFT_EFFORT_RUNTIME,    /* callbacks, ends of tasks, hooks, submitting */
	WEFT_EFFORT_SCHEDULING, /* in the policy */
	WEFT_EFFORT_TRANSFER,   /* waiting for data, copying, allocating */
	WEFT_EFFORT_LATE,       /* idle while a task was ready for it */
	WEFT_EFFORT_STARVED,    /* idle while none was */
	WEFT_EFFORTS
};
extern const char *const weft_effort_names[WEFT_EFFORTS];

struct weft_efficiency_factor {
	const char *name;
	unsigned lost;       /* efforts (bits) that it counts as loss; 0: the tasks' own time against a reference */
	const char *meaning; /* what a small value says */
};
/* StarPU's four, and six that tell transfers, late starts and missing parallelism apart; both multiply to the same. */
enum { WEFT_EFFICIENCY_CLASSIC = 4, WEFT_EFFICIENCY_FINE = 6 };
extern const struct weft_efficiency_factor weft_efficiency_classic[WEFT_EFFICIENCY_CLASSIC],
	weft_efficiency_fine[WEFT_EFFICIENCY_FINE];

/*
 * The factors' values (n of them) of these times in ns; reference: what the work would have taken, < 0 for none, which counts as 1. Returns
 * their product; what has no time at all is 1.
 */
double weft_efficiency(const struct weft_efficiency_factor *factor, unsigned n, const double effort[WEFT_EFFORTS],
                       double reference, double *value);

/*
 * Idle time divided: where I workers idle and R tasks are ready, min(I, R) of them could have worked. `late` gets for each kind of worker
 * its part of that, in ns * workers, `starved` the rest. The steps are sorted. O(n log n).
 */
enum { WEFT_IDLE_KINDS = 8 };
struct weft_idle_step {
	uint64_t at;
	int32_t idle, ready; /* how many more or fewer from then on */
	uint32_t kind;       /* of the idle workers */
};
void weft_idle_split(struct weft_idle_step *step, size_t n, uint64_t from, uint64_t to, double late[WEFT_IDLE_KINDS],
                     double starved[WEFT_IDLE_KINDS]);

#endif
