/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph as a picture, without Graphviz:
 *
 *     title                                    what is in it, in numbers
 *     colours of codelets
 *     tasks side by side over time             measured, and with as many workers as wanted
 *     boxes in layers, edges between           the critical path in red
 */
#include "graph_out.h"
#include "render/draw/axis.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 28, LEAST_WIDTH = 860, CHART = 84, CHART_BINS = 400, SIDE_MOST = 1 << 16, BEND_STEPS = 8 };
#define PIXELS_MOST 1e8
enum { CRITICAL = 0xcf222e, EDGE = 0xaeb6bf, UPWARD = 0x8250df, BORDER = 0xc3c9d0, MEASURED = 0x1f9a7c, UNLIMITED = 0x2f6fb0 };

struct drawing {
	const struct graph_view *v;
	const struct graph_how *how;
	struct picture p;
	double left, top; /* of the layers */
	unsigned width, height;
	const bool *critical; /* by edge */
	double *xy;           /* of the edge that is being drawn */
	unsigned n_xy;
};

void graph_title(const struct graph_view *v, const struct graph_how *how, char *out, size_t room)
{
	const char *path = v->tasks->tasks.trace->path, *slash = strrchr(path, '/');
	snprintf(out, room, "%s", how->title ? how->title : slash && slash[1] ? slash + 1 : path);
}

int graph_parallelism(const struct graph_view *v, uint32_t n, double **measured, double **unlimited, uint64_t *span)
{
	uint64_t *start = malloc(((size_t)v->n + 1) * sizeof *start), *busy[2] = {NULL, NULL};
	uint64_t took = v->end > v->begin ? v->end - v->begin : 0;
	*span = took > v->paths.length ? took : v->paths.length;
	*measured = calloc((size_t)n + 1, sizeof **measured);
	*unlimited = calloc((size_t)n + 1, sizeof **unlimited);
	int rc = start && *measured && *unlimited ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < v->n; i++)
		start[i] = v->duration[i] ? v->tasks->tasks.task[v->task[i]].start : UINT64_MAX;
	if (!rc)
		rc = weft_graph_parallelism(&(struct weft_graph_span){start, NULL, v->duration, v->n}, v->begin, v->begin + *span,
		                            n, &busy[0]);
	if (!rc)
		rc = weft_graph_parallelism(&(struct weft_graph_span){v->paths.earliest, NULL, v->duration, v->n}, 0, *span, n,
		                            &busy[1]);
	for (uint32_t k = 0; !rc && k < n; k++) {
		double length = (double)*span / n;
		(*measured)[k] = length > 0 ? (double)busy[0][k] / length : 0;
		(*unlimited)[k] = length > 0 ? (double)busy[1][k] / length : 0;
	}
	free(start);
	free(busy[0]);
	free(busy[1]);
	if (rc) {
		free(*measured);
		free(*unlimited);
		*measured = *unlimited = NULL;
	}
	return rc;
}

/* ---- the chart ---- */

static void draw_curve(struct drawing *d, const double *value, double most, double y, uint32_t colour)
{
	double xy[4 * CHART_BINS], width = d->width - 2.0 * MARGIN - 40;
	for (unsigned k = 0; k < CHART_BINS; k++) {
		double at = y + CHART - value[k] / most * CHART;
		xy[4 * k] = MARGIN + 40 + width * k / CHART_BINS;
		xy[4 * k + 2] = MARGIN + 40 + width * (k + 1) / CHART_BINS;
		xy[4 * k + 1] = xy[4 * k + 3] = at;
	}
	picture_polyline(&d->p, xy, 2 * CHART_BINS, colour);
}

static int draw_chart(struct drawing *d, double y)
{
	double *measured, *unlimited, most = 1;
	uint64_t span;
	char text[64];
	int rc = graph_parallelism(d->v, CHART_BINS, &measured, &unlimited, &span);
	if (rc)
		return rc;
	for (unsigned k = 0; k < CHART_BINS; k++)
		most = fmax(most, fmax(measured[k], unlimited[k]));
	double right = d->width - MARGIN;
	picture_text(&d->p, MARGIN, y - 8, SVG_LEFT, "s", "tasks side by side over time:", 0);
	picture_rect(&d->p, MARGIN + 190, y - 16, 9, 9, MEASURED, 2);
	picture_text(&d->p, MARGIN + 204, y - 8, SVG_LEFT, "s", "as it ran", 0);
	picture_rect(&d->p, MARGIN + 272, y - 16, 9, 9, UNLIMITED, 2);
	picture_text(&d->p, MARGIN + 286, y - 8, SVG_LEFT, "s", "with as many workers as wanted", 0);
	for (unsigned k = 0; k <= 2; k++) {
		double at = y + CHART - k * CHART / 2.0;
		picture_line(&d->p, MARGIN + 40, at, right, at, "g");
		snprintf(text, sizeof text, "%.3g", most * k / 2);
		picture_text(&d->p, MARGIN + 34, at + 4, SVG_RIGHT, "a", text, 0);
	}
	uint64_t step = weft_axis_step(span ? span : 1, 8);
	for (uint64_t at = 0; at <= span && step; at += step)
		picture_text(&d->p, MARGIN + 40 + (right - MARGIN - 40) * (span ? (double)at / (double)span : 0), y + CHART + 14,
		             SVG_MIDDLE, "a", weft_axis_label(text, at, step, span), 0);
	draw_curve(d, unlimited, most, y, UNLIMITED);
	draw_curve(d, measured, most, y, MEASURED);
	free(measured);
	free(unlimited);
	return 0;
}

/* ---- colours ---- */

/* Draws the legend from y on, or only finds where it ends. */
static double legend(struct drawing *d, double y, bool draw)
{
	double x = MARGIN;
	for (uint32_t k = 0; k < d->v->n_kinds; k++) {
		if (!d->v->colour[k])
			continue;
		const char *name = graph_kind_name(d->v, k);
		double w = svg_text_width(name, 30) + 30;
		if (x + w > d->width - MARGIN && x > MARGIN) {
			x = MARGIN;
			y += 18;
		}
		if (draw) {
			picture_rect(&d->p, x, y - 9, 11, 11, d->v->colour[k], 2);
			picture_text(&d->p, x + 16, y, SVG_LEFT, "l", name, 30);
		}
		x += w;
	}
	return y + 18;
}

/* ---- edges ---- */

static double layer_top(const struct drawing *d, uint32_t layer)
{
	return d->top + (double)layer * GRAPH_LAYER;
}

static void add_point(struct drawing *d, double x, double y)
{
	d->xy[2 * d->n_xy] = x;
	d->xy[2 * d->n_xy++ + 1] = y;
}

/* From the last point down to (x, y), leaving and arriving straight. */
static void bend_to(struct drawing *d, double x, double y)
{
	double x0 = d->xy[2 * d->n_xy - 2], y0 = d->xy[2 * d->n_xy - 1];
	for (unsigned k = 1; k <= BEND_STEPS && fabs(x - x0) > 0.5; k++) {
		double t = (double)k / BEND_STEPS;
		add_point(d, x0 + (x - x0) * t * t * (3 - 2 * t), y0 + (y - y0) * t);
	}
	if (fabs(x - x0) <= 0.5)
		add_point(d, x, y);
}

static void draw_edge(struct drawing *d, uint32_t e)
{
	const struct weft_layout *l = &d->v->layout;
	const struct weft_fold_edge *x = &d->v->fold.edge[e];
	bool up = l->layer[x->from] > l->layer[x->to];
	uint32_t upper = up ? x->to : x->from, lower = up ? x->from : x->to, layer = l->layer[upper];
	uint32_t colour = d->critical[e] ? CRITICAL : up ? UPWARD : EDGE;
	d->n_xy = 0;
	add_point(d, d->left + l->x[upper], layer_top(d, layer) + GRAPH_BOX);
	for (uint64_t k = l->bends[e]; k < l->bends[e + 1]; k++) {
		layer++;
		bend_to(d, d->left + l->bend[k], layer_top(d, layer));
		add_point(d, d->left + l->bend[k], layer_top(d, layer) + GRAPH_BOX);
	}
	double end_x = d->left + l->x[lower], end_y = layer_top(d, l->layer[lower]);
	bend_to(d, end_x, end_y);
	picture_polyline(&d->p, d->xy, d->n_xy, colour);
	double tip_x = up ? d->xy[0] : end_x, tip_y = up ? d->xy[1] : end_y, back = up ? 6 : -6;
	picture_polyline(&d->p, (double[]){tip_x - 3, tip_y + back, tip_x, tip_y, tip_x + 3, tip_y + back}, 3, colour);
}

static int draw_edges(struct drawing *d)
{
	d->xy = malloc(((size_t)d->v->layout.n_layers + 2) * (BEND_STEPS + 2) * 2 * sizeof *d->xy);
	bool *critical = graph_critical_edges(d->v);
	int rc = d->xy && critical ? 0 : -ENOMEM;
	d->critical = critical;
	for (unsigned red = 0; !rc && red < 2; red++)
		for (uint32_t e = 0; e < d->v->fold.n_edges; e++)
			if (critical[e] == (red == 1))
				draw_edge(d, e);
	free(critical);
	free(d->xy);
	return rc;
}

/* ---- boxes ---- */

/* What a pointer over the box says, and where a click leads; of PNG nothing. True: there is a link to be closed. */
static bool begin_box(struct drawing *d, uint32_t box)
{
	const struct weft_fold_group *g = &d->v->fold.group[box];
	const struct weft_tasks_task *task = &d->v->tasks->tasks.task[d->v->task[d->v->fold.member[g->first]]];
	const char *file = weft_tasks_text(&d->v->tasks->tasks, task->file);
	struct weft_buf *out = d->p.out, link = {0};
	char first[96], second[96], slack[32];
	if (d->p.form != WEFT_PICTURE_SVG)
		return false;
	graph_link(&link, d->how, file, task->line);
	weft_buf_puts(out, "<g>");
	if (link.n) {
		weft_buf_puts(out, "<a href=\"");
		svg_escaped(out, link.at, 0);
		weft_buf_puts(out, "\">");
	}
	graph_label(d->v, box, first, second);
	weft_buf_puts(out, "<title>");
	svg_escaped(out, first, 0);
	weft_buf_puts(out, "\n");
	svg_escaped(out, second, 0);
	weft_buf_printf(out, "\nslack %s\n", weft_human_ns(slack, g->slack));
	svg_escaped(out, file, 0);
	if (*file)
		weft_buf_printf(out, ":%u", task->line);
	weft_buf_puts(out, "</title>\n");
	bool has_link = link.n > 0;
	weft_buf_fini(&link);
	return has_link;
}

static void draw_box(struct drawing *d, uint32_t box)
{
	const struct weft_fold_group *g = &d->v->fold.group[box];
	char first[96], second[96];
	double w = d->v->width[box], x = d->left + d->v->layout.x[box] - w / 2, y = layer_top(d, d->v->layout.layer[box]);
	double border = g->critical ? 2.5 : 1;
	bool link = begin_box(d, box);
	graph_label(d->v, box, first, second);
	picture_rect(&d->p, x, y, w, GRAPH_BOX, g->critical ? CRITICAL : BORDER, 5);
	picture_rect(&d->p, x + border, y + border, w - 2 * border, GRAPH_BOX - 2 * border, 0xffffff, 4);
	picture_rect(&d->p, x + border, y + border, 6, GRAPH_BOX - 2 * border, d->v->colour[g->kind], 2);
	picture_text(&d->p, x + 13, y + 14, SVG_LEFT, "l", first, GRAPH_LABEL_MOST);
	picture_text(&d->p, x + 13, y + 28, SVG_LEFT, "s", second, 0);
	if (d->p.form == WEFT_PICTURE_SVG)
		weft_buf_puts(d->p.out, link ? "</a></g>\n" : "</g>\n");
}

/* ---- all of it ---- */

static void draw_heading(struct drawing *d, double y_legend)
{
	char title[600], words[300], shown[200] = "";
	const struct graph_view *v = d->v;
	graph_title(v, d->how, title, sizeof title);
	graph_words(v, words, sizeof words);
	picture_text(&d->p, MARGIN, 34, SVG_LEFT, "t", title, 120);
	picture_text(&d->p, MARGIN, 54, SVG_LEFT, "s", words, 0);
	if (v->by != GRAPH_NONE && v->stride > 1)
		snprintf(shown, sizeof shown, "Equal tasks of %u %ss are one box.", v->stride, graph_by_names[v->by]);
	else if (v->by != GRAPH_NONE)
		snprintf(shown, sizeof shown, "Equal tasks of one %s are one box.", graph_by_names[v->by]);
	picture_text(&d->p, MARGIN, 71, SVG_LEFT, "s", shown, 0);
	legend(d, y_legend, true);
}

int graph_draw(struct weft_buf *out, enum weft_picture_form form, const struct graph_view *v, const struct graph_how *how)
{
	struct drawing d = {.v = v, .how = how, .width = LEAST_WIDTH};
	char title[600];
	if (v->layout.width + 2 * MARGIN > d.width)
		d.width = (unsigned)ceil(v->layout.width) + 2 * MARGIN;
	double y_legend = *graph_by_names[v->by] && v->by != GRAPH_NONE ? 92 : 78, y_chart = legend(&d, y_legend, false) + 22;
	d.left = (d.width - v->layout.width) / 2;
	d.top = y_chart + CHART + 44;
	d.height = (unsigned)(d.top + (double)v->layout.n_layers * GRAPH_LAYER - (GRAPH_LAYER - GRAPH_BOX) + MARGIN);
	if (form == WEFT_PICTURE_PNG && (d.width > SIDE_MOST || d.height > SIDE_MOST || (double)d.width * d.height > PIXELS_MOST))
		return -E2BIG;
	graph_title(v, how, title, sizeof title);
	int rc = picture_begin(&d.p, form, out, d.width, d.height, title);
	if (!rc) {
		draw_heading(&d, y_legend);
		rc = draw_chart(&d, y_chart);
	}
	if (!rc)
		rc = draw_edges(&d);
	for (uint32_t k = 0; !rc && k < v->fold.n; k++)
		draw_box(&d, k);
	int ended = picture_end(&d.p);
	return rc ? rc : ended;
}
