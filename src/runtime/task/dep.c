/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependencies that the program declares between tasks. A task that is not submitted has a job
 * already, so that others can depend on it; an edge from a job that is done is refused. End
 * dependencies delay the end of a task: they are counted in it, and each task stores one other
 * whose end waits for it. Where several ends wait for the same task, helper jobs that run when it
 * is done stand for the others.
 */
#include "complain.h"
#include "task.h"
#include "runtime/core/fiber.h"
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

static struct rt_task *dep_task_of(struct starpu_task *t, const char *what)
{
	if (!t)
		rt_misuse("%s: a task is NULL", what);
	struct rt_task *own = rt_task_of(t);
	if (!own)
		rt_misuse("no memory for a dependency");
	return own;
}

static struct rt_task *other_of(const struct rt_task *own, struct starpu_task *t, const char *what)
{
	struct rt_task *other = dep_task_of(t, what);
	if (other == own)
		rt_misuse("%s: a task is declared to depend on itself", what);
	return other;
}

static bool is_over(const struct rt_task *own)
{
	uint32_t state = weft_load_u32(&own->state) & RT_T_STATE;
	return state == RT_T_DONE || state == RT_T_CALLBACK;
}

/* The reference to the end of its present or next turn, made at need; 0: it is done. */
static rt_ref end_of(struct rt_task *own)
{
	rt_ref ref = 0;
	rt_task_lock(own);
	uint32_t turn = own->turns;
	rt_task_unlock(own);
	if (!is_over(own) && rt_task_name(own, turn, &ref))
		rt_misuse("no memory for a dependency");
	return ref;
}

static enum rt_verdict body_goes_on(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	rt_go_on(j->arg);
	return RT_DONE;
}

/* Until its end by a job behind it; then its callback may still run on another worker. */
void rt_task_wait_in_the_middle(struct rt_task *own)
{
	struct rt_submitter *s = rt_self(rt_machine.core);
	rt_ref end = end_of(own);
	if (end) {
		struct rt_waiter me;
		struct rt_job *j = s ? rt_prepare(s) : NULL;
		if (!j || rt_after(s, end))
			rt_misuse("no memory to wait for a task");
		rt_waiter_init(&me, rt_machine.core);
		j->body = body_goes_on;
		j->arg = &me;
		if (rt_submit(s, j))
			rt_misuse("no memory to wait for a task");
		rt_wait_here(&me);
	}
	while ((weft_load_u32(&own->state) & RT_T_STATE) != RT_T_DONE)
		sched_yield();
}

/* Tasks with declared predecessors: the list that queries for a task's successors walk over. */
static struct {
	pthread_mutex_t lock; /* of the list, and of their `dep` */
	struct rt_task *first;
} declared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void list_declared(struct rt_task *own)
{
	own->declared_before = NULL;
	own->next_declared = declared.first;
	if (declared.first)
		declared.first->declared_before = own;
	declared.first = own;
}

static void unlist_declared(const struct rt_task *own)
{
	if (own->next_declared)
		own->next_declared->declared_before = own->declared_before;
	if (own->declared_before)
		own->declared_before->next_declared = own->next_declared;
	else
		declared.first = own->next_declared;
}

static void add_dep(struct rt_task *own, struct rt_task *pred)
{
	pthread_mutex_lock(&declared.lock);
	if (!own->dep)
		list_declared(own);
	if (own->n_deps == own->cap_deps) {
		uint32_t cap = own->cap_deps ? 2 * own->cap_deps : 4;
		struct rt_dep *more = realloc(own->dep, cap * sizeof *more);
		if (!more)
			rt_misuse("no memory for a dependency");
		own->dep = more;
		own->cap_deps = cap;
	}
	rt_task_lock(pred);
	bool over = pred->turns && is_over(pred);
	own->dep[own->n_deps++] = (struct rt_dep){pred, pred->turns - over};
	rt_task_unlock(pred);
	pthread_mutex_unlock(&declared.lock);
	weft_add_u32(&pred->holders, 1);
}

void starpu_task_declare_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	struct rt_task *own = dep_task_of(task, "starpu_task_declare_deps_array");
	if (!ndeps)
		return;
	if ((weft_load_u32(&own->state) & RT_T_STATE) == RT_T_SUBMITTED)
		rt_misuse("starpu_task_declare_deps_array: the task is already submitted");
	for (unsigned i = 0; i < ndeps; i++)
		add_dep(own, other_of(own, task_array[i], "starpu_task_declare_deps_array"));
}

int rt_task_take_deps(struct rt_task *own, struct rt_refs *before)
{
	int rc = 0;
	for (uint32_t i = 0; i < own->n_deps && !rc; i++) {
		struct rt_dep *d = &own->dep[i];
		rt_ref ref;
		rc = rt_task_name(d->pred, d->seen, &ref);
		d->seen += !rc;
		rc = ref ? rt_refs_add(before, ref) : rc;
	}
	return rc ? -ENOMEM : 0;
}

void rt_task_drop_deps(struct rt_task *own)
{
	if (!own->dep)
		return;
	pthread_mutex_lock(&declared.lock);
	unlist_declared(own);
	pthread_mutex_unlock(&declared.lock);
	for (uint32_t i = 0; i < own->n_deps; i++)
		rt_task_unref(own->dep[i].pred);
	free(own->dep);
	own->dep = NULL;
	own->n_deps = own->cap_deps = 0;
}

static bool comes_after(const struct rt_task *own, const struct rt_task *pred)
{
	for (uint32_t i = 0; i < own->n_deps; i++)
		if (own->dep[i].pred == pred)
			return true;
	return false;
}

void rt_task_each_declared(const struct rt_task *own, void (*each)(void *arg, struct starpu_task *behind), void *arg)
{
	pthread_mutex_lock(&declared.lock);
	for (const struct rt_task *next = declared.first; next; next = next->next_declared)
		if (comes_after(next, own))
			each(arg, next->task);
	pthread_mutex_unlock(&declared.lock);
}

/*
 * It is freed with this turn, and no other depends on it: a query for it would read memory that may
 * be freed.
 */
static bool is_alone(const struct rt_task *own)
{
	const struct starpu_task *t = own->task;
	return t->detach && t->destroy && !t->regenerate && weft_load_u32(&own->holders) == 1 &&
	       !(weft_load_u32(&own->state) & RT_T_DESTROY);
}

static struct rt_over turn_over(struct rt_task *own)
{
	struct rt_over over = {own->ends_with, own->named};
	own->ends_with = NULL;
	own->named = false;
	own->turns++;
	own->job = NULL;
	own->made_with_job = false;
	weft_store_i32(&own->ends, 1);
	return over;
}

struct rt_over rt_task_turn_over(struct rt_task *own)
{
	if (WEFT_LIKELY(is_alone(own))) {
		struct rt_over over = turn_over(own);
		weft_store_u32(&own->state, RT_T_CALLBACK);
		return over;
	}
	rt_task_lock(own);
	struct rt_over over = turn_over(own);
	uint32_t old = weft_load_u32(&own->state);
	while (!weft_cas_u32(&own->state, &old, (old & ~(uint32_t)RT_T_STATE) | RT_T_CALLBACK))
		continue;
	rt_task_unlock(own);
	return over;
}

static struct starpu_task **dep_listed(unsigned n, va_list *ap)
{
	struct starpu_task **list = malloc((n ? n : 1) * sizeof *list);
	if (!list)
		rt_misuse("no memory for a dependency");
	for (unsigned i = 0; i < n; i++)
		list[i] = va_arg(*ap, struct starpu_task *);
	return list;
}

void starpu_task_declare_deps(struct starpu_task *task, unsigned ndeps, ...)
{
	va_list ap;
	va_start(ap, ndeps);
	struct starpu_task **list = dep_listed(ndeps, &ap);
	va_end(ap);
	starpu_task_declare_deps_array(task, ndeps, list);
	free(list);
}

/* ---- end dependencies ---- */

/* Any worker may end it: this one is in the middle of something. */
void rt_task_end_one(struct rt_task *own)
{
	if (weft_add_i32(&own->ends, -1) != 1)
		return;
	struct rt_worker *w = rt_worker_self();
	if (w)
		rt_worker_keep(w, own->job);
	else
		rt_again(own->ran_on, own->job);
}

struct end_job {
	struct rt_at_once at_once;
	struct rt_task *of;
};

static enum rt_verdict release_end(struct rt_job *j, struct rt_worker *w)
{
	struct end_job *e = (struct end_job *)j->arg;
	(void)w;
	rt_task_end_one(e->of);
	free(e);
	j->arg = NULL;
	return RT_DONE;
}

enum end { END_OVER, END_WAITS, END_TAKEN };

/*
 * The end of `own`, which has counted it, waits for that of `other`, unless that is over or has
 * another waiter.
 */
static enum end end_with(struct rt_task *own, struct rt_task *other)
{
	rt_task_lock(other);
	enum end end = is_over(other) ? END_OVER : other->ends_with ? END_TAKEN : END_WAITS;
	if (end == END_WAITS)
		other->ends_with = own;
	rt_task_unlock(other);
	return end;
}

/* The same, by a job that stands for it; false: it is over. */
static bool end_behind(struct rt_task *own, struct rt_task *other)
{
	struct rt_submitter *s = rt_self(rt_machine.core);
	rt_ref ref = end_of(other);
	if (!ref)
		return false;
	struct rt_job *j = s ? rt_prepare(s) : NULL;
	struct end_job *e = malloc(sizeof *e);
	if (!j || !e || rt_after(s, ref))
		rt_misuse("no memory for a dependency");
	*e = (struct end_job){{release_end}, own};
	j->body = NULL;
	j->arg = e;
	if (rt_submit(s, j))
		rt_misuse("no memory for a dependency");
	return true;
}

void starpu_task_declare_end_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task *task_array[])
{
	struct rt_task *own = dep_task_of(task, "starpu_task_declare_end_deps_array");
	/*
	 * Counted before one of them may be over; `own` itself still counts, so that this is not
	 * its end.
	 */
	weft_add_i32(&own->ends, (int32_t)ndeps);
	int32_t waits = 0;
	for (unsigned i = 0; i < ndeps; i++) {
		struct rt_task *other = other_of(own, task_array[i], "starpu_task_declare_end_deps_array");
		enum end end = end_with(own, other);
		waits += end == END_WAITS || (end == END_TAKEN && end_behind(own, other));
	}
	if (waits < (int32_t)ndeps)
		weft_add_i32(&own->ends, waits - (int32_t)ndeps);
}

void starpu_task_declare_end_deps(struct starpu_task *task, unsigned ndeps, ...)
{
	va_list ap;
	va_start(ap, ndeps);
	struct starpu_task **list = dep_listed(ndeps, &ap);
	va_end(ap);
	starpu_task_declare_end_deps_array(task, ndeps, list);
	free(list);
}

void starpu_task_end_dep_add(struct starpu_task *t, int nb_deps)
{
	weft_add_i32(&dep_task_of(t, "starpu_task_end_dep_add")->ends, nb_deps);
}

void starpu_task_end_dep_release(struct starpu_task *t)
{
	rt_task_end_one(dep_task_of(t, "starpu_task_end_dep_release"));
}
