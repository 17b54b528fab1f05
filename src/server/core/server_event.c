/* SPDX-License-Identifier: Apache-2.0 */
/* Events in words: a table says for each kind what its id names and how its value is written. */
#include "server_event.h"
#include "format/format.h"
#include "server_look.h"
#include <string.h>

enum { TEXT_MOST = 300 };

static void put_value(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d, const struct weft_event *e)
{
	const char *label = d ? weft_value_label(d, (int64_t)e->value) : NULL;
	(void)t;
	weft_json_key(w, "value");
	weft_json_i64(w, (int64_t)e->value);
	if (label)
		server_put_string(w, "label", label);
}

static void put_double(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d,
                       const struct weft_event *e)
{
	double v;
	(void)t;
	(void)d;
	memcpy(&v, &e->value, sizeof v);
	server_put_double(w, "value", v);
}

static void put_string(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d,
                       const struct weft_event *e)
{
	const struct weft_def_table *strings = &t->trace->def[WEFT_CLASS_STRING];
	const char *text = e->value < strings->n && strings->at[e->value].name ? strings->at[e->value].name : "";
	size_t n = strlen(text);
	(void)d;
	weft_json_key(w, "value");
	weft_json_string_n(w, text, n < TEXT_MOST ? n : TEXT_MOST);
}

static void put_time(struct weft_json *w, const char *key, uint64_t ns)
{
	weft_json_key(w, key);
	if (ns == WEFT_NEVER)
		weft_json_null(w);
	else
		weft_json_u64(w, ns);
}

static void put_row(struct weft_json *w, const char *key, const struct server_trace *t, uint32_t thread)
{
	uint32_t row = server_row_of_thread(t, thread);
	weft_json_key(w, key);
	if (row == WEFT_NONE)
		weft_json_null(w);
	else
		weft_json_u64(w, row);
}

void server_put_message(struct weft_json *w, const struct server_trace *t, uint64_t i)
{
	const struct weft_messages *m = &t->trace->message;
	const struct weft_def_table *comms = &t->trace->def[WEFT_CLASS_COMM];
	weft_json_object(w);
	server_put_u64(w, "id", i);
	put_row(w, "from", t, m->send_thread[i]);
	put_row(w, "to", t, m->recv_thread[i]);
	put_time(w, "began", m->send_began[i]);
	put_time(w, "sent", m->send_done[i]);
	put_time(w, "posted", m->recv_began[i]);
	put_time(w, "received", m->recv_done[i]);
	server_put_u64(w, "size", m->size[i]);
	weft_json_key(w, "tag");
	weft_json_i64(w, m->tag[i]);
	if (m->comm[i] && m->comm[i] < comms->n)
		server_put_string(w, "comm", comms->at[m->comm[i]].name);
	weft_json_end(w);
}

static void put_message(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d,
                        const struct weft_event *e)
{
	(void)d;
	if (e->value >= t->trace->message.n)
		return;
	weft_json_key(w, "message");
	server_put_message(w, t, e->value);
}

static void put_flow(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d, const struct weft_event *e)
{
	const struct weft_flows *f = &t->trace->flow;
	(void)d;
	if (e->value >= f->n)
		return;
	weft_json_key(w, "flow");
	weft_json_object(w);
	put_row(w, "from", t, f->from_thread[e->value]);
	put_row(w, "to", t, f->to_thread[e->value]);
	put_time(w, "begin", f->from_time[e->value]);
	put_time(w, "end", f->to_time[e->value]);
	weft_json_end(w);
}

static void put_cpu(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d, const struct weft_event *e)
{
	(void)d;
	if (e->value >= t->trace->n_cpus)
		return;
	server_put_u64(w, "value", t->trace->cpu[e->value].os);
}

typedef void put_fn(struct weft_json *w, const struct server_trace *t, const struct weft_def_row *d, const struct weft_event *e);
static put_fn *put_of(unsigned kind)
{
	static put_fn *const puts[] = {
		[WEFT_EV_POINT] = put_value,   [WEFT_EV_POINT_F] = put_double,   [WEFT_EV_POINT_S] = put_string,
		[WEFT_EV_COUNTER] = put_value, [WEFT_EV_COUNTER_F] = put_double, [WEFT_EV_ATTR] = put_value,
		[WEFT_EV_ATTR_F] = put_double, [WEFT_EV_ATTR_S] = put_string,    [WEFT_EV_SEND] = put_message,
		[WEFT_EV_RECV] = put_message,  [WEFT_EV_FLOW_OUT] = put_flow,    [WEFT_EV_FLOW_IN] = put_flow,
		[WEFT_EV_CPU] = put_cpu,       [WEFT_EV_DROPPED] = put_value,    [WEFT_EV_FORK] = put_value,
		[WEFT_EV_EXIT] = put_value,
	};
	return kind < sizeof puts / sizeof *puts ? puts[kind] : NULL;
}

void server_put_event(struct weft_json *w, const struct server_trace *t, const struct weft_event *e)
{
	const struct weft_kind_info *info = &weft_kind_info[e->kind & 255];
	enum weft_class class = info->name ? info->of : WEFT_CLASS_NONE;
	const struct weft_def_table *defs = &t->trace->def[class];
	const struct weft_def_row *d = class && e->id && e->id < defs->n ? &defs->at[e->id] : NULL;
	put_fn *put = put_of(e->kind);
	weft_json_object(w);
	server_put_u64(w, "time", e->time);
	server_put_string(w, "kind", info->name ? info->name : "?");
	if (d) {
		size_t n = strlen(d->name);
		weft_json_key(w, "name");
		weft_json_string_n(w, d->name, n < TEXT_MOST ? n : TEXT_MOST);
		if (*d->unit)
			server_put_string(w, "unit", d->unit);
		if (d->code)
			server_put_double(w, "code", (double)d->code);
	}
	if (put)
		put(w, t, d, e);
	weft_json_end(w);
}
