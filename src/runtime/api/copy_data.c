/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between handles, as tasks. */
#include "runtime/task/complain.h"
#include "runtime/data/copy.h"

static void copy(void **buffers, void *arg)
{
	struct starpu_task *t = starpu_task_get_current();
	(void)buffers, (void)arg;
	int rc = rt_copy_handle(t->handles[1], t->handles[0], starpu_worker_get_local_memory_node());
	if (rc)
		rt_misuse("starpu_data_cpy: data cannot be copied (%s)", weft_err_name(rc));
}

static struct starpu_codelet cl_copy = {
	.where = STARPU_CPU,
	.cpu_funcs = {copy},
	.nbuffers = 2,
	.modes = {STARPU_W, STARPU_R},
	.name = "data_cpy",
};

int starpu_data_cpy_priority(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
                             void (*callback_func)(void *), void *callback_arg, int priority)
{
	if (starpu_data_get_interface_id(dst_handle) != starpu_data_get_interface_id(src_handle))
		rt_misuse("starpu_data_cpy: the two handles are not of one kind");
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_copy;
	t->handles[0] = dst_handle;
	t->handles[1] = src_handle;
	t->callback_func = callback_func;
	t->callback_arg = callback_arg;
	t->priority = priority;
	t->type = STARPU_TASK_TYPE_INTERNAL;
	t->synchronous = !asynchronous;
	int rc = starpu_task_submit(t);
	if (rc)
		starpu_task_destroy(t);
	return rc;
}

int starpu_data_cpy(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
                    void (*callback_func)(void *), void *callback_arg)
{
	return starpu_data_cpy_priority(dst_handle, src_handle, asynchronous, callback_func, callback_arg, STARPU_DEFAULT_PRIO);
}
