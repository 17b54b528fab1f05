/* SPDX-License-Identifier: Apache-2.0 */
/* Area time: all that is known about one place of the timeline, a row at an instant. */
#include "metric/func/metric_schema.h"
#include "render/row_label.h"
#include "server/core/server_event.h"
#include "server/core/server_look.h"
#include "server/core/server_nest.h"
#include "server_time.h"
#include "symbols/symbols.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 60, WALK_MOST = 4000000, INSIDE_MOST = 8192, STACK_MOST = 200, FRAMES_MOST = 200, ATTRS_MOST = 40 };

struct place {
	const struct server_look *look;
	const struct server_request *request;
	const struct server_trace *t;
	uint32_t row, thread; /* thread: of the trace itself; WEFT_NONE: the row is none */
	uint64_t at;
	struct weft_json *w;
};

/* ---- the value ---- */

static int put_value(struct place *p, uint64_t *begin_ns, uint64_t *end_ns)
{
	struct weft_row *row;
	struct weft_intervals *b = malloc(sizeof *b);
	struct weft_buf name = {0};
	double at = server_units(p->t, p->at);
	int rc = b ? weft_row_open(&row, &p->t->space, &p->look->metric, p->row, at, at + 1) : -ENOMEM;
	if (!rc) {
		rc = weft_row_next(row, b);
		weft_row_close(row);
	}
	if (rc > 0 && b->n) {
		uint32_t i = 0;
		while (i + 1 < b->n && b->end[i] <= at)
			i++;
		double v = p->look->window ? b->value[i] : server_look_value(p->look, b->value[i]);
		*begin_ns = server_ns(p->t, i ? b->end[i - 1] : b->begin);
		*end_ns = server_ns(p->t, b->end[i]);
		server_look_name(p->look, v, &name);
		weft_json_key(p->w, "value");
		weft_json_object(p->w);
		server_put_double(p->w, "value", v);
		server_put_string(p->w, "name", name.n && !name.failed ? name.at : "?");
		server_put_u64(p->w, "color", server_look_color(p->look, v));
		server_put_u64(p->w, "begin", *begin_ns);
		server_put_u64(p->w, "end", *end_ns);
		weft_json_end(p->w);
	}
	rc = rc < 0 ? rc : name.failed ? -ENOMEM : 0;
	weft_buf_fini(&name);
	free(b);
	return rc;
}

/* ---- where ---- */

static int put_where(struct place *p)
{
	struct weft_buf name = {0};
	row_label(&p->t->space, p->look->metric.level, p->row, &name);
	server_put_string(p->w, "row", name.n && !name.failed ? name.at : "");
	int rc = name.failed ? -ENOMEM : 0;
	weft_buf_fini(&name);
	if (p->thread == WEFT_NONE || rc)
		return rc;
	const struct weft_trace *t = p->t->trace;
	const struct weft_thread_row *h = &t->thread[p->thread];
	const struct weft_process *of = &t->process[h->process];
	char label[40];
	weft_json_key(p->w, "thread");
	weft_json_object(p->w);
	server_put_string(p->w, "label", weft_thread_label(t, p->thread, label));
	server_put_string(p->w, "name", h->name);
	server_put_string(p->w, "process", of->name);
	if (h->tid > 0)
		server_put_u64(p->w, "tid", (uint64_t)h->tid);
	if (of->pid > 0)
		server_put_u64(p->w, "pid", (uint64_t)of->pid);
	if (of->node != WEFT_NONE && of->node < t->n_nodes)
		server_put_string(p->w, "node", t->node[of->node].name);
	server_put_u64(p->w, "events", h->n_events);
	weft_json_end(p->w);
	return 0;
}

/* ---- open regions ---- */

struct stack {
	struct weft_span span[STACK_MOST];
	uint32_t n; /* deepest + 1 */
	uint64_t at, to;
	bool cut; /* some end where the walk did */
};

static int take_open(void *arg, const struct weft_span *s)
{
	struct stack *k = arg;
	if (s->begin > k->at || s->end <= k->at || s->depth >= STACK_MOST)
		return 0;
	k->span[s->depth] = *s;
	k->n = s->depth + 1 > k->n ? s->depth + 1 : k->n;
	k->cut |= s->end >= k->to;
	return 0;
}

/* The regions that are open, with their true ends: what goes on behind the walk is looked for further on. */
static int find_stack(const struct place *p, struct stack *k)
{
	uint64_t end = p->t->trace->end + 1, width = 1000;
	int rc;
	do {
		uint64_t to = p->at + width < end ? p->at + width : end;
		*k = (struct stack){.at = p->at, .to = to};
		rc = server_nest_walk(p->t->nests, p->thread, p->at, to > p->at ? to : p->at + 1, WALK_MOST, take_open, k);
		width *= 16;
	} while (!rc && k->cut && k->to < end);
	return rc == -E2BIG ? 0 : rc; /* then the ends are not known: those of the walk stand */
}

static bool takes_value(unsigned kind)
{
	return kind == WEFT_EV_ATTR || kind == WEFT_EV_ATTR_F || kind == WEFT_EV_ATTR_S;
}

struct frames {
	const uint64_t *at; /* in the store */
	uint32_t n;
};

/* What stands in a region directly: its attributes; and the call stack of its entry. */
static int put_inside(struct place *p, const struct weft_span *s, struct frames *calls)
{
	struct weft_cursor c;
	struct weft_block b;
	unsigned seen = 0, depth = 0, attrs = 0;
	int rc = weft_cursor_begin(&c, p->t->trace, p->thread, s->begin, s->end == WEFT_NEVER ? s->end : s->end + 1);
	if (rc)
		return rc;
	weft_json_key(p->w, "attrs");
	weft_json_array(p->w);
	bool inside = false, done = false;
	while (!done && (rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && !done; i++) {
			struct weft_event e = {b.time[i], p->thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]),
			                       b.value[i]};
			done = ++seen > INSIDE_MOST;
			if (!inside) {
				inside = e.kind == WEFT_EV_ENTER && e.id == s->region && e.time == s->begin;
				continue;
			}
			depth += e.kind == WEFT_EV_ENTER;
			done |= e.kind == WEFT_EV_LEAVE && !depth;
			depth -= e.kind == WEFT_EV_LEAVE && depth;
			if (depth || done)
				continue;
			if (takes_value(e.kind) && attrs++ < ATTRS_MOST)
				server_put_event(p->w, p->t, &e);
			if (e.kind == WEFT_EV_CALLSTACK && !calls->n)
				calls->at = weft_extra(p->t->trace, p->thread, e.value, &calls->n);
		}
	weft_cursor_end(&c);
	weft_json_end(p->w);
	return rc < 0 ? rc : 0;
}

static int put_stack(struct place *p, const struct stack *k, struct frames *calls)
{
	int rc = 0;
	weft_json_key(p->w, "stack");
	weft_json_array(p->w);
	for (uint32_t i = 0; i < k->n && !rc; i++) {
		const struct weft_span *s = &k->span[i];
		const struct weft_def_row *d = &p->t->trace->def[WEFT_CLASS_REGION].at[s->region];
		const struct weft_def_table *categories = &p->t->trace->def[WEFT_CLASS_CATEGORY];
		if (!s->region)
			continue;
		calls->n = 0;
		weft_json_object(p->w);
		server_put_string(p->w, "name", d->name);
		server_put_u64(p->w, "color", 0xff000000u | p->t->regions->color[s->region]);
		server_put_u64(p->w, "begin", s->begin);
		server_put_u64(p->w, "end", s->end);
		server_put_bool(p->w, "open", s->end >= k->to && k->cut);
		if (*d->file)
			server_put_string(p->w, "file", d->file);
		server_put_u64(p->w, "line", d->line);
		if (d->category && d->category < categories->n)
			server_put_string(p->w, "category", categories->at[d->category].name);
		rc = put_inside(p, s, calls);
		weft_json_end(p->w);
	}
	weft_json_end(p->w);
	return rc;
}

/* ---- call stacks ---- */

/* The sample nearest to the instant; found false: there is none within seconds. */
static int find_sample(const struct place *p, struct frames *out, uint64_t *when)
{
	int rc = 0;
	uint64_t width = 1000000, best = WEFT_NEVER;
	for (; width <= UINT64_C(8000000000) && best == WEFT_NEVER && !rc; width *= 20) {
		struct weft_cursor c;
		struct weft_block b;
		rc = weft_cursor_begin(&c, p->t->trace, p->thread, p->at > width ? p->at - width : 0, p->at + width);
		if (rc)
			break;
		weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_SAMPLE});
		while ((rc = weft_cursor_next(&c, &b)) > 0)
			for (uint32_t i = 0; i < b.n; i++) {
				uint64_t away = b.time[i] > p->at ? b.time[i] - p->at : p->at - b.time[i];
				if (weft_what_kind(b.what[i]) != WEFT_EV_SAMPLE || away >= best)
					continue;
				best = away;
				*when = b.time[i];
				out->at = weft_extra(p->t->trace, p->thread, b.value[i], &out->n);
			}
		weft_cursor_end(&c);
	}
	return rc;
}

static void put_frame(struct weft_json *w, struct weft_symbols *s, const struct weft_frame *f)
{
	const struct weft_function *of = weft_symbols_function(s, f->function);
	weft_json_object(w);
	server_put_string(w, "function", of->name);
	server_put_string(w, "module", of->module);
	if (f->file)
		server_put_string(w, "file", weft_symbols_text(s, f->file));
	server_put_u64(w, "line", f->line);
	server_put_bool(w, "inlined", f->inlined);
	weft_json_end(w);
}

/* returns: all addresses but the first (of a sample), or all (of a call stack), are where calls return to. */
static int put_frames(struct place *p, const char *key, const struct frames *of, bool first_returns)
{
	struct server_trace *t = p->look->trace;
	uint32_t process = p->t->trace->thread[p->thread].process;
	int rc = 0;
	weft_json_key(p->w, key);
	weft_json_array(p->w);
	pthread_mutex_lock(&t->symbols_lock);
	if (!t->symbols)
		rc = weft_symbols_new(&t->symbols, t->trace, NULL);
	for (uint32_t i = 0; i < of->n && i < FRAMES_MOST && !rc; i++) {
		uint32_t n = 0;
		const struct weft_frame *f = weft_symbols_find(t->symbols, process, of->at[i], i || first_returns, &n);
		for (uint32_t k = 0; f && k < n; k++)
			put_frame(p->w, t->symbols, &f[k]);
		rc = f ? 0 : -ENOMEM;
	}
	pthread_mutex_unlock(&t->symbols_lock);
	weft_json_end(p->w);
	return rc;
}

/* ---- events ---- */

/* Those of the thread from the begin of what is there on, as far as they go. */
static int put_events(struct place *p, uint64_t from, uint64_t to)
{
	struct weft_cursor c;
	struct weft_block b;
	unsigned n = 0;
	int rc = weft_cursor_begin(&c, p->t->trace, p->thread, from, to + 1);
	if (rc)
		return rc;
	weft_json_key(p->w, "events");
	weft_json_array(p->w);
	while (n < EVENTS_MOST && (rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && n < EVENTS_MOST; i++, n++) {
			struct weft_event e = {b.time[i], p->thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]),
			                       b.value[i]};
			server_put_event(p->w, p->t, &e);
		}
	weft_json_end(p->w);
	weft_cursor_end(&c);
	return rc < 0 ? rc : 0;
}

static int put_thread(struct place *p, uint64_t begin, uint64_t end)
{
	struct stack *k = calloc(1, sizeof *k);
	struct frames calls = {0}, sample = {0};
	uint64_t when = 0;
	int rc = k ? 0 : -ENOMEM;
	if (!rc && p->t->regions->of == WEFT_CLASS_REGION)
		rc = find_stack(p, k);
	if (!rc)
		rc = put_stack(p, k, &calls);
	if (!rc && calls.n)
		rc = put_frames(p, "calls", &calls, true);
	if (!rc && p->t->has_samples)
		rc = find_sample(p, &sample, &when);
	if (!rc && sample.n) {
		server_put_u64(p->w, "sampled", when);
		rc = put_frames(p, "sample", &sample, false);
	}
	if (!rc)
		rc = put_events(p, begin, end);
	free(k);
	return rc;
}

int server_time_at(const struct server_request *r, struct server_answer *a)
{
	struct server_look l;
	struct server_json j;
	uint64_t row, begin = 0, end = 0;
	struct place p = {.look = &l, .request = r, .thread = WEFT_NONE};
	int rc = server_look_init(&l, r);
	if (!rc)
		rc = server_arg_u64(r, "row", 0, server_look_rows(&l) ? server_look_rows(&l) - 1 : 0, 0, &row);
	if (!rc)
		rc = server_arg_u64(r, "at", 0, UINT64_C(1) << 62, 0, &p.at);
	if (rc) {
		server_look_fini(&l);
		return rc;
	}
	p.t = l.trace;
	p.row = (uint32_t)row;
	p.thread = l.metric.level == WEFT_THREAD ? server_own_thread(p.t, p.row) : WEFT_NONE;
	p.w = server_json_begin(&j);
	weft_json_object(p.w);
	server_put_u64(p.w, "at", p.at);
	begin = end = p.at;
	rc = put_where(&p);
	if (!rc)
		rc = put_value(&p, &begin, &end);
	if (!rc && p.thread != WEFT_NONE)
		rc = put_thread(&p, begin, end);
	while (p.w->depth > 1) /* what an error left open */
		weft_json_end(p.w);
	weft_json_end(p.w);
	int end_rc = server_json_end(&j, a);
	server_look_fini(&l);
	return rc ? rc : end_rc;
}
