/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of calls that insert a task: one table says of each kind what its values are and where they go in the task. */
#ifndef WEFT_RUNTIME_API_ARGUMENTS_H
#define WEFT_RUNTIME_API_ARGUMENTS_H

#include "runtime/task/task.h"
#include <stdarg.h>

/* What is being put together. */
struct rt_insert {
	struct starpu_codelet *cl;
	struct starpu_task *task;
	struct starpu_codelet_pack_arg_data values;
	int allocated, n; /* buffers: room of the dyn_ arrays (0: the task's own), and how many there are */
	int allocated_nodes, n_nodes;
	bool tag_only;
	int end_deps;
	struct starpu_task **ends;
	unsigned n_ends;
	bool freed; /* by the program: cl_arg was given with _NFREE */
};

enum { RT_MODES = (1 << STARPU_MODE_SHIFT) - 1 };

/* Reads all arguments of a call into the task. */
void rt_arguments_take(struct rt_insert *in, va_list *ap);

static inline const char *rt_codelet_name(const struct starpu_codelet *cl)
{
	return cl && cl->name ? cl->name : "unnamed";
}

/* A buffer is given with another mode than its codelet's: misuse. */
_Noreturn void rt_misuse_mode(const struct starpu_codelet *cl, unsigned i, uint32_t has, uint32_t given);

#endif
