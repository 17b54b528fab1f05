/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While a handle is being unregistered, the tasks and callbacks that are waited for may submit others on it, which are waited for as
 * well; and so is what was acquired with a callback that releases it.
 */
#include "data_check.h"
#include <unistd.h>

static starpu_data_handle_t shared;
static int more, waiting, slowly;

static void again(void *buffers[], void *arg);
static struct starpu_codelet chains = {.cpu_funcs = {again}, .nbuffers = 1, .modes = {STARPU_RW}};

static void hesitate(void)
{
	/* Until main is about to wait, and a moment longer. */
	while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
		usleep(100);
	usleep(slowly ? 3000 : 100);
}

/* Submits its successor, in the order or not, as long as there are to be any. */
static void again(void *buffers[], void *arg)
{
	(void)arg;
	hesitate();
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	if (more > 0) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &chains;
		t->handles[0] = shared;
		t->sequential_consistency = more % 3 != 0;
		more--;
		CHECK(starpu_task_submit(t) == 0);
	}
}

static void by_tasks(int count)
{
	int x = 0;
	starpu_variable_data_register(&shared, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	more = count;
	waiting = 0;
	submit(&chains, shared, NULL);
	__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
	starpu_data_unregister(shared);
	CHECK(x == count + 1);
}

static void add_one(void *buffers[], void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet adds = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};

/* A callback of a task that is done submits. */
static void called(void *arg)
{
	(void)arg;
	hesitate();
	CHECK(starpu_task_insert(&adds, STARPU_RW, shared, 0) == 0);
	more--;
}
static void by_callbacks(void)
{
	int x = 0;
	starpu_data_handle_t own;
	starpu_variable_data_register(&own, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	shared = own;
	waiting = 0;
	more = 1;
	struct starpu_task *t = starpu_task_create(), *behind = starpu_task_create();
	t->cl = behind->cl = &adds;
	t->handles[0] = behind->handles[0] = own;
	t->epilogue_callback_func = called;
	CHECK(starpu_task_submit(t) == 0 && starpu_task_submit(behind) == 0);
	__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
	starpu_data_unregister(own);
	CHECK(x == 3 && !more);
}

/* Acquired, and released by the callback a while later, or by whom it told. */
static void release(void *arg)
{
	hesitate();
	++*(int *)arg;
	starpu_data_release(shared);
}
static void by_acquiring(void)
{
	int x = 0;
	starpu_variable_data_register(&shared, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	waiting = 0;
	for (int i = 0; i < 5; i++)
		submit(&adds, shared, NULL);
	submit(&chains, shared, NULL); /* so that the callbacks run elsewhere, and later */
	more = 0;
	for (int i = 0; i < 3; i++)
		CHECK(starpu_data_acquire_cb(shared, STARPU_RW, release, &x) == 0);
	__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
	starpu_data_unregister(shared);
	CHECK(x == 9);
}

/* The callback runs already when unregistering begins. */
static int inside;
static void release_late(void *arg)
{
	__atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
	release(arg);
}
static void by_acquired(void)
{
	int x = 0;
	starpu_variable_data_register(&shared, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	waiting = 1;
	struct starpu_task *t = starpu_task_create();
	more = inside = 0;
	t->cl = &chains;
	t->handles[0] = shared;
	CHECK(starpu_task_submit(t) == 0);
	CHECK(starpu_data_acquire_cb(shared, STARPU_RW, release_late, &x) == 0);
	while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
		usleep(100);
	starpu_data_unregister(shared);
	CHECK(x == 2);
}

int main(void)
{
	begin();
	for (slowly = 0; slowly < 2; slowly++) {
		by_tasks(1);
		by_tasks(20);
		by_callbacks();
		by_acquiring();
		by_acquired();
	}
	starpu_shutdown();
	return checks_failed();
}
