/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads of the application over a few handles, all kinds of access at once: in the order and outside it, commuting, reading,
 * acquired in all forms, by plan. Whoever writes is alone: no addition is lost, and the two halves of a value never differ.
 */
#include "data_check.h"
#include <pthread.h>

enum { HANDLES = 4, THREADS = 3, STEPS = 400 };
struct value {
	unsigned long count, again;
};
static struct value values[HANDLES];
static starpu_data_handle_t handle[HANDLES];
static unsigned long want[HANDLES], torn;

static void add(struct value *v)
{
	v->count++;
	v->again++;
}
static void look(const struct value *v)
{
	if (v->count != v->again)
		__atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
}
static void adds(void *buffers[], void *arg)
{
	for (unsigned i = 0; i < (uintptr_t)arg; i++)
		add((struct value *)STARPU_VARIABLE_GET_PTR(buffers[i]));
}
static void looks(void *buffers[], void *arg)
{
	for (unsigned i = 0; i < (uintptr_t)arg; i++)
		look((struct value *)STARPU_VARIABLE_GET_PTR(buffers[i]));
}
static struct starpu_codelet adding = {.cpu_funcs = {adds}, .nbuffers = STARPU_VARIABLE_NBUFFERS};
static struct starpu_codelet looking = {.cpu_funcs = {looks}, .nbuffers = STARPU_VARIABLE_NBUFFERS};

static unsigned next_of(unsigned *state, unsigned n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 16) % n;
}

static void submit_random(unsigned *state)
{
	struct starpu_task *t = starpu_task_create();
	unsigned n = 1 + next_of(state, 2), first = next_of(state, HANDLES);
	int writes = next_of(state, 3) != 0;
	int mode = writes ? (next_of(state, 3) ? STARPU_RW : STARPU_RW | STARPU_COMMUTE) : STARPU_R;
	t->cl = writes ? &adding : &looking;
	t->nbuffers = (int)n;
	t->cl_arg = (void *)(uintptr_t)n;
	t->sequential_consistency = next_of(state, 4) != 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = (first + i) % HANDLES;
		t->handles[i] = handle[k];
		t->modes[i] = (enum starpu_data_access_mode)mode;
		if (writes)
			__atomic_fetch_add(&want[k], 1, __ATOMIC_RELAXED);
	}
	CHECK(starpu_task_submit(t) == 0);
}

static void acquired(void *arg)
{
	unsigned k = (unsigned)(uintptr_t)arg;
	add(&values[k]);
	starpu_data_release(handle[k]);
}

static void *work(void *arg)
{
	unsigned state = (unsigned)(uintptr_t)arg;
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned k = next_of(&state, HANDLES);
		switch (next_of(&state, 16)) {
		case 0:
			CHECK(starpu_data_acquire(handle[k], STARPU_RW) == 0);
			add(&values[k]);
			starpu_data_release(handle[k]);
			__atomic_fetch_add(&want[k], 1, __ATOMIC_RELAXED);
			break;
		case 1:
			__atomic_fetch_add(&want[k], 1, __ATOMIC_RELAXED);
			CHECK(starpu_data_acquire_cb_sequential_consistency(handle[k], STARPU_RW, acquired, (void *)(uintptr_t)k,
			                                                    (int)next_of(&state, 2)) == 0);
			break;
		case 2:
			if (starpu_data_acquire_try(handle[k], STARPU_R) == 0) {
				look(&values[k]);
				starpu_data_release(handle[k]);
			}
			break;
		default:
			submit_random(&state);
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	unsigned state = 7;
	begin();
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned k = 0; k < HANDLES; k++)
			starpu_variable_data_register(&handle[k], STARPU_MAIN_RAM, (uintptr_t)&values[k], sizeof values[k]);
		for (unsigned i = 0; i < 16; i++)
			submit_random(&state); /* codelets are looked at once, before threads share them */
		for (unsigned i = 0; i < THREADS; i++)
			CHECK(pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)(100 * round + i + 1)) == 0);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		starpu_task_wait_for_all();
		for (unsigned k = 0; k < HANDLES; k++) {
			starpu_data_unregister(handle[k]);
			CHECK(values[k].count == want[k] && values[k].again == want[k]);
		}
	}
	CHECK(!torn);
	starpu_shutdown();
	return checks_failed();
}
