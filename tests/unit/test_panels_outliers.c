/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_run.h"
#include <math.h>

static struct sample_run run;

static void find(enum panels_outlier_rule rule)
{
	run.how.outliers = rule;
	REQUIRE(panels_types(&run.p) == 0);
	REQUIRE(panels_outliers(&run.p) == 0);
}

/* 1 … 8: quartiles 2.75 and 6.25 as R has them, fence 11.5. */
TEST(panels_outliers_beyond_the_fence)
{
	run_init(&run, (const char *const[]){"CPU 0"}, 1);
	for (unsigned i = 1; i <= 7; i++)
		run_task(&run, 1, 1, 0, 100 * i, NULL, 0);
	run_task(&run, 1, 1, 0, 1150, NULL, 0); /* with it quartiles are 275 and 625, the fence 1150: not beyond */
	find(PANELS_BY_FOOTPRINT);
	CHECK_U64(run.p.outlier.n, 0);
	run_fini(&run);
	run.p.outlier.at = NULL;
	run_init(&run, (const char *const[]){"CPU 0"}, 1);
	for (unsigned i = 1; i <= 7; i++)
		run_task(&run, 1, 1, 0, 100 * i, NULL, 0);
	run_task(&run, 1, 1, 0, 1151, NULL, 0);
	find(PANELS_BY_FOOTPRINT);
	REQUIRE(run.p.outlier.n == 1);
	CHECK_U64(run.p.outlier.at[0].task, 7);
	CHECK(run.p.outlier.at[0].expected == 450 && run.p.outlier.at[0].limit == 1150);
	run_fini(&run);
}

/* Other footprints, other kinds of workers and other codelets are not alike. */
TEST(panels_outliers_are_among_their_like)
{
	run_init(&run, (const char *const[]){"CPU 0", "OpenCL 0"}, 2);
	for (unsigned i = 0; i < 10; i++) {
		run_task(&run, 1, 1, 0, 100, NULL, 0);
		run_task(&run, 1, 2, 0, 1000, NULL, 0);
		run_task(&run, 1, 1, 1, 10000, NULL, 0);
		run_task(&run, 2, 1, 0, 50000, NULL, 0);
	}
	run_task(&run, 1, 1, 0, 1000, NULL, 0);
	run_task(&run, 1, 2, 0, 100, NULL, 0); /* too short is none */
	find(PANELS_BY_FOOTPRINT);
	REQUIRE(run.p.outlier.n == 1);
	CHECK_U64(run.p.outlier.at[0].task, 40);
	run_fini(&run);
}

/* Times that go with the square of the operations, each footprint once: only the line over all of them finds the one that takes twice as long. */
TEST(panels_outliers_by_operations)
{
	run_init(&run, (const char *const[]){"CPU 0"}, 1);
	for (unsigned i = 1; i <= 60; i++) {
		double flops = 1000.0 * i;
		uint64_t ns = (uint64_t)(flops * flops / 1000);
		run_task(&run, 1, i, 0, i == 37 ? 2 * ns : ns, NULL, 0)->flops = flops;
	}
	run_task(&run, 1, 99, 0, 1, NULL, 0); /* says no operations: left out */
	find(PANELS_BY_FOOTPRINT);
	CHECK_U64(run.p.outlier.n, 0);
	run_fini(&run);
	run.p.type.at = NULL;
	run.p.type.n = run.p.type.cap = 0;
	run.p.outlier.at = NULL;
	run.p.outlier.n = run.p.outlier.cap = 0;
	run.p.n_kinds = 0;
	find(PANELS_BY_FLOPS);
	REQUIRE(run.p.outlier.n >= 1);
	bool found = false;
	for (size_t i = 0; i < run.p.outlier.n; i++)
		if (run.p.outlier.at[i].task == 36) {
			found = true;
			CHECK(fabs(run.p.outlier.at[i].expected / (37000.0 * 37) - 1) < 0.1);
		}
	CHECK(found);
	run_fini(&run);
}

TEST(panels_outliers_without_tasks)
{
	run_init(&run, (const char *const[]){"CPU 0"}, 1);
	find(PANELS_BY_FLOPS);
	CHECK_U64(run.p.outlier.n, 0);
	run_fini(&run);
}
