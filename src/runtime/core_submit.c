/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submitting: what the job depends on becomes edges. A job has room for RT_EDGES of them; when it depends on more, relays stand
 * in for eight each: jobs without a body, which are done when their last edge is released.
 */
#include "core.h"

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
	return weft_add_i32(&j->pending, (int32_t)edges - RT_GUARD) == RT_GUARD - (int32_t)edges;
}

static void guard(struct rt_job *j)
{
	/* relaxed: published with the first edge */
	weft_store_relaxed_i32(&j->pending, RT_GUARD);
}

/* The job, done before anybody hung on it, goes back to its thread. */
static void forget(struct rt_submitter *s, struct rt_job *j)
{
	weft_store_u64(&j->succ, ((weft_load_u64(&j->succ) >> 32) + 1) << 32);
	j->next_free = s->pool->free;
	s->pool->free = j->self;
}

/* Relays for all but the last RT_EDGES references, behind which theirs stand. Returns where those begin, or negative. */
static int64_t relay(struct rt_submitter *s)
{
	uint32_t i = 0;
	for (; s->before.n - i > RT_EDGES; i += RT_EDGES) {
		struct rt_job *j = rt_job_new(s->pool);
		if (!j || (s->before.n == s->before.cap && rt_refs_grow(&s->before)))
			return -ENOMEM;
		j->body = NULL;
		guard(j);
		rt_ref ref = rt_job_ref(j);
		if (arm(j, hang(j, &s->before, i, i + RT_EDGES)))
			forget(s, j);
		else
			s->before.at[s->before.n++] = ref;
	}
	return i;
}

int rt_submit(struct rt_submitter *s, struct rt_job *j)
{
	bool ready = true;
	int64_t first = 0;
	j->order = s->order++;
	if (j->n_accesses && rt_order(j, &s->before))
		return -ENOMEM;
	if (s->before.n) {
		guard(j);
		if (WEFT_UNLIKELY(s->before.n > RT_EDGES))
			first = relay(s);
		if (first < 0)
			return -ENOMEM;
		ready = arm(j, hang(j, &s->before, (uint32_t)first, s->before.n));
	}
	/* relaxed: only this thread stores it; released with the job */
	weft_store_u64(&s->submitted, weft_load_relaxed_u64(&s->submitted) + 1);
	if (!ready)
		return 0;
	if (s->worker)
		rt_worker_take(s->worker, j);
	else if (rt_inject_push(&s->queue, j->self))
		return -ENOMEM;
	rt_work_came(s->runtime);
	return 0;
}
