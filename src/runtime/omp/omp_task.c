/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explicit tasks. Who waits for children first runs those that lie on top of its worker's own jobs, on its own stack, as long as
 * they are its children: they hold nothing that waits for it. Then it waits, and its worker goes on with whatever there is.
 */
#include "runtime/profile/profile.h"
#include "omp.h"

enum { KEPT_MOST = 512, STACK_LEAST = 64 * 1024 };

/* omp_tasks that are free, of this thread: they end where they began, or move. */
static _Thread_local struct {
	struct omp_task *first;
	unsigned n;
} kept;

static struct omp_task *task_new(void)
{
	struct omp_task *t = kept.first;
	if (t) {
		kept.first = t->next_free;
		kept.n--;
		return t;
	}
	t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
	if (!t)
		omp_no_memory();
	return t;
}

static pthread_key_t key; /* frees what a thread has kept when it ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *unused)
{
	(void)unused;
	omp_tasks_drop();
}

static void make_key(void)
{
	if (pthread_key_create(&key, thread_ends))
		omp_no_memory();
}

static void task_free(struct omp_task *t)
{
	if (!kept.first) {
		pthread_once(&once, make_key);
		pthread_setspecific(key, &kept);
	}
	if (kept.n == KEPT_MOST) {
		free(t);
		return;
	}
	t->next_free = kept.first;
	kept.first = t;
	kept.n++;
}

void omp_tasks_drop(void)
{
	for (struct omp_task *t = kept.first, *next; t; t = next) {
		next = t->next_free;
		free(t);
	}
	kept.first = NULL;
	kept.n = 0;
}

/* `what` of the children of p is over; wakes p where it waited for that, and lets it go where it was the last to need it. */
static void omp_task_drop(struct omp_task *p, uint64_t what)
{
	while (p) {
		uint64_t left = weft_add_u64(&p->kids, -what) - what;
		bool none_live = !(left & OMP_COUNT_LIVE), none_unended = !(left & OMP_COUNT_UNENDED);
		if (left & OMP_WAITS_UNENDED && what & OMP_COUNT_UNENDED && none_unended) {
			rt_go_on(p->waiter);
			return;
		}
		if (left & OMP_WAITS_LIVE && what & OMP_COUNT_LIVE && none_live) {
			rt_go_on(p->waiter);
			return;
		}
		if (!(left & OMP_ENDED) || !(what & OMP_COUNT_LIVE) || !none_live)
			return;
		struct omp_task *above = p->parent;
		task_free(p);
		p = above;
		what = OMP_LIVE;
	}
}

static void group_drop(struct omp_group *g)
{
	if (weft_add_u64(&g->left, -UINT64_C(1)) == 1)
		rt_go_on(g->waiter); /* is there for as long as it waits */
}

/* It has run. */
static void omp_task_finish(struct omp_task *t)
{
	struct omp_task *p = t->parent;
	if (t->owns_arg)
		free(t->arg);
	if (t->group)
		group_drop(t->group);
	if (!(weft_load_u64(&t->kids) & OMP_COUNT_LIVE)) {
		task_free(t);
		omp_task_drop(p, OMP_UNENDED | OMP_LIVE);
		return;
	}
	omp_task_drop(p, OMP_UNENDED);
	/* Whoever sees the last child go, here or in drop, lets it go. */
	if (!(__atomic_fetch_or(&t->kids.v, OMP_ENDED, __ATOMIC_ACQ_REL) & OMP_COUNT_LIVE)) {
		task_free(t);
		omp_task_drop(p, OMP_LIVE);
	}
}

static void omp_task_run(struct omp_task *t, void **buffers)
{
	struct omp_task *was = omp_current();
	omp_set_current(t);
	t->func(buffers, t->arg);
	omp_set_current(was == &omp.thread.task ? NULL : was);
}

/* A worker that is none of the region's threads has taken it: it goes to one that is. */
static void send_home(const struct omp_region *r, struct rt_job *j)
{
	rt_again(&omp.runtime->worker[omp_worker_of(r, j->self % r->n)], j);
}

static enum rt_verdict omp_task_body(struct rt_job *j, struct rt_worker *w)
{
	struct omp_task *t = j->arg;
	struct omp_thread *here = omp_thread_on(t->thread->region, w->number);
	if (WEFT_UNLIKELY(!here)) {
		send_home(t->thread->region, j);
		return RT_LATER;
	}
	t->thread = here;
	struct rt_job *outer = rt_worker_set_idle_current(w, j);
	t->traced = rt_traced();
	if (t->traced)
		rt_trace_start(rt_job_ref(j), &(struct rt_trace_task){.codelet = &omp, .name = omp_trace_name(t)});
	rt_profile_executes_here(true);
	omp_task_run(t, (void *[]){NULL});
	rt_profile_executes_here(false);
	if (t->traced)
		rt_trace_end(&omp, omp_trace_name(t));
	rt_worker_set_idle_current(w, outer);
	omp_task_finish(t);
	return RT_DONE;
}

/* ---- waiting ---- */

/* Runs what is on top of this worker's jobs when it is one of these. */
static bool omp_task_help(const struct omp_task *me, bool any_descendant)
{
	struct rt_submitter *s = rt_self(omp.runtime);
	struct rt_worker *w = s ? s->worker : NULL;
	if (!w || !rt_stack_has(STACK_LEAST))
		return false;
	struct rt_job *outer = rt_worker_set_idle_current(w, w->current),
		      *j = rt_is_pausing(w->runtime) ? NULL : rt_worker_pop(w);
	const struct omp_task *t = j && j->body == omp_task_body ? j->arg : NULL;
	bool helps = t && (t->parent == me || (any_descendant && t->thread == me->thread));
	if (helps)
		rt_worker_run(w, j);
	else if (j)
		rt_worker_keep(w, j);
	rt_worker_set_idle_current(w, outer);
	return helps;
}

static void wait_for(struct omp_task *me, uint64_t count, uint64_t flag)
{
	struct rt_waiter waiter;
	while (weft_load_u64(&me->kids) & count) {
		if (omp_task_help(me, flag == OMP_WAITS_LIVE))
			continue;
		rt_waiter_init(&waiter, omp.runtime);
		me->waiter = &waiter;
		if (__atomic_fetch_or(&me->kids.v, flag, __ATOMIC_ACQ_REL) & count)
			omp_wait(&waiter);
		else
			rt_waiter_drop(&waiter);
		__atomic_fetch_and(&me->kids.v, ~flag, __ATOMIC_ACQ_REL);
	}
}

void omp_wait_for_children(struct omp_task *me)
{
	wait_for(me, OMP_COUNT_UNENDED, OMP_WAITS_UNENDED);
}

void omp_wait_for_descendants(struct omp_task *me)
{
	wait_for(me, OMP_COUNT_LIVE, OMP_WAITS_LIVE);
}

void starpu_omp_taskwait(void)
{
	omp_wait_for_children(omp_current());
}

/* ---- groups ---- */

static void group_wait(struct omp_task *me, struct omp_group *g)
{
	struct rt_waiter waiter;
	while (weft_load_u64(&g->left) > 1 && omp_task_help(me, false))
		;
	rt_waiter_init(&waiter, omp.runtime);
	g->waiter = &waiter;
	if (weft_add_u64(&g->left, -UINT64_C(1)) == 1)
		rt_waiter_drop(&waiter);
	else
		omp_wait(&waiter);
}

void starpu_omp_taskgroup_inline_begin(void)
{
	struct omp_task *me = omp_current();
	struct omp_group *g = calloc(1, sizeof *g);
	if (!g)
		omp_no_memory();
	weft_store_u64(&g->left, 1);
	g->outer = me->inner;
	me->inner = g;
}

void starpu_omp_taskgroup_inline_end(void)
{
	struct omp_task *me = omp_current();
	struct omp_group *g = me->inner;
	STARPU_ASSERT_MSG(g, "starpu_omp_taskgroup_inline_end without its begin");
	group_wait(me, g);
	me->inner = g->outer;
	free(g);
}

void starpu_omp_taskgroup(void (*f)(void *), void *arg)
{
	starpu_omp_taskgroup_inline_begin();
	f(arg);
	starpu_omp_taskgroup_inline_end();
}

/* ---- making tasks ---- */

static void ended_with_data(void *task)
{
	struct omp_task *t = task;
	struct omp_group *own = t->waited;
	omp_task_finish(t);
	if (own)
		group_drop(own);
}

static void omp_task_submit(struct omp_task *t, int priority)
{
	omp_must_run("starpu_omp_task_region");
	struct rt_submitter *s = rt_self(omp.runtime);
	struct rt_job *j = s ? rt_prepare(s) : NULL;
	if (!j)
		omp_no_memory();
	j->body = omp_task_body;
	j->arg = t;
	j->priority = priority;
	if (rt_submit(s, j))
		omp_no_memory();
}

/* A task that is not deferred: its parent goes on when it has ended. */
static void run_with_data(struct omp_task *me, struct omp_task *t, const struct starpu_omp_task_region_attr *attr, bool deferred)
{
	struct omp_group own = {.waiter = NULL};
	weft_store_u64(&own.left, 2);
	t->waited = deferred ? NULL : &own;
	int rc = omp_submit_with_data(t, &attr->cl, attr->handles, attr->priority, -1, ended_with_data);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_omp_task_region");
	if (!deferred)
		group_wait(me, &own);
}

static bool needs_task(const struct starpu_codelet *cl)
{
	return cl->nbuffers || !cl->cpu_funcs[0];
}

void starpu_omp_task_region(const struct starpu_omp_task_region_attr *attr)
{
	struct omp_task *me = omp_current(), *t = task_new();
	bool deferred = attr->if_clause && !me->final;
	t->parent = me;
	t->thread = me->thread;
	t->group = me->inner ? me->inner : me->group;
	t->inner = NULL;
	t->waited = NULL;
	t->func = attr->cl.cpu_funcs[0];
	t->arg = attr->cl_arg;
	t->icvs = me->icvs;
	t->final = attr->final_clause || me->final;
	t->owns_arg = attr->cl_arg_free;
	t->traced = false;
	weft_store_relaxed_u64(&t->kids, 0); /* relaxed: published with the job */
	if (t->group)
		weft_add_u64(&t->group->left, 1);
	weft_add_u64(&me->kids, OMP_UNENDED | OMP_LIVE);
	if (needs_task(&attr->cl)) {
		run_with_data(me, t, attr, deferred);
	} else if (deferred) {
		omp_task_submit(t, attr->priority);
	} else {
		omp_task_run(t, (void *[]){NULL});
		omp_task_finish(t);
	}
}

/* ---- loops of tasks ---- */

static unsigned long long count_parts(const struct starpu_omp_task_region_attr *attr)
{
	unsigned long long n = 4;
	if (attr->num_tasks > 0)
		n = (unsigned long long)attr->num_tasks;
	else if (attr->grainsize)
		n = attr->nb_iterations / attr->grainsize;
	n = n ? n : 1;
	return n < attr->nb_iterations ? n : attr->nb_iterations;
}

/* Each task sees its part in [begin_i, end_i) of the attributes as they are when it is made. */
void starpu_omp_taskloop_inline_begin(struct starpu_omp_task_region_attr *attr)
{
	unsigned long long parts = count_parts(attr);
	if (!attr->nogroup_clause)
		starpu_omp_taskgroup_inline_begin();
	if (!parts)
		return;
	attr->chunk = attr->nb_iterations / parts + (attr->nb_iterations % parts != 0);
	for (unsigned long long i = 0; i < parts; i++) {
		attr->begin_i = attr->nb_iterations * i / parts;
		attr->end_i = attr->nb_iterations * (i + 1) / parts;
		starpu_omp_task_region(attr);
	}
}

void starpu_omp_taskloop_inline_end(const struct starpu_omp_task_region_attr *attr)
{
	if (!attr->nogroup_clause)
		starpu_omp_taskgroup_inline_end();
}
