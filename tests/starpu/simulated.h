/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of simulated time: the machines that they write, and each case as a run of this program of its own, since whether time is
 * simulated is known when a program begins.
 */
#ifndef TESTS_STARPU_SIMULATED_H
#define TESTS_STARPU_SIMULATED_H

#include "starpu_check.h"
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char simulated_folder[] = "/tmp/weft-simulated-XXXXXX";

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f)) {
		fprintf(stderr, "cannot write '%s'\n", path);
		exit(EXIT_FAILURE);
	}
}

/*
 * cpus: three CPUs. gpu: two CPUs, one of which serves a device; 1000 bytes a microsecond and 5 us to it, 500 and 10 back. gpus: four
 * CPUs, two devices, which do not reach each other. numa: four CPUs in two NUMA nodes, 2000 bytes a microsecond, 1 us.
 */
static void simulated_machines_write(void)
{
	static const char *const files[][2] = {
		{"cpus.config", "3 # CPUs\n1 # NUMA\n0 # CUDA\n0 # OpenCL\n"},
		{"cpus.bandwidth", "# to NUMA 0\n0\n"},
		{"cpus.latency", "# to NUMA 0\n0\n"},
		{"gpu.config", "2 # CPUs\n1 # NUMA\n1 # CUDA\n0 # OpenCL\n"},
		{"gpu.bandwidth", "# to NUMA 0\tto CUDA 0\n0 1000\n500 0\n"},
		{"gpu.latency", "# to NUMA 0\tto CUDA 0\n0 5\n10 0\n"},
		{"gpus.config", "4 # CPUs\n1 # NUMA\n2 # CUDA\n0 # OpenCL\n"},
		{"gpus.bandwidth", "# three\n0 1000 1000\n1000 0 nan\n1000 nan 0\n"},
		{"gpus.latency", "# three\n0 5 5\n5 0 nan\n5 nan 0\n"},
		{"numa.config", "4 # CPUs\n2 # NUMA\n0 # CUDA\n0 # OpenCL\n"},
		{"numa.bandwidth", "# two\n0 2000\n2000 0\n"},
		{"numa.latency", "# two\n0 1\n1 0\n"},
		{"cut.config", "3 # CPUs\n"},
		{"unknown.config", "2 # CPUs\n1 # NUMA\n1 # CUDA\n0 # OpenCL\n"},
		{"unknown.bandwidth", "# to NUMA 0\tto CUDA 0\n0 nan\nnan 0\n"},
		{"unknown.latency", "# to NUMA 0\tto CUDA 0\n0 nan\nnan 0\n"},
		{"small.config", "2 # CPUs\n1 # NUMA\n1 # CUDA\n0 # OpenCL\n"},
		{"small.bandwidth", "# to NUMA 0\n0\n"},
		{"small.latency", "# to NUMA 0\n0\n"},
		{"empty.config", "0\n0\n0\n0\n"},
		{"empty.bandwidth", "0\n"},
		{"empty.latency", "0\n"},
	};
	char bus[64];
	if (!mkdtemp(simulated_folder)) {
		fprintf(stderr, "no folder for machines\n");
		exit(EXIT_FAILURE);
	}
	snprintf(bus, sizeof bus, "%s/bus", simulated_folder);
	mkdir(bus, 0700);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		write_file(bus, files[i][0], files[i][1]);
}

static void simulated_machines_remove(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", simulated_folder);
	CHECK(system(command) == 0);
}

struct simulated_run {
	const char *of, *machine, *scheduler; /* NULL: the usual one */
	const char *also;                     /* NAME=VALUE more of the environment, or NULL */
};

/* This program once more, with the case as its argument. Its status; what it said on stderr goes to `says`, when that is not NULL. */
static int simulated_run(const struct simulated_run *r, char *says, size_t room)
{
	int ends[2], status = 0;
	CHECK(pipe(ends) == 0);
	pid_t child = fork();
	if (!child) {
		setenv("STARPU_SIMULATED", "1", 1);
		setenv("STARPU_HOSTNAME", r->machine, 1);
		setenv("STARPU_PERF_MODEL_DIR", simulated_folder, 1);
		setenv("STARPU_HOME", simulated_folder, 1);
		unsetenv("STARPU_NCPU");
		if (!says)
			setenv("STARPU_SILENT", "1", 1);
		if (r->scheduler)
			setenv("STARPU_SCHED", r->scheduler, 1);
		if (r->also)
			putenv((char *)(uintptr_t)r->also);
		if (says)
			dup2(ends[1], STDERR_FILENO);
		alarm(50);
		execl("/proc/self/exe", "simulated", r->of, (char *)NULL);
		_exit(99);
	}
	close(ends[1]);
	size_t n = 0;
	for (ssize_t got; says && n < room - 1 && (got = read(ends[0], says + n, room - 1 - n)) > 0;)
		n += (size_t)got;
	if (says)
		says[n] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- within a run ---- */

struct simulated_case {
	const char *name;
	void (*run)(void);
	const char *machine, *scheduler, *also; /* as in struct simulated_run */
};

static inline void begin(void)
{
	if (starpu_init(NULL))
		cannot_begin();
}

static inline int simulated_case(const struct simulated_case *cases, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cases[i].name, name)) {
			begin();
			cases[i].run();
			starpu_shutdown();
			return checks_failed();
		}
	return EXIT_FAILURE;
}

static void do_not_call(void **buffers, void *called)
{
	(void)buffers;
	if (called)
		*(int *)called = 1;
}

/* Microseconds on a CPU and on a device, by the codelet's `cl_arg`-less model: set before tasks are submitted. */
static double cpu_us = 100, cuda_us = 100;
static double simulated_cost(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)impl;
	double us = arch->devices[0].type == STARPU_CPU_WORKER ? cpu_us : cuda_us;
	return us / (arch->devices[0].ncores > 0 ? arch->devices[0].ncores : 1);
}
static struct starpu_perfmodel simulated_model = {.type = STARPU_PER_ARCH,
                                                  .arch_cost_function = simulated_cost,
                                                  .symbol = "simulated"};

static struct starpu_task *simulated_submit(struct starpu_codelet *cl, starpu_data_handle_t datum, int worker)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->handles[0] = datum;
	if (worker >= 0) {
		t->workerid = (unsigned)worker;
		t->execute_on_a_specific_worker = 1;
	}
	CHECK(starpu_task_submit(t) == 0);
	return t;
}

/* To a nanosecond: the clock's grain, and what a double says of microseconds. */
static inline int is_us(double found, double expected)
{
	if (fabs(found - expected) > 0.0015)
		fprintf(stderr, "%.4f us instead of %.4f us\n", found, expected);
	return fabs(found - expected) <= 0.0015;
}

#endif
