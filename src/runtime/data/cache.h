/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices, disks and NUMA nodes that a handle gave back and another may want: all under rt_data.lock. */
#ifndef WEFT_RUNTIME_DATA_CACHE_H
#define WEFT_RUNTIME_DATA_CACHE_H

#include "replica.h"

bool rt_cache_put(struct rt_replica *r); /* takes its memory; false: it is not of the kind that is kept */
bool rt_cache_get(struct rt_replica *r); /* gives it memory; false: there is none that fits */
bool rt_cache_drop(unsigned node);       /* frees what has been there longest; false: there is nothing */
void rt_cache_end(void);

#endif
