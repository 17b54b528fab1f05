/* SPDX-License-Identifier: Apache-2.0 */
/* Area time: what is drawn over rows, messages and flows, and rows as curves. */
#include "server_cells.h"
#include "server/core/server_event.h"
#include "server_time.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS_USUAL = 400, MARKS_MOST = 20000, LOOK_EVERY = 1 << 20, CURVE_CELLS_MOST = 1 << 20 };

struct marks {
	struct server_trace *t;
	uint64_t from, to, most;
	uint32_t thread; /* WEFT_NONE: any */
	uint64_t n;      /* that there are */
	struct weft_json *w;
};

static int marks_init(struct marks *m, const struct server_request *r)
{
	uint64_t row = WEFT_NONE;
	int rc = server_arg_trace(r, &m->t);
	if (!rc)
		rc = server_arg_range(r, m->t, &m->from, &m->to);
	if (!rc)
		rc = server_arg_u64(r, "most", 0, MARKS_MOST, MARKS_USUAL, &m->most);
	uint32_t rows = rc ? 0 : weft_level_size(&m->t->space, WEFT_THREAD);
	if (!rc)
		rc = server_arg_u64(r, "row", 0, rows ? rows - 1 : 0, WEFT_NONE, &row);
	if (!rc)
		m->thread = row == WEFT_NONE ? WEFT_NONE : server_own_thread(m->t, (uint32_t)row);
	return rc;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The later of two times that may not be known. */
static uint64_t later(uint64_t a, uint64_t b)
{
	return a == WEFT_NEVER ? b : b == WEFT_NEVER ? a : a > b ? a : b;
}

static bool touches(const struct marks *m, uint32_t a, uint32_t b, uint64_t begin, uint64_t end)
{
	return (m->thread == WEFT_NONE || a == m->thread || b == m->thread) && begin < m->to && end != WEFT_NEVER &&
	       end >= m->from;
}

/* Messages of a row (or of all) that are under way some time in the range; at most so many, and how many there are. */
int server_time_messages(const struct server_request *r, struct server_answer *a)
{
	struct marks m = {0};
	struct server_json j;
	int rc = marks_init(&m, r);
	if (rc)
		return rc;
	const struct weft_messages *of = &m.t->trace->message;
	m.w = server_json_begin(&j);
	weft_json_object(m.w);
	weft_json_key(m.w, "messages");
	weft_json_array(m.w);
	for (uint64_t i = 0; i < of->n && !rc; i++) {
		if (i % LOOK_EVERY == 0 && r->gone && r->gone(r))
			rc = -ECANCELED;
		uint64_t begin = earlier(of->send_began[i], of->recv_done[i]), end = later(of->send_done[i], of->recv_done[i]);
		if (touches(&m, of->send_thread[i], of->recv_thread[i], begin, end) && m.n++ < m.most)
			server_put_message(m.w, m.t, i);
	}
	weft_json_end(m.w);
	server_put_u64(m.w, "n", m.n);
	weft_json_end(m.w);
	int end_rc = server_json_end(&j, a);
	return rc ? rc : end_rc;
}

static void put_flow(const struct marks *m, uint64_t i)
{
	const struct weft_flows *f = &m->t->trace->flow;
	const struct weft_def_table *kinds = &m->t->trace->def[WEFT_CLASS_FLOW];
	weft_json_object(m->w);
	server_put_u64(m->w, "from", server_row_of_thread(m->t, f->from_thread[i]));
	server_put_u64(m->w, "to", server_row_of_thread(m->t, f->to_thread[i]));
	server_put_u64(m->w, "begin", f->from_time[i]);
	server_put_u64(m->w, "end", f->to_time[i]);
	if (f->flow[i] < kinds->n)
		server_put_string(m->w, "name", kinds->at[f->flow[i]].name);
	weft_json_end(m->w);
}

int server_time_flows(const struct server_request *r, struct server_answer *a)
{
	struct marks m = {0};
	struct server_json j;
	int rc = marks_init(&m, r);
	if (rc)
		return rc;
	const struct weft_flows *f = &m.t->trace->flow;
	m.w = server_json_begin(&j);
	weft_json_object(m.w);
	weft_json_key(m.w, "flows");
	weft_json_array(m.w);
	for (uint64_t i = 0; i < f->n && !rc; i++) {
		if (i % LOOK_EVERY == 0 && r->gone && r->gone(r))
			rc = -ECANCELED;
		bool whole = f->from_time[i] != WEFT_NEVER && f->to_time[i] != WEFT_NEVER &&
		             server_row_of_thread(m.t, f->from_thread[i]) != WEFT_NONE &&
		             server_row_of_thread(m.t, f->to_thread[i]) != WEFT_NONE;
		if (whole &&
		    touches(&m, f->from_thread[i], f->to_thread[i], earlier(f->from_time[i], f->to_time[i]),
		            later(f->from_time[i], f->to_time[i])) &&
		    m.n++ < m.most)
			put_flow(&m, i);
	}
	weft_json_end(m.w);
	server_put_u64(m.w, "n", m.n);
	weft_json_end(m.w);
	int end_rc = server_json_end(&j, a);
	return rc ? rc : end_rc;
}

/* ---- curves ---- */

struct curve {
	double *at; /* of all lines */
	unsigned width;
	double min, max;
};

static int keep(void *arg, uint32_t first, uint32_t n, const double *cell)
{
	struct curve *c = arg;
	size_t many = (size_t)n * c->width;
	memcpy(c->at + (size_t)first * c->width, cell, many * sizeof *cell);
	for (size_t i = 0; i < many; i++) {
		c->min = cell[i] < c->min ? cell[i] : c->min;
		c->max = cell[i] > c->max ? cell[i] : c->max;
	}
	return 0;
}

static int make_curve(struct server_look *l, const struct server_cells_how *how, enum weft_draw draw, struct curve *c)
{
	l->draw = draw;
	c->width = how->width;
	c->at = malloc(((size_t)how->lines->n * how->width + 1) * sizeof *c->at);
	return c->at ? server_cells_each(l, how, keep, c) : -ENOMEM;
}

static void add_bytes(struct weft_buf *out, const void *at, size_t n)
{
	weft_buf_add(out, at, n); /* as this machine has it: little-endian */
}

/*
 * "WCRV", 1, lines, width; from, to, least, greatest (doubles); then of each pixel of each line the average, and then the greatest, as
 * doubles.
 */
int server_time_curve(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_cells_how how = {0};
	struct server_lines lines = {0};
	struct curve average = {.min = INFINITY, .max = -INFINITY}, most = average;
	int rc = server_look_init(&l, r);
	if (!rc)
		rc = server_cells_how_init(&l, r, &how, &lines);
	if (!rc && !l.window)
		rc = weft_err_set(r->err, -EINVAL, "regions are no curve: choose a view");
	if (!rc && (uint64_t)lines.n * how.width > CURVE_CELLS_MOST)
		rc = weft_err_set(r->err, -E2BIG, "too many curves for one request");
	l.most = false;
	if (!rc)
		rc = make_curve(&l, &how, WEFT_DRAW_AVERAGE, &average);
	if (!rc)
		rc = make_curve(&l, &how, WEFT_DRAW_MAXIMUM, &most);
	if (!rc) {
		const uint32_t head[] = {0x56524357, 1, lines.n, how.width};
		const double range[] = {(double)how.from, (double)how.to,
		                        average.min <= most.max ? fmin(average.min, most.min) : 0,
		                        average.min <= most.max ? most.max : 0};
		size_t n = (size_t)lines.n * how.width;
		a->type = "application/octet-stream";
		add_bytes(&a->body, head, sizeof head);
		add_bytes(&a->body, range, sizeof range);
		add_bytes(&a->body, average.at, n * sizeof *average.at);
		add_bytes(&a->body, most.at, n * sizeof *most.at);
	}
	free(average.at);
	free(most.at);
	server_lines_fini(&lines);
	server_look_fini(&l);
	return rc;
}
