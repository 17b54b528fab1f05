/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from a pyramid: last, maximum, minimum and average without looking into the chunks that lie within one pixel, the other
 * ways burst by burst.
 *
 * A pixel shows the bursts that begin in it, and the one that reaches into it: in a chunk, these are a run, which begins with the
 * last burst of the run before it. So first the ends of runs are looked for, without a jump, then each run is reduced to what
 * its pixel shows, eight bursts at a time. Only the run that a chunk ends in is carried on to the next.
 *
 *     bursts       a     b  c           d           begin in pixels 0 0 0 2
 *     runs         a  b  c | c  d …                 c reaches into pixel 2: the run there begins with it
 *     pixels       |  abc  |   c   |  cd  |
 */
#include "base/pool.h"
#include "base/wide.h"
#include "metric_cells_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-6                /* of a pixel: far more than what is lost by rounding */
#define EXACT 9007199254740992.0 /* whole numbers up to here, and sums that stay below, are exact */

struct scratch {      /* of one worker */
	double *cell; /* the row at work, with EIGHT more places */
	int32_t pixel[WEFT_PYRAMID_BURSTS];
	uint8_t last[WEFT_PYRAMID_BURSTS + 1]; /* of each run */
	struct weft_pyramid_bursts bursts;
};
struct brush {
	struct scratch *s;
	const struct weft_metric_cells *c;
	double scale; /* pixels a unit of time, nearly */
	int32_t at;   /* the pixel in which the next burst begins */
	double sum;   /* of its run so far */
	uint32_t n;   /* bursts in it */
	bool whole;   /* what it holds and the loaded chunk are whole numbers, and so are all sums of them */
	bool done;
	const struct weft_pyramid_chunk *skipped; /* the last, if nothing was added since */
};

/* ---- the four ways ---- */

/* Vectors of four: compilers make of them what the machine has. */
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_i64 __attribute__((vector_size(32)));
typedef int32_t four_i32 __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))
#define ALL(v) \
	{ \
		(v), (v), (v), (v) \
	}

enum { EIGHT = 8 };
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

INLINE double better_of(double a, double b, bool greatest)
{
	return (greatest ? a > b : a < b) ? a : b;
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

INLINE double show_sum(double sum, uint32_t n)
{
	(void)n;
	return sum;
}

INLINE double show_min(double sum, uint32_t n)
{
	(void)n;
	return sum == INFINITY ? 0 : sum;
}

INLINE double show_average(double sum, uint32_t n)
{
	return sum / n;
}

/* Ends of runs among the bursts [from, to): those that end in another pixel than they begin in. How many there are. */
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
 * The pixels [from, to), and some behind them, which are written later: how many pixels have no run of their own cannot be foretold,
 * that they are more than eight sometimes can.
 */
INLINE void fill(double *cell, int32_t from, int32_t to, double v)
{
	const four all = ALL(v);
	memcpy(cell + from, &all, sizeof all);
	memcpy(cell + from + 4, &all, sizeof all);
	for (int32_t x = from + EIGHT; x < to; x++)
		cell[x] = v;
}

/* The bursts [from, to) of the loaded chunk. */
INLINE void add_runs(struct brush *b, uint32_t from, uint32_t to, double nothing,
                     double (*more)(double sum, const double *v, uint32_t n), double (*show)(double sum, uint32_t n))
{
	const double *v = b->s->bursts.value;
	const int32_t *pixel = b->s->pixel;
	uint8_t *last = b->s->last;
	double *cell = b->s->cell, sum = b->sum;
	uint32_t runs = find_runs(b->at, pixel, from, to, last), n = b->n;
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

#define WAY(name, nothing, more, show) \
	WEFT_BODY name##_body(struct brush *b, uint32_t from, uint32_t to) \
	{ \
		add_runs(b, from, to, nothing, more, show); \
	} \
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

static void add_average(struct brush *b, uint32_t from, uint32_t to)
{
	if (b->whole)
		add_whole(b, from, to);
	else
		add_in_order(b, from, to);
}

/* A chunk or node that begins and ends in the pixel at hand. False: its bursts must be added one by one. */
static bool skip_last(struct brush *b, const struct weft_pyramid_sum *t)
{
	(void)b;
	(void)t;
	return true;
}

static bool skip_max(struct brush *b, const struct weft_pyramid_sum *t)
{
	b->sum = better_of(t->max, b->sum, true);
	return true;
}

static bool skip_min(struct brush *b, const struct weft_pyramid_sum *t)
{
	b->sum = better_of(t->min == 0 ? INFINITY : t->min, b->sum, false);
	return true;
}

static bool skip_average(struct brush *b, const struct weft_pyramid_sum *t)
{
	if (b->sum != floor(b->sum) || !(fabs(b->sum) + t->size < EXACT))
		return false;
	b->n += t->n;
	b->sum += t->sum;
	return true;
}

static const struct way {
	void (*add)(struct brush *b, uint32_t from, uint32_t to); /* bursts of the loaded chunk */
	bool (*skip)(struct brush *b, const struct weft_pyramid_sum *t);
	double (*show)(double sum, uint32_t n);
	double nothing; /* sums begin with */
} ways[WEFT_DRAWS] = {
	[WEFT_DRAW_LAST] = {add_last, skip_last, show_sum, 0},
	[WEFT_DRAW_MAXIMUM] = {add_max, skip_max, show_sum, -INFINITY},
	[WEFT_DRAW_MIN_NOT_ZERO] = {add_min, skip_min, show_min, INFINITY},
	[WEFT_DRAW_AVERAGE] = {add_average, skip_average, show_average, 0},
};

/* ---- a row ---- */

static void find_pixels_exactly(const struct weft_metric_cells *c, const struct weft_pyramid_bursts *b, int32_t *pixel)
{
	for (uint32_t i = 0; i < WEFT_PYRAMID_BURSTS; i++) {
		double end = b->end[i] < c->to ? b->end[i] : c->to;
		double x = end > c->from ? cells_pixel(end, c->from, c->to - c->from, c->width) : 0;
		pixel[i] = x < c->width ? (int32_t)x : (int32_t)c->width - 1;
	}
}

/*
 * The pixels in which the bursts end, and the next ones begin. A division a burst would cost as much as all the rest: a product
 * tells the pixel, too, unless it is so near to a border that it might be wrong by its rounding. Then the chunk is done again.
 */
WEFT_BODY pixels_body(const double *end, double from, double scale, double most, int32_t *pixel, bool *near_border)
{
	const four last = ALL(most), first = ALL(0.25); /* outside it needs not be right to the last bit */
	four_i64 near = {0, 0, 0, 0};
	for (uint32_t i = 0; i < WEFT_PYRAMID_BURSTS; i += 4) {
		four x;
		memcpy(&x, end + i, sizeof x);
		x = (x - from) * scale;
		four_i64 within = x <= last;
		x = (four)(((four_i64)x & within) | ((four_i64)last & ~within));
		four_i64 early = x < first;
		x = (four)(((four_i64)x & ~early) | ((four_i64)first & early));
		four_i32 whole = __builtin_convertvector(x, four_i32);
		four rest = x - __builtin_convertvector(whole, four);
		rest -= 0.5;
		near |= rest * rest > (0.5 - NEAR) * (0.5 - NEAR); /* one comparison for both borders */
		memcpy(pixel + i, &whole, sizeof whole);
	}
	*near_border = near[0] | near[1] | near[2] | near[3];
}
WEFT_WIDE(pixels, (const double *end, double from, double scale, double most, int32_t *pixel, bool *near_border),
          (end, from, scale, most, pixel, near_border))

static void find_pixels(const struct brush *b, const struct weft_pyramid_bursts *bursts, int32_t *pixel)
{
	bool near_border;
	pixels(bursts->end, b->c->from, b->scale, (double)b->c->width - 0.5, pixel, &near_border);
	if (near_border)
		find_pixels_exactly(b->c, bursts, pixel);
}

/* The chunk's bursts up to the first that reaches the end of the range. */
static void add_chunk(struct brush *b, const struct weft_pyramid *p, const struct weft_pyramid_chunk *chunk,
                      const struct way *way)
{
	struct scratch *s = b->s;
	uint32_t from = 0, to = chunk->sum.n;
	weft_pyramid_load(p, chunk, &s->bursts);
	find_pixels(b, &s->bursts, s->pixel);
	while (from < to && !(s->bursts.end[from] > b->c->from)) /* only in the first chunk */
		from++;
	if (chunk->sum.end >= b->c->to) {
		for (to = from; to < chunk->sum.n && s->bursts.end[to] < b->c->to;)
			to++;
		to += to < chunk->sum.n;
		b->done = true;
	}
	b->whole = b->sum == floor(b->sum) && fabs(b->sum) + chunk->sum.size < EXACT;
	b->skipped = NULL;
	if (from < to)
		way->add(b, from, to);
}

/* Whether all of the chunk or node is in the pixel at hand. */
static inline bool is_inside(const struct brush *b, const struct weft_pyramid_sum *t)
{
	const struct weft_metric_cells *c = b->c;
	return t->end < c->to && cells_pixel(t->end, c->from, c->to - c->from, c->width) == b->at;
}

/* last: the chunk that t ends with. Its bursts are not looked at: where chunks are skipped, that would be most of the work. */
static bool skip(struct brush *b, const struct way *way, const struct weft_pyramid_sum *t, const struct weft_pyramid_chunk *last)
{
	if (!is_inside(b, t) || !way->skip(b, t))
		return false;
	b->skipped = last;
	return true;
}

static void walk_row(struct brush *b, const struct weft_pyramid *p, uint32_t row, const struct way *way)
{
	const struct weft_pyramid_row *r = &p->row[row];
	uint64_t end = r->first_chunk + r->n_chunks;
	bool begun = false;
	for (uint64_t i = weft_pyramid_find(p, row, b->c->from); i < end && !b->done;) {
		uint64_t place = i - r->first_chunk, node = place / WEFT_PYRAMID_FAN;
		uint64_t behind = r->first_chunk + (node + 1) * WEFT_PYRAMID_FAN;
		behind = behind < end ? behind : end;
		if (begun && place % WEFT_PYRAMID_FAN == 0 &&
		    skip(b, way, &p->node[r->first_node + node], &p->chunk[behind - 1])) {
			i = behind;
		} else {
			if (!begun || !skip(b, way, &p->chunk[i].sum, &p->chunk[i]))
				add_chunk(b, p, &p->chunk[i], way);
			i++;
		}
		begun = true;
	}
}

/* What the last burst's pixel shows; what lies behind the row's end is 0. */
static void draw_fast(struct scratch *s, const struct weft_metric_cells *c, const struct weft_pyramid *p, uint32_t object,
                      const struct way *way, double *cell)
{
	struct brush b = {.s = s, .c = c, .scale = c->width / (c->to - c->from), .sum = way->nothing};
	walk_row(&b, p, object, way);
	if (b.skipped && way->add == add_last)
		b.sum = weft_pyramid_last(p, b.skipped);
	memcpy(cell, s->cell, (size_t)b.at * sizeof *cell);
	cell[b.at] = b.n ? way->show(b.sum, b.n) : 0;
	for (unsigned x = (unsigned)b.at + 1; x < c->width; x++)
		cell[x] = 0;
}

static int draw_slowly(struct scratch *s, const struct weft_metric_cells *c, const struct weft_pyramid *p, uint32_t object,
                       enum weft_draw draw, size_t row)
{
	struct cells_pen pen;
	const struct weft_pyramid_row *r = &p->row[object];
	cells_pen_begin(&pen, c, draw, row);
	for (uint64_t i = weft_pyramid_find(p, object, c->from); i < r->first_chunk + r->n_chunks && !pen.done; i++) {
		weft_pyramid_load(p, &p->chunk[i], &s->bursts);
		for (uint32_t k = 0; k < p->chunk[i].sum.n && !pen.done; k++)
			if (s->bursts.end[k] > c->from)
				cells_pen_burst(&pen, s->bursts.end[k], s->bursts.value[k]);
	}
	return cells_pen_end(&pen);
}

struct drawing {
	struct weft_metric_cells *c;
	const struct weft_metric_cells_how *how;
	const struct weft_pyramid *p;
	struct scratch *scratch;
};

static int draw_row(void *arg, size_t i, unsigned worker)
{
	const struct drawing *d = arg;
	uint32_t object = d->how->row ? d->how->row[i] : (uint32_t)i;
	const struct way *way = &ways[d->how->draw];
	if (!way->add)
		return draw_slowly(&d->scratch[worker], d->c, d->p, object, d->how->draw, i);
	draw_fast(&d->scratch[worker], d->c, d->p, object, way, d->c->cell + i * d->c->width);
	return 0;
}

int cells_from_pyramid(struct weft_metric_cells *c, const struct weft_metric_cells_how *how, const struct weft_pyramid *p)
{
	unsigned n = how->threads ? how->threads : weft_pool_width();
	struct scratch *s = calloc(n, sizeof *s);
	int rc = s ? 0 : -ENOMEM;
	for (unsigned i = 0; i < n && !rc; i++)
		rc = (s[i].cell = malloc((c->width + (size_t)EIGHT) * sizeof *s->cell)) ? 0 : -ENOMEM;
	struct drawing d = {c, how, p, s};
	if (!rc)
		rc = weft_parallel(n, c->n_rows, draw_row, &d);
	for (unsigned i = 0; s && i < n; i++)
		free(s[i].cell);
	free(s);
	return rc;
}
