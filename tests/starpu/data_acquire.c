/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's access to data: blocking, by callback, tried; beside tasks in and outside the order; letting go in steps;
 * unregistering and invalidating in all forms.
 */
#include "data_check.h"

static void add_one(void *buffers[], void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static void set_one(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 1;
}
static void look(void *buffers[], void *arg)
{
	*(int *)arg = *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet adds = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet sets = {.cpu_funcs = {set_one}, .nbuffers = 1, .modes = {STARPU_W}};
static struct starpu_codelet looks = {.cpu_funcs = {look}, .nbuffers = 1, .modes = {STARPU_R}};

static void check_blocking(void)
{
	int x = 0, saw[50];
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	for (int i = 0; i < 50; i++) {
		for (int k = 0; k < 20; k++)
			submit(&adds, h, NULL);
		CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
		CHECK(x == 21 * i + 20);
		x++;
		starpu_data_release(h);
		submit(&looks, h, &saw[i]);
	}
	/* Readers together. */
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	starpu_data_release(h);
	starpu_data_release(h);
	starpu_task_wait_for_all();
	for (int i = 0; i < 50; i++)
		CHECK(saw[i] == 21 * (i + 1));
	starpu_data_unregister(h);
	CHECK(x == 50 * 21);
}

static starpu_data_handle_t shared;
static int count, value;

static void add_and_release(void *arg)
{
	CHECK(arg == &count);
	count++;
	++*(int *)starpu_data_get_local_ptr(shared);
	starpu_data_release(shared);
}

static void check_callbacks(void)
{
	value = count = 0;
	starpu_variable_data_register(&shared, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (int i = 0; i < 100; i++) {
		submit(&adds, shared, NULL);
		CHECK(starpu_data_acquire_cb(shared, STARPU_RW, add_and_release, &count) == 0);
	}
	CHECK(starpu_data_acquire_on_node_cb(shared, STARPU_ACQUIRE_NO_NODE, STARPU_RW, add_and_release, &count) == 0);
	CHECK(starpu_data_acquire(shared, STARPU_R) == 0);
	CHECK(count == 101 && value == 201);
	starpu_data_release(shared);
	starpu_data_unregister(shared);
}

static void check_try(void)
{
	int x = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
	CHECK(starpu_data_acquire_try(h, STARPU_R) == -EAGAIN);
	submit(&adds, h, NULL);
	starpu_data_release(h);
	starpu_task_wait_for_all();
	CHECK(starpu_data_acquire_try(h, STARPU_R) == 0);
	CHECK(x == 1);
	starpu_data_release(h);
	starpu_data_unregister(h);
}

/* Down to reading: tasks that read go on, those that write wait. */
static void check_release_to(void)
{
	int x = 5, saw = 0, later = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
	x = 7;
	struct starpu_task *t = starpu_task_create();
	t->cl = &looks;
	t->cl_arg = &saw;
	t->handles[0] = h;
	t->detach = 0;
	CHECK(starpu_task_submit(t) == 0);
	submit(&adds, h, NULL);
	submit(&looks, h, &later);
	starpu_data_release_to(h, STARPU_R);
	CHECK(starpu_task_wait(t) == 0);
	CHECK(saw == 7 && x == 7);
	starpu_data_release(h);
	starpu_task_wait_for_all();
	CHECK(x == 8 && later == 8);
	starpu_data_unregister(h);
}

/* Outside the order: one at a time all the same. */
static void check_unordered(void)
{
	int x = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	for (int i = 0; i < 300; i++)
		submit(&adds, h, NULL);
	starpu_data_set_sequential_consistency_flag(h, 0);
	CHECK(!starpu_data_get_sequential_consistency_flag(h));
	for (int i = 0; i < 300; i++)
		submit(&adds, h, NULL);
	starpu_data_set_sequential_consistency_flag(h, 1);
	for (int i = 0; i < 300; i++) {
		submit(&adds, h, NULL);
		struct starpu_task *t = starpu_task_create();
		t->cl = &adds;
		t->handles[0] = h;
		t->sequential_consistency = 0;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_task_wait_for_all();
	CHECK(x == 1200);
	starpu_data_unregister(h);
	starpu_data_set_default_sequential_consistency_flag(0);
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	CHECK(!starpu_data_get_sequential_consistency_flag(h) && !starpu_data_get_default_sequential_consistency_flag());
	starpu_data_set_default_sequential_consistency_flag(1);
	starpu_data_unregister(h);
}

static void check_ends(void)
{
	int x = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, -1, 0, sizeof x);
	CHECK(starpu_data_get_home_node(h) == -1 && !starpu_data_test_if_allocated_on_node(h, STARPU_MAIN_RAM));
	submit(&sets, h, NULL);
	for (int i = 0; i < 10; i++)
		submit(&adds, h, NULL);
	submit(&looks, h, &x);
	starpu_data_invalidate_submit(h);
	submit(&sets, h, NULL);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(x == 11 && *(int *)starpu_data_get_local_ptr(h) == 1);
	starpu_data_release(h);
	starpu_data_invalidate(h);
	int allocated, valid, requested;
	starpu_data_query_status(h, STARPU_MAIN_RAM, &allocated, &valid, &requested);
	CHECK(!allocated && !valid && !requested);
	submit(&sets, h, NULL);
	starpu_data_deinitialize_submit(h);
	starpu_task_wait_for_all();
	starpu_data_query_status(h, STARPU_MAIN_RAM, &allocated, &valid, &requested);
	CHECK(allocated && !valid && !requested);
	submit(&sets, h, NULL);
	submit(&looks, h, &x);
	starpu_data_unregister_submit(h);
	starpu_task_wait_for_all();
	CHECK(x == 1);
	for (int i = 0; i < 200; i++) {
		starpu_data_handle_t same;
		starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
		starpu_data_register_same(&same, h);
		submit(&sets, same, NULL);
		submit(&adds, h, NULL);
		if (i % 2)
			starpu_data_unregister(same);
		else
			starpu_data_unregister_submit(same);
		starpu_data_unregister_no_coherency(h);
	}
	starpu_task_wait_for_all();
	CHECK(x == 201);
}

static void check_small_things(void)
{
	int x = 0, xyz[3] = {0};
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	starpu_data_set_name(h, "a name");
	starpu_data_set_coordinates(h, 3, 1, 20, -3);
	CHECK(starpu_data_get_coordinates_array(h, 3, xyz) == 3 && xyz[0] == 1 && xyz[1] == 20 && xyz[2] == -3);
	starpu_data_set_user_data(h, &x);
	CHECK(starpu_data_get_user_data(h) == &x);
	starpu_data_set_sched_data(h, &xyz);
	CHECK(starpu_data_get_sched_data(h) == &xyz);
	CHECK(starpu_data_lookup(&x) == h && !starpu_data_lookup(&xyz));
	CHECK(starpu_data_get_ooc_flag(h) == 1);
	starpu_data_set_ooc_flag(h, 0);
	CHECK(starpu_data_get_ooc_flag(h) == 0);
	CHECK(starpu_data_is_on_node(h, STARPU_MAIN_RAM));
	CHECK(starpu_data_prefetch_on_node(h, STARPU_MAIN_RAM, 1) == 0 && starpu_data_fetch_on_node(h, STARPU_MAIN_RAM, 0) == 0);
	CHECK(starpu_data_idle_prefetch_on_node_prio(h, STARPU_MAIN_RAM, 1, 3) == 0);
	starpu_data_wont_use(h);
	starpu_arbiter_t arbiter = starpu_arbiter_create();
	starpu_data_assign_arbiter(h, arbiter);
	starpu_data_unregister(h);
	starpu_arbiter_destroy(arbiter);
}

/* -- jobs of acquisitions have numbers, which are told before it is their turn -- */

static long before_id, after_id, seen_id;
static void notes_id(void *arg)
{
	seen_id = before_id;
	starpu_data_release((starpu_data_handle_t)arg);
}

static void check_job_ids(void)
{
	int x = 0;
	long last = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	for (unsigned i = 0; i < 3; i++) {
		before_id = after_id = seen_id = -1;
		CHECK(starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(h, NULL, STARPU_MAIN_RAM, STARPU_RW, NULL,
		                                                                        NULL, notes_id, h, 1, 0, &before_id,
		                                                                        &after_id, 0) == 0);
		starpu_task_wait_for_all();
		CHECK(before_id != -1 && after_id == before_id && seen_id == before_id && before_id != last);
		last = before_id;
	}
	starpu_data_unregister(h);
}

static void nothing(void *arg)
{
	(void)arg;
}

/* What is acquired is no task: who waits for all of them waits for what was submitted, not for the release. */
static void check_no_task(void)
{
	int mine = 1, other = 1;
	starpu_data_handle_t h[2];
	starpu_variable_data_register(&h[0], STARPU_MAIN_RAM, (uintptr_t)&mine, sizeof mine);
	starpu_variable_data_register(&h[1], STARPU_MAIN_RAM, (uintptr_t)&other, sizeof other);
	CHECK(starpu_data_acquire(h[0], STARPU_RW) == 0);
	CHECK(starpu_task_nsubmitted() == 0);
	starpu_task_insert(&adds, STARPU_RW, h[1], 0);
	CHECK(starpu_data_acquire_cb(h[1], STARPU_R, nothing, NULL) == 0);
	CHECK(starpu_data_acquire_cb(h[1], STARPU_R, NULL, NULL) == 0);
	CHECK(starpu_task_wait_for_all() == 0);
	CHECK(other == 2 && starpu_task_nsubmitted() == 0);
	starpu_task_insert(&adds, STARPU_RW, h[0], 0);
	CHECK(starpu_task_nsubmitted() == 1);
	starpu_data_release_to(h[1], STARPU_R);
	starpu_data_release(h[1]);
	starpu_data_release(h[1]);
	starpu_data_release(h[0]);
	CHECK(starpu_task_wait_for_all() == 0);
	CHECK(mine == 2 && starpu_task_nsubmitted() == 0);
	starpu_data_unregister(h[0]);
	starpu_data_unregister(h[1]);
}

int main(void)
{
	begin();
	check_blocking();
	check_callbacks();
	check_try();
	check_release_to();
	check_unordered();
	check_ends();
	check_small_things();
	check_job_ids();
	check_no_task();
	starpu_shutdown();
	return checks_failed();
}
