/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NUMA nodes as memory nodes, on a machine of two that hwloc makes up: which there are and what they are called, where workers are,
 * data that live there, limits on each.
 */
#include "data_check.h"
#include <stdatomic.h>
#include <unistd.h>

static void add_one(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	(void)arg;
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i]++;
}
static struct starpu_codelet adds_one = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};
static void zero(void *buffers[], void *arg)
{
	(void)arg;
	memset((void *)STARPU_VECTOR_GET_PTR(buffers[0]), 0, STARPU_VECTOR_GET_NX(buffers[0]) * sizeof(unsigned));
}
static struct starpu_codelet zeroes = {.cpu_funcs = {zero}, .nbuffers = 1, .modes = {STARPU_W}};

static void submit_to(struct starpu_codelet *cl, starpu_data_handle_t h, unsigned worker)
{
	CHECK(starpu_task_insert(cl, cl->modes[0], h, STARPU_EXECUTE_ON_WORKER, worker, 0) == 0);
}

static void check_one(void)
{
	begin();
	CHECK(starpu_memory_nodes_get_numa_count() == 1 && starpu_memory_nodes_get_count() == 1);
	CHECK(starpu_cpu_worker_get_count() == 2 && starpu_worker_get_memory_node(1) == STARPU_MAIN_RAM);
	CHECK(starpu_memory_nodes_numa_id_to_devid(0) == STARPU_MAIN_RAM);
	starpu_shutdown();
}

static void check_nodes(int first_os)
{
	unsigned ids[4];
	char name[20];
	CHECK(starpu_memory_nodes_get_numa_count() == 2 && starpu_memory_nodes_get_count() == 2);
	CHECK(starpu_memory_nodes_get_count_by_kind(STARPU_CPU_RAM) == 2);
	CHECK(starpu_memory_node_get_ids_by_type(STARPU_CPU_RAM, ids, 4) == 2 && ids[0] == 0 && ids[1] == 1);
	for (int node = 0; node < 2; node++) {
		int os = node ^ first_os;
		CHECK(starpu_node_get_kind((unsigned)node) == STARPU_CPU_RAM);
		CHECK(starpu_memory_nodes_numa_devid_to_id((unsigned)node) == os);
		CHECK(starpu_memory_nodes_numa_id_to_devid(os) == node);
		CHECK(starpu_memory_nodes_numa_id_to_hwloclogid((unsigned)node) == os); /* in this machine */
		CHECK(starpu_memory_node_get_devid((unsigned)node) == os);
		CHECK(starpu_memory_devid_find_node(os, STARPU_CPU_RAM) == (unsigned)node);
		CHECK(starpu_worker_get_memory_node((unsigned)node) == (unsigned)node);
		starpu_memory_node_get_name((unsigned)node, name, sizeof name);
		CHECK(!strncmp(name, "NUMA ", 5) && atoi(name + 5) == os);
	}
	CHECK(starpu_memory_nodes_numa_id_to_devid(2) == -1 && starpu_memory_nodes_numa_id_to_hwloclogid(2) == -1);
}

static void check_value(starpu_data_handle_t h, unsigned node, unsigned n, unsigned want)
{
	CHECK(starpu_data_acquire_on_node(h, (int)node, STARPU_R) == 0);
	unsigned *v = starpu_data_handle_to_pointer(h, node);
	CHECK(v && v[0] == want && v[n - 1] == want);
	starpu_data_release_on_node(h, (int)node);
}

/* A vector that lives on the second node. */
static void check_home(void)
{
	enum { N = 5000 };
	unsigned *v = (unsigned *)starpu_malloc_on_node(1, N * sizeof *v);
	starpu_data_handle_t h;
	CHECK(v && starpu_memory_get_used(1) == N * sizeof *v);
	memset(v, 0, N * sizeof *v);
	starpu_vector_data_register(&h, 1, (uintptr_t)v, N, sizeof *v);
	CHECK(starpu_data_get_home_node(h) == 1 && starpu_data_is_on_node(h, 1) && !starpu_data_is_on_node(h, 0));
	submit_to(&adds_one, h, 0);
	starpu_task_wait_for_all();
	CHECK(starpu_data_is_on_node(h, 0) && !starpu_data_is_on_node(h, 1) && v[0] == 0);
	check_value(h, 1, N, 1);
	CHECK(v[0] == 1);
	submit_to(&adds_one, h, 1);
	check_value(h, 0, N, 2);
	CHECK(starpu_data_is_on_node(h, 0) && starpu_data_is_on_node(h, 1));
	submit_to(&adds_one, h, 0);
	starpu_data_unregister(h);
	CHECK(v[0] == 3 && v[N - 1] == 3);
	starpu_free_on_node(1, (uintptr_t)v, N * sizeof *v);
	CHECK(starpu_memory_get_used(1) == 0);
}

/* Memory of starpu_malloc() needs no size to be freed, whichever nodes there are. */
static void check_malloc(void)
{
	void *p;
	size_t before = starpu_memory_get_used(STARPU_MAIN_RAM); /* by the cache of allocations */
	CHECK(starpu_malloc(&p, 100000) == 0);
	memset(p, 1, 100000);
	CHECK(starpu_free(p) == 0);
	CHECK(starpu_malloc_flags(&p, 100000, STARPU_MALLOC_COUNT) == 0 &&
	      starpu_memory_get_used(STARPU_MAIN_RAM) == before + 100000);
	CHECK(starpu_free_flags(p, 100000, STARPU_MALLOC_COUNT) == 0 && starpu_memory_get_used(STARPU_MAIN_RAM) == before);
}

/* What does not fit on the second node, of 1 MB, goes back to the first. */
static void check_limit(void)
{
	enum { MANY = 16, N = 1 << 16 };
	starpu_data_handle_t h[MANY];
	CHECK(starpu_memory_get_total(1) == 1 << 20 && starpu_memory_get_total(0) == -1);
	for (unsigned i = 0; i < MANY; i++) {
		starpu_vector_data_register(&h[i], -1, 0, N, sizeof(unsigned));
		submit_to(&zeroes, h[i], 1);
	}
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < MANY; i++)
			submit_to(&adds_one, h[i], 1);
	starpu_task_wait_for_all();
	CHECK(starpu_memory_get_used(1) <= 1 << 20);
	for (unsigned i = 0; i < MANY; i++) {
		check_value(h[i], 0, N, 3);
		starpu_data_unregister(h[i]);
	}
}

/* Contributions from both nodes. */
static void contribute(void *buffers[], void *arg)
{
	(void)arg;
	++*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static void begin_sum(void *buffers[], void *arg)
{
	(void)arg;
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}
static void add_up(void *buffers[], void *arg)
{
	(void)arg;
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}
static struct starpu_codelet contributes = {.cpu_funcs = {contribute}, .nbuffers = 1, .modes = {STARPU_REDUX}};
static struct starpu_codelet begins_sum = {.cpu_funcs = {begin_sum}, .nbuffers = 1, .modes = {STARPU_W}};
static struct starpu_codelet adds_up = {.cpu_funcs = {add_up}, .nbuffers = 2, .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};

static void check_reduction(void)
{
	starpu_data_handle_t h;
	unsigned sum = 5;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof sum);
	starpu_data_set_reduction_methods(h, &adds_up, &begins_sum);
	for (unsigned i = 0; i < 100; i++)
		submit_to(&contributes, h, i % 2);
	starpu_data_unregister(h);
	CHECK(sum == 105);
}

static void wait_until_valid(starpu_data_handle_t h, unsigned node)
{
	int valid = 0;
	while (!valid) {
		starpu_data_query_status(h, (int)node, NULL, &valid, NULL);
		usleep(100);
	}
}

/* What was written in parts is brought where the program wants it whole. */
static void check_gathering(void)
{
	enum { PARTS = 2, N = 1000 };
	static unsigned home[N];
	struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
	starpu_data_handle_t h, part[PARTS];
	memset(home, 0, sizeof home);
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)home, N, sizeof home[0]);
	starpu_data_partition(h, &halves);
	for (unsigned i = 0; i < PARTS; i++)
		submit_to(&adds_one, starpu_data_get_child(h, i), i);
	starpu_data_unpartition(h, 1);
	CHECK(starpu_data_is_on_node(h, 0) && starpu_data_is_on_node(h, 1));
	starpu_data_partition_plan(h, &halves, part);
	for (unsigned i = 0; i < PARTS; i++)
		submit_to(&adds_one, part[i], i);
	starpu_data_unpartition_submit(h, PARTS, part, 1);
	wait_until_valid(h, 1);
	check_value(h, 1, N, 2);
	/* The handle's own, where a task asks for the whole again. */
	starpu_data_set_gathering_node(h, 1);
	for (unsigned i = 0; i < PARTS; i++)
		submit_to(&adds_one, part[i], i);
	CHECK(starpu_data_acquire_on_node(h, 0, STARPU_R) == 0);
	starpu_data_release_on_node(h, 0);
	wait_until_valid(h, 1);
	check_value(h, 1, N, 3);
	starpu_data_partition_clean(h, PARTS, part);
	starpu_data_unregister(h);
	CHECK(home[0] == 3 && home[N - 1] == 3);
}

/* -- a switch to reading, while somebody reads already -- */

enum { LONG = 1 << 12 };
static atomic_int reading, enough;

static void read_on(void *buffers[], void *arg)
{
	const unsigned *v = (const unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
	(void)arg;
	atomic_store(&reading, 1);
	do {
		unsigned wrong = 0;
		for (size_t i = 0; i < n; i++)
			wrong += v[i] != 1;
		CHECK(!wrong);
	} while (!atomic_load(&enough));
}
static struct starpu_codelet reads_on = {.cpu_funcs = {read_on}, .nbuffers = 1, .modes = {STARPU_R}};
static void read_once(void *buffers[], void *arg)
{
	CHECK(*(const unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]) == 1);
	(void)arg;
}
static struct starpu_codelet reads_once = {.cpu_funcs = {read_once}, .nbuffers = 1, .modes = {STARPU_R}};

/*
 * One is read on the second node, and goes on being read there while the other is opened for reading, too: the copy that is being
 * read stays the value, so that nobody brings another one over it.
 */
static void check_one_is_read(starpu_data_handle_t one, starpu_data_handle_t other)
{
	starpu_task_wait_for_all(); /* nothing that the other waits for is behind it on that worker */
	atomic_store(&reading, 0);
	atomic_store(&enough, 0);
	submit_to(&reads_on, one, 1);
	while (!atomic_load(&reading))
		usleep(100);
	submit_to(&reads_once, other, 0);
	check_value(other, 0, 1, 1);
	CHECK(starpu_data_is_on_node(one, 0) && starpu_data_is_on_node(one, 1));
	check_value(one, 1, 1, 1);
	atomic_store(&enough, 1);
	starpu_task_wait_for_all();
}

static void check_reading_goes_on(void)
{
	enum { PARTS = 2 };
	struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
	starpu_data_handle_t h, part[PARTS];
	starpu_vector_data_register(&h, -1, 0, LONG, sizeof(unsigned));
	submit_to(&zeroes, h, 1);
	starpu_data_partition_plan(h, &halves, part);
	for (unsigned i = 0; i < PARTS; i++)
		submit_to(&adds_one, part[i], 1);
	check_one_is_read(part[0], h);
	submit_to(&zeroes, h, 1);
	submit_to(&adds_one, h, 1);
	check_one_is_read(h, part[0]);
	starpu_data_partition_clean(h, PARTS, part);
	starpu_data_unregister(h);
}

int main(void)
{
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_NCPU", "2", 1);
	check_one();
	setenv("STARPU_USE_NUMA", "1", 1);
	setenv("STARPU_LIMIT_CPU_NUMA_1_MEM", "1", 1);
	begin();
	check_nodes(0);
	check_home();
	check_malloc();
	check_reduction();
	check_limit();
	check_gathering();
	check_reading_goes_on();
	starpu_shutdown();
	unsetenv("STARPU_LIMIT_CPU_NUMA_1_MEM");
	setenv("STARPU_WORKERS_CPUID", "1 0", 1);
	begin();
	check_nodes(1);
	check_home();
	starpu_shutdown();
	return checks_failed();
}
