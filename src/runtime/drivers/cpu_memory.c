/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Main memory as memory nodes: one, whatever the machine is; or, with STARPU_USE_NUMA, one for each NUMA node, those first that
 * CPU workers are in, in the order of the workers, so that the first worker's is STARPU_MAIN_RAM.
 */
#include "drivers.h"
#include <errno.h>
#include <stdio.h>

/* The NUMA node of a processing unit; NULL: the topology knows of none. */
static hwloc_obj_t numa_of(const struct rt_machine *m, hwloc_const_cpuset_t set)
{
	hwloc_obj_t n = NULL;
	while (set && (n = hwloc_get_next_obj_by_type(m->topology, HWLOC_OBJ_NUMANODE, n)))
		if (hwloc_bitmap_isincluded(set, n->cpuset))
			return n;
	return NULL;
}

static int find(const struct rt_machine *m, hwloc_obj_t n)
{
	for (unsigned i = 0; i < m->n_nodes && n; i++)
		if (m->node[i].kind == STARPU_CPU_RAM && m->node[i].numa == (int)n->os_index)
			return (int)i;
	return -1;
}

static int add(struct rt_machine *m, hwloc_obj_t n)
{
	char name[32];
	if (find(m, n) >= 0 || m->n_nodes == STARPU_MAXNUMANODES)
		return 0;
	snprintf(name, sizeof name, "NUMA %u", n->logical_index);
	int node = rt_machine_add_node(m, STARPU_CPU_RAM, (int)n->logical_index, name);
	if (node >= 0)
		m->node[node].numa = (int)n->os_index;
	return node;
}

static int add_all(struct rt_machine *m)
{
	hwloc_obj_t numa = NULL;
	int rc = 0;
	for (unsigned i = 0; i < m->n_workers && rc >= 0; i++)
		if (m->worker[i].arch == STARPU_CPU_WORKER && (numa = numa_of(m, m->worker[i].set)))
			rc = add(m, numa);
	for (numa = NULL; rc >= 0 && (numa = hwloc_get_next_obj_by_type(m->topology, HWLOC_OBJ_NUMANODE, numa));)
		rc = add(m, numa);
	return rc;
}

int rt_cpu_memory_probe(struct rt_machine *m, struct weft_err *err)
{
	int rc = starpu_get_env_number_default("STARPU_USE_NUMA", 0) > 0 ? add_all(m) : 0;
	if (!m->n_nodes)
		rc = rt_machine_add_node(m, STARPU_CPU_RAM, 0, "NUMA 0");
	if (rc < 0)
		return weft_err_set(err, rc, "no memory node is left for main memory");
	for (unsigned i = 0; i < m->n_workers; i++) {
		int node = m->worker[i].arch == STARPU_CPU_WORKER ? find(m, numa_of(m, m->worker[i].set)) : -1;
		m->worker[i].node = node < 0 ? STARPU_MAIN_RAM : (unsigned)node;
	}
	return 0;
}
