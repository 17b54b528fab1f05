/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a runtime that is simulated (STARPU_SIMULATED): it stands still but where a task or a transfer takes some. Whether it
 * is simulated is known from when the library is loaded, so that no program sees two clocks.
 *
 * STARPU_SIMULATED says it; or, where it says nothing, a machine that is there to be simulated: STARPU_HOSTNAME names one whose bus
 * files in STARPU_PERF_MODEL_DIR have one beside them that tells of it, HOST.machine.
 */
#ifndef WEFT_RUNTIME_METER_VIRTUAL_TIME_H
#define WEFT_RUNTIME_METER_VIRTUAL_TIME_H

#include "base/atomic.h"
#include "base/clock.h"
#include <stdbool.h>

struct rt_simulated {
	bool is; /* written before main() */
	struct weft_atomic_u64 now_ns;
};
extern struct rt_simulated rt_simulated;

/* The time of the runtime and of programs that ask it. */
static inline uint64_t rt_time_ns(void)
{
	return WEFT_UNLIKELY(rt_simulated.is) ? weft_load_relaxed_u64(&rt_simulated.now_ns) /* a number that is said */
	                                      : weft_monotonic_ns();
}

/* helpers/helper_time.c: what starpu_sleep does from now on; NULL: the thread sleeps. */
void rt_sleeps_by(void (*how)(uint64_t ns));

#endif
