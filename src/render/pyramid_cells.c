/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from a pyramid: last, maximum, minimum and average without looking into the chunks that lie within one pixel, the other
 * ways burst by burst.
 *
 * A burst is added to the pixel in which it begins; what a pixel begins with, the burst that reaches into it, is known when all
 * are added. So the loop over bursts has no inner loop over pixels: it keeps a running sum, begins it anew where the pixel is
 * another than the last burst's, and stores it at the pixel each time. Then one walk over the pixels fills those in which no
 * burst begins.
 *
 *     bursts       a     b  c           d           begin in pixels 0 0 0 2
 *     sum          a    ab abc         cd           c reaches into pixel 2: the sum there begins with it
 *     pixels       |    abc    |   c   |  cd  |
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

enum { PAD = 8 };

struct scratch {            /* of one worker */
	double *sum, *last; /* by pixel; last NAN: no burst begins there */
	uint32_t *n;        /* by pixel: bursts up to here */
	int32_t pixel[WEFT_PYRAMID_BURSTS];
	struct weft_pyramid_bursts bursts;
};
struct brush {
	struct scratch *s;
	const struct weft_metric_cells *c;
	double scale; /* pixels a unit of time, nearly */
	int32_t at;   /* the pixel in which the next burst begins */
	int32_t of;   /* the pixel of the running sum; -1: none yet */
	double sum;
	double held; /* value of the last burst */
	uint32_t n;
	bool whole; /* what it holds and the loaded chunk are whole numbers, and so are all sums of them */
	bool done;
};

/* ---- the four ways ---- */

static inline double no_zero(double v)
{
	return v == 0 ? INFINITY : v;
}

/* Vectors of two and four: compilers make of them what the machine has. */
typedef double two __attribute__((vector_size(16)));
typedef int64_t two_i64 __attribute__((vector_size(16)));
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_i64 __attribute__((vector_size(32)));
typedef int32_t four_i32 __attribute__((vector_size(16)));

/* a or b without a jump: whether a burst begins in the pixel of the one before it cannot be foretold. */
static inline double choose(bool first, double a, double b)
{
	int64_t m = -(int64_t)first;
	two_i64 mask = {m, m};
	two x = {a, a}, y = {b, b};
	return ((two)(((two_i64)x & mask) | ((two_i64)y & ~mask)))[0];
}

/*
 * The bursts [from, to) of the loaded chunk: `begin` is what a new sum begins with beside v, `join` joins sum and v. What the
 * brush holds is kept in locals, as stores into pixels might otherwise change it.
 */
#define BURSTS(begin, join) \
	do { \
		const double *value = b->s->bursts.value; \
		const int32_t *pixel = b->s->pixel; \
		double *sums = b->s->sum, *lasts = b->s->last, sum = b->sum, held = b->held; \
		int32_t at = b->at, of = b->of; \
		for (uint32_t i = from; i < to; i++) { \
			double v = value[i]; \
			sum = choose(at == of, sum, (begin)); \
			sum = (join); \
			sums[at] = sum; \
			lasts[at] = v; \
			of = at; \
			at = pixel[i]; \
			held = v; \
		} \
		b->at = at; \
		b->of = of; \
		b->sum = sum; \
		b->held = held; \
	} while (0)

static void add_last(struct brush *b, uint32_t from, uint32_t to)
{
	const double *value = b->s->bursts.value;
	const int32_t *pixel = b->s->pixel;
	double *lasts = b->s->last;
	int32_t at = b->at;
	for (uint32_t i = from; i < to; i++) {
		lasts[at] = value[i];
		at = pixel[i];
	}
	b->at = at;
	b->held = value[to - 1];
}

/*
 * Greatest and least go through whole numbers that are in the order of the values: choosing and comparing these takes half the
 * time. `sum` is kept as a value between chunks.
 */
static inline int64_t order_of(double v)
{
	int64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}

static inline double value_of(int64_t order)
{
	int64_t bits = order ^ (int64_t)((uint64_t)(order >> 63) >> 1);
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

#define EXTREMES(key, better) \
	do { \
		const double *value = b->s->bursts.value; \
		const int32_t *pixel = b->s->pixel; \
		double *sums = b->s->sum, *lasts = b->s->last; \
		int64_t sum = order_of(b->sum), held = order_of(key(b->held)); \
		int32_t at = b->at, of = b->of; \
		for (uint32_t i = from; i < to; i++) { \
			int64_t v = order_of(key(value[i])), same = -(int64_t)(at == of); \
			sum = (sum & same) | (held & ~same); \
			sum = v better sum ? v : sum; \
			sums[at] = value_of(sum); \
			lasts[at] = value[i]; \
			of = at; \
			at = pixel[i]; \
			held = v; \
		} \
		b->at = at; \
		b->of = of; \
		b->sum = value_of(sum); \
		b->held = value[to - 1]; \
	} while (0)

static inline double itself(double v)
{
	return v;
}

static void add_max(struct brush *b, uint32_t from, uint32_t to)
{
	EXTREMES(itself, >);
}

static void add_min(struct brush *b, uint32_t from, uint32_t to)
{
	EXTREMES(no_zero, <);
}

/* Sums of whole numbers that stay exact, in integers: half the time again. */
static void add_whole(struct brush *b, uint32_t from, uint32_t to)
{
	const double *value = b->s->bursts.value;
	const int32_t *pixel = b->s->pixel;
	double *sums = b->s->sum, *lasts = b->s->last;
	int64_t sum = (int64_t)b->sum, held = (int64_t)b->held;
	int32_t at = b->at, of = b->of;
	for (uint32_t i = from; i < to; i++) {
		int64_t v = (int64_t)value[i], same = -(int64_t)(at == of);
		sum = ((sum & same) | (held & ~same)) + v;
		sums[at] = (double)sum;
		lasts[at] = value[i];
		of = at;
		at = pixel[i];
		held = v;
	}
	b->at = at;
	b->of = of;
	b->sum = (double)sum;
	b->held = value[to - 1];
}

/* Of counts the running total is stored: differences tell how many bursts begin in a pixel. */
static void add_average(struct brush *b, uint32_t from, uint32_t to)
{
	uint32_t *counts = b->s->n, n = b->n;
	int32_t begun = b->at;
	for (uint32_t i = from; i < to; i++) {
		counts[begun] = ++n;
		begun = b->s->pixel[i];
	}
	b->n = n;
	if (b->whole)
		add_whole(b, from, to);
	else
		BURSTS(held, sum + v);
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
	double sum = b->at == b->of ? b->sum : b->held;
	b->sum = t->max > sum ? t->max : sum;
	return true;
}

static bool skip_min(struct brush *b, const struct weft_pyramid_sum *t)
{
	double sum = b->at == b->of ? b->sum : no_zero(b->held);
	b->sum = no_zero(t->min) < sum ? no_zero(t->min) : sum;
	return true;
}

static bool skip_average(struct brush *b, const struct weft_pyramid_sum *t)
{
	double sum = b->at == b->of ? b->sum : b->held;
	if (sum != floor(sum) || !(fabs(sum) + t->size < EXACT))
		return false;
	b->n += t->n;
	b->sum = sum + t->sum;
	return true;
}

/*
 * From the first pixel on: what it shows when a burst begins in it, else what the burst that fills it has. `shown` may be
 * computed of pixels in which none begins, and is then not taken.
 */
#define PIXELS(shown) \
	do { \
		const double *lasts = s->last; \
		uint32_t before = 0; /* the pixel in which one began last: pixel 0 at least, where the row does */ \
		for (uint32_t x = 0; x < n; x++) { \
			bool begins = lasts[x] == lasts[x]; \
			uint32_t mask = -(uint32_t)begins; \
			cell[x] = choose(begins, (shown), lasts[before]); \
			before = (x & mask) | (before & ~mask); \
		} \
	} while (0)

static void show_last(const struct scratch *s, double *restrict cell, unsigned n)
{
	PIXELS(lasts[x]);
}

static void show_sum(const struct scratch *s, double *restrict cell, unsigned n)
{
	PIXELS(s->sum[x]);
}

static void show_min(const struct scratch *s, double *restrict cell, unsigned n)
{
	PIXELS(choose(s->sum[x] == INFINITY, 0, s->sum[x]));
}

/* The burst that reaches into the pixel counts besides those that begin in it; there is none in front of the first. */
static void show_average(const struct scratch *s, double *restrict cell, unsigned n)
{
	/* of the row's first pixel nothing is subtracted */
	PIXELS(s->sum[x] / (s->n[x] - (x ? s->n[before] - 1 : 0)));
}

static const struct way {
	void (*add)(struct brush *b, uint32_t from, uint32_t to); /* bursts of the loaded chunk */
	bool (*skip)(struct brush *b, const struct weft_pyramid_sum *t);
	void (*show)(const struct scratch *s, double *restrict cell, unsigned n);
	double nothing; /* sums begin with */
} ways[WEFT_DRAWS] = {
	[WEFT_DRAW_LAST] = {add_last, skip_last, show_last, 0},
	[WEFT_DRAW_MAXIMUM] = {add_max, skip_max, show_sum, -INFINITY},
	[WEFT_DRAW_MIN_NOT_ZERO] = {add_min, skip_min, show_min, 0},
	[WEFT_DRAW_AVERAGE] = {add_average, skip_average, show_average, 0},
};

/* ---- a row ---- */

static void find_pixels_exactly(const struct weft_metric_cells *c, const struct weft_pyramid_bursts *b, int32_t *pixel)
{
	for (uint32_t i = 0; i < WEFT_PYRAMID_BURSTS; i++) {
		double end = b->end[i] < c->to ? b->end[i] : c->to;
		pixel[i] = (int32_t)cells_pixel(end > c->from ? end : c->from, c->from, c->to - c->from, c->width);
	}
}

/*
 * The pixels in which the bursts end, and the next ones begin. A division a burst would cost as much as all the rest: a product
 * tells the pixel, too, unless it is so near to a border that it might be wrong by its rounding. Then the chunk is done again.
 */
WEFT_BODY pixels_body(const double *end, double from, double scale, double most, int32_t *pixel, bool *near_border)
{
	const four last = {most, most, most, most},
		   first = {0.25, 0.25, 0.25, 0.25}; /* outside it needs not be right to the last bit */
	four_i64 near = {0, 0, 0, 0};
	for (uint32_t i = 0; i < WEFT_PYRAMID_BURSTS; i += 4) {
		four x;
		memcpy(&x, end + i, sizeof x);
		x = (x - from) * scale;
		four_i64 beyond = x > last;
		x = (four)(((four_i64)x & ~beyond) | ((four_i64)last & beyond));
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
	b->whole = b->sum == floor(b->sum) && b->held == floor(b->held) && fabs(b->sum) + fabs(b->held) + chunk->sum.size < EXACT;
	if (from < to)
		way->add(b, from, to);
}

/* Whether all of the chunk or node is in the pixel at hand. */
static inline bool is_inside(const struct brush *b, const struct weft_pyramid_sum *t)
{
	const struct weft_metric_cells *c = b->c;
	return t->end < c->to && cells_pixel(t->end, c->from, c->to - c->from, c->width) == b->at;
}

static bool skip(struct brush *b, const struct weft_pyramid *p, const struct way *way, const struct weft_pyramid_sum *t,
                 uint64_t last)
{
	if (!is_inside(b, t) || !way->skip(b, t))
		return false;
	b->of = b->at;
	b->held = weft_pyramid_last(p, &p->chunk[last]);
	b->s->last[b->at] = b->held;
	b->s->sum[b->at] = b->sum;
	b->s->n[b->at] = b->n;
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
		if (begun && place % WEFT_PYRAMID_FAN == 0 && skip(b, p, way, &p->node[r->first_node + node], behind - 1)) {
			i = behind;
		} else {
			if (!begun || !skip(b, p, way, &p->chunk[i].sum, i))
				add_chunk(b, p, &p->chunk[i], way);
			i++;
		}
		begun = true;
	}
}

static void draw_fast(struct scratch *s, const struct weft_metric_cells *c, const struct weft_pyramid *p, uint32_t object,
                      const struct way *way, double *cell)
{
	struct brush b =
		{.s = s, .c = c, .scale = c->width / (c->to - c->from), .of = -1, .sum = way->nothing, .held = way->nothing};
	if (way->add == add_min)
		b.held = 0; /* is taken for nothing */
	for (unsigned x = 0; x < c->width; x++)
		s->last[x] = NAN;
	walk_row(&b, p, object, way);
	unsigned last = b.at < 0 ? 0 : (unsigned)b.at + 1 < c->width ? (unsigned)b.at + 1 : c->width;
	way->show(s, cell, last);
	for (unsigned x = last; x < c->width; x++)
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
	for (unsigned i = 0; i < n && !rc; i++) {
		s[i].sum = calloc(c->width + (size_t)PAD, sizeof *s->sum);
		s[i].last = malloc((c->width + (size_t)PAD) * sizeof *s->last);
		s[i].n = calloc(c->width + (size_t)PAD, sizeof *s->n);
		rc = s[i].sum && s[i].last && s[i].n ? 0 : -ENOMEM;
	}
	struct drawing d = {c, how, p, s};
	if (!rc)
		rc = weft_parallel(n, c->n_rows, draw_row, &d);
	for (unsigned i = 0; s && i < n; i++) {
		free(s[i].sum);
		free(s[i].last);
		free(s[i].n);
	}
	free(s);
	return rc;
}
