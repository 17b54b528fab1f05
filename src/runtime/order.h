/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependencies from data: tasks that touch the same handle run as if in the order of their submission. A handle keeps who wrote
 * it last and who has read it since, as references that need no care: of what is done, an edge is simply refused.
 *
 * A submission holds the locks of all handles of its task at once, taken by address: two threads never make a circle. Workers
 * do not come here.
 */
#ifndef WEFT_RUNTIME_ORDER_H
#define WEFT_RUNTIME_ORDER_H

#include "job.h"

enum { RT_READERS = 5 };
enum rt_mode { RT_READ = 1, RT_WRITE = 2 };

struct rt_handle {
	_Alignas(64) struct weft_atomic_u32 lock;
	uint16_t n_readers, cap; /* cap 0: they are in `reader` */
	rt_ref writer;
	rt_ref reader[RT_READERS];
	rt_ref *more;
};

/* References on their way to be edges; a thread's own. */
struct rt_refs {
	rt_ref *at;
	uint32_t n, cap;
};
int rt_refs_grow(struct rt_refs *r) WEFT_MUST_CHECK;
static inline int rt_refs_add(struct rt_refs *r, rt_ref ref)
{
	for (uint32_t i = r->n; i-- > 0 && i + 4 >= r->n;) /* the same job through another handle */
		if (r->at[i] == ref)
			return 0;
	if (WEFT_UNLIKELY(r->n == r->cap) && rt_refs_grow(r))
		return -1;
	r->at[r->n++] = ref;
	return 0;
}

void rt_handle_init(struct rt_handle *h);
void rt_handle_fini(struct rt_handle *h);
/* Puts the job behind those that its accesses depend on, which are added to `before`. 0 or -ENOMEM: then nothing has changed. */
int rt_order(struct rt_job *job, struct rt_refs *before) WEFT_MUST_CHECK;

#endif
