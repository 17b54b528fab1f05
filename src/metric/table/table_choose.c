/* SPDX-License-Identifier: Apache-2.0 */
#include "table_choose.h"
#include "metric/paraver/paraver_out.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables and windows by name ---- */

typedef const char *name_fn(const struct weft_view *v, uint32_t i);

static const char *table_name(const struct weft_view *v, uint32_t i)
{
	return v->hist[i].name;
}

static const char *window_name(const struct weft_view *v, uint32_t i)
{
	return v->window[i].metric.name;
}

/* By name, or by number from 1; -1: none, and err says what there is. */
static int64_t choose_named(const struct weft_view *v, const char *name, uint32_t n, name_fn *name_at, struct weft_err *err)
{
	const char *known[64] = {0};
	uint64_t number;
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(name_at(v, i), name))
			return i;
	if (!weft_parse_u64(weft_str(name), &number) && number >= 1 && number <= n)
		return (int64_t)number - 1;
	for (; k < n && k < 64; k++)
		known[k] = name_at(v, k);
	const char *near = weft_nearest(name, known, k);
	if (!near && k)
		near = known[k - 1];
	return weft_err_set(err, -EINVAL, "there is none called '%s'%s%s%s", name, near ? "; there is '" : "", near ? near : "",
	                    near ? "'" : ""),
	       -1;
}

int64_t weft_window_choose(const struct weft_view *v, const char *name, struct weft_err *err)
{
	return name || !v->n_windows ? choose_named(v, name ? name : "", v->n_windows, window_name, err)
	                             : (int64_t)v->n_windows - 1;
}

int weft_table_of_window(struct weft_view *v, uint32_t window, struct weft_hist **out)
{
	struct weft_hist *h = weft_arena_alloc(&v->arena, sizeof *h);
	*out = h;
	if (!h)
		return -ENOMEM;
	*h = (struct weft_hist){.name = v->window[window].metric.name,
	                        .control = window,
	                        .data = window,
	                        .extra = WEFT_NONE,
	                        .stat = weft_stat_find("Time"),
	                        .hide_empty = true,
	                        .short_labels = true,
	                        .scale = {.compute = true, .delta = 1},
	                        .planes = {.compute = true, .delta = 1}};
	return 0;
}

int weft_table_choose(struct weft_view *v, const char *name, struct weft_hist **out, struct weft_err *err)
{
	int64_t at = -1;
	*out = NULL;
	if (!v->n_hists && !name) {
		if ((at = weft_window_choose(v, NULL, err)) < 0)
			return -EINVAL;
		int rc = weft_table_of_window(v, (uint32_t)at, out);
		return rc ? weft_err_set(err, rc, "%s", weft_err_name(rc)) : 0;
	}
	at = name ? choose_named(v, name, v->n_hists, table_name, err) : (int64_t)v->n_hists - 1;
	if (at < 0)
		return -EINVAL;
	*out = &v->hist[at];
	return 0;
}

/* ---- ranges of time, rows ---- */

void weft_table_limit(struct weft_view *v, struct weft_hist *h, const struct weft_space *s, uint64_t from, uint64_t to)
{
	h->limits = WEFT_ALL_WINDOW;
	for (uint32_t i = 0; i < v->n_windows; i++) {
		struct weft_window *w = &v->window[i];
		w->begin_is_part = w->end_is_part = false;
		w->begin = w->begin_time = (double)from / (double)s->unit_ns;
		w->end = w->end_time = fmin((double)to / (double)s->unit_ns, s->end);
	}
}

static int row_is_chosen(const char *list, const struct weft_space *s, enum weft_level level, uint32_t object, bool *is)
{
	struct weft_buf name = {0};
	struct weft_str rest = weft_str(list), part;
	weft_object_label(s, level, object, &name);
	char number[40] = "";
	if (level == WEFT_THREAD)
		weft_thread_label(s->trace, object, number);
	const char *blank = name.n ? strrchr(name.at, ' ') : NULL;
	*is = false;
	while (!name.failed && weft_str_cut(&rest, ',', &part)) {
		char *glob = strndup(part.at, part.n);
		if (!glob)
			break;
		*is |= weft_glob(glob, name.n ? name.at : "") || weft_glob(glob, number) || (blank && weft_glob(glob, blank + 1));
		free(glob);
	}
	int rc = name.failed ? -ENOMEM : 0;
	weft_buf_fini(&name);
	return rc;
}

int weft_window_keep_rows(struct weft_view *v, struct weft_window *w, const struct weft_space *s, const char *list,
                          struct weft_err *err)
{
	uint32_t n = weft_level_size(s, w->metric.level), left = 0;
	bool *on = weft_arena_alloc(&v->arena, (size_t)n + 1);
	for (uint32_t i = 0; i < n && on; i++) {
		if (row_is_chosen(list, s, w->metric.level, i, &on[i]))
			on = NULL;
		if (!on)
			break;
		on[i] = on[i] && (!w->selected || w->selected[i]);
		left += on[i];
	}
	if (!on)
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	w->selected = on;
	if (left)
		return 0;
	struct weft_buf first = {0};
	weft_object_label(s, w->metric.level, 0, &first);
	int rc = weft_err_set(err, -EINVAL, "no row is called '%s'; the first is '%s'", list,
	                      first.n && !first.failed ? first.at : "");
	weft_buf_fini(&first);
	return rc;
}

int weft_table_scale_set(const struct weft_table_scale *o, struct weft_hist *h, struct weft_err *err)
{
	struct weft_scale *s = &h->scale;
	if (!o->has_min && !o->has_max && !o->has_delta && !o->columns)
		return 0;
	if (weft_stat_of_comms(h->stat))
		return weft_err_set(err, -EINVAL, "columns of '%s' are partners, which have no scale", weft_stat_name(h->stat));
	s->keep_min = o->has_min;
	s->keep_max = o->has_max;
	s->min = o->has_min ? o->min : s->min;
	s->max = o->has_max ? o->max : s->max;
	if (o->has_delta) {
		s->delta = o->delta;
		s->fixed_delta = true;
		s->n = 0;
	}
	if (o->columns) {
		s->n = o->columns;
		s->fixed_delta = false;
		s->keep_n = true;
	}
	if (!s->compute && s->max < s->min)
		return weft_err_set(err, -EINVAL, "the columns would go from %g to %g: say both --min and --max", s->min, s->max);
	return 0;
}

int weft_view_borrow(struct weft_view *out, const struct weft_view *of)
{
	*out = *of;
	out->arena = (struct weft_arena){0};
	struct weft_window *w = weft_arena_alloc(&out->arena, ((size_t)of->n_windows + 1) * sizeof *w);
	struct weft_hist *h = weft_arena_alloc(&out->arena, ((size_t)of->n_hists + 1) * sizeof *h);
	out->window = w;
	out->hist = h;
	if (!w || !h) {
		out->n_windows = out->n_hists = 0;
		return -ENOMEM;
	}
	memcpy(w, of->window, of->n_windows * sizeof *w);
	memcpy(h, of->hist, of->n_hists * sizeof *h);
	weft_view_link(out);
	return 0;
}

/* ---- planes ---- */

bool weft_plane_is_called(const struct weft_result *r, uint32_t plane, const char *name)
{
	struct weft_buf z = {0};
	weft_plane_label(r, plane, &z);
	bool is = z.n && !z.failed && !strcmp(z.at, name);
	weft_buf_fini(&z);
	return is;
}

int64_t weft_plane_choose(const struct weft_result *r, const char *name)
{
	if (name) {
		for (uint32_t i = 0; i < r->depth.n && r->hist->extra != WEFT_NONE; i++)
			if (r->plane[i].any && weft_plane_is_called(r, i, name))
				return i;
		return -1;
	}
	double at = r->hist->has_plane ? (r->hist->plane - r->depth.min) / r->depth.delta : -1;
	if (at >= 0 && at < r->depth.n)
		return (int64_t)at;
	for (uint32_t i = 0; i < r->depth.n; i++)
		if (r->plane[i].any)
			return i;
	return 0;
}
