/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path and slack of small runs, to the nanosecond. */
#include "causal_maker.h"

TEST(a_late_sender_is_on_the_path)
{
	struct causal_made m;
	struct weft_causal_critical p;
	cm_begin(&m, 2, true);
	int64_t message = cm_message(&m, 0, 1, 8, (uint64_t[]){100, 110}, (uint64_t[]){20, 115});
	cm_region(&m, 0, "work", 0, 100);
	cm_side(&m, 0, message, true, "MPI_Send", 100, 110);
	cm_region(&m, 0, "rest", 110, 130);
	cm_region(&m, 1, "work", 0, 20);
	cm_side(&m, 1, message, false, "MPI_Recv", 20, 115);
	cm_region(&m, 1, "more", 115, 200);
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_causal_critical(c, true, &p) == 0);
	CHECK_U64(cm_of_region(c, p.on_path, "work"), 100);
	CHECK_U64(cm_of_region(c, p.on_path, "MPI_Recv"), 15);
	CHECK_U64(cm_of_region(c, p.on_path, "more"), 85);
	CHECK_U64(cm_of_region(c, p.on_path, "MPI_Send") + cm_of_region(c, p.on_path, "rest"), 0);
	CHECK_U64(p.of_thread[0], 100);
	CHECK_U64(p.of_thread[1], 100);
	CHECK_U64(p.jumps, 1);
	/* nodes: send, end; receive, end */
	CHECK_U64(p.slack[0], 0);
	CHECK_U64(p.slack[1], 70);
	CHECK_U64(p.slack[2], 80);
	CHECK_U64(p.slack[3], 0);
	weft_causal_critical_fini(&p);
	cm_free(&m);
}

TEST(the_last_at_a_barrier_is_on_the_path)
{
	struct causal_made m;
	struct weft_causal_critical p;
	cm_begin(&m, 3, true);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t come = 50 + 40 * (i == 1) + 10 * (i == 2);
		cm_region(&m, i, "sweep", 0, come);
		cm_collective(&m, i, "MPI_Barrier", 8, -1, come, 95);
		cm_region(&m, i, "sweep", 95, 100 + 10 * i);
	}
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_causal_critical(c, true, &p) == 0);
	CHECK_U64(p.of_thread[1], 90);
	CHECK_U64(p.of_thread[2], 30);
	CHECK_U64(cm_of_region(c, p.on_path, "MPI_Barrier"), 5);
	CHECK_U64(p.slack[0], 40);
	CHECK_U64(p.slack[2], 0);
	CHECK_U64(p.slack[4], 30);
	CHECK_U64(p.slack[1], 20);
	weft_causal_critical_fini(&p);
	cm_free(&m);
}

/* Steps follow each other without a gap, whatever the run. */
TEST(the_path_covers_the_run_once)
{
	for (unsigned round = 0; round < 50; round++) {
		struct causal_made m;
		struct weft_causal_critical p;
		unsigned n = 2 + test_random() % 4;
		uint64_t at[8] = {0};
		cm_begin(&m, n, true);
		for (unsigned step = 0; step < 20; step++) {
			uint64_t last = 0;
			uint64_t come[8];
			for (unsigned i = 0; i < n; i++) {
				come[i] = at[i] + 1 + test_random() % 100;
				last = come[i] > last ? come[i] : last;
			}
			for (unsigned i = 0; i < n; i++) {
				cm_region(&m, i, step % 2 ? "even" : "odd", at[i], come[i]);
				at[i] = last + 1 + test_random() % 5;
				cm_collective(&m, i, "MPI_Allreduce", 10, -1, come[i], at[i]);
			}
		}
		const struct weft_causal *c = cm_end(&m);
		REQUIRE(weft_causal_critical(c, true, &p) == 0);
		REQUIRE(p.step.n > 0);
		uint64_t sum = 0;
		CHECK_U64(p.step.at[0].begin, c->begin);
		CHECK_U64(p.step.at[p.step.n - 1].end, c->end);
		for (size_t i = 1; i < p.step.n; i++)
			CHECK_U64(p.step.at[i].begin, p.step.at[i - 1].end);
		for (uint32_t i = 0; i < c->n_paths; i++)
			sum += p.on_path[i];
		CHECK_U64(sum, c->end - c->begin);
		for (size_t i = 0; i < p.step.n; i++)
			if (!p.step.at[i].in_node)
				CHECK_U64(p.slack[p.step.at[i].node], 0);
		weft_causal_critical_fini(&p);
		cm_free(&m);
	}
}
