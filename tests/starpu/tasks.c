/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: made, submitted, inserted, waited for; their callbacks, arguments, implementations, places, statuses. */
#include "starpu_check.h"
#include <unistd.h>

static void add_one(void **buffers, void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet cl_add = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "add"};

static int n_ran;
static void count(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet cl_count = {.cpu_funcs = {count}, .name = "count"};

static void chain_by_insert(void)
{
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (int i = 0; i < 1000; i++)
		CHECK(starpu_task_insert(&cl_add, STARPU_RW, h, 0) == 0);
	CHECK(starpu_task_wait_for_all() == 0);
	starpu_data_unregister(h);
	CHECK(value == 1000);
}

static void chain_by_submit(void)
{
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (int i = 0; i < 1000; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl_add;
		t->handles[0] = h;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_data_unregister(h);
	CHECK(value == 1000);
}

static void waits_for_one(void)
{
	n_ran = 0;
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_count;
	t->detach = 0;
	CHECK(t->status == STARPU_TASK_INIT);
	CHECK(starpu_task_submit(t) == 0);
	CHECK(starpu_task_wait(t) == 0);
	CHECK(n_ran == 1);
	t = starpu_task_create();
	t->cl = &cl_count;
	t->detach = 0;
	t->destroy = 0;
	CHECK(starpu_task_submit(t) == 0);
	CHECK(starpu_task_wait(t) == 0);
	CHECK(starpu_task_finished(t));
	CHECK(t->status == STARPU_TASK_FINISHED);
	CHECK(starpu_task_submit(t) == 0);
	CHECK(starpu_task_wait(t) == 0);
	CHECK(n_ran == 3);
	starpu_task_destroy(t);
	t = starpu_task_create();
	CHECK(starpu_task_wait(t) == -EINVAL); /* detached */
	starpu_task_destroy(t);
}

static void synchronous(void)
{
	n_ran = 0;
	for (int i = 1; i <= 20; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl_count;
		t->synchronous = 1;
		CHECK(starpu_task_submit(t) == 0);
		CHECK(n_ran == i);
	}
	struct starpu_task on_stack;
	starpu_task_init(&on_stack);
	on_stack.cl = &cl_count;
	on_stack.synchronous = 1;
	CHECK(starpu_task_submit(&on_stack) == 0);
	CHECK(n_ran == 21);
	starpu_task_clean(&on_stack);
}

/* -- callbacks -- */

static int order[8], n_order;
static void note(void *what)
{
	order[__atomic_fetch_add(&n_order, 1, __ATOMIC_RELAXED) & 7] = (int)(intptr_t)what;
}
static void note_func(void **buffers, void *arg)
{
	(void)buffers;
	note(arg);
}
static struct starpu_codelet cl_note = {.cpu_funcs = {note_func}};
static void note_soon(void *what, double delay)
{
	CHECK(delay >= 0);
	note(what);
}

static void callbacks_in_order(void)
{
	n_order = 0;
	CHECK(starpu_task_insert(&cl_note, STARPU_CALLBACK, note, STARPU_CALLBACK_ARG_NFREE, (void *)6, STARPU_EPILOGUE_CALLBACK,
	                         note, STARPU_PROLOGUE_CALLBACK, note, STARPU_PROLOGUE_CALLBACK_ARG_NFREE, (void *)2,
	                         STARPU_PROLOGUE_CALLBACK_POP, note, STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE, (void *)3,
	                         STARPU_SOON_CALLBACK, note_soon, STARPU_SOON_CALLBACK_ARG_NFREE, (void *)1, STARPU_CL_ARGS_NFREE,
	                         (void *)4, (size_t)0, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(n_order == 6);
	static const int want[] = {1, 2, 3, 4, 0, 6};
	CHECK(memcmp(order, want, sizeof want) == 0);
}

/* A task's state as its callbacks and its function see it. */
static void note_status(void *which)
{
	order[(intptr_t)which] = (int)starpu_task_get_current()->status;
}
static void note_status_func(void **buffers, void *arg)
{
	(void)buffers;
	note_status(arg);
}

static void states_in_callbacks(void)
{
	static struct starpu_codelet cl = {.cpu_funcs = {note_status_func}};
	static const int want[] = {STARPU_TASK_BLOCKED, STARPU_TASK_READY, STARPU_TASK_RUNNING, STARPU_TASK_FINISHED};
	CHECK(starpu_task_insert(&cl, STARPU_PROLOGUE_CALLBACK, note_status, STARPU_PROLOGUE_CALLBACK_ARG_NFREE, (void *)0,
	                         STARPU_PROLOGUE_CALLBACK_POP, note_status, STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE, (void *)1,
	                         STARPU_CL_ARGS_NFREE, (void *)2, (size_t)0, STARPU_CALLBACK_WITH_ARG_NFREE, note_status,
	                         (void *)3, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(memcmp(order, want, sizeof want) == 0);
}

static struct starpu_task *seen_in_callback;
static void look_around(void *arg)
{
	seen_in_callback = starpu_task_get_current();
	CHECK(starpu_worker_get_id() >= 0);
	*(int *)arg = 1;
}

static void callback_runs_as_a_worker(void)
{
	int ran = 0;
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_count;
	t->callback_func = look_around;
	t->callback_arg = &ran;
	CHECK(starpu_task_submit(t) == 0);
	starpu_task_wait_for_all();
	CHECK(ran == 1);
	CHECK(seen_in_callback == t);
}

static void resubmit(void *arg)
{
	struct starpu_task *t = starpu_task_get_current();
	if (++*(int *)arg == 10)
		t->regenerate = 0;
}

static void regenerates(void)
{
	int times = 0;
	n_ran = 0;
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_count;
	t->regenerate = 1;
	t->callback_func = resubmit;
	t->callback_arg = &times;
	CHECK(starpu_task_submit(t) == 0);
	starpu_task_wait_for_all();
	CHECK(times == 10 && n_ran == 10);
}

/* -- arguments -- */

static void unpack(void **buffers, void *arg)
{
	int a = 0;
	double b = 0;
	char c[6] = "";
	(void)buffers;
	starpu_codelet_unpack_args(arg, &a, &b, c, 0);
	CHECK(a == 42 && b == 2.5 && strcmp(c, "hello") == 0);
	char left[64];
	starpu_codelet_unpack_args_and_copyleft(arg, left, sizeof left, &a, 0);
	b = 0;
	starpu_codelet_unpack_args(left, &b, 0);
	CHECK(b == 2.5);
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet cl_unpack = {.cpu_funcs = {unpack}};

static void values_arrive(void)
{
	int a = 42;
	double b = 2.5;
	char c[6] = "hello";
	n_ran = 0;
	CHECK(starpu_task_insert(&cl_unpack, STARPU_VALUE, &a, sizeof a, STARPU_VALUE, &b, sizeof b, STARPU_VALUE, c, sizeof c,
	                         0) == 0);
	CHECK(starpu_task_insert(&cl_unpack, STARPU_VALUE, &a, sizeof a, STARPU_VALUE, &b, sizeof b, STARPU_VALUE, c, sizeof c,
	                         STARPU_TAG, (starpu_tag_t)7, 0) == 0);
	void *packed;
	size_t bytes;
	starpu_codelet_pack_args(&packed, &bytes, STARPU_VALUE, &a, sizeof a, STARPU_VALUE, &b, sizeof b, STARPU_VALUE, c,
	                         sizeof c, 0);
	struct starpu_codelet_pack_arg_data state;
	void *picked;
	size_t size;
	starpu_codelet_unpack_arg_init(&state, packed, bytes);
	starpu_codelet_unpack_discard_arg(&state);
	starpu_codelet_pick_arg(&state, &picked, &size);
	CHECK(size == sizeof b && *(double *)picked == b);
	starpu_codelet_dup_arg(&state, &picked, &size);
	CHECK(size == sizeof c && strcmp(picked, c) == 0);
	free(picked);
	starpu_codelet_unpack_arg_fini(&state);
	CHECK(starpu_task_insert(&cl_unpack, STARPU_CL_ARGS, packed, bytes, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(n_ran == 3);
}

/* -- who runs what -- */

static int ran_impl[2];
static void impl_0(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	ran_impl[0]++;
}
static void impl_1(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	ran_impl[1]++;
}
static int only_second(unsigned worker, struct starpu_task *task, unsigned nimpl)
{
	(void)worker, (void)task;
	return nimpl == 1;
}
static int never(unsigned worker, struct starpu_task *task, unsigned nimpl)
{
	(void)worker, (void)task, (void)nimpl;
	return 0;
}

static void implementations(void)
{
	struct starpu_codelet cl = {.cpu_funcs = {impl_0, impl_1}, .can_execute = only_second};
	CHECK(starpu_task_insert(&cl, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(ran_impl[0] == 0 && ran_impl[1] == 1);
	struct starpu_codelet nobody = {.cpu_funcs = {impl_0}, .can_execute = never};
	CHECK(starpu_task_insert(&nobody, 0) == -ENODEV);
	struct starpu_codelet cuda = {.where = STARPU_CUDA, .cuda_funcs = {impl_0}};
	CHECK(starpu_task_insert(&cuda, 0) == -ENODEV);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cuda;
	CHECK(starpu_task_submit(t) == -ENODEV);
	t->destroy = 0;
	starpu_task_destroy(t);
}

static void where_am_i(void **buffers, void *arg)
{
	(void)buffers;
	*(int *)arg = starpu_worker_get_id();
}

static int elsewhere;
static int only_last(unsigned worker, struct starpu_task *task, unsigned nimpl)
{
	(void)task, (void)nimpl;
	return worker == starpu_worker_get_count() - 1;
}
static void is_it_last(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	if (starpu_worker_get_id() != (int)starpu_worker_get_count() - 1)
		__atomic_add_fetch(&elsewhere, 1, __ATOMIC_RELAXED);
}

/* A codelet that all but one worker refuse, inserted and submitted. */
static void refused_workers(void)
{
	struct starpu_codelet cl = {.cpu_funcs = {is_it_last}, .can_execute = only_last};
	for (int i = 0; i < 50; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		CHECK(starpu_task_submit(t) == 0);
		CHECK(starpu_task_insert(&cl, STARPU_PRIORITY, i % 3, 0) == 0);
	}
	starpu_task_wait_for_all();
	CHECK(elsewhere == 0);
}

static void on_a_worker(void)
{
	struct starpu_codelet cl = {.cpu_funcs = {where_am_i}};
	for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
		int at = -1;
		CHECK(starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, w, STARPU_CL_ARGS_NFREE, &at, sizeof at, 0) == 0);
		starpu_task_wait_for_all();
		CHECK(at == w);
		uint32_t set = UINT32_C(1) << w;
		at = -1;
		CHECK(starpu_task_insert(&cl, STARPU_TASK_WORKERIDS, 1U, &set, STARPU_CL_ARGS_NFREE, &at, sizeof at, 0) == 0);
		starpu_task_wait_for_all();
		CHECK(at == w);
	}
}

static void nowhere(void)
{
	struct starpu_codelet cl = {.where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_R}};
	int value = 0, called = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->handles[0] = h;
	t->callback_func = look_around;
	t->callback_arg = &called;
	CHECK(starpu_task_submit(t) == 0);
	t = starpu_task_create(); /* none at all */
	CHECK(starpu_task_submit(t) == 0);
	starpu_task_wait_for_all();
	CHECK(called == 1);
	starpu_data_unregister(h);
}

static struct starpu_task *current;
static void ask(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	current = starpu_task_get_current();
	CHECK(current && strcmp(starpu_task_get_name(current), "asks") == 0);
	CHECK(current->priority == 3);
}

static void current_task(void)
{
	struct starpu_codelet cl = {.cpu_funcs = {ask}};
	CHECK(starpu_task_get_current() == NULL);
	CHECK(starpu_task_insert(&cl, STARPU_NAME, "asks", STARPU_PRIORITY, 3, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(current != NULL);
}

static void sum(void **buffers, void *arg)
{
	long *out = (long *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	int n = *(int *)arg;
	for (int i = 1; i < n; i++)
		*out += *(long *)STARPU_VARIABLE_GET_PTR(buffers[i]);
}

static void many_buffers(void)
{
	enum { MANY = 40 };
	struct starpu_codelet cl = {.cpu_funcs = {sum}, .nbuffers = STARPU_VARIABLE_NBUFFERS};
	long value[MANY];
	starpu_data_handle_t h[MANY];
	struct starpu_data_descr d[MANY];
	int n = MANY, two = 2;
	for (int i = 0; i < MANY; i++) {
		value[i] = i;
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
		d[i] = (struct starpu_data_descr){h[i], i ? STARPU_R : STARPU_RW};
	}
	CHECK(starpu_task_insert(&cl, STARPU_DATA_MODE_ARRAY, d, MANY, STARPU_CL_ARGS_NFREE, &n, sizeof n, 0) == 0);
	CHECK(starpu_task_insert(&cl, STARPU_RW, h[0], STARPU_R, h[1], STARPU_CL_ARGS_NFREE, &two, sizeof n, 0) == 0);
	starpu_task_wait_for_all();
	for (int i = 0; i < MANY; i++)
		starpu_data_unregister(h[i]);
	CHECK(value[0] == MANY * (MANY - 1) / 2 + 1);
}

static void counting(void)
{
	CHECK(starpu_task_nsubmitted() == 0);
	starpu_pause();
	CHECK(starpu_is_paused());
	n_ran = 0;
	for (int i = 0; i < 50; i++)
		CHECK(starpu_task_insert(&cl_count, 0) == 0);
	usleep(2000);
	CHECK(LOOK(n_ran) == 0);
	CHECK(starpu_task_nsubmitted() == 50);
	CHECK(starpu_task_nready() > 0);
	starpu_resume();
	CHECK(starpu_task_wait_for_n_submitted(20) == 0);
	CHECK(LOOK(n_ran) >= 30);
	starpu_task_wait_for_all();
	CHECK(n_ran == 50 && starpu_task_nsubmitted() == 0);
	CHECK(!starpu_is_paused());
}

static void limits(void)
{
	starpu_set_limit_max_submitted_tasks(10);
	starpu_set_limit_min_submitted_tasks(5);
	for (int i = 0; i < 500; i++) {
		CHECK(starpu_task_insert(&cl_count, 0) == 0);
		CHECK(starpu_task_nsubmitted() <= 10);
	}
	starpu_set_limit_max_submitted_tasks(-1);
	starpu_task_wait_for_all();
}

int main(void)
{
	static void (*const tests[])(void) = {
		chain_by_insert,
		chain_by_submit,
		waits_for_one,
		synchronous,
		callbacks_in_order,
		states_in_callbacks,
		callback_runs_as_a_worker,
		regenerates,
		values_arrive,
		implementations,
		refused_workers,
		on_a_worker,
		nowhere,
		current_task,
		many_buffers,
		counting,
		limits,
	};
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	if (starpu_init(&conf))
		cannot_begin();
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tests[i]();
	starpu_shutdown();
	return checks_failed();
}
