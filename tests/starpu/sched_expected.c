/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What moving, converting and running is expected to take, with two devices beside a CPU: it is what the measured ways and the models
 * say, for wherever the data are. Fetching ahead for a task, then, makes its transfers take nothing.
 */
#include "starpu_check.h"
#include <math.h>
#include <starpu_scheduler.h>

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static double cost(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)impl;
	return arch->devices[0].type == STARPU_CPU_WORKER ? 400 : 100 * (1 + arch->devices[0].devid);
}
static struct starpu_perfmodel costs = {.type = STARPU_PER_ARCH, .arch_cost_function = cost, .symbol = "costs"};
static struct starpu_codelet cl = {.cpu_funcs = {nothing},
                                   .opencl_funcs = {nothing},
                                   .nbuffers = 3,
                                   .modes = {STARPU_R, STARPU_RW, STARPU_W},
                                   .model = &costs,
                                   .energy_model = &costs};

#define NEAR(a, b) CHECK(fabs((a) - (b)) <= 1e-6 * fmax(1, fabs(b)))

enum { BLOCKS = 3, NODES = 3 };
static const unsigned sizes[BLOCKS] = {1 << 20, 3 << 18, 1 << 16};
static starpu_data_handle_t block[BLOCKS];
static struct starpu_task *task;

/* A latency, then so much for each byte; the way back likewise; nothing on the spot. */
static void check_ways(void)
{
	for (unsigned from = 0; from < NODES; from++)
		for (unsigned to = 0; to < NODES; to++) {
			double none = starpu_transfer_predict(from, to, 0), one = starpu_transfer_predict(from, to, 1 << 20);
			if (from == to) {
				CHECK(one == 0);
				continue;
			}
			CHECK(starpu_transfer_bandwidth(from, to) > 0 && isfinite(starpu_transfer_bandwidth(from, to)));
			NEAR(none, starpu_transfer_latency(from, to));
			NEAR(one - none, (1 << 20) / starpu_transfer_bandwidth(from, to));
			NEAR(starpu_transfer_predict(from, to, 3 << 20) - none, 3 * (one - none));
		}
}

static double nearest(unsigned which, unsigned node)
{
	double best = INFINITY;
	for (unsigned from = 0; from < NODES; from++)
		if (starpu_data_is_on_node_excluding_prefetch(block[which], from))
			best = fmin(best, starpu_transfer_predict(from, node, sizes[which]));
	return best;
}

/* What is read comes from its nearest copy; what is only written needs not come. */
static void check_transfers(void)
{
	for (unsigned node = 0; node < NODES; node++) {
		double want = nearest(0, node) + nearest(1, node);
		NEAR(starpu_task_expected_data_transfer_time(node, task), want);
		for (unsigned i = 0; i < BLOCKS; i++)
			NEAR(starpu_data_expected_transfer_time(block[i], node, STARPU_R), nearest(i, node));
		CHECK(starpu_data_expected_transfer_time(block[2], node, STARPU_W) == 0);
		for (unsigned w = 0; w < starpu_worker_get_count(); w++)
			if (starpu_worker_get_memory_node(w) == node)
				NEAR(starpu_task_expected_data_transfer_time_for(task, w), want);
	}
}

static void check_lengths(void)
{
	double shortest = INFINITY, longest = 0;
	for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
		struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype((int)w, 0);
		double want = starpu_worker_get_type((int)w) == STARPU_CPU_WORKER ? 400
		                                                                  : 100 * (1 + starpu_worker_get_devid((int)w));
		CHECK(starpu_task_expected_length(task, arch, 0) == want && starpu_task_expected_energy(task, arch, 0) == want);
		CHECK(starpu_task_worker_expected_length(task, w, 0, 0) == want &&
		      starpu_task_worker_expected_energy(task, w, 0, 0) == want);
		shortest = fmin(shortest, want);
		longest = fmax(longest, want);
	}
	double average = starpu_task_expected_length_average(task, 0);
	CHECK(shortest < average && average < longest && starpu_task_expected_energy_average(task, 0) == average);
}

static void check_bundle(void)
{
	starpu_task_bundle_t b;
	starpu_task_bundle_create(&b);
	CHECK(!starpu_task_bundle_insert(b, task));
	for (unsigned node = 0; node < NODES; node++)
		NEAR(starpu_task_bundle_expected_data_transfer_time(b, node),
		     starpu_task_expected_data_transfer_time(node, task));
	CHECK(starpu_task_bundle_expected_length(b, starpu_worker_get_perf_archtype(0, 0), 0) ==
	      starpu_task_expected_length(task, starpu_worker_get_perf_archtype(0, 0), 0));
	CHECK(!starpu_task_bundle_remove(b, task));
	starpu_task_bundle_close(b);
}

static int ahead_for(struct starpu_task *t, unsigned node)
{
	for (unsigned w = 0; w < starpu_worker_get_count(); w++)
		if (starpu_worker_get_memory_node(w) == node)
			return starpu_prefetch_task_input_for(t, w);
	return -1;
}
static int ahead_for_prio(struct starpu_task *t, unsigned node)
{
	for (unsigned w = 0; w < starpu_worker_get_count(); w++)
		if (starpu_worker_get_memory_node(w) == node)
			return starpu_prefetch_task_input_for_prio(t, w, 2);
	return -1;
}
static int ahead_on_prio(struct starpu_task *t, unsigned node)
{
	return starpu_prefetch_task_input_on_node_prio(t, node, 1);
}
static int idle_on_prio(struct starpu_task *t, unsigned node)
{
	return starpu_idle_prefetch_task_input_on_node_prio(t, node, 1);
}

static int are_there(unsigned node)
{
	return starpu_data_is_on_node_excluding_prefetch(block[0], node) &&
	       starpu_data_is_on_node_excluding_prefetch(block[1], node);
}

static void check_ahead(void)
{
	static int (*const ways[])(struct starpu_task *,
	                           unsigned) = {ahead_for,     starpu_prefetch_task_input_on_node,      ahead_for_prio,
	                                        ahead_on_prio, starpu_idle_prefetch_task_input_on_node, idle_on_prio};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		unsigned node = 1 + (unsigned)i % 2;
		for (unsigned k = 0; k < 2; k++) {
			CHECK(!starpu_data_acquire(block[k], STARPU_RW));
			starpu_data_release(block[k]);
		}
		CHECK(!are_there(node) && starpu_task_expected_data_transfer_time(node, task) > 0);
		CHECK(ways[i](task, node) == 0);
		/* What is on its way needs not be brought again. */
		CHECK(starpu_task_expected_data_transfer_time(node, task) == 0);
		WAIT_FOR(are_there(node));
		CHECK(are_there(node));
		check_transfers();
	}
}

static void check_prints(void)
{
	char *text, name[NODES][64];
	size_t n;
	FILE *f = open_memstream(&text, &n);
	starpu_bus_print_bandwidth(f);
	starpu_bus_print_affinity(f);
	fclose(f);
	for (unsigned i = 0; i < NODES; i++) {
		starpu_memory_node_get_name(i, name[i], sizeof name[i]);
		CHECK(strstr(text, name[i]));
	}
	CHECK(strstr(text, "# OpenCL\n0\t0\t\n1\t0\t\n"));
	free(text);
}

/* -- data that has another form on devices -- */

static double to_device(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)arch, (void)impl;
	return 70;
}
static struct starpu_perfmodel converts = {.type = STARPU_PER_ARCH, .arch_cost_function = to_device, .symbol = "converts"};
static struct starpu_codelet there_cl = {.opencl_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &converts};
static struct starpu_codelet back_cl = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &converts};
static struct starpu_multiformat_data_interface_ops forms = {.cpu_elemsize = 4,
                                                             .opencl_elemsize = 4,
                                                             .cpu_to_opencl_cl = &there_cl,
                                                             .opencl_to_cpu_cl = &back_cl};

static void check_conversion(void)
{
	static int values[16];
	static struct starpu_codelet reads = {.cpu_funcs = {nothing},
	                                      .opencl_funcs = {nothing},
	                                      .nbuffers = 1,
	                                      .modes = {STARPU_R}};
	starpu_data_handle_t handle;
	starpu_multiformat_data_register(&handle, STARPU_MAIN_RAM, values, 16, &forms);
	struct starpu_task *t = starpu_task_create();
	t->cl = &reads;
	t->handles[0] = handle;
	t->destroy = 0;
	for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
		double want = starpu_worker_get_type((int)w) == STARPU_CPU_WORKER ? 0 : 70;
		CHECK(starpu_task_expected_conversion_time(t, starpu_worker_get_perf_archtype((int)w, 0), 0) == want);
		CHECK(starpu_task_expected_conversion_time(task, starpu_worker_get_perf_archtype((int)w, 0), 0) == 0);
	}
	starpu_task_destroy(t);
	starpu_data_unregister(handle);
}

int main(void)
{
	struct starpu_conf conf;
	char home[] = "/tmp/weft-expected-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	unsetenv("STARPU_SCHED");
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.sched_policy_name = "dmda";
	if (starpu_init(&conf))
		cannot_begin();
	if (starpu_opencl_worker_get_count() != 2 || starpu_memory_nodes_get_count() != NODES)
		skip_test("not two OpenCL devices");
	task = starpu_task_create();
	task->cl = &cl;
	task->destroy = 0;
	for (unsigned i = 0; i < BLOCKS; i++) {
		char *at = calloc(1, sizes[i]);
		starpu_vector_data_register(&block[i], STARPU_MAIN_RAM, (uintptr_t)at, sizes[i], 1);
		task->handles[i] = block[i];
	}
	check_ways();
	check_transfers();
	check_lengths();
	check_bundle();
	check_ahead();
	check_conversion();
	check_prints();
	starpu_task_destroy(task);
	for (unsigned i = 0; i < BLOCKS; i++) {
		void *at = starpu_data_get_local_ptr(block[i]);
		starpu_data_unregister(block[i]);
		free(at);
	}
	starpu_shutdown();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
