/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     title, what is in it
 *     submitted    ~~~~~\__        curves of the program and of memory nodes
 *     ready        _/\_/\__
 *     axis         |10 ms    |20 ms
 *     NUMA 0       [   ==      ]   allocations and copies of memory nodes
 *     CPU 0        [####==###  ]   a row of states for each worker, its GFlop/s below
 *     main         [==----     ]   threads that submit
 *     [] potrf 12 %  [] sleeping 8 % ...
 *
 * Points stand on the upper edge of their row, arrows lead from row to row.
 */
#include "gantt_draw.h"
#include "render/draw/axis.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 24, LABELS = 150, RIGHT = 60, CURVE = 38, CURVE_STEP = 52, ROW = 20, ROW_STEP = 25, OWN_CURVE = 18, TOP = 84 };
enum { EVENT_NAMES = 500 }; /* so many events have their text for the pointer, the others only their kind's */

struct chart {
	const struct gantt *g;
	struct picture p;
	double x, y; /* of the plot; where is drawn next */
	double *top; /* of rows; owned */
};

unsigned gantt_plot_width(unsigned picture)
{
	return picture - LABELS - RIGHT - 2 * MARGIN;
}

const char *gantt_title(const struct gantt *g, const char *title)
{
	const char *path = g->tasks->tasks.trace->path, *slash = strrchr(path, '/');
	return title ? title : slash && slash[1] ? slash + 1 : path;
}

static void draw_curve(struct chart *c, const struct gantt_curve *v, double height)
{
	char most[48];
	double *xy = malloc(4 * (size_t)c->g->width * sizeof *xy);
	for (unsigned k = 0; xy && k < c->g->width; k++) {
		xy[4 * k] = c->x + k;
		xy[4 * k + 2] = c->x + k + 1;
		xy[4 * k + 1] = xy[4 * k + 3] = c->y + height - (v->most > 0 ? v->value[k] / v->most * height : 0);
	}
	picture_line(&c->p, c->x, c->y + height, c->x + c->g->width, c->y + height, "g");
	if (xy)
		picture_polyline(&c->p, xy, 2 * c->g->width, v->colour);
	else
		c->p.rc = c->p.rc ? c->p.rc : -ENOMEM;
	free(xy);
	snprintf(most, sizeof most, v->most < 1000 ? "%.3g %s" : "%.0f %s", v->most, v->unit);
	picture_text(&c->p, c->x + c->g->width + 6, c->y + 8, SVG_LEFT, "a", most, 0);
	if (*v->label)
		picture_text(&c->p, c->x - 8, c->y + height / 2 + 4, SVG_RIGHT, "l", v->label, 22);
}

void gantt_draw_axis(struct picture *p, const struct gantt *g, double left, double y)
{
	char label[32];
	uint64_t span = g->to - g->from, step = weft_axis_step(span ? span : 1, 8);
	for (uint64_t at = (g->from + step - 1) / step * step; at <= g->to; at += step) {
		double x = left + (double)(at - g->from) / (double)(span ? span : 1) * g->width;
		picture_line(p, x, y + 4, x, y + 10, "k");
		picture_text(p, x, y, SVG_MIDDLE, "a", weft_axis_label(label, at, step, g->to), 0);
	}
}

void gantt_draw_paint(struct picture *p, const struct gantt *g, const struct gantt_places *at, uint16_t paint, uint32_t colour)
{
	picture_path_begin(p, colour, g->paint.at[paint].name);
	for (size_t r = 0; r < g->row.n; r++) {
		const uint16_t *cell = g->row.at[r].cell;
		for (unsigned k = 0, end; at->top[r] >= 0 && k < g->width; k = end) {
			for (end = k + 1; end < g->width && cell[end] == cell[k]; end++)
				;
			if (cell[k] == paint)
				picture_path_rect(p, at->x + k, at->top[r], end - k, at->height);
		}
	}
	picture_path_end(p);
}

static void draw_rows(struct chart *c)
{
	const struct gantt *g = c->g;
	for (size_t r = 0; r < g->row.n; r++) {
		c->top[r] = c->y;
		picture_text(&c->p, c->x - 8, c->y + 14, SVG_RIGHT, "l", g->row.at[r].label, 22);
		c->y += ROW_STEP;
		for (size_t k = 0; k < g->curve.n; k++)
			if (g->curve.at[k].row == (int64_t)r) {
				draw_curve(c, &g->curve.at[k], OWN_CURVE);
				c->y += OWN_CURVE + 7;
			}
	}
	for (size_t k = 0; k < g->paint.n; k++)
		gantt_draw_paint(&c->p, g, &(struct gantt_places){c->x, ROW, c->top}, (uint16_t)k, g->paint.at[k].colour);
}

/* ---- points and arrows ---- */

static const struct {
	unsigned kind;
	const char *name;
	uint32_t colour;
	double up, down; /* from the row's upper edge */
} points[] = {
	{GANTT_PUSH, "push", 0x1971c2, 4, 1},
	{GANTT_POP, "pop", 0xe8590c, 4, 1},
	{GANTT_EVENTS, "event", 0x111111, 4, 6},
};
enum { POINTS = sizeof points / sizeof *points };

static void draw_point(struct chart *c, unsigned kind, const struct gantt_point *at)
{
	picture_path_rect(&c->p, c->x + at->pixel, c->top[at->row] - points[kind].up, 2, points[kind].up + points[kind].down);
}

static void draw_points(struct chart *c)
{
	const struct gantt *g = c->g;
	for (unsigned k = 0; k < POINTS; k++) {
		unsigned named = 0;
		picture_path_begin(&c->p, points[k].colour, points[k].name);
		for (size_t i = 0; i < g->point.n; i++)
			if (g->point.at[i].kind == points[k].kind && (!*g->point.at[i].text || ++named > EVENT_NAMES))
				draw_point(c, k, &g->point.at[i]);
		picture_path_end(&c->p);
		named = 0;
		for (size_t i = 0; i < g->point.n && points[k].kind == GANTT_EVENTS; i++) {
			const struct gantt_point *at = &g->point.at[i];
			if (at->kind != GANTT_EVENTS || !*at->text || ++named > EVENT_NAMES)
				continue;
			picture_path_begin(&c->p, points[k].colour, at->text);
			draw_point(c, k, at);
			picture_path_end(&c->p);
			picture_dot(&c->p, c->x + at->pixel + 1, c->top[at->row] - points[k].up, 2.4, points[k].colour);
		}
	}
}

static void draw_arrows(struct chart *c)
{
	enum { DEPENDENCY = 0x868e96 };
	for (size_t i = 0; i < c->g->arrow.n; i++) {
		const struct gantt_arrow *a = &c->g->arrow.at[i];
		const double xy[] = {c->x + a->from, c->top[a->from_row] + ROW / 2.0, c->x + a->to,
		                     c->top[a->to_row] + ROW / 2.0};
		if (a->kind == GANTT_DEPENDENCIES)
			picture_polyline(&c->p, xy, 2, DEPENDENCY);
		else
			picture_line(&c->p, xy[0], xy[1], xy[2], xy[3], "m");
	}
}

/* ---- legend ---- */

struct legend {
	struct chart *c;
	double x;
	bool draw;
};

static void draw_entry(struct legend *l, uint32_t colour, const char *text)
{
	struct chart *c = l->c;
	double w = svg_text_width(text, 0) + 32;
	if (l->x + w > c->x + c->g->width + RIGHT && l->x > MARGIN) {
		l->x = MARGIN;
		c->y += 19;
	}
	if (l->draw) {
		picture_rect(&c->p, l->x, c->y - 9, 11, 11, colour, 2);
		picture_text(&c->p, l->x + 16, c->y, SVG_LEFT, "l", text, 0);
	}
	l->x += w;
}

/* What was met outside of the range only is not in the picture. */
static bool is_shown(const struct gantt *g, size_t paint)
{
	bool shown = g->paint.at[paint].ns > 0;
	for (size_t r = 0; r < g->row.n && !shown; r++)
		for (unsigned x = 0; x < g->width && !shown; x++)
			shown = g->row.at[r].cell[x] == paint;
	return shown;
}

static void draw_legend(struct chart *c, bool draw)
{
	const struct gantt *g = c->g;
	struct legend l = {c, MARGIN, draw};
	uint64_t all = 0;
	for (size_t k = 0; k < g->paint.n; k++)
		all += g->paint.at[k].ns;
	c->y += 20;
	for (size_t k = 0; k < g->paint.n; k++) {
		const struct gantt_paint *paint = &g->paint.at[k];
		char text[96];
		if (!is_shown(g, k))
			continue;
		if (paint->region >= GANTT_NODE_STATE)
			snprintf(text, sizeof text, "%.40s", paint->name);
		else
			snprintf(text, sizeof text, "%.40s %.1f %%", paint->name,
			         all ? 100 * (double)paint->ns / (double)all : 0);
		draw_entry(&l, paint->colour, text);
	}
	for (unsigned k = 0; k < POINTS; k++)
		for (size_t i = 0; i < g->point.n; i++)
			if (g->point.at[i].kind == points[k].kind) {
				draw_entry(&l, points[k].colour, points[k].name);
				break;
			}
	c->y += MARGIN;
}

static double find_height(struct chart *c)
{
	c->y = TOP + 14 + (double)c->g->row.n * ROW_STEP;
	for (size_t k = 0; k < c->g->curve.n; k++)
		c->y += c->g->curve.at[k].row < 0 ? CURVE_STEP : OWN_CURVE + 7;
	draw_legend(c, false);
	return c->y;
}

/* ---- all of it ---- */

static void draw_words(struct chart *c)
{
	const struct weft_tasks *t = &c->g->tasks->tasks;
	char words[200], length[32];
	int n = snprintf(words, sizeof words, "%u tasks on %u workers; %s are shown", t->n, t->n_workers,
	                 weft_human_ns(length, c->g->to - c->g->from));
	if (c->g->left_out)
		snprintf(words + n, sizeof words - (size_t)n, "; %llu arrows are not drawn", (unsigned long long)c->g->left_out);
	picture_text(&c->p, MARGIN, 54, SVG_LEFT, "s", words, 0);
}

int gantt_draw(const struct gantt *g, const char *title, struct weft_buf *out, enum weft_picture_form form)
{
	struct chart c = {.g = g, .x = MARGIN + LABELS, .top = calloc(g->row.n + 1, sizeof *c.top)};
	if (!c.top)
		return -ENOMEM;
	title = gantt_title(g, title);
	int rc = picture_begin(&c.p, form, out, (unsigned)(c.x + g->width + RIGHT + MARGIN), (unsigned)find_height(&c), title);
	picture_text(&c.p, MARGIN, 34, SVG_LEFT, "t", title, 100);
	draw_words(&c);
	c.y = TOP;
	for (size_t k = 0; k < g->curve.n && !rc; k++)
		if (g->curve.at[k].row < 0) {
			draw_curve(&c, &g->curve.at[k], CURVE);
			c.y += CURVE_STEP;
		}
	if (!rc) {
		gantt_draw_axis(&c.p, g, c.x, c.y);
		c.y += 14;
		draw_rows(&c);
		draw_points(&c);
		draw_arrows(&c);
		draw_legend(&c, true);
	}
	int ended = picture_end(&c.p);
	free(c.top);
	rc = rc ? rc : ended;
	return rc ? rc : out->failed ? -ENOMEM : 0;
}
