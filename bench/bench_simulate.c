/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How quick simulated tasks are: seconds for a million, under each kind of scheduler, on a machine of four CPUs and a device. Tasks
 * write one of 1,000 data each, in turn, and are waited for every 2,000; so some move. `run` is the same program, whose tasks are
 * empty, on the threads of this machine. Both in seconds of all CPUs: what is simulated has one thread.
 */
#include "bench.h"
#include "models/bus.h"
#include "runtime/meter/virtual_time.h"
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 200000, AT_ONCE = 2000, DATA = 1000 };

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static double cost(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)impl;
	return arch->devices[0].type == STARPU_CPU_WORKER ? 100 : 10;
}
static struct starpu_perfmodel model = {.type = STARPU_PER_ARCH, .arch_cost_function = cost, .symbol = "bench_simulate"};
static struct starpu_codelet codelet;
static char folder[] = "/tmp/weft-bench-XXXXXX";

static void write_machine(void)
{
	static struct weft_bus bus = {.n = 2, .mb_per_s = {{0, 12000}, {12000, 0}}, .latency_us = {{0, 10}, {10, 0}}};
	static const struct weft_bus_config config = {{[WEFT_BUS_CPU] = 5, [WEFT_BUS_NUMA] = 1, [WEFT_BUS_CUDA] = 1}};
	static const struct weft_bus_affinity affinity = {.n_devices = 1, .n_numa = 1};
	struct weft_err err = {0};
	char prefix[64];
	if (!mkdtemp(folder))
		exit(EXIT_FAILURE);
	snprintf(prefix, sizeof prefix, "%s/bus/bench", folder);
	if (weft_bus_write(&(struct weft_bus_files){&bus, &config, &affinity}, prefix, &err))
		exit(EXIT_FAILURE);
	setenv("STARPU_PERF_MODEL_DIR", folder, 1);
	setenv("STARPU_HOSTNAME", "bench", 1);
	setenv("STARPU_SILENT", "1", 1);
}

static void submit(starpu_data_handle_t datum)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &codelet;
	t->handles[0] = datum;
	if (starpu_task_submit(t))
		exit(EXIT_FAILURE);
}

static double seconds_a_million(const char *policy, bool simulated)
{
	static starpu_data_handle_t datum[DATA];
	static float value[DATA][64];
	struct starpu_conf conf;
	rt_simulated.is = simulated;
	codelet = (struct starpu_codelet){.cpu_funcs = {nothing},
	                                  .cuda_funcs = {simulated ? nothing : NULL},
	                                  .nbuffers = 1,
	                                  .modes = {STARPU_RW},
	                                  .model = &model};
	starpu_conf_init(&conf);
	conf.sched_policy_name = policy;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		return bench_skip("the runtime does not begin");
	for (unsigned i = 0; i < DATA; i++)
		starpu_vector_data_register(&datum[i], STARPU_MAIN_RAM, (uintptr_t)value[i], 64, sizeof(float));
	uint64_t from = weft_process_cpu_ns();
	for (unsigned i = 0; i < TASKS; i++) {
		submit(datum[i % DATA]);
		if ((i + 1) % AT_ONCE == 0)
			starpu_task_wait_for_all();
	}
	double seconds = (double)(weft_process_cpu_ns() - from) / 1e9 * 1e6 / TASKS;
	for (unsigned i = 0; i < DATA; i++)
		starpu_data_unregister(datum[i]);
	starpu_shutdown();
	rt_simulated.is = false;
	return seconds;
}

static double simulated(void *policy)
{
	return seconds_a_million(policy, true);
}
static double run(void *policy)
{
	return seconds_a_million(policy, false);
}

int main(int argc, char **argv)
{
	static const char *const policies[] = {"lws",
	                                       "ws",
	                                       "eager",
	                                       "prio",
	                                       "random",
	                                       "dm",
	                                       "dmda",
	                                       "dmdap",
	                                       "dmdar",
	                                       "dmdas",
	                                       "dmdasd",
	                                       "heteroprio",
	                                       "graph_test",
	                                       "peager",
	                                       "pheft",
	                                       "modular-eager",
	                                       "modular-prio",
	                                       "modular-random",
	                                       "modular-ws",
	                                       "modular-dmda",
	                                       "modular-heft",
	                                       "modular-heft-prio",
	                                       "modular-heteroprio",
	                                       "modular-gemm",
	                                       "modular-parallel-heft"};
	enum { N = sizeof policies / sizeof policies[0] };
	static struct bench benches[N + 1];
	static struct bench_variant variants[N][3];
	for (unsigned i = 0; i < N; i++) {
		void *policy = (void *)(uintptr_t)policies[i];
		variants[i][0] = (struct bench_variant){"simulated", simulated, policy};
		variants[i][1] = (struct bench_variant){"run", run, policy};
		benches[i] = (struct bench){policies[i], "s", 3, variants[i]};
	}
	write_machine();
	return bench_main(argc, argv, benches);
}
