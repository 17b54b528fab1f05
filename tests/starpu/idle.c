/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers without work sleep: the process uses next to no CPU time while nothing is submitted, under the core's loop and under
 * policies; STARPU_WORKERS_SPIN says for how long they look around before (here for long, so that it is seen). Who sleeps is woken
 * by the next task, whenever that comes.
 */
#include "starpu_check.h"
#include <time.h>

enum { WORKERS = 2, BURST = 100, IDLE_MS = 300, LONG_SPIN_US = 20000000, SEEN_SPINNING_MS = 20, WAKES = 300, PAUSES_US = 150 };

static int n_ran;

static void count(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet counts = {.cpu_funcs = {count}, .name = "counts"};

static double ms_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void begin(const char *policy, const char *spin_us)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = WORKERS;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	setenv("STARPU_WORKERS_SPIN", spin_us, 1);
	CHECK(starpu_init(&conf) == 0);
	for (int i = 0; i < BURST; i++)
		CHECK(starpu_task_insert(&counts, 0) == 0);
	CHECK(starpu_task_wait_for_all() == 0);
}

/* Others on the machine only make less of it. */
static void check_idle(const char *policy)
{
	begin(policy, "20");
	usleep(20000);
	double wall = ms_of(CLOCK_MONOTONIC), cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID);
	usleep(IDLE_MS * 1000);
	cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = ms_of(CLOCK_MONOTONIC) - wall;
	if (cpu > wall / 5)
		fprintf(stderr, "policy %s: %.1f ms of CPU time in %.1f ms without a task\n", policy ? policy : "(usual)", cpu,
		        wall);
	CHECK(cpu <= wall / 5);
	starpu_shutdown();
}

static void check_spinning(void)
{
	char spin[32];
	snprintf(spin, sizeof spin, "%d", LONG_SPIN_US);
	begin(NULL, spin);
	double from = ms_of(CLOCK_PROCESS_CPUTIME_ID);
	WAIT_FOR(ms_of(CLOCK_PROCESS_CPUTIME_ID) - from > SEEN_SPINNING_MS);
	CHECK(ms_of(CLOCK_PROCESS_CPUTIME_ID) - from > SEEN_SPINNING_MS);
	starpu_shutdown();
}

/* Tasks that come just when workers go to sleep. */
static void check_waking(const char *policy)
{
	begin(policy, "20");
	n_ran = 0;
	for (unsigned i = 0; i < WAKES; i++) {
		usleep(i * 37 % PAUSES_US);
		CHECK(starpu_task_insert(&counts, 0) == 0);
		CHECK(starpu_task_wait_for_all() == 0);
	}
	CHECK(LOOK(n_ran) == WAKES);
	starpu_shutdown();
}

int main(void)
{
	static const char *const policies[] = {NULL, "eager", "dmda", "modular-eager"};
	for (unsigned i = 0; i < sizeof policies / sizeof policies[0]; i++) {
		check_idle(policies[i]);
		check_waking(policies[i]);
	}
	check_spinning();
	return checks_failed();
}
