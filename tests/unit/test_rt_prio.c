/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of jobs with a priority: against a list that is searched; several threads lose and repeat nothing. */
#include "harness.h"
#include "runtime/core/prio.h"
#include <pthread.h>
#include <stdlib.h>

enum { JOBS = 400, STEPS = 20000, THREADS = 3, EACH = 4000 };

static unsigned some(unsigned *state, unsigned below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* The model: jobs in the order of their arrival. */
static struct rt_job *model_take(struct rt_job **at, unsigned *n, bool urgent)
{
	unsigned best = *n;
	for (unsigned i = 0; i < *n; i++)
		if ((at[i]->priority > 0) == urgent && (best == *n || at[i]->priority > at[best]->priority))
			best = i;
	if (best == *n)
		return NULL;
	struct rt_job *j = at[best];
	for (unsigned i = best + 1; i < *n; i++)
		at[i - 1] = at[i];
	--*n;
	return j;
}

TEST(order_is_that_of_a_list)
{
	struct weft_err err = {0};
	struct rt_prio q = {0};
	struct rt_job *model[JOBS], *spare[JOBS];
	unsigned n = 0, n_spare = 0, state = 1, wrong = 0;
	REQUIRE(rt_jobs_begin(&err) == 0);
	struct rt_pool *pool = rt_pool_take();
	for (unsigned i = 0; i < JOBS; i++)
		spare[n_spare++] = rt_job_new(pool);
	for (unsigned step = 0; step < STEPS; step++) {
		/* Many priorities at times, so that lists come and go. */
		int range = step / 1000 % 2 ? 300 : 5;
		if (n_spare && some(&state, 2)) {
			struct rt_job *j = spare[--n_spare];
			j->priority = (int)some(&state, (unsigned)range) - range / 2;
			j->priority += j->priority >= 0;
			CHECK(rt_prio_put(&q, j) == 0);
			model[n++] = j;
		} else {
			bool urgent = some(&state, 2);
			struct rt_job *want = model_take(model, &n, urgent), *got = rt_prio_take(&q, urgent);
			wrong += got != want;
			if (got)
				spare[n_spare++] = got;
		}
		wrong += weft_load_u32(&q.n_urgent) + weft_load_u32(&q.n_low) != n;
	}
	CHECK(wrong == 0);
	rt_prio_fini(&q);
	rt_pool_leave(pool);
	rt_jobs_end();
}

static struct rt_prio shared;
static struct weft_atomic_u32 put, taken;

static void *puts_and_takes(void *arg)
{
	struct rt_pool *pool = rt_pool_take();
	unsigned state = (unsigned)(uintptr_t)arg, failed = 0;
	for (unsigned i = 0; i < EACH; i++) {
		struct rt_job *j = rt_job_new(pool);
		j->priority = some(&state, 2) ? 1 + (int)some(&state, 30) : -1 - (int)some(&state, 30);
		j->arg = NULL;
		failed += rt_prio_put(&shared, j) != 0;
		weft_add_u32(&put, 1);
		j = rt_prio_take(&shared, some(&state, 2));
		if (j) {
			failed += j->arg != NULL;
			j->arg = pool; /* nobody gets it twice */
			weft_add_u32(&taken, 1);
		}
	}
	rt_pool_leave(pool);
	return (void *)(uintptr_t)failed;
}

TEST(threads_lose_nothing)
{
	struct weft_err err = {0};
	pthread_t thread[THREADS];
	REQUIRE(rt_jobs_begin(&err) == 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&thread[i], NULL, puts_and_takes, (void *)(i + 1)) == 0);
	for (unsigned i = 0; i < THREADS; i++) {
		void *failed = NULL;
		pthread_join(thread[i], &failed);
		CHECK(failed == NULL);
	}
	unsigned left = 0;
	while (rt_prio_take(&shared, true) || rt_prio_take(&shared, false))
		left++;
	CHECK(weft_load_u32(&put) == THREADS * EACH);
	CHECK(weft_load_u32(&taken) + left == THREADS * EACH);
	rt_prio_fini(&shared);
	rt_jobs_end();
}
