/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions with what stands behind their names:
 *
 *   value(50000001..50000003)    rate(factor = 1000, PAPI_TOT_INS)    in_state(Running, 5)    select(0..10)    prod(2)
 *   value("MPI Point-to-point")[value == "MPI_Send"]    comm_size[from == 1 or to == 1, size > 1000, physical]
 */
#include "text_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int text_list(struct text *p, struct weft_list *out)
{
	double *at = weft_arena_alloc(&p->view->arena, (p->number.n + 1) * sizeof *at);
	if (!at)
		return text_memory(p);
	if (p->number.n)
		memcpy(at, p->number.at, p->number.n * sizeof *at);
	*out = (struct weft_list){at, (uint32_t)p->number.n};
	p->number.n = 0;
	return 0;
}

static int push_number(struct text *p, double v)
{
	return weft_vec_push(&p->number, v) ? text_memory(p) : 0;
}

/* ---- parameters ---- */

/* v, or (v, v, …) */
static int take_numbers(struct text *p)
{
	bool many, more = true;
	double v;
	int rc = text_take(p, "(", &many);
	p->number.n = 0;
	while (!rc && more && !(many && text_is(p, ")"))) {
		rc = text_number(p, &v);
		if (!rc)
			rc = push_number(p, v);
		if (!rc && many)
			rc = text_take(p, ",", &more);
		else
			more = false;
	}
	return !rc && many ? text_expect(p, ")") : rc;
}

/* Of a name that stands in front: which parameter is it? */
static int find_param(struct text *p, const struct weft_func *f, const struct text_token *name, int *which)
{
	char z[WEFT_PARAMS][TEXT_NAME];
	const char *known[WEFT_PARAMS];
	unsigned n = 0;
	for (; n < WEFT_PARAMS && f->param[n].name; n++) {
		known[n] = text_param_name(f, n, z[n]);
		if (weft_str_eq(name->at, known[n])) {
			*which = (int)n;
			return 0;
		}
	}
	char typed[TEXT_NAME];
	text_typed(typed, name->at);
	return text_unknown(p, name, "parameter", n == 1 ? known[0] : weft_nearest(typed, known, n));
}

static int named_param(struct text *p, const struct text_token *name, struct weft_call *out)
{
	int which = 0, rc = find_param(p, out->func, name, &which);
	if (!rc)
		rc = text_expect(p, "=");
	if (!rc)
		rc = take_numbers(p);
	return rc ? rc : text_list(p, &out->param[which]);
}

/* Values without names: of the only parameter, or ranges least..most of two. */
struct bare {
	WEFT_VEC(double) first, second;
};

static int bare_value(struct text *p, struct bare *b)
{
	double v;
	bool range;
	int rc = text_number(p, &v);
	if (!rc && weft_vec_push(&b->first, v))
		rc = text_memory(p);
	if (!rc)
		rc = text_take(p, "..", &range);
	if (rc || !range)
		return rc;
	if (b->second.n + 1 != b->first.n)
		return text_fail(p, "either all are ranges, or none");
	rc = text_number(p, &v);
	if (!rc && weft_vec_push(&b->second, v))
		rc = text_memory(p);
	return rc;
}

static int keep_numbers(struct text *p, const double *at, size_t n, struct weft_list *out)
{
	p->number.n = 0;
	for (size_t i = 0; i < n; i++)
		if (push_number(p, at[i]))
			return -ENOMEM;
	return text_list(p, out);
}

static int keep_bare(struct text *p, const struct bare *b, const struct text_token *at, struct weft_call *out)
{
	const struct weft_func *f = out->func;
	unsigned n = 0, least = 0;
	char z[TEXT_NAME];
	while (n < WEFT_PARAMS && f->param[n].name)
		n++;
	if (!b->first.n)
		return 0;
	if (!n)
		return text_fail_at(p, at, "'%s' has no parameters", text_func_name(WEFT_FUNC_COMPOSE, f, z));
	if (n == 1 && b->second.n)
		return text_fail_at(p, at, "expected numbers, found a range");
	if (n == 2 && b->second.n != b->first.n)
		return text_fail_at(p, at, "expected ranges, as in 0..10");
	if (n == 2 && !strcmp(text_param_name(f, 0, z), "max"))
		least = 1;
	int rc = keep_numbers(p, b->first.at, b->first.n, &out->param[n == 2 ? least : 0]);
	if (!rc && n == 2)
		rc = keep_numbers(p, b->second.at, b->second.n, &out->param[!least]);
	return rc;
}

int text_params(struct text *p, struct weft_call *out)
{
	struct bare b = {.first = {0}};
	bool more = true, open;
	struct text_token at = p->now;
	int rc = text_take(p, "(", &open);
	if (rc || !open)
		return rc;
	while (!rc && more && !text_is(p, ")")) {
		struct text_token name = p->now;
		if (name.kind == TEXT_WORD) {
			rc = text_next(p);
			if (!rc)
				rc = named_param(p, &name, out);
		} else {
			rc = bare_value(p, &b);
		}
		if (!rc)
			rc = text_take(p, ",", &more);
	}
	if (!rc)
		rc = text_expect(p, ")");
	if (!rc)
		rc = keep_bare(p, &b, &at, out);
	free(b.first.at);
	free(b.second.at);
	return rc;
}

int text_call(struct text *p, enum weft_func_kind k, const struct text_token *name, struct weft_call *out)
{
	static const char *const what[WEFT_FUNC_KINDS] = {"function", "cpu function", "level function", "compose function",
	                                                  "operation"};
	char near[TEXT_NAME];
	*out = (struct weft_call){.func = text_func_find(k, name->kind == TEXT_STRING ? name->string : name->at, near)};
	return out->func ? text_params(p, out) : text_unknown(p, name, what[k], near);
}

/* ---- items: numbers, labels, names ---- */

/* A label goes to a .cfg in quotes, on one line. */
static int check_label(struct text *p, struct weft_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i] == '"' || s.at[i] == '\n')
			return text_fail(p, "a label has neither quotes nor newlines in it");
	return 0;
}

static int push_item(struct text *p, double v, const char *label)
{
	if (push_number(p, v))
		return -ENOMEM;
	return weft_vec_push(&p->label, label) ? text_memory(p) : 0;
}

/* What a word means among the items of a field. */
static int word_item(struct text *p, enum weft_filter_of field)
{
	uint32_t number;
	if (field == WEFT_OF_TYPE && text_type_find(p->now.at, &number)) {
		/* The number is Extrae's; other traces may have the name as a label. */
		const char *label = text_keep(p, p->now.at);
		int rc = label ? push_item(p, number, label) : text_memory(p);
		return rc ? rc : text_next(p);
	}
	if (field != WEFT_OF_TYPE && field != WEFT_OF_VALUE)
		return text_fail(p, "expected a number");
	const char *label = text_keep(p, p->now.at);
	int rc = label ? push_item(p, field == WEFT_OF_TYPE ? TEXT_NO_TYPE : TEXT_NO_VALUE, label) : text_memory(p);
	return rc ? rc : text_next(p);
}

static int take_item(struct text *p, enum weft_filter_of field)
{
	bool labels = field == WEFT_OF_TYPE || field == WEFT_OF_VALUE;
	double v = field == WEFT_OF_TYPE ? TEXT_NO_TYPE : TEXT_NO_VALUE;
	const char *label = NULL;
	int rc = 0;
	if (p->now.kind == TEXT_WORD)
		return word_item(p, field);
	if (!labels || p->now.kind != TEXT_STRING)
		rc = text_number(p, &v);
	if (!rc && labels && p->now.kind == TEXT_STRING) {
		rc = check_label(p, p->now.string);
		label = p->now.string.at;
		if (!rc)
			rc = text_next(p);
	}
	return rc ? rc : push_item(p, v, label);
}

/* The gathered items become the test's list, and their labels, when there are any, the window's. */
static int keep_items(struct text *p, struct weft_window *w, enum weft_filter_of field, enum weft_test_kind kind)
{
	struct weft_test *t = &w->metric.filter.test[field];
	struct weft_labels *l = field == WEFT_OF_TYPE ? &w->type_label : &w->value_label;
	bool any = false;
	t->kind = kind;
	int rc = text_list(p, &t->list);
	for (size_t i = 0; i < p->label.n; i++)
		any |= p->label.at[i] != NULL;
	if (any && !rc) {
		const char **at = weft_arena_alloc(&p->view->arena, p->label.n * sizeof *at);
		if (!at)
			return text_memory(p);
		for (size_t i = 0; i < p->label.n; i++)
			at[i] = p->label.at[i] ? p->label.at[i] : "Unknown";
		*l = (struct weft_labels){at, (uint32_t)p->label.n, true};
	}
	p->label.n = 0;
	return rc;
}

/* item, or (item, …) */
static int take_items(struct text *p, enum weft_filter_of field)
{
	bool many, more = true;
	int rc = text_take(p, "(", &many);
	p->number.n = p->label.n = 0;
	while (!rc && more && !(many && text_is(p, ")"))) {
		rc = take_item(p, field);
		more = false;
		if (!rc && many)
			rc = text_take(p, ",", &more);
	}
	return !rc && many ? text_expect(p, ")") : rc;
}

/* ---- filters ---- */

/* in a..b, in (a, b) */
static int take_range(struct text *p, enum weft_filter_of field)
{
	bool range;
	if (text_is(p, "("))
		return take_items(p, field);
	p->number.n = p->label.n = 0;
	int rc = take_item(p, field);
	if (!rc)
		rc = text_take(p, "..", &range);
	if (!rc && !range)
		rc = text_fail(p, "expected '..' and the range's end");
	return rc ? rc : take_item(p, field);
}

static int take_test(struct text *p, struct weft_window *w, enum weft_filter_of field)
{
	static const struct {
		const char *sign;
		enum weft_test_kind kind;
	} tests[] = {{"==", WEFT_TEST_EQ}, {"!=", WEFT_TEST_NE}, {">", WEFT_TEST_GT}, {"<", WEFT_TEST_LT}};
	struct weft_test *t = &w->metric.filter.test[field];
	int rc = 0;
	for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
		if (text_is(p, tests[i].sign)) {
			rc = text_next(p);
			if (!rc)
				rc = take_items(p, field);
			return rc ? rc : keep_items(p, w, field, tests[i].kind);
		}
	if (text_is(p, "in")) {
		rc = text_next(p);
		if (!rc)
			rc = take_range(p, field);
		return rc ? rc : keep_items(p, w, field, WEFT_TEST_RANGE);
	}
	if (!text_is(p, "any") && !text_is(p, "none"))
		return text_fail(p, "expected one of == != < > in any none");
	*t = (struct weft_test){.kind = text_is(p, "any") ? WEFT_TEST_ALL : WEFT_TEST_NONE};
	return text_next(p);
}

static int take_flag(struct text *p, struct weft_record_filter *f, bool *was)
{
	struct {
		const char *name;
		bool *flag;
	} flags[] = {{"logical", &f->logical}, {"physical", &f->physical}, {"intra", &f->intra}, {"inter", &f->inter}};
	bool no;
	int rc = text_take(p, "no", &no);
	*was = false;
	for (unsigned i = 0; i < 4 && !rc; i++)
		if (text_is(p, flags[i].name)) {
			*was = true;
			*flags[i].flag = !no;
			return text_next(p);
		}
	if (!rc && no)
		rc = text_fail(p, "expected one of logical, physical, intra, inter");
	return rc;
}

/* The pair of tests between which `or` may stand, by its first. */
static bool *or_of(struct weft_record_filter *f, int field)
{
	return field == WEFT_OF_FROM   ? &f->or_from_to
	       : field == WEFT_OF_TAG  ? &f->or_tag_size
	       : field == WEFT_OF_TYPE ? &f->or_type_value
	                               : NULL;
}

static int take_condition(struct text *p, struct weft_window *w)
{
	struct weft_record_filter *f = &w->metric.filter;
	int field, rc;
	bool was;
	rc = take_flag(p, f, &was);
	if (rc || was)
		return rc;
	rc = text_choice(p, text_fields, "field of a filter", &field);
	if (!rc)
		rc = take_test(p, w, (enum weft_filter_of)field);
	if (rc || !text_is(p, "or"))
		return rc;
	bool *flag = or_of(f, field);
	if (!flag)
		return text_fail(p, "'or' may stand between from and to, tag and size, type and value");
	*flag = true;
	rc = text_next(p);
	if (!rc && !text_is(p, text_fields[field + 1]))
		rc = text_fail(p, "expected '%s' behind this 'or'", text_fields[field + 1]);
	if (!rc)
		rc = text_next(p);
	return rc ? rc : take_test(p, w, (enum weft_filter_of)(field + 1));
}

static int take_filter(struct text *p, struct weft_window *w)
{
	bool more = true;
	int rc = text_expect(p, "[");
	while (!rc && more && !text_is(p, "]")) {
		rc = take_condition(p, w);
		if (!rc)
			rc = text_take(p, ",", &more);
	}
	return rc ? rc : text_expect(p, "]");
}

/* ---- sources ---- */

static int take_state(struct text *p)
{
	uint32_t number;
	double v;
	struct weft_str name = p->now.kind == TEXT_STRING ? p->now.string : p->now.at;
	if (p->now.kind != TEXT_WORD && p->now.kind != TEXT_STRING) {
		int rc = text_number(p, &v);
		return rc ? rc : push_number(p, v);
	}
	if (!text_state_find(name, &number)) {
		char typed[64];
		snprintf(typed, sizeof typed, "%.*s", (int)(name.n < sizeof typed ? name.n : sizeof typed - 1), name.at);
		return text_unknown(p, &p->now, "state", text_state_near(typed));
	}
	int rc = push_number(p, number);
	return rc ? rc : text_next(p);
}

int text_state_list(struct text *p, struct weft_list *out)
{
	bool many, more = true;
	int rc = text_take(p, "(", &many);
	p->number.n = 0;
	while (!rc && more && !(many && text_is(p, ")"))) {
		rc = take_state(p);
		more = false;
		if (!rc && many)
			rc = text_take(p, ",", &more);
	}
	if (!rc && many)
		rc = text_expect(p, ")");
	return rc ? rc : text_list(p, out);
}

/* Arguments without a name of a function of events: its types. */
static int take_types(struct text *p, struct weft_window *w, bool *range)
{
	*range = false;
	int rc = take_item(p, WEFT_OF_TYPE);
	if (!rc && p->number.n == 1)
		rc = text_take(p, "..", range);
	if (!rc && *range)
		rc = take_item(p, WEFT_OF_TYPE);
	(void)w;
	return rc;
}

/* Is it "name =", a parameter? The lexer is put back. */
static int is_named(struct text *p, bool *named)
{
	struct text was = *p;
	*named = false;
	if (p->now.kind != TEXT_WORD)
		return 0;
	int rc = text_next(p);
	if (rc)
		return rc;
	*named = text_is(p, "=");
	p->at = was.at;
	p->line = was.line;
	p->line_at = was.line_at;
	p->depth = was.depth;
	p->now = was.now;
	return 0;
}

static int take_argument(struct text *p, struct weft_window *w, struct weft_call *call, enum text_args kind, bool *range)
{
	bool named;
	struct text_token name = p->now;
	int rc = is_named(p, &named);
	if (rc)
		return rc;
	if (named) { /* its numbers are gathered where types are, too */
		if (p->number.n)
			return text_fail(p, "parameters with a name stand in front of all others");
		rc = text_next(p);
		return rc ? rc : named_param(p, &name, call);
	}
	if (kind == TEXT_TYPES)
		return take_types(p, w, range);
	if (kind == TEXT_STATES)
		return take_state(p);
	double v;
	rc = text_number(p, &v);
	return rc ? rc : push_number(p, v);
}

int text_source(struct text *p, const struct weft_func *f, struct weft_window *w)
{
	struct weft_call *call = &w->metric.of_level[WEFT_THREAD];
	enum text_args kind = text_args_of(f);
	bool open, more = true, range = false;
	*call = (struct weft_call){.func = f};
	int rc = text_take(p, "(", &open);
	p->number.n = p->label.n = 0;
	while (!rc && open && more && !text_is(p, ")")) {
		if (range)
			rc = text_fail(p, "a range of types stands alone");
		if (!rc)
			rc = take_argument(p, w, call, kind, &range);
		if (!rc)
			rc = text_take(p, ",", &more);
	}
	if (!rc && p->number.n && kind != TEXT_TYPES && !f->param[0].name)
		rc = text_fail(p, "this function has no parameters");
	if (!rc && p->number.n)
		rc = kind == TEXT_TYPES ? keep_items(p, w, WEFT_OF_TYPE, range ? WEFT_TEST_RANGE : WEFT_TEST_EQ)
		                        : text_list(p, &call->param[0]);
	if (!rc && open)
		rc = text_expect(p, ")");
	if (!rc && text_is(p, "["))
		rc = take_filter(p, w);
	return rc;
}
