/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding: samples are few in each instance of a region, but there are many instances; put over each other they tell what happens within one.
 *
 *     instance 1   |·····x··········x···|        time since its begin over its duration
 *     instance 2   |··x·········x·······|
 *     folded       |··x··x······x···x···|   ->   a curve for each counter; who was called when
 */
#ifndef WEFT_ANALYZE_FOLDING_H
#define WEFT_ANALYZE_FOLDING_H

#include "analyze/burst/burst.h"
#include "fold_curve.h"

struct weft_fold_instance {
	uint64_t begin, end;
	uint32_t thread;
	bool used; /* its duration is no outlier */
};
struct weft_fold_frame { /* ids of whoever made them; 0: unknown */
	uint32_t function, line;
};
struct weft_fold_stack { /* a sample of who was called */
	double x;
	uint64_t time;
	uint32_t instance, first, n; /* first, n: in weft_folding.frame, the innermost first */
};
struct weft_fold_counter {
	const char *label; /* of the trace */
	double *x, *y;     /* samples of all instances, used ones and others; by instance, then time. Owned */
	uint32_t *instance;
	size_t n;
	double *total;     /* by instance; NAN: it was not counted there, or nothing was. Owned */
	double mean_total; /* of used instances that counted it; NAN: there is none */
	double rate;       /* per µs: counts of those over their time */
	size_t n_counted;  /* of those */
};
struct weft_fold_rule {
	double times;  /* 1.5 */
	bool use_mean; /* mean ± times · standard deviation; else median ± times · median of the distances from it */
};
struct weft_fold_stats {                 /* ns */
	double middle, spread;           /* median and mad, or mean and stdev */
	double low, high;                /* the interval that stays */
	double used_middle, used_spread; /* of what stays */
	size_t n, used, samples;         /* samples: of counters and stacks, at different times, in all instances */
};
struct weft_folding { /* all owned */
	struct weft_fold_instance *instance;
	uint32_t n;
	struct weft_fold_counter *counter;
	uint32_t n_counters;
	struct weft_fold_stack *stack; /* by x */
	size_t n_stacks;
	struct weft_fold_frame *frame;
	size_t n_frames;
	struct weft_fold_stats stats;
};
struct weft_fold_how {
	const struct weft_counters *counters; /* borrowed */
	struct weft_fold_rule rule;
	/*
	 * Frames of a SAMPLE event, the innermost first, into out (room for `most`); their count, or negative. NULL: such samples are left out. Those of a
	 * .prv (types 30000000… and 30000100…) are taken from it: function and line are its values.
	 */
	int64_t (*frames)(void *arg, uint32_t thread, uint64_t value, struct weft_fold_frame *out, unsigned most);
	void *arg;
};
/*
 * Bursts that lie in another one of their thread are no instances. 0; -ENOMEM, what reading says, or what `frames` says. No instance, or no sample,
 * is a valid result.
 */
int weft_folding_make(struct weft_folding *out, const struct weft_trace *t, const struct weft_bursts *bursts,
                      const struct weft_fold_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void weft_folding_fini(struct weft_folding *f);

/* Of a counter: samples of used instances, by x, and which they are. Owned by the caller: free(x). 0 or -ENOMEM. */
struct weft_fold_taken {
	double *x, *y;
	uint32_t *instance;
	size_t n;
};
int weft_fold_take(const struct weft_folding *f, uint32_t counter, struct weft_fold_taken *out) WEFT_MUST_CHECK;
static inline struct weft_fold_samples weft_fold_samples_of(const struct weft_fold_taken *t)
{
	return (struct weft_fold_samples){t->x, t->y, t->instance, t->n};
}

#endif
