/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout, from the cells:
 *
 *     title
 *     what is shown                          | 10 ms      | 20 ms      |              axis
 *     process    thread       [####======##############....####===]     83 %          a row: its cells, its share of running
 *                thread       [##====####....                     ]     41 %
 *     [] region 41 %   [] region 20 %   ...                                           legend, by time
 *     what is not shown
 *
 * All cells of one region are one path: a picture has few elements, and a pointer over any of them names the region.
 */
#include "timeline.h"
#include "axis.h"
#include "cells.h"
#include "palette.h"
#include "svg.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 16.0
#define GROUP_GAP 6.0
#define TICK_ROOM 95.0
#define LABEL_MOST 22u /* characters */
#define SHARE_WIDTH 58.0
#define LEGEND_MOST 40u
#define LEGEND_LINE 19.0
#define ALIVE_COLOUR 0xeef0f2u
#define ALIVE_ONLY_COLOUR 0x9fb6cbu /* when no thread has regions: all that there is to see */

struct layout {
	const struct weft_trace *t;
	const struct weft_timeline_how *how;
	struct weft_cells cells;
	struct picture pic;
	unsigned width;
	double process_width, thread_width;
	double left, right, top, bottom; /* of the plot */
	double row_height, row_gap;
	double *row_y;    /* top of each row */
	uint32_t *legend; /* ids of regions in the picture, most time first */
	uint32_t *colour; /* of each of them */
	unsigned n_legend;
	uint64_t all_ns; /* of all rows */
	uint64_t n_messages;
	const uint32_t *row_of; /* thread -> row, or WEFT_NONE */
};

/* Rows get smaller the more there are: {up to so many rows, height, gap} */
static const struct {
	unsigned rows;
	double height, gap;
} row_sizes[] = {{24, 18, 4}, {64, 11, 2}, {160, 6, 1}, {UINT32_MAX, 3, 0}};

static bool has_labels(struct layout *l)
{
	return l->row_height >= 9;
}

static uint32_t alive_colour(struct layout *l)
{
	return l->n_legend ? ALIVE_COLOUR : ALIVE_ONLY_COLOUR;
}

static const char *alive_name(struct layout *l)
{
	return l->n_legend ? "in no region" : "alive (no regions were recorded)";
}

/* ---- texts ---- */

/* Its name; with its rank, unless the name says that itself. */
static void process_label(struct layout *l, uint32_t thread, char *out, size_t n)
{
	const struct weft_process *p = &l->t->process[l->t->thread[thread].process];
	char rank[16] = "";
	size_t name_bytes = strlen(p->name);
	if (p->rank >= 0)
		snprintf(rank, sizeof rank, "%d", p->rank);
	size_t rank_bytes = strlen(rank);
	if (!name_bytes && p->rank >= 0)
		snprintf(out, n, "rank %s", rank);
	else if (!name_bytes)
		snprintf(out, n, "%" PRId64, p->pid);
	else if (rank_bytes && (name_bytes < rank_bytes || strcmp(p->name + name_bytes - rank_bytes, rank) != 0))
		snprintf(out, n, "%s %s", p->name, rank);
	else
		snprintf(out, n, "%s", p->name);
}

static void thread_label(struct layout *l, uint32_t thread, char *out, size_t n)
{
	const struct weft_thread_row *h = &l->t->thread[thread];
	const struct weft_process *p = &l->t->process[h->process];
	bool own_name = h->name[0] && strcmp(h->name, p->name) != 0;
	if (own_name)
		snprintf(out, n, "%s", h->name);
	else if (p->n_threads > 1 && h->number == 1)
		snprintf(out, n, "main");
	else if (p->n_threads > 1)
		snprintf(out, n, "thread %u", h->number);
	else
		snprintf(out, n, "%" PRId64, p->pid);
}

static bool is_first_of_process(struct layout *l, unsigned row)
{
	return row == 0 || l->t->thread[l->cells.thread[row]].process != l->t->thread[l->cells.thread[row - 1]].process;
}

/* ---- what is where ---- */

/* Of all threads: which of them have a row is known only when the cells are. */
static void measure_labels(struct layout *l)
{
	char text[200];
	for (uint32_t i = 0; i < l->t->n_threads; i++) {
		process_label(l, i, text, sizeof text);
		double w = svg_text_width(text, LABEL_MOST) + 12;
		l->process_width = w > l->process_width ? w : l->process_width;
		thread_label(l, i, text, sizeof text);
		w = svg_text_width(text, LABEL_MOST) + 12;
		l->thread_width = w > l->thread_width ? w : l->thread_width;
	}
}

static void choose_row_size(struct layout *l, unsigned rows)
{
	unsigned i = 0;
	while (rows > row_sizes[i].rows)
		i++;
	l->row_height = row_sizes[i].height;
	l->row_gap = row_sizes[i].gap;
}

static int place_rows(struct layout *l)
{
	double y = l->top;
	l->row_y = calloc(l->cells.n_rows + 1, sizeof *l->row_y);
	if (!l->row_y)
		return -ENOMEM;
	for (unsigned i = 0; i < l->cells.n_rows; i++) {
		if (i && is_first_of_process(l, i) && has_labels(l))
			y += GROUP_GAP;
		l->row_y[i] = y;
		y += l->row_height + l->row_gap;
	}
	l->bottom = y + 2;
	return 0;
}

struct ranked {
	uint32_t region;
	uint64_t ns;
};

static int by_time(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

/* The regions of the picture, by time, and their colours. */
static int make_legend(struct layout *l)
{
	const struct weft_def_table *regions = &l->t->def[l->cells.of];
	unsigned room = regions->n + 1;
	struct ranked *ranked = calloc(room, sizeof *ranked);
	struct weft_palette_name *names = calloc(room, sizeof *names);
	int rc = -ENOMEM;
	l->legend = calloc(room, sizeof *l->legend);
	l->colour = calloc(room, sizeof *l->colour);
	if (!ranked || !names || !l->legend || !l->colour)
		goto out;
	for (uint32_t r = 1; r < regions->n; r++)
		if (l->cells.total[r])
			ranked[l->n_legend++] = (struct ranked){r, l->cells.total[r]};
	qsort(ranked, l->n_legend, sizeof *ranked, by_time);
	for (unsigned i = 0; i < l->n_legend; i++) {
		l->legend[i] = ranked[i].region;
		names[i] = (struct weft_palette_name){regions->at[ranked[i].region].name,
		                                      weft_cells_state_class(l->t, l->cells.of, ranked[i].region)};
	}
	for (unsigned i = 0; i < l->cells.n_rows; i++)
		l->all_ns += l->cells.alive[i];
	rc = weft_palette_choose(names, l->n_legend, l->colour);
out:
	free(ranked);
	free(names);
	return rc;
}

static int lay_out(struct layout *l)
{
	measure_labels(l);
	l->left = (unsigned)(MARGIN + l->process_width + l->thread_width);
	l->right = l->width - MARGIN - SHARE_WIDTH;
	struct weft_cells_how how = {
		.from = l->how->from,
		.to = l->how->to,
		.width = l->right - l->left >= 100 ? (unsigned)(l->right - l->left) : 100,
		.most_rows = l->how->most_rows ? l->how->most_rows : 512,
		.threads = l->how->threads,
		.own_threads = l->how->own_threads,
	};
	l->right = l->left + how.width;
	int rc = weft_cells_make(&l->cells, l->t, &how);
	if (rc)
		return rc;
	choose_row_size(l, l->cells.n_rows);
	l->top = 76;
	rc = place_rows(l);
	return rc ? rc : make_legend(l);
}

/* ---- drawing ---- */

static double x_of(struct layout *l, uint64_t time)
{
	return l->left + (l->right - l->left) * ((double)time - (double)l->cells.from) / (double)(l->cells.to - l->cells.from);
}

static void draw_heading(struct layout *l)
{
	char text[300], span[32], all[32], count[32], messages[60] = "";
	const struct weft_cells *c = &l->cells;
	const char *name = strrchr(l->t->path, '/');
	unsigned processes = 0;
	for (unsigned i = 0; i < c->n_rows; i++)
		processes += is_first_of_process(l, i);
	picture_text(&l->pic, MARGIN, 29, SVG_LEFT, "t",
	             l->how->title     ? l->how->title
	             : name && name[1] ? name + 1
	                               : l->t->path,
	             100);
	if (l->n_messages)
		snprintf(messages, sizeof messages, " \xc2\xb7 %s message%s", weft_human_count(count, l->n_messages),
		         l->n_messages == 1 ? "" : "s");
	snprintf(text, sizeof text, "%s of %s \xc2\xb7 %u thread%s of %u process%s%s", weft_human_ns(span, c->to - c->from),
	         weft_human_ns(all, l->t->end), c->n_rows, c->n_rows == 1 ? "" : "s", processes, processes == 1 ? "" : "es",
	         messages);
	picture_text(&l->pic, MARGIN, 47, SVG_LEFT, "s", text, 0);
}

static void draw_axis(struct layout *l)
{
	const struct weft_cells *c = &l->cells;
	double width = l->right - l->left;
	uint64_t step = weft_axis_step(c->to - c->from, width > 2 * TICK_ROOM ? (unsigned)(width / TICK_ROOM) : 2);
	for (uint64_t at = (c->from + step - 1) / step * step; at <= c->to; at += step) {
		char text[32];
		double x = x_of(l, at);
		picture_line(&l->pic, (int)x + 0.5, l->top - 6, (int)x + 0.5, l->bottom, "g");
		picture_text(&l->pic, x, l->top - 10, x > l->right - 25 ? SVG_RIGHT : SVG_MIDDLE, "a",
		             weft_axis_label(text, at, step, c->to), 0);
	}
	if (has_labels(l) && l->n_legend)
		picture_text(&l->pic, l->width - MARGIN, l->top - 10, SVG_RIGHT, "a", "running", 0);
}

static void draw_row_labels(struct layout *l)
{
	char text[200];
	double dy = l->row_height / 2 + 4;
	for (unsigned i = 0; i < l->cells.n_rows; i++) {
		if (is_first_of_process(l, i) && (has_labels(l) || i == 0 || l->row_y[i] - l->row_y[i - 1] >= 9)) {
			process_label(l, l->cells.thread[i], text, sizeof text);
			picture_text(&l->pic, MARGIN, l->row_y[i] + dy, SVG_LEFT, "b", text, LABEL_MOST);
		}
		if (!has_labels(l))
			continue;
		thread_label(l, l->cells.thread[i], text, sizeof text);
		picture_text(&l->pic, l->left - 8, l->row_y[i] + dy, SVG_RIGHT, "l", text, LABEL_MOST);
		if (l->cells.alive[i] == 0 || !l->n_legend)
			continue;
		snprintf(text, sizeof text, "%.0f %%", 100.0 * (double)l->cells.running[i] / (double)l->cells.alive[i]);
		picture_text(&l->pic, l->width - MARGIN, l->row_y[i] + dy, SVG_RIGHT, "s", text, 0);
	}
}

/* All cells of one region as one path of rectangles; what names it is its title. */
static void draw_region(struct layout *l, uint32_t region, uint32_t colour, const char *name)
{
	const struct weft_cells *c = &l->cells;
	picture_path_begin(&l->pic, colour, name);
	for (unsigned row = 0; row < c->n_rows; row++) {
		const uint32_t *cell = c->cell + (size_t)row * c->width;
		for (unsigned i = 0, end; i < c->width; i = end) {
			for (end = i + 1; end < c->width && cell[end] == cell[i];)
				end++;
			if (cell[i] == region)
				picture_path_rect(&l->pic, (unsigned)l->left + i, l->row_y[row], end - i, l->row_height);
		}
	}
	picture_path_end(&l->pic);
}

static void draw_cells(struct layout *l)
{
	draw_region(l, 0, alive_colour(l), alive_name(l));
	for (unsigned i = 0; i < l->n_legend; i++)
		draw_region(l, l->legend[i], l->colour[i], l->t->def[l->cells.of].at[l->legend[i]].name);
}

/* Whether both ends can be drawn. */
static bool message_shown(struct layout *l, uint64_t i)
{
	const struct weft_messages *m = &l->t->message;
	if (m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE)
		return false;
	return l->row_of[m->send_thread[i]] != WEFT_NONE && l->row_of[m->recv_thread[i]] != WEFT_NONE &&
	       m->send_began[i] < l->cells.to && m->recv_done[i] >= l->cells.from && m->send_began[i] >= l->cells.from &&
	       m->recv_done[i] < l->cells.to;
}

static int count_messages(struct layout *l)
{
	uint32_t *row_of = malloc(((size_t)l->t->n_threads + 1) * sizeof *row_of);
	if (!row_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->t->n_threads; i++)
		row_of[i] = WEFT_NONE;
	for (unsigned i = 0; i < l->cells.n_rows; i++)
		row_of[l->cells.thread[i]] = i;
	l->row_of = row_of;
	for (uint64_t i = 0; i < l->t->message.n; i++)
		l->n_messages += message_shown(l, i);
	return 0;
}

static void draw_messages(struct layout *l)
{
	const struct weft_messages *m = &l->t->message;
	if (l->n_messages > l->how->most_messages)
		return;
	for (uint64_t i = 0; i < m->n; i++)
		if (message_shown(l, i))
			picture_line(&l->pic, x_of(l, m->send_began[i]),
			             l->row_y[l->row_of[m->send_thread[i]]] + l->row_height / 2, x_of(l, m->recv_done[i]),
			             l->row_y[l->row_of[m->recv_thread[i]]] + l->row_height / 2, "m");
}

/* Entries in lines; returns the bottom. With `draw` false only measures. */
static double legend(struct layout *l, bool draw)
{
	double x = MARGIN, y = l->bottom + 24;
	unsigned n = l->n_legend < LEGEND_MOST ? l->n_legend : LEGEND_MOST;
	for (unsigned i = 0; i <= n; i++) {
		bool outside = i == n;
		uint32_t region = outside ? 0 : l->legend[i];
		const char *name = outside ? alive_name(l) : l->t->def[l->cells.of].at[region].name;
		double share = l->all_ns ? 100.0 * (double)l->cells.total[region] / (double)l->all_ns : 0;
		if (outside && share < 0.5)
			break;
		char percent[16] = "";
		if (l->n_legend && share < 0.05)
			snprintf(percent, sizeof percent, "< 0.1 %%");
		else if (l->n_legend)
			snprintf(percent, sizeof percent, "%.*f %%", share < 9.95 ? 1 : 0, share);
		double width = 17 + svg_text_width(name, 40) + 5 + svg_text_width(percent, 0) + 14;
		if (x > MARGIN && x + width > l->width - MARGIN) {
			x = MARGIN;
			y += LEGEND_LINE;
		}
		if (draw) {
			picture_rect(&l->pic, x, y - 10, 12, 12, outside ? alive_colour(l) : l->colour[i], 2);
			picture_text_pair(&l->pic, x + 17, y, name, 40, percent);
		}
		x += width;
	}
	return y;
}

/* What is left out of the picture, in words. */
static void notes(struct layout *l, char *out, size_t n)
{
	char count[32];
	size_t at = 0;
	*out = '\0';
	const struct {
		uint64_t n;
		const char *one, *many;
	} note[] = {
		{l->n_messages > l->how->most_messages ? l->n_messages : 0, "message is not drawn", "messages are not drawn"},
		{l->n_legend > LEGEND_MOST ? l->n_legend - LEGEND_MOST : 0, "region is not in the legend",
	         "regions are not in the legend"},
		{l->cells.without_regions, "thread without regions is not shown", "threads without regions are not shown"},
		{l->cells.beyond, "more thread is not shown", "more threads are not shown"},
	};
	for (unsigned i = 0; i < sizeof note / sizeof *note; i++)
		if (note[i].n && at < n)
			at += (size_t)snprintf(out + at, n - at, "%s%s %s", at ? "; " : "", weft_human_count(count, note[i].n),
			                       note[i].n == 1 ? note[i].one : note[i].many);
}

static int draw(struct layout *l, enum weft_picture_form form, struct weft_buf *out)
{
	char text[400];
	notes(l, text, sizeof text);
	double end = legend(l, false);
	if (text[0])
		end += LEGEND_LINE;
	int rc = picture_begin(&l->pic, form, out, l->width, (unsigned)end + 14, l->how->title ? l->how->title : l->t->path);
	if (!rc) {
		draw_heading(l);
		draw_axis(l);
		draw_cells(l);
		draw_messages(l);
		draw_row_labels(l);
		legend(l, true);
		if (text[0])
			picture_text(&l->pic, MARGIN, end, SVG_LEFT, "s", text, 0);
	}
	return picture_end(&l->pic);
}

int weft_timeline_draw(struct weft_buf *out, enum weft_picture_form form, const struct weft_trace *t,
                       const struct weft_timeline_how *how)
{
	struct layout l = {.t = t, .how = how, .width = how->width ? how->width : 1200};
	int rc = lay_out(&l);
	if (rc == 0)
		rc = count_messages(&l);
	if (rc == 0)
		rc = draw(&l, form, out);
	if (rc == 0 && out->failed)
		rc = -ENOMEM;
	weft_cells_fini(&l.cells);
	free(l.row_y);
	free(l.legend);
	free(l.colour);
	free((void *)l.row_of);
	return rc;
}
