/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks with data, as StarPU tasks: their codelet is a copy of the caller's in which our function stands for the caller's, kept
 * until the end, as tasks of the same codelet come again and again. And handles by the address of what they hold.
 */
#include "omp.h"

struct wrapped {
	struct starpu_codelet of, cl; /* the caller's; ours */
	bool by_few;                  /* some CPU workers are none of the region's threads, and may not run it */
	struct wrapped *next;
};
static struct {
	struct weft_atomic_bool lock;
	struct wrapped *first;
} codelets;

struct named { /* a handle that was registered */
	const void *at;
	starpu_data_handle_t handle;
	struct named *next;
};
static struct {
	struct weft_atomic_bool lock;
	struct named *first;
} handles;

static int is_of_the_region(unsigned worker, struct starpu_task *task, unsigned nimpl)
{
	const struct wrapped *w = (const void *)((const char *)task->cl - offsetof(struct wrapped, cl));
	const struct omp_task *t = task->cl_arg;
	bool is = omp.place[worker] < 0 || omp_thread_on(t->thread->region, worker);
	return is && (!w->of.can_execute || w->of.can_execute(worker, task, nimpl));
}

static void run_cpu(void *buffers[], void *arg)
{
	struct omp_task *t = arg, *was = omp_current();
	struct omp_thread *here = omp_thread_on(t->thread->region, (unsigned)starpu_worker_get_id());
	t->thread = here ? here : t->thread;
	omp_set_current(t);
	t->func(buffers, t->arg);
	omp_set_current(was == &omp.thread.task ? NULL : was);
}

static void run_opencl(void *buffers[], void *arg)
{
	struct omp_task *t = arg, *was = omp_current();
	omp_set_current(t);
	t->opencl(buffers, t->arg);
	omp_set_current(was == &omp.thread.task ? NULL : was);
}

static struct starpu_codelet *wrap(const struct starpu_codelet *cl, bool by_few)
{
	omp_spin_lock(&codelets.lock);
	struct wrapped *w = codelets.first;
	while (w && (w->by_few != by_few || memcmp(&w->of, cl, sizeof *cl) != 0))
		w = w->next;
	if (!w) {
		w = calloc(1, sizeof *w);
		if (!w)
			omp_no_memory();
		memcpy(&w->of, cl, sizeof *cl);
		memcpy(&w->cl, cl, sizeof *cl);
		w->by_few = by_few;
		if (by_few)
			w->cl.can_execute = is_of_the_region;
		if (cl->cpu_funcs[0])
			w->cl.cpu_funcs[0] = run_cpu;
		if (cl->opencl_funcs[0])
			w->cl.opencl_funcs[0] = run_opencl;
		for (unsigned i = 1; i < STARPU_MAXIMPLEMENTATIONS; i++) {
			w->cl.cpu_funcs[i] = NULL;
			w->cl.opencl_funcs[i] = NULL;
		}
		w->next = codelets.first;
		codelets.first = w;
	}
	omp_spin_unlock(&codelets.lock);
	return &w->cl;
}

int omp_submit_with_data(struct omp_task *t, const struct starpu_codelet *cl, starpu_data_handle_t *data, int priority,
                         int worker, void (*ended)(void *task))
{
	struct starpu_task *s = starpu_task_create();
	const struct omp_region *r = t->thread->region;
	s->cl = wrap(cl, worker < 0 && r->outer && (int)r->n < omp.procs);
	s->cl_arg = t;
	s->priority = priority;
	s->callback_func = ended;
	s->callback_arg = t;
	t->opencl = cl->opencl_funcs[0];
	for (int i = 0; i < cl->nbuffers; i++)
		STARPU_TASK_SET_HANDLE(s, data[i], i);
	if (worker >= 0) {
		s->execute_on_a_specific_worker = 1;
		s->workerid = (unsigned)worker;
	}
	int rc = starpu_task_submit(s);
	if (rc) {
		s->destroy = 0;
		starpu_task_destroy(s);
	}
	return rc;
}

void omp_data_begin(void)
{
	codelets.first = NULL;
	handles.first = NULL;
}

void omp_data_end(void)
{
	for (struct wrapped *w = codelets.first, *next; w; w = next) {
		next = w->next;
		free(w);
	}
	for (struct named *n = handles.first, *next; n; n = next) {
		next = n->next;
		free(n);
	}
	omp_data_begin();
}

/* ---- handles ---- */

void starpu_omp_handle_register(starpu_data_handle_t handle)
{
	struct named *n = calloc(1, sizeof *n);
	if (!n)
		omp_no_memory();
	*n = (struct named){.at = starpu_data_get_local_ptr(handle), .handle = handle};
	omp_spin_lock(&handles.lock);
	n->next = handles.first;
	handles.first = n;
	omp_spin_unlock(&handles.lock);
}

void starpu_omp_handle_unregister(starpu_data_handle_t handle)
{
	omp_spin_lock(&handles.lock);
	struct named **at = &handles.first, *found;
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	omp_spin_unlock(&handles.lock);
	free(found);
}

starpu_data_handle_t starpu_omp_data_lookup(const void *ptr)
{
	omp_spin_lock(&handles.lock);
	struct named *n = handles.first;
	while (n && n->at != ptr)
		n = n->next;
	starpu_data_handle_t found = n ? n->handle : NULL;
	omp_spin_unlock(&handles.lock);
	return found;
}

/* The vector begins at this index of the array of which it is a slice. */
void starpu_omp_vector_annotate(starpu_data_handle_t handle, uint32_t slice_base)
{
	struct starpu_vector_interface *v = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
	v->slice_base = slice_base;
}

struct starpu_arbiter *starpu_omp_get_default_arbiter(void)
{
	return omp.arbiter;
}
