/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coherency of replicas.
 *
 * Getting a replica pins it, gives it memory and, where the mode reads, a value: from a node that
 * has one and can copy to this node, else by way of main memory. Transfers run without the lock;
 * `loading` marks their target, and `changed` is signalled when one ends or a last pin is released.
 * A write waits for all copies of the handle, then makes all other replicas invalid.
 */
#include "replica.h"
#include "cache.h"
#include "data_stats.h"
#include "data_trace.h"
#include "gate.h"
#include "copy.h"
#include "runtime/memory/memory.h"
#include "mover.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rt_data rt_data = {
	.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
	.changed = PTHREAD_COND_INITIALIZER,
	.default_order = 1,
};

void rt_replica_lock(void)
{
	if (!rt_trace_has(RT_GROUP_LOCK)) {
		pthread_mutex_lock(&rt_data.lock);
		return;
	}
	rt_detail_locking("data");
	pthread_mutex_lock(&rt_data.lock);
	weft_leave(rt_detail.locking);
}

void rt_replica_unlock(void)
{
	pthread_mutex_unlock(&rt_data.lock);
}

static struct rt_replica *replica_on(starpu_data_handle_t h, unsigned node)
{
	return &h->replica[node];
}

/* Main memory is one node without a limit: its data is never evicted. */
static bool memory_stays(void)
{
	uint32_t n = weft_load_u32(&rt_n_nodes);
	for (unsigned i = 1; i < n; i++)
		if (rt_nodes[i].kind == STARPU_CPU_RAM || rt_nodes[i].kind == STARPU_DISK_RAM)
			return false;
	return n == 1 || rt_nodes[STARPU_MAIN_RAM].memory.limit < 0;
}

/* No other node has it, or will get it other than by the order. */
static bool is_only_here(starpu_data_handle_t h)
{
	for (unsigned i = 1; i < weft_load_u32(&rt_n_nodes); i++)
		if (replica_on(h, i)->valid || replica_on(h, i)->loading || h->wt_mask >> i & 1)
			return false;
	return !h->moves;
}

void rt_replica_plain(starpu_data_handle_t h)
{
	const struct rt_replica *r = replica_on(h, STARPU_MAIN_RAM);
	bool is_plain = r->allocated && r->valid && !r->foreign && !h->leaving && memory_stays() && is_only_here(h);
	rt_gate_plain(h, is_plain ? r->interface : NULL);
}

/* ---- evictable replicas, newest first ---- */

static void replica_unlist(struct rt_replica *r)
{
	struct rt_replica **newest = &rt_data.node[r->node].newest, **oldest = &rt_data.node[r->node].oldest;
	if (r->newer)
		r->newer->older = r->older;
	else if (*newest == r)
		*newest = r->older;
	if (r->older)
		r->older->newer = r->newer;
	else if (*oldest == r)
		*oldest = r->newer;
	r->newer = r->older = NULL;
	rt_data.node[r->node].n--;
}

static void list_newest(struct rt_replica *r)
{
	struct rt_replica **newest = &rt_data.node[r->node].newest;
	r->used = ++rt_data.clock;
	rt_data.node[r->node].n++;
	r->older = *newest;
	r->newer = NULL;
	if (*newest)
		(*newest)->newer = r;
	else
		rt_data.node[r->node].oldest = r;
	*newest = r;
}

static void replica_pin(struct rt_replica *r)
{
	if (!r->pins++)
		rt_data.node[r->node].pinned++;
	if (r->ours && rt_data.node[r->node].newest != r) {
		replica_unlist(r);
		list_newest(r);
	}
}

static void replica_unpin(struct rt_replica *r)
{
	if (--r->pins)
		return;
	rt_data.node[r->node].pinned--;
	rt_cond_broadcast(&rt_data.changed);
}

/* ---- memory ---- */

void rt_replica_free(struct rt_replica *r)
{
	if (r->valid)
		rt_data_trace_state(r->handle, r->node, "invalid");
	if (r->ours) {
		replica_unlist(r);
		weft_enter(rt_detail.freeing);
		bool kept = rt_cache_put(r);
		if (!kept)
			r->handle->ops->free_data_on_node(r->interface, r->node);
		rt_data_trace_memory(rt_detail.freeing, r, kept);
	}
	r->allocated = r->ours = r->valid = false;
}

_Thread_local RT_NEAR starpu_data_handle_t rt_replica_to_load;

starpu_ssize_t rt_replica_new_memory(starpu_data_handle_t h, void *interface, unsigned node)
{
	starpu_data_handle_t outer = rt_replica_to_load;
	rt_replica_to_load = h;
	starpu_ssize_t size = h->ops->allocate_data_on_node(interface, node);
	rt_replica_to_load = outer;
	return size;
}

int rt_replica_allocate(struct rt_replica *r)
{
	starpu_data_handle_t h = r->handle;
	if (r->allocated)
		return 0;
	if (!h->ops->allocate_data_on_node)
		return -ENOMEM;
	weft_enter(rt_detail.allocating);
	bool reused = rt_cache_get(r);
	starpu_ssize_t size = reused ? (starpu_ssize_t)r->bytes : rt_replica_new_memory(h, r->interface, r->node);
	r->bytes = size < 0 ? 0 : (size_t)size;
	rt_data_trace_memory(rt_detail.allocating, r, reused);
	if (size < 0)
		return -ENOMEM;
	r->allocated = r->ours = true;
	rt_stats_allocated(r->node, reused);
	list_newest(r);
	return 0;
}

/* ---- moving ---- */

static bool is_only(starpu_data_handle_t h, unsigned node)
{
	bool only = replica_on(h, node)->valid;
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes) && only; i++)
		only = i == node || !replica_on(h, i)->valid;
	return only;
}

/*
 * The lock is released meanwhile. A writer, or a move of the value to another node, waits for it
 * (rt_replica_settle).
 */
static int replica_transfer(starpu_data_handle_t h, struct rt_replica *from, struct rt_replica *to)
{
	struct rt_async async = {0};
	replica_pin(from);
	replica_pin(to);
	to->loading = true;
	rt_replica_unlock();
	uint64_t since_ns = rt_data_trace_copy(from, to);
	int rc = rt_copy_interface(h, from->interface, from->node, to->interface, to->node, &async);
	if (rc == -EAGAIN && rt_traced_in_detail())
		weft_point(rt_detail.copy_submitted, (int64_t)rt_data_size(h));
	rt_async_wait(&async); /* transfers that have begun are waited for even if a later one failed */
	rc = rc == -EAGAIN ? 0 : rc;
	if (!rc && h->ops->is_multiformat)
		rt_multiformat_arrived(to, from->node);
	rt_data_trace_copied(from, to, !rc, since_ns);
	rt_replica_lock();
	to->loading = false;
	if (!rc && is_only(h, from->node))
		rt_data_trace_state(h, from->node, "shared");
	if (!rc)
		rt_data_trace_state(h, to->node, "shared");
	to->valid = !rc;
	replica_unpin(from);
	replica_unpin(to);
	rt_cond_broadcast(&rt_data.changed);
	return rc;
}

/* A valid replica from which a copy can go to the node; main memory's is the first choice. */
static struct rt_replica *source_for(starpu_data_handle_t h, unsigned node)
{
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (i != node && replica_on(h, i)->valid && !replica_on(h, i)->loading && rt_can_copy(h, i, node))
			return replica_on(h, i);
	return node != STARPU_MAIN_RAM && replica_on(h, STARPU_MAIN_RAM)->valid ? replica_on(h, STARPU_MAIN_RAM) : NULL;
}

static void wait_loading(struct rt_replica *r)
{
	while (r->loading)
		rt_cond_wait(&rt_data.changed, &rt_data.lock);
}

_Thread_local RT_NEAR bool rt_replica_reclaiming;

static void *own_to_load(void)
{
	return &rt_replica_to_load;
}

static void *own_reclaiming(void)
{
	return &rt_replica_reclaiming;
}

void rt_replica_keeps_own(void)
{
	rt_sim_keeps_own(own_to_load, sizeof rt_replica_to_load);
	rt_sim_keeps_own(own_reclaiming, sizeof rt_replica_reclaiming);
}

/*
 * Memory on the node; waits while other requests have pins there, fails without any. `mine`: pins
 * of this request there.
 */
static int get_memory(struct rt_replica *r, unsigned mine)
{
	for (;;) {
		int rc = rt_replica_allocate(r);
		if (!rc)
			return 0;
		if (rt_data.node[r->node].pinned <= mine || rt_replica_reclaiming || !rt_data_may_wait())
			return rc;
		rt_cond_wait(&rt_data.changed, &rt_data.lock);
	}
}

/*
 * A prefetch checks after each wait for writers: it would copy the value in the middle of a write
 * that has begun meanwhile.
 */
static int get_value(starpu_data_handle_t h, unsigned node, unsigned mine, bool unasked)
{
	struct rt_replica *to = replica_on(h, node);
	int rc = 0;
	while (!rc) {
		wait_loading(to);
		if (to->valid)
			return 0;
		if (!h->initialized)
			return -EINVAL;
		rc = get_memory(to, mine);
		if (rc || to->valid || to->loading)
			continue;
		if (unasked && h->writing)
			return -ECANCELED;
		struct rt_replica *from = source_for(h, node);
		if (from)
			rc = replica_transfer(h, from, to);
		else if (node != STARPU_MAIN_RAM)
			rc = get_value(h, STARPU_MAIN_RAM, 0, unasked);
		else
			rc = -EINVAL;
	}
	return rc;
}

static bool any_loading(starpu_data_handle_t h)
{
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (replica_on(h, i)->loading)
			return true;
	return false;
}

void rt_replica_settle(starpu_data_handle_t h)
{
	while (any_loading(h))
		rt_cond_wait(&rt_data.changed, &rt_data.lock);
}

static void trace_only(starpu_data_handle_t h, unsigned node, bool has_value)
{
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (replica_on(h, i)->valid && (i != node || !has_value))
			rt_data_trace_state(h, i, "invalid");
	if (has_value && !is_only(h, node))
		rt_data_trace_state(h, node, "owner");
}

void rt_replica_only(starpu_data_handle_t h, unsigned node, bool has_value)
{
	if (rt_traced_in_detail())
		trace_only(h, node, has_value);
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		replica_on(h, i)->valid = i == node && has_value;
	h->initialized = has_value;
}

static void is_written(starpu_data_handle_t h, unsigned node, uint32_t mode)
{
	rt_replica_only(h, node, true);
	if (!(mode & RT_READ))
		replica_on(h, node)->foreign = false;
	h->writing++;
	h->wont_use = false;
}

int rt_replica_get_beside(starpu_data_handle_t h, unsigned node, uint32_t mode, unsigned mine)
{
	struct rt_replica *r = replica_on(h, node);
	/* Pinned first, so that its memory is not evicted again. */
	replica_pin(r);
	wait_loading(r);
	int rc = mode & RT_READ ? get_value(h, node, mine + 1, mode & RT_UNASKED) : get_memory(r, mine + 1);
	/* A prefetch that copies it elsewhere would make that copy valid after this write. */
	if (!rc && mode & RT_WRITE)
		rt_replica_settle(h);
	if (rc)
		replica_unpin(r);
	else if (mode & RT_WRITE)
		is_written(h, node, mode);
	if (!rc)
		rt_replica_plain(h);
	return rc;
}

int rt_replica_get(starpu_data_handle_t h, unsigned node, uint32_t mode)
{
	return rt_replica_get_beside(h, node, mode, 0);
}

bool rt_replica_get_now(starpu_data_handle_t h, unsigned node, uint32_t mode)
{
	struct rt_replica *r = replica_on(h, node);
	if ((mode & RT_WRITE ? any_loading(h) : r->loading) || (mode & RT_READ && !r->valid))
		return false;
	if (!r->allocated && (!rt_data_is_simple() || rt_replica_allocate(r)))
		return false;
	replica_pin(r);
	if (mode & RT_WRITE)
		is_written(h, node, mode);
	rt_replica_plain(h);
	return true;
}

void rt_replica_put(starpu_data_handle_t h, unsigned node, uint32_t mode)
{
	h->writing -= !!(mode & RT_WRITE);
	rt_data.node[node].stirred++;
	replica_unpin(replica_on(h, node));
}

void rt_replica_invalidate(starpu_data_handle_t h, bool free_memory)
{
	weft_store_ptr(&h->plain, NULL);
	rt_replica_settle(h);
	h->initialized = false;
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++) {
		struct rt_replica *r = replica_on(h, i);
		r->valid = false;
		if (free_memory && r->ours && !r->pins)
			rt_replica_free(r);
	}
}

/* ---- writing back ---- */

static bool is_elsewhere(const struct rt_replica *r)
{
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (i != r->node && replica_on(r->handle, i)->valid && !replica_on(r->handle, i)->loading)
			return true;
	return false;
}

/*
 * The target of the only copy: main memory (of NUMA nodes its home, else the first), or from that a
 * disk. -1: none.
 */
static int refuge_of(const struct rt_replica *r)
{
	starpu_data_handle_t h = r->handle;
	bool has_home = h->home >= 0 && h->home != (int)r->node;
	if (has_home && (rt_nodes[r->node].kind == STARPU_CPU_RAM || rt_nodes[h->home].kind == STARPU_CPU_RAM))
		return h->home;
	if (r->node != STARPU_MAIN_RAM)
		return STARPU_MAIN_RAM;
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes) && h->ooc; i++)
		if (rt_nodes[i].kind == STARPU_DISK_RAM)
			return (int)i;
	return -1;
}

bool rt_replica_is_clean(const struct rt_replica *r)
{
	return !r->valid || is_elsewhere(r);
}

void rt_replica_moves(starpu_data_handle_t h)
{
	h->moves++;
	rt_replica_plain(h);
}

void rt_replica_moved(starpu_data_handle_t h)
{
	h->moves--;
	rt_replica_plain(h);
	rt_cond_broadcast(&rt_data.changed);
}

/* Between the two above. */
int rt_replica_write_back(struct rt_replica *r)
{
	starpu_data_handle_t h = r->handle;
	int to = rt_replica_is_clean(r) ? 0 : refuge_of(r);
	if (to < 0 || h->leaving || r->loading)
		return -EBUSY;
	if (rt_replica_is_clean(r))
		return 0;
	replica_pin(r);
	int rc = get_value(h, (unsigned)to, 0, true);
	replica_unpin(r);
	return rc == -ECANCELED ? -EBUSY : rc;
}

bool rt_replica_is_used_plainly(starpu_data_handle_t h, uint32_t modes)
{
	return memory_stays() && rt_gate_is_passed(rt_data.runtime, h, modes);
}

/* ---- a worker's own ---- */

struct rt_replica *rt_replica_own(starpu_data_handle_t h, unsigned worker, unsigned node)
{
	if (!h->own)
		h->own = calloc(STARPU_NMAXWORKERS, sizeof *h->own);
	if (!h->own || worker >= STARPU_NMAXWORKERS)
		return NULL;
	struct rt_replica *r = h->own[worker];
	if (!r) {
		r = calloc(1, sizeof *r + h->ops->interface_size);
		if (!r)
			return NULL;
		/* As on a node where the handle never was: its sizes, no addresses. */
		r->interface = r + 1;
		memcpy(r->interface, replica_on(h, STARPU_MAXNODES - 1)->interface, h->ops->interface_size);
		r->handle = h;
		r->node = node;
		h->own[worker] = r;
	}
	if (r->allocated)
		return r;
	weft_enter(rt_detail.allocating);
	starpu_ssize_t size = rt_replica_new_memory(h, r->interface, node);
	r->bytes = size < 0 ? 0 : (size_t)size;
	rt_data_trace_memory(rt_detail.allocating, r, false);
	r->allocated = size >= 0;
	return r->allocated ? r : NULL;
}
