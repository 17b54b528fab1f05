/* SPDX-License-Identifier: Apache-2.0 */
/* A worker that the application runs: by steps in the main thread, then by a thread that runs it until it is told to end. */
#include <errno.h>
#include <starpu.h>
#include <starpu_thread_util.h>

static unsigned ran;
static pthread_t by;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	by = pthread_self();
	__atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
}

static struct starpu_codelet codelet = {.cpu_funcs = {count}, .name = "count"};

static void submit(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int rc = starpu_task_insert(&codelet, STARPU_EXECUTE_ON_WORKER, 0, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
}

static void *run(void *driver)
{
	int rc = starpu_driver_run(driver);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_driver_run");
	return NULL;
}

static void *waits(void *arg)
{
	(void)arg;
	starpu_task_wait_for_all();
	return NULL;
}

/* Another thread waits, and there is no step after the one that runs the last task. */
static int check_last_step(struct starpu_driver *d)
{
	starpu_pthread_t thread;
	submit(10);
	STARPU_PTHREAD_CREATE(&thread, NULL, waits, NULL);
	while (__atomic_load_n(&ran, __ATOMIC_RELAXED) < 60)
		if (starpu_driver_run_once(d))
			return 1;
	STARPU_PTHREAD_JOIN(thread, NULL);
	return 0;
}

static int check_steps(struct starpu_driver *d)
{
	struct starpu_driver unknown = {.type = STARPU_CPU_WORKER, .id.cpu_id = 77};
	if (starpu_driver_init(&unknown) != -EINVAL || starpu_driver_init(d))
		return 1;
	submit(50);
	while (__atomic_load_n(&ran, __ATOMIC_RELAXED) < 50)
		if (starpu_driver_run_once(d))
			return 1;
	starpu_task_wait_for_all();
	return check_last_step(d) || starpu_driver_deinit(d) || !pthread_equal(by, pthread_self());
}

int main(void)
{
	struct starpu_conf conf;
	struct starpu_driver d = {.type = STARPU_CPU_WORKER, .id.cpu_id = 0};
	for (unsigned round = 0; round < 3; round++) {
		starpu_conf_init(&conf);
		conf.ncpus = 1;
		conf.nopencl = 0;
		conf.not_launched_drivers = &d;
		conf.n_not_launched_drivers = 1;
		int rc = starpu_init(&conf);
		if (rc == -ENODEV)
			return EXIT_FAILURE;
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
		ran = 0;
		if (round == 0) {
			if (check_steps(&d))
				return 1;
			starpu_shutdown();
			continue;
		}
		starpu_pthread_t thread;
		STARPU_PTHREAD_CREATE(&thread, NULL, run, &d);
		submit(500);
		starpu_task_wait_for_all();
		starpu_drivers_request_termination();
		STARPU_PTHREAD_JOIN(thread, NULL);
		starpu_shutdown();
		if (ran != 500)
			return 1;
	}
	return 0;
}
