/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a trace through an exporter. Each thread is a lane: its spans are walked, what the filter drops is left out, and what
 * remains comes to the sink as a stack. Lanes are walked one by one, or all together in order of time, where they also begin and
 * end in that order.
 */
#include "export_priv.h"
#include <errno.h>
#include <stdlib.h>

/* ---- one lane ---- */

struct lane_close {
	struct export_sink *sink;
	struct export_lane *lane;
};

static int lane_on_span(void *arg, const struct weft_span *span)
{
	struct lane_close *c = arg;
	if (c->sink->span && pick_span(&c->lane->pick, span->sequence))
		c->sink->span(c->sink, c->lane, span);
	return 0;
}

static void lane_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint64_t sequence, uint32_t region)
{
	struct export_level level = {sequence, region, pick_span(&l->pick, sequence)};
	if (weft_vec_push(&l->level, level)) {
		export_fail(s->out, -ENOMEM);
		return;
	}
	if (!level.shown)
		return;
	l->depth++;
	if (s->push)
		s->push(s, l, time, region);
}

static void lane_pop(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	const struct export_level level = l->level.at[--l->level.n];
	size_t first = l->attr.n;
	while (first > 0 && l->attr.at[first - 1].level == l->level.n)
		first--;
	if (level.shown && s->pop)
		s->pop(s, l, time, level.region, l->attr.n ? l->attr.at + first : NULL, l->attr.n - first);
	l->depth -= level.shown;
	l->attr.n = first;
}

/* After an event that may have closed spans: pops what is no longer open, down to the first that differs, and pushes the rest anew. */
static void lane_follow(struct export_sink *s, struct export_lane *l, uint64_t time, bool in_the_middle)
{
	size_t same = l->walk.open.n < l->level.n ? l->walk.open.n : l->level.n;
	if (in_the_middle)
		for (size_t i = 0; i < same; i++)
			if (l->walk.open.at[i].sequence != l->level.at[i].sequence)
				same = i;
	while (l->level.n > same)
		lane_pop(s, l, time);
	for (size_t i = same; i < l->walk.open.n; i++)
		lane_push(s, l, time, l->walk.open.at[i].sequence, l->walk.open.at[i].region);
}

static int lane_feed(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t what)
{
	uint64_t value = 0;
	struct weft_block one = {1, &time, &what, &value};
	struct lane_close close = {s, l};
	l->walk.on_span = lane_on_span;
	l->walk.arg = &close;
	int rc = weft_span_feed(&l->walk, &one);
	l->walk.arg = NULL;
	if (rc == 0)
		lane_follow(s, l, time, weft_what_kind(what) == WEFT_EV_OFF);
	return rc;
}

static void lane_state_pop(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	l->state.n--;
	if (s->state)
		s->state(s, l, time, l->state.at[l->state.n].state, false);
}

static void lane_state_end(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	while (l->state.n && l->state.at[l->state.n - 1].end <= time)
		lane_state_pop(s, l, time);
}

/* States of one thread should not overlap: one that reaches beyond the state around it ends that one. */
static void lane_state_begin(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	uint64_t end = e->value > UINT64_MAX - e->time ? UINT64_MAX : e->time + e->value;
	const struct weft_filter *f = s->how->filter;
	if (f && !weft_filter_state(f, l->thread, e->id, e->time, end))
		return;
	while (l->state.n && l->state.at[l->state.n - 1].end < end)
		lane_state_pop(s, l, e->time);
	if (weft_vec_push(&l->state, (struct export_state){e->id, end}))
		export_fail(s->out, -ENOMEM);
	else if (s->state)
		s->state(s, l, e->time, e->id, true);
}

static bool lane_passes(const struct export_sink *s, const struct weft_event *e)
{
	const struct weft_filter *f = s->how->filter;
	if (!f)
		return true;
	if (e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV)
		return pick_message(s->t, f, e->value);
	if (e->kind == WEFT_EV_FLOW_OUT || e->kind == WEFT_EV_FLOW_IN)
		return pick_flow(s->t, f, e->value);
	return weft_filter_event(f, e);
}

/* An attribute goes with its region, and may wait for the pop. */
static void lane_attr(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	if (l->level.n && !l->level.at[l->level.n - 1].shown)
		return;
	if (l->level.n == 0 && !lane_passes(s, e))
		return;
	if (l->level.n && s->keeps_attrs) {
		if (weft_vec_push(&l->attr, (struct export_attr){l->level.n - 1, *e}))
			export_fail(s->out, -ENOMEM);
	} else if (s->event) {
		s->event(s, l, e);
	}
}

/* The samples of a set become samples of its counters. */
static void lane_set(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	const struct weft_def_table *sets = &s->t->def[WEFT_CLASS_SET];
	uint32_t n = 0;
	const uint64_t *value = weft_extra(s->t, e->thread, e->value, &n);
	if (e->id >= sets->n)
		return;
	for (uint32_t i = 0; i < n && i < sets->at[e->id].n_members; i++) {
		unsigned counter = (unsigned)sets->at[e->id].member[i];
		struct weft_event one = {e->time, e->thread, WEFT_EV_COUNTER, counter, value[i]};
		s->event(s, l, &one);
	}
}

static int lane_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	int rc = 0;
	l->last = e->time;
	switch (e->kind) {
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
		return lane_feed(s, l, e->time, weft_what(e->kind, e->id));
	case WEFT_EV_STATE:
		lane_state_begin(s, l, e);
		return 0;
	case WEFT_EV_STATE_END:
		lane_state_end(s, l, e->time);
		return 0;
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
	case WEFT_EV_ATTR_S:
	case WEFT_EV_CALLSTACK:
		lane_attr(s, l, e);
		return 0;
	case WEFT_EV_OFF:
	case WEFT_EV_THREAD_END:
		rc = lane_feed(s, l, e->time, weft_what(e->kind, e->id));
		break;
	default:
		break;
	}
	if (!s->event || !lane_passes(s, e))
		return rc;
	if (e->kind == WEFT_EV_COUNTER_SET)
		lane_set(s, l, e);
	else
		s->event(s, l, e);
	return rc;
}

static int lane_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	l->begun = true;
	l->last = time;
	weft_span_begin(&l->walk, s->t, l->thread, NULL, NULL);
	if (s->begin)
		s->begin(s, l, time);
	return pick_begin(&l->pick, s->t, s->how->filter, l->thread);
}

static void lane_free(struct export_lane *l)
{
	pick_fini(&l->pick);
	free(l->level.at);
	free(l->attr.at);
	free(l->state.at);
}

static int lane_end(struct export_sink *s, struct export_lane *l, uint64_t time, int rc)
{
	struct lane_close close = {s, l};
	l->ended = true;
	l->walk.on_span = rc ? NULL : lane_on_span;
	l->walk.arg = &close;
	int closed = weft_span_end(&l->walk, time);
	if (rc == 0)
		rc = closed;
	while (l->level.n && rc == 0)
		lane_pop(s, l, time);
	while (l->state.n && rc == 0)
		lane_state_pop(s, l, time);
	if (s->end && rc == 0)
		s->end(s, l, time);
	lane_free(l);
	return rc;
}

/* When the thread began and ended, made consistent: a reader may know less of it than its events say. */
static uint64_t thread_begin(const struct weft_trace *t, uint32_t thread)
{
	return t->thread[thread].begin < t->end ? t->thread[thread].begin : t->end;
}

static uint64_t thread_end(const struct weft_trace *t, uint32_t thread)
{
	uint64_t end = t->thread[thread].end < t->end ? t->thread[thread].end : t->end;
	uint64_t begin = thread_begin(t, thread);
	return end > begin ? end : begin;
}

/* ---- one after another ---- */

static int walk_thread(struct export_sink *s, uint32_t thread)
{
	struct export_lane l = {.thread = thread};
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, s->t, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	rc = lane_begin(s, &l, thread_begin(s->t, thread));
	while (rc == 0 && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = s->out->failed;
		for (uint32_t i = 0; i < b.n && rc == 0; i++) {
			struct weft_event e = {b.time[i], thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			rc = lane_event(s, &l, &e);
		}
		weft_progress_step(&s->progress, b.n);
	}
	uint64_t end = thread_end(s->t, thread);
	weft_cursor_end(&c);
	return lane_end(s, &l, end > l.last ? end : l.last, rc);
}

int export_threads(struct export_sink *s)
{
	int rc = 0;
	if (s->how->progress)
		weft_progress_begin(&s->progress, "converting", s->t->n_events);
	for (uint32_t i = 0; i < s->t->n_threads && rc == 0; i++)
		if (pick_thread(s->how->filter, i))
			rc = walk_thread(s, i);
	if (s->how->progress)
		weft_progress_end(&s->progress);
	return rc ? rc : s->out->failed;
}

/* ---- all together ---- */

struct walk_edge { /* a lane's begin or end, to come */
	uint64_t time;
	uint32_t thread;
};
struct walk_send { /* a SEND event, at the time when its send began */
	struct weft_event event;
};
struct walk_all {
	struct export_sink *sink;
	struct export_lane *lane;
	bool *wanted;
	struct walk_edge *begin, *end; /* by time; n of each */
	uint32_t n, next_begin, next_end;
	struct walk_send *send; /* owned; of those that are wanted, by time */
	uint64_t n_sends, next_send;
};

static int edge_order(const void *a, const void *b)
{
	const struct walk_edge *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Begins lanes up to and with `time`, ends those that ended before it. */
static int walk_edges(struct walk_all *w, uint64_t time)
{
	int rc = 0;
	while (rc == 0) {
		const struct walk_edge *b = w->next_begin < w->n ? &w->begin[w->next_begin] : NULL;
		const struct walk_edge *e = w->next_end < w->n ? &w->end[w->next_end] : NULL;
		if (b && b->time <= time && (!e || b->time <= e->time)) {
			w->next_begin++;
			if (!w->lane[b->thread].begun)
				rc = lane_begin(w->sink, &w->lane[b->thread], b->time);
		} else if (e && e->time < time) {
			w->next_end++;
			rc = lane_end(w->sink, &w->lane[e->thread], e->time, 0);
		} else {
			break;
		}
	}
	return rc;
}

static int send_order(const void *a, const void *b)
{
	const struct walk_send *x = a, *y = b;
	if (x->event.time != y->event.time)
		return x->event.time < y->event.time ? -1 : 1;
	return x->event.value < y->event.value ? -1 : x->event.value > y->event.value;
}

/* For sinks that want the begin of an arrow in its place in time, which may be long before its SEND. */
static int walk_list_sends(struct walk_all *w)
{
	const struct weft_trace *t = w->sink->t;
	const struct weft_messages *m = &t->message;
	if (!w->sink->sent)
		return 0;
	w->send = calloc(m->n + 1, sizeof *w->send);
	for (uint64_t i = 0; w->send && i < m->n; i++) {
		struct weft_event e = {m->send_done[i], m->send_thread[i], WEFT_EV_SEND, m->comm[i], i};
		if (e.thread == WEFT_NONE || m->recv_thread[i] == WEFT_NONE || !w->wanted[e.thread] || !lane_passes(w->sink, &e))
			continue;
		e.time = export_end_time(t, &e);
		w->send[w->n_sends++].event = e;
	}
	if (w->send)
		qsort(w->send, w->n_sends, sizeof *w->send, send_order);
	return w->send ? 0 : -ENOMEM;
}

static int walk_sends(struct walk_all *w, uint64_t time)
{
	int rc = 0;
	while (rc == 0 && w->next_send < w->n_sends && w->send[w->next_send].event.time <= time) {
		const struct weft_event *e = &w->send[w->next_send++].event;
		struct export_lane *l = &w->lane[e->thread];
		rc = walk_edges(w, e->time);
		if (rc == 0 && !l->begun)
			rc = lane_begin(w->sink, l, e->time);
		if (rc == 0 && !l->ended)
			w->sink->sent(w->sink, l, e);
	}
	return rc;
}

static int walk_all_begin(struct walk_all *w)
{
	const struct weft_trace *t = w->sink->t;
	w->lane = calloc(t->n_threads + 1u, sizeof *w->lane);
	w->wanted = calloc(t->n_threads + 1u, sizeof *w->wanted);
	w->begin = calloc(t->n_threads + 1u, sizeof *w->begin);
	w->end = calloc(t->n_threads + 1u, sizeof *w->end);
	if (!w->lane || !w->wanted || !w->begin || !w->end)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		w->lane[i].thread = i;
		w->wanted[i] = pick_thread(w->sink->how->filter, i);
		if (!w->wanted[i])
			continue;
		w->begin[w->n] = (struct walk_edge){thread_begin(t, i), i};
		w->end[w->n++] = (struct walk_edge){thread_end(t, i), i};
	}
	qsort(w->begin, w->n, sizeof *w->begin, edge_order);
	qsort(w->end, w->n, sizeof *w->end, edge_order);
	return walk_list_sends(w);
}

static void walk_all_free(struct walk_all *w)
{
	for (uint32_t i = 0; w->lane && i < w->sink->t->n_threads; i++)
		if (w->lane[i].begun && !w->lane[i].ended && lane_end(w->sink, &w->lane[i], 0, -ECANCELED) == 0)
			WEFT_BUG("a lane that is given up ended in order");
	free(w->lane);
	free(w->wanted);
	free(w->begin);
	free(w->end);
	free(w->send);
}

static int walk_all_event(struct walk_all *w, const struct weft_event *e)
{
	struct export_lane *l = &w->lane[e->thread];
	int rc = walk_sends(w, e->time);
	if (rc == 0)
		rc = walk_edges(w, e->time);
	if (rc == 0 && !l->begun)
		rc = lane_begin(w->sink, l, e->time);
	if (rc || l->ended)
		return rc;
	return lane_event(w->sink, l, e);
}

int export_merged(struct export_sink *s)
{
	struct walk_all w = {.sink = s};
	struct weft_merge *m = NULL;
	struct weft_event e;
	uint64_t done = 0;
	int rc = walk_all_begin(&w);
	if (s->how->progress)
		weft_progress_begin(&s->progress, "converting", s->t->n_events);
	if (rc == 0)
		rc = weft_merge_new(&m, s->t, w.wanted, 0, WEFT_NEVER);
	while (rc == 0 && s->out->failed == 0 && (rc = weft_merge_next(m, &e)) > 0) {
		rc = walk_all_event(&w, &e);
		if (++done % 4096 == 0)
			weft_progress_step(&s->progress, 4096);
	}
	if (rc == 0)
		rc = s->out->failed;
	if (rc == 0)
		rc = walk_edges(&w, WEFT_NEVER);
	if (s->how->progress)
		weft_progress_end(&s->progress);
	weft_merge_free(m);
	walk_all_free(&w);
	return rc ? rc : s->out->failed;
}

uint64_t export_end_time(const struct weft_trace *t, const struct weft_event *e)
{
	uint64_t began = e->kind == WEFT_EV_SEND ? t->message.send_began[e->value] : WEFT_NEVER;
	return began < e->time ? began : e->time;
}

/* ---- names ---- */

uint32_t export_tid(uint32_t thread)
{
	return thread + 1;
}

uint32_t export_pid(const struct weft_trace *t, uint32_t process)
{
	const struct weft_process *p = &t->process[process];
	return p->n_threads ? export_tid(p->first_thread) : t->n_threads + 1 + process;
}

void export_process_name(const struct weft_trace *t, uint32_t process, struct weft_buf *out)
{
	const struct weft_process *p = &t->process[process];
	weft_buf_printf(out, "%u.%u", p->app + 1, process - t->app[p->app].first_process + 1);
	if (*p->name)
		weft_buf_printf(out, " %s", p->name);
	if (p->pid > 0)
		weft_buf_printf(out, " [pid %lld]", (long long)p->pid);
}

void export_thread_name(const struct weft_trace *t, uint32_t thread, struct weft_buf *out)
{
	char label[40];
	weft_buf_puts(out, weft_thread_label(t, thread, label));
	if (*t->thread[thread].name)
		weft_buf_printf(out, " %s", t->thread[thread].name);
}
