/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterations, in the child process. An open iteration has its own attributes, and for each actor an
 * array of instances: the processes that were heard of in it, in the order in which they came, with
 * their attributes.
 *
 *     iteration 17 --+-- iter          attributes of the iteration
 *                    +-- actor 0 ----- id[] = {4711}          data[] = {attributes}
 *                    +-- actor 1 ----- id[] = {4720, 4718…}   data[] = {attributes, attributes…}
 *
 * Arrays have room for `max` instances from the beginning: pointers into them stay valid while a
 * code runs. An iteration that is closed (evaluated, or marked incomplete) is forgotten but for its
 * number. Before an evaluation instances are put in the order of their first events, so that it
 * does not matter by which ways those came. What collectors add is in eval_fold.c.
 */
#include "tune/derive/derive.h"
#include "eval_store_priv.h"
#include "tune/lang/expr.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void iteration_fini(struct store *st, struct iteration *it)
{
	groups_spare(&st->spare, it->group, st->s->actor.n);
	free(it->iter);
	for (size_t i = 0; i < it->folds.n; i++)
		fold_fini(&it->folds.at[i].fold);
	free(it->folds.at);
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

bool store_run(struct store *st, uint32_t code)
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
			(void)store_run(st, a->inic);
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
	*fault = FAULT_PROCESS;
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
	*fault = FAULT_PROCESS;
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

void store_answer_incomplete(struct store *st, struct iteration *it, const char *why, bool lost)
{
	st->now = it;
	struct answer *a = store_begin_answer(st, WEFT_RESULT_INCOMPLETE);
	a->add = lost;
	snprintf(a->text, sizeof a->text, "%s", why);
	store_send_answer(st);
}

void store_close(struct store *st, struct iteration *it)
{
	st->closed[st->n_closed++ % CLOSED_MAX] = it->number;
	if (st->child.n) {
		st->now = it;
		store_begin_answer(st, WEFT_RESULT_CLOSED);
		store_send_answer(st);
	}
	iteration_fini(st, it);
	st->now = NULL;
}

void store_give_up(struct store *st, struct iteration *it, const char *why)
{
	store_answer_incomplete(st, it, why, false);
	store_close(st, it);
}

void store_give_up_lost(struct store *st, struct iteration *it, const char *why)
{
	store_answer_incomplete(st, it, why, true);
	store_close(st, it);
}

/* Memory is out: a fault of the current iteration, if there is one. */
void store_lacks_memory(struct store *st)
{
	struct answer *a = store_begin_answer(st, WEFT_RESULT_FAULT);
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
			groups_free(group, st->s->actor.n);
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

struct process *store_find_process(struct store *st, int64_t id)
{
	uint64_t at;
	return weft_map_get(&st->process_by_id, (uint64_t)id, &at) ? &st->process.at[at] : NULL;
}

struct process *store_add_process(struct store *st, uint32_t actor, int64_t id)
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
bool store_is_complete(struct store *st, uint32_t actor, uint32_t i)
{
	uint32_t code = st->s->actor.at[actor].complete;
	if (code == SPEC_NONE || !st->s->code.at[code].body)
		return true;
	unsigned char flags = st->now->group[actor].flags[i];
	if ((flags & INSTANCE_FOLDED) && st->s->actor.at[actor].complete_there)
		return flags & INSTANCE_COMPLETE;
	st->host.globals->self = store_instance(st, actor, i);
	bool ok = store_run(st, code);
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
			if (it->group[actor].id[i] != id || store_is_complete(st, actor, i))
				continue;
			snprintf(why, sizeof why, "%s %lld vanished before it was complete", st->s->actor.at[actor].id.z,
			         (long long)id);
			store_give_up(st, it, why);
			break;
		}
	}
	st->now = NULL;
}

/*
 * The first process when none is left: the program is run once more, and counts its iterations
 * anew.
 */
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
		struct answer *a = store_begin_answer(st, WEFT_RESULT_CLOSED);
		a->add = true;
		store_send_answer(st);
	}
}

void store_process(struct store *st, uint32_t actor, int64_t id, bool begins)
{
	struct process *t = store_find_process(st, id);
	if (begins && !t && st->any)
		begin_anew(st);
	if (begins && !t && !store_add_process(st, actor, id))
		store_lacks_memory(st);
	if (begins || !t)
		return;
	t->alive = false;
	weft_map_del(&st->process_by_id, (uint64_t)id);
	(void)!weft_vec_push(&st->vacant, (size_t)(t - st->process.at));
	process_vanished(st, t->actor, id);
}

/* An iteration may lack events: it is given up, unless the specification accepts estimates. */
void store_lose(struct store *st, struct iteration *it)
{
	char why[EVAL_TEXT_MAX];
	it->lacks = true;
	snprintf(why, sizeof why, "%llu events of process %lld were lost", (unsigned long long)st->lost, (long long)st->lost_by);
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
			store_lose(st, &st->open[k]);
	st->now = NULL;
}

void store_free(struct store *st)
{
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++)
		if (st->open[k].open)
			iteration_fini(st, &st->open[k]);
	groups_free(st->spare, st->s->actor.n);
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
		st->sees_begins |= s->event.at[e].iter == ITER_BEGIN && (!s->event.at[e].folds || s->event.at[e].passes);
	}
	*out = st;
	run_inics(st, SCOPE_PARAMETER, 0, NULL);
	return 0;
}
