/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folds of collectors below. An open iteration keeps the latest fold of each, whole: a fold
 * replaces the one before it from the same collector, so that none is counted twice, and they are
 * joined with the collector's own instances only when the result is sent up. A request is answered
 * when each collector in the list has answered it. Collectors come, go, and hand theirs over to
 * others while iterations are open; what a collector that leaves had sent then comes again by
 * another way, and is dropped here.
 */
#include "collect_fold_priv.h"
#include <errno.h>
#include <stdlib.h>

int folder_child(struct folder *f, uint32_t child, bool begins)
{
	for (size_t i = 0; i < f->child.n; i++)
		if (f->child.at[i] == child)
			f->child.at[i--] = f->child.at[--f->child.n];
	if (begins)
		return weft_vec_push(&f->child, child);
	int rc = 0;
	for (unsigned i = 0; i < EVAL_OPEN_MAX && !rc; i++)
		if (f->open[i].open && folder_below_of(&f->open[i], child))
			rc = folder_give_up(f, &f->open[i], "the connection to a collector was lost");
		else if (f->open[i].open)
			f->open[i].dirty = true;
	return rc;
}

static bool is_among(uint32_t one, const uint32_t *child, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (child[i] == one)
			return true;
	return false;
}

/*
 * Keeps the collectors below that are in the list (kept), or those that are not. The answers to
 * open questions change by that.
 */
static void keep_below(struct folder *f, const uint32_t *child, size_t n, bool kept)
{
	for (size_t i = 0; i < f->child.n; i++)
		if (is_among(f->child.at[i], child, n) != kept)
			f->child.at[i--] = f->child.at[--f->child.n];
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++) {
		struct open_iteration *it = &f->open[k];
		for (size_t i = 0; it->open && i < it->below.n; i++) {
			if (is_among(it->below.at[i].child, child, n) == kept)
				continue;
			fold_fini(&it->below.at[i].fold);
			it->below.at[i--] = it->below.at[--it->below.n];
		}
		it->dirty = it->open;
	}
}

int folder_hand(struct folder *f, const uint32_t *child, size_t n, uint32_t to)
{
	keep_below(f, child, n, false);
	return weft_vec_push(&f->child, to);
}

void folder_keep(struct folder *f, const uint32_t *child, size_t n)
{
	keep_below(f, child, n, true);
	for (unsigned k = 0; k < EVAL_OPEN_MAX; k++)
		for (size_t a = 0; f->open[k].open && a < f->s->actor.n; a++) {
			weft_map_clear(&f->open[k].group[a].by_id);
			f->open[k].group[a].n = 0;
		}
}

void folder_return(struct folder *f, uint32_t child)
{
	keep_below(f, &child, 1, false);
}

bool folder_owes(const struct folder *f, uint32_t child)
{
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++) {
		const struct below *b = f->open[i].open ? folder_below_of(&f->open[i], child) : NULL;
		if (f->open[i].open && f->open[i].asked && !(b && b->answered))
			return true;
	}
	return false;
}

void folder_leave(struct folder *f, uint32_t child)
{
	for (size_t i = 0; i < f->child.n; i++)
		if (f->child.at[i] == child)
			f->child.at[i--] = f->child.at[--f->child.n];
}

bool folder_has_own(const struct folder *f)
{
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++)
		for (size_t a = 0; f->open[i].open && a < f->s->actor.n; a++)
			if (f->open[i].group[a].n)
				return true;
	return false;
}

bool folder_asked(const struct folder *f, unsigned *i, int64_t *iteration, bool *full)
{
	for (; *i < EVAL_OPEN_MAX; (*i)++) {
		const struct open_iteration *it = &f->open[*i];
		if (!it->open || !it->asked)
			continue;
		*iteration = it->number;
		*full = it->full;
		(*i)++;
		return true;
	}
	return false;
}

int folder_below(struct folder *f, uint32_t child, const void *at, size_t n)
{
	struct fold in;
	int rc = fold_decode(f->s, at, n, &in);
	if (rc)
		return rc == -ENOMEM ? rc : -EINVAL;
	if (in.kind == FOLD_LATE || (!folder_find(f, in.iteration) && folder_was_closed(f, in.iteration))) {
		if (in.kind == FOLD_LATE)
			f->how.up(f->how.ctx, at, n);
		fold_fini(&in);
		return 0;
	}
	struct open_iteration *it = folder_find_or_open(f, in.iteration);
	if (it && in.kind == FOLD_GONE) {
		rc = folder_say_gone(f, it, in.why, in.bad);
		fold_fini(&in);
		return rc;
	}
	struct below *b = it ? folder_below_of(it, child) : NULL;
	if (it && !b && weft_vec_push(&it->below, (struct below){.child = child}) == 0)
		b = &it->below.at[it->below.n - 1];
	if (!b) {
		fold_fini(&in);
		return -ENOMEM;
	}
	bool ends = in.ended && !it->ended, tells = in.kind == FOLD_STATE;
	it->ended |= in.ended;
	if (in.kind == FOLD_OPEN) {
		fold_fini(&in);
	} else {
		b->answered = in.reply && (in.full || !it->full);
		fold_fini(&b->fold);
		b->fold = in;
		it->dirty = true;
	}
	/* An unasked fold is about a process that ends: it is passed on at once. */
	if (b->fold.kind == FOLD_STATE && !b->fold.reply && tells)
		return folder_tell_state(f, it);
	return ends ? folder_tell_open(f, it) : 0;
}
