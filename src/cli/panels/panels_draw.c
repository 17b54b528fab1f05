/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Panels below each other over one axis of time, whose ticks go through all of them:
 *
 *     title, words
 *                   |10 ms        |20 ms
 *     CPU 0         [####  ###    ]   12.3 %      workers: tasks by codelet, idleness; bounds as lines with numbers; the chain; outliers
 *     iterations    [==           ]
 *                   [   ===       ]
 *     ready         ~~~\__/~~            17
 *     [] potrf 12 % ...
 *
 * Rows and curves are by pixel, so a picture's size depends on its pixels and workers, not on its tasks.
 */
#include "panels_draw.h"
#include "render/draw/axis.h"
#include "render/draw/curves.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct panels_panel panels_list[PANELS_MOST + 1] = {
	{"workers", "tasks on workers, how long each was idle, bounds, the last task's chain, outliers", true},
	{"runtime", "what workers did besides: fetching data, scheduling, sleeping", false},
	{"iterations", "when each iteration was submitted, and ran", true},
	{"kiteration", "the tasks of each iteration over time", true},
	{"utilization", "how many workers were in each codelet", true},
	{"submitted", "tasks submitted and not done", true},
	{"ready", "tasks ready and not begun", true},
	{"gflops", "GFlop/s of all workers", true},
	{"memory", "memory in use on each node", true},
	{"transfers", "bandwidth of each link between memory nodes", true},
	{"codelets", "a table of codelets", false},
};

unsigned panels_plot_width(unsigned picture)
{
	return picture - PANELS_LEFT - PANELS_RIGHT;
}

/* ---- what all panels have ---- */

static void draw_ticks(struct panels_sheet *s, double from, double to)
{
	uint64_t span = s->p->g.to - s->p->g.from, step = weft_axis_step(span, 8);
	for (uint64_t at = (s->p->g.from + step - 1) / step * step; at <= s->p->g.to; at += step) {
		double x = s->x + gantt_x(&s->p->g, at);
		picture_line(&s->pic, x, from, x, to, "g");
	}
}

void panels_curve_line(struct panels_sheet *s, const double *value, double most, double height, uint32_t colour)
{
	unsigned width = s->p->g.width;
	double *xy = malloc(4 * (size_t)width * sizeof *xy), bottom = s->y + height;
	unsigned n = 0;
	for (unsigned k = 0; xy && k < width; k++) {
		double y = bottom - round(most > 0 ? value[k] / most * height * 10 : 0) / 10;
		if (n >= 2 && xy[2 * n - 1] == y) { /* level: the line goes on */
			xy[2 * n - 2] = s->x + k + 1;
			continue;
		}
		xy[2 * n] = s->x + k;
		xy[2 * n + 1] = xy[2 * n + 3] = y;
		xy[2 * n + 2] = s->x + k + 1;
		n += 2;
	}
	if (xy)
		picture_polyline(&s->pic, xy, n, colour);
	else
		s->pic.rc = s->pic.rc ? s->pic.rc : -ENOMEM;
	free(xy);
}

/* A frame for curves, with its name and what its top means. */
static void frame(struct panels_sheet *s, const char *name, double most, const char *unit, double height)
{
	char text[48];
	snprintf(text, sizeof text, most < 1000 ? "%.3g %s" : "%.0f %s", most, unit);
	picture_line(&s->pic, s->x, s->y, s->x + s->p->g.width, s->y, "g");
	picture_line(&s->pic, s->x, s->y + height, s->x + s->p->g.width, s->y + height, "k");
	picture_text(&s->pic, s->x - 8, s->y + height / 2 + 4, SVG_RIGHT, "b", name, 22);
	picture_text(&s->pic, s->x + s->p->g.width + 6, s->y + 8, SVG_LEFT, "a", text, 0);
}

/* ---- curves ---- */

enum { CURVE = 56, CURVE_GAP = 20, NAMES = 3, NAME = 14 };

struct lines { /* of one panel */
	const double *value[16];
	const char *label[16];
	unsigned n;
	double most;
	const char *unit;
};

static struct lines find_lines(const struct panels *p, unsigned panel)
{
	static const enum gantt_curve_of of[] = {[PANEL_SUBMITTED] = GANTT_SUBMITTED,
	                                         [PANEL_READY] = GANTT_READY,
	                                         [PANEL_GFLOPS] = GANTT_FLOPS,
	                                         [PANEL_MEMORY] = GANTT_MEMORY};
	struct lines l = {.unit = "MB/s"};
	for (size_t k = 0; k < p->link.n && panel == PANEL_TRANSFERS && l.n < 16; k++) {
		l.value[l.n] = p->link.at[k].value;
		l.label[l.n++] = p->link.at[k].label;
		l.most = fmax(l.most, p->link.at[k].most);
	}
	for (size_t k = 0; k < p->g.curve.n && panel != PANEL_TRANSFERS && l.n < 16; k++) {
		const struct gantt_curve *c = &p->g.curve.at[k];
		if (c->of != of[panel])
			continue;
		const char *comma = strchr(c->label, ',');
		l.value[l.n] = c->value;
		l.label[l.n++] = comma ? comma + 2 : c->label;
		l.most = fmax(l.most, c->most);
		l.unit = c->unit;
	}
	return l;
}

static double curves_height(const struct panels *p, unsigned panel)
{
	struct lines l = find_lines(p, panel);
	return l.n ? CURVE + CURVE_GAP : 0;
}

static void curves_draw(struct panels_sheet *s, unsigned panel)
{
	struct lines l = find_lines(s->p, panel);
	frame(s, panels_list[panel].name, l.most, l.unit, CURVE);
	for (unsigned k = 0; k < l.n; k++) {
		uint32_t colour = weft_curve_color(k);
		panels_curve_line(s, l.value[k], l.most, CURVE, colour);
		if (panel != PANEL_MEMORY && panel != PANEL_TRANSFERS)
			continue;
		if (k < NAMES) {
			picture_rect(&s->pic, s->x + s->p->g.width + 6, s->y + 15 + NAME * k, 9, 9, colour, 0);
			picture_text(&s->pic, s->x + s->p->g.width + 19, s->y + 23 + NAME * k, SVG_LEFT, "a", l.label[k], 14);
		}
	}
	s->y += CURVE + CURVE_GAP;
}

/* ---- the table of codelets ---- */

enum { TABLE_LINE = 17, TABLE_MOST = 20 };

static double codelets_height(const struct panels *p, unsigned panel)
{
	(void)panel;
	size_t n = p->codelet.n < TABLE_MOST ? p->codelet.n : TABLE_MOST;
	return n ? (double)(n + 1) * TABLE_LINE + CURVE_GAP : 0;
}

static void codelets_draw(struct panels_sheet *s, unsigned panel)
{
	static const char *const heading[] = {"tasks", "total", "mean", "least", "most", "outliers"};
	(void)panel;
	for (unsigned k = 0; k < 6; k++)
		picture_text(&s->pic, s->x + 260 + 90 * k, s->y + 10, SVG_RIGHT, "b", heading[k], 0);
	picture_text(&s->pic, s->x - 8, s->y + 10, SVG_RIGHT, "b", panels_list[PANEL_CODELETS].name, 0);
	s->y += TABLE_LINE;
	for (size_t i = 0; i < s->p->codelet.n && i < TABLE_MOST; i++, s->y += TABLE_LINE) {
		const struct panels_codelet *c = &s->p->codelet.at[i];
		char text[6][32], name[80];
		snprintf(text[0], 32, "%llu", (unsigned long long)c->n);
		weft_human_ns(text[1], c->total);
		weft_human_ns(text[2], c->total / c->n);
		weft_human_ns(text[3], c->least);
		weft_human_ns(text[4], c->most);
		snprintf(text[5], 32, "%llu", (unsigned long long)c->outliers);
		snprintf(name, sizeof name, "%.40s, %s", c->name, s->p->kind[c->kind]);
		picture_rect(&s->pic, s->x, s->y + 1, 10, 10, panels_colour(s->p, c->region), 2);
		picture_text(&s->pic, s->x + 15, s->y + 10, SVG_LEFT, "l", name, 26);
		for (unsigned k = 0; k < 6; k++)
			picture_text(&s->pic, s->x + 260 + 90 * k, s->y + 10, SVG_RIGHT, "l", text[k], 0);
	}
	s->y += CURVE_GAP;
}

/* ---- legend ---- */

enum { LEGEND_MOST = 40 };

static void draw_legend(struct panels_sheet *s, bool draw)
{
	const struct gantt *g = &s->p->g;
	double x = s->x;
	unsigned n = 0;
	s->y += 14;
	for (size_t k = 1; k < g->paint.n && n < LEGEND_MOST; k++) {
		const struct gantt_paint *paint = &g->paint.at[k];
		bool task = panels_is_task(s->p, paint->region);
		char text[64];
		if (!paint->ns || (!task && !(s->panels & 1u << PANEL_RUNTIME)))
			continue;
		snprintf(text, sizeof text, "%.40s", paint->name);
		double w = svg_text_width(text, 0) + 30;
		if (x + w > s->x + g->width && x > s->x) {
			x = s->x;
			s->y += 19;
		}
		if (draw) {
			picture_rect(&s->pic, x, s->y - 9, 11, 11, paint->colour, 2);
			picture_text(&s->pic, x + 16, s->y, SVG_LEFT, "l", text, 0);
		}
		x += w;
		n++;
	}
	s->y += 18;
}

/* ---- all of it ---- */

static const struct {
	double (*height)(const struct panels *p, unsigned panel); /* 0: there is nothing to show */
	void (*draw)(struct panels_sheet *s, unsigned panel);     /* moves s->y down by as much */
} parts[PANELS_MOST] = {
	[PANEL_WORKERS] = {panels_workers_height, panels_workers_draw},
	[PANEL_RUNTIME] = {panels_workers_height, panels_workers_draw},
	[PANEL_ITERATIONS] = {panels_iterations_height, panels_iterations_draw},
	[PANEL_KITERATION] = {panels_iterations_height, panels_iterations_draw},
	[PANEL_UTILIZATION] = {panels_utilization_height, panels_utilization_draw},
	[PANEL_SUBMITTED] = {curves_height, curves_draw},
	[PANEL_READY] = {curves_height, curves_draw},
	[PANEL_GFLOPS] = {curves_height, curves_draw},
	[PANEL_MEMORY] = {curves_height, curves_draw},
	[PANEL_TRANSFERS] = {curves_height, curves_draw},
	[PANEL_CODELETS] = {codelets_height, codelets_draw},
};

static void draw_head(struct panels_sheet *s, const char *title)
{
	const struct panels *p = s->p;
	char words[500], a[32], b[32], c[32], missing[200] = "";
	size_t n = 0;
	for (unsigned k = 0; k < PANELS_MOST; k++)
		if (s->panels & 1u << k && parts[k].height(p, k) <= 0 && n < sizeof missing)
			n += (size_t)snprintf(missing + n, sizeof missing - n, "%s%s",
			                      n ? ", " : "; not recorded: ", panels_list[k].name);
	snprintf(words, sizeof words, "%u tasks on %u workers in %s; bounds: area %s, critical path %s; outliers: %zu%s",
	         p->view.tasks.n, p->view.tasks.n_workers, weft_human_ns(a, p->last - p->first), weft_human_ns(b, p->area),
	         p->has_path ? weft_human_ns(c, p->path) : "not known", p->outlier.n, missing);
	picture_text(&s->pic, 24, 34, SVG_LEFT, "t", title, 100);
	picture_text(&s->pic, 24, 54, SVG_LEFT, "s", words, 0);
}

int panels_draw(const struct panels *p, const struct panels_look *look, struct weft_buf *out, bool png)
{
	struct panels_sheet s = {.p = p, .panels = look->panels, .x = PANELS_LEFT, .y = PANELS_TOP + 14};
	for (unsigned k = 0; k < PANELS_MOST; k++)
		s.y += look->panels & 1u << k ? parts[k].height(p, k) : 0;
	draw_legend(&s, false);
	const char *title = gantt_title(&p->g, look->title);
	int rc = picture_begin(&s.pic, png ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG, out, PANELS_LEFT + p->g.width + PANELS_RIGHT,
	                       (unsigned)(s.y + 8), title);
	if (!rc) {
		draw_head(&s, title);
		s.y = PANELS_TOP;
		gantt_draw_axis(&s.pic, &p->g, s.x, s.y);
		s.y += 14;
		double top = s.y, below = s.y;
		for (unsigned k = 0; k < PANELS_MOST; k++)
			below += look->panels & 1u << k && k != PANEL_CODELETS ? parts[k].height(p, k) : 0;
		draw_ticks(&s, top, below);
		for (unsigned k = 0; k < PANELS_MOST; k++)
			if (look->panels & 1u << k && parts[k].height(p, k) > 0)
				parts[k].draw(&s, k);
		draw_legend(&s, true);
	}
	int ended = picture_end(&s.pic);
	rc = rc ? rc : ended;
	return rc ? rc : out->failed ? -ENOMEM : 0;
}
