/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets, listeners, samples. A slot (global, of a worker, of a codelet) has one listener, which is called with the slot's lock: so it is
 * called once at a time, and who has taken it out knows that it is not called any more. Whoever is inside a listener takes others out
 * without their locks (else two listeners that each take out the other would wait for each other); so sets and listeners that are given
 * back live until the runtime ends.
 */
#include "counter.h"
#include "monitor.h"
#include "runtime/core/core.h"
#include "runtime/task/complain.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* What was given back, and may still be looked at. */
struct gone {
	struct gone *next;
};
struct starpu_perf_counter_set {
	struct gone gone;
	enum starpu_perf_counter_scope scope;
	struct weft_atomic_u32 enabled; /* bits by place in the table */
};
struct starpu_perf_counter_listener {
	struct gone gone;
	struct starpu_perf_counter_set *set;
	void (*callback)(struct starpu_perf_counter_listener *, struct starpu_perf_counter_sample *, void *);
	void *user_arg;
};
union value {
	int64_t integer;
	double real;
};
struct starpu_perf_counter_sample {
	enum starpu_perf_counter_scope scope;
	union value value[COUNTERS];
};

static struct counter_slot global_slot, worker_slot[STARPU_NMAXWORKERS];
static _Thread_local RT_NEAR unsigned listening; /* how deep this thread is in listeners */

static struct {
	pthread_mutex_t lock;
	struct gone *first;
} graveyard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void listen_bury(struct gone *g)
{
	pthread_mutex_lock(&graveyard.lock);
	g->next = graveyard.first;
	graveyard.first = g;
	pthread_mutex_unlock(&graveyard.lock);
}

/* ---- slots ---- */

static void slot_lock(struct counter_slot *s)
{
	const uint64_t me = (uint64_t)(uintptr_t)&listening;
	uint64_t owner = 0;
	if (weft_load_u64(&s->owner) != me)
		while (!weft_cas_u64(&s->owner, &owner, me)) {
			owner = 0;
			sched_yield();
		}
	s->depth++;
}

static void slot_unlock(struct counter_slot *s)
{
	if (!--s->depth)
		weft_store_u64(&s->owner, 0);
}

static void slot_put(struct counter_slot *s, struct starpu_perf_counter_listener *l)
{
	bool inside = listening;
	if (!inside)
		slot_lock(s);
	weft_store_ptr(&s->listener, l);
	if (!inside)
		slot_unlock(s);
}

static struct weft_atomic_bool program_collects;

void counter_listeners_hear(bool on)
{
	weft_store_bool(&program_collects, on);
}

bool counter_is_heard(const struct counter_slot *s)
{
	return weft_load_ptr(&s->listener) && weft_load_bool(&program_collects);
}

/* ---- samples ---- */

/* Of whom a sample is. */
struct subject {
	struct counter_worker *worker;
	struct counter_codelet *codelet;
};

static int64_t listen_counted(const struct weft_atomic_u64 *a)
{
	return (int64_t)weft_load_u64(a);
}

static double listen_microseconds(const struct weft_atomic_u64 *ns)
{
	return (double)weft_load_u64(ns) / 1000.0;
}

static void sample_global(struct starpu_perf_counter_sample *s, const struct subject *of)
{
	(void)of;
	s->value[COUNTER_G_SUBMITTED].integer = listen_counted(&counter_global.submitted);
	s->value[COUNTER_G_PEAK_SUBMITTED].integer = listen_counted(&counter_global.crowd.peak_waiting);
	s->value[COUNTER_G_PEAK_READY].integer = listen_counted(&counter_global.crowd.peak_ready);
}

static void sample_worker(struct starpu_perf_counter_sample *s, const struct subject *of)
{
	s->value[COUNTER_W_EXECUTED].integer = listen_counted(&of->worker->executed);
	s->value[COUNTER_W_TIME].real = listen_microseconds(&of->worker->ns);
}

static void sample_codelet(struct starpu_perf_counter_sample *s, const struct subject *of)
{
	s->value[COUNTER_C_SUBMITTED].integer = listen_counted(&of->codelet->submitted);
	s->value[COUNTER_C_PEAK_SUBMITTED].integer = listen_counted(&of->codelet->crowd.peak_waiting);
	s->value[COUNTER_C_PEAK_READY].integer = listen_counted(&of->codelet->crowd.peak_ready);
	s->value[COUNTER_C_EXECUTED].integer = listen_counted(&of->codelet->executed);
	s->value[COUNTER_C_TIME].real = listen_microseconds(&of->codelet->ns);
}

double counter_value(unsigned at, unsigned worker, const struct counter_codelet *c)
{
	static void (*const fill[])(struct starpu_perf_counter_sample * s, const struct subject *of) = {
		[starpu_perf_counter_scope_global] = sample_global,
		[starpu_perf_counter_scope_per_worker] = sample_worker,
		[starpu_perf_counter_scope_per_codelet] = sample_codelet,
	};
	const struct monitor_item *i = &counter_items.item[at];
	struct subject of = {&counter_worker[worker], (struct counter_codelet *)(uintptr_t)c};
	struct starpu_perf_counter_sample s;
	fill[i->scope](&s, &of);
	return i->type == MONITOR_DOUBLE ? s.value[at].real : (double)s.value[at].integer;
}

struct kind {
	enum starpu_perf_counter_scope scope;
	void (*fill)(struct starpu_perf_counter_sample *s, const struct subject *of);
};

/* What a listener does may sample the same slot again: that is left out. */
static void take_sample(struct counter_slot *slot, const struct kind *k, const struct subject *of, void *context)
{
	slot_lock(slot);
	struct starpu_perf_counter_listener *l = weft_load_ptr(&slot->listener);
	if (l && slot->depth == 1) {
		struct starpu_perf_counter_sample s;
		s.scope = k->scope;
		k->fill(&s, of);
		listening++;
		l->callback(l, &s, l->user_arg ? l->user_arg : context);
		listening--;
	}
	slot_unlock(slot);
}

void counter_sample_global(void)
{
	static const struct kind k = {starpu_perf_counter_scope_global, sample_global};
	if (counter_is_heard(&global_slot))
		take_sample(&global_slot, &k, NULL, NULL);
}

void counter_sample_worker(unsigned worker)
{
	static const struct kind k = {starpu_perf_counter_scope_per_worker, sample_worker};
	struct subject of = {.worker = &counter_worker[worker]};
	if (counter_is_heard(&worker_slot[worker]))
		take_sample(&worker_slot[worker], &k, &of, &of.worker->id);
}

void counter_sample_codelet(struct counter_codelet *c)
{
	static const struct kind k = {starpu_perf_counter_scope_per_codelet, sample_codelet};
	struct subject of = {.codelet = c};
	take_sample(&c->slot, &k, &of, c->cl);
}

static union value value_of(const struct starpu_perf_counter_sample *sample, int id, enum monitor_type type, const char *function)
{
	RT_EXPECT(sample, "%s: no sample is given", function);
	return sample->value[monitor_typed(&counter_items, id, (int)sample->scope, type, function)];
}

#define SAMPLE_GET(name, type, kind, member) \
	type starpu_perf_counter_sample_get_##name##_value(struct starpu_perf_counter_sample *sample, const int counter_id) \
	{ \
		return (type)value_of(sample, counter_id, kind, __func__).member; \
	}
SAMPLE_GET(int32, int32_t, MONITOR_INT32, integer)
SAMPLE_GET(int64, int64_t, MONITOR_INT64, integer)
SAMPLE_GET(float, float, MONITOR_FLOAT, real)
SAMPLE_GET(double, double, MONITOR_DOUBLE, real)

/* ---- sets ---- */

struct starpu_perf_counter_set *starpu_perf_counter_set_alloc(enum starpu_perf_counter_scope scope)
{
	RT_EXPECT(monitor_scope_name(&counter_items, (int)scope), "%s: %d is no scope of counters", __func__, (int)scope);
	struct starpu_perf_counter_set *set = calloc(1, sizeof *set);
	RT_EXPECT(set, "no memory for a set of counters");
	set->scope = scope;
	return set;
}

static void set_enabled(struct starpu_perf_counter_set *set, int id, bool on, const char *function)
{
	RT_EXPECT(set, "%s: no set is given", function);
	unsigned at = monitor_at(&counter_items, id, function);
	const struct monitor_item *i = &counter_items.item[at];
	RT_EXPECT(i->scope == (int)set->scope, "%s: counter '%s' is of scope %s, and the set is for scope %s", function, i->name,
	          monitor_scope_name(&counter_items, i->scope), monitor_scope_name(&counter_items, (int)set->scope));
	uint32_t bit = 1U << at, old = weft_load_u32(&set->enabled);
	while (!weft_cas_u32(&set->enabled, &old, on ? old | bit : old & ~bit))
		;
	if (on != ((old & bit) != 0))
		counter_want(counter_wants(at), on ? 1 : -1);
}

void starpu_perf_counter_set_enable_id(struct starpu_perf_counter_set *set, int id)
{
	set_enabled(set, id, true, __func__);
}

void starpu_perf_counter_set_disable_id(struct starpu_perf_counter_set *set, int id)
{
	set_enabled(set, id, false, __func__);
}

void starpu_perf_counter_set_free(struct starpu_perf_counter_set *set)
{
	if (!set)
		return;
	for (uint32_t left = weft_swap_u32(&set->enabled, 0); left; left &= left - 1)
		counter_want(counter_wants((unsigned)__builtin_ctz(left)), -1);
	listen_bury(&set->gone);
}

/* ---- listeners ---- */

struct starpu_perf_counter_listener *starpu_perf_counter_listener_init(
	struct starpu_perf_counter_set *set,
	void (*callback)(struct starpu_perf_counter_listener *, struct starpu_perf_counter_sample *, void *), void *user_arg)
{
	RT_EXPECT(set && callback, "%s: a listener needs a set of counters and a callback", __func__);
	struct starpu_perf_counter_listener *l = calloc(1, sizeof *l);
	RT_EXPECT(l, "no memory for a listener");
	l->set = set;
	l->callback = callback;
	l->user_arg = user_arg;
	return l;
}

static void take_out(struct counter_slot *s, const struct starpu_perf_counter_listener *l)
{
	if (weft_load_ptr(&s->listener) == l)
		slot_put(s, NULL);
}

static void take_out_of_codelet(struct counter_codelet *c, void *l)
{
	take_out(&c->slot, l);
}

void starpu_perf_counter_listener_exit(struct starpu_perf_counter_listener *listener)
{
	if (!listener)
		return;
	take_out(&global_slot, listener);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		take_out(&worker_slot[i], listener);
	counter_each_codelet(take_out_of_codelet, listener);
	listen_bury(&listener->gone);
}

/* It hears of this scope, and the runtime runs. */
static void expect_listener(const struct starpu_perf_counter_listener *l, enum starpu_perf_counter_scope scope,
                            const char *function)
{
	RT_EXPECT(l, "%s: no listener is given", function);
	RT_EXPECT(l->set->scope == scope, "%s: the listener's set is for scope %s, not %s", function,
	          monitor_scope_name(&counter_items, (int)l->set->scope), monitor_scope_name(&counter_items, (int)scope));
	RT_EXPECT(rt_machine.core, "%s: StarPU is not initialised", function);
}

static struct counter_slot *slot_of_worker(unsigned worker, const char *function)
{
	RT_EXPECT(worker < rt_machine.n_workers, "%s: there is no worker %u", function, worker);
	return &worker_slot[worker];
}

static struct counter_slot *slot_of_codelet(struct starpu_codelet *cl, bool make, const char *function)
{
	RT_EXPECT(cl, "%s: no codelet is given", function);
	if (make)
		rt_codelet_check(cl); /* whether it can be written to */
	struct counter_codelet *c = counter_codelet_of(cl, make);
	RT_EXPECT(c || !make, "no memory for what is counted of a codelet");
	return c ? &c->slot : NULL;
}

void starpu_perf_counter_set_global_listener(struct starpu_perf_counter_listener *listener)
{
	expect_listener(listener, starpu_perf_counter_scope_global, __func__);
	slot_put(&global_slot, listener);
}

void starpu_perf_counter_set_per_worker_listener(unsigned workerid, struct starpu_perf_counter_listener *listener)
{
	expect_listener(listener, starpu_perf_counter_scope_per_worker, __func__);
	slot_put(slot_of_worker(workerid, __func__), listener);
}

void starpu_perf_counter_set_all_per_worker_listeners(struct starpu_perf_counter_listener *listener)
{
	expect_listener(listener, starpu_perf_counter_scope_per_worker, __func__);
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		slot_put(&worker_slot[i], listener);
}

void starpu_perf_counter_set_per_codelet_listener(struct starpu_codelet *cl, struct starpu_perf_counter_listener *listener)
{
	expect_listener(listener, starpu_perf_counter_scope_per_codelet, __func__);
	slot_put(slot_of_codelet(cl, true, __func__), listener);
}

void starpu_perf_counter_unset_global_listener(void)
{
	slot_put(&global_slot, NULL);
}

void starpu_perf_counter_unset_per_worker_listener(unsigned workerid)
{
	slot_put(slot_of_worker(workerid, __func__), NULL);
}

void starpu_perf_counter_unset_all_per_worker_listeners(void)
{
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		slot_put(&worker_slot[i], NULL);
}

void starpu_perf_counter_unset_per_codelet_listener(struct starpu_codelet *cl)
{
	struct counter_slot *s = slot_of_codelet(cl, false, __func__);
	if (s)
		slot_put(s, NULL);
}

/* Workers are gone; what was given back goes now. */
void counter_listeners_end(void)
{
	starpu_perf_counter_unset_global_listener();
	starpu_perf_counter_unset_all_per_worker_listeners();
	pthread_mutex_lock(&graveyard.lock);
	while (graveyard.first) {
		struct gone *g = graveyard.first;
		graveyard.first = g->next;
		free(g);
	}
	pthread_mutex_unlock(&graveyard.lock);
}
