/* SPDX-License-Identifier: Apache-2.0 */
#include "signal.h"
#include "analyze/burst/key_order.h"
#include <errno.h>
#include <stdlib.h>

const char *const weft_signal_names[WEFT_SIGNALS] = {"computing", "durations", "calls"};

enum { COMPUTING_PARTS = 10000000, DURATION_PARTS = 100000 };

struct edges { /* where the signal changes, and by how much: two a burst */
	uint64_t *key;
	uint32_t *index; /* burst << 1 | it is an end */
	size_t n;
};

static double weight_of(const struct weft_bursts *b, enum weft_signal_of of, size_t burst)
{
	return of == WEFT_SIGNAL_DURATIONS ? (double)(b->end[burst] - b->begin[burst]) / 1e6 : 1;
}

static int find_edges(struct edges *e, const struct weft_bursts *b, enum weft_signal_of of, uint64_t end)
{
	uint64_t least = of == WEFT_SIGNAL_COMPUTING   ? end / COMPUTING_PARTS
	                 : of == WEFT_SIGNAL_DURATIONS ? end / DURATION_PARTS
	                                               : 0;
	e->key = malloc((2 * b->n + 1) * sizeof *e->key);
	e->index = malloc((2 * b->n + 1) * sizeof *e->index);
	if (!e->key || !e->index)
		return -ENOMEM;
	if (b->n >= UINT32_MAX / 2)
		return -ERANGE;
	for (size_t i = 0; i < b->n; i++) {
		if (b->end[i] - b->begin[i] < least)
			continue;
		if (of != WEFT_SIGNAL_CALLS) {
			e->key[e->n] = b->begin[i];
			e->index[e->n++] = (uint32_t)(2 * i);
		}
		e->key[e->n] = b->end[i];
		e->index[e->n++] = (uint32_t)(2 * i + 1);
	}
	return weft_key_order(e->key, e->index, e->n, weft_key_bits(end));
}

/* Sums up what was before each edge. */
static void integrate(struct weft_signal *s, const struct edges *e, const struct weft_bursts *b, enum weft_signal_of of,
                      uint64_t end)
{
	double now = 0, sum = 0;
	uint64_t last = 0;
	s->time[0] = 0;
	s->sum[0] = 0;
	s->n = 1;
	for (size_t i = 0; i < e->n; i++) {
		sum += s->step ? 1 : now * (double)(e->key[i] - last);
		last = e->key[i];
		double w = weight_of(b, of, e->index[i] >> 1);
		now += e->index[i] & 1 ? -w : w;
		s->n += s->time[s->n - 1] != last;
		s->time[s->n - 1] = last;
		s->sum[s->n - 1] = sum;
	}
	if (last < end) {
		s->time[s->n] = end;
		s->sum[s->n] = sum + (s->step ? 0 : now * (double)(end - last));
		s->n++;
	}
}

int weft_signal_make(struct weft_signal *out, const struct weft_bursts *b, enum weft_signal_of of, uint64_t end)
{
	struct edges e = {NULL, NULL, 0};
	*out = (struct weft_signal){.step = of == WEFT_SIGNAL_CALLS};
	int rc = find_edges(&e, b, of, end);
	out->time = malloc((e.n + 2) * sizeof *out->time);
	out->sum = malloc((e.n + 2) * sizeof *out->sum);
	rc = rc ? rc : out->time && out->sum ? 0 : -ENOMEM;
	if (!rc)
		integrate(out, &e, b, of, end);
	free(e.key);
	free(e.index);
	if (rc)
		weft_signal_fini(out);
	return rc;
}

void weft_signal_fini(struct weft_signal *s)
{
	free(s->time);
	free(s->sum);
	*s = (struct weft_signal){.n = 0};
}

/* The integral at a time, with *at the last place before it; times must ascend from call to call. */
static double integral(const struct weft_signal *s, double time, size_t *at)
{
	if (time <= 0)
		return 0;
	while (*at + 1 < s->n && (double)s->time[*at + 1] <= time)
		++*at;
	if (s->step || *at + 1 == s->n)
		return s->sum[*at];
	double length = (double)(s->time[*at + 1] - s->time[*at]);
	return s->sum[*at] + (s->sum[*at + 1] - s->sum[*at]) * (time - (double)s->time[*at]) / length;
}

void weft_signal_sample(const struct weft_signal *s, double from, double to, size_t n, double *out)
{
	size_t at = 0;
	double step = (to - from) / (double)n, before = integral(s, from, &at), scale = s->step ? 1e9 : 1;
	for (size_t i = 0; i < n; i++) {
		double now = integral(s, from + step * (double)(i + 1), &at);
		out[i] = step > 0 ? scale * (now - before) / step : 0;
		before = now;
	}
}

void weft_signal_values(const struct weft_signal *s, double from, double step, size_t n, double *out)
{
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		double time = from + step * (double)i;
		while (at + 1 < s->n && (double)s->time[at + 1] <= time)
			at++;
		bool inside = time >= 0 && at + 1 < s->n;
		out[i] = inside ? (s->sum[at + 1] - s->sum[at]) / (double)(s->time[at + 1] - s->time[at]) : 0;
	}
}
