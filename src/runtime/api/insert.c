/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inserting a task in one call. Nearly all calls give data, values, a priority: such a task of a plain codelet becomes a job at
 * once, without a struct starpu_task. As soon as something else is asked for, the arguments are read again from the beginning
 * into a task (the table `arguments` has a row for each kind).
 */
#include "runtime/task/complain.h"
#include "runtime/run/run.h"
#include "pack_args.h"
#include "runtime/run/task_trace.h"
#include "runtime/perf/perf.h"
#include <stdarg.h>
#include <stdlib.h>

/* What is being put together. */
struct insert {
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

enum { MODES = (1 << STARPU_MODE_SHIFT) - 1 };

static const char *name_of(const struct starpu_codelet *cl)
{
	return cl && cl->name ? cl->name : "unnamed";
}

static _Noreturn void wrong_mode(const struct starpu_codelet *cl, unsigned i, uint32_t has, uint32_t given)
{
	char text[2][32];
	rt_misuse("codelet '%s': buffer %u has mode %s, and is given with mode %s", name_of(cl), i,
	          rt_mode_name(has, text[0], sizeof text[0]), rt_mode_name(given, text[1], sizeof text[1]));
}

/* ---- buffers of a task ---- */

static void *grown(void *from, size_t bytes)
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
	bool variable = cl->nbuffers == STARPU_VARIABLE_NBUFFERS;
	if (need <= STARPU_NMAXBUFS && !task->dyn_handles && (variable || cl->nbuffers <= STARPU_NMAXBUFS))
		return;
	int n = variable ? need : cl->nbuffers > need ? cl->nbuffers : need;
	if (task->dyn_handles && *allocated_buffers >= n)
		return;
	n = variable && n < 2 * *allocated_buffers ? 2 * *allocated_buffers : n;
	bool first = !task->dyn_handles;
	task->dyn_handles = grown(task->dyn_handles, (size_t)n * sizeof *task->dyn_handles);
	task->dyn_interfaces = grown(task->dyn_interfaces, (size_t)n * sizeof *task->dyn_interfaces);
	if (variable)
		task->dyn_modes = grown(task->dyn_modes, (size_t)n * sizeof *task->dyn_modes);
	for (int i = 0; first && i < current_buffer; i++) {
		task->dyn_handles[i] = task->handles[i];
		if (variable)
			task->dyn_modes[i] = task->modes[i];
	}
	*allocated_buffers = n;
}

void starpu_task_insert_data_process_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                         int *current_buffer, int arg_type, starpu_data_handle_t handle)
{
	enum starpu_data_access_mode mode = (enum starpu_data_access_mode)(arg_type & ~STARPU_SSEND);
	int i = *current_buffer;
	if (!handle)
		rt_misuse("codelet '%s': data handle %d is NULL", name_of(cl), i);
	starpu_task_insert_data_make_room(cl, task, allocated_buffers, i, 1);
	STARPU_TASK_SET_HANDLE(task, handle, i);
	if (cl->nbuffers == STARPU_VARIABLE_NBUFFERS)
		STARPU_TASK_SET_MODE(task, mode, i);
	else if (i >= cl->nbuffers)
		rt_misuse("codelet '%s' has %d buffers, and is given more", name_of(cl), cl->nbuffers);
	else if (!STARPU_CODELET_GET_MODE(cl, i))
		STARPU_CODELET_SET_MODE(cl, mode, i);
	else if ((STARPU_CODELET_GET_MODE(cl, i) ^ mode) & (STARPU_RW | STARPU_SCRATCH | STARPU_REDUX | STARPU_COMMUTE))
		wrong_mode(cl, (unsigned)i, (uint32_t)STARPU_CODELET_GET_MODE(cl, i), (uint32_t)mode);
	(*current_buffer)++;
}

void starpu_task_insert_data_process_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                               int *current_buffer, int nb_handles, starpu_data_handle_t *handles)
{
	starpu_task_insert_data_make_room(cl, task, allocated_buffers, *current_buffer, nb_handles);
	for (int i = 0; i < nb_handles; i++) {
		if (cl->nbuffers == STARPU_VARIABLE_NBUFFERS)
			rt_misuse("codelet '%s' has a variable number of buffers: they want modes", name_of(cl));
		enum starpu_data_access_mode mode = STARPU_CODELET_GET_MODE(cl, *current_buffer);
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
	task->dyn_nodes = grown(task->dyn_nodes, (size_t)need * sizeof *task->dyn_nodes);
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

/* ---- one function for each kind of argument; `ap` stands behind the kind ---- */

typedef void take_argument(struct insert *in, va_list *ap);

#define TAKES(name, statement) \
	static void take_##name(struct insert *in, va_list *ap) \
	{ \
		struct starpu_task *t = in->task; \
		(void)t; \
		statement; \
	}
#define ARG(type) va_arg(*ap, type)

TAKES(value, const void *p = ARG(const void *); starpu_codelet_pack_arg(&in->values, p, ARG(size_t)))
TAKES(cl_args, t->cl_arg = ARG(void *); t->cl_arg_size = ARG(size_t); t->cl_arg_free = 1)
TAKES(cl_args_nfree, t->cl_arg = ARG(void *); t->cl_arg_size = ARG(size_t); t->cl_arg_free = 0)
TAKES(callback, t->callback_func = ARG(void (*)(void *)))
TAKES(callback_with_arg, t->callback_func = ARG(void (*)(void *)); t->callback_arg = ARG(void *); t->callback_arg_free = 1)
TAKES(callback_with_arg_nfree, t->callback_func = ARG(void (*)(void *)); t->callback_arg = ARG(void *); t->callback_arg_free = 0)
TAKES(callback_arg, t->callback_arg = ARG(void *); t->callback_arg_free = 1)
TAKES(callback_arg_nfree, t->callback_arg = ARG(void *); t->callback_arg_free = 0)
TAKES(epilogue, t->epilogue_callback_func = ARG(void (*)(void *)))
TAKES(epilogue_arg, t->epilogue_callback_arg = ARG(void *); t->epilogue_callback_arg_free = 1)
TAKES(prologue, t->prologue_callback_func = ARG(void (*)(void *)))
TAKES(prologue_arg, t->prologue_callback_arg = ARG(void *); t->prologue_callback_arg_free = 1)
TAKES(prologue_arg_nfree, t->prologue_callback_arg = ARG(void *); t->prologue_callback_arg_free = 0)
TAKES(prologue_pop, t->prologue_callback_pop_func = ARG(void (*)(void *)))
TAKES(prologue_pop_arg, t->prologue_callback_pop_arg = ARG(void *); t->prologue_callback_pop_arg_free = 1)
TAKES(prologue_pop_arg_nfree, t->prologue_callback_pop_arg = ARG(void *); t->prologue_callback_pop_arg_free = 0)
TAKES(soon, t->soon_callback_func = ARG(void (*)(void *, double)))
TAKES(soon_arg, t->soon_callback_arg = ARG(void *); t->soon_callback_arg_free = 1)
TAKES(soon_arg_nfree, t->soon_callback_arg = ARG(void *); t->soon_callback_arg_free = 0)
TAKES(priority, t->priority = ARG(int))
/* Where a node of several would run it: there is one. */
TAKES(int_unused, (void)in; (void)ARG(int))
TAKES(pointer_unused, (void)in; (void)ARG(void *))
TAKES(tag, t->tag_id = ARG(starpu_tag_t); t->use_tag = 1)
TAKES(tag_only, t->tag_id = ARG(starpu_tag_t))
TAKES(hypervisor_tag, t->hypervisor_tag = ARG(int))
TAKES(flops, t->flops = ARG(double))
TAKES(ctx, t->sched_ctx = ARG(unsigned))
TAKES(
	worker, int worker = ARG(int); if (worker >= 0) {
		t->workerid = (unsigned)worker;
		t->execute_on_a_specific_worker = 1;
	})
TAKES(where, t->where = (int32_t)ARG(unsigned long long))
TAKES(parallel, t->possibly_parallel = ARG(unsigned))
TAKES(worker_order, t->workerorder = ARG(unsigned))
TAKES(name, t->name = ARG(const char *))
TAKES(color, t->color = ARG(unsigned))
TAKES(each_consistency, t->handles_sequential_consistency = ARG(unsigned char *))
TAKES(consistency, t->sequential_consistency = ARG(unsigned) & 1)
TAKES(synchronous, t->synchronous = ARG(int) & 1)
TAKES(end_dep, in->end_deps += ARG(int))
TAKES(end_deps, in->n_ends = ARG(unsigned); in->ends = ARG(struct starpu_task **))
TAKES(deps, unsigned n = ARG(unsigned); starpu_task_declare_deps_array(t, n, ARG(struct starpu_task **)))
TAKES(workerids, t->workerids_len = ARG(unsigned); t->workerids = ARG(uint32_t *))
TAKES(profiling, t->profiling_info = ARG(struct starpu_profiling_task_info *))
TAKES(no_order, t->no_submitorder = ARG(unsigned) & 1)
TAKES(sched_data, t->sched_data = ARG(void *))
TAKES(transaction, t->transaction = ARG(struct starpu_transaction *))
TAKES(file, t->file = ARG(const char *))
TAKES(line, t->line = ARG(int))
TAKES(data_array, starpu_data_handle_t *h = ARG(starpu_data_handle_t *);
      starpu_task_insert_data_process_array_arg(in->cl, t, &in->allocated, &in->n, ARG(int), h))
TAKES(mode_array, struct starpu_data_descr *d = ARG(struct starpu_data_descr *);
      starpu_task_insert_data_process_mode_array_arg(in->cl, t, &in->allocated, &in->n, ARG(int), d))
TAKES(node_array, int *nodes = ARG(int *);
      starpu_task_insert_process_node_array_arg(in->cl, t, &in->allocated_nodes, &in->n_nodes, ARG(int), nodes))
TAKES(recursive_func, t->recursive_task_func = ARG(starpu_recursive_task_func_t))
TAKES(recursive_func_arg, t->recursive_task_func_arg = ARG(void *))
TAKES(recursive_dag, t->recursive_task_gen_dag_func = ARG(starpu_recursive_task_gen_dag_func_t))
TAKES(recursive_dag_arg, t->recursive_task_gen_dag_func_arg = ARG(void *))

#undef TAKES
#undef ARG

#define ROW(kind, name) [(kind) >> STARPU_MODE_SHIFT] = take_##name
static take_argument *const arguments[STARPU_SHIFTED_MODE_MAX >> STARPU_MODE_SHIFT] = {
	ROW(STARPU_VALUE, value),
	ROW(STARPU_CALLBACK, callback),
	ROW(STARPU_CALLBACK_WITH_ARG, callback_with_arg),
	ROW(STARPU_CALLBACK_ARG, callback_arg),
	ROW(STARPU_PRIORITY, priority),
	ROW(STARPU_EXECUTE_ON_NODE, int_unused),
	ROW(STARPU_EXECUTE_ON_DATA, pointer_unused),
	ROW(STARPU_DATA_ARRAY, data_array),
	ROW(STARPU_DATA_MODE_ARRAY, mode_array),
	ROW(STARPU_NODE_ARRAY, node_array),
	ROW(STARPU_TAG, tag),
	ROW(STARPU_HYPERVISOR_TAG, hypervisor_tag),
	ROW(STARPU_FLOPS, flops),
	ROW(STARPU_SCHED_CTX, ctx),
	ROW(STARPU_PROLOGUE_CALLBACK, prologue),
	ROW(STARPU_PROLOGUE_CALLBACK_ARG, prologue_arg),
	ROW(STARPU_PROLOGUE_CALLBACK_POP, prologue_pop),
	ROW(STARPU_PROLOGUE_CALLBACK_POP_ARG, prologue_pop_arg),
	ROW(STARPU_EXECUTE_ON_WORKER, worker),
	ROW(STARPU_EXECUTE_WHERE, where),
	ROW(STARPU_TAG_ONLY, tag_only),
	ROW(STARPU_POSSIBLY_PARALLEL, parallel),
	ROW(STARPU_WORKER_ORDER, worker_order),
	ROW(STARPU_NODE_SELECTION_POLICY, int_unused),
	ROW(STARPU_NAME, name),
	ROW(STARPU_CL_ARGS, cl_args),
	ROW(STARPU_CL_ARGS_NFREE, cl_args_nfree),
	ROW(STARPU_TASK_DEPS_ARRAY, deps),
	ROW(STARPU_TASK_COLOR, color),
	ROW(STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, each_consistency),
	ROW(STARPU_TASK_SYNCHRONOUS, synchronous),
	ROW(STARPU_TASK_END_DEPS_ARRAY, end_deps),
	ROW(STARPU_TASK_END_DEP, end_dep),
	ROW(STARPU_TASK_WORKERIDS, workerids),
	ROW(STARPU_SEQUENTIAL_CONSISTENCY, consistency),
	ROW(STARPU_TASK_PROFILING_INFO, profiling),
	ROW(STARPU_TASK_NO_SUBMITORDER, no_order),
	ROW(STARPU_CALLBACK_ARG_NFREE, callback_arg_nfree),
	ROW(STARPU_CALLBACK_WITH_ARG_NFREE, callback_with_arg_nfree),
	ROW(STARPU_PROLOGUE_CALLBACK_ARG_NFREE, prologue_arg_nfree),
	ROW(STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE, prologue_pop_arg_nfree),
	ROW(STARPU_TASK_SCHED_DATA, sched_data),
	ROW(STARPU_TRANSACTION, transaction),
	ROW(STARPU_TASK_FILE, file),
	ROW(STARPU_TASK_LINE, line),
	ROW(STARPU_EPILOGUE_CALLBACK, epilogue),
	ROW(STARPU_EPILOGUE_CALLBACK_ARG, epilogue_arg),
	ROW(STARPU_RECURSIVE_TASK_FUNC, recursive_func),
	ROW(STARPU_RECURSIVE_TASK_FUNC_ARG, recursive_func_arg),
	ROW(STARPU_RECURSIVE_TASK_GEN_DAG_FUNC, recursive_dag),
	ROW(STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG, recursive_dag_arg),
	ROW(STARPU_RECURSIVE_TASK_PARENT, pointer_unused),
	ROW(STARPU_RECURSIVE_TASK_NO_PRUNE, int_unused),
	ROW(STARPU_SOON_CALLBACK, soon),
	ROW(STARPU_SOON_CALLBACK_ARG, soon_arg),
	ROW(STARPU_SOON_CALLBACK_ARG_NFREE, soon_arg_nfree),
};
#undef ROW

static void take_all(struct insert *in, va_list *ap)
{
	for (int kind; (kind = va_arg(*ap, int)) != 0;) {
		unsigned row = (unsigned)kind >> STARPU_MODE_SHIFT;
		if (row && row < sizeof arguments / sizeof arguments[0] && arguments[row] && !(kind & MODES))
			arguments[row](in, ap);
		else if (!row && in->cl)
			starpu_task_insert_data_process_arg(in->cl, in->task, &in->allocated, &in->n, kind,
			                                    va_arg(*ap, starpu_data_handle_t));
		else
			rt_misuse("codelet '%s': argument %d of the call is of no known kind", name_of(in->cl), kind);
	}
}

static void set(struct starpu_task *t, struct starpu_codelet *cl, va_list *ap)
{
	struct insert in = {.cl = cl, .task = t};
	starpu_codelet_pack_arg_init(&in.values);
	t->cl = cl;
	take_all(&in, ap);
	if (in.values.nargs) {
		if (t->cl_arg)
			rt_misuse("codelet '%s' is given both STARPU_VALUE and STARPU_CL_ARGS", name_of(cl));
		starpu_codelet_pack_arg_fini(&in.values, &t->cl_arg, &t->cl_arg_size);
		t->cl_arg_free = 1;
	}
	if (cl && cl->nbuffers == STARPU_VARIABLE_NBUFFERS)
		t->nbuffers = in.n;
	else if (cl && cl->nbuffers != in.n)
		rt_misuse("codelet '%s' has %d buffers, and is given %d", name_of(cl), cl->nbuffers, in.n);
	if (in.end_deps)
		starpu_task_end_dep_add(t, in.end_deps);
	if (in.n_ends)
		starpu_task_declare_end_deps_array(t, in.n_ends, in.ends);
}

int(starpu_task_set)(struct starpu_task *task, struct starpu_codelet *cl, ...)
{
	va_list ap;
	va_start(ap, cl);
	set(task, cl, &ap);
	va_end(ap);
	return 0;
}

struct starpu_task *(starpu_task_build)(struct starpu_codelet *cl, ...)
{
	struct starpu_task *t = starpu_task_create();
	va_list ap;
	va_start(ap, cl);
	set(t, cl, &ap);
	va_end(ap);
	return t;
}

/* ---- without a task ---- */

enum { AS_TASK = 1 }; /* it is more than a plain job */

static int refuse_mode(const struct starpu_codelet *cl, unsigned i, int mode)
{
	if (!cl->modes[i])
		return AS_TASK; /* the table's function sets it */
	wrong_mode(cl, i, (uint32_t)cl->modes[i], (uint32_t)mode);
}

/* The data of a plain job, until all of it is known. */
struct accesses {
	struct rt_handle *handle[STARPU_NMAXBUFS];
	uint32_t mode[STARPU_NMAXBUFS];
	unsigned n;
};

static inline int add_access(struct accesses *a, const struct starpu_codelet *cl, int mode, starpu_data_handle_t h)
{
	unsigned i = a->n;
	if (WEFT_UNLIKELY(i >= (unsigned)cl->nbuffers || !h))
		return AS_TASK;
	if (WEFT_UNLIKELY((cl->modes[i] ^ (unsigned)mode) & MODES & ~(unsigned)(STARPU_SSEND | STARPU_LOCALITY)))
		return refuse_mode(cl, i, mode);
	a->handle[i] = (struct rt_handle *)(void *)h;
	a->mode[i] = (uint32_t)mode;
	a->n = i + 1;
	return 0;
}

static int add_array(struct accesses *a, const struct starpu_codelet *cl, const struct starpu_data_descr *d, int many)
{
	int rc = 0;
	for (int i = 0; i < many && !rc; i++)
		rc = add_access(a, cl, (int)d[i].mode, d[i].handle);
	return rc;
}

static int take_accesses(struct rt_submitter *s, struct rt_job *j, const struct accesses *a)
{
	struct rt_handle **h = j->access;
	uint32_t *mode = j->mode;
	if (WEFT_LIKELY(a->n <= RT_ACCESSES)) {
		j->n_accesses = (uint16_t)a->n;
	} else {
		if (rt_job_make_room(s->pool, j, a->n))
			return -ENOMEM;
		h = rt_job_handles(j);
		mode = rt_job_modes(j);
	}
	for (unsigned i = 0; i < a->n; i++) {
		h[i] = a->handle[i];
		mode[i] = a->mode[i];
	}
	return 0;
}

/* Reads the arguments into the job. 0; AS_TASK: they want a task. */
static int take_plainly(struct rt_submitter *s, struct rt_job *j, const struct starpu_codelet *cl,
                        struct starpu_codelet_pack_arg_data *values, va_list *ap)
{
	struct rt_upper *p = rt_upper(j);
	struct accesses a;
	int rc = 0;
	a.n = 0;
	for (int kind; !rc && (kind = va_arg(*ap, int)) != 0;) {
		if (kind < 1 << STARPU_MODE_SHIFT) {
			rc = add_access(&a, cl, kind, va_arg(*ap, starpu_data_handle_t));
		} else if (kind == STARPU_TASK_FILE) {
			p->file = va_arg(*ap, const char *);
		} else if (kind == STARPU_TASK_LINE) {
			p->line = va_arg(*ap, int);
		} else if (kind == STARPU_VALUE) {
			const void *value = va_arg(*ap, const void *);
			starpu_codelet_pack_arg(values, value, va_arg(*ap, size_t));
		} else if (kind == STARPU_PRIORITY) {
			j->priority = va_arg(*ap, int);
			j->bits = j->priority ? RT_J_PLACED : 0;
		} else if (kind == STARPU_NAME) {
			p->name = va_arg(*ap, const char *);
		} else if (kind == STARPU_DATA_MODE_ARRAY) {
			const struct starpu_data_descr *d = va_arg(*ap, const struct starpu_data_descr *);
			rc = add_array(&a, cl, d, va_arg(*ap, int));
		} else if (kind == STARPU_CL_ARGS || kind == STARPU_CL_ARGS_NFREE) {
			j->arg = va_arg(*ap, void *);
			p->arg_bytes = (uint32_t)va_arg(*ap, size_t);
			p->bits |= kind == STARPU_CL_ARGS ? RT_U_FREE_ARG : 0;
		} else {
			rc = AS_TASK;
		}
	}
	if (rc || a.n != (unsigned)cl->nbuffers)
		return rc ? rc : AS_TASK;
	return take_accesses(s, j, &a);
}

/* 0; AS_TASK: nothing has been done; or negative. */
static int insert_plainly(struct starpu_codelet *cl, va_list *ap)
{
	struct rt_submitter *s = rt_self(rt_machine.core);
	struct rt_job *j = s ? rt_prepare(s) : NULL;
	struct starpu_codelet_pack_arg_data values;
	if (!j)
		return -ENOMEM;
	struct rt_upper *p = rt_upper(j);
	*p = (struct rt_upper){.cl = cl, .func = cl->cpu_funcs[0]};
	j->body = rt_body_plain;
	j->arg = NULL;
	values.arg_buffer = NULL;
	values.nargs = 0;
	values.arg_buffer_size = 0;
	values.arg_buffer_used = sizeof(uint64_t);
	int rc = take_plainly(s, j, cl, &values, ap);
	if (WEFT_UNLIKELY(values.nargs)) {
		rc = rc || j->arg ? AS_TASK : 0;
		size_t bytes = 0;
		if (rc)
			free(values.arg_buffer);
		else
			starpu_codelet_pack_arg_fini(&values, &j->arg, &bytes);
		p->arg_bytes = (uint32_t)bytes;
		p->bits |= RT_U_FREE_ARG;
	}
	rc = rc ? rc : rt_submit(s, j);
	if (WEFT_UNLIKELY(rc)) {
		if (rc < 0 && p->bits & RT_U_FREE_ARG)
			free(j->arg);
		rt_forget(s, j);
	}
	return rc;
}

static int insert_task(struct starpu_codelet *cl, va_list *ap)
{
	struct starpu_task *t = starpu_task_create();
	set(t, cl, ap);
	int rc = (starpu_task_submit)(t); /* not the macro, which would say that we submit it */
	if (rc) {
		t->destroy = 1;
		t->cl_arg_free = rc == -ENODEV ? t->cl_arg_free : 0;
		starpu_task_destroy(t);
	}
	return rc;
}

static int insert(struct starpu_codelet *cl, va_list *ap)
{
	va_list again;
	int rc = AS_TASK;
	if (WEFT_UNLIKELY(!rt_machine.core))
		rt_misuse("codelet '%s' is inserted, and StarPU is not initialised", name_of(cl));
	va_copy(again, *ap);
	if (cl && rt_codelet_check(cl) & RT_CL_PLAIN && !rt_ctxs()) {
		rt_throttle();
		rt_perf_want(cl->model);
		rc = insert_plainly(cl, ap);
	}
	if (rc == AS_TASK)
		rc = insert_task(cl, &again);
	va_end(again);
	return rc;
}

int(starpu_task_insert)(struct starpu_codelet *cl, ...)
{
	va_list ap;
	va_start(ap, cl);
	int rc = insert(cl, &ap);
	va_end(ap);
	return rc;
}

int(starpu_insert_task)(struct starpu_codelet *cl, ...)
{
	va_list ap;
	va_start(ap, cl);
	int rc = insert(cl, &ap);
	va_end(ap);
	return rc;
}
