/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrappers of clock_gettime, which is a vDSO call for the first two and a system call for the CPU times; what Linux says of waiting. */
#include "clock.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

uint64_t weft_realtime_offset_ns(void)
{
	enum { TRIES = 8, CLOSE_NS = 500 };
	uint64_t offset = 0, least = UINT64_MAX;
	for (unsigned i = 0; i < TRIES && least > CLOSE_NS; i++) {
		uint64_t before = weft_monotonic_ns(), real = weft_realtime_ns(), took = weft_monotonic_ns() - before;
		if (took >= least)
			continue;
		least = took;
		offset = real - (before + took / 2);
	}
	return offset;
}

uint64_t weft_thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t weft_process_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t weft_cpu_user_ns(uint64_t total_ns, uint64_t user_ticks_ns, uint64_t system_ticks_ns)
{
	double ticks = (double)user_ticks_ns + (double)system_ticks_ns;
	if (!system_ticks_ns)
		return total_ns;
	uint64_t user_ns = (uint64_t)((double)total_ns * ((double)user_ticks_ns / ticks));
	return user_ns < total_ns ? user_ns : total_ns;
}

/* The kernel's numbers of a process's CPU clocks: linux/posix-timers.h, which programs do not see. */
static bool cpu_clock_ns(pid_t pid, unsigned which, uint64_t *out)
{
	struct timespec t;
	if (clock_gettime((clockid_t)(~(unsigned)pid << 3 | which), &t))
		return false;
	*out = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return true;
}

bool weft_process_cpu_time(pid_t pid, struct weft_cpu_time *out)
{
	enum { BOTH_BY_TICKS, USER_BY_TICKS, SCHEDULED };
	uint64_t both, user;
	*out = (struct weft_cpu_time){0};
	if (!cpu_clock_ns(pid, BOTH_BY_TICKS, &both) || !cpu_clock_ns(pid, USER_BY_TICKS, &user) ||
	    !cpu_clock_ns(pid, SCHEDULED, &out->total_ns))
		return false;
	out->user_ns = weft_cpu_user_ns(out->total_ns, user, both > user ? both - user : 0);
	return true;
}

uint64_t weft_process_delay_ns(pid_t pid)
{
	char path[48] = "/proc/self/schedstat", text[80] = "";
	if (pid)
		snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	/* Time that it ran, time that it waited, how often. */
	const char *second = n > 0 ? strchr(text, ' ') : NULL;
	return second ? strtoull(second, NULL, 10) : 0;
}
