/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations: all members come, and when the last has come all go on after what it takes (sim_cost.c; sim_stages.c). A reduction to a
 * root is messages: the others pay their latency, send, and go on; the root waits for all of them.
 *
 * Also points where the threads of one process meet: they go on when the last of them is there.
 */
#include "sim_priv.h"
#include <errno.h>
#include <math.h>

/* All that wait for it go on; `at`: all were there, `end`: it was over. */
static int let_go(struct sim *s, struct sim_gather *g, double at, double end)
{
	for (uint32_t i = g->waiters, next; i != SIM_NONE; i = next) {
		next = s->thread[i].next;
		const double from = fmax(at, s->thread[i].now);
		int rc = sim_wake(s, i, from, fmax(end - from, 0));
		if (rc)
			return rc;
	}
	g->waiters = SIM_NONE;
	return 0;
}

static void wait_for(struct sim *s, struct sim_thread *t, struct sim_gather *g, enum sim_waits why, uint64_t of)
{
	sim_wait(s, t, why, of);
	t->next = g->waiters;
	g->waiters = sim_number(s, t);
}

static uint32_t expected(const struct sim *s, uint64_t gather)
{
	const struct weft_replay_gather *g = &s->p->gather[gather];
	const uint32_t n = s->p->comm[g->comm].n;
	return n > g->n_parts ? n : g->n_parts;
}

/* What it takes goes by the root's sizes; without a root by those of who came last. */
static void note_sizes(struct sim *s, struct sim_gather *g, const struct sim_thread *t, const struct weft_replay_part *part)
{
	const uint32_t number = sim_number(s, t);
	const bool last = !g->arrived || t->now > g->last || (t->now == g->last && number > g->last_thread);
	if (part->is_root || (last && !g->has_root)) {
		g->sent = part->sent;
		g->received = part->received;
		g->has_root |= part->is_root;
		if (part->is_root)
			g->root_thread = number;
	}
	if (last) {
		g->last = t->now;
		g->last_thread = number;
	}
	g->arrived++;
}

int sim_complete(struct sim *s, uint64_t gather, double end)
{
	struct sim_gather *g = &s->gather[gather];
	g->complete = true;
	g->done = end;
	return let_go(s, g, g->last, end);
}

/* All are there. */
static int run(struct sim *s, uint64_t gather)
{
	const struct weft_replay_gather *row = &s->p->gather[gather];
	const struct sim_gather *g = &s->gather[gather];
	s->busy_latency = 0;
	if (s->m->staged)
		return sim_stages(s, gather, g->last);
	const double cost = sim_collective_cost(s, row->comm, row->operation, g->sent, g->received);
	if (cost < 0)
		return -ENOMEM;
	if (s->sink.state)
		s->busy_latency = sim_collective_cost(s, row->comm, row->operation, 0, 0);
	return sim_complete(s, gather, g->last + cost);
}

/* ---- reductions ---- */

static bool all_reduced(const struct sim *s, uint64_t gather)
{
	return s->gather[gather].transfers + 1 >= expected(s, gather);
}

int sim_reduced(struct sim *s, const struct sim_transfer *x, double at)
{
	struct sim_gather *g = &s->gather[x->gather];
	g->transfers++;
	if (at > g->sums)
		g->sums = at;
	if (all_reduced(s, x->gather) && g->root_thread != SIM_NONE)
		return sim_wake(s, g->root_thread, g->sums, 0);
	return 0;
}

static struct sim_transfer part_of_reduction(const struct sim *s, const struct sim_thread *t, const struct weft_replay_part *part)
{
	const int32_t root = s->p->gather[part->gather].root;
	const uint32_t to = root >= 0 && (uint32_t)root < s->p->n_ranks ? (uint32_t)root : t->rank;
	return (struct sim_transfer){.message = UINT64_MAX,
	                             .bytes = part->sent,
	                             .from = t->rank,
	                             .to = to,
	                             .gather = part->gather};
}

static int reduce(struct sim *s, struct sim_thread *t, const struct weft_replay_part *part)
{
	struct sim_gather *g = &s->gather[part->gather];
	const struct sim_transfer x = part_of_reduction(s, t, part);
	const struct sim_way way = sim_way_of(s, &x);
	int rc = sim_pay(s, t, way.pay_ns);
	if (rc)
		return rc;
	sim_row(s, t)->collectives++;
	g->arrived++;
	if (x.to != t->rank) {
		const uint64_t number = s->p->n_messages + s->extra.n;
		sim_row(s, t)->collective_ns += way.move_ns; /* it is busy with it, though it goes on */
		return weft_vec_push(&s->extra, x) ? -ENOMEM : sim_start(s, number, t->now);
	}
	if (all_reduced(s, part->gather))
		return sim_until(s, t, SIM_FOR_REDUCTION, g->sums);
	g->root_thread = sim_number(s, t);
	sim_wait(s, t, SIM_FOR_REDUCTION, part->gather);
	return SIM_WAITS;
}

int sim_collective(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const struct weft_replay_part *part = &s->p->part[op->of];
	struct sim_gather *g = &s->gather[part->gather];
	if (s->sink.op && !t->paid && !(op->flags & WEFT_REPLAY_COMPLETE)) {
		int rc = s->sink.op(s->sink.arg, sim_number(s, t), op, t->now);
		if (rc)
			return rc;
	}
	if (op->flags & WEFT_REPLAY_COMPLETE) {
		if (!g->complete) {
			wait_for(s, t, g, SIM_FOR_ALL, part->gather);
			return SIM_WAITS;
		}
		return sim_until(s, t, SIM_FOR_ALL, g->done);
	}
	if (s->p->gather[part->gather].operation == WEFT_REPLAY_REDUCE && s->p->gather[part->gather].root >= 0 &&
	    !s->p->gather[part->gather].mixed)
		return reduce(s, t, part);
	sim_row(s, t)->collectives++;
	note_sizes(s, g, t, part);
	const bool begins = op->flags & WEFT_REPLAY_IMMEDIATE;
	if (!begins)
		wait_for(s, t, g, SIM_FOR_ALL, part->gather);
	if (g->arrived == expected(s, part->gather)) {
		int rc = run(s, part->gather);
		return rc ? rc : begins ? SIM_GO_ON : SIM_WAITS;
	}
	return begins ? SIM_GO_ON : SIM_WAITS;
}

/* ---- threads of a process ---- */

static int point_of(struct sim *s, const struct sim_thread *t, int64_t value, uint64_t *at)
{
	const uint64_t key = weft_hash_u64((uint64_t)value ^ weft_hash_u64(t->rank + 1));
	if (weft_map_get(&s->point, key, at))
		return 0;
	*at = s->points.n;
	return weft_vec_push(&s->points, (struct sim_gather){.waiters = SIM_NONE}) || weft_map_put(&s->point, key, *at) ? -ENOMEM
	                                                                                                                : 0;
}

/* All are there. The thread that came last goes on, and lets those that wait go on; with few processors all of them stand in line. */
static int pass(struct sim *s, struct sim_thread *t, struct sim_gather *g)
{
	int rc;
	if (!t->few) {
		rc = sim_until(s, t, SIM_FOR_THREADS, g->last);
		return rc ? rc : let_go(s, g, g->last, g->last);
	}
	if (!t->fresh) {
		t->at--;
		t->came = true;
		return sim_yield(s, t);
	}
	rc = sim_leave_cpu(s, t, false);
	sim_stand_in_line(s, t);
	if (!rc)
		rc = let_go(s, g, t->now, t->now);
	if (!rc)
		rc = sim_serve(s, t, t->now);
	return rc ? rc : SIM_WAITS;
}

int sim_meet(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const bool joins = op->flags & WEFT_REPLAY_COMPLETE, only_comes = op->flags & WEFT_REPLAY_IMMEDIATE;
	uint64_t at;
	if ((op->what < 2 && !joins) || s->how->no_threads)
		return SIM_GO_ON;
	int rc = point_of(s, t, op->value, &at);
	if (rc)
		return rc;
	struct sim_gather *g = &s->points.at[at];
	const bool came = t->came;
	t->came = false;
	if (!joins && !came) {
		g->last = fmax(g->last, t->now);
		g->arrived++;
	}
	if (!joins && g->arrived >= op->what && only_comes)
		return let_go(s, g, g->last, g->last);
	if (only_comes)
		return SIM_GO_ON;
	if (g->arrived >= op->what)
		return pass(s, t, g);
	if (joins && t->few) /* when it is woken it passes like the others */
		t->at--;
	wait_for(s, t, g, SIM_FOR_THREADS, (uint64_t)op->value);
	return SIM_WAITS;
}
