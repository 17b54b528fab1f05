/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel regions: thread i begins as a job that comes to worker i; a worker that meets a region is thread 0 itself, a thread
 * of the application waits. Barriers, master, single.
 */
#include "runtime/profile/profile.h"
#include "omp.h"
#include "runtime/task/complain.h"
#include "runtime/task/machine.h"
#include <sched.h>

void omp_spin_lock(struct weft_atomic_bool *lock)
{
	for (unsigned i = 0; weft_swap_bool(lock, true); i++)
		if (i > 100)
			sched_yield();
}

void omp_spin_unlock(struct weft_atomic_bool *lock)
{
	weft_store_bool(lock, false);
}

const char *omp_trace_name(const struct omp_task *t)
{
	return t == &t->thread->task ? "parallel region" : "OpenMP task";
}

void omp_wait(struct rt_waiter *me)
{
	struct omp_task *t = omp_current();
	bool traced = t->traced;
	/* Others run meanwhile, and may be still at it when this one goes on: regions end in order all the same. */
	if (traced)
		rt_trace_end(&omp, omp_trace_name(t));
	rt_profile_executes_here(false);
	omp_set_current(NULL);
	rt_wait_for(me);
	rt_profile_executes_here(true);
	if (traced)
		rt_trace_resume(&omp, omp_trace_name(t));
	omp_set_current(t == &omp.thread.task ? NULL : t);
}

void omp_wait_in(struct rt_waiter **list, struct weft_atomic_bool *lock)
{
	struct rt_waiter me;
	rt_waiter_init(&me, omp.runtime);
	me.next = *list;
	*list = &me;
	omp_spin_unlock(lock);
	omp_wait(&me);
}

void omp_go_on_all(struct rt_waiter *list)
{
	for (struct rt_waiter *w = list, *next; w; w = next) {
		next = w->next;
		rt_go_on(w);
	}
}

/* ---- parallel ---- */

unsigned omp_threads_of(const struct omp_task *me, int wanted)
{
	int n = wanted > 0 ? wanted : me->icvs.nthreads;
	if ((int)me->thread->region->active >= me->icvs.max_active_levels)
		return 1;
	n = n < omp.thread_limit ? n : omp.thread_limit;
	return n > 0 ? (unsigned)n : 1;
}

int omp_worker_of(const struct omp_region *r, unsigned thread)
{
	return omp.worker[(r->first + thread) % (unsigned)omp.procs];
}

static struct omp_region *region_new(struct omp_task *me, const struct starpu_omp_parallel_region_attr *attr,
                                     const struct rt_worker *from)
{
	struct omp_region *r = calloc(1, sizeof *r), *outer = me->thread->region;
	unsigned n = attr->if_clause ? omp_threads_of(me, attr->num_threads) : 1;
	struct omp_thread *t = calloc(n, sizeof *t);
	if (!r || !t)
		omp_no_memory();
	*r = (struct omp_region){.outer = outer,
	                         .parent = me,
	                         .n = n,
	                         .level = outer->level + 1,
	                         .active = outer->active + (n > 1),
	                         .first = from && omp.place[from->number] > 0 ? (unsigned)omp.place[from->number] : 0,
	                         .thread = t,
	                         .func = attr->cl.cpu_funcs[0],
	                         .arg = attr->cl_arg};
	weft_store_u32(&r->left, n + 1);
	for (unsigned i = 0; i < n; i++) {
		t[i] = (struct omp_thread){.region = r, .number = i};
		t[i].task = (struct omp_task){.parent = me, .thread = &t[i], .func = r->func, .arg = r->arg, .icvs = me->icvs};
		if ((int)r->level < omp.n_levels)
			t[i].task.icvs.nthreads = omp.levels[r->level];
	}
	return r;
}

/* One thread or the waiting parent less; the last lets the parent go on. */
static void leave(struct omp_region *r)
{
	if (weft_add_u32(&r->left, -UINT32_C(1)) == 1)
		rt_go_on(r->waiter); /* is there for as long as it waits */
}

static void run_thread(struct omp_thread *t, void **buffers)
{
	struct omp_task *was = omp_current();
	omp_set_current(&t->task);
	t->task.traced = rt_traced();
	if (t->task.traced)
		rt_trace_resume(&omp, omp_trace_name(&t->task));
	rt_profile_executes_here(true);
	t->region->func(buffers, t->region->arg);
	omp_wait_for_descendants(&t->task);
	rt_profile_executes_here(false);
	if (t->task.traced)
		rt_trace_end(&omp, omp_trace_name(&t->task));
	omp_set_current(was == &omp.thread.task ? NULL : was);
}

static enum rt_verdict body_thread(struct rt_job *j, struct rt_worker *w)
{
	struct omp_thread *t = j->arg;
	struct rt_job *outer = rt_worker_set_idle_current(w, j);
	rt_job_free(&w->outbox, j); /* it was posted, never submitted */
	run_thread(t, (void *[]){NULL});
	rt_worker_set_idle_current(w, outer);
	leave(t->region);
	return RT_LATER;
}

static void body_thread_with_data(void *buffers[], void *arg)
{
	struct omp_task *t = arg;
	run_thread(t->thread, buffers);
}

static void ended_with_data(void *task)
{
	leave(((struct omp_task *)task)->thread->region);
}

static void post_thread(struct omp_thread *t, struct rt_submitter *s)
{
	struct rt_job *j = s ? rt_job_new(s->pool) : NULL;
	if (!j)
		omp_no_memory();
	j->body = body_thread;
	j->arg = t;
	j->n_accesses = 0;
	rt_again(&omp.runtime->worker[omp_worker_of(t->region, t->number)], j);
}

static void start_with_data(struct omp_region *r, const struct starpu_omp_parallel_region_attr *attr)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct omp_task *t = &r->thread[i].task;
		t->func = body_thread_with_data;
		t->arg = t;
		int rc = omp_submit_with_data(t, &attr->cl, attr->handles, 0, omp_worker_of(r, i), ended_with_data);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_omp_parallel_region");
	}
}

void starpu_omp_parallel_region(const struct starpu_omp_parallel_region_attr *attr)
{
	omp_must_run("starpu_omp_parallel_region");
	if (!attr || !attr->cl.cpu_funcs[0])
		rt_misuse("starpu_omp_parallel_region: there is no function for CPUs");
	struct omp_task *me = omp_current();
	struct rt_submitter *s = rt_self(omp.runtime);
	struct omp_region *r = region_new(me, attr, s ? s->worker : NULL);
	struct rt_waiter waiter;
	rt_waiter_init(&waiter, omp.runtime);
	r->waiter = &waiter;
	bool with_data = attr->cl.nbuffers != 0, am_first = !with_data && s && s->worker;
	if (with_data)
		start_with_data(r, attr);
	for (unsigned i = am_first; i < r->n && !with_data; i++)
		post_thread(&r->thread[i], s);
	if (am_first) {
		run_thread(&r->thread[0], (void *[]){NULL});
		weft_add_u32(&r->left, -UINT32_C(1)); /* the parent's own is still in */
	}
	if (weft_add_u32(&r->left, -UINT32_C(1)) == 1)
		rt_waiter_drop(&waiter);
	else
		omp_wait(&waiter);
	if (attr->cl_arg_free)
		free(attr->cl_arg);
	free(r->thread);
	free(r);
}

/* ---- inside ---- */

void starpu_omp_barrier(void)
{
	struct omp_task *me = omp_current();
	struct omp_region *r = me->thread->region;
	omp_wait_for_descendants(me);
	if (r->n == 1)
		return;
	omp_spin_lock(&r->lock);
	if (++r->arrived < r->n) {
		omp_wait_in(&r->waiting, &r->lock);
		return;
	}
	struct rt_waiter *others = r->waiting;
	r->waiting = NULL;
	r->arrived = 0;
	omp_spin_unlock(&r->lock);
	omp_go_on_all(others);
}

int starpu_omp_master_inline(void)
{
	return omp_current()->thread->number == 0;
}

void starpu_omp_master(void (*f)(void *), void *arg)
{
	if (starpu_omp_master_inline())
		f(arg);
}

/* A thread's k-th single is taken when somebody has made it the k-th that is; all earlier ones have been, by who came to them. */
int starpu_omp_single_inline(void)
{
	struct omp_thread *t = omp_current()->thread;
	uint32_t before = t->singles++;
	return weft_cas_u32(&t->region->singles, &before, t->singles);
}

void starpu_omp_single(void (*f)(void *), void *arg, int nowait)
{
	if (starpu_omp_single_inline())
		f(arg);
	if (!nowait)
		starpu_omp_barrier();
}

void starpu_omp_single_copyprivate(void (*f)(void *, void *, unsigned long long), void *arg, void *data,
                                   unsigned long long data_size)
{
	struct omp_region *r = omp_current()->thread->region;
	bool mine = starpu_omp_single_inline();
	if (mine) {
		f(arg, data, data_size);
		r->copy = data;
	}
	starpu_omp_barrier();
	if (!mine)
		memcpy(data, r->copy, data_size);
	starpu_omp_barrier();
}

void *starpu_omp_single_copyprivate_inline_begin(void *data)
{
	struct omp_thread *t = omp_current()->thread;
	t->won_copy = starpu_omp_single_inline();
	if (t->won_copy) {
		t->region->copy = data;
		return NULL;
	}
	starpu_omp_barrier();
	return t->region->copy;
}

/* Who has won comes to the others' first barrier here. */
void starpu_omp_single_copyprivate_inline_end(void)
{
	struct omp_thread *t = omp_current()->thread;
	if (t->won_copy)
		starpu_omp_barrier();
	t->won_copy = false;
	starpu_omp_barrier();
}
