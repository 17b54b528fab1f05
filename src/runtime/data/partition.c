/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cutting a handle into parts, and putting them together again, while no task uses it. The parts'
 * memory is the parent's in one node (its home, or main memory); everywhere else they have their
 * own. While the parts exist, no task may touch the parent.
 */
#include "runtime/task/complain.h"
#include "data_trace.h"
#include "partition.h"
#include "acquire.h"
#include "mover.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned gather_node(starpu_data_handle_t h)
{
	return h->home >= 0 ? (unsigned)h->home : STARPU_MAIN_RAM;
}

int rt_part_gather(starpu_data_handle_t h, unsigned node)
{
	if (!h->initialized)
		return rt_replica_allocate(&h->replica[node]);
	struct rt_copy_why outer = rt_copy_because("partition");
	int rc = rt_replica_get(h, node, RT_READ);
	if (!rc)
		rt_replica_put(h, node, RT_READ);
	rt_copy_why = outer;
	return rc;
}

void rt_part_leave(starpu_data_handle_t h, unsigned node, bool has_value)
{
	rt_replica_settle(h);
	rt_replica_only(h, node, has_value);
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		if (i != node && h->replica[i].ours && !h->replica[i].pins)
			rt_replica_free(&h->replica[i]);
}

unsigned rt_part_count(starpu_data_handle_t parent, struct starpu_data_filter *f)
{
	unsigned n = f->get_nchildren ? f->get_nchildren(f, parent) : f->nchildren;
	RT_EXPECT(n, "handle %p cannot be cut into no parts", (void *)parent);
	return n;
}

starpu_data_handle_t rt_part_new(starpu_data_handle_t parent, struct starpu_data_filter *f, unsigned i, unsigned n)
{
	unsigned g = gather_node(parent);
	starpu_data_handle_t h = rt_handle_new(f->get_child_ops ? f->get_child_ops(f, i) : parent->ops);
	starpu_data_register_ops(h->ops);
	h->parent = parent;
	h->root = parent->root;
	h->depth = parent->depth + 1;
	h->index = i;
	h->home = (int)g;
	h->ooc = parent->ooc;
	h->wt_mask = parent->wt_mask;
	h->arbiter = parent->arbiter;
	h->redux_cl = parent->redux_cl;
	h->redux_arg = parent->redux_arg;
	h->init_cl = parent->init_cl;
	h->init_arg = parent->init_arg;
	if (parent->order.bits & RT_H_UNORDERED)
		rt_handle_mark(&h->order, RT_H_UNORDERED, 0);
	rt_replica_lock(); /* a task may use the parent, and get memory for it on some node */
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		if (h->ops->init)
			h->ops->init(h->replica[node].interface);
		f->filter_func(parent->replica[node].interface, h->replica[node].interface, f, i, n);
	}
	h->replica[g].allocated = parent->replica[g].allocated;
	rt_replica_unlock();
	rt_data_trace_registered(h);
	return h;
}

/* A part begins with the parent's settings. */
static void inherit(starpu_data_handle_t part)
{
	unsigned g = gather_node(part->parent);
	rt_replica_lock();
	rt_replica_only(part, g, part->parent->initialized);
	rt_replica_plain(part);
	rt_replica_unlock();
}

/*
 * Its value is on the node and nowhere else, and its memory there stays: that is the parts' as long
 * as they live.
 */
static int lend_memory(starpu_data_handle_t h, unsigned node)
{
	rt_replica_lock();
	h->replica[node].pins++;
	int rc = rt_part_gather(h, node);
	if (!rc)
		rt_part_leave(h, node, h->initialized);
	rt_replica_unlock();
	return rc;
}

static void take_memory_back(starpu_data_handle_t h, unsigned node, bool has_value)
{
	rt_replica_lock();
	rt_replica_only(h, node, has_value);
	h->replica[node].pins--;
	rt_replica_plain(h);
	rt_replica_unlock();
}

static bool is_acquired(starpu_data_handle_t h)
{
	rt_replica_lock();
	bool is = h->acquired;
	rt_replica_unlock();
	return is;
}

void starpu_data_partition(starpu_data_handle_t initial_handle, struct starpu_data_filter *f)
{
	starpu_data_handle_t h = initial_handle;
	RT_EXPECT(h && f, "%s: there is no %s", __func__, h ? "filter" : "handle");
	RT_EXPECT(!h->n_children, "%s: handle %p is partitioned already", __func__, (void *)h);
	RT_EXPECT(!is_acquired(h), "%s: handle %p is acquired", __func__, (void *)h);
	rt_plans_close(h);
	struct rt_acquired *a = rt_acquire_all(h, 0);
	RT_EXPECT(a, "%s: this waits, so it cannot be called from a task or a callback", __func__);
	rt_move_cancel(h); /* queued prefetches would copy while the parts are written */
	int rc = lend_memory(h, gather_node(h));
	unsigned n = rt_part_count(h, f);
	h->child = calloc(n, sizeof(starpu_data_handle_t));
	RT_EXPECT(!rc && h->child, "%s: no memory for the parts of handle %p", __func__, (void *)h);
	for (unsigned i = 0; i < n; i++) {
		h->child[i] = rt_part_new(h, f, i, n);
		inherit(h->child[i]);
	}
	h->n_children = n;
	weft_store_ptr(&h->plain, NULL);
	rt_handle_mark(&h->order, RT_H_REFUSED, 0);
	rt_acquired_end(a);
}

static bool gather_part(starpu_data_handle_t part, const char *function)
{
	RT_EXPECT(!is_acquired(part), "%s: a part, handle %p, is acquired", function, (void *)part);
	rt_plans_close(part);
	struct rt_acquired *a = rt_acquire_all(part, RT_LAST);
	RT_EXPECT(a, "%s: this waits, so it cannot be called from a task or a callback", function);
	rt_replica_lock();
	part->leaving = true;
	int rc = rt_part_gather(part, gather_node(part->parent));
	bool has_value = part->initialized;
	rt_replica_unlock();
	RT_EXPECT(!rc, "%s: no memory to gather parts", function);
	rt_acquired_end(a);
	rt_handle_destroy(part);
	return has_value;
}

void starpu_data_unpartition(starpu_data_handle_t root_data, unsigned gathering_node)
{
	starpu_data_handle_t h = root_data;
	unsigned g = gather_node(h);
	bool has_value = false;
	RT_EXPECT(h->n_children, "%s: handle %p is not partitioned", __func__, (void *)h);
	for (unsigned i = 0; i < h->n_children; i++) {
		if (h->child[i]->n_children)
			starpu_data_unpartition(h->child[i], gathering_node);
		has_value = gather_part(h->child[i], __func__) || has_value;
	}
	free(h->child);
	h->child = NULL;
	h->n_children = 0;
	take_memory_back(h, g, has_value);
	rt_handle_mark(&h->order, 0, RT_H_REFUSED);
	if (has_value && gathering_node != g)
		starpu_data_fetch_on_node(h, gathering_node, 0);
}

/* ---- finding parts ---- */

starpu_data_handle_t starpu_data_get_child(starpu_data_handle_t handle, unsigned i)
{
	RT_EXPECT(handle->n_children, "handle %p is not partitioned", (void *)handle);
	RT_EXPECT(i < handle->n_children, "handle %p has no part %u, only %u", (void *)handle, i, handle->n_children);
	return handle->child[i];
}

int starpu_data_get_nb_children(starpu_data_handle_t handle)
{
	return (int)handle->n_children;
}

starpu_data_handle_t starpu_data_vget_sub_data(starpu_data_handle_t root_data, unsigned depth, va_list pa)
{
	starpu_data_handle_t h = root_data;
	for (unsigned i = 0; i < depth; i++)
		h = starpu_data_get_child(h, va_arg(pa, unsigned));
	return h;
}

starpu_data_handle_t starpu_data_get_sub_data(starpu_data_handle_t root_data, unsigned depth, ...)
{
	va_list pa;
	va_start(pa, depth);
	starpu_data_handle_t h = starpu_data_vget_sub_data(root_data, depth, pa);
	va_end(pa);
	return h;
}

/* ---- several filters, one below the other ---- */

static void map(starpu_data_handle_t h, struct starpu_data_filter *f)
{
	if (!h->n_children) {
		starpu_data_partition(h, f);
		return;
	}
	for (unsigned i = 0; i < h->n_children; i++)
		map(h->child[i], f);
}

void starpu_data_vmap_filters(starpu_data_handle_t root_data, unsigned nfilters, va_list pa)
{
	for (unsigned i = 0; i < nfilters; i++) {
		struct starpu_data_filter *f = va_arg(pa, struct starpu_data_filter *);
		RT_EXPECT(f, "%s: filter %u is missing", __func__, i);
		map(root_data, f);
	}
}

void starpu_data_map_filters(starpu_data_handle_t root_data, unsigned nfilters, ...)
{
	va_list pa;
	va_start(pa, nfilters);
	starpu_data_vmap_filters(root_data, nfilters, pa);
	va_end(pa);
}

void starpu_data_map_filters_parray(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter **filters)
{
	for (int i = 0; i < nfilters; i++)
		map(root_handle, filters[i]);
}

void starpu_data_map_filters_array(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter *filters)
{
	for (int i = 0; i < nfilters; i++)
		map(root_handle, &filters[i]);
}
