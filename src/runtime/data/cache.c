/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of allocations: a buffer on a device costs much more to make than to keep. A chunk is
 * an interface whose addresses say where the memory is; it fits a handle of the same kind whose
 * allocation has the same footprint and compares equal. Only interfaces that say how their
 * addresses change hands (cache_data_on_node, reuse_data_on_node), have no memory of their own
 * besides, and do not ask to be left out (dontcache) are kept. Main memory as one node has the C
 * library's cache. The newest chunk that fits is taken (it may still be warm), the oldest is the
 * first to be freed when a node is full.
 */
#include "cache.h"
#include "runtime/memory/memory.h"
#include <stdlib.h>
#include <string.h>

struct chunk {
	struct chunk *older, *newer;
	const struct starpu_data_interface_ops *ops;
	uint32_t footprint;
	size_t bytes;
	_Alignas(16) char interface[];
};
static struct {
	struct chunk *newest, *oldest;
} cache[STARPU_MAXNODES];

static uint32_t footprint_of(starpu_data_handle_t h)
{
	return h->ops->alloc_footprint ? h->ops->alloc_footprint(h) : rt_data_footprint(h);
}

static bool is_kept(const struct rt_replica *r)
{
	const struct starpu_data_interface_ops *o = r->handle->ops;
	return rt_nodes[r->node].ops != &rt_ram_ops && o->cache_data_on_node && o->reuse_data_on_node && o->compare &&
	       !o->unregister_data_handle && !o->dontcache;
}

static void unlink_chunk(struct chunk *c, unsigned node)
{
	*(c->newer ? &c->newer->older : &cache[node].newest) = c->older;
	*(c->older ? &c->older->newer : &cache[node].oldest) = c->newer;
}

bool rt_cache_put(struct rt_replica *r)
{
	struct starpu_data_interface_ops *o = r->handle->ops;
	struct chunk *c = is_kept(r) ? malloc(sizeof *c + o->interface_size) : NULL;
	if (!c)
		return false;
	*c = (struct chunk){.ops = o, .footprint = footprint_of(r->handle), .bytes = r->bytes, .older = cache[r->node].newest};
	memcpy(c->interface, r->interface, o->interface_size);
	o->cache_data_on_node(c->interface, r->interface, r->node);
	*(c->older ? &c->older->newer : &cache[r->node].oldest) = c;
	cache[r->node].newest = c;
	return true;
}

static bool fits(const struct chunk *c, const struct rt_replica *r, uint32_t footprint)
{
	struct starpu_data_interface_ops *o = r->handle->ops;
	int (*compare)(void *, void *) = o->alloc_compare ? o->alloc_compare : o->compare;
	return c->ops == o && c->footprint == footprint && compare((void *)(uintptr_t)c->interface, r->interface);
}

bool rt_cache_get(struct rt_replica *r)
{
	if (!cache[r->node].newest || !is_kept(r))
		return false;
	uint32_t footprint = footprint_of(r->handle);
	struct chunk *c = cache[r->node].newest;
	while (c && !fits(c, r, footprint))
		c = c->older;
	if (!c)
		return false;
	unlink_chunk(c, r->node);
	r->handle->ops->reuse_data_on_node(r->interface, c->interface, r->node);
	r->bytes = c->bytes;
	free(c);
	return true;
}

bool rt_cache_drop(unsigned node)
{
	struct chunk *c = cache[node].oldest;
	if (!c)
		return false;
	unlink_chunk(c, node);
	c->ops->free_data_on_node(c->interface, node);
	free(c);
	return true;
}

void rt_cache_end(void)
{
	for (unsigned i = 0; i < STARPU_MAXNODES; i++)
		while (rt_cache_drop(i))
			continue;
}
