/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that policies read: weights of time and energy, ranges of priorities, sorted queues, prefetching, trees of workers. */
#include "starpu_check.h"

static int ran[2], seen[8];
static unsigned n_seen;
static int held;

static void quick(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	ran[0]++;
}
static void frugal(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	ran[1]++;
}
static double length(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch;
	return impl ? 200 : 100;
}
static double joule(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch;
	return impl ? 1 : 5;
}
static struct starpu_perfmodel lengths = {.type = STARPU_PER_ARCH, .arch_cost_function = length, .symbol = "lengths"},
			       joules = {.type = STARPU_PER_ARCH, .arch_cost_function = joule, .symbol = "joules"};
static struct starpu_codelet two = {.cpu_funcs = {quick, frugal}, .model = &lengths, .energy_model = &joules};

static void begin_on(const char *policy, int ncpus)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = ncpus;
	conf.nopencl = 0;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
}

static void begin(const char *policy)
{
	begin_on(policy, 1);
}

/* What a joule is worth decides between a quick implementation and a frugal one. */
static void weighs(const char *policy, const char *alpha, const char *gamma, int is_quick)
{
	setenv("STARPU_SCHED_ALPHA", alpha, 1);
	setenv("STARPU_SCHED_GAMMA", gamma, 1);
	begin(policy);
	ran[0] = ran[1] = 0;
	for (int i = 0; i < 10; i++)
		CHECK(starpu_task_insert(&two, 0) == 0);
	starpu_task_wait_for_all();
	if (ran[!is_quick] != 10)
		fprintf(stderr, "# %s, alpha %s, gamma %s: %d and %d\n", policy, alpha, gamma, ran[0], ran[1]);
	CHECK(ran[!is_quick] == 10);
	starpu_shutdown();
	unsetenv("STARPU_SCHED_ALPHA");
	unsetenv("STARPU_SCHED_GAMMA");
}

static void wait_for_go(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
}
static void note(void *buffers[], void *arg)
{
	(void)buffers;
	seen[n_seen++] = (int)(intptr_t)arg;
}
static struct starpu_codelet waits = {.cpu_funcs = {wait_for_go}}, notes = {.cpu_funcs = {note}},
			     timed = {.cpu_funcs = {note}, .model = &lengths};

/* A queue that is not sorted still puts what is urgent to the front; what can wait comes as it came. */
static void sorts(const char *sorted, const int *want)
{
	setenv("STARPU_SCHED_SORTED_ABOVE", sorted, 1);
	begin("modular-prio");
	n_seen = 0;
	CHECK(starpu_task_insert(&waits, 0) == 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
	for (intptr_t i = -3; i <= 0; i++)
		CHECK(starpu_task_insert(&notes, STARPU_PRIORITY, (int)i, STARPU_CL_ARGS_NFREE, (void *)i, sizeof i, 0) == 0);
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	starpu_task_wait_for_all();
	CHECK(n_seen == 4 && !memcmp(seen, want, 4 * sizeof *want));
	starpu_shutdown();
	unsetenv("STARPU_SCHED_SORTED_ABOVE");
}

/*
 * How much goes below the decision: what is there comes in its order, what is still above by its priority. As which one the last
 * task, more urgent than the others, ran.
 */
static unsigned comes_as(const char *variable, const char *value)
{
	unsigned at = 99;
	if (variable)
		setenv(variable, value, 1);
	setenv("STARPU_SCHED_SORTED_BELOW", "0", 1);
	begin("modular-heft");
	n_seen = 0;
	CHECK(starpu_task_insert(&waits, 0) == 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
	for (intptr_t i = 0; i < 7; i++)
		CHECK(starpu_task_insert(&timed, STARPU_PRIORITY, i == 6 ? 0 : -1, STARPU_CL_ARGS_NFREE, (void *)i, sizeof i,
		                         0) == 0);
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	starpu_task_wait_for_all();
	CHECK(n_seen == 7);
	for (unsigned i = 0; i < n_seen; i++)
		at = seen[i] == 6 ? i : at;
	starpu_shutdown();
	unsetenv("STARPU_SCHED_SORTED_BELOW");
	if (variable)
		unsetenv(variable);
	return at;
}

static void lets_below(void)
{
	unsigned usual = comes_as(NULL, NULL), few = comes_as("STARPU_NTASKS_THRESHOLD", "2"),
		 more = comes_as("STARPU_NTASKS_THRESHOLD", "4"), little = comes_as("STARPU_EXP_LEN_THRESHOLD", "250");
	if (usual != 6 || few >= more || more >= 6 || little >= 5)
		fprintf(stderr, "# an urgent task came as %u, %u, %u, %u\n", usual, few, more, little);
	CHECK(usual == 6 && few < more && more < 6 && little < 5);
}

/* Who burns idle meanwhile is worth more than what the quick implementation takes itself. */
static void burns_idle(const char *power, int is_quick)
{
	setenv("STARPU_IDLE_POWER", power, 1);
	weighs("dmda", "0", "1", is_quick);
	unsetenv("STARPU_IDLE_POWER");
}

static void says(void)
{
	setenv("STARPU_MIN_PRIO", "-4", 1);
	setenv("STARPU_MAX_PRIO", "9", 1);
	setenv("STARPU_PREFETCH", "0", 1);
	setenv("STARPU_WORKER_TREE", "1", 1);
	begin("prio");
	CHECK(starpu_sched_get_min_priority() == -4 && starpu_sched_get_max_priority() == 9);
	CHECK(starpu_get_prefetch_flag() == 0);
	CHECK(starpu_sched_ctx_get_worker_collection(0)->type == STARPU_WORKER_TREE);
	starpu_shutdown();
	unsetenv("STARPU_MIN_PRIO");
	unsetenv("STARPU_MAX_PRIO");
	unsetenv("STARPU_PREFETCH");
	unsetenv("STARPU_WORKER_TREE");
	begin("prio");
	CHECK(starpu_get_prefetch_flag() == 1);
	CHECK(starpu_sched_ctx_get_worker_collection(0)->type == STARPU_WORKER_LIST);
	starpu_shutdown();
	/* Along the machine: the second worker is on the first processing unit, the first one behind it. */
	setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
	setenv("STARPU_WORKERS_CPUID", "1 0", 1);
	begin_on("lws", 2);
	struct starpu_worker_collection *c = starpu_sched_ctx_get_worker_collection(0);
	CHECK(c->type == STARPU_WORKER_TREE && c->workerids[0] == 1 && c->workerids[1] == 0);
	starpu_shutdown();
	unsetenv("STARPU_WORKERS_CPUID");
	unsetenv("HWLOC_SYNTHETIC");
}

int main(void)
{
	static const int sorted[] = {0, -1, -2, -3}, arrived[] = {-3, -2, -1, 0};
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	weighs("dm", "1", "1000", 1);
	weighs("dmda", "1", "0", 1);
	weighs("dmda", "1", "10", 1);
	weighs("dmda", "1", "1000", 0);
	weighs("dmdas", "0", "1", 0);
	sorts("1", sorted);
	sorts("0", arrived);
	lets_below();
	burns_idle("0", 0);
	burns_idle("1e9", 1);
	says();
	return checks_failed();
}
