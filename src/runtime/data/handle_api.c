/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's functions that query a handle or set something on it: names and coordinates, the
 * program's own data, flags (which a partitioned handle passes on to its parts), arbiters, its
 * interface, packing, the nodes that have its value, and advice on evicting it.
 */
#include "data_trace.h"
#include "runtime/task/complain.h"
#include "acquire.h"
#include "replica.h"
#include "mover.h"
#include "partition.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- names, coordinates, the application's own ---- */

void starpu_data_set_name(starpu_data_handle_t handle, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	free(handle->name);
	handle->name = copy;
	rt_data_trace_named(handle);
}

enum { MOST_COORDINATES = sizeof((starpu_data_handle_t)0)->coordinates / sizeof(int) };

void starpu_data_set_coordinates_array(starpu_data_handle_t handle, unsigned dimensions, int *dims)
{
	handle->dimensions = dimensions < MOST_COORDINATES ? dimensions : MOST_COORDINATES;
	memcpy(handle->coordinates, dims, handle->dimensions * sizeof *dims);
	rt_data_trace_placed(handle);
}

void starpu_data_set_coordinates(starpu_data_handle_t handle, unsigned dimensions, ...)
{
	va_list pa;
	int dims[MOST_COORDINATES];
	unsigned n = dimensions < MOST_COORDINATES ? dimensions : MOST_COORDINATES;
	va_start(pa, dimensions);
	for (unsigned i = 0; i < n; i++)
		dims[i] = va_arg(pa, int);
	va_end(pa);
	starpu_data_set_coordinates_array(handle, n, dims);
}

unsigned starpu_data_get_coordinates_array(starpu_data_handle_t handle, unsigned dimensions, int *dims)
{
	unsigned n = dimensions < handle->dimensions ? dimensions : handle->dimensions;
	memcpy(dims, handle->coordinates, n * sizeof *dims);
	return n;
}

void starpu_data_set_user_data(starpu_data_handle_t handle, void *user_data)
{
	handle->user_data = user_data;
}

void *starpu_data_get_user_data(starpu_data_handle_t handle)
{
	return handle->user_data;
}

void starpu_data_set_sched_data(starpu_data_handle_t handle, void *sched_data)
{
	handle->sched_data = sched_data;
}

void *starpu_data_get_sched_data(starpu_data_handle_t handle)
{
	return handle->sched_data;
}

/* ---- flags; of a partitioned handle they are its parts' too ---- */

void starpu_data_set_sequential_consistency_flag(starpu_data_handle_t handle, unsigned flag)
{
	rt_handle_mark(&handle->order, flag ? 0 : RT_H_UNORDERED, flag ? RT_H_UNORDERED : 0);
	for (unsigned i = 0; i < handle->n_children; i++)
		starpu_data_set_sequential_consistency_flag(handle->child[i], flag);
}

unsigned starpu_data_get_sequential_consistency_flag(starpu_data_handle_t handle)
{
	return !(handle->order.bits & RT_H_UNORDERED);
}

unsigned starpu_data_get_default_sequential_consistency_flag(void)
{
	return rt_data.default_order;
}

void starpu_data_set_default_sequential_consistency_flag(unsigned flag)
{
	rt_data.default_order = flag;
}

void starpu_data_set_ooc_flag(starpu_data_handle_t handle, unsigned flag)
{
	handle->ooc = flag;
	for (unsigned i = 0; i < handle->n_children; i++)
		starpu_data_set_ooc_flag(handle->child[i], flag);
}

unsigned starpu_data_get_ooc_flag(starpu_data_handle_t handle)
{
	return handle->ooc;
}

void starpu_data_set_wt_mask(starpu_data_handle_t handle, uint32_t wt_mask)
{
	rt_replica_lock();
	handle->wt_mask = wt_mask;
	rt_replica_plain(handle);
	rt_replica_unlock();
	for (unsigned i = 0; i < handle->n_children; i++)
		starpu_data_set_wt_mask(handle->child[i], wt_mask);
}

void starpu_data_set_gathering_node(starpu_data_handle_t handle, unsigned node)
{
	handle->gathering_node = (int)node;
}

void starpu_data_advise_as_important(starpu_data_handle_t handle, unsigned is_important)
{
	handle->important = is_important;
	for (unsigned i = 0; i < handle->n_children; i++)
		starpu_data_advise_as_important(handle->child[i], is_important);
}

/* ---- arbiters: claims of several handles are all or nothing in any case (gate.h) ---- */

struct starpu_arbiter {
	unsigned n;
};

starpu_arbiter_t starpu_arbiter_create(void)
{
	return calloc(1, sizeof(struct starpu_arbiter));
}

void starpu_data_assign_arbiter(starpu_data_handle_t handle, starpu_arbiter_t arbiter)
{
	RT_EXPECT(handle && arbiter, "starpu_data_assign_arbiter: there is no %s", handle ? "arbiter" : "handle");
	RT_EXPECT(!handle->arbiter || handle->arbiter == arbiter, "handle %p has another arbiter already", (void *)handle);
	handle->arbiter = arbiter;
	arbiter->n++;
}

void starpu_arbiter_destroy(starpu_arbiter_t arbiter)
{
	free(arbiter);
}

/* ---- the interface ---- */

struct starpu_data_interface_ops *starpu_data_get_interface_ops(starpu_data_handle_t handle)
{
	return handle->ops;
}

enum starpu_data_interface_id starpu_data_get_interface_id(starpu_data_handle_t handle)
{
	return handle->ops->interfaceid;
}

void *starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned memory_node)
{
	RT_EXPECT(memory_node < STARPU_MAXNODES, "there is no memory node %u", memory_node);
	return handle->replica[memory_node].interface;
}

void *starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node)
{
	if (node >= STARPU_MAXNODES || !handle->replica[node].allocated)
		return NULL;
	if (handle->ops->to_pointer)
		return handle->ops->to_pointer(handle->replica[node].interface, node);
	return handle->ops->handle_to_pointer ? handle->ops->handle_to_pointer(handle, node) : NULL;
}

void *starpu_data_handle_to_pointer_ref(starpu_data_handle_t handle, unsigned node)
{
	rt_replica_lock();
	handle->replica[node].pins++;
	rt_replica_unlock();
	return starpu_data_handle_to_pointer(handle, node);
}

void starpu_data_handle_to_pointer_unref(starpu_data_handle_t handle, unsigned node)
{
	rt_replica_lock();
	handle->replica[node].pins--;
	rt_replica_unlock();
}

void *starpu_data_get_local_ptr(starpu_data_handle_t handle)
{
	return starpu_data_handle_to_pointer(handle, starpu_worker_get_local_memory_node());
}

int starpu_data_get_home_node(starpu_data_handle_t handle)
{
	return handle->home;
}

int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void *ptr)
{
	void *interface = starpu_data_get_interface_on_node(handle, node);
	return handle->ops->pointer_is_inside ? handle->ops->pointer_is_inside(interface, node, ptr) : 0;
}

starpu_data_handle_t starpu_data_lookup(const void *ptr)
{
	starpu_data_handle_t found = NULL;
	rt_replica_lock();
	for (starpu_data_handle_t h = rt_data.handles; h && !found; h = h->next)
		if (starpu_data_handle_to_pointer(h, STARPU_MAIN_RAM) == ptr)
			found = h;
	rt_replica_unlock();
	return found;
}

size_t rt_data_size(starpu_data_handle_t h)
{
	return h->ops->get_size ? h->ops->get_size(h) : 0;
}

size_t starpu_data_get_size(starpu_data_handle_t handle)
{
	return rt_data_size(handle);
}

size_t starpu_data_get_alloc_size(starpu_data_handle_t handle)
{
	return handle->ops->get_alloc_size ? handle->ops->get_alloc_size(handle) : rt_data_size(handle);
}

starpu_ssize_t starpu_data_get_max_size(starpu_data_handle_t handle)
{
	return handle->ops->get_max_size ? (starpu_ssize_t)handle->ops->get_max_size(handle) : -1;
}

uint32_t rt_data_footprint(starpu_data_handle_t h)
{
	return h->ops->footprint ? h->ops->footprint(h) : 0;
}

/* ---- packing ---- */

int starpu_data_pack_node(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count)
{
	RT_EXPECT(handle->ops->pack_data, "the interface of handle %p cannot be packed", (void *)handle);
	return handle->ops->pack_data(handle, node, ptr, count);
}

int starpu_data_peek_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count)
{
	RT_EXPECT(handle->ops->peek_data, "the interface of handle %p cannot be peeked into", (void *)handle);
	return handle->ops->peek_data(handle, node, ptr, count);
}

int starpu_data_unpack_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count)
{
	RT_EXPECT(handle->ops->unpack_data, "the interface of handle %p cannot be unpacked", (void *)handle);
	return handle->ops->unpack_data(handle, node, ptr, count);
}

int starpu_data_pack(starpu_data_handle_t handle, void **ptr, starpu_ssize_t *count)
{
	return starpu_data_pack_node(handle, starpu_worker_get_local_memory_node(), ptr, count);
}

int starpu_data_peek(starpu_data_handle_t handle, void *ptr, size_t count)
{
	return starpu_data_peek_node(handle, starpu_worker_get_local_memory_node(), ptr, count);
}

int starpu_data_unpack(starpu_data_handle_t handle, void *ptr, size_t count)
{
	return starpu_data_unpack_node(handle, starpu_worker_get_local_memory_node(), ptr, count);
}

/* ---- its nodes ---- */

bool rt_data_is_on(starpu_data_handle_t h, unsigned node)
{
	rt_replica_lock();
	bool is = h->replica[node].valid || h->replica[node].loading || h->replica[node].requested;
	rt_replica_unlock();
	return is;
}

unsigned starpu_data_is_on_node(starpu_data_handle_t handle, unsigned node)
{
	return rt_data_is_on(handle, node);
}

unsigned starpu_data_is_on_node_excluding_prefetch(starpu_data_handle_t handle, unsigned node)
{
	int is_valid;
	starpu_data_query_status2(handle, (int)node, NULL, &is_valid, NULL, NULL);
	return (unsigned)is_valid;
}

unsigned starpu_data_test_if_allocated_on_node(starpu_data_handle_t handle, unsigned memory_node)
{
	int is_allocated;
	starpu_data_query_status2(handle, (int)memory_node, &is_allocated, NULL, NULL, NULL);
	return (unsigned)is_allocated;
}

unsigned starpu_data_test_if_mapped_on_node(starpu_data_handle_t handle, unsigned memory_node)
{
	(void)handle, (void)memory_node;
	return 0;
}

static void handle_answer(int *where, int what)
{
	if (where)
		*where = what;
}

void starpu_data_query_status2(starpu_data_handle_t handle, int memory_node, int *is_allocated, int *is_valid, int *is_loading,
                               int *is_requested)
{
	rt_replica_lock();
	const struct rt_replica *r = &handle->replica[memory_node];
	handle_answer(is_allocated, r->allocated);
	handle_answer(is_valid, r->valid);
	handle_answer(is_loading, r->loading);
	handle_answer(is_requested, r->requested != 0);
	rt_replica_unlock();
}

void starpu_data_query_status(starpu_data_handle_t handle, int memory_node, int *is_allocated, int *is_valid, int *is_requested)
{
	int is_loading;
	starpu_data_query_status2(handle, memory_node, is_allocated, is_valid, &is_loading, is_requested);
	if (is_requested)
		*is_requested |= is_loading;
}

int starpu_data_request_allocation(starpu_data_handle_t handle, unsigned node)
{
	rt_replica_lock();
	int rc = node < weft_load_u32(&rt_n_nodes) ? rt_replica_allocate(&handle->replica[node]) : -EINVAL;
	rt_replica_unlock();
	return rc;
}

int starpu_data_evict_from_node(starpu_data_handle_t handle, unsigned node)
{
	rt_replica_lock();
	int rc = node < weft_load_u32(&rt_n_nodes) ? rt_replica_evict(&handle->replica[node]) : -EINVAL;
	rt_replica_unlock();
	return rc;
}

int starpu_data_can_evict(starpu_data_handle_t handle, unsigned node, enum starpu_is_prefetch is_prefetch)
{
	const struct rt_replica *r = &handle->replica[node];
	(void)is_prefetch;
	rt_replica_lock();
	int can = r->allocated && r->ours && !r->pins && !r->loading;
	rt_replica_unlock();
	return can;
}

static void is_unwanted(struct rt_acquired *a)
{
	starpu_data_handle_t h = rt_acquired_handle(a);
	rt_replica_lock();
	h->wont_use = true;
	rt_replica_unlock();
	/* Written back when nothing more urgent is queued, so that evicting it costs nothing. */
	if (h->home >= 0)
		rt_data_prefetch_handle(h, (unsigned)h->home, &(struct rt_prefetch){STARPU_IDLEFETCH, .cause = "write back"});
	rt_acquired_end(a); /* it may be gone now */
}

/* Where the value is in parts, the advice holds for them. */
void starpu_data_wont_use(starpu_data_handle_t handle)
{
	const struct rt_plan *plan = rt_plan_in_parts(handle);
	unsigned n = plan ? plan->n : handle->n_children;
	for (unsigned i = 0; i < n; i++)
		starpu_data_wont_use(plan ? plan->part[i] : handle->child[i]);
	if (n)
		return;
	weft_point(rt_detail.wont_use, (int64_t)(uintptr_t)handle);
	rt_acquire_then(handle, RT_READ, RT_A_NO_NODE, is_unwanted);
}

void starpu_data_get_node_data(unsigned node, starpu_data_handle_t **handles, int **valid, unsigned *n)
{
	unsigned count = 0;
	rt_replica_lock();
	for (struct rt_replica *r = rt_data.node[node].newest; r; r = r->older)
		count++;
	*n = 0;
	*handles = malloc((count + 1) * sizeof **handles);
	*valid = malloc((count + 1) * sizeof **valid);
	for (struct rt_replica *r = rt_data.node[node].newest; r && *handles && *valid; r = r->older) {
		(*handles)[*n] = r->handle;
		(*valid)[(*n)++] = r->valid;
	}
	rt_replica_unlock();
}

void starpu_data_print(starpu_data_handle_t handle, unsigned node, FILE *stream)
{
	char text[256] = "";
	if (handle->ops->describe)
		handle->ops->describe(handle->replica[node].interface, text, sizeof text);
	fprintf(stream, "%s %s%s", handle->ops->name ? handle->ops->name : "data", text,
	        handle->replica[node].valid ? "" : " (not valid here)");
}
