/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a task: pushed to its context's policy when ready, popped by a worker.
 *
 * The core works with jobs, policies with struct starpu_task: the callbacks here (rt_policy_ops)
 * stand between both. A ready job's task goes to its context's policy, or past it into the list of
 * the worker that it names. A worker polls three places: a parallel task that it is to join, its
 * own list, then the policies of its contexts in turn.
 *
 * Sleeping: `poked` is cleared before a poll and set by each push (sched_wake), so that a task
 * pushed after an empty poll is seen by the core before the worker sleeps.
 */
#include "sched.h"
#include "sched_knobs.h"
#include "runtime/task/break.h"
#include "runtime/profile/profile.h"
#include "runtime/core/life_detail.h"
#include "runtime/perf/perf.h"
#include "runtime/meter/virtual_time.h"

struct sched_worker sched_workers[STARPU_NMAXWORKERS];

void sched_wake(unsigned worker)
{
	if (worker >= rt_machine.n_workers)
		return;
	weft_store_bool(&sched_workers[worker].poked, true);
	rt_wake(&rt_machine.core->worker[worker]);
}

/* -- pushing -- */

/* Policies of programs often wake no worker, or the wrong one: all poll. */
static void wake_all(const struct sched_ctx *c)
{
	const struct sched_members *m = sched_members(c);
	for (unsigned i = 0; i < m->n; i++)
		sched_wake((unsigned)m->id[i]);
}

static struct {
	starpu_notify_ready_soon_func func;
	void *data;
} soon;

void starpu_task_notify_ready_soon_register(starpu_notify_ready_soon_func f, void *data)
{
	soon.data = data;
	soon.func = f;
	if (f && rt_machine.core)
		sched_take_over();
}

/* Tasks for a context without workers are held until it has some. */
static bool sched_hold(struct sched_ctx *c, struct starpu_task *t)
{
	pthread_mutex_lock(&c->lock);
	bool empty = !sched_members(c)->n;
	if (empty)
		starpu_task_list_push_back(&c->held, t);
	pthread_mutex_unlock(&c->lock);
	return empty;
}

/* A task goes to its worker, or to several, past the policy. */
static void tell_policy(const struct starpu_sched_policy *p, struct starpu_task *t)
{
	int size = 1, one = (int)t->workerid, *members = &one;
	if (starpu_worker_is_combined_worker(one))
		starpu_combined_worker_get_description(one, &size, &members);
	for (int i = 0; i < size; i++)
		p->push_task_notify(t, members[i], one, t->sched_ctx);
}

/* A context without a scheduler: its first worker runs its tasks; meanwhile, the others sleep. */
static void push_without_policy(const struct sched_ctx *c, struct starpu_task *t)
{
	const struct sched_members *m = sched_members(c);
	int first = m->n ? m->id[0] : 0;
	if (m->n > 1 && !c->awake_workers)
		STARPU_ASSERT_MSG(!sched_party_push(t, -1, m->id, (int)m->n), "no memory for a task of a parallel worker");
	else
		starpu_push_local_task(first, t, 0);
}

static void sched_push_task(struct starpu_task *t)
{
	struct sched_ctx *c = sched_ctx(t->sched_ctx);
	c = c ? c : &sched_ctxs[0];
	t->sched_ctx = c->id;
	sched_ctx_ready(c, t, 1);
	if (c->id && sched_hold(c, t))
		return;
	if (soon.func)
		soon.func(soon.data, t, 0);
	struct starpu_sched_policy *p = c->policy;
	if (t->execute_on_a_specific_worker) {
		if (p && p->push_task_notify)
			tell_policy(p, t);
		starpu_push_local_task((int)t->workerid, t, 0);
		return;
	}
	if (!p || !p->push_task) {
		push_without_policy(c, t);
		return;
	}
	bool is_users = c->is_users; /* once it is pushed, the task may be done, and its context freed */
	STARPU_ASSERT_MSG(p->push_task(t) >= 0, "the scheduling policy refused a task");
	if (is_users)
		wake_all(c);
}

/* The task may be done, and freed, when this returns. */
void sched_push(struct starpu_task *t)
{
	weft_enter(rt_detail.scheduling);
	if (rt_traced_in_detail())
		weft_point(rt_detail.push, (int64_t)rt_job_ref(rt_task_job(t)));
	if (rt_is_profiled()) {
		struct rt_task *held = rt_profile_pushes(t);
		sched_push_task(t);
		rt_profile_pushed(held);
	} else {
		sched_push_task(t);
	}
	weft_leave(rt_detail.scheduling);
}

void sched_push_again(struct starpu_task *t)
{
	struct sched_ctx *c = sched_ctx(t->sched_ctx);
	sched_ctx_ready(c ? c : &sched_ctxs[0], t, -1);
	sched_push(t);
}

/*
 * `back` is the end from which the worker takes; 0 makes it first in, first out, among tasks of a
 * priority.
 */
int starpu_push_local_task(int workerid, struct starpu_task *task, int back)
{
	int size, *members;
	const struct rt_task *own = task->starpu_private;
	if (own && own->alias_of)
		return rt_alias_push(task, workerid);
	if (starpu_worker_is_combined_worker(workerid)) {
		starpu_combined_worker_get_description(workerid, &size, &members);
		return sched_party_push(task, workerid, members, size);
	}
	STARPU_ASSERT_MSG(workerid >= 0 && (unsigned)workerid < rt_machine.n_workers, "a task for worker %d, which there is not",
	                  workerid);
	struct sched_worker *w = &sched_workers[workerid];
	pthread_mutex_lock(&w->lock);
	if (back)
		starpu_st_prio_deque_push_front_task(&w->local, task);
	else
		starpu_st_prio_deque_push_back_task(&w->local, task);
	weft_add_u32(&w->n_local, 1);
	pthread_mutex_unlock(&w->lock);
	sched_wake((unsigned)workerid);
	return 0;
}

/* -- popping -- */

/* Tasks for this worker alone, the most urgent first. */
static struct starpu_task *pop_local(struct sched_worker *w)
{
	if (!weft_load_u32(&w->n_local))
		return NULL;
	pthread_mutex_lock(&w->lock);
	struct starpu_task *t = starpu_st_prio_deque_pop_task(&w->local);
	if (t)
		weft_add_u32(&w->n_local, -UINT32_C(1));
	pthread_mutex_unlock(&w->lock);
	return t;
}

/*
 * A worker publishes the context that it polls, then reads whether it still belongs to it; removing
 * a worker from a context publishes that, then reads whether the worker polls it (sched_ctx_remove,
 * the partner of the fence): so that a policy can end.
 */
static struct starpu_task *pop_from(struct sched_worker *w, unsigned ctx)
{
	struct starpu_task *t = NULL;
	weft_store_u32(&w->asking, ctx + 1);
	weft_fence_seq_cst();
	if (weft_load_u32(&w->ctxs) >> ctx & 1) {
		struct starpu_sched_policy *p = sched_ctxs[ctx].policy;
		t = p && p->pop_task ? p->pop_task(ctx) : NULL;
	}
	weft_store_u32(&w->asking, 0);
	return t;
}

/* The popped task, or NULL: it now belongs to the context of this worker's parallel worker. */
static struct starpu_task *keep_or_adopt(const struct sched_worker *w, struct starpu_task *t)
{
	uint32_t adopts = weft_load_u32(&w->adopts);
	if (!t || !adopts || sched_ctxs[adopts - 1].nested != (int)t->sched_ctx)
		return t;
	starpu_sched_ctx_move_task_to_ctx_locked(t, adopts - 1, 1);
	return NULL;
}

struct starpu_task *sched_pop(unsigned worker)
{
	struct sched_worker *w = &sched_workers[worker];
	struct starpu_task *t = pop_local(w);
	uint32_t all = weft_load_u32(&w->ctxs), later = all >> w->turn << w->turn, earlier = all & ~later;
	while (!t && (later | earlier)) {
		uint32_t *from = later ? &later : &earlier;
		unsigned ctx = (unsigned)__builtin_ctz(*from);
		*from &= *from - 1;
		t = keep_or_adopt(w, pop_from(w, ctx));
		w->turn = ctx + 1;
	}
	return t;
}

/* -- the core's view -- */

static void sched_ready(struct rt_job *j)
{
	struct starpu_task *t = rt_job_task(j);
	STARPU_ASSERT_MSG(t, "no memory for a task");
	t->status = STARPU_TASK_READY;
	sched_push(t);
}

static struct rt_job *sched_take(struct rt_worker *w)
{
	struct sched_worker *me = &sched_workers[w->number];
	if (w->number >= rt_machine.n_workers)
		return NULL;
	/* Before the poll, so that a push after it is seen next time. */
	weft_store_bool(&me->poked, false);
	weft_enter(rt_detail.scheduling);
	uint64_t asked = rt_is_profiled() ? rt_profile_asked(w->number) : 0;
	struct starpu_task *t = sched_party_take(w->number);
	t = t ? t : sched_pop(w->number);
	if (asked)
		rt_profile_given(w->number, t, asked);
	if (t && rt_traced_in_detail())
		weft_point(rt_detail.pop, (int64_t)rt_job_ref(rt_task_job(t)));
	weft_leave(rt_detail.scheduling);
	if (!t)
		return NULL;
	/* There may be more. */
	weft_store_bool(&me->poked, true);
	struct sched_ctx *c = sched_ctx(t->sched_ctx);
	sched_ctx_ready(c ? c : &sched_ctxs[0], t, -1);
	return rt_task_job(t);
}

static bool sched_any(struct rt_worker *w)
{
	return w->number < rt_machine.n_workers &&
	       (weft_load_bool(&sched_workers[w->number].poked) || weft_load_u32(&sched_workers[w->number].n_local) ||
	        sched_party_any(w->number));
}

static uint64_t sched_count(void)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < STARPU_NMAX_SCHED_CTXS; i++) {
		int32_t ready = sched_ctx(i) ? weft_load_i32(&sched_ctxs[i].ready) : 0;
		n += ready > 0 ? (uint64_t)ready : 0;
	}
	return n;
}

static struct starpu_sched_policy *policy_of(const struct starpu_task *t)
{
	struct sched_ctx *c = sched_ctx(t->sched_ctx);
	return (c ? c : &sched_ctxs[0])->policy;
}

static void sched_before(struct rt_job *j, struct rt_worker *w)
{
	struct starpu_task *t = rt_job_task(j);
	struct starpu_sched_policy *p = t ? policy_of(t) : NULL;
	struct sched_worker *me = &sched_workers[w->number];
	if (p && p->pre_exec_hook)
		p->pre_exec_hook(t, t->sched_ctx);
	me->began_ns = rt_time_ns();
	sched_party_begins(t, w);
	if (t && t->predicted > 0)
		sched_instant_set(&me->exp_end, (double)me->began_ns / 1e3 + t->predicted);
}

static void sched_after(struct rt_job *j, struct rt_worker *w)
{
	struct starpu_task *t = rt_job_task(j);
	struct starpu_sched_policy *p = t ? policy_of(t) : NULL;
	sched_party_ends(t, w->number);
	if (p && p->post_exec_hook)
		p->post_exec_hook(t, t->sched_ctx);
}

static void sched_submitted(struct rt_job *j)
{
	struct sched_ctx *c = sched_ctx(rt_upper(j)->ctx);
	struct starpu_sched_policy *p = (c ? c : &sched_ctxs[0])->policy;
	struct starpu_task *t = p && p->submit_hook ? rt_job_task(j) : NULL;
	if (t)
		p->submit_hook(t);
}

static const struct rt_policy_ops ops = {sched_ready,  sched_take,  sched_any,      sched_count,
                                         sched_before, sched_after, sched_submitted};

/* -- the interface of programs -- */

static bool prefetches = true; /* from the environment when the machine began */

int starpu_get_prefetch_flag(void)
{
	return prefetches;
}

void sched_go_hooked(void)
{
	if (rt_policy())
		return;
	__atomic_store_n(&rt_machine.policy, &ops, __ATOMIC_RELEASE);
	/* Those that were plain until now. */
	__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_RELEASE);
	if (rt_machine.core)
		rt_ask(rt_machine.core, RT_ASK_TAKE, 0);
}

/* -- begin and end -- */

/*
 * The choice of the program or its user: conf has the environment's already, and a name counts more
 * than a struct.
 */
static struct sched_policy sched_choose(const struct starpu_conf *conf)
{
	const char *name = conf->sched_policy_name;
	if (conf->sched_policy && !(name && *name))
		return (struct sched_policy){conf->sched_policy, false, RT_PRIO_NONE};
	if (name && !strcmp(name, "help")) {
		sched_policy_list(stderr);
		exit(EXIT_SUCCESS);
	}
	struct starpu_sched_policy *of_lib = name && *name ? sched_lib_policy(name) : NULL;
	if (of_lib)
		return (struct sched_policy){of_lib, false, RT_PRIO_NONE};
	return *sched_policy_or_usual(name);
}

static int sched_begin(struct rt_machine *m, struct weft_err *err)
{
	struct sched_policy chosen = sched_choose(&m->conf);
	for (unsigned i = 0; i < m->n_workers; i++) {
		struct sched_worker *w = &sched_workers[i];
		*w = (struct sched_worker){.turn = 0};
		sched_short_lock(&w->lock);
		pthread_cond_init(&w->cond, NULL);
		starpu_st_prio_deque_init(&w->local);
	}
	sched_combined_begin();
	sched_party_keeps_own();
	sched_knobs_begin();
	sched_outside_begin();
	prefetches = starpu_getenv_number_default("STARPU_PREFETCH", 1) != 0;
	m->prios = chosen.prios;
	m->take_over = sched_take_over;
	/* A policy's init may read the context: with all workers, before the first poll. */
	int rc = sched_ctx_make(0, "initial", &chosen);
	if (rc)
		return weft_err_sys(err, -rc, "cannot begin the scheduler");
	if (!chosen.native)
		sched_go_hooked();
	return 0;
}

/* Policies begin when all can be queried: workers, memory, models. */
static int sched_started(struct rt_machine *m, struct weft_err *err)
{
	int all[STARPU_NMAXWORKERS];
	(void)err;
	for (unsigned i = 0; i < m->n_workers; i++)
		all[i] = (int)i;
	struct sched_ctx *c = &sched_ctxs[0];
	if (c->policy->init_sched && !c->native)
		c->policy->init_sched(0);
	sched_ctx_add(c, all, m->n_workers);
	sched_ctx_begin(c);
	rt_break_begin();
	if (soon.func || rt_breaks)
		sched_take_over();
	if (m->policy)
		rt_ask(m->core, RT_ASK_TAKE, 0);
	return 0;
}

static void sched_stopping(struct rt_machine *m)
{
	(void)m;
	for (unsigned i = STARPU_NMAX_SCHED_CTXS; i-- > 1;)
		if (sched_ctxs[i].used)
			starpu_sched_ctx_delete(i);
}

static void sched_end(struct rt_machine *m)
{
	if (sched_ctxs[0].used)
		sched_ctx_unmake(&sched_ctxs[0]);
	sched_combined_end();
	sched_knobs_end();
	for (unsigned i = 0; i < m->n_workers; i++) {
		starpu_st_prio_deque_destroy(&sched_workers[i].local);
		pthread_mutex_destroy(&sched_workers[i].lock);
		pthread_cond_destroy(&sched_workers[i].cond);
	}
	m->policy = NULL;
	m->ctx = NULL;
}

const struct rt_layer rt_layer_sched = {"sched", sched_begin, sched_started, sched_stopping, sched_end};
