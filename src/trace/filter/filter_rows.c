/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsed as filters over events are, with another table of fields. Nothing is bound to a trace: a test asks for its field's value, and keeps for
 * each text with an id whether its patterns match, so that a million rows with ten names cost ten matches.
 */
#include "filter_rows.h"
#include "filter_priv.h"
#include <errno.h>
#include <stdlib.h>

static const enum filter_domain domain_of[] = {
	[WEFT_ROW_TEXT] = DOMAIN_NAME, [WEFT_ROW_ANY] = DOMAIN_ANY,     [WEFT_ROW_INTEGER] = DOMAIN_INTEGER,
	[WEFT_ROW_NS] = DOMAIN_NS,     [WEFT_ROW_BYTES] = DOMAIN_BYTES, [WEFT_ROW_TIME] = DOMAIN_TIME,
};

static int copy_fields(struct weft_filter *f, const struct weft_row_field *field, unsigned n)
{
	struct filter_field_info *to = weft_arena_alloc(&f->arena, (n + 1) * sizeof *to);
	if (n > FILTER_FIELDS_MOST)
		WEFT_BUG("%u fields are too many", n);
	for (unsigned i = 0; to && i < n; i++)
		to[i] = (struct filter_field_info){field[i].name, domain_of[field[i].kind], HOW_VALUE};
	f->fields = to;
	f->n_fields = n;
	return to ? 0 : -ENOMEM;
}

static int bind(struct weft_filter *f, struct filter_node *node, const struct weft_row_field *field, uint64_t end)
{
	int rc = 0;
	for (struct filter_node *c = node->child; c && !rc; c = c->next)
		rc = bind(f, c, field, end);
	if (rc || node->op != FILTER_TEST)
		return rc;
	uint32_t ids = field[node->test->field].n_ids;
	node->test->known = ids ? weft_arena_alloc(&f->bound, ids) : NULL;
	if (ids && !node->test->known)
		return -ENOMEM;
	node->test->n_known = ids;
	return filter_bind_ranges(f, node->test, end);
}

int weft_row_filter_new(struct weft_filter **out, const char *text, const struct weft_row_field *field, unsigned n, uint64_t end,
                        struct weft_err *err)
{
	*out = NULL;
	struct weft_filter *f = calloc(1, sizeof *f);
	int rc = f ? copy_fields(f, field, n) : -ENOMEM;
	if (!rc)
		rc = filter_parse(f, text, err);
	if (!rc)
		rc = bind(f, f->root, field, end);
	if (rc) {
		weft_filter_free(f);
		return weft_err_set(err, rc, "filter: out of memory");
	}
	*out = f;
	return 0;
}

static bool text_matches(struct filter_test *t, const struct weft_row_value *v)
{
	if (v->id >= t->n_known)
		return filter_matches_text(t, v->text);
	if (!t->known[v->id])
		t->known[v->id] = filter_matches_text(t, v->text) ? 2 : 1;
	return t->known[v->id] == 2;
}

static bool span_matches(const struct filter_test *t, const struct weft_row_value *v)
{
	for (uint32_t i = 0; i < t->n_ranges; i++)
		if (v->until >= t->range[i].lo && v->whole <= t->range[i].hi)
			return true;
	return false;
}

static bool passes(const struct filter_node *n, weft_row_get *get, const void *row)
{
	if (n->op == FILTER_NOT)
		return !passes(n->child, get, row);
	if (n->op != FILTER_TEST) {
		bool any = n->op == FILTER_OR;
		for (const struct filter_node *c = n->child; c; c = c->next)
			if (passes(c, get, row) == any)
				return any;
		return !any;
	}
	struct weft_row_value v = get(row, n->test->field);
	bool matches = ((v.has & WEFT_ROW_HAS_WHOLE) && span_matches(n->test, &v)) ||
	               ((v.has & WEFT_ROW_HAS_REAL) && filter_matches_f64(n->test, v.real)) ||
	               ((v.has & WEFT_ROW_HAS_TEXT) && text_matches(n->test, &v));
	return v.has && matches == (n->test->compare != COMPARE_NE);
}

bool weft_row_filter_passes(struct weft_filter *f, weft_row_get *get, const void *row)
{
	return passes(f->root, get, row);
}

bool weft_row_filter_uses(const struct weft_filter *f, unsigned field)
{
	return field < f->n_fields && f->uses[field];
}
