/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate: who may touch a handle right now. Claims are all or nothing: a task that wants several
 * handles holds none of them while it waits for one, so that there is no circle. A claim that waits
 * is in the queue of one handle that is not free, in order of arrival.
 */
#ifndef WEFT_RUNTIME_DATA_GATE_H
#define WEFT_RUNTIME_DATA_GATE_H

#include "handle.h"

struct rt_want {
	starpu_data_handle_t handle;
	bool write;
};
struct rt_claim {
	struct rt_claim *next;          /* in a handle's queue */
	void (*go)(struct rt_claim *c); /* callback: it is granted; any thread, no lock held */
	bool beyond;                    /* downgraded: it goes on although its job is done */
	unsigned n;
	struct rt_want *want; /* each handle once; the owner's */
};
/* True: granted. False: go() will be called, perhaps already has. */
bool rt_gate_enter(struct rt_claim *c);
void rt_gate_leave(struct rt_claim *c);
/* From writing to reading, without releasing it. */
void rt_gate_downgrade(struct rt_claim *c);
/* No claim is held, and none waits. */
bool rt_gate_is_free(starpu_data_handle_t h);
/* Adds to the claim, which has room for it. */
void rt_claim_add(struct rt_claim *c, starpu_data_handle_t h, bool write);

/* Sets `plain`: the interface, unless every access is to pass here, or NULL. With rt_data.lock. */
void rt_gate_plain(starpu_data_handle_t h, void *interface);
struct rt_runtime;
/*
 * `plain` has been cleared: a worker may still run a job that has read it before, with one of these
 * modes.
 */
bool rt_gate_is_passed(const struct rt_runtime *r, starpu_data_handle_t h, uint32_t modes);

struct rt_submitter;
/*
 * The hook of the order: from now on every access passes the gate; jobs that run past it are waited
 * for. When all jobs that caused this are done, and some others have passed since, it ends.
 */
int rt_gate_watch(struct rt_submitter *s, struct rt_handle *h, rt_ref self);
/* Another job than this one is outside the order, and not done. */
bool rt_gate_has_outside(struct rt_handle *h, rt_ref self);
int rt_gate_beside(struct rt_handle *h, rt_ref self);          /* a hook of the order */
int rt_gate_last(struct rt_submitter *s, struct rt_handle *h); /* a hook of the order */
void rt_gate_fini(struct rt_gate *g);

#endif
