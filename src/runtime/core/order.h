/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependencies from data: tasks that touch the same handle run as if in the order of their submission. A handle keeps who wrote
 * it last and who has touched it since without excluding each other, as references that need no care: of what is done, an edge
 * is simply refused.
 *
 *     writer ── the group since then: readers, or tasks that commute, or contributions to a reduction ── the next access
 *
 * A member of the group depends on the writer only, what follows on all members. When a group of another kind follows, a relay
 * that depends on all members takes the writer's place; behind a reduction, the job that puts the contributions together.
 *
 * A submission holds the locks of all handles of its task at once, taken by address: two threads never make a circle. Workers
 * do not come here.
 */
#ifndef WEFT_RUNTIME_ORDER_H
#define WEFT_RUNTIME_ORDER_H

#include "job.h"

struct rt_submitter;

enum { RT_READERS = 5 };
/* How a job touches a handle: bits of an access's mode. The first five are StarPU's. */
enum rt_mode {
	RT_READ = 1,
	RT_WRITE = 2,
	RT_SCRATCH = 4,         /* a buffer of the worker's own: no order, no exclusion */
	RT_REDUX = 8,           /* a contribution: into the worker's own buffer */
	RT_COMMUTE = 16,        /* one at a time, in any order */
	RT_NOPLAN = 256,        /* a planned handle is taken as it is */
	RT_LAST = 1 << 21,      /* waits for all, in the order or not; whoever comes behind it is refused */
	RT_OPEN = 1 << 22,      /* with RT_LAST: nobody is refused yet (rt_handle_close) */
	RT_UNORDERED = 1 << 20, /* excludes others and is excluded while it runs, but takes no place in the order */
};

/* What is special about a handle; under its lock. None: the fast path. */
enum rt_handle_bits {
	RT_H_COMMUTES = 2,  /* the group since the last writer commutes */
	RT_H_REDUCES = 4,   /* it is a reduction */
	RT_H_UNORDERED = 8, /* all accesses are */
	RT_H_PLANNED = 16,  /* has partition plans, or is a part in one: rt_hook_plan is asked first */
	RT_H_REDUCED = 64,  /* the last writer puts a reduction together: accesses outside the order wait for it, too */
	RT_H_REFUSED = 32,  /* is partitioned, or unregistered: no task may touch it */
};

struct rt_handle {
	_Alignas(64) struct weft_atomic_u32 lock;
	uint16_t n_readers;
	uint8_t log_cap; /* room for 1 << log_cap of them in `more`; 0: they are in `reader` */
	uint8_t bits;    /* enum rt_handle_bits */
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
/* Sets and clears bits. Thread-safe. */
void rt_handle_mark(struct rt_handle *h, uint32_t set, uint32_t clear);
/*
 * The job `last`, which waited for all and is not done yet, becomes the last: whoever comes behind it is refused. False: somebody has
 * come already; then nothing has changed. others() says, under the handle's lock, whether another than `last` is outside the order.
 */
bool rt_handle_close(struct rt_handle *h, rt_ref last, bool (*others)(struct rt_handle *h, rt_ref last));
/* What its value is, as far as tasks are submitted: another reference after each write. False: that cannot be said now. */
bool rt_handle_version(struct rt_handle *h, rt_ref *out);
/* Nothing that was submitted on it is still to be done. */
bool rt_handle_is_idle(struct rt_handle *h);

/*
 * Puts the job behind those that its accesses depend on, which are added to `s->before`. 0; -ENOMEM, -EINVAL (a handle refuses):
 * then nothing has changed for the job.
 */
int rt_order(struct rt_submitter *s, struct rt_job *job) WEFT_MUST_CHECK;

/* What the data layer, above, does for the order: data/handle.c fills it once, before the first job. */
struct rt_order_hooks {
	/* The job is about to touch a planned handle; may submit others first. 0 or negative: the job is refused. */
	int (*plan)(struct rt_submitter *s, struct rt_job *job);
	/* Behind plan(): the job has its place, or was refused. In between no other thread changes what is planned. */
	void (*planned)(void);
	/* Fills the job that puts together the contributions to this handle; its lock is held. */
	void (*reduce)(struct rt_handle *h, struct rt_job *job);
	/* A task touches a handle that refuses: says why, and does not return. NULL: -EINVAL. */
	void (*refuse)(struct rt_handle *h);
	/* The job `self` takes no place in the order of this handle: the handle is watched until it is done. Its lock is held. */
	int (*watch)(struct rt_submitter *s, struct rt_handle *h, rt_ref self);
	/* The job `self` uses a buffer of its worker's for this handle: only the last access waits for it. Its lock is held. */
	int (*beside)(struct rt_handle *h, rt_ref self);
	/* The last access: it depends on all jobs that are outside the order or beside. The handle's lock is held. */
	int (*last)(struct rt_submitter *s, struct rt_handle *h);
};
extern struct rt_order_hooks rt_order_hooks;

#endif
