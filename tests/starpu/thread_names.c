/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, locks, conditions, barriers and keys under StarPU's names: the functions, and the macros that end the program on an error. */
#include "starpu_check.h"
#include <errno.h>
#include <starpu_thread_util.h>

enum { THREADS = 3, TURNS = 2000 };

static void make(starpu_pthread_t *thread, void *(*routine)(void *), void *arg)
{
	STARPU_PTHREAD_CREATE_ON("worker", thread, NULL, routine, arg, 0);
}

/* ---- mutexes ---- */

static starpu_pthread_mutex_t still = STARPU_PTHREAD_MUTEX_INITIALIZER, made, made0, checked;
static unsigned counted[4];

static void *count(void *arg)
{
	for (unsigned i = 0; i < TURNS; i++) {
		STARPU_PTHREAD_MUTEX_LOCK(&still);
		counted[0]++;
		STARPU_PTHREAD_MUTEX_UNLOCK(&still);
		starpu_pthread_mutex_lock(&made);
		counted[1]++;
		starpu_pthread_mutex_unlock(&made);
		STARPU_PTHREAD_MUTEX_LOCK_SCHED(&made0);
		counted[2]++;
		STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(&made0);
		starpu_pthread_mutex_lock_sched(&checked);
		starpu_pthread_mutex_check_sched(&checked, (char *)(uintptr_t)__FILE__, __LINE__);
		counted[3]++;
		starpu_pthread_mutex_unlock_sched(&checked);
	}
	return arg;
}

static void check_mutexes(void)
{
	starpu_pthread_t thread[THREADS];
	starpu_pthread_mutexattr_t attr;
	int type = -1;
	CHECK(starpu_pthread_mutexattr_init(&attr) == 0);
	CHECK(starpu_pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
	CHECK(starpu_pthread_mutexattr_gettype(&attr, &type) == 0 && type == PTHREAD_MUTEX_ERRORCHECK);
	CHECK(starpu_pthread_mutex_init(&checked, &attr) == 0 && starpu_pthread_mutexattr_destroy(&attr) == 0);
	STARPU_PTHREAD_MUTEX_INIT(&made, NULL);
	STARPU_PTHREAD_MUTEX_INIT0(&made0, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		make(&thread[i], count, &still);
	for (unsigned i = 0; i < THREADS; i++)
		STARPU_PTHREAD_JOIN(thread[i], NULL);
	for (unsigned i = 0; i < 4; i++)
		CHECK(counted[i] == THREADS * TURNS);
	CHECK(STARPU_PTHREAD_MUTEX_TRYLOCK(&still) == 0 && STARPU_PTHREAD_MUTEX_TRYLOCK(&still) == EBUSY);
	CHECK(starpu_pthread_mutex_trylock(&made) == 0 && starpu_pthread_mutex_trylock(&made) == EBUSY);
	CHECK(STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(&made0) == 0 && STARPU_PTHREAD_MUTEX_TRYLOCK_SCHED(&made0) == EBUSY);
	CHECK(starpu_pthread_mutex_trylock_sched(&checked) == 0 && starpu_pthread_mutex_trylock_sched(&checked) == EBUSY);
	CHECK(starpu_pthread_mutex_lock(&checked) == EDEADLK);
	starpu_pthread_mutex_unlock(&still);
	STARPU_PTHREAD_MUTEX_UNLOCK(&made);
	STARPU_PTHREAD_MUTEX_UNLOCK_SCHED(&made0);
	starpu_pthread_mutex_unlock_sched(&checked);
	STARPU_PTHREAD_MUTEX_DESTROY(&made);
	STARPU_PTHREAD_MUTEX_DESTROY(&made0);
	CHECK(starpu_pthread_mutex_destroy(&checked) == 0);
}

/* ---- conditions: a ball goes from one thread to the other ---- */

static starpu_pthread_cond_t threw[2] = {STARPU_PTHREAD_COND_INITIALIZER, STARPU_PTHREAD_COND_INITIALIZER};
static unsigned ball;

static void *throw_back(void *arg)
{
	starpu_pthread_mutex_lock(&still);
	for (unsigned i = 0; i < 200; i++) {
		while (ball != 1)
			starpu_pthread_cond_wait(&threw[1], &still);
		ball = 0;
		starpu_pthread_cond_broadcast(&threw[0]);
	}
	starpu_pthread_mutex_unlock(&still);
	return arg;
}

static void check_conditions(void)
{
	starpu_pthread_t thread;
	starpu_pthread_cond_t c, c0;
	struct timespec past = {1, 0};
	make(&thread, throw_back, NULL);
	STARPU_PTHREAD_MUTEX_LOCK(&still);
	for (unsigned i = 0; i < 200; i++) {
		ball = 1;
		if (i % 2)
			STARPU_PTHREAD_COND_SIGNAL(&threw[1]);
		else
			starpu_pthread_cond_signal(&threw[1]);
		while (ball != 0)
			STARPU_PTHREAD_COND_WAIT(&threw[0], &still);
	}
	STARPU_PTHREAD_MUTEX_UNLOCK(&still);
	STARPU_PTHREAD_JOIN(thread, NULL);
	STARPU_PTHREAD_COND_INIT(&c, NULL);
	STARPU_PTHREAD_COND_INIT0(&c0, NULL);
	STARPU_PTHREAD_COND_BROADCAST(&c);
	STARPU_PTHREAD_MUTEX_LOCK(&still);
	CHECK(starpu_pthread_cond_timedwait(&c, &still, &past) == ETIMEDOUT);
	CHECK(STARPU_PTHREAD_COND_TIMEDWAIT(&c0, &still, &past) == ETIMEDOUT);
	STARPU_PTHREAD_MUTEX_UNLOCK(&still);
	STARPU_PTHREAD_COND_DESTROY(&c);
	CHECK(starpu_pthread_cond_destroy(&c0) == 0 && starpu_pthread_cond_init(&c0, NULL) == 0);
	STARPU_PTHREAD_COND_DESTROY(&c0);
}

/* ---- locks for many readers ---- */

static void check_rwlock(starpu_pthread_rwlock_t *lock)
{
	STARPU_PTHREAD_RWLOCK_RDLOCK(lock);
	CHECK(STARPU_PTHREAD_RWLOCK_TRYRDLOCK(lock) == 0);
	CHECK(starpu_pthread_rwlock_tryrdlock(lock) == 0 && starpu_pthread_rwlock_rdlock(lock) == 0);
	CHECK(STARPU_PTHREAD_RWLOCK_TRYWRLOCK(lock) == EBUSY && starpu_pthread_rwlock_trywrlock(lock) == EBUSY);
	for (unsigned i = 0; i < 3; i++)
		STARPU_PTHREAD_RWLOCK_UNLOCK(lock);
	CHECK(starpu_pthread_rwlock_unlock(lock) == 0);
	STARPU_PTHREAD_RWLOCK_WRLOCK(lock);
	CHECK(STARPU_PTHREAD_RWLOCK_TRYRDLOCK(lock) == EBUSY && starpu_pthread_rwlock_tryrdlock(lock) == EBUSY);
	STARPU_PTHREAD_RWLOCK_UNLOCK(lock);
	CHECK(starpu_pthread_rwlock_wrlock(lock) == 0 && starpu_pthread_rwlock_unlock(lock) == 0);
}

static void check_rwlocks(void)
{
	static starpu_pthread_rwlock_t ready = STARPU_PTHREAD_RWLOCK_INITIALIZER;
	starpu_pthread_rwlock_t lock, lock0;
	STARPU_PTHREAD_RWLOCK_INIT(&lock, NULL);
	STARPU_PTHREAD_RWLOCK_INIT0(&lock0, NULL);
	check_rwlock(&ready);
	check_rwlock(&lock);
	check_rwlock(&lock0);
	STARPU_PTHREAD_RWLOCK_DESTROY(&lock);
	CHECK(starpu_pthread_rwlock_destroy(&lock0) == 0 && starpu_pthread_rwlock_init(&lock0, NULL) == 0);
	check_rwlock(&lock0);
	STARPU_PTHREAD_RWLOCK_DESTROY(&lock0);
}

/* ---- barriers, keys, names, semaphores ---- */

static starpu_pthread_barrier_t all, all_too;
static unsigned serial, arrived;
static starpu_pthread_key_t key, key_too;

static void count_end(void *value)
{
	STARPU_ATOMIC_ADD((unsigned *)value, 1);
}

static void *meet(void *arg)
{
	char name[16];
	starpu_pthread_setname("of the test");
	CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && !strcmp(name, "of the test"));
	CHECK(STARPU_PTHREAD_GETSPECIFIC(key) == NULL);
	STARPU_PTHREAD_SETSPECIFIC(key, arg);
	CHECK(starpu_pthread_setspecific(key_too, name) == 0 && starpu_pthread_getspecific(key_too) == name);
	CHECK(STARPU_PTHREAD_GETSPECIFIC(key) == arg && starpu_pthread_equal(starpu_pthread_self(), pthread_self()));
	for (unsigned i = 0; i < 50; i++) {
		STARPU_ATOMIC_ADD(&arrived, 1);
		int rc = starpu_pthread_barrier_wait(&all);
		CHECK(LOOK(arrived) == (i + 1) * THREADS);
		CHECK(rc == 0 || rc == STARPU_PTHREAD_BARRIER_SERIAL_THREAD);
		STARPU_ATOMIC_ADD(&serial, rc == STARPU_PTHREAD_BARRIER_SERIAL_THREAD);
		STARPU_PTHREAD_BARRIER_WAIT(&all_too);
	}
	return NULL;
}

static void check_meeting(void)
{
	starpu_pthread_t thread[THREADS];
	unsigned ended = 0;
	STARPU_PTHREAD_BARRIER_INIT(&all, NULL, THREADS);
	CHECK(starpu_pthread_barrier_init(&all_too, NULL, THREADS) == 0);
	STARPU_PTHREAD_KEY_CREATE(&key, count_end);
	CHECK(starpu_pthread_key_create(&key_too, NULL) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		make(&thread[i], meet, &ended);
	for (unsigned i = 0; i < THREADS; i++)
		STARPU_PTHREAD_JOIN(thread[i], NULL);
	CHECK(serial == 50 && ended == THREADS);
	STARPU_PTHREAD_KEY_DELETE(key);
	CHECK(starpu_pthread_key_delete(key_too) == 0);
	STARPU_PTHREAD_BARRIER_DESTROY(&all);
	CHECK(starpu_pthread_barrier_destroy(&all_too) == 0);
}

static void check_semaphore(void)
{
	starpu_sem_t sem;
	int value = -1;
	CHECK(starpu_sem_init(&sem, 0, 2) == 0 && starpu_sem_getvalue(&sem, &value) == 0 && value == 2);
	starpu_sem_wait(&sem);
	starpu_sem_getvalue(&sem, &value);
	CHECK(value == 1 && starpu_sem_destroy(&sem) == 0);
}

/* ---- a queue that tells all who wait ---- */

static starpu_pthread_queue_t queue;
static unsigned char open_to_all, n_waiting; /* under the queue's mutex */

static void *wait_at_queue(void *arg)
{
	starpu_pthread_wait_t w;
	starpu_pthread_wait_init(&w);
	starpu_pthread_queue_register(&w, &queue);
	for (unsigned char found = 0, said = 0; !found; said = 1) {
		starpu_pthread_wait_reset(&w);
		STARPU_PTHREAD_MUTEX_LOCK(&queue.mutex);
		found = open_to_all;
		n_waiting += !said;
		STARPU_PTHREAD_MUTEX_UNLOCK(&queue.mutex);
		if (!found)
			starpu_pthread_wait_wait(&w);
	}
	starpu_pthread_queue_unregister(&w, &queue);
	starpu_pthread_wait_destroy(&w);
	return arg;
}

static void check_broadcast(void)
{
	starpu_pthread_t thread[THREADS];
	starpu_pthread_queue_init(&queue);
	for (unsigned i = 0; i < THREADS; i++)
		make(&thread[i], wait_at_queue, NULL);
	for (unsigned char here = 0; here < THREADS; starpu_usleep(100)) {
		STARPU_PTHREAD_MUTEX_LOCK(&queue.mutex);
		here = n_waiting;
		open_to_all = here == THREADS;
		STARPU_PTHREAD_MUTEX_UNLOCK(&queue.mutex);
	}
	starpu_pthread_queue_broadcast(&queue);
	for (unsigned i = 0; i < THREADS; i++)
		STARPU_PTHREAD_JOIN(thread[i], NULL);
	starpu_pthread_queue_destroy(&queue);
}

int main(void)
{
	check_mutexes();
	check_conditions();
	check_rwlocks();
	check_meeting();
	check_semaphore();
	check_broadcast();
	return checks_failed();
}
