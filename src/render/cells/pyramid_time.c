/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows by time from a pyramid. Of a chunk, or of 64 of them, that lies within the pixel at hand, only how long its values last is read: times that
 * have shares are whole numbers, so their sums are those of the bursts. In the others a burst that leaves the pixel at hand is split at its edge; what
 * came since the last such burst is summed up and looked through once more, which clears the sums.
 */
#include "base/wide.h"
#include "pyramid_cells_priv.h"
#include "time_cells_priv.h"
#include <errno.h>
#include <stdlib.h>

/* Where values are found that are none of the sums': those of a thread that is not there. */
static inline uint32_t away_of(const struct kept_painter *p)
{
	return p->n_values;
}

/* ---- one pixel ---- */

struct most {
	double all, zero, best;
	uint32_t value;
};

INLINE void look_at(struct most *m, double *sum, uint32_t value, uint32_t away)
{
	const double time = sum[value];
	sum[value] = 0;
	m->all += value != away ? time : 0;
	m->zero += value == 0 ? time : 0;
	const bool named = (value != 0) & (value != away);
	const bool better = named & ((time > m->best) | ((time == m->best) & (value < m->value)));
	m->best = better ? time : m->best;
	m->value = better ? value : m->value;
}

INLINE void show(struct kept_painter *p, const struct most *m)
{
	if (m->all > 0)
		p->cell[p->at] = m->zero > m->all / 2 ? 0 : m->value;
}

static void look_at_carried(struct kept_painter *p, struct most *m)
{
	for (uint32_t i = 0; i < p->n_carried; i++) {
		look_at(m, p->sum, p->carried[i], away_of(p));
		p->is_carried[p->carried[i]] = false;
	}
	p->n_carried = 0;
}

/* What the pixel at hand shows; of the loaded bursts [from, to) and what was carried on. */
INLINE void settle(struct kept_painter *p, uint32_t from, uint32_t to)
{
	struct most m = {0};
	if (p->n_carried)
		look_at_carried(p, &m);
	for (uint32_t i = from; i < to; i++)
		look_at(&m, p->sum, p->as[i], away_of(p));
	show(p, &m);
}

INLINE void carry(struct kept_painter *p, uint32_t value)
{
	p->carried[p->n_carried] = value;
	p->n_carried += !p->is_carried[value];
	p->is_carried[value] = true;
}

INLINE double not_negative(double v)
{
	return v > 0 ? v : 0;
}

/* ---- bursts ---- */

/* The chunk's bursts, from the first that ends in the range to the first that reaches its end, and how long each is in it. */
static uint32_t load(struct kept_painter *p, const struct weft_pyramid_packed *packed, uint32_t *first)
{
	const struct weft_metric_cells *c = p->c;
	double *end = p->bursts.end, begin = packed->begin > c->from ? packed->begin : c->from;
	uint32_t n = packed->n, from = 0;
	weft_pyramid_ends(packed, end);
	weft_pyramid_values(packed, p->bursts.value);
	cells_pixels(c, p->scale, &p->bursts, p->pixel);
	while (from < n && !(end[from] > c->from)) /* only in the first chunk */
		from++;
	if (n && end[n - 1] >= c->to) {
		uint32_t last = from;
		while (last < n && end[last] < c->to)
			last++;
		n = last < n ? last + 1 : n;
		if (n > from)
			end[n - 1] = end[n - 1] < c->to ? end[n - 1] : c->to;
	}
	for (uint32_t i = from; i < n; i++)
		p->time[i] = end[i] - (i > from ? end[i - 1] : begin);
	for (uint32_t i = from; i < n; i++) {
		const double v = p->bursts.value[i], most = p->n_values;
		p->as[i] = v < 0 ? p->n_values : v < most ? (uint32_t)v : 0;
	}
	*first = from;
	return n;
}

static void fill(struct kept_painter *p, int32_t from, int32_t to, uint32_t value)
{
	for (int32_t x = from; x < to; x++)
		p->cell[x] = value == away_of(p) ? WEFT_REGION_AWAY : value;
}

/* Of two bursts none needs a sum. */
INLINE bool settle_two(struct kept_painter *p, uint32_t i)
{
	const uint32_t a = p->as[i], b = p->as[i + 1], away = away_of(p);
	const double x = p->time[i], y = p->time[i + 1];
	if (p->n_carried | (a == away) | (b == away))
		return false;
	const bool first = (x > y) | ((x == y) & (b == 0 || (a != 0 && a < b)));
	if (x + y > 0)
		p->cell[p->at] = first ? a : b;
	return true;
}

INLINE void add_times(struct kept_painter *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		p->sum[p->as[i]] += p->time[i];
}

/* The loaded bursts [i, n). */
WEFT_BODY paint_body(struct kept_painter *p, uint32_t i, uint32_t n)
{
	while (i < n) {
		const int32_t at = p->at;
		uint32_t k = i;
		while (k < n && p->pixel[k] == at)
			k++;
		if (k == n)
			break;
		/* The last leaves the pixel: it has its end behind it. */
		p->time[k] = not_negative(p->time[k] - not_negative(p->bursts.end[k] - p->edge[at + 1]));
		if (k != i + 1 || !settle_two(p, i)) {
			add_times(p, i, k + 1);
			settle(p, i, k + 1);
		}
		fill(p, at + 1, p->pixel[k], p->as[k]);
		p->at = p->pixel[k];
		p->time[k] = not_negative(p->bursts.end[k] - p->edge[p->at]);
		i = k;
	}
	add_times(p, i, n);
	for (; i < n; i++)
		carry(p, p->as[i]);
}
WEFT_WIDE(paint, (struct kept_painter * p, uint32_t i, uint32_t n), (p, i, n))

/* ---- chunks and nodes ---- */

/* Whether a chunk or node was added by its shares. */
static bool add_inside(struct kept_painter *p, const struct weft_pyramid *of, uint32_t row, double end,
                       const struct weft_pyramid_shares *shares)
{
	const struct weft_pyramid_share *share;
	uint32_t n = end <= p->edge[p->at + 1] && end < p->c->to ? weft_pyramid_shares(of, row, shares, &share) : 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t value = (uint32_t)share[i].twice / 2;
		const uint32_t as = share[i].twice < 0 ? away_of(p) : value < p->n_values ? value : 0;
		p->sum[as] += share[i].time;
		carry(p, as);
	}
	return n;
}

int kept_painter_init(struct kept_painter *p, const struct weft_metric_cells *c, uint32_t n_values)
{
	const size_t n = (size_t)n_values + 2;
	*p = (struct kept_painter){.c = c, .n_values = n_values, .scale = c->width / (c->to - c->from)};
	p->sum = calloc(n, sizeof *p->sum);
	p->carried = calloc(n, sizeof *p->carried);
	p->is_carried = calloc(n, sizeof *p->is_carried);
	p->edge = calloc((size_t)c->width + 1, sizeof *p->edge);
	for (unsigned x = 0; p->edge && x <= c->width; x++)
		p->edge[x] = x == c->width ? c->to : c->from + (c->to - c->from) * x / c->width;
	return p->sum && p->carried && p->is_carried && p->edge ? 0 : -ENOMEM;
}

void kept_painter_fini(struct kept_painter *p)
{
	free(p->sum);
	free(p->carried);
	free(p->is_carried);
	free(p->edge);
}

void cells_kept_row(struct kept_painter *p, const struct weft_pyramid *of, uint32_t row)
{
	const struct weft_pyramid_row *r = &of->row[row];
	const double *end = of->of_chunk.end, from = p->c->from, to = p->c->to;
	const uint64_t behind = r->first_chunk + r->n_chunks;
	struct weft_pyramid_packed packed;
	p->at = 0;
	for (uint64_t i = weft_pyramid_find(of, row, from); i < behind;) {
		const uint64_t at = i - r->first_chunk, node = r->first_node + at / WEFT_PYRAMID_FAN;
		const double begin = at ? end[i - 1] : r->begin;
		uint32_t first, n;
		if (begin >= to)
			break;
		if (begin >= from && at % WEFT_PYRAMID_FAN == 0 &&
		    add_inside(p, of, row, of->of_node.end[node], &of->node_shares[node])) {
			i += WEFT_PYRAMID_FAN;
		} else if (begin >= from && add_inside(p, of, row, end[i], &of->chunk_shares[i])) {
			i++;
		} else {
			weft_pyramid_packed(of, row, i++, &packed);
			n = load(p, &packed, &first);
			paint(p, first, n);
		}
	}
	settle(p, 0, 0);
}
