/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listeners that are set and taken out by several threads while others submit and workers run: nobody is called for a slot twice at a
 * time, nor any more when its listener has been taken out; collecting starts and stops meanwhile, and listeners change each other.
 */
#include "starpu_check.h"
#include <pthread.h>

enum { TASKS = 4000, TURNS = 400 };
static int within_global, within_worker[STARPU_NMAXWORKERS], allowed, stops, calls, ran;
static int id_submitted, id_executed, id_codelet;
static struct starpu_perf_counter_listener *global, *global_too, *per_worker, *per_codelet;

static void work(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet works = {.cpu_funcs = {work}, .name = "works"};

static void hear_all(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *s, void *context)
{
	(void)context;
	CHECK(__atomic_add_fetch(&within_global, 1, __ATOMIC_ACQ_REL) == 1);
	CHECK(starpu_perf_counter_sample_get_int64_value(s, id_submitted) > 0);
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 64 == 0) /* of its own slot, and of others */
		starpu_perf_counter_set_global_listener(l == global ? global_too : global);
	if (LOOK(calls) % 128 == 5)
		starpu_perf_counter_unset_per_worker_listener(1);
	CHECK(__atomic_sub_fetch(&within_global, 1, __ATOMIC_ACQ_REL) == 0);
}

static void hear_worker(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *s, void *context)
{
	int me = *(const int *)context;
	CHECK(l == per_worker && me == starpu_worker_get_id());
	CHECK(__atomic_add_fetch(&within_worker[me], 1, __ATOMIC_ACQ_REL) == 1);
	CHECK(me != 0 || LOOK(allowed));
	CHECK(starpu_perf_counter_sample_get_int64_value(s, id_executed) > 0);
	CHECK(__atomic_sub_fetch(&within_worker[me], 1, __ATOMIC_ACQ_REL) == 0);
}

static void hear_codelet(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *s, void *context)
{
	CHECK(l == per_codelet && context == &works);
	CHECK(starpu_perf_counter_sample_get_int64_value(s, id_codelet) > 0);
}

static void *toggle_workers(void *arg)
{
	for (int i = 0; i < TURNS; i++) {
		__atomic_store_n(&allowed, 1, __ATOMIC_RELEASE);
		starpu_perf_counter_set_all_per_worker_listeners(per_worker);
		usleep(50);
		starpu_perf_counter_unset_all_per_worker_listeners();
		__atomic_store_n(&allowed, 0, __ATOMIC_RELEASE); /* from here on nobody of worker 0 is called */
	}
	return arg;
}

static void *toggle_others(void *arg)
{
	while (!LOOK(stops)) {
		starpu_perf_counter_set_global_listener(global);
		starpu_perf_counter_set_per_codelet_listener(&works, per_codelet);
		usleep(100);
		starpu_perf_counter_collection_stop();
		starpu_perf_counter_unset_per_codelet_listener(&works);
		starpu_perf_counter_collection_start();
		starpu_perf_counter_unset_global_listener();
	}
	return arg;
}

static struct starpu_perf_counter_set *set_of(enum starpu_perf_counter_scope scope, const char *name, int *id)
{
	struct starpu_perf_counter_set *set = starpu_perf_counter_set_alloc(scope);
	*id = starpu_perf_counter_name_to_id(scope, name);
	starpu_perf_counter_set_enable_id(set, *id);
	return set;
}

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.precedence_over_environment_variables = 1;
	conf.ncpus = 2;
	if (starpu_init(&conf))
		cannot_begin();
	struct starpu_perf_counter_set *g = set_of(starpu_perf_counter_scope_global, "starpu.task.g_total_submitted",
	                                           &id_submitted);
	int peak = starpu_perf_counter_name_to_id(starpu_perf_counter_scope_global, "starpu.task.g_peak_ready");
	starpu_perf_counter_set_enable_id(g, peak);
	struct starpu_perf_counter_set *w = set_of(starpu_perf_counter_scope_per_worker, "starpu.task.w_total_executed",
	                                           &id_executed);
	struct starpu_perf_counter_set *c = set_of(starpu_perf_counter_scope_per_codelet, "starpu.task.c_total_submitted",
	                                           &id_codelet);
	global = starpu_perf_counter_listener_init(g, hear_all, NULL);
	global_too = starpu_perf_counter_listener_init(g, hear_all, NULL);
	per_worker = starpu_perf_counter_listener_init(w, hear_worker, NULL);
	per_codelet = starpu_perf_counter_listener_init(c, hear_codelet, NULL);
	starpu_perf_counter_collection_start();
	pthread_t thread[2];
	CHECK(!pthread_create(&thread[0], NULL, toggle_workers, NULL));
	CHECK(!pthread_create(&thread[1], NULL, toggle_others, NULL));
	for (int i = 0; i < TASKS; i++) {
		CHECK(!starpu_task_insert(&works, 0));
		if (i % 500 == 0)
			CHECK(!starpu_task_wait_for_all());
	}
	pthread_join(thread[0], NULL);
	__atomic_store_n(&stops, 1, __ATOMIC_RELEASE);
	pthread_join(thread[1], NULL);
	CHECK(!starpu_task_wait_for_all() && LOOK(ran) == TASKS);
	starpu_perf_counter_listener_exit(global);
	starpu_perf_counter_listener_exit(global_too);
	starpu_perf_counter_listener_exit(per_worker);
	starpu_perf_counter_listener_exit(per_codelet);
	starpu_perf_counter_set_free(g);
	starpu_perf_counter_set_free(w);
	starpu_perf_counter_set_free(c);
	starpu_shutdown();
	return checks_failed();
}
