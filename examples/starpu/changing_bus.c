/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two workers with a memory each, and a bus between them whose speed changes in phases, while the scheduler (dmda) believes that it stays as
 * it was measured: for `weft tune -t dmda`.
 *
 * In each round the data are made anew in the main memory, then tasks read one each. What the second worker is to read has to be
 * brought there; the models say that this takes a millisecond.
 *
 *     idle bus   it takes a twentieth of that: half of the tasks should go there
 *     busy bus   others use the bus, and it takes thirty times as long: hardly any should
 *
 * The second memory is made up (hwloc's synthetic machine), and so are processors and bus: tasks and copies sleep for as long as these would take.
 *
 *     usage: changing_bus [BETA [PHASES [ROUNDS]]]     BETA: dmda's factor of transfers (default: 1); ROUNDS of a phase
 */
#include <starpu.h>
#include <starpu_perf_steering.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 12, TASK_US = 4000, EXPECTED_US = 1000, IDLE_US = 50, BUSY_US = 30000 };

static size_t said_bytes; /* of a block: so many that the models expect a copy to take EXPECTED_US */
static long copy_us = IDLE_US;

static void take_us(long us)
{
	nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

/* ---- blocks: variables that are as large as they say, and a bus that copies them ---- */

static size_t size_of(starpu_data_handle_t handle)
{
	(void)handle;
	return said_bytes;
}

static int copy(void *from, unsigned from_node, void *to, unsigned to_node)
{
	const struct starpu_variable_interface *a = from, *b = to;
	(void)from_node, (void)to_node;
	take_us(__atomic_load_n(&copy_us, __ATOMIC_RELAXED));
	*(double *)b->ptr = *(const double *)a->ptr;
	return 0;
}

static void register_blocks(starpu_data_handle_t *block, double *home)
{
	static const struct starpu_data_copy_methods bus = {.ram_to_ram = copy};
	static struct starpu_data_interface_ops ops;
	ops = starpu_interface_variable_ops;
	ops.copy_methods = &bus;
	ops.get_size = size_of;
	for (int i = 0; i < BLOCKS; i++) {
		struct starpu_variable_interface v = {.id = ops.interfaceid,
		                                      .ptr = (uintptr_t)&home[i],
		                                      .elemsize = sizeof home[i]};
		starpu_data_register(&block[i], STARPU_MAIN_RAM, &v, &ops);
	}
}

/* ---- tasks ---- */

static double sum;

static void work(void *buffers[], void *arg)
{
	double v = *(const double *)STARPU_VARIABLE_GET_PTR(buffers[0]), before, after;
	(void)arg;
	take_us(TASK_US);
	__atomic_load(&sum, &before, __ATOMIC_RELAXED);
	do
		after = before + v;
	while (!__atomic_compare_exchange(&sum, &before, &after, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static double cost(struct starpu_task *task, unsigned nimpl)
{
	(void)task, (void)nimpl;
	return TASK_US;
}

static struct starpu_perfmodel model = {.type = STARPU_COMMON, .cost_function = cost, .symbol = "changing_bus"};
static struct starpu_codelet codelet = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_R}, .model = &model, .name = "work"};

static void run_round(starpu_data_handle_t *block, unsigned long round)
{
	starpu_iteration_push(round);
	for (int i = 0; i < BLOCKS; i++) {
		starpu_data_acquire(block[i], STARPU_W);
		*(double *)starpu_data_get_local_ptr(block[i]) = 1;
		starpu_data_release(block[i]);
	}
	for (int i = 0; i < BLOCKS; i++)
		if (starpu_task_insert(&codelet, STARPU_R, block[i], 0))
			exit(EXIT_FAILURE);
	starpu_task_wait_for_all();
	starpu_iteration_pop();
}

/* Seconds. */
static double run_phase(starpu_data_handle_t *block, long us, unsigned long first, int rounds)
{
	double begin = starpu_timing_now();
	__atomic_store_n(&copy_us, us, __ATOMIC_RELAXED);
	for (int i = 0; i < rounds; i++)
		run_round(block, first + (unsigned long)i);
	return (starpu_timing_now() - begin) / 1e6;
}

static int begin(void)
{
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_USE_NUMA", "1", 1);
	setenv("STARPU_NCPU", "2", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	setenv("STARPU_SCHED", "dmda", 1);
	return starpu_init(NULL);
}

int main(int argc, char **argv)
{
	double beta = argc > 1 ? atof(argv[1]) : 1, took[2] = {0, 0}, home[BLOCKS] = {0};
	int phases = argc > 2 ? atoi(argv[2]) : 2, rounds = argc > 3 ? atoi(argv[3]) : 4;
	starpu_data_handle_t block[BLOCKS];
	if (begin())
		return 77;
	if (starpu_memory_nodes_get_count() < 2 || starpu_worker_get_count() < 2) {
		starpu_shutdown();
		return 77;
	}
	int knob = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_per_scheduler, "starpu.dmda.s_beta_knob");
	starpu_perf_knob_set_per_scheduler_double_value(knob, "dmda", beta);
	said_bytes = (size_t)(starpu_transfer_bandwidth(0, 1) * EXPECTED_US);
	register_blocks(block, home);
	for (int i = 0; i < phases; i++)
		took[i % 2] += run_phase(block, i % 2 ? BUSY_US : IDLE_US, (unsigned long)(i * rounds), rounds);
	for (int i = 0; i < BLOCKS; i++)
		starpu_data_unregister(block[i]);
	starpu_shutdown();
	printf("%.3f s: %.3f s with an idle bus, %.3f s with a busy one\n", took[0] + took[1], took[0], took[1]);
	return sum == (double)phases * rounds * BLOCKS ? EXIT_SUCCESS : EXIT_FAILURE;
}
