/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a histogram in a .cfg. They are written "Analyzer2D.Name: value". */
#include "cfg_parts.h"
#include "metric/hist/hist.h"
#include <errno.h>
#include <math.h>
#include <string.h>

const char *const cfg_sort_names[] = {"Average", "Total", "Maximum", "Minimum", "Stdev", "Avg/Max", "Custom", NULL};
const char *const cfg_limit_names[] = {"Alltrace", "Allwindow", "Region", NULL};

struct weft_hist *cfg_hist(struct cfg *c)
{
	return c->in_hist ? &c->hist.at[c->hist.n - 1] : NULL;
}

/* A scale that the view gives. */
static int check_scale(struct cfg *c, const char *which, const struct weft_scale *s)
{
	bool columns = s->n && !s->fixed_delta;
	if (s->max < s->min)
		return cfg_fail(c, "Analyzer2D.%sMaximum (%g) is less than Analyzer2D.%sMinimum (%g)", which, s->max, which,
		                s->min);
	if (!columns && !(s->delta > 0))
		return cfg_fail(c, "Analyzer2D.%sDelta: expected a width greater than 0, found %g", which, s->delta);
	return 0;
}

int cfg_close_hist(struct cfg *c)
{
	int rc;
	struct weft_hist *h = cfg_hist(c);
	if (!h)
		return 0;
	struct weft_key_line *other = weft_arena_alloc(&c->view->arena, (c->other.n + 1) * sizeof *other);
	if (!other)
		return -ENOMEM;
	if (c->other.n)
		memcpy(other, c->other.at, c->other.n * sizeof *other);
	h->other = (struct weft_key_lines){other, (uint32_t)c->other.n};
	c->other.n = 0;
	if (h->control == WEFT_NONE)
		return cfg_fail(c, "the histogram '%s' has no control window", h->name);
	if (h->data == WEFT_NONE)
		h->data = h->control;
	if (!h->stat)
		return cfg_fail(c, "the histogram '%s' has no statistic", h->name);
	if (!h->scale.compute && (rc = check_scale(c, "", &h->scale)))
		return rc;
	if (h->extra != WEFT_NONE && !h->planes.compute && (rc = check_scale(c, "3D_", &h->planes)))
		return rc;
	c->in_hist = false;
	return 0;
}

static int read_name(struct cfg *c, struct weft_str value)
{
	struct weft_hist *h = cfg_hist(c);
	h->name = cfg_keep(c, weft_str_trim(value));
	return h->name ? 0 : -ENOMEM;
}

static int read_window(struct cfg *c, struct weft_str value, uint32_t *out)
{
	uint32_t id;
	int rc = cfg_count(c, value, &id);
	if (rc)
		return rc;
	if (id < 1 || id > c->window.n)
		return cfg_fail(c, "there is no window %u", id);
	*out = id - 1;
	return 0;
}

static int read_control(struct cfg *c, struct weft_str value)
{
	return read_window(c, value, &cfg_hist(c)->control);
}

static int read_data(struct cfg *c, struct weft_str value)
{
	return read_window(c, value, &cfg_hist(c)->data);
}

static int read_extra(struct cfg *c, struct weft_str value)
{
	uint32_t none;
	struct weft_str rest = value;
	if (cfg_take_count(&rest, &none) && !none)
		return 0;
	return read_window(c, value, &cfg_hist(c)->extra);
}

static int read_statistic(struct cfg *c, struct weft_str value)
{
	struct weft_str name = weft_str_trim(value);
	const char *z = cfg_keep(c, name), *known[64];
	if (!z)
		return -ENOMEM;
	unsigned n = 0;
	for (const struct weft_stat *s; n < 64 && (s = weft_stat_at(n)); n++)
		known[n] = weft_stat_name(s);
	cfg_hist(c)->stat = weft_stat_find(z);
	return cfg_hist(c)->stat ? 0 : cfg_unknown(c, "statistic", z, known, n);
}

#define READ_BOOL(name, place) \
	static int read_##name(struct cfg *c, struct weft_str value) \
	{ \
		struct weft_hist *h = cfg_hist(c); \
		return cfg_bool(c, value, &h->place); \
	}
READ_BOOL(hide, hide_empty)
READ_BOOL(sorted, sorted)
READ_BOOL(reverse, reverse)
READ_BOOL(compute, scale.compute)
READ_BOOL(zero, scale.zero)
READ_BOOL(fixed, scale.fixed_delta)
READ_BOOL(compute_planes, planes.compute)
READ_BOOL(short, short_labels)
READ_BOOL(totals, only_totals)

#define READ_NUMBER(name, place) \
	static int read_##name(struct cfg *c, struct weft_str value) \
	{ \
		struct weft_hist *h = cfg_hist(c); \
		return cfg_number(c, value, &h->place); \
	}
READ_NUMBER(min, scale.min)
READ_NUMBER(max, scale.max)
READ_NUMBER(delta, scale.delta)
READ_NUMBER(plane_min, planes.min)
READ_NUMBER(plane_max, planes.max)
READ_NUMBER(plane_delta, planes.delta)

static int read_plane(struct cfg *c, struct weft_str value)
{
	struct weft_hist *h = cfg_hist(c);
	h->has_plane = true;
	return cfg_number(c, value, &h->plane);
}

static int read_columns(struct cfg *c, struct weft_str value)
{
	struct weft_hist *h = cfg_hist(c);
	return cfg_count(c, value, &h->scale.n);
}

static int read_orientation(struct cfg *c, struct weft_str value)
{
	static const char *const names[] = {"Horizontal", "Vertical", NULL};
	int which = cfg_word(c, value, names, "orientation");
	if (which >= 0)
		cfg_hist(c)->vertical = which;
	return which < 0 ? which : 0;
}

static int read_sort(struct cfg *c, struct weft_str value)
{
	int which = cfg_word(c, value, cfg_sort_names, "sort criterion");
	if (which >= 0)
		cfg_hist(c)->sort = (enum weft_sort)which;
	return which < 0 ? which : 0;
}

static int read_limits(struct cfg *c, struct weft_str value)
{
	int which = cfg_word(c, value, cfg_limit_names, "analysis limits");
	if (which >= 0)
		cfg_hist(c)->limits = (enum weft_limits)which;
	return which < 0 ? which : 0;
}

/* Which rows a table has: written as they were read, in a .cfg and in a text. */
static const char *const row_keys[] = {"Analyzer2D.Zoom:", "Analyzer2D.Objects:", NULL};

bool cfg_is_row_key(struct weft_str key)
{
	return weft_str_eq(key, row_keys[0]) || weft_str_eq(key, row_keys[1]);
}

static int set_objects(struct weft_hist *h, struct weft_arena *arena, struct weft_str value)
{
	struct weft_str rest = value;
	double *at = weft_arena_alloc(arena, (value.n + 1) * sizeof *at);
	uint32_t n = 0, object;
	if (!at)
		return -ENOMEM;
	while (weft_str_trim(rest).n) {
		if (!cfg_take_count(&rest, &object))
			return -EINVAL;
		at[n++] = object;
		cfg_take_char(&rest, ',');
	}
	h->object = (struct weft_list){at, n};
	return 0;
}

int cfg_set_rows(struct weft_hist *h, struct weft_arena *arena, struct weft_str key, struct weft_str value)
{
	if (weft_str_eq(key, row_keys[1]))
		return set_objects(h, arena, value);
	h->zoomed = weft_str_eq(weft_str_trim(value), "Enabled");
	return 0;
}

static int read_rows(struct cfg *c, const char *key, struct weft_str value)
{
	int rc = cfg_set_rows(cfg_hist(c), &c->view->arena, weft_str(key), value);
	if (rc == -EINVAL)
		return cfg_fail(c, "expected numbers of rows with commas between them");
	return rc ? rc : cfg_other(c, key, value);
}

static int read_zoom(struct cfg *c, struct weft_str value)
{
	return read_rows(c, row_keys[0], value);
}

static int read_objects(struct cfg *c, struct weft_str value)
{
	return read_rows(c, row_keys[1], value);
}

const struct cfg_key cfg_hist_keys[] = {
	{"Analyzer2D.Name:", read_name},
	{"Analyzer2D.ControlWindow:", read_control},
	{"Analyzer2D.DataWindow:", read_data},
	{"Analyzer2D.Statistic:", read_statistic},
	{"Analyzer2D.HideCols:", read_hide},
	{"Analyzer2D.HorizVert:", read_orientation},
	{"Analyzer2D.SortCols:", read_sorted},
	{"Analyzer2D.SortCriteria:", read_sort},
	{"Analyzer2D.SortReverse:", read_reverse},
	{"Analyzer2D.AnalysisLimits:", read_limits},
	{"Analyzer2D.ComputeYScale:", read_compute},
	{"Analyzer2D.ComputeYScaleZero:", read_zero},
	{"Analyzer2D.Minimum:", read_min},
	{"Analyzer2D.Maximum:", read_max},
	{"Analyzer2D.Delta:", read_delta},
	{"Analyzer2D.UseFixedDelta:", read_fixed},
	{"Analyzer2D.NumColumns:", read_columns},
	{"Analyzer2D.ShortHeaderLabels:", read_short},
	{"Analyzer2D.ShowOnlyTotals:", read_totals},
	{"Analyzer2D.3D_ControlWindow:", read_extra},
	{"Analyzer3D.ComputeYScale:", read_compute_planes},
	{"Analyzer2D.3D_Minimum:", read_plane_min},
	{"Analyzer2D.3D_Maximum:", read_plane_max},
	{"Analyzer2D.3D_Delta:", read_plane_delta},
	{"Analyzer2D.3D_FixedValue:", read_plane},
	{"Analyzer2D.Zoom:", read_zoom},
	{"Analyzer2D.Objects:", read_objects},
	{NULL, NULL},
};
