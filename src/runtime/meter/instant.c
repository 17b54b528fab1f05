/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choosing the clock, and keeping it right. Whoever finds that a stretch is over begins the next one: at the time that the last one
 * says, so that nothing jumps, and with a rate by which it will have met the kernel's clock when the next one is over. Meanwhile, and
 * until the rate is known, the others ask the kernel.
 */
#include "instant.h"
#include "virtual_time.h"
#include "base/clock.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

struct rt_instant rt_instant = {.version = {1}};

#if defined __x86_64__
enum { FIRST_NS = 1000000, LONGEST_NS = 1000000000, LOST_NS = 1000000, TRIES = 5 };

struct sample {
	uint64_t ticks, ns;
};
static struct {
	pthread_mutex_t lock;
	bool usable;         /* there is such a counter */
	struct sample first; /* from when on its rate is measured */
	struct sample last;  /* where the stretch of now began, by the kernel */
} my = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Both clocks at once: the pair between whose halves the least time passed. */
static struct sample sample_take(void)
{
	struct sample best = {0};
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __builtin_ia32_rdtsc(), ns = weft_monotonic_ns(), took = __builtin_ia32_rdtsc() - before;
		if (took < least)
			best = (struct sample){before + took / 2, ns};
		least = took < least ? took : least;
	}
	return best;
}

/* The kernel takes its own time from it: then it is one clock for all processors, and runs at one rate. */
static bool is_the_kernels(void)
{
	char text[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	return n > 0 && !strcmp(text, "tsc\n");
}

static bool may_be_read(void)
{
	int mode = PR_TSC_ENABLE;
	unsigned a, b, c, d;
	bool is_invariant = __get_cpuid(0x80000007U, &a, &b, &c, &d) && d & 1U << 8;
	return is_invariant && (prctl(PR_GET_TSC, &mode, 0, 0, 0) || mode == PR_TSC_ENABLE);
}

static void find_counter(void)
{
	my.usable = may_be_read() && is_the_kernels();
	my.first = my.last = sample_take();
}

void rt_instant_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (!rt_simulated.is) /* else it is never begun, and all ask the slow way */
		pthread_once(&once, find_counter);
}

static void stretch_begin(struct sample from, double rate, uint64_t ticks_most)
{
	uint32_t version = weft_load_u32(&rt_instant.version);
	weft_store_u32(&rt_instant.version, version | 1);
	weft_store_u64(&rt_instant.ticks, from.ticks);
	weft_store_u64(&rt_instant.ns, from.ns);
	weft_store_u64(&rt_instant.rate, (uint64_t)(rate * 0x1p32));
	weft_store_u64(&rt_instant.most, ticks_most);
	weft_store_u32(&rt_instant.version, (version | 1) + 1);
}

/* What the clock of now would say at these ticks. */
static uint64_t would_be(uint64_t ticks)
{
	return weft_load_u64(&rt_instant.ns) +
	       (uint64_t)((unsigned __int128)(ticks - weft_load_u64(&rt_instant.ticks)) * weft_load_u64(&rt_instant.rate) >> 32);
}

/* With the lock. The counter stood still, or the machine did: what is known is forgotten. */
static void begin_anew(struct sample now)
{
	my.first = my.last = now;
	weft_store_u32(&rt_instant.version, weft_load_u32(&rt_instant.version) | 1);
}

/* With the lock. */
static uint64_t go_on(struct sample now)
{
	uint64_t passed = now.ns - my.first.ns, stretch = now.ns - my.last.ns;
	bool runs = !(weft_load_u32(&rt_instant.version) & 1);
	if (passed < FIRST_NS)
		return now.ns;
	if (now.ticks <= my.last.ticks) {
		begin_anew(now);
		return now.ns;
	}
	double rate = (double)passed / (double)(now.ticks - my.first.ticks);
	uint64_t next = stretch * 10 < LONGEST_NS ? stretch * 10 : LONGEST_NS, from = runs ? would_be(now.ticks) : now.ns;
	int64_t behind = (int64_t)(now.ns - from);
	my.last = now;
	if (behind > LOST_NS || behind < -LOST_NS) {
		begin_anew(now);
		return now.ns;
	}
	stretch_begin((struct sample){now.ticks, from}, rate * (1 + (double)behind / (double)next),
	              (uint64_t)((double)next / rate));
	return from;
}

/* A counter of another processor may be some ticks behind where a stretch began. */
static bool is_before_the_stretch(void)
{
	return !(weft_load_u32(&rt_instant.version) & 1) &&
	       (int64_t)(__builtin_ia32_rdtsc() - weft_load_u64(&rt_instant.ticks)) < 0;
}

uint64_t rt_instant_slow(void)
{
	if (rt_simulated.is)
		return rt_time_ns();
	if (!my.usable || pthread_mutex_trylock(&my.lock))
		return weft_monotonic_ns();
	uint64_t now = is_before_the_stretch() ? weft_load_u64(&rt_instant.ns) : go_on(sample_take());
	pthread_mutex_unlock(&my.lock);
	return now;
}
#else
void rt_instant_begin(void)
{
}

uint64_t rt_instant_slow(void)
{
	return rt_time_ns();
}
#endif
