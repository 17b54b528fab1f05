/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes, read-write locks and spin locks, of pthreads and C11. Each lock is tried first: what is free is taken by that, for as much
 * as the lock itself, and counted. What is not is waited for in a region with the lock's address and, of mutexes, the holder's thread id;
 * when it has been got that way (or always, where locks are asked for), taking and releasing are points with the address.
 * The order of a lock's own answers is kept: whatever trying says but "busy" is what locking would have said.
 */
#include "calls_priv.h"
#include <pthread.h>
#include <threads.h>
#include <time.h>

enum { TELL_EACH = 1 << 20 };

/* How many wait for any lock: while it is 0 who lets one go need not look for them. */
static struct weft_atomic_u32 n_waiting;

void calls_lock_told(void)
{
	if (calls_self.entries)
		weft_point(calls_def.lock_entries, calls_self.entries);
	calls_self.entries = 0;
}

static inline void count_entry(void)
{
	if (CALLS_UNLIKELY(++calls_self.entries == TELL_EACH))
		calls_lock_told();
}

/* Got without waiting. */
static inline void taken(const void *lock)
{
	count_entry();
	if (CALLS_UNLIKELY(calls_each_lock))
		weft_point(calls_def.lock_taken, (int64_t)(uintptr_t)lock);
}

static void taken_late(const void *lock)
{
	count_entry();
	weft_point(calls_def.lock_taken, (int64_t)(uintptr_t)lock);
	if (!calls_each_lock && calls_self.n_held < CALLS_HELD)
		calls_self.held[calls_self.n_held++] = lock;
}

static void __attribute__((noinline)) released_noted(const void *lock)
{
	for (unsigned i = calls_self.n_held; i-- > 0;)
		if (calls_self.held[i] == lock) {
			calls_self.held[i] = calls_self.held[--calls_self.n_held];
			weft_point(calls_def.lock_released, (int64_t)(uintptr_t)lock);
			return;
		}
}

static inline void released(const void *lock)
{
	if (CALLS_UNLIKELY(calls_each_lock))
		weft_point(calls_def.lock_released, (int64_t)(uintptr_t)lock);
	else if (CALLS_UNLIKELY(calls_self.n_held))
		released_noted(lock);
}

void calls_lock_released(const void *lock)
{
	released(lock);
	if (weft_load_relaxed_u32(&n_waiting)) /* as below */
		calls_wake(lock, calls_def.passed, false);
}

void calls_lock_taken_again(const void *lock)
{
	if (calls_each_lock)
		taken(lock);
}

struct waiting {
	struct calls_open open;
	const void *lock;
	struct calls_waiter *waiter;
	uint64_t began; /* where callers are asked for */
};

void calls_lock_forked(void)
{
	weft_store_u32(&n_waiting, 0);
}

CALLS_INLINE void wait_enter(struct calls_open *o, unsigned id, const void *lock, int holder)
{
	if (holder <= 0) {
		calls_enter(o, calls_def.region[id], calls_def.lock, (int64_t)(uintptr_t)lock);
		return;
	}
	struct weft_bundle b;
	calls_push(o, calls_def.region[id]);
	weft_bundle_begin(&b);
	weft_bundle_add(&b, o->region, WEFT_HEAD_ENTER, 0);
	weft_bundle_add(&b, calls_def.lock, WEFT_HEAD_ATTR, (uintptr_t)lock);
	weft_bundle_add(&b, calls_def.holder, WEFT_HEAD_ATTR, (uint64_t)holder);
	weft_bundle_record(&b);
}

CALLS_INLINE void wait_begin(struct waiting *w, unsigned id, const void *lock, int holder)
{
	w->lock = lock;
	w->began = calls_begin_ticks();
	w->waiter = calls_wake_expect(lock);
	if (w->waiter)
		weft_add_u32(&n_waiting, 1);
	wait_enter(&w->open, id, lock, holder);
}

static void wait_end(struct waiting *w, bool got)
{
	if (w->waiter)
		weft_add_u32(&n_waiting, UINT32_MAX);
	uint64_t key = calls_wake_done(w->lock, w->waiter, got);
	w->waiter = NULL;
	calls_callers(w->began);
	if (key)
		calls_two(calls_def.passed, WEFT_HEAD_FLOW_IN, key, w->open.region, WEFT_HEAD_LEAVE, 0);
	else
		weft_leave(w->open.region);
	calls_pop(&w->open);
	if (got)
		taken_late(w->lock);
}

static void wait_unwound(struct waiting *w)
{
	if (w->open.region)
		wait_end(w, false);
}

static int holder_of(const void *mutex)
{
	return ((const pthread_mutex_t *)mutex)->__data.__owner;
}
static int nobody(const void *lock)
{
	(void)lock;
	return 0;
}

#define IS_GOT(rc) ((rc) == 0 || (rc) == EOWNERDEAD)
/* C11's locks say busy, and take no lock of a dead owner. */
#define LOCKING(name, try, busy, holder, take, pass) \
	static int wrap_##name take \
	{ \
		typedef int real_lock take; \
		typedef int real_try(void *); \
		real_lock *real = (real_lock *)calls_link->calls.real[LINK_LIBC_##name]; \
		if (calls_passes(CALLS_CALLER)) \
			return real pass; \
		int rc = ((real_try *)calls_link->calls.real[LINK_LIBC_##try])(lock); \
		if (CALLS_LIKELY(rc != (busy))) { \
			if (IS_GOT(rc)) \
				taken(lock); \
			return rc; \
		} \
		__attribute__((cleanup(wait_unwound))) struct waiting w = {{0, NULL, NULL}, NULL, NULL, 0}; \
		wait_begin(&w, LINK_LIBC_##name, lock, holder(lock)); \
		rc = real pass; \
		wait_end(&w, IS_GOT(rc)); \
		return rc; \
	}
#define TRYING(name) \
	static int wrap_##name(void *lock) \
	{ \
		int rc = ((int (*)(void *))calls_link->calls.real[LINK_LIBC_##name])(lock); \
		if (IS_GOT(rc) && !calls_passes(CALLS_CALLER)) \
			taken(lock); \
		return rc; \
	}
/* Released before: behind it another thread may have freed the lock's memory, and told so earlier than we. */
#define UNLOCKING(name, all) \
	static int wrap_##name(void *lock) \
	{ \
		uint32_t waiting = weft_load_relaxed_u32(&n_waiting); /* who comes while we look is not told of */ \
		if (CALLS_UNLIKELY(calls_each_lock || calls_self.n_held || waiting) && !calls_passes(CALLS_CALLER)) { \
			released(lock); \
			if (waiting) \
				calls_wake(lock, calls_def.passed, all); \
		} \
		return ((int (*)(void *))calls_link->calls.real[LINK_LIBC_##name])(lock); \
	}
/* By a clock that does not exist: said even when the lock is free. */
#define LOCKING_CLOCK(name, try, busy, holder) \
	LOCKING(name##_checked, try, busy, holder, (void *lock, clockid_t clock, const struct timespec *until), \
	        (lock, clock, until)) \
	static int wrap_##name(void *lock, clockid_t clock, const struct timespec *until) \
	{ \
		typedef int real_lock(void *, clockid_t, const struct timespec *); \
		if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) \
			return ((real_lock *)calls_link->calls.real[LINK_LIBC_##name])(lock, clock, until); \
		return wrap_##name##_checked(lock, clock, until); \
	}
enum {
	LINK_LIBC_pthread_mutex_clocklock_checked = LINK_LIBC_pthread_mutex_clocklock,
	LINK_LIBC_pthread_rwlock_clockrdlock_checked = LINK_LIBC_pthread_rwlock_clockrdlock,
	LINK_LIBC_pthread_rwlock_clockwrlock_checked = LINK_LIBC_pthread_rwlock_clockwrlock,
};

#define ONE (void *lock), (lock)
#define UNTIL (void *lock, const struct timespec *until), (lock, until)
#define EACH(name, try, busy, holder, ...) LOCKING(name, try, busy, holder, __VA_ARGS__)

EACH(pthread_mutex_lock, pthread_mutex_trylock, EBUSY, holder_of, ONE)
EACH(pthread_mutex_timedlock, pthread_mutex_trylock, EBUSY, holder_of, UNTIL)
LOCKING_CLOCK(pthread_mutex_clocklock, pthread_mutex_trylock, EBUSY, holder_of)
TRYING(pthread_mutex_trylock)
UNLOCKING(pthread_mutex_unlock, false)
EACH(mtx_lock, mtx_trylock, thrd_busy, holder_of, ONE)
EACH(mtx_timedlock, mtx_trylock, thrd_busy, holder_of, UNTIL)
TRYING(mtx_trylock)
UNLOCKING(mtx_unlock, false)
EACH(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, EBUSY, nobody, ONE)
EACH(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, EBUSY, nobody, UNTIL)
LOCKING_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, EBUSY, nobody)
TRYING(pthread_rwlock_tryrdlock)
EACH(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, EBUSY, nobody, ONE)
EACH(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, EBUSY, nobody, UNTIL)
LOCKING_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, EBUSY, nobody)
TRYING(pthread_rwlock_trywrlock)
UNLOCKING(pthread_rwlock_unlock, true)
EACH(pthread_spin_lock, pthread_spin_trylock, EBUSY, nobody, ONE)
TRYING(pthread_spin_trylock)
UNLOCKING(pthread_spin_unlock, false)

#define PUT(name) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name)
void calls_lock_put(void **slot)
{
	PUT(pthread_mutex_lock);
	PUT(pthread_mutex_timedlock);
	PUT(pthread_mutex_clocklock);
	PUT(pthread_mutex_trylock);
	PUT(pthread_mutex_unlock);
	PUT(mtx_lock);
	PUT(mtx_timedlock);
	PUT(mtx_trylock);
	PUT(mtx_unlock);
	PUT(pthread_rwlock_rdlock);
	PUT(pthread_rwlock_timedrdlock);
	PUT(pthread_rwlock_clockrdlock);
	PUT(pthread_rwlock_tryrdlock);
	PUT(pthread_rwlock_wrlock);
	PUT(pthread_rwlock_timedwrlock);
	PUT(pthread_rwlock_clockwrlock);
	PUT(pthread_rwlock_trywrlock);
	PUT(pthread_rwlock_unlock);
	PUT(pthread_spin_lock);
	PUT(pthread_spin_trylock);
	PUT(pthread_spin_unlock);
}
