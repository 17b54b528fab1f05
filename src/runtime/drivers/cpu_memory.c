/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Main memory as memory nodes: one, whatever the machine is; or, with STARPU_USE_NUMA, one for each NUMA node, those first that
 * CPU workers are in, in the order of the workers, so that the first worker's is STARPU_MAIN_RAM.
 */
#include "driver.h"
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

int rt_cpu_memory_probe(struct rt_machine *m, const struct rt_worker_info *workers, unsigned n, struct weft_err *err)
{
	bool apart = starpu_get_env_number_default("STARPU_USE_NUMA", 0) > 0;
	hwloc_obj_t numa = NULL;
	int rc = 0;
	for (unsigned i = 0; i < n && apart && rc >= 0; i++)
		if ((numa = numa_of(m, workers[i].set)))
			rc = add(m, numa);
	for (numa = NULL; apart && rc >= 0 && (numa = hwloc_get_next_obj_by_type(m->topology, HWLOC_OBJ_NUMANODE, numa));)
		rc = add(m, numa);
	if (!m->n_nodes)
		rc = rt_machine_add_node(m, STARPU_CPU_RAM, 0, "NUMA 0");
	return rc < 0 ? weft_err_set(err, rc, "no memory node is left for main memory") : 0;
}

unsigned rt_cpu_memory_of(const struct rt_machine *m, hwloc_const_cpuset_t set)
{
	int node = find(m, numa_of(m, set));
	return node < 0 ? STARPU_MAIN_RAM : (unsigned)node;
}
