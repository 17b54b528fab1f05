/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the machine, contexts and models answer; the pieces from which starpu_task_insert() is made; hooks of malloc; and that what
 * is switched off (buses) answers so.
 */
#include "starpu_check.h"
#include <starpu_perf_monitoring.h>
#include <starpu_perf_steering.h>
#include <starpu_perfmodel.h>
#include <starpu_profiling.h>

static unsigned ran;
static int rank_in_task, node_in_task, relaxed_in_task[3];

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELEASE);
}

static void ask(void *buffers[], void *arg)
{
	struct timespec end;
	count(buffers, arg);
	rank_in_task = starpu_sched_ctx_get_worker_rank(0);
	node_in_task = starpu_task_get_current_data_node(0);
	relaxed_in_task[0] = starpu_worker_get_relax_state();
	starpu_worker_relax_on();
	relaxed_in_task[1] = starpu_worker_get_relax_state();
	starpu_worker_relax_off();
	relaxed_in_task[2] = starpu_worker_get_relax_state();
	starpu_worker_get_current_task_exp_end(starpu_worker_get_id_check(), &end);
	starpu_worker_lock_self();
	starpu_worker_unlock_self();
}

static struct starpu_codelet asking = {.cpu_funcs = {ask}, .nbuffers = 1, .modes = {STARPU_R}};
static struct starpu_codelet variable = {.cpu_funcs = {count}, .nbuffers = STARPU_VARIABLE_NBUFFERS};
static struct starpu_codelet fixed = {.cpu_funcs = {count}, .nbuffers = 2, .modes = {STARPU_R, STARPU_R}};

static void check_machine(void)
{
	struct starpu_task *t = starpu_task_create();
	unsigned impls = 0, *contexts;
	t->cl = &variable;
	CHECK(starpu_worker_archtype_is_valid(STARPU_CPU_WORKER) && !starpu_worker_archtype_is_valid(STARPU_ANY_WORKER));
	CHECK(starpu_arch_mask_to_worker_archtype(STARPU_OPENCL) == STARPU_OPENCL_WORKER);
	CHECK(starpu_worker_get_memory_node_kind(STARPU_OPENCL_WORKER) == STARPU_OPENCL_RAM);
	CHECK(starpu_memory_node_get_worker_archtype(STARPU_CPU_RAM) == STARPU_CPU_WORKER && !starpu_node_needs_offset(0));
	CHECK(!starpu_cuda_worker_get_count() && !starpu_hip_worker_get_count() && !starpu_sycl_worker_get_count());
	CHECK(!starpu_mpi_sc_worker_get_count() && !starpu_tcpip_sc_worker_get_count() && !starpu_mic_worker_get_count());
	CHECK(!starpu_asynchronous_copy_disabled() && !starpu_asynchronous_copy_disabled_for(STARPU_OPENCL_RAM));
	CHECK(starpu_worker_type_can_execute_task(STARPU_CPU_WORKER, t));
	CHECK(!starpu_worker_type_can_execute_task(STARPU_CUDA_WORKER, t));
	CHECK(starpu_worker_can_execute_task_impl(0, t, &impls) && impls == 1);
	CHECK(starpu_task_get_implementation(t) == 0);
	starpu_task_set_implementation(t, 1);
	CHECK(starpu_task_get_implementation(t) == 1);
	CHECK(starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(0, 0)) == 1);
	CHECK(starpu_worker_get_subworkerid(0) == 0 && starpu_sched_ctx_get_worker_rank(0) == -1);
	CHECK(starpu_worker_get_sched_ctx_list(0, &contexts) == 1 && contexts[0] == 0);
	free(contexts);
	starpu_task_destroy(t);
}

static void check_in_task(void)
{
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	CHECK(starpu_task_insert(&asking, STARPU_R, h, 0) == 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(h);
	CHECK(rank_in_task >= 0 && rank_in_task < 2 && node_in_task == STARPU_MAIN_RAM);
	CHECK(!relaxed_in_task[0] && relaxed_in_task[1] && !relaxed_in_task[2]);
}

static void check_contexts(void)
{
	int first = 0;
	unsigned *contexts, made = starpu_sched_ctx_create(&first, 1, "one", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	CHECK(starpu_sched_ctx_get_nworkers(made) == 1 && starpu_sched_ctx_get_nready_tasks(made) == 0);
	CHECK(starpu_worker_get_sched_ctx_list(0, &contexts) == 2 && contexts[1] == made);
	free(contexts);
	CHECK(starpu_sched_ctx_get_nsms(made) == 0);
	struct starpu_worker_collection *instead = starpu_sched_ctx_create_worker_collection(made, STARPU_WORKER_TREE);
	CHECK(instead == starpu_sched_ctx_get_worker_collection(made) && instead->type == STARPU_WORKER_TREE);
	CHECK(instead->nworkers == 1 && instead->workerids[0] == first);
	CHECK(starpu_sched_ctx_get_stream_worker(made) == first);
	/* Without any, the context keeps its workers, and goes on giving and taking. */
	int second = 1;
	starpu_sched_ctx_delete_worker_collection(made);
	CHECK(!starpu_sched_ctx_get_worker_collection(made) && starpu_sched_ctx_get_nworkers(made) == 1);
	starpu_sched_ctx_add_workers(&second, 1, made);
	CHECK(starpu_sched_ctx_get_nworkers(made) == 2 && starpu_sched_ctx_get_worker_collection(made)->nworkers == 2);
	starpu_sched_ctx_delete_worker_collection(made);
	starpu_sched_ctx_remove_workers(&first, 1, made);
	CHECK(starpu_sched_ctx_get_nworkers(made) == 1 && !starpu_sched_ctx_contains_worker(first, made));
	CHECK(starpu_sched_ctx_contains_worker(second, made));
	starpu_sched_ctx_delete_worker_collection(made);
	starpu_sched_ctx_delete(made);
	unsigned between = starpu_sched_ctx_create_inside_interval("eager", "between", 1, 1, 0, 0, 0);
	CHECK(between && starpu_sched_ctx_get_nworkers(between) == 1);
	starpu_sched_ctx_delete(between);
	CHECK(starpu_sched_ctx_worker_is_primary_for_child_ctx(0, 0) == STARPU_NMAX_SCHED_CTXS);
	CHECK(starpu_sched_ctx_primary_get_context(0) == STARPU_NMAX_SCHED_CTXS);
}

/* starpu_task_insert() by its pieces. */
static void check_insert(void)
{
	int value[3], room = 0, n = 0;
	starpu_data_handle_t h[3];
	struct starpu_task *t = starpu_task_create();
	for (int i = 0; i < 3; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);
	struct starpu_data_descr two[] = {{h[1], STARPU_R}, {h[2], STARPU_W}};
	const unsigned before = LOOK(ran);
	t->cl = &variable;
	starpu_task_insert_data_make_room(&variable, t, &room, n, 1);
	starpu_task_insert_data_process_arg(&variable, t, &room, &n, STARPU_W, h[0]);
	starpu_task_insert_data_process_mode_array_arg(&variable, t, &room, &n, 2, two);
	t->nbuffers = n;
	CHECK(n == 3 && STARPU_TASK_GET_HANDLE(t, 2) == h[2]);
	CHECK(STARPU_TASK_GET_MODE(t, 0) == STARPU_W && STARPU_TASK_GET_MODE(t, 1) == STARPU_R);
	CHECK(starpu_task_submit(t) == 0);

	t = starpu_task_create();
	t->cl = &fixed;
	room = n = 0;
	starpu_task_insert_data_process_array_arg(&fixed, t, &room, &n, 2, h);
	CHECK(n == 2 && STARPU_TASK_GET_HANDLE(t, 1) == h[1]);
	CHECK(starpu_task_submit_line(t, __FILE__, __LINE__) == 0);
	starpu_task_wait_for_all();
	CHECK(LOOK(ran) == before + 2);
	for (int i = 0; i < 3; i++)
		starpu_data_unregister(h[i]);
}

static double cost_of(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	(void)arch;
	(void)impl;
	return 42;
}

static size_t size_of(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	(void)arch;
	(void)impl;
	return 7;
}

/* A model with a function for one kind of worker. */
static void check_model(void)
{
	static struct starpu_perfmodel model = {.type = STARPU_PER_ARCH, .symbol = "asked"};
	static struct starpu_codelet modelled = {.cpu_funcs = {count}, .model = &model};
	struct starpu_task *t = starpu_task_create();
	starpu_perfmodel_init(&model);
	CHECK(starpu_perfmodel_set_per_devices_cost_function(&model, 0, cost_of, STARPU_CPU_WORKER, 0, 1, -1) == 0);
	CHECK(starpu_perfmodel_set_per_devices_size_base(&model, 0, size_of, STARPU_CPU_WORKER, 0, 1, -1) == 0);
	struct starpu_perfmodel_per_arch *own = starpu_perfmodel_get_model_per_devices(&model, 0, STARPU_CPU_WORKER, 0, 1, -1);
	CHECK(own && own->cost_function == cost_of && own->size_base == size_of);
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	int comb = starpu_perfmodel_arch_comb_get(arch->ndevices, arch->devices);
	CHECK(comb >= 0 && starpu_perfmodel_arch_comb_fetch(comb)->devices[0].type == STARPU_CPU_WORKER);
	t->cl = &modelled;
	CHECK(starpu_task_expected_length(t, arch, 0) == 42);
	starpu_task_destroy(t);
}

static void check_others_off(void)
{
	CHECK(starpu_bus_get_count() == 0 && starpu_bus_get_src(0) == -1);
	starpu_profiling_bus_helper_display_summary();
	starpu_data_display_memory_stats();
}

static void check_times(void)
{
	struct timespec a = {1, 600000000}, b = {2, 700000000}, sum, difference;
	starpu_timespec_add(&a, &b, &sum);
	CHECK(sum.tv_sec == 4 && sum.tv_nsec == 300000000);
	starpu_timespec_sub(&b, &a, &difference);
	CHECK(difference.tv_sec == 1 && difference.tv_nsec == 100000000);
	starpu_timespec_accumulate(&difference, &b);
	CHECK(difference.tv_sec == 3 && difference.tv_nsec == 800000000);
	starpu_timespec_clear(&sum);
	CHECK(sum.tv_sec == 0 && sum.tv_nsec == 0);
}

static unsigned allocated, freed;

static int allocate(unsigned node, void **to, size_t bytes, int flags)
{
	(void)node;
	(void)flags;
	__atomic_add_fetch(&allocated, 1, __ATOMIC_RELAXED);
	*to = malloc(bytes);
	return *to ? 0 : -1;
}

static int let_go(unsigned node, void *at, size_t bytes, int flags)
{
	(void)node;
	(void)bytes;
	(void)flags;
	__atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED);
	free(at);
	return 0;
}

static void check_malloc_hooks(void)
{
	void *memory = NULL;
	CHECK(starpu_malloc(&memory, 1000) == 0);
	CHECK(starpu_free_noflag(memory, 1000) == 0);
	CHECK(allocated > 0 && freed == allocated);
}

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	starpu_malloc_set_hooks(allocate, let_go);
	if (starpu_init(&conf))
		return EXIT_FAILURE;
	check_machine();
	check_in_task();
	check_contexts();
	check_insert();
	check_model();
	check_others_off();
	check_times();
	check_malloc_hooks();
	starpu_shutdown();
	return checks_failed();
}
