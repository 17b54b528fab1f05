/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics, one row of the table each; and the totals below a table. */
#include "hist_priv.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- what pieces add to their cells, and to their row ---- */

#define EACH(statement) \
	for (uint32_t i = 0; i < p->n; i++) { \
		const double control = p->value[HIST_CONTROL][i], data = p->value[HIST_DATA][i], time = p->time[i]; \
		(void)control; \
		(void)data; \
		(void)time; \
		statement; \
	}
#define ADD(name, statement) \
	static void add_##name(struct hist_sum *sum, const struct hist_pieces *p) \
	{ \
		EACH(struct hist_sum *s = &sum[p->cell[i]]; statement) \
	}
#define SHARE(name, expression) \
	static void share_##name(struct hist_pieces *p) \
	{ \
		EACH(p->share[i] = (expression)) \
	}

static inline void sum_up(struct hist_sum *s, double a, double b)
{
	s->n++;
	s->a += a;
	s->b += b;
}

ADD(time, s->a += time)
ADD(time_not_zero, s->a += control != 0 ? time : 0)
ADD(count, s->n++)
ADD(integral, s->a += fabs(data) * time)
ADD(weighted, sum_up(s, data *time, time))
ADD(weighted_not_zero, if (data != 0) sum_up(s, data *time, time))
ADD(maximum, s->a = data > s->a ? data : s->a)
/* A 0 is taken for "nothing yet". */
ADD(minimum, if (s->a == 0 || (data != 0 && data < s->a)) s->a = data)
ADD(burst_time, sum_up(s, time, time *time))
ADD(bursts, sum_up(s, data, 0))
ADD(bursts_not_zero, if (data != 0) sum_up(s, data, 0))
SHARE(time, time)
SHARE(time_not_zero, control != 0 ? time : 0)
SHARE(count, 1)

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

ADD(message, sum_up(s, data, 0))
ADD(least, if (!s->n++ || data < s->b) s->b = data)
ADD(most, if (!s->n++ || data > s->b) s->b = data)

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
