/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of one name become one value: tracers number addresses, and many of these are one line of
 * the source. The last function of such a window is a translation of each value into the least one
 * with the same label, made of the trace's labels.
 */
#include "base/map.h"
#include "view_join.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	double from, to;
};
struct pairs {
	WEFT_VEC(struct pair) at;
};

static bool asks_for(const struct weft_window *w, double code)
{
	const struct weft_test *t = &w->metric.filter.test[WEFT_OF_TYPE];
	if (t->kind == WEFT_TEST_RANGE)
		return t->list.n > 1 && code >= t->list.at[0] && code <= t->list.at[1];
	if (t->kind != WEFT_TEST_EQ)
		return t->kind == WEFT_TEST_ALL;
	for (uint32_t i = 0; i < t->list.n; i++)
		if (t->list.at[i] == code)
			return true;
	return false;
}

/* Labels of a type are sorted by value: the first of a name is the least. */
static int add_type(struct pairs *p, const struct weft_def_row *type)
{
	struct weft_intern names = {.n = 0};
	WEFT_VEC(double) least = {0};
	int rc = 0;
	for (uint32_t i = 0; i < type->n_labels && !rc; i++) {
		const struct weft_label *l = &type->label[i];
		uint32_t id;
		rc = weft_intern_add(&names, weft_str(l->text), &id);
		if (!rc && id == least.n)
			rc = weft_vec_push(&least, (double)l->value);
		else if (!rc)
			rc = weft_vec_push(&p->at, ((struct pair){(double)l->value, least.at[id]}));
	}
	free(least.at);
	weft_intern_fini(&names);
	return rc;
}

static int by_value(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

/*
 * Of two types that call one value otherwise the one that joins less holds: such a value has no
 * name that is sure.
 */
static void drop_doubtful(struct pairs *p)
{
	size_t left = 0;
	for (size_t i = 0, next; i < p->at.n; i = next) {
		bool same = true;
		for (next = i + 1; next < p->at.n && p->at.at[next].from == p->at.at[i].from; next++)
			same &= p->at.at[next].to == p->at.at[i].to;
		if (same)
			p->at.at[left++] = p->at.at[i];
	}
	p->at.n = left;
}

static int append(struct weft_view *v, struct weft_window *w, const struct pairs *p)
{
	struct weft_metric *m = &w->metric;
	size_t n = p->at.n;
	double *list = weft_arena_alloc(&v->arena, (2 * n + 1) * sizeof *list);
	struct weft_call *extra = weft_arena_alloc(&v->arena, ((size_t)m->n_extra + 1) * sizeof *extra);
	if (!list || !extra)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		list[i] = p->at.at[i].from;
		list[n + i] = p->at.at[i].to;
	}
	if (m->n_extra)
		memcpy(extra, m->extra, m->n_extra * sizeof *extra);
	extra[m->n_extra] = (struct weft_call){.func = weft_func_find(WEFT_FUNC_COMPOSE, "Translate"),
	                                       .param = {{list, (uint32_t)n}, {list + n, (uint32_t)n}}};
	m->extra = extra;
	m->n_extra++;
	return 0;
}

int view_join_labels(struct weft_view *v, struct weft_window *w, const struct weft_trace *t)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	struct pairs p = {.at = {0}};
	int rc = 0;
	for (uint32_t i = 1; i < d->n && !rc && !w->derived; i++)
		if (d->at[i].n_labels && asks_for(w, (uint32_t)d->at[i].code))
			rc = add_type(&p, &d->at[i]);
	if (!rc && p.at.n) {
		qsort(p.at.at, p.at.n, sizeof *p.at.at, by_value);
		drop_doubtful(&p);
		rc = p.at.n ? append(v, w, &p) : 0;
	}
	free(p.at.at);
	return rc;
}
