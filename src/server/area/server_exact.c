/* SPDX-License-Identifier: Apache-2.0 */
/* Area time: intervals where they are few, and regions as they lie in each other. */
#include "server_cells.h"
#include "server/core/server_nest.h"
#include "server_time.h"
#include "base/pool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_USUAL = 6000, EXACT_MOST = 50000, DEPTH_MOST = 64, EVENTS_MOST = 20000000 };

/* ---- exact ---- */

struct exact {
	const struct server_look *look;
	uint64_t from, to, left;
	uint32_t row;
	struct weft_json *json;
	struct server_palette seen; /* values, for their names */
};

static int note_value(struct exact *x, double v)
{
	uint16_t place;
	if (!x->left--)
		return -E2BIG;
	int rc = server_palette_add(&x->seen, &v, 1, &place);
	return rc == -E2BIG ? 0 : rc;
}

static int put_span(void *arg, const struct weft_span *s)
{
	struct exact *x = arg;
	int rc = note_value(x, s->region);
	if (rc)
		return rc;
	weft_json_u64(x->json, s->depth);
	weft_json_u64(x->json, s->begin);
	weft_json_u64(x->json, s->end);
	weft_json_u64(x->json, s->region);
	return 0;
}

static int put_intervals(struct exact *x)
{
	const struct server_trace *t = x->look->trace;
	struct weft_row *row;
	double from = server_units(t, x->from), to = server_units(t, x->to);
	struct weft_intervals *b = malloc(sizeof *b);
	int rc = b ? weft_row_open(&row, &t->space, &x->look->metric, x->row, from, to) : -ENOMEM;
	if (rc) {
		free(b);
		return rc;
	}
	while (rc >= 0 && (rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		for (uint32_t i = 0; i < b->n && rc >= 0; begin = b->end[i++]) {
			double v = x->look->window ? b->value[i] : server_look_value(x->look, b->value[i]);
			if (b->end[i] <= from || begin >= to || v != v)
				continue;
			rc = note_value(x, v);
			weft_json_u64(x->json, 0);
			weft_json_u64(x->json, server_ns(t, begin));
			weft_json_u64(x->json, server_ns(t, b->end[i]));
			weft_json_double(x->json, v);
		}
	}
	weft_row_close(row);
	free(b);
	return rc;
}

static int put_row(struct exact *x, uint32_t row, bool nested)
{
	uint32_t own = nested ? server_own_thread(x->look->trace, row) : 0;
	int rc = 0;
	x->row = row;
	weft_json_object(x->json);
	server_put_u64(x->json, "row", row);
	weft_json_key(x->json, "spans");
	weft_json_array(x->json);
	if (!nested)
		rc = put_intervals(x);
	else if (own != WEFT_NONE)
		rc = server_nest_walk(x->look->trace->nests, own, x->from, x->to, EVENTS_MOST, put_span, x);
	weft_json_end(x->json);
	weft_json_end(x->json);
	return rc;
}

static int put_seen(struct exact *x)
{
	struct weft_buf name = {0};
	weft_json_key(x->json, "values");
	weft_json_array(x->json);
	for (size_t i = 0; i < x->seen.entry.n; i++) {
		double v = x->seen.entry.at[i].value;
		name.n = 0;
		server_look_name(x->look, v, &name);
		weft_json_object(x->json);
		server_put_double(x->json, "value", v);
		weft_json_key(x->json, "name");
		weft_json_string_n(x->json, name.n ? name.at : "?", name.n ? (name.n < 300 ? name.n : 300) : 1);
		server_put_u64(x->json, "color", server_look_color(x->look, v));
		weft_json_end(x->json);
	}
	weft_json_end(x->json);
	int rc = name.failed ? -ENOMEM : 0;
	weft_buf_fini(&name);
	return rc;
}

/* {"many": true} where there are more than `most`: the page shows pixels then. */
int server_time_exact(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_cells_how how = {0};
	struct server_lines lines = {0};
	struct exact x = {.look = &l};
	struct server_json j;
	uint64_t nested = 0;
	int rc = server_look_init(&l, r);
	if (!rc)
		rc = server_cells_how_init(&l, r, &how, &lines);
	if (!rc)
		rc = server_arg_u64(r, "most", 1, EXACT_MOST, EXACT_USUAL, &x.left);
	if (!rc)
		rc = server_arg_u64(r, "nested", 0, 1, 0, &nested);
	if (rc)
		goto out;
	x.from = how.from;
	x.to = how.to;
	x.json = server_json_begin(&j);
	weft_json_object(x.json);
	weft_json_key(x.json, "rows");
	weft_json_array(x.json);
	nested = nested && !l.window && l.trace->regions->of == WEFT_CLASS_REGION;
	for (uint32_t i = 0; i < lines.n_rows && !rc; i++)
		rc = r->gone && r->gone(r) ? -ECANCELED : put_row(&x, lines.row[i], nested);
	weft_json_end(x.json);
	int seen_rc = put_seen(&x);
	rc = rc ? rc : seen_rc;
	weft_json_end(x.json);
	int end_rc = server_json_end(&j, a);
	if (rc == -E2BIG) {
		struct weft_json *w = server_json_begin(&j);
		weft_json_object(w);
		server_put_bool(w, "many", true);
		weft_json_end(w);
		rc = server_json_end(&j, a);
	}
	rc = rc ? rc : end_rc;
out:
	server_palette_fini(&x.seen);
	server_lines_fini(&lines);
	server_look_fini(&l);
	return rc;
}

/* ---- regions by depth, as pixels ---- */

struct painting { /* of one thread */
	uint64_t from, to;
	unsigned width, depths;
	double *cell;  /* depths * width: the region, WEFT_REGION_AWAY: none */
	float *covers; /* the part of the pixel that what is there has */
};

static void paint(struct painting *p, double *cell, float *covers, double begin, double end, double v)
{
	unsigned first = begin < 0 ? 0 : (unsigned)begin, last = end >= p->width ? p->width - 1 : (unsigned)end;
	for (unsigned x = first; x <= last && x < p->width; x++) {
		double left = begin > x ? begin : x, right = end < x + 1 ? end : x + 1;
		float part = (float)(right - left);
		if (part > covers[x] || (covers[x] == 0 && cell[x] < 0)) {
			covers[x] = part;
			cell[x] = v;
		}
	}
}

static int paint_span(void *arg, const struct weft_span *s)
{
	struct painting *p = arg;
	if (s->depth >= p->depths)
		return 0;
	double scale = (double)p->width / (double)(p->to - p->from);
	size_t at = (size_t)s->depth * p->width;
	paint(p, p->cell + at, p->covers + at, ((double)s->begin - (double)p->from) * scale,
	      ((double)s->end - (double)p->from) * scale, s->region);
	return 0;
}

struct nest_making {
	const struct server_look *look;
	const struct server_lines *lines;
	const struct server_request *request;
	uint64_t from, to;
	unsigned width, depths;
	double *cell;
};

static int paint_thread(void *arg, size_t i, unsigned worker)
{
	struct nest_making *m = arg;
	size_t n = (size_t)m->depths * m->width;
	struct painting p = {m->from, m->to, m->width, m->depths, m->cell + i * n, calloc(n, sizeof *p.covers)};
	uint32_t own = server_own_thread(m->look->trace, m->lines->row[i]);
	(void)worker;
	if (!p.covers)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		p.cell[k] = WEFT_REGION_AWAY;
	int rc = own == WEFT_NONE ? 0
	         : m->request->gone && m->request->gone(m->request)
	                 ? -ECANCELED
	                 : server_nest_walk(m->look->trace->nests, own, m->from, m->to, EVENTS_MOST, paint_span, &p);
	free(p.covers);
	return rc;
}

static uint32_t look_color(const void *arg, double v)
{
	return server_look_color(arg, v);
}

/* As cells, with `depth` lines for each row: those of its outermost regions, of the regions in these, … */
int server_time_nest(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_cells_how how = {0};
	struct server_lines lines = {0};
	struct server_palette palette = {0};
	uint16_t *place = NULL;
	uint64_t depth = 0;
	struct nest_making m = {.look = &l, .lines = &lines, .request = r};
	int rc = server_look_init(&l, r);
	if (!rc)
		rc = server_cells_how_init(&l, r, &how, &lines);
	if (!rc)
		rc = server_arg_u64(r, "depth", 1, DEPTH_MOST, 8, &depth);
	if (!rc && (l.window || l.trace->regions->of != WEFT_CLASS_REGION))
		rc = weft_err_set(r->err, -EINVAL, "the trace has no regions that lie in each other");
	if (!rc && (uint64_t)lines.n * depth * how.width > 8 << 20)
		rc = weft_err_set(r->err, -E2BIG, "too many lines for one request");
	if (rc)
		goto out;
	m.from = how.from;
	m.to = how.to;
	m.width = how.width;
	m.depths = (unsigned)depth;
	size_t n = (size_t)lines.n_rows * m.depths * m.width;
	m.cell = malloc((n + 1) * sizeof *m.cell);
	place = malloc((n + 1) * sizeof *place);
	rc = m.cell && place ? weft_parallel(server_session_threads(r->session), lines.n_rows, paint_thread, &m) : -ENOMEM;
	if (!rc)
		rc = server_palette_add(&palette, m.cell, n, place);
	if (rc == -E2BIG)
		rc = weft_err_set(r->err, -E2BIG, "too many events in view: zoom in to see regions in each other");
	if (!rc) {
		struct server_cells_head head = {.lines = lines.n_rows * m.depths,
		                                 .width = m.width,
		                                 .from = m.from,
		                                 .to = m.to,
		                                 .flags = SERVER_CELLS_CODES,
		                                 .more = m.depths};
		a->type = "application/octet-stream";
		server_cells_write(&a->body, &head, &palette, look_color, &l, place);
	}
out:
	free(m.cell);
	free(place);
	server_palette_fini(&palette);
	server_lines_fini(&lines);
	server_look_fini(&l);
	return rc;
}

/* How deep regions lie in each other, by row. */
int server_time_depths(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_lines lines = {0};
	struct server_json j;
	int rc = server_look_init(&l, r);
	if (!rc)
		rc = server_lines_init(&lines, r, server_look_rows(&l));
	if (!rc) {
		struct weft_json *w = server_json_begin(&j);
		bool nested = !l.window && l.trace->regions->of == WEFT_CLASS_REGION;
		weft_json_object(w);
		weft_json_key(w, "depths");
		weft_json_array(w);
		for (uint32_t i = 0; i < lines.n_rows && !rc; i++) {
			uint32_t own = server_own_thread(l.trace, lines.row[i]), depth = 0;
			if (nested && own != WEFT_NONE)
				rc = r->gone && r->gone(r) ? -ECANCELED : server_nest_depth(l.trace->nests, own, &depth);
			weft_json_u64(w, depth);
		}
		weft_json_end(w);
		weft_json_end(w);
		int end_rc = server_json_end(&j, a);
		rc = rc ? rc : end_rc;
	}
	server_lines_fini(&lines);
	server_look_fini(&l);
	return rc;
}
