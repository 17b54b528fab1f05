/* SPDX-License-Identifier: Apache-2.0 */
/* The worker of a device that the application runs, named by the device itself: by steps, then until it is told to end. */
#include "starpu_check.h"
#ifdef STARPU_USE_OPENCL
#include <pthread.h>
#include <starpu_opencl.h>

enum { TASKS = 20 };
static int ran;
static pthread_t by;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	by = pthread_self();
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}
static struct starpu_codelet there = {.opencl_funcs = {count}, .name = "there"};

static void begin(struct starpu_driver *d)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.nopencl = 1;
	conf.not_launched_drivers = d;
	conf.n_not_launched_drivers = 1;
	if (starpu_init(&conf) || starpu_opencl_worker_get_count() != 1)
		cannot_begin();
	ran = 0;
}

static void submit(void)
{
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&there, 0) == 0);
}

static void by_steps(struct starpu_driver *d)
{
	begin(d);
	CHECK(starpu_driver_init(d) == 0);
	submit();
	for (unsigned turn = 0; LOOK(ran) < TASKS && turn < 60000; turn++) {
		CHECK(starpu_driver_run_once(d) == 0);
		usleep(LOOK(ran) < TASKS ? 100 : 0);
	}
	starpu_task_wait_for_all();
	CHECK(ran == TASKS && pthread_equal(by, pthread_self()));
	CHECK(starpu_driver_deinit(d) == 0);
	starpu_shutdown();
}

static void *runs(void *d)
{
	CHECK(starpu_driver_run(d) == 0);
	return NULL;
}

static void until_told(struct starpu_driver *d)
{
	pthread_t thread;
	begin(d);
	CHECK(!pthread_create(&thread, NULL, runs, d));
	submit();
	starpu_task_wait_for_all();
	CHECK(ran == TASKS && pthread_equal(by, thread));
	starpu_drivers_request_termination();
	CHECK(!pthread_join(thread, NULL));
	starpu_shutdown();
}

int main(void)
{
	struct starpu_driver d = {.type = STARPU_OPENCL_WORKER}, other = {.type = STARPU_OPENCL_WORKER};
	cl_platform_id platform;
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	unsetenv("STARPU_SCHED");
	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &d.id.opencl_id, NULL))
		skip_test("no OpenCL device");
	by_steps(&d);
	until_told(&d);
	CHECK(starpu_driver_init(&other) < 0);
	return checks_failed();
}
#else
int main(void)
{
	skip_test("built without OpenCL");
}
#endif
