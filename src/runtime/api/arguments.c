/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of argument is, and reading it into a task. Most are values of one type that are kept where the table says. */
#include "arguments.h"
#include "runtime/data/data_trace.h"
#include "runtime/task/complain.h"
#include <stddef.h>
#include <stdlib.h>

void rt_misuse_mode(const struct starpu_codelet *cl, unsigned i, uint32_t has, uint32_t given)
{
	char text[2][32];
	rt_misuse("codelet '%s': buffer %u has mode %s, and is given with mode %s", rt_codelet_name(cl), i,
	          rt_mode_name(has, text[0], sizeof text[0]), rt_mode_name(given, text[1], sizeof text[1]));
}

/* ---- buffers of a task ---- */

/* The mode that the codelet itself gives; 0: it leaves that to each call. */
static enum starpu_data_access_mode static_mode(const struct starpu_codelet *cl, int i)
{
	return cl->dyn_modes || i < STARPU_NMAXBUFS ? STARPU_CODELET_GET_MODE(cl, i) : (enum starpu_data_access_mode)0;
}

/* A codelet has no place for all of its modes: they are the tasks'. */
static bool leaves_modes(const struct starpu_codelet *cl)
{
	return cl->nbuffers == STARPU_VARIABLE_NBUFFERS || (cl->nbuffers > STARPU_NMAXBUFS && !cl->dyn_modes);
}

static void *arguments_grown(void *from, size_t bytes)
{
	void *more = realloc(from, bytes);
	if (!more)
		rt_misuse("no memory for the data of a task");
	return more;
}

void starpu_task_insert_data_make_room(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                       int current_buffer, int room)
{
	int need = current_buffer + room;
	bool variable = cl->nbuffers == STARPU_VARIABLE_NBUFFERS, modes = leaves_modes(cl);
	if (need <= STARPU_NMAXBUFS && !task->dyn_handles && (variable || cl->nbuffers <= STARPU_NMAXBUFS))
		return;
	int n = variable ? need : cl->nbuffers > need ? cl->nbuffers : need;
	if (task->dyn_handles && *allocated_buffers >= n)
		return;
	n = variable && n < 2 * *allocated_buffers ? 2 * *allocated_buffers : n;
	bool first = !task->dyn_handles;
	task->dyn_handles = arguments_grown(task->dyn_handles, (size_t)n * sizeof *task->dyn_handles);
	task->dyn_interfaces = arguments_grown(task->dyn_interfaces, (size_t)n * sizeof *task->dyn_interfaces);
	if (modes)
		task->dyn_modes = arguments_grown(task->dyn_modes, (size_t)n * sizeof *task->dyn_modes);
	for (int i = 0; first && i < current_buffer; i++) {
		task->dyn_handles[i] = task->handles[i];
		if (variable)
			task->dyn_modes[i] = task->modes[i];
	}
	*allocated_buffers = n;
}

/* The codelet is never written: what it lacks is the task's. */
static void take_modes(const struct starpu_codelet *cl, struct starpu_task *task)
{
	int n = cl->nbuffers > STARPU_NMAXBUFS ? cl->nbuffers : STARPU_NMAXBUFS;
	task->dyn_modes = arguments_grown(NULL, (size_t)n * sizeof *task->dyn_modes);
	for (int i = 0; i < n; i++)
		task->dyn_modes[i] = static_mode(cl, i);
}

void starpu_task_insert_data_process_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                         int *current_buffer, int arg_type, starpu_data_handle_t handle)
{
	enum starpu_data_access_mode mode = (enum starpu_data_access_mode)(arg_type & ~STARPU_SSEND);
	int i = *current_buffer;
	if (!handle)
		rt_misuse("codelet '%s': data handle %d is NULL", rt_codelet_name(cl), i);
	starpu_task_insert_data_make_room(cl, task, allocated_buffers, i, 1);
	STARPU_TASK_SET_HANDLE(task, handle, i);
	bool variable = cl->nbuffers == STARPU_VARIABLE_NBUFFERS;
	if (!variable && i >= cl->nbuffers)
		rt_misuse("codelet '%s' has %d buffers, and is given more", rt_codelet_name(cl), cl->nbuffers);
	enum starpu_data_access_mode has = variable ? (enum starpu_data_access_mode)0 : static_mode(cl, i);
	if (has && (has ^ mode) & (STARPU_RW | STARPU_SCRATCH | STARPU_REDUX | STARPU_COMMUTE))
		rt_misuse_mode(cl, (unsigned)i, (uint32_t)has, (uint32_t)mode);
	if (!has && !variable && rt_codelet_is_constant(cl) && !task->dyn_modes)
		take_modes(cl, task);
	if (!has || task->dyn_modes)
		STARPU_TASK_SET_MODE(task, mode, i);
	(*current_buffer)++;
}

void starpu_task_insert_data_process_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                               int *current_buffer, int nb_handles, starpu_data_handle_t *handles)
{
	starpu_task_insert_data_make_room(cl, task, allocated_buffers, *current_buffer, nb_handles);
	for (int i = 0; i < nb_handles; i++) {
		if (cl->nbuffers == STARPU_VARIABLE_NBUFFERS)
			rt_misuse("codelet '%s' has a variable number of buffers: they want modes", rt_codelet_name(cl));
		enum starpu_data_access_mode mode = *current_buffer < cl->nbuffers ? static_mode(cl, *current_buffer)
		                                                                   : (enum starpu_data_access_mode)0;
		starpu_task_insert_data_process_arg(cl, task, allocated_buffers, current_buffer, (int)mode, handles[i]);
	}
}

void starpu_task_insert_data_process_mode_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                                    int *current_buffer, int nb_descrs, struct starpu_data_descr *descrs)
{
	starpu_task_insert_data_make_room(cl, task, allocated_buffers, *current_buffer, nb_descrs);
	for (int i = 0; i < nb_descrs; i++)
		starpu_task_insert_data_process_arg(cl, task, allocated_buffers, current_buffer, (int)descrs[i].mode,
		                                    descrs[i].handle);
}

void starpu_task_insert_data_make_node_room(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_nodes,
                                            int current_node, int room)
{
	int need = current_node + room;
	(void)cl;
	if (need <= STARPU_NMAXBUFS || (task->dyn_nodes && need <= *allocated_nodes))
		return;
	bool first = !task->dyn_nodes;
	rt_task_of(task)->has_nodes |= first;
	task->dyn_nodes = arguments_grown(task->dyn_nodes, (size_t)need * sizeof *task->dyn_nodes);
	for (int i = 0; first && i < current_node; i++)
		task->dyn_nodes[i] = task->nodes[i];
	*allocated_nodes = need;
}

void starpu_task_insert_process_node_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_nodes,
                                               int *current_node, int nb_nodes, int *node_array)
{
	starpu_task_insert_data_make_node_room(cl, task, allocated_nodes, *current_node, nb_nodes);
	for (int i = 0; i < nb_nodes; i++, (*current_node)++)
		*(task->dyn_nodes ? &task->dyn_nodes[*current_node] : &task->nodes[*current_node]) = node_array[i];
}

/* ---- values ---- */

/* What stands behind a kind in the call, and how it is kept. Pointers to functions are passed as others are. */
enum argument_type {
	ARG_NONE,
	ARG_INT, /* signed or not */
	ARG_SIZE,
	ARG_TAG,
	ARG_DOUBLE,
	ARG_POINTER,
	ARG_WHERE,      /* unsigned long long, kept as int32_t */
	ARG_BIT,        /* unsigned: the row's bit */
	ARG_INT_UNUSED, /* where a node of several would run it: there is one */
	ARG_POINTER_UNUSED,
};

/* Those that are more than values to keep; `ap` stands behind the kind. */
typedef void take_argument(struct rt_insert *in, va_list *ap);

struct argument {
	struct argument_value {
		uint8_t type;  /* enum argument_type */
		uint16_t task; /* where in struct starpu_task */
	} value[2];
	uint8_t bit, set;    /* enum argument_bit, and what it becomes when no value says so */
	take_argument *take; /* instead of all that */
};

/* Bits of a task, which have no offset. */
enum argument_bit {
	BIT_NONE,
	BIT_CL_ARG_FREE,
	BIT_CALLBACK_ARG_FREE,
	BIT_EPILOGUE_ARG_FREE,
	BIT_PROLOGUE_ARG_FREE,
	BIT_PROLOGUE_POP_ARG_FREE,
	BIT_SOON_ARG_FREE,
	BIT_USE_TAG,
	BIT_ORDERED,
	BIT_SYNCHRONOUS,
	BIT_NO_ORDER,
};

static void set_bit(struct starpu_task *t, enum argument_bit bit, unsigned value)
{
	switch (bit) {
	case BIT_NONE:
		return;
	case BIT_CL_ARG_FREE:
		t->cl_arg_free = value & 1;
		return;
	case BIT_CALLBACK_ARG_FREE:
		t->callback_arg_free = value & 1;
		return;
	case BIT_EPILOGUE_ARG_FREE:
		t->epilogue_callback_arg_free = value & 1;
		return;
	case BIT_PROLOGUE_ARG_FREE:
		t->prologue_callback_arg_free = value & 1;
		return;
	case BIT_PROLOGUE_POP_ARG_FREE:
		t->prologue_callback_pop_arg_free = value & 1;
		return;
	case BIT_SOON_ARG_FREE:
		t->soon_callback_arg_free = value & 1;
		return;
	case BIT_USE_TAG:
		t->use_tag = value & 1;
		return;
	case BIT_ORDERED:
		t->sequential_consistency = value & 1;
		return;
	case BIT_SYNCHRONOUS:
		t->synchronous = value & 1;
		return;
	case BIT_NO_ORDER:
		t->no_submitorder = value & 1;
		return;
	}
}

static void take_value(struct rt_insert *in, va_list *ap)
{
	const void *value = va_arg(*ap, const void *);
	starpu_codelet_pack_arg(&in->values, value, va_arg(*ap, size_t));
}

static void take_worker(struct rt_insert *in, va_list *ap)
{
	int worker = va_arg(*ap, int);
	if (worker < 0)
		return;
	in->task->workerid = (unsigned)worker;
	in->task->execute_on_a_specific_worker = 1;
}

static void take_deps(struct rt_insert *in, va_list *ap)
{
	unsigned n = va_arg(*ap, unsigned);
	starpu_task_declare_deps_array(in->task, n, va_arg(*ap, struct starpu_task **));
}

static void take_end_dep(struct rt_insert *in, va_list *ap)
{
	in->end_deps += va_arg(*ap, int);
}

static void take_end_deps(struct rt_insert *in, va_list *ap)
{
	in->n_ends = va_arg(*ap, unsigned);
	in->ends = va_arg(*ap, struct starpu_task **);
}

static void take_data_array(struct rt_insert *in, va_list *ap)
{
	starpu_data_handle_t *h = va_arg(*ap, starpu_data_handle_t *);
	starpu_task_insert_data_process_array_arg(in->cl, in->task, &in->allocated, &in->n, va_arg(*ap, int), h);
}

static void take_mode_array(struct rt_insert *in, va_list *ap)
{
	struct starpu_data_descr *d = va_arg(*ap, struct starpu_data_descr *);
	starpu_task_insert_data_process_mode_array_arg(in->cl, in->task, &in->allocated, &in->n, va_arg(*ap, int), d);
}

static void take_node_array(struct rt_insert *in, va_list *ap)
{
	int *nodes = va_arg(*ap, int *);
	starpu_task_insert_process_node_array_arg(in->cl, in->task, &in->allocated_nodes, &in->n_nodes, va_arg(*ap, int), nodes);
}

/* ---- the table ---- */

#define ROW(kind, ...) [(kind) >> STARPU_MODE_SHIFT] = {__VA_ARGS__}
#define IN(what, field) \
	{ \
		ARG_##what, offsetof(struct starpu_task, field) \
	}
#define KEEP(what, field) .value = {IN(what, field)}
#define BOTH(what, field, what2, field2) .value = {IN(what, field), IN(what2, field2)}
#define BIT(name, to) .bit = BIT_##name, .set = (to)
static const struct argument arguments[STARPU_SHIFTED_MODE_MAX >> STARPU_MODE_SHIFT] = {
	ROW(STARPU_VALUE, .take = take_value),
	ROW(STARPU_CL_ARGS, BOTH(POINTER, cl_arg, SIZE, cl_arg_size), BIT(CL_ARG_FREE, 1)),
	ROW(STARPU_CL_ARGS_NFREE, BOTH(POINTER, cl_arg, SIZE, cl_arg_size), BIT(CL_ARG_FREE, 0)),
	ROW(STARPU_DATA_ARRAY, .take = take_data_array),
	ROW(STARPU_DATA_MODE_ARRAY, .take = take_mode_array),
	ROW(STARPU_NODE_ARRAY, .take = take_node_array),
	/* callbacks */
	ROW(STARPU_CALLBACK, KEEP(POINTER, callback_func)),
	ROW(STARPU_CALLBACK_WITH_ARG, BOTH(POINTER, callback_func, POINTER, callback_arg), BIT(CALLBACK_ARG_FREE, 1)),
	ROW(STARPU_CALLBACK_WITH_ARG_NFREE, BOTH(POINTER, callback_func, POINTER, callback_arg), BIT(CALLBACK_ARG_FREE, 0)),
	ROW(STARPU_CALLBACK_ARG, KEEP(POINTER, callback_arg), BIT(CALLBACK_ARG_FREE, 1)),
	ROW(STARPU_CALLBACK_ARG_NFREE, KEEP(POINTER, callback_arg), BIT(CALLBACK_ARG_FREE, 0)),
	ROW(STARPU_EPILOGUE_CALLBACK, KEEP(POINTER, epilogue_callback_func)),
	ROW(STARPU_EPILOGUE_CALLBACK_ARG, KEEP(POINTER, epilogue_callback_arg), BIT(EPILOGUE_ARG_FREE, 1)),
	ROW(STARPU_PROLOGUE_CALLBACK, KEEP(POINTER, prologue_callback_func)),
	ROW(STARPU_PROLOGUE_CALLBACK_ARG, KEEP(POINTER, prologue_callback_arg), BIT(PROLOGUE_ARG_FREE, 1)),
	ROW(STARPU_PROLOGUE_CALLBACK_ARG_NFREE, KEEP(POINTER, prologue_callback_arg), BIT(PROLOGUE_ARG_FREE, 0)),
	ROW(STARPU_PROLOGUE_CALLBACK_POP, KEEP(POINTER, prologue_callback_pop_func)),
	ROW(STARPU_PROLOGUE_CALLBACK_POP_ARG, KEEP(POINTER, prologue_callback_pop_arg), BIT(PROLOGUE_POP_ARG_FREE, 1)),
	ROW(STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE, KEEP(POINTER, prologue_callback_pop_arg), BIT(PROLOGUE_POP_ARG_FREE, 0)),
	ROW(STARPU_SOON_CALLBACK, KEEP(POINTER, soon_callback_func)),
	ROW(STARPU_SOON_CALLBACK_ARG, KEEP(POINTER, soon_callback_arg), BIT(SOON_ARG_FREE, 1)),
	ROW(STARPU_SOON_CALLBACK_ARG_NFREE, KEEP(POINTER, soon_callback_arg), BIT(SOON_ARG_FREE, 0)),
	/* where and when it runs */
	ROW(STARPU_PRIORITY, KEEP(INT, priority)),
	ROW(STARPU_EXECUTE_ON_NODE, .value = {{ARG_INT_UNUSED}}),
	ROW(STARPU_EXECUTE_ON_DATA, .value = {{ARG_POINTER_UNUSED}}),
	ROW(STARPU_NODE_SELECTION_POLICY, .value = {{ARG_INT_UNUSED}}),
	ROW(STARPU_EXECUTE_ON_WORKER, .take = take_worker),
	ROW(STARPU_EXECUTE_WHERE, KEEP(WHERE, where)),
	ROW(STARPU_TASK_WORKERIDS, BOTH(INT, workerids_len, POINTER, workerids)),
	ROW(STARPU_WORKER_ORDER, KEEP(INT, workerorder)),
	ROW(STARPU_SCHED_CTX, KEEP(INT, sched_ctx)),
	ROW(STARPU_POSSIBLY_PARALLEL, KEEP(INT, possibly_parallel)),
	ROW(STARPU_TASK_SYNCHRONOUS, .value = {{ARG_BIT}}, BIT(SYNCHRONOUS, 0)),
	ROW(STARPU_TASK_SCHED_DATA, KEEP(POINTER, sched_data)),
	/* what it comes after */
	ROW(STARPU_TAG, KEEP(TAG, tag_id), BIT(USE_TAG, 1)),
	ROW(STARPU_TAG_ONLY, KEEP(TAG, tag_id)),
	ROW(STARPU_TASK_DEPS_ARRAY, .take = take_deps),
	ROW(STARPU_TASK_END_DEPS_ARRAY, .take = take_end_deps),
	ROW(STARPU_TASK_END_DEP, .take = take_end_dep),
	ROW(STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, KEEP(POINTER, handles_sequential_consistency)),
	ROW(STARPU_SEQUENTIAL_CONSISTENCY, .value = {{ARG_BIT}}, BIT(ORDERED, 0)),
	ROW(STARPU_TASK_NO_SUBMITORDER, .value = {{ARG_BIT}}, BIT(NO_ORDER, 0)),
	ROW(STARPU_TRANSACTION, KEEP(POINTER, transaction)),
	/* what is said of it */
	ROW(STARPU_NAME, KEEP(POINTER, name)),
	ROW(STARPU_TASK_FILE, KEEP(POINTER, file)),
	ROW(STARPU_TASK_LINE, KEEP(INT, line)),
	ROW(STARPU_TASK_COLOR, KEEP(INT, color)),
	ROW(STARPU_FLOPS, KEEP(DOUBLE, flops)),
	ROW(STARPU_HYPERVISOR_TAG, KEEP(INT, hypervisor_tag)),
	ROW(STARPU_TASK_PROFILING_INFO, KEEP(POINTER, profiling_info)),
	/* recursive tasks */
	ROW(STARPU_RECURSIVE_TASK_FUNC, KEEP(POINTER, recursive_task_func)),
	ROW(STARPU_RECURSIVE_TASK_FUNC_ARG, KEEP(POINTER, recursive_task_func_arg)),
	ROW(STARPU_RECURSIVE_TASK_GEN_DAG_FUNC, KEEP(POINTER, recursive_task_gen_dag_func)),
	ROW(STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG, KEEP(POINTER, recursive_task_gen_dag_func_arg)),
	ROW(STARPU_RECURSIVE_TASK_PARENT, .value = {{ARG_POINTER_UNUSED}}),
	ROW(STARPU_RECURSIVE_TASK_NO_PRUNE, .value = {{ARG_INT_UNUSED}}),
};
#undef ROW
#undef IN
#undef KEEP
#undef BOTH
#undef BIT

/* The row of a kind; NULL: there is no such kind. */
static inline const struct argument *argument_of(int kind)
{
	/* Bits of a mode, of which a kind has none, come to the top: then it is no row. */
	unsigned row = (unsigned)kind >> STARPU_MODE_SHIFT | (unsigned)kind << (32 - STARPU_MODE_SHIFT);
	return row < sizeof arguments / sizeof arguments[0] ? &arguments[row] : NULL;
}
static void keep_rarely(struct rt_insert *in, const struct argument *a, const struct argument_value *v, va_list *ap)
{
	void *at = (char *)in->task + v->task;
	switch ((enum argument_type)v->type) {
	case ARG_SIZE:
		*(size_t *)at = va_arg(*ap, size_t);
		return;
	case ARG_TAG:
		*(starpu_tag_t *)at = va_arg(*ap, starpu_tag_t);
		return;
	case ARG_DOUBLE:
		*(double *)at = va_arg(*ap, double);
		return;
	case ARG_WHERE:
		*(int32_t *)at = (int32_t)va_arg(*ap, unsigned long long);
		return;
	case ARG_BIT:
		set_bit(in->task, a->bit, va_arg(*ap, unsigned));
		return;
	case ARG_INT_UNUSED:
		(void)va_arg(*ap, int);
		return;
	case ARG_POINTER_UNUSED:
		(void)va_arg(*ap, void *);
		return;
	case ARG_NONE:
	case ARG_INT:
	case ARG_POINTER:
		return;
	}
}

static inline void keep_value(struct rt_insert *in, const struct argument *a, const struct argument_value *v, va_list *ap)
{
	void *at = (char *)in->task + v->task;
	if (v->type == ARG_POINTER)
		*(void **)at = va_arg(*ap, void *);
	else if (v->type == ARG_INT)
		*(int *)at = va_arg(*ap, int);
	else
		keep_rarely(in, a, v, ap);
}

static inline bool argument_take(struct rt_insert *in, const struct argument *a, va_list *ap)
{
	if (a->take) {
		a->take(in, ap);
		return true;
	}
	if (!a->value[0].type)
		return false;
	keep_value(in, a, &a->value[0], ap);
	if (a->value[1].type)
		keep_value(in, a, &a->value[1], ap);
	if (a->bit && a->value[0].type != ARG_BIT)
		set_bit(in->task, a->bit, a->set);
	return true;
}

void rt_arguments_take(struct rt_insert *in, va_list *ap)
{
	for (int kind; (kind = va_arg(*ap, int)) != 0;) {
		const struct argument *a = argument_of(kind);
		if (a && argument_take(in, a, ap))
			continue;
		if ((unsigned)kind >> STARPU_MODE_SHIFT == 0 && in->cl)
			starpu_task_insert_data_process_arg(in->cl, in->task, &in->allocated, &in->n, kind,
			                                    va_arg(*ap, starpu_data_handle_t));
		else
			rt_misuse("codelet '%s': argument %d of the call is of no known kind", rt_codelet_name(in->cl), kind);
	}
}
