/* SPDX-License-Identifier: Apache-2.0 */
#include "prio.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EMPTY = 16, SPINS = 64 };

static void lock(struct rt_prio *q)
{
	for (unsigned spins = 0; weft_swap_bool(&q->lock, true);)
		/* Its holder may have been put off its core. */
		while (weft_load_relaxed_bool(&q->lock)) /* relaxed: the swap acquires */
			if (++spins % SPINS)
				__builtin_ia32_pause();
			else
				sched_yield();
}

static void unlock(struct rt_prio *q)
{
	weft_store_bool(&q->lock, false);
}

void rt_prio_fini(struct rt_prio *q)
{
	free(q->list);
	*q = (struct rt_prio){0};
}

/* Where a list of this priority is, or would be. */
static unsigned place_of(const struct rt_prio *q, int32_t priority)
{
	unsigned from = 0, to = q->n;
	while (from < to) {
		unsigned middle = (from + to) / 2;
		if (q->list[middle].priority > priority)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct rt_prio_list *list_of(struct rt_prio *q, int32_t priority)
{
	unsigned at = place_of(q, priority);
	if (at < q->n && q->list[at].priority == priority)
		return &q->list[at];
	if (q->n == q->cap) {
		unsigned cap = q->cap ? 2 * q->cap : MOST_EMPTY;
		struct rt_prio_list *list = realloc(q->list, cap * sizeof *list);
		if (!list)
			return NULL;
		q->list = list;
		q->cap = cap;
	}
	memmove(&q->list[at + 1], &q->list[at], (q->n++ - at) * sizeof *q->list);
	q->list[at] = (struct rt_prio_list){.priority = priority};
	return &q->list[at];
}

/* relaxed: under the lock */
static void count(struct rt_prio *q, bool urgent, uint32_t by)
{
	struct weft_atomic_u32 *n = urgent ? &q->n_urgent : &q->n_low;
	weft_store_u32(n, weft_load_relaxed_u32(n) + by);
}

int rt_prio_put(struct rt_prio *q, struct rt_job *j)
{
	lock(q);
	struct rt_prio_list *l = list_of(q, j->priority);
	if (l) {
		j->next_free = 0;
		if (l->first)
			rt_job_at(l->last)->next_free = j->self;
		else
			l->first = j->self;
		l->last = j->self;
		count(q, j->priority > 0, 1);
	}
	unlock(q);
	return l ? 0 : -ENOMEM;
}

/* Its list stays while there are few: the next job is often of the same priority. */
static struct rt_job *take_first(struct rt_prio *q, unsigned at)
{
	struct rt_prio_list *l = &q->list[at];
	struct rt_job *j = rt_job_at(l->first);
	l->first = j->next_free;
	if (!l->first && q->n > MOST_EMPTY)
		memmove(l, l + 1, (--q->n - at) * sizeof *l);
	count(q, j->priority > 0, -UINT32_C(1));
	return j;
}

struct rt_job *rt_prio_take(struct rt_prio *q, bool urgent)
{
	struct rt_job *j = NULL;
	if (!rt_prio_any(q, urgent))
		return NULL;
	lock(q);
	for (unsigned i = urgent ? 0 : place_of(q, -1); i < q->n && !j; i++)
		if (q->list[i].first && (q->list[i].priority > 0) == urgent)
			j = take_first(q, i);
	unlock(q);
	return j;
}
