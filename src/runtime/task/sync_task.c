/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks without a codelet, made in one call: an empty task behind others, for tags, explicit
 * dependencies or a callback; and iterations, a stack of numbers of the submitting thread that
 * marks its tasks.
 */
#include "complain.h"
#include "task.h"
#include <string.h>

static void submit_empty(struct starpu_task *t)
{
	if (starpu_task_submit(t))
		rt_misuse("no memory for a task");
}

void starpu_create_sync_task(starpu_tag_t sync_tag, unsigned ndeps, starpu_tag_t *deps, void (*callback)(void *),
                             void *callback_arg)
{
	starpu_tag_declare_deps_array(sync_tag, ndeps, deps);
	struct starpu_task *t = starpu_task_create();
	t->use_tag = 1;
	t->tag_id = sync_tag;
	t->callback_func = callback;
	t->callback_arg = callback_arg;
	submit_empty(t);
}

void starpu_create_callback_task(void (*callback)(void *), void *callback_arg)
{
	struct starpu_task *t = starpu_task_create();
	t->callback_func = callback;
	t->callback_arg = callback_arg;
	submit_empty(t);
}

/* ---- iterations: of the thread that submits ---- */

enum { LEVELS = 2 };
static _Thread_local RT_NEAR struct {
	unsigned long at[LEVELS];
	unsigned depth;
} iteration;

struct weft_atomic_ptr rt_iteration_watcher;

/* The subscriber is notified of the outermost level only. */
static void tell_iteration(bool begins)
{
	void (*told)(unsigned long number, bool begins);
	void *watcher = weft_load_ptr(&rt_iteration_watcher);
	if (WEFT_LIKELY(!watcher) || iteration.depth != 1)
		return;
	memcpy(&told, &watcher, sizeof told);
	told(iteration.at[0], begins);
}

void starpu_iteration_push(unsigned long number)
{
	if (iteration.depth == LEVELS)
		rt_misuse("starpu_iteration_push: there are %d levels", (int)LEVELS);
	iteration.at[iteration.depth++] = number;
	tell_iteration(true);
}

void starpu_iteration_pop(void)
{
	if (!iteration.depth)
		rt_misuse("starpu_iteration_pop: nothing was pushed");
	tell_iteration(false);
	iteration.depth--;
}

void rt_iteration_of(long out[2])
{
	for (unsigned i = 0; i < LEVELS; i++)
		out[i] = i < iteration.depth ? (long)iteration.at[i] : -1;
}
