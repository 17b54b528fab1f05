/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways between memory nodes: a transfer takes the way's latency and its bytes at the way's bandwidth, and those over the same way, in
 * the same direction, come one after the other. Devices have no memory: an address is a number that nobody looks behind.
 */
#include "sim.h"
#include "runtime/perf/perf.h"
#include <math.h>
#include <string.h>

static struct {
	struct weft_bus bus; /* by the runtime's memory nodes */
	uint64_t free_ns[STARPU_MAXNODES][STARPU_MAXNODES];
	struct weft_atomic_u64 addresses;
} links;
struct sim_moved sim_moved;

/* Where the files' matrices have a memory node of the runtime: without STARPU_USE_NUMA main memory is the first NUMA node. */
static unsigned in_file(const struct rt_machine *m, unsigned node)
{
	unsigned of_machine = sim_machine.config.count[WEFT_BUS_NUMA], mains = 0, before = 0;
	for (unsigned i = 0; i < m->n_nodes; i++)
		mains += m->node[i].kind == STARPU_CPU_RAM;
	if (m->node[node].kind == STARPU_CPU_RAM)
		return node;
	if (m->node[node].kind == STARPU_OPENCL_RAM)
		before = sim_machine.config.count[WEFT_BUS_CUDA];
	return (of_machine ? of_machine : 1) + before + (unsigned)m->node[node].devid;
}

void sim_link_begin(const struct rt_machine *m)
{
	memset(&links, 0, sizeof links);
	sim_moved = (struct sim_moved){0};
	links.bus.n = m->n_nodes;
	for (unsigned i = 0; i < m->n_nodes; i++)
		for (unsigned k = 0; k < m->n_nodes; k++) {
			unsigned from = in_file(m, i), to = in_file(m, k);
			bool is_there = from < sim_machine.bus.n && to < sim_machine.bus.n;
			links.bus.mb_per_s[i][k] = is_there ? sim_machine.bus.mb_per_s[from][to] : NAN;
			links.bus.latency_us[i][k] = is_there ? sim_machine.bus.latency_us[from][to] : NAN;
		}
	rt_perf_bus_is(&links.bus);
}

void sim_copy(unsigned from, unsigned to, size_t bytes)
{
	uint64_t now = rt_time_ns(), *free_ns = &links.free_ns[from][to], begin = *free_ns > now ? *free_ns : now;
	double us = weft_bus_predict_us(&links.bus, from, to, bytes);
	*free_ns = begin + (uint64_t)llround(us * 1e3);
	sim_moved.copies++;
	sim_moved.bytes += bytes;
	sim_trace_copy(from, to, bytes, begin, *free_ns);
	sim_simulator.last(*free_ns - now);
}

/* ---- memory nodes of devices ---- */

static uintptr_t address_new(unsigned node, size_t size, int flags)
{
	(void)node, (void)flags;
	return (uintptr_t)1 << 44 | weft_add_u64(&links.addresses, (size + 511) / 256 * 256);
}

static void address_free(unsigned node, uintptr_t addr, size_t size, int flags)
{
	(void)node, (void)addr, (void)size, (void)flags;
}

static int copy_bytes(const struct rt_place *from, const struct rt_place *to, size_t size, struct rt_async *async)
{
	(void)async;
	sim_copy(from->node, to->node, size);
	return 0;
}

static int copy_blocks(const struct rt_place *from, const struct rt_place *to, size_t size, size_t blocks, size_t ld_from,
                       size_t ld_to, struct rt_async *async)
{
	(void)ld_from, (void)ld_to, (void)async;
	sim_copy(from->node, to->node, size * blocks);
	return 0;
}

const struct rt_node_ops sim_node_ops = {.alloc = address_new,
                                         .free = address_free,
                                         .copy = copy_bytes,
                                         .copy2d = copy_blocks,
                                         .between = true};
const struct rt_node_ops sim_node_ops_apart = {.alloc = address_new,
                                               .free = address_free,
                                               .copy = copy_bytes,
                                               .copy2d = copy_blocks};

bool sim_link_is_known(unsigned from, unsigned to)
{
	return links.bus.mb_per_s[from][to] > 0;
}
