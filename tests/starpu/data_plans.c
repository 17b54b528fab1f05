/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans over several memory nodes: a vector, two ways of cutting it, one of them cut once more, used in any order by tasks on the
 * workers of two NUMA nodes (which hwloc makes up), while other threads evict and prefetch the whole and the parts. What a task reads
 * is what was written before it in the order of submission, and nobody copies over what it is reading: readers look twice.
 */
#include "data_check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { LENGTH = 240, QUARTERS = 4, BELOW = 2, THIRDS = 3, PIECES = 1 + QUARTERS * (1 + BELOW) + THIRDS, DISTURBERS = 2 };

struct piece {
	starpu_data_handle_t handle;
	unsigned at, n;
};
static struct piece piece[PIECES];
static unsigned home[LENGTH], model[LENGTH];

/* Mostly for an instant, at times so long that others run who would not. */
static void stop(void)
{
	static atomic_uint turns;
	unsigned turn = atomic_fetch_add(&turns, 1);
	if (turn % 16 == 0)
		usleep(turn / 16 % 8 * 20);
	else
		sched_yield();
}

static unsigned hash(const unsigned *v, size_t n)
{
	unsigned h = (unsigned)n;
	for (size_t i = 0; i < n; i++)
		h = h * 31 + v[i];
	return h;
}

static void change(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
	for (size_t i = 0; i < n; i++) {
		if (i == n / 2)
			stop();
		v[i] = v[i] * 3 + (unsigned)(uintptr_t)arg;
	}
}
static void look(void *buffers[], void *arg)
{
	const unsigned *v = (const unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
	bool first = hash(v, n) == (unsigned)(uintptr_t)arg;
	stop();
	bool second = hash(v, n) == (unsigned)(uintptr_t)arg;
	CHECK(first && second);
}
static struct starpu_codelet changes = {.cpu_funcs = {change}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet looks = {.cpu_funcs = {look}, .nbuffers = 1, .modes = {STARPU_R}};

static atomic_bool ends;

static void *disturb(void *seed)
{
	unsigned x = (unsigned)(uintptr_t)seed;
	while (!ends) {
		x = x * 1664525 + 1013904223;
		starpu_data_handle_t h = piece[(x >> 16) % PIECES].handle;
		unsigned node = (x >> 24) % starpu_memory_nodes_get_count();
		if (x >> 28 < 12)
			starpu_data_evict_from_node(h, node);
		else
			CHECK(starpu_data_idle_prefetch_on_node(h, node, 1) == 0);
		stop();
	}
	return NULL;
}

/* Plans `n` parts of a piece; their own pieces come behind those that there are. */
static unsigned plan(const struct piece *whole, unsigned n, starpu_data_handle_t *part, unsigned pieces)
{
	struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = n};
	starpu_data_partition_plan(whole->handle, &f, part);
	for (unsigned i = 0; i < n; i++)
		piece[pieces++] = (struct piece){part[i], whole->at + i * whole->n / n, whole->n / n};
	return pieces;
}

static void step_on(unsigned step, starpu_data_handle_t *quarter, starpu_data_handle_t *third)
{
	const struct piece *p = &piece[random_below(PIECES)];
	unsigned what = random_below(40), node = random_below(starpu_memory_nodes_get_count());
	if (what == 0)
		starpu_data_partition_submit(piece[0].handle, QUARTERS, quarter);
	else if (what == 1)
		starpu_data_partition_readonly_submit(piece[0].handle, THIRDS, third);
	else if (what == 2)
		starpu_data_unpartition_submit(piece[0].handle, QUARTERS, quarter, (int)node);
	if (what % 3) {
		submit_by_lot(&looks, p->handle, hash(&model[p->at], p->n));
		return;
	}
	submit_by_lot(&changes, p->handle, step);
	for (unsigned i = p->at; i < p->at + p->n; i++)
		model[i] = model[i] * 3 + step;
}

static void walk(int home_node, unsigned steps)
{
	starpu_data_handle_t quarter[QUARTERS], third[THIRDS], below[QUARTERS][BELOW];
	memset(home, 0, sizeof home);
	memset(model, 0, sizeof model);
	piece[0] = (struct piece){NULL, 0, LENGTH};
	starpu_vector_data_register(&piece[0].handle, home_node, home_node < 0 ? 0 : (uintptr_t)home, LENGTH, sizeof home[0]);
	if (home_node < 0) {
		CHECK(starpu_data_acquire(piece[0].handle, STARPU_W) == 0);
		memset(starpu_data_get_local_ptr(piece[0].handle), 0, sizeof home);
		starpu_data_release(piece[0].handle);
	}
	unsigned n = plan(&piece[0], THIRDS, third, plan(&piece[0], QUARTERS, quarter, 1));
	for (unsigned i = 0; i < QUARTERS; i++)
		n = plan(&piece[1 + i], BELOW, below[i], n);
	CHECK(n == PIECES);

	pthread_t disturber[DISTURBERS];
	ends = false;
	for (uintptr_t i = 0; i < DISTURBERS; i++)
		CHECK(pthread_create(&disturber[i], NULL, disturb, (void *)(i + 1)) == 0);
	for (unsigned step = 0; step < steps; step++) {
		step_on(step, quarter, third);
		if (step % 32 == 0)
			starpu_task_wait_for_n_submitted(16);
	}
	ends = true;
	for (unsigned i = 0; i < DISTURBERS; i++)
		pthread_join(disturber[i], NULL);
	for (unsigned i = 0; i < QUARTERS; i++)
		starpu_data_partition_clean(quarter[i], BELOW, below[i]);
	starpu_data_partition_clean(piece[0].handle, QUARTERS, quarter);
	starpu_data_partition_clean(piece[0].handle, THIRDS, third);
	CHECK(starpu_data_acquire(piece[0].handle, STARPU_R) == 0);
	CHECK(!memcmp(starpu_data_get_local_ptr(piece[0].handle), model, sizeof model));
	starpu_data_release(piece[0].handle);
	starpu_data_unregister(piece[0].handle);
}

int main(int argc, char **argv)
{
	unsigned steps = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
	random_state += argc > 2 ? (uint64_t)atoi(argv[2]) << 32 : 0;
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 0);
	setenv("STARPU_USE_NUMA", "1", 0);
	setenv("STARPU_NOPENCL", "0", 0);
	begin();
	walk(STARPU_MAIN_RAM, steps);
	walk(-1, steps);
	starpu_shutdown();
	return checks_failed();
}
