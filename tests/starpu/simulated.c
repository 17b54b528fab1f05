/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated time (the handbook's simulated benchmarks): graphs whose length is known by hand, on machines that are not there. */
#include "simulated.h"
#include <starpu_sched_component.h>

static struct starpu_codelet plain = {.cpu_funcs = {do_not_call}, .model = &simulated_model, .name = "plain"};
static struct starpu_codelet writer = {.cpu_funcs = {do_not_call},
                                       .cuda_funcs = {do_not_call},
                                       .nbuffers = 1,
                                       .modes = {STARPU_RW},
                                       .model = &simulated_model,
                                       .name = "writer"};
static struct starpu_codelet reader = {.cpu_funcs = {do_not_call},
                                       .cuda_funcs = {do_not_call},
                                       .nbuffers = 1,
                                       .modes = {STARPU_R},
                                       .model = &simulated_model,
                                       .name = "reader"};
static struct starpu_codelet anywhere = {.cpu_funcs = {do_not_call},
                                         .cuda_funcs = {do_not_call},
                                         .model = &simulated_model,
                                         .name = "anywhere"};

static starpu_data_handle_t vector_of(size_t bytes)
{
	static char memory[4][2000000];
	static unsigned n;
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)memory[n++ % 4], (uint32_t)bytes, 1);
	return h;
}

/* Each waits for the one before. */
static void chain(void)
{
	int value;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	CHECK(starpu_worker_get_count() == 3);
	double from = starpu_timing_now();
	for (int i = 0; i < 25; i++)
		simulated_submit(&writer, h, -1);
	CHECK(is_us(starpu_timing_now() - from, 0));
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 2500));
	starpu_data_unregister(h);
}

/* One, seven on three workers, one. */
static void fork_join(void)
{
	struct starpu_task *middle[7], *last = starpu_task_create(), *first = starpu_task_create();
	double from = starpu_timing_now();
	first->cl = last->cl = &plain;
	for (int i = 0; i < 7; i++) {
		middle[i] = starpu_task_create();
		middle[i]->cl = &plain;
		starpu_task_declare_deps_array(middle[i], 1, &first);
	}
	starpu_task_declare_deps_array(last, 7, middle);
	last->destroy = last->detach = 0;
	for (int i = 0; i < 7; i++)
		CHECK(starpu_task_submit(middle[i]) == 0);
	CHECK(starpu_task_submit(last) == 0 && starpu_task_submit(first) == 0);
	starpu_task_wait(last);
	CHECK(is_us(starpu_timing_now() - from, 500));
	starpu_task_destroy(last);
}

/* A device four times as fast as the CPU takes eight of ten. */
static void speeds(void)
{
	cpu_us = 400;
	CHECK(starpu_cuda_worker_get_count() == 1 && starpu_cpu_worker_get_count() == 1);
	double from = starpu_timing_now();
	for (int i = 0; i < 10; i++)
		simulated_submit(&anywhere, NULL, -1);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 800));
	CHECK(anywhere.per_worker_stats[0] == 8 && anywhere.per_worker_stats[1] == 2);
}

/* 100,000 bytes there, a task, and back: (5 + 100) + 100 + (10 + 200). */
static void transfers(void)
{
	starpu_data_handle_t h = vector_of(100000);
	CHECK(starpu_memory_nodes_get_count() == 2 && starpu_worker_get_memory_node(0) == 1);
	CHECK(is_us(starpu_transfer_predict(0, 1, 100000), 105) && is_us(starpu_transfer_predict(1, 0, 100000), 210));
	double from = starpu_timing_now();
	simulated_submit(&writer, h, 0);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 205));
	starpu_data_acquire(h, STARPU_R);
	CHECK(is_us(starpu_timing_now() - from, 415));
	starpu_data_release(h);
	/* It is in both: nothing moves. */
	simulated_submit(&reader, h, 0);
	simulated_submit(&reader, h, 1);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 515));
	starpu_data_unregister(h);
}

/* Two data over one way come one after the other: tasks at 105 and 210, of 100; the second waits for its data. */
static void contention(void)
{
	starpu_data_handle_t a = vector_of(100000), b = vector_of(100000);
	double from = starpu_timing_now();
	simulated_submit(&reader, a, 0);
	simulated_submit(&reader, b, 0);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 310));
	starpu_data_unregister(a);
	starpu_data_unregister(b);
}

/* Devices that do not reach each other: by main memory. (5 + 100) + 100, then (5 + 100) + (5 + 100) + 100. */
static void by_main_memory(void)
{
	starpu_data_handle_t h = vector_of(100000);
	double from = starpu_timing_now();
	simulated_submit(&writer, h, 0);
	simulated_submit(&writer, h, 1);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 205 + 310));
	starpu_data_unregister(h);
}

/* dmda: 300 us here, or 100 there behind a transfer: of 1,000 bytes it is worth it, of 1,000,000 it is not. */
static void placing(void)
{
	starpu_data_handle_t small = vector_of(1000), large = vector_of(1000000);
	cpu_us = 300;
	double from = starpu_timing_now();
	struct starpu_task *t = simulated_submit(&writer, large, -1);
	(void)t;
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 300) && writer.per_worker_stats[1] == 1);
	from = starpu_timing_now();
	simulated_submit(&writer, small, -1);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 106) && writer.per_worker_stats[0] == 1);
	starpu_data_unregister(small);
	starpu_data_unregister(large);
}

/* Main memory in two nodes: 100,000 bytes to the other are 51 us. */
static void numa(void)
{
	starpu_data_handle_t h = vector_of(100000);
	CHECK(starpu_memory_nodes_get_count() == 2 && starpu_worker_get_count() == 4);
	CHECK(starpu_worker_get_memory_node(0) == 0 && starpu_worker_get_memory_node(3) == 1);
	double from = starpu_timing_now();
	simulated_submit(&reader, h, 3);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 151));
	starpu_data_unregister(h);
}

/* ---- what programs do besides ---- */

static double called_at;
static void call_back(void *arg)
{
	(void)arg;
	called_at = starpu_timing_now();
}

/* Dates, callbacks, tags and sleeping are all of one clock. */
/* Workers of one kind, in one memory node: the root of a tree knows of all below it. */
static void check_properties(int same_kind, int same_node)
{
	struct starpu_sched_component *root = starpu_sched_tree_get(0)->root;
	CHECK(starpu_bitmap_cardinal(&root->workers_in_ctx) == (int)starpu_worker_get_count());
	CHECK(!STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(root) == !same_kind);
	CHECK(!STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(root) == !same_node);
}

static void alike(void)
{
	check_properties(1, 1);
}

static void apart(void)
{
	check_properties(1, 0);
}

static void mixed(void)
{
	check_properties(0, 0);
}

static void clocks(void)
{
	double from = starpu_timing_now();
	starpu_sleep(0.001F);
	CHECK(is_us(starpu_timing_now() - from, 1000));
	starpu_usleep(250);
	CHECK(is_us(starpu_timing_now() - from, 1250));
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	struct starpu_task *t = starpu_task_create();
	t->cl = &plain;
	t->destroy = 0;
	t->use_tag = 1;
	t->tag_id = 7;
	t->callback_func = call_back;
	from = starpu_timing_now();
	CHECK(starpu_task_submit(t) == 0);
	starpu_tag_wait(7);
	CHECK(is_us(called_at - from, 100) && is_us(starpu_timing_now() - from, 100));
	starpu_task_wait(t);
	const struct starpu_profiling_task_info *i = t->profiling_info;
	CHECK(i && is_us(starpu_timing_timespec_delay_us((struct timespec *)(uintptr_t)&i->start_time,
	                                                 (struct timespec *)(uintptr_t)&i->end_time),
	                 100));
	starpu_task_destroy(t);
	/* A worker that sleeps while time passes, and runs 100 us. */
	struct starpu_profiling_worker_info info;
	starpu_profiling_worker_get_info(0, &info);
	simulated_submit(&plain, NULL, 0);
	starpu_task_wait_for_all();
	starpu_usleep(900);
	CHECK(!starpu_profiling_worker_get_info(0, &info));
	CHECK(is_us(starpu_timing_timespec_to_us(&info.total_time), 1000));
	CHECK(is_us(starpu_timing_timespec_to_us(&info.executing_time), 100));
	CHECK(is_us(starpu_timing_timespec_to_us(&info.sleeping_time), 900));
	CHECK(info.executed_tasks == 1);
}

/* Functions are called only where the codelet says so. */
static void kernels(void)
{
	static struct starpu_codelet executes = {.cpu_funcs = {do_not_call},
	                                         .model = &simulated_model,
	                                         .flags = STARPU_CODELET_SIMGRID_EXECUTE,
	                                         .name = "executes"};
	int called = 0;
	double from = starpu_timing_now();
	CHECK(starpu_task_insert(&plain, STARPU_CL_ARGS_NFREE, &called, sizeof called, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(!called);
	CHECK(starpu_task_insert(&executes, STARPU_CL_ARGS_NFREE, &called, sizeof called, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(called && is_us(starpu_timing_now() - from, 200));
}

static int again_left = 3;
static void once_more(void *task)
{
	if (again_left-- > 0)
		CHECK(starpu_task_submit(task) == 0);
}

/* Callbacks that submit, waiting for some, a limit on what is under way, pausing, wait_for_no_ready. */
static void waiting(void)
{
	struct starpu_task t;
	double from = starpu_timing_now();
	starpu_task_init(&t);
	t.cl = &plain;
	t.detach = 0;
	t.callback_func = once_more;
	t.callback_arg = &t;
	CHECK(starpu_task_submit(&t) == 0);
	CHECK(starpu_task_wait(&t) == 0);
	starpu_task_clean(&t);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 400));
	from = starpu_timing_now();
	for (int i = 0; i < 9; i++)
		simulated_submit(&plain, NULL, -1);
	starpu_task_wait_for_n_submitted(3);
	CHECK(is_us(starpu_timing_now() - from, 200));
	starpu_task_wait_for_no_ready();
	CHECK(is_us(starpu_timing_now() - from, 300) && !starpu_task_nsubmitted());
	starpu_pause();
	simulated_submit(&plain, NULL, -1);
	starpu_usleep(50);
	starpu_resume();
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 450));
	starpu_set_limit_max_submitted_tasks(3);
	for (int i = 0; i < 30; i++)
		simulated_submit(&plain, NULL, -1);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 1450));
}

/* A parallel task has all of its workers, for the time of its model: 300 us on three cores. */
static void parallel(void)
{
	static struct starpu_codelet together = {.cpu_funcs = {do_not_call},
	                                         .type = STARPU_SPMD,
	                                         .max_parallelism = 3,
	                                         .model = &simulated_model,
	                                         .name = "together"};
	int called = 0;
	cpu_us = 300;
	double from = starpu_timing_now();
	for (int i = 0; i < 4; i++)
		CHECK(starpu_task_insert(&together, STARPU_CL_ARGS_NFREE, &called, sizeof called, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(!called && is_us(starpu_timing_now() - from, 400));
}

/* A device with room for one of three data: they come and go, and all that was written comes home. */
static void evictions(void)
{
	starpu_data_handle_t h[3] = {vector_of(600000), vector_of(600000), vector_of(600000)};
	double from = starpu_timing_now();
	for (int i = 0; i < 9; i++)
		simulated_submit(&writer, h[i % 3], 0);
	starpu_task_wait_for_all();
	/* Each goes there, and makes room by going home. */
	CHECK(starpu_timing_now() - from >= 3 * 605 + 2 * 1210 && writer.per_worker_stats[0] == 9);
	for (int i = 0; i < 3; i++)
		starpu_data_unregister(h[i]);
	CHECK(starpu_timing_now() - from >= 3 * (605 + 1210));
}

static void add(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
}

/* Reductions, parts, plans and copies go through; what takes no model takes no time. */
static void data(void)
{
	static struct starpu_codelet zero = {.cpu_funcs = {add}, .nbuffers = 1, .modes = {STARPU_W}, .model = &simulated_model},
				     sum = {.cpu_funcs = {add},
	                                    .nbuffers = 2,
	                                    .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R},
	                                    .model = &simulated_model},
				     adds = {.cpu_funcs = {add},
	                                     .cuda_funcs = {add},
	                                     .nbuffers = 1,
	                                     .modes = {STARPU_REDUX},
	                                     .model = &simulated_model,
	                                     .name = "adds"};
	starpu_data_handle_t h = vector_of(1000), v = vector_of(4000), w = vector_of(4000);
	struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
	starpu_data_set_reduction_methods(h, &sum, &zero);
	for (int i = 0; i < 8; i++)
		simulated_submit(&adds, h, i % 2);
	simulated_submit(&reader, h, -1);
	starpu_data_partition(v, &halves);
	simulated_submit(&writer, starpu_data_get_sub_data(v, 1, 0), 0);
	simulated_submit(&writer, starpu_data_get_sub_data(v, 1, 1), 1);
	starpu_data_unpartition(v, STARPU_MAIN_RAM);
	CHECK(starpu_data_cpy(w, v, 0, NULL, NULL) == 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(h);
	starpu_data_unregister(v);
	starpu_data_unregister_submit(w);
	starpu_task_wait_for_all();
}

/* The runtime begins again, and time goes on. */
static void again(void)
{
	double from = starpu_timing_now();
	simulated_submit(&plain, NULL, -1);
	starpu_shutdown();
	begin();
	simulated_submit(&plain, NULL, -1);
	starpu_task_wait_for_all();
	CHECK(is_us(starpu_timing_now() - from, 200));
}

static const struct simulated_case cases[] = {
	{"chain", chain, "cpus", "eager", NULL},
	{"chain", chain, "cpus", "lws", NULL},
	{"chain", chain, "cpus", "dmda", NULL},
	{"fork_join", fork_join, "cpus", "eager", NULL},
	{"fork_join", fork_join, "cpus", "lws", NULL},
	{"fork_join", fork_join, "cpus", "modular-heft", NULL},
	{"speeds", speeds, "gpu", "modular-eager", NULL},
	{"transfers", transfers, "gpu", "eager", NULL},
	{"transfers", transfers, "gpu", "dmda", NULL},
	{"contention", contention, "gpu", "dmda", NULL},
	{"by_main_memory", by_main_memory, "gpus", "eager", NULL},
	{"placing", placing, "gpu", "dmda", NULL},
	{"placing", placing, "gpu", "dmdas", NULL},
	{"numa", numa, "numa", NULL, "STARPU_USE_NUMA=1"},
	{"alike", alike, "cpus", "modular-eager", NULL},
	{"apart", apart, "numa", "modular-eager", "STARPU_USE_NUMA=1"},
	{"mixed", mixed, "gpu", "modular-eager", NULL},
	{"clocks", clocks, "cpus", "eager", NULL},
	{"kernels", kernels, "cpus", NULL, NULL},
	{"waiting", waiting, "cpus", "eager", NULL},
	{"waiting", waiting, "cpus", "lws", NULL},
	{"parallel", parallel, "cpus", "peager", "STARPU_SINGLE_COMBINED_WORKER=1"},
	{"evictions", evictions, "gpu", NULL, "STARPU_LIMIT_CUDA_MEM=1"},
	{"data", data, "gpu", "dmda", NULL},
	{"data", data, "gpu", "eager", NULL},
	{"again", again, "cpus", NULL, NULL},
};
enum { CASES = sizeof cases / sizeof cases[0] };

int main(int argc, char **argv)
{
	if (argc > 1)
		return simulated_case(cases, CASES, argv[1]);
	simulated_machines_write();
	for (unsigned i = 0; i < CASES; i++) {
		const struct simulated_run r = {cases[i].name, cases[i].machine, cases[i].scheduler, cases[i].also};
		int status = simulated_run(&r, NULL, 0);
		if (status)
			fprintf(stderr, "%s on %s under %s: status %d\n", r.of, r.machine,
			        r.scheduler ? r.scheduler : "the usual", status);
		CHECK(status == 0);
	}
	simulated_machines_remove();
	return checks_failed();
}
