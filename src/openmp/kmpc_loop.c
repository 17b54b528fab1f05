/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LLVM's runtime does not tell tools: schedules and chunks of loops, names of critical sections, places of taskloops. Its entry points, called by compiled
 * programs: that a loop begins and ends is told from inside of them (ompt_work.c), and where nothing is told, nothing is recorded here.
 */
#include "ompt_priv.h"
#include <errno.h>

__attribute__((visibility("default"))) link_calls_begin weft_kmpc_begin;
static void *const *real;
#define KMPC_REAL(name, type) ((type)real[LINK_##name])

/* Numbers of schedules in the runtime's interface. */
enum { KMP_STATIC = 34, KMP_ORDERED_LOWER = 64, KMP_NOT_MERGED_LOWER = 160, KMP_MODIFIERS = 3 << 29 };

static int plain_schedule(int schedule)
{
	schedule &= ~KMP_MODIFIERS;
	if (schedule >= KMP_NOT_MERGED_LOWER)
		schedule -= 128;
	return schedule > KMP_ORDERED_LOWER ? schedule - 32 : schedule;
}

static enum openmp_region scheduled(int schedule)
{
	static const uint16_t regions[] = {OPENMP_LOOP_STATIC,  OPENMP_LOOP_STATIC, OPENMP_LOOP_DYNAMIC, OPENMP_LOOP_GUIDED,
	                                   OPENMP_LOOP_RUNTIME, OPENMP_LOOP_AUTO,   OPENMP_LOOP_GUIDED,  OPENMP_LOOP_STATIC,
	                                   OPENMP_LOOP_STATIC,  OPENMP_LOOP_GUIDED, OPENMP_LOOP_GUIDED};
	unsigned k = (unsigned)plain_schedule(schedule) - 33;
	return k < sizeof regions / sizeof *regions ? (enum openmp_region)regions[k] : OPENMP_LOOP;
}

static struct openmp_thread *loop_begin(enum openmp_region r, uint64_t chunk)
{
	struct openmp_thread *me = openmp_me();
	me->schedule = (uint16_t)r;
	me->chunk = chunk;
	return me;
}

static void loop_begun(struct openmp_thread *me, int64_t step)
{
	me->frame->step = step;
	me->schedule = OPENMP_LOOP;
	me->chunk = 0;
}

/* A plain static schedule is a chunk for each thread; sections are shared out so, too, and which of them runs nobody tells. */
static void static_share(struct openmp_frame *f, int64_t first, uint64_t iterations)
{
	if (f->open != OPENMP_OPEN_LOOP)
		return;
	if (f->loop == OPENMP_LOOP_STATIC)
		openmp_chunk_begin(f, first, iterations);
	else if (f->loop == OPENMP_SECTIONS)
		weft_attr_int(openmp.done, (int64_t)iterations);
}

#define LOOP(size, type, signed_type) \
	static void wrap___kmpc_dispatch_init_##size(void *place, int32_t thread, int schedule, type first, type last, \
	                                             signed_type step, signed_type chunk) \
	{ \
		typedef void call(void *, int32_t, int, type, type, signed_type, signed_type); \
		struct openmp_thread *me = loop_begin(scheduled(schedule), (uint64_t)chunk); \
		KMPC_REAL(__kmpc_dispatch_init_##size, call *)(place, thread, schedule, first, last, step, chunk); \
		loop_begun(me, step); \
	} \
	static int wrap___kmpc_dispatch_next_##size(void *place, int32_t thread, int32_t *is_last, type *first, type *last, \
	                                            signed_type *step) \
	{ \
		typedef int call(void *, int32_t, int32_t *, type *, type *, signed_type *); \
		struct openmp_frame *f = openmp_me()->frame; \
		openmp_chunk_end(f); \
		int any = KMPC_REAL(__kmpc_dispatch_next_##size, call *)(place, thread, is_last, first, last, step); \
		if (any && f->open & OPENMP_OPEN_LOOP) \
			openmp_chunk_begin(f, (int64_t)*first, iterations_##size(*first, *last, f->step)); \
		return any; \
	} \
	static void wrap___kmpc_for_static_init_##size(void *place, int32_t thread, int schedule, int32_t *is_last, type *first, \
	                                               type *last, signed_type *stride, signed_type step, signed_type chunk) \
	{ \
		typedef void call(void *, int32_t, int, int32_t *, type *, type *, signed_type *, signed_type, signed_type); \
		bool is_one = plain_schedule(schedule) == KMP_STATIC; \
		struct openmp_thread *me = loop_begin(OPENMP_LOOP_STATIC, is_one ? 0 : (uint64_t)chunk); \
		KMPC_REAL(__kmpc_for_static_init_##size, call *) \
		(place, thread, schedule, is_last, first, last, stride, step, chunk); \
		loop_begun(me, step); \
		if (is_one && (step < 0 ? *first >= *last : *first <= *last)) \
			static_share(me->frame, (int64_t)*first, iterations_##size(*first, *last, step)); \
	}

/* Bounds are the first and the last iteration. */
#define ITERATIONS(size, type) \
	static inline uint64_t iterations_##size(type first, type last, int64_t step) \
	{ \
		return openmp_steps((step < 0 ? (uint64_t)first - (uint64_t)last : (uint64_t)last - (uint64_t)first) + 1, step); \
	}
ITERATIONS(4, int32_t)
ITERATIONS(4u, uint32_t)
ITERATIONS(8, int64_t)
ITERATIONS(8u, uint64_t)
LOOP(4, int32_t, int32_t)
LOOP(4u, uint32_t, int32_t)
LOOP(8, int64_t, int64_t)
LOOP(8u, uint64_t, int64_t)

static void wrap___kmpc_critical(void *place, int32_t thread, void *name)
{
	openmp_thread.critical = name;
	KMPC_REAL(__kmpc_critical, void (*)(void *, int32_t, void *))(place, thread, name);
	openmp_thread.critical = NULL;
}

static void wrap___kmpc_critical_with_hint(void *place, int32_t thread, void *name, uint32_t hint)
{
	openmp_thread.critical = name;
	KMPC_REAL(__kmpc_critical_with_hint, void (*)(void *, int32_t, void *, uint32_t))(place, thread, name, hint);
	openmp_thread.critical = NULL;
}

static void wrap___kmpc_taskloop(void *place, int thread, void *task, int deferred, uint64_t *first, uint64_t *last, int64_t step,
                                 int no_group, int schedule, uint64_t size, void *copy)
{
	typedef void call(void *, int, void *, int, uint64_t *, uint64_t *, int64_t, int, int, uint64_t, void *);
	openmp_thread.taskloop = __builtin_return_address(0);
	KMPC_REAL(__kmpc_taskloop, call *)(place, thread, task, deferred, first, last, step, no_group, schedule, size, copy);
	openmp_thread.taskloop = NULL;
}

static void wrap___kmpc_taskloop_5(void *place, int thread, void *task, int deferred, uint64_t *first, uint64_t *last,
                                   int64_t step, int no_group, int schedule, uint64_t size, int modifier, void *copy)
{
	typedef void call(void *, int, void *, int, uint64_t *, uint64_t *, int64_t, int, int, uint64_t, int, void *);
	openmp_thread.taskloop = __builtin_return_address(0);
	KMPC_REAL(__kmpc_taskloop_5, call *)
	(place, thread, task, deferred, first, last, step, no_group, schedule, size, modifier, copy);
	openmp_thread.taskloop = NULL;
}

int weft_kmpc_begin(const struct link_calls *with)
{
	static void *const wraps[LINK_KMPC_CALLS] = {
#define KMPC_CALL(name) (void *)wrap_##name,
#include "link/link_kmpc_calls.def"
#undef KMPC_CALL
	};
	if (with->version != LINK_CALLS_VERSION || with->n_calls != LINK_KMPC_CALLS)
		return -EPROTO;
	if (!openmp_begin())
		return 0;
	real = with->real;
	for (unsigned i = 0; i < LINK_KMPC_CALLS; i++)
		if (real[i])
			__atomic_store_n(&with->slot[i], wraps[i], __ATOMIC_RELEASE);
	return 0;
}
