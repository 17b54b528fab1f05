/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acquiring: from the order through the gate to the value; and back.
 *
 * An acquisition is a job in the order of its handle. When its turn comes it claims the handle at
 * the gate, then its value on the node (at once, or by a mover), and then notifies: it wakes the
 * waiting thread, or runs the callback. The job ends there for those that wait for all tasks; the
 * claim, the pin and the place in the order stay until the release, which any thread may call.
 */
#include "runtime/task/complain.h"
#include "runtime/task/task.h"
#include "acquire.h"
#include "data_stats.h"
#include "data_trace.h"
#include "mover.h"
#include <errno.h>
#include <stdlib.h>

/*
 * It is acquired: wakes the waiting thread, or calls the callback. The handle lists acquisitions,
 * so that release finds them. Waiting for all tasks waits for this notification, not for the
 * release.
 */
static void acquire_notify(struct rt_acquired *a)
{
	a->counted_out = !a->ours;
	if (!a->ours) {
		rt_replica_lock();
		a->next = a->handle->acquired;
		a->handle->acquired = a;
		rt_replica_unlock();
	}
	if (a->told)
		a->told(a->arg, &a->node, (enum starpu_data_access_mode)(a->mode & (RT_READ | RT_WRITE)));
	if (a->then) {
		a->then(a);
	} else if (a->waiter) {
		if (a->counted_out)
			rt_count_out(rt_data.runtime);
		rt_go_on(a->waiter);
	} else {
		if (a->callback)
			a->callback(a->arg);
		rt_count_out(rt_data.runtime); /* it may be released already */
	}
}

static void acquire_moved(struct rt_move *m)
{
	struct rt_acquired *a = m->arg;
	a->rc = m->rc;
	free(m);
	rt_replica_lock();
	a->handle->replica[a->node].requested--;
	rt_replica_unlock();
	acquire_notify(a);
}

/* It has passed the gate: next the value. */
static void acquire_passed(struct rt_claim *c)
{
	struct rt_acquired *a = (struct rt_acquired *)(void *)((char *)c - offsetof(struct rt_acquired, claim));
	if (a->node == RT_A_NO_NODE) {
		acquire_notify(a);
		return;
	}
	rt_replica_lock();
	if (WEFT_UNLIKELY(rt_stats_counted) && !a->ours)
		rt_stats_access(a->handle, (unsigned)a->node, a->mode);
	bool now = rt_replica_get_now(a->handle, (unsigned)a->node, a->mode);
	bool has_none = !now && a->mode & RT_READ && !a->handle->initialized;
	struct rt_move *m = now || has_none ? NULL : rt_move_new(1);
	if (m)
		a->handle->replica[a->node].requested++;
	rt_replica_unlock();
	if (now) {
		acquire_notify(a);
		return;
	}
	if (!m) {
		a->rc = has_none ? -EINVAL : -ENOMEM;
		acquire_notify(a);
		return;
	}
	m->item[0] = (struct rt_move_item){a->handle, (unsigned)a->node, a->mode};
	m->done = acquire_moved;
	m->arg = a;
	m->cause = a->kind == STARPU_FETCH && !a->ours ? "acquire" : NULL;
	rt_move(m, (unsigned)a->node, a->kind, a->priority);
}

static enum rt_verdict turn_came(struct rt_job *j, struct rt_worker *w)
{
	struct rt_acquired *a = j->data;
	(void)w;
	if (rt_gate_enter(&a->claim))
		acquire_passed(&a->claim);
	return RT_LATER;
}

static const struct rt_at_once at_turn = {turn_came};

/* One job is both, before and after. */
static void tell_number(const struct rt_acquired *a)
{
	long number = (long)rt_number_new();
	for (unsigned i = 0; i < 2; i++)
		if (a->number[i])
			*a->number[i] = number;
}

int rt_acquire_submit(struct rt_acquired *a, bool ordered)
{
	struct rt_submitter *s = rt_data_self();
	struct rt_job *j = s ? rt_prepare(s) : NULL;
	if (!j) {
		free(a);
		return -ENOMEM;
	}
	a->job = j;
	a->claim = (struct rt_claim){.go = acquire_passed, .want = &a->want};
	rt_claim_add(&a->claim, a->handle, a->mode & RT_WRITE);
	if (a->number[0] || a->number[1])
		tell_number(a);
	j->body = NULL;
	j->arg = (void *)(uintptr_t)&at_turn;
	j->data = a;
	j->priority = a->priority;
	j->n_accesses = 1;
	j->access[0] = &a->handle->order;
	j->mode[0] = a->mode | (ordered ? 0 : RT_UNORDERED);
	int rc = rt_submit(s, j);
	if (rc)
		free(a);
	return rc;
}

static int submit_and_wait(struct rt_acquired *a, bool ordered)
{
	struct rt_waiter me;
	if (!rt_data_self()) {
		free(a);
		return -ENOMEM;
	}
	rt_waiter_init(&me, rt_data.runtime);
	a->waiter = &me;
	rt_data_trace_acquiring(a->handle, a->mode);
	int rc = rt_acquire_submit(a, ordered);
	if (rc) {
		weft_leave(rt_detail.acquiring);
		rt_waiter_drop(&me);
		return rc;
	}
	if (weft_load_u32(&me.may) != RT_MAY)
		rt_begin_held();
	rt_wait_here(&me);
	weft_leave(rt_detail.acquiring);
	return 0;
}

struct rt_acquired *rt_acquire_all(starpu_data_handle_t h, uint32_t last)
{
	if (!rt_may_wait())
		return NULL;
	struct rt_acquired *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->handle = h;
	a->node = RT_A_NO_NODE;
	a->mode = RT_READ | RT_WRITE | last;
	a->ours = true;
	return submit_and_wait(a, true) ? NULL : a;
}

int rt_acquire_then(starpu_data_handle_t h, uint32_t mode, int node, void (*then)(struct rt_acquired *))
{
	struct rt_acquired *a = calloc(1, sizeof *a);
	if (!a)
		return -ENOMEM;
	a->handle = h;
	a->node = node;
	a->mode = mode;
	a->then = then;
	a->ours = true;
	return rt_acquire_submit(a, true);
}

static void acquire_finish(struct rt_acquired *a)
{
	struct rt_job *j = a->job;
	a->job = NULL;
	if (j && a->counted_out)
		rt_count_in(rt_data.runtime);
	if (j)
		rt_finish(rt_data.runtime, j);
}

void rt_acquired_end(struct rt_acquired *a)
{
	starpu_data_handle_t h = a->handle;
	if (!a->ours)
		weft_point(rt_detail.released, (int64_t)(uintptr_t)h);
	rt_replica_lock();
	for (struct rt_acquired **p = &h->acquired; *p; p = &(*p)->next)
		if (*p == a) {
			*p = a->next;
			break;
		}
	if (a->node != RT_A_NO_NODE && !a->rc)
		rt_replica_put(h, (unsigned)a->node, a->mode);
	rt_replica_unlock();
	rt_gate_leave(&a->claim);
	acquire_finish(a);
	free(a);
}

/* ---- the public forms ---- */

struct how {
	int node;
	uint32_t mode;
	bool try, waits;
	int ordered, priority;
	enum starpu_is_prefetch kind;
	void (*callback)(void *);
	void (*told)(void *, int *, enum starpu_data_access_mode);
	void *arg;
	long *number[2];
};

static int acquire_one(starpu_data_handle_t h, const struct how *how)
{
	RT_EXPECT(h, "there is no handle to acquire");
	RT_EXPECT(!h->n_children, "handle %p is partitioned: it cannot be acquired", (void *)h);
	RT_EXPECT(!(how->mode & ~(uint32_t)(RT_READ | RT_WRITE | RT_COMMUTE | STARPU_SSEND | STARPU_NOPLAN | STARPU_LOCALITY)),
	          "data is acquired to read, to write, or both, not with mode %#x", how->mode);
	if (how->waits && rt_expect_wait("starpu_data_acquire or starpu_data_fetch_on_node"))
		return -EDEADLK;
	if (how->try && (!rt_handle_is_idle(&h->order) || !rt_gate_is_free(h)))
		return -EAGAIN;
	struct rt_acquired *a = calloc(1, sizeof *a);
	if (!a)
		return -ENOMEM;
	a->handle = h;
	a->mode = how->mode & (RT_READ | RT_WRITE | RT_COMMUTE | STARPU_NOPLAN);
	a->node = how->node < 0 ? RT_A_NO_NODE : how->node;
	a->callback = how->callback;
	a->told = how->told;
	a->arg = how->arg;
	a->number[0] = how->number[0];
	a->number[1] = how->number[1];
	a->kind = how->kind;
	a->priority = how->priority;
	if (!how->waits)
		return rt_acquire_submit(a, how->ordered);
	int rc = submit_and_wait(a, how->ordered);
	if (rc)
		return rc;
	rc = a->rc;
	RT_EXPECT(rc != -EINVAL, "handle %p has no value yet: it was never written", (void *)h);
	if (rc)
		rt_acquired_end(a);
	return rc;
}

/* The application's node is the home, when that is main memory; else main memory. */
static int own_node(starpu_data_handle_t h)
{
	int home = h ? h->home : -1;
	return home >= 0 && rt_nodes[home].kind == STARPU_CPU_RAM ? home : (int)STARPU_MAIN_RAM;
}

static int acquire_now(starpu_data_handle_t h, int node, enum starpu_data_access_mode mode, bool try)
{
	return acquire_one(h, &(struct how){.node = node, .mode = (uint32_t)mode, .try = try, .waits = true, .ordered = 1});
}

int starpu_data_acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	return acquire_now(handle, own_node(handle), mode, false);
}

int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode)
{
	return acquire_now(handle, node, mode, false);
}

int starpu_data_acquire_try(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	return acquire_now(handle, own_node(handle), mode, true);
}

int starpu_data_acquire_on_node_try(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode)
{
	return acquire_now(handle, node, mode, true);
}

int starpu_data_acquire_on_node_cb_sequential_consistency(starpu_data_handle_t handle, int node,
                                                          enum starpu_data_access_mode mode, void (*callback)(void *), void *arg,
                                                          int sequential_consistency)
{
	return acquire_one(handle, &(struct how){.node = node,
	                                         .mode = (uint32_t)mode,
	                                         .ordered = sequential_consistency,
	                                         .callback = callback,
	                                         .arg = arg});
}

int starpu_data_acquire_cb(starpu_data_handle_t handle, enum starpu_data_access_mode mode, void (*callback)(void *), void *arg)
{
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, own_node(handle), mode, callback, arg, 1);
}

int starpu_data_acquire_on_node_cb(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
                                   void (*callback)(void *), void *arg)
{
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, node, mode, callback, arg, 1);
}

int starpu_data_acquire_cb_sequential_consistency(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                                                  void (*callback)(void *), void *arg, int sequential_consistency)
{
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, own_node(handle), mode, callback, arg,
	                                                             sequential_consistency);
}

int starpu_data_acquire_on_node_cb_sequential_consistency_quick(starpu_data_handle_t handle, int node,
                                                                enum starpu_data_access_mode mode, void (*callback)(void *),
                                                                void *arg, int sequential_consistency, int quick)
{
	(void)quick;
	return starpu_data_acquire_on_node_cb_sequential_consistency(handle, node, mode, callback, arg, sequential_consistency);
}

int starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
	starpu_data_handle_t handle, starpu_data_handle_t *real_handle, int node, enum starpu_data_access_mode mode,
	void (*callback_soon)(void *, double), void (*callback_acquired)(void *, int *, enum starpu_data_access_mode),
	void (*callback)(void *), void *arg, int sequential_consistency, int quick, long *pre_sync_jobid, long *post_sync_jobid,
	int prio)
{
	(void)callback_soon, (void)quick;
	if (real_handle)
		*real_handle = handle;
	/*
	 * One job is both: before and after. Both ids are stored before it is submitted, as its
	 * callback may read them.
	 */
	struct how how = {.node = node,
	                  .mode = (uint32_t)mode,
	                  .ordered = sequential_consistency,
	                  .priority = prio,
	                  .callback = callback,
	                  .told = callback_acquired,
	                  .arg = arg,
	                  .number = {pre_sync_jobid, post_sync_jobid}};
	return acquire_one(handle, &how);
}

/* The last acquisition on this node, or on any when node is -1. */
static struct rt_acquired *acquire_find(starpu_data_handle_t h, int node, const char *function)
{
	RT_EXPECT(h, "%s: there is no handle", function);
	rt_replica_lock();
	struct rt_acquired *a = h->acquired;
	while (a && node != RT_A_NO_NODE && a->node != node)
		a = a->next;
	a = a ? a : h->acquired;
	rt_replica_unlock();
	RT_EXPECT(a, "%s: handle %p is not acquired", function, (void *)h);
	return a;
}

void starpu_data_release_on_node(starpu_data_handle_t handle, int node)
{
	rt_acquired_end(acquire_find(handle, node < 0 ? RT_A_NO_NODE : node, __func__));
}

void starpu_data_release(starpu_data_handle_t handle)
{
	rt_acquired_end(acquire_find(handle, RT_A_NO_NODE, __func__));
}

void starpu_data_release_to_on_node(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode, int node)
{
	struct rt_acquired *a = acquire_find(handle, node < 0 ? RT_A_NO_NODE : node, __func__);
	if (down_to_mode == STARPU_NONE || !((int)down_to_mode & STARPU_RW)) {
		rt_acquired_end(a);
		return;
	}
	RT_EXPECT(!(down_to_mode & STARPU_W) || a->mode & RT_WRITE, "handle %p was acquired to read only", (void *)handle);
	if (down_to_mode & STARPU_W || !(a->mode & RT_WRITE))
		return;
	/* Later jobs of the order may begin, but the gate keeps writers out. */
	rt_replica_lock();
	if (a->node != RT_A_NO_NODE)
		handle->writing--;
	a->mode = RT_READ;
	rt_replica_unlock();
	rt_gate_downgrade(&a->claim);
	acquire_finish(a);
}

void starpu_data_release_to(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode)
{
	starpu_data_release_to_on_node(handle, down_to_mode, RT_A_NO_NODE);
}

/* An acquisition without a node is given one after all. */
int starpu_data_acquire_to_node(starpu_data_handle_t handle, unsigned node)
{
	struct rt_acquired *a = acquire_find(handle, RT_A_NO_NODE, __func__);
	if (a->node == (int)node)
		return 0;
	struct rt_copy_why outer = rt_copy_because("acquire");
	rt_replica_lock();
	int rc = rt_replica_get(handle, node, a->mode);
	if (!rc && a->node != RT_A_NO_NODE)
		rt_replica_put(handle, (unsigned)a->node, a->mode);
	if (!rc)
		a->node = (int)node;
	rt_replica_unlock();
	rt_copy_why = outer;
	return rc;
}

/* ---- fetching a value to a node, for others ---- */

int starpu_data_get_on_node_cb_prio(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
                                    void (*callback)(void *), void *arg, enum starpu_is_prefetch prefetch, int prio)
{
	return acquire_one(handle, &(struct how){.node = node,
	                                         .mode = (uint32_t)mode,
	                                         .ordered = 1,
	                                         .priority = prio,
	                                         .kind = prefetch,
	                                         .callback = callback,
	                                         .arg = arg});
}

/* No submitted task is to change the value before, and it is there. */
static bool is_there_already(starpu_data_handle_t h, unsigned node)
{
	if (h->n_children || !rt_handle_is_idle(&h->order) || !rt_gate_is_free(h))
		return false;
	rt_replica_lock();
	bool is = h->replica[node].valid;
	rt_replica_unlock();
	return is;
}

/* Acquired to read, and released at once. */
static int acquire_fetch(starpu_data_handle_t h, unsigned node, bool async, enum starpu_is_prefetch kind, int prio)
{
	if (node >= weft_load_u32(&rt_n_nodes))
		return -EINVAL;
	if (!async) {
		int rc = acquire_now(h, (int)node, STARPU_R, false);
		if (!rc)
			starpu_data_release_on_node(h, (int)node);
		return rc;
	}
	RT_EXPECT(h, "there is no handle to fetch");
	if (is_there_already(h, node))
		return 0;
	struct rt_acquired *a = calloc(1, sizeof *a);
	if (!a)
		return -ENOMEM;
	*a = (struct rt_acquired){.handle = h,
	                          .node = (int)node,
	                          .mode = RT_READ,
	                          .kind = kind,
	                          .priority = prio,
	                          .ours = true,
	                          .then = rt_acquired_end};
	return rt_acquire_submit(a, true);
}

int starpu_data_fetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	return acquire_fetch(handle, node, async, STARPU_FETCH, 0);
}

int starpu_data_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int prio)
{
	return acquire_fetch(handle, node, async, STARPU_PREFETCH, prio);
}

int starpu_data_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	return acquire_fetch(handle, node, async, STARPU_PREFETCH, 0);
}

int starpu_data_idle_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int prio)
{
	return acquire_fetch(handle, node, async, STARPU_IDLEFETCH, prio);
}

int starpu_data_idle_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async)
{
	return acquire_fetch(handle, node, async, STARPU_IDLEFETCH, 0);
}
