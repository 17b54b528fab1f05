/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event in the child process: to which iteration it belongs (by the field that says it, else the
 * one that its process is in), which instance it is of, and then the attributes that depend on it,
 * in their order. What collectors have folded is not computed again. An event of an iteration that
 * is closed is answered as late; one that cannot be kept makes its iteration faulty.
 */
#include "tune/derive/derive.h"
#include "eval_store_priv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t iteration_of(struct store *st, const struct spec_event *e, const struct request *r, struct process *t)
{
	if (e->iteration_ref != SPEC_NONE && e->iteration_ref < r->n)
		return r->value[e->iteration_ref].i;
	if (e->iter == ITER_BEGIN)
		return ++st->counted;
	return t->in != INT64_MIN ? t->in : st->latest;
}

/* Attributes whose `inic` depends on what this event changed begin anew. */
static void run_depinics(struct store *st, const char *before, bool begins)
{
	for (size_t i = 0; i < st->s->attr.n; i++) {
		const struct spec_attr *a = &st->s->attr.at[i];
		struct weft_str rest = weft_str(a->depinic.z), part;
		bool again = false;
		if (a->scope != SCOPE_ITERATION || !a->depinic.z || strcmp(a->depinic.z, "none") == 0)
			continue;
		while (weft_str_cut(&rest, ',', &part)) {
			char name[256];
			part = weft_str_trim(part);
			snprintf(name, sizeof name, "%.*s", (int)part.n, part.at);
			uint32_t on = spec_find_path(st->s, (uint32_t)i, name);
			if (on == SPEC_NONE || st->s->attr.at[on].scope != SCOPE_ITERATION)
				continue;
			double new = store_number_at(&st->s->attr.at[on], (const char *)st->now->iter + st->host.offsets[on], 0);
			double old = store_number_at(&st->s->attr.at[on], before + st->host.offsets[on], 0);
			again |= begins || new != old;
		}
		if (again)
			(void)store_run(st, a->inic);
	}
}

static void set_implied(struct store *st, const struct spec_attr *a, uint32_t i)
{
	const struct tune_value *v = &st->host.globals->v[a->implied_field];
	char *at = (char *)st->now->iter + st->host.offsets[i];
	if (a->t == TYPE_DOUBLE)
		*(double *)(void *)at = v->d;
	else if (a->t == TYPE_FLOAT)
		*(float *)(void *)at = (float)v->d;
	else if (a->t == TYPE_SHORT)
		*(short *)(void *)at = (short)v->i;
	else if (a->t == TYPE_CHAR)
		*at = (char)v->i;
	else if (a->t == TYPE_LONG)
		*(long *)(void *)at = (long)v->i;
	else if (a->t == TYPE_INT)
		*(int *)(void *)at = (int)v->i;
}

/* folded: what collectors compute is not computed here. */
static void compute_event(struct store *st, uint32_t event, bool folded)
{
	const struct order *o = &st->order[event];
	for (uint32_t i = 0; i < o->n; i++) {
		const struct spec_attr *a = &st->s->attr.at[o->attr[i]];
		if (folded && st->s->plan[o->attr[i]].at_collector)
			continue;
		if (a->implied_event == event)
			set_implied(st, a, o->attr[i]);
		else
			(void)store_run(st, a->value);
	}
}

void store_answer_late(struct store *st, uint32_t event, int64_t number)
{
	st->now = NULL;
	struct answer *a = store_begin_answer(st, WEFT_RESULT_LATE);
	a->what = event;
	a->iteration = number;
	store_send_answer(st);
}

static void fill_values(const struct spec_event *e, const struct request *r, struct tune_value *v)
{
	v[FIELD_TIMESTAMP] = (struct tune_value){.d = r->time, .i = (long long)r->time};
	v[FIELD_ID] = v[FIELD_TASK] = (struct tune_value){.d = (double)r->id, .i = r->id};
	for (uint32_t i = 0; i < EVAL_VALUES_MAX && i < e->ref.n; i++)
		v[FIELD_FIRST + i] = i < r->n ? (struct tune_value){r->value[i].d, r->value[i].i, r->value[i].s}
		                              : (struct tune_value){.s = ""};
}

static void work_on_event(struct store *st, const struct spec_event *e, const struct request *r, void *self)
{
	void *before = st->depinics ? malloc(st->host.sizes[0]) : NULL;
	if (st->depinics && !before) {
		/* Without the event the iteration is none. */
		store_lacks_memory(st);
		return;
	}
	if (before)
		memcpy(before, st->now->iter, st->host.sizes[0]);
	st->host.globals->self = self;
	compute_event(st, r->what, r->folded);
	st->host.globals->self = NULL;
	if (before)
		run_depinics(st, before, e->iter == ITER_BEGIN);
	free(before);
}

/*
 * The iteration of an event, which may open it; NULL: it is closed, was given up, or there is no
 * memory, which was answered.
 */
static struct iteration *iteration_for(struct store *st, const struct request *r, int64_t number)
{
	struct iteration *it = store_find_open(st, number);
	if (it)
		return it;
	if (store_was_closed(st, number)) {
		store_answer_late(st, r->what, number);
		return NULL;
	}
	it = store_open_iteration(st, number);
	if (!it) {
		st->now = NULL;
		store_lacks_memory(st);
		return NULL;
	}
	it->opened = r->time;
	if (r->time <= st->lost_until)
		store_lose(st, it);
	return it->open ? it : NULL;
}

/*
 * The instance of the event's process; NULL: there are too many, or no memory, which was answered.
 */
static void *instance_for(struct store *st, struct iteration *it, const struct spec_event *e, int64_t id)
{
	enum tune_fault fault;
	void *self = store_by_id(st, (int)e->actor_id, id, true, &fault);
	if (self)
		return self;
	if (fault == FAULT_ROOM) {
		store_lacks_memory(st);
		store_finish_iteration(st, it);
	} else {
		char why[EVAL_TEXT_MAX];
		snprintf(why, sizeof why, "more than %u of actor %s, its max", st->s->actor.at[e->actor_id].most,
		         st->s->actor.at[e->actor_id].id.z);
		store_give_up(st, it, why);
	}
	return NULL;
}

void store_event(struct store *st, const struct request *r)
{
	static struct tune_value v[FIELD_FIRST + EVAL_VALUES_MAX]; /* one thread, one event at a time */
	const struct spec_event *e = &st->s->event.at[r->what];
	struct process *t = store_find_process(st, r->id);
	if (!t)
		t = store_add_process(st, e->actor_id, r->id);
	if (!t) {
		store_lacks_memory(st);
		return;
	}
	st->time = r->time;
	for (uint32_t i = 0; i < r->n && i < e->ref.n; i++)
		if (e->ref.at[i].variable != SPEC_NONE)
			st->carried[e->ref.at[i].variable] = r->value[i].d;
	int64_t number = iteration_of(st, e, r, t);
	if (e->iter == ITER_BEGIN)
		t->in = number;
	struct iteration *it = iteration_for(st, r, number);
	if (!it)
		return;
	st->now = it;
	fill_values(e, r, v);
	st->host.globals->v = v;
	void *self = instance_for(st, it, e, r->id);
	if (!self)
		return;
	work_on_event(st, e, r, self);
	if (e->iter == ITER_BEGIN)
		it->steps.began = r->time;
	if (e->iter == ITER_END)
		store_end_iteration(it, r->time);
	if (r->folded)
		fold_expect(it, r->child);
	store_finish_iteration(st, it);
	st->now = NULL;
}
