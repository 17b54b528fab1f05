/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's runtime by OpenMP's tool interface: loops and what else is shared out, what one thread does at a time, cancellation. */
#include "gomp_priv.h"
#include "ompt_priv.h"

/* ---- sharing out ---- */

static const uint16_t around[OMPT_WORKS] = {[OMPT_WORK_WORKSHARE] = OPENMP_WORKSHARE,
                                            [OMPT_WORK_DISTRIBUTE] = OPENMP_DISTRIBUTE,
                                            [OMPT_WORK_TASKLOOP] = OPENMP_TASKLOOP,
                                            [OMPT_WORK_SCOPE] = OPENMP_SCOPE};

static void work_begin(struct openmp_thread *me, enum ompt_work kind, uint64_t count)
{
	if (kind == OMPT_WORK_LOOP)
		openmp_loop_begin(me->frame, (enum openmp_region)me->schedule, count, me->chunk);
	else if (kind == OMPT_WORK_SECTIONS)
		openmp_sections_begin(me->frame, (unsigned)count);
	else if (kind == OMPT_WORK_SINGLE)
		openmp_single_begin(me->frame);
}

static void work(enum ompt_work kind, enum ompt_endpoint end, union ompt_data *parallel, union ompt_data *task, uint64_t count,
                 const void *place)
{
	struct openmp_thread *me = openmp_me();
	(void)parallel, (void)task, (void)place;
	if ((unsigned)kind < OMPT_WORKS && around[kind]) {
		if (end == OMPT_BEGIN)
			openmp_enter((enum openmp_region)around[kind]);
		else
			openmp_leave((enum openmp_region)around[kind]);
	} else if (end == OMPT_BEGIN) {
		work_begin(me, kind, count);
	} else if (kind == OMPT_WORK_LOOP || kind == OMPT_WORK_SECTIONS || kind == OMPT_WORK_SINGLE) {
		openmp_close(me->frame);
	}
}

static void masked(enum ompt_endpoint end, union ompt_data *parallel, union ompt_data *task, const void *place)
{
	(void)parallel, (void)task, (void)place;
	if (end == OMPT_BEGIN)
		openmp_enter(OPENMP_MASKED);
	else
		openmp_leave(OPENMP_MASKED);
}

/* ---- one thread at a time ---- */

/* The runtime of LLVM 14 says of a test that it sets: what is asked for is told by the call, in whose place ours stands. */
#define TESTS(name) \
	static int wrap_##name(void *lock) \
	{ \
		openmp_thread.tests = true; \
		int mine = GOMP_REAL(name, int (*)(void *))(lock); \
		openmp_thread.tests = false; \
		return mine; \
	}
TESTS(omp_test_lock)
TESTS(omp_test_lock_)
TESTS(omp_test_nest_lock)
TESTS(omp_test_nest_lock_)

const struct gomp_wrap ompt_tests[] = {
	GOMP_WRAP(omp_test_lock),
	GOMP_WRAP(omp_test_lock_),
	GOMP_WRAP(omp_test_nest_lock),
	GOMP_WRAP(omp_test_nest_lock_),
	GOMP_END,
};

static bool only_tests(enum ompt_mutex kind)
{
	return kind == OMPT_MUTEX_TEST || kind == OMPT_MUTEX_TEST_NEST;
}

static bool is_lock(enum ompt_mutex kind)
{
	return kind <= OMPT_MUTEX_TEST_NEST;
}

static struct openmp_lock lock_of(enum ompt_mutex kind, uint64_t id)
{
	static const char unnamed;
	const void *name = openmp_thread.critical;
	if (kind == OMPT_MUTEX_ORDERED)
		return (struct openmp_lock){.wait = openmp.region[OPENMP_ORDERED_WAIT], .hold = openmp.region[OPENMP_ORDERED]};
	if (kind == OMPT_MUTEX_ATOMIC)
		return (struct openmp_lock){.wait = openmp.region[OPENMP_ATOMIC_WAIT], .hold = openmp.region[OPENMP_ATOMIC]};
	return *openmp_lock_of((const void *)(uintptr_t)id, kind != OMPT_MUTEX_CRITICAL ? NULL : name ? name : &unnamed);
}

static void mutex_acquire(enum ompt_mutex kind, unsigned hint, unsigned how, uint64_t id, const void *place)
{
	struct openmp_thread *me = openmp_me();
	(void)hint, (void)how, (void)place;
	if (me->tests)
		kind = OMPT_MUTEX_TEST;
	me->mutex = (uint16_t)kind;
	if (only_tests(kind))
		me->in_vain++; /* until it is acquired */
	else
		openmp_in(lock_of(kind, id).wait);
}

static void mutex_acquired(enum ompt_mutex kind, uint64_t id, const void *place)
{
	struct openmp_thread *me = openmp_me();
	bool waited = !only_tests((enum ompt_mutex)me->mutex);
	(void)place;
	me->in_vain -= !waited;
	if (is_lock(kind)) {
		openmp_lock_held(openmp_lock_of((const void *)(uintptr_t)id, NULL), waited);
	} else {
		struct openmp_lock l = lock_of(kind, id);
		openmp_leave_enter(l.wait, l.hold);
	}
}

static void mutex_released(enum ompt_mutex kind, uint64_t id, const void *place)
{
	(void)place;
	if (is_lock(kind))
		openmp_lock_released(openmp_lock_of((const void *)(uintptr_t)id, NULL));
	else
		openmp_out(lock_of(kind, id).hold);
}

/* Set once more, or once less, by who holds it. */
static void nest_lock(enum ompt_endpoint end, uint64_t id, const void *place)
{
	struct openmp_thread *me = openmp_me();
	(void)place;
	if (end != OMPT_BEGIN)
		return;
	if (only_tests((enum ompt_mutex)me->mutex))
		me->in_vain--;
	else
		openmp_out(lock_of(OMPT_MUTEX_NEST, id).wait);
}

static void lock_init(enum ompt_mutex kind, unsigned hint, unsigned how, uint64_t id, const void *place)
{
	(void)hint, (void)how, (void)place;
	if (kind == OMPT_MUTEX_LOCK || kind == OMPT_MUTEX_NEST)
		openmp_lock_new((const void *)(uintptr_t)id);
}

/* ---- cancellation ---- */

static void cancel(union ompt_data *task, int flags, const void *place)
{
	static const struct {
		int flag, which; /* which: as compilers number constructs */
	} kinds[] = {{OMPT_CANCEL_PARALLEL, 1}, {OMPT_CANCEL_LOOP, 2}, {OMPT_CANCEL_SECTIONS, 4}, {OMPT_CANCEL_TASKGROUP, 8}};
	(void)task, (void)place;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds && flags & OMPT_CANCEL_ACTIVATED; i++)
		if (flags & kinds[i].flag)
			weft_point(openmp.cancel, kinds[i].which);
}

const struct ompt_callback_row ompt_works[] = {
	OMPT_ROW(WORK, work),
	OMPT_ROW(MASKED, masked),
	OMPT_ROW(MUTEX_ACQUIRE, mutex_acquire),
	OMPT_ROW(MUTEX_ACQUIRED, mutex_acquired),
	OMPT_ROW(MUTEX_RELEASED, mutex_released),
	OMPT_ROW(NEST_LOCK, nest_lock),
	OMPT_ROW(LOCK_INIT, lock_init),
	OMPT_ROW(CANCEL, cancel),
	{0, NULL},
};
