/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: finding a job, running it, releasing what waits for it. */
#include "core.h"
#include "base/clock.h"

enum { TAKE_MOST = 32, SPINS_PER_LOOK = 64 };

/* Where others can steal it. */
static void keep(struct rt_worker *w, struct rt_job *ready)
{
	if (WEFT_LIKELY(!rt_deque_push(&w->deque, ready->self)))
		return;
	ready->next_free = w->kept ? w->kept->self : 0;
	w->kept = ready;
}

void rt_worker_take(struct rt_worker *w, struct rt_job *ready)
{
	if (!w->next)
		w->next = ready;
	else
		keep(w, ready);
}

/* What hung on a job that is done. The first of the list was submitted last: the one submitted first is to run next. */
static void release(struct rt_worker *w, uint32_t edge)
{
	while (edge) {
		struct rt_job *j = rt_job_at(edge / RT_EDGES);
		edge = j->edge_next[edge % RT_EDGES];
		if (weft_add_i32(&j->pending, -1) != 1)
			continue;
		if (j->body) {
			if (w->next)
				keep(w, w->next);
			w->next = j;
			continue;
		}
		/* A relay has one edge out of it. */
		uint64_t seq = weft_load_u64(&j->succ) >> 32;
		release(w, (uint32_t)weft_swap_u64(&j->succ, (uint64_t)(uint32_t)(seq + 1) << 32));
		rt_job_free(&w->outbox, j);
	}
}

static void run(struct rt_worker *w, struct rt_job *j)
{
	j->body(j, w);
	uint64_t seq = weft_load_relaxed_u64(&j->succ) >> 32; /* relaxed: only we change it */
	release(w, (uint32_t)weft_swap_u64(&j->succ, (uint64_t)(uint32_t)(seq + 1) << 32));
	rt_job_free(&w->outbox, j);
	/* relaxed: only we store it */
	weft_store_u64(&w->done, weft_load_relaxed_u64(&w->done) + 1);
}

static struct rt_job *from_kept(struct rt_worker *w)
{
	struct rt_job *j = w->kept;
	w->kept = j && j->next_free ? rt_job_at(j->next_free) : NULL;
	return j;
}

static struct rt_job *from_own(struct rt_worker *w)
{
	struct rt_job *j = w->next;
	if (j) {
		w->next = NULL;
		return j;
	}
	uint32_t number = rt_deque_pop(&w->deque);
	return number ? rt_job_at(number) : from_kept(w);
}

static struct rt_job *from_submitters(struct rt_worker *w)
{
	uint32_t job[TAKE_MOST];
	struct rt_runtime *r = w->runtime;
	for (struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next) {
		unsigned n = s->worker ? 0 : rt_inject_take(&s->queue, job, TAKE_MOST, r->n_workers);
		if (!n)
			continue;
		/* The first runs, and the owner pops the others in their order. */
		for (unsigned i = n; i-- > 1;)
			keep(w, rt_job_at(job[i]));
		if (n > 1)
			rt_work_came(r);
		return rt_job_at(job[0]);
	}
	return NULL;
}

static struct rt_job *from_others(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	w->random = w->random * 1664525 + 1013904223;
	unsigned from = w->random >> 16;
	for (unsigned i = 0; i < r->n_workers; i++) {
		struct rt_worker *victim = &r->worker[(from + i) % r->n_workers];
		uint32_t number = victim == w ? 0 : rt_deque_steal(&victim->deque);
		if (!number)
			continue;
		if (rt_deque_size(&victim->deque))
			rt_work_came(r);
		return rt_job_at(number);
	}
	return NULL;
}

static struct rt_job *find(struct rt_worker *w)
{
	struct rt_job *j = from_own(w);
	j = j ? j : from_submitters(w);
	return j ? j : from_others(w);
}

static bool any(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		if (!s->worker && rt_inject_any(&s->queue))
			return true;
	for (unsigned i = 0; i < r->n_workers; i++)
		if (rt_deque_size(&r->worker[i].deque))
			return true;
	return false;
}

/* Until there is a job; NULL: the runtime ends. */
static struct rt_job *idle(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	rt_outbox_flush(&w->outbox);
	rt_tell_waiters(r);
	uint64_t until = weft_monotonic_ns() + r->spin_ns;
	while (!weft_load_bool(&r->stop)) {
		for (unsigned i = 0; i < SPINS_PER_LOOK; i++)
			__builtin_ia32_pause();
		struct rt_job *j = any(w) ? find(w) : NULL;
		if (j)
			return j;
		if (weft_monotonic_ns() < until)
			continue;
		rt_worker_sleep(w, any);
		until = weft_monotonic_ns() + r->spin_ns;
	}
	return NULL;
}

void *rt_worker_main(void *worker)
{
	struct rt_worker *w = worker;
	for (;;) {
		struct rt_job *j = find(w);
		if (!j)
			j = idle(w);
		if (!j)
			return NULL;
		run(w, j);
	}
}
