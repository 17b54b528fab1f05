/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and data of a made trace, every value known (times in us, 10 is 10000 ns):
 *
 *     0x1000 "A" 100 bytes, home 0, 10-900     0x2000, no home, 20-end     node 1 has memory of its own
 *     node 1   A allocated 100-110, 0x2000 at 200-210 from the cache, no room for A's part at 300-310, A freed 500-510 into the cache
 *     counter  100 bytes from 110 on, 164 from 210 on, 100 from 600 on
 *     A        copied 0 -> 1 at 110-130 for task 1 (fetch), 1 -> 0 at 300-340 for task 2 (fetch), 0 -> 1 at 400-450 (prefetch),
 *              1 -> 0 at 500-505 (reclaim), 1 -> 0 at 800-810 (unregister)
 */
#include "harness.h"
#include "sample_tasks.h"
#include "tasks/data_use.h"
#include <errno.h>

static void memory(struct sample_tasks *s, uint64_t from, uint64_t to, const char *what, const int64_t v[4])
{
	st_enter(s, 3, from, what);
	st_attr(s, 3, to, "handle", v[0]);
	st_attr(s, 3, to, "node", v[1]);
	st_attr(s, 3, to, "bytes", v[2]);
	if (v[3])
		st_attr(s, 3, to, "cached", 1);
	st_leave(s, 3, to, what);
}

static void copy(struct sample_tasks *s, uint64_t from, uint64_t to, const int64_t way[2], const char *cause, uint64_t job)
{
	st_enter(s, 3, from, "copying");
	st_attr(s, 3, from, "handle", 0x1000);
	st_attr(s, 3, from, "from node", way[0]);
	st_attr(s, 3, from, "to node", way[1]);
	st_attr(s, 3, from, "bytes", 100);
	st_text(s, 3, from, "cause", cause);
	if (job)
		st_attr(s, 3, from, "task", (int64_t)job);
	st_leave(s, 3, to, "copying");
}

static void state(struct sample_tasks *s, uint64_t at, uint64_t handle, int64_t node, const char *what)
{
	st_enter(s, 3, at, "data state");
	st_attr(s, 3, at, "handle", (int64_t)handle);
	st_attr(s, 3, at, "node", node);
	st_text(s, 3, at, "state", what);
	st_leave(s, 3, at, "data state");
}

static void main_thread(struct sample_tasks *s)
{
	st_register(s, 10, 0x1000, 100, "V25x4");
	st_enter(s, 0, 20, "data registered");
	st_attr(s, 0, 20, "handle", 0x2000);
	st_attr(s, 0, 20, "home node", -1);
	st_attr(s, 0, 20, "bytes", 64);
	st_leave(s, 0, 20, "data registered");
	st_submit(s, 30, SAMPLE_JOB_OF(1), NULL, 0);
	st_submit(s, 40, SAMPLE_JOB_OF(2), NULL, 0);
	st_point(s, 0, 900, "unregistered", 0x1000);
}

static void mover(struct sample_tasks *s)
{
	static const int64_t there[] = {0, 1}, back[] = {1, 0};
	st_count(s, 3, 100, "memory in use, node 1", 0);
	memory(s, 100, 110, "allocating", (const int64_t[]){0x1000, 1, 100, 0});
	st_count(s, 3, 110, "memory in use, node 1", 100);
	copy(s, 110, 130, there, "fetch", SAMPLE_JOB_OF(1));
	state(s, 130, 0x1000, 1, "shared");
	state(s, 140, 0x1000, 1, "owner");
	state(s, 140, 0x1000, 0, "invalid");
	memory(s, 200, 210, "allocating", (const int64_t[]){0x2000, 1, 64, 1});
	st_count(s, 3, 210, "memory in use, node 1", 164);
	copy(s, 300, 340, back, "fetch", SAMPLE_JOB_OF(2));
	memory(s, 345, 350, "allocating", (const int64_t[]){0x1000, 1, 0, 0});
	state(s, 350, 0x1000, 0, "shared");
	state(s, 360, 0x1000, 1, "invalid");
	copy(s, 400, 450, there, "prefetch", 0);
	copy(s, 500, 505, back, "reclaim", 0);
	memory(s, 506, 510, "freeing", (const int64_t[]){0x1000, 1, 100, 1});
	st_count(s, 3, 600, "memory in use, node 1", 100);
	copy(s, 800, 810, back, "unregister", 0);
}

static struct weft_trace *make(void)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "memory", "test", &how, &err));
	st_objects(&s);
	main_thread(&s);
	st_run(&s, 1, 150, "ping", SAMPLE_JOB_OF(1));
	st_access(&s, 1, 150, 0x1000, "RW");
	st_access(&s, 1, 150, 0x2000, "SCRATCH");
	st_leave(&s, 1, 160, "ping");
	st_run(&s, 2, 350, "pong", SAMPLE_JOB_OF(2));
	st_access(&s, 2, 350, 0x1000, "R");
	st_access(&s, 2, 350, 0x1000, "W");
	st_access(&s, 2, 350, 0x2000, "REDUX");
	st_leave(&s, 2, 360, "pong");
	mover(&s);
	return sample_finish(s.b, 1000000);
}

static struct weft_trace *trace;
static struct weft_tasks tasks;
static struct weft_use use;
static void load(void)
{
	trace = make();
	REQUIRE(weft_tasks_load(trace, &tasks) == 0);
	REQUIRE(weft_use_compute(&tasks, &use) == 0);
}
static void unload(void)
{
	weft_use_fini(&use);
	weft_tasks_free(&tasks);
	weft_trace_close(trace);
}

TEST(use_of_nodes)
{
	load();
	REQUIRE(use.n_nodes == 2);
	const struct weft_use_node *ram = &use.node[0], *n = &use.node[1];
	CHECK_U64(ram->most_home, 100);
	CHECK_U64(ram->most_allocated, 0);
	CHECK_U64(n->most_allocated, 164);
	CHECK_U64(n->allocated_at, 210000);
	CHECK_U64(n->most_managed, 164);
	CHECK_U64(n->managed_at, 210000);
	CHECK_U64(n->mean_allocated, (100 * 100 + 164 * 390 + 100 * 400 + 500) / 1000);
	CHECK_U64(n->allocations, 2);
	CHECK_U64(n->reused, 1);
	CHECK_U64(n->refused, 1);
	CHECK_U64(n->frees, 1);
	CHECK_U64(n->kept, 1);
	CHECK_U64(n->evicted, 1);
	CHECK_U64(n->in.n, 2);
	CHECK_U64(n->in.bytes, 200);
	CHECK_U64(n->in.ns, 70000);
	CHECK_U64(n->out.n, 3);
	CHECK_U64(n->out.ns, 55000);
	CHECK_U64(ram->in.n, 3);
	CHECK_U64(use.point[use.n_points - 1].home, 0); /* A is unregistered */
	unload();
}

TEST(use_of_data)
{
	load();
	REQUIRE(tasks.n_data == 2);
	const struct weft_use_data *a = &use.data[0], *b = &use.data[1];
	CHECK_U64(a->updates, 1);
	CHECK_U64(a->reads, 1);
	CHECK_U64(a->writes, 1);
	CHECK_U64(a->allocations, 1);
	CHECK_U64(a->reused, 0);
	CHECK_U64(a->copies.n, 5);
	CHECK_U64(a->copies.bytes, 500);
	CHECK_U64(a->copies.ns, 125000);
	CHECK_U64(b->scratches, 1);
	CHECK_U64(b->reductions, 1);
	CHECK_U64(b->reused, 1);
	REQUIRE(a->n_places == 2 && b->n_places == 1);
	const struct weft_use_place *home = &use.place[a->first_place], *away = home + 1, *own = &use.place[b->first_place];
	CHECK_U64(home->allocated_ns, 890000); /* as long as it is registered */
	CHECK_U64(home->valid_ns, 130000 + 550000);
	CHECK_U64(home->in.n, 3);
	CHECK_U64(away->allocated_ns, 396000); /* 110 to 506 */
	CHECK_U64(away->valid_ns, 230000);     /* 130 to 360 */
	CHECK_U64(away->allocations, 1);
	CHECK_U64(own->allocated_ns, 790000); /* to the trace's end */
	CHECK_U64(own->valid_ns, 0);
	unload();
}

TEST(use_of_copies_by_cause_and_way)
{
	load();
	REQUIRE(use.n_causes == 4 && use.n_ways == 2);
	CHECK_STR(weft_tasks_text(&tasks, use.cause[0].cause), "fetch");
	CHECK_U64(use.cause[0].copies.n, 2);
	CHECK_U64(use.cause[0].copies.bytes, 200);
	CHECK_U64(use.cause[0].copies.ns, 60000);
	CHECK_U64(use.cause[0].n_waited, 0);
	CHECK_U64(use.way[0].from, 0);
	CHECK_U64(use.way[0].copies.n, 2);
	CHECK_U64(use.way[1].from, 1);
	CHECK_U64(use.way[1].copies.n, 3);
	CHECK_U64(tasks.copy[0].task, 0);
	CHECK_U64(tasks.copy[1].task, 1);
	CHECK_U64(tasks.copy[2].task, WEFT_TASKS_NO_ONE);
	unload();
}

/* 0 -> 1 -> 0 (tasks 1, 2), 1 -> 0 -> 1, 0 -> 1 -> 0; the way home at the end is none. */
TEST(use_trips)
{
	load();
	REQUIRE(use.n_trips == 3);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_U64(use.trip[i].data, 0);
		CHECK_U64(use.trip[i].there, i);
		CHECK_U64(use.trip[i].back, i + 1);
	}
	CHECK_U64(use.data[0].returned.n, 3);
	CHECK_U64(use.data[0].returned.bytes, 300);
	CHECK_U64(use.data[0].returned.ns, 95000);
	unload();
}

TEST(use_says_when_memory_is_out)
{
	trace = make();
	REQUIRE(weft_tasks_load(trace, &tasks) == 0);
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_use_compute(&tasks, &use);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		weft_use_fini(&use);
	}
	weft_tasks_free(&tasks);
	weft_trace_close(trace);
}
