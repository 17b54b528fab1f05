/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view meets a trace: labels become numbers, parts of the duration times, lists of rows the rows
 * that there are.
 */
#include "base/vec.h"
#include "view_join.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_words[WEFT_LEVELS] = {"workload", "appl", "task", "thread", "system", "node", "cpu"};

/* ---- labels ---- */

/* The type with this label, or NULL. */
static const struct weft_def_row *type_named(const struct weft_trace *t, const char *label)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < d->n; i++)
		if (!strcmp(d->at[i].name, label))
			return &d->at[i];
	return NULL;
}

struct numbers {
	WEFT_VEC(double) v;
};

static int add_values_labelled(const struct weft_trace *t, const char *label, struct numbers *to, bool *found)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	*found = false;
	for (uint32_t i = 1; i < d->n; i++)
		for (uint32_t k = 0; k < d->at[i].n_labels; k++)
			if (!strcmp(d->at[i].label[k].text, label)) {
				double v = (double)d->at[i].label[k].value;
				bool there = false;
				for (size_t j = 0; j < to->v.n; j++)
					there |= to->v.at[j] == v;
				*found = true;
				if (!there && weft_vec_push(&to->v, v))
					return -ENOMEM;
			}
	return 0;
}

/* Labels win over the numbers that stand at their place, unless they say nothing in this trace. */
static int resolve(struct weft_view *v, const struct weft_trace *t, const struct weft_labels *labels, bool types,
                   struct weft_list *list)
{
	struct numbers to = {.v = {0}};
	int rc = 0;
	for (uint32_t i = 0; i < labels->n && !rc; i++) {
		const struct weft_def_row *type = types ? type_named(t, labels->at[i]) : NULL;
		bool found = false;
		if (!strcmp(labels->at[i], "Unknown"))
			type = NULL;
		else if (!types)
			rc = add_values_labelled(t, labels->at[i], &to, &found);
		if (!rc && !found)
			rc = weft_vec_push(&to.v, type ? (double)(uint32_t)type->code : list->at[i]);
	}
	double *at = weft_arena_alloc(&v->arena, (to.v.n + 1) * sizeof *at);
	if (!rc && !at)
		rc = -ENOMEM;
	if (!rc) {
		memcpy(at, to.v.at, to.v.n * sizeof *at);
		*list = (struct weft_list){at, (uint32_t)to.v.n};
	}
	free(to.v.at);
	return rc;
}

static int resolve_labels(struct weft_view *v, struct weft_window *w, const struct weft_trace *t, struct weft_err *err)
{
	struct weft_test *type = &w->metric.filter.test[WEFT_OF_TYPE], *value = &w->metric.filter.test[WEFT_OF_VALUE];
	int rc = 0;
	if (w->type_label.given) {
		if (w->type_label.n != type->list.n)
			return weft_err_set(err, WEFT_E_SYNTAX, "window '%s': %u labels of event types for %u numbers",
			                    w->metric.name, w->type_label.n, type->list.n);
		rc = resolve(v, t, &w->type_label, true, &type->list);
	}
	if (!rc && w->value_label.given) {
		if (w->value_label.n != value->list.n)
			return weft_err_set(err, WEFT_E_SYNTAX, "window '%s': %u labels of event values for %u numbers",
			                    w->metric.name, w->value_label.n, value->list.n);
		rc = resolve(v, t, &w->value_label, false, &value->list);
	}
	return rc;
}

/* ---- what the trace lacks ---- */

static bool has_type(const struct weft_trace *t, double low, double high)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < d->n; i++) {
		double code = (uint32_t)d->at[i].code;
		if (d->at[i].n_events && code >= low && code <= high)
			return true;
	}
	return false;
}

/*
 * Adds up what the windows ask for, and what of it is there. A window that asks for no types finds
 * all that it wants.
 */
static void look_for_types(const struct weft_window *w, const struct weft_trace *t, struct weft_view_lack *lack)
{
	const struct weft_test *test = &w->metric.filter.test[WEFT_OF_TYPE];
	uint32_t found = 0;
	if (w->derived)
		return;
	if (test->kind == WEFT_TEST_ALL || test->kind == WEFT_TEST_NONE) {
		lack->found++;
		return;
	}
	if (test->kind == WEFT_TEST_RANGE) {
		found = test->list.n > 1 && has_type(t, test->list.at[0], test->list.at[1]) ? test->list.n : 0;
	} else {
		for (uint32_t i = 0; i < test->list.n; i++)
			found += has_type(t, test->list.at[i], test->list.at[i]);
	}
	lack->found += found;
	lack->missing += test->list.n - found;
}

/* ---- rows ---- */

/*
 * The first object of the line's level that it speaks of; false when the trace has fewer objects
 * than it.
 */
static bool chosen_first(const struct weft_chosen *o, const struct weft_space *s, uint32_t *first)
{
	const struct weft_trace *t = s->trace;
	uint32_t n = weft_level_size(s, o->level);
	*first = 0;
	if (o->n_parents == 1 && o->level == WEFT_TASK && o->parent[0] < t->n_apps) {
		*first = t->app[o->parent[0]].first_process;
		n = t->app[o->parent[0]].n_processes;
	} else if (o->n_parents == 2 && o->level == WEFT_THREAD && o->parent[0] < t->n_apps &&
	           o->parent[1] < t->app[o->parent[0]].n_processes) {
		const struct weft_process *p = &t->process[t->app[o->parent[0]].first_process + o->parent[1]];
		*first = p->first_thread;
		n = p->n_threads;
	} else if (o->n_parents) {
		n = 0;
	}
	return o->n <= n;
}

static int choose_rows(struct weft_view *v, struct weft_window *w, const struct weft_space *s, struct weft_err *err)
{
	enum weft_level level = w->metric.level;
	uint32_t n = weft_level_size(s, level), first;
	bool *on = weft_arena_alloc(&v->arena, (size_t)n + 1);
	if (!on)
		return -ENOMEM;
	memset(on, true, n);
	for (uint32_t i = 0; i < w->n_chosen; i++) {
		const struct weft_chosen *o = &w->chosen[i];
		if (!chosen_first(o, s, &first))
			continue;
		if (o->level == level && o->words)
			return weft_err_set(err, WEFT_E_SYNTAX,
			                    "window '%s': rows of its own level are chosen by numbers, not by words",
			                    w->metric.name);
		if (!weft_level_fits(o->level, level) || o->level > level)
			continue;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t object = weft_level_up(s, level, k, o->level);
			if (object >= first && object - first < o->n && !o->on[object - first])
				on[k] = false;
		}
	}
	for (uint32_t k = 0; k < n && w->zoom_last != WEFT_NONE; k++)
		if (k < w->zoom_first || k > w->zoom_last)
			on[k] = false;
	w->selected = on;
	return 0;
}

/* ---- windows ---- */

static void set_times(struct weft_window *w, const struct weft_space *s)
{
	w->begin = w->begin_is_part ? w->begin_part * s->end : w->begin_time;
	w->end = w->end_is_part ? w->end_part * s->end : w->end_time;
	if (w->begin >= s->end || w->begin < 0)
		w->begin = 0;
	if (w->end > s->end || w->end <= 0)
		w->end = s->end;
}

static int set_level(struct weft_window *w, const struct weft_space *s, struct weft_err *err)
{
	struct weft_metric *m = &w->metric;
	if (w->derived) {
		enum weft_level a = m->parent[0]->level, b = m->parent[1]->level, base = weft_metric_base(m);
		if (!weft_level_fits(a, b))
			return weft_err_set(err, WEFT_E_SYNTAX, "window '%s': its parents' levels, %s and %s, do not meet",
			                    m->name, level_words[a], level_words[b]);
		if (!w->has_level || m->level > base || !weft_level_fits(m->level, base))
			m->level = base;
	}
	if (!weft_level_size(s, m->level))
		return weft_err_set(err, WEFT_E_SYNTAX, "window '%s': the trace has no level %s", m->name, level_words[m->level]);
	return 0;
}

/* Data and planes are of the control's level or of a coarser one. */
static bool hist_fits(const struct weft_view *v, const struct weft_hist *h)
{
	const uint32_t window[3] = {h->control, h->data, h->extra};
	enum weft_level control = v->window[h->control].metric.level;
	for (int i = 1; i < 3; i++) {
		enum weft_level l = window[i] == WEFT_NONE ? control : v->window[window[i]].metric.level;
		if (!weft_level_fits(l, control) || l > control)
			return false;
	}
	return true;
}

/* Those that do not fit are left out, as if they were not there. */
static void drop_hists(struct weft_view *v)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < v->n_hists; i++)
		if (hist_fits(v, &v->hist[i]))
			v->hist[left++] = v->hist[i];
	v->n_hists = left;
}

/*
 * Each step is a call inside a call while a row is computed. Parents stand before their children.
 */
static int check_depth(const struct weft_view *v, struct weft_err *err)
{
	enum { MOST = 400 };
	uint32_t *depth = calloc((size_t)v->n_windows + 1, sizeof *depth);
	int rc = depth ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < v->n_windows && !rc; i++) {
		const struct weft_window *w = &v->window[i];
		for (unsigned k = 0; k < 2 && w->derived; k++)
			if (depth[w->parents[k]] >= depth[i])
				depth[i] = depth[w->parents[k]] + 1;
		if (depth[i] > MOST)
			rc = weft_err_set(err, WEFT_E_SYNTAX,
			                  "window '%s': more than %d windows are derived one from the other to make it",
			                  w->metric.name, MOST);
	}
	free(depth);
	return rc;
}

int weft_view_bind(struct weft_view *v, const struct weft_space *s, struct weft_view_lack *lack, struct weft_err *err)
{
	*lack = (struct weft_view_lack){0};
	int rc = check_depth(v, err);
	for (uint32_t i = 0; i < v->n_windows && !rc; i++) {
		struct weft_window *w = &v->window[i];
		rc = resolve_labels(v, w, s->trace, err);
		if (!rc && w->join_labels)
			rc = view_join_labels(v, w, s->trace);
		if (!rc)
			rc = set_level(w, s, err);
		if (!rc)
			rc = choose_rows(v, w, s, err);
		if (rc)
			break;
		set_times(w, s);
		look_for_types(w, s->trace, lack);
		uint32_t n = weft_level_size(s, w->metric.level), on = 0;
		for (uint32_t k = 0; k < n; k++)
			on += w->selected[k];
		lack->nothing_selected |= !on;
	}
	if (!rc)
		drop_hists(v);
	if (rc == -ENOMEM)
		weft_err_set(err, rc, "%s", weft_err_name(rc));
	return rc;
}
