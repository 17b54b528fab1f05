/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics, one row of the table each; and the totals below a table. */
#include "hist_priv.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- what a piece adds to its cell ---- */

static void add_time(struct hist_sum *s, const struct hist_piece *p)
{
	s->a += p->time;
}

static void add_time_not_zero(struct hist_sum *s, const struct hist_piece *p)
{
	if (p->control != 0)
		s->a += p->time;
}

static void add_count(struct hist_sum *s, const struct hist_piece *p)
{
	(void)p;
	s->n++;
}

static void add_integral(struct hist_sum *s, const struct hist_piece *p)
{
	s->a += fabs(p->data) * p->time;
}

static void add_weighted(struct hist_sum *s, const struct hist_piece *p)
{
	s->a += p->data * p->time;
	s->b += p->time;
}

static void add_weighted_not_zero(struct hist_sum *s, const struct hist_piece *p)
{
	if (p->data != 0)
		add_weighted(s, p);
}

static void add_maximum(struct hist_sum *s, const struct hist_piece *p)
{
	if (p->data > s->a)
		s->a = p->data;
}

/* A 0 is taken for "nothing yet". */
static void add_minimum(struct hist_sum *s, const struct hist_piece *p)
{
	if (s->a == 0 || (p->data != 0 && p->data < s->a))
		s->a = p->data;
}

static void add_burst_time(struct hist_sum *s, const struct hist_piece *p)
{
	s->n++;
	s->a += p->time;
	s->b += p->time * p->time;
}

static void add_bursts(struct hist_sum *s, const struct hist_piece *p)
{
	s->n++;
	s->a += p->data;
}

static void add_bursts_not_zero(struct hist_sum *s, const struct hist_piece *p)
{
	if (p->data != 0)
		add_bursts(s, p);
}

/* ---- what it adds to its row ---- */

static double share_time(const struct hist_piece *p)
{
	return p->time;
}

static double share_time_not_zero(const struct hist_piece *p)
{
	return p->control != 0 ? p->time : 0;
}

static double share_count(const struct hist_piece *p)
{
	(void)p;
	return 1;
}

/* ---- what a cell says ---- */

static double value_a(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return s->a;
}

static double value_time(const struct hist_sum *s, const struct hist_norm *n)
{
	return weft_unit_convert(s->a, n->own, n->control);
}

static double value_integral(const struct hist_sum *s, const struct hist_norm *n)
{
	return weft_unit_convert(s->a, n->own, n->data);
}

static double value_burst_time(const struct hist_sum *s, const struct hist_norm *n)
{
	return weft_unit_convert(s->a, n->own, n->data) / (double)s->n;
}

static double value_n(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return (double)s->n;
}

static double value_row_share(const struct hist_sum *s, const struct hist_norm *n)
{
	return s->a * 100 / n->row;
}

static double value_row_count_share(const struct hist_sum *s, const struct hist_norm *n)
{
	return (double)s->n * 100 / n->row;
}

static double value_window_share(const struct hist_sum *s, const struct hist_norm *n)
{
	return n->window != 0 ? s->a * 100 / n->window : 0;
}

static double value_ratio(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return s->a / s->b;
}

static double value_ratio_or_0(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return s->b != 0 ? s->a / s->b : 0;
}

static double value_per_burst(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return s->a / (double)s->n;
}

static double value_deviation(const struct hist_sum *s, const struct hist_norm *n)
{
	double mean = s->a / (double)s->n;
	return weft_unit_convert(sqrt(fabs(s->b / (double)s->n - mean * mean)), n->own, n->data);
}

/* Communication: a is bytes, n messages, b the least or greatest size. */
static double value_bytes_per_message(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return s->a / (double)s->n;
}

static double value_b(const struct hist_sum *s, const struct hist_norm *n)
{
	(void)n;
	return s->b;
}

static void add_message(struct hist_sum *s, const struct hist_piece *p)
{
	s->n++;
	s->a += p->data;
}

static void add_least(struct hist_sum *s, const struct hist_piece *p)
{
	if (!s->n++ || p->data < s->b)
		s->b = p->data;
}

static void add_most(struct hist_sum *s, const struct hist_piece *p)
{
	if (!s->n++ || p->data > s->b)
		s->b = p->data;
}

static const struct weft_stat stats[] = {
	{"Time", add_time, NULL, value_time, false, false},
	{"% Time", add_time, share_time, value_row_share, false, false},
	{"% Time Not Zero", add_time_not_zero, share_time_not_zero, value_row_share, false, false},
	{"% Window Time", add_time, NULL, value_window_share, false, false},
	{"# Bursts", add_count, NULL, value_n, false, false},
	{"% # Bursts", add_count, share_count, value_row_count_share, false, false},
	{"Integral", add_integral, NULL, value_integral, false, false},
	{"Average value", add_weighted, NULL, value_ratio, false, false},
	{"Maximum", add_maximum, NULL, value_a, false, false},
	{"Minimum", add_minimum, NULL, value_a, false, false},
	{"Average Burst Time", add_burst_time, NULL, value_burst_time, false, false},
	{"Stdev Burst Time", add_burst_time, NULL, value_deviation, false, false},
	{"Average per Burst", add_bursts, NULL, value_per_burst, false, false},
	{"Average value != 0", add_weighted_not_zero, NULL, value_ratio_or_0, false, false},
	{"Average per Burst != 0", add_bursts_not_zero, NULL, value_per_burst, false, false},
	{"# Bursts != 0", add_bursts_not_zero, NULL, value_n, false, false},
	{"Sum bursts", add_bursts, NULL, value_a, false, false},
	{"#Sends", add_message, NULL, value_n, true, false},
	{"#Receives", add_message, NULL, value_n, false, true},
	{"Bytes sent", add_message, NULL, value_a, true, false},
	{"Bytes received", add_message, NULL, value_a, false, true},
	{"Average bytes sent", add_message, NULL, value_bytes_per_message, true, false},
	{"Average bytes received", add_message, NULL, value_bytes_per_message, false, true},
	{"Minimum bytes sent", add_least, NULL, value_b, true, false},
	{"Minimum bytes received", add_least, NULL, value_b, false, true},
	{"Maximum bytes sent", add_most, NULL, value_b, true, false},
	{"Maximum bytes received", add_most, NULL, value_b, false, true},
};

const struct weft_stat *weft_stat_at(unsigned i)
{
	return i < sizeof stats / sizeof *stats ? &stats[i] : NULL;
}

const struct weft_stat *weft_stat_find(const char *name)
{
	for (unsigned i = 0; i < sizeof stats / sizeof *stats; i++)
		if (!strcmp(stats[i].name, name))
			return &stats[i];
	return NULL;
}

const char *weft_stat_name(const struct weft_stat *s)
{
	return s->name;
}

bool weft_stat_of_comms(const struct weft_stat *s)
{
	return s->sends || s->receives;
}

/* ---- totals ---- */

const char *const weft_total_names[WEFT_TOTALS] = {"Total", "Average", "Maximum", "Minimum", "StDev", "Avg/Max"};

void weft_totals_add(struct weft_totals *t, double v)
{
	if (!t->n) {
		t->max = -DBL_MAX;
		t->min = DBL_MAX;
	}
	/* So that what is no number is neither; zeros are no minimum. */
	if (v > t->max)
		t->max = v;
	if (v != 0 && v < t->min)
		t->min = v;
	t->sum += v;
	t->squares += v * v;
	t->n++;
}

void weft_totals_get(const struct weft_totals *t, double total[WEFT_TOTALS])
{
	memset(total, 0, WEFT_TOTALS * sizeof *total);
	total[WEFT_AVG_MAX] = -NAN;
	if (!t->n)
		return;
	double mean = t->sum / (double)t->n;
	total[WEFT_TOTAL] = t->sum;
	total[WEFT_AVERAGE] = mean;
	total[WEFT_MAXIMUM] = t->max;
	total[WEFT_MINIMUM] = t->min == DBL_MAX ? 0 : t->min;
	double variance = t->squares / (double)t->n - mean * mean;
	total[WEFT_STDEV] = sqrt(variance < 0 ? -variance : variance);
	total[WEFT_AVG_MAX] = mean / t->max;
}
