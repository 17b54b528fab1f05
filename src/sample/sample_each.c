/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters each so often: a thread of ours reads them for the whole process, and records them on its own row. Those of threads are added up
 * over all that there are, and what those counted that have ended meanwhile.
 */
#include "sample_priv.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { STACK_BYTES = 256 << 10 };

static struct {
	struct sample_thread whole; /* of the process: getrusage's last values, and whose turn it is */
	uint64_t due_ns[LINK_PLANS_MOST];
	pthread_mutex_t lock; /* of `whole`: the end of the process reads once more */
	bool runs;
} each = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Descriptors of threads belong to the slots; a rotation switches those of all threads. */
static void read_threads(unsigned plan, struct sample_values *out)
{
	sample_threads_add(plan, each.whole.set[plan], out);
}

static void read_process(unsigned plan, struct sample_values *out)
{
	const struct link_plans *p = &sample_counts.plans;
	struct rusage usage;
	bool usable = getrusage(RUSAGE_SELF, &usage) == 0;
	for (unsigned i = 0; i < p->n_counted; i++) {
		const struct link_counted *c = &p->counted[i];
		if (c->plan != plan || c->set != each.whole.set[plan])
			continue;
		uint32_t bit = (uint32_t)1 << i;
		if (c->of.source == LINK_COUNTER_STATM && sample_read_rss(&out->value[i])) {
			out->has |= bit;
		} else if (c->of.source == LINK_COUNTER_HEAP) {
			out->value[i] = sample_read_heap(c->of.type);
			out->has |= bit;
		} else if (c->of.source == LINK_COUNTER_USAGE && usable) {
			uint64_t now = sample_usage_of(&usage, c->of.type, CLOCK_PROCESS_CPUTIME_ID);
			out->value[i] = now - each.whole.counter[i].last;
			each.whole.counter[i].last = now;
			out->has |= bit;
		}
	}
}

static void take(unsigned plan)
{
	const struct link_plan *p = &sample_counts.plans.plan[plan];
	struct sample_values v = {.per_cent = 100};
	struct weft_bundle b;
	pthread_mutex_lock(&each.lock);
	read_threads(plan, &v);
	read_process(plan, &v);
	bool told = p->n_sets == 1 || each.whole.told_set >> plan & 1;
	sample_count_tell(&v, told ? -1 : each.whole.set[plan]);
	each.whole.told_set |= (uint32_t)1 << plan;
	weft_bundle_begin(&b);
	sample_machine_take(&b, plan);
	weft_bundle_record(&b);
	uint8_t set = sample_count_turn(p);
	if (set != each.whole.set[plan]) {
		struct sample_values before = {.per_cent = 100};
		each.whole.set[plan] = set;
		each.whole.told_set &= ~((uint32_t)1 << plan);
		sample_threads_rotate(plan, set);
		read_threads(plan, &before); /* what has been until now belongs to nobody */
		read_process(plan, &before);
	}
	pthread_mutex_unlock(&each.lock);
}

static uint64_t next_due(void)
{
	uint64_t due = UINT64_MAX;
	for (unsigned k = 0; k < sample_counts.plans.n; k++)
		if (sample_counts.plans.plan[k].where == LINK_AT_TIMES && each.due_ns[k] < due)
			due = each.due_ns[k];
	return due;
}

static void *run(void *none)
{
	weft_name_thread("counters");
	for (;;) {
		uint64_t due = next_due(), now;
		const struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
		now = sample_now_ns();
		for (unsigned k = 0; k < sample_counts.plans.n; k++) {
			const struct link_plan *p = &sample_counts.plans.plan[k];
			if (p->where != LINK_AT_TIMES || each.due_ns[k] > now)
				continue;
			take(k);
			each.due_ns[k] += p->each_ns * ((now - each.due_ns[k]) / p->each_ns + 1);
		}
	}
	return none;
}

/* All signals are blocked in it, so that the program's handlers run elsewhere. */
static int start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	uint64_t now = sample_now_ns();
	for (unsigned k = 0; k < sample_counts.plans.n; k++)
		each.due_ns[k] = now + sample_counts.plans.plan[k].each_ns;
	sigfillset(&all);
	int rc = pthread_attr_init(&attr);
	if (rc)
		return -rc;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	each.runs = rc == 0;
	return -rc;
}

int sample_each_begin(void)
{
	if (!sample_counts.has[LINK_AT_TIMES])
		return 0;
	for (unsigned k = 0; k < sample_counts.plans.n; k++)
		each.whole.set[k] = sample_count_turn(&sample_counts.plans.plan[k]);
	sample_machine_find();
	return start();
}

/* The parent's time is the parent's; what the child has taken counts from its begin. */
void sample_each_child(void)
{
	if (!each.runs)
		return;
	pthread_mutex_init(&each.lock, NULL);
	memset(each.whole.counter, 0, sizeof each.whole.counter);
	sample_machine_child();
	(void)start();
}

/* The last reading, on the row of who ends the process. */
void sample_each_end(void)
{
	for (unsigned k = 0; each.runs && k < sample_counts.plans.n; k++)
		if (sample_counts.plans.plan[k].where == LINK_AT_TIMES)
			take(k);
}
