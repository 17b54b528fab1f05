/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions. The codelets that begin a contribution and put two together are called as plain functions: the first by the worker
 * that contributes, the second by the worker that runs the job which ends the group, for one contribution after the other. What
 * the handle held before the group is kept: it is one more contribution.
 */
#include "complain.h"
#include "redux.h"
#include "memory.h"
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

static void begin_on(starpu_data_handle_t h, void *interface, bool device)
{
	starpu_cpu_func_t f = function_of(h->init_cl, device);
	RT_EXPECT(f, "handle %p is accessed with STARPU_REDUX, but has no codelet to begin a contribution here", (void *)h);
	f(&interface, h->init_arg);
}

void rt_redux_begin(starpu_data_handle_t h, struct rt_replica *own, struct rt_worker *w)
{
	(void)w;
	begin_on(h, own->interface, rt_nodes[own->node].kind == STARPU_OPENCL_RAM);
}

/* A contribution as main memory has it: itself, or a copy in `temporary`. */
static void *in_main_memory(starpu_data_handle_t h, struct rt_replica *own, struct rt_replica *temporary)
{
	struct rt_async async = {0};
	if (rt_nodes[own->node].kind == STARPU_CPU_RAM)
		return own->interface;
	temporary->interface = malloc(h->ops->interface_size);
	if (!temporary->interface)
		return NULL;
	memcpy(temporary->interface, h->replica[STARPU_MAXNODES - 1].interface, h->ops->interface_size);
	if (h->ops->allocate_data_on_node(temporary->interface, STARPU_MAIN_RAM) < 0) {
		free(temporary->interface);
		return NULL;
	}
	temporary->allocated = true;
	int rc = rt_copy_interface(h, own->interface, own->node, temporary->interface, STARPU_MAIN_RAM, &async);
	rt_async_wait(&async);
	return rc && rc != -EAGAIN ? NULL : temporary->interface;
}

static void put_together(starpu_data_handle_t h, struct rt_replica *own, struct rt_worker *w)
{
	starpu_cpu_func_t f = function_of(h->redux_cl, false);
	RT_EXPECT(f, "handle %p is accessed with STARPU_REDUX, but has no codelet to reduce with", (void *)h);
	struct rt_replica temporary = {0};
	void *buffer[3] = {h->replica[STARPU_MAIN_RAM].interface, in_main_memory(h, own, &temporary)};
	RT_EXPECT(buffer[1], "no memory to reduce handle %p in", (void *)h);
	if (h->redux_scratch) {
		rt_replica_lock();
		struct rt_replica *scratch = rt_replica_own(h->redux_scratch, w->number, STARPU_MAIN_RAM);
		rt_replica_unlock();
		RT_EXPECT(scratch, "no memory to reduce handle %p in", (void *)h);
		buffer[2] = scratch->interface;
	}
	f(buffer, h->redux_arg);
	if (temporary.allocated) {
		h->ops->free_data_on_node(temporary.interface, STARPU_MAIN_RAM);
		free(temporary.interface);
	}
}

static enum rt_verdict reduce(struct rt_job *j, struct rt_worker *w)
{
	starpu_data_handle_t h = j->arg;
	bool had_value = h->initialized;
	rt_replica_lock();
	int rc = rt_replica_get(h, STARPU_MAIN_RAM, had_value ? RT_READ | RT_WRITE : RT_WRITE);
	rt_replica_unlock();
	RT_EXPECT(!rc, "no memory to reduce handle %p in", (void *)h);
	if (!had_value)
		begin_on(h, h->replica[STARPU_MAIN_RAM].interface, false);
	for (unsigned i = 0; h->own && i < STARPU_NMAXWORKERS; i++)
		if (h->own[i] && h->own[i]->valid) {
			put_together(h, h->own[i], w);
			h->own[i]->valid = false;
		}
	rt_replica_lock();
	rt_replica_put(h, STARPU_MAIN_RAM, RT_WRITE);
	rt_replica_unlock();
	return RT_DONE;
}

void rt_redux_hook(struct rt_handle *h, struct rt_job *j)
{
	j->body = reduce;
	j->arg = rt_handle_of(h);
}
