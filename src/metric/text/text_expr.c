/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions, by descent; from what binds least:
 *
 *   | stage      where      or      and      not      == != < <= > >= in      + -      * / %      -x      names, f(…), (…)
 */
#include "text_priv.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MOST = 100 };

static int parse_sum(struct text *p, struct text_value *out);

/* ---- names and calls ---- */

bool text_window_named(const struct text *p, struct weft_str name, uint32_t *window)
{
	for (size_t i = p->ident.n; i-- > 0;)
		if (p->ident.at[i].name.n == name.n && !memcmp(p->ident.at[i].name.at, name.at, name.n)) {
			*window = p->ident.at[i].window;
			return true;
		}
	return false;
}

/* shift(metric, n) */
static int call_shift(struct text *p, struct text_value *out)
{
	double n;
	int rc = text_expect(p, "(");
	if (!rc)
		rc = text_expression(p, out);
	if (!rc)
		rc = text_expect(p, ",");
	struct text_token at = p->now;
	if (!rc)
		rc = text_number(p, &n);
	if (!rc && (n != floor(n) || n < -1e6 || n > 1e6))
		rc = text_fail_at(p, &at, "expected a whole number");
	if (!rc && out->is_number)
		rc = text_fail_at(p, &at, "a number is no metric");
	if (!rc && out->shift)
		rc = text_inline(p, out);
	if (!rc)
		out->shift = (int32_t)n;
	return rc ? rc : text_expect(p, ")");
}

/* operation(metric, metric) */
static int call_derived(struct text *p, const struct weft_func *f, struct text_value *out)
{
	struct text_value b;
	int rc = text_expect(p, "(");
	if (!rc)
		rc = text_expression(p, out);
	if (!rc)
		rc = text_expect(p, ",");
	if (!rc)
		rc = text_expression(p, &b);
	if (!rc)
		rc = text_derive(p, f->name, out, &b);
	return rc ? rc : text_expect(p, ")");
}

static int unknown_name(struct text *p, const struct text_token *name)
{
	char near[TEXT_NAME], typed[TEXT_NAME];
	uint32_t number;
	WEFT_VEC(const char *) known = {0};
	if (text_type_find(name->at, &number))
		return text_fail_at(p, name, "'%.*s' is a type of events: say value(...), next_value(...) or rate(...) of it",
		                    (int)name->at.n, name->at.at);
	text_func_find(WEFT_FUNC_THREAD, name->at, near);
	text_typed(typed, name->at);
	int rc = *near ? weft_vec_push(&known, near) : 0;
	for (size_t i = 0; i < p->ident.n && i < 1000 && !rc; i++) {
		const char *z = text_keep(p, p->ident.at[i].name);
		rc = z ? weft_vec_push(&known, z) : -ENOMEM;
	}
	const char *found = known.n ? weft_nearest(typed, known.at, known.n) : NULL;
	rc = rc ? text_memory(p) : text_unknown(p, name, "metric or function", found);
	free(known.at);
	return rc;
}

static int parse_name(struct text *p, struct text_value *out)
{
	struct text_token name = p->now;
	char near[TEXT_NAME];
	int rc = text_next(p);
	text_value_init(out);
	if (rc)
		return rc;
	bool call = text_is(p, "(");
	if (!call && text_window_named(p, name.at, &out->window))
		return 0;
	const struct weft_func *f = text_func_find(WEFT_FUNC_THREAD, name.at, near);
	if (f)
		return text_source(p, f, &out->w);
	if (call && weft_str_eq(name.at, "shift"))
		return call_shift(p, out);
	f = call ? text_func_find(WEFT_FUNC_DERIVED, name.at, near) : NULL;
	return f ? call_derived(p, f, out) : unknown_name(p, &name);
}

static int parse_primary(struct text *p, struct text_value *out)
{
	int rc;
	if (p->now.kind == TEXT_NUMBER) {
		text_value_init(out);
		out->is_number = true;
		out->number = p->now.number;
		return text_next(p);
	}
	if (text_is(p, "(")) {
		rc = text_next(p);
		if (!rc)
			rc = text_expression(p, out);
		return rc ? rc : text_expect(p, ")");
	}
	if (p->now.kind != TEXT_WORD)
		return text_fail(p, "expected a metric, a function or a number");
	return parse_name(p, out);
}

/* ---- arithmetic ---- */

static int parse_unary(struct text *p, struct text_value *out)
{
	bool minus;
	if (++p->nested > NESTED_MOST)
		return text_fail(p, "too deeply nested");
	int rc = text_take(p, "-", &minus);
	if (!rc)
		rc = minus ? parse_unary(p, out) : parse_primary(p, out);
	if (!rc && minus)
		out->number = -out->number;
	p->nested--;
	return rc;
}

/* Left to right, with the signs of one strength. */
static int parse_chain(struct text *p, const char *const *signs, int (*part)(struct text *, struct text_value *),
                       struct text_value *out)
{
	int rc = part(p, out);
	while (!rc && p->now.kind == TEXT_SIGN) {
		int which = text_word(signs, p->now.at);
		struct text_value b;
		if (which < 0)
			break;
		rc = text_next(p);
		if (!rc)
			rc = part(p, &b);
		if (!rc)
			rc = text_combine(p, signs[which], out, &b);
	}
	return rc;
}

static int parse_product(struct text *p, struct text_value *out)
{
	static const char *const signs[] = {"*", "/", "%", NULL};
	return parse_chain(p, signs, parse_unary, out);
}

static int parse_sum(struct text *p, struct text_value *out)
{
	static const char *const signs[] = {"+", "-", NULL};
	return parse_chain(p, signs, parse_product, out);
}

/* ---- comparisons ---- */

/* The state function as it is: comparing it has functions of its own. */
static bool is_state(const struct text_value *v)
{
	const struct weft_metric *m = &v->w.metric;
	const struct weft_call *top = &m->compose[WEFT_THREAD];
	return !v->is_number && v->window == WEFT_NONE && v->number == 1 && !v->shift && !v->w.derived &&
	       m->level == WEFT_THREAD && !strcmp(m->of_level[WEFT_THREAD].func->name, "State As Is") &&
	       !strcmp(top->func->name, "As Is");
}

static int compare_state(struct text *p, const char *function, struct text_value *v)
{
	struct weft_call *c = &v->w.metric.of_level[WEFT_THREAD];
	c->func = weft_func_find(WEFT_FUNC_THREAD, function);
	return text_state_list(p, &c->param[0]);
}

static int in_range(struct text *p, struct text_value *v, double least, double most)
{
	return text_compose(p, v, "Is In Range", 2, (const double[]){most, least});
}

/* metric in a..b, metric in (a, b, …) */
static int parse_in(struct text *p, struct text_value *v)
{
	if (is_state(v) && text_is(p, "("))
		return compare_state(p, "In State", v);
	if (text_is(p, "(")) {
		struct weft_call call = {.func = weft_func_find(WEFT_FUNC_COMPOSE, "Is Equal (Sign)")};
		int rc = text_params(p, &call);
		return rc ? rc : text_apply(p, v, &call);
	}
	double least, most;
	int rc = text_number(p, &least);
	if (!rc)
		rc = text_expect(p, "..");
	if (!rc)
		rc = text_number(p, &most);
	return rc ? rc : in_range(p, v, least, most);
}

static int compare_number(struct text *p, const char *sign, struct text_value *v, double n)
{
	if (!strcmp(sign, "==") || !strcmp(sign, "!=")) {
		if (n == 0)
			return text_compose(p, v, *sign == '!' ? "Sign" : "1-Sign", 0, NULL);
		int rc = text_compose(p, v, "Is Equal (Sign)", 1, &n);
		return !rc && *sign == '!' ? text_compose(p, v, "1-Sign", 0, NULL) : rc;
	}
	bool equal = sign[1] == '=';
	if (*sign == '>')
		return in_range(p, v, equal ? n : nextafter(n, HUGE_VAL), DBL_MAX);
	return in_range(p, v, -DBL_MAX, equal ? n : nextafter(n, -HUGE_VAL));
}

static const char *sign_turned(const char *sign)
{
	static const char *const pairs[][2] = {{"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(sign, pairs[i][0]))
			return pairs[i][1];
	return sign;
}

static int expr_compare(struct text *p, const char *sign, struct text_value *a, struct text_value *b)
{
	if (a->is_number && b->is_number)
		return text_fail(p, "two numbers are no metric");
	if (b->is_number)
		return compare_number(p, sign, a, b->number);
	if (a->is_number) {
		double n = a->number;
		*a = *b;
		return compare_number(p, sign_turned(sign), a, n);
	}
	bool equality = !strcmp(sign, "==") || !strcmp(sign, "!=");
	int rc = text_derive(p, equality ? "different" : "substract", a, b);
	if (!rc && !equality)
		return compare_number(p, sign, a, 0);
	return !rc && *sign == '=' ? text_compose(p, a, "1-Sign", 0, NULL) : rc;
}

static int parse_comparison(struct text *p, struct text_value *out)
{
	static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">", NULL};
	struct text_value b;
	int rc = parse_sum(p, out);
	if (rc)
		return rc;
	if (text_is(p, "in")) {
		rc = text_next(p);
		return rc ? rc : parse_in(p, out);
	}
	int which = p->now.kind == TEXT_SIGN ? text_word(signs, p->now.at) : -1;
	if (which < 0)
		return 0;
	rc = text_next(p);
	if (!rc && which < 2 && is_state(out))
		return compare_state(p, which ? "Not In State" : "In State", out);
	if (!rc)
		rc = parse_sum(p, &b);
	return rc ? rc : expr_compare(p, signs[which], out, &b);
}

/* ---- logic ---- */

static int parse_not(struct text *p, struct text_value *out)
{
	bool no;
	if (++p->nested > NESTED_MOST)
		return text_fail(p, "too deeply nested");
	int rc = text_take(p, "not", &no);
	if (!rc)
		rc = no ? parse_not(p, out) : parse_comparison(p, out);
	if (!rc && no)
		rc = text_compose(p, out, "1-Sign", 0, NULL);
	p->nested--;
	return rc;
}

/* `flags`: both sides are asked whether they are 0. */
static int parse_words(struct text *p, const char *word, const char *operation, int (*part)(struct text *, struct text_value *),
                       bool flag_left, struct text_value *out)
{
	int rc = part(p, out);
	while (!rc && text_is(p, word)) {
		struct text_value b;
		rc = text_next(p);
		if (!rc)
			rc = part(p, &b);
		if (!rc && flag_left)
			rc = text_flag(p, out);
		if (!rc)
			rc = text_flag(p, &b);
		if (!rc)
			rc = text_derive(p, operation, out, &b);
	}
	return rc;
}

static int parse_and(struct text *p, struct text_value *out)
{
	return parse_words(p, "and", "product", parse_not, true, out);
}

static int parse_or(struct text *p, struct text_value *out)
{
	return parse_words(p, "or", "maximum", parse_and, true, out);
}

int text_expression(struct text *p, struct text_value *out)
{
	int rc = parse_words(p, "where", "product", parse_or, false, out);
	while (!rc && text_is(p, "|")) {
		rc = text_next(p);
		if (!rc)
			rc = text_stage(p, out);
	}
	return rc;
}
