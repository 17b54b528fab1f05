/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks beside POSIX': a spin lock that gives the cpu away after a while, semaphores that signals do not interrupt, and waiting
 * for whichever of several queues signals. A queue keeps who waits on it; a signal marks the waiter, so that one that comes
 * before the wait is not lost.
 */
#include <starpu.h>
#include <errno.h>
#include <sched.h>

enum { SPINS = 200 };

/* Nothing of ours is locked while a scheduler runs, so these are plain locks. */
int starpu_pthread_mutex_lock_sched(starpu_pthread_mutex_t *mutex)
{
	return pthread_mutex_lock(mutex);
}

int starpu_pthread_mutex_unlock_sched(starpu_pthread_mutex_t *mutex)
{
	return pthread_mutex_unlock(mutex);
}

int starpu_pthread_mutex_trylock_sched(starpu_pthread_mutex_t *mutex)
{
	return pthread_mutex_trylock(mutex);
}

void starpu_pthread_mutex_check_sched(starpu_pthread_mutex_t *mutex, char *file, int line)
{
	if (pthread_mutex_trylock(mutex) != 0)
		return;
	pthread_mutex_unlock(mutex);
	STARPU_ABORT_MSG("%s:%d: the mutex is not locked", file, line);
}

int starpu_pthread_spin_init(starpu_pthread_spinlock_t *lock, int pshared)
{
	(void)pshared;
	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELAXED); /* relaxed: nobody else has it yet */
	return 0;
}

int starpu_pthread_spin_destroy(starpu_pthread_spinlock_t *lock)
{
	return __atomic_load_n(&lock->taken, __ATOMIC_ACQUIRE) ? EBUSY : 0;
}

int starpu_pthread_spin_trylock(starpu_pthread_spinlock_t *lock)
{
	return __atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE) ? EBUSY : 0;
}

int starpu_pthread_spin_lock(starpu_pthread_spinlock_t *lock)
{
	for (unsigned i = 0; starpu_pthread_spin_trylock(lock); i++)
		/* relaxed: the exchange above acquires */
		while (__atomic_load_n(&lock->taken, __ATOMIC_RELAXED))
			if (i++ > SPINS)
				sched_yield();
	return 0;
}

int starpu_pthread_spin_unlock(starpu_pthread_spinlock_t *lock)
{
	__atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
	return 0;
}

int starpu_sem_wait(starpu_sem_t *sem)
{
	int rc;
	do {
		rc = sem_wait(sem);
	} while (rc && errno == EINTR);
	return rc;
}

int starpu_sem_trywait(starpu_sem_t *sem)
{
	int rc;
	do {
		rc = sem_trywait(sem);
	} while (rc && errno == EINTR);
	return rc;
}

/* ---- waiting for several queues ---- */

int starpu_pthread_queue_init(starpu_pthread_queue_t *q)
{
	*q = (starpu_pthread_queue_t){.queue = NULL};
	return pthread_mutex_init(&q->mutex, NULL);
}

int starpu_pthread_queue_destroy(starpu_pthread_queue_t *q)
{
	STARPU_ASSERT_MSG(!q->nqueue, "somebody still waits on this queue");
	free(q->queue);
	return pthread_mutex_destroy(&q->mutex);
}

int starpu_pthread_queue_register(starpu_pthread_wait_t *w, starpu_pthread_queue_t *q)
{
	int rc = 0;
	pthread_mutex_lock(&q->mutex);
	if (q->nqueue == q->allocqueue) {
		unsigned n = q->allocqueue ? 2 * q->allocqueue : 4;
		starpu_pthread_wait_t **more = realloc(q->queue, n * sizeof *more);
		rc = more ? 0 : ENOMEM;
		q->queue = more ? more : q->queue;
		q->allocqueue = more ? n : q->allocqueue;
	}
	if (!rc)
		q->queue[q->nqueue++] = w;
	pthread_mutex_unlock(&q->mutex);
	return rc;
}

int starpu_pthread_queue_unregister(starpu_pthread_wait_t *w, starpu_pthread_queue_t *q)
{
	unsigned i = 0;
	pthread_mutex_lock(&q->mutex);
	while (i < q->nqueue && q->queue[i] != w)
		i++;
	STARPU_ASSERT_MSG(i < q->nqueue, "not registered at this queue");
	memmove(q->queue + i, q->queue + i + 1, (--q->nqueue - i) * sizeof *q->queue);
	pthread_mutex_unlock(&q->mutex);
	return 0;
}

static void signal_one(starpu_pthread_wait_t *w)
{
	pthread_mutex_lock(&w->mutex);
	w->block = 0;
	pthread_cond_signal(&w->cond);
	pthread_mutex_unlock(&w->mutex);
}

int starpu_pthread_queue_broadcast(starpu_pthread_queue_t *q)
{
	pthread_mutex_lock(&q->mutex);
	for (unsigned i = 0; i < q->nqueue; i++)
		signal_one(q->queue[i]);
	pthread_mutex_unlock(&q->mutex);
	return 0;
}

/* All are told: who looks in vain waits again, but none that is needed sleeps on. */
int starpu_pthread_queue_signal(starpu_pthread_queue_t *q)
{
	return starpu_pthread_queue_broadcast(q);
}

int starpu_pthread_wait_init(starpu_pthread_wait_t *w)
{
	w->block = 1;
	int rc = pthread_mutex_init(&w->mutex, NULL);
	return rc ? rc : pthread_cond_init(&w->cond, NULL);
}

int starpu_pthread_wait_destroy(starpu_pthread_wait_t *w)
{
	int rc = pthread_cond_destroy(&w->cond);
	return rc ? rc : pthread_mutex_destroy(&w->mutex);
}

int starpu_pthread_wait_reset(starpu_pthread_wait_t *w)
{
	pthread_mutex_lock(&w->mutex);
	w->block = 1;
	pthread_mutex_unlock(&w->mutex);
	return 0;
}

int starpu_pthread_wait_timedwait(starpu_pthread_wait_t *w, const struct timespec *abstime)
{
	int rc = 0;
	pthread_mutex_lock(&w->mutex);
	while (w->block && !rc)
		rc = abstime ? pthread_cond_timedwait(&w->cond, &w->mutex, abstime) : pthread_cond_wait(&w->cond, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
	return rc;
}

int starpu_pthread_wait_wait(starpu_pthread_wait_t *w)
{
	return starpu_pthread_wait_timedwait(w, NULL);
}
