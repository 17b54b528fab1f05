/* SPDX-License-Identifier: Apache-2.0 */
/* Submitting a struct starpu_task: what it says becomes a job. */
#include "runtime/core/life_detail.h"
#include "runtime/task/break.h"
#include "runtime/task/complain.h"
#include "runtime/task/count.h"
#include "run.h"
#include "runtime/perf/perf.h"
#include "runtime/task/watch.h"
#include "runtime/core/fiber.h"
#include "runtime/task/transaction.h"
#include <limits.h>
#include <stdlib.h>

enum { MAGIC = 42 };

static const char *name_of(struct starpu_task *t)
{
	const char *name = starpu_task_get_name(t);
	return name ? name : "unnamed";
}

/* What no program may do; it is told plainly. */
static void submit_check(struct starpu_task *t)
{
	if (!t)
		rt_misuse("starpu_task_submit: no task is given");
	if (t->magic != MAGIC)
		rt_misuse("starpu_task_submit: the task was not made by starpu_task_create or starpu_task_init");
	if (!t->cl)
		return;
	if (rt_machine.core)
		rt_codelet_check(t->cl); /* from now on it says where it runs */
	unsigned n = STARPU_TASK_GET_NBUFFERS(t);
	if (n > STARPU_NMAXBUFS && !t->dyn_handles)
		rt_misuse("task '%s' has %u buffers, more than STARPU_NMAXBUFS (%d): it needs dyn_handles", name_of(t), n,
		          STARPU_NMAXBUFS);
	if (n > STARPU_NMAXBUFS && !t->dyn_modes && (t->cl->nbuffers == STARPU_VARIABLE_NBUFFERS || !t->cl->dyn_modes))
		rt_misuse("task '%s' has %u buffers, more than STARPU_NMAXBUFS (%d): it or its codelet needs dyn_modes",
		          name_of(t), n, STARPU_NMAXBUFS);
	for (unsigned i = 0; i < n; i++) {
		if (!STARPU_TASK_GET_HANDLE(t, i))
			rt_misuse("task '%s': handle %u is NULL", name_of(t), i);
		if (!(STARPU_TASK_GET_MODE(t, i) & (STARPU_RW | STARPU_SCRATCH | STARPU_REDUX | STARPU_NONE)))
			rt_misuse("task '%s': handle %u has no access mode", name_of(t), i);
	}
	if (t->where < 0 && t->cl->where && t->cl->where != STARPU_NOWHERE && t->cl->where & STARPU_NOWHERE)
		rt_misuse("codelet of task '%s': STARPU_NOWHERE cannot be combined with places", name_of(t));
}

static uint32_t mode_of(const struct starpu_task *t, unsigned i, bool nodeps)
{
	uint32_t mode = STARPU_TASK_GET_MODE(t, i);
	const unsigned char *each = t->handles_sequential_consistency;
	bool ordered = t->sequential_consistency && !nodeps && (!each || each[i]);
	return mode | (ordered ? 0 : (uint32_t)RT_UNORDERED);
}

static int fill_data(struct rt_submitter *s, struct starpu_task *t, struct rt_job *j, bool nodeps)
{
	unsigned n = t->cl ? STARPU_TASK_GET_NBUFFERS(t) : 0;
	int rc = rt_job_make_room(s->pool, j, n);
	if (!rc && t->dyn_handles && !t->dyn_interfaces) {
		t->dyn_interfaces = calloc(n, sizeof *t->dyn_interfaces);
		rc = t->dyn_interfaces ? 0 : -ENOMEM;
	}
	for (unsigned i = 0; i < n && !rc; i++) {
		rt_job_handles(j)[i] = (struct rt_handle *)(void *)STARPU_TASK_GET_HANDLE(t, i);
		rt_job_modes(j)[i] = mode_of(t, i, nodeps);
	}
	return rc;
}

/* Its workers; false: there are none, now or ever. */
static bool find_workers(struct starpu_task *t, struct rt_task *own)
{
	if (rt_task_runs_nowhere(t)) {
		own->mask = rt_machine.all;
		return true;
	}
	unsigned checked = rt_codelet_check(t->cl);
	if (t->where < 0)
		t->where = (int32_t)t->cl->where;
	own->plain = checked & RT_CL_PLAIN && (uint32_t)t->where == t->cl->where && !t->execute_on_a_specific_worker &&
	             !t->workerids_len;
	if (own->plain)
		own->mask = rt_machine.cpus;
	else
		rt_task_mask(t, &own->mask);
	/* The workers of its context may be others when it is ready: policies ask then. */
	struct rt_mask now = own->mask;
	if (rt_ctxs())
		rt_ctxs()->keep_workers(t->sched_ctx, &now);
	return (own->plain && !rt_ctxs()) || rt_task_has_place(t, &now);
}

void rt_task_change_ctx(struct starpu_task *t, unsigned ctx)
{
	unsigned from = t->sched_ctx;
	struct rt_task *own = t->starpu_private;
	t->sched_ctx = ctx;
	rt_upper(rt_task_job(t))->ctx = (uint16_t)ctx;
	if (!find_workers(t, own))
		rt_misuse("no worker of scheduling context %u can run task '%s'", ctx, name_of(t));
	rt_ctxs()->submitted(ctx);
	rt_ctxs()->done(from);
}

/* Whatever worker of the core's loop comes by may run it, and no other. */
static bool is_for_the_loop(const struct starpu_task *t, const struct rt_task *own)
{
	if (rt_policy())
		return false;
	return own->plain || rt_task_runs_nowhere(t) || (rt_mask_equals(&own->mask, &rt_machine.cpus) && !t->cl->can_execute);
}

static void submit_fill(struct starpu_task *t, struct rt_task *own, struct rt_job *j)
{
	bool placed = !is_for_the_loop(t, own) || t->prologue_callback_func || t->soon_callback_func || t->priority ||
	              t->workerorder || rt_counts_ready();
	j->body = rt_body_task;
	j->arg = t->cl_arg;
	j->priority = t->priority;
	j->bits = placed ? RT_J_PLACED : 0;
	*rt_upper(j) = (struct rt_upper){.cl = t->cl,
	                                 .task = t,
	                                 .name = t->name,
	                                 .file = t->file,
	                                 .line = t->line,
	                                 .ctx = (uint16_t)t->sched_ctx};
}

static int add_before(struct rt_submitter *s, struct rt_task *own, bool nodeps)
{
	int rc = 0;
	s->before.n = 0;
	for (uint32_t i = 0; i < own->before.n && !rc; i++)
		rc = rt_refs_add(&s->before, own->before.at[i]);
	own->before.n = 0;
	rc = rc ? rc : rt_task_take_deps(own, &s->before);
	if (!rc && own->task->use_tag)
		rc = rt_tag_submitted(own, nodeps ? NULL : &s->before);
	return rc ? -ENOMEM : 0;
}

/* In its own callback a task may be submitted again; anybody else waits for the end of that. */
static void may_begin_anew(const struct starpu_task *t, const struct rt_task *own)
{
	if (rt_calling.task == t)
		rt_calling.again = true;
	rt_task_wait_callback(own);
}

/* Context, policy and counter are notified first: the task may be done, and freed, when this returns. */
static int submit_job(struct rt_submitter *s, struct rt_job *j, unsigned ctx)
{
	if (rt_ctxs())
		rt_ctxs()->submitted(ctx);
	if (rt_policy() && rt_policy()->submitted)
		rt_policy()->submitted(j);
	const struct rt_count_ops *counts = rt_counts();
	if (counts) {
		counts->submitted(j);
		rt_count_submitting = j;
	}
	int rc = rt_submit(s, j);
	if (counts)
		rt_count_submitting = NULL;
	if (rc && counts)
		counts->refused(j);
	if (rc && rt_ctxs())
		rt_ctxs()->done(ctx);
	return rc;
}

int rt_task_submit(struct starpu_task *t, bool nodeps)
{
	struct rt_task *own = rt_task_of(t);
	struct rt_submitter *s = rt_self(rt_machine.core);
	if (!own || !s)
		return -ENOMEM;
	may_begin_anew(t, own);
	if ((weft_load_u32(&own->state) & RT_T_STATE) == RT_T_SUBMITTED)
		rt_misuse("task '%s' is submitted again before it is done", name_of(t));
	if (t->sched_ctx == STARPU_NMAX_SCHED_CTXS)
		t->sched_ctx = rt_ctxs() ? rt_ctxs()->current() : 0;
	else if (t->sched_ctx && !(rt_ctxs() && rt_ctxs()->is_there(t->sched_ctx)))
		rt_misuse("task '%s' is for scheduling context %u, which there is not", name_of(t), t->sched_ctx);
	if (WEFT_UNLIKELY(rt_cap_priority() != NULL))
		t->priority = rt_cap_priority()(t->sched_ctx, t->priority);
	if (!find_workers(t, own))
		return -ENODEV;
	if (t->transaction && rt_transaction_join(own))
		return -ENOMEM;
	/* Where workers differ, priorities want a policy. */
	if (t->priority && !rt_policy() && !is_for_the_loop(t, own))
		rt_machine.take_over();
	rt_iteration_of(t->iterations);
	struct rt_job *j = rt_task_prepare(own);
	int rc = j ? fill_data(s, t, j, nodeps) : -ENOMEM;
	if (rc)
		return rc;
	submit_fill(t, own, j);
	if (WEFT_UNLIKELY(rt_breaks))
		rt_task_number(own);
	if (t->cl)
		rt_perf_want(t->cl->model);
	rt_pass(RT_AT_SUBMIT, t, RT_NO_WORKER);
	own->announced = false;
	weft_store_u64(&own->footprint, 0);
	t->status = STARPU_TASK_BLOCKED;
	t->scheduled = 0;
	weft_store_u32(&own->state, RT_T_SUBMITTED | (weft_load_u32(&own->state) & RT_T_DESTROY));
	rc = add_before(s, own, nodeps);
	rc = rc ? rc : submit_job(s, j, t->sched_ctx);
	if (rc) { /* as if it had not been */
		weft_store_u32(&own->state, RT_T_NEW);
		t->status = STARPU_TASK_INIT;
	}
	return rc;
}

static void wait_outside(struct rt_task *own)
{
	uint32_t seen = weft_load_u32(&own->state);
	while ((seen & RT_T_STATE) != RT_T_DONE) {
		if (!(seen & RT_T_WAITED) && !weft_cas_u32(&own->state, &seen, seen | RT_T_WAITED))
			continue;
		rt_submitter_waits(rt_machine.core, &own->state, seen | RT_T_WAITED);
		seen = weft_load_u32(&own->state);
	}
}

static int wait_for(struct starpu_task *task)
{
	struct rt_task *own = task->starpu_private;
	if (rt_expect_wait("starpu_task_wait"))
		return -EDEADLK;
	if ((weft_load_u32(&own->state) & RT_T_STATE) == RT_T_NEW)
		return -EINVAL;
	rt_begin_held();
	if (rt_worker_self())
		rt_task_wait_in_the_middle(own);
	else
		wait_outside(own);
	if (task->destroy)
		starpu_task_destroy(task);
	rt_count_waited();
	return 0;
}

static int submit_task(struct starpu_task *t, bool nodeps)
{
	submit_check(t);
	if (!rt_machine.core)
		rt_misuse("task '%s' is submitted, and StarPU is not initialised", name_of(t));
	if (!t->synchronous) {
		rt_throttle();
		return rt_task_submit(t, nodeps);
	}
	if (rt_expect_wait("starpu_task_submit of a synchronous task"))
		return -EDEADLK;
	unsigned destroy = t->destroy;
	t->detach = 0;
	t->destroy = 0;
	int rc = rt_task_submit(t, nodeps);
	if (rc) {
		t->destroy = destroy & 1;
		return rc;
	}
	rc = wait_for(t);
	if (!rc && destroy)
		starpu_task_destroy(t);
	return rc;
}

int(starpu_task_submit)(struct starpu_task *task)
{
	if (!rt_trace_has(RT_GROUP_SUBMISSION))
		return submit_task(task, false);
	weft_enter(rt_detail.submitting);
	int rc = submit_task(task, false);
	weft_leave(rt_detail.submitting);
	return rc;
}

int starpu_task_submit_nodeps(struct starpu_task *task)
{
	return submit_task(task, true);
}

int starpu_task_submit_to_ctx(struct starpu_task *task, unsigned sched_ctx_id)
{
	task->sched_ctx = sched_ctx_id;
	return submit_task(task, false);
}

int starpu_task_wait(struct starpu_task *task)
{
	if (!task)
		rt_misuse("starpu_task_wait: no task is given");
	return !task->starpu_private || task->detach || task->synchronous ? -EINVAL : wait_for(task);
}

int starpu_task_wait_array(struct starpu_task **tasks, unsigned nb_tasks)
{
	for (unsigned i = 0; i < nb_tasks; i++) {
		int rc = starpu_task_wait(tasks[i]);
		if (rc)
			return rc;
	}
	return 0;
}
