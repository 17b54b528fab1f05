/* SPDX-License-Identifier: Apache-2.0 */
/* A worker: finding a job, running it, releasing what waits for it. */
#include "life_detail.h"
#include "base/clock.h"
#include <sched.h>
#include <stdlib.h>

enum { TAKE_MOST = 32, SPINS_PER_LOOK = 64, AHEAD = 3, GATHERED = 64, GATHER_LOOKS = 8 };

/* Where others can steal it. */
void rt_worker_keep(struct rt_worker *w, struct rt_job *ready)
{
	if (WEFT_LIKELY(!rt_deque_push(&w->deque, ready->self))) {
		rt_work_came(w->runtime);
		return;
	}
	ready->next_free = w->kept ? w->kept->self : 0;
	w->kept = ready;
}

void rt_worker_take(struct rt_worker *w, struct rt_job *ready)
{
	if (!w->next)
		w->next = ready;
	else
		rt_worker_keep(w, ready);
}

static void free_job(struct rt_outbox *o, struct rt_job *j)
{
	struct rt_job *room = WEFT_UNLIKELY(j->n_accesses > RT_ACCESSES) ? rt_job_leave_room(j) : NULL;
	if (room)
		rt_job_free(o, room);
	rt_job_free(o, j);
}

/* The edges out of a job that is done, which from now on takes none. */
static uint32_t close_edges(struct rt_job *j)
{
	uint64_t seq = weft_load_relaxed_u64(&j->succ) >> 32; /* relaxed: only we change it */
	return (uint32_t)weft_swap_u64(&j->succ, (uint64_t)(uint32_t)(seq + 1) << 32);
}

static inline void core_count_done(struct weft_atomic_u64 *own)
{
	weft_store_u64(own, weft_load_relaxed_u64(own) + 1); /* relaxed: only this thread stores it */
}

/* A worker runs it next; another thread's go to its queue. */
static inline void core_take_ready(struct rt_submitter *s, struct rt_worker *w, struct rt_job *j)
{
	if (w) {
		if (w->next)
			rt_worker_keep(w, w->next);
		w->next = j;
	} else if (!rt_make_ready(s, j)) {
		rt_again(rt_worker_of_all(s->runtime), j);
	}
}

/*
 * Releases what hung on a job that is done. The first of the list was submitted last: the one submitted first is to run next. Jobs
 * without a body are ended here, one after the other (there may be long chains of them): the list `at_once`.
 *
 * By a worker (`w`, and `s` is its own), or by a thread of the application (`w` NULL). Inlined into its two callers: a worker does not
 * ask what it is.
 */
static inline __attribute__((always_inline)) void core_release_by(struct rt_submitter *s, struct rt_worker *w, uint32_t edge,
                                                                  struct rt_job *at_once)
{
	struct rt_outbox outside = {0};
	for (;;) {
		while (edge) {
			struct rt_job *j = rt_job_at(edge / RT_EDGES);
			edge = j->edge_next[edge % RT_EDGES];
			int32_t left = weft_add_i32(&j->pending, -1);
			if (WEFT_UNLIKELY(left == (RT_PLACED | 1))) {
				rt_trace_ready(s, j);
				s->runtime->hooks->ready(s, j);
				continue;
			}
			if (left != 1)
				continue;
			if (WEFT_LIKELY(j->body != NULL)) {
				rt_trace_ready(s, j);
				core_take_ready(s, w, j);
				continue;
			}
			j->next_free = at_once ? at_once->self : 0;
			at_once = j;
		}
		struct rt_job *j = at_once;
		if (WEFT_LIKELY(!j))
			break;
		at_once = j->next_free ? rt_job_at(j->next_free) : NULL;
		const struct rt_at_once *a = j->arg;
		if (a && a->run(j, w) != RT_DONE)
			continue;
		if (a)
			core_count_done(w ? &w->done : &s->finished);
		edge = close_edges(j);
		free_job(w ? &w->outbox : &outside, j);
	}
	if (!w)
		rt_outbox_flush(&outside);
}

static __attribute__((nonnull(1))) void core_release(struct rt_worker *w, uint32_t edge, struct rt_job *at_once)
{
	core_release_by(&w->self, w, edge, at_once);
}

static void core_release_outside(struct rt_submitter *s, uint32_t edge, struct rt_job *at_once)
{
	core_release_by(s, NULL, edge, at_once);
	rt_tell_waiters(s->runtime);
}

void rt_release(struct rt_worker *w, struct rt_job *j)
{
	core_release(w, close_edges(j), NULL);
}

void rt_retire(struct rt_worker *w, struct rt_job *j)
{
	free_job(&w->outbox, j);
	core_count_done(&w->done);
}

static void core_end_job(struct rt_worker *w, struct rt_job *j)
{
	rt_release(w, j);
	rt_retire(w, j);
}

/* It says that it is done. */
static inline void end_as(struct rt_worker *w, struct rt_job *j, enum rt_verdict v)
{
	if (v == RT_DONE) {
		core_end_job(w, j);
	} else {
		rt_job_close_unknown(j);
		rt_retire(w, j);
	}
}

/* It may run others in its middle. */
static void run_in_detail(struct rt_worker *w, struct rt_job *j)
{
	enum rt_overhead outer = w->overhead;
	rt_detail_began(w, j);
	w->overhead = RT_OVERHEAD_FOLLOWS;
	enum rt_verdict v = j->body(j, w);
	bool overhead = w->overhead == RT_OVERHEAD_BEGUN;
	w->overhead = outer;
	if (v != RT_LATER) {
		if (!overhead)
			weft_enter(rt_detail.overhead);
		overhead = true;
		end_as(w, j, v);
	}
	rt_detail_ended(w, overhead);
}

void rt_worker_run(struct rt_worker *w, struct rt_job *j)
{
	if (WEFT_UNLIKELY(rt_traced_in_detail() || j->bits & RT_J_READY)) {
		run_in_detail(w, j);
		return;
	}
	enum rt_verdict v = j->body(j, w);
	if (WEFT_LIKELY(v != RT_LATER))
		end_as(w, j, v);
}

void rt_again(struct rt_worker *w, struct rt_job *j)
{
	uint32_t head = weft_load_u32(&w->again);
	do {
		j->next_free = head;
	} while (!weft_cas_u32(&w->again, &head, j->self));
	rt_wake(w);
}

void rt_run_relay(struct rt_submitter *s, struct rt_job *j)
{
	j->next_free = 0;
	if (s->worker)
		core_release(s->worker, 0, j);
	else
		core_release_outside(s, 0, j);
}

void rt_finish(struct rt_runtime *r, struct rt_job *j)
{
	struct rt_submitter *s = rt_self(r);
	if (s && s->worker) {
		core_end_job(s->worker, j);
		rt_work_came(r);
	} else if (s) {
		struct rt_outbox o = {0};
		uint32_t edge = close_edges(j);
		free_job(&o, j);
		rt_outbox_flush(&o);
		core_count_done(&s->finished);
		core_release_outside(s, edge, NULL);
	}
	if (s && rt_traced_in_detail())
		rt_detail_counts(s);
}

void rt_count_out(struct rt_runtime *r)
{
	struct rt_submitter *s = rt_self(r);
	if (!s)
		return;
	core_count_done(s->worker ? &s->worker->done : &s->finished);
	rt_tell_waiters(r);
}

void rt_count_in(struct rt_runtime *r)
{
	struct rt_submitter *s = rt_self(r);
	if (s)
		core_count_done(&s->submitted);
}

/* Jobs that came back: the first runs now, or NULL. */
static struct rt_job *from_again(struct rt_worker *w)
{
	/* relaxed: the swap acquires */
	if (WEFT_LIKELY(!weft_load_relaxed_u32(&w->again)))
		return NULL;
	uint32_t number = weft_swap_u32(&w->again, 0);
	while (number) {
		struct rt_job *j = rt_job_at(number);
		number = j->next_free;
		if (!number)
			return j;
		j->next_free = w->kept ? w->kept->self : 0;
		w->kept = j;
	}
	return NULL;
}

static struct rt_job *from_kept(struct rt_worker *w)
{
	struct rt_job *j = w->kept;
	w->kept = j && j->next_free ? rt_job_at(j->next_free) : NULL;
	return j;
}

static struct rt_job *from_own(struct rt_worker *w)
{
	struct rt_job *j = w->next;
	if (j) {
		w->next = NULL;
		return j;
	}
	uint32_t number = rt_deque_pop(&w->deque);
	if (!number)
		return from_kept(w);
	/* Whoever submitted it may be far away: its lines come while those before it run. */
	rt_job_is_next(rt_job_at(rt_deque_glance(&w->deque, AHEAD)));
	return rt_job_at(number);
}

struct rt_job *rt_worker_pop(struct rt_worker *w)
{
	struct rt_job *j = w->next;
	w->next = NULL;
	uint32_t number = j ? 0 : rt_deque_pop(&w->deque);
	return number ? rt_job_at(number) : j;
}

static void pause_between_looks(void)
{
	for (unsigned i = 0; i < SPINS_PER_LOOK; i++)
		__builtin_ia32_pause();
}

/* Since it last asked: this worker runs what it gets in less time than it takes to submit it. */
static bool is_ahead(struct rt_worker *w, const struct rt_submitter *s, uint64_t submitted)
{
	uint64_t done = weft_load_relaxed_u64(&w->done); /* relaxed: only we store it */
	bool is = w->asked.of == s && 2 * (submitted - w->asked.submitted) <= 3 * w->runtime->n_workers * (done - w->asked.done);
	w->asked.of = s;
	w->asked.submitted = submitted;
	w->asked.done = done;
	return is;
}

/*
 * A worker that takes each job as soon as it stands there is in lockstep with the thread that submits: the lines of the queue, of the
 * job and of those before it go to and fro for each. So, between two jobs, it lets a thread that submits fast get ahead of it.
 */
static void let_ahead(struct rt_worker *w, const struct rt_submitter *s)
{
	uint64_t before = 0, now = weft_load_u64(&s->submitted);
	if (rt_simulator || !is_ahead(w, s, now))
		return;
	for (unsigned i = 0; i < GATHER_LOOKS && now != before; i++) {
		uint64_t there = rt_inject_count(&s->queue);
		if (!there || there >= GATHERED)
			return;
		pause_between_looks();
		before = now;
		now = weft_load_u64(&s->submitted);
	}
}

/* `goes_on`: it comes from a job. */
static struct rt_job *from_submitters(struct rt_worker *w, bool goes_on)
{
	uint32_t job[TAKE_MOST];
	struct rt_runtime *r = w->runtime;
	for (struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next) {
		if (goes_on && !s->worker)
			let_ahead(w, s);
		unsigned n = s->worker ? 0 : rt_inject_take(&s->queue, job, TAKE_MOST, r->n_workers);
		if (!n)
			continue;
		/* The first runs, and the owner pops the others in their order. */
		for (unsigned i = n; i-- > 1;)
			rt_worker_keep(w, rt_job_at(job[i]));
		if (n > 1)
			rt_work_came(r);
		return rt_job_at(job[0]);
	}
	return NULL;
}

static struct rt_job *from_others(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	w->random = w->random * 1664525 + 1013904223;
	unsigned from = w->random >> 16;
	for (unsigned i = 0; i < r->n_workers; i++) {
		struct rt_worker *victim = &r->worker[(from + i) % r->n_workers];
		uint32_t number = victim == w ? 0 : rt_deque_steal(&victim->deque);
		if (!number)
			continue;
		if (rt_traced_in_detail())
			weft_point(rt_detail.stolen, (int64_t)victim->number);
		if (rt_deque_size(&victim->deque))
			rt_work_came(r);
		return rt_job_at(number);
	}
	return NULL;
}

/* Of jobs with a priority, its own first. */
static struct rt_job *from_prios(struct rt_worker *w, bool urgent)
{
	struct rt_runtime *r = w->runtime;
	struct rt_job *j = NULL;
	for (unsigned i = 0; i < r->n_prios && !j; i++)
		j = rt_prio_take(&r->prio[(w->number + i) % r->n_prios], urgent);
	return j;
}

/* What comes before all else. Others may have what was to run now. */
static struct rt_job *core_urgent(struct rt_worker *w)
{
	struct rt_job *j = rt_prio_take(&w->runtime->prio[w->number % w->runtime->n_prios], true);
	if (j && w->next) {
		rt_worker_keep(w, w->next);
		w->next = NULL;
	}
	return j;
}

static struct rt_job *core_find_job(struct rt_worker *w, bool goes_on)
{
	struct rt_runtime *r = w->runtime;
	struct rt_job *j = from_again(w);
	if (WEFT_UNLIKELY(rt_worker_is_placed_only(w))) {
		j = j ? j : from_kept(w);
		return j || !r->hooks->take ? j : r->hooks->take(w);
	}
	j = j ? j : from_own(w);
	/* relaxed: the bit is set before the first job, and for good */
	if (WEFT_UNLIKELY(weft_load_relaxed_u32(&r->asks) & RT_ASK_TAKE))
		j = j ? j : r->hooks->take(w);
	j = j ? j : from_prios(w, true);
	j = j ? j : from_submitters(w, goes_on);
	j = j ? j : from_others(w);
	return j ? j : from_prios(w, false);
}

static bool core_has_work(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	if (weft_load_u32(&w->again) || w->kept)
		return true;
	if (r->hooks->any && r->hooks->any(w))
		return true;
	if (rt_worker_is_placed_only(w))
		return false;
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		if (!s->worker && rt_inject_any(&s->queue))
			return true;
	for (unsigned i = 0; i < r->n_workers; i++)
		if (rt_deque_size(&r->worker[i].deque))
			return true;
	return rt_prio_count(r) != 0;
}

/* Between jobs of a device. What has become ready on it is for others. True: something is on its way. */
static bool core_poll(struct rt_worker *w)
{
	bool polls = w->traits & RT_W_POLLS, flies = polls && w->runtime->hooks->poll(w);
	if (polls)
		weft_store_bool(&w->flies, flies);
	if (w->next && rt_worker_is_placed_only(w)) {
		rt_worker_keep(w, w->next);
		w->next = NULL;
	}
	return flies;
}

/* What its jobs gave back is for all, and who waits for them knows. */
static void core_flush_outbox(struct rt_worker *w)
{
	rt_outbox_flush(&w->outbox);
	rt_tell_waiters(w->runtime);
}

static bool is_in_the_way(const struct rt_runtime *r)
{
	int cpu = sched_getcpu();
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		if (weft_load_i32(&s->cpu) == cpu)
			return true;
	return false;
}

/* Between two looks. A thread that submits on this very cpu goes first: what it submits is what is waited for. */
static void core_linger(const struct rt_runtime *r)
{
	pause_between_looks();
	if (is_in_the_way(r))
		sched_yield();
}

/* From here on, or no more, it calls functions of the program: one region for as long as it does nothing else. */
static void core_progresses(bool *is, bool now)
{
	now = now && (*is || rt_traced_in_detail());
	if (now && !*is)
		weft_enter(rt_detail.progressing);
	else if (!now && *is)
		weft_leave(rt_detail.progressing);
	*is = now;
}

/* Until there is a job, if it may wait; NULL: there is none, or the runtime ends, or somebody asks for something. */
static struct rt_job *core_idle(struct rt_worker *w, bool wait)
{
	struct rt_runtime *r = w->runtime;
	struct rt_job *j = NULL;
	bool progressing = false;
	if (r->hooks->idles)
		r->hooks->idles(w, true);
	core_flush_outbox(w);
	rt_detail_settled(&w->self);
	uint64_t until = weft_monotonic_ns() + r->spin_ns;
	while (wait && !weft_load_bool(&r->stop) && !(weft_load_u32(&r->asks) & RT_ASK_PAUSE)) {
		j = core_has_work(w) ? core_find_job(w, false) : NULL;
		if (j)
			break;
		bool stays = weft_load_u32(&r->asks) & RT_ASK_PROGRESS;
		core_progresses(&progressing, stays);
		if (stays)
			r->hooks->progress(true);
		if (w->traits & RT_W_POLLS) {
			core_progresses(&progressing, false);
			stays |= core_poll(w);
			core_flush_outbox(w);
		}
		if (stays || weft_monotonic_ns() < until) {
			core_linger(r);
			continue;
		}
		rt_worker_sleep(w, core_has_work);
		until = weft_monotonic_ns() + r->spin_ns;
	}
	core_progresses(&progressing, false);
	if (r->hooks->idles)
		r->hooks->idles(w, false);
	return j;
}

/* What lies in the way between two jobs, seldom. `next`: the one that comes next, if known. False: none may be taken now. */
static bool core_attend(struct rt_worker *w, bool wait, struct rt_job **next)
{
	struct rt_runtime *r = w->runtime;
	uint32_t asks = weft_load_u32(&r->asks);
	if (asks & RT_ASK_FEW)
		rt_tell_few(r);
	if (asks & RT_ASK_PAUSE) {
		core_flush_outbox(w);
		if (!wait)
			return false;
		rt_worker_back(w);
	}
	if (asks & RT_ASK_PROGRESS) {
		weft_enter(rt_detail.progressing);
		r->hooks->progress(false);
		weft_leave(rt_detail.progressing);
	}
	core_poll(w);
	*next = asks & RT_ASK_PRIO && !rt_worker_is_placed_only(w) ? core_urgent(w) : NULL;
	return true;
}

bool rt_worker_step(struct rt_worker *w, bool wait)
{
	struct rt_job *j = NULL;
	/* relaxed: seen at one of the next jobs */
	if (WEFT_UNLIKELY(weft_load_relaxed_u32(&w->runtime->asks) | w->traits) && !core_attend(w, wait, &j))
		return false;
	j = j ? j : core_find_job(w, true);
	if (!j)
		j = core_idle(w, wait);
	if (j)
		rt_worker_run(w, j);
	return j || (wait && !weft_load_bool(&w->runtime->stop));
}

bool rt_worker_visit(struct rt_worker *w)
{
	weft_store_bool(&w->aside, false);
	/* Partner: the barrier in rt_wait_paused. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	bool ran = rt_worker_step(w, false);
	rt_worker_aside(w);
	return ran;
}

/* Who makes work may have woken it in this very instant: another looks. */
void rt_worker_bar(struct rt_worker *w, bool barred)
{
	struct rt_runtime *r = w->runtime;
	bool any = barred;
	weft_store_bool(&w->barred, barred);
	for (unsigned i = 0; i < r->n_workers; i++)
		any = any || weft_load_bool(&r->worker[i].barred);
	rt_ask(r, any ? RT_ASK_BAR : 0, any ? 0 : RT_ASK_BAR);
	rt_wake(w);
	rt_wake_one(r);
}

void rt_worker_main(struct rt_worker *w)
{
	while (rt_worker_step(w, true))
		continue;
}
