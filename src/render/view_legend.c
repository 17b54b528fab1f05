/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the colours of a window mean: of code colours the values that the picture shows, by their
 * names; of gradients a bar with the ends of the scale, and what lies outside of it when that is
 * seen.
 */
#include "base/map.h"
#include "row_label.h"
#include "view_priv.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MOST = 40, NAME_MOST = 40 };

struct entry {
	double value;
	uint64_t n; /* cells */
};
struct entries {
	WEFT_VEC(struct entry) list;
	struct weft_map place; /* bits of a value -> place in the list */
	bool below, above;     /* some cell lies outside of the scale */
};

static uint64_t bits_of(double v)
{
	uint64_t bits;
	v = v == 0 ? 0 : v;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static int count_values(struct entries *e, const struct weft_metric_cells *c)
{
	size_t n = (size_t)c->n_rows * c->width;
	for (size_t i = 0, next; i < n; i = next) {
		double v = c->cell[i];
		uint64_t place;
		for (next = i + 1; next < n && c->cell[next] == v;)
			next++;
		if (!weft_map_get(&e->place, bits_of(v), &place)) {
			place = e->list.n;
			if (weft_map_put(&e->place, bits_of(v), place) || weft_vec_push(&e->list, ((struct entry){v, 0})))
				return -ENOMEM;
		}
		e->list.at[place].n += next - i;
	}
	return 0;
}

static int by_frequency(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int by_value(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void name_of(const struct view_layout *l, double v, struct weft_buf *out)
{
	out->n = 0;
	weft_value_name(l->how->space, l->how->window, l->how->view, v, true, out);
	if (!out->n)
		weft_buf_puts(out, "?");
}

/*
 * A square and a name behind it; goes to the next line when there is no room. Returns where the
 * next one begins.
 */
static double put_entry(struct view_layout *l, double x, unsigned *y, uint32_t color, const char *name, bool draw)
{
	double width = 17 + svg_text_width(name, NAME_MOST) + 14;
	if (x > VIEW_MARGIN && x + width > l->width - VIEW_MARGIN) {
		x = VIEW_MARGIN;
		*y += VIEW_LEGEND_LINE;
	}
	if (draw) {
		picture_rect(&l->pic, x, *y - 10, 12, 12, 0x8c959f, 0); /* a frame, for white ones */
		picture_rect(&l->pic, x + 1, *y - 9, 10, 10, color, 0);
		picture_text(&l->pic, x + 17, *y, SVG_LEFT, "l", name, NAME_MOST);
	}
	return x + width;
}

static int legend_of_codes(struct view_layout *l, unsigned y, bool draw)
{
	struct entries e = {.below = false};
	struct weft_buf name = {0};
	double x = VIEW_MARGIN;
	int rc = count_values(&e, &l->cells);
	if (rc)
		goto out;
	if (e.list.n)
		qsort(e.list.at, e.list.n, sizeof *e.list.at, by_frequency);
	size_t shown = e.list.n < ENTRIES_MOST ? e.list.n : ENTRIES_MOST;
	if (shown)
		qsort(e.list.at, shown, sizeof *e.list.at, by_value);
	for (size_t i = 0; i < shown; i++) {
		name_of(l, e.list.at[i].value, &name);
		if (name.failed)
			break;
		x = put_entry(l, x, &y, coloring_of(&l->colors, e.list.at[i].value), name.at, draw);
	}
	if (shown < e.list.n) {
		char more[60];
		snprintf(more, sizeof more, "and %zu rarer values", e.list.n - shown);
		double width = svg_text_width(more, 0);
		if (x + width > l->width - VIEW_MARGIN) {
			x = VIEW_MARGIN;
			y += VIEW_LEGEND_LINE;
		}
		if (draw)
			picture_text(&l->pic, x, y, SVG_LEFT, "s", more, 0);
	}
	rc = name.failed ? -ENOMEM : (int)y;
out:
	free(e.list.at);
	weft_map_fini(&e.place);
	weft_buf_fini(&name);
	return rc;
}

static void draw_bar(struct view_layout *l, double x, unsigned y)
{
	uint8_t rgb[COLOR_BAR_WIDTH * COLOR_BAR_HEIGHT * 3];
	coloring_bar(&l->colors, rgb);
	picture_image(&l->pic, (unsigned)x, y - 11, rgb, COLOR_BAR_WIDTH, COLOR_BAR_HEIGHT);
}

static int legend_of_gradient(struct view_layout *l, unsigned y, bool draw)
{
	struct weft_buf low = {0}, high = {0};
	const struct coloring *c = &l->colors;
	bool below = false, above = false, zero = false;
	for (size_t i = 0, n = (size_t)l->cells.n_rows * l->cells.width; i < n; i++) {
		double v = l->cells.cell[i];
		bool dark = v == 0 && c->kind == COLOR_NOT_NULL;
		zero |= dark;
		below |= !dark && v < c->min;
		above |= !dark && v > c->max;
	}
	name_of(l, c->min, &low);
	name_of(l, c->max, &high);
	if (low.failed || high.failed) {
		weft_buf_fini(&low);
		weft_buf_fini(&high);
		return -ENOMEM;
	}
	double x = VIEW_MARGIN, low_width = svg_text_width(low.at, NAME_MOST), high_width = svg_text_width(high.at, NAME_MOST);
	if (draw) {
		picture_text(&l->pic, x, y, SVG_LEFT, "l", low.at, NAME_MOST);
		draw_bar(l, x + low_width + 8, y);
		picture_text(&l->pic, x + low_width + COLOR_BAR_WIDTH + 16, y, SVG_LEFT, "l", high.at, NAME_MOST);
	}
	x += low_width + COLOR_BAR_WIDTH + 16 + high_width + 24;
	if (zero)
		x = put_entry(l, x, &y, COLOR_BACKGROUND, "0", draw);
	if (below)
		x = put_entry(l, x, &y, COLOR_LOW, "below the scale", draw);
	if (above)
		put_entry(l, x, &y, COLOR_HIGH, "above the scale", draw);
	weft_buf_fini(&low);
	weft_buf_fini(&high);
	return (int)y;
}

/* Curves have their scale in words; the fused ones the rows by colour. */
static int legend_of_curves(struct view_layout *l, unsigned y, bool draw)
{
	struct weft_buf text = {0}, name = {0};
	double x = VIEW_MARGIN;
	weft_buf_puts(&text, "from ");
	name_of(l, l->colors.min, &name);
	weft_buf_puts(&text, name.at ? name.at : "");
	weft_buf_puts(&text, " at the bottom to ");
	name_of(l, l->colors.max, &name);
	weft_buf_puts(&text, name.at ? name.at : "");
	weft_buf_puts(&text, l->style == WEFT_STYLE_FUSED ? " at the top of the picture" : " at the top of each row");
	if (draw && !text.failed && text.at)
		picture_text(&l->pic, x, y, SVG_LEFT, "s", text.at, 0);
	for (uint32_t i = 0; l->style == WEFT_STYLE_FUSED && i < l->cells.n_rows && i < ENTRIES_MOST; i++) {
		if (!i)
			y += VIEW_LEGEND_LINE;
		name.n = 0;
		row_label(l->how->space, l->how->window->metric.level, l->row[i], &name);
		if (!name.failed && name.n)
			x = put_entry(l, x, &y, l->colors.palette[(i + 2) % l->colors.n_palette], name.at, draw);
	}
	int rc = text.failed || name.failed ? -ENOMEM : (int)y;
	weft_buf_fini(&text);
	weft_buf_fini(&name);
	return rc;
}

/* What lies over the plot, on a line of its own. */
static int legend_of_marks(struct view_layout *l, unsigned y, bool draw)
{
	const struct weft_window *w = l->how->window;
	const struct weft_record_filter *f = &weft_metric_first(&w->metric)->filter;
	double x = VIEW_MARGIN;
	if (!view_has_marks(l))
		return (int)y;
	y += VIEW_LEGEND_LINE;
	if (w->lines && f->logical)
		x = put_entry(l, x, &y, VIEW_LOGICAL, f->physical ? "message, logical" : "message", draw);
	if (w->lines && f->physical)
		x = put_entry(l, x, &y, VIEW_PHYSICAL, "message, physical", draw);
	if (w->flags)
		put_entry(l, x, &y, VIEW_FLAG, "event", draw);
	return (int)y;
}

static int legend_of_values(struct view_layout *l, unsigned y, bool draw)
{
	if (l->style == WEFT_STYLE_LINE || l->style == WEFT_STYLE_FUSED)
		return legend_of_curves(l, y, draw);
	if (l->colors.kind == COLOR_CODE)
		return legend_of_codes(l, y, draw);
	return legend_of_gradient(l, y, draw);
}

int view_legend(struct view_layout *l, unsigned y, bool draw)
{
	int bottom = legend_of_values(l, y, draw);
	return bottom < 0 ? bottom : legend_of_marks(l, (unsigned)bottom, draw);
}
