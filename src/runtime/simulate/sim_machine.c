/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that is simulated: what the bus files of its name say, found in the folders in which models are looked for. hwloc gets a
 * topology of that shape, and the CPU driver does with it what it does with any; workers of devices, and what all run, are ours.
 */
#include "sim.h"
#include "simulate.h"
#include "models/model_path.h"
#include "runtime/drivers/drivers.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sim_machine sim_machine;

void sim_refuse(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("starpu: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	fflush(NULL);
	_exit(2);
}

/* ---- the files ---- */

static bool find_bus(char *prefix, size_t n)
{
	char folder[WEFT_MODEL_PATH];
	for (unsigned i = 0; weft_model_folder(i, folder, sizeof folder); i++) {
		char config[WEFT_MODEL_PATH + 16];
		if (snprintf(prefix, n, "%s/bus/%s", folder, sim_machine.host) >= (int)n)
			continue;
		snprintf(config, sizeof config, "%s.config", prefix);
		if (!access(config, R_OK))
			return true;
	}
	return false;
}

static void read_machine(void)
{
	char prefix[WEFT_MODEL_PATH], folder[WEFT_MODEL_PATH];
	struct weft_err err = {0};
	weft_model_host(sim_machine.host, sizeof sim_machine.host);
	if (!find_bus(prefix, sizeof prefix)) {
		weft_model_folder(0, folder, sizeof folder);
		sim_refuse(
			"no machine '%s' can be simulated: there is no bus/%s.config in '%s' (STARPU_HOSTNAME, STARPU_PERF_MODEL_DIR)",
			sim_machine.host, sim_machine.host, folder);
	}
	if (weft_bus_read(&sim_machine.bus, &sim_machine.config, prefix, &err))
		sim_refuse("machine '%s' cannot be simulated: %s", sim_machine.host, err.text);
}

static unsigned n_numa(void)
{
	unsigned n = sim_machine.config.count[WEFT_BUS_NUMA];
	return n ? n : 1;
}

/* Main memory and each device must be known from each other; between devices it may go by main memory. */
static void expect_ways(void)
{
	const uint32_t *count = sim_machine.config.count, devices = count[WEFT_BUS_CUDA] + count[WEFT_BUS_OPENCL];
	const struct weft_bus *b = &sim_machine.bus;
	if (!count[WEFT_BUS_CPU] && !devices)
		sim_refuse("machine '%s' cannot be simulated: its bus/%s.config has neither CPUs nor devices", sim_machine.host,
		           sim_machine.host);
	if (devices && b->n < n_numa() + devices)
		sim_refuse("machine '%s' cannot be simulated: its bus/%s.bandwidth has %u memory nodes, and %u are wanted",
		           sim_machine.host, sim_machine.host, b->n, n_numa() + devices);
	for (uint32_t i = n_numa(); i < n_numa() + devices; i++)
		if (!(b->mb_per_s[0][i] > 0 && b->mb_per_s[i][0] > 0))
			sim_refuse(
				"machine '%s' cannot be simulated: its bus/%s.bandwidth does not know the way between memory nodes "
				"0 and %u",
				sim_machine.host, sim_machine.host, i);
}

static void look_like_it(void)
{
	unsigned cpus = sim_machine.config.count[WEFT_BUS_CPU], numa = n_numa();
	cpus = cpus ? cpus : 1;
	if (numa > cpus || cpus % numa) /* what no topology can say */
		snprintf(sim_machine.synthetic, sizeof sim_machine.synthetic, "core:%u pu:1", cpus);
	else
		snprintf(sim_machine.synthetic, sizeof sim_machine.synthetic, "numa:%u core:%u pu:1", numa, cpus / numa);
}

void rt_simulate_begin(struct rt_machine *m)
{
	m->synthetic = NULL;
	m->also_where = NULL;
	if (!rt_simulated.is)
		return;
	sim_machine = (struct sim_machine){0};
	read_machine();
	expect_ways();
	look_like_it();
	m->synthetic = sim_machine.synthetic;
	m->also_where = sim_codelet_also_where;
	m->idle_functions = false;
	sim_codelet_forget();
	rt_simulator = &sim_simulator;
}

/* ---- workers and nodes ---- */

struct kind {
	const struct rt_driver *driver;
	enum weft_bus_count count;
	const char *name;
};
static const struct kind devices[] = {{&sim_driver_cuda, WEFT_BUS_CUDA, "CUDA"}, {&sim_driver_opencl, WEFT_BUS_OPENCL, "OpenCL"}};
enum { KINDS = sizeof devices / sizeof devices[0] };

static unsigned wanted(const struct rt_machine *m, const struct kind *k)
{
	int most = k->count == WEFT_BUS_CUDA ? m->conf.ncuda : m->conf.nopencl;
	unsigned there = sim_machine.config.count[k->count];
	return most >= 0 && (unsigned)most < there ? (unsigned)most : there;
}

static int add_devices(struct rt_machine *m, const struct kind *k, struct weft_err *err)
{
	unsigned n = wanted(m, k);
	for (unsigned i = 0; i < n; i++) {
		struct rt_worker_info w = {.driver = k->driver,
		                           .arch = k->driver->arch,
		                           .devid = (int)i,
		                           .devnum = (int)i,
		                           .pu = -1};
		snprintf(w.name, sizeof w.name, "%s %u", k->name, i);
		if (rt_machine_add_worker(m, &w) < 0)
			return weft_err_set(err, -ENOSPC, "more than %d workers", STARPU_NMAXWORKERS);
	}
	return 0;
}

static int add_memories(struct rt_machine *m, struct weft_err *err)
{
	for (unsigned i = 0; i < m->n_workers; i++) {
		struct rt_worker_info *w = &m->worker[i];
		if (w->arch == STARPU_CPU_WORKER)
			continue;
		char name[32];
		snprintf(name, sizeof name, "%.20s", w->name);
		int node = rt_machine_add_node(m, w->driver->memory, w->devid, name);
		if (node < 0)
			return weft_err_set(err, node, "no memory node is left for %s", w->name);
		w->node = (unsigned)node;
	}
	return 0;
}

int rt_simulate_probe(struct rt_machine *m, struct weft_err *err)
{
	int rc = 0;
	for (unsigned i = 0; i < KINDS && !rc; i++)
		rc = add_devices(m, &devices[i], err);
	rc = rc ? rc : rt_driver_cpu.probe(m, err);
	for (unsigned i = 0; i < m->n_workers; i++)
		if (m->worker[i].driver == &rt_driver_cpu)
			m->worker[i].driver = &sim_driver_cpu;
	if (rc >= 0 && !m->n_workers)
		rc = weft_err_set(err, -ENODEV, "no worker is available");
	rc = rc < 0 ? rc : rt_cpu_memory_probe(m, err);
	return rc < 0 ? rc : add_memories(m, err);
}
