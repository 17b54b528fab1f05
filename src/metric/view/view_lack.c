/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of events are named by the label that the view has for them, and by their number otherwise.
 */
#include "view_lack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 4 };

struct lack {
	const struct weft_trace *trace;
	struct weft_buf *out;
	const char **known; /* names of types that have events; owned */
	size_t n_known;
	unsigned named;
};

static bool has_events(const struct lack *l, double least, double most)
{
	const struct weft_def_table *d = &l->trace->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < d->n; i++)
		if (d->at[i].n_events && (uint32_t)d->at[i].code >= least && (uint32_t)d->at[i].code <= most)
			return true;
	return false;
}

/* Of those that have events; NULL: there is none. */
static const struct weft_def_row *nearest_type(const struct lack *l, double number)
{
	const struct weft_def_table *d = &l->trace->def[WEFT_CLASS_TYPE];
	const struct weft_def_row *best = NULL;
	for (uint32_t i = 1; i < d->n; i++)
		if (d->at[i].n_events && (!best || fabs((uint32_t)d->at[i].code - number) < fabs((uint32_t)best->code - number)))
			best = &d->at[i];
	return best;
}

static void name_type(struct lack *l, const char *label, double number)
{
	if (l->named++ >= NAMED_MOST) {
		weft_buf_puts(l->out, l->named == NAMED_MOST + 1 ? ", ..." : "");
		return;
	}
	weft_buf_puts(l->out, l->named > 1 ? ", " : "");
	if (!label) {
		const struct weft_def_row *type = nearest_type(l, number);
		weft_buf_printf(l->out, "%.0f", number);
		if (type)
			weft_buf_printf(l->out, " (the nearest is %u '%s')", (uint32_t)type->code, type->name);
		return;
	}
	const char *near = weft_nearest(label, l->known, l->n_known), *closest = weft_closest(label, l->known, l->n_known);
	weft_buf_printf(l->out, "'%s'", label);
	if (near && strcmp(near, label) != 0)
		weft_buf_printf(l->out, " (did you mean '%s'?)", near);
	else if (!near && closest)
		weft_buf_printf(l->out, " (the nearest is '%s')", closest);
}

static bool has_one_of(const struct lack *l, const struct weft_test *t)
{
	if (t->kind == WEFT_TEST_RANGE && t->list.n > 1)
		return has_events(l, t->list.at[0], t->list.at[1]);
	for (uint32_t i = 0; i < t->list.n; i++)
		if (has_events(l, t->list.at[i], t->list.at[i]))
			return true;
	return false;
}

/*
 * Of a window that finds one of its types, others may well be missing: a program need not use all
 * of MPI.
 */
static void look_at(struct lack *l, const struct weft_window *w)
{
	const struct weft_test *t = &w->metric.filter.test[WEFT_OF_TYPE];
	bool labels = w->type_label.given && w->type_label.n == t->list.n;
	if (w->derived || t->kind == WEFT_TEST_ALL || t->kind == WEFT_TEST_NONE || has_one_of(l, t))
		return;
	if (t->kind == WEFT_TEST_RANGE && t->list.n > 1) {
		name_type(l, NULL, t->list.at[0]);
		weft_buf_printf(l->out, "..%.0f", t->list.at[1]);
		return;
	}
	for (uint32_t i = 0; i < t->list.n; i++)
		name_type(l, labels && strcmp(w->type_label.at[i], "Unknown") != 0 ? w->type_label.at[i] : NULL, t->list.at[i]);
}

void weft_view_missing(const struct weft_view *v, const struct weft_space *s, struct weft_buf *out)
{
	const struct weft_def_table *d = &s->trace->def[WEFT_CLASS_TYPE];
	struct lack l = {.trace = s->trace, .out = out, .known = malloc(((size_t)d->n + 1) * sizeof *l.known)};
	for (uint32_t i = 1; i < d->n && l.known; i++)
		if (d->at[i].n_events)
			l.known[l.n_known++] = d->at[i].name;
	for (uint32_t i = 0; i < v->n_windows; i++)
		look_at(&l, &v->window[i]);
	out->failed |= !l.known;
	free(l.known);
}
