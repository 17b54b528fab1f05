/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of what is simulated; what it says at its end. */
#include "simulate.h"
#include "sim.h"
#include "runtime/memory/memory.h"
#include <inttypes.h>
#include <stdio.h>

static uint64_t began_ns;

/* Devices reach each other where the ways between all of a kind are known. */
static const struct rt_node_ops *ops_of(const struct rt_machine *m, unsigned node)
{
	for (unsigned i = 0; i < m->n_nodes; i++)
		if (i != node && m->node[i].kind == m->node[node].kind &&
		    !(sim_link_is_known(i, node) && sim_link_is_known(node, i)))
			return &sim_node_ops_apart;
	return &sim_node_ops;
}

static starpu_ssize_t limit_of(const struct rt_node_info *n)
{
	return rt_node_limit(n->kind == STARPU_CUDA_RAM ? "CUDA" : "OPENCL", n->devid);
}

static void sleeps(uint64_t ns)
{
	if (!rt_worker_self()) /* in a callback no time passes */
		sim_simulator.last(ns);
}

static int sim_begin(struct rt_machine *m, struct weft_err *err)
{
	if (!rt_simulator)
		return 0;
	sim_link_begin(m);
	for (unsigned i = 0; i < m->n_nodes; i++)
		if (m->node[i].kind != STARPU_CPU_RAM &&
		    rt_node_add(m->node[i].kind, m->node[i].devid, ops_of(m, i), NULL, limit_of(&m->node[i])) != (int)i)
			return weft_err_set(err, -ENOSPC, "no memory node is left for %s", m->node[i].name);
	rt_sleeps_by(sleeps);
	sim_trace_begin();
	began_ns = rt_time_ns();
	sim_done = (struct sim_done){.last_ns = began_ns};
	return 0;
}

static void sim_end(struct rt_machine *m)
{
	if (!rt_simulator)
		return;
	sim_trace_end(m);
	if (starpu_get_env_number_default("STARPU_SILENT", 0) <= 0)
		fprintf(stderr, "starpu: simulated on '%s': %" PRIu64 " tasks in %.3f ms, %" PRIu64 " transfers of %.3f MB\n",
		        sim_machine.host, sim_done.tasks, (double)(sim_done.last_ns - began_ns) / 1e6, sim_moved.copies,
		        (double)sim_moved.bytes / 1e6);
	rt_sleeps_by(NULL);
}

const struct rt_layer rt_layer_simulate = {.name = "simulate", .begin = sim_begin, .end = sim_end};

void rt_simulate_end(void)
{
	if (!rt_simulator)
		return;
	sim_loop_end();
	rt_simulator = NULL;
}
