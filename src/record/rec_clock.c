/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which clock stamps the events, and how its ticks relate to time.
 *
 * The TSC is used where it can be trusted: the CPU says that it is invariant (it runs at one rate in all power states), the
 * kernel still lists it as a clock source (it takes it off the list when it sees cores disagree, or drift against another
 * clock), and the process may read it (prctl PR_SET_TSC can forbid it). Else CLOCK_MONOTONIC, whose ticks are nanoseconds.
 * All access goes through rec.clock, a table of functions, which tests replace to make clocks jump.
 */
#include "rec_priv.h"
#include "base/clock.h"
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#define SAMPLE_TRIES 5

#if defined __x86_64__
static uint64_t clock_tsc(void)
{
	return __rdtsc();
}

static bool clock_tsc_invariant(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

static bool clock_tsc_readable(void)
{
	int mode = PR_TSC_ENABLE;
	return prctl(PR_GET_TSC, &mode, 0, 0, 0) != 0 || mode == PR_TSC_ENABLE;
}

/* The kernel lists tsc among "tsc hpet acpi_pm" as long as it trusts it itself. */
static bool clock_tsc_listed(void)
{
	char text[256];
	int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	struct weft_str rest = weft_str_trim(weft_str_n(text, n > 0 ? (size_t)n : 0)), word;
	while (weft_str_cut(&rest, ' ', &word))
		if (weft_str_eq(word, "tsc"))
			return true;
	return false;
}

static const char *clock_why_not_tsc(void)
{
	if (!clock_tsc_invariant())
		return "the cpu's time stamp counter is not invariant";
	if (!clock_tsc_listed())
		return "the kernel does not trust the time stamp counter";
	if (!clock_tsc_readable())
		return "the process may not read the time stamp counter";
	return NULL;
}
#else
static const char *clock_why_not_tsc(void)
{
	return "this cpu has no time stamp counter that is known";
}
#endif

void rec_clock_choose(struct rec_clock *out, const char **why)
{
	*out = (struct rec_clock){WEFT_CLOCK_MONOTONIC, weft_monotonic_ns, weft_monotonic_ns, weft_realtime_ns};
	*why = clock_why_not_tsc();
#if defined __x86_64__
	if (!*why) {
		out->kind = WEFT_CLOCK_TSC;
		out->ticks = clock_tsc;
		*why = "the time stamp counter is invariant, and the kernel trusts it";
	}
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
