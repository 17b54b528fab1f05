/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where copies are and how they move: one replica for each memory node, valid or not. When one is
 * written all others become invalid; a reader's node gets a copy of a valid one. Everything here is
 * under rt_data.lock, which is let go during a transfer: `loading` and the pins of both sides
 * protect it.
 */
#ifndef WEFT_RUNTIME_DATA_REPLICA_H
#define WEFT_RUNTIME_DATA_REPLICA_H

#include "data.h"
#include "runtime/memory/node.h"

struct rt_data {
	struct rt_runtime *runtime; /* NULL: handles come, and wait for starpu_init() */
	pthread_mutex_t lock;       /* recursive: an interface's functions may come back to us */
	pthread_cond_t changed;     /* a transfer has ended, or pins were released */
	struct _starpu_data_state *handles;
	struct {
		struct rt_replica *newest, *oldest; /* with memory of ours */
		uint32_t n;                         /* of those */
		uint32_t pinned;                    /* replicas with pins, of ours or not */
		uint32_t stirred;                   /* released since it was tidied (tidy.h) */
		bool tidying, was_full;             /* a pass is queued; a replica had to be evicted once */
	} node[STARPU_MAXNODES];
	uint64_t clock;
	unsigned default_order; /* sequential consistency of new handles; the program's, whether the runtime is up or not */
};
extern struct rt_data rt_data;

/* The calling thread, as one that makes jobs. */
struct rt_submitter *rt_data_self(void);

/* A handle may be plain at all: main memory is the only node. */
static inline bool rt_data_is_simple(void)
{
	return weft_load_u32(&rt_n_nodes) == 1;
}
/* When the runtime begins: registers a strand's own variables (core/simulator.h). */
void rt_replica_keeps_own(void);
void rt_replica_lock(void);
void rt_replica_unlock(void);

enum { RT_UNASKED = 1 << 30 }; /* beside a mode */

/* Gives it memory. 0 or -ENOMEM. */
int rt_replica_allocate(struct rt_replica *r);
void rt_replica_free(struct rt_replica *r);
/*
 * Gets memory for the handle on the node, its value if the mode reads, and makes all other replicas
 * invalid if the mode writes; pins it. May release the lock and wait. 0, -ENOMEM, or -EINVAL: it
 * has no value to read.
 */
int rt_replica_get(starpu_data_handle_t h, unsigned node, uint32_t mode);
/*
 * With RT_UNASKED in the mode for a prefetch, which no order keeps apart from writers. -ECANCELED:
 * it is being written.
 *
 * The same for a thread with pins: `mine` replicas that it has pinned on the node beside this one.
 * When there are no other pins on the node, waiting for room is in vain: -ENOMEM.
 */
int rt_replica_get_beside(starpu_data_handle_t h, unsigned node, uint32_t mode, unsigned mine);
/* The same, but only without a transfer, an allocation beyond main memory, or a wait. */
bool rt_replica_get_now(starpu_data_handle_t h, unsigned node, uint32_t mode);
void rt_replica_put(starpu_data_handle_t h, unsigned node, uint32_t mode); /* as it was got */
/* Sets `plain` if the handle may be. */
void rt_replica_plain(starpu_data_handle_t h);
/*
 * Between these a prefetch or an eviction moves it: the handle is not destroyed, and no job begins
 * to use it plainly.
 */
void rt_replica_moves(starpu_data_handle_t h);
void rt_replica_moved(starpu_data_handle_t h);
/*
 * A job that has found it plain may still use it so, in one of these modes: without a pin, and
 * without a word in `writing`.
 */
bool rt_replica_is_used_plainly(starpu_data_handle_t h, uint32_t modes);
/* Waits until no copy of it is under way. */
void rt_replica_settle(starpu_data_handle_t h);
/* From now on its value is there and nowhere else, or it has none. */
void rt_replica_only(starpu_data_handle_t h, unsigned node, bool has_value);
/* No value any more; with `free_memory`, memory of ours is freed. */
void rt_replica_invalidate(starpu_data_handle_t h, bool free_memory);
/* Between rt_replica_moves and rt_replica_moved: makes sure that its value is elsewhere, too; 0, -EBUSY, or the error of moving it. */
int rt_replica_write_back(struct rt_replica *r);
extern _Thread_local RT_NEAR starpu_data_handle_t rt_replica_to_load; /* the handle for which this thread allocates */
/* This thread makes room, perhaps with the lock taken twice: then waiting would not release it. */
extern _Thread_local RT_NEAR bool rt_replica_reclaiming;
/* Evicts the handle's memory from a node; 0, -EBUSY, or the error of moving its value. */
int rt_replica_evict(struct rt_replica *r);
/*
 * Makes sure that its value is elsewhere, too; 0 or as above. May release the lock: then only this
 * replica is known to live still.
 */
int rt_replica_clean(struct rt_replica *r);
bool rt_replica_is_clean(const struct rt_replica *r);
/* The least recently used one, of those used after that instant; NULL: none. */
struct rt_replica *rt_replica_next(unsigned node, uint64_t used);
/*
 * Allocates by the interface, and remembers the handle for evictions meanwhile. Negative: no
 * memory.
 */
starpu_ssize_t rt_replica_new_memory(starpu_data_handle_t h, void *interface, unsigned node);
bool rt_replica_reclaim(unsigned node, size_t size);
/* A buffer of the worker's own; made at the first call. NULL: no memory. */
struct rt_replica *rt_replica_own(starpu_data_handle_t h, unsigned worker, unsigned node);
/*
 * iface_other.c: a value has come from another node, in that one's format; on the worker: converts
 * it to its own.
 */
void rt_multiformat_arrived(struct rt_replica *r, unsigned from_node);
void rt_multiformat_convert(struct rt_replica *r);

/*
 * duplicate.c: drops a reference at unregistering. True: it is a duplicate with other references.
 */
bool rt_duplicate_is_shared(starpu_data_handle_t h);

#endif
