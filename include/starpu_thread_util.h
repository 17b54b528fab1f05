/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of starpu_thread.h as statements that abort with a message when they fail.
 */
#ifndef __STARPU_THREAD_UTIL_H__
#define __STARPU_THREAD_UTIL_H__

#include <starpu_util.h>
#include <starpu_thread.h>
#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What must not fail: 0, or the program ends. */
#define WEFT_PTHREAD_(call) \
	do { \
		int weft_rc_ = (call); \
		if (STARPU_UNLIKELY(weft_rc_ != 0)) \
			STARPU_ABORT_MSG("%s: %s", #call, strerror(weft_rc_)); \
	} while (0)
/* One answer is no failure: it is handed on. */
static inline int weft_pthread_but_(int rc, int but, const char *call, const char *file, int line)
{
	if (STARPU_UNLIKELY(rc != 0 && rc != but)) {
		fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, strerror(rc));
		abort();
	}
	return rc;
}
#define WEFT_PTHREAD_BUT_(call, but) weft_pthread_but_((call), (but), #call, __FILE__, __LINE__)
#define STARPU_PTHREAD_BARRIER_DESTROY(barrier) WEFT_PTHREAD_(starpu_pthread_barrier_destroy(barrier))
#define STARPU_PTHREAD_BARRIER_INIT(barrier, attr, count) WEFT_PTHREAD_(starpu_pthread_barrier_init(barrier, attr, count))
#define STARPU_PTHREAD_BARRIER_WAIT(barrier) \
	WEFT_PTHREAD_BUT_(starpu_pthread_barrier_wait(barrier), PTHREAD_BARRIER_SERIAL_THREAD)
#define STARPU_PTHREAD_COND_BROADCAST(cond) WEFT_PTHREAD_(starpu_pthread_cond_broadcast(cond))
#define STARPU_PTHREAD_COND_DESTROY(cond) WEFT_PTHREAD_(starpu_pthread_cond_destroy(cond))
#define STARPU_PTHREAD_COND_INIT(cond, attr) WEFT_PTHREAD_(starpu_pthread_cond_init(cond, attr))
#define STARPU_PTHREAD_COND_INIT0(cond, attr) WEFT_PTHREAD_(starpu_pthread_cond_init(cond, attr))
#define STARPU_PTHREAD_COND_SIGNAL(cond) WEFT_PTHREAD_(starpu_pthread_cond_signal(cond))
#define STARPU_PTHREAD_COND_TIMEDWAIT(cond, mutex, abstime) \
	WEFT_PTHREAD_BUT_(starpu_pthread_cond_timedwait(cond, mutex, abstime), ETIMEDOUT)
#define STARPU_PTHREAD_COND_WAIT(cond, mutex) WEFT_PTHREAD_(starpu_pthread_cond_wait(cond, mutex))
#define STARPU_PTHREAD_CREATE(thread, attr, routine, arg) WEFT_PTHREAD_(starpu_pthread_create(thread, attr, routine, arg))
#define STARPU_PTHREAD_CREATE_ON(name, thread, attr, routine, arg, where) \
	WEFT_PTHREAD_(starpu_pthread_create_on(name, thread, attr, routine, arg, where))
#define STARPU_PTHREAD_GETSPECIFIC(key) starpu_pthread_getspecific(key)
#define STARPU_PTHREAD_JOIN(thread, retval) WEFT_PTHREAD_(starpu_pthread_join(thread, retval))
#define STARPU_PTHREAD_KEY_CREATE(key, destr) WEFT_PTHREAD_(starpu_pthread_key_create(key, destr))
#define STARPU_PTHREAD_KEY_DELETE(key) WEFT_PTHREAD_(starpu_pthread_key_delete(key))
#define STARPU_PTHREAD_MUTEX_DESTROY(mutex) WEFT_PTHREAD_(starpu_pthread_mutex_destroy(mutex))
#define STARPU_PTHREAD_MUTEX_INIT(mutex, attr) WEFT_PTHREAD_(starpu_pthread_mutex_init(mutex, attr))
#define STARPU_PTHREAD_MUTEX_INIT0(mutex, attr) WEFT_PTHREAD_(starpu_pthread_mutex_init(mutex, attr))
#define STARPU_PTHREAD_MUTEX_LOCK(mutex) WEFT_PTHREAD_(starpu_pthread_mutex_lock(mutex))
#define STARPU_PTHREAD_MUTEX_LOCK_SCHED(mutex) WEFT_PTHREAD_(starpu_pthread_mutex_lock_sched(mutex))
#define STARPU_PTHREAD_MUTEX_TRYLOCK(mutex) WEFT_PTHREAD_BUT_(starpu_pthread_mutex_trylock(mutex), EBUSY)
#define STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(mutex) WEFT_PTHREAD_BUT_(starpu_pthread_mutex_trylock_sched(mutex), EBUSY)
#define STARPU_PTHREAD_MUTEX_UNLOCK(mutex) WEFT_PTHREAD_(starpu_pthread_mutex_unlock(mutex))
#define STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(mutex) WEFT_PTHREAD_(starpu_pthread_mutex_unlock_sched(mutex))
#define STARPU_PTHREAD_RWLOCK_DESTROY(rwlock) WEFT_PTHREAD_(starpu_pthread_rwlock_destroy(rwlock))
#define STARPU_PTHREAD_RWLOCK_INIT(rwlock, attr) WEFT_PTHREAD_(starpu_pthread_rwlock_init(rwlock, attr))
#define STARPU_PTHREAD_RWLOCK_INIT0(rwlock, attr) WEFT_PTHREAD_(starpu_pthread_rwlock_init(rwlock, attr))
#define STARPU_PTHREAD_RWLOCK_RDLOCK(rwlock) WEFT_PTHREAD_(starpu_pthread_rwlock_rdlock(rwlock))
#define STARPU_PTHREAD_RWLOCK_TRYRDLOCK(rwlock) WEFT_PTHREAD_BUT_(starpu_pthread_rwlock_tryrdlock(rwlock), EBUSY)
#define STARPU_PTHREAD_RWLOCK_TRYWRLOCK(rwlock) WEFT_PTHREAD_BUT_(starpu_pthread_rwlock_trywrlock(rwlock), EBUSY)
#define STARPU_PTHREAD_RWLOCK_UNLOCK(rwlock) WEFT_PTHREAD_(starpu_pthread_rwlock_unlock(rwlock))
#define STARPU_PTHREAD_RWLOCK_WRLOCK(rwlock) WEFT_PTHREAD_(starpu_pthread_rwlock_wrlock(rwlock))
#define STARPU_PTHREAD_SETSPECIFIC(key, ptr) WEFT_PTHREAD_(starpu_pthread_setspecific(key, ptr))

#ifdef __cplusplus
}
#endif
#endif
