/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: contributions go into each worker's own buffer; the next other access finds them put
 * together.
 */
#ifndef WEFT_RUNTIME_DATA_REDUX_H
#define WEFT_RUNTIME_DATA_REDUX_H

#include "replica.h"

/* The hook of the order: the job that ends the group. */
void rt_redux_hook(struct rt_handle *h, struct rt_job *j);
/* It has no value from now on: a read before a write finds the neutral element of contributions. */
void rt_redux_begins(starpu_data_handle_t h);
/* The hook of planned handles: an access to one that `begins`. 0 or negative. */
int rt_redux_first_access(struct rt_submitter *s, starpu_data_handle_t h, uint32_t mode);
/* The neutral element into a worker's own buffer; by that worker. */
void rt_redux_begin(starpu_data_handle_t h, struct rt_replica *own, struct rt_worker *w);

#endif
