/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components: making and connecting them, the default callbacks, and queries.
 *
 * A component begins with the default callbacks: push to the first child that may run the task and
 * accepts it, pull from the parents, estimates as sums or minima over the children. The other files
 * of comp_*.c replace some of them.
 */
#include "comp.h"
#include "runtime/task/complain.h"
#include "runtime/task/machine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t running[STARPU_NMAX_SCHED_CTXS] = {
	[0 ... STARPU_NMAX_SCHED_CTXS - 1] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

/*
 * A decision takes a microsecond, waking a sleeping thread for one takes ten: a waiting thread
 * spins for so long.
 */
void comp_lock(unsigned ctx)
{
	enum { LOOKS = 300 };
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!pthread_mutex_trylock(&running[ctx]))
			return;
		__builtin_ia32_pause();
	}
	pthread_mutex_lock(&running[ctx]);
}

void comp_unlock(unsigned ctx)
{
	pthread_mutex_unlock(&running[ctx]);
}

/* -- default callbacks -- */

static int usual_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	for (unsigned i = 0; i < c->nchildren; i++)
		if (starpu_sched_component_can_execute_task(c->children[i], t) &&
		    !starpu_sched_component_push_task(c, c->children[i], t))
			return 0;
	return 1;
}

struct starpu_task *starpu_sched_component_parents_pull_task(struct starpu_sched_component *component,
                                                             struct starpu_sched_component *to)
{
	for (unsigned i = 0; i < component->nparents; i++) {
		struct starpu_sched_component *p = component->parents[i];
		struct starpu_task *t = p ? p->pull_task(p, to) : NULL;
		if (!t)
			continue;
		comp_trace_move(rt_detail.component_pull, p, component, t);
		return t;
	}
	return NULL;
}

int starpu_sched_component_send_can_push_to_parents(struct starpu_sched_component *component)
{
	int pushed = 0;
	for (unsigned i = 0; i < component->nparents; i++)
		if (component->parents[i])
			pushed |= component->parents[i]->can_push(component->parents[i], component);
	return pushed;
}

int starpu_sched_component_can_push(struct starpu_sched_component *component, struct starpu_sched_component *to)
{
	(void)to;
	return starpu_sched_component_send_can_push_to_parents(component);
}

int starpu_sched_component_can_pull(struct starpu_sched_component *component)
{
	for (unsigned i = 0; i < component->nchildren; i++)
		if (component->children[i]->can_pull(component->children[i]))
			return 1;
	return 0;
}

int starpu_sched_component_can_pull_all(struct starpu_sched_component *component)
{
	int any = 0;
	for (unsigned i = 0; i < component->nchildren; i++)
		any |= component->children[i]->can_pull(component->children[i]);
	return any;
}

double starpu_sched_component_estimated_load(struct starpu_sched_component *component)
{
	double sum = 0;
	for (unsigned i = 0; i < component->nchildren; i++)
		sum += component->children[i]->estimated_load(component->children[i]);
	return sum;
}

double starpu_sched_component_estimated_end_min_add(struct starpu_sched_component *component, double exp_len)
{
	double least = INFINITY;
	for (unsigned i = 0; i < component->nchildren; i++)
		least = fmin(least, component->children[i]->estimated_end(component->children[i]));
	return (isinf(least) ? starpu_timing_now() : least) + (component->nchildren ? exp_len / component->nchildren : exp_len);
}

double starpu_sched_component_estimated_end_min(struct starpu_sched_component *component)
{
	return starpu_sched_component_estimated_end_min_add(component, 0);
}

double starpu_sched_component_estimated_end_average(struct starpu_sched_component *component)
{
	double sum = 0;
	for (unsigned i = 0; i < component->nchildren; i++)
		sum += component->children[i]->estimated_end(component->children[i]);
	return component->nchildren ? sum / component->nchildren : starpu_timing_now();
}

static int usual_notify(struct starpu_sched_component *c, int message, void *arg)
{
	int answered = 0;
	for (unsigned i = 0; i < c->nchildren; i++)
		answered |= c->children[i]->notify ? c->children[i]->notify(c->children[i], message, arg) : 0;
	return answered;
}

static void usual_do_schedule(struct starpu_sched_component *c)
{
	for (unsigned i = 0; i < c->nchildren; i++)
		c->children[i]->do_schedule(c->children[i]);
}

static void usual_notify_change(struct starpu_sched_component *c)
{
	(void)c;
}

/* -- making and connecting -- */

static void comp_grow(struct starpu_sched_component ***at, unsigned n)
{
	*at = realloc(*at, (n + 1) * sizeof **at);
	STARPU_ASSERT_MSG(*at, "no memory for a scheduling component");
}

static void usual_add_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	for (unsigned i = 0; i < c->nchildren; i++)
		if (c->children[i] == child)
			return;
	comp_grow(&c->children, c->nchildren);
	c->children[c->nchildren++] = child;
}

static void usual_add_parent(struct starpu_sched_component *c, struct starpu_sched_component *parent)
{
	for (unsigned i = 0; i < c->nparents; i++)
		if (c->parents[i] == parent)
			return;
	comp_grow(&c->parents, c->nparents);
	c->parents[c->nparents++] = parent;
}

static void comp_drop(struct starpu_sched_component **at, unsigned *n, const struct starpu_sched_component *which)
{
	for (unsigned i = 0; i < *n; i++)
		if (at[i] == which) {
			at[i] = at[--*n];
			return;
		}
}

static void usual_remove_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	comp_drop(c->children, &c->nchildren, child);
}

static void usual_remove_parent(struct starpu_sched_component *c, struct starpu_sched_component *parent)
{
	comp_drop(c->parents, &c->nparents, parent);
}

static void nothing_to_free(struct starpu_sched_component *c)
{
	(void)c;
}

void comp_free_data(struct starpu_sched_component *c)
{
	free(c->data);
	c->data = NULL;
}

/* A component of ours, or of the program. */
struct made {
	struct starpu_sched_component component; /* first */
	bool ours;
};

struct starpu_sched_component *starpu_sched_component_create(struct starpu_sched_tree *tree, const char *name)
{
	struct made *m = calloc(1, sizeof *m);
	STARPU_ASSERT_MSG(m, "no memory for a scheduling component");
	struct starpu_sched_component *c = &m->component;
	*c = (struct starpu_sched_component){
		.tree = tree,
		.name = strdup(name),
		.add_child = usual_add_child,
		.remove_child = usual_remove_child,
		.add_parent = usual_add_parent,
		.remove_parent = usual_remove_parent,
		.push_task = usual_push,
		.pull_task = starpu_sched_component_parents_pull_task,
		.can_push = starpu_sched_component_can_push,
		.can_pull = starpu_sched_component_can_pull_all,
		.do_schedule = usual_do_schedule,
		.notify = usual_notify,
		.estimated_load = starpu_sched_component_estimated_load,
		.estimated_end = starpu_sched_component_estimated_end_min,
		.deinit_data = nothing_to_free,
		.notify_change_workers = usual_notify_change,
	};
	starpu_bitmap_init(&c->workers);
	starpu_bitmap_init(&c->workers_in_ctx);
	return c;
}

struct starpu_sched_component *comp_new(struct starpu_sched_tree *tree, const char *name, size_t data_bytes)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, name);
	((struct made *)c)->ours = true;
	if (!data_bytes)
		return c;
	c->data = calloc(1, data_bytes);
	STARPU_ASSERT_MSG(c->data, "no memory for a scheduling component");
	c->deinit_data = comp_free_data;
	return c;
}

void starpu_sched_component_connect(struct starpu_sched_component *parent, struct starpu_sched_component *child)
{
	parent->add_child(parent, child);
	child->add_parent(child, parent);
}

void starpu_sched_component_add_child(struct starpu_sched_component *component, struct starpu_sched_component *child)
{
	component->add_child(component, child);
}

void starpu_sched_component_destroy(struct starpu_sched_component *component)
{
	if (!component)
		return;
	for (unsigned i = 0; i < component->nchildren; i++)
		component->children[i]->remove_parent(component->children[i], component);
	for (unsigned i = 0; i < component->nparents; i++)
		component->parents[i]->remove_child(component->parents[i], component);
	component->deinit_data(component);
	free(component->children);
	free(component->parents);
	free(component->name);
	free(component);
}

void starpu_sched_component_destroy_rec(struct starpu_sched_component *component)
{
	if (!component)
		return;
	/* A child is freed with the last of its parents. */
	while (component->nchildren) {
		struct starpu_sched_component *child = component->children[--component->nchildren];
		child->remove_parent(child, component);
		if (!child->nparents)
			starpu_sched_component_destroy_rec(child);
	}
	starpu_sched_component_destroy(component);
}

/* -- the ways in -- */

int starpu_sched_component_push_task(struct starpu_sched_component *from, struct starpu_sched_component *to,
                                     struct starpu_task *task)
{
	comp_trace_move(rt_detail.component_push, from, to, task);
	int refused = to->push_task(to, task);
	if (refused && from)
		comp_trace_move(rt_detail.component_push, to, from, task);
	return refused;
}

struct starpu_task *starpu_sched_component_pull_task(struct starpu_sched_component *from, struct starpu_sched_component *to)
{
	return from->pull_task(from, to);
}

/* Pushes a task of `component` to `to`; a refused one is returned. */
struct starpu_task *starpu_sched_component_pump_to(struct starpu_sched_component *component, struct starpu_sched_component *to,
                                                   int *success)
{
	for (;;) {
		struct starpu_task *t = component->pull_task(component, to);
		if (!t)
			return NULL;
		if (starpu_sched_component_push_task(component, to, t))
			return t;
		*success = 1;
	}
}

struct starpu_task *starpu_sched_component_pump_downstream(struct starpu_sched_component *component, int *success)
{
	STARPU_ASSERT_MSG(component->nchildren == 1, "a component that pumps downstream has one child");
	return starpu_sched_component_pump_to(component, component->children[0], success);
}

/* -- for decisions -- */

int comp_child_of_caller(const struct starpu_sched_component *c)
{
	int me = starpu_worker_get_id();
	for (unsigned i = 0; me >= 0 && i < c->nchildren; i++)
		if (starpu_bitmap_get(&c->children[i]->workers_in_ctx, me))
			return (int)i;
	return -1;
}

static bool is_queue(struct starpu_sched_component *c)
{
	return starpu_sched_component_is_fifo(c) || starpu_sched_component_is_prio(c);
}

static bool has_queue_above(const struct starpu_sched_component *c)
{
	bool has = false;
	for (unsigned i = 0; i < c->nparents && !has; i++) {
		struct starpu_sched_component *p = comp_bottom(c->parents[i]);
		has = is_queue(p) || has_queue_above(p);
	}
	return has;
}

bool comp_is_programs_decision(const struct starpu_sched_component *c)
{
	return !((const struct made *)c)->ours && c->push_task != usual_push &&
	       c->pull_task == starpu_sched_component_parents_pull_task && has_queue_above(c);
}

int comp_give_back(struct starpu_sched_component *c, struct starpu_task *t)
{
	for (unsigned i = 0; i < c->nparents; i++) {
		struct starpu_sched_component *p = comp_bottom(c->parents[i]);
		if (is_queue(p) && p->notify(p, 0, t)) {
			comp_trace_move(rt_detail.component_push, c, p, t);
			return 1;
		}
		if (comp_give_back(p, t))
			return 1;
	}
	return 0;
}

int comp_pump(struct starpu_sched_component *c)
{
	int pushed = 0;
	for (;;) {
		struct starpu_task *t = starpu_sched_component_parents_pull_task(c, c);
		if (!t)
			return pushed;
		if (c->push_task(c, t)) {
			STARPU_ASSERT_MSG(comp_give_back(c, t), "a task that no component wants");
			return pushed;
		}
		pushed = 1;
	}
}

struct starpu_task *comp_decision_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	(void)to;
	comp_pump(c);
	return NULL;
}

int comp_decision_can_pull(struct starpu_sched_component *c)
{
	return comp_pump(c);
}

int comp_decision_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	(void)to;
	return comp_pump(c);
}

/* -- questions -- */

int starpu_sched_component_can_execute_task(struct starpu_sched_component *component, struct starpu_task *task)
{
	for (int w = starpu_bitmap_first(&component->workers_in_ctx); w >= 0;
	     w = starpu_bitmap_next(&component->workers_in_ctx, w))
		if ((unsigned)w >= starpu_worker_get_count() ? starpu_combined_worker_can_execute_task((unsigned)w, task, 0)
		                                             : starpu_worker_can_execute_task_first_impl((unsigned)w, task, NULL))
			return 1;
	return 0;
}

/*
 * The best length below: 0 without a model, NaN where one is still learning. Returns 0: no worker
 * can.
 */
int starpu_sched_component_execute_preds(struct starpu_sched_component *component, struct starpu_task *task, double *length)
{
	bool learning = false, without = false;
	double best = INFINITY;
	int able = 0;
	for (int w = starpu_bitmap_first(&component->workers_in_ctx); w >= 0;
	     w = starpu_bitmap_next(&component->workers_in_ctx, w)) {
		unsigned impls = 0;
		if ((unsigned)w >= starpu_worker_get_count())
			impls = (unsigned)starpu_combined_worker_can_execute_task((unsigned)w, task, 0);
		else
			starpu_worker_can_execute_task_impl((unsigned)w, task, &impls);
		for (unsigned impl = 0; impls >> impl; impl++) {
			if (!(impls >> impl & 1))
				continue;
			double len = starpu_task_worker_expected_length(task, (unsigned)w, component->tree->sched_ctx_id, impl);
			able = 1;
			learning = learning || isnan(len);
			without = without || len == 0;
			best = fmin(best, isnan(len) ? INFINITY : len);
		}
		if (STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(component) && able)
			break;
	}
	if (length)
		*length = learning ? NAN : without || isinf(best) ? 0 : best;
	return able;
}

double starpu_sched_component_transfer_length(struct starpu_sched_component *component, struct starpu_task *task)
{
	double sum = 0;
	unsigned n = 0;
	for (int w = starpu_bitmap_first(&component->workers_in_ctx); w >= 0;
	     w = starpu_bitmap_next(&component->workers_in_ctx, w)) {
		if ((unsigned)w >= starpu_worker_get_count())
			continue;
		sum += starpu_task_expected_data_transfer_time_for(task, (unsigned)w);
		n++;
		if (STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component))
			break;
	}
	return n ? sum / n : 0;
}

void starpu_sched_component_prefetch_on_node(struct starpu_sched_component *component, struct starpu_task *task)
{
	int w = starpu_bitmap_first(&component->workers_in_ctx);
	if (w >= 0 && (unsigned)w < starpu_worker_get_count() && STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component) &&
	    !task->prefetched && starpu_get_prefetch_flag() && starpu_memory_nodes_get_count() > 1) {
		starpu_prefetch_task_input_for(task, (unsigned)w);
		task->prefetched = 1;
	}
}

bool comp_is(const struct starpu_sched_component *c, int (*push)(struct starpu_sched_component *, struct starpu_task *))
{
	return c->push_task == push;
}
