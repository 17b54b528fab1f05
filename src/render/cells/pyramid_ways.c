/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs of bursts in a pixel are reduced to, eight bursts at a time: the last, the greatest,
 * the least but 0, the average; and the same of whole chunks by their sums.
 */
#include "base/wide.h"
#include "pyramid_cells_priv.h"
#include <math.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* whole numbers up to here, and sums that stay below, are exact */

_Static_assert((int)WEFT_PYRAMID_BEYOND >= (int)EIGHT, "runs are read eight at a time");
/* From EIGHT - n on: the first n of eight. */
static const int64_t first_of[2 * EIGHT] = {-1, -1, -1, -1, -1, -1, -1, -1};

/* v[from] to v[from + 3], with `other` for those that are not below n. */
INLINE void take_four(four *out, const double *v, uint32_t n, unsigned from, double other)
{
	four x, none = ALL(other);
	four_i64 mask;
	memcpy(&x, v + from, sizeof x);
	memcpy(&mask, first_of + EIGHT - (n < EIGHT ? n : EIGHT) + from, sizeof mask);
	*out = (four)(((four_i64)x & mask) | ((four_i64)none & ~mask));
}

INLINE void keep_better(four *best, const four *x, bool greatest)
{
	four_i64 better = greatest ? *x > *best : *x < *best;
	*best = (four)(((four_i64)*x & better) | ((four_i64)*best & ~better));
}

INLINE void zero_is_none(four *x)
{
	const four zero = ALL(0), none = ALL(INFINITY);
	four_i64 is = *x == zero;
	*x = (four)(((four_i64)none & is) | ((four_i64)*x & ~is));
}

/* The greatest, or the least but 0, of n values and `sum`. */
INLINE double extreme(double sum, const double *v, uint32_t n, bool greatest)
{
	const double nothing = greatest ? -INFINITY : INFINITY;
	four best = ALL(nothing);
	for (;; v += EIGHT, n -= EIGHT) {
		for (unsigned from = 0; from < EIGHT; from += 4) {
			four x;
			take_four(&x, v, n, from, nothing);
			if (!greatest)
				zero_is_none(&x);
			keep_better(&best, &x, greatest);
		}
		if (n <= EIGHT)
			break;
	}
	double low = better_of(best[0], best[1], greatest), high = better_of(best[2], best[3], greatest);
	return better_of(better_of(low, high, greatest), sum, greatest);
}

INLINE double more_max(double sum, const double *v, uint32_t n)
{
	return extreme(sum, v, n, true);
}

INLINE double more_min(double sum, const double *v, uint32_t n)
{
	return extreme(sum, v, n, false);
}

/* Where sums are exact, in any order. */
INLINE double more_whole(double sum, const double *v, uint32_t n)
{
	four all = ALL(0);
	for (;; v += EIGHT, n -= EIGHT) {
		four x, y;
		take_four(&x, v, n, 0, 0);
		take_four(&y, v, n, 4, 0);
		all += x + y;
		if (n <= EIGHT)
			break;
	}
	return sum + ((all[0] + all[1]) + (all[2] + all[3]));
}

INLINE double more_in_order(double sum, const double *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

INLINE double show_sum(double sum, int64_t n)
{
	(void)n;
	return sum;
}

INLINE double show_min(double sum, int64_t n)
{
	(void)n;
	return sum == INFINITY ? 0 : sum;
}

INLINE double show_average(double sum, int64_t n)
{
	return sum / (double)n;
}

/*
 * Ends of runs among the bursts [from, to): those that end in another pixel than they begin in. How
 * many there are.
 */
INLINE uint32_t find_runs(int32_t at, const int32_t *pixel, uint32_t from, uint32_t to, uint8_t *last)
{
	uint32_t n = 0;
	for (uint32_t i = from; i < to; i++) {
		last[n] = (uint8_t)i;
		n += pixel[i] != at;
		at = pixel[i];
	}
	return n;
}

/*
 * The pixels [from, to), and some behind them, which are written later: how many pixels have no run
 * of their own cannot be foretold, that they are more than eight sometimes can.
 */
INLINE void fill(double *cell, int32_t from, int32_t to, double v)
{
	const four all = ALL(v);
	memcpy(cell + from, &all, sizeof all);
	memcpy(cell + from + 4, &all, sizeof all);
	for (int32_t x = from + EIGHT; x < to; x++)
		cell[x] = v;
}

/* The bursts [from, to) of the loaded chunk, whose runs were found. */
INLINE void add_runs(struct brush *b, uint32_t from, uint32_t to, uint32_t runs, double nothing,
                     double (*more)(double sum, const double *v, uint32_t n), double (*show)(double sum, int64_t n))
{
	const double *v = b->s->bursts.value;
	const int32_t *pixel = b->s->pixel;
	const uint8_t *last = b->s->last;
	double *cell = b->s->cell, sum = b->sum;
	int64_t n = b->n;
	int32_t at = b->at;
	for (uint32_t k = 0; k < runs; k++) {
		const uint32_t end = last[k];
		cell[at] = show(more(sum, v + from, end + 1 - from), n + end + 1 - from);
		fill(cell, at + 1, pixel[end], v[end]);
		at = pixel[end];
		sum = nothing;
		n = 0;
		from = end;
	}
	b->at = at;
	b->sum = more(sum, v + from, to - from);
	b->n = n + to - from;
}

/*
 * Of the bursts [from, to) of the loaded chunk, where runs are to be found first, and where they
 * were.
 */
#define WAY(name, nothing, more, show) \
	WEFT_BODY name##_found_body(struct brush *b, uint32_t from, uint32_t to, uint32_t runs) \
	{ \
		add_runs(b, from, to, runs, nothing, more, show); \
	} \
	WEFT_BODY name##_body(struct brush *b, uint32_t from, uint32_t to) \
	{ \
		add_runs(b, from, to, find_runs(b->at, b->s->pixel, from, to, b->s->last), nothing, more, show); \
	} \
	WEFT_WIDE(name##_found, (struct brush * b, uint32_t from, uint32_t to, uint32_t runs), (b, from, to, runs)) \
	WEFT_WIDE(name, (struct brush * b, uint32_t from, uint32_t to), (b, from, to))
WAY(add_max, -INFINITY, more_max, show_sum)
WAY(add_min, INFINITY, more_min, show_min)
WAY(add_whole, 0, more_whole, show_average)
WAY(add_in_order, 0, more_in_order, show_average)

/* Each burst is what the pixels from its begin on show, until the next one says other. */
WEFT_BODY add_last_body(struct brush *b, uint32_t from, uint32_t to)
{
	const double *v = b->s->bursts.value;
	const int32_t *pixel = b->s->pixel;
	double *cell = b->s->cell;
	int32_t at = b->at;
	for (uint32_t i = from; i < to; i++) {
		fill(cell, at, pixel[i], v[i]);
		at = pixel[i];
	}
	b->at = at;
	b->n = 1;
	b->sum = v[to - 1];
}
WEFT_WIDE(add_last, (struct brush * b, uint32_t from, uint32_t to), (b, from, to))

/* Only what runs end with is seen. */
static void add_last_found(struct brush *b, uint32_t from, uint32_t to, uint32_t runs)
{
	(void)from;
	for (uint32_t k = 0; k < runs; k++) {
		int32_t behind = b->s->pixel[b->s->last[k]];
		fill(b->s->cell, b->at, behind, weft_pyramid_value(&b->s->packed, b->s->last[k]));
		b->at = behind;
	}
	b->n = 1;
	b->sum = weft_pyramid_value(&b->s->packed, to - 1);
}

/*
 * Whether what the brush holds and the loaded chunk are whole numbers, and so are all sums of them.
 */
static bool is_exact(const struct brush *b)
{
	return b->sum == floor(b->sum) && fabs(b->sum) + b->p->of_chunk.size[b->chunk] < EXACT;
}

static void add_average(struct brush *b, uint32_t from, uint32_t to)
{
	if (is_exact(b))
		add_whole(b, from, to);
	else
		add_in_order(b, from, to);
}

static void add_average_found(struct brush *b, uint32_t from, uint32_t to, uint32_t runs)
{
	if (is_exact(b))
		add_whole_found(b, from, to, runs);
	else
		add_in_order_found(b, from, to, runs);
}

/*
 * Chunks or nodes that begin and end in the pixel at hand. Returns the first that must be looked
 * into.
 */
static uint64_t skip_last(struct brush *b, const struct weft_pyramid_sums *s, uint64_t from, uint64_t to)
{
	(void)b;
	(void)s;
	(void)from;
	return to;
}

static double max_of(const struct weft_pyramid_sums *s, uint64_t i)
{
	return s->max[i];
}

static double min_of(const struct weft_pyramid_sums *s, uint64_t i)
{
	return s->min[i] == 0 ? INFINITY : s->min[i];
}

static uint64_t skip_max(struct brush *b, const struct weft_pyramid_sums *s, uint64_t from, uint64_t to)
{
	double sum = b->sum;
	for (uint64_t i = from; i < to; i++)
		sum = better_of(max_of(s, i), sum, true);
	b->sum = sum;
	return to;
}

static uint64_t skip_min(struct brush *b, const struct weft_pyramid_sums *s, uint64_t from, uint64_t to)
{
	double sum = b->sum;
	for (uint64_t i = from; i < to; i++)
		sum = better_of(min_of(s, i), sum, false);
	b->sum = sum;
	return to;
}

static uint64_t skip_average(struct brush *b, const struct weft_pyramid_sums *s, uint64_t from, uint64_t to)
{
	double sum = b->sum;
	uint64_t i = from;
	for (bool whole = sum == floor(sum); whole && i < to && fabs(sum) + s->size[i] < EXACT; i++)
		sum += s->sum[i];
	b->sum = sum;
	return i;
}

const struct way pyramid_ways[WEFT_DRAWS] = {
	[WEFT_DRAW_LAST] = {add_last, add_last_found, skip_last, show_sum, 0, NULL, true},
	[WEFT_DRAW_MAXIMUM] = {add_max, add_max_found, skip_max, show_sum, -INFINITY, max_of, false},
	[WEFT_DRAW_MIN_NOT_ZERO] = {add_min, add_min_found, skip_min, show_min, INFINITY, min_of, false},
	[WEFT_DRAW_AVERAGE] = {add_average, add_average_found, skip_average, show_average, 0, NULL, false},
};
