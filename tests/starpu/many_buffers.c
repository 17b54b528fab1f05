/* SPDX-License-Identifier: Apache-2.0 */
/* More data than the arrays of a codelet have room for, of a codelet that has no dyn_modes: the modes come with each task. */
#include "starpu_check.h"

enum { N = STARPU_NMAXBUFS + 5 };
static int values[N];
static starpu_data_handle_t handles[N];

/* Each but the first becomes what the first is, and one more. */
static void spread(void *buffers[], void *arg)
{
	(void)arg;
	for (int i = 1; i < N; i++)
		*(int *)STARPU_VARIABLE_GET_PTR(buffers[i]) = *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) + 1;
}
static struct starpu_codelet modeless = {.cpu_funcs = {spread}, .nbuffers = N, .name = "modeless"};
static struct starpu_codelet some_modes = {.cpu_funcs = {spread}, .nbuffers = N, .modes = {STARPU_R, STARPU_W}, .name = "some"};

static void expect(int first)
{
	starpu_task_wait_for_all();
	for (int i = 0; i < N; i++) {
		CHECK(starpu_data_acquire(handles[i], STARPU_R) == 0);
		CHECK(values[i] == (i ? first + 1 : first));
		starpu_data_release(handles[i]);
	}
}

static void set_first(int value)
{
	CHECK(starpu_data_acquire(handles[0], STARPU_W) == 0);
	values[0] = value;
	starpu_data_release(handles[0]);
}

static enum starpu_data_access_mode mode_of(int i)
{
	return i ? STARPU_W : STARPU_R;
}

static void with_a_mode_array(struct starpu_codelet *cl, int value)
{
	struct starpu_data_descr d[N];
	for (int i = 0; i < N; i++)
		d[i] = (struct starpu_data_descr){handles[i], mode_of(i)};
	set_first(value);
	CHECK(starpu_task_insert(cl, STARPU_DATA_MODE_ARRAY, d, N, 0) == 0);
	expect(value);
}

static void one_by_one(int value)
{
	starpu_data_handle_t *h = handles;
	set_first(value);
	CHECK(starpu_task_insert(&modeless, STARPU_R, h[0], STARPU_W, h[1], STARPU_W, h[2], STARPU_W, h[3], STARPU_W, h[4],
	                         STARPU_W, h[5], STARPU_W, h[6], STARPU_W, h[7], STARPU_W, h[8], STARPU_W, h[9], STARPU_W, h[10],
	                         STARPU_W, h[11], STARPU_W, h[12], 0) == 0);
	expect(value);
}

static void by_the_task(int value)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &modeless;
	t->dyn_handles = malloc(sizeof handles);
	t->dyn_modes = malloc(N * sizeof *t->dyn_modes);
	for (int i = 0; i < N; i++) {
		t->dyn_handles[i] = handles[i];
		t->dyn_modes[i] = mode_of(i);
	}
	set_first(value);
	CHECK(starpu_task_submit(t) == 0);
	expect(value);
}

int main(void)
{
	begin_on_cpus(2);
	for (int i = 0; i < N; i++)
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof values[i]);
	with_a_mode_array(&modeless, 10);
	with_a_mode_array(&some_modes, 20);
	one_by_one(30);
	by_the_task(40);
	with_a_mode_array(&modeless, 50);
	CHECK(!modeless.modes[0] && !modeless.dyn_modes && !some_modes.modes[2]);
	for (int i = 0; i < N; i++)
		starpu_data_unregister(handles[i]);
	starpu_shutdown();
	return checks_failed();
}
