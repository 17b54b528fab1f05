/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What workers spend their time with, by programs of known shape: while a worker does nothing but one thing, all of its time is that,
 * to the nanosecond; over any time, the split parts and what is left over are the total.
 */
#include "starpu_check.h"
#include <starpu_openmp.h>
#include <starpu_profiling.h>
#include <starpu_scheduler.h>
#include <pthread.h>

enum { LOOK_US = 20000, SLOW_US = 10000 };

/* What a task, a callback, a policy or a disk is held by. */
static int held, holds;

static void hold(void)
{
	__atomic_store_n(&holds, 1, __ATOMIC_RELEASE);
	while (LOOK(held))
		usleep(100);
	__atomic_store_n(&holds, 0, __ATOMIC_RELEASE);
}
static void hold_task(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	hold();
}
static void hold_callback(void *arg)
{
	(void)arg;
	hold();
}
static void quick(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet holding = {.cpu_funcs = {hold_task}, .name = "holding"};
static struct starpu_codelet quicks = {.cpu_funcs = {quick}, .name = "quicks"};
static struct starpu_codelet reads = {.cpu_funcs = {quick}, .nbuffers = 1, .modes = {STARPU_R}, .name = "reads"};

static double us(struct timespec t)
{
	return starpu_timing_timespec_to_us(&t);
}
static int same(struct timespec a, struct timespec b)
{
	return starpu_timespec_cmp(&a, &b, ==);
}
static int none(struct timespec t)
{
	return !t.tv_sec && !t.tv_nsec;
}

static struct starpu_profiling_worker_info info(int worker)
{
	struct starpu_profiling_worker_info i;
	CHECK(starpu_profiling_worker_get_info(worker, &i) == 0);
	double sum = us(i.executing_time) + us(i.callback_time) + us(i.waiting_time) + us(i.sleeping_time) +
	             us(i.scheduling_time);
	CHECK(sum <= us(i.total_time) + 0.01);
	CHECK(us(i.executing_time) == us(i.all_executing_time));
	CHECK(us(i.callback_time) <= us(i.all_callback_time) + 0.01);
	CHECK(us(i.waiting_time) <= us(i.all_waiting_time) + 0.01);
	CHECK(us(i.sleeping_time) <= us(i.all_sleeping_time) + 0.01);
	CHECK(us(i.scheduling_time) <= us(i.all_scheduling_time) + 0.01);
	return i;
}

/* Of a time in which nothing changes. */
static struct starpu_profiling_worker_info look(int worker)
{
	info(worker);
	usleep(LOOK_US);
	struct starpu_profiling_worker_info i = info(worker);
	CHECK(us(i.total_time) >= LOOK_US);
	return i;
}

static void begin_with(int cpus, const char *policy, struct starpu_sched_policy *own)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = cpus;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	conf.sched_policy = own;
	if (starpu_init(&conf))
		cannot_begin();
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
}

static void let_go(void)
{
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	starpu_task_wait_for_all();
}

static int is_asleep(int worker)
{
	struct starpu_profiling_worker_info i;
	starpu_profiling_worker_get_info(worker, NULL);
	usleep(1000);
	starpu_profiling_worker_get_info(worker, &i);
	return same(i.sleeping_time, i.total_time);
}

/* Also one that fell asleep before profiling began. */
static void sleeping(const char *policy)
{
	begin_with(2, policy, NULL);
	WAIT_FOR(is_asleep(0) && is_asleep(1));
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	usleep(LOOK_US);
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	struct starpu_profiling_worker_info i = look(1);
	CHECK(same(i.sleeping_time, i.total_time) && same(i.all_sleeping_time, i.total_time));
	CHECK(none(i.executing_time) && none(i.callback_time) && none(i.waiting_time) && none(i.scheduling_time));
	CHECK(i.executed_tasks == 0);
	starpu_shutdown();
}

static void executing(const char *policy)
{
	begin_with(1, policy, NULL);
	held = 1;
	CHECK(starpu_task_insert(&holding, 0) == 0);
	WAIT_FOR(LOOK(holds));
	struct starpu_profiling_worker_info i = look(0);
	CHECK(same(i.executing_time, i.total_time) && same(i.all_executing_time, i.total_time));
	CHECK(none(i.sleeping_time) && none(i.callback_time) && none(i.all_sleeping_time) && i.executed_tasks == 0);
	let_go();
	i = info(0);
	CHECK(i.executed_tasks == 1 && !none(i.executing_time));
	starpu_shutdown();
}

static void calling_back(const char *policy)
{
	begin_with(1, policy, NULL);
	held = 1;
	CHECK(starpu_task_insert(&quicks, STARPU_CALLBACK, hold_callback, 0) == 0);
	WAIT_FOR(LOOK(holds));
	struct starpu_profiling_worker_info i = look(0);
	CHECK(same(i.callback_time, i.total_time) && same(i.all_callback_time, i.total_time));
	CHECK(none(i.executing_time) && none(i.sleeping_time));
	let_go();
	starpu_shutdown();
}

/* ---- a policy that is slow to give tasks ---- */

static struct starpu_task_list list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void slow_init(unsigned ctx)
{
	(void)ctx;
	starpu_task_list_init(&list);
}
static void slow_deinit(unsigned ctx)
{
	(void)ctx;
}
static int slow_push(struct starpu_task *task)
{
	usleep(SLOW_US);
	pthread_mutex_lock(&lock);
	starpu_task_list_push_back(&list, task);
	pthread_mutex_unlock(&lock);
	starpu_push_task_end(task);
	return 0;
}
static struct starpu_task *slow_pop(unsigned ctx)
{
	(void)ctx;
	pthread_mutex_lock(&lock);
	struct starpu_task *t = starpu_task_list_empty(&list) ? NULL : starpu_task_list_pop_front(&list);
	pthread_mutex_unlock(&lock);
	if (t)
		usleep(SLOW_US);
	return t;
}
static struct starpu_sched_policy slow = {.init_sched = slow_init,
                                          .deinit_sched = slow_deinit,
                                          .push_task = slow_push,
                                          .pop_task = slow_pop,
                                          .policy_name = "slow"};

static double between(const struct timespec *from, const struct timespec *to)
{
	return starpu_timing_timespec_delay_us((struct timespec *)(uintptr_t)from, (struct timespec *)(uintptr_t)to);
}

static void scheduling(void)
{
	enum { TASKS = 5 };
	struct starpu_task *task[TASKS];
	begin_with(1, NULL, &slow);
	for (int k = 0; k < TASKS; k++) {
		task[k] = starpu_task_create();
		task[k]->cl = &quicks;
		task[k]->detach = task[k]->destroy = 0;
		CHECK(starpu_task_submit(task[k]) == 0);
	}
	CHECK(starpu_task_wait_array(task, TASKS) == 0);
	struct starpu_profiling_worker_info i = info(0);
	CHECK(i.executed_tasks == TASKS);
	CHECK(us(i.all_scheduling_time) >= TASKS * SLOW_US && us(i.scheduling_time) >= TASKS * SLOW_US);
	for (int k = 0; k < TASKS; k++) {
		const struct starpu_profiling_task_info *p = task[k]->profiling_info;
		CHECK(p != NULL);
		if (!p)
			continue;
		CHECK(between(&p->submit_time, &p->push_start_time) >= 0);
		CHECK(between(&p->push_start_time, &p->pop_start_time) >= 0);
		CHECK(between(&p->pop_start_time, &p->pop_end_time) >= SLOW_US);
		/* The worker may have had it before its pusher was back. */
		CHECK(between(&p->push_start_time, &p->push_end_time) >= SLOW_US ||
		      between(&p->push_end_time, &p->pop_start_time) == 0);
		CHECK(between(&p->pop_end_time, &p->start_time) >= 0);
		starpu_task_destroy(task[k]);
	}
	starpu_shutdown();
}

/* ---- a disk that is slow to read ---- */

static char on_disk[64];
static void *plug(void *parameter, starpu_ssize_t size)
{
	(void)parameter, (void)size;
	return on_disk;
}
static void unplug(void *base)
{
	(void)base;
}
static int bandwidth(unsigned node, void *base)
{
	(void)node, (void)base;
	return 1;
}
static void *alloc(void *base, size_t size)
{
	(void)base;
	return malloc(size);
}
static void free_object(void *base, void *object, size_t size)
{
	(void)base, (void)size;
	free(object);
}
static void *open_object(void *base, void *pos, size_t size)
{
	(void)base, (void)size;
	return pos;
}
static void close_object(void *base, void *object, size_t size)
{
	(void)base, (void)object, (void)size;
}
static int read_object(void *base, void *object, void *buffer, off_t offset, size_t size)
{
	(void)base;
	hold();
	memcpy(buffer, (char *)object + offset, size);
	return 0;
}
static int write_object(void *base, void *object, const void *buffer, off_t offset, size_t size)
{
	(void)base;
	memcpy((char *)object + offset, buffer, size);
	return 0;
}
static struct starpu_disk_ops slow_disk = {.plug = plug,
                                           .unplug = unplug,
                                           .bandwidth = bandwidth,
                                           .alloc = alloc,
                                           .free = free_object,
                                           .open = open_object,
                                           .close = close_object,
                                           .read = read_object,
                                           .write = write_object};

static void waiting(const char *policy)
{
	starpu_data_handle_t h;
	begin_with(1, policy, NULL);
	int node = starpu_disk_register(&slow_disk, on_disk, STARPU_DISK_SIZE_MIN);
	CHECK(node > 0);
	starpu_variable_data_register(&h, node, (uintptr_t)on_disk, sizeof on_disk);
	held = 1;
	CHECK(starpu_task_insert(&reads, STARPU_R, h, 0) == 0);
	WAIT_FOR(LOOK(holds));
	/* Nothing else is to be done meanwhile: it sleeps, too, but it waits. */
	WAIT_FOR(!is_asleep(0));
	struct starpu_profiling_worker_info i = look(0);
	CHECK(same(i.waiting_time, i.total_time) && same(i.all_waiting_time, i.total_time));
	CHECK(none(i.sleeping_time) && none(i.executing_time) && !none(i.all_sleeping_time));
	/* While a task runs, it executes. */
	let_go();
	i = info(0);
	CHECK(i.executed_tasks == 1);
	i = look(0);
	CHECK(none(i.all_waiting_time));
	starpu_data_unregister(h);
	starpu_shutdown();
}

/* Everything at once: no time is lost or counted twice; asked again, there is nothing. */
static void mixture(const char *policy)
{
	enum { TASKS = 200 };
	begin_with(2, policy, NULL);
	held = 0;
	for (int k = 0; k < TASKS; k++)
		CHECK(starpu_task_insert(k % 2 ? &quicks : &holding, STARPU_CALLBACK, hold_callback, STARPU_FLOPS, 1e6, 0) == 0);
	starpu_task_wait_for_all();
	int tasks = 0;
	double flops = 0;
	for (int w = 0; w < 2; w++) {
		struct starpu_profiling_worker_info i = info(w);
		tasks += i.executed_tasks;
		flops += i.flops;
		i = info(w);
		CHECK(i.executed_tasks == 0 && i.flops == 0);
		CHECK(none(i.executing_time) && none(i.callback_time) && none(i.waiting_time));
		CHECK(none(i.all_executing_time) && none(i.all_callback_time) && none(i.all_waiting_time));
	}
	CHECK(tasks == TASKS && flops == TASKS * 1e6);
	/* What was collected stays when it stops, and grows no more. */
	CHECK(starpu_task_insert(&quicks, 0) == 0);
	starpu_task_wait_for_all();
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	CHECK(starpu_task_insert(&quicks, 0) == 0);
	starpu_task_wait_for_all();
	struct starpu_profiling_worker_info a = info(0), b = info(1);
	CHECK(a.executed_tasks + b.executed_tasks == 1 && us(a.total_time) > 0);
	CHECK(none(info(0).total_time));
	starpu_shutdown();
}

/* Of all workers, one executes all the time. */
static void *look_at_omp(void *arg)
{
	WAIT_FOR(LOOK(holds));
	int executing = 0, n = (int)starpu_worker_get_count();
	for (int w = 0; w < n; w++) {
		struct starpu_profiling_worker_info i = look(w);
		executing += same(i.executing_time, i.total_time);
		CHECK(same(i.executing_time, i.total_time) || none(i.executing_time));
	}
	CHECK(executing == 1);
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	return arg;
}

/* OpenMP's regions and tasks execute, too; while they wait for others, they do not. */
static void omp_hold(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	hold();
}
static void omp_master(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	struct starpu_omp_task_region_attr attr = {.cl = {.cpu_funcs = {omp_hold}, .where = STARPU_CPU},
	                                           .if_clause = 1,
	                                           .untied_clause = 1};
	starpu_omp_task_region(&attr);
	starpu_omp_taskwait();
}
static void openmp(void)
{
	struct starpu_omp_parallel_region_attr attr = {.cl = {.cpu_funcs = {omp_master}, .where = STARPU_CPU},
	                                               .if_clause = 1,
	                                               .num_threads = 1};
	setenv("STARPU_PROFILING", "1", 1);
	setenv("OMP_NUM_THREADS", "1", 1);
	if (starpu_omp_init())
		cannot_begin();
	held = 1;
	pthread_t other;
	CHECK(!pthread_create(&other, NULL, look_at_omp, NULL));
	starpu_omp_parallel_region(&attr);
	pthread_join(other, NULL);
	starpu_omp_shutdown();
	unsetenv("STARPU_PROFILING");
	unsetenv("OMP_NUM_THREADS");
}

/* In the middle of a run all begins anew, and goes on as it was: off, or on while the environment says so. */
static void begun_anew(void)
{
	begin_with(1, NULL, NULL);
	CHECK(starpu_task_insert(&quicks, 0) == 0);
	starpu_task_wait_for_all();
	starpu_profiling_init();
	CHECK(starpu_profiling_status_get() == STARPU_PROFILING_ENABLE);
	struct starpu_profiling_worker_info i = info(0);
	CHECK(i.executed_tasks == 0);
	held = 1;
	CHECK(starpu_task_insert(&holding, 0) == 0);
	WAIT_FOR(LOOK(holds));
	starpu_profiling_init(); /* what runs goes on to run */
	i = look(0);
	CHECK(same(i.executing_time, i.total_time));
	let_go();
	starpu_shutdown();
}

/* A policy that foretells: from the begin of the task on, as long as its model says. */
static double long_us(struct starpu_task *t, unsigned impl)
{
	(void)t, (void)impl;
	return 5e6;
}
static struct starpu_perfmodel foretold = {.type = STARPU_COMMON, .cost_function = long_us, .symbol = "foretold"};
static struct starpu_codelet known = {.cpu_funcs = {hold_task}, .model = &foretold, .name = "known"};

static void expected_end(void)
{
	struct timespec end;
	begin_with(1, "dmda", NULL);
	held = 1;
	double before = starpu_timing_now();
	CHECK(starpu_task_insert(&known, 0) == 0);
	WAIT_FOR(LOOK(holds));
	double after = starpu_timing_now();
	starpu_worker_get_current_task_exp_end(0, &end);
	CHECK(us(end) >= before + 5e6 - 100 && us(end) <= after + 5e6 + 100);
	let_go();
	starpu_shutdown();
}

int main(void)
{
	static const char *const policies[] = {"lws", "dmda"};
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_PROFILING");
	for (int p = 0; p < 2; p++) {
		sleeping(policies[p]);
		executing(policies[p]);
		calling_back(policies[p]);
		waiting(policies[p]);
		mixture(policies[p]);
	}
	scheduling();
	begun_anew();
	expected_end();
	openmp();
	return checks_failed();
}
