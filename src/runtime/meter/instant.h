/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time for those who ask for every task: nanoseconds as CLOCK_MONOTONIC has them, read from the time stamp counter where the
 * kernel takes its own time from that, in 8 ns instead of 25. Its rate is measured, and corrected by and by so that the time neither
 * jumps nor runs away from the kernel's (by more than a microsecond, but for the first moments).
 */
#ifndef WEFT_RUNTIME_METER_INSTANT_H
#define WEFT_RUNTIME_METER_INSTANT_H

#include "base/atomic.h"

/* From `ticks` on time is ns + (ticks since then) * rate / 2^32, for so many ticks. */
struct rt_instant {
	struct weft_atomic_u32 version; /* odd: the others are being changed, or there is no such clock */
	struct weft_atomic_u64 ticks, ns, rate, most;
};
extern struct rt_instant rt_instant;

void rt_instant_begin(void); /* looks whether the counter may be used; the first call counts */
uint64_t rt_instant_slow(void);

static inline uint64_t rt_instant_ns(void)
{
#if defined __x86_64__
	uint32_t version = weft_load_u32(&rt_instant.version);
	uint64_t ticks = weft_load_u64(&rt_instant.ticks), ns = weft_load_u64(&rt_instant.ns),
		 rate = weft_load_u64(&rt_instant.rate), most = weft_load_u64(&rt_instant.most);
	uint64_t since = __builtin_ia32_rdtsc() - ticks;
	/* Read again: they belong together. */
	if (__builtin_expect(!(version & 1) && since < most && weft_load_u32(&rt_instant.version) == version, 1))
		return ns + (uint64_t)((unsigned __int128)since * rate >> 32);
#endif
	return rt_instant_slow();
}

#endif
