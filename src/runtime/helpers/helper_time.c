/* SPDX-License-Identifier: Apache-2.0 */
/* Time in microseconds, from about the first call of the process on; sleeping. */
#include "base/atomic.h"
#include "runtime/meter/virtual_time.h"
#include <starpu.h>
#include <errno.h>

static struct weft_atomic_u64 reference_ns; /* 0: not yet */

/* A microsecond before the first call: no time is 0, which says "none" in many places. */
static uint64_t reference_at(uint64_t now)
{
	uint64_t found = weft_load_u64(&reference_ns), first = now - 1000;
	return found || !weft_cas_u64(&reference_ns, &found, first) ? found : first;
}

double starpu_timing_get_reference(void)
{
	return (double)reference_at(rt_time_ns()) / 1e3;
}

double starpu_timing_now(void)
{
	uint64_t now = rt_time_ns();
	return (double)(int64_t)(now - reference_at(now)) / 1e3;
}

static void (*sleeps)(uint64_t ns);

void rt_sleeps_by(void (*how)(uint64_t ns))
{
	sleeps = how;
}

static void sleep_ns(double ns)
{
	if (sleeps) {
		sleeps(ns > 0 ? (uint64_t)ns : 0);
		return;
	}
	struct timespec left = {.tv_sec = (time_t)(ns / 1e9)};
	left.tv_nsec = (long)(ns - (double)left.tv_sec * 1e9);
	while (ns > 0 && nanosleep(&left, &left) && errno == EINTR)
		;
}

void starpu_sleep(float nb_sec)
{
	sleep_ns((double)nb_sec * 1e9);
}

void starpu_usleep(float nb_micro_sec)
{
	sleep_ns((double)nb_micro_sec * 1e3);
}
