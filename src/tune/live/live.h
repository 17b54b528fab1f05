/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metric expressions as model parameters: the events of a tunlet so far are a trace, and the
 * analysis engine computes on it what it would on one that was recorded.
 *
 *     [STATISTIC of] METRIC     last (as without), average, maximum, minimum: over time, from the first event to the instant that is asked for
 *
 * METRIC is an expression of docs/views.md; types of events are called as in the trace of a tuned
 * run: "tunlet.event" with the value 1, and "tunlet.event.attribute". Rows are processes; they are
 * added up where the expression does not say otherwise.
 */
#ifndef WEFT_TUNE_LIVE_H
#define WEFT_TUNE_LIVE_H

#include "base/err.h"
#include "metric/func/metric.h"
#include <stdbool.h>

/* Whether it can be read; names of types are not looked at. */
int live_check(const char *expression, struct weft_err *err) WEFT_MUST_CHECK;
/* On any trace, from `from` to `at` in ns of its axis. WEFT_E_SYNTAX, or what the engine says. */
int live_compute(const struct weft_space *s, const char *expression, double from, double at, double *out,
                 struct weft_err *err) WEFT_MUST_CHECK;

struct live; /* events so far */

int live_new(struct live **out) WEFT_MUST_CHECK;
void live_free(struct live *l);
struct live_point {
	int64_t process;
	uint64_t time;    /* ns, of any clock, from 0 */
	const char *name; /* of its type; copied */
	bool real;        /* d is the value, else i */
	int64_t i;
	double d;
};
int live_add(struct live *l, const struct live_point *p) WEFT_MUST_CHECK;
/*
 * With all events up to `at`. A trace is made for it: some milliseconds, and 0.3 us an event.
 * -ENODATA: there is no event yet.
 */
int live_value(struct live *l, const char *expression, uint64_t at, double *out, struct weft_err *err) WEFT_MUST_CHECK;

#endif
