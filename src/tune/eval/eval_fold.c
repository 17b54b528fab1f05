/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors, as the analyzer's evaluation sees them. Of an iteration each says that it is open,
 * and then nothing until it is asked: when the end was seen, all are asked once, and from then on
 * they tell each change; the iteration is evaluated when all have answered and everything in it is
 * complete. When partial results do not serve (a loop that does not go over all instances, a fault
 * in one), all values of all instances are asked for, and the expressions run as they stand.
 */
#include "eval_store_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- asking -- */

void fold_ask(struct store *st, struct iteration *it, bool full)
{
	it->asked = true;
	it->full |= full;
	for (size_t i = 0; i < it->folds.n; i++)
		it->folds.at[i].answered &= !full;
	st->now = it;
	struct answer *a = store_begin_answer(st, WEFT_RESULT_CLOSE);
	a->add = it->full;
	store_send_answer(st);
}

static struct child_fold *fold_of_child(struct iteration *it, uint32_t child)
{
	for (size_t i = 0; i < it->folds.n; i++)
		if (it->folds.at[i].child == child)
			return &it->folds.at[i];
	return NULL;
}

void fold_expect(struct iteration *it, uint32_t child)
{
	struct child_fold *f = it->asked ? fold_of_child(it, child) : NULL;
	if (f)
		f->answered = false;
}

bool fold_all_in(struct store *st, struct iteration *it)
{
	if (st->child.n && !it->asked) {
		fold_ask(st, it, false);
		return false;
	}
	for (size_t i = 0; i < st->child.n; i++) {
		const struct child_fold *f = fold_of_child(it, st->child.at[i]);
		if (!f || !f->answered)
			return false;
	}
	return true;
}

/* -- what they said, into the iteration -- */

static void set_values(struct store *st, uint32_t actor, void *at, const struct fold *f, const uint64_t *word)
{
	for (size_t k = 0; k < st->s->attr.n; k++) {
		const struct spec_attr *a = &st->s->attr.at[k];
		if (a->scope != SCOPE_ACTOR || a->actor != actor || !st->s->plan[k].at_collector ||
		    !(f->full || st->s->plan[k].travels))
			continue;
		fold_unpack(a, (char *)at + st->host.offsets[k], word);
		word += a->len ? a->len : 1;
	}
}

static bool apply_group(struct store *st, struct iteration *it, uint32_t actor, const struct fold *f)
{
	const struct fold_group *from = &f->group[actor];
	struct group *g = &it->group[actor];
	enum tune_fault fault;
	if (!from->n_ids) {
		g->folded += from->n;
		g->folded_incomplete += from->incomplete;
	}
	for (uint32_t i = 0; i < from->n_ids; i++) {
		uint64_t at;
		st->time = from->first[i];
		void *data = store_by_id(st, (int)actor, from->id[i], true, &fault);
		if (!data || !weft_map_get(&g->by_id, (uint64_t)from->id[i], &at))
			return false;
		g->first[at] = from->first[i] < g->first[at] ? from->first[i] : g->first[at];
		g->flags[at] = (unsigned char)(INSTANCE_FOLDED | (from->complete[i] ? INSTANCE_COMPLETE : 0));
		set_values(st, actor, data, f, from->word + (size_t)i * from->width);
	}
	return g->n + g->folded <= g->room;
}

bool fold_apply(struct store *st, struct iteration *it)
{
	if (it->folds.n == 0)
		return true;
	st->now = it;
	for (uint32_t a = 0; a < st->s->actor.n; a++) {
		struct group *g = &it->group[a];
		g->folded = g->folded_incomplete = 0;
		for (size_t i = 0; i < it->folds.n; i++) {
			const struct fold *f = &it->folds.at[i].fold;
			if (f->kind != FOLD_STATE || apply_group(st, it, a, f))
				continue;
			char why[EVAL_TEXT_MAX];
			snprintf(why, sizeof why, "more than %u of actor %s, its max", st->s->actor.at[a].most,
			         st->s->actor.at[a].id.z);
			store_give_up(st, it, why);
			return false;
		}
	}
	return true;
}

void store_fold(struct store *st, uint32_t child, const void *at, size_t n)
{
	struct fold in;
	if (fold_decode(st->s, at, n, &in))
		return;
	struct iteration *it = store_find_open(st, in.iteration);
	if (!it && store_was_closed(st, in.iteration)) {
		if (in.kind == FOLD_LATE)
			store_answer_late(st, in.event, in.iteration);
		fold_fini(&in);
		return;
	}
	it = it ? it : store_open_iteration(st, in.iteration);
	st->now = it;
	if (it && in.kind == FOLD_GONE) {
		if (in.bad)
			store_give_up_lost(st, it, in.why);
		else
			store_give_up(st, it, in.why);
		it = NULL;
	}
	struct child_fold *f = it ? fold_of_child(it, child) : NULL;
	if (it && !f && weft_vec_push(&it->folds, (struct child_fold){.child = child}) == 0)
		f = &it->folds.at[it->folds.n - 1];
	if (f) {
		if (in.ended)
			store_end_iteration(it, NAN);
		if (in.kind == FOLD_STATE) {
			f->answered = in.reply && (in.full || !it->full);
			fold_fini(&f->fold);
			f->fold = in;
			in = (struct fold){0};
		}
		store_finish_iteration(st, it);
	}
	fold_fini(&in);
	st->now = NULL;
}

void store_child(struct store *st, uint32_t child, bool begins)
{
	for (size_t i = 0; i < st->child.n; i++)
		if (st->child.at[i] == child)
			st->child.at[i--] = st->child.at[--st->child.n];
	if (begins) {
		(void)!weft_vec_push(&st->child, child);
		return;
	}
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++) {
		struct iteration *it = &st->open[i];
		if (it->open && fold_of_child(it, child))
			store_give_up(st, it, "the connection to a collector was lost");
		else if (it->open)
			store_finish_iteration(st, it);
	}
	st->now = NULL;
}

/* -- order -- */

struct place {
	double first;
	int64_t id;
	uint32_t at;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int reorder(struct group *g, const struct place *p, uint32_t size)
{
	char *data = malloc((size_t)g->n * size);
	unsigned char *flags = malloc(g->n);
	int rc = data && flags ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < g->n; i++) {
		memcpy(data + (size_t)i * size, g->data + (size_t)p[i].at * size, size);
		flags[i] = g->flags[p[i].at];
	}
	for (uint32_t i = 0; !rc && i < g->n; i++) {
		g->id[i] = p[i].id;
		g->first[i] = p[i].first;
		rc = weft_map_put(&g->by_id, (uint64_t)p[i].id, i);
	}
	if (!rc) {
		memcpy(g->data, data, (size_t)g->n * size);
		memcpy(g->flags, flags, g->n);
	}
	free(data);
	free(flags);
	return rc;
}

int fold_sort(struct store *st, struct iteration *it)
{
	int rc = 0;
	for (uint32_t a = 0; !rc && a < st->s->actor.n; a++) {
		struct group *g = &it->group[a];
		struct place *p = malloc((g->n + 1) * sizeof *p);
		bool sorted = true;
		if (!p)
			return -ENOMEM;
		for (uint32_t i = 0; i < g->n; i++) {
			p[i] = (struct place){g->first[i], g->id[i], i};
			sorted &= i == 0 || compare_places(&p[i - 1], &p[i]) < 0;
		}
		if (!sorted) {
			qsort(p, g->n, sizeof *p, compare_places);
			rc = reorder(g, p, st->host.sizes[2 + a]);
		}
		free(p);
	}
	return rc;
}

/* -- partial results -- */

/*
 * Counts instances whose values are here: those of no collector, or all once collectors have sent
 * all.
 */
static void add_own(struct store *st, struct iteration *it, const struct spec_plan *p, uint32_t own)
{
	const struct group *g = &it->group[p->over];
	uint32_t k = p->part + own;
	for (uint32_t i = 0; i < g->n; i++) {
		if ((g->flags[i] & INSTANCE_FOLDED) && !it->full)
			continue;
		st->host.globals->self = store_instance(st, p->over, i);
		int counts = st->host.part(st->host.ctx, k);
		st->part_bad[k] |= counts < 0 ||
		                   (counts > 0 && !fold_number_add(&st->number[k], p, own, st->host.globals->result));
	}
	st->host.globals->self = NULL;
}

void fold_parts(struct store *st, struct iteration *it)
{
	st->now = it;
	memset(st->number, 0, st->s->n_parts * sizeof *st->number);
	memset(st->part_bad, 0, st->s->n_parts * sizeof *st->part_bad);
	for (uint32_t k = 0; k < st->s->n_parts; k++) {
		uint32_t own;
		const struct spec_plan *p = fold_plan(st->s, k, &own);
		add_own(st, it, p, own);
		for (size_t i = 0; i < it->folds.n && !it->full; i++) {
			const struct fold *f = &it->folds.at[i].fold;
			if (f->kind == FOLD_STATE)
				st->part_bad[k] |= f->bad || !fold_number_join(&st->number[k], p, own, &f->part[k]);
		}
		st->part[k] = (struct tune_part){st->number[k].hi, st->number[k].i, (long long)st->number[k].n};
	}
	st->host.globals->part = st->part;
}

bool fold_parts_serve(const struct store *st, const struct spec_plan *p)
{
	for (uint32_t k = 0; k < p->partials; k++)
		if (st->part_bad[p->part + k])
			return false;
	return true;
}

bool fold_hides(const struct iteration *it, uint32_t actor)
{
	const struct group *g = &it->group[actor];
	if (g->folded)
		return true;
	for (uint32_t i = 0; i < g->n && !it->full; i++)
		if (g->flags[i] & INSTANCE_FOLDED)
			return true;
	return false;
}
