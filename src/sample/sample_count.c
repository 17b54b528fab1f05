/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters, read with each tick: what has been since the tick before. Those of getrusage need nothing; those of perf_event_open a
 * descriptor for each thread, which a program may close, and whose number may then be a file of its own. Therefore it has a high number, and is
 * asked for its identity each time before it is read or closed.
 *
 * The kernel takes turns when there are more events than the hardware has counters: a value is then projected to the whole time, and the
 * point "counted" (per cent) says how much of it was seen.
 */
#include "sample_priv.h"
#include "base/str.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTOR_LEAST = 600, PER_CENT = 100 };

static struct {
	unsigned n;
	const struct link_counter *of[LINK_COUNTERS_MOST];
	weft_counter counter[LINK_COUNTERS_MOST];
	weft_type counted;
	bool usage; /* some come from getrusage */
} counts;

unsigned sample_counters(void)
{
	return counts.n;
}

void sample_count_define(void)
{
	const char *list = secure_getenv("WEFT_COUNTERS");
	struct weft_str rest = weft_str(list ? list : ""), part;
	weft_category c = weft_define_category("counters", 1);
	counts.counted = weft_define_type("counted", "%", c);
	while (rest.n && counts.n < LINK_COUNTERS_MOST && weft_str_cut(&rest, ',', &part)) {
		const struct link_counter *of = link_counter_find(part);
		if (!of)
			continue;
		counts.of[counts.n] = of;
		counts.counter[counts.n++] = weft_define_counter(of->name, of->unit, c);
		counts.usage |= of->source == LINK_COUNTER_USAGE;
	}
}

/* ---- descriptors ---- */

static bool is_ours(const struct sample_counter *c)
{
	uint64_t id;
	return c->fd >= 0 && ioctl(c->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == c->id;
}

static void counter_open(struct sample_counter *c, const struct link_counter *of, pid_t tid)
{
	int low = link_counter_open(of, tid);
	*c = (struct sample_counter){.fd = -1};
	if (low < 0)
		return;
	int high = fcntl(low, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	(void)close(low);
	c->fd = high;
	if (high >= 0 && ioctl(high, PERF_EVENT_IOC_ID, &c->id)) {
		(void)close(high);
		c->fd = -1;
	}
}

void sample_count_begin(struct sample_thread *t)
{
	for (unsigned i = 0; i < counts.n; i++) {
		t->counter[i] = (struct sample_counter){.fd = -1};
		if (counts.of[i]->source == LINK_COUNTER_PERF)
			counter_open(&t->counter[i], counts.of[i], t->tid);
	}
}

void sample_count_end(struct sample_thread *t)
{
	for (unsigned i = 0; i < counts.n; i++) {
		if (is_ours(&t->counter[i]))
			(void)close(t->counter[i].fd);
		t->counter[i].fd = -1;
	}
}

/* ---- reading ---- */

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static uint64_t usage_of(const struct rusage *u, unsigned what)
{
	struct timespec now = {0, 0};
	if (what == LINK_USAGE_CLOCK)
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	const uint64_t value[LINK_USAGES] = {
		[LINK_USAGE_FAULTS] = (uint64_t)u->ru_minflt + (uint64_t)u->ru_majflt,
		[LINK_USAGE_MINOR] = (uint64_t)u->ru_minflt,
		[LINK_USAGE_MAJOR] = (uint64_t)u->ru_majflt,
		[LINK_USAGE_SWITCHES] = (uint64_t)u->ru_nvcsw + (uint64_t)u->ru_nivcsw,
		[LINK_USAGE_YIELDS] = (uint64_t)u->ru_nvcsw,
		[LINK_USAGE_PREEMPTED] = (uint64_t)u->ru_nivcsw,
		[LINK_USAGE_USER] = ns_of(u->ru_utime),
		[LINK_USAGE_SYSTEM] = ns_of(u->ru_stime),
		[LINK_USAGE_CLOCK] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
	};
	return value[what];
}

/* Pages in use: the second number. */
static bool read_rss(uint64_t *out)
{
	char text[128];
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
	if (fd >= 0)
		(void)close(fd);
	uint64_t pages = 0;
	ssize_t i = 0;
	while (i < n && text[i] != ' ')
		i++;
	for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (uint64_t)(text[i] - '0');
	*out = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return pages > 0;
}

/* What it has counted since the last time, projected where it was not counting all the time. */
static bool read_event(struct sample_counter *c, uint64_t *out, uint64_t *per_cent)
{
	struct {
		uint64_t value, enabled, running;
	} now;
	if (!is_ours(c) || read(c->fd, &now, sizeof now) != (ssize_t)sizeof now)
		return false;
	uint64_t value = now.value - c->last, enabled = now.enabled - c->enabled, running = now.running - c->running;
	c->last = now.value;
	c->enabled = now.enabled;
	c->running = now.running;
	*out = value;
	if (running >= enabled)
		return true;
	if (running * PER_CENT / enabled < *per_cent)
		*per_cent = running * PER_CENT / enabled;
	if (running)
		*out = (uint64_t)((double)value * (double)enabled / (double)running);
	return running > 0;
}

void sample_count_take(struct sample_thread *t)
{
	struct weft_bundle b;
	struct rusage usage;
	uint64_t per_cent = PER_CENT;
	if (counts.usage && getrusage(RUSAGE_THREAD, &usage))
		return;
	weft_bundle_begin(&b);
	for (unsigned i = 0; i < counts.n; i++) {
		struct sample_counter *c = &t->counter[i];
		uint64_t value = 0;
		bool read = true;
		if (counts.of[i]->source == LINK_COUNTER_USAGE) {
			uint64_t now = usage_of(&usage, counts.of[i]->type);
			value = now - c->last;
			c->last = now;
		} else if (counts.of[i]->source == LINK_COUNTER_STATM) {
			read = read_rss(&value);
		} else {
			read = read_event(c, &value, &per_cent);
		}
		if (read)
			weft_bundle_add(&b, counts.counter[i], WEFT_HEAD_COUNTER, value);
	}
	if (per_cent < PER_CENT)
		weft_bundle_add(&b, counts.counted, WEFT_HEAD_POINT, per_cent);
	weft_bundle_record(&b);
}
