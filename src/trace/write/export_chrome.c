/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Trace Event Format that chrome://tracing, Perfetto and speedscope read: one JSON object, one event a line. Regions are B and E
 * (an X would need its length before its children are known, and ties at equal times are ambiguous), with the attributes on the E;
 * states of a foreign trace are async events, so that they have a row of their own; counters have the thread in their id; a message
 * is two instants and an arrow between them. An arrow needs a slice to start from: where no region is open, the instant is one. A sample
 * names its innermost frame; frames, each with its caller, stand behind all events.
 */
#include "base/map.h"
#include "export_priv.h"
#include <errno.h>
#include <stdlib.h>

struct chrome {
	struct export_sink sink; /* first: callbacks get it */
	bool any;                /* an event was written: the next needs a comma */
	struct weft_buf *region; /* owned: what follows the time of a B, by region; made when first asked for */
	struct weft_map frame;   /* caller and name, hashed -> number */
	struct weft_buf frames;  /* owned: what is said of them */
	uint64_t n_frames;
	struct weft_buf where; /* ,"pid":1,"tid":2,"ts": of the thread that is being written */
};

static void chrome_begin_event(struct chrome *c, const char *phase)
{
	export_text(c->sink.out, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	export_text(c->sink.out, phase);
	c->any = true;
}

/* An event of the current thread, up to its time. */
static void chrome_at(struct chrome *c, const char *phase, uint64_t time)
{
	chrome_begin_event(c, phase);
	export_bytes(c->sink.out, c->where.at, c->where.n);
	export_fixed(c->sink.out, time, 3);
}

static void chrome_key_text(struct export_out *o, const char *key, const char *text)
{
	export_text(o, ",\"");
	export_text(o, key);
	export_text(o, "\":");
	export_json(o, text);
}

static void chrome_close(struct chrome *c)
{
	export_char(c->sink.out, '}');
}

/* ---- arguments ---- */

static void chrome_value(struct export_out *o, const struct export_arg *a)
{
	/* As text: a JSON number of 64 bits is not read exactly by JavaScript. */
	const char *quote = a->kind == EXPORT_HEX ? "\"" : "";
	if (a->kind == EXPORT_TEXT) {
		export_json(o, a->text);
		return;
	}
	export_text(o, quote);
	export_number(o, a, "null");
	export_text(o, quote);
}

static void chrome_args(struct export_out *o, const struct export_detail *d)
{
	for (unsigned i = 0; i < d->n; i++) {
		export_text(o, i ? ",\"" : ",\"args\":{\"");
		export_text(o, d->arg[i].key);
		export_text(o, "\":");
		chrome_value(o, &d->arg[i]);
	}
	if (d->n)
		export_char(o, '}');
}

/* The attributes of a region: their names are the keys, and a name that comes again stays the last. */
static void chrome_attrs(struct chrome *c, const struct export_attr *attr, size_t n)
{
	struct export_out *o = c->sink.out;
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		bool again = false;
		for (size_t k = i + 1; k < n && !again && n < 64; k++)
			again = attr[k].event.kind == attr[i].event.kind && attr[k].event.id == attr[i].event.id;
		if (again)
			continue;
		struct export_detail d;
		export_describe(&c->sink, &attr[i].event, &d);
		export_text(o, any ? "," : ",\"args\":{");
		export_json(o, d.name);
		export_char(o, ':');
		chrome_value(o, &d.arg[0]);
		any = true;
	}
	if (any)
		export_char(o, '}');
}

/* ---- the walk's callbacks ---- */

static void chrome_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct chrome *c = (struct chrome *)s;
	(void)time;
	c->where.n = 0;
	weft_buf_printf(&c->where, "\",\"pid\":%u,\"tid\":%u,\"ts\":", export_pid(s->t, s->t->thread[l->thread].process),
	                export_tid(l->thread));
	if (c->where.failed)
		export_fail(s->out, -ENOMEM);
}

static const struct weft_buf *chrome_region(struct chrome *c, uint32_t region)
{
	const struct weft_def_table *defs = &c->sink.t->def[WEFT_CLASS_REGION];
	struct weft_buf *b = &c->region[region < defs->n ? region : 0];
	if (b->n)
		return b;
	uint32_t category = region < defs->n ? defs->at[region].category : 0;
	weft_buf_puts(b, ",\"name\":");
	export_json_add(b, export_def_name(c->sink.t, WEFT_CLASS_REGION, region));
	if (category) {
		weft_buf_puts(b, ",\"cat\":");
		export_json_add(b, export_def_name(c->sink.t, WEFT_CLASS_CATEGORY, category));
	}
	weft_buf_putc(b, '}');
	if (b->failed)
		export_fail(c->sink.out, -ENOMEM);
	return b;
}

static void chrome_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region)
{
	struct chrome *c = (struct chrome *)s;
	const struct weft_buf *rest = chrome_region(c, region);
	(void)l;
	chrome_at(c, "B", time);
	export_bytes(s->out, rest->at, rest->n);
}

static void chrome_pop(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region,
                       const struct export_attr *attr, size_t n_attrs)
{
	struct chrome *c = (struct chrome *)s;
	(void)l, (void)region;
	chrome_at(c, "E", time);
	if (n_attrs)
		chrome_attrs(c, attr, n_attrs);
	chrome_close(c);
}

static void chrome_state(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins)
{
	struct chrome *c = (struct chrome *)s;
	chrome_at(c, begins ? "b" : "e", time);
	chrome_key_text(s->out, "name", export_def_name(s->t, WEFT_CLASS_STATE, state));
	export_text(s->out, ",\"cat\":\"state\",\"id\":");
	export_u64(s->out, export_tid(l->thread));
	chrome_close(c);
}

static void chrome_counter(struct chrome *c, const struct export_lane *l, const struct weft_event *e,
                           const struct export_detail *d)
{
	char label[40];
	chrome_at(c, "C", e->time);
	chrome_key_text(c->sink.out, "name", d->name);
	chrome_key_text(c->sink.out, "id", weft_thread_label(c->sink.t, l->thread, label));
	export_text(c->sink.out, ",\"args\":{\"value\":");
	chrome_value(c->sink.out, &d->arg[0]);
	export_char(c->sink.out, '}');
	chrome_close(c);
}

/* One end of an arrow. `id` tells the arrows of one kind apart. */
static void chrome_arrow(struct chrome *c, uint64_t time, bool out, const char *kind, const char *name, uint64_t id)
{
	chrome_at(c, out ? "s" : "f", time);
	export_text(c->sink.out, out ? ",\"cat\":\"" : ",\"bp\":\"e\",\"cat\":\"");
	export_text(c->sink.out, kind);
	export_text(c->sink.out, "\",\"id\":");
	export_u64(c->sink.out, id);
	chrome_key_text(c->sink.out, "name", name);
	chrome_close(c);
}

static void chrome_instant(struct chrome *c, const struct export_lane *l, const struct weft_event *e,
                           const struct export_detail *d, bool wants_slice)
{
	bool slice = wants_slice && l->depth == 0;
	chrome_at(c, slice ? "X" : "i", slice ? export_end_time(c->sink.t, e) : e->time);
	export_text(c->sink.out, slice ? ",\"dur\":0" : ",\"s\":\"t\"");
	chrome_key_text(c->sink.out, "name", d->name);
	chrome_key_text(c->sink.out, "cat", weft_kind_info[e->kind].name);
	chrome_args(c->sink.out, d);
	chrome_close(c);
}

/* ---- samples ---- */

enum { STACK_TEXT = 16384 };

/* A frame's number, new where this caller (0: none) has not called it before. */
static uint64_t chrome_frame(struct chrome *c, uint64_t caller, const char *name, size_t n)
{
	char text[300];
	uint64_t key = weft_hash(name, n) ^ weft_hash_u64(caller + 1), number;
	if (weft_map_get(&c->frame, key, &number))
		return number;
	number = ++c->n_frames;
	snprintf(text, sizeof text, "%.*s", (int)(n < 290 ? n : 290), name);
	weft_buf_printf(&c->frames, "%s\n\"%llu\":{", number > 1 ? "," : "", (unsigned long long)number);
	if (caller)
		weft_buf_printf(&c->frames, "\"parent\":\"%llu\",", (unsigned long long)caller);
	weft_buf_puts(&c->frames, "\"name\":");
	export_json_add(&c->frames, text);
	weft_buf_putc(&c->frames, '}');
	if (c->frames.failed || weft_map_put(&c->frame, key, number))
		export_fail(c->sink.out, -ENOMEM);
	return number;
}

static void addresses_of(const struct weft_trace *t, const struct weft_event *e, char *room, size_t size)
{
	uint32_t n = 0;
	const uint64_t *address = weft_extra(t, e->thread, e->value, &n);
	size_t at = 0;
	room[0] = '\0';
	for (uint32_t i = 0; i < n && at + 32 < size; i++)
		at += (size_t)snprintf(room + at, size - at, "%s0x%llx", i ? " < " : "", (unsigned long long)address[i]);
}

/* The text has the innermost first; frames are made from the outermost on. */
static void chrome_sample(struct chrome *c, const struct weft_event *e)
{
	const struct export_sink *s = &c->sink;
	char text[STACK_TEXT];
	uint64_t frame = 0;
	if (!s->how->stack || !s->how->stack(s->how->stack_arg, s->t, e, text, sizeof text))
		addresses_of(s->t, e, text, sizeof text);
	for (char *end = text + strlen(text), *at; end > text; end = at) {
		for (at = end - 1; at > text && strncmp(at, " < ", 3) != 0; at--)
			;
		char *name = at > text ? at + 3 : text;
		frame = chrome_frame(c, frame, name, (size_t)(end - name));
	}
	chrome_at(c, "P", e->time);
	export_text(s->out, ",\"name\":\"sample\",\"cat\":\"sample\"");
	if (frame) {
		export_text(s->out, ",\"sf\":\"");
		export_u64(s->out, frame);
		export_char(s->out, '"');
	}
	chrome_close(c);
}

static void chrome_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct chrome *c = (struct chrome *)s;
	const struct weft_messages *m = &s->t->message;
	const struct weft_flows *f = &s->t->flow;
	struct export_detail d;
	if (e->kind == WEFT_EV_SAMPLE) {
		chrome_sample(c, e);
		return;
	}
	export_describe(s, e, &d);
	switch (e->kind) {
	case WEFT_EV_COUNTER:
	case WEFT_EV_COUNTER_F:
	case WEFT_EV_CPU:
		chrome_counter(c, l, e, &d);
		break;
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		chrome_instant(c, l, e, &d, true);
		if (m->send_thread[e->value] != WEFT_NONE && m->recv_thread[e->value] != WEFT_NONE)
			chrome_arrow(c, export_end_time(s->t, e), e->kind == WEFT_EV_SEND, "message", "message", e->value + 1);
		break;
	case WEFT_EV_FLOW_OUT:
	case WEFT_EV_FLOW_IN:
		chrome_instant(c, l, e, &d, true);
		if (f->from_thread[e->value] != WEFT_NONE && f->to_thread[e->value] != WEFT_NONE)
			chrome_arrow(c, e->time, e->kind == WEFT_EV_FLOW_OUT, "flow", d.name, e->value + 1);
		break;
	default:
		chrome_instant(c, l, e, &d, false);
	}
}

/* ---- the file ---- */

static void chrome_meta(struct chrome *c, uint32_t pid, uint32_t tid, const char *what, const char *name, uint32_t order)
{
	struct export_out *o = c->sink.out;
	chrome_begin_event(c, "M");
	export_text(o, "\",\"pid\":");
	export_u64(o, pid);
	if (tid) {
		export_text(o, ",\"tid\":");
		export_u64(o, tid);
	}
	export_text(o, ",\"name\":\"");
	export_text(o, what);
	export_text(o, name ? "_name\",\"args\":{\"name\":" : "_sort_index\",\"args\":{\"sort_index\":");
	if (name)
		export_json(o, name);
	else
		export_u64(o, order);
	export_text(o, "}}");
}

static void chrome_names(struct chrome *c)
{
	const struct weft_trace *t = c->sink.t;
	struct weft_buf name = {0};
	for (uint32_t p = 0; p < t->n_processes; p++) {
		name.n = 0;
		export_process_name(t, p, &name);
		chrome_meta(c, export_pid(t, p), 0, "process", name.at, 0);
		chrome_meta(c, export_pid(t, p), 0, "process", NULL, p);
	}
	for (uint32_t i = 0; i < t->n_threads; i++) {
		if (!pick_thread(c->sink.how->filter, i))
			continue;
		uint32_t pid = export_pid(t, t->thread[i].process);
		name.n = 0;
		export_thread_name(t, i, &name);
		chrome_meta(c, pid, export_tid(i), "thread", name.at, 0);
		chrome_meta(c, pid, export_tid(i), "thread", NULL, i);
	}
	if (name.failed)
		export_fail(c->sink.out, -ENOMEM);
	weft_buf_fini(&name);
}

int weft_export_chrome(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct export_out out;
	struct chrome c = {.sink = {.t = t,
	                            .how = how,
	                            .out = &out,
	                            .keeps_attrs = true,
	                            .begin = chrome_begin,
	                            .push = chrome_push,
	                            .pop = chrome_pop,
	                            .state = chrome_state,
	                            .event = chrome_event}};
	uint32_t n_regions = t->def[WEFT_CLASS_REGION].n;
	int rc = export_open(&out, path, err);
	if (rc)
		return rc;
	c.region = calloc(n_regions + 1u, sizeof *c.region);
	if (!c.region)
		return export_close(&out, -ENOMEM, err);
	export_text(&out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"weft\"},\"traceEvents\":[");
	chrome_names(&c);
	rc = export_threads(&c.sink);
	export_text(&out, "\n]");
	if (c.n_frames && !c.frames.failed) {
		export_text(&out, ",\n\"stackFrames\":{");
		export_bytes(&out, c.frames.at, c.frames.n);
		export_char(&out, '}');
	}
	export_text(&out, "}\n");
	for (uint32_t i = 0; i <= n_regions; i++)
		weft_buf_fini(&c.region[i]);
	free(c.region);
	weft_buf_fini(&c.where);
	weft_buf_fini(&c.frames);
	weft_map_fini(&c.frame);
	return export_close(&out, rc, err);
}
