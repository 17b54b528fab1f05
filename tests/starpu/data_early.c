/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do before starpu_init(): they register data, name it, say how it is ordered, make tasks with priorities. */
#include "data_check.h"

enum { LENGTH = 100, ROUNDS = 50 };

static void increment(void *buffers[], void *arg)
{
	long *v = (long *)STARPU_VECTOR_GET_PTR(buffers[0]);
	(void)arg;
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i]++;
}
static void fill(void *buffers[], void *arg)
{
	long *v = (long *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = (long)(intptr_t)arg;
}
static struct starpu_codelet increments = {.cpu_funcs = {increment}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet fills = {.cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}};

static void registered_first(void)
{
	static long here[LENGTH], *allocated;
	starpu_data_handle_t home, given, none, left;
	memset(here, 0, sizeof here);
	starpu_vector_data_register(&home, STARPU_MAIN_RAM, (uintptr_t)here, LENGTH, sizeof *here);
	starpu_data_set_name(home, "home");
	starpu_data_set_coordinates(home, 2, 3, 4);
	starpu_data_set_user_data(home, here);
	CHECK(starpu_malloc((void **)&allocated, LENGTH * sizeof *allocated) == 0);
	memset(allocated, 0, LENGTH * sizeof *allocated);
	starpu_vector_data_register(&given, STARPU_MAIN_RAM, (uintptr_t)allocated, LENGTH, sizeof *allocated);
	starpu_vector_data_register(&none, -1, 0, LENGTH, sizeof(long));
	starpu_vector_data_register(&left, STARPU_MAIN_RAM, (uintptr_t)here, 1, sizeof *here);
	CHECK(starpu_data_get_size(home) == sizeof here && starpu_data_get_home_node(none) == -1);
	CHECK(starpu_data_get_user_data(home) == here);
	struct starpu_task *early = starpu_task_create();
	early->cl = &increments;
	early->handles[0] = home;
	early->priority = STARPU_MAX_PRIO;
	CHECK(STARPU_MIN_PRIO <= 0 && STARPU_MAX_PRIO >= 0);
	begin();
	CHECK(starpu_task_submit(early) == 0);
	submit(&fills, none, (void *)(intptr_t)7);
	for (int i = 1; i < ROUNDS; i++) {
		submit(&increments, home, NULL);
		submit(&increments, given, NULL);
		submit(&increments, none, NULL);
	}
	CHECK(starpu_data_acquire(none, STARPU_R) == 0);
	const long *made = starpu_data_get_local_ptr(none);
	for (int i = 0; i < LENGTH; i++)
		CHECK(made[i] == 7 + ROUNDS - 1);
	starpu_data_release(none);
	starpu_data_unregister(home);
	starpu_data_unregister(given);
	starpu_data_unregister(none);
	for (int i = 0; i < LENGTH; i++)
		CHECK(here[i] == ROUNDS && allocated[i] == ROUNDS - 1);
	starpu_free(allocated);
	starpu_shutdown(); /* `left` goes with it */
}

/* The default order is the program's: neither beginning nor ending changes it. */
static void default_order_stays(void)
{
	starpu_data_handle_t early, late;
	long value = 0;
	CHECK(starpu_data_get_default_sequential_consistency_flag() == 1);
	starpu_data_set_default_sequential_consistency_flag(0);
	starpu_variable_data_register(&early, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	begin();
	CHECK(starpu_data_get_default_sequential_consistency_flag() == 0);
	starpu_variable_data_register(&late, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	CHECK(!starpu_data_get_sequential_consistency_flag(early) && !starpu_data_get_sequential_consistency_flag(late));
	starpu_data_unregister(early);
	starpu_data_unregister(late);
	starpu_shutdown();
	CHECK(starpu_data_get_default_sequential_consistency_flag() == 0);
	starpu_data_set_default_sequential_consistency_flag(1);
}

int main(void)
{
	unsetenv("STARPU_NCPU");
	setenv("STARPU_SILENT", "1", 1);
	for (int life = 0; life < 3; life++)
		registered_first();
	default_order_stays();
	return checks_failed();
}
