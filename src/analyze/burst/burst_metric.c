/* SPDX-License-Identifier: Apache-2.0 */
#include "burst_metric.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value_of(const struct weft_bursts *b, int32_t counter, size_t burst)
{
	if (counter == WEFT_METRIC_DURATION)
		return (double)(b->end[burst] - b->begin[burst]);
	return b->count[(size_t)counter * b->n + burst];
}

double weft_burst_value(const struct weft_bursts *b, const struct weft_burst_metric *m, size_t burst)
{
	double x = value_of(b, m->a, burst), y = m->operation ? value_of(b, m->b, burst) : 0;
	switch (m->operation) {
	case '+':
		return x + y;
	case '-':
		return x - y;
	case '*':
		return x * y;
	case '/':
		return x / y;
	default:
		return x;
	}
}

static enum weft_burst_fate fate_of(const struct weft_bursts *b, const struct weft_burst_choice *c, size_t burst, double *value)
{
	bool in_range = true;
	for (unsigned d = 0; d < c->n; d++) {
		value[d] = weft_burst_value(b, &c->metric[d], burst);
		if (!isfinite(value[d]))
			return WEFT_BURST_MISSING;
		in_range &= value[d] >= c->metric[d].least && value[d] <= c->metric[d].most;
	}
	if (b->end[burst] - b->begin[burst] < c->least_ns)
		return WEFT_BURST_SHORT;
	return in_range ? WEFT_BURST_NOISE : WEFT_BURST_OUT_OF_RANGE;
}

/* A coordinate before it is scaled. What has no logarithm gets a very small one. */
static double shaped(const struct weft_burst_metric *m, double v)
{
	return m->log ? log(v > 0 ? v : DBL_MIN) : v;
}

static void scale(struct weft_burst_points *p, const struct weft_burst_choice *c, unsigned d)
{
	const struct weft_burst_metric *m = &c->metric[d];
	double least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < p->n; i++) {
		double v = shaped(m, p->raw[i * p->dims + d]);
		p->at[i * p->dims + d] = v;
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	for (size_t i = 0; i < p->n; i++) {
		double *v = &p->at[i * p->dims + d];
		if (!c->normalise)
			*v *= m->factor;
		else
			*v = most > least ? m->factor * ((*v - least) / (most - least)) : 0;
	}
}

int weft_burst_points_make(struct weft_burst_points *out, const struct weft_bursts *b, const struct weft_burst_choice *c)
{
	*out = (struct weft_burst_points){.dims = c->n};
	out->fate = malloc(b->n + 1);
	out->burst = malloc((b->n + 1) * sizeof *out->burst);
	out->raw = malloc((b->n * c->n + 1) * sizeof *out->raw);
	if (!out->fate || !out->burst || !out->raw) {
		weft_burst_points_fini(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i++) {
		out->fate[i] = (uint8_t)fate_of(b, c, i, out->raw + out->n * c->n);
		if (out->fate[i] == WEFT_BURST_NOISE)
			out->burst[out->n++] = (uint32_t)i;
	}
	out->at = malloc((out->n * c->n + 1) * sizeof *out->at);
	if (!out->at) {
		weft_burst_points_fini(out);
		return -ENOMEM;
	}
	for (unsigned d = 0; d < c->n; d++)
		scale(out, c, d);
	return 0;
}

void weft_burst_points_fini(struct weft_burst_points *p)
{
	free(p->burst);
	free(p->raw);
	free(p->at);
	free(p->fate);
	*p = (struct weft_burst_points){0};
}

/* ---- as text ---- */

static int counter_of(struct weft_str s, struct weft_arena *a, const char **names, uint32_t *n_names, int32_t *out,
                      struct weft_err *err)
{
	s = weft_str_trim(s);
	if (!s.n)
		return weft_err_set(err, WEFT_E_SYNTAX, "a metric has no name");
	if (weft_str_eq(s, "duration") || weft_str_eq(s, "Duration")) {
		*out = WEFT_METRIC_DURATION;
		return 0;
	}
	for (uint32_t i = 0; i < *n_names; i++)
		if (weft_str_eq(s, names[i])) {
			*out = (int32_t)i;
			return 0;
		}
	char *z = weft_arena_strndup(a, s.at, s.n);
	if (!z)
		return weft_err_set(err, -ENOMEM, "out of memory");
	*out = (int32_t)*n_names;
	names[(*n_names)++] = z;
	return 0;
}

int weft_burst_metric_parse(struct weft_burst_metric *m, const char *text, struct weft_arena *a, const char **names,
                            uint32_t *n_names, struct weft_err *err)
{
	struct weft_str s = weft_str_trim(weft_str(text));
	*m = (struct weft_burst_metric){.factor = 1, .least = -INFINITY, .most = INFINITY};
	if (s.n > 5 && !memcmp(s.at, "log(", 4) && s.at[s.n - 1] == ')') {
		m->log = true;
		s = weft_str_trim(weft_str_n(s.at + 4, s.n - 5));
	}
	m->name = weft_arena_strndup(a, s.at, s.n);
	if (!m->name)
		return weft_err_set(err, -ENOMEM, "out of memory");
	size_t at = 0;
	while (at < s.n && !strchr("+*/", s.at[at]) && !(s.at[at] == '-' && at && s.at[at - 1] == ' '))
		at++;
	int rc = counter_of(weft_str_n(s.at, at), a, names, n_names, &m->a, err);
	if (!rc && at < s.n) {
		m->operation = s.at[at];
		rc = counter_of(weft_str_n(s.at + at + 1, s.n - at - 1), a, names, n_names, &m->b, err);
	}
	return rc ? weft_err_prefix(err, "metric '%s'", text) : 0;
}
