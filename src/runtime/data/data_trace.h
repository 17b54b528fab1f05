/* SPDX-License-Identifier: Apache-2.0 */
/* The life of data for the trace (category starpu_detail): handles, memory, copies. A handle is named by its address. */
#ifndef WEFT_RUNTIME_DATA_TRACE_H
#define WEFT_RUNTIME_DATA_TRACE_H

#include "handle.h"
#include "replica.h"
#include "runtime/core/life_detail.h"

void rt_data_trace_registered(starpu_data_handle_t h);
void rt_data_trace_named(starpu_data_handle_t h);
void rt_data_trace_placed(starpu_data_handle_t h);
void rt_data_trace_coordinates(starpu_data_handle_t h); /* attributes of the innermost region */
/* At the end of a region that allocates or frees: what it was about. `cached`: by the cache of allocations. Leaves the region. */
void rt_data_trace_memory(weft_region what, const struct rt_replica *r, bool cached);
/* Around a copy. Enters the region, and leaves it: what has been copied counts then. */
void rt_data_trace_copy(const struct rt_replica *from, const struct rt_replica *to);
void rt_data_trace_copied(const struct rt_replica *from, const struct rt_replica *to, bool done);

#endif
