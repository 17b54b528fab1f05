/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a filter names and its trace has not: a name that is misspelt selects nothing, and silently an empty answer would be
 * the result. Only names are asked for, not times or sizes; a trace without any thread that matches is likewise said.
 */
#include "filter_priv.h"
#include <stdio.h>
#include <stdlib.h>

/* The name of a definition that the test could have meant, or NULL. */
static const char *nearest_name(const struct weft_filter *f, const struct filter_test *t, const char *text)
{
	const char *best = NULL;
	for (unsigned of = 0; of < WEFT_CLASSES; of++) {
		const struct weft_def_table *all = &f->trace->def[of];
		if (!t->defs[of] || all->n < 2)
			continue;
		const char **known = calloc(all->n, sizeof *known);
		if (!known)
			return NULL;
		for (uint32_t id = 1; id < all->n; id++)
			known[id - 1] = all->at[id].name;
		const char *near = weft_nearest(text, known, all->n - 1);
		free(known);
		best = best ? best : near;
	}
	return best;
}

static bool test_lacks(const struct weft_filter *f, const struct filter_test *t, char *text, size_t n_text)
{
	enum filter_how how = filter_field_info[t->field].how;
	if (filter_place_lacks(f, t)) {
		snprintf(text, n_text, "column %u: the trace has no %ss (weft %s -o writes one that has)", t->column,
		         filter_field_info[t->field].name, t->field == FIELD_CLUSTER ? "cluster" : "phases");
		return true;
	}
	if (how != HOW_ROW && how != HOW_DEF)
		return false;
	for (uint32_t i = 0; i < t->n_values; i++) {
		const struct filter_value *v = &t->value[i];
		if (filter_value_is_known(f, t, i))
			continue;
		const char *near = how == HOW_DEF ? nearest_name(f, t, v->text) : NULL;
		snprintf(text, n_text, "column %u: the trace has no %s '%s'%s%s%s", v->column, filter_field_info[t->field].name,
		         v->text, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
		return true;
	}
	return false;
}

static bool node_lacks(const struct weft_filter *f, const struct filter_node *n, char *text, size_t n_text)
{
	if (n->op == FILTER_TEST)
		return test_lacks(f, n->test, text, n_text);
	for (const struct filter_node *c = n->child; c; c = c->next)
		if (node_lacks(f, c, text, n_text))
			return true;
	return false;
}

bool weft_filter_lacks(const struct weft_filter *f, char *text, size_t n_text)
{
	return node_lacks(f, f->root, text, n_text);
}
