/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks whose load changes in phases, so that no number of workers is right all the time: for `weft tune -t workers`.
 *
 *     apart     tasks that each have a device of their own: the more workers, the better
 *     together  tasks that share a memory, which serves one at a time and is slowed down by each that waits: the fewer, the better
 *
 * Device and memory are not there: a task sleeps for as long as they would take. So the shape is known, and the same on any machine.
 *
 *     usage: changing_load [WORKERS [PHASES [TASKS]]]     WORKERS are on at first (0: all); TASKS of a phase
 */
#include <starpu.h>
#include <starpu_perf_steering.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { APART_US = 5000, TOGETHER_US = 700, WAITING_US = 350, AHEAD = 100 };

static pthread_mutex_t memory = PTHREAD_MUTEX_INITIALIZER;
static int waiting;

static void take_us(long us)
{
	nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static void run_apart(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	take_us(APART_US);
}

static void run_together(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&memory);
	int others = __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
	take_us(TOGETHER_US + WAITING_US * others);
	pthread_mutex_unlock(&memory);
}

static struct starpu_codelet apart = {.cpu_funcs = {run_apart}, .name = "apart"};
static struct starpu_codelet together = {.cpu_funcs = {run_together}, .name = "together"};

/* Seconds. */
static double run_phase(struct starpu_codelet *codelet, int tasks)
{
	double begin = starpu_timing_now();
	for (int i = 0; i < tasks; i++) {
		if (starpu_task_insert(codelet, 0))
			exit(EXIT_FAILURE);
		starpu_task_wait_for_n_submitted(AHEAD);
	}
	starpu_task_wait_for_all();
	return (starpu_timing_now() - begin) / 1e6;
}

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 0, phases = argc > 2 ? atoi(argv[2]) : 2, tasks = argc > 3 ? atoi(argv[3]) : 100;
	double sum[2] = {0, 0};
	if (starpu_init(NULL))
		return 77;
	unsigned all = starpu_worker_get_count(), on = wanted > 0 ? (unsigned)wanted : all;
	int knob = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob");
	for (unsigned i = 0; i < all && on < all; i++)
		starpu_perf_knob_set_per_worker_int32_value(knob, i, i < on);
	for (int i = 0; i < phases; i++)
		sum[i % 2] += run_phase(i % 2 ? &together : &apart, tasks);
	starpu_shutdown();
	printf("%.3f s: %.3f s apart, %.3f s together\n", sum[0] + sum[1], sum[0], sum[1]);
	return EXIT_SUCCESS;
}
