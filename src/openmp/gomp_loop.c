/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops whose chunks GCC's runtime hands out: a region of the loop, in it one of each chunk, with its bounds; what lies between chunks is the
 * handing out. Compilers call nothing for a plain static schedule. The same for loops over unsigned numbers, in the second half.
 */
#include "gomp_priv.h"

static inline struct openmp_frame *frame(void)
{
	return openmp_me()->frame;
}

static inline void chunk(struct openmp_frame *f, long first, long end)
{
	uint64_t way = f->step < 0 ? (uint64_t)first - (uint64_t)end : (uint64_t)end - (uint64_t)first;
	openmp_chunk_begin(f, first, openmp_steps(way, f->step));
}

static struct openmp_frame *loop_begin(enum openmp_region loop, const long *range, long size)
{
	struct openmp_frame *f = frame();
	uint64_t way = range[2] < 0 ? (uint64_t)range[0] - (uint64_t)range[1] : (uint64_t)range[1] - (uint64_t)range[0];
	bool any = range[2] < 0 ? range[0] > range[1] : range[0] < range[1];
	openmp_loop_begin(f, loop, any ? openmp_steps(way, range[2]) : 0, (uint64_t)size);
	f->step = range[2];
	return f;
}

/* As numbers of schedules stand in the runtime's interface; bits above say whether chunks come in order. */
static enum openmp_region scheduled(long schedule)
{
	static const uint16_t regions[] = {OPENMP_LOOP_RUNTIME, OPENMP_LOOP_STATIC, OPENMP_LOOP_DYNAMIC, OPENMP_LOOP_GUIDED,
	                                   OPENMP_LOOP_AUTO};
	unsigned k = (unsigned)schedule & 0xff;
	return k < sizeof regions / sizeof *regions ? (enum openmp_region)regions[k] : OPENMP_LOOP_RUNTIME;
}

#define START(name, loop) \
	static _Bool wrap_GOMP_loop_##name##_start(long start, long end, long step, long size, long *from, long *to) \
	{ \
		struct openmp_frame *f = loop_begin(OPENMP_LOOP_##loop, (const long[]){start, end, step}, size); \
		_Bool any = GOMP_REAL(GOMP_loop_##name##_start, \
		                      _Bool(*)(long, long, long, long, long *, long *))(start, end, step, size, from, to); \
		if (any) \
			chunk(f, *from, *to); \
		return any; \
	}
#define START_RUNTIME(name) \
	static _Bool wrap_GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to) \
	{ \
		struct openmp_frame *f = loop_begin(OPENMP_LOOP_RUNTIME, (const long[]){start, end, step}, 0); \
		_Bool any = GOMP_REAL(GOMP_loop_##name##_start, _Bool(*)(long, long, long, long *, long *))(start, end, step, \
		                                                                                            from, to); \
		if (any) \
			chunk(f, *from, *to); \
		return any; \
	}
#define NEXT(name) \
	static _Bool wrap_GOMP_loop_##name##_next(long *from, long *to) \
	{ \
		struct openmp_frame *f = frame(); \
		openmp_chunk_end(f); \
		_Bool any = GOMP_REAL(GOMP_loop_##name##_next, _Bool(*)(long *, long *))(from, to); \
		if (any) \
			chunk(f, *from, *to); \
		return any; \
	}
#define ANY_START(name) \
	static _Bool wrap_GOMP_loop_##name(long start, long end, long step, long schedule, long size, long *from, long *to, \
	                                   uintptr_t *reductions, void **room) \
	{ \
		struct openmp_frame *f = loop_begin(scheduled(schedule), (const long[]){start, end, step}, size); \
		_Bool any = GOMP_REAL(GOMP_loop_##name, _Bool(*)(long, long, long, long, long, long *, long *, uintptr_t *, \
		                                                 void **))(start, end, step, schedule, size, from, to, \
		                                                           reductions, room); \
		if (any && from) \
			chunk(f, *from, *to); \
		return any; \
	}
/* Iterations of nested loops wait for each other: numbers of the outermost one are handed out, from 0. */
#define DOACROSS(name, loop) \
	static _Bool wrap_GOMP_loop_doacross_##name##_start(unsigned n, long *counts, long size, long *from, long *to) \
	{ \
		struct openmp_frame *f = loop_begin(OPENMP_LOOP_##loop, (const long[]){0, counts[0], 1}, size); \
		f->dimensions = (uint16_t)n; \
		_Bool any = GOMP_REAL(GOMP_loop_doacross_##name##_start, \
		                      _Bool(*)(unsigned, long *, long, long *, long *))(n, counts, size, from, to); \
		if (any) \
			chunk(f, *from, *to); \
		return any; \
	}

START(static, STATIC)
START(dynamic, DYNAMIC)
START(guided, GUIDED)
START(nonmonotonic_dynamic, DYNAMIC)
START(nonmonotonic_guided, GUIDED)
START(ordered_static, STATIC)
START(ordered_dynamic, DYNAMIC)
START(ordered_guided, GUIDED)
START_RUNTIME(runtime)
START_RUNTIME(ordered_runtime)
START_RUNTIME(nonmonotonic_runtime)
START_RUNTIME(maybe_nonmonotonic_runtime)
NEXT(static)
NEXT(dynamic)
NEXT(guided)
NEXT(runtime)
NEXT(nonmonotonic_dynamic)
NEXT(nonmonotonic_guided)
NEXT(nonmonotonic_runtime)
NEXT(maybe_nonmonotonic_runtime)
NEXT(ordered_static)
NEXT(ordered_dynamic)
NEXT(ordered_guided)
NEXT(ordered_runtime)
ANY_START(start)
ANY_START(ordered_start)
DOACROSS(static, STATIC)
DOACROSS(dynamic, DYNAMIC)
DOACROSS(guided, GUIDED)

static _Bool wrap_GOMP_loop_doacross_runtime_start(unsigned n, long *counts, long *from, long *to)
{
	struct openmp_frame *f = loop_begin(OPENMP_LOOP_RUNTIME, (const long[]){0, counts[0], 1}, 0);
	f->dimensions = (uint16_t)n;
	_Bool any = GOMP_REAL(GOMP_loop_doacross_runtime_start, _Bool(*)(unsigned, long *, long *, long *))(n, counts, from, to);
	if (any)
		chunk(f, *from, *to);
	return any;
}

static _Bool wrap_GOMP_loop_doacross_start(unsigned n, long *counts, long schedule, long size, long *from, long *to,
                                           uintptr_t *reductions, void **room)
{
	struct openmp_frame *f = loop_begin(scheduled(schedule), (const long[]){0, counts[0], 1}, size);
	f->dimensions = (uint16_t)n;
	_Bool any = GOMP_REAL(GOMP_loop_doacross_start, _Bool(*)(unsigned, long *, long, long, long *, long *, uintptr_t *,
	                                                         void **))(n, counts, schedule, size, from, to, reductions, room);
	if (any && from)
		chunk(f, *from, *to);
	return any;
}

static void wrap_GOMP_loop_end(void)
{
	openmp_close(frame());
	openmp_enter(OPENMP_BARRIER);
	GOMP_REAL(GOMP_loop_end, void (*)(void))();
	openmp_leave(OPENMP_BARRIER);
}

static _Bool wrap_GOMP_loop_end_cancel(void)
{
	openmp_close(frame());
	openmp_enter(OPENMP_BARRIER);
	_Bool cancelled = GOMP_REAL(GOMP_loop_end_cancel, _Bool(*)(void))();
	openmp_leave(OPENMP_BARRIER);
	return cancelled;
}

static void wrap_GOMP_loop_end_nowait(void)
{
	openmp_close(frame());
	GOMP_REAL(GOMP_loop_end_nowait, void (*)(void))();
}

const struct gomp_wrap gomp_loops[] = {
	GOMP_WRAP(GOMP_loop_static_start),
	GOMP_WRAP(GOMP_loop_dynamic_start),
	GOMP_WRAP(GOMP_loop_guided_start),
	GOMP_WRAP(GOMP_loop_runtime_start),
	GOMP_WRAP(GOMP_loop_nonmonotonic_dynamic_start),
	GOMP_WRAP(GOMP_loop_nonmonotonic_guided_start),
	GOMP_WRAP(GOMP_loop_nonmonotonic_runtime_start),
	GOMP_WRAP(GOMP_loop_maybe_nonmonotonic_runtime_start),
	GOMP_WRAP(GOMP_loop_ordered_static_start),
	GOMP_WRAP(GOMP_loop_ordered_dynamic_start),
	GOMP_WRAP(GOMP_loop_ordered_guided_start),
	GOMP_WRAP(GOMP_loop_ordered_runtime_start),
	GOMP_WRAP(GOMP_loop_start),
	GOMP_WRAP(GOMP_loop_ordered_start),
	GOMP_WRAP(GOMP_loop_doacross_static_start),
	GOMP_WRAP(GOMP_loop_doacross_dynamic_start),
	GOMP_WRAP(GOMP_loop_doacross_guided_start),
	GOMP_WRAP(GOMP_loop_doacross_runtime_start),
	GOMP_WRAP(GOMP_loop_doacross_start),
	GOMP_WRAP(GOMP_loop_static_next),
	GOMP_WRAP(GOMP_loop_dynamic_next),
	GOMP_WRAP(GOMP_loop_guided_next),
	GOMP_WRAP(GOMP_loop_runtime_next),
	GOMP_WRAP(GOMP_loop_nonmonotonic_dynamic_next),
	GOMP_WRAP(GOMP_loop_nonmonotonic_guided_next),
	GOMP_WRAP(GOMP_loop_nonmonotonic_runtime_next),
	GOMP_WRAP(GOMP_loop_maybe_nonmonotonic_runtime_next),
	GOMP_WRAP(GOMP_loop_ordered_static_next),
	GOMP_WRAP(GOMP_loop_ordered_dynamic_next),
	GOMP_WRAP(GOMP_loop_ordered_guided_next),
	GOMP_WRAP(GOMP_loop_ordered_runtime_next),
	GOMP_WRAP(GOMP_loop_end),
	GOMP_WRAP(GOMP_loop_end_cancel),
	GOMP_WRAP(GOMP_loop_end_nowait),
	GOMP_END,
};

/* ---- over unsigned numbers ---- */

typedef unsigned long long ull;

/* A step down is a negative one, as an unsigned number. */
static inline void ull_chunk(struct openmp_frame *f, ull first, ull end)
{
	openmp_chunk_begin(f, (int64_t)first, openmp_steps(f->step < 0 ? first - end : end - first, f->step));
}

static struct openmp_frame *ull_begin(enum openmp_region loop, _Bool up, const ull *range, ull size)
{
	struct openmp_frame *f = frame();
	bool any = up ? range[0] < range[1] : range[0] > range[1];
	openmp_loop_begin(f, loop, any ? openmp_steps(up ? range[1] - range[0] : range[0] - range[1], (int64_t)range[2]) : 0,
	                  size);
	f->step = (int64_t)range[2];
	return f;
}

#define ULL_START(name, loop) \
	static _Bool wrap_GOMP_loop_ull_##name##_start(_Bool up, ull start, ull end, ull step, ull size, ull *from, ull *to) \
	{ \
		struct openmp_frame *f = ull_begin(OPENMP_LOOP_##loop, up, (const ull[]){start, end, step}, size); \
		_Bool any = GOMP_REAL(GOMP_loop_ull_##name##_start, \
		                      _Bool(*)(_Bool, ull, ull, ull, ull, ull *, ull *))(up, start, end, step, size, from, to); \
		if (any) \
			ull_chunk(f, *from, *to); \
		return any; \
	}
#define ULL_START_RUNTIME(name) \
	static _Bool wrap_GOMP_loop_ull_##name##_start(_Bool up, ull start, ull end, ull step, ull *from, ull *to) \
	{ \
		struct openmp_frame *f = ull_begin(OPENMP_LOOP_RUNTIME, up, (const ull[]){start, end, step}, 0); \
		_Bool any = GOMP_REAL(GOMP_loop_ull_##name##_start, \
		                      _Bool(*)(_Bool, ull, ull, ull, ull *, ull *))(up, start, end, step, from, to); \
		if (any) \
			ull_chunk(f, *from, *to); \
		return any; \
	}
#define ULL_NEXT(name) \
	static _Bool wrap_GOMP_loop_ull_##name##_next(ull *from, ull *to) \
	{ \
		struct openmp_frame *f = frame(); \
		openmp_chunk_end(f); \
		_Bool any = GOMP_REAL(GOMP_loop_ull_##name##_next, _Bool(*)(ull *, ull *))(from, to); \
		if (any) \
			ull_chunk(f, *from, *to); \
		return any; \
	}
#define ULL_ANY_START(name) \
	static _Bool wrap_GOMP_loop_ull_##name(_Bool up, ull start, ull end, ull step, long schedule, ull size, ull *from, \
	                                       ull *to, uintptr_t *reductions, void **room) \
	{ \
		struct openmp_frame *f = ull_begin(scheduled(schedule), up, (const ull[]){start, end, step}, size); \
		_Bool any = GOMP_REAL(GOMP_loop_ull_##name, _Bool(*)(_Bool, ull, ull, ull, long, ull, ull *, ull *, uintptr_t *, \
		                                                     void **))(up, start, end, step, schedule, size, from, to, \
		                                                               reductions, room); \
		if (any && from) \
			ull_chunk(f, *from, *to); \
		return any; \
	}
#define ULL_DOACROSS(name, loop) \
	static _Bool wrap_GOMP_loop_ull_doacross_##name##_start(unsigned n, ull *counts, ull size, ull *from, ull *to) \
	{ \
		struct openmp_frame *f = ull_begin(OPENMP_LOOP_##loop, 1, (const ull[]){0, counts[0], 1}, size); \
		f->dimensions = (uint16_t)n; \
		_Bool any = GOMP_REAL(GOMP_loop_ull_doacross_##name##_start, \
		                      _Bool(*)(unsigned, ull *, ull, ull *, ull *))(n, counts, size, from, to); \
		if (any) \
			ull_chunk(f, *from, *to); \
		return any; \
	}

ULL_START(static, STATIC)
ULL_START(dynamic, DYNAMIC)
ULL_START(guided, GUIDED)
ULL_START(nonmonotonic_dynamic, DYNAMIC)
ULL_START(nonmonotonic_guided, GUIDED)
ULL_START(ordered_static, STATIC)
ULL_START(ordered_dynamic, DYNAMIC)
ULL_START(ordered_guided, GUIDED)
ULL_START_RUNTIME(runtime)
ULL_START_RUNTIME(ordered_runtime)
ULL_START_RUNTIME(nonmonotonic_runtime)
ULL_START_RUNTIME(maybe_nonmonotonic_runtime)
ULL_NEXT(static)
ULL_NEXT(dynamic)
ULL_NEXT(guided)
ULL_NEXT(runtime)
ULL_NEXT(nonmonotonic_dynamic)
ULL_NEXT(nonmonotonic_guided)
ULL_NEXT(nonmonotonic_runtime)
ULL_NEXT(maybe_nonmonotonic_runtime)
ULL_NEXT(ordered_static)
ULL_NEXT(ordered_dynamic)
ULL_NEXT(ordered_guided)
ULL_NEXT(ordered_runtime)
ULL_ANY_START(start)
ULL_ANY_START(ordered_start)
ULL_DOACROSS(static, STATIC)
ULL_DOACROSS(dynamic, DYNAMIC)
ULL_DOACROSS(guided, GUIDED)

static _Bool wrap_GOMP_loop_ull_doacross_runtime_start(unsigned n, ull *counts, ull *from, ull *to)
{
	struct openmp_frame *f = ull_begin(OPENMP_LOOP_RUNTIME, 1, (const ull[]){0, counts[0], 1}, 0);
	f->dimensions = (uint16_t)n;
	_Bool any = GOMP_REAL(GOMP_loop_ull_doacross_runtime_start, _Bool(*)(unsigned, ull *, ull *, ull *))(n, counts, from, to);
	if (any)
		ull_chunk(f, *from, *to);
	return any;
}

static _Bool wrap_GOMP_loop_ull_doacross_start(unsigned n, ull *counts, long schedule, ull size, ull *from, ull *to,
                                               uintptr_t *reductions, void **room)
{
	struct openmp_frame *f = ull_begin(scheduled(schedule), 1, (const ull[]){0, counts[0], 1}, size);
	f->dimensions = (uint16_t)n;
	_Bool any = GOMP_REAL(GOMP_loop_ull_doacross_start, _Bool(*)(unsigned, ull *, long, ull, ull *, ull *, uintptr_t *,
	                                                             void **))(n, counts, schedule, size, from, to, reductions,
	                                                                       room);
	if (any && from)
		ull_chunk(f, *from, *to);
	return any;
}

const struct gomp_wrap gomp_ull_loops[] = {
	GOMP_WRAP(GOMP_loop_ull_static_start),
	GOMP_WRAP(GOMP_loop_ull_dynamic_start),
	GOMP_WRAP(GOMP_loop_ull_guided_start),
	GOMP_WRAP(GOMP_loop_ull_runtime_start),
	GOMP_WRAP(GOMP_loop_ull_nonmonotonic_dynamic_start),
	GOMP_WRAP(GOMP_loop_ull_nonmonotonic_guided_start),
	GOMP_WRAP(GOMP_loop_ull_nonmonotonic_runtime_start),
	GOMP_WRAP(GOMP_loop_ull_maybe_nonmonotonic_runtime_start),
	GOMP_WRAP(GOMP_loop_ull_ordered_static_start),
	GOMP_WRAP(GOMP_loop_ull_ordered_dynamic_start),
	GOMP_WRAP(GOMP_loop_ull_ordered_guided_start),
	GOMP_WRAP(GOMP_loop_ull_ordered_runtime_start),
	GOMP_WRAP(GOMP_loop_ull_start),
	GOMP_WRAP(GOMP_loop_ull_ordered_start),
	GOMP_WRAP(GOMP_loop_ull_doacross_static_start),
	GOMP_WRAP(GOMP_loop_ull_doacross_dynamic_start),
	GOMP_WRAP(GOMP_loop_ull_doacross_guided_start),
	GOMP_WRAP(GOMP_loop_ull_doacross_runtime_start),
	GOMP_WRAP(GOMP_loop_ull_doacross_start),
	GOMP_WRAP(GOMP_loop_ull_static_next),
	GOMP_WRAP(GOMP_loop_ull_dynamic_next),
	GOMP_WRAP(GOMP_loop_ull_guided_next),
	GOMP_WRAP(GOMP_loop_ull_runtime_next),
	GOMP_WRAP(GOMP_loop_ull_nonmonotonic_dynamic_next),
	GOMP_WRAP(GOMP_loop_ull_nonmonotonic_guided_next),
	GOMP_WRAP(GOMP_loop_ull_nonmonotonic_runtime_next),
	GOMP_WRAP(GOMP_loop_ull_maybe_nonmonotonic_runtime_next),
	GOMP_WRAP(GOMP_loop_ull_ordered_static_next),
	GOMP_WRAP(GOMP_loop_ull_ordered_dynamic_next),
	GOMP_WRAP(GOMP_loop_ull_ordered_guided_next),
	GOMP_WRAP(GOMP_loop_ull_ordered_runtime_next),
	GOMP_END,
};
