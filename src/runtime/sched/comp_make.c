/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees from a few words:
 *
 *     [perfmodel_select ─> eager, eager_calibration beside the decision]
 *     [fifo or prio above] ─> decision ─> for each part: [fifo or prio below] ─> [eager or ws, when several workers] ─> [best_impl] ─> worker
 */
#include "comp.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct starpu_sched_component *queue(struct starpu_sched_tree *t, unsigned flags, bool above)
{
	unsigned sorted = above ? STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO : STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO;
	const char *env = above ? "STARPU_SCHED_SORTED_ABOVE" : "STARPU_SCHED_SORTED_BELOW";
	bool limited = !above && !(flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT);
	struct starpu_sched_component_fifo_data how = {
		.ntasks_threshold = limited ? (unsigned)starpu_getenv_number_default("STARPU_NTASKS_THRESHOLD", 30) : 0,
		.exp_len_threshold = limited ? starpu_getenv_float_default("STARPU_EXP_LEN_THRESHOLD", 1000000000.0F) : 0,
		.ready = !above && starpu_getenv_number_default("STARPU_SCHED_READY",
	                                                        (flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY) != 0) > 0,
		.exp = (flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP) != 0,
		.ready_first = starpu_getenv_number_default("STARPU_SCHED_FIFO_READY_FIRST",
	                                                    (flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY_FIRST) != 0) > 0,
	};
	struct starpu_sched_component_prio_data prio = {how.ntasks_threshold, how.exp_len_threshold, how.ready, how.exp};
	if (starpu_getenv_number_default(env, (flags & sorted) != 0) <= 0)
		return starpu_sched_component_fifo_create(t, &how);
	sched_any_priority(t->sched_ctx_id);
	return starpu_sched_component_prio_create(t, &prio);
}

/* Workers of one part: alone, of a memory node, or of a kind. */
static bool same_part(unsigned a, unsigned b, unsigned what)
{
	if (what == STARPU_SCHED_SIMPLE_DECIDE_MEMNODES)
		return starpu_worker_get_memory_node(a) == starpu_worker_get_memory_node(b);
	if (what == STARPU_SCHED_SIMPLE_DECIDE_ARCHS)
		return starpu_worker_get_type((int)a) == starpu_worker_get_type((int)b);
	return what == STARPU_SCHED_SIMPLE_DECIDE_WORKERS ? a == b : true;
}

/* The leaf of a worker with the components on it. */
static struct starpu_sched_component *on_worker(struct starpu_sched_tree *t, unsigned worker, unsigned flags)
{
	struct starpu_sched_component *leaf = starpu_sched_component_worker_new(t->sched_ctx_id, (int)worker);
	if (!(flags & STARPU_SCHED_SIMPLE_IMPL))
		return leaf;
	struct starpu_sched_component *impl = starpu_sched_component_best_implementation_create(t, NULL);
	starpu_sched_component_connect(impl, leaf);
	return impl;
}

/* The components between the decision and these workers. */
static struct starpu_sched_component *part(struct starpu_sched_tree *t, const unsigned *workers, unsigned n, unsigned flags)
{
	struct starpu_sched_component *below;
	if (n == 1) {
		below = on_worker(t, workers[0], flags);
	} else {
		below = flags & STARPU_SCHED_SIMPLE_WS_BELOW ? starpu_sched_component_work_stealing_create(t, NULL)
		                                             : starpu_sched_component_eager_create(t, NULL);
		for (unsigned i = 0; i < n; i++)
			starpu_sched_component_connect(below, on_worker(t, workers[i], flags));
	}
	if (!(flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW))
		return below;
	struct starpu_sched_component *q = queue(t, flags, false);
	starpu_sched_component_connect(q, below);
	return q;
}

/* The workers of the part that begins with `first`; 0: that one is of an earlier part. */
static unsigned members_of_part(unsigned first, unsigned what, unsigned *member)
{
	unsigned k = 0;
	for (unsigned i = 0; i < first; i++)
		if (same_part(i, first, what))
			return 0;
	for (unsigned i = first; i < starpu_worker_get_count(); i++)
		if (same_part(first, i, what))
			member[k++] = i;
	return k;
}

/* The choices of a decision over all workers. */
static unsigned n_choices(unsigned flags)
{
	unsigned member[STARPU_NMAXWORKERS], choices = 0;
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		choices += members_of_part(i, flags & STARPU_SCHED_SIMPLE_DECIDE_MASK, member) > 0;
	return choices + (flags & STARPU_SCHED_SIMPLE_COMBINED_WORKERS ? starpu_combined_worker_get_count() : 0);
}

static void below_decision(struct starpu_sched_tree *t, struct starpu_sched_component *decision, unsigned flags)
{
	unsigned n = starpu_worker_get_count(), member[STARPU_NMAXWORKERS];
	for (unsigned i = 0; i < n; i++) {
		unsigned k = members_of_part(i, flags & STARPU_SCHED_SIMPLE_DECIDE_MASK, member);
		if (k)
			starpu_sched_component_connect(decision, part(t, member, k, flags));
	}
	for (unsigned i = 0; flags & STARPU_SCHED_SIMPLE_COMBINED_WORKERS && i < starpu_combined_worker_get_count(); i++)
		starpu_sched_component_connect(decision, starpu_sched_component_worker_new(t->sched_ctx_id, (int)(n + i)));
}

/* The arguments of one decision. */
struct simple {
	starpu_sched_component_create_t create, create_above; /* NULL: nothing stands above the decision */
	void *data, *data_above;
	unsigned flags;
};

static struct starpu_sched_component *above(struct starpu_sched_component *c, struct starpu_sched_component *below)
{
	starpu_sched_component_connect(c, below);
	return c;
}

/* Tasks that their models can estimate go to the decision, the others past it. */
static struct starpu_sched_component *with_models(struct starpu_sched_tree *t, struct starpu_sched_component *decision)
{
	struct starpu_sched_component *without = starpu_sched_component_eager_create(t, NULL);
	struct starpu_sched_component *learning = starpu_sched_component_eager_calibration_create(t, NULL);
	for (unsigned i = 0; i < decision->nchildren; i++) {
		starpu_sched_component_connect(without, decision->children[i]);
		starpu_sched_component_connect(learning, decision->children[i]);
	}
	struct starpu_sched_component_perfmodel_select_data by = {learning, without, decision};
	struct starpu_sched_component *select = starpu_sched_component_perfmodel_select_create(t, &by);
	starpu_sched_component_connect(select, decision);
	starpu_sched_component_connect(select, without);
	return above(select, learning);
}

/*
 * Without a choice there is no decision, unless it is asked for: a queue that idle workers pull
 * from.
 */
static struct starpu_sched_component *scheduler(struct starpu_sched_tree *t, const struct simple *s)
{
	if (s->flags & STARPU_SCHED_SIMPLE_COMBINED_WORKERS)
		starpu_sched_find_all_worker_combinations();
	bool decides = s->flags & STARPU_SCHED_SIMPLE_DECIDE_ALWAYS || n_choices(s->flags) > 1;
	struct starpu_sched_component *top = decides ? s->create(t, s->data) : starpu_sched_component_eager_create(t, NULL);
	below_decision(t, top, s->flags);
	if (s->flags & STARPU_SCHED_SIMPLE_PERFMODEL)
		top = with_models(t, top);
	if (s->create_above)
		top = above(s->create_above(t, s->data_above), top);
	return s->flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE || !decides ? above(queue(t, s->flags, true), top) : top;
}

static struct starpu_sched_tree *tree_of(unsigned ctx)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(ctx);
	starpu_sched_ctx_set_policy_data(ctx, t);
	return t;
}

void starpu_sched_component_initialize_simple_scheduler(starpu_sched_component_create_t create_decision_component, void *data,
                                                        unsigned flags, unsigned sched_ctx_id)
{
	struct starpu_sched_tree *t = tree_of(sched_ctx_id);
	t->root = scheduler(t, &(struct simple){.create = create_decision_component, .data = data, .flags = flags});
	starpu_sched_tree_update_workers(t);
}

/* (create, data, flags), or (create, data, PRE_DECISION, create above, data above, flags). */
static struct simple next_simple(va_list *args)
{
	struct simple s = {.create = va_arg(*args, starpu_sched_component_create_t)};
	s.data = va_arg(*args, void *);
	s.flags = va_arg(*args, unsigned);
	if (s.flags == STARPU_SCHED_SIMPLE_PRE_DECISION) {
		s.create_above = va_arg(*args, starpu_sched_component_create_t);
		s.data_above = va_arg(*args, void *);
		s.flags = va_arg(*args, unsigned);
	}
	return s;
}

/* Several decisions under a stage. */
void starpu_sched_component_initialize_simple_schedulers(unsigned sched_ctx_id, unsigned ndecisions, ...)
{
	struct starpu_sched_tree *t = tree_of(sched_ctx_id);
	va_list args;
	va_start(args, ndecisions);
	if (ndecisions > 1)
		t->root = starpu_sched_component_stage_create(t, NULL);
	for (unsigned i = 0; i < ndecisions; i++) {
		const struct simple s = next_simple(&args);
		struct starpu_sched_component *one = scheduler(t, &s);
		if (ndecisions > 1)
			starpu_sched_component_connect(t->root, one);
		else
			t->root = one;
	}
	va_end(args);
	starpu_sched_tree_update_workers(t);
}

/* -- a tree along the machine -- */

static struct starpu_sched_component *level(struct starpu_sched_tree *t, struct starpu_sched_component_composed_recipe *r,
                                            struct starpu_sched_component *parent)
{
	if (!r)
		return parent;
	struct starpu_sched_component *c = starpu_sched_component_composed_component_create(t, r);
	if (parent)
		starpu_sched_component_connect(parent, c);
	return c;
}

/*
 * The machine, then for each memory node the specified components of sockets and caches, then for
 * each worker those of its kind. With mix_heterogeneous_workers all kinds stand under one machine
 * component, else each kind has its own.
 */
struct starpu_sched_tree *starpu_sched_component_make_scheduler(unsigned sched_ctx_id, struct starpu_sched_component_specs s)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(sched_ctx_id);
	unsigned n = starpu_worker_get_count();
	bool done[STARPU_NMAXWORKERS] = {false};
	starpu_sched_ctx_set_policy_data(sched_ctx_id, t);
	t->root = s.hwloc_machine_composed_sched_component ? level(t, s.hwloc_machine_composed_sched_component, NULL)
	                                                   : starpu_sched_component_eager_create(t, NULL);
	for (unsigned i = 0; i < n; i++) {
		if (done[i])
			continue;
		struct starpu_sched_component *node = level(t, s.hwloc_component_composed_sched_component, t->root);
		node = level(t, s.hwloc_socket_composed_sched_component, node);
		node = level(t, s.hwloc_cache_composed_sched_component, node);
		for (unsigned j = i; j < n; j++) {
			if (done[j] || !same_part(i, j, STARPU_SCHED_SIMPLE_DECIDE_MEMNODES) ||
			    (!s.mix_heterogeneous_workers && !same_part(i, j, STARPU_SCHED_SIMPLE_DECIDE_ARCHS)))
				continue;
			done[j] = true;
			struct starpu_sched_component_composed_recipe *r = s.worker_composed_sched_component
			                                                           ? s.worker_composed_sched_component(
											     starpu_worker_get_type((int)j))
			                                                           : NULL;
			starpu_sched_component_connect(level(t, r, node),
			                               starpu_sched_component_worker_new(sched_ctx_id, (int)j));
			starpu_sched_component_composed_recipe_destroy(r);
		}
	}
	starpu_sched_tree_update_workers(t);
	return t;
}
