/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting. A worker's own counts are in its own line, stored by it alone. Those that wait and those that are ready are two halves of one
 * word, so that a task that becomes ready goes from the one to the other in one addition, and peaks are exact. While a task is being
 * submitted it stands among those that wait, and it is not yet known whether it will: so their peak is what they were before a change,
 * and not what they were before the one that makes a task ready in the middle of its own submission.
 */
#include "counter.h"
#include "monitor.h"
#include "runtime/task/complain.h"
#include "runtime/task/count.h"
#include <pthread.h>

struct counter_global counter_global;
struct counter_worker counter_worker[STARPU_NMAXWORKERS];

/* In upper->counted, below the number of the collection. */
enum { UNCROWDED, WAITING, READY, STATES = 4, COLLECTIONS = 1 << 14 };
#define ONE_WAITING (UINT64_C(1) << 32)
#define ONE_READY UINT64_C(1)

static struct weft_atomic_u32 collection;  /* the number of the one that is on or was last; from 1 */
static struct weft_atomic_bool collecting; /* somebody wants it: */
static bool for_program, for_lookers;      /* with the lock of monitor.h */
static uint32_t looked_at;                 /* counters that lookers want: bits by place in the table */
static struct weft_atomic_u32 wanting_peak, wanting_time, wanting_codelet; /* counters of sets that are enabled */

static bool is_counted(const struct rt_upper *p)
{
	return p->counted / STATES == weft_load_u32(&collection);
}

static void raise_to(struct weft_atomic_u64 *peak, uint64_t value)
{
	uint64_t seen = weft_load_u64(peak);
	while (value > seen && !weft_cas_u64(peak, &seen, value))
		;
}

/* `change` is so many that wait, and so many that are ready. */
static void crowd_change(struct counter_crowd *c, uint64_t change, bool settled)
{
	uint64_t before = weft_add_u64(&c->now[weft_load_u32(&collection) % 2], change);
	if (settled)
		raise_to(&c->peak_waiting, before / ONE_WAITING);
	raise_to(&c->peak_ready, (before + change) % ONE_WAITING);
}

static struct counter_codelet *codelet_of(const struct rt_upper *p)
{
	return p->cl && weft_load_u32(&wanting_codelet) ? counter_codelet_of(p->cl, true) : NULL;
}

static void change_crowds(const struct rt_upper *p, uint64_t change, bool settled)
{
	crowd_change(&counter_global.crowd, change, settled);
	struct counter_codelet *c = p->cl ? counter_codelet_of(p->cl, false) : NULL;
	if (c)
		crowd_change(&c->crowd, change, settled);
}

/* ---- stations ---- */

static void at_submitted(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	if (!weft_load_bool(&collecting))
		return;
	/* A plain job (without a task), of a codelet that is not plain any more, is not told as popped. */
	bool crowds = weft_load_u32(&wanting_peak) && j->bits & RT_J_PLACED && p->task;
	p->counted = (uint16_t)(weft_load_u32(&collection) * STATES + (crowds ? WAITING : UNCROWDED));
	weft_add_u64(&counter_global.submitted, 1);
	struct counter_codelet *c = codelet_of(p);
	if (c)
		weft_add_u64(&c->submitted, 1);
	if (crowds)
		change_crowds(p, ONE_WAITING, true);
	counter_sample_global();
	if (c && counter_is_heard(&c->slot))
		counter_sample_codelet(c);
}

static void at_refused(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	if (!is_counted(p))
		return;
	if (p->counted % STATES == WAITING)
		change_crowds(p, -ONE_WAITING, false);
	weft_add_u64(&counter_global.submitted, -UINT64_C(1));
	struct counter_codelet *c = codelet_of(p);
	if (c)
		weft_add_u64(&c->submitted, -UINT64_C(1));
	p->counted = 0;
}

static void at_ready(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	if (p->counted % STATES != WAITING || !is_counted(p))
		return;
	p->counted = (uint16_t)(p->counted - WAITING + READY);
	change_crowds(p, ONE_READY - ONE_WAITING, rt_count_submitting != j);
}

static void at_popped(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	unsigned state = p->counted % STATES;
	if (state == UNCROWDED || !is_counted(p))
		return;
	p->counted = (uint16_t)(p->counted - state);
	change_crowds(p, state == READY ? -ONE_READY : -ONE_WAITING, false);
}

static bool wants_time(void)
{
	return weft_load_u32(&wanting_time);
}

static void at_ran(struct rt_job *j, unsigned worker, uint64_t ns)
{
	const struct rt_upper *p = rt_upper(j);
	if (!is_counted(p) || !weft_load_bool(&collecting) || worker >= STARPU_NMAXWORKERS)
		return;
	struct counter_worker *w = &counter_worker[worker];
	/* relaxed: only this worker stores them */
	weft_store_u64(&w->executed, weft_load_relaxed_u64(&w->executed) + 1);
	if (ns)
		weft_store_u64(&w->ns, weft_load_relaxed_u64(&w->ns) + ns);
	struct counter_codelet *c = codelet_of(p);
	if (c) {
		weft_add_u64(&c->executed, 1);
		weft_add_u64(&c->ns, ns);
	}
	counter_sample_worker(worker);
	if (c && counter_is_heard(&c->slot))
		counter_sample_codelet(c);
}

static void at_waited(void)
{
	if (weft_load_u32(&wanting_peak))
		crowd_change(&counter_global.crowd, 0, true);
	counter_sample_global();
}

static const struct rt_count_ops ops = {at_submitted, at_refused, at_ready, at_popped, wants_time, at_ran, at_waited};

/* ---- on and off ---- */

void counter_want(unsigned what, int more)
{
	if (what & COUNTER_PEAK) {
		uint32_t left = weft_add_u32(&wanting_peak, (uint32_t)more) + (uint32_t)more;
		if (left == 0 || left == (uint32_t)more)
			rt_count_ready(left > 0);
	}
	if (what & COUNTER_TIMED)
		weft_add_u32(&wanting_time, (uint32_t)more);
	if (what & COUNTER_CODELET)
		weft_add_u32(&wanting_codelet, (uint32_t)more);
}

static void leave_nobody(struct counter_codelet *c, void *arg)
{
	weft_store_u64(&c->crowd.now[*(const uint32_t *)arg % 2], 0);
}

static void collection_start(void)
{
	if (weft_load_bool(&collecting))
		return;
	uint32_t next = weft_load_u32(&collection) % (COLLECTIONS - 1) + 1;
	weft_store_u64(&counter_global.crowd.now[next % 2], 0);
	counter_each_codelet(leave_nobody, &next);
	weft_store_u32(&collection, next);
	weft_store_bool(&collecting, true);
	rt_count_by(&ops);
}

static void collection_stop(void)
{
	if (for_program || for_lookers || !weft_load_bool(&collecting))
		return;
	weft_store_bool(&collecting, false);
	rt_count_by(NULL);
}

void starpu_perf_counter_collection_start(void)
{
	monitor_lock();
	if (!monitor_is_up()) {
		rt_say("%s: StarPU is not initialised", __func__);
	} else {
		for_program = true;
		counter_listeners_hear(true);
		collection_start();
	}
	monitor_unlock();
}

void starpu_perf_counter_collection_stop(void)
{
	monitor_lock();
	for_program = false;
	counter_listeners_hear(false);
	collection_stop();
	monitor_unlock();
}

/* ---- for those who look at the program ---- */

void counter_look(unsigned at)
{
	if (!(looked_at & 1u << at))
		counter_want(counter_wants(at), 1);
	looked_at |= 1u << at;
	for_lookers = true;
	collection_start();
}

bool counter_is_looked_at(unsigned at)
{
	return looked_at & 1u << at;
}

void counter_look_away(void)
{
	for (; looked_at; looked_at &= looked_at - 1)
		counter_want(counter_wants((unsigned)__builtin_ctz(looked_at)), -1);
	for_lookers = false;
	collection_stop();
}

void counter_begin(void)
{
	counter_global = (struct counter_global){.submitted = {0}};
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		counter_worker[i] = (struct counter_worker){.id = i};
}

void counter_end(void)
{
	for_program = false;
	counter_look_away();
	counter_listeners_end();
	counter_codelets_end();
}
