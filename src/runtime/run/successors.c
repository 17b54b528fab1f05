/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks come after a task, as programs and policies ask: along the edges out of its job, and of what is declared. */
#include "run.h"

struct found {
	unsigned n, room;
	struct starpu_task **list;
	bool (*wanted)(const struct starpu_task *);
};

static void find_one(struct found *f, struct starpu_task *t)
{
	if (t && f->n < f->room && (!f->wanted || f->wanted(t)))
		f->list[f->n++] = t;
}

/* The tasks among the edges out of the job, or (`f` NULL) whether the task is one of them. */
static bool find_hanging(struct found *f, const struct rt_job *j, const struct starpu_task *t)
{
	uint32_t edge = j ? (uint32_t)weft_load_u64(&j->succ) : 0;
	while (edge) {
		struct rt_job *next = rt_job_at(edge / RT_EDGES);
		edge = next->edge_next[edge % RT_EDGES];
		struct starpu_task *found = next->body == rt_body_task ? rt_upper(next)->task : NULL;
		if (f)
			find_one(f, found);
		else if (found == t)
			return true;
	}
	return false;
}

struct hidden {
	struct found *found;
	const struct rt_job *job;
};

/* A task that says that it comes after, where no edge says so yet. */
static void find_declared(void *arg, struct starpu_task *behind)
{
	const struct hidden *h = arg;
	if (!find_hanging(NULL, h->job, behind))
		find_one(h->found, behind);
}

/* What hangs on the task, and what says that it will. A glance: there may be more meanwhile. */
static int successors(struct starpu_task *t, unsigned n, struct starpu_task **list, bool (*wanted)(const struct starpu_task *))
{
	const struct rt_task *own = t->starpu_private;
	struct found f = {0, n, list, wanted};
	if (!own)
		return 0;
	find_hanging(&f, own->job, NULL);
	struct hidden h = {&f, own->job};
	rt_task_each_declared(own, find_declared, &h);
	return (int)f.n;
}

static bool is_scheduled(const struct starpu_task *t)
{
	return t->scheduled;
}

int starpu_task_get_task_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	return successors(task, ndeps, task_array, NULL);
}

int starpu_task_get_task_scheduled_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	return successors(task, ndeps, task_array, is_scheduled);
}
