/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running tasks. A plain one is its function and no more. Any other passes these stations, and may leave the worker at each arrow
 * and come back to it:
 *
 *     popped ─> data ─(fetch: RT_LATER, then the body once more)─> function ─(asynchronous: RT_LATER, then rt_task_ran)─>
 *     data let go ─(end dependencies: RT_LATER, then the body once more)─> epilogue, successors released, callback, gone
 */
#include "runtime/task/break.h"
#include "runtime/task/complain.h"
#include "runtime/task/count.h"
#include "runtime/task/driver.h"
#include "run.h"
#include "runtime/profile/profile.h"
#include "task_trace.h"
#include "runtime/task/transaction.h"
#include "runtime/data/data.h"
#include "runtime/data/data_stats.h"
#include "runtime/perf/perf.h"
#include "runtime/core/life_detail.h"
#include "runtime/meter/instant.h"
#include "runtime/meter/virtual_time.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* What an inserted task had is given back; the job itself is the core's. */
static void run_give_back(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	if (p->bits & RT_U_FREE_ARG)
		free(j->arg);
	if (p->bits & RT_U_MADE_TASK)
		rt_task_free(p->task);
	p->bits = 0;
	p->task = NULL;
}

static void **buffers_of(struct starpu_task *t, void **few)
{
	if (!t)
		return few;
	return t->dyn_handles ? t->dyn_interfaces : t->interfaces;
}

void rt_call_back(void (*func)(void *), void *arg)
{
	bool profiled = rt_is_profiled();
	if (profiled)
		rt_profile_enter_here(RT_CALLING_BACK);
	weft_enter(rt_detail.callback);
	func(arg);
	weft_leave(rt_detail.callback);
	if (profiled)
		rt_profile_leave_here(RT_CALLING_BACK);
}

/* What the program has on the way to its function, once. */
static void run_popped(struct rt_job *j, struct rt_worker *w)
{
	struct rt_upper *p = rt_upper(j);
	struct starpu_task *t = p->task;
	p->bits |= RT_U_POPPED;
	rt_break_on(RT_BREAK_POP, j);
	if (j->bits & RT_J_PLACED && !rt_policy())
		rt_placed_ran(w->number);
	rt_pass(RT_AT_POP, t, w->number);
	const struct rt_count_ops *counts = rt_counts();
	if (counts)
		counts->popped(j);
	if (t && t->prologue_callback_pop_func) {
		struct rt_job *outer = rt_worker_set_current(w, j);
		rt_call_back(t->prologue_callback_pop_func, t->prologue_callback_pop_arg);
		rt_worker_set_current(w, outer);
	}
	const struct rt_task *own = t ? t->starpu_private : NULL;
	p->bits |= rt_job_runs_nowhere(j) ? RT_U_NOWHERE : 0;
	if (!p->cl)
		return;
	if (own && own->has_impl) {
		p->impl = own->impl;
	} else if (own && own->plain) {
		p->impl = 0;
	} else if (t) {
		int impl = rt_task_can_run(t, w->number);
		p->impl = impl < 0 ? 0 : (uint8_t)impl;
	} else {
		const struct rt_driver *d = rt_machine.worker[w->number].driver;
		for (p->impl = 0; p->impl + 1 < STARPU_MAXIMPLEMENTATIONS && !d->has(p->cl, p->impl);)
			p->impl++;
	}
}

/* A model that measures nothing is many codelets': its symbol is no name. */
static const char *name_of(const struct starpu_codelet *cl)
{
	bool measured = cl->model && cl->model->type != STARPU_PERFMODEL_INVALID;
	return cl->name ? cl->name : measured && cl->model->symbol ? cl->model->symbol : cl->cpu_funcs_name[0];
}

static void trace_start(struct rt_job *j, const struct rt_worker *w)
{
	const struct rt_upper *p = rt_upper(j);
	const struct starpu_task *t = p->task;
	struct rt_trace_task what = {.codelet = p->cl, .name = name_of(p->cl), .priority = j->priority};
	if (t) {
		what.tag = t->use_tag ? (int64_t)t->tag_id : 0;
		what.iteration = t->iterations[0] > 0 ? t->iterations[0] : 0;
	}
	if (!rt_traced_in_detail()) {
		rt_trace_start(rt_job_ref(j), &what);
		return;
	}
	struct weft_bundle b;
	rt_task_tell_data(j);
	weft_bundle_begin(&b);
	rt_trace_start_in(&b, rt_job_ref(j), &what);
	rt_task_trace(&b, j, w->number);
	weft_bundle_record(&b);
}

/* Of a plain job: behind it nothing comes but its end. */
static void trace_end(const struct rt_job *j, struct rt_worker *w)
{
	const struct rt_upper *p = rt_upper((struct rt_job *)(uintptr_t)j);
	if (p->bits & RT_U_MADE_TASK)
		rt_trace_end(p->cl, name_of(p->cl));
	else
		rt_trace_end_last(w, p->cl, name_of(p->cl));
}

struct rt_stretch rt_task_begins(struct rt_job *j, struct rt_worker *w)
{
	const struct rt_upper *p = rt_upper(j);
	bool measured = p->cl->model && __atomic_load_n(&p->cl->model->benchmarking, __ATOMIC_RELAXED);
	struct rt_stretch s = {.measured_from_ns = measured ? rt_time_ns() : 0, .traced = rt_traced()};
	if (s.traced)
		trace_start(j, w);
	rt_pass(RT_AT_START, p->task, w->number);
	if (rt_is_profiled() && rt_profile_measures())
		rt_profile_function_begins(w->number);
	const struct rt_count_ops *counts = rt_counts();
	if (counts && counts->wants_time())
		s.counted_from_ns = rt_time_ns();
	return s;
}

void rt_task_stops(struct rt_job *j, struct rt_worker *w, const struct rt_stretch *s)
{
	const struct rt_upper *p = rt_upper(j);
	if (rt_is_profiled() && rt_profile_measures())
		rt_profile_function_ends(p->task, w->number);
	if (s->traced)
		rt_trace_end(p->cl, name_of(p->cl));
	const struct rt_count_ops *counts = rt_counts();
	uint64_t until = s->measured_until_ns                        ? s->measured_until_ns
	                 : s->measured_from_ns || s->counted_from_ns ? rt_time_ns()
	                                                             : 0;
	if (s->measured_from_ns)
		rt_perf_ran(rt_job_task(j), w->number, p->impl, (double)(until - s->measured_from_ns) / 1000.0);
	if (counts)
		counts->ran(j, w->number, s->counted_from_ns ? until - s->counted_from_ns : 0);
}

static enum rt_verdict run_function(struct rt_job *j, struct rt_worker *w, void **buffers)
{
	struct rt_upper *p = rt_upper(j);
	struct starpu_task *t = p->task;
	const struct rt_policy_ops *policy = rt_policy();
	const struct rt_driver *driver = rt_machine.worker[w->number].driver;
	struct rt_job *outer = rt_worker_set_current(w, j);
	if (rt_is_pausing(w->runtime)) /* meanwhile: its data may have taken long */
		rt_worker_back(w);
	if (t) {
		t->status = STARPU_TASK_RUNNING;
		t->scheduled = 1; /* by the core's loop, if no policy has said so */
		((struct rt_task *)t->starpu_private)->ran_on = w;
	}
	if (policy && policy->before)
		policy->before(j, w);
	rt_break_on(RT_BREAK_EXEC, j);
	enum rt_verdict v = RT_DONE;
	if (WEFT_UNLIKELY(driver->flies && !rt_machine.idle_functions && driver->flies(p->cl, p->impl))) {
		v = driver->run(w, j, p->impl, buffers, j->arg);
	} else {
		struct rt_stretch s = rt_task_begins(j, w);
		if (WEFT_LIKELY(!rt_machine.idle_functions))
			v = driver->run(w, j, p->impl, buffers, j->arg);
		rt_task_stops(j, w, &s);
	}
	rt_worker_set_current(w, outer);
	return v;
}

/* The task is done in the eyes of the program; `own` may be gone with it. */
static void run_set_done(struct rt_task *own)
{
	struct starpu_task *t = own->task;
	uint32_t old = weft_load_u32(&own->state);
	do {
		if (old & RT_T_DESTROY) {
			rt_task_free(t);
			return;
		}
	} while (!weft_cas_u32(&own->state, &old, RT_T_DONE));
	if (old & RT_T_WAITED)
		rt_futex_wake(&own->state, INT_MAX);
}

/* True: the program has submitted the task again in there; then it is no longer ours. */
static bool call_back(struct starpu_task *t, struct starpu_codelet *cl, unsigned worker)
{
	void (*func)(void *) = t->callback_func ? t->callback_func : cl ? cl->callback_func : NULL;
	struct rt_calling outer = rt_calling;
	struct starpu_task *spoke_of = rt_speaks_of;
	if (!func) {
		rt_pass_at_once(RT_AT_CALLBACK, t, worker);
		rt_pass_at_once(RT_AT_CALLED_BACK, t, worker);
		return false;
	}
	rt_pass(RT_AT_CALLBACK, t, worker);
	rt_calling = (struct rt_calling){.task = t};
	rt_speaks_of = t;
	rt_call_back(func, t->callback_arg);
	bool again = rt_calling.again;
	rt_speaks_of = spoke_of;
	rt_calling = outer;
	rt_pass(RT_AT_CALLED_BACK, again ? NULL : t, worker);
	return again;
}

/* All that a task with a struct starpu_task has to do at its end. */
static void end_task(struct rt_job *j, struct rt_worker *w)
{
	struct rt_upper *p = rt_upper(j);
	struct starpu_task *t = p->task;
	struct rt_task *own = t->starpu_private;
	if (t->epilogue_callback_func) {
		struct rt_job *outer = rt_worker_set_current(w, j);
		rt_call_back(t->epilogue_callback_func, t->epilogue_callback_arg);
		rt_worker_set_current(w, outer);
	}
	struct rt_tag *tag = own->tag;
	own->tag = NULL;
	if (t->trs_epoch)
		rt_transaction_leave(t);
	t->status = STARPU_TASK_FINISHED;
	struct rt_over over = rt_task_turn_over(own);
	/* From now on its name is nobody's: the worker does not say that it runs it (rt_gate_watch). */
	if (over.named || j->n_accesses)
		rt_release(w, j);
	else
		rt_job_close_unknown(j);
	if (tag)
		rt_tag_done(tag);
	struct rt_job *between = rt_worker_set_idle_current(w, j); /* who pauses does not wait for the callback */
	bool again = call_back(t, p->cl, w->number);
	rt_worker_set_idle_current(w, between);
	if (over.ends && weft_add_i32(&over.ends->ends, -1) == 1)
		rt_worker_take(w, over.ends->job);
	if (rt_ctxs())
		rt_ctxs()->done(p->ctx);
	bool is_users = false;
	if (!again && t->regenerate) {
		weft_store_u32(&own->state, RT_T_NEW);
		if (rt_task_submit(t, false))
			rt_say("a task could not be submitted again");
	} else if (!again && t->detach && t->destroy) {
		rt_task_free(t);
	} else {
		is_users = !again;
	}
	rt_retire(w, j);
	if (is_users)
		run_set_done(own);
}

static enum rt_verdict end_job(struct rt_job *j, struct rt_worker *w)
{
	struct rt_upper *p = rt_upper(j);
	if (p->task && !(p->bits & RT_U_MADE_TASK)) {
		end_task(j, w);
		return RT_LATER;
	}
	run_give_back(j);
	return RT_DONE;
}

static void tell_progress(void)
{
	static struct weft_atomic_u64 done;
	fprintf(stderr, "\rstarpu: %" PRIu64 " tasks are done", weft_add_u64(&done, 1) + 1);
}

/* Behind the function: RT_DONE: the core ends the job. */
static enum rt_verdict run_after(struct rt_job *j, struct rt_worker *w)
{
	struct rt_upper *p = rt_upper(j);
	const struct rt_policy_ops *policy = rt_policy();
	if (p->cl && !(p->bits & RT_U_NOWHERE)) {
		if (WEFT_LIKELY(!rt_codelet_is_constant(p->cl) && !rt_machine.counts_no_codelets))
			++*rt_codelet_count(p->cl, w->number);
		if (WEFT_UNLIKELY(rt_machine.tells_progress))
			tell_progress();
		rt_pass(RT_AT_END, p->task, w->number);
		if (rt_data_was_fetched(j)) {
			weft_enter(rt_detail.pushing_output);
			rt_data_done(j, w);
			weft_leave(rt_detail.pushing_output);
			rt_pass(RT_AT_RELEASED, p->task, w->number);
		} else {
			rt_pass_at_once(RT_AT_RELEASED, p->task, w->number);
		}
		if (policy && policy->after)
			policy->after(j, w);
	}
	if (p->task) {
		struct rt_task *own = p->task->starpu_private;
		struct rt_job *next = WEFT_UNLIKELY(p->task->workerorder) ? rt_turn_was(p->task) : NULL;
		if (next)
			rt_place(&w->self, next);
		own->ran_on = w;
		p->bits |= RT_U_ENDING;
		/* Behind the function, nobody adds. */
		if (weft_load_i32(&own->ends) != 1 && weft_add_i32(&own->ends, -1) != 1)
			return RT_LATER;
	}
	return end_job(j, w);
}

/* Around the function of a plain job that is counted. */
static uint64_t count_begins(void)
{
	const struct rt_count_ops *counts = rt_counts();
	return counts && counts->wants_time() ? rt_time_ns() : 0;
}

static void count_ends(struct rt_job *j, const struct rt_worker *w, uint64_t from_ns)
{
	const struct rt_count_ops *counts = rt_counts();
	if (counts)
		counts->ran(j, w->number, from_ns ? rt_time_ns() - from_ns : 0);
}

enum rt_verdict rt_body_plain(struct rt_job *j, struct rt_worker *w)
{
	void *buffers[STARPU_NMAXBUFS];
	struct rt_upper *p = rt_upper(j);
	/* Said before it looks at its data: whoever takes a handle's plainness away waits for it. `outer` waits in the middle. */
	struct rt_job *outer = rt_worker_set_current(w, j);
	if (WEFT_UNLIKELY(!rt_data_plain(j, buffers))) {
		rt_worker_set_current(w, outer);
		return rt_body_task(j, w);
	}
	bool traced = rt_traced();
	if (traced)
		trace_start(j, w);
	uint64_t from_ns = WEFT_UNLIKELY(p->counted) ? count_begins() : 0;
	p->func(buffers, j->arg);
	if (traced)
		trace_end(j, w);
	if (WEFT_UNLIKELY(p->counted))
		count_ends(j, w, from_ns);
	rt_worker_set_current(w, outer);
	if (WEFT_UNLIKELY(p->bits & RT_U_MADE_TASK)) { /* somebody has asked for the task, and may have made its end wait */
		j->body = rt_body_task;
		return run_after(j, w);
	}
	++*rt_codelet_count(p->cl, w->number);
	if (WEFT_LIKELY(!p->bits)) /* nobody has asked for the task; by its data the order knows it */
		return j->n_accesses ? RT_DONE : RT_DONE_UNKNOWN;
	run_give_back(j);
	return RT_DONE;
}

void rt_job_timed(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	j->body = rt_body_timed;
	p->bits |= RT_U_TIMED;
	p->submitted_ns = rt_instant_ns();
}

/* A plain job, with the worker's time. Its times, too, when it looks at itself (rt_profile_show). */
enum rt_verdict rt_body_timed(struct rt_job *j, struct rt_worker *w)
{
	void *buffers[STARPU_NMAXBUFS];
	struct rt_upper *p = rt_upper(j);
	struct rt_job *outer = rt_worker_set_current(w, j);
	if (!rt_data_plain(j, buffers)) {
		rt_worker_set_current(w, outer);
		return rt_body_task(j, w);
	}
	bool traced = rt_traced();
	if (traced)
		trace_start(j, w);
	rt_profile_plain_begins(w->number);
	uint64_t from_ns = WEFT_UNLIKELY(p->counted) ? count_begins() : 0;
	p->cl->cpu_funcs[0](buffers, j->arg);
	if (WEFT_UNLIKELY(p->counted))
		count_ends(j, w, from_ns);
	if (traced)
		trace_end(j, w);
	rt_worker_set_current(w, outer);
	if (WEFT_UNLIKELY(p->bits & RT_U_MADE_TASK)) {
		j->body = rt_body_task;
		return run_after(j, w);
	}
	rt_profile_plain_ends(w->number);
	++*rt_codelet_count(p->cl, w->number);
	if (p->bits & RT_U_FREE_ARG) {
		run_give_back(j);
		return RT_DONE;
	}
	return j->n_accesses ? RT_DONE : RT_DONE_UNKNOWN;
}

void rt_task_ran(struct rt_job *j, struct rt_worker *w)
{
	if (run_after(j, w) == RT_DONE)
		rt_finish(w->runtime, j);
}

static void give_up(struct rt_job *j, const struct weft_err *err)
{
	const struct starpu_codelet *cl = rt_upper(j)->cl;
	rt_misuse("a task of codelet '%s' cannot get its data: %s", cl->name ? cl->name : "unnamed", err->text);
}

/* The worker says that it runs the job when its data is here, not before: until then it may be given to another. */
static bool run_fetch_slowly(struct rt_job *j, struct rt_worker *w, void **buffers)
{
	struct weft_err err = {0};
	rt_ref ref = rt_job_ref(j); /* before it may be somebody else's */
	if (rt_traced_in_detail()) {
		struct weft_bundle b;
		weft_bundle_begin(&b);
		weft_bundle_add(&b, rt_detail.fetching, WEFT_HEAD_ENTER, 0);
		rt_detail_add(&b, rt_detail.task, (int64_t)ref);
		weft_bundle_record(&b);
	}
	int rc = rt_data_fetch(j, w, buffers, &err);
	weft_leave(rt_detail.fetching);
	if (rc < 0)
		give_up(j, &err);
	if (!rc)
		rt_worker_set_current(w, j);
	return !rc;
}

/* True: the data is here, and the worker says that it runs the job, as rt_body_plain does. */
static inline bool run_fetch(struct rt_job *j, struct rt_worker *w, void **buffers)
{
	struct rt_job *outer = rt_worker_set_current(w, j);
	bool may_be_plain = !j->n_accesses || (w->node == STARPU_MAIN_RAM && !rt_upper(j)->cl->specific_nodes);
	if (may_be_plain && rt_data_plain(j, buffers)) {
		if (WEFT_UNLIKELY(rt_stats_counted))
			rt_stats_job(j, NULL);
		return true;
	}
	rt_worker_set_current(w, outer);
	return run_fetch_slowly(j, w, buffers);
}

/* What comes behind a task is overhead; its callbacks, within, are not. */
static enum rt_verdict ran_here(struct rt_job *j, struct rt_worker *w)
{
	weft_enter(rt_detail.overhead);
	enum rt_verdict v = run_after(j, w);
	weft_leave(rt_detail.overhead);
	return v;
}

enum rt_verdict rt_body_task(struct rt_job *j, struct rt_worker *w)
{
	struct rt_upper *p = rt_upper(j);
	void *few[STARPU_NMAXBUFS];
	if (p->bits & RT_U_ENDING)
		return end_job(j, w);
	if (!(p->bits & RT_U_POPPED))
		run_popped(j, w);
	if (p->bits & RT_U_NOWHERE || (p->task && p->task->trs_epoch && !rt_transaction_runs(p->task)))
		return run_after(j, w);
	void **buffers = buffers_of(p->task, few);
	struct rt_job *outer = rt_worker_current(w);
	if (!run_fetch(j, w, buffers))
		return RT_LATER;
	enum rt_verdict v = run_function(j, w, buffers);
	rt_worker_set_current(w, outer);
	return v == RT_DONE ? ran_here(j, w) : RT_LATER;
}

struct starpu_task *starpu_task_get_current(void)
{
	if (WEFT_UNLIKELY(rt_speaks_of != NULL))
		return rt_speaks_of;
	struct rt_worker *w = rt_worker_self();
	struct starpu_task *t = w && w->current ? rt_job_task(w->current) : NULL;
	if (t && rt_is_profiled())
		rt_profile_show(t, w->number);
	return t;
}
