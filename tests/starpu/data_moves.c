/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves that no task asks for (evictions, values that are written through, prefetches, what is not used any more) against tasks
 * that write: whatever is brought where, and however long that takes, a task finds what the one before it in the order wrote.
 * Copies and writers stop in the middle, so that others come between.
 */
#include "data_check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { HANDLES = 4, LENGTH = 256, STEPS = 3000, DISTURBERS = 2 };

static atomic_uint turns;

/* Mostly for an instant, at times so long that others run who would not. */
static void stop(void)
{
	unsigned turn = atomic_fetch_add(&turns, 1);
	if (turn % 16 == 0)
		usleep(turn / 16 % 8 * 20);
	else
		sched_yield();
}

/* -- vectors that are copied slowly -- */

static int copy_slowly(void *from, unsigned from_node, void *to, unsigned to_node)
{
	const unsigned *a = (const unsigned *)STARPU_VECTOR_GET_PTR(from);
	unsigned *b = (unsigned *)STARPU_VECTOR_GET_PTR(to);
	size_t n = STARPU_VECTOR_GET_NX(from);
	(void)from_node, (void)to_node;
	memcpy(b, a, n / 2 * sizeof *a);
	stop();
	memcpy(b + n / 2, a + n / 2, (n - n / 2) * sizeof *a);
	stop();
	return 0;
}
static const struct starpu_data_copy_methods slow = {.ram_to_ram = copy_slowly};

/* -- tasks -- */

static void change(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (unsigned i = 0; i < LENGTH; i++) {
		if (i == LENGTH / 2)
			stop();
		v[i] = v[i] * 3 + (unsigned)(uintptr_t)arg;
	}
}
static void look(void *buffers[], void *arg)
{
	const unsigned *v = (const unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	unsigned wrong = 0;
	for (unsigned i = 0; i < LENGTH; i++)
		wrong += v[i] != (unsigned)(uintptr_t)arg;
	CHECK(!wrong);
}
static struct starpu_codelet changes = {.cpu_funcs = {change}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet looks = {.cpu_funcs = {look}, .nbuffers = 1, .modes = {STARPU_R}};

/* -- who disturbs -- */

static starpu_data_handle_t handle[HANDLES];
static atomic_bool ends;

static void *disturb(void *seed)
{
	unsigned x = (unsigned)(uintptr_t)seed;
	while (!ends) {
		x = x * 1664525 + 1013904223;
		starpu_data_handle_t h = handle[x >> 20 & (HANDLES - 1)];
		unsigned node = (x >> 24) % starpu_memory_nodes_get_count(), what = x >> 28;
		if (what < 10)
			starpu_data_evict_from_node(h, node);
		else if (what < 13)
			starpu_data_wont_use(h);
		else
			CHECK(starpu_data_idle_prefetch_on_node(h, node, 1) == 0);
		stop();
	}
	return NULL;
}

static void change_disturbed(struct starpu_data_interface_ops *ops)
{
	static unsigned home[HANDLES][LENGTH];
	unsigned model[HANDLES] = {0};
	for (unsigned k = 0; k < HANDLES; k++) {
		struct starpu_vector_interface v = {.id = STARPU_VECTOR_INTERFACE_ID,
		                                    .ptr = (uintptr_t)home[k],
		                                    .dev_handle = (uintptr_t)home[k],
		                                    .nx = LENGTH,
		                                    .elemsize = sizeof(unsigned),
		                                    .allocsize = sizeof home[k]};
		memset(home[k], 0, sizeof home[k]);
		starpu_data_register(&handle[k], STARPU_MAIN_RAM, &v, ops);
		if (k % 2)
			starpu_data_set_wt_mask(handle[k], 3);
	}
	pthread_t disturber[DISTURBERS];
	ends = false;
	for (uintptr_t i = 0; i < DISTURBERS; i++)
		CHECK(pthread_create(&disturber[i], NULL, disturb, (void *)(i + 1)) == 0);
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned k = random_below(HANDLES);
		if (random_below(3)) {
			submit_by_lot(&changes, handle[k], step);
			model[k] = model[k] * 3 + step;
		} else {
			submit_by_lot(&looks, handle[k], model[k]);
		}
		if (step % 32 == 0)
			starpu_task_wait_for_n_submitted(16);
	}
	starpu_task_wait_for_all();
	ends = true;
	for (unsigned i = 0; i < DISTURBERS; i++)
		pthread_join(disturber[i], NULL);
	for (unsigned k = 0; k < HANDLES; k++) {
		starpu_data_unregister(handle[k]);
		for (unsigned i = 0; i < LENGTH; i++)
			if (home[k][i] != model[k]) {
				CHECK(!"a value is wrong at home");
				break;
			}
	}
}

int main(void)
{
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 0);
	setenv("STARPU_USE_NUMA", "1", 0);
	setenv("STARPU_NOPENCL", "0", 0);
	begin();
	CHECK(starpu_memory_nodes_get_count() == 2);
	struct starpu_data_interface_ops ops = starpu_interface_vector_ops;
	ops.copy_methods = &slow;
	change_disturbed(&ops);
	starpu_shutdown();
	return checks_failed();
}
