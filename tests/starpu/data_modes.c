/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, tasks that commute over one and several handles, buffers of the worker's own. */
#include "data_check.h"

static void add_arg(void *buffers[], void *arg)
{
	*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]) += (intptr_t)arg;
}
static void set_zero(void *buffers[], void *arg)
{
	*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]) = (intptr_t)arg;
}
static void add_up(void *buffers[], void *arg)
{
	*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(long *)STARPU_VARIABLE_GET_PTR(buffers[1]) + (intptr_t)arg;
}
static struct starpu_codelet zeroes = {.cpu_funcs = {set_zero}, .nbuffers = 1, .modes = {STARPU_W}};
static struct starpu_codelet reduces = {.cpu_funcs = {add_up}, .nbuffers = 2, .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};
static struct starpu_codelet contributes = {.cpu_funcs = {add_arg}, .nbuffers = 1, .modes = {STARPU_REDUX}};
static struct starpu_codelet doubles = {.cpu_funcs = {add_arg}, .nbuffers = 1, .modes = {STARPU_RW}};

static void check_reduction(int home)
{
	long x = 100, want = home < 0 ? 0 : 100;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, home, home < 0 ? 0 : (uintptr_t)&x, sizeof x);
	CHECK(!starpu_data_has_reduction_methods(h));
	starpu_data_set_reduction_methods(h, &reduces, &zeroes);
	CHECK(starpu_data_has_reduction_methods(h));
	for (intptr_t round = 0; round < 10; round++) {
		for (intptr_t i = 0; i < 100; i++) {
			submit(&contributes, h, (void *)(i + round));
			want += i + round;
		}
		if (round % 3 == 0) {
			submit(&doubles, h, (void *)round);
			want += round;
		} else if (round % 3 == 1) {
			CHECK(starpu_data_acquire(h, STARPU_R) == 0);
			CHECK(*(long *)starpu_data_get_local_ptr(h) == want);
			starpu_data_release(h);
		}
	}
	CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
	CHECK(*(long *)starpu_data_get_local_ptr(h) == want);
	starpu_data_release(h);
	submit(&contributes, h, (void *)5);
	starpu_data_unregister(h);
	CHECK(home < 0 || x == want + 5);
}

/* Outside the order contributions count all the same. */
static void check_unordered_reduction(void)
{
	long x = 5;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	starpu_data_set_reduction_methods(h, &reduces, &zeroes);
	starpu_data_set_sequential_consistency_flag(h, 0);
	for (intptr_t round = 1; round <= 10; round++) {
		for (intptr_t i = 0; i < 100; i++)
			submit(&contributes, h, (void *)1);
		starpu_task_wait_for_all();
		CHECK(starpu_data_acquire(h, round % 2 ? STARPU_R : STARPU_RW) == 0);
		CHECK(x == 5 + 100 * round);
		starpu_data_release(h);
		CHECK(starpu_data_acquire(h, STARPU_R) == 0);
		CHECK(x == 5 + 100 * round);
		starpu_data_release(h);
	}
	starpu_data_unregister(h);
	CHECK(x == 1005);
}

/* The codelets of a reduction get what they were given. */
static void check_arguments(void)
{
	long x = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	starpu_data_set_reduction_methods_with_args(h, &reduces, (void *)1000, &zeroes, (void *)100000);
	submit(&contributes, h, (void *)1);
	starpu_data_unregister(h);
	CHECK(x == 101001);
}

enum { HANDLES = 6, TASKS = 2000 };
static long sums[HANDLES];
static void add_to_all(void *buffers[], void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;
	for (unsigned i = 0; i < n; i++)
		++*(long *)STARPU_VARIABLE_GET_PTR(buffers[i]);
}
static struct starpu_codelet commutes = {.cpu_funcs = {add_to_all}, .nbuffers = STARPU_VARIABLE_NBUFFERS};

/* Over several at once, in any order of naming them, among tasks that do not commute. */
static void check_commute(void)
{
	starpu_data_handle_t h[HANDLES];
	long want[HANDLES] = {0};
	for (unsigned i = 0; i < HANDLES; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&sums[i], sizeof sums[i]);
	for (unsigned t = 0; t < TASKS; t++) {
		struct starpu_task *task = starpu_task_create();
		unsigned n = 1 + random_below(3), first = random_below(HANDLES), step = 1 + random_below(2);
		int commute = random_below(8) != 0;
		task->cl = &commutes;
		task->cl_arg = (void *)(uintptr_t)n;
		task->nbuffers = (int)n;
		for (unsigned i = 0; i < n; i++) {
			unsigned k = (first + i * step) % HANDLES;
			task->handles[i] = h[k];
			task->modes[i] = commute ? STARPU_RW | STARPU_COMMUTE : STARPU_RW;
			want[k]++;
		}
		CHECK(starpu_task_submit(task) == 0);
		if (t % 97 == 0) {
			unsigned k = random_below(HANDLES);
			CHECK(starpu_data_acquire(h[k], STARPU_R) == 0);
			CHECK(sums[k] == want[k]);
			starpu_data_release(h[k]);
		}
	}
	for (unsigned i = 0; i < HANDLES; i++) {
		starpu_data_unregister(h[i]);
		CHECK(sums[i] == want[i]);
	}
}

static void use_scratch(void *buffers[], void *arg)
{
	long *scratch = (long *)STARPU_VECTOR_GET_PTR(buffers[0]), *sum = (long *)STARPU_VARIABLE_GET_PTR(buffers[1]);
	(void)arg;
	for (long i = 0; i < 100; i++)
		scratch[i] = i + *sum;
	for (long i = 0; i < 100; i++)
		if (scratch[i] != i + *sum)
			abort();
	++*sum;
}
static struct starpu_codelet scratches = {.cpu_funcs = {use_scratch}, .nbuffers = 2, .modes = {STARPU_SCRATCH, STARPU_RW}};

static void check_scratch(void)
{
	starpu_data_handle_t scratch, h[HANDLES];
	long sum[HANDLES] = {0};
	starpu_vector_data_register(&scratch, -1, 0, 100, sizeof(long));
	for (unsigned i = 0; i < HANDLES; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&sum[i], sizeof sum[i]);
	for (unsigned i = 0; i < 300; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &scratches;
		t->handles[0] = scratch;
		t->handles[1] = h[i % HANDLES];
		CHECK(starpu_task_submit(t) == 0);
	}
	for (unsigned i = 0; i < HANDLES; i++) {
		starpu_data_unregister(h[i]);
		CHECK(sum[i] == 300 / HANDLES);
	}
	starpu_data_unregister(scratch);
}

/* One codelet's many handles: more than a job has room for. */
static void check_many_handles(void)
{
	enum { MANY = 40 };
	static long sum[MANY];
	starpu_data_handle_t h[MANY];
	struct starpu_data_descr descr[MANY];
	for (unsigned i = 0; i < MANY; i++) {
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&sum[i], sizeof sum[i]);
		descr[i] = (struct starpu_data_descr){.handle = h[i], .mode = STARPU_RW};
	}
	for (unsigned i = 0; i < 50; i++)
		CHECK(starpu_task_insert(&commutes, STARPU_DATA_MODE_ARRAY, descr, MANY, STARPU_CL_ARGS_NFREE,
		                         (void *)(uintptr_t)MANY, sizeof(void *), 0) == 0);
	for (unsigned i = 0; i < MANY; i++) {
		starpu_data_unregister(h[i]);
		CHECK(sum[i] == 50);
	}
}

int main(void)
{
	begin();
	check_reduction(STARPU_MAIN_RAM);
	check_reduction(-1);
	check_arguments();
	check_unordered_reduction();
	check_commute();
	check_scratch();
	check_many_handles();
	starpu_shutdown();
	return checks_failed();
}
