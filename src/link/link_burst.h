/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts of computation (WEFT_BURSTS=NS) in place of calls, for libraries that record a runtime: what lies between two bursts is one region.
 *
 * Which call is the last one before a burst is known only when the next comes. So each call's end writes the region's end, with its
 * statistics, as one record; and a call that comes too early for a burst takes it back: the words are zeroed, then the thread's place is moved
 * back. A signal handler that records between the two keeps its event behind: then the record is put back, and the region is begun anew.
 */
#ifndef WEFT_LINK_BURST_H
#define WEFT_LINK_BURST_H

#include "base/clock.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdlib.h>
#include <weft/record.h>

struct link_burst {
	uint64_t ns; /* the threshold; 0: calls are recorded */
	uint64_t ticks;
	double ticks_per_ns;
};

/* By a look at both clocks, once. */
static inline double link_burst_clock(void)
{
	enum { LOOK_NS = 100000 };
	uint64_t ticks = weft_ticks(), from_ns = weft_monotonic_ns(), passed_ns;
	while ((passed_ns = weft_monotonic_ns() - from_ns) < LOOK_NS)
		;
	return (double)(weft_ticks() - ticks) / (double)passed_ns;
}

/* What the environment asks for; false: no bursts. */
static inline bool link_burst_begin(struct link_burst *b)
{
	const char *text = getenv("WEFT_BURSTS");
	if (!text || weft_parse_u64(weft_str(text), &b->ns) || !b->ns) {
		b->ns = 0;
		return false;
	}
	b->ticks_per_ns = link_burst_clock();
	b->ticks = (uint64_t)((double)b->ns * b->ticks_per_ns);
	return true;
}

static inline uint64_t link_burst_in_ns(const struct link_burst *b, uint64_t ticks)
{
	return (uint64_t)((double)ticks / b->ticks_per_ns);
}

/* The record at the end of what this thread has written, if it may be taken back. */
struct link_burst_last {
	uintptr_t at, end; /* at 0: it may not, or there is none */
};

static inline void link_burst_record(struct link_burst_last *last, struct weft_bundle *b)
{
	uintptr_t at = *(volatile uintptr_t *)&weft_thread_1.at, words = b->n < 16 ? b->n : b->n + 1;
	weft_bundle_record(b);
	last->end = *(volatile uintptr_t *)&weft_thread_1.at;
	/* Where something else was written with it, that stays. */
	last->at = last->end == at + 8 * words ? at : 0;
}

/* False: it has to stay. */
static inline bool link_burst_take_back(struct link_burst_last *last)
{
	uint64_t kept[WEFT_BUNDLE_WORDS + 1];
	volatile uint64_t *word = (volatile uint64_t *)last->at;
	unsigned n = (unsigned)((last->end - last->at) / 8);
	if (!last->at || *(volatile uintptr_t *)&weft_thread_1.at != last->end)
		return false;
	for (unsigned i = 0; i < n; i++)
		kept[i] = word[i];
	for (unsigned i = 0; i < n; i++)
		word[i] = 0;
	if (weft_claim(&weft_thread_1.at, last->end, last->at))
		return true;
	for (unsigned i = n; i-- > 0;)
		word[i] = kept[i];
	return false;
}

#endif
