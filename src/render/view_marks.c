/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a window shows besides its values: messages as lines from the sender's row to the
 * receiver's, events as flags at the top of their row. Both go into the plot's pixels; of those
 * that fall onto the same ones only the first is drawn.
 */
#include "view_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { RECENT = 1 << 14, FLAG_HEIGHT = 7, FLAG_WIDTH = 3 };

struct marks {
	const struct view_layout *l;
	uint8_t *rgb;
	enum weft_level level;
	uint32_t *place;  /* by object of the level: 1 + its place among the rows that are shown, 0: it is not. Owned */
	uint64_t *recent; /* lines that were drawn. Owned */
};

static bool is_shown(const struct view_layout *l)
{
	return l->style != WEFT_STYLE_FUSED && l->how->window->metric.level != WEFT_CPU && l->n_rows && l->how->to > l->how->from;
}

bool view_has_marks(const struct view_layout *l)
{
	return is_shown(l) && (l->how->window->lines || l->how->window->flags);
}

static void put(const struct marks *m, int x, int y, uint32_t color)
{
	if (x < 0 || y < 0 || (unsigned)x >= m->l->plot_width || (unsigned)y >= m->l->plot_height)
		return;
	uint8_t *p = m->rgb + ((size_t)y * m->l->plot_width + (unsigned)x) * 3;
	p[0] = (uint8_t)(color >> 16);
	p[1] = (uint8_t)(color >> 8);
	p[2] = (uint8_t)color;
}

/* ---- places ---- */

static uint32_t object_of(const struct marks *m, uint32_t thread)
{
	const struct weft_space *s = m->l->how->space;
	return m->level == WEFT_NODE ? s->node_of[thread] : weft_level_up(s, WEFT_THREAD, thread, m->level);
}

/* The top line of pixels of a thread's row; negative: it is not in the picture. */
static int top_of(const struct marks *m, uint32_t thread)
{
	const struct view_layout *l = m->l;
	uint32_t object = object_of(m, thread);
	if (object == WEFT_NONE || !m->place[object])
		return -1;
	return (int)(weft_metric_cells_line(m->place[object] - 1, l->n_rows, l->cells.n_rows) * l->pitch);
}

/* Pixels from the left, also beyond the plot. */
static double across(const struct view_layout *l, double time)
{
	return (time - l->how->from) / (l->how->to - l->how->from) * l->plot_width;
}

/* ---- messages ---- */

struct stroke {
	double x0, x1;
	int y0, y1;
	uint32_t color;
};

/* A pixel for each step along the longer side, of the part that is in the plot. */
static void draw_stroke(const struct marks *m, const struct stroke *s)
{
	const double width = m->l->plot_width, dx = s->x1 - s->x0, dy = s->y1 - s->y0;
	double first = 0, last = 1;
	if (dx != 0) {
		double a = -s->x0 / dx, b = (width - s->x0) / dx;
		first = (a < b ? a : b) > first ? (a < b ? a : b) : first;
		last = (a < b ? b : a) < last ? (a < b ? b : a) : last;
	}
	double long_side = (dx < 0 ? -dx : dx) * (last - first), down = (dy < 0 ? -dy : dy) * (last - first);
	unsigned steps = (unsigned)(long_side > down ? long_side : down) + 1;
	for (unsigned i = 0; i <= steps && first <= last; i++) {
		double part = first + (last - first) * i / steps;
		put(m, (int)(s->x0 + dx * part), (int)(s->y0 + dy * part + 0.5), s->color);
	}
}

/* Whether it lies where one was drawn lately: of many messages between two rows most do. */
static bool is_there(const struct marks *m, const struct stroke *s)
{
	uint64_t key = ((uint64_t)(uint16_t)(int)s->x0 << 48 | (uint64_t)(uint16_t)(int)s->x1 << 32 |
	                (uint64_t)(uint16_t)s->y0 << 16 | (uint16_t)s->y1) *
	                       UINT64_C(0x9e3779b97f4a7c15) +
	               s->color;
	uint64_t *slot = &m->recent[key >> 50];
	bool there = *slot == key;
	*slot = key;
	return there;
}

static void draw_line(const struct marks *m, const struct weft_message_line *line)
{
	const struct view_layout *l = m->l;
	int from = top_of(m, line->from), to = top_of(m, line->to), middle = (int)(l->pitch - l->gap) / 2;
	struct stroke s = {across(l, line->begin), across(l, line->end), from + middle, to + middle,
	                   line->physical ? VIEW_PHYSICAL : VIEW_LOGICAL};
	if (from < 0 || to < 0 || (s.x0 < 0 && s.x1 < 0) || (s.x0 >= l->plot_width && s.x1 >= l->plot_width))
		return;
	if (s.x0 >= 0 && s.x0 <= l->plot_width && s.x1 >= 0 && s.x1 <= l->plot_width && is_there(m, &s))
		return;
	draw_stroke(m, &s);
}

static void draw_messages(const struct marks *m)
{
	const struct weft_view_timeline_how *how = m->l->how;
	const struct weft_metric *of = weft_metric_first(&how->window->metric);
	struct weft_message_line line[2];
	for (uint64_t i = 0; i < how->space->trace->message.n; i++)
		for (unsigned k = 0, n = weft_message_lines(how->space, of, i, line); k < n; k++)
			draw_line(m, &line[k]);
}

/* ---- events ---- */

static void draw_flag(const struct marks *m, int x, int top)
{
	int height = (int)(m->l->pitch - m->l->gap);
	height = height < FLAG_HEIGHT ? height : FLAG_HEIGHT;
	for (int y = 0; y < height; y++)
		put(m, x, top + y, VIEW_FLAG);
	for (int i = 1; i <= FLAG_WIDTH && height == FLAG_HEIGHT; i++)
		for (int y = 0; y <= FLAG_WIDTH - i; y++)
			put(m, x + i, top + y, VIEW_FLAG);
}

static int draw_events_of(const struct marks *m, const struct weft_metric *events, uint32_t thread)
{
	const struct weft_view_timeline_how *how = m->l->how;
	int top = top_of(m, thread), last = -1, rc;
	struct weft_row *row;
	struct weft_intervals *b = top < 0 ? NULL : malloc(sizeof *b);
	if (!b)
		return top < 0 ? 0 : -ENOMEM;
	rc = weft_row_open(&row, how->space, events, thread, how->from, how->to);
	if (rc) {
		free(b);
		return rc;
	}
	while ((rc = weft_row_next(row, b)) > 0)
		for (uint32_t i = 0; i < b->n; i++) {
			double x = across(m->l, b->end[i]);
			if (b->end[i] >= how->space->end || x < 0 || x >= m->l->plot_width || (int)x == last)
				continue;
			last = (int)x;
			draw_flag(m, last, top);
		}
	weft_row_close(row);
	free(b);
	return rc;
}

static int draw_events(const struct marks *m)
{
	const struct weft_space *s = m->l->how->space;
	struct weft_metric events;
	weft_metric_of_events(&events, weft_metric_first(&m->l->how->window->metric));
	int rc = 0;
	for (uint32_t i = 0, n = weft_level_size(s, WEFT_THREAD); i < n && !rc; i++)
		rc = draw_events_of(m, &events, i);
	return rc;
}

/* ---- the whole ---- */

int view_marks(const struct view_layout *l, uint8_t *rgb)
{
	struct marks m = {.l = l, .rgb = rgb, .level = l->how->window->metric.level};
	if (!view_has_marks(l))
		return 0;
	m.place = calloc((size_t)weft_level_size(l->how->space, m.level) + 1, sizeof *m.place);
	m.recent = calloc(RECENT, sizeof *m.recent);
	int rc = m.place && m.recent ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < l->n_rows && !rc; i++)
		m.place[l->row[i]] = i + 1;
	if (!rc && l->how->window->lines)
		draw_messages(&m);
	if (!rc && l->how->window->flags)
		rc = draw_events(&m);
	free(m.place);
	free(m.recent);
	return rc;
}
