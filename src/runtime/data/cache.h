/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of devices, disks and NUMA nodes that a handle has released, for reuse by another: all
 * under rt_data.lock.
 */
#ifndef WEFT_RUNTIME_DATA_CACHE_H
#define WEFT_RUNTIME_DATA_CACHE_H

#include "replica.h"

bool rt_cache_put(struct rt_replica *r); /* takes its memory; false: its interface cannot be kept */
bool rt_cache_get(struct rt_replica *r); /* gives it memory; false: there is none that fits */
bool rt_cache_drop(unsigned node);       /* frees the oldest chunk; false: there is none */
void rt_cache_end(void);

#endif
