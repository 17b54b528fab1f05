/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of nodes: allocating it, main memory's own functions, copies in it and across. */
#ifndef WEFT_RUNTIME_DATA_MEMORY_H
#define WEFT_RUNTIME_DATA_MEMORY_H

#include "node.h"

extern const struct rt_node_ops rt_ram_ops, rt_numa_ops; /* main memory as one node; a NUMA node's part of it */
/* The limit that the environment sets for a device: STARPU_LIMIT_KIND_DEVID_MEM, else STARPU_LIMIT_KIND_MEM; bytes, or -1. */
starpu_ssize_t rt_node_limit(const char *kind, int devid);
/* Set by the coherency: makes room on a node by evicting what is not used; true: something was freed. */
extern bool (*rt_reclaim)(unsigned node, size_t size);

/* One interface to another of its kind, by the best of its copy methods. 0, -EAGAIN (under way in `async`), or negative. */
int rt_copy_interface(starpu_data_handle_t h, void *from, unsigned from_node, void *to, unsigned to_node, struct rt_async *async);
/* A disk's object for data that is packed. */
int rt_disk_write_whole(starpu_data_handle_t h, unsigned node, void *data, size_t size);
int rt_disk_read_whole(starpu_data_handle_t h, unsigned node, void **data, size_t *size); /* starpu_malloc_flags(…, 0) */
/* Some way leads directly from one node to the other. */
/* The value of another handle of the same kind, on one node of main memory where both have memory. */
int rt_copy_handle(starpu_data_handle_t src, starpu_data_handle_t dst, unsigned node) WEFT_MUST_CHECK;
bool rt_can_copy(starpu_data_handle_t h, unsigned from_node, unsigned to_node);

#endif
