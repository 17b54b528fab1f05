/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path over the rows of regions: thick along a row, thin from row to row. Of all that lies in one column of pixels only the row where it comes
 * in, the highest, the lowest and the row where it leaves are drawn, so that its size depends on the picture's width alone.
 */
#include "region_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { PATH_COLOR = 0xd1242f };

struct line {
	WEFT_VEC(double) xy;
	double x, first, low, high, last; /* of the column: its x, and the rows' middles */
	bool begun;
};

static int put(struct line *k, double y)
{
	const size_t n = k->xy.n;
	if (n >= 2 && k->xy.at[n - 2] == k->x && k->xy.at[n - 1] == y)
		return 0;
	return weft_vec_push(&k->xy, k->x) || weft_vec_push(&k->xy, y) ? -ENOMEM : 0;
}

static int end_column(struct line *k)
{
	int rc = k->begun ? put(k, k->first) : 0;
	if (k->begun && !rc && k->low < fmin(k->first, k->last))
		rc = put(k, k->low);
	if (k->begun && !rc && k->high > fmax(k->first, k->last))
		rc = put(k, k->high);
	if (k->begun && !rc)
		rc = put(k, k->last);
	k->begun = false;
	return rc;
}

static int add(struct line *k, double x, double y)
{
	x = floor(x) + 0.5;
	int rc = k->begun && x != k->x ? end_column(k) : 0;
	if (!k->begun) {
		k->x = x;
		k->first = k->low = k->high = y;
		k->begun = true;
	}
	k->low = fmin(k->low, y);
	k->high = fmax(k->high, y);
	k->last = y;
	return rc;
}

static double x_of(const struct view_layout *l, uint64_t time)
{
	const struct region_picture *r = l->regions;
	const double t = fmin(fmax((double)time, (double)r->from), (double)r->to);
	return l->left + l->plot_width * (t - (double)r->from) / (double)(r->to - r->from);
}

static bool is_shown(const struct region_picture *r, const struct weft_region_stretch *s)
{
	return s->thread < r->t->n_threads && r->row_of[s->thread] != WEFT_NONE && s->begin < r->to && s->end > r->from;
}

/* What is at least a pixel long lies thick on its row. */
static void draw_stretches(struct view_layout *l)
{
	const struct region_picture *r = l->regions;
	const double height = fmax(2, floor(r->row_height / 4));
	picture_path_begin(&l->pic, PATH_COLOR, r->how->path_name ? r->how->path_name : "path");
	for (size_t i = 0; i < r->how->n_path; i++) {
		const struct weft_region_stretch *s = &r->how->path[i];
		if (!is_shown(r, s))
			continue;
		const double from = floor(x_of(l, s->begin)), to = floor(x_of(l, s->end));
		if (to - from >= 1)
			picture_path_rect(&l->pic, from, floor(r->row_y[r->row_of[s->thread]] + (r->row_height - height) / 2),
			                  to - from, height);
	}
	picture_path_end(&l->pic);
}

int region_path_draw(struct view_layout *l)
{
	const struct region_picture *r = l->regions;
	struct line k = {.begun = false};
	int rc = 0;
	if (!r->how->n_path)
		return 0;
	draw_stretches(l);
	for (size_t i = 0; i < r->how->n_path && !rc; i++) {
		const struct weft_region_stretch *s = &r->how->path[i];
		if (!is_shown(r, s))
			continue;
		const double y = r->row_y[r->row_of[s->thread]] + r->row_height / 2;
		rc = add(&k, x_of(l, s->begin), y);
		if (!rc)
			rc = add(&k, x_of(l, s->end), y);
	}
	if (!rc)
		rc = end_column(&k);
	if (!rc)
		picture_polyline(&l->pic, k.xy.at, (unsigned)(k.xy.n / 2), PATH_COLOR);
	free(k.xy.at);
	return rc;
}

uint64_t region_path_hidden(const struct region_picture *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->how->n_path; i++)
		n += r->how->path[i].thread >= r->t->n_threads || r->row_of[r->how->path[i].thread] == WEFT_NONE;
	return n;
}
