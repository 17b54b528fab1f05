/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout, from the cells:
 *
 *     the window's name
 *     trace · range · rows · how                | 10 ms      | 20 ms      |            axis
 *     THREAD 1.1.1   [####======##############....####===]
 *     THREAD 1.2.1   [##====####....                     ]
 *     [] MPI_Send  [] MPI_Recv …   or   0 us [gradient] 120 us                         legend
 *     rows that were fused or left out
 */
#include "render/draw/axis.h"
#include "row_label.h"
#include "view_priv.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MOST = 30, LABEL_PITCH = 12, TICK_ROOM = 95, FUSED_HEIGHT = 320, TOP = 76 };

/* Rows get smaller the more there are: {up to so many rows, pixels of a line, dark ones of them} */
static const struct {
	uint32_t rows;
	unsigned pitch, gap;
} row_sizes[] = {{1, 64, 0},  {4, 32, 3},  {24, 20, 3}, {64, 12, 1},       {120, 8, 1},
                 {180, 5, 0}, {320, 3, 0}, {480, 2, 0}, {UINT32_MAX, 1, 0}};

static const char *const draw_words[WEFT_DRAWS] = {"last value",           "maximum",
                                                   "least but 0",          "a random value",
                                                   "a random value but 0", "average",
                                                   "average but 0",        "most frequent value",
                                                   "absolute maximum",     "absolute minimum but 0"};
/* one, many */
static const char *const level_words[WEFT_LEVELS][2] = {
	[WEFT_WORKLOAD] = {"workload", "workloads"},
	[WEFT_APPL] = {"application", "applications"},
	[WEFT_TASK] = {"process", "processes"},
	[WEFT_THREAD] = {"thread", "threads"},
	[WEFT_SYSTEM] = {"system", "systems"},
	[WEFT_NODE] = {"node", "nodes"},
	[WEFT_CPU] = {"cpu", "cpus"},
};

/* ---- rows and cells ---- */

int weft_window_rows(const struct weft_space *s, const struct weft_window *w, uint32_t **rows, uint32_t *n)
{
	uint32_t all = weft_level_size(s, w->metric.level);
	*n = 0;
	*rows = malloc(((size_t)all + 1) * sizeof **rows);
	if (!*rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < all; i++) {
		bool in_zoom = w->zoom_last == WEFT_NONE || (i >= w->zoom_first && i <= w->zoom_last);
		if (in_zoom && (!w->selected || w->selected[i]))
			(*rows)[(*n)++] = i;
	}
	return 0;
}

static enum weft_draw time_draw(const struct weft_view_timeline_how *how)
{
	return how->time_draw < WEFT_DRAWS ? how->time_draw : how->window->draw_time;
}

static enum weft_draw rows_draw(const struct weft_view_timeline_how *how)
{
	return how->rows_draw < WEFT_DRAWS ? how->rows_draw : how->window->draw_rows;
}

static int choose_rows(struct view_layout *l)
{
	int rc = weft_window_rows(l->how->space, l->how->window, &l->row, &l->n_rows);
	if (!rc && l->how->most_rows && l->n_rows > l->how->most_rows) {
		l->left_out = l->n_rows - l->how->most_rows;
		l->n_rows = l->how->most_rows;
	}
	return rc;
}

static int make_cells(const struct view_layout *l, struct weft_metric_cells *c, const struct weft_window *w, unsigned width)
{
	const struct weft_view_timeline_how *how = l->how;
	struct weft_metric_cells_how cells = {
		.space = how->space,
		.metric = &w->metric,
		.row = l->row,
		.n_rows = l->n_rows,
		.from = how->from,
		.to = how->to,
		.width = width,
		.draw = time_draw(how),
		.threads = how->threads,
	};
	return weft_metric_cells_make(c, &cells);
}

/* The scale: as it is said, as the window says, else what the cells show. */
static void set_scale(struct view_layout *l)
{
	const struct weft_window *w = l->how->window;
	double min = INFINITY, max = -INFINITY;
	for (size_t i = 0, n = (size_t)l->cells.n_rows * l->cells.width; i < n; i++) {
		double v = l->cells.cell[i];
		if (v == 0 && l->colors.kind == COLOR_NOT_NULL)
			continue;
		min = v < min ? v : min;
		max = v > max ? v : max;
	}
	if (!(min <= max))
		min = max = 0;
	bool nothing_said = !(w->y_max > w->y_min);
	l->colors.min = l->how->has_min ? l->how->min : w->compute_y_min || nothing_said ? min : w->y_min;
	l->colors.max = l->how->has_max ? l->how->max : w->compute_y_max || nothing_said ? max : w->y_max;
}

/* The window that colours points, when it has the same rows. */
static const struct weft_window *dots_window(const struct view_layout *l)
{
	const struct weft_window *w = l->how->window;
	for (uint32_t i = 0; l->style == WEFT_STYLE_POINTS && i < w->other.n; i++) {
		unsigned long number = strcmp(w->other.at[i].key, "window_punctual_color_window")
		                               ? 0
		                               : strtoul(w->other.at[i].text, NULL, 10);
		if (number >= 1 && number <= l->how->view->n_windows &&
		    l->how->view->window[number - 1].metric.level == w->metric.level)
			return &l->how->view->window[number - 1];
	}
	return NULL;
}

static int timeline_compute(struct view_layout *l)
{
	struct weft_window w = *l->how->window;
	const struct weft_window *dots = dots_window(l);
	if (l->how->color < WEFT_COLORS)
		w.color = l->how->color;
	int rc = coloring_init(&l->colors, &w, l->how->space->trace);
	if (!rc)
		rc = make_cells(l, &l->cells, l->how->window, l->plot_width);
	if (!rc)
		set_scale(l);
	if (!rc && dots)
		rc = coloring_init(&l->dot_colors, dots, l->how->space->trace);
	if (!rc && dots)
		rc = make_cells(l, &l->dots, dots, l->plot_width);
	unsigned lines = l->how->height ? l->how->height : 960;
	if (!rc && l->style != WEFT_STYLE_FUSED)
		rc = weft_metric_cells_fuse(&l->cells, lines, rows_draw(l->how));
	if (!rc && l->dots.cell)
		rc = weft_metric_cells_fuse(&l->dots, lines, rows_draw(l->how));
	return rc;
}

/* ---- layout ---- */

static int measure_labels(const struct view_layout *l, double *width)
{
	struct weft_buf label = {0};
	*width = 40;
	for (uint32_t i = 0; i < l->n_rows && !label.failed; i++) {
		label.n = 0;
		row_label(l->how->space, l->how->window->metric.level, l->row[i], &label);
		double w = label.n ? svg_text_width(label.at, LABEL_MOST) : 0;
		*width = w > *width ? w : *width;
	}
	int rc = label.failed ? -ENOMEM : 0;
	weft_buf_fini(&label);
	return rc;
}

static void choose_sizes(struct view_layout *l)
{
	unsigned i = 0, most = l->how->height ? l->how->height : 960;
	while (l->n_rows > row_sizes[i].rows || (row_sizes[i].pitch > 1 && l->n_rows * row_sizes[i].pitch > most))
		i++;
	l->pitch = row_sizes[i].pitch;
	l->gap = row_sizes[i].gap;
	uint32_t lines = l->n_rows < most ? l->n_rows : most;
	l->plot_height = l->style == WEFT_STYLE_FUSED ? (most < FUSED_HEIGHT ? most : FUSED_HEIGHT)
	                                              : (lines ? lines * l->pitch : 1) - (lines ? l->gap : 0);
}

static int lay_out(struct view_layout *l)
{
	double labels;
	enum weft_color color = l->how->color < WEFT_COLORS ? l->how->color : l->how->window->color;
	l->style = l->how->style != WEFT_STYLE_COLOR ? l->how->style
	           : color == WEFT_COLOR_PUNCTUAL    ? WEFT_STYLE_POINTS
	           : color == WEFT_COLOR_FUSED       ? WEFT_STYLE_FUSED
	                                             : WEFT_STYLE_COLOR;
	int rc = choose_rows(l);
	if (!rc)
		rc = measure_labels(l, &labels);
	if (rc)
		return rc;
	l->width = l->how->width ? l->how->width : 1200;
	l->left = VIEW_MARGIN + (unsigned)labels + 10;
	l->top = TOP;
	l->plot_width = l->width - VIEW_MARGIN - l->left;
	choose_sizes(l);
	return timeline_compute(l);
}

/* ---- drawing ---- */

const char *view_title(const struct view_layout *l)
{
	const char *path = l->how->space->trace->path, *name = strrchr(path, '/');
	if (l->how->title)
		return l->how->title;
	if (l->how->window)
		return l->how->window->metric.name ? l->how->window->metric.name : "";
	return name && name[1] ? name + 1 : path;
}

static uint64_t ns_of(const struct view_layout *l, double time)
{
	return time <= 0 ? 0 : (uint64_t)(time * (double)l->how->space->unit_ns);
}

static void draw_heading(struct view_layout *l)
{
	char text[400], span[32], all[32], pixel[32], count[32];
	const struct weft_view_timeline_how *how = l->how;
	const char *path = how->file ? how->file : how->space->trace->path, *name = strrchr(path, '/');
	uint64_t ns = ns_of(l, how->to - how->from);
	picture_text(&l->pic, VIEW_MARGIN, 29, SVG_LEFT, "t", view_title(l), 100);
	snprintf(text, sizeof text, "%s \xc2\xb7 %s of %s \xc2\xb7 %s %s \xc2\xb7 a pixel is %s: %s",
	         name && name[1] ? name + 1 : path, weft_human_ns(span, ns), weft_human_ns(all, ns_of(l, how->space->end)),
	         weft_human_count(count, l->n_rows), level_words[how->window->metric.level][l->n_rows != 1],
	         weft_human_ns(pixel, ns / l->plot_width), draw_words[time_draw(how)]);
	picture_text(&l->pic, VIEW_MARGIN, 47, SVG_LEFT, "s", text, (l->width - 2 * VIEW_MARGIN) / 6);
}

static void draw_axis(struct view_layout *l)
{
	uint64_t from = ns_of(l, l->how->from), to = ns_of(l, l->how->to);
	uint64_t step = weft_axis_step(to > from ? to - from : 1, l->plot_width > 2 * TICK_ROOM ? l->plot_width / TICK_ROOM : 2);
	for (uint64_t at = (from + step - 1) / step * step; at <= to; at += step) {
		char text[32];
		double x = l->left + l->plot_width * ((double)at - (double)from) / (double)(to > from ? to - from : 1);
		picture_line(&l->pic, (int)x + 0.5, l->top - 6, (int)x + 0.5,
		             l->look->grid ? l->top + l->plot_height + 2 : l->top - 1, l->look->tick);
		picture_text(&l->pic, x, l->top - 10, x > l->left + l->plot_width - 25 ? SVG_RIGHT : SVG_MIDDLE, "a",
		             weft_axis_label(text, at, step, to), 0);
	}
}

/* Each row's label, or every so many rows' when they have no room. */
static int draw_labels(struct view_layout *l)
{
	struct weft_buf label = {0};
	uint32_t lines = l->cells.n_rows;
	double before = -1000;
	if (l->style == WEFT_STYLE_FUSED)
		return 0;
	for (uint32_t i = 0; i < l->n_rows && !label.failed; i++) {
		double y = l->top + (double)weft_metric_cells_line(i, l->n_rows, lines) * l->pitch + (l->pitch - l->gap) / 2.0;
		if (y - before < LABEL_PITCH)
			continue;
		before = y;
		label.n = 0;
		row_label(l->how->space, l->how->window->metric.level, l->row[i], &label);
		if (label.n)
			picture_text(&l->pic, l->left - 8, y + 4, SVG_RIGHT, "l", label.at, LABEL_MOST);
		if (l->pitch < LABEL_PITCH)
			picture_line(&l->pic, l->left - 5, floor(y) + 0.5, l->left, floor(y) + 0.5, "k");
	}
	int rc = label.failed ? -ENOMEM : 0;
	weft_buf_fini(&label);
	return rc;
}

/* What the picture does not show as it is, in words; an empty text when there is nothing. */
static void timeline_notes(const struct view_layout *l, char *out, size_t n)
{
	char a[32], b[32];
	const char *many = level_words[l->how->window->metric.level][1];
	size_t at = 0;
	*out = 0;
	if (l->cells.n_rows < l->n_rows)
		at += (size_t)snprintf(out, n, "%s %s in %s lines: of those that share one, the %s",
		                       weft_human_count(a, l->n_rows), many, weft_human_count(b, l->cells.n_rows),
		                       draw_words[rows_draw(l->how)]);
	if (l->left_out)
		snprintf(out + at, n - at, "%s%s more %s are not shown", at ? "; " : "", weft_human_count(a, l->left_out), many);
	else if (!l->n_rows)
		snprintf(out + at, n - at, "the window has no rows in this trace");
}

static int draw_plot(struct view_layout *l)
{
	uint8_t *rgb = view_paint(l);
	if (!rgb)
		return -ENOMEM;
	int rc = view_marks(l, rgb);
	if (!rc)
		picture_image(&l->pic, l->left, l->top, rgb, l->plot_width, l->plot_height);
	free(rgb);
	return rc;
}

static const struct view_look look_of_paraver = {lay_out, timeline_notes, draw_heading, "k",
                                                 false,   draw_plot,      draw_labels,  view_legend};

int view_draw(struct view_layout *l, enum weft_picture_form form, struct weft_buf *out)
{
	char text[400];
	int rc = l->look->lay_out(l);
	if (rc)
		return rc;
	unsigned legend_top = l->top + l->plot_height + 26;
	int bottom = l->look->legend(l, legend_top, false);
	if (bottom < 0)
		return bottom;
	l->look->notes(l, text, sizeof text);
	unsigned end = (unsigned)bottom + (text[0] ? VIEW_LEGEND_LINE : 0);
	rc = picture_begin(&l->pic, form, out, l->width, end + 14, view_title(l));
	if (!rc) {
		l->look->heading(l);
		draw_axis(l);
		rc = l->look->plot(l);
		if (!rc)
			rc = l->look->labels(l);
		if (l->look->legend(l, legend_top, true) < 0)
			rc = -ENOMEM;
		if (text[0])
			picture_text(&l->pic, VIEW_MARGIN, end, SVG_LEFT, "s", text, 0);
	}
	int end_rc = picture_end(&l->pic);
	return rc ? rc : end_rc ? end_rc : out->failed ? -ENOMEM : 0;
}

void view_layout_fini(struct view_layout *l)
{
	weft_metric_cells_fini(&l->cells);
	weft_metric_cells_fini(&l->dots);
	coloring_fini(&l->colors);
	coloring_fini(&l->dot_colors);
	free(l->row);
}

int weft_view_timeline_draw(struct weft_buf *out, enum weft_picture_form form, const struct weft_view_timeline_how *how)
{
	struct view_layout l = {.how = how, .look = &look_of_paraver};
	int rc = view_draw(&l, form, out);
	view_layout_fini(&l);
	return rc;
}

static void put_number(struct weft_buf *out, double v)
{
	char z[WEFT_FMT_DOUBLE];
	weft_buf_add(out, z, weft_fmt_double(z, v));
}

int weft_view_timeline_csv(struct weft_buf *out, const struct weft_view_timeline_how *how)
{
	struct view_layout l = {.how = how};
	struct weft_buf label = {0};
	unsigned width = how->width ? how->width : 1200;
	int rc = choose_rows(&l);
	if (!rc)
		rc = make_cells(&l, &l.cells, how->window, width);
	weft_buf_puts(out, "row");
	for (unsigned x = 0; x < width && !rc; x++) {
		weft_buf_putc(out, ',');
		put_number(out, weft_unit_convert(how->from + (how->to - how->from) * x / width, how->space->unit,
		                                  how->window->metric.unit));
	}
	weft_buf_putc(out, '\n');
	for (uint32_t i = 0; i < l.cells.n_rows && !rc; i++) {
		label.n = 0;
		weft_object_label(how->space, how->window->metric.level, l.row[i], &label);
		weft_buf_putc(out, '"');
		for (size_t k = 0; k < label.n; k++)
			weft_buf_puts(out, label.at[k] == '"' ? "\"\"" : (char[]){label.at[k], 0});
		weft_buf_putc(out, '"');
		for (unsigned x = 0; x < width; x++) {
			weft_buf_putc(out, ',');
			put_number(out, l.cells.cell[(size_t)i * width + x]);
		}
		weft_buf_putc(out, '\n');
	}
	rc = rc ? rc : out->failed || label.failed ? -ENOMEM : 0;
	weft_buf_fini(&label);
	view_layout_fini(&l);
	return rc;
}
