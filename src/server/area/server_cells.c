/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines × pixels of a timeline, as bytes:
 *
 *     head       8 words: magic, version, lines, width, palette entries, bytes of a cell (1 or 2), flags, 0
 *     range      4 doubles: from, to (ns), least and greatest of the scale
 *     palette    value (double), colour (0xAARRGGBB), how many cells have it
 *     cells      line after line: place in the palette
 *
 * All little-endian. What is made is as large as its pixels, whatever the trace's length; it is made some lines at a time, so that
 * fusing ten thousand rows into a screen takes no more memory than a screen does.
 */
#include "server_cells.h"
#include "base/map.h"
#include "base/pool.h"
#include "render/cells/draw_fuse.h"
#include "render/cells/time_cells.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELLS_MOST = 16 << 20,   /* of an answer */
	CHUNK_CELLS = 512 << 10, /* that are made at once: 4 MiB, which caches hold between the making and the fusing */
	PALETTE_MOST = 60000,
	QUANTITY_STEPS = 250,    /* of a scale, where there are more values than that */
	EVENTS_WALKED = 3000000, /* more of them in view, and what evaluating them gave is kept for the next picture */
};

/* ---- values become places in a palette ---- */

static uint64_t bits_of(double v)
{
	uint64_t bits;
	v = v == 0 ? 0 : v;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

void server_palette_fini(struct server_palette *p)
{
	free(p->entry.at);
	weft_map_fini(&p->place);
}

static int add_value(struct server_palette *p, double v, uint32_t *place)
{
	uint64_t at;
	if (weft_map_get(&p->place, bits_of(v), &at)) {
		*place = (uint32_t)at;
		return 0;
	}
	if (p->entry.n == PALETTE_MOST)
		return -E2BIG;
	*place = (uint32_t)p->entry.n;
	int rc = weft_map_put(&p->place, bits_of(v), *place);
	return rc ? rc : weft_vec_push(&p->entry, ((struct server_palette_entry){v, 0}));
}

/* A value of a scale with more of them than are told apart: the middle of its step. What lies outside stays outside. */
static double step_of(const struct server_palette *p, double v)
{
	if (v == 0 || v < p->min)
		return v == 0 ? 0 : nextafter(p->min, -INFINITY);
	if (v > p->max)
		return nextafter(p->max, INFINITY);
	double span = p->max - p->min;
	return span > 0 ? p->min + (floor((v - p->min) / span * (QUANTITY_STEPS - 1)) + 0.5) / (QUANTITY_STEPS - 1) * span : v;
}

/* n cells to places. Neighbours mostly have the same value. */
int server_palette_add(struct server_palette *p, const double *cell, size_t n, uint16_t *out)
{
	for (size_t i = 0, next; i < n; i = next) {
		double v = cell[i];
		uint32_t place = 0;
		for (next = i + 1; next < n && cell[next] == v;)
			next++;
		int rc = add_value(p, p->steps ? step_of(p, v) : v, &place);
		if (rc)
			return rc;
		p->entry.at[place].n += (uint32_t)(next - i);
		for (size_t k = i; k < next; k++)
			out[k] = (uint16_t)place;
	}
	return 0;
}

/* ---- lines ---- */

/* Few events are walked sooner than all rows are evaluated, to be kept. A row is read from its begin. */
static enum weft_cells_keep how_kept(const struct server_look *l, const struct server_lines *lines, double to)
{
	const struct weft_trace *t = l->trace->trace;
	double all = (double)server_look_rows(l), share = all ? lines->n_rows / all : 0, part = t->end ? to / (double)t->end : 1;
	bool few = (double)t->n_events * share * (part < 1 ? part : 1) <= EVENTS_WALKED;
	return l->most && few ? WEFT_CELLS_USE : WEFT_CELLS_AUTO;
}

static int make_by_time(const struct server_look *l, const struct weft_metric_cells_how *how, struct weft_metric_cells *c)
{
	struct weft_time_sums sums = {.n_values = l->window ? 65536 : l->trace->regions->n, .unwanted = true};
	int rc = weft_time_cells_make(c, &sums, how);
	weft_time_sums_fini(&sums);
	return rc;
}

/* What lines are made of; they are fused side by side. */
struct fusing {
	const struct server_look *look;
	const struct server_lines *lines;
	uint32_t first; /* line; `cell` begins with its rows */
	unsigned width;
	const double *cell;
	double *out;
};

/* Of regions a negative value is a thread that is not there, and a half is how they compute: neither is told apart here. */
static double value_of(const struct server_look *l, double v)
{
	return l->window ? v : draw_whole(v, WEFT_REGION_AWAY);
}

/* The pixels from x on, one after the other. */
static int fuse_pixels(const struct fusing *f, uint32_t line, const double *cell, uint32_t rows, unsigned x, double *out)
{
	struct draw_sum sum;
	draw_sum_init(&sum, f->look->fuse);
	for (; x < f->width; x++) {
		draw_sum_begin(&sum, (uint64_t)line << 32 ^ x);
		for (uint32_t k = 0; k < rows; k++) {
			double v = value_of(f->look, cell[(size_t)k * f->width + x]);
			if (f->look->window || v >= 0)
				draw_sum_add(&sum, v);
		}
		out[x] = sum.n ? draw_sum_get(&sum) : WEFT_REGION_AWAY;
	}
	int rc = sum.failed ? -ENOMEM : 0;
	draw_sum_fini(&sum);
	return rc;
}

/* Rows of a line become one. */
static int fuse_line(void *arg, size_t i, unsigned worker)
{
	const struct fusing *f = arg;
	const uint32_t line = f->first + (uint32_t)i, begin = f->lines->first[line], rows = f->lines->first[line + 1] - begin;
	const double *cell = f->cell + (size_t)(begin - f->lines->first[f->first]) * f->width;
	double *out = f->out + i * f->width;
	bool regions = !f->look->window;
	(void)worker;
	enum weft_draw draw = rows == 1 ? WEFT_DRAW_LAST : f->look->fuse;
	unsigned done = draw_fuse(draw, regions, WEFT_REGION_AWAY, cell, rows, f->width, out);
	for (; rows == 1 && done < f->width; done++)
		out[done] = value_of(f->look, cell[done]);
	return done < f->width ? fuse_pixels(f, line, cell, rows, done, out) : 0;
}

/* Lines [first, last) into `out`. */
static int make_lines(const struct server_look *l, const struct server_cells_how *how, uint32_t first, uint32_t last, double *out)
{
	const struct server_lines *lines = how->lines;
	struct weft_metric_cells c = {0};
	struct weft_metric_cells_how as = {
		.space = &l->trace->space,
		.metric = &l->metric,
		.row = lines->row + lines->first[first],
		.n_rows = lines->first[last] - lines->first[first],
		.from = server_units(l->trace, how->from),
		.to = server_units(l->trace, how->to),
		.width = how->width,
		.draw = l->draw,
		.keep = how->keep,
		.threads = server_session_threads(l->session),
	};
	if (as.to <= as.from)
		as.to = as.from + 1;
	int rc = l->most ? make_by_time(l, &as, &c) : weft_metric_cells_make(&c, &as);
	struct fusing f = {l, lines, first, how->width, c.cell, out};
	if (!rc)
		rc = weft_parallel(as.threads, last - first, fuse_line, &f);
	weft_metric_cells_fini(&c);
	return rc;
}

/* As many lines as are made at once: one at least. */
static uint32_t chunk_end(const struct server_cells_how *how, uint32_t first)
{
	const struct server_lines *lines = how->lines;
	uint32_t last = first + 1;
	while (last < lines->n && (uint64_t)(lines->first[last + 1] - lines->first[first]) * how->width <= CHUNK_CELLS)
		last++;
	return last;
}

int server_cells_each(const struct server_look *l, const struct server_cells_how *how,
                      int (*use)(void *arg, uint32_t first, uint32_t n, const double *cell), void *arg)
{
	int rc = 0;
	for (uint32_t first = 0, last; first < how->lines->n && !rc; first = last) {
		last = chunk_end(how, first);
		if (how->request && how->request->gone && how->request->gone(how->request))
			return -ECANCELED;
		double *cell = malloc(((size_t)(last - first) * how->width + 1) * sizeof *cell);
		rc = cell ? make_lines(l, how, first, last, cell) : -ENOMEM;
		if (!rc)
			rc = use(arg, first, last - first, cell);
		free(cell);
	}
	return rc;
}

/* ---- the answer ---- */

struct packing {
	struct server_palette palette;
	const struct server_look *look;
	uint16_t *place;
	unsigned width;
	double min, max; /* of all cells */
	bool many;       /* more values than a palette holds */
};

static int pack(void *arg, uint32_t first, uint32_t n, const double *cell)
{
	struct packing *p = arg;
	size_t at = (size_t)first * p->width, many = (size_t)n * p->width;
	bool no_zero = p->look->window && p->look->colors.kind == COLOR_NOT_NULL;
	for (size_t i = 0; i < many && !p->palette.steps; i++) {
		if (cell[i] == 0 && no_zero)
			continue;
		p->min = cell[i] < p->min ? cell[i] : p->min;
		p->max = cell[i] > p->max ? cell[i] : p->max;
	}
	int rc = p->many ? 0 : server_palette_add(&p->palette, cell, many, p->place + at);
	p->many |= rc == -E2BIG;
	return rc == -E2BIG ? 0 : rc;
}

static void put_word(struct weft_buf *out, uint32_t v)
{
	char bytes[4] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};
	weft_buf_add(out, bytes, sizeof bytes);
}

static void put_double(struct weft_buf *out, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	put_word(out, (uint32_t)bits);
	put_word(out, (uint32_t)(bits >> 32));
}

void server_cells_write(struct weft_buf *out, const struct server_cells_head *h, const struct server_palette *p,
                        uint32_t (*color)(const void *arg, double v), const void *arg, const uint16_t *place)
{
	const size_t n = (size_t)h->lines * h->width;
	const unsigned bytes = p->entry.n > 256 ? 2 : 1;
	const uint32_t words[] = {SERVER_CELLS_MAGIC, 1, h->lines, h->width, (uint32_t)p->entry.n, bytes, h->flags, h->more};
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		put_word(out, words[i]);
	put_double(out, (double)h->from);
	put_double(out, (double)h->to);
	put_double(out, h->min);
	put_double(out, h->max);
	for (size_t i = 0; i < p->entry.n; i++) {
		put_double(out, p->entry.at[i].value);
		put_word(out, color(arg, p->entry.at[i].value));
		put_word(out, p->entry.at[i].n);
	}
	if (bytes == 2) {
		weft_buf_add(out, (const char *)place, 2 * n); /* as this machine has it: little-endian */
		return;
	}
	char line[4096];
	for (size_t i = 0; i < n;) {
		size_t k = 0;
		while (k < sizeof line && i < n)
			line[k++] = (char)place[i++];
		weft_buf_add(out, line, k);
	}
}

static uint32_t look_color(const void *arg, double v)
{
	return server_look_color(arg, v);
}

/* The scale: as it was asked for, as the window says, else what the cells show; as in pictures. */
static void set_scale(struct server_look *l, const struct packing *p)
{
	const struct weft_window *w = l->window;
	bool some = p->min <= p->max, nothing_said = w && !(w->y_max > w->y_min);
	if (w && !l->has_min && (w->compute_y_min || nothing_said))
		l->colors.min = some ? p->min : 0;
	if (w && !l->has_max && (w->compute_y_max || nothing_said))
		l->colors.max = some ? p->max : 0;
}

/* Codes as they are; of quantities with many values, steps of the scale. */
static int make_places(struct server_look *l, const struct server_cells_how *how, struct packing *p)
{
	p->look = l;
	p->min = INFINITY;
	p->max = -INFINITY;
	int rc = server_cells_each(l, how, pack, p);
	if (rc)
		return rc;
	set_scale(l, p);
	if (!p->many && (server_look_is_code(l) || p->palette.entry.n <= 256))
		return 0;
	server_palette_fini(&p->palette);
	p->palette = (struct server_palette){.steps = true, .min = l->colors.min, .max = l->colors.max};
	p->many = false;
	return server_cells_each(l, how, pack, p);
}

static int read_how(const struct server_look *l, const struct server_request *r, struct server_cells_how *how,
                    struct server_lines *lines)
{
	uint64_t width;
	int rc = server_arg_range(r, l->trace, &how->from, &how->to);
	if (!rc)
		rc = server_arg_u64(r, "width", 1, SERVER_WIDTH_MOST, 1024, &width);
	if (!rc)
		rc = server_lines_init(lines, r, server_look_rows(l));
	if (rc)
		return rc;
	how->lines = lines;
	how->width = (unsigned)width;
	how->request = r;
	how->keep = how_kept(l, lines, (double)how->to);
	if ((uint64_t)lines->n * how->width > CELLS_MOST)
		return weft_err_set(r->err, -E2BIG, "%u lines of %u pixels are too many for one request", lines->n, how->width);
	return 0;
}

int server_cells_how_init(const struct server_look *l, const struct server_request *r, struct server_cells_how *how,
                          struct server_lines *lines)
{
	*how = (struct server_cells_how){0};
	*lines = (struct server_lines){0};
	return read_how(l, r, how, lines);
}

int server_time_cells(const struct server_request *r, struct server_answer *a)
{
	struct server_look l = {0};
	struct server_cells_how how = {0};
	struct server_lines lines = {0};
	struct packing p = {0};
	int rc = server_look_init(&l, r);
	if (!rc)
		rc = server_cells_how_init(&l, r, &how, &lines);
	if (!rc) {
		p.width = how.width;
		p.place = malloc(((size_t)lines.n * how.width + 1) * sizeof *p.place);
		rc = p.place ? make_places(&l, &how, &p) : -ENOMEM;
	}
	if (!rc) {
		struct server_cells_head head = {.lines = lines.n,
		                                 .width = how.width,
		                                 .from = how.from,
		                                 .to = how.to,
		                                 .min = l.colors.min,
		                                 .max = l.colors.max,
		                                 .flags = (server_look_is_code(&l) ? SERVER_CELLS_CODES : 0) |
		                                          (p.palette.steps ? SERVER_CELLS_STEPS : 0)};
		a->type = "application/octet-stream";
		server_cells_write(&a->body, &head, &p.palette, look_color, &l, p.place);
	}
	server_palette_fini(&p.palette);
	free(p.place);
	server_lines_fini(&lines);
	server_look_fini(&l);
	return rc;
}
