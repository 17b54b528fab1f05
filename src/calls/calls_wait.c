/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables, semaphores, barriers, once. What wakes records where an arrow begins when somebody waits; who was woken, where it
 * ends, behind its wait. All waits but barriers may be cancelled: then the region is left while the thread unwinds.
 */
#include "calls_priv.h"
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

struct waiting {
	struct calls_open open;
	const void *at;
	struct calls_waiter *waiter;
	uint64_t began; /* where callers are asked for */
};

CALLS_INLINE void wait_begin(struct waiting *w, unsigned id, const void *at)
{
	w->at = at;
	w->began = calls_begin_ticks();
	w->waiter = calls_wake_expect(at);
	calls_enter(&w->open, calls_def.region[id], calls_def.condition, (int64_t)(uintptr_t)at);
}

static void wait_end_by(struct waiting *w, bool woken, weft_flow by)
{
	uint64_t key = calls_wake_done(w->at, w->waiter, woken);
	w->waiter = NULL;
	calls_callers(w->began);
	if (key)
		calls_two(by, WEFT_HEAD_FLOW_IN, key, w->open.region, WEFT_HEAD_LEAVE, 0);
	else
		weft_leave(w->open.region);
	calls_pop(&w->open);
}

static void wait_end(struct waiting *w, bool woken)
{
	wait_end_by(w, woken, calls_def.woken);
}

static void wait_unwound(struct waiting *w)
{
	if (w->open.region)
		wait_end(w, false);
}
#define WAITING(name) __attribute__((cleanup(wait_unwound))) struct waiting name = {{0, NULL, NULL}, NULL, NULL, 0}

/* ---- condition variables: their mutex is free meanwhile ---- */

#define WAIT_COND(name, take, pass) \
	static int wrap_##name take \
	{ \
		typedef int real_wait take; \
		real_wait *real = (real_wait *)calls_link->calls.real[LINK_LIBC_##name]; \
		if (calls_passes(CALLS_CALLER)) \
			return real pass; \
		WAITING(w); \
		calls_lock_released(lock); \
		wait_begin(&w, LINK_LIBC_##name, cond); \
		int rc = real pass; \
		wait_end(&w, rc == 0); \
		calls_lock_taken_again(lock); \
		return rc; \
	}
#define WAKE_COND(name, all) \
	static int wrap_##name(void *cond) \
	{ \
		if (!calls_passes(CALLS_CALLER)) \
			calls_wake(cond, calls_def.woken, all); \
		return ((int (*)(void *))calls_link->calls.real[LINK_LIBC_##name])(cond); \
	}

WAIT_COND(pthread_cond_wait, (void *cond, void *lock), (cond, lock))
WAIT_COND(pthread_cond_timedwait, (void *cond, void *lock, const struct timespec *until), (cond, lock, until))
WAIT_COND(pthread_cond_clockwait, (void *cond, void *lock, clockid_t clock, const struct timespec *until),
          (cond, lock, clock, until))
WAKE_COND(pthread_cond_signal, false)
WAKE_COND(pthread_cond_broadcast, true)
WAIT_COND(cnd_wait, (void *cond, void *lock), (cond, lock))
WAIT_COND(cnd_timedwait, (void *cond, void *lock, const struct timespec *until), (cond, lock, until))
WAKE_COND(cnd_signal, false)
WAKE_COND(cnd_broadcast, true)

/* ---- semaphores: one that has something left is taken without a wait ---- */

#define WAIT_SEM(name, take, pass) \
	static int wrap_##name take \
	{ \
		typedef int real_wait take; \
		real_wait *real = (real_wait *)calls_link->calls.real[LINK_LIBC_##name]; \
		int left; \
		if (calls_passes(CALLS_CALLER) || sem_getvalue(sem, &left) || left > 0) \
			return real pass; \
		WAITING(w); \
		wait_begin(&w, LINK_LIBC_##name, sem); \
		int rc = real pass; \
		wait_end(&w, rc == 0); \
		return rc; \
	}
WAIT_SEM(sem_wait, (sem_t * sem), (sem))
WAIT_SEM(sem_timedwait, (sem_t * sem, const struct timespec *until), (sem, until))
WAIT_SEM(sem_clockwait, (sem_t * sem, clockid_t clock, const struct timespec *until), (sem, clock, until))

static int wrap_sem_post(sem_t *sem)
{
	if (!calls_passes(CALLS_CALLER))
		calls_wake(sem, calls_def.woken, false);
	return CALLS_REAL(sem_post)(sem);
}

/* ---- barriers, once ---- */

/*
 * How many meet at a barrier: a word of it, which the C library does not name. Where it lies shows a barrier of our own; -1: nowhere, and
 * nobody is told to have woken the others.
 */
static int barrier_word = -1;

static void find_barrier_word(void)
{
	enum { FEW = 7, MORE = 11, WORDS = sizeof(pthread_barrier_t) / sizeof(unsigned) };
	union {
		pthread_barrier_t barrier;
		unsigned word[WORDS];
	} few = {0}, more = {0};
	if (pthread_barrier_init(&few.barrier, NULL, FEW) || pthread_barrier_init(&more.barrier, NULL, MORE))
		return;
	for (int i = 0; i < WORDS; i++)
		if (few.word[i] == FEW && more.word[i] == MORE)
			barrier_word = barrier_word == -1 ? i : -2; /* only one */
	pthread_barrier_destroy(&few.barrier);
	pthread_barrier_destroy(&more.barrier);
}

static int wrap_pthread_barrier_wait(pthread_barrier_t *barrier)
{
	if (calls_passes(CALLS_CALLER))
		return CALLS_REAL(pthread_barrier_wait)(barrier);
	WAITING(w);
	w.at = barrier;
	w.began = calls_begin_ticks();
	calls_enter(&w.open, CALLS_REGION(pthread_barrier_wait), calls_def.condition, (int64_t)(uintptr_t)barrier);
	if (barrier_word >= 0)
		w.waiter = calls_wake_meet(barrier, ((const unsigned *)barrier)[barrier_word]);
	int rc = CALLS_REAL(pthread_barrier_wait)(barrier);
	wait_end_by(&w, true, calls_def.opened);
	return rc;
}

/* What is done already is no wait: the C library has 2 there then. */
enum { ONCE_DONE = 2 };

CALLS_INLINE int once_by(pthread_once_t *once, void (*run)(void), weft_region r, const void *caller)
{
	if (__atomic_load_n((int *)once, __ATOMIC_RELAXED) == ONCE_DONE || calls_passes(caller))
		return CALLS_REAL(pthread_once)(once, run);
	CALLS_OPEN(o) = {0, NULL, NULL};
	calls_enter(&o, r, calls_def.condition, (int64_t)(uintptr_t)once);
	int rc = CALLS_REAL(pthread_once)(once, run);
	calls_leave_bare(&o);
	return rc;
}

static int wrap_pthread_once(pthread_once_t *once, void (*run)(void))
{
	return once_by(once, run, CALLS_REGION(pthread_once), CALLS_CALLER);
}

static void wrap_call_once(once_flag *once, void (*run)(void))
{
	(void)once_by((pthread_once_t *)once, run, CALLS_REGION(call_once), CALLS_CALLER);
}

#define PUT(name) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name)
void calls_wait_put(void **slot)
{
	PUT(pthread_cond_wait);
	PUT(pthread_cond_timedwait);
	PUT(pthread_cond_clockwait);
	PUT(pthread_cond_signal);
	PUT(pthread_cond_broadcast);
	PUT(cnd_wait);
	PUT(cnd_timedwait);
	PUT(cnd_signal);
	PUT(cnd_broadcast);
	PUT(sem_wait);
	PUT(sem_timedwait);
	PUT(sem_clockwait);
	PUT(sem_post);
	find_barrier_word();
	PUT(pthread_barrier_wait);
	PUT(pthread_once);
	PUT(call_once);
}
