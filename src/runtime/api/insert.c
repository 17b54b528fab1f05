/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inserting a task in one call. Nearly all calls give data, values, a priority: such a task of a plain codelet becomes a job at
 * once, without a struct starpu_task. As soon as something else is asked for, the arguments are read again from the beginning
 * into a task, by the table of arguments.c.
 */
#include "arguments.h"
#include "runtime/task/complain.h"
#include "runtime/task/count.h"
#include "runtime/run/run.h"
#include "runtime/core/life_detail.h"
#include "runtime/profile/profile.h"
#include "pack_args.h"
#include "runtime/perf/perf.h"
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

/* 0; -EINVAL, which has been said: the arguments contradict each other, and the task is as the caller wants to leave it. */
static int set(struct starpu_task *t, struct starpu_codelet *cl, va_list *ap)
{
	struct rt_insert in = {.cl = cl, .task = t};
	starpu_codelet_pack_arg_init(&in.values);
	t->cl = cl;
	rt_arguments_take(&in, ap);
	if (in.values.nargs) {
		if (t->cl_arg) {
			rt_say("codelet '%s' is given both STARPU_VALUE and STARPU_CL_ARGS", rt_codelet_name(cl));
			t->cl_arg_free = 0;
			free(in.values.arg_buffer);
			return -EINVAL;
		}
		starpu_codelet_pack_arg_fini(&in.values, &t->cl_arg, &t->cl_arg_size);
		t->cl_arg_free = 1;
	}
	if (cl && cl->nbuffers == STARPU_VARIABLE_NBUFFERS)
		t->nbuffers = in.n;
	else if (cl && cl->nbuffers != in.n)
		rt_misuse("codelet '%s' has %d buffers, and is given %d", rt_codelet_name(cl), cl->nbuffers, in.n);
	if (in.end_deps)
		starpu_task_end_dep_add(t, in.end_deps);
	if (in.n_ends)
		starpu_task_declare_end_deps_array(t, in.n_ends, in.ends);
	return 0;
}

int(starpu_task_set)(struct starpu_task *task, struct starpu_codelet *cl, ...)
{
	va_list ap;
	va_start(ap, cl);
	int rc = set(task, cl, &ap);
	va_end(ap);
	return rc;
}

struct starpu_task *(starpu_task_build)(struct starpu_codelet *cl, ...)
{
	struct starpu_task *t = starpu_task_create();
	va_list ap;
	va_start(ap, cl);
	int rc = set(t, cl, &ap);
	va_end(ap);
	if (rc)
		starpu_task_destroy(t);
	return rc ? NULL : t;
}

/* ---- without a task ---- */

enum { AS_TASK = 1 }; /* it is more than a plain job */

static int refuse_mode(const struct starpu_codelet *cl, unsigned i, int mode)
{
	if (!cl->modes[i])
		return AS_TASK; /* the table's function sets it */
	rt_misuse_mode(cl, i, (uint32_t)cl->modes[i], (uint32_t)mode);
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
	if (WEFT_UNLIKELY((cl->modes[i] ^ (unsigned)mode) & RT_MODES & ~(unsigned)(STARPU_SSEND | STARPU_LOCALITY)))
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

/*
 * Reads the arguments into the job. 0; AS_TASK: they want a task. Not by the table: looking up what each call gives (file and line, by
 * its macro) would be 10 to 30 instructions a call, of 630 that an empty task takes from here to its end.
 */
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
	if (rt_is_profiled())
		rt_job_timed(j);
	j->arg = NULL;
	values.arg_buffer = NULL;
	values.nargs = 0;
	values.arg_buffer_size = 0;
	values.arg_buffer_used = RT_PACKED_HEAD_BYTES;
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
	const struct rt_count_ops *counts = rc ? NULL : rt_counts();
	if (counts)
		counts->submitted(j);
	rc = rc ? rc : rt_submit(s, j);
	if (WEFT_UNLIKELY(rc)) {
		if (counts)
			counts->refused(j);
		if (rc < 0 && p->bits & RT_U_FREE_ARG)
			free(j->arg);
		rt_forget(s, j);
	}
	return rc;
}

/* How long that takes is recorded. */
static int insert_told(struct starpu_codelet *cl, va_list *ap)
{
	weft_enter(rt_detail.building);
	int rc = insert_plainly(cl, ap);
	weft_leave(rt_detail.building);
	return rc;
}

static int insert_task(struct starpu_codelet *cl, va_list *ap)
{
	struct starpu_task *t = starpu_task_create();
	int rc = set(t, cl, ap);
	rc = rc ? rc : (starpu_task_submit)(t); /* not the macro, which would say that we submit it */
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
		rt_misuse("codelet '%s' is inserted, and StarPU is not initialised", rt_codelet_name(cl));
	va_copy(again, *ap);
	if (cl && rt_codelet_check(cl) & RT_CL_PLAIN && !rt_ctxs()) {
		rt_throttle();
		rt_perf_want(cl->model);
		if (WEFT_UNLIKELY(rt_trace_has(RT_GROUP_SUBMISSION)))
			rc = insert_told(cl, ap);
		else
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

/* The name of old programs. */
int(starpu_insert_task)(struct starpu_codelet *cl, ...) __attribute__((alias("starpu_task_insert")));
