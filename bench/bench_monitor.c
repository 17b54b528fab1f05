/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What counters and knobs cost, and how quick bounds are.
 *
 *     task, task-inserted   an empty task, as a struct and by one call: without counters; collecting and nobody listens; one listener of
 *                           a worker's count, of its time too, of peaks; with a worker switched off and on before
 *     read, knob            reading a counter in a listener; reading and turning a knob
 *     bound                 all bounds of 100,000 tasks with dependencies
 */
#include "bench.h"
#include <math.h>
#include <starpu.h>
#include <starpu_bound.h>
#include <starpu_perf_steering.h>
#include <stdlib.h>

enum { TASKS = 20000, READS = 2000, TURNS = 20000, BOUND_TASKS = 100000, LANES = 200 };
enum listen { OFF, COLLECTS, COUNT, TIME, PEAK, TURNED };

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static double microsecond(struct starpu_task *t, unsigned worker, unsigned impl)
{
	(void)t, (void)impl;
	return 1 + (double)worker;
}
static struct starpu_perfmodel model = {.type = STARPU_PER_WORKER,
                                        .worker_cost_function = microsecond,
                                        .symbol = "bench_monitor"};
static struct starpu_codelet empty = {.cpu_funcs = {nothing}, .name = "empty"};
static struct starpu_codelet lane = {.cpu_funcs = {nothing},
                                     .nbuffers = 1,
                                     .modes = {STARPU_RW},
                                     .model = &model,
                                     .name = "lane"};

static void begin(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		exit(EXIT_FAILURE);
}

static void hear(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *s, void *id)
{
	(void)l;
	bench_keep((uint64_t)starpu_perf_counter_sample_get_int64_value(s, *(int *)id));
}

static double run_tasks(int inserted)
{
	uint64_t from = bench_now_ns();
	for (int i = 0; i < TASKS; i++) {
		if (inserted) {
			starpu_task_insert(&empty, 0);
			continue;
		}
		struct starpu_task *t = starpu_task_create();
		t->cl = &empty;
		if (starpu_task_submit(t))
			exit(EXIT_FAILURE);
	}
	starpu_task_wait_for_all();
	return (double)(bench_now_ns() - from) / TASKS;
}

static double tasks(enum listen listen, int inserted)
{
	static int id;
	const enum starpu_perf_counter_scope scope = listen == PEAK ? starpu_perf_counter_scope_global
	                                                            : starpu_perf_counter_scope_per_worker;
	begin();
	struct starpu_perf_counter_set *set = starpu_perf_counter_set_alloc(scope);
	id = starpu_perf_counter_nth_to_id(scope, 0);
	starpu_perf_counter_set_enable_id(set, id);
	if (listen == TIME || listen == PEAK)
		starpu_perf_counter_set_enable_id(set, starpu_perf_counter_nth_to_id(scope, 1));
	struct starpu_perf_counter_listener *l = starpu_perf_counter_listener_init(set, hear, &id);
	if (listen == COUNT || listen == TIME)
		starpu_perf_counter_set_all_per_worker_listeners(l);
	if (listen == PEAK)
		starpu_perf_counter_set_global_listener(l);
	if (listen == TURNED) {
		int knob = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob");
		starpu_perf_knob_set_per_worker_int32_value(knob, 0, 0);
		starpu_perf_knob_set_per_worker_int32_value(knob, 0, 1);
	} else if (listen != OFF) {
		starpu_perf_counter_collection_start();
	}
	run_tasks(inserted);
	double ns = run_tasks(inserted);
	starpu_perf_counter_listener_exit(l);
	starpu_perf_counter_set_free(set);
	starpu_shutdown();
	return ns;
}

static double submitted(void *listen)
{
	return tasks((enum listen)(uintptr_t)listen, 0);
}
static double inserted(void *listen)
{
	return tasks((enum listen)(uintptr_t)listen, 1);
}

/* ---- reading and turning ---- */

static double ns_a_read;
static void hear_often(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *s, void *id)
{
	(void)l;
	uint64_t from = bench_now_ns();
	for (int i = 0; i < READS; i++)
		bench_keep((uint64_t)starpu_perf_counter_sample_get_int64_value(s, *(int *)id));
	ns_a_read = (double)(bench_now_ns() - from) / READS;
}

static double read_counter(void *arg)
{
	(void)arg;
	static int id;
	begin();
	struct starpu_perf_counter_set *set = starpu_perf_counter_set_alloc(starpu_perf_counter_scope_per_worker);
	id = starpu_perf_counter_nth_to_id(starpu_perf_counter_scope_per_worker, 0);
	starpu_perf_counter_set_enable_id(set, id);
	struct starpu_perf_counter_listener *l = starpu_perf_counter_listener_init(set, hear_often, &id);
	starpu_perf_counter_set_all_per_worker_listeners(l);
	starpu_perf_counter_collection_start();
	starpu_task_insert(&empty, 0);
	starpu_task_wait_for_all();
	starpu_perf_counter_listener_exit(l);
	starpu_perf_counter_set_free(set);
	starpu_shutdown();
	return ns_a_read;
}

static double knob(void *sets)
{
	begin();
	int id = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_per_scheduler, "starpu.dmda.s_alpha_knob");
	uint64_t from = bench_now_ns();
	for (int i = 0; i < TURNS; i++)
		if (sets)
			starpu_perf_knob_set_per_scheduler_double_value(id, "dmda", 1 + i % 3);
		else
			bench_keep((uint64_t)starpu_perf_knob_get_per_scheduler_double_value(id, "dmda"));
	double ns = (double)(bench_now_ns() - from) / TURNS;
	starpu_shutdown();
	return ns;
}

static double knob_of_worker(void *arg)
{
	(void)arg;
	begin();
	int id = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob");
	uint64_t from = bench_now_ns();
	for (int i = 0; i < TURNS; i++)
		starpu_perf_knob_set_per_worker_int32_value(id, 0, i % 2);
	double ns = (double)(bench_now_ns() - from) / TURNS;
	starpu_shutdown();
	return ns;
}

/* ---- bounds ---- */

static double bound(void *arg)
{
	(void)arg;
	static int value[LANES];
	starpu_data_handle_t h[LANES];
	double least;
	begin();
	for (int i = 0; i < LANES; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
	starpu_bound_start(1, 0);
	for (int i = 0; i < BOUND_TASKS; i++)
		starpu_task_insert(&lane, STARPU_RW, h[i % LANES], 0);
	starpu_task_wait_for_all();
	starpu_bound_stop();
	uint64_t from = bench_now_ns();
	starpu_bound_compute(&least, NULL, 0);
	double ms = (double)(bench_now_ns() - from) / 1e6;
	if (fabs(least - BOUND_TASKS / 1000.0) > 1e-3)
		ms = bench_skip("the bound is wrong");
	for (int i = 0; i < LANES; i++)
		starpu_data_unregister(h[i]);
	starpu_shutdown();
	return ms;
}

#define LISTENS(round) \
	{ \
		{"off", round, (void *)OFF}, {"collects", round, (void *)COLLECTS}, {"count", round, (void *)COUNT}, \
			{"time", round, (void *)TIME}, {"peak", round, (void *)PEAK}, {"turned", round, (void *)TURNED}, \
		{ \
			0 \
		} \
	}
static const struct bench_variant of_task[] = LISTENS(submitted);
static const struct bench_variant of_inserted[] = LISTENS(inserted);
static const struct bench_variant of_read[] = {{"counter", read_counter, NULL}, {0}};
static const struct bench_variant of_knob[] = {{"set", knob, (void *)1},
                                               {"get", knob, NULL},
                                               {"enable", knob_of_worker, NULL},
                                               {0}};
static const struct bench_variant of_bound[] = {{"100000", bound, NULL}, {0}};
static const struct bench benches[] = {{"task", "ns", 0, of_task},   {"task-inserted", "ns", 0, of_inserted},
                                       {"read", "ns", 0, of_read},   {"knob", "ns", 0, of_knob},
                                       {"bound", "ms", 5, of_bound}, {0}};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
