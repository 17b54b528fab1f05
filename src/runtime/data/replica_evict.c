/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making room on a node. Memory of ours is in a list for each node, by last use. When an allocation
 * fails, memory in the cache is freed first; else a replica without pins is evicted: the program's
 * choice, one of a handle that it wants no more, a clean one, the oldest. It is freed if its value is
 * elsewhere too, else copied to main memory (or from there to a disk) first.
 */
#include "cache.h"
#include "data_trace.h"
#include "replica.h"
#include "runtime/memory/node.h"
#include <errno.h>

static bool is_plainly(const struct rt_replica *r, uint32_t modes)
{
	return r->node == STARPU_MAIN_RAM && rt_replica_is_used_plainly(r->handle, modes);
}

int rt_replica_clean(struct rt_replica *r)
{
	starpu_data_handle_t h = r->handle;
	struct rt_copy_why outer = rt_copy_because("write back");
	rt_replica_moves(h);
	int rc = is_plainly(r, RT_WRITE) ? -EBUSY : rt_replica_write_back(r);
	rt_replica_moved(h);
	rt_copy_why = outer;
	return rc;
}

static bool can_go(const struct rt_replica *r)
{
	return r->ours && !r->pins && !r->loading;
}

int rt_replica_evict(struct rt_replica *r)
{
	starpu_data_handle_t h = r->handle;
	if (!r->allocated)
		return 0;
	if (!can_go(r))
		return -EBUSY;
	rt_replica_moves(h);
	struct rt_copy_why outer = rt_copy_because("reclaim");
	int rc = is_plainly(r, RT_READ | RT_WRITE) ? -EBUSY : rt_replica_write_back(r);
	rt_copy_why = outer;
	if (!rc && !can_go(r)) /* it got a pin while the lock was released */
		rc = -EBUSY;
	if (!rc)
		rt_replica_free(r);
	rt_replica_moved(h);
	return rc;
}

/* Victims by the program's choice: it may know later accesses. */
static struct {
	starpu_data_victim_selector *select;
	starpu_data_victim_eviction_failed *failed;
	void *data;
} victims;

void starpu_data_register_victim_selector(starpu_data_victim_selector *selector, starpu_data_victim_eviction_failed *evicted,
                                          void *data)
{
	victims.select = selector;
	victims.failed = evicted;
	victims.data = data;
}

static bool evict_chosen(unsigned node)
{
	starpu_data_handle_t h = victims.select ? victims.select(rt_replica_to_load, node, STARPU_FETCH, victims.data) : NULL;
	if (!h || h == STARPU_DATA_NO_VICTIM)
		return false;
	if (!rt_replica_evict(&h->replica[node]))
		return true;
	if (victims.failed)
		victims.failed(h, node, victims.data);
	return false;
}

struct rt_replica *rt_replica_next(unsigned node, uint64_t used)
{
	struct rt_replica *r = rt_data.node[node].oldest;
	while (r && r->used <= used)
		r = r->newer;
	return r;
}

/* Evicting may release the lock: the next one is looked up again. */
static bool evict_first(unsigned node, bool (*wanted)(const struct rt_replica *))
{
	uint64_t used = 0;
	for (struct rt_replica *r; (r = rt_replica_next(node, used));) {
		used = r->used;
		if (!r->pins && !r->loading && wanted(r) && !rt_replica_evict(r))
			return true;
	}
	return false;
}

static bool is_unwanted(const struct rt_replica *r)
{
	return r->handle->wont_use;
}

static bool is_any(const struct rt_replica *r)
{
	(void)r;
	return true;
}

bool rt_replica_reclaim(unsigned node, size_t size)
{
	(void)size;
	if (rt_replica_reclaiming || node >= STARPU_MAXNODES) /* evicting to a disk that is full does not evict in turn */
		return false;
	rt_replica_reclaiming = true;
	rt_replica_lock();
	rt_data.node[node].was_full = true;
	bool freed = rt_cache_drop(node) || evict_chosen(node) || evict_first(node, is_unwanted) ||
	             evict_first(node, rt_replica_is_clean) || evict_first(node, is_any);
	rt_replica_unlock();
	rt_replica_reclaiming = false;
	return freed;
}
