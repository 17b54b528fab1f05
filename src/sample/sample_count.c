/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of threads: what has been since the reading before, with ticks, and at the begin and end of regions (weft_meter). Those of getrusage
 * need nothing; those of perf_event_open a group of descriptors for each thread, read by one system call. A program may close them, and
 * the number may then be a file of its own. Therefore it is high, and the group's first is asked for its identity each time before it
 * is read or closed.
 *
 * The kernel takes turns when there are more events than the hardware has counters: a value is then projected to the whole time, and the
 * point "counted" (per cent) says how much of it was seen. Lists that take turns by our own clock are said by the point "counter list".
 */
#include "sample_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTOR_LEAST = 600, PER_CENT = 100 };

struct sample_counts sample_counts;
static const char by_default[] = "page-faults,context-switches";

void sample_count_define(bool asked)
{
	const char *list = secure_getenv("WEFT_COUNTERS");
	struct sample_counts *s = &sample_counts;
	if (!asked || (!list && !sample_settings.samples) || link_plans_read(list ? list : by_default, &s->plans, NULL))
		s->plans.n = s->plans.n_counted = 0;
	if (!s->plans.n)
		return;
	s->category = weft_define_category("counters", 1);
	s->counted = weft_define_type("counted", "%", s->category);
	s->list = weft_define_coded_type(41999999, "counter list", "", s->category);
	s->began_ns = sample_now_ns();
	for (unsigned i = 0; i < s->plans.n_counted; i++) {
		const struct link_counted *c = &s->plans.counted[i];
		bool many = c->of.source == LINK_COUNTER_ENERGY || c->of.source == LINK_COUNTER_MPI_T; /* named when found */
		s->counter[i] = many ? WEFT_OFF : weft_define_counter(c->name, c->of.unit, s->category);
	}
	for (unsigned p = 0; p < s->plans.n; p++)
		s->has[s->plans.plan[p].where] = true;
}

uint64_t sample_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint8_t sample_count_turn(const struct link_plan *p)
{
	uint64_t n = p->n_sets > 1 ? (sample_now_ns() - sample_counts.began_ns) / p->turn_ns : 0;
	return (uint8_t)(n % p->n_sets);
}

static bool is_of(const struct link_counted *c, unsigned plan, unsigned set)
{
	return c->plan == plan && c->set == set;
}

/* ---- descriptors ---- */

static bool is_ours(const struct sample_counter *c)
{
	uint64_t id;
	return c->fd >= 0 && ioctl(c->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == c->id;
}

static int open_high(const struct link_counter *of, pid_t tid, int leader)
{
	int low = link_counter_open(of, tid, leader);
	if (low < 0)
		return low;
	int high = fcntl(low, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	(void)close(low);
	return high;
}

/* A group of its own where it fits into no other: then these take turns. */
static void counter_open(struct sample_thread *t, unsigned i, int *leader)
{
	const struct link_counted *of = &sample_counts.plans.counted[i];
	struct sample_counter *c = &t->counter[i];
	if (*leader >= 0) {
		struct sample_counter *first = &t->counter[*leader];
		c->fd = open_high(&of->of, t->tid, first->fd);
		if (c->fd >= 0) {
			c->leader = (uint8_t)*leader;
			first->n_group++;
			return;
		}
	}
	c->fd = open_high(&of->of, t->tid, -1);
	if (c->fd >= 0 && ioctl(c->fd, PERF_EVENT_IOC_ID, &c->id)) {
		(void)close(c->fd);
		c->fd = -1;
	}
	c->leader = (uint8_t)i;
	c->n_group = c->fd >= 0;
	if (c->fd >= 0)
		*leader = (int)i;
}

static bool is_leader(const struct sample_thread *t, unsigned i)
{
	return t->counter[i].fd >= 0 && t->counter[i].leader == i;
}

/* Lists that are not read now do not count. */
static void set_switch(struct sample_thread *t, unsigned plan, unsigned set, bool on)
{
	const struct link_plans *p = &sample_counts.plans;
	for (unsigned i = 0; i < p->n_counted; i++)
		if (is_of(&p->counted[i], plan, set) && is_leader(t, i) && is_ours(&t->counter[i]))
			(void)ioctl(t->counter[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

void sample_count_begin(struct sample_thread *t)
{
	const struct link_plans *p = &sample_counts.plans;
	int leader = -1;
	for (unsigned i = 0; i < p->n_counted; i++) {
		const struct link_counted *of = &p->counted[i];
		t->counter[i] = (struct sample_counter){.fd = -1, .leader = UINT8_MAX};
		if (i > 0 && !is_of(of, p->counted[i - 1].plan, p->counted[i - 1].set))
			leader = -1;
		if (of->of.source == LINK_COUNTER_PERF)
			counter_open(t, i, &leader);
	}
	for (unsigned k = 0; k < p->n; k++) {
		t->set[k] = sample_count_turn(&p->plan[k]);
		for (unsigned s = 0; s < p->plan[k].n_sets; s++)
			if (s != t->set[k])
				set_switch(t, k, s, false);
	}
	t->told_set = 0;
	t->was_nothing = 0;
}

void sample_count_end(struct sample_thread *t)
{
	const struct link_plans *p = &sample_counts.plans;
	/* The group's first goes last: who it is says who the others are. */
	for (unsigned i = p->n_counted; i-- > 0;) {
		struct sample_counter *c = &t->counter[i];
		if (c->fd >= 0 && is_ours(&t->counter[c->leader]))
			(void)close(c->fd);
		c->fd = -1;
	}
}

/* ---- reading ---- */

/* What the group has counted since the last time, projected where it was not counting all the time. */
static bool read_group(struct sample_thread *t, unsigned first, struct sample_values *out)
{
	struct {
		uint64_t n, enabled, running, value[LINK_COUNTERS_MOST];
	} now;
	struct sample_counter *c = &t->counter[first];
	size_t bytes = 8 * (3 + (size_t)c->n_group);
	if (!is_ours(c) || read(c->fd, &now, sizeof now) != (ssize_t)bytes || now.n != c->n_group)
		return false;
	uint64_t enabled = now.enabled - c->enabled, running = now.running - c->running;
	unsigned k = 0;
	c->enabled = now.enabled;
	c->running = now.running;
	if (running < enabled && running * PER_CENT / enabled < out->per_cent)
		out->per_cent = running * PER_CENT / enabled;
	for (unsigned i = first; i < sample_counts.plans.n_counted && k < now.n; i++) {
		struct sample_counter *of = &t->counter[i];
		if (of->fd < 0 || of->leader != first)
			continue;
		uint64_t value = now.value[k] - of->last;
		of->last = now.value[k++];
		if (running < enabled)
			value = running ? (uint64_t)((double)value * (double)enabled / (double)running) : 0;
		out->value[i] = value;
		out->has |= (uint32_t)(running > 0 || enabled == 0) << i;
	}
	return true;
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

uint64_t sample_usage_of(const struct rusage *u, unsigned what, clockid_t clock)
{
	struct timespec now = {0, 0};
	if (what == LINK_USAGE_CLOCK)
		(void)clock_gettime(clock, &now);
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
		[LINK_USAGE_BLOCKS_IN] = (uint64_t)u->ru_inblock,
		[LINK_USAGE_BLOCKS_OUT] = (uint64_t)u->ru_oublock,
		[LINK_USAGE_SIGNALS] = (uint64_t)u->ru_nsignals,
	};
	return value[what];
}

void sample_count_read(struct sample_thread *t, unsigned plan, struct sample_values *out)
{
	const struct link_plans *p = &sample_counts.plans;
	struct rusage usage;
	bool has_usage = false, own = p->plan[plan].where != LINK_AT_TIMES;
	*out = (struct sample_values){.per_cent = PER_CENT};
	for (unsigned i = 0; i < p->n_counted; i++) {
		const struct link_counted *of = &p->counted[i];
		if (!is_of(of, plan, t->set[plan]))
			continue;
		if (of->of.source == LINK_COUNTER_PERF) {
			if (is_leader(t, i))
				(void)read_group(t, i, out);
		} else if (own && of->of.source == LINK_COUNTER_USAGE) {
			if (!has_usage && getrusage(RUSAGE_THREAD, &usage))
				continue;
			has_usage = true;
			uint64_t now = sample_usage_of(&usage, of->of.type, CLOCK_THREAD_CPUTIME_ID);
			out->value[i] = now - t->counter[i].last;
			out->has |= (uint32_t)1 << i;
			t->counter[i].last = now;
		} else if (own && of->of.source == LINK_COUNTER_STATM) {
			out->has |= (uint32_t)sample_read_rss(&out->value[i]) << i;
		}
	}
}

/* The next list's turn: what has been until then belongs to nobody. */
bool sample_count_rotate(struct sample_thread *t, unsigned plan, uint8_t set)
{
	struct sample_values until_now;
	if (set == t->set[plan])
		return false;
	set_switch(t, plan, t->set[plan], false);
	set_switch(t, plan, set, true);
	t->set[plan] = set;
	sample_count_read(t, plan, &until_now);
	return true;
}

void sample_count_tell(const struct sample_values *v, int set)
{
	const struct sample_counts *s = &sample_counts;
	struct weft_bundle b;
	weft_bundle_begin(&b);
	if (set >= 0)
		weft_bundle_add(&b, s->list, WEFT_HEAD_POINT, (uint64_t)set + 1);
	for (unsigned i = 0; i < s->plans.n_counted; i++)
		if (v->has >> i & 1)
			weft_bundle_add(&b, s->counter[i], WEFT_HEAD_COUNTER, v->value[i]);
	if (v->per_cent < PER_CENT)
		weft_bundle_add(&b, s->counted, WEFT_HEAD_POINT, v->per_cent);
	weft_bundle_record(&b);
}

static bool is_nothing(const struct sample_values *v)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < sample_counts.plans.n_counted; i++)
		any |= v->has >> i & 1 ? v->value[i] : 0;
	return any == 0;
}

/* Values that stay nothing are said once. */
static void take_plan(struct sample_thread *t, unsigned plan)
{
	struct sample_values v;
	uint32_t bit = (uint32_t)1 << plan;
	sample_count_read(t, plan, &v);
	bool nothing = is_nothing(&v) && v.per_cent == PER_CENT;
	bool told = t->told_set & bit || sample_counts.plans.plan[plan].n_sets == 1;
	if (!nothing || !(t->was_nothing & bit))
		sample_count_tell(&v, told ? -1 : t->set[plan]);
	t->told_set |= bit;
	t->was_nothing = nothing ? t->was_nothing | bit : t->was_nothing & ~bit;
	if (sample_count_rotate(t, plan, sample_count_turn(&sample_counts.plans.plan[plan]))) {
		t->told_set &= ~bit;
		t->was_nothing &= ~bit;
	}
}

void sample_count_take(struct sample_thread *t, enum link_counter_where where)
{
	const struct link_plans *p = &sample_counts.plans;
	for (unsigned k = 0; k < p->n; k++)
		if (p->plan[k].where == where)
			take_plan(t, k);
}

/* ---- at regions ---- */

/* A handler that comes while its thread reads leaves it alone. */
static void at_region(void)
{
	struct sample_thread *t = sample_thread_here();
	if (!t || t->busy)
		return;
	t->busy = true;
	t->met = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sample_count_take(t, LINK_AT_REGIONS);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->busy = false;
}

static int wants(const char *category)
{
	for (unsigned k = 0; k < sample_counts.plans.n; k++)
		if (link_plan_wants(&sample_counts.plans.plan[k], category))
			return strcmp(category, "counters") != 0;
	return 0;
}

int sample_count_meter(void)
{
	const struct weft_meter meter = {at_region, wants};
	return sample_counts.has[LINK_AT_REGIONS] ? weft_meter(&meter) : 0;
}
