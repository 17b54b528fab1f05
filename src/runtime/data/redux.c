/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions. The codelets that begin a contribution and put two together are called as plain
 * functions: the first by the worker that contributes, the second by the worker that runs the job
 * which ends the group. The handle's value before the group is kept: it is one more contribution.
 *
 * Many contributions in main memory are first put on a pile: each helping worker takes two from it
 * and puts back one, until one is left. Codelets that are for devices only are run by a device's
 * worker, to which the job is handed; the value is then put together in that device's memory.
 */
#include "runtime/task/complain.h"
#include "runtime/task/driver.h"
#include "data_trace.h"
#include "redux.h"
#include "copy.h"
#include "runtime/task/task.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void starpu_data_set_reduction_methods_with_args(starpu_data_handle_t handle, struct starpu_codelet *redux_cl, void *redux_cl_arg,
                                                 struct starpu_codelet *init_cl, void *init_cl_arg)
{
	handle->redux_cl = redux_cl;
	handle->redux_arg = redux_cl_arg;
	handle->init_cl = init_cl;
	handle->init_arg = init_cl_arg;
	if (!handle->initialized && !handle->order.writer && !handle->order.n_readers)
		rt_redux_begins(handle);
	for (unsigned i = 0; i < handle->n_children; i++)
		starpu_data_set_reduction_methods_with_args(handle->child[i], redux_cl, redux_cl_arg, init_cl, init_cl_arg);
}

void starpu_data_set_reduction_methods(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
                                       struct starpu_codelet *init_cl)
{
	starpu_data_set_reduction_methods_with_args(handle, redux_cl, NULL, init_cl, NULL);
}

unsigned starpu_data_has_reduction_methods(starpu_data_handle_t handle)
{
	return handle->redux_cl && handle->init_cl;
}

void starpu_data_set_reduction_scratch(starpu_data_handle_t handle, starpu_data_handle_t redux_scratch_handle)
{
	handle->redux_scratch = redux_scratch_handle;
}

static starpu_cpu_func_t function_of(const struct starpu_codelet *cl, bool device)
{
	return cl && device             ? (starpu_cpu_func_t)cl->opencl_funcs[0]
	       : cl && cl->cpu_funcs[0] ? cl->cpu_funcs[0]
	       : cl                     ? cl->cpu_func
	                                : NULL;
}

void rt_redux_begins(starpu_data_handle_t h)
{
	weft_store_bool(&h->begins, h->init_cl != NULL);
	if (h->init_cl)
		rt_handle_mark(&h->order, RT_H_PLANNED, 0);
}

static int (*submit_task)(struct starpu_task *t, bool nodeps);

void rt_data_submits_by(int (*submit)(struct starpu_task *t, bool nodeps))
{
	submit_task = submit;
}

/* The thread's list of its next job's dependencies is another job's: it is put aside. */
static int begin_value(struct rt_submitter *s, starpu_data_handle_t h)
{
	struct rt_refs aside = s->before;
	struct starpu_task *t = starpu_task_create();
	s->before = (struct rt_refs){0};
	t->cl = h->init_cl;
	t->cl_arg = h->init_arg;
	t->handles[0] = h;
	/* The codelet may say no mode, and is not ours to write. */
	bool says_mode = t->cl->nbuffers != STARPU_VARIABLE_NBUFFERS && STARPU_CODELET_GET_MODE(t->cl, 0);
	t->dyn_modes = says_mode ? NULL : calloc(STARPU_NMAXBUFS, sizeof *t->dyn_modes);
	if (t->dyn_modes)
		t->dyn_modes[0] = STARPU_W;
	int rc = says_mode || t->dyn_modes ? submit_task(t, false) : -ENOMEM;
	if (rc)
		starpu_task_destroy(t);
	free(s->before.at);
	s->before = aside;
	return rc;
}

int rt_redux_first_access(struct rt_submitter *s, starpu_data_handle_t h, uint32_t mode)
{
	bool is_first = mode & (RT_READ | RT_WRITE | RT_REDUX) && weft_swap_bool(&h->begins, false);
	return is_first && mode & RT_READ ? begin_value(s, h) : 0;
}

static bool is_device(unsigned node)
{
	return rt_nodes[node].kind == STARPU_OPENCL_RAM;
}

static void begin_on(starpu_data_handle_t h, void *interface, bool device)
{
	if (rt_simulator)
		return;
	starpu_cpu_func_t f = function_of(h->init_cl, device);
	RT_EXPECT(f,
	          "handle %p is accessed with STARPU_REDUX, but has no codelet to begin a contribution here "
	          "(starpu_data_set_reduction_methods)",
	          (void *)h);
	f(&interface, h->init_arg);
}

void rt_redux_begin(starpu_data_handle_t h, struct rt_replica *own, struct rt_worker *w)
{
	(void)w;
	begin_on(h, own->interface, is_device(own->node));
}

/* ---- two become one ---- */

/* On this worker, where both lie in its memory. */
static void redux_add(starpu_data_handle_t h, void *into, void *from, struct rt_worker *w)
{
	if (rt_simulator)
		return;
	bool device = is_device(w->node);
	starpu_cpu_func_t f = function_of(h->redux_cl, device);
	RT_EXPECT(f, "handle %p is accessed with STARPU_REDUX, but has no codelet to reduce with", (void *)h);
	void *buffer[3] = {into, from};
	if (h->redux_scratch) {
		rt_replica_lock();
		struct rt_replica *scratch = rt_replica_own(h->redux_scratch, w->number, w->node);
		rt_replica_unlock();
		RT_EXPECT(scratch, "no memory to reduce handle %p in", (void *)h);
		buffer[2] = scratch->interface;
	}
	f(buffer, h->redux_arg);
	if (device)
		rt_machine.worker[w->number].driver->finish(w);
}

static int copy_now(starpu_data_handle_t h, void *from, unsigned from_node, void *to, unsigned to_node)
{
	struct rt_async async = {0};
	int rc = rt_copy_interface(h, from, from_node, to, to_node, &async);
	rt_async_wait(&async);
	return rc == -EAGAIN ? 0 : rc;
}

static void redux_drop(starpu_data_handle_t h, struct rt_replica *temporary)
{
	if (temporary->allocated)
		h->ops->free_data_on_node(temporary->interface, temporary->node);
	free(temporary->interface);
}

/*
 * A contribution as the node has it: itself, or a copy in `temporary`, directly or by way of main
 * memory. NULL: no memory.
 */
static void *on_node(starpu_data_handle_t h, struct rt_replica *own, unsigned node, struct rt_replica *temporary)
{
	if (own->node == node || (rt_nodes[own->node].kind == STARPU_CPU_RAM && !is_device(node)))
		return own->interface;
	temporary->node = node;
	temporary->interface = malloc(h->ops->interface_size);
	if (!temporary->interface)
		return NULL;
	memcpy(temporary->interface, h->replica[STARPU_MAXNODES - 1].interface, h->ops->interface_size);
	temporary->allocated = rt_replica_new_memory(h, temporary->interface, node) >= 0;
	if (!temporary->allocated)
		return NULL;
	struct rt_replica between = {0};
	bool direct = rt_can_copy(h, own->node, node);
	void *from = direct ? own->interface : on_node(h, own, STARPU_MAIN_RAM, &between);
	int rc = from ? copy_now(h, from, direct ? own->node : STARPU_MAIN_RAM, temporary->interface, node) : -ENOMEM;
	redux_drop(h, &between);
	return rc ? NULL : temporary->interface;
}

/* ---- a pile ---- */

enum { WORTH_A_PILE = 4 };
struct pile {
	starpu_data_handle_t handle;
	struct rt_job *job; /* that ends the group; of this worker */
	struct rt_worker *worker;
	struct weft_atomic_u32 users;
	pthread_mutex_t lock;
	unsigned n;
	struct rt_replica *of[STARPU_NMAXWORKERS];
};

static void put_pairs_together(struct pile *p, struct rt_worker *w)
{
	pthread_mutex_lock(&p->lock);
	while (p->n > 1) {
		struct rt_replica *into = p->of[--p->n], *from = p->of[--p->n];
		pthread_mutex_unlock(&p->lock);
		redux_add(p->handle, into->interface, from->interface, w);
		from->valid = false;
		pthread_mutex_lock(&p->lock);
		p->of[p->n++] = into;
	}
	pthread_mutex_unlock(&p->lock);
}

static bool is_last(struct pile *p)
{
	return weft_add_u32(&p->users, -UINT32_C(1)) == 1;
}

static enum rt_verdict redux_help(struct rt_job *j, struct rt_worker *w)
{
	struct pile *p = j->arg;
	put_pairs_together(p, w);
	if (is_last(p))
		rt_again(p->worker, p->job);
	return RT_DONE;
}

/* A helper that comes while there still are two takes them; a later one has nothing to do. */
static void call_for_help(struct pile *p, struct rt_worker *w)
{
	unsigned pairs = p->n / 2, workers = starpu_cpu_worker_get_count(); /* before the first helper takes some */
	for (unsigned i = 1; i < pairs && i < workers; i++) {
		struct rt_job *j = rt_prepare(&w->self);
		if (!j)
			return;
		j->body = redux_help;
		j->arg = p;
		weft_add_u32(&p->users, 1);
		if (rt_submit(&w->self, j)) {
			weft_add_u32(&p->users, -UINT32_C(1));
			return;
		}
	}
}

/* NULL: there are too few, or no worker can help. */
static struct pile *pile_new(starpu_data_handle_t h, struct rt_job *j, struct rt_worker *w)
{
	struct pile *p = h->own && starpu_cpu_worker_get_count() > 1 && !is_device(w->node) ? calloc(1, sizeof *p) : NULL;
	if (!p)
		return NULL;
	p->handle = h;
	p->job = j;
	p->worker = w;
	pthread_mutex_init(&p->lock, NULL);
	weft_store_u32(&p->users, 1);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		if (h->own[i] && h->own[i]->valid && rt_nodes[h->own[i]->node].kind == STARPU_CPU_RAM)
			p->of[p->n++] = h->own[i];
	if (p->n >= WORTH_A_PILE)
		return p;
	free(p);
	return NULL;
}

/* ---- the job that ends the group ---- */

/*
 * The codelets are for devices only, and this worker is none: the worker that is to run them. NULL:
 * this one can.
 */
static struct rt_worker *who_can(starpu_data_handle_t h, struct rt_worker *w)
{
	if (is_device(w->node) || (function_of(h->redux_cl, false) && (h->initialized || function_of(h->init_cl, false))))
		return NULL;
	int device = starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0);
	return device < 0 ? NULL : &w->runtime->worker[device];
}

/* The remaining contributions, one after the other, into the handle's value. */
static void redux_finish(starpu_data_handle_t h, struct rt_worker *w)
{
	unsigned node = is_device(w->node) ? w->node : STARPU_MAIN_RAM;
	bool had_value = h->initialized;
	struct rt_copy_why outer = rt_copy_because("reduction");
	rt_replica_lock();
	int rc = rt_replica_get(h, node, had_value ? RT_READ | RT_WRITE : RT_WRITE);
	rt_replica_unlock();
	rt_copy_why = outer;
	RT_EXPECT(!rc, "no memory to reduce handle %p in", (void *)h);
	void *value = h->replica[node].interface;
	if (!had_value)
		begin_on(h, value, is_device(node));
	for (unsigned i = 0; h->own && i < STARPU_NMAXWORKERS; i++) {
		struct rt_replica temporary = {0};
		if (!h->own[i] || !h->own[i]->valid)
			continue;
		void *from = on_node(h, h->own[i], node, &temporary);
		RT_EXPECT(from, "no memory to reduce handle %p in", (void *)h);
		redux_add(h, value, from, w);
		h->own[i]->valid = false;
		redux_drop(h, &temporary);
	}
	rt_replica_lock();
	rt_replica_put(h, node, RT_WRITE);
	rt_replica_unlock();
}

static enum rt_verdict redux_reduce(struct rt_job *j, struct rt_worker *w)
{
	starpu_data_handle_t h = j->arg;
	struct rt_worker *other = who_can(h, w);
	if (other) {
		rt_again(other, j);
		return RT_LATER;
	}
	struct pile *p = j->data;
	if (!p && (p = pile_new(h, j, w))) {
		j->data = p;
		call_for_help(p, w);
		put_pairs_together(p, w);
		if (!is_last(p))
			return RT_LATER;
	}
	free(p);
	redux_finish(h, w);
	return RT_DONE;
}

void rt_redux_hook(struct rt_handle *h, struct rt_job *j)
{
	j->body = redux_reduce;
	j->arg = rt_handle_of(h);
	j->data = NULL;
}
