/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting hits and misses of accesses: the value is on its node (a hit) or must be transferred (a
 * miss), by node (STARPU_ENABLE_STATS) and by handle (STARPU_MEMORY_STATS); and allocations from
 * the cache. An access is one of a task, counted when its turn comes, or one of the application.
 * One that only writes is a hit where the value is already.
 */
#ifndef WEFT_RUNTIME_DATA_DATA_STATS_H
#define WEFT_RUNTIME_DATA_DATA_STATS_H

#include "handle.h"
#include "runtime/core/core.h"

/* Read from the environment: fixed while the runtime is up. */
extern bool rt_stats_counted;

void rt_stats_begin(void);
void rt_stats_end(void); /* prints enabled counts; registered handles still exist */
/* A job's accesses: on these nodes (negative: none), or all in main memory. */
void rt_stats_job(struct rt_job *j, const int8_t *node);
void rt_stats_access(starpu_data_handle_t h, unsigned node, uint32_t mode);
/* A replica gets memory, perhaps from the cache. With rt_data.lock. */
void rt_stats_allocated(unsigned node, bool cached);
void rt_stats_forget(starpu_data_handle_t h);

#endif
