/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: many contributions are put together by several workers at once; every round's sum is right, with and without a value
 * before, with a scratch buffer, between reads and writes; and what nobody has written begins with what contributions begin with.
 */
#include "starpu_check.h"

enum { WORKERS = 8, ROUNDS = 60, HANDLES = 3 };

static void begin_sum(void *buffers[], void *arg)
{
	*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]) = (long)(intptr_t)arg;
}
/* The first that comes waits for company: that others help is what is tested. */
static int wants_company, met;
static void add_sum(void *buffers[], void *arg)
{
	(void)arg;
	int me = 1 << starpu_worker_get_id();
	if (LOOK(wants_company)) {
		__atomic_or_fetch(&met, me, __ATOMIC_ACQ_REL);
		WAIT_FOR(LOOK(met) & ~me);
	}
	*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(long *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}
static void add_by_scratch(void *buffers[], void *arg)
{
	long *scratch = (long *)STARPU_VARIABLE_GET_PTR(buffers[2]);
	*scratch = *(long *)STARPU_VARIABLE_GET_PTR(buffers[1]);
	add_sum((void *[]){buffers[0], buffers[2]}, arg);
}
static void contribute(void *buffers[], void *arg)
{
	*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]) += (long)(intptr_t)arg;
}
static void copy(void *buffers[], void *arg)
{
	*(long *)arg = *(long *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet begins = {.cpu_funcs = {begin_sum}, .nbuffers = 1, .modes = {STARPU_W}};
static struct starpu_codelet adds = {.cpu_funcs = {add_sum}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}};
static struct starpu_codelet adds_by_scratch = {.cpu_funcs = {add_by_scratch},
                                                .nbuffers = 3,
                                                .modes = {STARPU_RW, STARPU_R, STARPU_SCRATCH}};
static struct starpu_codelet contributes = {.cpu_funcs = {contribute}, .nbuffers = 1, .modes = {STARPU_REDUX}};
static struct starpu_codelet changes = {.cpu_funcs = {contribute}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet commutes = {.cpu_funcs = {contribute}, .nbuffers = 1, .modes = {STARPU_RW | STARPU_COMMUTE}};
static struct starpu_codelet copies = {.cpu_funcs = {copy}, .nbuffers = 1, .modes = {STARPU_R}};

static void submit(struct starpu_codelet *cl, starpu_data_handle_t h, void *arg, int worker)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = arg;
	t->handles[0] = h;
	t->execute_on_a_specific_worker = worker >= 0;
	t->workerid = worker < 0 ? 0 : (unsigned)worker;
	CHECK(starpu_task_submit(t) == 0);
}

static void contribute_from_all(starpu_data_handle_t h, long *sum)
{
	for (int w = 0; w < WORKERS; w++) {
		submit(&contributes, h, (void *)(intptr_t)(w + 1), w);
		*sum += w + 1;
	}
}

static void several_help(void)
{
	long value = 100, want = 100;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_data_set_reduction_methods(h, &adds, &begins);
	met = 0;
	__atomic_store_n(&wants_company, 1, __ATOMIC_RELEASE);
	contribute_from_all(h, &want);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	__atomic_store_n(&wants_company, 0, __ATOMIC_RELEASE);
	CHECK(value == want && __builtin_popcount((unsigned)met) > 1);
	starpu_data_release(h);
	starpu_data_unregister(h);
}

static void sums_are_right(void)
{
	long want[HANDLES] = {0}, got[HANDLES][ROUNDS], due[HANDLES][ROUNDS];
	starpu_data_handle_t h[HANDLES], scratch;
	starpu_variable_data_register(&scratch, -1, 0, sizeof(long));
	for (int i = 0; i < HANDLES; i++) {
		starpu_variable_data_register(&h[i], -1, 0, sizeof(long));
		starpu_data_set_reduction_methods(h[i], i == 1 ? &adds_by_scratch : &adds, &begins);
	}
	starpu_data_set_reduction_scratch(h[1], scratch);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < HANDLES; i++) {
			contribute_from_all(h[i], &want[i]);
			if (round % 3 == i) {
				submit(&changes, h[i], (void *)1000, -1);
				want[i] += 1000;
			}
			if (round % 2) {
				submit(&commutes, h[i], (void *)10, -1);
				want[i] += 10;
			}
			submit(&copies, h[i], &got[i][round], -1);
			due[i][round] = want[i];
		}
	starpu_task_wait_for_all();
	CHECK(!memcmp(got, due, sizeof got));
	for (int i = 0; i < HANDLES; i++)
		starpu_data_unregister(h[i]);
	starpu_data_unregister(scratch);
}

/* Read, changed, contributed to, written first; and again when its value is gone. */
static void begins_by_itself(void)
{
	long got[4] = {-1, -1, -1, -1};
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, -1, 0, sizeof(long));
	starpu_data_set_reduction_methods_with_args(h, &adds, NULL, &begins, (void *)7);
	submit(&copies, h, &got[0], -1);
	starpu_data_invalidate_submit(h);
	submit(&changes, h, (void *)5, -1);
	submit(&copies, h, &got[1], -1);
	starpu_task_wait_for_all();
	starpu_data_invalidate(h);
	submit(&commutes, h, (void *)1, -1);
	submit(&commutes, h, (void *)1, -1);
	submit(&copies, h, &got[2], -1);
	starpu_task_wait_for_all();
	starpu_data_invalidate(h);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	got[3] = *(long *)starpu_data_get_local_ptr(h);
	starpu_data_release(h);
	CHECK(got[0] == 7 && got[1] == 12 && got[2] == 9 && got[3] == 7);
	starpu_data_unregister(h);
	/* What is written first does not begin so, and what nobody wants never begins. */
	starpu_variable_data_register(&h, -1, 0, sizeof(long));
	starpu_data_set_reduction_methods_with_args(h, &adds, NULL, &begins, (void *)7);
	submit(&begins, h, (void *)3, -1);
	submit(&copies, h, &got[0], -1);
	starpu_data_unregister(h);
	CHECK(got[0] == 3);
	starpu_variable_data_register(&h, -1, 0, sizeof(long));
	starpu_data_set_reduction_methods(h, &adds, &begins);
	starpu_data_unregister(h);
}

int main(void)
{
	static const char *const policies[] = {"lws", "eager", "dmda", "modular-prio"};
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_NCPU");
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
		struct starpu_conf conf;
		starpu_conf_init(&conf);
		conf.ncpus = WORKERS;
		conf.nopencl = 0;
		conf.sched_policy_name = policies[i];
		if (starpu_init(&conf))
			cannot_begin();
		several_help();
		sums_are_right();
		begins_by_itself();
		starpu_shutdown();
	}
	return checks_failed();
}
