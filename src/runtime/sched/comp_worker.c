/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The leaves: a worker, or a combined one; and recipes, chains of components that look like one.
 *
 * A leaf has a list of the tasks that were pushed to its worker with the sum of their expected
 * lengths, and the expected end of the running one; estimates of the whole tree come from there. A
 * combined leaf has no list: a task goes to all its members as one parallel task (sched_party.c),
 * expected to begin when the last of them is free.
 */
#include "comp.h"
#include <math.h>
#include <stdlib.h>

struct leaf {
	int worker; /* or the number of a combined one */
	struct starpu_task_list tasks;
	unsigned n;
	double exp_len;
};

/*
 * The expected end of the task that a worker runs for a context: stored by the worker at each task,
 * without the tree's lock.
 */
static struct {
	_Alignas(64) struct sched_instant of[STARPU_NMAX_SCHED_CTXS];
} ends[STARPU_NMAXWORKERS];

/* One leaf for each worker of a context. */
static struct starpu_sched_component *leaves[STARPU_NMAX_SCHED_CTXS][STARPU_NMAXWORKERS];

static int leaf_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct leaf *l = c->data;
	starpu_task_list_push_back(&l->tasks, t);
	l->n++;
	l->exp_len += t->predicted > 0 ? t->predicted : 0;
	sched_wake((unsigned)l->worker);
	return 0;
}

static struct starpu_task *comp_take(struct leaf *l)
{
	struct starpu_task *t = starpu_task_list_pop_front(&l->tasks);
	if (t) {
		l->n--;
		l->exp_len = fmax(0, l->exp_len - (t->predicted > 0 ? t->predicted : 0));
	}
	return t;
}

void comp_leaf_strand(struct starpu_sched_component *c, struct starpu_task_list *out)
{
	struct starpu_task *t;
	while (!starpu_bitmap_cardinal(&c->workers_in_ctx) && (t = comp_take(c->data)))
		starpu_task_list_push_back(out, t);
}

static struct starpu_task *leaf_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct leaf *l = c->data;
	struct starpu_task *t = comp_take(l);
	unsigned impl;
	if (!t) {
		t = starpu_sched_component_parents_pull_task(c, to);
		if (t)
			starpu_sched_task_break(t);
		t = t ? t : comp_take(l);
	}
	if (!t)
		return NULL;
	if (!starpu_worker_can_execute_task((unsigned)l->worker, t, starpu_task_get_implementation(t)) &&
	    starpu_worker_can_execute_task_first_impl((unsigned)l->worker, t, &impl))
		starpu_task_set_implementation(t, impl);
	sched_instant_set(&ends[l->worker].of[c->tree->sched_ctx_id],
	                  starpu_timing_now() + (t->predicted > 0 ? t->predicted : 0));
	return t;
}

/* Whether it was idle. */
static int leaf_can_pull(struct starpu_sched_component *c)
{
	const struct leaf *l = c->data;
	if (weft_load_bool(&sched_workers[l->worker].poked))
		return 0;
	sched_wake((unsigned)l->worker);
	return 1;
}

static int leaf_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	(void)to;
	return starpu_sched_component_send_can_push_to_parents(c);
}

static double leaf_load(struct starpu_sched_component *c)
{
	const struct leaf *l = c->data;
	return l->n / starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(l->worker, c->tree->sched_ctx_id));
}

static double leaf_end(struct starpu_sched_component *c)
{
	const struct leaf *l = c->data;
	return fmax(sched_instant(&ends[l->worker].of[c->tree->sched_ctx_id]), starpu_timing_now()) + l->exp_len;
}

static void leaf_deinit(struct starpu_sched_component *c)
{
	const struct leaf *l = c->data;
	struct starpu_sched_component **at = &leaves[c->tree->sched_ctx_id][l->worker < STARPU_NMAXWORKERS ? l->worker : 0];
	*at = *at == c ? NULL : *at;
	comp_free_data(c);
}

static struct starpu_sched_component *comp_leaf(struct starpu_sched_tree *tree, int worker, const char *name)
{
	struct starpu_sched_component *c = comp_new(tree, name, sizeof(struct leaf));
	struct leaf *l = c->data;
	l->worker = worker;
	sched_instant_set(&ends[worker].of[tree->sched_ctx_id], 0);
	starpu_task_list_init(&l->tasks);
	starpu_bitmap_set(&c->workers, worker);
	starpu_bitmap_set(&c->workers_in_ctx, worker);
	c->push_task = leaf_push;
	c->pull_task = leaf_pull;
	c->can_pull = leaf_can_pull;
	c->can_push = leaf_can_push;
	c->estimated_load = leaf_load;
	c->estimated_end = leaf_end;
	c->deinit_data = leaf_deinit;
	return c;
}

/* The workers of a leaf. */
static int members_of(const struct leaf *l, const int **member)
{
	int size = 1, *members;
	*member = &l->worker;
	if (!starpu_combined_worker_get_description(l->worker, &size, &members))
		*member = members;
	return size;
}

bool comp_leaf_in_ctx(const struct starpu_sched_component *c)
{
	const int *member;
	bool all = true;
	for (int i = members_of(c->data, &member); i-- > 0;)
		all = all && starpu_bitmap_get(&c->tree->workers, member[i]);
	return all;
}

/* When the last of the members is free. */
static double combined_end(struct starpu_sched_component *c)
{
	const int *member;
	double end = starpu_timing_now();
	for (int i = members_of(c->data, &member); i-- > 0;) {
		struct starpu_sched_component *m = leaves[c->tree->sched_ctx_id][member[i]];
		end = m ? fmax(end, leaf_end(m)) : end;
	}
	return end;
}

/* All members are taken for as long as it runs. */
static int combined_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	const struct leaf *l = c->data;
	const int *member;
	double end = combined_end(c) + (t->predicted > 0 ? t->predicted : 0);
	for (int i = members_of(l, &member); i-- > 0;) {
		struct starpu_sched_component *m = leaves[c->tree->sched_ctx_id][member[i]];
		if (m)
			sched_instant_set(&ends[member[i]].of[c->tree->sched_ctx_id], end - ((struct leaf *)m->data)->exp_len);
	}
	return starpu_push_local_task(l->worker, t, 0);
}

static struct starpu_task *combined_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	(void)c;
	(void)to;
	return NULL;
}

static int combined_can_pull(struct starpu_sched_component *c)
{
	(void)c;
	return 0;
}

static struct starpu_sched_component *comp_combined(struct starpu_sched_tree *tree, int id)
{
	struct starpu_sched_component *c = comp_leaf(tree, id, "combined worker");
	c->push_task = combined_push;
	c->pull_task = combined_pull;
	c->can_pull = combined_can_pull;
	c->estimated_end = combined_end;
	return c;
}

static struct starpu_sched_component *leaf_of(struct starpu_sched_tree *tree, int id)
{
	char name[32];
	snprintf(name, sizeof name, "worker %d", id);
	return starpu_worker_is_combined_worker(id) ? comp_combined(tree, id) : comp_leaf(tree, id, name);
}

struct starpu_sched_component *starpu_sched_component_worker_new(unsigned sched_ctx, int workerid)
{
	struct starpu_sched_component **at = &leaves[sched_ctx][workerid];
	if (!*at)
		*at = leaf_of(starpu_sched_tree_get(sched_ctx), workerid);
	return *at;
}

struct starpu_sched_component *starpu_sched_component_worker_get(unsigned sched_ctx, int workerid)
{
	return starpu_sched_component_worker_new(sched_ctx, workerid);
}

struct starpu_sched_component *starpu_sched_component_parallel_worker_create(struct starpu_sched_tree *tree, unsigned nworkers,
                                                                             unsigned *workers)
{
	int ids[STARPU_NMAXWORKERS];
	for (unsigned i = 0; i < nworkers && i < STARPU_NMAXWORKERS; i++)
		ids[i] = (int)workers[i];
	int id = starpu_combined_worker_assign_workerid((int)nworkers, ids);
	STARPU_ASSERT_MSG(id >= 0 && id < STARPU_NMAXWORKERS, "no room for another combined worker");
	return comp_combined(tree, id);
}

int starpu_sched_component_worker_get_workerid(struct starpu_sched_component *worker_component)
{
	STARPU_ASSERT_MSG(starpu_sched_component_is_worker(worker_component), "the component is no worker");
	return ((const struct leaf *)worker_component->data)->worker;
}

int starpu_sched_component_is_simple_worker(struct starpu_sched_component *component)
{
	return comp_is(component, leaf_push);
}

int starpu_sched_component_is_combined_worker(struct starpu_sched_component *component)
{
	return comp_is(component, combined_push);
}

int starpu_sched_component_is_worker(struct starpu_sched_component *component)
{
	return starpu_sched_component_is_simple_worker(component) || starpu_sched_component_is_combined_worker(component);
}

static void ends_at(unsigned ctx, double when)
{
	int me = starpu_worker_get_id();
	if (me >= 0)
		sched_instant_set(&ends[me].of[ctx], when);
}

void starpu_sched_component_worker_pre_exec_hook(struct starpu_task *task, unsigned sched_ctx_id)
{
	ends_at(sched_ctx_id, starpu_timing_now() + (task->predicted > 0 ? task->predicted : 0));
}

void starpu_sched_component_worker_post_exec_hook(struct starpu_task *task, unsigned sched_ctx_id)
{
	(void)task;
	ends_at(sched_ctx_id, starpu_timing_now());
}

/* -- recipes: components in a row that look like one -- */

struct starpu_sched_component_composed_recipe {
	struct step {
		starpu_sched_component_create_t create;
		void *arg;
	} * step;
	unsigned n;
};

struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create(void)
{
	struct starpu_sched_component_composed_recipe *r = calloc(1, sizeof *r);
	STARPU_ASSERT_MSG(r, "no memory for a recipe");
	return r;
}

void starpu_sched_component_composed_recipe_add(struct starpu_sched_component_composed_recipe *recipe,
                                                struct starpu_sched_component *(*create_component)(struct starpu_sched_tree *,
                                                                                                   void *),
                                                void *arg)
{
	recipe->step = realloc(recipe->step, (recipe->n + 1) * sizeof *recipe->step);
	STARPU_ASSERT_MSG(recipe->step, "no memory for a recipe");
	recipe->step[recipe->n++] = (struct step){create_component, arg};
}

struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create_singleton(
	struct starpu_sched_component *(*create_component)(struct starpu_sched_tree *, void *), void *arg)
{
	struct starpu_sched_component_composed_recipe *r = starpu_sched_component_composed_recipe_create();
	starpu_sched_component_composed_recipe_add(r, create_component, arg);
	return r;
}

void starpu_sched_component_composed_recipe_destroy(struct starpu_sched_component_composed_recipe *recipe)
{
	if (!recipe)
		return;
	free(recipe->step);
	free(recipe);
}

struct row {
	struct starpu_sched_component *top, *bottom;
	void (*add_child)(struct starpu_sched_component *, struct starpu_sched_component *), /* as of any component */
		(*remove_child)(struct starpu_sched_component *, struct starpu_sched_component *),
		(*add_parent)(struct starpu_sched_component *, struct starpu_sched_component *),
		(*remove_parent)(struct starpu_sched_component *, struct starpu_sched_component *);
};

static int row_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct row *r = c->data;
	return r->top->push_task(r->top, t);
}

static struct starpu_task *row_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct row *r = c->data;
	return r->bottom->pull_task(r->bottom, to);
}

static int row_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct row *r = c->data;
	return r->bottom->can_push(r->bottom, to);
}

static int row_can_pull(struct starpu_sched_component *c)
{
	struct row *r = c->data;
	return r->top->can_pull(r->top);
}

static void row_do_schedule(struct starpu_sched_component *c)
{
	struct row *r = c->data;
	r->top->do_schedule(r->top);
}

static double row_load(struct starpu_sched_component *c)
{
	struct row *r = c->data;
	return r->top->estimated_load(r->top);
}

static double row_end(struct starpu_sched_component *c)
{
	struct row *r = c->data;
	return r->top->estimated_end(r->top);
}

/* Neighbours of a row point to the row; its first and last component point to the neighbours. */
static void row_add_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	struct row *r = c->data;
	r->bottom->add_child(r->bottom, child);
	r->add_child(c, child);
}

static void row_remove_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	struct row *r = c->data;
	r->bottom->remove_child(r->bottom, child);
	r->remove_child(c, child);
}

static void row_add_parent(struct starpu_sched_component *c, struct starpu_sched_component *parent)
{
	struct row *r = c->data;
	r->top->add_parent(r->top, parent);
	r->add_parent(c, parent);
}

static void row_remove_parent(struct starpu_sched_component *c, struct starpu_sched_component *parent)
{
	struct row *r = c->data;
	r->top->remove_parent(r->top, parent);
	r->remove_parent(c, parent);
}

struct starpu_sched_component *comp_top(struct starpu_sched_component *c)
{
	return comp_is(c, row_push) ? ((struct row *)c->data)->top : c;
}

/* The last one of a row may be a row itself. */
struct starpu_sched_component *comp_bottom(struct starpu_sched_component *c)
{
	while (comp_is(c, row_push))
		c = ((struct row *)c->data)->bottom;
	return c;
}

static void row_deinit(struct starpu_sched_component *c)
{
	struct row *r = c->data;
	r->top->nparents = 0;
	r->bottom->nchildren = 0;
	for (struct starpu_sched_component *i = r->top, *next; i; i = next) {
		next = i == r->bottom ? NULL : i->children[0];
		i->nchildren = i->nparents = 0;
		starpu_sched_component_destroy(i);
	}
	comp_free_data(c);
}

struct starpu_sched_component *starpu_sched_component_composed_component_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_composed_recipe *recipe)
{
	STARPU_ASSERT_MSG(recipe->n, "a recipe without components");
	if (recipe->n == 1)
		return recipe->step[0].create(tree, recipe->step[0].arg);
	struct starpu_sched_component *c = comp_new(tree, "composed", sizeof(struct row));
	struct row *r = c->data;
	r->top = r->bottom = recipe->step[0].create(tree, recipe->step[0].arg);
	for (unsigned i = 1; i < recipe->n; i++) {
		struct starpu_sched_component *next = recipe->step[i].create(tree, recipe->step[i].arg);
		starpu_sched_component_connect(r->bottom, next);
		r->bottom = next;
	}
	c->push_task = row_push;
	c->pull_task = row_pull;
	c->can_push = row_can_push;
	c->can_pull = row_can_pull;
	c->estimated_load = row_load;
	c->estimated_end = row_end;
	c->do_schedule = row_do_schedule;
	r->add_child = c->add_child;
	r->remove_child = c->remove_child;
	r->add_parent = c->add_parent;
	r->remove_parent = c->remove_parent;
	c->add_child = row_add_child;
	c->remove_child = row_remove_child;
	c->add_parent = row_add_parent;
	c->remove_parent = row_remove_parent;
	c->deinit_data = row_deinit;
	return c;
}
