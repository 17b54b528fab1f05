/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points over two metrics, coloured by cluster. Of points that would lie on one pixel of one cluster one is drawn, so a picture of ten million
 * is no larger than it can show; noise lies below, clusters of much time above.
 */
#include "cluster_run.h"
#include "render/draw/curves.h"
#include "render/draw/picture.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, HEIGHT = 640, LEFT = 84, TOP = 48, BOTTOM = 56, LEGEND = 150, TICKS = 24, LEGEND_MOST = 24 };

struct axis {
	double from, to; /* as drawn: logarithms where `log` */
	bool log;
	const char *name;
};
struct scatter {
	const struct cluster_run *r;
	struct picture p;
	struct axis axis[2];
	unsigned metric[2];
	uint8_t *seen; /* by pixel */
};

static double shown(const struct axis *a, double v)
{
	return a->log ? log10(v) : v;
}

static double x_of(const struct scatter *s, double v)
{
	const struct axis *a = &s->axis[0];
	return LEFT + (WIDTH - LEFT - LEGEND) * (v - a->from) / (a->to - a->from);
}

static double y_of(const struct scatter *s, double v)
{
	const struct axis *a = &s->axis[1];
	return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (v - a->from) / (a->to - a->from);
}

static void find_axis(const struct cluster_run *r, unsigned metric, struct axis *a)
{
	double least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < r->points.n; i++) {
		double v = r->points.raw[i * r->points.dims + metric];
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	a->name = r->control.metric[metric].name;
	a->log = r->control.metric[metric].log && least > 0;
	a->from = shown(a, least);
	a->to = shown(a, most);
	double more = a->to > a->from ? 0.04 * (a->to - a->from) : fmax(0.5, 0.1 * fabs(a->from));
	a->from -= more;
	a->to += more;
}

static void label_tick(char *out, size_t n, double v)
{
	snprintf(out, n, fabs(v) >= 1e5 || (v != 0 && fabs(v) < 1e-3) ? "%.2e" : "%.5g", v);
}

static void draw_axes(struct scatter *s)
{
	double at[TICKS];
	char text[32];
	for (unsigned k = 0; k < 2; k++) {
		const struct axis *a = &s->axis[k];
		unsigned n = a->log ? weft_curves_ticks(pow(10, a->from), pow(10, a->to), true, at, TICKS)
		                    : weft_curves_ticks(a->from, a->to, false, at, TICKS);
		for (unsigned i = 0; i < n; i++) {
			double v = shown(a, at[i]);
			label_tick(text, sizeof text, at[i]);
			if (k == 0) {
				picture_line(&s->p, x_of(s, v), TOP, x_of(s, v), HEIGHT - BOTTOM, "g");
				picture_text(&s->p, x_of(s, v), HEIGHT - BOTTOM + 16, SVG_MIDDLE, "a", text, 0);
			} else {
				picture_line(&s->p, LEFT, y_of(s, v), WIDTH - LEGEND, y_of(s, v), "g");
				picture_text(&s->p, LEFT - 6, y_of(s, v) + 4, SVG_RIGHT, "a", text, 0);
			}
		}
	}
	picture_text(&s->p, (LEFT + WIDTH - LEGEND) / 2.0, HEIGHT - 14, SVG_MIDDLE, "l", s->axis[0].name, 60);
	picture_text(&s->p, LEFT, TOP - 8, SVG_LEFT, "l", s->axis[1].name, 60);
}

static void draw_cluster(struct scatter *s, uint32_t cluster)
{
	const struct weft_burst_points *p = &s->r->points;
	memset(s->seen, 0, WIDTH * HEIGHT);
	for (size_t i = 0; i < p->n; i++) {
		if (s->r->label[i] != cluster)
			continue;
		double x = x_of(s, shown(&s->axis[0], p->raw[i * p->dims + s->metric[0]]));
		double y = y_of(s, shown(&s->axis[1], p->raw[i * p->dims + s->metric[1]]));
		size_t pixel = (size_t)y * WIDTH + (size_t)x;
		if (pixel >= (size_t)WIDTH * HEIGHT || s->seen[pixel])
			continue;
		s->seen[pixel] = 1;
		picture_dot(&s->p, x, y, cluster ? 2.5 : 1.8, cluster_color(cluster + WEFT_BURST_NOISE));
	}
}

static void draw_legend(struct scatter *s)
{
	for (uint32_t c = 0; c <= s->r->n_clusters && c < LEGEND_MOST; c++) {
		double y = TOP + 10 + 20.0 * c;
		char text[64];
		if (c)
			snprintf(text, sizeof text, "%u  (%.1f %%)", c, 100 * s->r->cluster[c].share);
		else
			snprintf(text, sizeof text, "noise  (%.1f %%)", 100 * s->r->cluster[c].share);
		picture_dot(&s->p, WIDTH - LEGEND + 18, y, 4, cluster_color(c + WEFT_BURST_NOISE));
		picture_text(&s->p, WIDTH - LEGEND + 30, y + 4, SVG_LEFT, "l", text, 0);
	}
}

int cluster_write_picture(const struct cluster_run *r, unsigned x, unsigned y, const char *path)
{
	struct scatter s = {.r = r, .metric = {x, y}};
	struct weft_buf text = {0};
	char title[160];
	if (!r->points.n)
		return cli_fail_text("there are no bursts to draw");
	s.seen = malloc((size_t)WIDTH * HEIGHT);
	find_axis(r, x, &s.axis[0]);
	find_axis(r, y, &s.axis[1]);
	snprintf(title, sizeof title, "%zu bursts, %u clusters", r->points.n, r->n_clusters);
	int rc = s.seen ? picture_begin(&s.p, picture_form_of(path), &text, WIDTH, HEIGHT, title) : -ENOMEM;
	if (!rc) {
		picture_text(&s.p, LEFT, 22, SVG_LEFT, "t", title, 0);
		draw_axes(&s);
		draw_cluster(&s, 0);
		for (uint32_t c = r->n_clusters; c > 0; c--)
			draw_cluster(&s, c);
		draw_legend(&s);
	}
	int ended = s.seen ? picture_end(&s.p) : 0;
	rc = rc ? rc : ended ? ended : text.failed ? -ENOMEM : 0;
	int status = rc ? cli_fail_code(rc) : cli_write_whole(path, &text);
	weft_buf_fini(&text);
	free(s.seen);
	return status;
}
