/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What variables, vectors, matrices, blocks, tensors and ndims have in common: elements in a box of
 * some dimensions, rows of the first one contiguous. A dense is a view of one of their interfaces.
 *
 *     element (i0, i1, …) lies at  address + offset + elemsize · (i0 + i1·ld[1] + i2·ld[2] + …),   ld[0] = 1
 */
#ifndef WEFT_RUNTIME_IFACE_DENSE_H
#define WEFT_RUNTIME_IFACE_DENSE_H

#include <stdbool.h>
#include <starpu.h>

enum { RT_DENSE_FIXED = 4, RT_MOST_DIMS = 32 }; /* dimensions of all but ndim; of any */

struct rt_dense {
	unsigned dims;
	size_t *n[RT_DENSE_FIXED], *ld[RT_DENSE_FIXED]; /* ld[0]: NULL. Of an ndim: the arrays */
	size_t *nn, *ldn;                               /* of an ndim, else NULL */
	size_t elemsize;
	uintptr_t *ptr, *dev_handle;
	size_t *offset, *allocsize; /* allocsize: NULL when the interface has none */
};
/* False: it is none of these. */
bool rt_dense_look(void *interface, struct rt_dense *d);
static inline size_t rt_dense_n(const struct rt_dense *d, unsigned k)
{
	return d->nn ? d->nn[k] : *d->n[k];
}
static inline size_t rt_dense_ld(const struct rt_dense *d, unsigned k)
{
	return d->ldn ? d->ldn[k] : k ? *d->ld[k] : 1;
}
/*
 * The key of data's size and footprint: the size of an element, and their number in each dimension.
 * False: the interface is none of these, or an ndim. And whether the key is unchanged.
 */
enum { RT_DENSE_KEY = 1 + RT_DENSE_FIXED };
bool rt_dense_key(void *interface, size_t key[RT_DENSE_KEY]);
bool rt_dense_is(void *interface, const size_t key[RT_DENSE_KEY]);
/* Elements of this size, in an interface that is being made. */
void rt_dense_set_elemsize(void *interface, size_t elemsize);
size_t rt_dense_elements(const struct rt_dense *d);

#endif
