/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees from a few words:
 *
 *     [perfmodel_select ─> eager, eager_calibration beside the decision]
 *     [fifo or prio above] ─> decision ─> for each part: [fifo, prio or ws below] ─> [eager, when several workers] ─> [best_impl] ─> worker
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

/* The leaf of a worker with what stands on it. */
static struct starpu_sched_component *on_worker(struct starpu_sched_tree *t, unsigned worker, unsigned flags)
{
	struct starpu_sched_component *leaf = starpu_sched_component_worker_new(t->sched_ctx_id, (int)worker);
	if (!(flags & STARPU_SCHED_SIMPLE_IMPL))
		return leaf;
	struct starpu_sched_component *impl = starpu_sched_component_best_implementation_create(t, NULL);
	starpu_sched_component_connect(impl, leaf);
	return impl;
}

/* What stands between the decision and these workers. */
static struct starpu_sched_component *part(struct starpu_sched_tree *t, const unsigned *workers, unsigned n, unsigned flags)
{
	struct starpu_sched_component *below;
	if (n == 1) {
		below = on_worker(t, workers[0], flags);
	} else {
		below = starpu_sched_component_eager_create(t, NULL);
		for (unsigned i = 0; i < n; i++)
			starpu_sched_component_connect(below, on_worker(t, workers[i], flags));
	}
	if (!(flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW))
		return below;
	struct starpu_sched_component *q = queue(t, flags, false);
	starpu_sched_component_connect(q, below);
	return q;
}

/* A decision over all workers, with the parts that the flags say. */
static void below_decision(struct starpu_sched_tree *t, struct starpu_sched_component *decision, unsigned flags)
{
	unsigned n = starpu_worker_get_count(), what = flags & STARPU_SCHED_SIMPLE_DECIDE_MASK;
	bool done[STARPU_NMAXWORKERS] = {false};
	for (unsigned i = 0; i < n; i++) {
		unsigned members[STARPU_NMAXWORKERS], k = 0;
		for (unsigned j = i; j < n && !done[i]; j++)
			if (!done[j] && same_part(i, j, what))
				members[k++] = j;
		for (unsigned j = 0; j < k; j++)
			done[members[j]] = true;
		if (k)
			starpu_sched_component_connect(decision, part(t, members, k, flags));
	}
	for (unsigned i = 0; flags & STARPU_SCHED_SIMPLE_COMBINED_WORKERS && i < starpu_combined_worker_get_count(); i++) {
		int size, *members;
		unsigned ids[STARPU_NMAXWORKERS];
		starpu_combined_worker_get_description((int)(n + i), &size, &members);
		for (int k = 0; k < size; k++)
			ids[k] = (unsigned)members[k];
		starpu_sched_component_connect(decision, starpu_sched_component_parallel_worker_create(t, (unsigned)size, ids));
	}
}

/* A queue for each child of the decision, from which the others steal. */
static struct starpu_sched_component *with_stealing(struct starpu_sched_tree *t, struct starpu_sched_component *decision,
                                                    unsigned flags)
{
	struct starpu_sched_component *ws = starpu_sched_component_work_stealing_create(t, NULL);
	starpu_sched_component_connect(decision, ws);
	below_decision(t, ws, (flags & ~(unsigned)STARPU_SCHED_SIMPLE_FIFOS_BELOW) | STARPU_SCHED_SIMPLE_DECIDE_WORKERS);
	return ws;
}

static struct starpu_sched_component *scheduler(struct starpu_sched_tree *t, starpu_sched_component_create_t create, void *data,
                                                unsigned flags)
{
	struct starpu_sched_component *decision = create(t, data), *top = decision;
	if (flags & STARPU_SCHED_SIMPLE_WS_BELOW)
		with_stealing(t, decision, flags);
	else
		below_decision(t, decision, flags);
	if (flags & STARPU_SCHED_SIMPLE_PERFMODEL) {
		struct starpu_sched_component *without = starpu_sched_component_eager_create(t, NULL);
		struct starpu_sched_component *learning = starpu_sched_component_eager_calibration_create(t, NULL);
		for (unsigned i = 0; i < decision->nchildren; i++) {
			starpu_sched_component_connect(without, decision->children[i]);
			starpu_sched_component_connect(learning, decision->children[i]);
		}
		struct starpu_sched_component_perfmodel_select_data by = {learning, without, decision};
		top = starpu_sched_component_perfmodel_select_create(t, &by);
		starpu_sched_component_connect(top, decision);
		starpu_sched_component_connect(top, without);
		starpu_sched_component_connect(top, learning);
	}
	if (!(flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE))
		return top;
	struct starpu_sched_component *q = queue(t, flags, true);
	starpu_sched_component_connect(q, top);
	return q;
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
	t->root = scheduler(t, create_decision_component, data, flags);
	starpu_sched_tree_update_workers(t);
}

/* Several decisions under a stage: (create, data, flags) for each. */
void starpu_sched_component_initialize_simple_schedulers(unsigned sched_ctx_id, unsigned ndecisions, ...)
{
	struct starpu_sched_tree *t = tree_of(sched_ctx_id);
	va_list args;
	va_start(args, ndecisions);
	if (ndecisions > 1)
		t->root = starpu_sched_component_stage_create(t, NULL);
	for (unsigned i = 0; i < ndecisions; i++) {
		starpu_sched_component_create_t create = va_arg(args, starpu_sched_component_create_t);
		void *data = va_arg(args, void *);
		unsigned flags = va_arg(args, unsigned);
		struct starpu_sched_component *one = scheduler(t, create, data, flags);
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
 * The machine, then for each memory node what is said of components, sockets and caches, then for each worker what is said of
 * its kind. With mix_heterogeneous_workers all kinds stand under one machine component, else each kind has its own.
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
