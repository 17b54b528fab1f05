/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the ways between memory nodes, and what policies make of it. With the main memory alone there is nothing to
 * know, and nothing is read or written. With more nodes the files are read at the first question, or, when they are not there
 * or are of another machine, the ways are measured; at once when STARPU_BUS_CALIBRATE asks for it: blocks of 4 MiB for the
 * bandwidth, of a byte for the latency, the best of a few.
 */
#include "perf.h"
#include "models/bus.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	bool known; /* with release */
	bool calibrate;
	struct weft_bus bus;
} my = {.lock = PTHREAD_MUTEX_INITIALIZER};

void perf_bus_begin(const struct starpu_conf *conf)
{
	my.calibrate = conf->bus_calibrate > 0 && !rt_simulator;
}

void perf_bus_end(void)
{
	__atomic_store_n(&my.known, false, __ATOMIC_RELEASE);
}

static struct weft_bus_config bus_now(void)
{
	/* Of CPUs, all that the machine has: how many become workers is the program's affair. */
	hwloc_topology_t t = starpu_get_hwloc_topology();
	int cores = t ? hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE) : 0;
	struct weft_bus_config c = {
		{cores > 0 ? (uint32_t)cores : starpu_cpu_worker_get_count(), 0, 0, starpu_opencl_worker_get_count()}};
	for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++)
		c.count[WEFT_BUS_NUMA] += starpu_node_get_kind(i) == STARPU_CPU_RAM;
	return c;
}

/* Microseconds for a block; NaN: cannot be copied. */
static double best_copy_us(unsigned from, uintptr_t source, unsigned to, uintptr_t target, size_t bytes)
{
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < 5; i++) {
		uint64_t t = weft_monotonic_ns();
		if (starpu_interface_copy(source, 0, from, target, 0, to, bytes, NULL))
			return NAN;
		t = weft_monotonic_ns() - t;
		best = t < best ? t : best;
	}
	return (double)best / 1e3;
}

static void measure_way(unsigned from, unsigned to)
{
	enum { BLOCK = 4 << 20 };
	uintptr_t source = starpu_malloc_on_node(from, BLOCK), target = source ? starpu_malloc_on_node(to, BLOCK) : 0;
	double one = source && target ? best_copy_us(from, source, to, target, 1) : NAN;
	double block = source && target ? best_copy_us(from, source, to, target, BLOCK) : NAN;
	/* On a busy machine each of the small copies may have been interrupted. */
	for (int i = 0; i < 10 && block <= one; i++) {
		one = fmin(one, best_copy_us(from, source, to, target, 1));
		block = fmin(block, best_copy_us(from, source, to, target, BLOCK));
	}
	my.bus.latency_us[from][to] = one;
	my.bus.mb_per_s[from][to] = BLOCK / (block > one ? block - one : block);
	if (target)
		starpu_free_on_node(to, target, BLOCK);
	if (source)
		starpu_free_on_node(from, source, BLOCK);
}

/* From one device to another is over the main memory. */
static void bus_measure(unsigned nodes)
{
	for (unsigned i = 0; i < WEFT_BUS_DEFAULT_NODES; i++)
		for (unsigned k = 0; k < WEFT_BUS_DEFAULT_NODES; k++)
			my.bus.mb_per_s[i][k] = my.bus.latency_us[i][k] = i == k && i < nodes ? 0 : NAN;
	my.bus.n = WEFT_BUS_DEFAULT_NODES;
	for (unsigned i = 1; i < nodes; i++) {
		if (starpu_node_get_kind(i) == STARPU_DISK_RAM)
			continue;
		measure_way(0, i);
		measure_way(i, 0);
	}
	for (unsigned i = 1; i < nodes; i++)
		for (unsigned k = 1; k < nodes; k++) {
			if (i == k || starpu_node_get_kind(i) == STARPU_DISK_RAM || starpu_node_get_kind(k) == STARPU_DISK_RAM)
				continue;
			if (starpu_node_get_kind(i) == STARPU_CPU_RAM && starpu_node_get_kind(k) == STARPU_CPU_RAM) {
				measure_way(i, k);
				continue;
			}
			my.bus.latency_us[i][k] = my.bus.latency_us[i][0] + my.bus.latency_us[0][k];
			my.bus.mb_per_s[i][k] = 1 / (1 / my.bus.mb_per_s[i][0] + 1 / my.bus.mb_per_s[0][k]);
		}
}

static void bus_save(const struct weft_bus_config *config, const char *prefix)
{
	struct weft_bus_affinity affinity = {.n_devices = config->count[WEFT_BUS_OPENCL], .n_numa = config->count[WEFT_BUS_NUMA]};
	struct weft_err err = {0};
	for (uint32_t i = 0; i < affinity.n_devices && i < WEFT_BUS_NODES; i++)
		for (uint32_t k = 0; k < affinity.n_numa && k < WEFT_BUS_NODES; k++)
			affinity.near[i][k] = k;
	if (weft_bus_write(&(struct weft_bus_files){&my.bus, config, &affinity}, prefix, &err))
		perf_say("%s", err.text);
}

/* Whether the files of the ways are there and of these memories; why not is said. How many CPUs there are makes no way. */
static bool read_files(const struct weft_bus_config *here, unsigned nodes, const char *prefix)
{
	struct weft_bus_config there;
	struct weft_err err = {0};
	int rc = weft_bus_read(&my.bus, &there, prefix, &err);
	if (rc) {
		if (rc != -ENOENT)
			perf_say("%s; the ways between memories are measured again", err.text);
		return false;
	}
	const uint32_t *a = here->count, *b = there.count;
	if (a[WEFT_BUS_NUMA] == b[WEFT_BUS_NUMA] && a[WEFT_BUS_OPENCL] == b[WEFT_BUS_OPENCL] && !b[WEFT_BUS_CUDA] &&
	    my.bus.n >= nodes)
		return true;
	perf_say("'%s.config' is of another machine (NUMA nodes: %u, CUDA devices: %u, OpenCL devices: %u; here %u, 0, %u); the ways "
	         "between memories are measured again",
	         prefix, b[WEFT_BUS_NUMA], b[WEFT_BUS_CUDA], b[WEFT_BUS_OPENCL], a[WEFT_BUS_NUMA], a[WEFT_BUS_OPENCL]);
	return false;
}

static void bus_learn(void)
{
	char prefix[4096];
	unsigned nodes = starpu_memory_nodes_get_count();
	struct weft_bus_config config = bus_now();
	nodes = nodes < WEFT_BUS_DEFAULT_NODES ? nodes : WEFT_BUS_DEFAULT_NODES;
	if (nodes < 2 && !my.calibrate) {
		memset(&my.bus, 0, sizeof my.bus);
		my.bus.n = nodes;
		return;
	}
	perf_path_of_bus(prefix, sizeof prefix);
	if (!my.calibrate && read_files(&config, nodes, prefix))
		return;
	bus_measure(nodes);
	bus_save(&config, prefix);
}

/* Until the end of this runtime; what is measured is measured once. */
static const struct weft_bus *bus_known(void)
{
	if (!__atomic_load_n(&my.known, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&my.lock);
		if (!my.known)
			bus_learn();
		__atomic_store_n(&my.known, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&my.lock);
	}
	return &my.bus;
}

void perf_bus_started(void)
{
	if (my.calibrate)
		(void)bus_known();
}

void rt_perf_bus_is(const struct weft_bus *of_another)
{
	pthread_mutex_lock(&my.lock);
	my.bus = *of_another;
	__atomic_store_n(&my.known, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&my.lock);
}

/* -- StarPU's names -- */

double starpu_transfer_bandwidth(unsigned src_node, unsigned dst_node)
{
	const struct weft_bus *b = bus_known();
	return src_node < b->n && dst_node < b->n ? b->mb_per_s[src_node][dst_node] : 0;
}

double starpu_transfer_latency(unsigned src_node, unsigned dst_node)
{
	const struct weft_bus *b = bus_known();
	return src_node < b->n && dst_node < b->n ? b->latency_us[src_node][dst_node] : 0;
}

double starpu_transfer_predict(unsigned src_node, unsigned dst_node, size_t size)
{
	return src_node == dst_node ? 0 : weft_bus_predict_us(bus_known(), src_node, dst_node, size);
}

static void print_matrix(const double (*m)[WEFT_BUS_NODES], unsigned nodes, FILE *to)
{
	char name[64];
	fprintf(to, "from");
	for (unsigned i = 0; i < nodes; i++) {
		starpu_memory_node_get_name(i, name, sizeof name);
		fprintf(to, "\tto %s", name);
	}
	fprintf(to, "\n");
	for (unsigned i = 0; i < nodes; i++) {
		starpu_memory_node_get_name(i, name, sizeof name);
		fprintf(to, "%s", name);
		for (unsigned k = 0; k < nodes; k++)
			fprintf(to, "\t%f", m[i][k]);
		fprintf(to, "\n");
	}
}

void starpu_bus_print_bandwidth(FILE *f)
{
	const struct weft_bus *b = bus_known();
	unsigned nodes = starpu_memory_nodes_get_count() < b->n ? starpu_memory_nodes_get_count() : b->n;
	print_matrix(b->mb_per_s, nodes, f);
	fprintf(f, "\n");
	print_matrix(b->latency_us, nodes, f);
}

void starpu_bus_print_affinity(FILE *f)
{
	struct weft_bus_config c = bus_now();
	fprintf(f, "# GPU\tNUMA in preference order (logical index)\n# OpenCL\n");
	for (uint32_t i = 0; i < c.count[WEFT_BUS_OPENCL]; i++) {
		fprintf(f, "%u\t", i);
		for (uint32_t k = 0; k < c.count[WEFT_BUS_NUMA]; k++)
			fprintf(f, "%u\t", k);
		fprintf(f, "\n");
	}
}

void starpu_bus_print_filenames(FILE *f)
{
	char prefix[4096];
	perf_path_of_bus(prefix, sizeof prefix);
	fprintf(f, "bandwidth: <%s.bandwidth>\n affinity: <%s.affinity>\n  latency: <%s.latency>\n", prefix, prefix, prefix);
}

/* -- what moving data for a task would take -- */

/* From the nearest node that has it; nothing when the node has it, or will. */
static double time_to_bring(starpu_data_handle_t handle, unsigned memory_node)
{
	double best = INFINITY;
	int there = 0;
	unsigned nodes = starpu_memory_nodes_get_count();
	if (starpu_data_is_on_node(handle, memory_node))
		return 0;
	size_t size = starpu_data_get_size(handle);
	for (unsigned i = 0; i < nodes; i++) {
		starpu_data_query_status(handle, (int)i, NULL, &there, NULL);
		if (there)
			best = fmin(best, starpu_transfer_predict(i, memory_node, size));
	}
	return isinf(best) ? 0 : best;
}

/* Of what is written elsewhere, when the user wants that to count. */
static double time_to_write_back(starpu_data_handle_t handle, unsigned memory_node)
{
	if (starpu_node_get_kind(memory_node) == STARPU_CPU_RAM ||
	    starpu_getenv_number_default("STARPU_EXPECTED_TRANSFER_TIME_WRITEBACK", 0) <= 0)
		return 0;
	return starpu_transfer_predict(memory_node, STARPU_MAIN_RAM, starpu_data_get_size(handle));
}

double starpu_data_expected_transfer_time(starpu_data_handle_t handle, unsigned memory_node, enum starpu_data_access_mode mode)
{
	if (starpu_memory_nodes_get_count() < 2)
		return 0;
	return (mode & STARPU_R ? time_to_bring(handle, memory_node) : 0) +
	       (mode & STARPU_W ? time_to_write_back(handle, memory_node) : 0);
}

double starpu_task_expected_data_transfer_time(unsigned memory_node, struct starpu_task *task)
{
	double sum = 0;
	int n = starpu_memory_nodes_get_count() < 2 ? 0 : STARPU_TASK_GET_NBUFFERS(task);
	for (int i = 0; i < n; i++)
		sum += starpu_data_expected_transfer_time(STARPU_TASK_GET_HANDLE(task, i), memory_node,
		                                          STARPU_TASK_GET_MODE(task, i));
	return sum;
}

double starpu_task_expected_data_transfer_time_for(struct starpu_task *task, unsigned worker)
{
	return starpu_task_expected_data_transfer_time(starpu_worker_get_memory_node(worker), task);
}

/* The memory of the first device of a combination; -1: there is none. */
static int node_of(const struct starpu_perfmodel_arch *arch)
{
	for (unsigned i = 0; arch->ndevices && i < starpu_worker_get_count(); i++)
		if (starpu_worker_get_type((int)i) == arch->devices[0].type &&
		    (arch->devices[0].type == STARPU_CPU_WORKER || starpu_worker_get_devid((int)i) == arch->devices[0].devid))
			return (int)starpu_worker_get_memory_node(i);
	return -1;
}

/* What would turn the data into the form of these devices; NULL: it has that. */
static struct starpu_codelet *bus_conversion(starpu_data_handle_t handle, const struct starpu_perfmodel_arch *arch)
{
	int valid = 0, node = node_of(arch);
	if (node < 0 || starpu_data_get_interface_id(handle) != STARPU_MULTIFORMAT_INTERFACE_ID)
		return NULL;
	starpu_data_query_status(handle, node, NULL, &valid, NULL);
	struct starpu_multiformat_interface *i = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
	return valid ? NULL : arch->devices[0].type == STARPU_OPENCL_WORKER ? i->ops->cpu_to_opencl_cl : i->ops->opencl_to_cpu_cl;
}

/* What turning multiformat data into the form of these devices would take, as far as the models of what does it know. */
double starpu_task_expected_conversion_time(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	double sum = 0;
	int n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	for (int i = 0; i < n; i++) {
		starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
		struct starpu_codelet *cl = STARPU_TASK_GET_MODE(task, i) & STARPU_R ? bus_conversion(handle, arch) : NULL;
		struct starpu_task converts = {.cl = cl, .nbuffers = 1, .handles = {handle}, .modes = {STARPU_RW}};
		double us = cl ? starpu_task_expected_length(&converts, arch, nimpl) : 0;
		sum += isnan(us) ? 0 : us;
	}
	return sum;
}
