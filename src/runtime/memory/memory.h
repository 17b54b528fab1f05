/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of nodes: allocating it, main memory's own functions. */
#ifndef WEFT_RUNTIME_MEMORY_MEMORY_H
#define WEFT_RUNTIME_MEMORY_MEMORY_H

#include "node.h"

extern const struct rt_node_ops rt_ram_ops, rt_numa_ops; /* main memory as one node; a NUMA node's part of it */
/*
 * The limit that the environment sets for a device: STARPU_LIMIT_KIND_DEVID_MEM, else
 * STARPU_LIMIT_KIND_MEM; bytes, or -1.
 */
starpu_ssize_t rt_node_limit(const char *kind, int devid);
/*
 * Set by the coherency: makes room on a node by evicting unused replicas; true: memory was freed.
 */
extern bool (*rt_reclaim)(unsigned node, size_t size);

#endif
