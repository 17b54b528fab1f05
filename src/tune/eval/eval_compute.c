/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evaluation of an iteration that is complete, in the child process: the model's parameters in
 * the order of their dependencies, each from the instances of actors (eval_store.c) or from the
 * partial results of collectors (eval_fold.c); then each tuning point whose condition holds. A
 * fault in one value makes the iteration incomplete, and parameters keep the values of the one
 * before. When partial results do not serve, collectors are asked for all they have, and the
 * iteration stays open until they have answered.
 */
#include "tune/derive/derive.h"
#include "eval_store_priv.h"
#include "tune/lang/expr.h"
#include "base/clock.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double store_number_at(const struct spec_attr *a, const char *at, uint32_t i)
{
	switch (a->t) {
	case TYPE_CHAR:
		return ((const signed char *)at)[i];
	case TYPE_SHORT:
		return ((const short *)(const void *)at)[i];
	case TYPE_LONG:
		return (double)((const long *)(const void *)at)[i];
	case TYPE_FLOAT:
		return (double)((const float *)(const void *)at)[i];
	case TYPE_DOUBLE:
		return ((const double *)(const void *)at)[i];
	case TYPE_STRING:
		return NAN;
	default:
		return ((const int *)(const void *)at)[i];
	}
}

static void answer_values(struct store *st)
{
	struct answer *a = store_begin_answer(st, WEFT_RESULT_EVALUATED);
	a->steps = st->now->steps;
	a->add = st->now->lacks;
	a->steps.computed_ns = weft_monotonic_ns();
	for (int scope = SCOPE_PARAMETER; scope >= SCOPE_ITERATION; scope--)
		for (size_t k = 0; k < st->s->attr.n; k++) {
			const struct spec_attr *attr = &st->s->attr.at[k];
			const char *base = scope == SCOPE_PARAMETER ? st->param : st->now->iter;
			if ((int)attr->scope != scope)
				continue;
			for (uint32_t i = 0; i < (attr->len ? attr->len : 1) && a->n < ANSWER_VALUES_MAX; i++)
				a->value[a->n++] = store_number_at(attr, base + st->host.offsets[k], i);
		}
	store_send_answer(st);
}

/* Computes a point's value and says it; a number that is none is a fault of that point. */
void store_tune(struct store *st, uint32_t point)
{
	const struct spec_point *p = &st->s->point.at[point];
	struct tune_value v = {0};
	struct tune_globals *g = st->host.globals;
	bool is_text = false;
	if (p->value != SPEC_NONE && st->s->code.at[p->value].body) {
		if (!store_run(st, p->value))
			return;
		v = g->result;
		is_text = st->s->code.at[p->value].body->kid[0]->type == TYPE_STRING;
	}
	bool bad = !is_text && !isfinite(v.d);
	struct answer *a = store_begin_answer(st, bad ? WEFT_RESULT_FAULT : WEFT_RESULT_TUNE);
	a->what = bad ? p->value : point;
	a->fault = bad ? FAULT_RANGE : FAULT_NONE;
	a->number = v.d;
	a->is_text = is_text;
	if (is_text && v.s)
		snprintf(a->text, sizeof a->text, "%s", v.s);
	store_send_answer(st);
}

struct mention {
	uint32_t point;
	bool found;
};

static void find_point(void *ctx, struct expr *e)
{
	struct mention *m = ctx;
	m->found |= e->kind == EXPR_REF && e->ref == REF_POINT && e->id == m->point;
}

static void decide(struct store *st, uint32_t point)
{
	const struct spec_point *p = &st->s->point.at[point];
	struct tune_globals *g = st->host.globals;
	if (p->cond != SPEC_NONE && st->s->code.at[p->cond].body) {
		struct mention m = {.point = point};
		expr_walk(st->s->code.at[p->cond].body, find_point, &m);
		if (m.found && !store_run(st, p->value))
			return;
		g->point = g->result;
		if (fabs(g->point.d) < 9e18)
			g->point.i =
				(int64_t)g->point.d; /* a condition reads it in the variable's type, whatever the value's is */
		if (!store_run(st, p->cond) || g->result.d == 0)
			return;
	}
	store_tune(st, point);
}

static bool all_complete(struct store *st, struct iteration *it)
{
	for (uint32_t a = 0; a < st->s->actor.n; a++) {
		const struct group *g = &it->group[a];
		if (g->n + g->folded < st->s->actor.at[a].least || g->folded_incomplete)
			return false;
		for (uint32_t i = 0; i < it->group[a].n; i++)
			if (!store_is_complete(st, a, i))
				return false;
	}
	return true;
}

/* One value: from partial results where they serve. False: collectors must say more first. */
static bool compute_value(struct store *st, struct iteration *it, uint32_t attr)
{
	const struct spec_plan *p = &st->s->plan[attr];
	if (st->s->attr.at[attr].metric.z) {
		double *to = (double *)(void *)((char *)st->param + st->host.offsets[attr]);
		it->faulty |= !st->host.metric(st->host.ctx, attr, st->time, to);
		return true;
	}
	bool hides = p->split && fold_hides(it, p->over);
	if (p->split && fold_parts_serve(st, p)) {
		bool other = false;
		st->host.globals->iter = it->iter;
		st->host.globals->param = st->param;
		if (st->host.split(st->host.ctx, attr, &other))
			return true;
		if (!other) {
			it->faulty = true;
			return true;
		}
	}
	if (hides)
		return false;
	(void)store_run(st, st->s->attr.at[attr].value);
	return true;
}

/* The values that an evaluation changes, as they were before. */
struct before {
	void *param, *iter;
};

static bool keep_before(struct store *st, const struct iteration *it, struct before *b)
{
	b->param = malloc(st->host.sizes[1]);
	b->iter = malloc(st->host.sizes[0]);
	if (!b->param || !b->iter)
		return false;
	memcpy(b->param, st->param, st->host.sizes[1]);
	memcpy(b->iter, it->iter, st->host.sizes[0]);
	return true;
}

/* Parameters keep their values when something in the evaluation fails. */
static void evaluate(struct store *st, struct iteration *it)
{
	struct before b;
	bool ready = keep_before(st, it, &b) && fold_sort(st, it) == 0, enough = true;
	if (ready)
		fold_parts(st, it);
	for (size_t i = 0; ready && i < st->s->order.n && !it->faulty && enough; i++)
		enough = compute_value(st, it, st->s->order.at[i]);
	if (ready && (it->faulty || !enough))
		memcpy(st->param, b.param, st->host.sizes[1]);
	if (ready && !enough) {
		memcpy(it->iter, b.iter, st->host.sizes[0]);
		fold_ask(st, it, true);
	} else if (!ready) {
		store_lacks_memory(st);
		store_answer_incomplete(st, it, "no memory was left for its evaluation", false);
	} else if (it->faulty) {
		store_answer_incomplete(st, it, "a fault in its evaluation", false);
	} else {
		st->evaluated = true;
		answer_values(st);
		for (uint32_t p = 0; p < st->s->point.n; p++)
			decide(st, p);
	}
	free(b.param);
	free(b.iter);
	if (enough)
		store_close(st, it);
}

/*
 * Whether an iteration had begun when events were lost, which may be known only now: its begin came
 * later than the loss, by another way, or was lost itself, and then its time is unknown.
 */
static bool may_lack(const struct store *st, const struct iteration *it)
{
	bool unknown = st->sees_begins && isnan(it->steps.began);
	return isfinite(st->lost_until) && !it->lacks && (unknown || it->steps.began <= st->lost_until);
}

void store_finish_iteration(struct store *st, struct iteration *it)
{
	st->now = it;
	if (it->faulty) {
		store_give_up(st, it, "a fault in one of its values");
	} else if (it->ended && fold_all_in(st, it) && fold_apply(st, it) && all_complete(st, it)) {
		if (may_lack(st, it))
			store_lose(st, it);
		if (!it->open)
			return;
		it->steps.complete_ns = weft_monotonic_ns();
		evaluate(st, it);
	}
}

void store_end_iteration(struct iteration *it, double time)
{
	if (it->ended)
		return;
	it->ended = true;
	it->steps.ended = time;
	it->steps.ended_ns = weft_monotonic_ns();
}
