/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What workers, contexts, tasks and bundles answer to who schedules: the values that StarPU 1.3 gives to the same questions, where it
 * has them, else those that its handbook promises.
 */
#include "starpu_check.h"
#include <math.h>
#include <starpu_heteroprio.h>
#include <starpu_perf_steering.h>
#include <starpu_profiling.h>
#include <starpu_scheduler.h>
#include <starpu_scheduler_toolbox.h>
#include <stddef.h>

static int n_ran;
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
}
static double cost(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch;
	return 100 + 10 * impl;
}
static double energy(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch;
	return 7 + impl;
}
static struct starpu_perfmodel costs = {.type = STARPU_PER_ARCH, .arch_cost_function = cost, .symbol = "costs"},
			       joules = {.type = STARPU_PER_ARCH, .arch_cost_function = energy, .symbol = "joules"};
static struct starpu_codelet modelled = {.cpu_funcs = {nothing, nothing},
                                         .nbuffers = 1,
                                         .modes = {STARPU_RW},
                                         .model = &costs,
                                         .energy_model = &joules},
			     plain = {.cpu_funcs = {nothing}}, of_device = {.opencl_funcs = {nothing}},
			     parallel = {.cpu_funcs = {nothing}, .type = STARPU_SPMD, .max_parallelism = 2};

enum { MODELLED, PLAIN, DEVICE, PARALLEL, TASKS };
static struct starpu_task *task[TASKS];
static starpu_data_handle_t handle;

static void make_tasks(void)
{
	static double values[100];
	struct starpu_codelet *const of[] = {&modelled, &plain, &of_device, &parallel};
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)values, 100, sizeof *values);
	for (int i = 0; i < TASKS; i++) {
		task[i] = starpu_task_create();
		task[i]->cl = of[i];
		task[i]->destroy = 0;
	}
	task[MODELLED]->handles[0] = handle;
}

static void drop_tasks(void)
{
	for (int i = 0; i < TASKS; i++)
		starpu_task_destroy(task[i]);
	starpu_data_unregister(handle);
}

/* What a function prints is so and so. */
static void check_text(const char *text, const char *want)
{
	if (strcmp(text, want) != 0)
		fprintf(stderr, "# '%s', not '%s'\n", text, want);
	CHECK(!strcmp(text, want));
}
#define PRINTS(call, want) \
	do { \
		char *text_ = NULL; \
		size_t n_; \
		FILE *f = open_memstream(&text_, &n_); \
		call; \
		fclose(f); \
		check_text(text_, want); \
		free(text_); \
	} while (0)

static void check_worker_kinds(void)
{
	static const struct {
		enum starpu_worker_archtype type;
		const char *name, *variable;
	} kinds[] = {{STARPU_CPU_WORKER, "CPU", "CPU"},
	             {STARPU_CUDA_WORKER, "CUDA", "CUDA"},
	             {STARPU_OPENCL_WORKER, "OpenCL", "OPENCL"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		check_text(starpu_worker_get_type_as_string(kinds[i].type), kinds[i].name);
		check_text(starpu_worker_get_type_as_env_var(kinds[i].type), kinds[i].variable);
		CHECK(starpu_worker_get_type_from_string(kinds[i].name) == kinds[i].type);
	}
	CHECK(starpu_worker_get_type_from_string("neither") == STARPU_UNKNOWN_WORKER);
	PRINTS(starpu_worker_display_names(f, STARPU_CPU_WORKER), "2 CPU workers\n\tCPU 0\n\tCPU 1\n");
	PRINTS(starpu_worker_display_names(f, STARPU_CUDA_WORKER), "No CUDA worker\n");
	PRINTS(starpu_worker_display_count(f, STARPU_OPENCL_WORKER), "0 OpenCL workers\n");
	char *all = NULL;
	size_t n;
	FILE *to = open_memstream(&all, &n);
	starpu_worker_display_all(to);
	fclose(to);
	CHECK(strstr(all, "2 CPU workers\n\tCPU 0\n\tCPU 1\n") && strstr(all, "No OpenCL worker\n"));
	free(all);
	CHECK(!starpu_mpi_ms_worker_get_count() && !starpu_tcpip_ms_worker_get_count());
}

static void check_worker_numbers(void)
{
	int id[] = {-1, -1, -1}, *of_unit = NULL;
	CHECK(starpu_worker_get_devids(STARPU_CPU_WORKER, id, 3) == 2 && id[0] == 0 && id[1] == 1 && id[2] == -1);
	CHECK(starpu_worker_get_devids(STARPU_CPU_WORKER, id, 1) == 1 &&
	      starpu_worker_get_devids(STARPU_OPENCL_WORKER, id, 3) == 0);
	CHECK(starpu_worker_get_stream_workerids(1, id, STARPU_CPU_WORKER) == 1 && id[0] == 1);
	CHECK(starpu_worker_get_stream_workerids(0, id, STARPU_CUDA_WORKER) == 0);
	int shared = starpu_worker_get_bindid(0) == starpu_worker_get_bindid(1);
	CHECK(starpu_bindid_get_workerids(starpu_worker_get_bindid(0), &of_unit) == 1 + shared && of_unit[0] == 0);
	hwloc_obj_t unit = starpu_worker_get_hwloc_obj(1);
	CHECK(unit && unit->type == HWLOC_OBJ_PU && (int)unit->logical_index == starpu_worker_get_bindid(1));
	CHECK(starpu_worker_get_local_memory_node() == STARPU_MAIN_RAM && starpu_worker_get_mp_nodeid(0) == -1);
	CHECK(starpu_combined_worker_get_id() == -1 && !starpu_worker_is_slave_somewhere(0) && !starpu_worker_sched_op_pending());
	starpu_worker_wait_for_initialisation();
}

/* A worker's lock is one: who has it keeps others out. */
static void *tries(void *rc)
{
	*(int *)rc = starpu_worker_trylock(0);
	if (!*(int *)rc)
		starpu_worker_unlock(0);
	return NULL;
}
static int tried_elsewhere(void)
{
	pthread_t thread;
	int rc = 0;
	CHECK(!pthread_create(&thread, NULL, tries, &rc) && !pthread_join(thread, NULL));
	return rc;
}
/* A thread that is in no context may ask about where it is, and keep data there. */
static void check_outside(void)
{
	unsigned ctx = starpu_sched_ctx_get_context(), awake = 7;
	int here, *workers = NULL;
	CHECK(ctx == STARPU_NMAX_SCHED_CTXS);
	CHECK(!starpu_sched_ctx_get_policy_data(ctx) && !starpu_sched_ctx_get_user_data(ctx));
	starpu_sched_ctx_set_policy_data(ctx, &here);
	CHECK(starpu_sched_ctx_get_policy_data(ctx) == &here && starpu_sched_ctx_get_policy_data(0) != &here);
	starpu_sched_ctx_set_policy_data(ctx, NULL);
	CHECK(starpu_sched_ctx_get_nworkers(ctx) == 0 && starpu_sched_ctx_get_workers_list(ctx, &workers) == 0);
	free(workers);
	CHECK(!starpu_sched_ctx_get_sched_policy(ctx) && !starpu_sched_ctx_has_starpu_scheduler(ctx, &awake) && !awake);
	CHECK(starpu_sched_ctx_get_nready_tasks(ctx) == 0 && starpu_sched_ctx_get_worker_rank(ctx) == -1);
	starpu_sched_ctx_set_priority((int[]){0}, 1, ctx, 3);
	CHECK(starpu_sched_ctx_get_priority(0, ctx) == 3);
}

static void check_worker_locks(void)
{
	starpu_pthread_mutex_t *mutex = NULL;
	starpu_pthread_cond_t *cond = NULL;
	starpu_worker_lock(0);
	CHECK(tried_elsewhere() != 0);
	starpu_worker_unlock(0);
	CHECK(tried_elsewhere() == 0);
	starpu_worker_get_sched_condition(0, &mutex, &cond);
	CHECK(mutex && cond && starpu_wake_worker_relax(0) && starpu_wake_worker_no_relax(0) && starpu_wake_worker(0));
	STARPU_PTHREAD_MUTEX_LOCK(mutex);
	CHECK(starpu_wake_worker_locked(1) == 1);
	STARPU_PTHREAD_MUTEX_UNLOCK(mutex);
	starpu_wake_all_blocked_workers();
}

static void check_who_can(void)
{
	static const struct {
		int what;
		unsigned worker, mask;
	} can[] = {{MODELLED, 0, 3}, {PLAIN, 1, 1}, {DEVICE, 0, 0}, {PARALLEL, 0, 1}};
	for (size_t i = 0; i < sizeof can / sizeof *can; i++) {
		unsigned mask = 99, first = 99, worker = can[i].worker;
		struct starpu_task *t = task[can[i].what];
		for (unsigned impl = 0; impl < 3; impl++)
			CHECK(starpu_worker_can_execute_task(worker, t, impl) == (int)(can[i].mask >> impl & 1));
		CHECK(starpu_worker_can_execute_task_impl(worker, t, &mask) == (can[i].mask != 0) && mask == can[i].mask);
		CHECK(starpu_worker_can_execute_task_first_impl(worker, t, &first) == (can[i].mask != 0) &&
		      first == (can[i].mask ? 0U : 99U));
	}
	CHECK(starpu_combined_worker_get_count() == 0);
	starpu_sched_find_all_worker_combinations();
	CHECK(starpu_combined_worker_get_count() == 1);
	CHECK(starpu_combined_worker_can_execute_task(2, task[PARALLEL], 0) &&
	      !starpu_combined_worker_can_execute_task(2, task[PARALLEL], 1));
	CHECK(!starpu_combined_worker_can_execute_task(2, task[MODELLED], 0) &&
	      starpu_combined_worker_can_execute_task(0, task[MODELLED], 0));
}

static void check_expected(void)
{
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	struct starpu_task *t = task[MODELLED];
	CHECK(starpu_task_expected_length(t, arch, 1) == 110 && starpu_task_worker_expected_length(t, 1, 0, 0) == 100);
	CHECK(starpu_task_expected_length_average(t, 0) == 100 && starpu_task_expected_length(task[PLAIN], arch, 0) == 0);
	CHECK(starpu_task_expected_energy(t, arch, 0) == 7 && starpu_task_worker_expected_energy(t, 1, 0, 1) == 8);
	CHECK(starpu_task_expected_energy_average(t, 0) == 7 && starpu_task_expected_energy_average(task[PLAIN], 0) == 0);
	CHECK(starpu_task_expected_data_transfer_time(0, t) == 0 && starpu_task_expected_data_transfer_time_for(t, 1) == 0);

	starpu_task_bundle_t b;
	starpu_task_bundle_create(&b);
	CHECK(starpu_task_bundle_expected_length(b, arch, 0) == 0);
	CHECK(!starpu_task_bundle_insert(b, t) && !starpu_task_bundle_insert(b, task[PLAIN]));
	CHECK(starpu_task_bundle_expected_length(b, arch, 0) == 100 && starpu_task_bundle_expected_energy(b, arch, 1) == 8);
	CHECK(starpu_task_bundle_expected_data_transfer_time(b, 0) == 0);
	CHECK(!starpu_task_bundle_remove(b, t) && starpu_task_bundle_expected_length(b, arch, 0) == 0);
	CHECK(!starpu_task_bundle_remove(b, task[PLAIN]));
	starpu_task_bundle_close(b);
}

static void check_prefetches(void)
{
	static int (*const for_worker[])(struct starpu_task *, unsigned) = {starpu_prefetch_task_input_for,
	                                                                    starpu_prefetch_task_input_on_node,
	                                                                    starpu_idle_prefetch_task_input_for,
	                                                                    starpu_idle_prefetch_task_input_on_node};
	static int (*const with_prio[])(struct starpu_task *, unsigned, int) = {starpu_prefetch_task_input_for_prio,
	                                                                        starpu_prefetch_task_input_on_node_prio,
	                                                                        starpu_idle_prefetch_task_input_for_prio,
	                                                                        starpu_idle_prefetch_task_input_on_node_prio};
	for (int i = 0; i < 4; i++)
		CHECK(!for_worker[i](task[MODELLED], 0) && !with_prio[i](task[MODELLED], 0, 3));
	CHECK(starpu_prefetch_task_input_on_node(task[MODELLED], 77) < 0 &&
	      starpu_idle_prefetch_task_input_on_node_prio(task[MODELLED], 77, 0) < 0);
}

/* For the policy, if it asks for it: this one does not. */
static unsigned called_back;
static void note_call(unsigned ctx)
{
	called_back = ctx;
}

static void check_context_workers(unsigned c)
{
	int *list;
	CHECK(starpu_sched_ctx_get_workers_list(c, &list) == 1 && list[0] == 1);
	free(list);
	CHECK(starpu_sched_ctx_get_workers_list_raw(0, &list) == 2 && list[0] == 0 && list[1] == 1);
	CHECK(starpu_sched_ctx_contains_type_of_worker(STARPU_CPU_WORKER, c) &&
	      !starpu_sched_ctx_contains_type_of_worker(STARPU_OPENCL_WORKER, c));
	PRINTS(starpu_sched_ctx_display_workers(c, f), "[sched_ctx 1]: 1 worker\n\t\tCPU 1\n");
	PRINTS(starpu_sched_ctx_display_workers(0, f), "[sched_ctx 0]: 2 workers\n\t\tCPU 0\n\t\tCPU 1\n");
	CHECK(starpu_sched_ctx_worker_get_id(c) == (unsigned)-1);
	int n = 0;
	starpu_sched_ctx_get_available_cpuids(0, &list, &n);
	CHECK(n == 2 && list[0] == starpu_worker_get_bindid(0) && list[1] == starpu_worker_get_bindid(1));
	starpu_sched_ctx_bind_current_thread_to_cpuid((unsigned)list[0]);
	free(list);
	starpu_bind_thread_on_main();
}

static void check_context_words(unsigned c)
{
	int own, workers[] = {1}, start = -1, end = -1;
	starpu_sched_ctx_set_user_data(c, &own);
	CHECK(starpu_sched_ctx_get_user_data(c) == &own);
	check_text(starpu_sched_ctx_get_sched_policy(c)->policy_name, "eager");
	CHECK(!starpu_sched_ctx_min_priority_is_set(c) && !starpu_sched_ctx_max_priority_is_set(c));
	CHECK(!starpu_sched_ctx_set_min_priority(c, -3) && !starpu_sched_ctx_set_max_priority(c, 8));
	CHECK(!starpu_sched_ctx_min_priority_is_set(c) && !starpu_sched_ctx_max_priority_is_set(c));
	CHECK(starpu_sched_ctx_get_min_priority(c) == -3 && starpu_sched_ctx_get_max_priority(c) == 8 &&
	      STARPU_DEFAULT_PRIO == 0);
	starpu_sched_ctx_set_priority(workers, 1, c, 5);
	CHECK(starpu_sched_ctx_get_priority(1, c) == 5 && starpu_sched_ctx_get_priority(0, 0) == 0);
	CHECK(starpu_sched_ctx_get_hierarchy_level(c) == 2 && starpu_sched_ctx_get_hierarchy_level(0) == 0);
	CHECK(starpu_sched_ctx_get_ctx_for_task(task[PLAIN]) == STARPU_NMAX_SCHED_CTXS);
	/* No part of a device is anybody's. */
	starpu_sched_ctx_get_sms_interval(1, &start, &end);
	CHECK(start == 0 && end == 0 && starpu_sched_ctx_get_nsms(c) == 0);
	CHECK(starpu_worker_get_sched_ctx_id_stream(0) == STARPU_NMAX_SCHED_CTXS);
	CHECK(starpu_sched_ctx_book_workers_for_task(c, workers, 1) == 1);
	starpu_sched_ctx_unbook_workers_for_task(c, 1);
	CHECK(starpu_sched_ctx_get_sched_policy_callback(c) == note_call && !starpu_sched_ctx_get_sched_policy_init(0));
}

/* The counters of lists that workers share: ours are counted by themselves, so that none of these changes them. */
static void check_counters(unsigned c)
{
	starpu_sched_ctx_worker_shares_tasks_lists(1, (int)c);
	starpu_sched_ctx_list_task_counters_increment(c, 1);
	starpu_sched_ctx_list_task_counters_increment_all_ctx_locked(task[PLAIN], c);
	starpu_sched_ctx_list_task_counters_decrement(c, 1);
	starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked(task[PLAIN], c);
	starpu_sched_ctx_list_task_counters_reset(c, 1);
	starpu_sched_ctx_list_task_counters_reset_all(task[PLAIN], c);
	CHECK(starpu_sched_ctx_get_nready_tasks(c) == 0 && starpu_sched_ctx_get_nready_flops(c) == 0);
	starpu_sched_ctx_revert_task_counters_ctx_locked(c, 5);
	CHECK(starpu_sched_ctx_get_nready_tasks(c) == -1 && starpu_sched_ctx_get_nready_flops(c) == -5);
	starpu_sched_ctx_revert_task_counters_ctx_locked(c, -5);
}

static void *doubled(void *number)
{
	*(int *)number *= 2;
	return number;
}

static void check_contexts(void)
{
	int workers[] = {1}, both[] = {0, 1}, number = 21;
	unsigned c = starpu_sched_ctx_create(workers, 1, "asked", STARPU_SCHED_CTX_POLICY_NAME, "eager",
	                                     STARPU_SCHED_CTX_HIERARCHY_LEVEL, 2, STARPU_SCHED_CTX_POLICY_INIT, note_call,
	                                     STARPU_SCHED_CTX_CUDA_NSMS, 4, STARPU_SCHED_CTX_SUB_CTXS, both, 0, 0);
	CHECK(c == 1 && !called_back);
	check_context_workers(c);
	check_context_words(c);
	check_counters(c);
	starpu_sched_ctx_delete(c);
	unsigned p = starpu_sched_ctx_create(both, 2, "parallel", STARPU_SCHED_CTX_NESTED, 0, 0);
	CHECK(starpu_sched_ctx_master_get_context(0) == p && starpu_sched_ctx_worker_is_master_for_child_ctx(0, 0) == p);
	CHECK(starpu_sched_ctx_master_get_context(1) == STARPU_NMAX_SCHED_CTXS &&
	      starpu_sched_ctx_worker_is_master_for_child_ctx(1, 0) == STARPU_NMAX_SCHED_CTXS);
	CHECK(starpu_worker_is_slave_somewhere(1) && !starpu_worker_is_slave_somewhere(0));
	CHECK(starpu_sched_ctx_exec_parallel_code(doubled, &number, p) == &number && number == 42);
	starpu_sched_ctx_delete(p);
}

static void check_toolbox(void)
{
	struct starpu_task *t[4];
	static const int priority[] = {1, 3, 3, 2};
	starpu_st_fifo_taskq_t fifo = starpu_st_fifo_taskq_create();
	max_align_t room[16];
	starpu_st_prio_deque_t deque = (starpu_st_prio_deque_t)room;
	starpu_st_prio_deque_init(deque);
	for (int i = 0; i < 4; i++) {
		t[i] = starpu_task_create();
		t[i]->cl = &plain;
		t[i]->priority = priority[i];
		t[i]->destroy = 0;
		starpu_st_fifo_taskq_push_sorted_task(fifo, t[i]);
	}
	starpu_st_fifo_ntasks_inc(fifo, 3);
	CHECK(starpu_st_fifo_ntasks_get(fifo) == 7);
	starpu_st_fifo_ntasks_inc(fifo, -3);
	static const int first[] = {1, 2, 3, 0};
	for (int i = 0; i < 4; i++)
		CHECK(starpu_st_fifo_taskq_pop_first_ready_task(fifo, 0, 4) == t[first[i]]);
	CHECK(!starpu_st_fifo_taskq_pop_first_ready_task(fifo, 0, 4));
	starpu_st_fifo_taskq_init(fifo);
	CHECK(starpu_st_fifo_taskq_empty(fifo) && starpu_st_fifo_ntasks_get(fifo) == 0);
	starpu_st_fifo_taskq_destroy(fifo);

	CHECK(!starpu_st_prio_deque_highest_task(deque) && !starpu_st_prio_deque_pop_back_task(deque));
	for (int i = 0; i < 4; i++)
		starpu_st_prio_deque_push_back_task(deque, t[i]);
	/* The other end: the least urgent. */
	CHECK(starpu_st_prio_deque_highest_task(deque) == t[1] && starpu_st_prio_deque_pop_back_task(deque) == t[0]);
	CHECK(starpu_st_prio_deque_pop_task(deque) == t[1] && starpu_st_prio_deque_highest_task(deque) == t[2]);
	CHECK(starpu_st_prio_deque_pop_back_task(deque) == t[3] && starpu_st_prio_deque_pop_back_task(deque) == t[2]);
	starpu_st_prio_deque_destroy(deque);
	for (int i = 0; i < 4; i++)
		starpu_task_destroy(t[i]);
}

static void check_names(void)
{
	CHECK(!strcmp(starpu_perf_knob_scope_id_to_name(starpu_perf_knob_scope_per_worker), "per_worker") &&
	      !starpu_perf_knob_scope_id_to_name(99));
	CHECK(!strcmp(starpu_perf_knob_type_id_to_name(starpu_perf_knob_type_int64), "int64") &&
	      !starpu_perf_knob_type_id_to_name(99));
	struct timespec early = {1, 5}, late = {2, 3};
	CHECK(starpu_timespec_cmp(&early, &late, <) && !starpu_timespec_cmp(&early, &late, >) && STARPU_NS_PER_S == 1000000000);
	/* The policies' names are those of the enumeration, in its order. */
	check_text(starpu_autoheteroprio_priority_ordering_policy_names[STARPU_HETEROPRIO_NOD_TIME_COMBINATION],
	           "STARPU_HETEROPRIO_NOD_TIME_COMBINATION");
	check_text(starpu_autoheteroprio_priority_ordering_policy_names[STARPU_HETEROPRIO_URT_DOT_DIFF_PURE_2],
	           "STARPU_HETEROPRIO_URT_DOT_DIFF_PURE_2");
	struct starpu_sched_policy **others = starpu_sched_get_predefined_policies_non_default();
	CHECK(others && !others[0]);
}

static void begin(const char *policy)
{
	struct starpu_conf conf;
	starpu_drivers_preinit();
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	conf.ncuda = 0;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf) || starpu_worker_get_count() != 2)
		cannot_begin();
}

/* What the program sets of heteroprio: a slower arch of a bucket still has its tasks done. */
static void check_heteroprio(void)
{
	begin("heteroprio");
	starpu_heteroprio_set_use_locality(0, 1);
	starpu_heteroprio_map_wgroup_memory_nodes(0);
	starpu_heteroprio_set_nb_prios(0, STARPU_CPU_WORKER, 2);
	for (unsigned bucket = 0; bucket < 2; bucket++) {
		starpu_heteroprio_set_mapping(0, STARPU_CPU_WORKER, bucket, bucket);
		starpu_heteroprio_set_faster_arch(0, STARPU_CPU_WORKER, bucket);
		starpu_heteroprio_set_arch_slow_factor(0, STARPU_CPU_WORKER, bucket, 2.5F);
	}
	PRINTS(starpu_heteroprio_print_wgroups(f, 0), "group 0: 0 1\n");
	n_ran = 0;
	for (int i = 0; i < 20; i++)
		CHECK(starpu_task_insert(&plain, STARPU_PRIORITY, i % 2, 0) == 0);
	CHECK(starpu_task_wait_for_all() == 0 && n_ran == 20);
	CHECK(STARPU_HETEROPRIO_MAX_PREFETCH > 0);
	starpu_shutdown();
}

int main(void)
{
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_PROFILING");
	begin("eager");
	make_tasks();
	check_worker_kinds();
	check_worker_numbers();
	check_outside();
	check_worker_locks();
	check_who_can();
	check_expected();
	check_prefetches();
	check_contexts();
	check_toolbox();
	check_names();
	drop_tasks();
	starpu_shutdown();
	check_heteroprio();
	return checks_failed();
}
