/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's operations, one after the other, until it waits; and what is known of its time when it goes on. */
#include "sim_priv.h"
#include <errno.h>
#include <math.h>

enum { AHEAD = 512 }; /* requests of a thread before its time has come */

int sim_state(struct sim *s, const struct sim_thread *t, enum weft_replay_state state, double from, double to)
{
	return s->sink.state && to > from ? s->sink.state(s->sink.arg, sim_number(s, t), state, from, to) : 0;
}

/* ---- waiting ---- */

/*
 * Who waits for others leaves its processor; who waits for threads of its process
 * leaves it idle until a burst ends, as Dimemas does (but where there is none that could end).
 */
void sim_wait(struct sim *s, struct sim_thread *t, enum sim_waits why, uint64_t of)
{
	t->waits = (uint8_t)why;
	t->of = of;
	t->since = t->now;
	if (!t->on_cpu || why == SIM_FOR_CPU)
		return;
	int rc = sim_leave_cpu(s, t, why != SIM_FOR_THREADS);
	if (rc && !s->failed)
		s->failed = rc;
}

static const struct {
	uint8_t state;
	uint16_t column; /* in a rank's result */
} waited[] = {
	[SIM_FOR_MESSAGE] = {WEFT_REPLAY_WAITS_MESSAGE, offsetof(struct weft_replay_rank_result, receiving_ns)},
	[SIM_FOR_RECEIVER] = {WEFT_REPLAY_WAITS_RECEIVER, offsetof(struct weft_replay_rank_result, sending_ns)},
	[SIM_FOR_ALL] = {WEFT_REPLAY_WAITS_COLLECTIVE, offsetof(struct weft_replay_rank_result, waiting_ns)},
	[SIM_FOR_REDUCTION] = {WEFT_REPLAY_IN_COLLECTIVE, offsetof(struct weft_replay_rank_result, collective_ns)},
	[SIM_FOR_THREADS] = {WEFT_REPLAY_WAITS_THREADS, offsetof(struct weft_replay_rank_result, thread_wait_ns)},
	[SIM_FOR_MOVES] = {WEFT_REPLAY_WAITS_RECEIVER, offsetof(struct weft_replay_rank_result, sending_ns)},
	[SIM_FOR_CPU] = {WEFT_REPLAY_WAITS_CPU, offsetof(struct weft_replay_rank_result, cpu_wait_ns)},
};

/* What a thread waited for is there: its rank's result, and its state. */
static int has_waited(struct sim *s, struct sim_thread *t, enum sim_waits why, double from, double to)
{
	*(double *)((char *)sim_row(s, t) + waited[why].column) += to - from;
	return sim_state(s, t, (enum weft_replay_state)waited[why].state, from, to);
}

int sim_wake(struct sim *s, uint32_t number, double at, double busy)
{
	struct sim_thread *t = &s->thread[number];
	const bool of_process = t->waits == SIM_FOR_THREADS;
	if (at < t->now)
		at = t->now;
	int rc = has_waited(s, t, (enum sim_waits)t->waits, t->since, at);
	if (!rc && busy > 0) {
		rc = sim_state(s, t, WEFT_REPLAY_LATENCY, at, at + s->busy_latency);
		if (!rc)
			rc = sim_state(s, t, WEFT_REPLAY_IN_COLLECTIVE, at + s->busy_latency, at + busy);
		sim_row(s, t)->collective_ns += busy;
	}
	t->now = at + busy;
	t->waits = SIM_RUNS;
	if (rc || !t->few)
		return rc ? rc : weft_vec_push(&s->runnable, number);
	if (!of_process || (t->at < t->end && t->at->kind == WEFT_REPLAY_SYNC && (t->at->flags & WEFT_REPLAY_COMPLETE)))
		return sim_want_cpu(s, t);
	sim_stand_in_line(s, t);
	return 0;
}

int sim_until(struct sim *s, struct sim_thread *t, enum sim_waits why, double at)
{
	const double from = t->now;
	if (at <= from)
		return SIM_GO_ON;
	if (!t->few) {
		t->now = at;
		return has_waited(s, t, why, from, at);
	}
	sim_wait(s, t, why, 0);
	int rc = sim_wake(s, sim_number(s, t), at, 0);
	return rc ? rc : SIM_WAITS;
}

/* ---- operations ---- */

static double burst_ns(const struct sim *s, const struct sim_thread *t, const struct weft_replay_op *op)
{
	double ns = op->ns;
	if (op->flags & WEFT_REPLAY_FIXED)
		return ns;
	if (t->module.n) {
		const double ratio = t->module.at[t->module.n - 1].ratio;
		ns = ratio < 0 ? -ratio * 1e9 : ratio == 0 ? 0 : ns / ratio;
	}
	if (s->place_speed && s->place_speed[op->place] > 0)
		ns /= s->place_speed[op->place];
	return ns * t->slow;
}

void sim_count_burst(struct sim *s, const struct sim_thread *t, const struct weft_replay_op *op, double ns)
{
	if (op->flags & WEFT_REPLAY_FIXED)
		sim_row(s, t)->fixed_ns += ns;
	else {
		sim_row(s, t)->computation_ns += ns;
		s->out->thread_computation_ns[sim_number(s, t)] += ns;
	}
}

static int burst(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const double ns = burst_ns(s, t, op);
	if (!isfinite(ns)) { /* its node computes nothing */
		sim_wait(s, t, SIM_FOR_CPU, 0);
		return SIM_WAITS;
	}
	if (t->few && !t->fresh) {
		t->at--;
		return sim_yield(s, t);
	}
	t->fresh = false;
	const double memory = ns > 0 && !(op->flags & WEFT_REPLAY_FIXED) ? sim_memory_share(s, op) : 0;
	if (memory > 0)
		return sim_flow_compute(s, t, ns, memory);
	if (t->few)
		return sim_compute(s, t, ns, WEFT_REPLAY_RUNNING);
	const double from = t->now;
	t->now += ns;
	sim_count_burst(s, t, op, ns);
	return sim_state(s, t, WEFT_REPLAY_RUNNING, from, t->now);
}

static int device(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const double ratio = s->node[s->node_of[t->rank]].kind->device.ratio, from = t->now;
	t->now += ratio > 0 && !s->how->no_devices ? op->ns / ratio : op->ns;
	sim_row(s, t)->device_ns += t->now - from;
	return sim_state(s, t, WEFT_REPLAY_ON_DEVICE, from, t->now);
}

/* An event may begin or end a module; ends take the innermost of their type away, wherever it stands. */
static int turn_module(struct sim *s, struct sim_thread *t, int64_t type, int64_t value)
{
	if (value == 0) {
		for (size_t i = t->module.n; i-- > 0;)
			if (t->module.at[i].type == type) {
				for (size_t k = i + 1; k < t->module.n; k++)
					t->module.at[k - 1] = t->module.at[k];
				t->module.n--;
				return 0;
			}
		return 0;
	}
	for (size_t i = 0; i < s->m->module.n; i++)
		if (s->m->module.at[i].type == type && s->m->module.at[i].value == value)
			return weft_vec_push(&t->module, (struct sim_module){type, s->m->module.at[i].ratio});
	return 0;
}

static int event(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	int rc = 0;
	if (s->has_modules)
		rc = turn_module(s, t, op->what, op->value);
	return rc ? rc : s->sink.op ? s->sink.op(s->sink.arg, sim_number(s, t), op, t->now) : 0;
}

static int nothing(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	(void)s, (void)t, (void)op;
	return SIM_GO_ON;
}

static int (*const run_op[16])(struct sim *, struct sim_thread *, const struct weft_replay_op *) = {
	[WEFT_REPLAY_BURST] = burst,
	[WEFT_REPLAY_SEND] = sim_send,
	[WEFT_REPLAY_RECV] = sim_receive,
	[WEFT_REPLAY_IRECV] = sim_post,
	[WEFT_REPLAY_WAIT] = sim_receive,
	[WEFT_REPLAY_COLLECTIVE] = sim_collective,
	[WEFT_REPLAY_DEVICE] = device,
	[WEFT_REPLAY_EVENT] = event,
	[WEFT_REPLAY_SYNC] = sim_meet,
	[WEFT_REPLAY_NOP] = nothing,
	[WEFT_REPLAY_PUT] = sim_remote,
	[WEFT_REPLAY_GET] = sim_remote,
	[WEFT_REPLAY_FLUSH] = sim_flush,
	[14] = nothing,
	[15] = nothing,
};

static int end_thread(struct sim *s, struct sim_thread *t)
{
	struct weft_replay_rank_result *row = sim_row(s, t);
	t->waits = SIM_ENDED;
	if (t->now > row->end_ns)
		row->end_ns = t->now;
	return t->on_cpu ? sim_leave_cpu(s, t, true) : 0;
}

int sim_run_thread(struct sim *s, uint32_t number)
{
	struct sim_thread *t = &s->thread[number];
	const struct weft_replay_op *begin = t->at;
	int rc = SIM_GO_ON;
	s->budget = AHEAD;
	while (t->at < t->end && rc == SIM_GO_ON) {
		if (!s->budget) {
			sim_wait(s, t, SIM_FOR_TURN, 0);
			rc = sim_push(s, (struct sim_event){t->now, SIM_TURN, number, 0, number});
			s->n_ops += (uint64_t)(t->at - begin);
			return rc;
		}
		const struct weft_replay_op *op = t->at++;
		rc = run_op[op->kind](s, t, op);
		if (s->how->stop_ns > 0 && t->now >= s->how->stop_ns && rc == SIM_GO_ON)
			t->at = t->end;
	}
	s->n_ops += (uint64_t)(t->at - begin);
	return rc < 0 ? rc : rc == SIM_GO_ON ? end_thread(s, t) : 0;
}
