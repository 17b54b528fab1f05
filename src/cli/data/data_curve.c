/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory over time, a plot for each node that ever had any:
 *
 *     node 1: NUMA 1                 most
 *     ____/‾‾‾\__/‾‾‾‾‾\____         allocated (line), managed, the program's own
 *     |10 ms    |20 ms
 */
#include "data_tables.h"
#include "render/draw/axis.h"
#include "render/draw/curves.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 24, LABELS = 140, PLOT = 1000, RIGHT = 90, HEIGHT = 110, STEP = 150, TOP = 90, LEGEND = 24 };

/* What a curve is of; the order in which they are drawn. */
static const struct {
	const char *name;
	size_t at;
} amounts[] = {
	{"allocated", offsetof(struct weft_use_point, allocated)},
	{"managed by data", offsetof(struct weft_use_point, managed)},
	{"the program's own", offsetof(struct weft_use_point, home)},
};
enum { AMOUNTS = sizeof amounts / sizeof *amounts };

static uint64_t amount(const struct weft_use_point *p, unsigned which)
{
	uint64_t v;
	memcpy(&v, (const char *)p + amounts[which].at, sizeof v);
	return v;
}

static uint64_t most_of(const struct weft_use_node *n)
{
	uint64_t most = n->most_allocated > n->most_managed ? n->most_allocated : n->most_managed;
	return most > n->most_home ? most : n->most_home;
}

struct plot {
	const struct data_view *v;
	struct picture p;
	double *xy; /* room for two corners a pixel, and the ends */
	double y;
};

/*
 * Steps, at most four corners a pixel column (its first, least, greatest and last value), so that a picture of a million changes is as large as one of a thousand.
 */
static unsigned trace_curve(struct plot *p, uint32_t node, unsigned which, uint64_t most)
{
	uint64_t end = p->v->tasks.trace->end;
	unsigned n = 0, column = 0;
	double now = 0, low = 0, high = 0, scale = most ? HEIGHT / (double)most : 0, base = p->y + HEIGHT;
	p->xy[n++] = MARGIN + LABELS;
	p->xy[n++] = base;
	for (size_t i = 0; i <= p->v->use.n_points; i++) {
		const struct weft_use_point *at = i < p->v->use.n_points ? &p->v->use.point[i] : NULL;
		if (at && at->node != node)
			continue;
		unsigned next = at && end ? (unsigned)((double)at->time / (double)end * PLOT) : PLOT;
		next = next < PLOT ? next : PLOT;
		if (next != column || !at) { /* the column is done */
			double x = MARGIN + LABELS + column;
			double corner[] = {x,
			                   base - high * scale,
			                   x,
			                   base - low * scale,
			                   x,
			                   base - now * scale,
			                   MARGIN + LABELS + next,
			                   base - now * scale};
			memcpy(&p->xy[n], corner, sizeof corner);
			n += sizeof corner / sizeof *corner;
			column = next;
			low = high = now;
		}
		now = at ? (double)amount(at, which) : now;
		low = now < low ? now : low;
		high = now > high ? now : high;
	}
	return n / 2;
}

static void draw_node(struct plot *p, uint32_t node)
{
	const struct weft_use_node *n = &p->v->use.node[node];
	char label[96], most[32];
	uint64_t top = most_of(n);
	snprintf(label, sizeof label, "node %u%s%.40s", (unsigned)n->number, *n->name ? ", " : "", n->name);
	picture_text(&p->p, MARGIN + LABELS - 8, p->y + HEIGHT / 2.0, SVG_RIGHT, "l", label, 20);
	if (p->v->several) {
		snprintf(label, sizeof label, "process %u", (unsigned)n->process + 1);
		picture_text(&p->p, MARGIN + LABELS - 8, p->y + HEIGHT / 2.0 + 16, SVG_RIGHT, "a", label, 20);
	}
	picture_line(&p->p, MARGIN + LABELS, p->y + HEIGHT, MARGIN + LABELS + PLOT, p->y + HEIGHT, "g");
	picture_text(&p->p, MARGIN + LABELS + PLOT + 6, p->y + 8, SVG_LEFT, "a", weft_human_bytes(most, top), 0);
	for (unsigned k = AMOUNTS; k-- > 0;)
		picture_polyline(&p->p, p->xy, trace_curve(p, node, k, top), weft_curve_color(k));
	p->y += STEP;
}

static void draw_axis(struct plot *p)
{
	char label[32];
	uint64_t end = p->v->tasks.trace->end, step = weft_axis_step(end ? end : 1, 8);
	for (uint64_t at = 0; at <= end; at += step) {
		double x = MARGIN + LABELS + (double)at / (double)(end ? end : 1) * PLOT;
		picture_line(&p->p, x, p->y - STEP + HEIGHT + 6, x, p->y - STEP + HEIGHT + 12, "k");
		picture_text(&p->p, x, p->y - STEP + HEIGHT + 26, SVG_MIDDLE, "a", weft_axis_label(label, at, step, end), 0);
	}
}

int data_curve_picture(const struct data_view *v, enum weft_picture_form form, struct weft_buf *out)
{
	struct plot p = {.v = v, .y = TOP};
	const char *path = v->tasks.trace->path, *slash = strrchr(path, '/');
	unsigned n = 0;
	for (uint32_t i = 0; i < v->use.n_nodes; i++)
		n += most_of(&v->use.node[i]) > 0;
	p.xy = malloc((8 * (size_t)(PLOT + 2) + 8) * sizeof *p.xy);
	const char *title = slash && slash[1] ? slash + 1 : path;
	int rc = picture_begin(&p.p, form, out, MARGIN + LABELS + PLOT + RIGHT + MARGIN, (unsigned)(TOP + n * STEP + MARGIN),
	                       title);
	rc = p.xy ? rc : -ENOMEM;
	if (!rc) {
		double x = MARGIN;
		picture_text(&p.p, MARGIN, 34, SVG_LEFT, "t", title, 100);
		for (unsigned k = 0; k < AMOUNTS; k++) {
			picture_rect(&p.p, x, 50, 11, 11, weft_curve_color(k), 2);
			picture_text(&p.p, x + 16, 60, SVG_LEFT, "l", amounts[k].name, 0);
			x += svg_text_width(amounts[k].name, 0) + 40;
		}
		for (uint32_t i = 0; i < v->use.n_nodes; i++)
			if (most_of(&v->use.node[i]))
				draw_node(&p, i);
		draw_axis(&p);
	}
	int ended = picture_end(&p.p);
	free(p.xy);
	return rc ? rc : ended;
}

int data_curve_csv(const struct data_view *v, struct weft_buf *out)
{
	weft_buf_puts(out, "time_ns,process,node,allocated_bytes,managed_bytes,home_bytes\n");
	for (size_t i = 0; i < v->use.n_points; i++) {
		const struct weft_use_point *p = &v->use.point[i];
		const struct weft_use_node *n = &v->use.node[p->node];
		weft_buf_printf(out, "%" PRIu64 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", p->time, (unsigned)n->process + 1,
		                (unsigned)n->number, p->allocated, p->managed, p->home);
	}
	return out->failed ? -ENOMEM : 0;
}
