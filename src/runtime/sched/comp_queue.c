/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components that keep tasks: fifo, prio, and a queue for each child with stealing. A queue with a
 * threshold refuses beyond it, and notifies its parents when there is room again.
 */
#include "comp.h"
#include <math.h>
#include <stdlib.h>

struct queue {
	struct starpu_st_fifo_taskq tasks;
	struct starpu_sched_component_fifo_data how;
	bool sorted;
};

static int fifo_push(struct starpu_sched_component *c, struct starpu_task *t);
static int prio_push(struct starpu_sched_component *c, struct starpu_task *t);

static double length_of(const struct starpu_task *t)
{
	return (t->predicted > 0 ? t->predicted : 0) + (t->predicted_transfer > 0 ? t->predicted_transfer : 0);
}

static bool is_full(const struct queue *q, const struct starpu_task *t)
{
	if (q->how.ntasks_threshold && q->tasks.n >= q->how.ntasks_threshold)
		return true;
	return q->how.exp_len_threshold > 0 && q->tasks.n && q->tasks.exp_len + length_of(t) > q->how.exp_len_threshold;
}

static void comp_queue_put(struct queue *q, struct starpu_task *t, bool front)
{
	if (front && !q->sorted) {
		starpu_task_list_push_front(&q->tasks.tasks, t);
		q->tasks.n++;
	} else if (q->sorted) {
		starpu_st_fifo_taskq_push_sorted_task(&q->tasks, t);
	} else {
		starpu_st_fifo_taskq_push_task(&q->tasks, t);
	}
	q->tasks.exp_len += length_of(t);
}

static int comp_queue_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct queue *q = c->data;
	if (is_full(q, t))
		return 1;
	starpu_sched_component_prefetch_on_node(c, t);
	comp_queue_put(q, t, false);
	c->can_pull(c);
	return 0;
}

static int fifo_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	return comp_queue_push(c, t);
}

static int prio_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	return comp_queue_push(c, t) != 0;
}

/*
 * The first that a worker below `to` may run; with `ready`, the one with the most data at hand
 * among equals.
 */
static struct starpu_task *first_for(struct queue *q, struct starpu_sched_component *to)
{
	struct starpu_task *best = NULL;
	size_t best_missing = SIZE_MAX, coming, allocated;
	int w = starpu_bitmap_first(&to->workers_in_ctx);
	bool look = q->how.ready && w >= 0 && (unsigned)w < starpu_worker_get_count() && starpu_memory_nodes_get_count() > 1;
	for (struct starpu_task *t = starpu_task_list_front(&q->tasks.tasks); t && best_missing; t = t->next) {
		size_t missing = 0;
		if (best && t->priority < best->priority && !q->how.ready_first)
			break;
		if (!starpu_sched_component_can_execute_task(to, t))
			continue;
		if (look)
			starpu_st_non_ready_buffers_size(t, (unsigned)w, &missing, &coming, &allocated);
		if (missing < best_missing) {
			best_missing = missing;
			best = t;
		}
	}
	return best;
}

static struct starpu_task *comp_queue_taken(struct queue *q, struct starpu_task *t)
{
	if (!t)
		return NULL;
	starpu_task_list_erase(&q->tasks.tasks, t);
	q->tasks.n--;
	q->tasks.exp_len = fmax(0, q->tasks.exp_len - length_of(t));
	if (!q->tasks.n)
		q->tasks.exp_len = 0;
	return t;
}

static struct starpu_task *comp_queue_take(struct queue *q, struct starpu_sched_component *to)
{
	return comp_queue_taken(q, first_for(q, to));
}

void comp_queue_strand(struct starpu_sched_component *c, struct starpu_task_list *out)
{
	struct queue *q = c->data;
	for (struct starpu_task *t = starpu_task_list_front(&q->tasks.tasks), *next; t; t = next) {
		next = t->next;
		if (!starpu_sched_component_can_execute_task(c, t))
			starpu_task_list_push_back(out, comp_queue_taken(q, t));
	}
}

static struct starpu_task *pull_from_above(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct starpu_task *t = NULL;
	for (unsigned i = 0; i < c->nparents && !t; i++)
		if (!comp_is_programs_decision(c->parents[i])) {
			t = c->parents[i]->pull_task(c->parents[i], to);
			if (t)
				comp_trace_move(rt_detail.component_pull, c->parents[i], c, t);
		}
	return t;
}

static struct starpu_task *comp_queue_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct queue *q = c->data;
	struct starpu_task *t = comp_queue_take(q, to);
	if (!t) {
		/*
		 * Components above push here when notified of room: through a decision, if there is
		 * one.
		 */
		starpu_sched_component_send_can_push_to_parents(c);
		t = comp_queue_take(q, to);
		t = t ? t : pull_from_above(c, to);
		return t ? t : comp_queue_take(q, to);
	}
	if (q->how.ntasks_threshold || q->how.exp_len_threshold > 0)
		starpu_sched_component_send_can_push_to_parents(c);
	return t;
}

static int can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	int success = 0;
	struct starpu_task *t = starpu_sched_component_pump_to(c, to, &success);
	if (t)
		comp_queue_put(c->data, t, true);
	return success;
}

/* Message 0: a task that was pulled and then refused comes back. */
static int comp_queue_notify(struct starpu_sched_component *c, int message, void *arg)
{
	if (message)
		return 0;
	comp_queue_put(c->data, arg, true);
	return 1;
}

static double estimated_load(struct starpu_sched_component *c)
{
	const struct queue *q = c->data;
	int w = starpu_bitmap_first(&c->workers_in_ctx);
	double speed = w < 0 ? 1 : starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(w, c->tree->sched_ctx_id));
	return q->tasks.n / speed + starpu_sched_component_estimated_load(c);
}

static double estimated_end(struct starpu_sched_component *c)
{
	const struct queue *q = c->data;
	return starpu_sched_component_estimated_end_min_add(c, q->tasks.exp_len);
}

static struct starpu_sched_component *comp_queue_create(struct starpu_sched_tree *tree, const char *name, bool sorted)
{
	struct starpu_sched_component *c = comp_new(tree, name, sizeof(struct queue));
	struct queue *q = c->data;
	starpu_st_fifo_taskq_init(&q->tasks);
	q->sorted = sorted;
	c->push_task = sorted ? prio_push : fifo_push;
	c->pull_task = comp_queue_pull;
	c->can_push = can_push;
	c->notify = comp_queue_notify;
	c->estimated_load = estimated_load;
	c->estimated_end = estimated_end;
	return c;
}

struct starpu_sched_component *starpu_sched_component_fifo_create(struct starpu_sched_tree *tree,
                                                                  struct starpu_sched_component_fifo_data *fifo_data)
{
	struct starpu_sched_component *c = comp_queue_create(tree, "fifo", false);
	if (fifo_data)
		((struct queue *)c->data)->how = *fifo_data;
	return c;
}

struct starpu_sched_component *starpu_sched_component_prio_create(struct starpu_sched_tree *tree,
                                                                  struct starpu_sched_component_prio_data *prio_data)
{
	struct starpu_sched_component *c = comp_queue_create(tree, "prio", true);
	if (prio_data)
		((struct queue *)c->data)->how = (struct starpu_sched_component_fifo_data){prio_data->ntasks_threshold,
		                                                                           prio_data->exp_len_threshold,
		                                                                           prio_data->ready, prio_data->exp, 0};
	return c;
}

int starpu_sched_component_is_fifo(struct starpu_sched_component *component)
{
	return comp_is(component, fifo_push);
}

int starpu_sched_component_is_prio(struct starpu_sched_component *component)
{
	return comp_is(component, prio_push);
}

/* -- work stealing: a queue for each child -- */

struct ws {
	struct starpu_st_fifo_taskq *of;
	unsigned n, turn;
};

static int ws_push(struct starpu_sched_component *c, struct starpu_task *t)
{
	struct ws *ws = c->data;
	int at = comp_child_of_caller(c);
	if (at < 0 || !starpu_sched_component_can_execute_task(c->children[at], t)) {
		at = -1;
		for (unsigned i = 0; i < c->nchildren && at < 0; i++) {
			unsigned child = ws->turn++ % c->nchildren;
			at = starpu_sched_component_can_execute_task(c->children[child], t) ? (int)child : -1;
		}
	}
	if (at < 0)
		return 1;
	starpu_sched_task_break(t);
	starpu_st_fifo_taskq_push_sorted_task(&ws->of[at], t);
	c->can_pull(c);
	return 0;
}

static struct starpu_task *ws_taken(struct starpu_st_fifo_taskq *q, struct starpu_task *t)
{
	starpu_task_list_erase(&q->tasks, t);
	q->n--;
	return t;
}

static struct starpu_task *ws_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct ws *ws = c->data;
	int own = comp_child_of_caller(c);
	for (unsigned i = 0; i < ws->n; i++) {
		struct starpu_st_fifo_taskq *q = &ws->of[((own < 0 ? 0 : (unsigned)own) + i) % ws->n];
		struct starpu_task *t = starpu_task_list_front(&q->tasks);
		while (t && !starpu_sched_component_can_execute_task(to, t))
			t = t->next;
		if (!t)
			continue;
		return ws_taken(q, t);
	}
	return starpu_sched_component_parents_pull_task(c, to);
}

void comp_ws_strand(struct starpu_sched_component *c, struct starpu_task_list *out)
{
	struct ws *ws = c->data;
	for (unsigned i = 0; i < ws->n; i++)
		for (struct starpu_task *t = starpu_task_list_front(&ws->of[i].tasks), *next; t; t = next) {
			next = t->next;
			if (!starpu_sched_component_can_execute_task(c, t))
				starpu_task_list_push_back(out, ws_taken(&ws->of[i], t));
		}
}

static void ws_add_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	struct ws *ws = c->data;
	c->children = realloc(c->children, (c->nchildren + 1) * sizeof *c->children);
	struct starpu_st_fifo_taskq *of = calloc(ws->n + 1, sizeof *of);
	STARPU_ASSERT_MSG(c->children && of, "no memory for a scheduling component");
	for (unsigned i = 0; i < ws->n; i++)
		of[i] = ws->of[i];
	starpu_st_fifo_taskq_init(&of[ws->n++]);
	free(ws->of);
	ws->of = of;
	c->children[c->nchildren++] = child;
}

static double ws_estimated_load(struct starpu_sched_component *c)
{
	const struct ws *ws = c->data;
	double sum = starpu_sched_component_estimated_load(c);
	for (unsigned i = 0; i < ws->n; i++)
		sum += ws->of[i].n;
	return sum;
}

static void ws_deinit(struct starpu_sched_component *c)
{
	struct ws *ws = c->data;
	free(ws->of);
	comp_free_data(c);
}

struct starpu_sched_component *starpu_sched_component_work_stealing_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = comp_new(tree, "work_stealing", sizeof(struct ws));
	(void)arg;
	c->push_task = ws_push;
	c->pull_task = ws_pull;
	c->add_child = ws_add_child;
	c->estimated_load = ws_estimated_load;
	c->deinit_data = ws_deinit;
	return c;
}

int starpu_sched_component_is_work_stealing(struct starpu_sched_component *component)
{
	return comp_is(component, ws_push);
}

int starpu_sched_tree_work_stealing_push_task(struct starpu_task *task)
{
	return starpu_sched_tree_push_task(task);
}
