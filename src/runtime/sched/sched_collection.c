/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collections of workers as policies walk over them. The list is in the order in which workers were
 * added; the tree in the order of the machine, so that neighbours in it share the most.
 */
#include "sched.h"
#include <stdlib.h>

static void init(struct starpu_worker_collection *w)
{
	w->workerids = malloc(STARPU_NMAXWORKERS * sizeof *w->workerids);
	STARPU_ASSERT_MSG(w->workerids, "no memory for a collection of workers");
	w->nworkers = 0;
	memset(w->present, 0, sizeof w->present);
}

static void deinit(struct starpu_worker_collection *w)
{
	free(w->workerids);
	w->workerids = NULL;
	w->nworkers = 0;
}

static int place_of(const struct starpu_worker_collection *w, int worker)
{
	for (unsigned i = 0; i < w->nworkers; i++)
		if (w->workerids[i] == worker)
			return (int)i;
	return -1;
}

static void insert_at(struct starpu_worker_collection *w, unsigned at, int worker)
{
	memmove(&w->workerids[at + 1], &w->workerids[at], (w->nworkers - at) * sizeof *w->workerids);
	w->workerids[at] = worker;
	w->nworkers++;
	w->present[worker] = 1;
}

static int list_add(struct starpu_worker_collection *w, int worker)
{
	if (worker < 0 || worker >= STARPU_NMAXWORKERS || place_of(w, worker) >= 0)
		return -1;
	insert_at(w, w->nworkers, worker);
	return worker;
}

/* Processing units are numbered along the machine. */
static bool is_before(int a, int b)
{
	int pu_a = starpu_worker_get_bindid(a), pu_b = starpu_worker_get_bindid(b);
	return pu_a != pu_b ? pu_a < pu_b : a < b;
}

static int tree_add(struct starpu_worker_collection *w, int worker)
{
	unsigned at = 0;
	if (worker < 0 || worker >= STARPU_NMAXWORKERS || place_of(w, worker) >= 0)
		return -1;
	while (at < w->nworkers && is_before(w->workerids[at], worker))
		at++;
	insert_at(w, at, worker);
	return worker;
}

static int take_out(struct starpu_worker_collection *w, int worker)
{
	int at = place_of(w, worker);
	if (at < 0)
		return -1;
	w->nworkers--;
	memmove(&w->workerids[at], &w->workerids[at + 1], (w->nworkers - (unsigned)at) * sizeof *w->workerids);
	w->present[worker] = 0;
	return worker;
}

static void init_iterator(struct starpu_worker_collection *w, struct starpu_sched_ctx_iterator *it)
{
	(void)w;
	memset(it, 0, sizeof *it);
}

static void init_iterator_for_parallel_tasks(struct starpu_worker_collection *w, struct starpu_sched_ctx_iterator *it,
                                             struct starpu_task *t)
{
	init_iterator(w, it);
	it->possibly_parallel = (int)t->possibly_parallel;
}

static unsigned has_next(struct starpu_worker_collection *w, struct starpu_sched_ctx_iterator *it)
{
	return (unsigned)it->cursor < w->nworkers;
}

static int get_next(struct starpu_worker_collection *w, struct starpu_sched_ctx_iterator *it)
{
	int worker = w->workerids[it->cursor++];
	it->visited[worker] = 1;
	return worker;
}

struct starpu_worker_collection starpu_worker_list = {
	.type = STARPU_WORKER_LIST,
	.has_next = has_next,
	.get_next = get_next,
	.add = list_add,
	.remove = take_out,
	.init = init,
	.deinit = deinit,
	.init_iterator = init_iterator,
	.init_iterator_for_parallel_tasks = init_iterator_for_parallel_tasks,
};

struct starpu_worker_collection starpu_worker_tree = {
	.type = STARPU_WORKER_TREE,
	.has_next = has_next,
	.get_next = get_next,
	.add = tree_add,
	.remove = take_out,
	.init = init,
	.deinit = deinit,
	.init_iterator = init_iterator,
	.init_iterator_for_parallel_tasks = init_iterator_for_parallel_tasks,
};
