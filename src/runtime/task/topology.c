/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that the runtime begins on: its topology through hwloc, which detects it, reads it
 * from the file in STARPU_HWLOC_INPUT, or makes up a simulated one. Drivers then add the workers
 * and memory nodes that they find; their numbers are in the order of adding.
 */
#include "begin.h"
#include "complain.h"
#include "driver.h"
#include "machine.h"
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rt_machine rt_machine;

int rt_machine_add_worker(struct rt_machine *m, const struct rt_worker_info *w)
{
	if (m->n_workers == STARPU_NMAXWORKERS)
		return -ENOSPC;
	unsigned i = m->n_workers++;
	m->worker[i] = *w;
	for (unsigned k = 0; k < m->conf.n_not_launched_drivers; k++)
		m->worker[i].application |= rt_driver_is(w, &m->conf.not_launched_drivers[k]);
	rt_mask_add(&m->all, i);
	if (w->arch == STARPU_CPU_WORKER)
		rt_mask_add(&m->cpus, i);
	return (int)i;
}

int rt_machine_add_node(struct rt_machine *m, enum starpu_node_kind kind, int devid, const char *name)
{
	if (m->n_nodes == STARPU_MAXNODES)
		return -ENOSPC;
	struct rt_node_info *n = &m->node[m->n_nodes];
	*n = (struct rt_node_info){.kind = kind, .devid = devid, .numa = kind == STARPU_CPU_RAM ? devid : -1};
	snprintf(n->name, sizeof n->name, "%s", name);
	rt_trace_node(m->n_nodes);
	return (int)m->n_nodes++;
}

int rt_topology_begin(struct rt_machine *m, struct weft_err *err)
{
	m->n_workers = m->n_nodes = 0;
	m->all = m->cpus = (struct rt_mask){0};
	const char *input = m->synthetic ? NULL : getenv("STARPU_HWLOC_INPUT");
	if (hwloc_topology_init(&m->topology))
		return weft_err_set(err, -ENOMEM, "cannot look at the machine");
	if (m->synthetic && hwloc_topology_set_synthetic(m->topology, m->synthetic))
		rt_say("a machine cannot be simulated that looks like '%s'", m->synthetic);
	if (input && *input && hwloc_topology_set_xml(m->topology, input))
		rt_say("cannot read the topology '%s': the machine's own is used", input);
	if (hwloc_topology_load(m->topology)) {
		hwloc_topology_destroy(m->topology);
		m->topology = NULL;
		return weft_err_set(err, -EIO, "cannot look at the machine");
	}
	return 0;
}

void rt_topology_end(struct rt_machine *m)
{
	for (unsigned i = 0; i < m->n_workers; i++) {
		hwloc_bitmap_free(m->worker[i].set);
		m->worker[i].set = NULL;
	}
	rt_worker_bind_end();
	if (m->topology)
		hwloc_topology_destroy(m->topology);
	m->topology = NULL;
}
