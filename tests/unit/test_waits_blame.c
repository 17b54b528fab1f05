/* SPDX-License-Identifier: Apache-2.0 */
/* Delays that were made on purpose are found: whose, where, how much, directly and over other waits. */
#include "analyze/waits/waits.h"
#include "causal_maker.h"

static double cost(const struct weft_waits *w, uint32_t thread, const char *region, bool propagated)
{
	double ns = 0;
	for (uint32_t i = 0; i < w->n_costs; i++)
		if (w->cost[i].thread == thread && !strcmp(weft_causal_region_of(w->c, w->cost[i].path)->name, region))
			ns += propagated ? w->cost[i].propagated_ns : w->cost[i].direct_ns;
	return ns;
}

static void find(struct causal_made *m, struct weft_waits *w)
{
	const struct weft_causal *c = cm_end(m);
	REQUIRE(weft_waits_find(c, w) == 0);
	REQUIRE(weft_waits_blame(w) == 0);
	double sum = w->unexplained_ns;
	for (uint32_t i = 0; i < w->n_costs; i++)
		sum += w->cost[i].direct_ns + w->cost[i].propagated_ns;
	CHECK_NEAR(sum, (double)w->total_ns, 0.01);
}

/* The delay is in `setup`, earlier; both are alike in `solve`, in which the one waits for the other. */
TEST(the_delay_lies_earlier_than_the_wait)
{
	struct causal_made m;
	struct weft_waits w;
	cm_begin(&m, 2, true);
	cm_region(&m, 0, "setup", 0, 100);
	cm_region(&m, 0, "solve", 100, 400);
	cm_collective(&m, 0, "MPI_Barrier", 8, -1, 400, 605);
	cm_region(&m, 1, "setup", 0, 300);
	cm_region(&m, 1, "solve", 300, 600);
	cm_collective(&m, 1, "MPI_Barrier", 8, -1, 600, 605);
	find(&m, &w);
	CHECK_NEAR(cost(&w, 1, "setup", false), 200, 0.01);
	CHECK_NEAR(cost(&w, 1, "solve", false), 0, 0.01);
	CHECK_U64(w.n_costs, 1);
	weft_waits_fini(&w);
	cm_free(&m);
}

/* 0 is late for 1, therefore 1 is late for 2: the second wait is 0's, over that of 1. */
TEST(waits_pass_delays_on)
{
	struct causal_made m;
	struct weft_waits w;
	cm_begin(&m, 3, true);
	for (unsigned i = 0; i < 3; i++)
		cm_collective(&m, i, "MPI_Barrier", 8, -1, 0, 10);
	int64_t a = cm_message(&m, 0, 1, 8, (uint64_t[]){110, 110}, (uint64_t[]){20, 110});
	int64_t b = cm_message(&m, 1, 2, 8, (uint64_t[]){120, 120}, (uint64_t[]){30, 120});
	cm_region(&m, 0, "slow", 10, 110);
	cm_side(&m, 0, a, true, "MPI_Send", 110, 110);
	cm_region(&m, 1, "slow", 10, 20);
	cm_side(&m, 1, a, false, "MPI_Recv", 20, 110);
	cm_region(&m, 1, "pack", 110, 120);
	cm_side(&m, 1, b, true, "MPI_Send", 120, 120);
	cm_region(&m, 2, "slow", 10, 20);
	cm_region(&m, 2, "pack", 20, 30);
	cm_side(&m, 2, b, false, "MPI_Recv", 30, 120);
	find(&m, &w);
	CHECK_U64(w.total_ns, 180);
	CHECK_NEAR(cost(&w, 0, "slow", false), 90, 0.01);
	CHECK_NEAR(cost(&w, 0, "slow", true), 90, 0.01);
	weft_waits_fini(&w);
	cm_free(&m);
}

/* Half of the second wait is 1's own doing, half was passed on. */
TEST(a_wait_is_divided_by_what_made_it)
{
	struct causal_made m;
	struct weft_waits w;
	cm_begin(&m, 3, true);
	for (unsigned i = 0; i < 3; i++)
		cm_collective(&m, i, "MPI_Barrier", 8, -1, 0, 10);
	int64_t a = cm_message(&m, 0, 1, 8, (uint64_t[]){60, 60}, (uint64_t[]){10, 60});
	int64_t b = cm_message(&m, 1, 2, 8, (uint64_t[]){110, 110}, (uint64_t[]){10, 110});
	cm_region(&m, 0, "slow", 10, 60);
	cm_side(&m, 0, a, true, "MPI_Send", 60, 60);
	cm_side(&m, 1, a, false, "MPI_Recv", 10, 60);
	cm_region(&m, 1, "pack", 60, 110);
	cm_side(&m, 1, b, true, "MPI_Send", 110, 110);
	cm_side(&m, 2, b, false, "MPI_Recv", 10, 110);
	find(&m, &w);
	CHECK_U64(w.total_ns, 150);
	CHECK_NEAR(cost(&w, 1, "pack", false), 50, 0.01);
	CHECK_NEAR(cost(&w, 0, "slow", false), 50, 0.01);
	CHECK_NEAR(cost(&w, 0, "slow", true), 50, 0.01);
	weft_waits_fini(&w);
	cm_free(&m);
}

/* Whatever the run, all of what was waited for is charged to somebody, or said to be unexplained. */
TEST(costs_add_up)
{
	for (unsigned round = 0; round < 30; round++) {
		struct causal_made m;
		struct weft_waits w;
		unsigned n = 2 + test_random() % 5;
		uint64_t at[8] = {0};
		cm_begin(&m, n, true);
		for (unsigned step = 0; step < 30; step++) {
			uint64_t come[8], last = 0;
			for (unsigned i = 0; i < n; i++) {
				uint64_t middle = at[i] + 1 + test_random() % 100;
				come[i] = middle + 1 + test_random() % 100;
				last = come[i] > last ? come[i] : last;
				cm_region(&m, i, "assemble", at[i], middle);
				cm_region(&m, i, "solve", middle, come[i]);
			}
			for (unsigned i = 0; i < n; i++) {
				at[i] = last + 1 + test_random() % 3;
				cm_collective(&m, i, "MPI_Allreduce", 10, -1, come[i], at[i]);
			}
		}
		find(&m, &w);
		CHECK(w.unexplained_ns < 0.01 * (double)w.total_ns);
		weft_waits_fini(&w);
		cm_free(&m);
	}
}
