/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram in a box:
 *
 *     title
 *     12 ┤   ▄
 *      6 ┤ ▄ █ ▄
 *      0 ┴─┴─┴─┴──
 *        1   2   3  x name
 */
#include "files_cli.h"
#include "render/draw/curves.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 46, TOP = 24, BOTTOM = 34, RIGHT = 10, BINS_MOST = 400 };

uint64_t files_bins(const struct files_values *v, uint64_t *bin)
{
	uint64_t most = 0;
	memset(bin, 0, v->bins * sizeof *bin);
	for (size_t i = 0; i < v->n; i++) {
		double place = v->to > v->from ? (v->at[i] - v->from) / (v->to - v->from) * v->bins : 0;
		if (place < 0 || place > v->bins || v->at[i] > v->to)
			continue;
		unsigned k = (unsigned)place < v->bins ? (unsigned)place : v->bins - 1;
		bin[k]++;
		most = bin[k] > most ? bin[k] : most;
	}
	return most;
}

static void draw_axes(struct picture *p, const struct files_box *in, const struct files_values *v, uint64_t most)
{
	double tick[40];
	char text[40];
	unsigned n = weft_curves_ticks(v->from, v->to, false, tick, in->w > 300 ? 10 : 5);
	for (unsigned i = 0; i < n; i++) {
		double x = in->x + (tick[i] - v->from) / (v->to - v->from) * in->w;
		snprintf(text, sizeof text, "%.5g", tick[i]);
		picture_line(p, x, in->y + in->h, x, in->y + in->h + 4, "k");
		picture_text(p, x, in->y + in->h + 15, SVG_MIDDLE, "a", text, 0);
	}
	n = weft_curves_ticks(0, (double)(most ? most : 1), false, tick, 5);
	for (unsigned i = 0; i < n; i++) {
		double y = in->y + in->h - tick[i] / (double)(most ? most : 1) * in->h;
		if (tick[i] != floor(tick[i]))
			continue; /* there are no halves of states */
		snprintf(text, sizeof text, "%.0f", tick[i]);
		picture_line(p, in->x, y, in->x + in->w, y, "g");
		picture_text(p, in->x - 5, y + 4, SVG_RIGHT, "a", text, 0);
	}
	picture_line(p, in->x, in->y + in->h, in->x + in->w, in->y + in->h, "k");
	picture_text(p, in->x + in->w, in->y + in->h + 29, SVG_RIGHT, "s", v->x_name, 0);
}

void files_draw_bars(struct picture *p, const struct files_box *box, const struct files_values *v)
{
	uint64_t bin[BINS_MOST];
	struct files_values shown = *v;
	struct files_box in = {box->x + LEFT, box->y + TOP, box->w - LEFT - RIGHT, box->h - TOP - BOTTOM};
	shown.bins = v->bins < BINS_MOST ? v->bins : BINS_MOST;
	if (!(shown.to > shown.from))
		shown.to = shown.from + (shown.from != 0 ? fabs(shown.from) * 0.1 : 1);
	uint64_t most = files_bins(&shown, bin);
	picture_text(p, box->x + LEFT, box->y + 14, SVG_LEFT, "b", v->title, (unsigned)(box->w / 6));
	draw_axes(p, &in, &shown, most);
	for (unsigned i = 0; i < shown.bins && most; i++) {
		double h = (double)bin[i] / (double)most * in.h, x = in.x + in.w * i / shown.bins;
		if (bin[i])
			picture_rect(p, x, in.y + in.h - h, in.w / shown.bins > 3 ? in.w / shown.bins - 1 : in.w / shown.bins, h,
			             v->color, 0);
	}
}
