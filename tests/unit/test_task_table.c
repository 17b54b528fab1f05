/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "sample_tasks.h"
#include "tasks/task_table.h"
#include <errno.h>

static void load(struct weft_tasks *t)
{
	struct weft_trace *trace = sample_tasks_trace();
	REQUIRE(weft_tasks_load(trace, t) == 0);
	REQUIRE(t->n == 3);
}

static void unload(struct weft_tasks *t)
{
	struct weft_trace *trace = (struct weft_trace *)(uintptr_t)t->trace;
	weft_tasks_free(t);
	weft_trace_close(trace);
}

TEST(tasks_have_their_times)
{
	static const struct {
		uint64_t submit, ready, start, end, push, pop;
		unsigned worker;
	} want[] = {
		{10000, 11000, 20000, 30000, 12000, 19000, 0},
		{13000, 31000, 40000, 55000, WEFT_NEVER, WEFT_NEVER, 1},
		{14000, WEFT_NEVER, 60000, 80000, WEFT_NEVER, WEFT_NEVER, 0},
	};
	struct weft_tasks t;
	load(&t);
	for (uint32_t i = 0; i < 3; i++) {
		const struct weft_tasks_task *k = &t.task[i];
		CHECK_U64(k->job, SAMPLE_JOB_OF(i + 1));
		CHECK_U64(k->number, i + 1);
		CHECK_U64(k->submit, want[i].submit);
		CHECK_U64(k->ready, want[i].ready);
		CHECK_U64(k->start, want[i].start);
		CHECK_U64(k->end, want[i].end);
		CHECK_U64(k->push, want[i].push);
		CHECK_U64(k->pop, want[i].pop);
		CHECK_U64(k->worker, want[i].worker);
		CHECK_U64(k->submitter, 0);
	}
	CHECK_U64(t.has, WEFT_TASKS_HAS_DETAIL | WEFT_TASKS_HAS_EDGES | WEFT_TASKS_HAS_DATA | WEFT_TASKS_HAS_COPIES |
	                         WEFT_TASKS_HAS_POLICY);
	unload(&t);
}

TEST(tasks_have_what_their_regions_say)
{
	struct weft_tasks t;
	load(&t);
	const struct weft_tasks_task *a = &t.task[0], *b = &t.task[1], *c = &t.task[2];
	CHECK_I64(a->priority, -7);
	CHECK_U64(a->footprint, 0xdeadbeef);
	CHECK(a->has_footprint && !b->has_footprint && a->has_color && !a->has_tag && c->has_tag);
	CHECK_U64(a->color, 0x123456);
	CHECK_U64(a->bytes, 800);
	CHECK_U64(a->line, 17);
	CHECK_STR(weft_tasks_text(&t, a->file), "prog.c");
	CHECK(a->flops == 2e6 && b->flops < 0);
	CHECK_U64(c->tag, 0x1f);
	CHECK_I64(c->iteration, 5);
	CHECK_I64(c->sub_iteration, 2);
	CHECK_I64(a->iteration, WEFT_TASKS_NO_ITERATION);
	CHECK_STR(weft_tasks_called(&t, a), "model of a");
	CHECK_STR(weft_tasks_called(&t, b), "b");
	CHECK_STR(weft_tasks_called(&t, c), "last of all");
	CHECK_STR(weft_tasks_codelet(&t, c), "c");
	unload(&t);
}

TEST(tasks_wait_for_tasks)
{
	struct weft_tasks t;
	load(&t);
	CHECK_U64(t.task[0].n_before, 0);
	CHECK_U64(t.task[1].n_before, 1);
	CHECK_U64(t.edge[t.task[1].before], 0);
	REQUIRE(t.task[2].n_before == 2);
	CHECK_U64(t.edge[t.task[2].before], 0);
	CHECK_U64(t.edge[t.task[2].before + 1], 1);
	CHECK_U64(t.n_edges, 3);
	CHECK_U64(t.n_foreign_edges, 1); /* from a job that is no task here */
	unload(&t);
}

TEST(tasks_use_data)
{
	struct weft_tasks t;
	load(&t);
	REQUIRE(t.n_data == 2);
	CHECK_U64(t.data[0].handle, 0x1000);
	CHECK_STR(weft_tasks_text(&t, t.data[0].name), "A");
	CHECK_STR(weft_tasks_text(&t, t.data[0].description), "V100x8");
	CHECK_U64(t.data[0].bytes, 800);
	CHECK_U64(t.data[0].from, 1000);
	CHECK_U64(t.data[0].until, 101000);
	CHECK_U64(t.data[1].until, WEFT_NEVER);
	REQUIRE(t.data[0].n_coordinates == 2);
	CHECK_I64(t.coordinate[t.data[0].coordinates], 3);
	CHECK_I64(t.coordinate[t.data[0].coordinates + 1], 4);
	REQUIRE(t.task[2].n_accesses == 2);
	const struct weft_tasks_access *x = &t.access[t.task[2].accesses];
	CHECK_U64(x[0].data, 0);
	CHECK_U64(x[0].does, WEFT_TASKS_R);
	CHECK_U64(x[1].data, 1);
	CHECK_U64(x[1].does, WEFT_TASKS_R | WEFT_TASKS_W | WEFT_TASKS_COMMUTE);
	CHECK_STR(weft_tasks_text(&t, x[1].mode), "RW-C");
	unload(&t);
}

TEST(tasks_workers_and_copies)
{
	struct weft_tasks t;
	load(&t);
	REQUIRE(t.n_workers == 2 && t.n_copies == 1);
	CHECK_STR(t.worker[0].name, "CPU 0");
	CHECK_U64(t.worker[1].thread, 2);
	CHECK_U64(t.of_thread[2], 1);
	CHECK_U64(t.of_thread[0], WEFT_TASKS_NO_ONE);
	const struct weft_tasks_copy *c = &t.copy[0];
	CHECK_U64(c->asked, 32000);
	CHECK_U64(c->asker, 2);
	CHECK_U64(c->submit, 33000);
	CHECK_U64(c->start, 34000);
	CHECK_U64(c->end, 38000);
	CHECK_U64(c->from, 0);
	CHECK_U64(c->to, 1);
	CHECK_U64(c->bytes, 800);
	CHECK_U64(c->handle, 0x1000);
	unload(&t);
}

/* The same number is another handle's after its end; and what was registered before recording began is known by its use. */
/* A thread that a worker made is called as it is; where workers say who they are, names say nothing. */
TEST(tasks_workers_are_those_that_say_so)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	struct weft_tasks of;
	MUST(weft_builder_new(&s.b, "tasks", "test", &how, &err));
	st_objects(&s);
	weft_built_thread(s.b, 3)->name = "CPU 1";
	st_main(&s);
	for (unsigned i = 1; i < 3; i++) {
		st_enter(&s, i, 0, "worker");
		st_attr(&s, i, 0, "worker", i - 1);
		st_text(&s, i, 0, "name", i == 1 ? "CPU 0" : "CPU 1");
		st_leave(&s, i, 0, "worker");
	}
	st_workers(&s);
	struct weft_trace *t = sample_finish(s.b, 120000);
	MUST(weft_tasks_load(t, &of));
	CHECK_U64(of.n_workers, 2);
	CHECK_U64(of.worker[0].thread, 1);
	CHECK_U64(of.worker[1].thread, 2);
	weft_tasks_free(&of);
	weft_trace_close(t);
}

TEST(tasks_handles_have_lives)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "lives", "test", &how, &err));
	st_objects(&s);
	for (uint64_t i = 0; i < 2; i++) {
		st_register(&s, 10 + 100 * i, 0x1000, (int64_t)(100 + i), "V1x1");
		st_submit(&s, 20 + 100 * i, SAMPLE_JOB_OF(i), NULL, 0);
		st_point(&s, 0, 90 + 100 * i, "unregistered", 0x1000);
		st_run(&s, 1, 30 + 100 * i, "a", SAMPLE_JOB_OF(i));
		st_access(&s, 1, 30 + 100 * i, 0x1000, "R");
		st_access(&s, 1, 30 + 100 * i, 0x500, "R");
		st_leave(&s, 1, 40 + 100 * i, "a");
	}
	struct weft_trace *trace = sample_finish(s.b, 300000);
	struct weft_tasks t;
	REQUIRE(weft_tasks_load(trace, &t) == 0);
	REQUIRE(t.n == 2 && t.n_data == 3);
	for (uint32_t i = 0; i < 2; i++) {
		REQUIRE(t.task[i].n_accesses == 2);
		CHECK_U64(t.data[t.access[t.task[i].accesses].data].bytes, 100 + i);
		CHECK_U64(t.data[t.access[t.task[i].accesses].data].until, 90000 + 100000 * i);
		CHECK_U64(t.data[t.access[t.task[i].accesses + 1].data].handle, 0x500);
		CHECK_I64(t.data[t.access[t.task[i].accesses + 1].data].home, -1);
	}
	weft_tasks_free(&t);
	weft_trace_close(trace);
}

/* Numbers of jobs that lie far apart, and uses out of order, go by a hash table; found or not found, all answer alike. */
TEST(tasks_are_found_by_their_jobs)
{
	for (unsigned how_far = 0; how_far < 3; how_far++) {
		struct sample_tasks s = {0};
		struct weft_err err = {0};
		struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
		MUST(weft_builder_new(&s.b, "jobs", "test", &how, &err));
		st_objects(&s);
		MADE(weft_build_process(s.b, &(struct weft_process){.node = WEFT_NONE,
		                                                    .name = "other",
		                                                    .command = "",
		                                                    .host = "",
		                                                    .rank = -1}));
		for (uint64_t i = 0; i < 50; i++)
			st_submit(&s, 10 + i,
			          (3 + (how_far == 2 ? 4 - i / 10 : i / 10)) << 32 | (7 + i % 10 * (how_far == 1 ? 100000 : 1)),
			          NULL, 0);
		struct weft_trace *trace = sample_finish(s.b, 300000);
		struct weft_tasks t;
		REQUIRE(weft_tasks_load(trace, &t) == 0);
		REQUIRE(t.n == 50);
		CHECK((t.job_mask == 0) == (how_far == 0));
		for (uint32_t i = 0; i < 50; i++)
			CHECK_U64(weft_tasks_find(&t, 0, t.task[i].job), i);
		static const uint64_t none[] =
			{0, 7, UINT64_C(3) << 32 | 6, UINT64_C(3) << 32 | 17, UINT64_C(8) << 32 | 7, UINT64_MAX};
		for (size_t i = 0; i < sizeof none / sizeof *none; i++)
			CHECK_U64(weft_tasks_find(&t, 0, none[i]), WEFT_TASKS_NO_ONE);
		CHECK_U64(weft_tasks_find(&t, 1, t.task[0].job), WEFT_TASKS_NO_ONE); /* a process without tasks */
		weft_tasks_free(&t);
		weft_trace_close(trace);
	}
}

/* Regions about data in each other keep their own attributes. */
TEST(tasks_data_in_data)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "nested", "test", &how, &err));
	st_objects(&s);
	st_submit(&s, 5, SAMPLE_JOB_OF(1), NULL, 0);
	st_run(&s, 1, 10, "a", SAMPLE_JOB_OF(1));
	st_enter(&s, 1, 20, "copying");
	st_attr(&s, 1, 20, "handle", 0x1000);
	st_attr(&s, 1, 20, "from node", 2);
	st_enter(&s, 1, 21, "data state");
	st_attr(&s, 1, 21, "handle", 0x2000);
	st_attr(&s, 1, 21, "node", 3);
	st_text(&s, 1, 21, "state", "shared");
	st_leave(&s, 1, 22, "data state");
	st_attr(&s, 1, 23, "to node", 1);
	st_attr(&s, 1, 23, "bytes", 5);
	st_text(&s, 1, 23, "cause", "prefetch");
	st_leave(&s, 1, 24, "copying");
	st_attr(&s, 1, 25, "priority", 9);
	st_leave(&s, 1, 30, "a");
	struct weft_trace *trace = sample_finish(s.b, 300000);
	struct weft_tasks t;
	REQUIRE(weft_tasks_load(trace, &t) == 0);
	REQUIRE(t.n_copies == 1 && t.n_events == 1);
	CHECK_U64(t.copy[0].handle, 0x1000);
	CHECK_U64(t.copy[0].from, 2);
	CHECK_U64(t.copy[0].to, 1);
	CHECK_U64(t.copy[0].bytes, 5);
	CHECK_STR(weft_tasks_text(&t, t.copy[0].cause), "prefetch");
	CHECK_U64(t.event[0].handle, 0x2000);
	CHECK_U64(t.event[0].node, 3);
	CHECK(t.event[0].fate == WEFT_TASKS_SHARED);
	CHECK_I64(t.task[0].priority, 9);
	CHECK_U64(t.task[0].end, 30000);
	weft_tasks_free(&t);
	weft_trace_close(trace);
}

/* What is open when recording of the runtime stops has no end; what begins afterwards has its own. */
TEST(tasks_recorded_in_parts)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "parts", "test", &how, &err));
	st_objects(&s);
	st_submit(&s, 5, SAMPLE_JOB_OF(1), NULL, 0);
	st_submit(&s, 6, SAMPLE_JOB_OF(2), NULL, 0);
	st_run(&s, 1, 10, "a", SAMPLE_JOB_OF(1));
	MUST(weft_append(s.at[1], 15000, weft_what(WEFT_EV_OFF, s.basic), 0));
	MUST(weft_append(s.at[1], 25000, weft_what(WEFT_EV_ON, s.basic), 0));
	st_run(&s, 1, 30, "a", SAMPLE_JOB_OF(2));
	st_leave(&s, 1, 40, "a");
	st_leave(&s, 1, 50, "a");
	struct weft_trace *trace = sample_finish(s.b, 300000);
	struct weft_tasks t;
	REQUIRE(weft_tasks_load(trace, &t) == 0);
	CHECK_U64(t.task[0].end, WEFT_NEVER);
	CHECK_U64(t.task[1].end, 40000);
	weft_tasks_free(&t);
	weft_trace_close(trace);
}

static void acquire(struct sample_tasks *s, unsigned thread, uint64_t from, uint64_t to, uint64_t handle)
{
	st_enter(s, thread, from, "acquiring data");
	st_attr(s, thread, from, "handle", (int64_t)handle);
	st_leave(s, thread, to, "acquiring data");
}

/* A release ends the oldest acquisition of its handle; what is never released ends with the handle, or is not said. */
TEST(tasks_data_are_held)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "held", "test", &how, &err));
	st_objects(&s);
	st_register(&s, 1, 0x1000, 100, "V1x1");
	st_register(&s, 2, 0x2000, 100, "V1x1");
	acquire(&s, 0, 10, 20, 0x1000);
	acquire(&s, 0, 30, 40, 0x2000);
	acquire(&s, 3, 45, 50, 0x1000);
	st_point(&s, 3, 60, "data released", 0x1000);
	st_point(&s, 0, 70, "data released", 0x1000);
	st_point(&s, 0, 80, "data released", 0x3000);
	acquire(&s, 0, 90, 95, 0x1000);
	st_point(&s, 0, 100, "unregistered", 0x1000);
	struct weft_trace *trace = sample_finish(s.b, 300000);
	struct weft_tasks t;
	REQUIRE(weft_tasks_load(trace, &t) == 0);
	static const struct weft_tasks_hold want[] = {{20000, 60000, 0x1000, 0, 0},
	                                              {40000, WEFT_NEVER, 0x2000, 0, 0},
	                                              {95000, 100000, 0x1000, 0, 0},
	                                              {50000, 70000, 0x1000, 0, 3}};
	REQUIRE(t.n_holds == 4);
	for (uint32_t i = 0; i < 4; i++) {
		CHECK_U64(t.hold[i].from, want[i].from);
		CHECK_U64(t.hold[i].until, want[i].until);
		CHECK_U64(t.hold[i].handle, want[i].handle);
		CHECK_U64(t.hold[i].thread, want[i].thread);
	}
	weft_tasks_free(&t);
	weft_trace_close(trace);
}

static void component(struct sample_tasks *s, uint64_t us, uint64_t id, uint64_t parent, const char *name)
{
	st_enter(s, 0, us, "scheduler component");
	st_attr(s, 0, us, "component", (int64_t)id);
	st_text(s, 0, us, "name", name);
	if (parent)
		st_attr(s, 0, us, "parent", (int64_t)parent);
	st_leave(s, 0, us, "scheduler component");
}

static void go(struct sample_tasks *s, unsigned thread, uint64_t us, const char *how, const uint64_t way[2])
{
	st_enter(s, thread, us, how);
	st_attr(s, thread, us, "task", (int64_t)SAMPLE_JOB_OF(1));
	if (way[0])
		st_attr(s, thread, us, "from component", (int64_t)way[0]);
	st_attr(s, thread, us, "to component", (int64_t)way[1]);
	st_leave(s, thread, us, how);
}

/* A tree that is told twice is there once; a task's steps are in order, whichever thread took it. */
TEST(tasks_go_through_components)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "components", "test", &how, &err));
	st_objects(&s);
	for (uint64_t i = 0; i < 2; i++) {
		component(&s, 1 + i, 0xa0, 0, "fifo");
		component(&s, 1 + i, 0xb0, 0xa0, "eager");
	}
	st_submit(&s, 5, SAMPLE_JOB_OF(1), NULL, 0);
	go(&s, 0, 6, "component push", (const uint64_t[]){0, 0xa0});
	go(&s, 1, 8, "component pull", (const uint64_t[]){0xa0, 0xb0});
	go(&s, 1, 9, "component push", (const uint64_t[]){0xb0, 0xa0});
	go(&s, 1, 10, "component push", (const uint64_t[]){0xa0, 0xcc}); /* of what nobody has told */
	struct weft_trace *trace = sample_finish(s.b, 300000);
	struct weft_tasks t;
	REQUIRE(weft_tasks_load(trace, &t) == 0);
	REQUIRE(t.n_components == 2 && t.n_steps == 3);
	CHECK_STR(t.component[0].name, "fifo");
	CHECK_U64(t.component[0].parent, WEFT_TASKS_NO_ONE);
	CHECK_U64(t.component[1].parent, 0);
	CHECK_U64(t.step[0].from, WEFT_TASKS_NO_ONE);
	CHECK_U64(t.step[0].to, 0);
	CHECK_U64(t.step[1].time, 8000);
	CHECK_U64(t.step[1].to, 1);
	CHECK_U64(t.step[2].from, 1);
	CHECK_U64(t.step[2].to, 0);
	weft_tasks_free(&t);
	weft_trace_close(trace);
}

TEST(tasks_of_a_trace_without_the_runtime_are_none)
{
	struct weft_trace *trace = sample_fixed();
	struct weft_tasks t;
	REQUIRE(weft_tasks_load(trace, &t) == 0);
	CHECK_U64(t.n, 0);
	CHECK_U64(t.has, 0);
	CHECK_U64(t.n_workers, 0);
	weft_tasks_free(&t);
	weft_trace_close(trace);
}

TEST(tasks_say_when_memory_is_out)
{
	struct weft_trace *trace = sample_tasks_trace();
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_tasks t;
		int rc = weft_tasks_load(trace, &t);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		weft_tasks_free(&t);
	}
	weft_trace_close(trace);
}
