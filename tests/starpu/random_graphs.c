/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of tasks over a few data, inserted or submitted, with every policy: each task must read what it would have
 * read in the order of submission. A task's value depends on all that it reads, so that one wrong order spoils what follows.
 */
#include "starpu_check.h"
#include <stdbool.h>

enum { DATA = 12, TASKS = 400, MOST = 6 };

struct step {
	unsigned n, at[MOST], mode[MOST]; /* 1 reads, 2 writes */
	uint64_t number;
};

static uint64_t seed;
static unsigned some(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % below;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
	return (a ^ b) * UINT64_C(0x9e3779b97f4a7c15) + (a >> 31);
}

static void step_on(const struct step *s, uint64_t *const *value)
{
	uint64_t saw = s->number;
	for (unsigned i = 0; i < s->n; i++)
		if (s->mode[i] & STARPU_R)
			saw = mixed(saw, *value[i]);
	for (unsigned i = 0; i < s->n; i++)
		if (s->mode[i] & STARPU_W)
			*value[i] = mixed(saw, i);
}

static void work(void **buffers, void *arg)
{
	uint64_t *value[MOST];
	const struct step *s = arg;
	for (unsigned i = 0; i < s->n; i++)
		value[i] = (uint64_t *)STARPU_VARIABLE_GET_PTR(buffers[i]);
	step_on(s, value);
}

static struct starpu_codelet cl = {.cpu_funcs = {work}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "step"};
/* Of a fixed number of data: goes the short way when there is no policy. */
static struct starpu_codelet cl_two = {.cpu_funcs = {work}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "two"};

static void make(struct step *s, uint64_t number)
{
	s->number = number;
	s->n = 1 + some(MOST);
	if (some(2)) { /* for cl_two */
		s->n = 2;
		s->at[0] = some(DATA);
		s->at[1] = (s->at[0] + 1 + some(DATA - 1)) % DATA;
		s->mode[0] = STARPU_R;
		s->mode[1] = STARPU_RW;
		return;
	}
	for (unsigned i = 0; i < s->n; i++) {
		bool again = true;
		while (again) {
			again = false;
			s->at[i] = some(DATA);
			for (unsigned k = 0; k < i; k++)
				again = again || s->at[k] == s->at[i];
		}
		s->mode[i] = 1 + some(3);
	}
}

static void submit(struct step *s, starpu_data_handle_t *handle)
{
	if (s->n == 2 && s->mode[0] == STARPU_R && s->mode[1] == STARPU_RW) {
		CHECK(starpu_task_insert(&cl_two, STARPU_R, handle[s->at[0]], STARPU_RW, handle[s->at[1]], STARPU_CL_ARGS_NFREE,
		                         s, sizeof *s, STARPU_PRIORITY, (int)some(3), 0) == 0);
		return;
	}
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->cl_arg = s;
	t->nbuffers = (int)s->n;
	t->priority = (int)some(3);
	for (unsigned i = 0; i < s->n; i++) {
		t->handles[i] = handle[s->at[i]];
		t->modes[i] = (enum starpu_data_access_mode)s->mode[i];
	}
	CHECK(starpu_task_submit(t) == 0);
}

static void program(void)
{
	static struct step step[TASKS];
	static uint64_t value[DATA], want[DATA];
	starpu_data_handle_t handle[DATA];
	for (unsigned i = 0; i < DATA; i++) {
		value[i] = want[i] = i;
		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
	}
	for (unsigned k = 0; k < TASKS; k++) {
		uint64_t *at[MOST];
		make(&step[k], k);
		for (unsigned i = 0; i < step[k].n; i++)
			at[i] = &want[step[k].at[i]];
		step_on(&step[k], at);
		submit(&step[k], handle);
	}
	for (unsigned i = 0; i < DATA; i++)
		starpu_data_unregister(handle[i]);
	CHECK(memcmp(value, want, sizeof value) == 0);
}

int main(void)
{
	static const char *const policies[] = {NULL,     "eager", "prio",       "ws",           "lws",
	                                       "random", "dmda",  "heteroprio", "modular-eager"};
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
		struct starpu_conf conf;
		starpu_conf_init(&conf);
		conf.ncpus = 3;
		conf.nopencl = 0;
		conf.sched_policy_name = policies[p];
		if (starpu_init(&conf))
			cannot_begin();
		for (uint64_t run = 0; run < 8; run++) {
			seed = run * 1000 + p;
			program();
		}
		if (checks_bad)
			fprintf(stderr, "policy %s\n", policies[p] ? policies[p] : "of our own");
		starpu_shutdown();
	}
	return checks_failed();
}
