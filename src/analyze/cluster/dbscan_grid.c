/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys are computed in parallel and sorted by digits; the points are then copied into the order of cells, since all that follows goes from
 * cell to cell. Cells are a little smaller than eps/√dims, so that rounding never puts two points that are not near into one.
 */
#include "analyze/burst/key_order.h"
#include "base/pool.h"
#include "dbscan_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, KEY_BITS = 62, COORDINATE_MOST = 1u << 31 };
static const double SLACK = 1e-6;

struct making {
	struct grid *g;
	const struct weft_cloud *cloud;
	uint64_t *key;
	struct bounds {
		double least[GRID_DIMS], most[GRID_DIMS];
		bool finite;
	} * part; /* by chunk */
};

static size_t chunk_end(size_t n, size_t chunk)
{
	return (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n;
}

static int bound_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct making *m = arg;
	const struct weft_cloud *c = m->cloud;
	struct bounds *b = &m->part[chunk];
	double sum = 0;
	(void)worker;
	for (unsigned d = 0; d < GRID_DIMS; d++)
		b->least[d] = INFINITY, b->most[d] = -INFINITY;
	for (size_t i = chunk * CHUNK; i < chunk_end(c->n, chunk); i++)
		for (unsigned d = 0; d < c->dims; d++) {
			double v = c->at[i * c->dims + d];
			sum += v * 0;
			if (d >= GRID_DIMS)
				continue;
			b->least[d] = v < b->least[d] ? v : b->least[d];
			b->most[d] = v > b->most[d] ? v : b->most[d];
		}
	b->finite = sum == 0; /* a nan or an infinity times 0 is nan */
	return 0;
}

static int bound_all(struct making *m, unsigned threads, struct bounds *all)
{
	size_t chunks = (m->cloud->n + CHUNK - 1) / CHUNK;
	m->part = calloc(chunks, sizeof *m->part);
	int rc = m->part ? weft_parallel(threads, chunks, bound_chunk, m) : -ENOMEM;
	for (size_t k = 0; k < chunks && !rc; k++) {
		*all = k ? *all : m->part[0];
		all->finite &= m->part[k].finite;
		for (unsigned d = 0; d < GRID_DIMS; d++) {
			all->least[d] = fmin(all->least[d], m->part[k].least[d]);
			all->most[d] = fmax(all->most[d], m->part[k].most[d]);
		}
	}
	free(m->part);
	return rc;
}

/* Which dimensions the grid covers, and where each stands in a key. -ERANGE: not even one fits. */
static int shape(struct grid *g, const struct bounds *b, double eps)
{
	unsigned bits[GRID_DIMS] = {0};
	for (g->whole = g->dims <= GRID_WHOLE_DIMS;; g->whole = false) {
		unsigned covered = 0, total = 0;
		g->side = g->whole ? eps / sqrt(g->dims) * (1 - SLACK) : eps;
		g->margin = g->whole ? (int64_t)floor(1 + sqrt(g->dims) * (1 + 4 * SLACK)) : 2;
		for (unsigned d = 0; d < g->dims && d < GRID_DIMS; d++) {
			double cells = (b->most[d] - b->least[d]) / g->side;
			if (!(cells < COORDINATE_MOST))
				return -ERANGE;
			bits[d] = weft_key_bits((uint64_t)cells + 2 * (uint64_t)g->margin + 1);
			if (total + bits[d] > KEY_BITS)
				break;
			total += bits[d];
			covered++;
		}
		g->bits = total;
		g->grid_dims = covered;
		if (!g->whole || covered == g->dims)
			break;
	}
	for (unsigned d = g->grid_dims, at = 0; d-- > 0; at += bits[d]) {
		g->shift[d] = at;
		g->least[d] = b->least[d];
	}
	return 0;
}

static int key_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct making *m = arg;
	const struct grid *g = m->g;
	const double each = 1 / g->side;
	(void)worker;
	for (size_t i = chunk * CHUNK; i < chunk_end(g->n, chunk); i++) {
		const double *p = m->cloud->at + i * g->dims;
		uint64_t key = 0;
		for (unsigned d = 0; d < g->grid_dims; d++)
			key |= (uint64_t)((int64_t)((p[d] - g->least[d]) * each) + g->margin) << g->shift[d];
		m->key[i] = key;
		g->origin[i] = (uint32_t)i;
	}
	return 0;
}

static int gather_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct making *m = arg;
	struct grid *g = m->g;
	(void)worker;
	for (size_t i = chunk * CHUNK; i < chunk_end(g->n, chunk); i++)
		memcpy(g->at + i * g->dims, m->cloud->at + (size_t)g->origin[i] * g->dims, g->dims * sizeof *g->at);
	return 0;
}

static int find_cells(struct grid *g, const uint64_t *key)
{
	uint32_t cells = 0;
	for (size_t i = 0; i < g->n; i++)
		cells += !i || key[i] != key[i - 1];
	g->n_cells = cells;
	g->key = malloc((size_t)cells * sizeof *g->key);
	g->first = malloc(((size_t)cells + 1) * sizeof *g->first);
	if (!g->key || !g->first)
		return -ENOMEM;
	cells = 0;
	for (size_t i = 0; i < g->n; i++)
		if (!i || key[i] != key[i - 1]) {
			g->key[cells] = key[i];
			g->first[cells++] = (uint32_t)i;
		}
	g->first[cells] = (uint32_t)g->n;
	return 0;
}

/* How near cells can be that lie `by` cells apart in one dimension, in sides, squared. */
static double apart2(int64_t by)
{
	double d = (double)(by < 0 ? -by : by) - 1;
	return d > 0 ? d * d : 0;
}

/* For each way to go in all covered dimensions but the last: the cells that can be near. */
static int find_reach(struct grid *g)
{
	unsigned before = g->grid_dims - 1;
	size_t ways = 1;
	double most2 = g->whole ? g->dims * (1 + 8 * SLACK) : 1 + 8 * SLACK;
	int64_t step[GRID_DIMS];
	for (unsigned d = 0; d < before; d++) {
		ways *= (size_t)(2 * g->margin + 1);
		step[d] = -g->margin;
	}
	g->reach = malloc(ways * sizeof *g->reach);
	if (!g->reach)
		return -ENOMEM;
	for (size_t k = 0; k < ways; k++) {
		double sum = 0;
		int64_t delta = 0, last = -1;
		for (unsigned d = 0; d < before; d++) {
			sum += apart2(step[d]);
			delta += step[d] * ((int64_t)1 << g->shift[d]);
		}
		while (last < g->margin && sum + apart2(last + 1) <= most2)
			last++;
		if (last >= 0)
			g->reach[g->n_reach++] = (struct grid_reach){delta - last, delta + last};
		for (unsigned d = before; d-- > 0;) {
			if (++step[d] <= g->margin)
				break;
			step[d] = -g->margin;
		}
	}
	return 0;
}

int grid_make(struct grid *g, const struct weft_cloud *cloud, const struct weft_dbscan_how *how, struct weft_err *err)
{
	struct making m = {.g = g, .cloud = cloud};
	struct bounds b = {0};
	size_t chunks = (cloud->n + CHUNK - 1) / CHUNK;
	*g = (struct grid){.n = cloud->n, .dims = cloud->dims, .near2 = how->eps * how->eps};
	int rc = bound_all(&m, how->threads, &b);
	if (!rc && !b.finite)
		return weft_err_set(err, -EINVAL, "cannot cluster: a coordinate is no finite number");
	if (!rc && shape(g, &b, how->eps))
		return weft_err_set(err, -ERANGE, "epsilon %g is too small for values that lie so far apart", how->eps);
	g->origin = malloc(g->n * sizeof *g->origin);
	g->at = malloc(g->n * g->dims * sizeof *g->at);
	m.key = malloc(g->n * sizeof *m.key);
	rc = rc ? rc : !g->origin || !g->at || !m.key ? -ENOMEM : weft_parallel(how->threads, chunks, key_chunk, &m);
	rc = rc ? rc : weft_key_order(m.key, g->origin, g->n, g->bits);
	rc = rc ? rc : find_cells(g, m.key);
	free(m.key);
	rc = rc ? rc : weft_parallel(how->threads, chunks, gather_chunk, &m);
	rc = rc ? rc : find_reach(g);
	return rc ? weft_err_set(err, rc, "cannot cluster: %s", weft_err_name(rc)) : 0;
}

void grid_fini(struct grid *g)
{
	free(g->at);
	free(g->origin);
	free(g->key);
	free(g->first);
	free(g->reach);
}

/* ---- walks ---- */

static uint32_t first_from(const struct grid *g, int64_t key)
{
	uint32_t a = 0, b = g->n_cells;
	while (a < b) {
		uint32_t mid = a + (b - a) / 2;
		if ((int64_t)g->key[mid] < key)
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

int grid_walk_begin(struct grid_walk *w, const struct grid *g, uint32_t first_cell)
{
	*w = (struct grid_walk){.g = g, .cap = 64};
	w->cursor = malloc(g->n_reach * sizeof *w->cursor);
	w->cell = malloc(w->cap * sizeof *w->cell);
	if (!w->cursor || !w->cell)
		return -ENOMEM;
	for (unsigned r = 0; r < g->n_reach; r++)
		w->cursor[r] = first_from(g, (int64_t)g->key[first_cell] + g->reach[r].from);
	return 0;
}

int grid_walk_to(struct grid_walk *w, uint32_t cell)
{
	const struct grid *g = w->g;
	int64_t key = (int64_t)g->key[cell];
	w->n = 0;
	for (unsigned r = 0; r < g->n_reach; r++) {
		uint32_t c = w->cursor[r];
		while (c < g->n_cells && (int64_t)g->key[c] < key + g->reach[r].from)
			c++;
		w->cursor[r] = c;
		for (; c < g->n_cells && (int64_t)g->key[c] <= key + g->reach[r].to; c++) {
			if (w->n == w->cap) {
				uint32_t *more = realloc(w->cell, (size_t)w->cap * 2 * sizeof *more);
				if (!more)
					return -ENOMEM;
				w->cell = more;
				w->cap *= 2;
			}
			w->cell[w->n++] = c;
		}
	}
	return 0;
}

void grid_walk_end(struct grid_walk *w)
{
	free(w->cursor);
	free(w->cell);
}
