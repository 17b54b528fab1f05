/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compose functions: of the value alone (this file: arithmetic, in place over a block), of the
 * interval, and with a memory (metric_stateful.c). A stream is put on top of the one below only for
 * what is not As Is.
 */
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define EACH(expression) \
	for (uint32_t i = 0; i < b->n; i++) { \
		double v = b->value[i]; \
		b->value[i] = (expression); \
	}
#define COMPOSE(name, expression) \
	static void run_##name(struct metric_compose *c, struct weft_intervals *b) \
	{ \
		const double p = c->one[0]; \
		(void)p; \
		EACH(expression) \
	}

static double logarithm(double v, double base)
{
	double r = v > 0 ? log(v) / log(base) : 0;
	return r >= 0 ? r : 0;
}

static double power(double base, double v)
{
	double r = pow(base, v);
	return isnan(r) ? 0 : r;
}

/* Whether the first of two lists of equal length can be searched by halving it. */
static bool is_ascending(const struct weft_call *call)
{
	const struct weft_list *l = &call->param[0];
	bool is = call->param[1].n == l->n && l->n > 1;
	for (uint32_t i = 1; i < l->n && is; i++)
		is = l->at[i] > l->at[i - 1];
	return is;
}

static double translate(const struct metric_compose *c, double v)
{
	struct weft_list from = c->param[0], to = c->param[1];
	if (c->ascending) { /* long lists: of labels */
		uint32_t low = 0, high = from.n;
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;
			if (from.at[middle] < v)
				low = middle + 1;
			else
				high = middle;
		}
		return low < from.n && from.at[low] == v ? to.at[low] : v;
	}
	if (c->call->param[1].n) {
		for (uint32_t i = 0; i < from.n && i < to.n; i++)
			if (from.at[i] == v)
				return to.at[i];
		return v;
	}
	for (uint32_t i = 0; i + 1 < from.n; i += 2)
		if (from.at[i] == v)
			return from.at[i + 1];
	return v;
}

/* The first list holds the upper bounds. */
static bool in_range(const struct metric_compose *c, double v, bool half_open)
{
	struct weft_list most = c->param[0], least = c->param[1];
	for (uint32_t i = 0; i < most.n && i < least.n; i++)
		if (v >= least.at[i] && (half_open ? v < most.at[i] : v <= most.at[i]))
			return true;
	return false;
}

COMPOSE(sign, v != 0)
COMPOSE(one_minus_sign, v == 0)
COMPOSE(mod, fmod(v, p != 0 ? p : 1))
COMPOSE(mod_1, fmod(v, p != 0 ? p : 1) + 1)
COMPOSE(div, p != 0 ? v / p : fmod(v, 1))
COMPOSE(prod, v *p)
COMPOSE(add, v + p)
COMPOSE(subs, v - p)
COMPOSE(complement, p - v)
COMPOSE(inverse, v != 0 ? p / v : 0)
COMPOSE(select, in_range(c, v, false) ? v : 0)
COMPOSE(select_open, in_range(c, v, true) ? v : 0)
COMPOSE(in_range, in_range(c, v, false))
COMPOSE(in_range_open, in_range(c, v, true))
COMPOSE(equal, metric_in_list(c->param[0], v) ? v : 0)
COMPOSE(equal_sign, metric_in_list(c->param[0], v))
COMPOSE(floor, floor(v))
COMPOSE(ceil, ceil(v))
COMPOSE(round, nearbyint(v))
COMPOSE(abs, fabs(v))
COMPOSE(sin, sin(v))
COMPOSE(cos, cos(v))
COMPOSE(sqrt, sqrt(fabs(v)))
COMPOSE(atan, atan(v))
COMPOSE(log, logarithm(v, p))
COMPOSE(exp, power(p, v))
COMPOSE(translate, translate(c, v))

#define INTERVAL(name, expression) \
	static void run_##name(struct metric_compose *c, struct weft_intervals *b) \
	{ \
		double begin = b->begin; \
		for (uint32_t i = 0; i < b->n; i++) { \
			double end = b->end[i], v = b->value[i]; \
			(void)v; \
			(void)begin; \
			b->value[i] = (expression); \
			begin = end; \
		} \
	}

static inline double converted(const struct metric_compose *c, double time)
{
	return weft_unit_convert(time, c->from, c->to);
}

INTERVAL(burst_time, converted(c, end - begin))
INTERVAL(per_time, end > begin ? v / converted(c, end - begin) : 0)
INTERVAL(begin_time, converted(c, begin))
INTERVAL(end_time, converted(c, end))

#define RANGE \
	{ \
		{"Max value", 1}, \
		{ \
			"Min value", 0 \
		} \
	}

const struct metric_compose_func metric_compose_funcs[] = {
	{{"As Is", {{0}}, false}, NULL, NULL},
	{{"Sign", {{0}}, false}, run_sign, NULL},
	{{"1-Sign", {{0}}, false}, run_one_minus_sign, NULL},
	{{"Mod", METRIC_PARAM("Divider", 1), false}, run_mod, NULL},
	{{"Mod+1", METRIC_PARAM("Divider", 1), false}, run_mod_1, NULL},
	{{"Div", METRIC_PARAM("Divider", 1), false}, run_div, NULL},
	{{"Prod", METRIC_PARAM("Factor", 0), false}, run_prod, NULL},
	{{"Add", METRIC_PARAM("Value", 0), false}, run_add, NULL},
	{{"Subs", METRIC_PARAM("Value", 0), false}, run_subs, NULL},
	{{"Complement", METRIC_PARAM("Minuend", 0), false}, run_complement, NULL},
	{{"Inverse Div", METRIC_PARAM("Factor", 1), false}, run_inverse, NULL},
	{{"Select Range", RANGE, false}, run_select, NULL},
	{{"Select Range [)", RANGE, false}, run_select_open, NULL},
	{{"Is In Range", RANGE, false}, run_in_range, NULL},
	{{"Is In Range [)", RANGE, false}, run_in_range_open, NULL},
	{{"Is Equal", METRIC_PARAM("Values", 1), false}, run_equal, NULL},
	{{"Is Equal (Sign)", METRIC_PARAM("Values", 1), false}, run_equal_sign, NULL},
	{{"Floor", {{0}}, false}, run_floor, NULL},
	{{"Ceil", {{0}}, false}, run_ceil, NULL},
	{{"Round", {{0}}, false}, run_round, NULL},
	{{"Abs", {{0}}, false}, run_abs, NULL},
	{{"Burst Time", {{0}}, false}, run_burst_time, NULL},
	{{"Divide by Burst Time", {{0}}, false}, run_per_time, NULL},
	{{"Begin Time", {{0}}, false}, run_begin_time, NULL},
	{{"End Time", {{0}}, false}, run_end_time, NULL},
	{{"sin", {{0}}, false}, run_sin, NULL},
	{{"cos", {{0}}, false}, run_cos, NULL},
	{{"sqrt", {{0}}, false}, run_sqrt, NULL},
	{{"sqrt (abs)", {{0}}, false}, run_sqrt, NULL}, /* as newer views call it */
	{{"arc tan", {{0}}, false}, run_atan, NULL},
	{{"log N", METRIC_PARAM("Base", 2.718281828459045), false}, run_log, NULL},
	{{"exp", METRIC_PARAM("Base", 2.718281828459045), false}, run_exp, NULL},
	{{"Translate", {{"From", 0}, {"To", 0}}, false}, run_translate, NULL},
	{{NULL, {{0}}, false}, NULL, NULL},
};

/* ---- the stream ---- */

static void compose_free(struct metric_stream *s)
{
	struct metric_compose *c = (struct metric_compose *)(void *)s;
	metric_stream_free(c->below);
	free(c->stack.at);
	free(c->in);
	free(c);
}

static int in_place(struct metric_stream *s, struct weft_intervals *b)
{
	struct metric_compose *c = (struct metric_compose *)(void *)s;
	int rc = c->below->next(c->below, b);
	if (rc > 0)
		((const struct metric_compose_func *)(const void *)c->call->func)->run(c, b);
	return c->rc ? c->rc : rc;
}

int metric_compose_add(struct metric_stream **below, const struct metric_site *site, const struct weft_call *call)
{
	const struct metric_compose_func *f = (const struct metric_compose_func *)(const void *)call->func;
	if (!f || (!f->run && !f->next))
		return 0;
	struct metric_compose *c = calloc(1, sizeof *c);
	if (c && f->next)
		c->in = malloc(sizeof *c->in);
	if (!c || (f->next && !c->in)) {
		free(c);
		metric_stream_free(*below);
		*below = NULL;
		return -ENOMEM;
	}
	if (c->in)
		c->in->n = 0;
	c->stream = (struct metric_stream){f->next ? f->next : in_place, compose_free};
	c->below = *below;
	c->call = call;
	for (unsigned i = 0; i < WEFT_PARAMS; i++) {
		c->param[i] = metric_param(call, i);
		c->one[i] = c->param[i].at[0];
	}
	c->ascending = is_ascending(call);
	c->from = site->space->unit;
	c->to = site->metric->unit;
	*below = &c->stream;
	return f->head.from_begin && site->from > 0 ? metric_trim_add(below, site->from, site->to) : 0;
}
