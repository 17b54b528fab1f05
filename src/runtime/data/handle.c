/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering and unregistering handles. A handle is one block of memory: itself, its replicas,
 * their interfaces. Unregistering first waits for the tasks (as an acquisition), transfers the
 * value home, and only then frees the handle; the submitted form does the same when its turn comes.
 */
#include "runtime/task/complain.h"
#include "data_stats.h"
#include "data_trace.h"
#include "acquire.h"
#include "cache.h"
#include "disk.h"
#include "gate.h"
#include "runtime/memory/memory.h"
#include "mover.h"
#include "partition.h"
#include "redux.h"
#include "replica.h"
#include "tidy.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void handle_refuse(struct rt_handle *handle)
{
	starpu_data_handle_t h = rt_handle_of(handle);
	const char *why = h->n_children ? "is partitioned: use its parts, or unpartition it first" : "is unregistered";
	rt_misuse("handle %p (%s) %s", (void *)h, h->name ? h->name : "without a name", why);
}

/*
 * Some unregistered handles, whose memory is kept for a while, so that a use of one is refused with
 * a message.
 */
static struct {
	starpu_data_handle_t at[64];
	unsigned next;
} late;

/* With rt_data.lock. */
static void keep_late(starpu_data_handle_t h)
{
	rt_handle_fini(&h->order);
	rt_handle_init(&h->order);
	h->order.bits = RT_H_REFUSED;
	h->child = NULL;
	h->name = NULL;
	h->n_children = 0;
	free(late.at[late.next]);
	late.at[late.next] = h;
	late.next = (late.next + 1) % (sizeof late.at / sizeof late.at[0]);
}

static void forget_late(void)
{
	for (unsigned i = 0; i < sizeof late.at / sizeof late.at[0]; i++) {
		free(late.at[i]);
		late.at[i] = NULL;
	}
}

static int data_begin(struct rt_machine *m, struct weft_err *err)
{
	(void)err;
	memset(rt_data.node, 0, sizeof rt_data.node);
	rt_nodes_begin(m);
	rt_replica_keeps_own();
	rt_sim_keeps_own(rt_mover_own, sizeof(bool));
	rt_reclaim = rt_replica_reclaim;
	rt_tidy_begin();
	rt_stats_begin();
	rt_order_hooks = (struct rt_order_hooks){.plan = rt_plan_hook,
	                                         .planned = rt_plan_hook_end,
	                                         .reduce = rt_redux_hook,
	                                         .watch = rt_gate_watch,
	                                         .beside = rt_gate_beside,
	                                         .last = rt_gate_last,
	                                         .refuse = handle_refuse};
	return 0;
}

/* Handles that the program registered before starpu_init(). */
static void welcome_early(void)
{
	rt_replica_lock();
	for (starpu_data_handle_t h = rt_data.handles; h; h = h->next) {
		rt_data_trace_registered(h);
		rt_data_trace_named(h);
		rt_replica_plain(h);
	}
	rt_replica_unlock();
}

static int data_started(struct rt_machine *m, struct weft_err *err)
{
	(void)err;
	rt_data.runtime = m->core;
	welcome_early();
	rt_disks_begin();
	return 0;
}

/* Handles that are still registered are freed with the runtime. */
static void data_stopping(struct rt_machine *m)
{
	(void)m;
	rt_stats_end();
	if (rt_data.handles)
		rt_say("starpu_shutdown: data is still registered; what was computed of it elsewhere than in main memory is lost");
	while (rt_data.handles)
		rt_handle_destroy(rt_data.handles);
	rt_mover_end();
	rt_cache_end();
	forget_late();
	rt_disks_end();
	rt_data.runtime = NULL;
}

static void data_end(struct rt_machine *m)
{
	(void)m;
	rt_reclaim = NULL;
	rt_nodes_end();
}

const struct rt_layer rt_layer_data = {"data", data_begin, data_started, data_stopping, data_end};

struct rt_submitter *rt_data_self(void)
{
	RT_EXPECT(rt_data.runtime, "before starpu_init() data can be registered, but not yet used");
	return rt_self(rt_data.runtime);
}

/* ---- making ---- */

static size_t round_up(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

starpu_data_handle_t rt_handle_new(struct starpu_data_interface_ops *ops)
{
	size_t each = round_up(ops->interface_size), head = round_up(sizeof(struct _starpu_data_state));
	size_t size = head + STARPU_MAXNODES * (sizeof(struct rt_replica) + each) + 64;
	size = (size + 63) & ~(size_t)63;
	struct _starpu_data_state *h = aligned_alloc(64, size);
	if (!h)
		rt_misuse("no memory for a data handle");
	memset(h, 0, size);
	rt_handle_init(&h->order);
	h->ops = ops;
	h->replica = (struct rt_replica *)(void *)((char *)h + head);
	char *interfaces = (char *)(h->replica + STARPU_MAXNODES);
	for (unsigned i = 0; i < STARPU_MAXNODES; i++) {
		h->replica[i].interface = interfaces + i * each;
		h->replica[i].handle = h;
		h->replica[i].node = i;
	}
	h->ooc = true;
	h->important = true;
	h->gathering_node = -1;
	h->root = h;
	rt_replica_lock();
	if (!rt_data.default_order)
		rt_handle_mark(&h->order, RT_H_UNORDERED, 0);
	h->next = rt_data.handles;
	if (h->next)
		h->next->before = h;
	rt_data.handles = h;
	rt_replica_unlock();
	return h;
}

/* Ids of interfaces that programs define. */
int starpu_data_interface_get_next_id(void)
{
	static struct weft_atomic_u32 given;
	return (int)(STARPU_MAX_INTERFACE_ID + weft_add_u32(&given, 1));
}

void starpu_data_register_ops(struct starpu_data_interface_ops *ops)
{
	if (ops->interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
		ops->interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
}

void starpu_data_register(starpu_data_handle_t *handleptr, int home_node, void *data_interface,
                          struct starpu_data_interface_ops *ops)
{
	RT_EXPECT(handleptr && ops, "starpu_data_register: there is no %s", handleptr ? "interface" : "place for the handle");
	RT_EXPECT(home_node >= -1 && (home_node <= STARPU_MAIN_RAM || home_node < (int)weft_load_u32(&rt_n_nodes)),
	          "there is no memory node %d", home_node);
	starpu_data_register_ops(ops);
	starpu_data_handle_t h = rt_handle_new(ops);
	h->home = home_node;
	if (ops->init)
		for (unsigned i = 0; i < STARPU_MAXNODES; i++)
			ops->init(h->replica[i].interface);
	*handleptr = h;
	ops->register_data_handle(h, home_node, data_interface);
	if (home_node >= 0) {
		h->replica[home_node].allocated = h->replica[home_node].valid = true;
		h->initialized = true;
	}
	rt_data_trace_registered(h);
	rt_replica_plain(h);
}

void starpu_data_register_same(starpu_data_handle_t *handledst, starpu_data_handle_t handlesrc)
{
	starpu_data_register(handledst, -1, handlesrc->replica[STARPU_MAIN_RAM].interface, handlesrc->ops);
}

void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned node)
{
	struct rt_replica *r = &handle->replica[node];
	RT_EXPECT(node < weft_load_u32(&rt_n_nodes), "there is no memory node %u", node);
	RT_EXPECT(!r->allocated, "this handle has memory on node %u already", node);
	rt_replica_lock();
	r->allocated = true;
	rt_replica_unlock();
}

void starpu_subdata_ptr_register(starpu_data_handle_t handle, unsigned node)
{
	starpu_data_ptr_register(handle, node);
}

/* ---- taking apart ---- */

static void free_own(starpu_data_handle_t h)
{
	for (unsigned i = 0; h->own && i < STARPU_NMAXWORKERS; i++) {
		struct rt_replica *r = h->own[i];
		if (r && r->allocated) {
			weft_enter(rt_detail.freeing);
			h->ops->free_data_on_node(r->interface, r->node);
			rt_data_trace_memory(rt_detail.freeing, r, false);
		}
		free(r);
	}
	free(h->own);
	h->own = NULL;
}

/* No task will be plain on it any more, and it is not evicted. */
static void handle_leaves(starpu_data_handle_t h)
{
	rt_replica_lock();
	h->leaving = true;
	weft_store_ptr(&h->plain, NULL);
	rt_replica_unlock();
}

void rt_handle_destroy(starpu_data_handle_t h)
{
	rt_plans_forget(h);
	handle_leaves(h);
	rt_move_cancel(h);
	if (rt_traced_meta())
		weft_point(rt_detail.unregistered, (int64_t)(uintptr_t)h);
	rt_replica_lock();
	weft_store_ptr(&h->plain, NULL);
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes); i++)
		rt_replica_free(&h->replica[i]);
	free_own(h);
	if (h->next)
		h->next->before = h->before;
	if (h->before)
		h->before->next = h->next;
	else
		rt_data.handles = h->next;
	rt_replica_unlock();
	if (h->ops->unregister_data_handle)
		h->ops->unregister_data_handle(h);
	rt_gate_fini(&h->gate);
	free(h->child);
	free(h->name);
	rt_stats_forget(h);
	rt_replica_lock();
	keep_late(h);
	rt_replica_unlock();
}

/* The value back to where the program registered it. */
static void bring_home(starpu_data_handle_t h)
{
	if (h->home < 0 || !h->initialized)
		return;
	struct rt_copy_why outer = rt_copy_because("unregister");
	rt_replica_lock();
	int rc = rt_replica_get(h, (unsigned)h->home, RT_READ);
	if (!rc)
		rt_replica_put(h, (unsigned)h->home, RT_READ);
	rt_replica_unlock();
	rt_copy_why = outer;
	RT_EXPECT(!rc, "the value of handle %p cannot be brought back to memory node %d: %s", (void *)h, h->home, strerror(-rc));
}

static void check_unregister(starpu_data_handle_t h, const char *function)
{
	RT_EXPECT(h, "%s: there is no handle", function);
	RT_EXPECT(!h->n_children, "%s: handle %p is partitioned: unpartition it first", function, (void *)h);
	/*
	 * An acquisition with a callback is waited for: the callback, or code that it has notified,
	 * will release it.
	 */
	rt_replica_lock();
	const struct rt_acquired *a = h->acquired;
	while (a && !a->waiter)
		a = a->next;
	bool acquired = a, leaving = h->leaving;
	rt_replica_unlock();
	RT_EXPECT(!acquired, "%s: handle %p is acquired: release it first", function, (void *)h);
	RT_EXPECT(!leaving, "%s: handle %p is unregistered already", function, (void *)h);
	rt_plans_close(h);
	weft_store_bool(&h->begins, false);
}

/* Jobs that are waited for may submit others on the handle, which are waited for as well. */
static struct rt_acquired *acquire_last(starpu_data_handle_t h)
{
	struct rt_acquired *a;
	while ((a = rt_acquire_all(h, RT_LAST | RT_OPEN)) && !rt_handle_close(&h->order, rt_job_ref(a->job), rt_gate_has_outside))
		rt_acquired_end(a);
	return a;
}

static void handle_unregister(starpu_data_handle_t h, bool coherent, const char *function)
{
	check_unregister(h, function);
	if (rt_duplicate_is_shared(h))
		return;
	struct rt_acquired *a = acquire_last(h);
	RT_EXPECT(a, "%s: this waits, so it cannot be called from a task or a callback", function);
	handle_leaves(h);
	if (coherent)
		bring_home(h);
	rt_acquired_end(a);
	rt_handle_destroy(h);
}

void starpu_data_unregister(starpu_data_handle_t handle)
{
	handle_unregister(handle, true, __func__);
}

void starpu_data_unregister_no_coherency(starpu_data_handle_t handle)
{
	handle_unregister(handle, false, __func__);
}

static void destroy_acquired(struct rt_acquired *a)
{
	starpu_data_handle_t h = rt_acquired_handle(a);
	struct rt_runtime *r = rt_data.runtime;
	/*
	 * Its job is over before the handle is freed: waiting for all waits for that, too, and so
	 * does the end of the runtime.
	 */
	rt_count_in(r);
	rt_acquired_end(a);
	rt_handle_destroy(h);
	rt_count_out(r);
}

void starpu_data_unregister_submit(starpu_data_handle_t handle)
{
	check_unregister(handle, __func__);
	if (rt_duplicate_is_shared(handle))
		return;
	handle_leaves(handle);
	/* It may be freed when this returns. */
	RT_EXPECT(!rt_acquire_then(handle, RT_READ | RT_WRITE | RT_LAST, RT_A_NO_NODE, destroy_acquired), "no memory");
}

/* ---- invalidating ---- */

static void invalidate_acquired(struct rt_acquired *a)
{
	rt_replica_lock();
	rt_replica_invalidate(rt_acquired_handle(a), true);
	rt_replica_unlock();
	rt_acquired_end(a);
}

static void deinitialize_acquired(struct rt_acquired *a)
{
	rt_replica_lock();
	rt_replica_invalidate(rt_acquired_handle(a), false);
	rt_replica_unlock();
	rt_acquired_end(a);
}

static void wait_and(starpu_data_handle_t h, void (*then)(struct rt_acquired *), const char *function)
{
	RT_EXPECT(h, "%s: there is no handle", function);
	struct rt_acquired *a = rt_acquire_all(h, 0);
	RT_EXPECT(a, "%s: this waits, so it cannot be called from a task or a callback", function);
	then(a);
}

void starpu_data_invalidate(starpu_data_handle_t handle)
{
	wait_and(handle, invalidate_acquired, __func__);
	rt_redux_begins(handle);
}

void starpu_data_deinitialize(starpu_data_handle_t handle)
{
	wait_and(handle, deinitialize_acquired, __func__);
	rt_redux_begins(handle);
}

void starpu_data_invalidate_submit(starpu_data_handle_t handle)
{
	RT_EXPECT(handle, "%s: there is no handle", __func__);
	RT_EXPECT(!rt_acquire_then(handle, RT_WRITE, RT_A_NO_NODE, invalidate_acquired), "no memory");
	rt_redux_begins(handle);
}

void starpu_data_deinitialize_submit(starpu_data_handle_t handle)
{
	RT_EXPECT(handle, "%s: there is no handle", __func__);
	RT_EXPECT(!rt_acquire_then(handle, RT_WRITE, RT_A_NO_NODE, deinitialize_acquired), "no memory");
	rt_redux_begins(handle);
}
