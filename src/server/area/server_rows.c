/* SPDX-License-Identifier: Apache-2.0 */
/* Area time: what rows are called and what they are in; what values are called; which counters there are. */
#include "metric/func/metric_schema.h"
#include "render/row_label.h"
#include "server/core/server_look.h"
#include "server_time.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 200000, NAME_MOST = 300, VALUES_MOST = 4096 };

/* A text of a trace, of any length, as one that fits: pages do not get megabytes for a label. */
static void put_text(struct weft_json *w, const char *at, size_t n)
{
	size_t most = n < NAME_MOST ? n : NAME_MOST;
	while (most < n && most && ((unsigned char)at[most] & 0xc0) == 0x80)
		most--;
	weft_json_string_n(w, at, most);
}

static int put_names(struct weft_json *w, const struct server_trace *t, enum weft_level level, uint32_t n)
{
	struct weft_buf name = {0};
	weft_json_key(w, "names");
	weft_json_array(w);
	for (uint32_t i = 0; i < n; i++) {
		name.n = 0;
		row_label(&t->space, level, i, &name);
		put_text(w, name.n && !name.failed ? name.at : "", name.failed ? 0 : name.n);
	}
	weft_json_end(w);
	int rc = name.failed ? -ENOMEM : 0;
	weft_buf_fini(&name);
	return rc;
}

/* By each coarser level of the same model: the object that each row is in. */
static void put_up(struct weft_json *w, const struct server_trace *t, enum weft_level level, uint32_t n)
{
	weft_json_key(w, "up");
	weft_json_object(w);
	for (unsigned up = 0; up < WEFT_LEVELS; up++) {
		bool coarser = up < (unsigned)level && weft_level_fits(level, (enum weft_level)up);
		if (!coarser || !weft_level_size(&t->space, (enum weft_level)up))
			continue;
		weft_json_key(w, server_level_names[up]);
		weft_json_array(w);
		for (uint32_t i = 0; i < n; i++)
			weft_json_u64(w, weft_level_up(&t->space, level, i, (enum weft_level)up));
		weft_json_end(w);
	}
	if (level == WEFT_THREAD && weft_level_size(&t->space, WEFT_NODE)) {
		weft_json_key(w, "node");
		weft_json_array(w);
		for (uint32_t i = 0; i < n; i++)
			weft_json_i64(w, t->space.node_of[i] == WEFT_NONE ? -1 : (int64_t)t->space.node_of[i]);
		weft_json_end(w);
	}
	weft_json_end(w);
}

static void put_threads(struct weft_json *w, const struct server_trace *t, uint32_t n)
{
	static const char *const keys[] = {"events", "begin", "end"};
	for (unsigned k = 0; k < 3; k++) {
		weft_json_key(w, keys[k]);
		weft_json_array(w);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t own = server_own_thread(t, i);
			const struct weft_thread_row *h = own == WEFT_NONE ? NULL : &t->trace->thread[own];
			uint64_t end = !h ? 0 : h->end == WEFT_NEVER ? t->trace->end : h->end;
			uint64_t begin = !h || h->begin == WEFT_NEVER ? 0 : h->begin;
			weft_json_u64(w, !h ? 0 : k == 0 ? h->n_events : k == 1 ? begin : end);
		}
		weft_json_end(w);
	}
}

/* The rows of a window: those that it chooses, in its zoom. */
static void put_chosen(struct weft_json *w, const struct weft_window *window, enum weft_level level, uint32_t n)
{
	if (!window || level != window->metric.level || (!window->selected && window->zoom_last == WEFT_NONE))
		return;
	weft_json_key(w, "chosen");
	weft_json_array(w);
	for (uint32_t i = 0; i < n; i++) {
		bool in_zoom = window->zoom_last == WEFT_NONE || (i >= window->zoom_first && i <= window->zoom_last);
		if (in_zoom && (!window->selected || window->selected[i]))
			weft_json_u64(w, i);
	}
	weft_json_end(w);
}

/* Where no view chooses: the threads that are part of the program's work, as far as anybody knows. */
static void put_workers(struct weft_json *w, const struct server_trace *t, uint32_t n)
{
	uint32_t left_out = 0;
	for (uint32_t i = 0; i < n; i++)
		left_out += weft_space_is_bystander(&t->space, i);
	if (!left_out || left_out == n)
		return;
	weft_json_key(w, "chosen");
	weft_json_array(w);
	for (uint32_t i = 0; i < n; i++)
		if (!weft_space_is_bystander(&t->space, i))
			weft_json_u64(w, i);
	weft_json_end(w);
}

static int put_parents(struct weft_json *w, const struct server_trace *t, enum weft_level level)
{
	int rc = 0;
	weft_json_key(w, "parents");
	weft_json_object(w);
	for (unsigned up = 0; up < WEFT_LEVELS; up++) {
		bool wanted = up == WEFT_NODE
		                      ? level == WEFT_THREAD || level == WEFT_CPU
		                      : up < (unsigned)level && up >= WEFT_APPL && weft_level_fits(level, (enum weft_level)up);
		uint32_t n = weft_level_size(&t->space, (enum weft_level)up);
		if (!wanted || !n || n > ROWS_MOST)
			continue;
		weft_json_key(w, server_level_names[up]);
		weft_json_object(w);
		rc |= put_names(w, t, (enum weft_level)up, n);
		weft_json_end(w);
	}
	weft_json_end(w);
	return rc ? -ENOMEM : 0;
}

int server_time_rows(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_json j;
	int rc = server_look_init(&l, r);
	uint32_t n = rc ? 0 : server_look_rows(&l);
	if (!rc && n > ROWS_MOST)
		rc = weft_err_set(r->err, -E2BIG, "%u rows are more than a page can show: choose a coarser level", n);
	if (!rc) {
		struct weft_json *w = server_json_begin(&j);
		weft_json_object(w);
		server_put_string(w, "level", server_level_names[l.metric.level]);
		server_put_u64(w, "n", n);
		server_put_string(w, "title",
		                  l.window                                   ? l.window->metric.name
		                  : l.trace->regions->of == WEFT_CLASS_STATE ? "States"
		                                                             : "Regions");
		server_put_string(w, "lack", l.view ? l.view->lack : "");
		server_put_bool(w, "codes", server_look_is_code(&l));
		server_put_bool(w, "lines", l.window && l.window->lines);
		rc = put_names(w, l.trace, l.metric.level, n);
		put_up(w, l.trace, l.metric.level, n);
		int parents_rc = put_parents(w, l.trace, l.metric.level);
		rc = rc ? rc : parents_rc;
		if (l.metric.level == WEFT_THREAD)
			put_threads(w, l.trace, n);
		put_chosen(w, l.window, l.metric.level, n);
		if (!l.window && l.metric.level == WEFT_THREAD)
			put_workers(w, l.trace, n);
		weft_json_end(w);
		int end_rc = server_json_end(&j, a);
		rc = rc ? rc : end_rc;
	}
	server_look_fini(&l);
	return rc;
}

/* ---- names of values ---- */

void server_put_value(struct weft_json *w, const struct server_look *l, double v, struct weft_buf *name)
{
	name->n = 0;
	server_look_name(l, v, name);
	weft_json_object(w);
	server_put_double(w, "value", v);
	weft_json_key(w, "name");
	put_text(w, name->n ? name->at : "?", name->n ? name->n : 1);
	server_put_u64(w, "color", server_look_color(l, v));
	if (!l->window && v >= 1 && v < l->trace->regions->n && l->trace->regions->name[(uint32_t)v]) {
		const struct weft_trace *t = l->trace->trace;
		const struct weft_def_row *d = &t->def[l->trace->regions->of].at[l->trace->regions->def[(uint32_t)v]];
		if (*d->file) {
			server_put_string(w, "file", d->file);
			server_put_u64(w, "line", d->line);
		}
		if (d->category && d->category < t->def[WEFT_CLASS_CATEGORY].n)
			server_put_string(w, "category", t->def[WEFT_CLASS_CATEGORY].at[d->category].name);
	}
	weft_json_end(w);
}

/* values=1,2.5,7: what these are called; without, of codes of regions all of them. */
int server_time_legend(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_json j;
	struct weft_buf name = {0};
	struct weft_str rest = weft_str(server_arg(r, "values")), part;
	unsigned n = 0;
	int rc = server_look_init(&l, r);
	if (rc) {
		server_look_fini(&l);
		return rc;
	}
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "values");
	weft_json_array(w);
	while (rest.at && weft_str_cut(&rest, ',', &part) && !rc) {
		double v;
		if (weft_parse_double(part, &v))
			rc = weft_err_set(r->err, -EINVAL, "'values': expected numbers, found '%.*s'",
			                  (int)(part.n < 40 ? part.n : 40), part.at);
		else if (n++ < VALUES_MOST)
			server_put_value(w, &l, v, &name);
	}
	if (!server_arg(r, "values") && !l.window)
		for (uint32_t v = 1; v < l.trace->regions->n && n < VALUES_MOST; v++)
			if (l.trace->regions->name[v] &&
			    l.trace->trace->def[l.trace->regions->of].at[l.trace->regions->def[v]].n_events) {
				server_put_value(w, &l, v, &name);
				n++;
			}
	weft_json_end(w);
	weft_json_end(w);
	int end_rc = server_json_end(&j, a);
	rc = rc ? rc : end_rc ? end_rc : name.failed ? -ENOMEM : 0;
	weft_buf_fini(&name);
	server_look_fini(&l);
	return rc;
}

/* ---- counters ---- */

/* A view's text for one; its title without what ends a string. */
static int add_counter_view(const struct server_request *r, const char *name, uint32_t number, bool rate, char *out)
{
	struct weft_buf text = {0}, title = {0};
	for (const char *at = name; *at && title.n < 200; at++)
		weft_buf_putc(&title, *at == '"' || *at == '\\' || (unsigned char)*at < 32 ? '\'' : *at);
	weft_buf_putc(&title, 0);
	weft_buf_printf(&text, "counter \"%s%s\" = %s(%u) { colour %s }\n", title.at ? title.at : "", rate ? " a second" : "",
	                rate ? "last_rate" : "value", number, "not_null");
	int rc = text.failed || title.failed ? -ENOMEM : server_view_add(r->session, name, text.at, text.n, out, r->err);
	weft_buf_fini(&text);
	weft_buf_fini(&title);
	return rc;
}

/* The type of a counter's events, as views have it; 0: it is none. */
static uint32_t counter_type(const struct server_trace *t, enum weft_class class, uint32_t i)
{
	const struct metric_schema *schema = t->space.schema;
	const struct weft_def_row *d = &t->trace->def[class].at[i];
	if (!schema)
		return d->n_labels || !d->n_events ? 0 : (uint32_t)d->code;
	uint32_t type = schema->type[WEFT_EV_COUNTER][i] ? schema->type[WEFT_EV_COUNTER][i] : schema->type[WEFT_EV_COUNTER_F][i];
	return type ? (uint32_t)schema->seen.def[WEFT_CLASS_TYPE].at[type].code : 0;
}

int server_counters_each(const struct server_request *r, const struct server_trace *t,
                         int (*use)(void *arg, const struct server_counter *c), void *arg)
{
	const enum weft_class class = t->space.schema ? WEFT_CLASS_COUNTER : WEFT_CLASS_TYPE;
	int rc = 0;
	for (uint32_t i = 1; i < t->trace->def[class].n && !rc; i++) {
		uint32_t type = counter_type(t, class, i);
		struct server_counter c = {.def = &t->trace->def[class].at[i]};
		if (!type)
			continue;
		rc = add_counter_view(r, c.def->name, type, false, c.view);
		if (!rc)
			rc = add_counter_view(r, c.def->name, type, true, c.rate);
		if (!rc)
			rc = use(arg, &c);
	}
	return rc;
}

static int put_counter(void *arg, const struct server_counter *c)
{
	struct weft_json *w = arg;
	weft_json_object(w);
	weft_json_key(w, "name");
	put_text(w, c->def->name, strlen(c->def->name));
	server_put_string(w, "unit", c->def->unit);
	server_put_u64(w, "events", c->def->n_events);
	server_put_string(w, "view", c->view);
	server_put_string(w, "rate", c->rate);
	weft_json_end(w);
	return 0;
}

/* What the trace has numbers of: counters of ours; of a .prv, types whose values have no names. */
int server_time_counters(const struct server_request *r, struct server_answer *a)
{
	struct server_trace *t;
	struct server_json j;
	int rc = server_arg_trace(r, &t);
	if (rc)
		return rc;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "counters");
	weft_json_array(w);
	rc = server_counters_each(r, t, put_counter, w);
	weft_json_end(w);
	weft_json_end(w);
	int end_rc = server_json_end(&j, a);
	return rc ? rc : end_rc;
}
