/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From cells to the pixels of the plot. Rows of colours are painted once and copied down; curves
 * and dots have their value as height in the row's band, the scale's least at its bottom.
 */
#include "view_priv.h"
#include <stdlib.h>
#include <string.h>

static void put(uint8_t *rgb, unsigned width, unsigned x, unsigned y, uint32_t color)
{
	uint8_t *p = rgb + ((size_t)y * width + x) * 3;
	p[0] = (uint8_t)(color >> 16);
	p[1] = (uint8_t)(color >> 8);
	p[2] = (uint8_t)color;
}

static void paint_colors(const struct view_layout *l, uint8_t *rgb)
{
	size_t line_bytes = (size_t)l->plot_width * 3;
	for (uint32_t i = 0; i < l->cells.n_rows; i++) {
		const double *cell = l->cells.cell + (size_t)i * l->cells.width;
		uint8_t *top = rgb + (size_t)i * l->pitch * line_bytes;
		uint32_t color = COLOR_BACKGROUND;
		for (unsigned x = 0; x < l->plot_width; x++) {
			if (!x || cell[x] != cell[x - 1])
				color = coloring_of(&l->colors, cell[x]);
			put(top, l->plot_width, x, 0, color);
		}
		for (unsigned y = 1; y + l->gap < l->pitch; y++)
			memcpy(top + y * line_bytes, top, line_bytes);
	}
}

/* A band of the plot, and what is drawn in it. */
struct band {
	const struct view_layout *l;
	uint8_t *rgb; /* its top line */
	unsigned height;
};

static unsigned height_of(const struct band *b, double v)
{
	double min = b->l->colors.min, max = b->l->colors.max;
	double n = max > min ? (v - min) / (max - min) : v > min;
	n = n < 0 ? 0 : n > 1 ? 1 : n;
	return b->height - 1 - (unsigned)(n * (b->height - 1) + 0.5);
}

/* From each pixel to its neighbour there is a stroke up or down. */
static void paint_curve(const struct band *b, const double *cell, uint32_t color)
{
	unsigned before = height_of(b, cell[0]);
	for (unsigned x = 0; x < b->l->plot_width; x++) {
		unsigned now = height_of(b, cell[x]);
		unsigned low = now < before ? now : before, high = now < before ? before : now;
		for (unsigned y = low; y <= high; y++)
			put(b->rgb, b->l->plot_width, x, y, color);
		before = now;
	}
}

static void paint_dots(const struct band *b, uint32_t i)
{
	const struct view_layout *l = b->l;
	const struct weft_metric_cells *of = l->dots.cell ? &l->dots : &l->cells;
	const struct coloring *colors = l->dots.cell ? &l->dot_colors : &l->colors;
	for (unsigned x = 0; x < l->plot_width; x++) {
		double v = l->cells.cell[(size_t)i * l->cells.width + x];
		if (v != 0)
			put(b->rgb, l->plot_width, x, height_of(b, v), coloring_of(colors, of->cell[(size_t)i * of->width + x]));
	}
}

static void paint_bands(const struct view_layout *l, uint8_t *rgb)
{
	for (uint32_t i = 0; i < l->cells.n_rows; i++) {
		struct band b = {l, rgb + (size_t)i * l->pitch * l->plot_width * 3, l->pitch - l->gap};
		if (l->style == WEFT_STYLE_POINTS)
			paint_dots(&b, i);
		else
			paint_curve(&b, l->cells.cell + (size_t)i * l->cells.width, 0x5fd38d);
	}
}

static void paint_fused(const struct view_layout *l, uint8_t *rgb)
{
	struct band all = {l, rgb, l->plot_height};
	for (uint32_t i = 0; i < l->cells.n_rows; i++)
		paint_curve(&all, l->cells.cell + (size_t)i * l->cells.width, l->colors.palette[(i + 2) % l->colors.n_palette]);
}

uint8_t *view_paint(const struct view_layout *l)
{
	static void (*const painters[WEFT_STYLES])(const struct view_layout *l, uint8_t *rgb) = {
		[WEFT_STYLE_COLOR] = paint_colors,
		[WEFT_STYLE_LINE] = paint_bands,
		[WEFT_STYLE_POINTS] = paint_bands,
		[WEFT_STYLE_FUSED] = paint_fused,
	};
	uint8_t *rgb = calloc((size_t)l->plot_width * l->plot_height, 3);
	if (rgb)
		painters[l->style](l, rgb);
	return rgb;
}
