/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterations, in the child process. An open iteration has its own attributes, and for each actor an array of instances: the
 * processes that were heard of in it, in the order in which they came, with their attributes.
 *
 *     iteration 17 --+-- iter          attributes of the iteration
 *                    +-- actor 0 ----- id[] = {4711}          data[] = {attributes}
 *                    +-- actor 1 ----- id[] = {4720, 4718…}   data[] = {attributes, attributes…}
 *
 * Arrays have room for `max` instances from the beginning: pointers into them stay valid while a code runs. An iteration that is
 * closed (evaluated, or marked incomplete) is forgotten but for its number. Before an evaluation instances are put in the order of
 * their first events, so that it does not matter by which ways those came. What collectors add is in eval_fold.c.
 */
#include "tune/derive/derive.h"
#include "eval_store_priv.h"
#include "tune/lang/expr.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void group_fini(struct group *g)
{
	weft_map_fini(&g->by_id);
	free(g->id);
	free(g->first);
	free(g->flags);
	free(g->data);
	*g = (struct group){0};
}

static void free_groups(const struct store *st, struct group *group)
{
	for (size_t a = 0; group && a < st->s->actor.n; a++)
		group_fini(&group[a]);
	free(group);
}

/* The next iteration has the same room: it is kept, and what is in it cleared as it is used. */
static void spare_groups(struct store *st, struct group *group)
{
	if (st->spare || !group) {
		free_groups(st, group);
		return;
	}
	for (size_t a = 0; a < st->s->actor.n; a++) {
		weft_map_clear(&group[a].by_id);
		group[a].n = 0;
		group[a].folded = group[a].folded_incomplete = 0;
	}
	st->spare = group;
}

static void iteration_fini(struct store *st, struct iteration *it)
{
	spare_groups(st, it->group);
	free(it->iter);
	for (size_t i = 0; i < it->said.n; i++)
		fold_fini(&it->said.at[i].fold);
	free(it->said.at);
	*it = (struct iteration){0};
}

struct answer *store_begin_answer(struct store *st, int kind)
{
	struct answer *a = st->answer;
	memset(a, 0, offsetof(struct answer, value));
	a->kind = kind;
	a->process = INT64_MIN;
	a->iteration = st->now ? st->now->number : -1;
	return a;
}

void store_send_answer(struct store *st)
{
	st->host.answer(st->host.ctx, st->answer);
}

double store_carried(const struct store *st, uint32_t variable)
{
	return variable < st->s->variable.n ? st->carried[variable] : NAN;
}

bool store_evaluated(const struct store *st)
{
	return st->evaluated;
}

int64_t store_iteration(const struct store *st)
{
	return st->now ? st->now->number : -1;
}

/* -- running codes -- */

static bool run(struct store *st, uint32_t code)
{
	if (code == SPEC_NONE || !st->s->code.at[code].body)
		return true;
	struct tune_globals *g = st->host.globals;
	g->iter = st->now ? st->now->iter : NULL;
	g->param = st->param;
	if (st->host.run(st->host.ctx, code))
		return true;
	if (st->now)
		st->now->faulty = true;
	return false;
}

static void run_inics(struct store *st, enum spec_scope scope, uint32_t actor, void *self)
{
	st->host.globals->self = self;
	for (size_t i = 0; i < st->s->attr.n; i++) {
		const struct spec_attr *a = &st->s->attr.at[i];
		if (a->scope == scope && (scope != SCOPE_ACTOR || a->actor == actor))
			(void)run(st, a->inic);
	}
	st->host.globals->self = NULL;
}

/* -- instances -- */

void *store_instance(struct store *st, uint32_t actor, uint32_t i)
{
	return st->now->group[actor].data + (size_t)i * st->host.sizes[2 + actor];
}

void *store_by_id(struct store *st, int actor, int64_t id, bool make, enum tune_fault *fault)
{
	uint64_t at;
	*fault = FAULT_TASK;
	if (!st->now)
		return NULL;
	struct group *g = &st->now->group[actor];
	if (weft_map_get(&g->by_id, (uint64_t)id, &at))
		return store_instance(st, (uint32_t)actor, (uint32_t)at);
	if (!make)
		return NULL;
	*fault = FAULT_TOO_MANY;
	if (g->n >= g->room)
		return NULL;
	*fault = FAULT_ROOM;
	if (weft_map_put(&g->by_id, (uint64_t)id, g->n))
		return NULL;
	g->first[g->n] = st->time;
	g->flags[g->n] = 0;
	g->id[g->n++] = id;
	void *at_end = store_instance(st, (uint32_t)actor, g->n - 1);
	memset(at_end, 0, st->host.sizes[2 + actor]);
	/* Values that are being computed go on as they were. */
	void *self = st->host.globals->self;
	run_inics(st, SCOPE_ACTOR, (uint32_t)actor, at_end);
	st->host.globals->self = self;
	return at_end;
}

void *store_nth(struct store *st, int actor, int64_t number, enum tune_fault *fault)
{
	*fault = FAULT_TASK;
	if (!st->now || number < 0 || number >= st->now->group[actor].n)
		return NULL;
	return store_instance(st, (uint32_t)actor, (uint32_t)number);
}

int64_t store_count(struct store *st, int actor)
{
	const struct group *g = st->now ? &st->now->group[actor] : NULL;
	return g ? (int64_t)(g->n + g->folded) : 0;
}

/* -- opening and closing -- */

static void answer_incomplete(struct store *st, struct iteration *it, const char *why, bool lost)
{
	st->now = it;
	struct answer *a = store_begin_answer(st, WEFT_SAID_INCOMPLETE);
	a->add = lost;
	snprintf(a->text, sizeof a->text, "%s", why);
	store_send_answer(st);
}

static void close_iteration(struct store *st, struct iteration *it)
{
	st->closed[st->n_closed++ % CLOSED_MAX] = it->number;
	if (st->child.n) {
		st->now = it;
		store_begin_answer(st, WEFT_SAID_CLOSED);
		store_send_answer(st);
	}
	iteration_fini(st, it);
	st->now = NULL;
}

void store_give_up(struct store *st, struct iteration *it, const char *why)
{
	answer_incomplete(st, it, why, false);
	close_iteration(st, it);
}

void store_give_up_lost(struct store *st, struct iteration *it, const char *why)
{
	answer_incomplete(st, it, why, true);
	close_iteration(st, it);
}

/* What would be needed is not there: a fault of the iteration that is worked on, or of none. */
static void lacks_memory(struct store *st)
{
	struct answer *a = store_begin_answer(st, WEFT_SAID_FAULT);
	a->what = SPEC_NONE;
	a->fault = FAULT_ROOM;
	store_send_answer(st);
	if (st->now)
		st->now->faulty = true;
}

bool store_was_closed(const struct store *st, int64_t number)
{
	for (unsigned i = 0; i < st->n_closed && i < CLOSED_MAX; i++)
		if (st->closed[i] == number)
			return true;
	return false;
}

struct iteration *store_find_open(struct store *st, int64_t number)
{
	/* Mostly where it is looked for first: store_open_iteration. */
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++) {
		struct iteration *it = &st->open[((uint64_t)number + i) % EVAL_OPEN_MAX];
		if (it->open && it->number == number)
			return it;
	}
	return NULL;
}

static struct group *new_groups(const struct store *st)
{
	struct group *group = calloc(st->s->actor.n + 1, sizeof *group);
	for (size_t a = 0; group && a < st->s->actor.n; a++) {
		struct group *g = &group[a];
		g->room = st->s->actor.at[a].most;
		g->id = calloc(g->room, sizeof *g->id);
		g->first = calloc(g->room, sizeof *g->first);
		g->flags = calloc(g->room, 1);
		g->data = calloc(g->room, st->host.sizes[2 + a]);
		if (!g->id || !g->first || !g->flags || !g->data) {
			free_groups(st, group);
			return NULL;
		}
	}
	return group;
}

static int make_groups(struct store *st, struct iteration *it)
{
	it->iter = calloc(1, st->host.sizes[0]);
	it->group = st->spare;
	st->spare = NULL;
	if (!it->group)
		it->group = new_groups(st);
	return it->iter && it->group ? 0 : -ENOMEM;
}

/* A place for an iteration; the oldest gives way. */
struct iteration *store_open_iteration(struct store *st, int64_t number)
{
	struct iteration *it = NULL, *oldest = NULL;
	for (unsigned i = EVAL_OPEN_MAX; i-- > 0;) {
		struct iteration *o = &st->open[((uint64_t)number + i) % EVAL_OPEN_MAX];
		if (!o->open)
			it = o;
		else if (!oldest || o->number < oldest->number)
			oldest = o;
	}
	if (!it) {
		it = oldest;
		store_give_up(st, it, "later iterations have begun, and it was still not complete");
	}
	*it = (struct iteration){.number = number, .open = true, .opened = NAN};
	it->steps = (struct weft_steps){.began = NAN, .ended = NAN, .begun_ns = weft_monotonic_ns()};
	if (make_groups(st, it)) {
		iteration_fini(st, it);
		return NULL;
	}
	st->now = it;
	run_inics(st, SCOPE_ITERATION, 0, NULL);
	if (!st->any || number > st->latest)
		st->latest = number;
	st->any = true;
	return it;
}

/* -- processes -- */

static struct process *find_process(struct store *st, int64_t id)
{
	uint64_t at;
	return weft_map_get(&st->process_by_id, (uint64_t)id, &at) ? &st->process.at[at] : NULL;
}

static struct process *add_process(struct store *st, uint32_t actor, int64_t id)
{
	struct process t = {.id = id, .actor = actor, .alive = true, .in = INT64_MIN};
	size_t at = st->vacant.n ? st->vacant.at[st->vacant.n - 1] : st->process.n;
	if (weft_vec_reserve(&st->process, at + 1) || weft_map_put(&st->process_by_id, (uint64_t)id, at))
		return NULL;
	st->vacant.n -= st->vacant.n > 0;
	st->process.n += at == st->process.n;
	st->process.at[at] = t;
	return &st->process.at[at];
}

/* Whether an instance has finished the iteration; without a condition it always has. */
static bool is_complete(struct store *st, uint32_t actor, uint32_t i)
{
	uint32_t code = st->s->actor.at[actor].complete;
	if (code == SPEC_NONE || !st->s->code.at[code].body)
		return true;
	unsigned char flags = st->now->group[actor].flags[i];
	if ((flags & INSTANCE_FOLDED) && st->s->actor.at[actor].complete_there)
		return flags & INSTANCE_COMPLETE;
	st->host.globals->self = store_instance(st, actor, i);
	bool ok = run(st, code);
	st->host.globals->self = NULL;
	return ok && st->host.globals->result.d != 0;
}

static void process_vanished(struct store *st, uint32_t actor, int64_t id)
{
	char why[EVAL_TEXT_MAX];
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++) {
		struct iteration *it = &st->open[k];
		if (!it->open)
			continue;
		st->now = it;
		if (!fold_apply(st, it))
			continue;
		for (uint32_t i = 0; i < it->group[actor].n; i++) {
			if (it->group[actor].id[i] != id || is_complete(st, actor, i))
				continue;
			snprintf(why, sizeof why, "%s %lld vanished before it was complete", st->s->actor.at[actor].id.z,
			         (long long)id);
			store_give_up(st, it, why);
			break;
		}
	}
	st->now = NULL;
}

/* The first process when none is left: the program is run once more, and counts its iterations anew. */
static void begin_anew(struct store *st)
{
	for (size_t i = 0; i < st->process.n; i++)
		if (st->process.at[i].alive)
			return;
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++)
		if (st->open[k].open)
			store_give_up(st, &st->open[k], "the program was begun anew");
	st->n_closed = 0;
	st->any = false;
	if (st->child.n) {
		struct answer *a = store_begin_answer(st, WEFT_SAID_CLOSED);
		a->add = true;
		store_send_answer(st);
	}
}

void store_process(struct store *st, uint32_t actor, int64_t id, bool begins)
{
	struct process *t = find_process(st, id);
	if (begins && !t && st->any)
		begin_anew(st);
	if (begins && !t && !add_process(st, actor, id))
		lacks_memory(st);
	if (begins || !t)
		return;
	t->alive = false;
	weft_map_del(&st->process_by_id, (uint64_t)id);
	(void)!weft_vec_push(&st->vacant, (size_t)(t - st->process.at));
	process_vanished(st, t->actor, id);
}

/* Of an iteration events may be missing: it goes, unless the specification says that estimates will do. */
static void lose(struct store *st, struct iteration *it)
{
	char why[EVAL_TEXT_MAX];
	it->lacks = true;
	snprintf(why, sizeof why, "%llu events of task %lld were lost", (unsigned long long)st->lost, (long long)st->lost_by);
	if (!st->s->estimates)
		store_give_up_lost(st, it, why);
}

void store_lost(struct store *st, const struct request *r)
{
	st->lost = r->count;
	st->lost_by = r->id;
	st->lost_until = r->time > st->lost_until ? r->time : st->lost_until;
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++)
		if (st->open[k].open && !(st->open[k].opened > r->time && isfinite(r->time)))
			lose(st, &st->open[k]);
	st->now = NULL;
}

/* -- evaluation -- */

static double number_at(const struct spec_attr *a, const char *at, uint32_t i)
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
	struct answer *a = store_begin_answer(st, WEFT_SAID_EVALUATED);
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
				a->value[a->n++] = number_at(attr, base + st->host.offsets[k], i);
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
		if (!run(st, p->value))
			return;
		v = g->result;
		is_text = st->s->code.at[p->value].body->kid[0]->type == TYPE_STRING;
	}
	bool bad = !is_text && !isfinite(v.d);
	struct answer *a = store_begin_answer(st, bad ? WEFT_SAID_FAULT : WEFT_SAID_TUNE);
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
		if (m.found && !run(st, p->value))
			return;
		g->point = g->result;
		if (fabs(g->point.d) < 9e18)
			g->point.i =
				(int64_t)g->point.d; /* a condition reads it in the variable's type, whatever the value's is */
		if (!run(st, p->cond) || g->result.d == 0)
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
			if (!is_complete(st, a, i))
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
	(void)run(st, st->s->attr.at[attr].value);
	return true;
}

/* What an evaluation changes, as it was before. */
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
		lacks_memory(st);
		answer_incomplete(st, it, "no memory was left for its evaluation", false);
	} else if (it->faulty) {
		answer_incomplete(st, it, "a fault in its evaluation", false);
	} else {
		st->evaluated = true;
		answer_values(st);
		for (uint32_t p = 0; p < st->s->point.n; p++)
			decide(st, p);
	}
	free(b.param);
	free(b.iter);
	if (enough)
		close_iteration(st, it);
}

void store_finish_iteration(struct store *st, struct iteration *it)
{
	st->now = it;
	if (it->faulty) {
		store_give_up(st, it, "a fault in one of its values");
	} else if (it->ended && fold_all_in(st, it) && fold_apply(st, it) && all_complete(st, it)) {
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

/* -- events -- */

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
			double new = number_at(&st->s->attr.at[on], (const char *)st->now->iter + st->host.offsets[on], 0);
			double old = number_at(&st->s->attr.at[on], before + st->host.offsets[on], 0);
			again |= begins || new != old;
		}
		if (again)
			(void)run(st, a->inic);
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
			(void)run(st, a->value);
	}
}

void store_answer_late(struct store *st, uint32_t event, int64_t number)
{
	st->now = NULL;
	struct answer *a = store_begin_answer(st, WEFT_SAID_LATE);
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
		lacks_memory(st);
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

void store_event(struct store *st, const struct request *r)
{
	static struct tune_value v[FIELD_FIRST + EVAL_VALUES_MAX]; /* one thread, one event at a time */
	const struct spec_event *e = &st->s->event.at[r->what];
	struct process *t = find_process(st, r->id);
	enum tune_fault fault;
	if (!t)
		t = add_process(st, e->actor_id, r->id);
	if (!t) {
		lacks_memory(st);
		return;
	}
	st->time = r->time;
	for (uint32_t i = 0; i < r->n && i < e->ref.n; i++)
		if (e->ref.at[i].variable != SPEC_NONE)
			st->carried[e->ref.at[i].variable] = r->value[i].d;
	int64_t number = iteration_of(st, e, r, t);
	if (e->iter == ITER_BEGIN)
		t->in = number;
	struct iteration *it = store_find_open(st, number);
	if (!it && store_was_closed(st, number)) {
		store_answer_late(st, r->what, number);
		return;
	}
	bool begins = !it;
	if (begins)
		it = store_open_iteration(st, number);
	if (it && begins)
		it->opened = r->time;
	if (it && begins && r->time <= st->lost_until)
		lose(st, it);
	st->now = it;
	if (!it)
		lacks_memory(st);
	if (!it || !it->open)
		return;
	fill_values(e, r, v);
	st->host.globals->v = v;
	void *self = store_by_id(st, (int)e->actor_id, r->id, true, &fault);
	if (!self && fault == FAULT_ROOM) {
		lacks_memory(st);
		store_finish_iteration(st, it);
		return;
	}
	if (!self) {
		char why[EVAL_TEXT_MAX];
		snprintf(why, sizeof why, "more than %u of actor %s, its max", st->s->actor.at[e->actor_id].most,
		         st->s->actor.at[e->actor_id].id.z);
		store_give_up(st, it, why);
		return;
	}
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

void store_free(struct store *st)
{
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++)
		if (st->open[k].open)
			iteration_fini(st, &st->open[k]);
	free_groups(st, st->spare);
	weft_map_fini(&st->process_by_id);
	void *lists[] = {st->param,    st->answer,  st->order,      st->number,    st->part,
	                 st->part_bad, st->carried, st->process.at, st->vacant.at, st->child.at};
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		free(lists[i]);
	free(st);
}

int store_new(struct store **out, struct weft_spec *s, const struct store_host *host)
{
	struct store *st = calloc(1, sizeof *st);
	if (!st)
		return -ENOMEM;
	st->s = s;
	st->host = *host;
	st->lost_until = -INFINITY;
	st->depinics = spec_has_depinic(s);
	st->param = calloc(1, host->sizes[1]);
	st->answer = calloc(1, sizeof *st->answer);
	st->order = calloc(s->event.n + 1, sizeof *st->order);
	st->number = calloc(s->n_parts + 1, sizeof *st->number);
	st->part = calloc(s->n_parts + 1, sizeof *st->part);
	st->part_bad = calloc(s->n_parts + 1, sizeof *st->part_bad);
	st->carried = calloc(s->variable.n + 1, sizeof *st->carried);
	if (!st->param || !st->answer || !st->order || !st->number || !st->part || !st->part_bad || !st->carried) {
		store_free(st);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->variable.n; i++)
		st->carried[i] = NAN;
	for (uint32_t e = 0; e < s->event.n; e++) {
		uint32_t n_first;
		st->order[e].n = derive_event_order(s, e, &st->order[e].attr, &n_first);
	}
	*out = st;
	run_inics(st, SCOPE_PARAMETER, 0, NULL);
	return 0;
}
