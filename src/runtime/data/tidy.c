/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two shares are watched on each node that has a limit, in percent: available memory
 * (STARPU_MINIMUM_AVAILABLE_MEM), and clean buffers, whose eviction costs nothing
 * (STARPU_MINIMUM_CLEAN_BUFFERS). Below the minimum, a pass by the node's mover evicts, or writes
 * back, the least recently used, until STARPU_TARGET_… is reached. Counting clean buffers walks
 * over them all: a pass is queued when a part of them has changed. Unless the user names a number,
 * nothing is written back on a node that has always had room for everything.
 */
#include "tidy.h"
#include "cache.h"
#include "mover.h"
#include <stdlib.h>

enum { MINIMUM_CLEAN = 5, TARGET_CLEAN = 10, CHANGED_PART = 16 };
static struct {
	int available, available_target, clean, clean_target; /* percent */
	bool clean_named;
} want;

static int percent(const char *name, int unless)
{
	int x = starpu_get_env_number_default(name, unless);
	return x < 0 ? 0 : x > 100 ? 100 : x;
}

void rt_tidy_begin(void)
{
	want.available = percent("STARPU_MINIMUM_AVAILABLE_MEM", 0);
	want.available_target = percent("STARPU_TARGET_AVAILABLE_MEM", 0);
	want.clean = percent("STARPU_MINIMUM_CLEAN_BUFFERS", MINIMUM_CLEAN);
	want.clean_target = percent("STARPU_TARGET_CLEAN_BUFFERS", TARGET_CLEAN);
	want.clean_named = getenv("STARPU_MINIMUM_CLEAN_BUFFERS") || getenv("STARPU_TARGET_CLEAN_BUFFERS");
	if (want.available_target < want.available)
		want.available_target = want.available;
	if (want.clean_target < want.clean)
		want.clean_target = want.clean;
}

static bool has_available(unsigned node, int of_hundred)
{
	starpu_ssize_t total = starpu_memory_get_total(node);
	return total <= 0 || starpu_memory_get_available(node) * 100 >= total * of_hundred;
}

static bool has_clean(unsigned node, unsigned n_clean, int of_hundred)
{
	return (uint64_t)n_clean * 100 >= (uint64_t)rt_data.node[node].n * (unsigned)of_hundred;
}

static void make_available(unsigned node)
{
	if (has_available(node, want.available))
		return;
	while (!has_available(node, want.available_target))
		if (!rt_replica_reclaim(node, 0))
			return;
}

/* With rt_data.lock, which is released while a buffer is written back. */
static void make_clean(unsigned node)
{
	unsigned n_clean = 0;
	for (struct rt_replica *r = rt_data.node[node].oldest; r; r = r->newer)
		n_clean += rt_replica_is_clean(r);
	if (has_clean(node, n_clean, want.clean))
		return;
	uint64_t used = 0;
	for (struct rt_replica *r; !has_clean(node, n_clean, want.clean_target) && (r = rt_replica_next(node, used));) {
		used = r->used;
		if (!r->pins && !rt_replica_is_clean(r))
			n_clean += !rt_replica_clean(r);
	}
}

/* May wait: by a mover, or the application. */
static void tidy(unsigned node)
{
	/* Later changes may queue the next pass. */
	rt_replica_lock();
	rt_data.node[node].stirred = 0;
	rt_data.node[node].tidying = false;
	rt_replica_unlock();
	make_available(node);
	rt_replica_lock();
	if (want.clean && (want.clean_named || rt_data.node[node].was_full))
		make_clean(node);
	rt_replica_unlock();
}

static void pass(struct rt_move *m)
{
	tidy((unsigned)(uintptr_t)m->arg);
	free(m);
}

void rt_tidy_after(unsigned node)
{
	if (rt_data_is_simple() || starpu_memory_get_total(node) <= 0)
		return;
	rt_replica_lock();
	bool now = !rt_data.node[node].tidying && rt_data.node[node].stirred &&
	           rt_data.node[node].stirred * CHANGED_PART >= rt_data.node[node].n;
	struct rt_move *m = now ? rt_move_new(0) : NULL;
	rt_data.node[node].tidying = rt_data.node[node].tidying || m;
	rt_replica_unlock();
	if (!m)
		return;
	m->done = pass;
	m->arg = (void *)(uintptr_t)node;
	rt_move(m, node, STARPU_IDLEFETCH, 0);
}

void starpu_memchunk_tidy(unsigned memory_node)
{
	if (memory_node < weft_load_u32(&rt_n_nodes) && !rt_data_is_simple())
		tidy(memory_node);
}
