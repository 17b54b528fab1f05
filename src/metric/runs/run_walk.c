/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over each thread; what stands in a region is kept with it until it ends. */
#include "run_walk.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum meaning { MEANS_NOTHING, MEANS_BYTES, MEANS_FILE, MEANS_DESCRIPTOR, MEANS_LOCK, MEANS_ERROR, MEANS_TARGET };
static const struct {
	const char *name;
	enum meaning means;
} meanings[] = {{"bytes", MEANS_BYTES}, {"file", MEANS_FILE},   {"descriptor", MEANS_DESCRIPTOR},
                {"lock", MEANS_LOCK},   {"error", MEANS_ERROR}, {"target", MEANS_TARGET}};

struct walking {
	const struct run_walk *w;
	uint32_t thread;
	uint8_t *meaning; /* by attribute. Owned by the caller */
	struct weft_span_walk spans;
	WEFT_VEC(struct run_call) open; /* mirrors spans.open */
	WEFT_VEC(struct run_call) turned;
};

uint32_t run_category(const struct weft_trace *t, const char *name)
{
	const struct weft_def_table *c = &t->def[WEFT_CLASS_CATEGORY];
	for (uint32_t i = 1; i < c->n; i++)
		if (!strcmp(c->at[i].name, name))
			return i;
	return 0;
}

static uint64_t clip(const struct run_walk *w, uint64_t time)
{
	return time < w->from ? w->from : time > w->to ? w->to : time;
}

static int on_span(void *arg, const struct weft_span *s)
{
	struct walking *o = arg;
	const struct run_walk *w = o->w;
	size_t n = o->open.n;
	if (!n)
		return 0;
	struct run_call c = o->open.at[n - 1];
	o->open.n--;
	c.begin = clip(w, s->begin);
	c.end = clip(w, s->end);
	if (n > 1)
		o->open.at[n - 2].inner += c.end - c.begin;
	bool in = s->end >= w->from && s->begin <= w->to && (!w->filter || weft_filter_span(w->filter, s));
	if (!in || !w->on_call)
		return 0;
	o->turned.n = 0;
	for (size_t i = n - 1; i-- > 0 && i + 17 > n;)
		if (weft_vec_push(&o->turned, o->open.at[i]))
			return -ENOMEM;
	return w->on_call(w->arg, &c, o->turned.at, (uint32_t)o->turned.n);
}

static int take_region(struct walking *o, const struct weft_event *e, const struct weft_block *one)
{
	size_t before = o->spans.open.n;
	int rc = weft_span_feed(&o->spans, one);
	if (rc || e->kind != WEFT_EV_ENTER || o->spans.open.n <= before)
		return rc;
	return weft_vec_push(&o->open, (struct run_call){.thread = o->thread,
	                                                 .region = e->id,
	                                                 .descriptor = -1,
	                                                 .target = WEFT_NONE,
	                                                 .least = UINT64_MAX});
}

static void add_size(struct run_call *c, uint64_t size)
{
	c->n_messages++;
	c->sizes += size;
	c->most = size > c->most ? size : c->most;
	c->least = size < c->least ? size : c->least;
}

static void take_attr(const struct walking *o, struct run_call *c, const struct weft_event *e)
{
	switch (o->meaning[e->id]) {
	case MEANS_BYTES:
		c->bytes += (int64_t)e->value > 0 ? e->value : 0;
		c->has_bytes = true;
		break;
	case MEANS_FILE:
		c->file = e->kind == WEFT_EV_ATTR_S ? (uint32_t)e->value : c->file;
		break;
	case MEANS_DESCRIPTOR:
		c->descriptor = (int64_t)e->value;
		break;
	case MEANS_LOCK:
		c->lock = e->value;
		break;
	case MEANS_ERROR:
		c->error = (int64_t)e->value;
		break;
	case MEANS_TARGET:
		c->target = (uint32_t)e->value;
		break;
	default:
		break;
	}
}

static void take_in_region(const struct walking *o, struct run_call *c, const struct weft_event *e)
{
	const struct weft_trace *t = o->w->t;
	uint32_t n = 0;
	const uint64_t *word;
	switch (e->kind) {
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_S:
		take_attr(o, c, e);
		break;
	case WEFT_EV_SEND:
		c->sent += t->message.size[e->value];
		add_size(c, t->message.size[e->value]);
		break;
	case WEFT_EV_RECV:
		c->received += t->message.size[e->value];
		add_size(c, t->message.size[e->value]);
		break;
	case WEFT_EV_COLLECTIVE:
		word = weft_extra(t, o->thread, e->value, &n);
		if (n >= 3) {
			c->sent += word[1];
			c->received += word[2];
			add_size(c, word[1] > word[2] ? word[1] : word[2]);
		}
		break;
	default:
		break;
	}
}

static int take_event(struct walking *o, const struct weft_event *e, const struct weft_block *one)
{
	const struct run_walk *w = o->w;
	bool in = e->time >= w->from && e->time <= w->to;
	if (e->kind == WEFT_EV_ENTER || e->kind == WEFT_EV_LEAVE || e->kind == WEFT_EV_OFF || e->kind == WEFT_EV_THREAD_END)
		return take_region(o, e, one);
	if (e->kind == WEFT_EV_POINT)
		return in && w->on_point ? w->on_point(w->arg, o->thread, e->time, e->id, (int64_t)e->value) : 0;
	if (e->kind == WEFT_EV_COUNTER)
		return in && w->on_counter ? w->on_counter(w->arg, o->thread, e->time, e->id, (int64_t)e->value) : 0;
	if (o->open.n && in)
		take_in_region(o, &o->open.at[o->open.n - 1], e);
	return 0;
}

static int walk_thread(struct walking *o)
{
	const struct weft_trace *t = o->w->t;
	struct weft_cursor c;
	struct weft_block b;
	weft_span_begin(&o->spans, t, o->thread, on_span, o);
	int rc = weft_cursor_begin(&c, t, o->thread, 0, WEFT_NEVER);
	bool begun = !rc;
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], o->thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]),
			                       b.value[i]};
			struct weft_block one = {1, &b.time[i], &b.what[i], &b.value[i]};
			rc = take_event(o, &e, &one);
		}
	}
	if (begun)
		weft_cursor_end(&c);
	int ended = weft_span_end(&o->spans, t->thread[o->thread].end);
	free(o->open.at);
	free(o->turned.at);
	return rc ? rc : ended;
}

int run_walk(const struct run_walk *w)
{
	const struct weft_def_table *attrs = &w->t->def[WEFT_CLASS_ATTR];
	uint8_t *meaning = calloc((size_t)attrs->n + 1, 1);
	int rc = meaning ? 0 : -ENOMEM;
	for (uint32_t i = 1; i < attrs->n && !rc; i++)
		for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++)
			if (!strcmp(meanings[k].name, attrs->at[i].name))
				meaning[i] = meanings[k].means;
	for (uint32_t i = 0; i < w->t->n_threads && !rc; i++) {
		struct walking o = {.w = w, .thread = i, .meaning = meaning};
		if ((w->t->thread[i].own && !w->own_threads) || (w->filter && !weft_filter_thread(w->filter, i)))
			continue;
		rc = walk_thread(&o);
	}
	free(meaning);
	return rc;
}
