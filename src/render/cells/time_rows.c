/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each value that is met has a column: its time in each pixel. A burst adds to the pixel in which it begins and to that in which it ends, at a place
 * that no jump depends on; what has most is then found for some pixels at once, column by column.
 *
 *     value 1    |  9 |  2 |    |
 *     value 4    |  1 |  8 | 10 |
 *     shown      |  1 |  4 |  4 |
 *
 * Of a chunk of a pyramid, or of 64 of them, that lies within the pixel at hand, only how long its values last is read: times that have shares are
 * whole numbers, so their sums are those of the bursts. With more values than there is room for columns the pixels are done in two halves.
 */
#include "base/wide.h"
#include "pyramid_cells_priv.h"
#include "time_cells_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 18 /* sums */, BLOCK = 4 };

int row_painter_init(struct row_painter *p, const struct weft_metric_cells *c, uint32_t n_values)
{
	const size_t n = (size_t)n_values + 1, one = 24 * n, room = one > ROOM ? one : ROOM;
	*p = (struct row_painter){.c = c, .n_values = n_values, .scale = c->width / (c->to - c->from)};
	p->edge = calloc((size_t)c->width + 1, sizeof *p->edge);
	p->time = malloc((room + BLOCK) * sizeof *p->time);
	p->column = calloc(n, sizeof *p->column);
	p->value = calloc(n, sizeof *p->value);
	p->block = malloc(sizeof *p->block);
	if (!p->edge || !p->time || !p->column || !p->value || !p->block)
		return -ENOMEM;
	for (unsigned x = 0; x < c->width; x++)
		p->edge[x] = c->from + (c->to - c->from) * x / c->width;
	p->edge[c->width] = c->to;
	return 0;
}

void row_painter_fini(struct row_painter *p)
{
	free(p->edge);
	free(p->time);
	free(p->column);
	free(p->value);
	free(p->block);
}

/* ---- columns ---- */

/* Of a column: never a multiple of a page, as a load would wait for a store to the same place of another page. */
static inline size_t stride_of(const struct row_painter *p)
{
	return (size_t)(p->end - p->first) / 16 * 16 + 24;
}

/* NULL: there is no room for another. */
static double *new_column(struct row_painter *p, uint32_t value)
{
	if (p->n_columns == p->most_columns)
		return NULL;
	double *time = p->time + p->n_columns * stride_of(p);
	p->value[p->n_columns] = value;
	p->column[value] = ++p->n_columns;
	memset(time, 0, stride_of(p) * sizeof *time);
	return time;
}

static inline uint32_t number_of(const struct row_painter *p, double v)
{
	return v < 0 ? p->n_values : v < p->n_values ? (uint32_t)v : 0;
}

static inline double *column_of(struct row_painter *p, uint32_t value)
{
	const uint32_t column = p->column[value];
	return column ? p->time + (column - 1) * stride_of(p) : new_column(p, value);
}

static void drop_columns(struct row_painter *p)
{
	for (uint32_t k = 0; k < p->n_columns; k++)
		p->column[p->value[k]] = 0;
	p->n_columns = 0;
}

static int order_values(const void *a, const void *b, void *value)
{
	const uint32_t x = ((const uint32_t *)value)[*(const uint32_t *)a], y = ((const uint32_t *)value)[*(const uint32_t *)b];
	return (x > y) - (x < y);
}

INLINE void choose(four *to, const four_i64 *is, const four *other)
{
	*to = (four)((*is & (four_i64)*other) | (~*is & (four_i64)*to));
}

/* Four pixels: what has most of each. Of values with the same time the smallest is shown: they come in their order. */
INLINE void look_at(const double *const *column, const double *as, uint32_t n, bool has_zero, unsigned from, four *value)
{
	const four none = ALL(0), away = ALL(WEFT_REGION_AWAY);
	four best = ALL(0), all = ALL(0), zero = ALL(0), time;
	*value = none;
	if (has_zero) {
		memcpy(&zero, column[0] + from, sizeof zero);
		all = zero;
	}
	for (uint32_t k = has_zero; k < n; k++) {
		const four name = ALL(as[k]);
		memcpy(&time, column[k] + from, sizeof time);
		const four_i64 better = time > best;
		all += time;
		choose(&best, &better, &time);
		choose(value, &better, &name);
	}
	const four_i64 is_none = zero > all / 2, is_away = ~(all > 0);
	choose(value, &is_none, &none);
	choose(value, &is_away, &away);
}

WEFT_BODY show_body(const struct row_painter *p, const double *const *column, const double *as, uint32_t n, double *cell)
{
	const unsigned width = p->end - p->first;
	const bool has_zero = n && as[0] == 0;
	for (unsigned from = 0; from < width; from += BLOCK) {
		four value;
		look_at(column, as, n, has_zero, from, &value);
		memcpy(cell + p->first + from, &value, (width - from < BLOCK ? width - from : BLOCK) * sizeof *cell);
	}
}
WEFT_WIDE(show, (const struct row_painter *p, const double *const *column, const double *as, uint32_t n, double *cell),
          (p, column, as, n, cell))

static int settle(struct row_painter *p, double *cell)
{
	const size_t n = p->n_columns;
	uint32_t *order = malloc((n + 1) * sizeof *order), known = 0;
	const double **column = malloc((n + 1) * sizeof *column);
	double *as = malloc((n + 1) * sizeof *as);
	int rc = order && column && as ? 0 : -ENOMEM;
	for (uint32_t k = 0; k < n && !rc; k++)
		order[k] = k;
	if (!rc)
		qsort_r(order, n, sizeof *order, order_values, p->value);
	for (uint32_t k = 0; k < n && !rc; k++) {
		if (p->value[order[k]] == p->n_values)
			continue; /* a thread that is not there */
		column[known] = p->time + order[k] * stride_of(p);
		as[known++] = p->value[order[k]];
	}
	if (!rc)
		show(p, column, as, known, cell);
	free(order);
	free(column);
	free(as);
	return rc;
}

/* ---- bursts ---- */

static inline double not_negative(double v)
{
	return v > 0 ? v : 0;
}

/* Adds the loaded bursts, which follow what was added before. False: there is no room for a column. */
static bool add_bursts(struct row_painter *p, uint32_t n)
{
	const int32_t first = (int32_t)p->first, last = (int32_t)p->end - 1;
	const double from = p->edge[first], to = p->edge[last + 1], *edge = p->edge;
	double begin = p->at_time;
	int32_t at = p->at;
	for (uint32_t i = 0; i < n; i++)
		p->number[i] = number_of(p, p->bursts.value[i]);
	for (uint32_t i = 0; i < n && begin < to; i++) {
		const double end = p->bursts.end[i] < to ? p->bursts.end[i] : to;
		int32_t pixel = p->pixel[i] < last ? p->pixel[i] : last;
		if (!(end > from))
			continue;
		double *time = column_of(p, p->number[i]);
		if (!time)
			return false;
		pixel = pixel > at ? pixel : at;
		time -= first;
		time[at] += not_negative((end < edge[at + 1] ? end : edge[at + 1]) - begin);
		double *const second[] = {&p->nowhere[i % NOWHERE], time + pixel}; /* waiting for the first sum would cost more */
		*second[pixel > at] += not_negative(end - edge[pixel]);
		for (int32_t x = at + 1; x < pixel; x++)
			time[x] += edge[x + 1] - edge[x];
		begin = end;
		at = pixel;
	}
	p->at_time = begin;
	p->at = at;
	return true;
}

/* Where bursts begin that follow each other. */
static void begin_at(struct row_painter *p, double begin)
{
	p->at = (int32_t)p->first;
	p->at_time = begin > p->edge[p->first] ? begin : p->edge[p->first];
	while (p->at_time >= p->edge[p->at + 1] && p->at + 1 < (int32_t)p->end)
		p->at++;
}

/* Whether a chunk or node was added by its shares; *room: whether there was a column for each. */
static bool add_inside(struct row_painter *p, const struct weft_pyramid *of, uint32_t row, double end,
                       const struct weft_pyramid_shares *shares, bool *room)
{
	const struct weft_pyramid_share *share;
	const uint32_t n = end <= p->edge[p->at + 1] ? weft_pyramid_shares(of, row, shares, &share) : 0;
	for (uint32_t i = 0; i < n; i++) {
		double *time = column_of(p, number_of(p, share[i].twice / 2.0));
		*room &= time != NULL;
		if (time)
			time[p->at - (int32_t)p->first] += share[i].time;
	}
	p->at_time = n ? end : p->at_time;
	return n;
}

static bool add_kept(struct row_painter *p, const struct weft_pyramid *of, uint32_t row)
{
	const struct weft_pyramid_row *r = &of->row[row];
	const double *end = of->of_chunk.end, from = p->edge[p->first], to = p->edge[p->end];
	struct weft_pyramid_packed packed;
	uint64_t i = weft_pyramid_find(of, row, from);
	bool room = true;
	begin_at(p, i > r->first_chunk ? end[i - 1] : r->begin);
	while (i < r->first_chunk + r->n_chunks && room) {
		const uint64_t at = i - r->first_chunk, node = r->first_node + at / WEFT_PYRAMID_FAN;
		const double begin = at ? end[i - 1] : r->begin;
		if (begin >= to)
			break;
		if (begin >= from && at % WEFT_PYRAMID_FAN == 0 &&
		    add_inside(p, of, row, of->of_node.end[node], &of->node_shares[node], &room)) {
			i += WEFT_PYRAMID_FAN;
		} else if (begin >= from && add_inside(p, of, row, end[i], &of->chunk_shares[i], &room)) {
			i++;
		} else {
			weft_pyramid_packed(of, row, i++, &packed);
			weft_pyramid_ends(&packed, p->bursts.end);
			weft_pyramid_values(&packed, p->bursts.value);
			cells_pixels(p->c, p->scale, &p->bursts, p->pixel);
			room = add_bursts(p, packed.n);
		}
	}
	return room;
}

/* 1, or 0: there is no room; negative: the row cannot be read. */
static int add_evaluated(struct row_painter *p, const struct weft_metric_cells_how *how, uint32_t object)
{
	struct weft_row *row;
	struct weft_intervals *in = p->block;
	int rc = weft_row_open(&row, how->space, how->metric, object, p->edge[p->first], p->edge[p->end]);
	bool room = true, begun = false;
	if (rc)
		return rc;
	while (room && (rc = weft_row_next(row, in)) > 0) {
		if (!begun)
			begin_at(p, in->begin);
		begun = true;
		for (uint32_t i = 0, n; i < in->n && room; i += n) {
			n = in->n - i < WEFT_PYRAMID_BURSTS ? in->n - i : WEFT_PYRAMID_BURSTS;
			memcpy(p->bursts.end, in->end + i, n * sizeof *in->end);
			memcpy(p->bursts.value, in->value + i, n * sizeof *in->value);
			cells_pixels(p->c, p->scale, &p->bursts, p->pixel);
			room = add_bursts(p, n);
		}
	}
	weft_row_close(row);
	return rc < 0 ? rc : room;
}

/* ---- rows ---- */

struct work {
	const struct weft_metric_cells_how *how;
	const struct weft_pyramid *kept;
	uint32_t row;
	double *cell;
};

/* Pixels [first, end). 1, or 0: there was no room; or negative. */
static int paint_part(struct row_painter *p, const struct work *w, unsigned first, unsigned end)
{
	p->first = first;
	p->end = end;
	p->most_columns = end - first == 1 ? p->n_values + 1 : (uint32_t)(ROOM / stride_of(p));
	int rc = w->kept ? add_kept(p, w->kept, w->row) : add_evaluated(p, w->how, w->row);
	if (rc > 0 && settle(p, w->cell))
		rc = -ENOMEM;
	drop_columns(p);
	return rc;
}

static int paint(struct row_painter *p, const struct work *w, unsigned first, unsigned end)
{
	const unsigned middle = first + (end - first) / 2;
	int rc = paint_part(p, w, first, end);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = paint(p, w, first, middle);
	return rc ? rc : paint(p, w, middle, end);
}

int row_paint(struct row_painter *p, const struct weft_metric_cells_how *how, const struct weft_pyramid *kept, uint32_t row,
              double *cell)
{
	return paint(p, &(struct work){how, kept, row, cell}, 0, p->c->width);
}
