/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrappers of clock_gettime, which is a vDSO call for the first two and a system call for the CPU times. */
#include "clock.h"
#include <time.h>

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;
	if (clock_gettime(id, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t weft_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t weft_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t weft_thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t weft_process_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
