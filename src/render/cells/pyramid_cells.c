/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from a pyramid: last, maximum, minimum and average without looking into the chunks that lie
 * within one pixel, the other ways burst by burst.
 *
 * A pixel shows the bursts that begin in it, and the one that reaches into it: in a chunk, these
 * are a run, which begins with the last burst of the run before it. So first the ends of runs are
 * looked for, without a jump, then each run is reduced to what its pixel shows, eight bursts at a
 * time. Only the run that a chunk ends in is carried on to the next. In a chunk of which only some
 * pixels' ends are wanted, as where there are far more events than pixels, these are looked for by
 * halving.
 *
 *     bursts       a     b  c           d           begin in pixels 0 0 0 2
 *     runs         a  b  c | c  d …                 c reaches into pixel 2: the run there begins with it
 *     pixels       |  abc  |   c   |  cd  |
 *
 * Which chunks have to be looked into follows from their ends alone: some are found ahead, so that
 * memory has time to bring them.
 */
#include "base/pool.h"
#include "base/wide.h"
#include "pyramid_cells_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-6 /* of a pixel: far more than what is lost by rounding */

enum { AHEAD = 8, FEW_PIXELS = 2 };

/* In which pixel a burst ends, as far as it is seen. */
static int32_t pixel_of(const struct weft_metric_cells *c, double end)
{
	double seen = end < c->to ? end : c->to;
	double x = seen > c->from ? cells_pixel(seen, c->from, c->to - c->from, c->width) : 0;
	return x < c->width ? (int32_t)x : (int32_t)c->width - 1;
}

/* The same as pixel_of(end) > pixel, for one that is not the last; mostly without its division. */
static inline bool is_behind(const struct brush *b, double end, int32_t pixel)
{
	double over = (end - b->c->from) * b->scale - (pixel + 1);
	return over > NEAR || (over >= -NEAR && pixel_of(b->c, end) > pixel);
}

static void find_pixels_exactly(const struct weft_metric_cells *c, const struct weft_pyramid_bursts *b, int32_t *pixel)
{
	for (uint32_t i = 0; i < WEFT_PYRAMID_BURSTS; i++)
		pixel[i] = pixel_of(c, b->end[i]);
}

/*
 * The pixels in which the bursts end, and the next ones begin. A division a burst would cost as
 * much as all the rest: a product tells the pixel, too, unless it is so near to a border that it
 * might be wrong by its rounding. Then the chunk is done again.
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

void cells_pixels(const struct weft_metric_cells *c, double scale, const struct weft_pyramid_bursts *bursts, int32_t *pixel)
{
	bool near_border;
	pixels(bursts->end, c->from, scale, (double)c->width - 0.5, pixel, &near_border);
	if (near_border)
		find_pixels_exactly(c, bursts, pixel);
}

/* The first burst of the chunk that ends behind this pixel. */
static uint32_t find_behind(const struct brush *b, int32_t pixel)
{
	const struct weft_pyramid_packed *c = &b->s->packed;
	uint32_t i = weft_pyramid_before(c, b->c->from + (pixel + 1) / b->scale);
	while (i > 0 && is_behind(b, weft_pyramid_end(c, i - 1), pixel))
		i--;
	while (i < c->n && !is_behind(b, weft_pyramid_end(c, i), pixel))
		i++;
	return i;
}

/* Ends of runs in a whole chunk that ends in this pixel. */
static uint32_t find_few_runs(struct brush *b, int32_t pixel)
{
	struct scratch *s = b->s;
	uint32_t runs = 0;
	for (int32_t at = b->at; at < pixel;) {
		uint32_t i = find_behind(b, at);
		if (i == s->packed.n)
			break;
		s->last[runs++] = (uint8_t)i;
		at = s->pixel[i] = pixel_of(b->c, weft_pyramid_end(&s->packed, i));
	}
	return runs;
}

static void add_few_runs(struct brush *b, const struct way *way, int32_t pixel)
{
	uint32_t runs = find_few_runs(b, pixel);
	if (!way->needs_least)
		weft_pyramid_values(&b->s->packed, b->s->bursts.value);
	way->add_found(b, 0, b->s->packed.n, runs);
}

/*
 * The chunk's bursts from the first on that is seen, up to the first that reaches the end of the
 * range.
 */
static void add_all_runs(struct brush *b, const struct way *way)
{
	struct scratch *s = b->s;
	uint32_t from = 0, to = s->packed.n, n = to;
	weft_pyramid_ends(&s->packed, s->bursts.end);
	weft_pyramid_values(&s->packed, s->bursts.value);
	cells_pixels(b->c, b->scale, &s->bursts, s->pixel);
	while (from < to && !(s->bursts.end[from] > b->c->from)) /* only in the first chunk */
		from++;
	if (s->bursts.end[n - 1] >= b->c->to) {
		for (to = from; to < n && s->bursts.end[to] < b->c->to;)
			to++;
		to += to < n;
	}
	if (from < to)
		way->add(b, from, to);
}

static void add_chunk(struct brush *b, const struct way *way, uint64_t chunk, int32_t pixel)
{
	weft_pyramid_packed(b->p, b->row, chunk, &b->s->packed);
	b->chunk = chunk;
	b->skipping = false;
	if (b->s->packed.begin > b->c->from && b->p->of_chunk.end[chunk] < b->c->to && pixel - b->at <= FEW_PIXELS)
		add_few_runs(b, way, pixel);
	else
		add_all_runs(b, way);
}

/* Chunks [from, to) that lie within the pixel at hand. */
static void add_inside(struct brush *b, const struct way *way, uint64_t from, uint64_t to)
{
	const struct weft_pyramid_row *r = &b->p->row[b->row];
	uint64_t end = r->n_chunks;
	for (uint64_t at = from - r->first_chunk, behind = to - r->first_chunk, now; at < behind; at = now) {
		uint64_t node = at / WEFT_PYRAMID_FAN, nodes = behind == end ? r->n_nodes : behind / WEFT_PYRAMID_FAN;
		now = at;
		if (at % WEFT_PYRAMID_FAN == 0 && node < nodes) {
			uint64_t first = r->first_node;
			now = (way->skip(b, &b->p->of_node, first + node, first + nodes) - first) * WEFT_PYRAMID_FAN;
			now = now < behind ? now : behind;
		}
		if (now == at) {
			uint64_t most = (node + 1) * WEFT_PYRAMID_FAN, first = r->first_chunk;
			now = way->skip(b, &b->p->of_chunk, first + at, first + (most < behind ? most : behind)) - first;
		}
		if (now == at)
			add_chunk(b, way, r->first_chunk + now++, b->at);
		else {
			uint64_t bursts = now * WEFT_PYRAMID_BURSTS;
			b->n += (int64_t)((bursts < r->n_bursts ? bursts : r->n_bursts) - at * WEFT_PYRAMID_BURSTS);
			b->skipping = true;
		}
	}
}

/* Where the search for chunks that must be looked into is. */
struct search {
	uint64_t next, end;
	int32_t at; /* the pixel in which the next chunk begins */
	bool begun;
};

static inline bool is_inside(const struct brush *b, double end, int32_t pixel)
{
	return end < b->c->to && !is_behind(b, end, pixel);
}

/* The first chunk from i on that does not end in the pixel in which it begins. */
static uint64_t pass_inside(const struct brush *b, const struct search *f, uint64_t i)
{
	const struct weft_pyramid_row *r = &b->p->row[b->row];
	const double *of_node = b->p->of_node.end + r->first_node, *of_chunk = b->p->of_chunk.end + r->first_chunk;
	uint64_t at = i - r->first_chunk, end = r->n_chunks;
	for (;;) {
		uint64_t node = at / WEFT_PYRAMID_FAN;
		if (at % WEFT_PYRAMID_FAN == 0)
			while (node < r->n_nodes && is_inside(b, of_node[node], f->at))
				at = ++node * WEFT_PYRAMID_FAN;
		uint64_t behind = (node + 1) * WEFT_PYRAMID_FAN;
		behind = behind < end ? behind : end;
		while (at + EIGHT <= behind && is_inside(b, of_chunk[at + EIGHT - 1], f->at))
			at += EIGHT; /* as ends are in order */
		while (at < behind && is_inside(b, of_chunk[at], f->at))
			at++;
		if (at < behind || at >= end)
			return r->first_chunk + (at < end ? at : end);
	}
}

/* The next steps of the row. Their chunks' bursts are asked for by who comes to them soon. */
static unsigned find_steps(const struct brush *b, struct search *f, struct step *step)
{
	const double *end = b->p->of_chunk.end;
	unsigned n = 0;
	for (; n < PYRAMID_STEPS && f->next < f->end; n++) {
		uint64_t i = f->begun ? pass_inside(b, f, f->next) : f->next;
		step[n] = (struct step){f->next, i, f->at};
		f->begun = true;
		f->next = i + 1;
		if (i == f->end)
			continue;
		__builtin_prefetch(&b->p->chunk[i]);
		step[n].pixel = f->at = pixel_of(b->c, end[i]);
		if (end[i] >= b->c->to)
			f->end = f->next;
	}
	return n;
}

/* Whether the chunk has nothing that is more extreme than what the pixel at hand shows already. */
static bool is_hidden(const struct brush *b, const struct way *way, uint64_t chunk)
{
	double extreme = way->extreme(&b->p->of_chunk, chunk);
	return better_of(extreme, b->sum, way->nothing < 0) == b->sum;
}

/*
 * Where the chunk of a step lies in two pixels, and what lies whole in each of them is as extreme
 * as all that the chunk has, it need not be looked into. Then what lies within the second pixel,
 * which is the next step's, was added. False: nothing was done.
 */
static bool pass_hidden(struct brush *b, const struct way *way, const struct step *step, struct step *next)
{
	if (!way->extreme || step->pixel != b->at + 1 || b->p->of_chunk.end[step->chunk] >= b->c->to ||
	    !is_hidden(b, way, step->chunk))
		return false;
	double sum = b->sum;
	b->sum = way->nothing;
	add_inside(b, way, next->from, next->chunk);
	if (!is_hidden(b, way, step->chunk)) {
		b->sum = sum;
		return false;
	}
	b->s->cell[b->at] = way->show(sum, b->n);
	b->at = step->pixel;
	next->from = next->chunk;
	return true;
}

/* Has memory bring the bursts of a step's chunk, where that is worth it. */
static void cells_fetch(const struct brush *b, const struct way *way, const struct step *step, int32_t at)
{
	bool hidden = way->extreme && step->chunk > step->from; /* most likely */
	if (!hidden && step->pixel - at <= FEW_PIXELS)
		weft_pyramid_fetch(b->p, step->chunk);
}

static void take_steps(struct brush *b, const struct way *way, struct step *step, unsigned n)
{
	const struct weft_pyramid_row *r = &b->p->row[b->row];
	for (unsigned i = 1; i < AHEAD && i < n; i++)
		cells_fetch(b, way, &step[i], step[i - 1].pixel);
	for (unsigned i = 0; i < n; i++) {
		if (i + AHEAD < n)
			cells_fetch(b, way, &step[i + AHEAD], step[i + AHEAD - 1].pixel);
		add_inside(b, way, step[i].from, step[i].chunk);
		if (step[i].chunk < r->first_chunk + r->n_chunks && !(i + 1 < n && pass_hidden(b, way, &step[i], &step[i + 1])))
			add_chunk(b, way, step[i].chunk, step[i].pixel);
	}
}

static void walk_row(struct brush *b, const struct way *way)
{
	const struct weft_pyramid_row *r = &b->p->row[b->row];
	struct search f = {weft_pyramid_find(b->p, b->row, b->c->from), r->first_chunk + r->n_chunks, 0, false};
	for (unsigned n; (n = find_steps(b, &f, b->s->step)) > 0;)
		take_steps(b, way, b->s->step, n);
}

/* What the last burst's pixel shows; what lies behind the row's end is 0. */
static void draw_fast(struct scratch *s, const struct weft_metric_cells *c, const struct weft_pyramid *p, uint32_t object,
                      const struct way *way, double *cell)
{
	struct brush b = {.s = s, .c = c, .p = p, .row = object, .scale = c->width / (c->to - c->from), .sum = way->nothing};
	walk_row(&b, way);
	if (b.skipping && way->needs_least) {
		weft_pyramid_packed(p, object, p->row[object].first_chunk + p->row[object].n_chunks - 1, &s->packed);
		b.sum = weft_pyramid_value(&s->packed, s->packed.n - 1);
	}
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
		weft_pyramid_packed(p, object, i, &s->packed);
		weft_pyramid_ends(&s->packed, s->bursts.end);
		weft_pyramid_values(&s->packed, s->bursts.value);
		for (uint32_t k = 0; k < s->packed.n && !pen.done; k++)
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
	const struct way *way = &pyramid_ways[d->how->draw];
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
