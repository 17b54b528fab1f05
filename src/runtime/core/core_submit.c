/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submitting: what the job depends on becomes edges. A job has room for RT_EDGES of them; when it depends on more, relays stand
 * in for eight each: jobs without a body, which are done when their last edge is released.
 */
#include "core.h"
#include "life_detail.h"
#include <sched.h>

/* Edges from before[from, to) into the job, which has its guard; how many there are. */
static unsigned hang(struct rt_job *j, const struct rt_refs *before, uint32_t from, uint32_t to)
{
	unsigned k = 0;
	for (uint32_t i = from; i < to; i++)
		k += rt_edge_add(before->at[i], j, k);
	return k;
}

/* Takes the guard away; true: nothing is left to wait for. */
static bool arm(struct rt_job *j, unsigned edges)
{
	if (!edges)
		return true;
	return (weft_add_i32(&j->pending, (int32_t)edges - RT_GUARD) & ~RT_PLACED) == RT_GUARD - (int32_t)edges;
}

static void guard(struct rt_job *j)
{
	/* relaxed: published with the first edge */
	weft_store_relaxed_i32(&j->pending, RT_GUARD | (j->bits & RT_J_PLACED ? RT_PLACED : 0));
}

/* The job, done before anybody hung on it, goes back to its thread. */
void rt_forget(struct rt_submitter *s, struct rt_job *j)
{
	struct rt_job *room = rt_job_leave_room(j);
	rt_job_close_unknown(j);
	rt_job_take_back(s->pool, j);
	if (room)
		rt_job_take_back(s->pool, room);
}

/* Relays for all but the last RT_EDGES references, behind which theirs stand. Returns where those begin, or negative. */
static int64_t relay(struct rt_submitter *s, struct rt_refs *before)
{
	uint32_t i = 0;
	for (; before->n - i > RT_EDGES; i += RT_EDGES) {
		struct rt_job *j = rt_job_new(s->pool);
		if (!j || (before->n == before->cap && rt_refs_grow(before)))
			return -ENOMEM;
		j->body = NULL;
		j->arg = NULL;
		j->n_accesses = 0;
		guard(j);
		rt_ref ref = rt_job_ref(j);
		if (arm(j, hang(j, before, i, i + RT_EDGES)))
			rt_forget(s, j);
		else
			before->at[before->n++] = ref;
	}
	return i;
}

struct weft_atomic_ptr rt_told;

/* 1: nothing is left to wait for; 0: something is; or -ENOMEM. */
static int hang_behind(struct rt_submitter *s, struct rt_job *j, struct rt_refs *before)
{
	if (!before->n)
		return 1;
	rt_told_fn *told = (rt_told_fn *)weft_load_ptr(&rt_told);
	if (WEFT_UNLIKELY(told != NULL))
		told(j, before);
	guard(j);
	int64_t first = WEFT_UNLIKELY(before->n > RT_EDGES) ? relay(s, before) : 0;
	return first < 0 ? -ENOMEM : arm(j, hang(j, before, (uint32_t)first, before->n));
}

/* Before its edges are armed: from then on another thread may have run it, and counted it as done. */
static void count(struct rt_submitter *s, uint64_t jobs)
{
	/* relaxed: only this thread stores it; released with the job */
	weft_store_u64(&s->submitted, weft_load_relaxed_u64(&s->submitted) + jobs);
}

int rt_submit_between(struct rt_submitter *s, struct rt_refs *before, struct rt_handle *reduces, rt_ref *out)
{
	struct rt_job *j = rt_job_new(s->pool);
	*out = 0;
	if (!j)
		return -ENOMEM;
	j->body = NULL;
	j->arg = NULL;
	j->n_accesses = 0;
	j->priority = 0;
	if (reduces)
		rt_order_hooks.reduce(reduces, j);
	rt_ref self = rt_job_ref(j);
	bool counts = j->body;
	count(s, counts);
	int ready = hang_behind(s, j, before);
	if (ready < 0 || (ready && !counts)) {
		count(s, -(uint64_t)counts);
		rt_forget(s, j);
		return ready < 0 ? ready : 0;
	}
	*out = self;
	if (ready)
		rt_trace_ready(s, j);
	return !ready || rt_make_ready(s, j) ? 0 : -ENOMEM;
}

static int let_go(struct rt_submitter *s, struct rt_job *j)
{
	if (WEFT_LIKELY(j->body != NULL)) {
		rt_trace_ready(s, j);
		return rt_make_ready(s, j) ? 0 : -ENOMEM;
	}
	rt_run_relay(s, j);
	return 0;
}

bool rt_make_ready(struct rt_submitter *s, struct rt_job *j)
{
	if (WEFT_UNLIKELY(j->bits & RT_J_PLACED)) {
		s->runtime->hooks->ready(s, j);
		return true;
	}
	if (s->worker) {
		rt_worker_keep(s->worker, j); /* who submits goes on for who knows how long */
		return true;
	}
	if (rt_inject_push(&s->queue, j->self))
		return false;
	rt_work_came(s->runtime);
	return true;
}

bool rt_prioritise(struct rt_submitter *s, struct rt_job *j)
{
	struct rt_runtime *r = s->runtime;
	if (!r->n_prios || (j->priority < 0 && !r->prio_low))
		return false;
	/* relaxed: whoever does not see it looks when it has nothing else */
	if (!(weft_load_relaxed_u32(&r->asks) & RT_ASK_PRIO))
		rt_ask(r, RT_ASK_PRIO, 0);
	unsigned at = s->worker ? s->worker->number : s->prio_turn++;
	if (rt_prio_put(&r->prio[at % r->n_prios], j))
		return false;
	rt_work_came(r);
	return true;
}

uint64_t rt_prio_count(const struct rt_runtime *r)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < r->n_prios; i++)
		n += weft_load_u32(&r->prio[i].n_urgent) + weft_load_u32(&r->prio[i].n_low);
	return n;
}

/* Looked at now and then, and at the first job after a wait. */
static void say_where(struct rt_submitter *s)
{
	enum { LOOK_EACH = 16 };
	/* relaxed: only this thread stores it, but when it goes; who reads it wants a hint */
	if (WEFT_UNLIKELY(s->order % LOOK_EACH == 0 || __atomic_load_n(&s->cpu.v, __ATOMIC_RELAXED) == RT_NOWHERE) && !s->worker)
		weft_store_i32(&s->cpu, sched_getcpu());
}

int rt_submit(struct rt_submitter *s, struct rt_job *j)
{
	say_where(s);
	j->order = s->order++;
	int rc = j->n_accesses ? rt_order(s, j) : 0;
	if (rc)
		return rc;
	if (rt_traced() && j->body)
		rt_trace_submit(s, j);
	count(s, 1);
	int ready = hang_behind(s, j, &s->before);
	if (ready < 0) {
		count(s, -UINT64_C(1));
		return ready;
	}
	return ready ? let_go(s, j) : 0;
}
