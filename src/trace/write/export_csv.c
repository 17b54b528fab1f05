/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything as one long table (RFC 4180, lines ended by LF), which a data frame reads as it is:
 *
 *   kind,app,process,thread,begin_ns,end_ns,name,value,size,peer,tag,depth
 *
 * A region, a state, a message and a flow are one row from begin to end; all else is a row with end_ns = begin_ns. A message and
 * a flow stand at the thread that sent, with the other's label (app.process.thread) in `peer`; one whose other end is missing
 * is a "send" or "recv". An attribute has the depth of its region. Cells that a kind does not have are empty.
 */
#include "export_priv.h"
#include <errno.h>

struct csv {
	struct export_sink sink; /* first: callbacks get it */
	struct weft_buf where;   /* ",1,2,1," of the thread that is being written */
};

/* Quoted where it must be; what is no UTF-8 becomes U+FFFD. */
static void csv_text(struct export_out *o, const char *z)
{
	size_t left = strlen(z), plain = 0;
	while (plain < left && (unsigned char)z[plain] < 0x80 && !strchr(",\"\r\n", z[plain]))
		plain++;
	if (plain == left) {
		export_bytes(o, z, left);
		return;
	}
	export_char(o, '"');
	while (left) {
		unsigned n = weft_utf8_len(z, left);
		if (*z == '"')
			export_char(o, '"');
		if (n)
			export_bytes(o, z, n);
		else
			export_text(o, "\xef\xbf\xbd");
		z += n ? n : 1;
		left -= n ? n : 1;
	}
	export_char(o, '"');
}

static void csv_comma(struct export_out *o)
{
	export_char(o, ',');
}

/* Up to and with the name. */
static void csv_row(struct csv *c, const char *kind, uint64_t begin, uint64_t end, const char *name)
{
	struct export_out *o = c->sink.out;
	export_text(o, kind);
	export_bytes(o, c->where.at, c->where.n);
	export_u64(o, begin);
	csv_comma(o);
	export_u64(o, end);
	csv_comma(o);
	csv_text(o, name);
	csv_comma(o);
}

static void csv_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct csv *c = (struct csv *)s;
	const struct weft_thread_row *row = &s->t->thread[l->thread];
	const struct weft_process *p = &s->t->process[row->process];
	(void)time;
	c->where.n = 0;
	weft_buf_printf(&c->where, ",%u,%u,%u,", p->app + 1, row->process - s->t->app[p->app].first_process + 1, row->number);
	if (c->where.failed)
		export_fail(s->out, -ENOMEM);
}

static void csv_span(struct export_sink *s, struct export_lane *l, const struct weft_span *span)
{
	struct csv *c = (struct csv *)s;
	(void)l;
	csv_row(c, "region", span->begin, span->end, export_def_name(s->t, WEFT_CLASS_REGION, span->region));
	export_text(s->out, ",,,,");
	export_u64(s->out, span->depth);
	export_char(s->out, '\n');
}

static void csv_state(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins)
{
	struct csv *c = (struct csv *)s;
	if (!begins)
		return;
	uint64_t end = l->state.at[l->state.n - 1].end;
	csv_row(c, "state", time, end, export_def_name(s->t, WEFT_CLASS_STATE, state));
	export_text(s->out, ",,,,");
	export_u64(s->out, l->state.n - 1);
	export_char(s->out, '\n');
}

static void csv_value(struct export_out *o, const struct export_arg *a)
{
	if (a->kind == EXPORT_TEXT)
		csv_text(o, a->text);
	else
		export_number(o, a, "");
}

static void csv_arrow(struct csv *c, const struct weft_event *e)
{
	const struct weft_trace *t = c->sink.t;
	const struct weft_messages *m = &t->message;
	const struct weft_flows *f = &t->flow;
	struct export_out *o = c->sink.out;
	bool message = e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV;
	uint64_t i = e->value;
	char label[40];
	if (message)
		csv_row(c, "message", m->send_began[i], m->recv_done[i], export_def_name(t, WEFT_CLASS_COMM, m->comm[i]));
	else
		csv_row(c, "flow", f->from_time[i], f->to_time[i], export_def_name(t, WEFT_CLASS_FLOW, e->id));
	if (!message)
		export_hex(o, f->key[i]);
	csv_comma(o);
	if (message)
		export_u64(o, m->size[i]);
	csv_comma(o);
	export_text(o, weft_thread_label(t, message ? m->recv_thread[i] : f->to_thread[i], label));
	csv_comma(o);
	if (message)
		export_i64(o, m->tag[i]);
	export_text(o, ",\n");
}

/* Events with several values: "key=value key=value" but for the size, which has a column. */
static void csv_values(struct export_out *o, const struct export_detail *d)
{
	bool any = false;
	for (unsigned i = 0; i < d->n; i++) {
		if (strcmp(d->arg[i].key, "size") == 0)
			continue;
		if (any)
			export_char(o, ' ');
		if (d->n > 1) {
			export_text(o, d->arg[i].key);
			export_char(o, '=');
		}
		csv_value(o, &d->arg[i]);
		any = true;
	}
}

static const struct export_arg *find_arg(const struct export_detail *d, const char *key)
{
	for (unsigned i = 0; i < d->n; i++)
		if (strcmp(d->arg[i].key, key) == 0)
			return &d->arg[i];
	return NULL;
}

static void csv_plain(struct csv *c, const struct export_lane *l, const struct weft_event *e)
{
	struct export_out *o = c->sink.out;
	struct export_detail d;
	bool half = e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV;
	export_describe(&c->sink, e, &d);
	const struct export_arg *size = find_arg(&d, "size"), *tag = find_arg(&d, "tag"), *label = find_arg(&d, "label");
	csv_row(c, weft_kind_info[e->kind].name, e->time, e->time, half ? find_arg(&d, "comm")->text : d.name);
	if (label)
		csv_text(o, label->text);
	else if (!half)
		csv_values(o, &d);
	csv_comma(o);
	if (size)
		csv_value(o, size);
	export_text(o, ",,");
	if (tag)
		csv_value(o, tag);
	csv_comma(o);
	if (pick_goes_with_span(e->kind) && l->level.n)
		export_u64(o, l->level.n - 1);
	export_char(o, '\n');
}

static void csv_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct csv *c = (struct csv *)s;
	const struct weft_messages *m = &s->t->message;
	const struct weft_flows *f = &s->t->flow;
	uint64_t i = e->value;
	switch (e->kind) {
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		if (m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE)
			csv_plain(c, l, e);
		else if (e->kind == WEFT_EV_SEND)
			csv_arrow(c, e);
		break;
	case WEFT_EV_FLOW_OUT:
	case WEFT_EV_FLOW_IN:
		if (f->from_thread[i] == WEFT_NONE || f->to_thread[i] == WEFT_NONE)
			csv_plain(c, l, e);
		else if (e->kind == WEFT_EV_FLOW_OUT)
			csv_arrow(c, e);
		break;
	default:
		csv_plain(c, l, e);
	}
}

int weft_export_csv(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct export_out out;
	struct csv c = {.sink = {.t = t,
	                         .how = how,
	                         .out = &out,
	                         .begin = csv_begin,
	                         .span = csv_span,
	                         .state = csv_state,
	                         .event = csv_event}};
	int rc = export_open(&out, path, err);
	if (rc)
		return rc;
	export_text(&out, "kind,app,process,thread,begin_ns,end_ns,name,value,size,peer,tag,depth\n");
	rc = export_threads(&c.sink);
	weft_buf_fini(&c.where);
	return export_close(&out, rc, err);
}
