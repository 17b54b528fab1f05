/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of tasks (starpu_task_get_job_id) begin at 1 and have no gap, whoever asks, and stay: programs index tables by them. */
#include "starpu_check.h"
#include <pthread.h>

enum { THREADS = 4, EACH = 300, INSERTED = 100, ALL = THREADS * EACH + INSERTED };
static unsigned char seen[ALL + 2];

static void note(unsigned long id)
{
	CHECK(id >= 1 && id <= ALL);
	if (id <= ALL)
		CHECK(!__atomic_exchange_n(&seen[id], 1, __ATOMIC_RELAXED));
}

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static void ask(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	note(starpu_task_get_job_id(starpu_task_get_current()));
}
static struct starpu_codelet quiet = {.cpu_funcs = {nothing}}, asks = {.cpu_funcs = {ask}};

/* Each is asked before, while and after it is under way, and once more when it is submitted again. */
static void *submit_some(void *arg)
{
	for (int i = 0; i < EACH; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &quiet;
		t->detach = 0;
		t->destroy = 0;
		unsigned long before = i % 2 ? starpu_task_get_job_id(t) : 0;
		CHECK(starpu_task_submit(t) == 0);
		unsigned long id = starpu_task_get_job_id(t);
		CHECK(starpu_task_wait(t) == 0);
		CHECK((!before || before == id) && starpu_task_get_job_id(t) == id);
		CHECK(starpu_task_submit(t) == 0 && starpu_task_wait(t) == 0);
		CHECK(starpu_task_get_job_id(t) == id);
		note(id);
		starpu_task_destroy(t);
		CHECK(starpu_task_insert(&quiet, 0) == 0); /* nobody asks for this one's */
	}
	return arg;
}

int main(void)
{
	struct starpu_conf conf;
	pthread_t thread[THREADS];
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, submit_some, NULL) == 0);
	for (int i = 0; i < INSERTED; i++)
		CHECK(starpu_task_insert(&asks, 0) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	starpu_task_wait_for_all();
	for (int i = 1; i <= ALL; i++)
		CHECK(seen[i]);
	starpu_shutdown();
	return checks_failed();
}
