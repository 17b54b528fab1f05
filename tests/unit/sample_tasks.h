/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace of the task runtime, of known shape, for tests of what reads one: times in us here, so that 10 is 10000 ns.
 *
 *     main   (thread 0)  registers 0x1000 "A" (800 bytes, V100x8, coordinates 3 4) and 0x2000, submits a, b, c; waits 40-100
 *     CPU 0  (thread 1)  a 20-30 (writes A)        c 60-80 (reads A, writes 0x2000), after a and b
 *     CPU 1  (thread 2)  sleeps 5-32     b 40-55 (reads A), after a     fetches for 33-36
 *     mover  (thread 3)  copies A from node 0 to 1, 32-38, asked for by CPU 1
 */
#ifndef WEFT_TESTS_SAMPLE_TASKS_H
#define WEFT_TESTS_SAMPLE_TASKS_H

#include "sample_trace.h"

#define SAMPLE_JOB_OF(n) (UINT64_C(0x100000000) | (n))

struct sample_tasks {
	struct weft_builder *b;
	uint32_t basic, detail;
	struct weft_appender *at[4];
};

static inline uint32_t st_def(struct sample_tasks *s, enum weft_class of, const char *name, bool detail)
{
	struct weft_def_row row = {.name = name, .category = detail ? s->detail : s->basic};
	return MADE(weft_build_def(s->b, of, &row));
}
static inline void st_event(struct sample_tasks *s, unsigned thread, uint64_t us, unsigned kind, enum weft_class of,
                            const char *name, uint64_t value)
{
	bool basic = of == WEFT_CLASS_REGION && (strlen(name) == 1 || !strcmp(name, "sleeping") || !strncmp(name, "waiting", 7));
	MUST(weft_append(s->at[thread], us * 1000, weft_what(kind, st_def(s, of, name, !basic)), value));
}
static inline void st_enter(struct sample_tasks *s, unsigned thread, uint64_t us, const char *region)
{
	st_event(s, thread, us, WEFT_EV_ENTER, WEFT_CLASS_REGION, region, 0);
}
static inline void st_leave(struct sample_tasks *s, unsigned thread, uint64_t us, const char *region)
{
	st_event(s, thread, us, WEFT_EV_LEAVE, WEFT_CLASS_REGION, region, 0);
}
static inline void st_attr(struct sample_tasks *s, unsigned thread, uint64_t us, const char *name, int64_t value)
{
	st_event(s, thread, us, WEFT_EV_ATTR, WEFT_CLASS_ATTR, name, (uint64_t)value);
}
static inline void st_text(struct sample_tasks *s, unsigned thread, uint64_t us, const char *name, const char *text)
{
	st_event(s, thread, us, WEFT_EV_ATTR_S, WEFT_CLASS_ATTR, name, MADE(weft_build_string(s->b, text, strlen(text))));
}
static inline void st_point(struct sample_tasks *s, unsigned thread, uint64_t us, const char *name, uint64_t value)
{
	st_event(s, thread, us, WEFT_EV_POINT, WEFT_CLASS_TYPE, name, value);
}
static inline void st_count(struct sample_tasks *s, unsigned thread, uint64_t us, const char *name, uint64_t value)
{
	st_event(s, thread, us, WEFT_EV_COUNTER, WEFT_CLASS_COUNTER, name, value);
}
static inline void st_flow(struct sample_tasks *s, unsigned thread, uint64_t us, const char *flow, uint64_t key, bool out)
{
	MUST(weft_append_flow(s->at[thread], us * 1000, st_def(s, WEFT_CLASS_FLOW, flow, strcmp(flow, "task") != 0), key, out));
}
static inline void st_submit(struct sample_tasks *s, uint64_t us, uint64_t job, const uint64_t *before, size_t n)
{
	st_flow(s, 0, us, "task", job, true);
	for (size_t i = 0; i < n; i++) {
		uint64_t pair[2] = {before[i], job};
		MUST(weft_append_extra(s->at[0], us * 1000,
		                       weft_what(WEFT_EV_DEPENDENCY, st_def(s, WEFT_CLASS_FLOW, "depends", true)), pair, 2));
	}
}
static inline void st_run(struct sample_tasks *s, unsigned thread, uint64_t us, const char *codelet, uint64_t job)
{
	st_enter(s, thread, us, codelet);
	st_flow(s, thread, us, "task", job, false);
}
static inline void st_access(struct sample_tasks *s, unsigned thread, uint64_t us, uint64_t handle, const char *mode)
{
	st_attr(s, thread, us, "handle", (int64_t)handle);
	st_text(s, thread, us, "mode", mode);
}

static inline void st_register(struct sample_tasks *s, uint64_t us, uint64_t handle, int64_t bytes, const char *description)
{
	st_enter(s, 0, us, "data registered");
	st_attr(s, 0, us, "handle", (int64_t)handle);
	st_attr(s, 0, us, "home node", 0);
	st_attr(s, 0, us, "bytes", bytes);
	st_text(s, 0, us, "description", description);
	st_leave(s, 0, us, "data registered");
}

static inline void st_objects(struct sample_tasks *s)
{
	static const char *const names[] = {"prog", "CPU 0", "CPU 1", "mover"};
	MADE(weft_build_app(s->b, "prog"));
	MADE(weft_build_process(s->b, &(struct weft_process){.node = WEFT_NONE,
	                                                     .pid = 70,
	                                                     .rank = -1,
	                                                     .name = "prog",
	                                                     .command = "./prog",
	                                                     .host = "here",
	                                                     .begin = 0,
	                                                     .end = 120000,
	                                                     .status = 0}));
	for (uint32_t i = 0; i < 4; i++)
		MADE(weft_build_thread(s->b, &(struct weft_thread_row){.number = i + 1,
		                                                       .tid = 70 + i,
		                                                       .name = names[i],
		                                                       .begin = 0,
		                                                       .end = 120000}));
	for (uint32_t i = 0; i < 4; i++)
		s->at[i] = weft_builder_appender(s->b, i);
	s->basic = MADE(weft_build_def(s->b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "starpu"}));
	s->detail = MADE(weft_build_def(s->b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "starpu_detail"}));
}

static inline void st_main(struct sample_tasks *s)
{
	const uint64_t a[] = {SAMPLE_JOB_OF(1)}, both[] = {SAMPLE_JOB_OF(1), SAMPLE_JOB_OF(2), SAMPLE_JOB_OF(99)};
	st_register(s, 1, 0x1000, 800, "V100x8");
	st_enter(s, 0, 2, "data named");
	st_attr(s, 0, 2, "handle", 0x1000);
	st_text(s, 0, 2, "name", "A");
	st_leave(s, 0, 2, "data named");
	st_enter(s, 0, 3, "data coordinates");
	st_attr(s, 0, 3, "handle", 0x1000);
	st_attr(s, 0, 3, "coordinate", 3);
	st_attr(s, 0, 3, "coordinate", 4);
	st_leave(s, 0, 3, "data coordinates");
	st_register(s, 4, 0x2000, 64, "M4x4x4");
	st_submit(s, 10, SAMPLE_JOB_OF(1), NULL, 0);
	st_count(s, 0, 10, "submitted tasks", 1);
	st_point(s, 0, 11, "ready", SAMPLE_JOB_OF(1));
	st_count(s, 0, 11, "ready tasks", 1);
	st_point(s, 0, 12, "scheduler push", SAMPLE_JOB_OF(1));
	st_submit(s, 13, SAMPLE_JOB_OF(2), a, 1);
	st_count(s, 0, 13, "submitted tasks", 2);
	st_submit(s, 14, SAMPLE_JOB_OF(3), both, 3);
	st_count(s, 0, 14, "submitted tasks", 3);
	st_point(s, 0, 39, "wait for all", 0);
	st_enter(s, 0, 40, "waiting for tasks");
	st_leave(s, 0, 100, "waiting for tasks");
	st_point(s, 0, 101, "unregistered", 0x1000);
	st_point(s, 0, 102, "user event", 4711);
}

static inline void st_workers(struct sample_tasks *s)
{
	for (unsigned i = 1; i < 3; i++)
		MUST(weft_append(s->at[i], 0, weft_what(WEFT_EV_THREAD_BEGIN, 0), 0));
	st_point(s, 1, 19, "scheduler pop", SAMPLE_JOB_OF(1));
	st_run(s, 1, 20, "a", SAMPLE_JOB_OF(1));
	st_attr(s, 1, 20, "priority", -7);
	st_attr(s, 1, 20, "footprint", 0xdeadbeef);
	st_attr(s, 1, 20, "submit order", 4);
	st_text(s, 1, 20, "model", "model of a");
	st_access(s, 1, 20, 0x1000, "W");
	st_attr(s, 1, 20, "size", 800);
	st_text(s, 1, 20, "file", "prog.c");
	st_attr(s, 1, 20, "line", 17);
	st_attr(s, 1, 20, "colour", 0x123456);
	st_event(s, 1, 20, WEFT_EV_ATTR_F, WEFT_CLASS_ATTR, "flops", sample_double(2e6));
	st_attr(s, 1, 29, "PAPI_TOT_INS", 4242);
	st_leave(s, 1, 30, "a");
	st_enter(s, 1, 30, "overhead");
	st_point(s, 1, 31, "ready", SAMPLE_JOB_OF(2));
	st_leave(s, 1, 33, "overhead");
	st_run(s, 1, 60, "c", SAMPLE_JOB_OF(3));
	st_text(s, 1, 60, "name", "last of all");
	st_access(s, 1, 60, 0x1000, "R");
	st_access(s, 1, 60, 0x2000, "RW-C");
	st_attr(s, 1, 60, "size", 864);
	st_attr(s, 1, 60, "iteration", 5);
	st_attr(s, 1, 60, "sub-iteration", 2);
	st_attr(s, 1, 60, "tag", 0x1f);
	st_attr(s, 1, 60, "context", 2);
	st_attr(s, 1, 60, "colour", 0x0000ff);
	st_leave(s, 1, 80, "c");
	st_enter(s, 2, 5, "sleeping");
	st_leave(s, 2, 32, "sleeping");
	st_flow(s, 2, 32, "transfer", 1, true);
	st_enter(s, 2, 33, "fetching input");
	st_leave(s, 2, 36, "fetching input");
	st_run(s, 2, 40, "b", SAMPLE_JOB_OF(2));
	st_access(s, 2, 40, 0x1000, "R");
	st_leave(s, 2, 55, "b");
	st_flow(s, 3, 32, "transfer", 1, false);
	st_enter(s, 3, 33, "copying");
	st_attr(s, 3, 33, "handle", 0x1000);
	st_attr(s, 3, 33, "from node", 0);
	st_attr(s, 3, 33, "to node", 1);
	st_attr(s, 3, 33, "bytes", 800);
	st_point(s, 3, 34, "copy submitted", 800);
	st_leave(s, 3, 38, "copying");
	st_count(s, 3, 38, "copied into, node 1", 800);
}

/* Freed by weft_trace_close. */
static inline struct weft_trace *sample_tasks_trace(void)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&s.b, "tasks", "test", &how, &err));
	st_objects(&s);
	st_main(&s);
	st_workers(&s);
	return sample_finish(s.b, 120000);
}

#endif
