/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel tasks on combined workers: every rank once, on its own worker; fork-join alone; combined workers' descriptions. */
#include "starpu_check.h"
#include <stdint.h>

enum { TASKS = 40 };
static int ranks[8], sizes[8], calls, alone, busy, overlaps;

static void part(void *buffers[], void *arg)
{
	int *sum = (int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	int rank = starpu_combined_worker_get_rank(), size = starpu_combined_worker_get_size();
	CHECK(rank >= 0 && rank < size && size <= 8);
	CHECK(arg == &calls);
	CHECK(starpu_task_get_current() != NULL);
	__atomic_add_fetch(&ranks[rank], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&sizes[size - 1], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(sum, 1, __ATOMIC_RELAXED);
}
static void whole(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	if (__atomic_add_fetch(&busy, 1, __ATOMIC_RELAXED) > 1)
		__atomic_add_fetch(&overlaps, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&alone, 1, __ATOMIC_RELAXED);
	CHECK(starpu_combined_worker_get_rank() == 0);
	__atomic_add_fetch(&sizes[starpu_combined_worker_get_size() - 1], 1, __ATOMIC_RELAXED);
	starpu_sleep(0.0005F);
	__atomic_add_fetch(&busy, -1, __ATOMIC_RELAXED);
}
static struct starpu_codelet spmd = {.cpu_funcs = {part},
                                     .type = STARPU_SPMD,
                                     .max_parallelism = INT32_MAX,
                                     .nbuffers = 1,
                                     .modes = {STARPU_RW}};
static struct starpu_codelet forkjoin = {.cpu_funcs = {whole}, .type = STARPU_FORKJOIN, .max_parallelism = INT32_MAX};

/* Each worker and combination by its number. */
static void explicitly(void)
{
	for (unsigned id = 0; id < starpu_worker_get_count() + starpu_combined_worker_get_count(); id++) {
		struct starpu_task *t = starpu_task_create();
		memset(sizes, 0, sizeof sizes);
		t->cl = &forkjoin;
		t->execute_on_a_specific_worker = 1;
		t->workerid = id;
		CHECK(starpu_task_submit(t) == 0);
		starpu_task_wait_for_all();
		int size = 1, *members;
		if (id >= starpu_worker_get_count())
			CHECK(starpu_combined_worker_get_description((int)id, &size, &members) == 0);
		CHECK(sizes[size - 1] == 1);
	}
}

static void with(const char *policy, unsigned single)
{
	struct starpu_conf conf;
	starpu_data_handle_t handle;
	int sum = 0;
	starpu_conf_init(&conf);
	conf.sched_policy_name = policy;
	conf.single_combined_worker = (int)single;
	conf.ncpus = 2;
	if (starpu_init(&conf) || starpu_cpu_worker_get_count() < 2)
		cannot_begin();
	memset(ranks, 0, sizeof ranks);
	memset(sizes, 0, sizeof sizes);
	calls = alone = busy = overlaps = 0;
	CHECK(starpu_combined_worker_get_count() >= 1 && starpu_worker_is_combined_worker(2) &&
	      !starpu_worker_is_combined_worker(1));
	/* A single combined worker at a time comes in all sizes, from 1. */
	int size, *members, both[] = {1, 0}, pair = single ? 3 : 2;
	CHECK(starpu_combined_worker_get_description(pair, &size, &members) == 0 && size == 2 && members[0] == 0 &&
	      members[1] == 1);
	CHECK(starpu_combined_worker_assign_workerid(2, both) == pair);
	CHECK(starpu_combined_worker_get_rank() == -1);
	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof sum);
	for (int i = 0; i < TASKS; i++) {
		CHECK(starpu_task_insert(&spmd, STARPU_RW, handle, STARPU_CL_ARGS_NFREE, &calls, sizeof calls, 0) == 0);
		CHECK(starpu_task_insert(&forkjoin, 0) == 0);
	}
	starpu_task_wait_for_all();
	starpu_data_unregister(handle);
	CHECK(sum == calls && calls >= TASKS && alone == TASKS);
	CHECK(ranks[0] == TASKS && ranks[1] <= TASKS);
	if (!strcmp(policy, "peager")) {
		CHECK(ranks[1] == TASKS && sizes[1] == 3 * TASKS && sizes[0] == 0);
		CHECK(overlaps == 0);
	}
	explicitly();
	starpu_shutdown();
}

/* What is combined on machines that hwloc makes up: as on StarPU 1.3. */
static const struct {
	const char *machine;
	int workers;
	const char *arity, *combined;
} combinations[] = {
	{"core:4 pu:1", 3, "2", "[0 1 2][0 1]"},
	{"core:4 pu:1", 4, "3", "[0 1 2 3][0 1][2 3]"},
	{"core:4 pu:1", 4, "4", "[0 1 2 3]"},
	{"core:2 pu:2", 4, "2", "[0 1 2 3][0 2][1 3]"},
	{"package:2 core:3 pu:1", 4, "2", "[0 1 2 3][0 1 2][0 1]"},
	{"package:2 core:2 pu:1", 3, "4", "[0 1 2][0 1]"},
	/* The handbook's sockets with six cores. */
	{"package:1 core:6 pu:1", 6, "6", "[0 1 2 3 4 5]"},
	{"package:1 core:6 pu:1", 6, "3", "[0 1 2 3 4 5][0 1][2 3][4 5]"},
	{"package:1 core:6 pu:1", 6, "2", "[0 1 2 3 4 5][0 1 2][0 1][3 4 5][3 4]"},
};

static void check_combinations(void)
{
	for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
		char text[200] = "";
		struct starpu_conf conf;
		setenv("HWLOC_SYNTHETIC", combinations[i].machine, 1);
		setenv("STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER", combinations[i].arity, 1);
		starpu_conf_init(&conf);
		conf.ncpus = combinations[i].workers;
		conf.nopencl = 0;
		conf.sched_policy_name = "peager";
		CHECK(starpu_init(&conf) == 0);
		for (unsigned c = 0; c < starpu_combined_worker_get_count(); c++) {
			int size, *member;
			CHECK(!starpu_combined_worker_get_description((int)(starpu_worker_get_count() + c), &size, &member));
			for (int m = 0; m < size; m++)
				sprintf(text + strlen(text), "%s%d%s", m ? " " : "[", member[m], m + 1 < size ? "" : "]");
		}
		starpu_shutdown();
		if (strcmp(text, combinations[i].combined) != 0)
			fprintf(stderr, "# %s: %s\n", combinations[i].machine, text);
		CHECK(!strcmp(text, combinations[i].combined));
	}
}

int main(void)
{
	unsetenv("STARPU_SCHED");
	setenv("STARPU_SILENT", "1", 1);
	with("peager", 0);
	with("peager", 1);
	with("pheft", 0);
	with("modular-pheft", 0);
	with("modular-prandom", 0);
	with("modular-prandom-prio", 0);
	check_combinations();
	return checks_failed();
}
