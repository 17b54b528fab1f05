/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP's tasks scheduled anew: as they were, for more threads, coarser and finer. */
#include "causal_maker.h"
#include "replay/whatif/whatif.h"

static uint32_t task_flow(struct causal_made *m)
{
	return cm_def(m, WEFT_CLASS_FLOW, "omp task", m->openmp, 0);
}

/* A task runs: its arrow leads to its begin. Events of one instant keep their order but arrows, which come last: so it ends a little later. */
static void run_task(struct causal_made *m, uint32_t thread, uint64_t key, uint64_t begin, uint64_t end)
{
	cm_enter(m, thread, "f#1 [omp task]", begin);
	REQUIRE(weft_append_flow(weft_builder_appender(m->b, thread), begin, task_flow(m), key, false) == 0);
	cm_leave(m, thread, "f#1 [omp task]", end);
}

/* Six tasks of 100 on two threads, that a third thread makes at once and then waits for. */
static const struct weft_causal *six(struct causal_made *m)
{
	cm_begin(m, 3, false);
	for (uint64_t i = 0; i < 6; i++)
		REQUIRE(weft_append_flow(weft_builder_appender(m->b, 0), i, task_flow(m), i + 1, true) == 0);
	cm_region(m, 0, "omp taskwait", 10, 310);
	for (uint64_t i = 0; i < 6; i++)
		run_task(m, 1 + i % 2, i + 1, 10 + 100 * (i / 2), 110 + 100 * (i / 2));
	return cm_end(m);
}

static struct weft_whatif_task_answer play(const struct weft_causal *c, uint32_t workers, double merge)
{
	struct weft_whatif_task_answer a;
	REQUIRE(weft_whatif_play_tasks(c, &(struct weft_whatif_tasks){workers, merge}, &a) == 0);
	CHECK_U64(a.n_tasks, 6);
	CHECK_U64(a.work, 600);
	CHECK_U64(a.recorded, 310);
	return a;
}

/* The recorded begin was 10 behind the first submission; played, tasks begin when they are there. */
TEST(as_they_were)
{
	struct causal_made m;
	const struct weft_causal *c = six(&m);
	CHECK(weft_whatif_has_tasks(c));
	struct weft_whatif_task_answer a = play(c, 0, 1);
	CHECK_U64(a.workers, 2);
	CHECK(a.as_replayed >= 300 && a.as_replayed <= 310);
	CHECK_U64(a.changed, a.as_replayed);
	cm_free(&m);
}

TEST(more_and_fewer_workers)
{
	static const struct {
		uint32_t workers;
		uint64_t least, most;
	} cases[] = {{1, 600, 610}, {3, 200, 210}, {4, 200, 210}, {6, 100, 110}, {100, 100, 110}};
	struct causal_made m;
	const struct weft_causal *c = six(&m);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_whatif_task_answer a = play(c, cases[i].workers, 1);
		CHECK(a.changed >= cases[i].least && a.changed <= cases[i].most);
	}
	cm_free(&m);
}

TEST(coarser_and_finer_tasks)
{
	struct causal_made m;
	const struct weft_causal *c = six(&m);
	struct weft_whatif_task_answer coarse = play(c, 2, 4), fine = play(c, 4, 0.5);
	CHECK(coarse.changed >= 400 && coarse.changed <= 410); /* four in a row, two in a row */
	CHECK(fine.changed >= 150 && fine.changed <= 160);
	cm_free(&m);
}

TEST(no_tasks)
{
	struct causal_made m;
	struct weft_whatif_task_answer a;
	cm_begin(&m, 1, false);
	cm_region(&m, 0, "work", 0, 100);
	const struct weft_causal *c = cm_end(&m);
	CHECK(!weft_whatif_has_tasks(c));
	REQUIRE(weft_whatif_play_tasks(c, &(struct weft_whatif_tasks){4, 1}, &a) == 0);
	CHECK_U64(a.n_tasks, 0);
	cm_free(&m);
}
