/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of data for the trace (category starpu_detail): handles, memory, copies. A handle is
 * named by its address.
 */
#ifndef WEFT_RUNTIME_DATA_TRACE_H
#define WEFT_RUNTIME_DATA_TRACE_H

#include "handle.h"
#include "replica.h"
#include "runtime/core/life_detail.h"

void rt_data_trace_registered(starpu_data_handle_t h);
/*
 * At its use: if its registration was not recorded, describes it now, outside of any task's region.
 * By the first thread that comes.
 */
enum rt_told { RT_TOLD_NOT, RT_TOLD_NOW, RT_TOLD, RT_TOLD_MEASURED };
void rt_data_tell(starpu_data_handle_t h);
static inline void rt_data_trace_known(starpu_data_handle_t h)
{
	if (WEFT_UNLIKELY(weft_load_u32(&h->told) == RT_TOLD_NOT))
		rt_data_tell(h);
}
/*
 * Its size, and its footprint with the number of its interface; the kept ones where their key has
 * not changed.
 */
size_t rt_data_measure(starpu_data_handle_t h, uint32_t *footprint);
void rt_data_trace_named(starpu_data_handle_t h);
void rt_data_trace_placed(starpu_data_handle_t h);
/* The thread waits for data from here on, until it leaves the region rt_detail.acquiring. */
void rt_data_trace_acquiring(starpu_data_handle_t h, uint32_t mode);
/* As STARPU_R | STARPU_W is RW; into `text`, which it returns. And as the id of a string. */
const char *rt_mode_name(uint32_t mode, char *text, size_t size);
enum { RT_MODE_STRINGS = 32 }; /* of the modes that have a name */
extern struct weft_atomic_u32 rt_mode_strings[RT_MODE_STRINGS];
uint32_t rt_mode_string_new(uint32_t mode);
static inline uint32_t rt_mode_string(uint32_t mode)
{
	uint32_t id = weft_load_u32(&rt_mode_strings[mode % RT_MODE_STRINGS]);
	return id ? id : rt_mode_string_new(mode % RT_MODE_STRINGS);
}
/*
 * At the end of a region that allocates or frees: its handle, node and bytes. `cached`: by the
 * cache of allocations. Leaves the region.
 */
void rt_data_trace_memory(weft_region what, const struct rt_replica *r, bool cached);
/*
 * From now on the handle's copy on the node is "owner" (the only one), "shared" or "invalid". Only
 * changes are recorded.
 */
void rt_data_trace_state(starpu_data_handle_t h, unsigned node, const char *state);
/* Why this thread copies, of those who know: "fetch", "prefetch", "reclaim"…; NULL: nobody said. For which task; 0: for none. */
struct rt_copy_why {
	const char *cause;
	rt_ref task;
};
extern _Thread_local struct rt_copy_why rt_copy_why;
/* From here on this is why; what was so before, to be put back. The task stays. */
static inline struct rt_copy_why rt_copy_because(const char *cause)
{
	struct rt_copy_why outer = rt_copy_why;
	rt_copy_why.cause = cause;
	return outer;
}
/* Around a copy. Enters the region, and leaves it: what has been copied counts then. The instant at which it began, where somebody watches; else 0. */
uint64_t rt_data_trace_copy(const struct rt_replica *from, const struct rt_replica *to);
void rt_data_trace_copied(const struct rt_replica *from, const struct rt_replica *to, bool done, uint64_t since_ns);

#endif
