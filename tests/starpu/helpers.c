/* SPDX-License-Identifier: Apache-2.0 */
/* The small helpers: sets of workers, hashes as StarPU 1.3 computes them, environment variables, locks and queues, time. */
#include "starpu_check.h"
#include <errno.h>
#include <starpu.h>
#include <starpu_bitmap.h>
#include <starpu_hash.h>
#include <starpu_rand.h>
#include <starpu_thread_util.h>

static void check_bitmap(void)
{
	struct starpu_bitmap *a = starpu_bitmap_create(), b, c;
	char model[STARPU_NMAXWORKERS] = {0};
	starpu_bitmap_init(&b);
	starpu_bitmap_init(&c);
	CHECK(starpu_bitmap_first(a) == -1 && starpu_bitmap_last(a) == -1 && !starpu_bitmap_has_next(a, -1));
	srand(1);
	for (unsigned i = 0; i < 1000; i++) {
		int e = rand() % STARPU_NMAXWORKERS, n = 0, last = -1, at = -1;
		model[e] = rand() % 2;
		if (model[e])
			starpu_bitmap_set(a, e);
		else
			starpu_bitmap_unset(a, e);
		for (int k = 0; k < STARPU_NMAXWORKERS; k++) {
			CHECK(starpu_bitmap_get(a, k) == model[k]);
			if (!model[k])
				continue;
			n++;
			last = k;
			CHECK(starpu_bitmap_has_next(a, at) && starpu_bitmap_next(a, at) == k);
			at = k;
		}
		CHECK(starpu_bitmap_next(a, at) == -1);
		CHECK(starpu_bitmap_cardinal(a) == n && starpu_bitmap_last(a) == last);
	}
	starpu_bitmap_unset_all(a);
	starpu_bitmap_set(a, 3);
	starpu_bitmap_set(a, 100);
	starpu_bitmap_set(&b, 100);
	starpu_bitmap_set(&b, 7);
	CHECK(starpu_bitmap_and_get(a, &b, 100) && !starpu_bitmap_and_get(a, &b, 3));
	starpu_bitmap_unset_and(&c, a, &b);
	CHECK(starpu_bitmap_cardinal(&c) == 1 && starpu_bitmap_first(&c) == 100);
	starpu_bitmap_or(&c, a);
	CHECK(starpu_bitmap_cardinal(&c) == 2 && starpu_bitmap_first(&c) == 3);
	starpu_bitmap_destroy(a);
}

/* Computed with Debian's StarPU 1.3. */
static void check_hash(void)
{
	static const unsigned char bytes[11] = {1, 2, 3, 250, 255, 0, 7, 9, 128, 64, 33};
	CHECK(starpu_hash_crc32c_be_n(bytes, 11, 0) == 0x98b05013);
	CHECK(starpu_hash_crc32c_be_n(bytes, 11, 0xdeadbeef) == 0xa42e8cb3);
	CHECK(starpu_hash_crc32c_be(0x12345678, 42) == 0xae794ede);
	CHECK(starpu_hash_crc32c_string("footprint", 7) == 0xc733a807);
	void *p = (void *)(uintptr_t)bytes;
	CHECK(starpu_hash_crc32c_be_ptr(p, 1) == starpu_hash_crc32c_be_n(&p, sizeof p, 1));
}

static void check_env(void)
{
	static const char *words[] = {"one", "two", NULL};
	setenv("WEFT_TEST", "3", 1);
	CHECK(starpu_get_env_number("WEFT_TEST") == 3 && starpu_get_env_size_default("WEFT_TEST", 1) == 3072);
	setenv("WEFT_TEST", "7m", 1);
	CHECK(starpu_get_env_size_default("WEFT_TEST", 1) == 7 << 20);
	setenv("WEFT_TEST", "5B", 1);
	CHECK(starpu_get_env_size_default("WEFT_TEST", 1) == 5);
	setenv("WEFT_TEST", "2.5", 1);
	CHECK(starpu_get_env_float_default("WEFT_TEST", 1) == 2.5f);
	setenv("WEFT_TEST", "TWO", 1);
	CHECK(starpu_get_env_string_var_default("WEFT_TEST", words, 9) == 1);
	unsetenv("WEFT_TEST");
	CHECK(starpu_get_env_number("WEFT_TEST") == -1 && starpu_get_env_number_default("WEFT_TEST", 4) == 4);
	CHECK(starpu_get_env_size_default("WEFT_TEST", 6) == 6 && !starpu_getenv("WEFT_TEST"));
	CHECK(starpu_get_env_string_var_default("WEFT_TEST", words, 9) == 9);
	setenv("STARPU_RAND_SEED", "12", 1);
	starpu_srand48(99);
	double first = starpu_drand48();
	srand48(12);
	CHECK(first == drand48());
}

static starpu_pthread_spinlock_t spin;
static unsigned counted;

static void *count(void *arg)
{
	for (unsigned i = 0; i < 20000; i++) {
		starpu_pthread_spin_lock(&spin);
		counted++;
		starpu_pthread_spin_unlock(&spin);
	}
	return arg;
}

struct pair {
	starpu_pthread_queue_t queue[2];
	unsigned char full[2]; /* under the queues' mutexes */
};

static void *fill(void *arg)
{
	struct pair *p = arg;
	starpu_usleep(2000);
	STARPU_PTHREAD_MUTEX_LOCK(&p->queue[1].mutex);
	p->full[1] = 1;
	STARPU_PTHREAD_MUTEX_UNLOCK(&p->queue[1].mutex);
	starpu_pthread_queue_signal(&p->queue[1]);
	return NULL;
}

static void check_queues(void)
{
	struct pair p = {.full = {0}};
	starpu_pthread_wait_t w;
	starpu_pthread_t thread;
	starpu_pthread_wait_init(&w);
	for (unsigned i = 0; i < 2; i++) {
		starpu_pthread_queue_init(&p.queue[i]);
		CHECK(starpu_pthread_queue_register(&w, &p.queue[i]) == 0);
	}
	struct timespec past = {0};
	CHECK(starpu_pthread_wait_timedwait(&w, &past) == ETIMEDOUT);
	STARPU_PTHREAD_CREATE(&thread, NULL, fill, &p);
	for (int found = 0; !found;) {
		starpu_pthread_wait_reset(&w);
		STARPU_PTHREAD_MUTEX_LOCK(&p.queue[1].mutex);
		found = p.full[1];
		STARPU_PTHREAD_MUTEX_UNLOCK(&p.queue[1].mutex);
		if (!found)
			starpu_pthread_wait_wait(&w);
	}
	STARPU_PTHREAD_JOIN(thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		starpu_pthread_queue_unregister(&w, &p.queue[i]);
		starpu_pthread_queue_destroy(&p.queue[i]);
	}
	starpu_pthread_wait_destroy(&w);
}

static void check_threads(void)
{
	starpu_pthread_t thread[3];
	starpu_sem_t sem;
	starpu_pthread_spin_init(&spin, 0);
	for (unsigned i = 0; i < 3; i++)
		STARPU_PTHREAD_CREATE(&thread[i], NULL, count, NULL);
	for (unsigned i = 0; i < 3; i++)
		STARPU_PTHREAD_JOIN(thread[i], NULL);
	CHECK(counted == 60000);
	starpu_pthread_spin_lock(&spin);
	CHECK(starpu_pthread_spin_trylock(&spin) == EBUSY);
	starpu_pthread_spin_unlock(&spin);
	CHECK(starpu_pthread_spin_destroy(&spin) == 0);
	starpu_sem_init(&sem, 0, 1);
	CHECK(starpu_sem_trywait(&sem) == 0 && starpu_sem_trywait(&sem) != 0);
	starpu_sem_post(&sem);
	CHECK(starpu_sem_wait(&sem) == 0);
	starpu_sem_destroy(&sem);
}

int main(void)
{
	double from = starpu_timing_now();
	check_bitmap();
	check_hash();
	check_env();
	check_threads();
	check_queues();
	starpu_usleep(1500);
	double us = starpu_timing_now() - from;
	CHECK(us >= 3500 && us < 60e6);
	return checks_failed();
}
