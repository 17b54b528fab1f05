/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of tasks that are held back: the longest path, in tasks, from each to the end of the
 * submitted graph.
 *
 * Dependents of a task that does not run do not run either: from the held ones on, jobs and the
 * edges between them stay, and edges are only added. So the walk needs no lock. It goes as deep as
 * the program's graph is: by a stack of its own.
 */
#include "sched.h"
#include <stdlib.h>

struct node {
	uint32_t job; /* 0: free */
	uint32_t edge;
	int32_t rank;
};
struct walk {
	struct node *table; /* by job, open addressing; a power of two */
	uint32_t cap, n;
	uint32_t *stack; /* of jobs */
	uint32_t depth, stack_cap;
};

static struct node *find(const struct walk *w, uint32_t job)
{
	uint32_t at = job * UINT32_C(2654435761);
	while (w->table[at & (w->cap - 1)].job && w->table[at & (w->cap - 1)].job != job)
		at++;
	return &w->table[at & (w->cap - 1)];
}

static void make_room(struct walk *w)
{
	struct walk old = *w;
	if (2 * w->n < w->cap)
		return;
	w->cap = w->cap ? 2 * w->cap : 256;
	w->table = calloc(w->cap, sizeof *w->table);
	STARPU_ASSERT_MSG(w->table, "no memory for the ranks of tasks");
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.table[i].job)
			*find(w, old.table[i].job) = old.table[i];
	free(old.table);
}

static void enter(struct walk *w, struct rt_job *j)
{
	make_room(w);
	*find(w, j->self) = (struct node){j->self, (uint32_t)weft_load_u64(&j->succ), 0};
	w->n++;
	if (w->depth == w->stack_cap) {
		w->stack_cap = w->stack_cap ? 2 * w->stack_cap : 256;
		w->stack = realloc(w->stack, w->stack_cap * sizeof *w->stack);
		STARPU_ASSERT_MSG(w->stack, "no memory for the ranks of tasks");
	}
	w->stack[w->depth++] = j->self;
}

/* Jobs without a body only pass edges on. */
static int32_t length_of(const struct rt_job *j)
{
	return j->body != NULL;
}

static struct starpu_task *task_of(struct rt_job *j)
{
	return j->body && j->bits & RT_J_PLACED ? rt_upper(j)->task : NULL;
}

void sched_each_behind(const struct starpu_task *t, void (*tell)(void *arg, const struct starpu_task *behind, unsigned waits_for),
                       void *arg)
{
	for (uint32_t edge = (uint32_t)weft_load_u64(&rt_task_job(t)->succ); edge;) {
		struct rt_job *j = rt_job_at(edge / RT_EDGES);
		/* While it is being submitted, it has its guard. */
		unsigned waits_for = (unsigned)weft_load_i32(&j->pending) & (unsigned)(RT_GUARD - 1);
		if (task_of(j))
			tell(arg, task_of(j), waits_for ? waits_for : 1);
		edge = j->edge_next[edge % RT_EDGES];
	}
}

static void leave(const struct node *n)
{
	struct starpu_task *t = task_of(rt_job_at(n->job));
	if (t)
		t->priority = n->rank;
}

/* All dependents of this job. */
static void walk_from(struct walk *w, struct rt_job *first)
{
	if (w->cap && find(w, first->self)->job)
		return;
	enter(w, first);
	while (w->depth) {
		struct node *n = find(w, w->stack[w->depth - 1]);
		if (!n->edge) {
			leave(n);
			w->depth--;
			continue;
		}
		struct rt_job *to = rt_job_at(n->edge / RT_EDGES);
		const struct node *seen = find(w, to->self);
		if (!seen->job) {
			enter(w, to);
			continue;
		}
		/* Done, as there are no circles. */
		int32_t rank = seen->rank + length_of(to);
		n->rank = rank > n->rank ? rank : n->rank;
		n->edge = to->edge_next[n->edge % RT_EDGES];
	}
}

void sched_rank(struct starpu_task_list *held)
{
	struct walk w = {0};
	for (struct starpu_task *t = starpu_task_list_front(held); t; t = t->next)
		walk_from(&w, rt_task_job(t));
	free(w.table);
	free(w.stack);
}
