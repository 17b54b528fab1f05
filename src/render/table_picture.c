/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout:
 *
 *     title
 *     statistic · trace · 16 rows × 200 columns
 *                    [0..5)          [20..25)        [40..45)         as many labels as there is room for
 *     THREAD 1.1.1   ▒▒██░░  ░░
 *     THREAD 1.2.1   ░▒▒▒▒▒██
 *     0.00 [gradient] 94.20   [] nothing                               legend
 *     what is fused
 *
 * The cells of a result are few beside its rows × columns: they are put into a grid of pixels one
 * by one, and of those that meet in one the greatest stays. A vertical table has its columns as
 * lines.
 */
#include "table_picture.h"
#include "base/map.h"
#include "color.h"
#include "row_label.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 16, TOP = 76, LABEL_MOST = 30, CELL_WIDTH_MOST = 90, LABEL_PITCH = 12 };
enum { EMPTY_COLOR = 0xeceff2 };

static const struct {
	uint32_t lines;
	unsigned pitch;
} line_sizes[] = {{24, 18}, {64, 12}, {120, 8}, {180, 5}, {320, 3}, {480, 2}, {UINT32_MAX, 1}};

struct table {
	const struct weft_result *r;
	const struct weft_table_picture_how *how;
	struct picture pic;
	struct coloring colors;
	uint32_t *column;      /* owned; those that are shown, NULL: all, in their order */
	struct weft_map place; /* column -> where it is shown */
	uint32_t n_columns;
	uint32_t n_x, n_y;                /* columns and lines as they are shown */
	unsigned grid_width, grid_height; /* cells of the grid: each one or more of them */
	unsigned cell_width, cell_height; /* pixels */
	unsigned width, left, bottom;
	double *grid; /* owned; NAN: nothing */
	double least, greatest;
};

/* ---- columns ---- */

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The columns that have a value other than 0. */
static int find_columns(struct table *t, const struct weft_plane *p)
{
	uint64_t n = p->any ? p->first[t->r->n_rows] : 0;
	t->column = malloc((n + 1) * sizeof *t->column);
	if (!t->column)
		return -ENOMEM;
	uint64_t k = 0;
	for (uint64_t i = 0; i < n; i++)
		if (p->cell[i].value != 0)
			t->column[k++] = p->cell[i].column;
	qsort(t->column, k, sizeof *t->column, by_number);
	for (uint64_t i = 0; i < k; i++)
		if (!i || t->column[i] != t->column[i - 1])
			t->column[t->n_columns++] = t->column[i];
	return 0;
}

static int choose_columns(struct table *t, const struct weft_plane *p)
{
	int rc = 0;
	t->n_columns = t->r->column.n;
	if (t->how->column) {
		t->n_columns = t->how->n_columns;
		t->column = malloc((t->n_columns + (size_t)1) * sizeof *t->column);
		if (!t->column)
			return -ENOMEM;
		memcpy(t->column, t->how->column, t->n_columns * sizeof *t->column);
	} else if (t->r->hist->hide_empty) {
		t->n_columns = 0;
		rc = find_columns(t, p);
	}
	for (uint32_t i = 0; t->column && i < t->n_columns && !rc; i++)
		rc = weft_map_put(&t->place, t->column[i], i);
	return rc;
}

static uint32_t column_at(const struct table *t, uint32_t i)
{
	return t->column ? t->column[i] : i;
}

/* ---- the grid ---- */

static void put_value(struct table *t, uint32_t x, uint32_t y, double v)
{
	size_t gx = (size_t)((uint64_t)x * t->grid_width / t->n_x), gy = (size_t)((uint64_t)y * t->grid_height / t->n_y);
	double *at = &t->grid[gy * t->grid_width + gx];
	if (v == v && !(*at >= v))
		*at = v;
}

static int fill_grid(struct table *t, const struct weft_plane *p)
{
	size_t n = (size_t)t->grid_width * t->grid_height;
	t->grid = malloc((n + 1) * sizeof *t->grid);
	if (!t->grid)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->grid[i] = NAN;
	for (uint32_t row = 0; p->any && row < t->r->n_rows; row++)
		for (uint64_t i = p->first[row]; i < p->first[row + 1]; i++) {
			uint64_t column = p->cell[i].column;
			if (t->column ? !weft_map_get(&t->place, column, &column) : column >= t->n_columns)
				continue;
			if (t->r->hist->vertical)
				put_value(t, row, (uint32_t)column, p->cell[i].value);
			else
				put_value(t, (uint32_t)column, row, p->cell[i].value);
		}
	t->least = INFINITY;
	t->greatest = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		t->least = t->grid[i] < t->least ? t->grid[i] : t->least;
		t->greatest = t->grid[i] > t->greatest ? t->grid[i] : t->greatest;
	}
	if (!(t->least <= t->greatest))
		t->least = t->greatest = 0;
	return 0;
}

/* ---- layout ---- */

/* Labels of lines, or of columns as they are shown. */
static void label_of(const struct table *t, bool of_line, uint32_t i, struct weft_buf *out)
{
	out->n = 0;
	if (of_line != t->r->hist->vertical)
		row_label(t->r->space, t->r->view->window[t->r->hist->control].metric.level, t->r->row[i], out);
	else
		weft_column_label(t->r, column_at(t, i), out);
	if (!out->n)
		weft_buf_puts(out, "?");
}

static double widest_label(const struct table *t, bool of_line, uint32_t n, bool *failed)
{
	struct weft_buf label = {0};
	double most = 0;
	uint32_t step = n / 20000 + 1; /* of very many, some */
	for (uint32_t i = 0; i < n && !label.failed; i += step) {
		label_of(t, of_line, i, &label);
		double w = label.failed ? 0 : svg_text_width(label.at, LABEL_MOST);
		most = w > most ? w : most;
	}
	*failed |= label.failed;
	weft_buf_fini(&label);
	return most;
}

static int lay_out(struct table *t)
{
	bool failed = false;
	unsigned i = 0, most = t->how->height ? t->how->height : 960, width = t->how->width ? t->how->width : 1200;
	t->n_x = t->r->hist->vertical ? t->r->n_rows : t->n_columns;
	t->n_y = t->r->hist->vertical ? t->n_columns : t->r->n_rows;
	t->left = MARGIN + (unsigned)widest_label(t, true, t->n_y, &failed) + 10;
	unsigned room = width > t->left + MARGIN + 50 ? width - t->left - MARGIN : 50;
	t->grid_width = t->n_x < room ? t->n_x : room;
	t->cell_width = t->grid_width ? room / t->grid_width : 1;
	t->cell_width = t->cell_width > CELL_WIDTH_MOST ? CELL_WIDTH_MOST : t->cell_width;
	while (t->n_y > line_sizes[i].lines || (line_sizes[i].pitch > 1 && t->n_y * line_sizes[i].pitch > most))
		i++;
	t->cell_height = line_sizes[i].pitch;
	t->grid_height = t->n_y < most ? t->n_y : most;
	unsigned used = t->left + t->grid_width * t->cell_width + MARGIN;
	t->width = used > 640 ? used : 640;
	t->bottom = TOP + t->grid_height * t->cell_height;
	return failed ? -ENOMEM : 0;
}

/* "Analyzer2D.MinimumGradient:" and its like, among what the view keeps as it is. */
static bool key_number(const struct weft_hist *h, const char *key, double *out)
{
	for (uint32_t i = 0; i < h->other.n; i++)
		if (strstr(h->other.at[i].key, key))
			return !weft_parse_double(weft_str_trim(weft_str(h->other.at[i].text)), out);
	return false;
}

static bool view_says_scale(const struct weft_hist *h)
{
	for (uint32_t i = 0; i < h->other.n; i++)
		if (strstr(h->other.at[i].key, "ComputeGradient"))
			return strstr(h->other.at[i].text, "alse") != NULL;
	return false;
}

static void set_scale(struct table *t)
{
	const struct weft_hist *h = t->r->hist;
	t->colors = (struct coloring){.kind = COLOR_GRADIENT, .min = t->least, .max = t->greatest};
	if (view_says_scale(h)) {
		double min, max;
		if (key_number(h, "MinimumGradient", &min) && key_number(h, "MaximumGradient", &max) && max > min) {
			t->colors.min = min;
			t->colors.max = max;
		}
	}
	t->colors.min = t->how->has_min ? t->how->min : t->colors.min;
	t->colors.max = t->how->has_max ? t->how->max : t->colors.max;
}

/* ---- drawing ---- */

static void paint_cell(const struct table *t, uint8_t *rgb, unsigned x, unsigned y)
{
	double v = t->grid[(size_t)y * t->grid_width + x];
	uint32_t color = v == v ? coloring_of(&t->colors, v) : EMPTY_COLOR;
	size_t line = (size_t)t->grid_width * t->cell_width;
	unsigned gap_x = t->cell_width >= 8, gap_y = t->cell_height >= 8;
	for (unsigned k = 0; k + gap_y < t->cell_height; k++)
		for (unsigned i = 0; i + gap_x < t->cell_width; i++) {
			uint8_t *p = rgb + (((size_t)y * t->cell_height + k) * line + (size_t)x * t->cell_width + i) * 3;
			p[0] = (uint8_t)(color >> 16);
			p[1] = (uint8_t)(color >> 8);
			p[2] = (uint8_t)color;
		}
}

static int draw_cells(struct table *t)
{
	unsigned w = t->grid_width * t->cell_width, h = t->grid_height * t->cell_height;
	if (!w || !h)
		return 0;
	uint8_t *rgb = malloc((size_t)w * h * 3);
	if (!rgb)
		return -ENOMEM;
	memset(rgb, 0xff, (size_t)w * h * 3);
	for (unsigned y = 0; y < t->grid_height; y++)
		for (unsigned x = 0; x < t->grid_width; x++)
			paint_cell(t, rgb, x, y);
	picture_image(&t->pic, t->left, TOP, rgb, w, h);
	free(rgb);
	return 0;
}

static int draw_line_labels(struct table *t)
{
	struct weft_buf label = {0};
	double before = -1000;
	for (uint32_t i = 0; i < t->n_y && !label.failed; i++) {
		double y = TOP + ((double)((uint64_t)i * t->grid_height / t->n_y) + 0.5) * t->cell_height;
		if (y - before < LABEL_PITCH)
			continue;
		before = y;
		label_of(t, true, i, &label);
		if (!label.failed)
			picture_text(&t->pic, t->left - 8, y + 4, SVG_RIGHT, "l", label.at, LABEL_MOST);
		if (t->cell_height < LABEL_PITCH)
			picture_line(&t->pic, t->left - 5, floor(y) + 0.5, t->left, floor(y) + 0.5, "k");
	}
	int rc = label.failed ? -ENOMEM : 0;
	weft_buf_fini(&label);
	return rc;
}

/* A label stands over the middle of its column when the one before it leaves room. */
static int draw_column_labels(struct table *t)
{
	struct weft_buf label = {0};
	double free_from = t->left - 20;
	unsigned last_pixel = UINT32_MAX;
	for (uint32_t i = 0; i < t->n_x && !label.failed; i++) {
		unsigned pixel = (unsigned)((uint64_t)i * t->grid_width / t->n_x);
		double x = t->left + (pixel + 0.5) * t->cell_width;
		if (pixel == last_pixel || x < free_from)
			continue;
		last_pixel = pixel;
		label_of(t, false, i, &label);
		double half = label.failed ? 0 : svg_text_width(label.at, LABEL_MOST) / 2;
		if (label.failed || x - half < free_from || x + half > t->width - 4)
			continue;
		picture_text(&t->pic, x, TOP - 10, SVG_MIDDLE, "a", label.at, LABEL_MOST);
		picture_line(&t->pic, floor(x) + 0.5, TOP - 6, floor(x) + 0.5, TOP - 1, "k");
		free_from = x + half + 5; /* widths are generous */
	}
	int rc = label.failed ? -ENOMEM : 0;
	weft_buf_fini(&label);
	return rc;
}

static void draw_bar(struct table *t, unsigned x, unsigned y)
{
	uint8_t rgb[COLOR_BAR_WIDTH * COLOR_BAR_HEIGHT * 3];
	coloring_bar(&t->colors, rgb);
	picture_image(&t->pic, x, y - 11, rgb, COLOR_BAR_WIDTH, COLOR_BAR_HEIGHT);
}

static int draw_legend(struct table *t, unsigned y)
{
	struct weft_buf low = {0}, high = {0};
	weft_grouped(t->colors.min, 2, &low);
	weft_grouped(t->colors.max, 2, &high);
	int rc = low.failed || high.failed ? -ENOMEM : 0;
	if (!rc) {
		double x = MARGIN + svg_text_width(low.at, LABEL_MOST) + 8;
		picture_text(&t->pic, MARGIN, y, SVG_LEFT, "l", low.at, LABEL_MOST);
		draw_bar(t, (unsigned)x, y);
		picture_text(&t->pic, x + COLOR_BAR_WIDTH + 8, y, SVG_LEFT, "l", high.at, LABEL_MOST);
		x += COLOR_BAR_WIDTH + 8 + svg_text_width(high.at, LABEL_MOST) + 24;
		picture_rect(&t->pic, x, y - 10, 12, 12, EMPTY_COLOR, 0);
		picture_text(&t->pic, x + 17, y, SVG_LEFT, "l", "nothing", 0);
	}
	weft_buf_fini(&low);
	weft_buf_fini(&high);
	return rc;
}

static const char *title_of(const struct table *t)
{
	return t->how->title ? t->how->title : t->r->hist->name ? t->r->hist->name : "";
}

static void draw_heading(struct table *t)
{
	char text[400], rows[32], columns[32];
	const char *path = t->r->space->trace->path, *name = strrchr(path, '/');
	picture_text(&t->pic, MARGIN, 29, SVG_LEFT, "t", title_of(t), 100);
	snprintf(text, sizeof text, "%s \xc2\xb7 %s \xc2\xb7 %s row%s, %s column%s", weft_stat_name(t->r->hist->stat),
	         name && name[1] ? name + 1 : path, weft_human_count(rows, t->r->n_rows), t->r->n_rows == 1 ? "" : "s",
	         weft_human_count(columns, t->n_columns), t->n_columns == 1 ? "" : "s");
	picture_text(&t->pic, MARGIN, 47, SVG_LEFT, "s", text, (t->width - 2 * MARGIN) / 6);
}

/* What shares pixels, in words; empty when nothing does. */
static void table_notes(const struct table *t, char *out, size_t n)
{
	char a[32];
	size_t at = 0;
	bool vertical = t->r->hist->vertical;
	*out = 0;
	if (t->grid_width < t->n_x)
		at += (size_t)snprintf(out, n, "%s %s in %u columns of pixels", weft_human_count(a, t->n_x),
		                       vertical ? "rows" : "columns", t->grid_width);
	if (t->grid_height < t->n_y)
		at += (size_t)snprintf(out + at, n - at, "%s%s %s in %u lines of pixels", at ? ", " : "",
		                       weft_human_count(a, t->n_y), vertical ? "columns" : "rows", t->grid_height);
	if (at)
		snprintf(out + at, n - at, ": of those that share one, the greatest value");
	else if (!t->n_x || !t->n_y)
		snprintf(out, n, "the table is empty");
}

static int table_draw(struct table *t, enum weft_picture_form form, struct weft_buf *out)
{
	char text[300];
	unsigned legend = t->bottom + 26;
	table_notes(t, text, sizeof text);
	int rc = picture_begin(&t->pic, form, out, t->width, legend + (text[0] ? 19 : 0) + 14, title_of(t));
	if (!rc) {
		draw_heading(t);
		rc = draw_cells(t);
	}
	if (!rc)
		rc = draw_line_labels(t);
	if (!rc)
		rc = draw_column_labels(t);
	if (!rc)
		rc = draw_legend(t, legend);
	if (!rc && text[0])
		picture_text(&t->pic, MARGIN, legend + 19, SVG_LEFT, "s", text, 0);
	int end = picture_end(&t->pic);
	return rc ? rc : end ? end : out->failed ? -ENOMEM : 0;
}

int weft_table_picture(struct weft_buf *out, enum weft_picture_form form, const struct weft_result *r,
                       const struct weft_table_picture_how *how)
{
	struct table t = {.r = r, .how = how};
	if (how->plane >= r->depth.n)
		return -EINVAL;
	const struct weft_plane *p = &r->plane[how->plane];
	int rc = choose_columns(&t, p);
	if (!rc)
		rc = lay_out(&t);
	if (!rc)
		rc = fill_grid(&t, p);
	if (!rc) {
		set_scale(&t);
		rc = table_draw(&t, form, out);
	}
	free(t.column);
	free(t.grid);
	weft_map_fini(&t.place);
	return rc;
}
