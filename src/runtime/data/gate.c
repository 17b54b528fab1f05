/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One lock for all gates: they are for the unusual accesses (outside the order, commuting, of the
 * application), which are few beside those that never come here.
 *
 * A handle's queue holds claims that the state of this very handle keeps out. A release tries the
 * queue from the head: a claim that fits now is granted, one that another handle blocks moves to
 * that one's queue, and the first that this handle still blocks ends the walk, so that a writer is
 * not overtaken for ever.
 */
#include "gate.h"
#include "data.h"
#include <stdlib.h>

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;

void rt_claim_add(struct rt_claim *c, starpu_data_handle_t h, bool write)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->want[i].handle == h) {
			c->want[i].write = c->want[i].write || write;
			return;
		}
	c->want[c->n++] = (struct rt_want){h, write};
}

static bool keeps_out(const struct rt_want *w)
{
	const struct rt_gate *g = &w->handle->gate;
	return g->writer || (w->write && g->readers);
}

static void put_last(struct rt_gate *g, struct rt_claim *c)
{
	c->next = NULL;
	if (g->last)
		g->last->next = c;
	else
		g->first = c;
	g->last = c;
}

/*
 * Takes all of it, or nothing, and `at` is the handle that blocks it. `queued`: claims in a
 * handle's queue go before.
 */
static bool take_all(struct rt_claim *c, bool queued, struct rt_gate **at)
{
	for (unsigned i = 0; i < c->n; i++) {
		*at = &c->want[i].handle->gate;
		if (keeps_out(&c->want[i]) || (queued && (*at)->first))
			return false;
	}
	for (unsigned i = 0; i < c->n; i++)
		if (c->want[i].write)
			c->want[i].handle->gate.writer = true;
		else
			c->want[i].handle->gate.readers++;
	return true;
}

bool rt_gate_enter(struct rt_claim *c)
{
	struct rt_gate *at = NULL;
	pthread_mutex_lock(&gate_lock);
	bool in = take_all(c, true, &at);
	if (!in)
		put_last(at, c);
	pthread_mutex_unlock(&gate_lock);
	return in;
}

/* Claims of this handle's queue that are granted now are put in front of `going`. */
static struct rt_claim *try_queue(struct rt_gate *g, struct rt_claim *going)
{
	for (struct rt_claim *c = g->first, *next; c; c = next) {
		struct rt_gate *at;
		next = c->next;
		bool in = take_all(c, false, &at);
		if (!in && at == g)
			return going;
		g->first = next;
		if (!next)
			g->last = NULL;
		if (!in) {
			put_last(at, c);
			continue;
		}
		c->next = going;
		going = c;
	}
	return going;
}

static void let_in(struct rt_claim *going)
{
	struct rt_claim *in_order = NULL;
	for (struct rt_claim *c = going, *next; c; c = next) {
		next = c->next;
		c->next = in_order;
		in_order = c;
	}
	for (struct rt_claim *c = in_order, *next; c; c = next) {
		next = c->next;
		c->go(c);
	}
}

/*
 * Beginning a watch is dear (a barrier): it stays until so many claims have passed without a job
 * outside the order.
 */
enum { QUIET = 16 };

static bool is_quiet(struct rt_gate *g)
{
	while (g->outside.n && rt_ref_is_done(g->outside.at[g->outside.n - 1]))
		g->outside.n--;
	g->quiet = g->outside.n || g->beyond ? 0 : g->quiet + 1;
	return g->quiet >= QUIET;
}

/*
 * All jobs outside the order are done, and so are those that they waited for. The next fetch may
 * make the handle plain.
 */
static void may_end_watch(struct rt_gate *g)
{
	if (!weft_load_bool(&g->watched) || !is_quiet(g))
		return;
	weft_store_bool(&g->watched, false);
	rt_gate_fini(g);
}

void rt_gate_fini(struct rt_gate *g)
{
	free(g->runners.at);
	free(g->outside.at);
	g->runners = g->outside = (struct rt_refs){0};
}

void rt_gate_leave(struct rt_claim *c)
{
	struct rt_claim *going = NULL;
	pthread_mutex_lock(&gate_lock);
	for (unsigned i = 0; i < c->n; i++) {
		struct rt_gate *g = &c->want[i].handle->gate;
		g->beyond -= c->beyond;
		if (c->want[i].write)
			g->writer = false;
		else
			g->readers--;
	}
	for (unsigned i = 0; i < c->n; i++) {
		may_end_watch(&c->want[i].handle->gate);
		going = try_queue(&c->want[i].handle->gate, going);
	}
	pthread_mutex_unlock(&gate_lock);
	let_in(going);
}

void rt_gate_downgrade(struct rt_claim *c)
{
	struct rt_claim *going = NULL;
	pthread_mutex_lock(&gate_lock);
	for (unsigned i = 0; i < c->n; i++)
		if (c->want[i].write) {
			c->want[i].write = false;
			c->want[i].handle->gate.writer = false;
			c->want[i].handle->gate.readers++;
			c->want[i].handle->gate.beyond += !c->beyond;
			c->beyond = true;
			weft_store_bool(&c->want[i].handle->gate.watched, true);
			weft_store_ptr(&c->want[i].handle->plain, NULL);
			going = try_queue(&c->want[i].handle->gate, going);
		}
	pthread_mutex_unlock(&gate_lock);
	let_in(going);
}

bool rt_gate_is_free(starpu_data_handle_t h)
{
	pthread_mutex_lock(&gate_lock);
	bool is_free = !h->gate.readers && !h->gate.writer && !h->gate.first;
	pthread_mutex_unlock(&gate_lock);
	return is_free;
}

/* ---- watching ---- */

void rt_gate_plain(starpu_data_handle_t h, void *interface)
{
	/* relaxed: only under rt_data.lock it becomes anything but NULL */
	if (weft_load_relaxed_ptr(&h->plain) == interface)
		return;
	pthread_mutex_lock(&gate_lock);
	weft_store_ptr(&h->plain, weft_load_bool(&h->gate.watched) ? NULL : interface);
	pthread_mutex_unlock(&gate_lock);
}

/*
 * Of a job that another thread runs: its list of more data may be freed at any time, so it counts
 * as one that touches all. The runner may set RT_FETCHED meanwhile, a bit outside of `modes`, or
 * end the job, which is then reused: the caller checks again that it still runs, or has a
 * reference, which is refused then. So ThreadSanitizer's reports on these words are known.
 */
__attribute__((no_sanitize("thread"), noinline)) static bool may_touch(const struct rt_job *j, const struct rt_handle *h,
                                                                       uint32_t modes)
{
	/* relaxed: whole words, as above */
	unsigned n = __atomic_load_n(&j->n_accesses, __ATOMIC_RELAXED);
	bool touches = n > RT_ACCESSES;
	for (unsigned i = 0; i < n && !touches; i++)
		touches = __atomic_load_n(&j->access[i], __ATOMIC_RELAXED) == h &&
		          __atomic_load_n(&j->mode[i], __ATOMIC_RELAXED) & modes;
	return touches;
}

bool rt_gate_is_passed(const struct rt_runtime *r, starpu_data_handle_t h, uint32_t modes)
{
	bool is_passed = false;
	rt_barrier_of_all(r);
	for (unsigned i = 0; i < r->n_workers && !is_passed; i++) {
		const struct rt_job *j = rt_worker_current(&r->worker[i]);
		is_passed = j && may_touch(j, &h->order, modes);
	}
	return is_passed;
}

/*
 * Jobs that run now and may have read the handle as plain. A worker publishes its job before it
 * reads `plain`; after the barrier either it has read `plain` as NULL, or its job is found here. A
 * job that is found may end meanwhile: then its edge is refused.
 */
static int note_runners(struct rt_runtime *r, struct rt_handle *h)
{
	struct rt_gate *g = &rt_handle_of(h)->gate;
	int rc = 0;
	rt_barrier_of_all(r);
	for (unsigned i = 0; i < r->n_workers && !rc; i++) {
		struct rt_job *j = rt_worker_current(&r->worker[i]);
		if (!j)
			continue;
		rt_ref ref = rt_job_ref(j);
		if (may_touch(j, h, UINT32_MAX) && rt_worker_current(&r->worker[i]) == j)
			rc = rt_refs_add(&g->runners, ref);
	}
	return rc;
}

static int note_outside(struct rt_gate *g, rt_ref self)
{
	uint32_t n = 0;
	for (uint32_t i = 0; g->outside.n == g->outside.cap && i < g->outside.n; i++)
		if (!rt_ref_is_done(g->outside.at[i]))
			g->outside.at[n++] = g->outside.at[i];
	if (g->outside.n == g->outside.cap)
		g->outside.n = n;
	return rt_refs_add(&g->outside, self);
}

bool rt_gate_has_outside(struct rt_handle *h, rt_ref self)
{
	const struct rt_gate *g = &rt_handle_of(h)->gate;
	bool has = false;
	pthread_mutex_lock(&gate_lock);
	for (uint32_t i = 0; i < g->outside.n && !has; i++)
		has = g->outside.at[i] != self && !rt_ref_is_done(g->outside.at[i]);
	pthread_mutex_unlock(&gate_lock);
	return has;
}

int rt_gate_beside(struct rt_handle *h, rt_ref self)
{
	pthread_mutex_lock(&gate_lock);
	int rc = note_outside(&rt_handle_of(h)->gate, self);
	pthread_mutex_unlock(&gate_lock);
	return rc;
}

int rt_gate_last(struct rt_submitter *s, struct rt_handle *h)
{
	struct rt_gate *g = &rt_handle_of(h)->gate;
	int rc = 0;
	pthread_mutex_lock(&gate_lock);
	for (uint32_t i = 0; i < g->outside.n && !rc; i++)
		rc = rt_refs_add(&s->before, g->outside.at[i]);
	pthread_mutex_unlock(&gate_lock);
	return rc;
}

int rt_gate_watch(struct rt_submitter *s, struct rt_handle *h, rt_ref self)
{
	struct rt_gate *g = &rt_handle_of(h)->gate;
	int rc = 0;
	pthread_mutex_lock(&gate_lock);
	if (!weft_load_bool(&g->watched)) {
		weft_store_bool(&g->watched, true);
		weft_store_ptr(&rt_handle_of(h)->plain, NULL);
		rc = note_runners(s->runtime, h);
		weft_store_bool(&g->watched, !rc);
	}
	rc = rc ? rc : note_outside(g, self);
	for (unsigned i = 0; i < g->runners.n && !rc; i++)
		rc = rt_refs_add(&s->before, g->runners.at[i]);
	pthread_mutex_unlock(&gate_lock);
	return rc ? -1 : 0;
}
