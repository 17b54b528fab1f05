/* SPDX-License-Identifier: Apache-2.0 */
/* Panels of rows: workers with what lies over them, iterations, and the stack of codelets. */
#include "panels_draw.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUND = 0xf1f3f5, DIM = 0xced4da, MARK = 0x111111, AREA = 0x1c7ed6, PATH = 0xe03131, GAP = 20, LINES = 48 };

bool panels_is_task(const struct panels *p, uint32_t region)
{
	for (size_t k = 0; k < p->codelet.n; k++)
		if (p->codelet.at[k].region == region)
			return region != 0;
	return false;
}

uint32_t panels_colour(const struct panels *p, uint32_t region)
{
	for (size_t k = 0; k < p->g.paint.n; k++)
		if (p->g.paint.at[k].region == region)
			return p->g.paint.at[k].colour;
	return DIM;
}

/* ---- workers ---- */

static double row_step(const struct panels *p)
{
	uint32_t n = p->view.tasks.n_workers;
	return n <= 12 ? 24 : n <= 24 ? 16 : n <= 60 ? 11 : n <= 200 ? 5 : 2;
}

double panels_workers_height(const struct panels *p, unsigned panel)
{
	return p->view.tasks.n_workers * row_step(p) + GAP + (panel == PANEL_WORKERS ? LINES : 0);
}

struct bound {
	const char *name;
	uint64_t ns, at; /* at: on the axis */
	uint32_t colour;
};

/* Bounds as lines through the rows; their numbers stand above, each on a line of its own, on the side where there is room, and on white. */
static void draw_bounds(struct panels_sheet *s, double top, const struct bound *b, unsigned n)
{
	const struct gantt *g = &s->p->g;
	for (unsigned k = 0; k < 2 * n; k++) {
		char text[80], length[32];
		const struct bound *at = &b[k % n];
		double x = s->x + gantt_x(g, at->at), y = top + 14 * (k % n);
		if (at->at < g->from || at->at > g->to)
			continue;
		if (k < n) {
			picture_polyline(&s->pic, (const double[]){x, y, x, s->y}, 2, at->colour);
			continue;
		}
		snprintf(text, sizeof text, "%s %s", at->name, weft_human_ns(length, at->ns));
		double width = svg_text_width(text, 0);
		bool left = x + 8 + width > s->x + g->width;
		picture_rect(&s->pic, left ? x - 6 - width : x + 4, y, width + 4, 13, 0xffffff, 0);
		picture_text(&s->pic, left ? x - 6 : x + 6, y + 10, left ? SVG_RIGHT : SVG_LEFT, "l", text, 0);
	}
}

static void draw_outliers(struct panels_sheet *s, const double *top, double height)
{
	const struct gantt *g = &s->p->g;
	uint32_t *last = calloc((size_t)g->row.n + 1, sizeof *last); /* pixel of each row's last mark, + 1 */
	picture_path_begin(&s->pic, MARK, "outliers");
	for (size_t k = 0; k < s->p->outlier.n && last; k++) {
		const struct weft_tasks_task *t = &s->p->view.tasks.task[s->p->outlier.at[k].task];
		uint32_t row = g->first_worker + t->worker;
		if (t->end <= g->from || t->start >= g->to)
			continue;
		double from = fmax(0, floor(gantt_x(g, t->start))), to = fmin(g->width, ceil(gantt_x(g, t->end)));
		if (last[row] == (uint32_t)from + 1)
			continue;
		last[row] = (uint32_t)from + 1;
		picture_path_rect(&s->pic, s->x + from, top[row] - (height > 8 ? 3 : 1), fmax(2, to - from), height > 8 ? 3 : 1);
	}
	picture_path_end(&s->pic);
	s->pic.rc = last || s->pic.rc ? s->pic.rc : -ENOMEM;
	free(last);
}

/* The tasks of the chain, one after the other, as one line; a step that would end on the pixel where it begins is left out. */
static void draw_chain(struct panels_sheet *s, const double *top, double height)
{
	const struct gantt *g = &s->p->g;
	double *xy = malloc((4 * s->p->chain.n + 4) * sizeof *xy);
	unsigned n = 0;
	for (size_t k = 0; k < s->p->chain.n && xy; k++) {
		const struct weft_tasks_task *t = &s->p->view.tasks.task[s->p->chain.at[k]];
		double y = top[g->first_worker + t->worker] + height / 2;
		if (t->end < g->from || t->start > g->to)
			continue;
		const double x[2] = {fmax(0, gantt_x(g, t->start)), fmin(g->width, gantt_x(g, t->end))};
		for (unsigned i = 0; i < 2; i++) {
			double at = s->x + round(x[i]);
			if (n && xy[2 * n - 2] == at && xy[2 * n - 1] == y)
				continue;
			xy[2 * n] = at;
			xy[2 * n + 1] = y;
			n++;
		}
	}
	if (xy && n > 1)
		picture_polyline(&s->pic, xy, n, MARK);
	s->pic.rc = xy || s->pic.rc ? s->pic.rc : -ENOMEM;
	free(xy);
}

static void label_row(struct panels_sheet *s, const struct gantt_row *row, double y, bool idleness)
{
	char text[32];
	picture_text(&s->pic, s->x - 8, y, SVG_RIGHT, "l", row->label, 22);
	snprintf(text, sizeof text, "%.1f %%", panels_idle(s->p, row));
	if (idleness)
		picture_text(&s->pic, s->x + s->p->g.width + 62, y, SVG_RIGHT, "l", text, 0);
}

static void draw_paints(struct panels_sheet *s, const struct gantt_places *at, bool runtime)
{
	const struct gantt *g = &s->p->g;
	for (size_t k = 1; k < g->paint.n; k++) {
		bool task = panels_is_task(s->p, g->paint.at[k].region);
		if (task || runtime)
			gantt_draw_paint(&s->pic, g, at, (uint16_t)k, task && runtime ? DIM : g->paint.at[k].colour);
	}
}

void panels_workers_draw(struct panels_sheet *s, unsigned panel)
{
	const struct gantt *g = &s->p->g;
	const bool runtime = panel == PANEL_RUNTIME;
	double step = row_step(s->p), height = step > 12 ? step - 5 : step > 4 ? step - 2 : step - 1;
	double *top = malloc((g->row.n + 1) * sizeof *top), begin = s->y;
	unsigned each = (unsigned)ceil(12 / step);
	if (!top) {
		s->pic.rc = s->pic.rc ? s->pic.rc : -ENOMEM;
		return;
	}
	if (!runtime) {
		picture_text(&s->pic, s->x + g->width + 62, s->y + 44, SVG_RIGHT, "a", "idle", 0);
		s->y += LINES;
	}
	for (size_t r = 0, n = 0; r < g->row.n; r++) {
		top[r] = -1;
		if (g->row.at[r].kind != GANTT_WORKER)
			continue;
		top[r] = s->y;
		picture_rect(&s->pic, s->x, s->y, g->width, height, GROUND, 0);
		if (n++ % each == 0)
			label_row(s, &g->row.at[r], s->y + (height > 8 ? height / 2 + 4 : 8), !runtime);
		s->y += step;
	}
	draw_paints(s, &(struct gantt_places){s->x, height, top}, runtime);
	if (!runtime) {
		draw_outliers(s, top, height);
		draw_chain(s, top, height);
		const struct panels *p = s->p;
		const struct bound bounds[] = {{"area bound (ABE)", p->area, p->first + p->area, AREA},
		                               {"time taken", p->last - p->first, p->last, MARK},
		                               {"critical path bound (CPB)", p->path, p->first + p->path, PATH}};
		draw_bounds(s, begin, bounds, p->has_path ? 3 : 2);
	} else {
		picture_text(&s->pic, 24, begin - 5, SVG_LEFT, "b", "runtime", 0);
	}
	s->y += GAP;
	free(top);
}

/* ---- by codelet ---- */

enum { SLOTS = 24 }; /* so many codelets have sums of their own; those with the least time share the last */

struct slots {
	const struct panels *p;
	unsigned n;
	uint32_t region[SLOTS];
	uint8_t *of;          /* by region */
	double *value[SLOTS]; /* by pixel: mean number of workers */
};

static int slots_init(struct slots *l, const struct panels *p)
{
	*l = (struct slots){.p = p, .of = malloc((size_t)p->view.tasks.trace->def[WEFT_CLASS_REGION].n + 1)};
	if (!l->of)
		return -ENOMEM;
	memset(l->of, SLOTS - 1, (size_t)p->view.tasks.trace->def[WEFT_CLASS_REGION].n + 1);
	for (size_t k = 0; k < p->codelet.n; k++) {
		unsigned i = 0;
		while (i < l->n && l->region[i] != p->codelet.at[k].region)
			i++;
		if (i == l->n && l->n < SLOTS)
			l->region[l->n++] = p->codelet.at[k].region;
		if (i < SLOTS)
			l->of[p->codelet.at[k].region] = (uint8_t)i;
	}
	for (unsigned i = 0; i < l->n; i++)
		if (!(l->value[i] = calloc(p->g.width, sizeof *l->value[i])))
			return -ENOMEM;
	return 0;
}

static void slots_fini(struct slots *l)
{
	for (unsigned i = 0; i < l->n; i++)
		free(l->value[i]);
	free(l->of);
}

static void slots_add(struct slots *l, uint32_t task)
{
	const struct weft_tasks_task *t = &l->p->view.tasks.task[task];
	gantt_spread(&l->p->g, l->value[l->of[t->region]], t->start, t->end, (double)(t->end - t->start));
}

/* ---- utilization ---- */

enum { STACK = 80 };

double panels_utilization_height(const struct panels *p, unsigned panel)
{
	(void)panel;
	return p->codelet.n ? STACK + GAP : 0;
}

static double stacked(const struct panels *p, double workers)
{
	return round(workers * STACK / p->view.tasks.n_workers);
}

/* One codelet's part of the stack, on what is below it already. */
static void draw_layer(struct panels_sheet *s, const struct slots *l, unsigned slot, double *below)
{
	const struct panels *p = s->p;
	const double *value = l->value[slot];
	picture_path_begin(&s->pic, panels_colour(p, l->region[slot]),
	                   p->view.tasks.trace->def[WEFT_CLASS_REGION].at[l->region[slot]].name);
	for (unsigned x = 0, end; x < p->g.width; x = end) {
		double low = stacked(p, below[x]), high = stacked(p, below[x] + value[x]);
		for (end = x + 1;
		     end < p->g.width && stacked(p, below[end]) == low && stacked(p, below[end] + value[end]) == high; end++)
			;
		if (high > low)
			picture_path_rect(&s->pic, s->x + x, s->y + STACK - high, end - x, high - low);
	}
	picture_path_end(&s->pic);
	for (unsigned x = 0; x < p->g.width; x++)
		below[x] += value[x];
}

void panels_utilization_draw(struct panels_sheet *s, unsigned panel)
{
	const struct panels *p = s->p;
	struct slots l;
	char text[32];
	int rc = slots_init(&l, p);
	for (uint32_t i = 0; i < p->view.tasks.n && !rc; i++)
		if (panels_done(p, i))
			slots_add(&l, i);
	double *below = rc ? NULL : calloc(p->g.width, sizeof *below);
	for (unsigned i = 0; i < l.n && below; i++)
		draw_layer(s, &l, i, below);
	s->pic.rc = below || s->pic.rc ? s->pic.rc : -ENOMEM;
	snprintf(text, sizeof text, "%u workers", p->view.tasks.n_workers);
	picture_line(&s->pic, s->x, s->y, s->x + p->g.width, s->y, "g");
	picture_line(&s->pic, s->x, s->y + STACK, s->x + p->g.width, s->y + STACK, "k");
	picture_text(&s->pic, s->x - 8, s->y + STACK / 2.0 + 4, SVG_RIGHT, "b", panels_list[panel].name, 0);
	picture_text(&s->pic, s->x + p->g.width + 6, s->y + 8, SVG_LEFT, "a", text, 0);
	free(below);
	slots_fini(&l);
	s->y += STACK + GAP;
}

/* ---- iterations ---- */

enum { ITERATION_ROWS = 100, ITERATIONS_MOST = 240, BETWEEN = 0xd0ebff, RUNNING = 0x1c7ed6, SUBMITTED = 0xadb5bd };

struct strip { /* rows of iterations; of many, neighbours share one */
	unsigned n;
	double step, height;
};

static struct strip find_strip(const struct panels *p)
{
	struct strip t = {.n = p->iteration.n < ITERATION_ROWS ? (unsigned)p->iteration.n : ITERATION_ROWS};
	t.step = t.n ? floor(fmin(16, (double)ITERATIONS_MOST / t.n)) : 0;
	t.height = t.step > 4 ? t.step - 2 : t.step;
	return t;
}

double panels_iterations_height(const struct panels *p, unsigned panel)
{
	struct strip t = find_strip(p);
	(void)panel;
	return t.n ? t.n * t.step + GAP : 0;
}

/* From `from` up to `to` of the iterations of a row, as a bar; less than a pixel is one. */
static void draw_bar(struct panels_sheet *s, double y, double height, uint64_t from, uint64_t to)
{
	const struct gantt *g = &s->p->g;
	if (from == WEFT_NEVER || to == WEFT_NEVER || to <= from || to <= g->from || from >= g->to)
		return;
	double a = fmax(0, floor(gantt_x(g, from))), b = fmin(g->width, ceil(gantt_x(g, to)));
	picture_path_rect(&s->pic, s->x + a, y, fmax(1, b - a), height);
}

/* The iterations of row r are first[r] … first[r + 1] - 1. */
static size_t first_of(const struct panels *p, const struct strip *t, unsigned r)
{
	return (size_t)(((uint64_t)p->iteration.n * r + t->n - 1) / t->n);
}

static unsigned row_of(const struct panels *p, const struct strip *t, uint32_t iteration)
{
	return (unsigned)((uint64_t)iteration * t->n / p->iteration.n);
}

/* When iterations were submitted and ran: a thin bar from the first submission, a light one from the first start to the last end. */
static void draw_spans(struct panels_sheet *s, const struct strip *t)
{
	picture_path_begin(&s->pic, SUBMITTED, "submitted, not begun");
	for (size_t k = 0; k < s->p->iteration.n; k++) {
		const struct panels_iteration *i = &s->p->iteration.at[k];
		double y = s->y + row_of(s->p, t, (uint32_t)k) * t->step;
		draw_bar(s, y + floor(t->height / 2), fmax(1, floor(t->height / 6)), i->submit,
		         i->start == WEFT_NEVER ? s->p->last : i->start);
	}
	picture_path_end(&s->pic);
	picture_path_begin(&s->pic, BETWEEN, "from the first task to the last");
	for (size_t k = 0; k < s->p->iteration.n; k++) {
		const struct panels_iteration *i = &s->p->iteration.at[k];
		draw_bar(s, s->y + row_of(s->p, t, (uint32_t)k) * t->step, t->height, i->start, i->end);
	}
	picture_path_end(&s->pic);
}

/* Tasks in the order of their rows: task[at[r]] … */
static int order_rows(const struct panels *p, const struct strip *t, uint32_t **task, uint32_t **at)
{
	uint32_t n = p->view.tasks.n;
	*at = calloc((size_t)t->n + 2, sizeof **at);
	*task = malloc(((size_t)n + 1) * sizeof **task);
	if (!*at || !*task)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (p->iteration_of[i] != PANELS_NO_TYPE && panels_done(p, i))
			(*at)[row_of(p, t, p->iteration_of[i]) + 2]++;
	for (unsigned r = 2; r < t->n + 2; r++)
		(*at)[r] += (*at)[r - 1];
	for (uint32_t i = 0; i < n; i++)
		if (p->iteration_of[i] != PANELS_NO_TYPE && panels_done(p, i))
			(*task)[(*at)[row_of(p, t, p->iteration_of[i]) + 1]++] = i;
	return 0;
}

/* A row's pixels: the slot with most of the time there, + 1; 0: none. */
static void find_cells(struct slots *l, const uint32_t *task, uint32_t n, uint8_t *cell)
{
	for (unsigned i = 0; i < l->n; i++)
		memset(l->value[i], 0, l->p->g.width * sizeof *l->value[i]);
	for (uint32_t k = 0; k < n; k++)
		slots_add(l, task[k]);
	for (unsigned x = 0; x < l->p->g.width; x++) {
		double most = 0;
		cell[x] = 0;
		for (unsigned i = 0; i < l->n; i++)
			if (l->value[i][x] > most) {
				most = l->value[i][x];
				cell[x] = (uint8_t)(i + 1);
			}
	}
}

static void draw_cells(struct panels_sheet *s, const struct strip *t, const struct slots *l, const uint8_t *cell, bool by_codelet)
{
	const unsigned width = s->p->g.width;
	for (unsigned i = 0; i < (by_codelet ? l->n : 1); i++) {
		picture_path_begin(&s->pic, by_codelet ? panels_colour(s->p, l->region[i]) : RUNNING,
		                   by_codelet ? s->p->view.tasks.trace->def[WEFT_CLASS_REGION].at[l->region[i]].name
		                              : "tasks run");
		for (unsigned r = 0; r < t->n; r++)
			for (unsigned x = 0, end; x < width; x = end) {
				const uint8_t *row = cell + (size_t)r * width;
				bool here = by_codelet ? row[x] == i + 1 : row[x] != 0;
				for (end = x + 1; end < width && (by_codelet ? row[end] == i + 1 : row[end] != 0) == here; end++)
					;
				if (here)
					picture_path_rect(&s->pic, s->x + x, s->y + r * t->step, end - x, t->height);
			}
		picture_path_end(&s->pic);
	}
}

static void label_rows(struct panels_sheet *s, const struct strip *t, const char *name)
{
	unsigned each = (unsigned)ceil(13 / t->step);
	char text[32];
	picture_text(&s->pic, 24, s->y + 10, SVG_LEFT, "b", name, 0);
	for (unsigned r = 0; r < t->n; r += each) {
		snprintf(text, sizeof text, "%lld", (long long)s->p->iteration.at[first_of(s->p, t, r)].value);
		picture_text(&s->pic, s->x - 8, s->y + r * t->step + (t->height > 8 ? t->height / 2 + 4 : 8), SVG_RIGHT, "a",
		             text, 0);
	}
}

void panels_iterations_draw(struct panels_sheet *s, unsigned panel)
{
	struct strip t = find_strip(s->p);
	const unsigned width = s->p->g.width;
	struct slots l;
	uint32_t *task = NULL, *at = NULL;
	uint8_t *cell = malloc((size_t)t.n * width + 1);
	int rc = slots_init(&l, s->p);
	rc = rc ? rc : cell ? order_rows(s->p, &t, &task, &at) : -ENOMEM;
	for (unsigned r = 0; r < t.n && !rc; r++)
		find_cells(&l, task + at[r], at[r + 1] - at[r], cell + (size_t)r * width);
	if (!rc) {
		label_rows(s, &t, panels_list[panel].name);
		if (panel == PANEL_ITERATIONS)
			draw_spans(s, &t);
		draw_cells(s, &t, &l, cell, panel == PANEL_KITERATION);
	}
	s->pic.rc = s->pic.rc ? s->pic.rc : rc;
	slots_fini(&l);
	free(cell);
	free(task);
	free(at);
	s->y += t.n * t.step + GAP;
}
