/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the window over regions looks:
 *
 *     title
 *     what is shown                          | 10 ms      | 20 ms      |              axis
 *     process    thread       [####======##############....####===]     83 %          a row: its cells, its share of running
 *                thread       [##====####....                     ]     41 %
 *     [] region 41 %   [] region 20 %   ...                                           legend, by time
 *     what is not shown
 *
 * All cells of one region are one path: a picture has few elements, and a pointer over any of them
 * names the region.
 */
#include "render/draw/palette.h"
#include "region_priv.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_GAP 6.0
#define ALIVE_COLOR 0xeef0f2u
#define ALIVE_ONLY_COLOR 0x9fb6cbu /* when no thread has regions: all that there is to see */
enum { LABEL_MOST = 22, SHARE_WIDTH = 58, LEGEND_MOST = 40, NAME_MOST = 40, TOP = 76, PLOT_LEAST = 100 };

/* Rows get smaller the more there are: {up to so many rows, height, gap} */
static const struct {
	unsigned rows;
	double height, gap;
} row_sizes[] = {{24, 18, 4}, {64, 11, 2}, {160, 6, 1}, {UINT32_MAX, 3, 0}};

static bool has_labels(const struct view_layout *l)
{
	return l->regions->row_height >= 9;
}

static uint32_t value_color(const struct view_layout *l, uint32_t value)
{
	return value ? l->regions->color[value] : l->regions->n_legend ? ALIVE_COLOR : ALIVE_ONLY_COLOR;
}

static const char *value_name(const struct view_layout *l, uint32_t value)
{
	const struct region_picture *r = l->regions;
	if (value)
		return r->name[value] ? r->name[value] : "?";
	return r->n_legend ? "in no region" : "alive (no regions were recorded)";
}

/* ---- texts ---- */

/* Its name; with its rank, unless the name says that itself. */
static void process_label(const struct weft_trace *t, uint32_t thread, char *out, size_t n)
{
	const struct weft_process *p = &t->process[t->thread[thread].process];
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

static void thread_label(const struct weft_trace *t, uint32_t thread, char *out, size_t n)
{
	const struct weft_thread_row *h = &t->thread[thread];
	const struct weft_process *p = &t->process[h->process];
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

static bool is_first_of_process(const struct view_layout *l, unsigned row)
{
	const struct region_picture *r = l->regions;
	return row == 0 || r->t->thread[r->thread[row]].process != r->t->thread[r->thread[row - 1]].process;
}

/* ---- what is where ---- */

static void measure_labels(struct view_layout *l)
{
	struct region_picture *r = l->regions;
	char text[200];
	for (uint32_t i = 0; i < r->t->n_threads; i++) {
		process_label(r->t, i, text, sizeof text);
		double w = svg_text_width(text, LABEL_MOST) + 12;
		r->process_width = w > r->process_width ? w : r->process_width;
		thread_label(r->t, i, text, sizeof text);
		w = svg_text_width(text, LABEL_MOST) + 12;
		r->thread_width = w > r->thread_width ? w : r->thread_width;
	}
}

static void place_rows(struct view_layout *l)
{
	struct region_picture *r = l->regions;
	double y = TOP;
	unsigned size = 0;
	while (l->n_rows > row_sizes[size].rows)
		size++;
	r->row_height = row_sizes[size].height;
	r->row_gap = row_sizes[size].gap;
	for (unsigned i = 0; i < l->n_rows; i++) {
		if (i && is_first_of_process(l, i) && has_labels(l))
			y += GROUP_GAP;
		r->row_y[i] = y;
		y += r->row_height + r->row_gap;
	}
	l->plot_height = (unsigned)(y - TOP);
}

struct ranked {
	uint32_t value;
	double time;
};

static int by_time(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* The values of the picture, by time, and their colours. */
static int rank_values(struct view_layout *l)
{
	struct region_picture *r = l->regions;
	const uint32_t n = r->sums.n_values;
	struct ranked *ranked = calloc(n, sizeof *ranked);
	struct weft_palette_name *names = calloc(n, sizeof *names);
	uint32_t *color = calloc(n, sizeof *color);
	int rc = ranked && names && color ? 0 : -ENOMEM;
	for (uint32_t v = 1; v < n && !rc; v++)
		if (r->sums.total[v] > 0)
			ranked[r->n_legend++] = (struct ranked){v, r->sums.total[v]};
	if (!rc && r->n_legend)
		qsort(ranked, r->n_legend, sizeof *ranked, by_time);
	for (unsigned i = 0; i < r->n_legend && !rc; i++) {
		uint32_t v = r->legend[i] = ranked[i].value;
		names[i] = (struct weft_palette_name){r->name[v] ? r->name[v] : "", r->class[v]};
	}
	if (!rc)
		rc = weft_palette_choose(names, r->n_legend, color);
	for (unsigned i = 0; i < r->n_legend && !rc; i++)
		r->color[r->legend[i]] = color[i];
	free(ranked);
	free(names);
	free(color);
	return rc;
}

/* Whether both ends can be drawn. */
static bool message_shown(const struct region_picture *r, uint64_t i)
{
	const struct weft_messages *m = &r->t->message;
	if (m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE)
		return false;
	return r->row_of[m->send_thread[i]] != WEFT_NONE && r->row_of[m->recv_thread[i]] != WEFT_NONE &&
	       m->send_began[i] < r->to && m->recv_done[i] >= r->from && m->send_began[i] >= r->from && m->recv_done[i] < r->to;
}

static int lay_out(struct view_layout *l)
{
	struct region_picture *r = l->regions;
	measure_labels(l);
	l->width = l->how->width ? l->how->width : 1200;
	l->left = (unsigned)(VIEW_MARGIN + r->process_width + r->thread_width);
	l->top = TOP;
	unsigned right = l->width - VIEW_MARGIN - SHARE_WIDTH;
	l->plot_width = right >= l->left + PLOT_LEAST ? right - l->left : PLOT_LEAST;
	struct weft_metric_cells_how how = {.space = l->how->space,
	                                    .metric = &r->metric,
	                                    .row = l->row,
	                                    .n_rows = l->n_rows,
	                                    .from = l->how->from,
	                                    .to = l->how->to,
	                                    .width = l->plot_width,
	                                    .keep = WEFT_CELLS_PASS,
	                                    .threads = l->how->threads};
	int rc = weft_time_cells_make(&l->cells, &r->sums, &how);
	if (!rc)
		rc = rank_values(l);
	place_rows(l);
	for (uint64_t i = 0; i < r->t->message.n; i++)
		r->n_messages += message_shown(r, i);
	return rc;
}

/* ---- drawing ---- */

static void draw_heading(struct view_layout *l)
{
	const struct region_picture *r = l->regions;
	char text[300], span[32], all[32], count[32], messages[120] = "";
	unsigned processes = 0;
	for (unsigned i = 0; i < l->n_rows; i++)
		processes += is_first_of_process(l, i);
	picture_text(&l->pic, VIEW_MARGIN, 29, SVG_LEFT, "t", view_title(l), 100);
	if (r->how->n_path)
		snprintf(messages, sizeof messages, " \xc2\xb7 in red the %s", r->how->path_name);
	else if (r->n_messages)
		snprintf(messages, sizeof messages, " \xc2\xb7 %s message%s", weft_human_count(count, r->n_messages),
		         r->n_messages == 1 ? "" : "s");
	snprintf(text, sizeof text, "%s of %s \xc2\xb7 %u thread%s of %u process%s%s", weft_human_ns(span, r->to - r->from),
	         weft_human_ns(all, r->t->end), l->n_rows, l->n_rows == 1 ? "" : "s", processes, processes == 1 ? "" : "es",
	         messages);
	picture_text(&l->pic, VIEW_MARGIN, 47, SVG_LEFT, "s", text, 0);
}

/* Cells of one value side by side. */
struct run {
	uint32_t row, value;
	unsigned from, to;
	uint32_t next; /* of the same value, as index + 1 */
};
struct runs {
	WEFT_VEC(struct run) run;
	uint32_t *first, *last; /* by value, as index + 1; owned */
};

static int find_runs(const struct view_layout *l, struct runs *k)
{
	k->first = calloc(l->regions->sums.n_values, sizeof *k->first);
	k->last = calloc(l->regions->sums.n_values, sizeof *k->last);
	if (!k->first || !k->last)
		return -ENOMEM;
	for (uint32_t row = 0; row < l->cells.n_rows; row++) {
		const double *cell = l->cells.cell + (size_t)row * l->cells.width;
		for (unsigned x = 0, end; x < l->cells.width; x = end) {
			for (end = x + 1; end < l->cells.width && cell[end] == cell[x];)
				end++;
			if (cell[x] < 0)
				continue;
			const uint32_t value = (uint32_t)cell[x];
			if (weft_vec_push(&k->run, ((struct run){row, value, x, end, 0})))
				return -ENOMEM;
			if (k->last[value])
				k->run.at[k->last[value] - 1].next = (uint32_t)k->run.n;
			else
				k->first[value] = (uint32_t)k->run.n;
			k->last[value] = (uint32_t)k->run.n;
		}
	}
	return 0;
}

/* All cells of one value as one path of rectangles; what names it is its title. */
static void draw_value(struct view_layout *l, const struct runs *k, uint32_t value)
{
	const struct region_picture *r = l->regions;
	picture_path_begin(&l->pic, value_color(l, value), value_name(l, value));
	for (uint32_t i = k->first[value]; i; i = k->run.at[i - 1].next) {
		const struct run *run = &k->run.at[i - 1];
		picture_path_rect(&l->pic, l->left + run->from, r->row_y[run->row], run->to - run->from, r->row_height);
	}
	picture_path_end(&l->pic);
}

static double x_of(const struct view_layout *l, uint64_t time)
{
	const struct region_picture *r = l->regions;
	return l->left + l->plot_width * ((double)time - (double)r->from) / (double)(r->to - r->from);
}

static double middle_of(const struct region_picture *r, uint32_t thread)
{
	return r->row_y[r->row_of[thread]] + r->row_height / 2;
}

static void draw_messages(struct view_layout *l)
{
	const struct region_picture *r = l->regions;
	const struct weft_messages *m = &r->t->message;
	if (r->n_messages > r->how->most_messages)
		return;
	for (uint64_t i = 0; i < m->n; i++)
		if (message_shown(r, i))
			picture_line(&l->pic, x_of(l, m->send_began[i]), middle_of(r, m->send_thread[i]),
			             x_of(l, m->recv_done[i]), middle_of(r, m->recv_thread[i]), "m");
}

static int draw_plot(struct view_layout *l)
{
	struct region_picture *r = l->regions;
	struct runs k = {.first = NULL};
	if (has_labels(l) && r->n_legend)
		picture_text(&l->pic, l->width - VIEW_MARGIN, l->top - 10, SVG_RIGHT, "a", "running", 0);
	int rc = find_runs(l, &k);
	if (!rc)
		draw_value(l, &k, 0);
	for (unsigned i = 0; i < r->n_legend && !rc; i++)
		draw_value(l, &k, r->legend[i]);
	if (!rc)
		draw_messages(l);
	if (!rc)
		rc = region_path_draw(l);
	free(k.run.at);
	free(k.first);
	free(k.last);
	return rc;
}

static int draw_labels(struct view_layout *l)
{
	const struct region_picture *r = l->regions;
	char text[200];
	double dy = r->row_height / 2 + 4;
	for (unsigned i = 0; i < l->n_rows; i++) {
		if (is_first_of_process(l, i) && (has_labels(l) || i == 0 || r->row_y[i] - r->row_y[i - 1] >= 9)) {
			process_label(r->t, r->thread[i], text, sizeof text);
			picture_text(&l->pic, VIEW_MARGIN, r->row_y[i] + dy, SVG_LEFT, "b", text, LABEL_MOST);
		}
		if (!has_labels(l))
			continue;
		thread_label(r->t, r->thread[i], text, sizeof text);
		picture_text(&l->pic, l->left - 8, r->row_y[i] + dy, SVG_RIGHT, "l", text, LABEL_MOST);
		if (r->alive[i] == 0 || !r->n_legend)
			continue;
		double running = r->sums.of_counted[i] * (double)l->how->space->unit_ns;
		snprintf(text, sizeof text, "%.0f %%", 100.0 * running / (double)r->alive[i]);
		picture_text(&l->pic, l->width - VIEW_MARGIN, r->row_y[i] + dy, SVG_RIGHT, "s", text, 0);
	}
	return 0;
}

/* Entries in lines; returns the bottom. With `draw` false only measures. */
static int draw_legend(struct view_layout *l, unsigned top, bool draw)
{
	const struct region_picture *r = l->regions;
	double x = VIEW_MARGIN, y = top;
	unsigned n = r->n_legend < LEGEND_MOST ? r->n_legend : LEGEND_MOST;
	for (unsigned i = 0; i <= n; i++) {
		uint32_t value = i == n ? 0 : r->legend[i];
		double time = r->sums.total[value] * (double)l->how->space->unit_ns;
		double share = r->all_ns ? 100.0 * time / (double)r->all_ns : 0;
		if (!value && share < 0.5)
			break;
		char percent[16] = "";
		if (r->n_legend && share < 0.05)
			snprintf(percent, sizeof percent, "< 0.1 %%");
		else if (r->n_legend)
			snprintf(percent, sizeof percent, "%.*f %%", share < 9.95 ? 1 : 0, share);
		double width = 17 + svg_text_width(value_name(l, value), NAME_MOST) + 5 + svg_text_width(percent, 0) + 14;
		if (x > VIEW_MARGIN && x + width > l->width - VIEW_MARGIN) {
			x = VIEW_MARGIN;
			y += VIEW_LEGEND_LINE;
		}
		if (draw) {
			picture_rect(&l->pic, x, y - 10, 12, 12, value_color(l, value), 2);
			picture_text_pair(&l->pic, x + 17, y, value_name(l, value), NAME_MOST, percent);
		}
		x += width;
	}
	return (int)y;
}

/* What is left out of the picture, in words. */
static void region_notes(const struct view_layout *l, char *out, size_t n)
{
	const struct region_picture *r = l->regions;
	char count[32];
	size_t at = 0;
	*out = '\0';
	const struct {
		uint64_t n;
		const char *one, *many;
	} note[] = {
		{!r->how->n_path && r->n_messages > r->how->most_messages ? r->n_messages : 0, "message is not drawn",
	         "messages are not drawn"},
		{r->n_legend > LEGEND_MOST ? r->n_legend - LEGEND_MOST : 0, "region is not in the legend",
	         "regions are not in the legend"},
		{r->without_regions, "thread without regions is not shown", "threads without regions are not shown"},
		{region_path_hidden(r), "stretch of the path is on a thread that is not shown",
	         "stretches of the path are on threads that are not shown"},
		{l->left_out, "more thread is not shown", "more threads are not shown"},
	};
	for (unsigned i = 0; i < sizeof note / sizeof *note; i++)
		if (note[i].n && at < n)
			at += (size_t)snprintf(out + at, n - at, "%s%s %s", at ? "; " : "", weft_human_count(count, note[i].n),
			                       note[i].n == 1 ? note[i].one : note[i].many);
}

const struct view_look region_look = {lay_out, region_notes, draw_heading, "g", true, draw_plot, draw_labels, draw_legend};
