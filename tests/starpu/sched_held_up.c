/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code on the processors of a context: no worker of the context runs anything meanwhile, whoever calls, from wherever, and however
 * many do at once; what was submitted runs afterwards. Workers that are booked for another one.
 */
#include "starpu_check.h"
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { WORKERS = 4, TASKS = 60 };

static int running[WORKERS], ran[WORKERS], n_ran;
static void work(void *buffers[], void *arg)
{
	int me = starpu_worker_get_id();
	(void)buffers, (void)arg;
	__atomic_store_n(&running[me], 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 20; i++)
		sched_yield();
	__atomic_store_n(&running[me], 0, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&ran[me], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet works = {.cpu_funcs = {work}};

static void submit(unsigned ctx, int n)
{
	for (int i = 0; i < n; i++)
		CHECK(starpu_task_insert(&works, STARPU_SCHED_CTX, ctx, 0) == 0);
}

/* What runs in the place of these workers; each has at most one such at a time. */
static int in_code[WORKERS], codes;
struct code {
	unsigned ctx;
	void (*inside)(struct code *c);
	bool shares; /* a code inside of a code */
};
static void *code(void *arg)
{
	struct code *c = arg;
	int *workers, n = (int)starpu_sched_ctx_get_workers_list_raw(c->ctx, &workers), me = starpu_worker_get_id();
	for (int i = 0; i < n; i++)
		CHECK(!__atomic_exchange_n(&in_code[workers[i]], 1, __ATOMIC_SEQ_CST) || c->shares);
	bool quiet = true;
	for (int turn = 0; turn < 200; turn++) {
		for (int i = 0; i < n; i++)
			quiet = quiet && (workers[i] == me || !__atomic_load_n(&running[workers[i]], __ATOMIC_SEQ_CST));
		sched_yield();
	}
	CHECK(quiet);
	if (c->inside)
		c->inside(c);
	for (int i = 0; i < n && !c->shares; i++)
		__atomic_store_n(&in_code[workers[i]], 0, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&codes, 1, __ATOMIC_SEQ_CST);
	return c;
}
static void call(struct code *c)
{
	CHECK(starpu_sched_ctx_exec_parallel_code(code, c, c->ctx) == c);
}

static void call_in_task(void *buffers[], void *arg)
{
	struct code c = {.ctx = *(unsigned *)arg};
	(void)buffers;
	call(&c);
}
static struct starpu_codelet calls = {.cpu_funcs = {call_in_task}};

/* -- contexts 1 and 2 have a policy and share worker 1; 3 has none -- */

static unsigned first, second, bare;

static void by_thread(unsigned ctx)
{
	submit(ctx, TASKS);
	struct code c = {.ctx = ctx};
	call(&c);
	submit(ctx, TASKS);
}
static void of_first(void)
{
	by_thread(first);
}
static void of_bare(void)
{
	by_thread(bare);
}
static void of_all(void)
{
	by_thread(0);
}

static void by_task(unsigned ctx, unsigned from)
{
	submit(ctx, TASKS);
	CHECK(starpu_task_insert(&calls, STARPU_SCHED_CTX, from, STARPU_VALUE, &ctx, sizeof ctx, 0) == 0);
	submit(ctx, TASKS);
}
static void by_own_task(void)
{
	by_task(first, first);
}
static void by_task_of_all(void)
{
	by_task(0, 0);
}
static void by_task_outside(void)
{
	by_task(first, 0);
}
static void by_fork_join_task(void)
{
	by_task(bare, bare);
}

/* Tasks on two workers, which have both begun, hold up each other. */
static pthread_barrier_t both;
static void call_when_both(void *buffers[], void *arg)
{
	struct code c = {.ctx = first};
	(void)buffers, (void)arg;
	pthread_barrier_wait(&both);
	call(&c);
}
static struct starpu_codelet calls_when_both = {.cpu_funcs = {call_when_both}};
static void by_two_tasks(void)
{
	for (int i = 0; i < 2; i++)
		CHECK(starpu_task_insert(&calls_when_both, STARPU_SCHED_CTX, first, STARPU_EXECUTE_ON_WORKER, i, 0) == 0);
	submit(first, TASKS);
}

static void *call_often(void *ctx)
{
	struct code c = {.ctx = *(unsigned *)ctx};
	for (int i = 0; i < 10; i++)
		call(&c);
	return NULL;
}
static void by_two_threads(void)
{
	pthread_t other;
	submit(first, TASKS);
	submit(second, TASKS);
	CHECK(!pthread_create(&other, NULL, call_often, &second));
	call_often(&first);
	CHECK(!pthread_join(other, NULL));
}

static void inner(struct code *c)
{
	struct code more = {.ctx = c->ctx == first ? second : first, .shares = true};
	call(&more);
}
static void within(void)
{
	submit(first, TASKS);
	struct code c = {.ctx = first, .inside = inner};
	call(&c);
}

static void in_a_pause(void)
{
	submit(first, TASKS);
	starpu_pause();
	struct code c = {.ctx = first};
	call(&c);
	CHECK(starpu_is_paused());
	starpu_resume();
}

static void booked(void)
{
	int workers[] = {1, 2, 3};
	CHECK(starpu_sched_ctx_book_workers_for_task(0, workers, 3) == 1);
	int before[] = {ran[0], 0, ran[2], ran[3]};
	submit(0, TASKS);
	starpu_task_wait_for_all();
	CHECK(ran[2] == before[2] && ran[3] == before[3] && !running[2] && !running[3]);
	starpu_sched_ctx_unbook_workers_for_task(0, 1);
	for (int i = 2; i < WORKERS; i++) {
		CHECK(starpu_task_insert(&works, STARPU_EXECUTE_ON_WORKER, i, 0) == 0);
		starpu_task_wait_for_all();
		CHECK(ran[i] == before[i] + 1);
	}
}

static const struct {
	const char *name;
	void (*act)(void);
	int tasks, codes;
} cases[] = {
	{"a thread, a context with a policy", of_first, 2 * TASKS, 1},
	{"a thread, a context without", of_bare, 2 * TASKS, 1},
	{"a thread, all workers", of_all, 2 * TASKS, 1},
	{"a task of the context", by_own_task, 2 * TASKS, 1},
	{"a task, all workers", by_task_of_all, 2 * TASKS, 1},
	{"a task of another context", by_task_outside, 2 * TASKS, 1},
	{"a task that has all workers", by_fork_join_task, 2 * TASKS, 1},
	{"two tasks", by_two_tasks, TASKS, 2},
	{"two threads, a worker of both", by_two_threads, 2 * TASKS, 20},
	{"within itself", within, TASKS, 2},
	{"in a pause", in_a_pause, TASKS, 1},
	{"booked", booked, TASKS + 2, 0},
};

/* -- a worker that this thread drives -- */

static void check_driven(void)
{
	struct starpu_conf conf;
	struct starpu_driver d = {.type = STARPU_CPU_WORKER, .id.cpu_id = 0};
	int mine[] = {0};
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.not_launched_drivers = &d;
	conf.n_not_launched_drivers = 1;
	CHECK(starpu_init(&conf) == 0 && starpu_driver_init(&d) == 0);
	struct code c = {.ctx = starpu_sched_ctx_create(mine, 1, "driven", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0)};
	int before = n_ran, codes_before = codes;
	call(&c);
	submit(c.ctx, TASKS);
	call(&c);
	CHECK(codes == codes_before + 2);
	for (int i = 0; i < 1000 * TASKS && n_ran < before + TASKS; i++)
		CHECK(starpu_driver_run_once(&d) == 0);
	CHECK(n_ran == before + TASKS);
	starpu_task_wait_for_all();
	starpu_sched_ctx_delete(c.ctx);
	CHECK(starpu_driver_deinit(&d) == 0);
	starpu_shutdown();
}

int main(void)
{
	int workers[] = {0, 1, 2, 3};
	struct starpu_conf conf;
	setenv("STARPU_WORKERS_NOBIND", "1", 1);
	starpu_conf_init(&conf);
	conf.ncpus = WORKERS;
	CHECK(starpu_init(&conf) == 0);
	pthread_barrier_init(&both, NULL, 2);
	/* While the core's loop has the tasks. */
	of_all();
	starpu_task_wait_for_all();
	CHECK(n_ran == 2 * TASKS && codes == 1);
	first = starpu_sched_ctx_create(workers, 2, "first", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	second = starpu_sched_ctx_create(workers + 1, 2, "second", STARPU_SCHED_CTX_POLICY_NAME, "prio", 0);
	bare = starpu_sched_ctx_create(workers + 1, 3, "bare", 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int tasks = n_ran, code_before = codes, bad = checks_bad;
		cases[i].act();
		starpu_task_wait_for_all();
		CHECK(n_ran == tasks + cases[i].tasks && codes == code_before + cases[i].codes);
		if (checks_bad > bad)
			fprintf(stderr, "(%s)\n", cases[i].name);
	}
	starpu_shutdown();
	check_driven();
	return checks_failed();
}
