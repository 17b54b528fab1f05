/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compose functions that remember; and those that make other intervals than they get: Join Bursts,
 * Timer.
 */
#include "metric_work.h"
#include <errno.h>
#include <string.h>

static void push(struct metric_compose *c, double v)
{
	if (weft_vec_push(&c->stack, v))
		c->rc = -ENOMEM;
}

static void run_stacked(struct metric_compose *c, struct weft_intervals *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		double v = b->value[i];
		if (v != 0)
			push(c, v);
		else if (c->stack.n)
			c->stack.n--;
		b->value[i] = c->stack.n ? c->stack.at[c->stack.n - 1] : 0;
	}
}

static void run_in_stacked(struct metric_compose *c, struct weft_intervals *b)
{
	run_stacked(c, b);
	for (uint32_t i = 0; i < b->n; i++)
		if (!metric_in_list(c->param[0], b->value[i]))
			b->value[i] = 0;
}

static void run_nesting(struct metric_compose *c, struct weft_intervals *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		if (b->value[i] != 0)
			c->last++;
		else if (c->last > 0)
			c->last--;
		b->value[i] = c->last;
	}
}

/* The list's front is the top of the stack. */
static void run_lru(struct metric_compose *c, struct weft_intervals *b)
{
	size_t size = c->one[0] > 0 ? (size_t)c->one[0] : 0;
	for (uint32_t i = 0; i < b->n; i++) {
		double v = b->value[i];
		if (v == 0)
			continue;
		double *at = c->stack.at;
		size_t n = c->stack.n, k = n;
		while (k > 0 && at[k - 1] != v)
			k--;
		b->value[i] = k ? (double)(n - k + 1) : (double)size + 1;
		if (k) {
			memmove(at + k - 1, at + k, (n - k) * sizeof *at);
			at[n - 1] = v;
			continue;
		}
		if (n && n >= size) {
			memmove(at, at + 1, (n - 1) * sizeof *at);
			c->stack.n--;
		}
		if (size)
			push(c, v);
	}
}

static void run_enumerate(struct metric_compose *c, struct weft_intervals *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		c->last += b->value[i] != 0;
		b->value[i] = c->last;
	}
}

static void run_accumulate(struct metric_compose *c, struct weft_intervals *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		b->value[i] = c->last += b->value[i];
}

static void run_delta(struct metric_compose *c, struct weft_intervals *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		double v = b->value[i];
		b->value[i] = v - c->last;
		c->last = v;
	}
}

/* ---- other intervals ---- */

/*
 * The next interval from below into end and value; false at the end or on failure. in_time: where
 * it begins.
 */
static bool take(struct metric_compose *c, double *begin, double *end, double *value)
{
	if (c->in_at == c->in->n) {
		int rc = c->ended ? 0 : c->below->next(c->below, c->in);
		c->in_at = 0;
		if (rc <= 0) {
			c->in->n = 0;
			c->ended = true;
			c->rc = rc;
			return false;
		}
	}
	uint32_t i = c->in_at++;
	*begin = i ? c->in->end[i - 1] : c->in->begin;
	*end = c->in->end[i];
	*value = c->in->value[i];
	return true;
}

static void put(struct weft_intervals *b, double begin, double end, double value)
{
	if (!b->n)
		b->begin = begin;
	b->end[b->n] = end;
	b->value[b->n++] = value;
}

static int join_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct metric_compose *c = (struct metric_compose *)(void *)s;
	double begin, end, value;
	b->n = 0;
	while (b->n < WEFT_INTERVALS && take(c, &begin, &end, &value)) {
		if (c->open && value == c->open_value) {
			c->open_end = end;
			continue;
		}
		if (c->open)
			put(b, c->in_time, c->open_end, c->open_value);
		c->in_time = begin;
		c->open = true;
		c->open_end = end;
		c->open_value = value;
	}
	if (c->ended && c->open && b->n < WEFT_INTERVALS) {
		put(b, c->in_time, c->open_end, c->open_value);
		c->open = false;
	}
	return c->rc ? c->rc : b->n > 0;
}

/* A zone is a run of intervals that are not 0; what of it lies behind its begin + delta is 0. */
static int timer_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct metric_compose *c = (struct metric_compose *)(void *)s;
	double begin, end, value;
	b->n = 0;
	while (b->n + 1 < WEFT_INTERVALS && take(c, &begin, &end, &value)) {
		if (value == 0) {
			c->open = false;
			put(b, begin, end, 0);
			continue;
		}
		if (!c->open)
			c->zone = begin;
		c->open = true;
		double until = c->zone + c->one[0];
		if (until >= end) {
			put(b, begin, end, value);
		} else if (until > begin) {
			put(b, begin, until, value);
			put(b, until, end, 0);
		} else {
			put(b, begin, end, 0);
		}
	}
	return c->rc ? c->rc : b->n > 0;
}

const struct metric_compose_func metric_compose_stateful[] = {
	{{"Stacked Val", {{0}}, true}, run_stacked, NULL},
	{{"In Stacked Val", METRIC_PARAM("Value", 1), true}, run_in_stacked, NULL},
	{{"Nesting level", {{0}}, true}, run_nesting, NULL},
	{{"LRU Depth", METRIC_PARAM("Stack size", 256), true}, run_lru, NULL},
	{{"Enumerate", {{0}}, true}, run_enumerate, NULL},
	{{"Accumulate", {{0}}, true}, run_accumulate, NULL},
	{{"Delta", {{0}}, true}, run_delta, NULL},
	{{"Join Bursts", {{0}}, true}, NULL, join_next},
	{{"Timer", METRIC_PARAM("Delta time", 1), true}, NULL, timer_next},
	{{NULL, {{0}}, false}, NULL, NULL},
};
