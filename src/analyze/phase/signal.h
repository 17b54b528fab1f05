/* SPDX-License-Identifier: Apache-2.0 */
/* What a program does as one function of time, in which iterations show: how many threads compute, how long what they compute lasts, how often they call. */
#ifndef WEFT_ANALYZE_SIGNAL_H
#define WEFT_ANALYZE_SIGNAL_H

#include "analyze/burst/burst.h"

enum weft_signal_of {
	WEFT_SIGNAL_COMPUTING, /* threads in a burst */
	WEFT_SIGNAL_DURATIONS, /* sum of the durations of the bursts in which threads are, ms */
	WEFT_SIGNAL_CALLS,     /* ends of bursts a second: calls of the runtime */
	WEFT_SIGNALS
};
extern const char *const weft_signal_names[WEFT_SIGNALS];

struct weft_signal { /* its integral: at time[i] it is sum[i]; between them a line, or (step) what it was. Owned */
	uint64_t *time;
	double *sum;
	size_t n;
	bool step;
};
/* Of a trace that ends at `end`. Very short bursts (of COMPUTING end/10^7, of DURATIONS end/10^5) are left out. 0 or -ENOMEM. */
int weft_signal_make(struct weft_signal *out, const struct weft_bursts *b, enum weft_signal_of of, uint64_t end) WEFT_MUST_CHECK;
void weft_signal_fini(struct weft_signal *s);
/* Means over n equal parts of [from, to). O(n + what lies in it). */
void weft_signal_sample(const struct weft_signal *s, double from, double to, size_t n, double *out);
/* Values at n places, the first at from, `step` apart. Of one that is no step. */
void weft_signal_values(const struct weft_signal *s, double from, double step, size_t n, double *out);

#endif
