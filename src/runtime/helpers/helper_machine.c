/* SPDX-License-Identifier: Apache-2.0 */
/* Where memory lies, as hwloc says. */
#include <starpu.h>
#include <stdbool.h>

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
	bool is_one = starpu_memory_nodes_get_numa_count() == 1;
	hwloc_bitmap_foreach_begin(os, nodes) int node = is_one ? (int)STARPU_MAIN_RAM : starpu_memory_nodes_numa_id_to_devid(os);
	found |= node >= 0 && node < (int)(8 * sizeof found - 1) ? 1L << node : 0;
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(nodes);
	return found ? found : -1;
}
