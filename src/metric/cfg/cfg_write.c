/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a view as a .cfg that Paraver's own reader accepts, and that reads back as the same view.
 * Keys come in the order in which Paraver writes them where its reader needs that: a window's name
 * and type first, its functions before their parameters.
 */
#include "cfg_parts.h"
#include "metric/hist/hist.h"
#include <math.h>
#include <string.h>

static const char *yes(bool v)
{
	return v ? "true" : "false";
}

static const char *big_yes(bool v)
{
	return v ? "True" : "False";
}

/* A number that reads back as itself. */
static void put_number(struct weft_buf *o, double v)
{
	char z[WEFT_FMT_DOUBLE];
	if (isinf(v)) { /* what is too large to be read */
		weft_buf_puts(o, v > 0 ? "1e999" : "-1e999");
	} else if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v) {
		weft_buf_i64(o, (int64_t)v);
		weft_buf_puts(o, ".0");
	} else {
		weft_buf_add(o, z, weft_fmt_double(z, v));
	}
}

static void put_key(struct weft_buf *o, const char *key, double v)
{
	weft_buf_printf(o, "%s ", key);
	put_number(o, v);
	weft_buf_putc(o, '\n');
}

static void put_others(struct weft_buf *o, const struct weft_key_lines *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		weft_buf_printf(o, "%s %s\n", l->at[i].key, l->at[i].text);
}

/* ---- functions ---- */

static void put_pair(struct weft_buf *o, const char *prefix, const char *key, const char *name, unsigned *n)
{
	weft_buf_printf(o, "%s{%s%s, %s}", (*n)++ ? ", " : "", prefix, key, name);
}

static void put_functions(struct weft_buf *o, const struct weft_window *w)
{
	static const enum weft_level order[WEFT_LEVELS] = {WEFT_CPU,  WEFT_APPL,   WEFT_TASK,    WEFT_THREAD,
	                                                   WEFT_NODE, WEFT_SYSTEM, WEFT_WORKLOAD};
	const struct weft_metric *m = &w->metric;
	unsigned n = 0;
	weft_buf_printf(o, "window_selected_functions { %d, { ", w->derived ? 5 : 14);
	for (unsigned i = 0; i < WEFT_LEVELS; i++)
		if (!w->derived || (order[i] != WEFT_CPU && order[i] != WEFT_THREAD))
			put_pair(o, "", cfg_level_names[order[i]], m->of_level[order[i]].func->name, &n);
	for (int i = 0; i < WEFT_FILTERS && !w->derived; i++)
		put_pair(o, "", cfg_filter_names[i], weft_test_names[m->filter.test[i].kind], &n);
	weft_buf_puts(o, " } }\n");
	n = 0;
	weft_buf_printf(o, "window_compose_functions { %u, { ", 9 + m->n_extra);
	for (unsigned i = 0; i < WEFT_LEVELS; i++)
		put_pair(o, "compose_", cfg_level_names[order[i]], m->compose[order[i]].func->name, &n);
	put_pair(o, "", "topcompose1", m->top[0].func->name, &n);
	put_pair(o, "", "topcompose2", m->top[1].func->name, &n);
	for (uint32_t i = 0; i < m->n_extra; i++) {
		weft_buf_printf(o, ", {extratopcompose%u, %s}", i + 1, m->extra[i].func->name);
		n++;
	}
	weft_buf_puts(o, " } }\n");
}

/* Only parameters that were given. */
static void put_module(struct weft_buf *o, const char *prefix, const char *place, unsigned number, const struct weft_call *c)
{
	unsigned n = 0, given = 0;
	while (n < WEFT_PARAMS && c->func && c->func->param[n].name)
		n++;
	for (unsigned i = 0; i < n; i++)
		given += c->param[i].n > 0;
	if (!given)
		return;
	weft_buf_printf(o, "window_semantic_module %s%s", prefix, place);
	if (number)
		weft_buf_u64(o, number);
	weft_buf_printf(o, " %s { %u, { ", c->func->name, n);
	for (unsigned i = 0; i < n; i++) {
		struct weft_list l = c->param[i].n ? c->param[i] : (struct weft_list){&c->func->param[i].value, 1};
		weft_buf_printf(o, "%s%u", i ? ", " : "", l.n);
		for (uint32_t k = 0; k < l.n; k++) {
			weft_buf_putc(o, ' ');
			put_number(o, l.at[k]);
		}
	}
	weft_buf_puts(o, " } }\n");
}

static void put_labels(struct weft_buf *o, const char *key, const struct weft_labels *l)
{
	if (!l->given)
		return;
	weft_buf_printf(o, "window_filter_module %s %u", key, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		weft_buf_printf(o, " \"%s\"", l->at[i]);
	weft_buf_putc(o, '\n');
}

static void put_modules(struct weft_buf *o, const struct weft_window *w)
{
	const struct weft_metric *m = &w->metric;
	for (unsigned l = 0; l < WEFT_LEVELS; l++) {
		put_module(o, "", cfg_level_names[l], 0, &m->of_level[l]);
		put_module(o, "compose_", cfg_level_names[l], 0, &m->compose[l]);
	}
	put_module(o, "", "topcompose", 1, &m->top[0]);
	put_module(o, "", "topcompose", 2, &m->top[1]);
	for (uint32_t i = 0; i < m->n_extra; i++)
		put_module(o, "", "extratopcompose", i + 1, &m->extra[i]);
	for (int i = 0; i < WEFT_FILTERS; i++) {
		const struct weft_list *l = &m->filter.test[i].list;
		if (!l->n)
			continue;
		weft_buf_printf(o, "window_filter_module %s %u", cfg_filter_names[i], l->n);
		for (uint32_t k = 0; k < l->n; k++) {
			weft_buf_putc(o, ' ');
			put_number(o, l->at[k]);
		}
		weft_buf_putc(o, '\n');
	}
	put_labels(o, "evt_type_label", &w->type_label);
	put_labels(o, "evt_value_label", &w->value_label);
}

/* ---- windows ---- */

static void put_chosen(struct weft_buf *o, const struct weft_chosen *c)
{
	weft_buf_printf(o, "window_object %s { ", cfg_level_names[c->level]);
	for (uint32_t i = 0; i < c->n_parents; i++)
		weft_buf_printf(o, "%u, ", c->parent[i]);
	weft_buf_printf(o, "%u, { ", c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		const char *word = !c->words ? (c->on[i] ? "1" : "0") : c->some[i] ? "Some" : c->on[i] ? "All" : "None";
		weft_buf_printf(o, "%s%s", i ? ", " : "", word);
	}
	weft_buf_puts(o, " } }\n");
}

static void put_filter_flags(struct weft_buf *o, const struct weft_record_filter *f)
{
	weft_buf_printf(o, "window_logical_filtered %s\nwindow_physical_filtered %s\n", yes(f->logical), yes(f->physical));
	weft_buf_printf(o, "window_intracomms_enabled %s\nwindow_intercomms_enabled %s\n", yes(f->intra), yes(f->inter));
	weft_buf_printf(o, "window_comm_fromto %s\nwindow_comm_tagsize %s\nwindow_comm_typeval %s\n", yes(!f->or_from_to),
	                yes(!f->or_tag_size), yes(!f->or_type_value));
}

static void put_derived(struct weft_buf *o, const struct weft_window *w)
{
	weft_buf_puts(o, "window_factors ");
	put_number(o, w->metric.factor[0]);
	weft_buf_putc(o, ' ');
	put_number(o, w->metric.factor[1]);
	weft_buf_printf(o, "\nwindow_shifts %d %d\n", w->metric.shift[0], w->metric.shift[1]);
	weft_buf_printf(o, "window_operation %s\n", w->metric.operation.func->name);
	weft_buf_printf(o, "window_identifiers %u %u\n", w->parents[0] + 1, w->parents[1] + 1);
}

static void put_window(struct weft_buf *o, const struct weft_window *w)
{
	weft_buf_puts(o, "\n################################################################################\n");
	weft_buf_printf(o, "< NEW DISPLAYING WINDOW %s >\n", w->metric.name);
	weft_buf_puts(o, "################################################################################\n");
	weft_buf_printf(o, "window_name %s\nwindow_type %s\nwindow_id %u\n", w->metric.name, w->derived ? "composed" : "single",
	                w->id);
	if (w->derived)
		put_derived(o, w);
	weft_buf_printf(o, "window_color_mode %s\n", cfg_color_names[w->color]);
	put_filter_flags(o, &w->metric.filter);
	weft_buf_printf(o, "window_units %s\n", cfg_unit_names[w->metric.unit]);
	put_key(o, "window_maximum_y", w->y_max);
	put_key(o, "window_minimum_y", w->y_min);
	weft_buf_printf(o, "window_compute_y_max %s\n", yes(w->compute_y_max));
	weft_buf_printf(o, "window_comm_lines_enabled %s\nwindow_flags_enabled %s\n", yes(w->lines), yes(w->flags));
	if (w->join_labels)
		weft_buf_puts(o, "window_join_labels true\n");
	if (w->has_level)
		weft_buf_printf(o, "window_level %s\n", cfg_level_names[w->metric.level]);
	if (w->zoom_last != WEFT_NONE)
		weft_buf_printf(o, "window_zoom_objects %u %u\n", w->zoom_first, w->zoom_last);
	if (w->end_is_part)
		put_key(o, "window_end_time_relative", w->end_part);
	else
		put_key(o, "window_stop_time", w->end_time);
	for (uint32_t i = 0; i < w->n_chosen; i++)
		put_chosen(o, &w->chosen[i]);
	put_key(o, w->begin_is_part ? "window_begin_time_relative" : "window_begin_time",
	        w->begin_is_part ? w->begin_part : w->begin_time);
	weft_buf_printf(o, "window_drawmode %s\nwindow_drawmode_rows %s\n", cfg_draw_names[w->draw_time],
	                cfg_draw_names[w->draw_rows]);
	put_others(o, &w->other);
	put_functions(o, w);
	put_modules(o, w);
}

/* ---- histograms ---- */

static void put_hist(struct weft_buf *o, const struct weft_hist *h)
{
	weft_buf_puts(o, "\n< NEW ANALYZER2D >\n");
	weft_buf_printf(o, "Analyzer2D.Name: %s\n", h->name);
	weft_buf_printf(o, "Analyzer2D.ControlWindow: %u\nAnalyzer2D.DataWindow: %u\n", h->control + 1, h->data + 1);
	weft_buf_printf(o, "Analyzer2D.Statistic: %s\n", weft_stat_name(h->stat));
	weft_buf_printf(o, "Analyzer2D.HideCols: %s\n", big_yes(h->hide_empty));
	weft_buf_printf(o, "Analyzer2D.HorizVert: %s\n", h->vertical ? "Vertical" : "Horizontal");
	weft_buf_printf(o, "Analyzer2D.SortCols: %s\n", big_yes(h->sorted));
	weft_buf_printf(o, "Analyzer2D.SortCriteria: %s\n", cfg_sort_names[h->sort]);
	weft_buf_printf(o, "Analyzer2D.SortReverse: %s\n", big_yes(h->reverse));
	weft_buf_printf(o, "Analyzer2D.AnalysisLimits: %s\n", cfg_limit_names[h->limits]);
	weft_buf_printf(o, "Analyzer2D.ComputeYScale: %s\n", big_yes(h->scale.compute));
	weft_buf_printf(o, "Analyzer2D.ComputeYScaleZero: %s\n", big_yes(h->scale.zero));
	put_key(o, "Analyzer2D.Minimum:", h->scale.min);
	put_key(o, "Analyzer2D.Maximum:", h->scale.max);
	put_key(o, "Analyzer2D.Delta:", h->scale.delta);
	weft_buf_printf(o, "Analyzer2D.UseFixedDelta: %s\n", big_yes(h->scale.fixed_delta));
	if (h->scale.n)
		weft_buf_printf(o, "Analyzer2D.NumColumns: %u\n", h->scale.n);
	weft_buf_printf(o, "Analyzer2D.ShowOnlyTotals: %s\n", big_yes(h->only_totals));
	weft_buf_printf(o, "Analyzer2D.ShortHeaderLabels: %s\n", big_yes(h->short_labels));
	put_others(o, &h->other);
	if (h->extra == WEFT_NONE)
		return;
	weft_buf_printf(o, "Analyzer2D.3D_ControlWindow: %u\n", h->extra + 1);
	weft_buf_printf(o, "Analyzer3D.ComputeYScale: %s\n", big_yes(h->planes.compute));
	put_key(o, "Analyzer2D.3D_Minimum:", h->planes.min);
	put_key(o, "Analyzer2D.3D_Maximum:", h->planes.max);
	put_key(o, "Analyzer2D.3D_Delta:", h->planes.delta);
	if (h->has_plane)
		put_key(o, "Analyzer2D.3D_FixedValue:", h->plane);
}

void weft_view_write(const struct weft_view *v, struct weft_buf *out)
{
	weft_buf_printf(out, "#ParaverCFG\nConfigFile.Version: %s\nConfigFile.NumWindows: %u\n", v->version, v->n_windows);
	if (v->description)
		weft_buf_printf(out, "ConfigFile.BeginDescription\n%sConfigFile.EndDescription\n", v->description);
	put_others(out, &v->other);
	for (uint32_t i = 0; i < v->n_windows; i++)
		put_window(out, &v->window[i]);
	for (uint32_t i = 0; i < v->n_hists; i++)
		put_hist(out, &v->hist[i]);
}
