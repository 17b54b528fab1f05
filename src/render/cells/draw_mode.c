/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random choices are made while the values pass: of n values so far the newest is taken with a
 * chance of 1 in n, which gives each of them the same chance in the end. The two ways that look for
 * absolute values compare the size of a value with what they hold *with its sign*, as Paraver does:
 * a negative one that is held gives way to any larger size, and is never beaten when the least is
 * looked for.
 */
#include "draw_mode.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const draw_mode_names[WEFT_DRAWS] =
	{"last",    "maximum",        "minnotzero", "random",           "randnotzero",
         "average", "averagenotzero", "mode",       "absolute_maximum", "absolute_minimum"};

enum weft_draw draw_mode_find(const char *name)
{
	unsigned i = 0;
	while (i < WEFT_DRAWS && strcmp(name, draw_mode_names[i]) != 0)
		i++;
	return (enum weft_draw)i;
}

static uint64_t next_random(struct draw_sum *s)
{
	uint64_t z = s->seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void add_last(struct draw_sum *s, double v)
{
	s->best = v;
}

static void add_maximum(struct draw_sum *s, double v)
{
	s->best = s->n == 1 || v > s->best ? v : s->best;
}

static void add_minimum(struct draw_sum *s, double v)
{
	if (v != 0)
		s->best = !s->n_not_zero++ || v < s->best ? v : s->best;
}

static void add_random(struct draw_sum *s, double v)
{
	if (next_random(s) % s->n == 0)
		s->best = v;
}

/*
 * The first value that is not 0 from a random one on; behind the last value it goes on with the
 * first.
 */
static void add_random_not_zero(struct draw_sum *s, double v)
{
	s->waiting |= next_random(s) % s->n == 0;
	if (v == 0)
		return;
	if (!s->n_not_zero++)
		s->first = v;
	if (s->waiting)
		s->best = v;
	s->waiting = false;
}

static double get_random_not_zero(const struct draw_sum *s)
{
	return s->waiting ? s->first : s->best;
}

static void add_average(struct draw_sum *s, double v)
{
	s->sum += v;
}

static double get_average(const struct draw_sum *s)
{
	return s->n ? s->sum / (double)s->n : 0;
}

static void add_average_not_zero(struct draw_sum *s, double v)
{
	s->sum += v;
	s->n_not_zero += v != 0;
}

static double get_average_not_zero(const struct draw_sum *s)
{
	return s->n_not_zero ? s->sum / (double)s->n_not_zero : 0;
}

/* ---- the most frequent value ---- */

struct draw_count {
	double value;
	uint64_t n;
	uint32_t era; /* of the pixel that it belongs to: a new pixel empties the table by another number */
};

static struct draw_count *find_count(struct draw_count *at, uint32_t cap, uint32_t era, double v)
{
	uint64_t bits;
	v = v == 0 ? 0 : v; /* -0 is 0 */
	memcpy(&bits, &v, sizeof bits);
	uint32_t i = (uint32_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);
	while (at[i].era == era && at[i].value != v)
		i = (i + 1) & (cap - 1);
	return &at[i];
}

static bool more_counts(struct draw_sum *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : 64;
	struct draw_count *more = calloc(cap, sizeof *more);
	if (!more || !cap) {
		free(more);
		return false;
	}
	for (uint32_t i = 0; i < s->cap; i++)
		if (s->count[i].era == s->era)
			*find_count(more, cap, s->era, s->count[i].value) = s->count[i];
	free(s->count);
	s->count = more;
	s->cap = cap;
	return true;
}

static void add_mode(struct draw_sum *s, double v)
{
	if (v != v)
		v = 0;
	if (s->n_counts * 2 >= s->cap && !more_counts(s)) {
		s->failed = true;
		return;
	}
	struct draw_count *c = find_count(s->count, s->cap, s->era, v);
	if (c->era != s->era) {
		*c = (struct draw_count){v == 0 ? 0 : v, 0, s->era};
		s->n_counts++;
	}
	if (++c->n > s->most) {
		s->most = c->n;
		s->best = v;
	}
}

/* ---- sizes without their sign ---- */

static void add_absolute_maximum(struct draw_sum *s, double v)
{
	if (fabs(v) > s->best)
		s->best = v;
}

static void add_absolute_minimum(struct draw_sum *s, double v)
{
	if (v != 0 && (!s->n_not_zero++ || fabs(v) < s->best))
		s->best = v;
}

static double get_best(const struct draw_sum *s)
{
	return s->best;
}

static const struct {
	void (*add)(struct draw_sum *s, double v);
	double (*get)(const struct draw_sum *s);
} ways[WEFT_DRAWS] = {
	[WEFT_DRAW_LAST] = {add_last, get_best},
	[WEFT_DRAW_MAXIMUM] = {add_maximum, get_best},
	[WEFT_DRAW_MIN_NOT_ZERO] = {add_minimum, get_best},
	[WEFT_DRAW_RANDOM] = {add_random, get_best},
	[WEFT_DRAW_RAND_NOT_ZERO] = {add_random_not_zero, get_random_not_zero},
	[WEFT_DRAW_AVERAGE] = {add_average, get_average},
	[WEFT_DRAW_AVERAGE_NOT_ZERO] = {add_average_not_zero, get_average_not_zero},
	[WEFT_DRAW_MODE] = {add_mode, get_best},
	[WEFT_DRAW_ABS_MAXIMUM] = {add_absolute_maximum, get_best},
	[WEFT_DRAW_ABS_MINIMUM] = {add_absolute_minimum, get_best},
};

void draw_sum_init(struct draw_sum *s, enum weft_draw mode)
{
	*s = (struct draw_sum){.mode = mode};
}

void draw_sum_fini(struct draw_sum *s)
{
	free(s->count);
	*s = (struct draw_sum){.mode = s->mode};
}

void draw_sum_begin(struct draw_sum *s, uint64_t seed)
{
	s->n = s->n_not_zero = s->most = 0;
	s->seed = seed;
	s->best = s->sum = s->first = 0;
	s->waiting = false;
	s->n_counts = 0;
	if (++s->era == 0 && s->count) {
		memset(s->count, 0, s->cap * sizeof *s->count);
		s->era = 1;
	}
}

void draw_sum_add(struct draw_sum *s, double v)
{
	s->n++;
	ways[s->mode].add(s, v);
}

double draw_sum_get(const struct draw_sum *s)
{
	return ways[s->mode].get(s);
}
