/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every policy: random tasks over handles give what they give in the order of submission; and what a policy promises of its own:
 * priorities are obeyed by those that know them, models choose the faster implementation, an unknown name is refused.
 */
#include "starpu_check.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, TASKS = 600 };
static unsigned value[CELLS], want[CELLS];
static unsigned long state = 7;

static unsigned any(unsigned n)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33) % n;
}

static void mix(void *buffers[], void *arg)
{
	unsigned *to = (unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	const unsigned *from = (const unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);
	*to = *to * 31 + *from + (unsigned)(uintptr_t)arg;
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "sched_policies"};
static struct starpu_codelet mixes = {.cpu_funcs = {mix}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}};
static struct starpu_codelet modelled = {.cpu_funcs = {mix}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .model = &model};

/* Which priorities a policy tells apart: those that have few, as on StarPU 1.3; nobody has set them. */
static void check_range(const char *policy)
{
	static const struct {
		const char *policy;
		int min, max;
	} few[] = {{"random", 0, 0}, {"heteroprio", 0, 0},        {"pheft", 0, 1},
	           {"dmda", 0, 0},   {"dmdas", INT_MIN, INT_MAX}, {"prio", INT_MIN, INT_MAX}};
	for (unsigned i = 0; i < sizeof few / sizeof *few; i++)
		if (!strcmp(few[i].policy, policy))
			CHECK(starpu_sched_get_min_priority() == few[i].min && starpu_sched_get_max_priority() == few[i].max);
	CHECK(!starpu_sched_ctx_min_priority_is_set(0) && !starpu_sched_ctx_max_priority_is_set(0));
}

static void random_tasks(const char *policy)
{
	struct starpu_conf conf;
	starpu_data_handle_t handle[CELLS];
	CHECK(starpu_conf_init(&conf) == 0);
	conf.sched_policy_name = policy;
	conf.ncpus = 2;
	if (starpu_init(&conf))
		cannot_begin();
	check_range(policy);
	CHECK(!strcmp(starpu_sched_get_sched_policy()->policy_name, policy));
	for (unsigned i = 0; i < CELLS; i++) {
		value[i] = want[i] = i;
		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
	}
	for (unsigned i = 0; i < TASKS; i++) {
		unsigned to = any(CELLS), from = any(CELLS - 1);
		from += from >= to;
		want[to] = want[to] * 31 + want[from] + i;
		struct starpu_task *t = starpu_task_create();
		t->cl = any(2) ? &mixes : &modelled;
		t->handles[0] = handle[to];
		t->handles[1] = handle[from];
		t->cl_arg = (void *)(uintptr_t)i;
		t->priority = (int)any(5) - 2;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_do_schedule();
	CHECK(starpu_task_wait_for_all() == 0);
	for (unsigned i = 0; i < CELLS; i++) {
		starpu_data_unregister(handle[i]);
		if (value[i] != want[i])
			fprintf(stderr, "# %s: cell %u is %u, not %u\n", policy, i, value[i], want[i]);
		CHECK(value[i] == want[i]);
	}
	starpu_shutdown();
}

/* -- priorities -- */

static int seen[64];
static unsigned n_seen;
static int hold, holds; /* it shall; somebody does */

static void note(void *buffers[], void *arg)
{
	(void)buffers;
	seen[n_seen++] = (int)(intptr_t)arg;
}
static void wait_for_go(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_store_n(&holds, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&hold, __ATOMIC_ACQUIRE))
		starpu_sleep(0.0005F);
}
static void count(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_add_fetch(&n_seen, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet counts = {.cpu_funcs = {count}};
static struct starpu_codelet notes = {.cpu_funcs = {note}}, waits = {.cpu_funcs = {wait_for_go}};

/* How tasks come to the policy. */
enum way { SUBMITTED, INSERTED, HOOKED };

static void ready_soon(void *data, struct starpu_task *t, double delay)
{
	(void)data, (void)t, (void)delay;
}

static void by_priority(const char *policy, enum way way)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy_name = policy;
	conf.ncpus = 1;
	starpu_task_notify_ready_soon_register(way == HOOKED ? ready_soon : NULL, NULL);
	if (starpu_init(&conf))
		cannot_begin();
	n_seen = 0;
	__atomic_store_n(&hold, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&holds, 0, __ATOMIC_RELEASE);
	CHECK(starpu_task_insert(&waits, 0) == 0);
	WAIT_FOR(LOOK(holds));
	for (int i = 0; i < 20; i++) {
		struct starpu_task *t = way == INSERTED ? NULL : starpu_task_create();
		/* eager and its like know urgent tasks; those that can wait come in the order of arrival */
		int priority = i * 7 % 20 - (starpu_sched_get_min_priority() < 0 ? 8 : 0);
		void *arg = (void *)(intptr_t)priority;
		if (!t) {
			CHECK(starpu_task_insert(&notes, STARPU_PRIORITY, priority, STARPU_CL_ARGS_NFREE, arg, sizeof arg, 0) ==
			      0);
			continue;
		}
		t->cl = &notes;
		t->priority = priority;
		t->cl_arg = arg;
		CHECK(starpu_task_submit(t) == 0);
	}
	__atomic_store_n(&hold, 0, __ATOMIC_RELEASE);
	starpu_task_wait_for_all();
	CHECK(n_seen == 20);
	unsigned wrong = 0;
	for (unsigned i = 1; i < n_seen; i++)
		wrong += seen[i] > seen[i - 1];
	if (wrong)
		fprintf(stderr, "# %s: %u tasks before more urgent ones\n", policy, wrong);
	CHECK(wrong == 0);
	starpu_shutdown();
	starpu_task_notify_ready_soon_register(NULL, NULL);
}

/* -- graph_test: the longest way first -- */

/* A comb: of several chains through one datum each, of different lengths, submitted the shortest first. */
static void by_depth(void)
{
	enum { CHAINS = 6, LINKS = 2 * CHAINS };
	static struct starpu_codelet link = {.cpu_funcs = {note}, .nbuffers = 1, .modes = {STARPU_RW}};
	starpu_data_handle_t handle[CHAINS];
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy_name = "graph_test";
	conf.ncpus = 1;
	if (starpu_init(&conf))
		cannot_begin();
	n_seen = 0;
	for (int c = 0; c < CHAINS; c++) {
		starpu_void_data_register(&handle[c]);
		for (int i = 2 * c + 1; i >= 0; i--) { /* what is behind it: i tasks */
			void *arg = (void *)(intptr_t)i;
			CHECK(starpu_task_insert(&link, STARPU_RW, handle[c], STARPU_CL_ARGS_NFREE, arg, sizeof arg,
			                         STARPU_PRIORITY, CHAINS - c, 0) == 0);
		}
	}
	CHECK(n_seen == 0);
	starpu_task_wait_for_all();
	CHECK(n_seen == CHAINS * (CHAINS + 1));
	for (unsigned i = 1; i < n_seen; i++)
		CHECK(seen[i] <= seen[i - 1]);
	CHECK(seen[0] == LINKS - 1);
	/* Held again, and twice: what is let go at once has the rank that it had. */
	starpu_reset_scheduler();
	n_seen = 0;
	CHECK(starpu_task_insert(&notes, STARPU_CL_ARGS_NFREE, (void *)1, sizeof(void *), 0) == 0);
	starpu_do_schedule();
	starpu_do_schedule();
	CHECK(starpu_task_insert(&notes, STARPU_CL_ARGS_NFREE, (void *)2, sizeof(void *), 0) == 0);
	starpu_task_wait_for_all();
	CHECK(n_seen == 2);
	for (int c = 0; c < CHAINS; c++)
		starpu_data_unregister(handle[c]);
	starpu_shutdown();
}

/* -- models -- */

static int ran[2];
static void slow(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_add_fetch(&ran[0], 1, __ATOMIC_RELAXED);
}
static void fast(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_add_fetch(&ran[1], 1, __ATOMIC_RELAXED);
}
static double cost(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	(void)arch;
	return impl ? 10 : 1000;
}
static struct starpu_perfmodel given = {.type = STARPU_PER_ARCH, .arch_cost_function = cost, .symbol = "given"};
static struct starpu_codelet two = {.cpu_funcs = {slow, fast}, .model = &given};

static void by_model(const char *policy)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy_name = policy;
	conf.ncpus = 2;
	if (starpu_init(&conf))
		cannot_begin();
	ran[0] = ran[1] = 0;
	for (int i = 0; i < 50; i++)
		CHECK(starpu_task_insert(&two, 0) == 0);
	starpu_task_wait_for_all();
	if (ran[1] != 50)
		fprintf(stderr, "# %s: the slower implementation ran %d times\n", policy, ran[0]);
	CHECK(ran[0] == 0 && ran[1] == 50);
	starpu_shutdown();
}

/* Also those that the core's loop does by itself. */
static void given_as_struct(void)
{
	struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
	struct starpu_conf conf;
	for (; *all; all++) {
		starpu_conf_init(&conf);
		conf.sched_policy = *all;
		conf.ncpus = 2;
		if (starpu_init(&conf))
			cannot_begin();
		n_seen = 0;
		for (int i = 0; i < 64; i++)
			CHECK(starpu_task_insert(&counts, STARPU_PRIORITY, i % 3, 0) == 0);
		starpu_task_wait_for_all();
		CHECK(n_seen == 64);
		starpu_shutdown();
	}
}

int main(void)
{
	static const char *const prios[] = {"prio",   "lws",           "ws",    "eager",        "peager",
	                                    "dmdas",  "dmdasd",        "dmdap", "modular-prio", "modular-eager-prio",
	                                    "random", "modular-eager", "ws",    "modular-heft", "heteroprio"};
	static const char *const models[] = {"dm", "dmda", "dmdas", "modular-dmda", "modular-heft", "modular-dmdas"};
	struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
	struct starpu_conf conf;
	unsetenv("STARPU_SCHED");
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	char home[] = "/tmp/weft-sched-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	for (; *all; all++)
		random_tasks((*all)->policy_name);
	for (unsigned i = 0; i < sizeof prios / sizeof *prios; i++)
		for (enum way way = SUBMITTED; way <= HOOKED; way++)
			by_priority(prios[i], way);
	for (unsigned i = 0; i < sizeof models / sizeof *models; i++)
		by_model(models[i]);
	by_depth();
	starpu_conf_init(&conf);
	conf.sched_policy_name = "no-such";
	if (starpu_init(&conf))
		cannot_begin();
	CHECK(!strcmp(starpu_sched_get_sched_policy()->policy_name, "lws"));
	starpu_shutdown();
	given_as_struct();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
