/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory nodes: main memory, devices' memories, disks. A driver (or a disk) adds one with the
 * functions that reach it.
 *
 * An address is what alloc() returned: a pointer in main memory, a buffer's handle on a device, an
 * object on a disk. Copies go between a node and main memory, or between two nodes of one kind if
 * their driver can; everything else goes by main memory.
 */
#ifndef WEFT_RUNTIME_MEMORY_NODE_H
#define WEFT_RUNTIME_MEMORY_NODE_H

#include "base/atomic.h"
#include "base/err.h"
#include <starpu.h>
#include <weft/record.h>

/* Transfers that are under way: any_to_any()'s async_data. */
struct rt_pending {
	void (*wait)(void *event);
	void (*free)(void *event);
	void *event;
};
struct rt_async {
	struct rt_pending *at;
	unsigned n, cap;
	void *event; /* room for a driver's own: the cl_event of ram_to_opencl_async() and its like */
};
/* Adds a transfer; -ENOMEM: it was waited for instead, and is done. */
int rt_async_add(struct rt_async *a, const struct rt_pending *p);
void rt_async_wait(struct rt_async *a);

struct rt_place {
	uintptr_t base;
	size_t offset;
	unsigned node;
};

struct rt_node_ops {
	uintptr_t (*alloc)(unsigned node, size_t size, int flags); /* 0: no memory */
	void (*free)(unsigned node, uintptr_t addr, size_t size, int flags);
	/*
	 * `size` bytes; one side is this node. 0: done; -EAGAIN: under way, in `async` (NULL: must
	 * be done); else negative.
	 */
	int (*copy)(const struct rt_place *from, const struct rt_place *to, size_t size, struct rt_async *async);
	/* NULL: by rows. `blocks` of `size` bytes whose begins are ld_from and ld_to apart. */
	int (*copy2d)(const struct rt_place *from, const struct rt_place *to, size_t size, size_t blocks, size_t ld_from,
	              size_t ld_to, struct rt_async *async);
	/*
	 * NULL: nothing special. An interface's own ram_to_X, X_to_ram, X_to_X; -ENOSYS: it has
	 * none.
	 */
	int (*copy_interface)(const struct starpu_data_copy_methods *m, void *from, unsigned from_node, void *to,
	                      unsigned to_node, struct rt_async *async);
	bool between; /* copies between two nodes of this kind are possible */
};

/* The data layer's accounts of a node. */
struct rt_memory {
	pthread_mutex_t lock;
	pthread_cond_t freed;
	starpu_ssize_t limit; /* -1: none */
	size_t used;
	weft_counter trace; /* `used`, in the trace */
	struct rt_copied {
		struct weft_atomic_u64 bytes;
		weft_counter trace;
	} in, out;         /* of all copies */
	int default_flags; /* of starpu_malloc_on_node */
};

struct rt_node {
	enum starpu_node_kind kind;
	int devid;
	const struct rt_node_ops *ops;
	void *base; /* the driver's; of a disk the result of plug() */
	struct rt_memory memory;
};
extern struct rt_node rt_nodes[STARPU_MAXNODES];
extern struct weft_atomic_u32 rt_n_nodes; /* 1 at least: main memory */

/*
 * The node's number, or -ENOSPC. `limit`: bytes, or -1. Before the first task, or (disks) from the
 * application.
 */
int rt_node_add(enum starpu_node_kind kind, int devid, const struct rt_node_ops *ops, void *base, starpu_ssize_t limit);
struct rt_machine;
void rt_nodes_begin(const struct rt_machine *m); /* main memory's, their limits from the environment */
void rt_nodes_end(void);

#endif
