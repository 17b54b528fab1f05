/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, memory and copies as regions with attributes; what nobody records is not computed. */
#include "data_trace.h"
#include "replica.h"
#include "runtime/task/prof_tool.h"
#include "runtime/task/profile.h"

/* What comes before starpu_init() is told when that has come. */
static bool is_traced(void)
{
	return rt_data.runtime && rt_traced_in_detail();
}

void rt_data_trace_registered(starpu_data_handle_t h)
{
	if (!is_traced())
		return;
	weft_enter(rt_detail.registering);
	rt_detail_pointer(rt_detail.handle, h);
	weft_attr_int(rt_detail.home, h->home);
	weft_attr_int(rt_detail.bytes, (int64_t)rt_data_size(h));
	if (h->parent)
		rt_detail_pointer(rt_detail.parent, h->parent);
	weft_leave(rt_detail.registering);
}

void rt_data_trace_named(starpu_data_handle_t h)
{
	if (!h->name || !is_traced())
		return;
	weft_enter(rt_detail.naming);
	rt_detail_pointer(rt_detail.handle, h);
	rt_detail_text(rt_detail.name, h->name);
	weft_leave(rt_detail.naming);
}

void rt_data_trace_coordinates(starpu_data_handle_t h)
{
	for (unsigned i = 0; i < h->dimensions; i++)
		weft_attr_int(rt_detail.coordinate, h->coordinates[i]);
}

void rt_data_trace_placed(starpu_data_handle_t h)
{
	if (!rt_traced_in_detail())
		return;
	weft_enter(rt_detail.placing);
	rt_detail_pointer(rt_detail.handle, h);
	rt_data_trace_coordinates(h);
	weft_leave(rt_detail.placing);
}

void rt_data_trace_memory(weft_region what, const struct rt_replica *r, bool cached)
{
	if (!rt_traced_in_detail())
		return;
	rt_detail_pointer(rt_detail.handle, r->handle);
	weft_attr_int(rt_detail.node, r->node);
	weft_attr_int(rt_detail.bytes, (int64_t)r->bytes);
	if (cached)
		weft_attr_int(rt_detail.cached, 1);
	weft_leave(what);
}

void rt_data_trace_copy(const struct rt_replica *from, const struct rt_replica *to)
{
	rt_tool_transfer(true, from->node, to->node, rt_data_size(to->handle));
	if (!rt_traced_in_detail())
		return;
	weft_enter(rt_detail.copying);
	rt_detail_pointer(rt_detail.handle, to->handle);
	weft_attr_int(rt_detail.from, from->node);
	weft_attr_int(rt_detail.to, to->node);
	weft_attr_int(rt_detail.bytes, (int64_t)rt_data_size(to->handle));
}

static void count(struct rt_copied *c, size_t bytes)
{
	weft_count(c->trace, (int64_t)(weft_add_u64(&c->bytes, bytes) + bytes));
}

/* Bytes are counted whether or not somebody records: who begins in the middle sees differences only, as of any counter. */
void rt_data_trace_copied(const struct rt_replica *from, const struct rt_replica *to, bool done)
{
	if (done) {
		size_t bytes = rt_data_size(to->handle);
		rt_tool_transfer(false, from->node, to->node, bytes);
		count(&rt_nodes[from->node].memory.out, bytes);
		count(&rt_nodes[to->node].memory.in, bytes);
		rt_profile_transferred(from->node, to->node, bytes);
	}
	weft_leave(rt_detail.copying);
}
