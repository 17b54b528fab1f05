/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of data within a node and from node to node. */
#ifndef WEFT_RUNTIME_DATA_COPY_H
#define WEFT_RUNTIME_DATA_COPY_H

#include "handle.h"
#include "runtime/memory/node.h"

/*
 * One interface to another of its kind, by the best of its copy methods. 0, -EAGAIN (under way in
 * `async`), or negative.
 */
int rt_copy_interface(starpu_data_handle_t h, void *from, unsigned from_node, void *to, unsigned to_node, struct rt_async *async);
/* A disk's object for data that is packed. */
int rt_disk_write_whole(starpu_data_handle_t h, unsigned node, void *data, size_t size);
int rt_disk_read_whole(starpu_data_handle_t h, unsigned node, void **data, size_t *size); /* starpu_malloc_flags(…, 0) */
/*
 * The value of another handle of the same kind, on one node of main memory where both have memory.
 */
int rt_copy_handle(starpu_data_handle_t src, starpu_data_handle_t dst, unsigned node) WEFT_MUST_CHECK;
/* A direct way leads from one node to the other. */
bool rt_can_copy(starpu_data_handle_t h, unsigned from_node, unsigned to_node);

#endif
