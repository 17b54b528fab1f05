/* SPDX-License-Identifier: Apache-2.0 */
/* The model of how many collectors there are: what must hold of every plan. */
#include "harness.h"
#include "tune/collect/tree.h"

TEST(one_host_with_few_events_needs_none)
{
	CHECK_U64(tree_plan(&(struct tree_load){.controllers = 1}).collectors, 0);
	CHECK_U64(tree_plan(&(struct tree_load){.controllers = 1, .events = 1e5, .passing = 0.1}).collectors, 0);
}

TEST(more_load_never_wants_fewer)
{
	uint32_t last = 0;
	for (double events = 1e3; events < 1e9; events *= 2) {
		struct tree_shape t = tree_plan(
			&(struct tree_load){.controllers = 200, .events = events, .passing = 0.01, .iterations = 10});
		CHECK(t.collectors >= last);
		CHECK(t.collectors >= t.depth);
		last = t.collectors;
	}
	CHECK(last >= 200);
}

TEST(a_plan_keeps_processes_as_idle_as_is_asked)
{
	for (uint32_t hosts = 2; hosts < 5000; hosts = hosts * 3 / 2 + 1) {
		struct tree_load l = {.controllers = hosts, .events = 1e5 * hosts, .passing = 1e-4, .iterations = 20};
		struct tree_shape t = tree_plan(&l);
		uint32_t sum = 0;
		for (uint32_t i = 0; i < t.depth; i++) {
			sum += t.width[i];
			CHECK(i == 0 || (t.width[i] + TREE_WIDTH - 1) / TREE_WIDTH <= t.width[i - 1]);
		}
		CHECK_U64(sum, t.collectors);
		CHECK(t.width[0] <= TREE_WIDTH);
		CHECK(t.leaf_busy <= 0.5 || t.width[t.depth - 1] == hosts);
		CHECK(hosts <= t.width[t.depth - 1] * TREE_WIDTH);
	}
}

TEST(parents_are_numbered_before_their_children)
{
	uint32_t children[100] = {0};
	for (uint32_t i = 1; i < 100; i++) {
		uint32_t p = tree_parent(i, 4);
		CHECK(p < i);
		CHECK(++children[p] <= 4);
	}
}
