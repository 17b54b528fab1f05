/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of components: one for each context, and the ways into it from outside, under its lock.
 *
 * When workers are added to a tree or removed, the bitmaps of workers below each component are
 * computed again from the leaves up; tasks in queues below which no worker may run them any more
 * are collected and pushed again.
 */
#include "comp.h"
#include "runtime/task/complain.h"
#include <stdlib.h>

/* By context, from their making on: leaves look theirs up before a policy has set its data. */
static struct starpu_sched_tree *trees[STARPU_NMAX_SCHED_CTXS];

struct starpu_sched_tree *starpu_sched_tree_create(unsigned sched_ctx_id)
{
	struct starpu_sched_tree *t = calloc(1, sizeof *t);
	STARPU_ASSERT_MSG(t && sched_ctx_id < STARPU_NMAX_SCHED_CTXS, "no memory for a modular scheduler");
	starpu_bitmap_init(&t->workers);
	t->sched_ctx_id = sched_ctx_id;
	STARPU_PTHREAD_MUTEX_INIT(&t->lock, NULL);
	trees[sched_ctx_id] = t;
	return t;
}

void starpu_sched_tree_destroy(struct starpu_sched_tree *tree)
{
	trees[tree->sched_ctx_id] = NULL;
	starpu_sched_component_destroy_rec(tree->root);
	STARPU_PTHREAD_MUTEX_DESTROY(&tree->lock);
	free(tree);
}

struct starpu_sched_tree *starpu_sched_tree_get(unsigned sched_ctx_id)
{
	return sched_ctx_id < STARPU_NMAX_SCHED_CTXS ? trees[sched_ctx_id] : NULL;
}

void starpu_sched_tree_deinitialize(unsigned sched_ctx_id)
{
	starpu_sched_tree_destroy(starpu_sched_tree_get(sched_ctx_id));
	starpu_sched_ctx_set_policy_data(sched_ctx_id, NULL);
}

/* The components below: the children, or the inner ones that these stand below. */
static unsigned n_below(struct starpu_sched_component *c)
{
	return comp_top(c) == c ? c->nchildren : 1;
}

static struct starpu_sched_component *comp_below(struct starpu_sched_component *c, unsigned i)
{
	return comp_top(c) == c ? c->children[i] : comp_top(c);
}

/* The workers below each component. */
static void comp_gather(struct starpu_sched_component *c)
{
	if (starpu_sched_component_is_worker(c))
		return;
	starpu_bitmap_unset_all(&c->workers);
	for (unsigned i = 0; i < n_below(c); i++) {
		comp_gather(comp_below(c, i));
		starpu_bitmap_or(&c->workers, &comp_below(c, i)->workers);
	}
	c->notify_change_workers(c);
}

static void set_properties(struct starpu_sched_component *c)
{
	bool same_kind = true, same_node = true;
	int first = starpu_bitmap_first(&c->workers_in_ctx);
	for (int w = first; w >= 0; w = starpu_bitmap_next(&c->workers_in_ctx, w)) {
		if ((unsigned)w >= starpu_worker_get_count())
			continue;
		same_kind = same_kind && starpu_worker_get_type(w) == starpu_worker_get_type(first);
		same_node = same_node &&
		            starpu_worker_get_memory_node((unsigned)w) == starpu_worker_get_memory_node((unsigned)first);
	}
	c->properties = (same_kind ? STARPU_SCHED_COMPONENT_HOMOGENEOUS : 0) |
	                (same_node ? STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE : 0);
}

static void gather_in_ctx(struct starpu_sched_component *c)
{
	starpu_bitmap_unset_all(&c->workers_in_ctx);
	if (starpu_sched_component_is_worker(c) && comp_leaf_in_ctx(c))
		starpu_bitmap_or(&c->workers_in_ctx, &c->workers);
	for (unsigned i = 0; i < n_below(c); i++) {
		gather_in_ctx(comp_below(c, i));
		starpu_bitmap_or(&c->workers_in_ctx, &comp_below(c, i)->workers_in_ctx);
	}
	set_properties(c);
}

void starpu_sched_tree_update_workers(struct starpu_sched_tree *t)
{
	if (t->root)
		comp_gather(t->root);
	comp_trace_tree(t->root);
}

void starpu_sched_tree_update_workers_in_ctx(struct starpu_sched_tree *t)
{
	if (t->root)
		gather_in_ctx(t->root);
}

void starpu_sched_tree_add_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers)
{
	struct starpu_sched_tree *t = starpu_sched_tree_get(sched_ctx_id);
	comp_lock(sched_ctx_id);
	for (unsigned i = 0; i < nworkers; i++)
		starpu_bitmap_set(&t->workers, workerids[i]);
	starpu_sched_tree_update_workers(t);
	starpu_sched_tree_update_workers_in_ctx(t);
	comp_unlock(sched_ctx_id);
}

/* Tasks in queues that no worker which may run them pulls from any more. */
static void gather_stranded(struct starpu_sched_component *c, struct starpu_task_list *out)
{
	static const struct {
		int (*is)(struct starpu_sched_component *);
		void (*strand)(struct starpu_sched_component *, struct starpu_task_list *);
	} keepers[] = {
		{starpu_sched_component_is_fifo, comp_queue_strand},
		{starpu_sched_component_is_prio, comp_queue_strand},
		{starpu_sched_component_is_work_stealing, comp_ws_strand},
		{starpu_sched_component_is_simple_worker, comp_leaf_strand},
	};
	for (size_t i = 0; i < sizeof keepers / sizeof *keepers; i++)
		if (keepers[i].is(c))
			keepers[i].strand(c, out);
	for (unsigned i = 0; i < n_below(c); i++)
		gather_stranded(comp_below(c, i), out);
}

void starpu_sched_tree_remove_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers)
{
	struct starpu_sched_tree *t = starpu_sched_tree_get(sched_ctx_id);
	if (!t)
		return;
	comp_lock(sched_ctx_id);
	for (unsigned i = 0; i < nworkers; i++)
		starpu_bitmap_unset(&t->workers, workerids[i]);
	starpu_sched_tree_update_workers_in_ctx(t);
	struct starpu_task_list stranded;
	starpu_task_list_init(&stranded);
	if (t->root)
		gather_stranded(t->root, &stranded);
	comp_unlock(sched_ctx_id);
	for (struct starpu_task *task; (task = starpu_task_list_pop_front(&stranded));)
		sched_push_again(task);
}

/* -- the ways in -- */

int starpu_sched_tree_push_task(struct starpu_task *task)
{
	unsigned ctx = task->sched_ctx;
	struct starpu_sched_tree *t = starpu_sched_tree_get(ctx);
	comp_lock(ctx);
	int rc = starpu_sched_component_push_task(NULL, t->root, task);
	comp_unlock(ctx);
	if (rc)
		rt_misuse(
			"no component of the tree takes a task of codelet '%s': one that decides by models needs a task with a model, "
			"or a queue above it",
			task->cl && task->cl->name ? task->cl->name : "unnamed");
	return rc;
}

struct starpu_task *starpu_sched_tree_pop_task(unsigned sched_ctx)
{
	unsigned worker = starpu_worker_get_id_check();
	comp_lock(sched_ctx);
	struct starpu_sched_component *leaf = starpu_sched_component_worker_get(sched_ctx, (int)worker);
	struct starpu_task *t = leaf ? leaf->pull_task(leaf, leaf) : NULL;
	comp_unlock(sched_ctx);
	return t;
}

void starpu_sched_tree_do_schedule(unsigned sched_ctx_id)
{
	comp_lock(sched_ctx_id);
	struct starpu_sched_tree *t = starpu_sched_tree_get(sched_ctx_id);
	t->root->do_schedule(t->root);
	comp_unlock(sched_ctx_id);
}
