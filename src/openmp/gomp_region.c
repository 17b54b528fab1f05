/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel regions and host teams. The runtime is given our function in place of the program's, with what it needs in place of the data; so
 * each thread of the team passes here. Who has met the construct waits behind its own part until the others are done.
 *
 * Objects of compilers before 4.9 run their own part between GOMP_parallel_start and GOMP_parallel_end: what is needed lives on the heap then.
 */
#include "gomp_priv.h"
#include <stdlib.h>

enum team_work { WORK_NONE, WORK_LOOP, WORK_SECTIONS };
struct team {
	void *first; /* of the data: where task reductions begin, which the runtime looks for here */
	gomp_function *function;
	void *data;
	const struct openmp_thread *master;
	const struct openmp_code *code;
	uint64_t id;
	enum team_work work; /* that each thread begins with */
	enum openmp_region loop;
	uint64_t iterations, chunk;
	int64_t step;
	bool joined;
};
/* Where who has met it runs its part itself. */
struct old_team {
	struct team team;
	struct openmp_frame own;
	struct old_team *up;
};
static __thread struct old_team *begun __attribute__((tls_model("initial-exec"))); /* by GOMP_parallel_start */

static void work_begin(struct openmp_frame *f, const struct team *t)
{
	if (t->work == WORK_LOOP) {
		openmp_loop_begin(f, t->loop, t->iterations, t->chunk);
		f->step = t->step;
	} else if (t->work == WORK_SECTIONS) {
		openmp_sections_begin(f, (unsigned)t->iterations);
	}
}

static void team_body(void *arg)
{
	struct team *t = arg;
	struct openmp_frame f;
	bool is_worker = t->master != openmp_me();
	if (!is_worker && t->joined)
		openmp_leave(OPENMP_JOIN); /* teams come one after the other */
	openmp_body_begin(&f, t->code->body, t->id, is_worker);
	work_begin(&f, t);
	t->function(t->data);
	openmp_body_end(&f, t->code->body, is_worker);
	if (!is_worker)
		t->joined = true;
}

static void team_begin(struct team *t, enum openmp_code_kind kind, unsigned threads)
{
	t->master = openmp_me();
	t->code = &openmp_codes[kind][openmp_code_of(kind, (const void *)t->function)];
	t->id = openmp_next_team(openmp_me());
	openmp_parallel_begin(t->code->construct, t->id, threads);
}

static void team_end(const struct team *t)
{
	openmp_parallel_end(t->code->construct, t->joined);
}

static void wrap_GOMP_parallel(gomp_function *fn, void *data, unsigned threads, unsigned flags)
{
	struct team t = {.function = fn, .data = data};
	team_begin(&t, OPENMP_PARALLEL, threads);
	GOMP_REAL(GOMP_parallel, void (*)(gomp_function *, void *, unsigned, unsigned))(team_body, &t, threads, flags);
	team_end(&t);
}

static unsigned wrap_GOMP_parallel_reductions(gomp_function *fn, void *data, unsigned threads, unsigned flags)
{
	struct team t = {.first = *(void **)data, .function = fn, .data = data};
	team_begin(&t, OPENMP_PARALLEL, threads);
	unsigned n = GOMP_REAL(GOMP_parallel_reductions,
	                       unsigned (*)(gomp_function *, void *, unsigned, unsigned))(team_body, &t, threads, flags);
	team_end(&t);
	return n;
}

static void wrap_GOMP_parallel_sections(gomp_function *fn, void *data, unsigned threads, unsigned n, unsigned flags)
{
	struct team t = {.function = fn, .data = data, .work = WORK_SECTIONS, .iterations = n};
	team_begin(&t, OPENMP_PARALLEL, threads);
	GOMP_REAL(GOMP_parallel_sections, void (*)(gomp_function *, void *, unsigned, unsigned, unsigned))
	(team_body, &t, threads, n, flags);
	team_end(&t);
}

static void wrap_GOMP_teams_reg(gomp_function *fn, void *data, unsigned teams, unsigned limit, unsigned flags)
{
	struct team t = {.function = fn, .data = data};
	team_begin(&t, OPENMP_TEAMS, teams);
	GOMP_REAL(GOMP_teams_reg, void (*)(gomp_function *, void *, unsigned, unsigned, unsigned))
	(team_body, &t, teams, limit, flags);
	team_end(&t);
}

static void set_loop(struct team *t, enum openmp_region loop, const long *range, long chunk)
{
	t->work = WORK_LOOP;
	t->loop = loop;
	t->step = range[2];
	uint64_t way = range[2] < 0 ? (uint64_t)range[0] - (uint64_t)range[1] : (uint64_t)range[1] - (uint64_t)range[0];
	t->iterations = (int64_t)way > 0 ? openmp_steps(way, range[2]) : 0;
	t->chunk = (uint64_t)chunk;
}

#define PARALLEL_LOOP(name, loop) \
	static void wrap_GOMP_parallel_loop_##name(gomp_function *fn, void *data, unsigned threads, long start, long end, \
	                                           long step, long chunk, unsigned flags) \
	{ \
		struct team t = {.function = fn, .data = data}; \
		set_loop(&t, OPENMP_LOOP_##loop, (const long[]){start, end, step}, chunk); \
		team_begin(&t, OPENMP_PARALLEL, threads); \
		GOMP_REAL(GOMP_parallel_loop_##name, \
		          void (*)(gomp_function *, void *, unsigned, long, long, long, long, unsigned)) \
		(team_body, &t, threads, start, end, step, chunk, flags); \
		team_end(&t); \
	}
PARALLEL_LOOP(static, STATIC)
PARALLEL_LOOP(dynamic, DYNAMIC)
PARALLEL_LOOP(guided, GUIDED)
PARALLEL_LOOP(nonmonotonic_dynamic, DYNAMIC)
PARALLEL_LOOP(nonmonotonic_guided, GUIDED)

#define PARALLEL_RUNTIME(name) \
	static void wrap_GOMP_parallel_loop_##name(gomp_function *fn, void *data, unsigned threads, long start, long end, \
	                                           long step, unsigned flags) \
	{ \
		struct team t = {.function = fn, .data = data}; \
		set_loop(&t, OPENMP_LOOP_RUNTIME, (const long[]){start, end, step}, 0); \
		team_begin(&t, OPENMP_PARALLEL, threads); \
		GOMP_REAL(GOMP_parallel_loop_##name, void (*)(gomp_function *, void *, unsigned, long, long, long, unsigned)) \
		(team_body, &t, threads, start, end, step, flags); \
		team_end(&t); \
	}
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)

/* ---- of old objects ---- */

/* Without memory for it the program's function is passed on, and NULL is the result. */
static struct team *old_begin(gomp_function *fn, void *data, unsigned threads)
{
	struct old_team *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->team.function = fn;
	o->team.data = data;
	team_begin(&o->team, OPENMP_PARALLEL, threads);
	return &o->team;
}

/* The runtime has begun: the caller's own part runs from here on. */
static void old_begun(struct team *t)
{
	struct old_team *o = (struct old_team *)t; /* its first member */
	if (!t)
		return;
	o->up = begun;
	begun = o;
	openmp_body_begin(&o->own, t->code->body, t->id, false);
	work_begin(&o->own, t);
}

static void wrap_GOMP_parallel_start(gomp_function *fn, void *data, unsigned threads)
{
	struct team *t = old_begin(fn, data, threads);
	GOMP_REAL(GOMP_parallel_start, void (*)(gomp_function *, void *, unsigned))(t ? team_body : fn, t ? t : data, threads);
	old_begun(t);
}

static void wrap_GOMP_parallel_sections_start(gomp_function *fn, void *data, unsigned threads, unsigned n)
{
	struct team *t = old_begin(fn, data, threads);
	if (t) {
		t->work = WORK_SECTIONS;
		t->iterations = n;
	}
	GOMP_REAL(GOMP_parallel_sections_start, void (*)(gomp_function *, void *, unsigned, unsigned))
	(t ? team_body : fn, t ? t : data, threads, n);
	old_begun(t);
}

#define LOOP_START(name, loop) \
	static void wrap_GOMP_parallel_loop_##name##_start(gomp_function *fn, void *data, unsigned threads, long start, \
	                                                   long end, long step, long chunk) \
	{ \
		struct team *t = old_begin(fn, data, threads); \
		if (t) \
			set_loop(t, OPENMP_LOOP_##loop, (const long[]){start, end, step}, chunk); \
		GOMP_REAL(GOMP_parallel_loop_##name##_start, \
		          void (*)(gomp_function *, void *, unsigned, long, long, long, long)) \
		(t ? team_body : fn, t ? t : data, threads, start, end, step, chunk); \
		old_begun(t); \
	}
LOOP_START(static, STATIC)
LOOP_START(dynamic, DYNAMIC)
LOOP_START(guided, GUIDED)

static void wrap_GOMP_parallel_loop_runtime_start(gomp_function *fn, void *data, unsigned threads, long start, long end,
                                                  long step)
{
	struct team *t = old_begin(fn, data, threads);
	if (t)
		set_loop(t, OPENMP_LOOP_RUNTIME, (const long[]){start, end, step}, 0);
	GOMP_REAL(GOMP_parallel_loop_runtime_start, void (*)(gomp_function *, void *, unsigned, long, long, long))
	(t ? team_body : fn, t ? t : data, threads, start, end, step);
	old_begun(t);
}

static void wrap_GOMP_parallel_end(void)
{
	struct old_team *o = begun;
	if (o) {
		openmp_body_end(&o->own, o->team.code->body, false);
		begun = o->up;
	}
	GOMP_REAL(GOMP_parallel_end, void (*)(void))();
	if (o) {
		openmp_parallel_end(o->team.code->construct, true);
		free(o);
	}
}

const struct gomp_wrap gomp_regions[] = {
	GOMP_WRAP(GOMP_parallel),
	GOMP_WRAP(GOMP_parallel_reductions),
	GOMP_WRAP(GOMP_parallel_sections),
	GOMP_WRAP(GOMP_teams_reg),
	GOMP_WRAP(GOMP_parallel_loop_static),
	GOMP_WRAP(GOMP_parallel_loop_dynamic),
	GOMP_WRAP(GOMP_parallel_loop_guided),
	GOMP_WRAP(GOMP_parallel_loop_runtime),
	GOMP_WRAP(GOMP_parallel_loop_nonmonotonic_dynamic),
	GOMP_WRAP(GOMP_parallel_loop_nonmonotonic_guided),
	GOMP_WRAP(GOMP_parallel_loop_nonmonotonic_runtime),
	GOMP_WRAP(GOMP_parallel_loop_maybe_nonmonotonic_runtime),
	GOMP_WRAP(GOMP_parallel_start),
	GOMP_WRAP(GOMP_parallel_end),
	GOMP_WRAP(GOMP_parallel_sections_start),
	GOMP_WRAP(GOMP_parallel_loop_static_start),
	GOMP_WRAP(GOMP_parallel_loop_dynamic_start),
	GOMP_WRAP(GOMP_parallel_loop_guided_start),
	GOMP_WRAP(GOMP_parallel_loop_runtime_start),
	GOMP_END,
};
