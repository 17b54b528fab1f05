/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which clock stamps the events, and how its ticks relate to time.
 *
 * The TSC is used where it can be trusted (rec_trust.c). Else CLOCK_MONOTONIC, whose ticks are nanoseconds.
 * All access goes through rec.clock, a table of functions, which tests replace to make clocks jump.
 */
#include "rec_priv.h"
#include "rec_trust.h"
#include "base/clock.h"

#define SAMPLE_TRIES 5

#if defined __x86_64__
static uint64_t clock_tsc(void)
{
	return __builtin_ia32_rdtsc();
}
#endif

void rec_clock_choose(struct rec_clock *out, const char **why)
{
	struct rec_tsc_facts facts;
	*out = (struct rec_clock){WEFT_CLOCK_MONOTONIC, weft_monotonic_ns, weft_monotonic_ns, weft_realtime_ns};
	rec_tsc_look(&facts);
	bool trusted = rec_tsc_trusted(&facts, why);
#if defined __x86_64__
	if (trusted) {
		out->kind = WEFT_CLOCK_TSC;
		out->ticks = clock_tsc;
	}
#else
	(void)trusted;
#endif
}

struct rec_sample rec_clock_sample(void)
{
	const struct rec_clock *c = &rec.clock;
	struct rec_sample best = {0};
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < SAMPLE_TRIES; i++) {
		uint64_t before = c->ticks();
		uint64_t monotonic = c->monotonic_ns();
		uint64_t after = c->ticks();
		uint64_t realtime = c->realtime_ns();
		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct rec_sample){before + least / 2, monotonic, realtime};
	}
	if (c->kind == WEFT_CLOCK_MONOTONIC)
		best.ticks = best.monotonic_ns;
	return best;
}

double rec_clock_rate(const struct rec_sample *from, const struct rec_sample *to)
{
	if (to->monotonic_ns <= from->monotonic_ns || to->ticks <= from->ticks)
		return 0;
	return (double)(to->ticks - from->ticks) / (double)(to->monotonic_ns - from->monotonic_ns);
}

uint64_t weft_ticks_slow(void)
{
	if (!rec.clock.ticks)
		return weft_monotonic_ns();
	return rec.clock.ticks();
}
