/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model, in time that a process is busy in a second:
 *
 *     analyzer    events · passing · event  +  iterations · children · (fold + named / collectors · instance)
 *     collector   events / width · collect  +  iterations · children · fold
 *
 * The fewest levels, and of those the fewest collectors, by which nobody is busier than is allowed;
 * when nothing is known of the rate, only the number of streams that one process may have counts.
 */
#include "tree.h"
#include <math.h>

/*
 * From bench_collect (docs/performance.md) and what decoding, ordering and the wire add, on a
 * shared two-core machine.
 */
static const double EVENT_NS = 1000, COLLECT_NS = 600, FOLD_NS = 8000, INSTANCE_NS = 50, BUSY = 0.5;

static double or_else(double v, double otherwise)
{
	return v > 0 ? v : otherwise;
}

static double busy_top(const struct tree_load *l, uint32_t children, double passing)
{
	double folds = passing < 1 ? l->iterations * (children * FOLD_NS + l->named * INSTANCE_NS) : 0;
	return (l->events * passing * or_else(l->event_ns, EVENT_NS) + folds) * 1e-9;
}

static double busy_leaf(const struct tree_load *l, uint32_t leaves)
{
	return (l->events / leaves * or_else(l->collect_ns, COLLECT_NS) + l->iterations * FOLD_NS) * 1e-9;
}

double tree_busy(const struct tree_load *l)
{
	return busy_top(l, 0, 1);
}

struct tree_shape tree_plan(const struct tree_load *l)
{
	double busy = or_else(l->busy, BUSY);
	struct tree_shape none = {.top_busy = tree_busy(l)};
	if (none.top_busy <= busy && l->controllers <= 1)
		return none;
	/* Collectors that pass everything on save the analyzer nothing but connections. */
	uint32_t leaves = 1;
	while (leaves < l->controllers && (busy_leaf(l, leaves) > busy || l->controllers > leaves * TREE_WIDTH))
		leaves++;
	struct tree_shape t = {.depth = 1, .collectors = leaves, .leaf_busy = busy_leaf(l, leaves)};
	t.width[0] = leaves;
	while (t.depth < TREE_DEPTH_MOST &&
	       (t.width[0] > TREE_WIDTH ||
	        (t.width[0] > 1 && busy_top(l, t.width[0], l->passing) > busy && busy_top(l, 1, l->passing) < busy))) {
		for (uint32_t i = t.depth++; i > 0; i--)
			t.width[i] = t.width[i - 1];
		t.width[0] = (t.width[1] + TREE_WIDTH - 1) / TREE_WIDTH;
		t.collectors += t.width[0];
	}
	t.top_busy = busy_top(l, t.width[0], l->passing);
	return t;
}

uint32_t tree_parent(uint32_t i, uint32_t width)
{
	return (i - 1) / width;
}
