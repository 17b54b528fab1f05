/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections, single, barriers, critical sections, ordered, task waits, cancellation, target: functions of GCC's runtime that are regions around
 * themselves, or begin and end one.
 */
#include "gomp_priv.h"

static inline struct openmp_frame *frame(void)
{
	return openmp_me()->frame;
}

typedef void none(void);
typedef _Bool truth(void);

/* ---- sections, single ---- */

static unsigned wrap_GOMP_sections_start(unsigned n)
{
	struct openmp_frame *f = frame();
	openmp_sections_begin(f, n);
	unsigned section = GOMP_REAL(GOMP_sections_start, unsigned (*)(unsigned))(n);
	openmp_section(f, section);
	return section;
}

static unsigned wrap_GOMP_sections2_start(unsigned n, uintptr_t *reductions, void **room)
{
	struct openmp_frame *f = frame();
	openmp_sections_begin(f, n);
	unsigned section = GOMP_REAL(GOMP_sections2_start, unsigned (*)(unsigned, uintptr_t *, void **))(n, reductions, room);
	openmp_section(f, section);
	return section;
}

static unsigned wrap_GOMP_sections_next(void)
{
	struct openmp_frame *f = frame();
	openmp_section(f, 0);
	unsigned section = GOMP_REAL(GOMP_sections_next, unsigned (*)(void))();
	openmp_section(f, section);
	return section;
}

static _Bool wrap_GOMP_single_start(void)
{
	openmp_close(frame());
	_Bool mine = GOMP_REAL(GOMP_single_start, truth *)();
	if (mine)
		openmp_single_begin(frame());
	return mine;
}

static void *wrap_GOMP_single_copy_start(void)
{
	openmp_close(frame());
	openmp_enter(OPENMP_BARRIER);
	void *data = GOMP_REAL(GOMP_single_copy_start, void *(*)(void))();
	openmp_leave(OPENMP_BARRIER);
	if (!data)
		openmp_single_begin(frame());
	return data;
}

static void wrap_GOMP_single_copy_end(void *data)
{
	openmp_close(frame());
	openmp_enter(OPENMP_BARRIER);
	GOMP_REAL(GOMP_single_copy_end, void (*)(void *))(data);
	openmp_leave(OPENMP_BARRIER);
}

static void wrap_GOMP_scope_start(uintptr_t *reductions)
{
	openmp_close(frame());
	openmp_enter(OPENMP_SCOPE);
	GOMP_REAL(GOMP_scope_start, void (*)(uintptr_t *))(reductions);
	openmp_leave(OPENMP_SCOPE);
}

/* ---- what waits for all ---- */

#define WAITS(name, region) \
	static void wrap_##name(void) \
	{ \
		openmp_close(frame()); \
		openmp_enter(OPENMP_##region); \
		GOMP_REAL(name, none *)(); \
		openmp_leave(OPENMP_##region); \
	}
#define WAITS_OR_NOT(name, region) \
	static _Bool wrap_##name(void) \
	{ \
		openmp_close(frame()); \
		openmp_enter(OPENMP_##region); \
		_Bool cancelled = GOMP_REAL(name, truth *)(); \
		openmp_leave(OPENMP_##region); \
		return cancelled; \
	}
WAITS(GOMP_barrier, BARRIER)
WAITS_OR_NOT(GOMP_barrier_cancel, BARRIER)
WAITS(GOMP_sections_end, BARRIER)
WAITS_OR_NOT(GOMP_sections_end_cancel, BARRIER)

static void wrap_GOMP_sections_end_nowait(void)
{
	openmp_close(frame());
	GOMP_REAL(GOMP_sections_end_nowait, none *)();
}

static void wrap_GOMP_workshare_task_reduction_unregister(_Bool cancelled)
{
	openmp_close(frame());
	openmp_enter(OPENMP_BARRIER);
	GOMP_REAL(GOMP_workshare_task_reduction_unregister, void (*)(_Bool))(cancelled);
	openmp_leave(OPENMP_BARRIER);
}

/* ---- one thread at a time ---- */

/* A critical section without a name has the address of nothing. */
static const char unnamed;

static void wrap_GOMP_critical_start(void)
{
	const struct openmp_lock *l = openmp_lock_of(&unnamed, &unnamed);
	openmp_in(l->wait);
	GOMP_REAL(GOMP_critical_start, none *)();
	openmp_leave_enter(l->wait, l->hold);
}

static void wrap_GOMP_critical_end(void)
{
	openmp_out(openmp_lock_of(&unnamed, &unnamed)->hold);
	GOMP_REAL(GOMP_critical_end, none *)();
}

static void wrap_GOMP_critical_name_start(void **name)
{
	const struct openmp_lock *l = openmp_lock_of((void *)name, (void *)name);
	openmp_in(l->wait);
	GOMP_REAL(GOMP_critical_name_start, void (*)(void **))(name);
	openmp_leave_enter(l->wait, l->hold);
}

static void wrap_GOMP_critical_name_end(void **name)
{
	openmp_out(openmp_lock_of((void *)name, (void *)name)->hold);
	GOMP_REAL(GOMP_critical_name_end, void (*)(void **))(name);
}

#define BEGINS(name, id) \
	static void wrap_##name(void) \
	{ \
		openmp_enter(OPENMP_##id##_WAIT); \
		GOMP_REAL(name, none *)(); \
		openmp_leave_enter(openmp.region[OPENMP_##id##_WAIT], openmp.region[OPENMP_##id]); \
	}
#define ENDS(name, id) \
	static void wrap_##name(void) \
	{ \
		openmp_leave(OPENMP_##id); \
		GOMP_REAL(name, none *)(); \
	}
BEGINS(GOMP_atomic_start, ATOMIC)
ENDS(GOMP_atomic_end, ATOMIC)
BEGINS(GOMP_ordered_start, ORDERED)
ENDS(GOMP_ordered_end, ORDERED)

#define POSTS(name, type) \
	static void wrap_##name(type *counts) \
	{ \
		openmp_enter(OPENMP_DOACROSS_POST); \
		GOMP_REAL(name, void (*)(type *))(counts); \
		openmp_leave(OPENMP_DOACROSS_POST); \
	}
POSTS(GOMP_doacross_post, long)
POSTS(GOMP_doacross_ull_post, unsigned long long)

/*
 * One number for each of the nested loops, as many as the program wrote: more are taken and passed on, of which the last are whatever stands
 * behind them on the stack. Nobody nests twenty loops.
 */
#define TAKE(type) \
	type a, type b, type c, type d, type e, type f, type g, type h, type i, type j, type k, type l, type m, type n, type o, \
		type p
#define PASS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
#define WAITS_FOR(name, type) \
	static void wrap_##name(TAKE(type)) \
	{ \
		openmp_enter(OPENMP_DOACROSS_WAIT); \
		GOMP_REAL(name, void (*)(type, ...))(PASS); \
		openmp_leave(OPENMP_DOACROSS_WAIT); \
	}
WAITS_FOR(GOMP_doacross_wait, long)
WAITS_FOR(GOMP_doacross_ull_wait, unsigned long long)

/* ---- waiting for tasks ---- */

#define AROUND(name, region) \
	static void wrap_##name(void) \
	{ \
		openmp_enter(OPENMP_##region); \
		GOMP_REAL(name, none *)(); \
		openmp_leave(OPENMP_##region); \
	}
AROUND(GOMP_taskwait, TASKWAIT)
AROUND(GOMP_taskyield, TASKYIELD)

static void wrap_GOMP_taskwait_depend(void **depend)
{
	openmp_enter(OPENMP_TASKWAIT);
	GOMP_REAL(GOMP_taskwait_depend, void (*)(void **))(depend);
	openmp_leave(OPENMP_TASKWAIT);
}

static void wrap_GOMP_taskgroup_start(void)
{
	GOMP_REAL(GOMP_taskgroup_start, none *)();
	openmp_enter(OPENMP_TASKGROUP);
}

static void wrap_GOMP_taskgroup_end(void)
{
	openmp_enter(OPENMP_TASKGROUP_WAIT);
	GOMP_REAL(GOMP_taskgroup_end, none *)();
	openmp_two(OPENMP_LEAVE(openmp.region[OPENMP_TASKGROUP_WAIT]), OPENMP_LEAVE(openmp.region[OPENMP_TASKGROUP]));
}

#define REDUCES(name) \
	static void wrap_##name(uintptr_t *data) \
	{ \
		openmp_enter(OPENMP_REDUCTION); \
		GOMP_REAL(name, void (*)(uintptr_t *))(data); \
		openmp_leave(OPENMP_REDUCTION); \
	}
REDUCES(GOMP_taskgroup_reduction_register)
REDUCES(GOMP_taskgroup_reduction_unregister)

/* ---- cancellation ---- */

static _Bool wrap_GOMP_cancel(int which, _Bool really)
{
	_Bool cancelled = GOMP_REAL(GOMP_cancel, _Bool(*)(int, _Bool))(which, really);
	if (cancelled && really)
		weft_point(openmp.cancel, which);
	return cancelled;
}

/* ---- other devices ---- */

#define MOVES(name, region, take, types, pass) \
	static void wrap_##name take \
	{ \
		openmp_enter(OPENMP_##region); \
		GOMP_REAL(name, void(*) types) pass; \
		openmp_leave(OPENMP_##region); \
	}
MOVES(GOMP_target_data, TARGET_DATA, (int device, const void *unused, size_t n, void **at, size_t *bytes, unsigned char *kinds),
      (int, const void *, size_t, void **, size_t *, unsigned char *), (device, unused, n, at, bytes, kinds))
MOVES(GOMP_target_data_ext, TARGET_DATA, (int device, size_t n, void **at, size_t *bytes, unsigned short *kinds),
      (int, size_t, void **, size_t *, unsigned short *), (device, n, at, bytes, kinds))
MOVES(GOMP_target_end_data, TARGET_DATA, (void), (void), ())
MOVES(GOMP_target_enter_exit_data, TARGET_DATA,
      (int device, size_t n, void **at, size_t *bytes, unsigned short *kinds, unsigned flags, void **depend),
      (int, size_t, void **, size_t *, unsigned short *, unsigned, void **), (device, n, at, bytes, kinds, flags, depend))
MOVES(GOMP_target_update, TARGET_UPDATE,
      (int device, const void *unused, size_t n, void **at, size_t *bytes, unsigned char *kinds),
      (int, const void *, size_t, void **, size_t *, unsigned char *), (device, unused, n, at, bytes, kinds))
MOVES(GOMP_target_update_ext, TARGET_UPDATE,
      (int device, size_t n, void **at, size_t *bytes, unsigned short *kinds, unsigned flags, void **depend),
      (int, size_t, void **, size_t *, unsigned short *, unsigned, void **), (device, n, at, bytes, kinds, flags, depend))

static weft_region target_of(gomp_function *fn)
{
	return openmp_codes[OPENMP_TARGET][openmp_code_of(OPENMP_TARGET, (const void *)fn)].body;
}

static void wrap_GOMP_target(int device, gomp_function *fn, const void *unused, size_t n, void **at, size_t *bytes,
                             unsigned char *kinds)
{
	weft_region r = target_of(fn);
	openmp_in(r);
	GOMP_REAL(GOMP_target, void (*)(int, gomp_function *, const void *, size_t, void **, size_t *, unsigned char *))
	(device, fn, unused, n, at, bytes, kinds);
	openmp_out(r);
}

static void wrap_GOMP_target_ext(int device, gomp_function *fn, size_t n, void **at, size_t *bytes, unsigned short *kinds,
                                 unsigned flags, void **depend, void **args)
{
	weft_region r = target_of(fn);
	openmp_in(r);
	GOMP_REAL(GOMP_target_ext,
	          void (*)(int, gomp_function *, size_t, void **, size_t *, unsigned short *, unsigned, void **, void **))
	(device, fn, n, at, bytes, kinds, flags, depend, args);
	openmp_out(r);
}

const struct gomp_wrap gomp_sync[] = {
	GOMP_WRAP(GOMP_atomic_end),
	GOMP_WRAP(GOMP_atomic_start),
	GOMP_WRAP(GOMP_barrier),
	GOMP_WRAP(GOMP_barrier_cancel),
	GOMP_WRAP(GOMP_cancel),
	GOMP_WRAP(GOMP_critical_end),
	GOMP_WRAP(GOMP_critical_name_end),
	GOMP_WRAP(GOMP_critical_name_start),
	GOMP_WRAP(GOMP_critical_start),
	GOMP_WRAP(GOMP_doacross_post),
	GOMP_WRAP(GOMP_doacross_ull_post),
	GOMP_WRAP(GOMP_doacross_ull_wait),
	GOMP_WRAP(GOMP_doacross_wait),
	GOMP_WRAP(GOMP_ordered_end),
	GOMP_WRAP(GOMP_ordered_start),
	GOMP_WRAP(GOMP_scope_start),
	GOMP_WRAP(GOMP_sections2_start),
	GOMP_WRAP(GOMP_sections_end),
	GOMP_WRAP(GOMP_sections_end_cancel),
	GOMP_WRAP(GOMP_sections_end_nowait),
	GOMP_WRAP(GOMP_sections_next),
	GOMP_WRAP(GOMP_sections_start),
	GOMP_WRAP(GOMP_single_copy_end),
	GOMP_WRAP(GOMP_single_copy_start),
	GOMP_WRAP(GOMP_single_start),
	GOMP_WRAP(GOMP_target),
	GOMP_WRAP(GOMP_target_data),
	GOMP_WRAP(GOMP_target_data_ext),
	GOMP_WRAP(GOMP_target_end_data),
	GOMP_WRAP(GOMP_target_enter_exit_data),
	GOMP_WRAP(GOMP_target_ext),
	GOMP_WRAP(GOMP_target_update),
	GOMP_WRAP(GOMP_target_update_ext),
	GOMP_WRAP(GOMP_taskgroup_end),
	GOMP_WRAP(GOMP_taskgroup_reduction_register),
	GOMP_WRAP(GOMP_taskgroup_reduction_unregister),
	GOMP_WRAP(GOMP_taskgroup_start),
	GOMP_WRAP(GOMP_taskwait),
	GOMP_WRAP(GOMP_taskwait_depend),
	GOMP_WRAP(GOMP_taskyield),
	GOMP_WRAP(GOMP_workshare_task_reduction_unregister),
	GOMP_END,
};
