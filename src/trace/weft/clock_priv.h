/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a process's ticks to the trace's axis. A stream has samples of (ticks, CLOCK_MONOTONIC, CLOCK_REALTIME); streams with the
 * same boot (and time namespace) form a domain, whose CLOCK_MONOTONIC they share; domains meet at sync points, else by
 * CLOCK_REALTIME. The result for each stream is a clock: a line through knots, that never goes back.
 *
 *     ticks --samples--> monotonic of the domain --sync points, or the time of day--> axis
 */
#ifndef WEFT_TRACE_CLOCK_PRIV_H
#define WEFT_TRACE_CLOCK_PRIV_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct clock_sample {
	uint64_t ticks, monotonic, realtime;
};
struct clock_sync {
	uint64_t ticks, key, uncertainty;
};
struct clock_knot {
	uint64_t ticks;
	int64_t ns;
	uint64_t slope; /* ns per tick from here on, times 2^56 */
};
struct clock_line {
	WEFT_VEC(struct clock_knot) knot; /* by ticks; at least one */
};

struct clock_stream {
	/* in */
	WEFT_VEC(struct clock_sample) sample; /* in any order */
	WEFT_VEC(struct clock_sync) sync;
	double ticks_per_ns;                                   /* first estimate, 0: none */
	uint64_t start_ticks, start_monotonic, start_realtime; /* of the header; all 0: none */
	const char *domain;                                    /* boot id, or something of the stream's own */
	bool offline;                                          /* ticks are the axis */
	/* out */
	struct clock_line line;
	uint64_t n_rejected; /* samples that cannot be true */
	double drift_ppm;    /* the most that the slope between two samples differs from the mean one */
	bool guessed;        /* no sample and no estimate: a tick is taken for a nanosecond */
};
struct clock_tie { /* an instant of a stream whose domain no sync point ties: on the axis as the time of day makes it, and where it belongs */
	uint32_t stream;
	int64_t from, to;
};
struct clock_report {
	uint64_t realtime_at_0;       /* CLOCK_REALTIME where the axis is 0; 0: unknown */
	uint32_t n_domains, n_synced; /* domains besides the first; those of them that sync points tie to it */
	bool offline;                 /* the axis is that of offline streams */
	bool axis_is_realtime;        /* ns since 1970 */
};

struct clock_ties {
	const struct clock_tie *at;
	uint32_t n;
};
/* Makes all lines. The axis is CLOCK_REALTIME of the first domain in ns, or that of the offline streams. Ties may be NULL. 0 or -ENOMEM. */
int clock_align_tied(struct clock_stream *const *streams, uint32_t n, const struct clock_ties *ties,
                     struct clock_report *report) WEFT_MUST_CHECK;
static inline int clock_align(struct clock_stream *const *streams, uint32_t n, struct clock_report *report)
{
	return clock_align_tied(streams, n, NULL, report);
}
void clock_stream_fini(struct clock_stream *s);

#define CLOCK_SHIFT 56 /* of slopes */
#define CLOCK_HALF (UINT64_C(1) << (CLOCK_SHIFT - 1))
#define CLOCK_FAR (INT64_C(1) << 61) /* no two times are further apart: garbage in a stream must not overflow */

/* ticks times slope, rounded. */
static inline int64_t clock_scale(uint64_t ticks, uint64_t slope)
{
	unsigned __int128 ns = ((unsigned __int128)ticks * slope + CLOCK_HALF) >> CLOCK_SHIFT;
	return ns < (unsigned __int128)CLOCK_FAR ? (int64_t)ns : CLOCK_FAR;
}

/* Never decreases with ticks. `hint` keeps the last segment between calls: nearly always the right one. O(1) then. */
static inline int64_t clock_ns(const struct clock_line *l, uint64_t ticks, uint32_t *hint)
{
	const struct clock_knot *k = l->knot.at;
	uint32_t i = *hint;
	while (i + 1 < l->knot.n && ticks >= k[i + 1].ticks)
		i++;
	while (i > 0 && ticks < k[i].ticks)
		i--;
	*hint = i;
	if (ticks >= k[i].ticks)
		return k[i].ns + clock_scale(ticks - k[i].ticks, k[i].slope);
	return k[i].ns - clock_scale(k[i].ticks - ticks, k[i].slope);
}

#endif
