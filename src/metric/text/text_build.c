/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows out of expressions: what is written with operators becomes compose functions on a
 * definition, or a derived window on two windows.
 */
#include "text_priv.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void text_window_init(struct weft_window *w)
{
	*w = (struct weft_window){.end_part = 1,
	                          .begin_is_part = true,
	                          .end_is_part = true,
	                          .compute_y_max = true,
	                          .draw_time = WEFT_DRAW_MAXIMUM,
	                          .draw_rows = WEFT_DRAW_MAXIMUM,
	                          .zoom_last = WEFT_NONE,
	                          .parents = {WEFT_NONE, WEFT_NONE}};
	weft_metric_init(&w->metric);
	w->has_level = true;
}

void text_value_init(struct text_value *v)
{
	*v = (struct text_value){.number = 1, .window = WEFT_NONE};
	text_window_init(&v->w);
}

const struct weft_window *text_definition(const struct text *p, const struct text_value *v)
{
	return v->window == WEFT_NONE ? &v->w : &p->window.at[v->window];
}

bool text_on_path(enum weft_level l, enum weft_level base, enum weft_level to)
{
	return l < base && l >= to && (weft_level_of_resources(l) == weft_level_of_resources(to));
}

/* ---- windows ---- */

int text_push_window(struct text *p, const struct weft_window *w, uint32_t *out)
{
	*out = (uint32_t)p->window.n;
	if (p->window.n > 100000)
		return text_fail(p, "too many metrics");
	return weft_vec_push(&p->window, *w) ? text_memory(p) : 0;
}

/* Numbers as operands may be anything but what makes no window. */
static int refuse_number(struct text *p, const struct text_value *v)
{
	return v->is_number ? text_fail(p, "a number is no metric") : 0;
}

int text_window(struct text *p, struct text_value *v, uint32_t *out)
{
	int rc = refuse_number(p, v);
	if (rc)
		return rc;
	if (v->window != WEFT_NONE && v->number == 1 && !v->shift) {
		*out = v->window;
		return 0;
	}
	rc = text_inline(p, v);
	if (rc)
		return rc;
	char part[16];
	snprintf(part, sizeof part, ".%u", (unsigned)(p->window.n - p->first + 1));
	v->w.metric.name = weft_arena_printf(&p->view->arena, "%.*s%s", (int)(p->name.n < 200 ? p->name.n : 200), p->name.at,
	                                     part);
	if (!v->w.metric.name)
		return text_memory(p);
	v->w.color = text_color_of(&v->w);
	v->w.id = (uint32_t)p->window.n + 1;
	rc = text_push_window(p, &v->w, out);
	v->window = *out;
	return rc;
}

/* ---- compose functions ---- */

static bool is_free(const struct weft_call *c)
{
	return !strcmp(c->func->name, "As Is");
}

static int add_extra(struct text *p, struct text_value *v, const struct weft_call *call)
{
	struct weft_metric *m = &v->w.metric;
	uint32_t n = m->n_extra;
	if (!n || v->shared || !(n & (n - 1))) {
		struct weft_call *at = weft_arena_alloc(&p->view->arena, 2 * ((size_t)n + 1) * sizeof *at);
		if (!at)
			return text_memory(p);
		if (n)
			memcpy(at, m->extra, n * sizeof *at);
		m->extra = at; /* with room up to the next power of two */
		v->shared = false;
	}
	struct weft_call *at = (struct weft_call *)(uintptr_t)m->extra;
	at[n] = *call;
	m->n_extra = n + 1;
	return 0;
}

/* Functions are applied in the order of compose of the level, top 2, top 1, extra ones. */
int text_apply(struct text *p, struct text_value *v, const struct weft_call *call)
{
	int rc = text_inline(p, v);
	struct weft_metric *m = &v->w.metric;
	if (rc || is_free(call))
		return rc;
	if (m->n_extra || !is_free(&m->top[0]))
		return add_extra(p, v, call);
	if (!is_free(&m->top[1]))
		m->top[0] = *call;
	else if (is_free(&m->compose[m->level]))
		m->compose[m->level] = *call;
	else
		m->top[1] = *call;
	return 0;
}

int text_compose(struct text *p, struct text_value *v, const char *paraver, unsigned n, const double *param)
{
	struct weft_call call = {.func = weft_func_find(WEFT_FUNC_COMPOSE, paraver)};
	for (unsigned i = 0; i < n; i++) {
		p->number.n = 0;
		if (weft_vec_push(&p->number, param[i]))
			return text_memory(p);
		int rc = text_list(p, &call.param[i]);
		if (rc)
			return rc;
	}
	return text_apply(p, v, &call);
}

/* ---- derived windows ---- */

static int value_derive(struct text *p, const char *operation, const struct text_value *a, const struct text_value *b,
                        struct text_value *out)
{
	const struct text_value *side[2] = {a, b};
	struct text_value v;
	text_value_init(&v);
	v.w.derived = true;
	struct weft_metric *m = &v.w.metric;
	m->of_level[WEFT_THREAD] = m->of_level[WEFT_CPU] = (struct weft_call){.func = NULL};
	m->operation.func = weft_func_find(WEFT_FUNC_DERIVED, operation);
	for (unsigned i = 0; i < 2; i++) {
		v.w.parents[i] = side[i]->window;
		m->factor[i] = side[i]->number;
		m->shift[i] = side[i]->shift;
	}
	enum weft_level x = p->window.at[a->window].metric.level, y = p->window.at[b->window].metric.level;
	m->level = x > y ? x : y;
	m->unit = p->window.at[a->window].metric.unit;
	*out = v;
	return 0;
}

int text_inline(struct text *p, struct text_value *v)
{
	int rc = refuse_number(p, v);
	if (rc)
		return rc;
	double factor = v->number;
	int32_t shift = v->shift;
	if (shift) { /* only a derived window moves its parents: the greater of the row and itself */
		v->number = 1;
		v->shift = 0;
		uint32_t window;
		rc = text_window(p, v, &window);
		if (rc)
			return rc;
		v->window = window;
		v->shift = shift;
		struct text_value both = *v;
		rc = value_derive(p, "maximum", &both, &both, v);
	} else if (v->window != WEFT_NONE) {
		v->w = p->window.at[v->window];
		v->w.other = (struct weft_key_lines){NULL, 0};
		v->window = WEFT_NONE;
		v->shared = true;
	}
	v->number = 1;
	if (!rc && factor != 1)
		rc = text_compose(p, v, "Prod", 1, &factor);
	return rc;
}

/* A value as an operand: a window with its factor and shift. */
static int value_operand(struct text *p, struct text_value *v)
{
	double factor = v->number;
	int32_t shift = v->shift;
	uint32_t window;
	int rc = refuse_number(p, v);
	v->number = 1;
	v->shift = 0;
	if (!rc)
		rc = text_window(p, v, &window);
	if (rc)
		return rc;
	v->window = window;
	v->number = factor;
	v->shift = shift;
	return 0;
}

int text_derive(struct text *p, const char *operation, struct text_value *a, struct text_value *b)
{
	int rc = value_operand(p, a);
	if (!rc)
		rc = value_operand(p, b);
	if (rc)
		return rc;
	return value_derive(p, operation, a, b, a);
}

/* ---- operators ---- */

static double value_calculate(char sign, double a, double b)
{
	return sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : sign == '/' ? a / b : fmod(a, b);
}

/* A metric and a number: a compose function. */
static int with_number(struct text *p, char sign, struct text_value *v, double n, bool number_first)
{
	static const char signs[] = "+-*/%";
	static const char *const behind[] = {"Add", "Subs", NULL, "Div", "Mod"};
	static const char *const before[] = {"Add", "Complement", NULL, "Inverse Div", NULL};
	size_t i = (size_t)(strchr(signs, sign) - signs);
	if (sign == '*') {
		v->number *= n;
		return 0;
	}
	const char *function = number_first ? before[i] : behind[i];
	if (!function)
		return text_fail(p, "%% takes a metric on its left and a number on its right");
	return text_compose(p, v, function, 1, &n);
}

int text_combine(struct text *p, const char *sign, struct text_value *a, struct text_value *b)
{
	static const char *const operations[][2] = {{"+", "add"}, {"-", "substract"}, {"*", "product"}, {"/", "divide"}};
	if (a->is_number && b->is_number) {
		a->number = value_calculate(*sign, a->number, b->number);
		return 0;
	}
	if (b->is_number)
		return with_number(p, *sign, a, b->number, false);
	if (a->is_number) {
		double n = a->number;
		*a = *b;
		return with_number(p, *sign, a, n, true);
	}
	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(sign, operations[i][0]))
			return text_derive(p, operations[i][1], a, b);
	return text_fail(p, "%% takes a number on its right");
}

/* ---- 0 and 1 ---- */

static bool window_is_flag(const struct text *p, const struct weft_window *w, unsigned depth)
{
	const struct weft_metric *m = &w->metric;
	enum weft_level base = w->derived ? m->level : weft_level_of_resources(m->level) ? WEFT_CPU : WEFT_THREAD;
	if (m->n_extra)
		return text_is_flag(m->extra[m->n_extra - 1].func);
	for (unsigned i = 0; i < 2; i++)
		if (!is_free(&m->top[i]))
			return text_is_flag(m->top[i].func);
	if (!is_free(&m->compose[m->level]))
		return text_is_flag(m->compose[m->level].func);
	if (!w->derived)
		return text_is_flag(m->of_level[m->level == base && base != WEFT_CPU ? WEFT_THREAD : m->level].func);
	enum weft_level x = p->window.at[w->parents[0]].metric.level, y = p->window.at[w->parents[1]].metric.level;
	if (m->level != (x > y ? x : y))
		return text_is_flag(m->of_level[m->level].func);
	if (text_is_flag(m->operation.func))
		return true;
	if (!depth || (strcmp(m->operation.func->name, "product") != 0 && strcmp(m->operation.func->name, "maximum") != 0))
		return false;
	return m->factor[0] == 1 && m->factor[1] == 1 && window_is_flag(p, &p->window.at[w->parents[0]], depth - 1) &&
	       window_is_flag(p, &p->window.at[w->parents[1]], depth - 1);
}

int text_flag(struct text *p, struct text_value *v)
{
	int rc = refuse_number(p, v);
	if (!rc && v->shift)
		rc = text_inline(p, v);
	if (rc)
		return rc;
	v->number = 1; /* of whether it is 0 */
	return window_is_flag(p, text_definition(p, v), 4) ? 0 : text_compose(p, v, "Sign", 0, NULL);
}

/* ---- levels ---- */

/* From where the metric is to another level: the function that makes one of many. */
static int value_lift(struct text *p, struct text_value *v, enum weft_level to, const struct text_token *at)
{
	int rc = text_inline(p, v);
	struct weft_metric *m = &v->w.metric;
	if (rc)
		return rc;
	bool up = weft_level_fits(m->level, to) && to < m->level;
	bool to_cpus = !v->w.derived && m->level == WEFT_THREAD && weft_level_of_resources(to);
	if (!up && !to_cpus)
		return text_fail_at(p, at, "a metric of level '%s' cannot go to level '%s'", text_levels[m->level],
		                    text_levels[to]);
	if (m->n_extra || !is_free(&m->top[0]) || !is_free(&m->top[1])) {
		uint32_t window;
		rc = text_window(p, v, &window);
		if (rc)
			return rc;
		v->window = window;
		if (to_cpus)
			return text_fail_at(p, at, "at most one function may stand before level '%s'", text_levels[to]);
		struct text_value both = *v;
		rc = value_derive(p, "maximum", &both, &both, v);
	}
	v->w.metric.level = to;
	v->w.has_level = true;
	return rc;
}

int text_stage(struct text *p, struct text_value *v)
{
	struct text_token name = p->now;
	bool level;
	if (name.kind != TEXT_WORD && name.kind != TEXT_STRING)
		return text_fail(p, "expected a function");
	int rc = text_next(p);
	if (!rc)
		rc = text_take(p, ":", &level);
	if (rc)
		return rc;
	struct weft_call call;
	if (!level) {
		rc = text_call(p, WEFT_FUNC_COMPOSE, &name, &call);
		return rc ? rc : text_apply(p, v, &call);
	}
	int to = text_word(text_levels, name.at);
	if (to < 0 || to == WEFT_THREAD)
		return text_fail_at(p, &name, "expected one of the levels task, appl, workload, cpu, node, system");
	rc = value_lift(p, v, (enum weft_level)to, &name);
	struct text_token function = p->now;
	if (!rc && function.kind != TEXT_WORD && function.kind != TEXT_STRING)
		rc = text_fail(p, "expected a function of many values");
	if (!rc)
		rc = text_next(p);
	if (!rc)
		rc = text_call(p, to == WEFT_CPU ? WEFT_FUNC_CPU : WEFT_FUNC_LEVEL, &function, &call);
	if (!rc)
		v->w.metric.of_level[to] = call;
	return rc;
}
