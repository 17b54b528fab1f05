/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that may fail and are tried again. The task that the program submitted (the meta task) becomes an empty one that keeps
 * its place in the order; when it is ready, a copy of it tries; the meta task ends when a try was good.
 */
#include "runtime/task/complain.h"
#include <starpu.h>
#include <string.h>

void starpu_task_ft_failed(struct starpu_task *task)
{
	task->failed = 1;
}

void starpu_task_ft_success(struct starpu_task *meta_task)
{
	starpu_task_end_dep_release(meta_task);
}

/* At the end of a try, when the program does not look itself. */
static void check_default(void *meta)
{
	struct starpu_task *try = starpu_task_get_current();
	if (!try->failed) {
		starpu_task_ft_success(meta);
		return;
	}
	struct starpu_task *again = starpu_task_ft_create_retry(meta, try, check_default);
	if (starpu_task_submit_nodeps(again))
		rt_misuse("a task cannot be tried again");
}

struct starpu_task *starpu_task_ft_create_retry(const struct starpu_task *meta_task, const struct starpu_task *template_task,
                                                void (*check_ft)(void *))
{
	struct starpu_task from = *template_task;
	from.cl_arg_free = 0; /* the meta task's */
	struct starpu_task *t = starpu_task_dup(&from);
	t->use_tag = 0;
	t->synchronous = 0;
	t->regenerate = 0;
	t->detach = 1;
	t->destroy = 1;
	t->failed = 0;
	t->sequential_consistency = 0;
	t->prologue_callback_func = NULL;
	t->prologue_callback_arg = NULL;
	t->prologue_callback_arg_free = 0;
	t->epilogue_callback_func = NULL;
	t->epilogue_callback_arg_free = 0;
	t->callback_func = check_ft ? check_ft : check_default;
	t->callback_arg = (void *)(uintptr_t)meta_task;
	t->callback_arg_free = 0;
	return t;
}

void starpu_task_ft_prologue(void *arg)
{
	struct starpu_task *meta = starpu_task_get_current();
	void (*check_ft)(void *) = NULL;
	memcpy(&check_ft, &arg, sizeof check_ft);
	struct starpu_task *t = starpu_task_ft_create_retry(meta, meta, check_ft);
	meta->where = STARPU_NOWHERE;
	starpu_task_end_dep_add(meta, 1);
	if (starpu_task_submit_nodeps(t))
		rt_misuse("a task cannot be tried");
}
