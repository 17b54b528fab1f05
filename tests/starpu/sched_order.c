/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order that tasks themselves give (workerorder): each worker runs its tasks by their numbers, however they are submitted, whatever
 * their priorities are, and although some become ready late; and policies are told of what passes them.
 */
#include "starpu_check.h"
#include <stdbool.h>
#include <stdint.h>

enum { TASKS = 60, WORKERS = 2, CHAIN = 4 };
static unsigned seen[WORKERS][TASKS], n_seen[WORKERS];

static void note(void *buffers[], void *arg)
{
	int me = starpu_worker_get_id_check();
	(void)buffers;
	CHECK(me < WORKERS && n_seen[me] < TASKS);
	seen[me][n_seen[me]++] = (unsigned)(uintptr_t)arg;
}
static struct starpu_codelet notes = {.cpu_funcs = {note}}, chained = {.cpu_funcs = {note}, .nbuffers = 1, .modes = {STARPU_RW}};

static unsigned shuffled(unsigned i, unsigned n)
{
	return i * 37 % n; /* n and 37 have no common divisor */
}

/* Every fourth task of worker 0 depends on the task of worker 1 with the same number: it is ready late. */
static void with(const char *policy, unsigned workers)
{
	struct starpu_conf conf;
	starpu_data_handle_t handle[TASKS];
	starpu_conf_init(&conf);
	conf.ncpus = (int)workers;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
	memset(n_seen, 0, sizeof n_seen);
	for (unsigned i = 0; i < TASKS; i++)
		starpu_void_data_register(&handle[i]);
	for (unsigned worker = workers; worker-- > 0;)
		for (unsigned i = 0; i < TASKS; i++) {
			unsigned number = shuffled(i, TASKS);
			struct starpu_task *t = starpu_task_create();
			bool chain = workers > 1 && number % CHAIN == 0;
			t->cl = chain ? &chained : &notes;
			t->handles[0] = chain ? handle[number] : NULL;
			t->cl_arg = (void *)(uintptr_t)number;
			t->priority = (int)(i % 5) - 2;
			t->execute_on_a_specific_worker = 1;
			t->workerid = worker;
			t->workerorder = number + 1;
			CHECK(starpu_task_submit(t) == 0);
		}
	CHECK(starpu_task_wait_for_all() == 0);
	for (unsigned worker = 0; worker < workers; worker++) {
		unsigned wrong = n_seen[worker] != TASKS;
		for (unsigned i = 0; i < n_seen[worker]; i++)
			wrong += seen[worker][i] != i;
		if (wrong)
			fprintf(stderr, "# %s: %u tasks of worker %u out of order\n", policy, wrong, worker);
		CHECK(wrong == 0);
	}
	for (unsigned i = 0; i < TASKS; i++)
		starpu_data_unregister(handle[i]);
	starpu_shutdown();
}

/* -- a policy that is told -- */

static int told[WORKERS], pushed;
static void tell(struct starpu_task *t, int worker, int as, unsigned ctx)
{
	CHECK(t->cl == &notes && worker == as && ctx == 0);
	__atomic_add_fetch(&told[worker], 1, __ATOMIC_RELAXED);
}
static int push(struct starpu_task *t)
{
	__atomic_add_fetch(&pushed, 1, __ATOMIC_RELAXED);
	return starpu_push_local_task(0, t, 0);
}
static struct starpu_sched_policy tells = {.push_task = push, .push_task_notify = tell, .policy_name = "tells"};

static void told_of_what_passes(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = WORKERS;
	conf.nopencl = 0;
	conf.sched_policy = &tells;
	if (starpu_init(&conf))
		cannot_begin();
	memset(n_seen, 0, sizeof n_seen);
	for (int i = 0; i < 20; i++) {
		CHECK(starpu_task_insert(&notes, STARPU_EXECUTE_ON_WORKER, i % WORKERS, 0) == 0);
		CHECK(starpu_task_insert(&notes, 0) == 0);
	}
	CHECK(starpu_task_wait_for_all() == 0);
	CHECK(told[0] == 10 && told[1] == 10 && pushed == 20 && n_seen[0] == 30 && n_seen[1] == 10);
	starpu_shutdown();
}

int main(void)
{
	static const char *const policies[] = {"lws",  "eager",      "prio",         "random",
	                                       "dmda", "heteroprio", "modular-heft", "modular-ws"};
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
		for (unsigned workers = 1; workers <= WORKERS; workers++)
			with(policies[i], workers);
	told_of_what_passes();
	return checks_failed();
}
