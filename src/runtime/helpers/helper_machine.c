/* SPDX-License-Identifier: Apache-2.0 */
/* Where memory lies, as hwloc says. */
#include <starpu.h>

/* The memory nodes of the runtime on which there is a part of it; -1: that cannot be known. */
long starpu_get_memory_location_bitmap(void *ptr, size_t size)
{
	hwloc_topology_t t = starpu_get_hwloc_topology();
	hwloc_bitmap_t nodes = t && size ? hwloc_bitmap_alloc() : NULL;
	long found = 0;
	if (!nodes)
		return -1;
	if (hwloc_get_area_memlocation(t, ptr, size, nodes, HWLOC_MEMBIND_BYNODESET) < 0) {
		hwloc_bitmap_free(nodes);
		return -1;
	}
	int os;
	hwloc_bitmap_foreach_begin(os, nodes) hwloc_obj_t numa = hwloc_get_numanode_obj_by_os_index(t, (unsigned)os);
	int node = numa ? starpu_memory_nodes_numa_devid_to_id(numa->logical_index) : -1;
	found |= node >= 0 && node < (int)(8 * sizeof found - 1) ? 1L << node : 0;
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(nodes);
	return found ? found : -1;
}
