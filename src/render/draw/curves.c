/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout:
 *
 *     title
 *     y name
 *     10^3 ┤ · · · · · · · ·╱        frame of GRID lines, one for each tick
 *     10^2 ┤ · · · ·╱· · · ·
 *          └────┴─────┴──────
 *            10^4   10^5  x name
 *     ▪ curve  ▪ curve …             legend, in lines
 */
#include "curves.h"
#include "font.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 76, RIGHT = 24, TOP = 64, BOTTOM = 52, LEGEND_PITCH = 18, LEGEND_WIDTH = 290, TICKS = 40 };

struct axis {
	double from, to; /* as they are drawn: logarithms of a logarithmic axis */
	double at, span; /* pixels; span is negative upwards */
	bool log;
};
struct plot {
	struct picture p;
	struct axis x, y;
	unsigned width, height, legend_lines, legend_columns;
};

uint32_t weft_curve_color(unsigned number)
{
	static const uint32_t colors[] = {0x1f77b4, 0xd62728, 0x2ca02c, 0x9467bd, 0xff7f0e, 0x17becf, 0x8c564b, 0x7f7f7f};
	return colors[number % (sizeof colors / sizeof *colors)];
}

/* -- ticks -- */

static double tick_step(double span, unsigned most)
{
	double step = pow(10, floor(log10(span / most)));
	while (span / step > most)
		step *= span / (step * 2) <= most ? 2 : span / (step * 5) <= most ? 5 : 10;
	return step;
}

unsigned weft_curves_ticks(double from, double to, bool log_axis, double *at, unsigned most)
{
	static const double between[] = {1, 2, 5};
	unsigned n = 0;
	if (!(to > from) || !isfinite(to - from))
		return 0;
	if (!log_axis) {
		double step = tick_step(to - from, most > 10 ? 10 : most);
		for (double v = ceil(from / step) * step; v <= to + step * 1e-9 && n < most; v += step)
			at[n++] = fabs(v) < step * 1e-9 ? 0 : v;
		return n;
	}
	/*
	 * Three a decade where there are few decades, and only every so many where there are too
	 * many.
	 */
	double decades = log10(to / from);
	int each = decades > 12 ? (int)ceil(decades / 12) : 1;
	for (int k = (int)floor(log10(from)); k <= (int)ceil(log10(to)); k += each)
		for (unsigned i = 0; i < (decades < 3 ? 3 : 1); i++) {
			double v = between[i] * pow(10, k);
			if (v >= from * (1 - 1e-9) && v <= to * (1 + 1e-9) && n < most)
				at[n++] = v;
		}
	return n;
}

static void tick_label(double v, char *out, size_t size)
{
	if (v != 0 && (fabs(v) >= 1e5 || fabs(v) < 1e-3))
		snprintf(out, size, "%.3ge%d", v / pow(10, floor(log10(fabs(v)) + 1e-9)), (int)floor(log10(fabs(v)) + 1e-9));
	else
		snprintf(out, size, "%.5g", v);
}

/* -- axes -- */

static bool can_show(const struct axis *a, double v)
{
	return isfinite(v) && (!a->log || v > 0);
}

static double place(const struct axis *a, double v)
{
	double shown = a->log ? log10(v) : v;
	return a->at + a->span * (shown - a->from) / (a->to - a->from);
}

static void stretch(struct axis *a, double v)
{
	if (!can_show(a, v))
		return;
	v = a->log ? log10(v) : v;
	a->from = v < a->from ? v : a->from;
	a->to = v > a->to ? v : a->to;
}

/*
 * A little more than the values, so that none lies on the frame; a linear axis of positive values
 * begins at 0.
 */
static void finish_axis(struct axis *a)
{
	if (!(a->to >= a->from)) {
		a->from = 0;
		a->to = 1;
	}
	if (!a->log && a->from > 0)
		a->from = 0;
	double more = a->to > a->from ? 0.04 * (a->to - a->from) : a->log || a->to == 0 ? 0.5 : 0.1 * fabs(a->to);
	a->to += more;
	if (a->log || a->from != 0)
		a->from -= more;
}

static void find_ranges(struct plot *p, const struct weft_curve *curve, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < curve[i].n; k++) {
			if (!can_show(&p->x, curve[i].x[k]) || !can_show(&p->y, curve[i].y[k]))
				continue;
			stretch(&p->x, curve[i].x[k]);
			stretch(&p->y, curve[i].y[k]);
			if (curve[i].spread && isfinite(curve[i].spread[k]))
				stretch(&p->y, curve[i].y[k] + curve[i].spread[k]);
		}
	finish_axis(&p->x);
	finish_axis(&p->y);
}

static void draw_axes(struct plot *p, const struct weft_curves_how *how)
{
	double tick[TICKS], right = p->x.at + p->x.span, top = p->y.at + p->y.span;
	char text[40];
	unsigned n = weft_curves_ticks(p->x.log ? pow(10, p->x.from) : p->x.from, p->x.log ? pow(10, p->x.to) : p->x.to, p->x.log,
	                               tick, TICKS);
	for (unsigned i = 0; i < n; i++) {
		double x = place(&p->x, tick[i]);
		tick_label(tick[i], text, sizeof text);
		picture_line(&p->p, x, top, x, p->y.at, "g");
		picture_text(&p->p, x, p->y.at + 16, SVG_MIDDLE, "a", text, 0);
	}
	n = weft_curves_ticks(p->y.log ? pow(10, p->y.from) : p->y.from, p->y.log ? pow(10, p->y.to) : p->y.to, p->y.log, tick,
	                      TICKS);
	for (unsigned i = 0; i < n; i++) {
		double y = place(&p->y, tick[i]);
		tick_label(tick[i], text, sizeof text);
		picture_line(&p->p, p->x.at, y, right, y, "g");
		picture_text(&p->p, p->x.at - 6, y + 4, SVG_RIGHT, "a", text, 0);
	}
	picture_line(&p->p, p->x.at, p->y.at, right, p->y.at, "k");
	picture_line(&p->p, p->x.at, top, p->x.at, p->y.at, "k");
	picture_text(&p->p, right, p->y.at + 34, SVG_RIGHT, "s", how->x_name, 0);
	picture_text(&p->p, 16, TOP - 12, SVG_LEFT, "s", how->y_name, 0);
}

/* -- curves -- */

static void draw_line(struct plot *p, const struct weft_curve *c, double *xy)
{
	unsigned n = 0;
	for (unsigned i = 0; i <= c->n; i++) {
		bool shown = i < c->n && can_show(&p->x, c->x[i]) && can_show(&p->y, c->y[i]);
		if (shown) {
			xy[2 * n] = place(&p->x, c->x[i]);
			xy[2 * n++ + 1] = place(&p->y, c->y[i]);
		} else {
			picture_polyline(&p->p, xy, n, weft_curve_color(c->color));
			n = 0;
		}
	}
}

static void draw_points(struct plot *p, const struct weft_curve *c)
{
	uint32_t color = weft_curve_color(c->color);
	double bottom = p->y.at;
	for (unsigned i = 0; i < c->n; i++) {
		if (!can_show(&p->x, c->x[i]) || !can_show(&p->y, c->y[i]))
			continue;
		double x = place(&p->x, c->x[i]), y = place(&p->y, c->y[i]), spread = c->spread ? c->spread[i] : NAN;
		if (spread > 0) {
			double low = can_show(&p->y, c->y[i] - spread) ? place(&p->y, c->y[i] - spread) : bottom;
			picture_polyline(&p->p, (double[]){x, place(&p->y, c->y[i] + spread), x, low < bottom ? low : bottom}, 2,
			                 color);
		}
		picture_dot(&p->p, x, y, c->small ? 1.5 : 3, color);
	}
}

static void draw_legend(struct plot *p, const struct weft_curve *curve, unsigned n)
{
	unsigned shown = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!curve[i].name)
			continue;
		double x = LEFT + shown % p->legend_columns * LEGEND_WIDTH,
		       y = p->y.at + BOTTOM + shown / p->legend_columns * LEGEND_PITCH;
		picture_rect(&p->p, x, y - 9, 10, curve[i].line ? 3 : 10, weft_curve_color(curve[i].color), 0);
		picture_text(&p->p, x + 16, y, SVG_LEFT, "l", curve[i].name, 40);
		shown++;
	}
}

static void lay_out(struct plot *p, const struct weft_curve *curve, unsigned n, const struct weft_curves_how *how)
{
	unsigned named = 0;
	for (unsigned i = 0; i < n; i++)
		named += curve[i].name != NULL;
	p->width = how->width ? how->width : 960;
	p->height = how->height ? how->height : 600;
	p->legend_columns = p->width > LEFT + 2 * LEGEND_WIDTH ? (p->width - LEFT) / LEGEND_WIDTH : 1;
	p->legend_lines = (named + p->legend_columns - 1) / p->legend_columns;
	p->x = (struct axis){INFINITY, -INFINITY, LEFT, (double)p->width - LEFT - RIGHT, how->log_x};
	p->y = (struct axis){INFINITY, -INFINITY, (double)p->height - BOTTOM - p->legend_lines * LEGEND_PITCH, 0, how->log_y};
	p->y.span = TOP - p->y.at;
	find_ranges(p, curve, n);
}

int weft_curves_picture(struct weft_buf *out, enum weft_picture_form form, const struct weft_curve *curve, unsigned n,
                        const struct weft_curves_how *how)
{
	struct plot p = {.width = 0};
	unsigned most = 1;
	lay_out(&p, curve, n, how);
	if (p.x.span < 50 || p.y.span > -50)
		return -EINVAL; /* no room for a picture */
	for (unsigned i = 0; i < n; i++)
		most = curve[i].n > most ? curve[i].n : most;
	double *xy = malloc(2 * (size_t)most * sizeof *xy);
	int rc = picture_begin(&p.p, form, out, p.width, p.height, how->title);
	if (!rc && xy) {
		picture_text(&p.p, 16, 28, SVG_LEFT, "t", how->title, 100);
		draw_axes(&p, how);
		for (unsigned i = 0; i < n; i++)
			if (curve[i].line)
				draw_line(&p, &curve[i], xy);
			else
				draw_points(&p, &curve[i]);
		draw_legend(&p, curve, n);
	}
	free(xy);
	int end = picture_end(&p.p);
	return rc ? rc : !xy || out->failed ? -ENOMEM : end;
}
