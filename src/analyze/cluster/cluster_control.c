/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_control.h"
#include "xml/xml.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { METRICS_MOST = 64, PLOTS_MOST = 256 };

struct reader {
	struct weft_control *c;
	const char *file;
	struct weft_err *err;
};

static int wrong(const struct reader *r, const struct weft_xml_node *n, const char *what, const char *found)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "%s:%u: <%s>: %s '%.80s'", r->file, n->line, n->name, what, found);
}

static int no_memory(const struct reader *r)
{
	return weft_err_set(r->err, -ENOMEM, "cannot read '%s': out of memory", r->file);
}

static const struct weft_xml_node *child_of(const struct weft_xml_node *n, const char *name)
{
	for (const struct weft_xml_node *k = n->child; k; k = k->next)
		if (!strcasecmp(k->name, name))
			return k;
	return NULL;
}

/* ---- values ---- */

static int flag_of(const struct reader *r, const struct weft_xml_node *n, const char *name, bool otherwise, bool *out)
{
	const char *z = weft_xml_attribute(n, name);
	*out = otherwise;
	if (!z)
		return 0;
	bool yes = !strcasecmp(z, "yes") || !strcasecmp(z, "true"), no = !strcasecmp(z, "no") || !strcasecmp(z, "false");
	if (!yes && !no)
		return wrong(r, n, "expected yes or no, found", z);
	*out = yes;
	return 0;
}

static int number_in(const struct reader *r, const struct weft_xml_node *n, const char *text, double *out)
{
	return weft_parse_double(weft_str_trim(weft_str(text)), out) ? wrong(r, n, "expected a number, found", text) : 0;
}

static int number_of(const struct reader *r, const struct weft_xml_node *n, const char *name, double *out)
{
	const char *z = weft_xml_attribute(n, name);
	return z ? number_in(r, n, z, out) : 0;
}

static int child_number(const struct reader *r, const struct weft_xml_node *n, const char *name, double *out)
{
	const struct weft_xml_node *k = child_of(n, name);
	return k && *k->text ? number_in(r, k, k->text, out) : 0;
}

static const char *copy(const struct reader *r, const char *z)
{
	return weft_arena_strdup(&r->c->arena, z);
}

/* ---- metrics ---- */

static int counter_of(struct reader *r, const struct weft_xml_node *n, const char *child, int32_t *out)
{
	const struct weft_xml_node *k = child_of(n, child);
	struct weft_control *c = r->c;
	if (!k || !*k->text)
		return wrong(r, n, "expected a child", child);
	if (!strcasecmp(k->text, "duration")) {
		*out = WEFT_METRIC_DURATION;
		return 0;
	}
	for (uint32_t i = 0; i < c->n_counters; i++)
		if (!strcmp(c->counter[i], k->text)) {
			*out = (int32_t)i;
			return 0;
		}
	const char *z = copy(r, k->text);
	if (!z)
		return no_memory(r);
	*out = (int32_t)c->n_counters;
	c->counter[c->n_counters++] = z;
	return 0;
}

static int take_metric(struct reader *r, const struct weft_xml_node *n, struct weft_burst_metric *m)
{
	bool mixed = !strcasecmp(n->name, "mixed_events");
	const char *name = weft_xml_attribute(n, "name"), *operation = weft_xml_attribute(n, "operation");
	*m = (struct weft_burst_metric){.factor = 1, .least = -INFINITY, .most = INFINITY};
	if (!mixed && strcasecmp(n->name, "single_event") != 0)
		return wrong(r, n, "expected single_event or mixed_events, found", n->name);
	if (!name || !*name)
		return wrong(r, n, "there is no attribute", "name");
	if (!(m->name = copy(r, name)))
		return no_memory(r);
	int rc = flag_of(r, n, "apply_log", false, &m->log);
	rc = rc ? rc : counter_of(r, n, mixed ? "event_type_a" : "event_type", &m->a);
	if (!rc && mixed) {
		if (!operation || !*operation || operation[1] || !strchr("+-*/", *operation))
			return wrong(r, n, "expected the operation + - * or /, found", operation ? operation : "");
		m->operation = *operation;
		rc = counter_of(r, n, "event_type_b", &m->b);
	}
	rc = rc ? rc : child_number(r, n, "range_min", &m->least);
	rc = rc ? rc : child_number(r, n, "range_max", &m->most);
	return rc ? rc : child_number(r, n, "factor", &m->factor);
}

static int take_metrics(struct reader *r, const struct weft_xml_node *n, struct weft_burst_metric *list, unsigned *count)
{
	int rc = 0;
	for (const struct weft_xml_node *k = n ? n->child : NULL; k && !rc; k = k->next) {
		if (*count == METRICS_MOST)
			return wrong(r, k, "there are too many metrics: behind", list[*count - 1].name);
		rc = take_metric(r, k, &list[*count]);
		*count += !rc;
	}
	return rc;
}

/* ---- plots ---- */

static int take_axis(struct reader *r, const struct weft_xml_node *plot, const char *child, struct weft_control_axis *a)
{
	const struct weft_xml_node *n = child_of(plot, child);
	*a = (struct weft_control_axis){.least = NAN, .most = NAN};
	if (!n)
		return 0;
	const char *title = weft_xml_attribute(n, "title");
	if (!*n->text)
		return wrong(r, n, "there is no metric in", n->name);
	if (!(a->metric = copy(r, n->text)) || (title && !(a->title = copy(r, title))))
		return no_memory(r);
	int rc = number_of(r, n, "min", &a->least);
	return rc ? rc : number_of(r, n, "max", &a->most);
}

static int take_plots(struct reader *r, const struct weft_xml_node *n)
{
	static const char *const axes[] = {"x_metric", "y_metric", "z_metric"};
	int rc = n ? flag_of(r, n, "all_plots", false, &r->c->all_plots) : 0;
	for (const struct weft_xml_node *k = n ? n->child : NULL; k && !rc; k = k->next) {
		struct weft_control_plot *p = &r->c->plot[r->c->n_plots];
		if (strcasecmp(k->name, "plot_definition") != 0)
			return wrong(r, k, "expected plot_definition, found", k->name);
		if (r->c->n_plots == PLOTS_MOST)
			return wrong(r, k, "there are too many plots in", r->file);
		rc = flag_of(r, k, "raw_metrics", false, &p->raw);
		for (unsigned i = 0; i < 3 && !rc; i++)
			rc = take_axis(r, k, axes[i], &p->axis[i]);
		if (!rc && (!p->axis[0].metric || !p->axis[1].metric))
			return wrong(r, k, "a plot needs an x_metric and a", "y_metric");
		r->c->n_plots += !rc;
	}
	return rc;
}

/* ---- the whole ---- */

static int take_algorithm(struct reader *r, const struct weft_xml_node *n)
{
	const char *name = n ? weft_xml_attribute(n, "name") : NULL;
	double points = 0;
	if (!n)
		return 0;
	if (!name || strcasecmp(name, "DBSCAN") != 0)
		return wrong(r, n, "the algorithm can only be DBSCAN, not", name ? name : "");
	int rc = child_number(r, n, "epsilon", &r->c->eps);
	rc = rc ? rc : child_number(r, n, "min_points", &points);
	if (!rc && (!(r->c->eps > 0) || !isfinite(r->c->eps)))
		return wrong(r, n, "epsilon must be positive, not", child_of(n, "epsilon") ? child_of(n, "epsilon")->text : "");
	if (!rc && (!(points >= 1) || points > 1e9 || points != floor(points)))
		return wrong(r, n, "min_points must be a whole number from 1 on, not",
		             child_of(n, "min_points") ? child_of(n, "min_points")->text : "");
	r->c->min_points = rc ? 0 : (uint32_t)points;
	r->c->has_dbscan = !rc;
	return rc;
}

static int take_root(struct reader *r, const struct weft_xml_node *root)
{
	struct weft_control *c = r->c;
	bool use_duration, log_duration;
	double filter_us = 0;
	if (strcasecmp(root->name, "clustering_definition") != 0)
		return wrong(r, root, "expected clustering_definition, found", root->name);
	int rc = flag_of(r, root, "use_duration", false, &use_duration);
	rc = rc ? rc : flag_of(r, root, "apply_log", false, &log_duration);
	rc = rc ? rc : flag_of(r, root, "normalize_data", true, &c->normalise);
	rc = rc ? rc : number_of(r, root, "duration_filter", &filter_us);
	rc = rc ? rc : number_of(r, root, "threshold_filter", &c->threshold);
	if (!rc && (!(filter_us >= 0) || filter_us > 1e12))
		return wrong(r, root, "duration_filter is no time in microseconds:", weft_xml_attribute(root, "duration_filter"));
	c->least_ns = rc ? 0 : (uint64_t)llround(filter_us * 1000);
	if (!rc && use_duration)
		c->metric[c->n_metrics++] = (struct weft_burst_metric){.name = "Duration",
		                                                       .a = WEFT_METRIC_DURATION,
		                                                       .log = log_duration,
		                                                       .factor = 1,
		                                                       .least = -INFINITY,
		                                                       .most = INFINITY};
	rc = rc ? rc : take_algorithm(r, child_of(root, "clustering_algorithm"));
	rc = rc ? rc : take_metrics(r, child_of(root, "clustering_parameters"), c->metric, &c->n_metrics);
	const struct weft_xml_node *extra = child_of(root, "extrapolation_parameters");
	rc = rc ? rc : extra ? flag_of(r, extra, "all_counters", false, &c->all_counters) : 0;
	rc = rc ? rc : take_metrics(r, extra, c->extra, &c->n_extra);
	rc = rc ? rc : take_plots(r, child_of(root, "output_plots"));
	if (!rc && !c->n_metrics)
		return wrong(r, root, "there is nothing to cluster by in", "clustering_parameters");
	return rc;
}

int weft_control_parse(struct weft_control *c, const char *name, const char *text, size_t n, struct weft_err *err)
{
	struct reader r = {c, name, err};
	struct weft_xml_node *root;
	*c = (struct weft_control){.normalise = true};
	/* Room for one metric more than may be read, the duration; each metric has two counters at most. */
	c->metric = weft_arena_alloc(&c->arena, (METRICS_MOST + 1) * sizeof *c->metric);
	c->extra = weft_arena_alloc(&c->arena, METRICS_MOST * sizeof *c->extra);
	c->plot = weft_arena_alloc(&c->arena, (PLOTS_MOST + 1) * sizeof *c->plot);
	c->counter = weft_arena_alloc(&c->arena, 4 * (METRICS_MOST + 1) * sizeof *c->counter);
	if (!c->metric || !c->extra || !c->plot || !c->counter)
		return no_memory(&r);
	int rc = weft_xml_parse(&c->arena, name, text, n, &root, err);
	return rc ? rc : take_root(&r, root);
}

void weft_control_fini(struct weft_control *c)
{
	weft_arena_fini(&c->arena);
	*c = (struct weft_control){.n_plots = 0};
}
