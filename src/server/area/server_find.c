/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Area time: the next event, or the one before, that passes a filter. Threads are merged in time order from the instant on; backwards,
 * stretches that grow are read, and the last hit of the first that has one is it. A filter that asks for durations is asked about
 * regions, thread by thread.
 */
#include "base/pool.h"
#include "server/core/server_event.h"
#include "server/core/server_look.h"
#include "server/core/server_nest.h"
#include "server_time.h"
#include "trace/filter/filter.h"
#include <errno.h>
#include <stdlib.h>

enum { LOOK_EVERY = 16384, SPANS_MOST = 200000000 };

struct finding {
	const struct server_request *request;
	struct server_trace *t;
	struct weft_filter *filter;
	uint64_t from;
	bool back;
	/* what is found */
	bool found;
	struct weft_event event;
	struct weft_span span; /* of filters with durations; region 0: it is an event */
	pthread_mutex_t lock;
	bool *wanted; /* by thread */
};

static bool nobody_waits(const struct finding *f)
{
	return f->request->gone && f->request->gone(f->request);
}

/* In [from, to): the first hit, or of a search backwards the last. */
static int find_events(struct finding *f, uint64_t from, uint64_t to)
{
	struct weft_merge *m;
	struct weft_event e;
	uint64_t seen = 0;
	int rc = weft_merge_new(&m, f->t->trace, f->wanted, from, to);
	if (rc)
		return rc;
	while ((rc = weft_merge_next(m, &e)) > 0) {
		if (++seen % LOOK_EVERY == 0 && nobody_waits(f)) {
			rc = -ECANCELED;
			break;
		}
		if (e.kind == WEFT_EV_LEAVE || server_row_of_thread(f->t, e.thread) == WEFT_NONE ||
		    !weft_filter_event(f->filter, &e))
			continue;
		f->found = true;
		f->event = e;
		if (!f->back)
			break;
	}
	weft_merge_free(m);
	return rc < 0 ? rc : 0;
}

static int find_backwards(struct finding *f)
{
	uint64_t to = f->from, width = f->t->trace->end / 256 + 1;
	int rc = 0;
	while (to && !f->found && !rc) {
		uint64_t from = to > width ? to - width : 0;
		rc = find_events(f, from, to);
		to = from;
		width *= 2;
	}
	return rc;
}

/* ---- by durations ---- */

static int take_span(void *arg, const struct weft_span *s)
{
	struct finding *f = arg;
	bool there = f->back ? s->begin < f->from : s->begin > f->from;
	if (!there || !weft_filter_span(f->filter, s))
		return 0;
	pthread_mutex_lock(&f->lock);
	bool better = !f->found || (f->back ? s->begin > f->span.begin : s->begin < f->span.begin) ||
	              (s->begin == f->span.begin &&
	               (s->thread < f->span.thread || (s->thread == f->span.thread && s->depth < f->span.depth)));
	if (better) {
		f->found = true;
		f->span = *s;
	}
	pthread_mutex_unlock(&f->lock);
	return 0;
}

static int find_in_thread(void *arg, size_t i, unsigned worker)
{
	struct finding *f = arg;
	(void)worker;
	if (!f->wanted[i] || server_row_of_thread(f->t, (uint32_t)i) == WEFT_NONE)
		return 0;
	if (nobody_waits(f))
		return -ECANCELED;
	return server_nest_walk(f->t->nests, (uint32_t)i, f->back ? 0 : f->from, f->t->trace->end + 1, SPANS_MOST, take_span, f);
}

/* ---- */

static int put_found(const struct finding *f, struct server_answer *a)
{
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	const struct weft_event *e = &f->event;
	weft_json_object(w);
	server_put_bool(w, "found", f->found);
	if (f->found && f->span.region) {
		server_put_u64(w, "time", f->span.begin);
		server_put_u64(w, "end", f->span.end);
		server_put_u64(w, "row", server_row_of_thread(f->t, f->span.thread));
		server_put_string(w, "name", f->t->trace->def[WEFT_CLASS_REGION].at[f->span.region].name);
	} else if (f->found) {
		server_put_u64(w, "time", e->time);
		server_put_u64(w, "row", server_row_of_thread(f->t, e->thread));
		weft_json_key(w, "event");
		server_put_event(w, f->t, e);
	}
	weft_json_end(w);
	return server_json_end(&j, a);
}

static int find(struct finding *f)
{
	const struct weft_trace *t = f->t->trace;
	char lack[300];
	if (weft_filter_lacks(f->filter, lack, sizeof lack))
		return weft_err_set(f->request->err, -EINVAL, "filter: %s", lack);
	f->wanted = calloc((size_t)t->n_threads + 1, sizeof *f->wanted);
	if (!f->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_threads; i++)
		f->wanted[i] = weft_filter_thread(f->filter, i);
	if (weft_filter_wants_spans(f->filter))
		return weft_parallel(server_session_threads(f->request->session), t->n_threads, find_in_thread, f);
	return f->back ? find_backwards(f) : find_events(f, f->from + 1, WEFT_NEVER);
}

/* trace, filter, from (ns), back=1 */
int server_time_find(const struct server_request *r, struct server_answer *a)
{
	struct finding f = {.request = r, .lock = PTHREAD_MUTEX_INITIALIZER};
	const char *text = server_arg(r, "filter");
	uint64_t back;
	int rc = server_arg_trace(r, &f.t);
	if (!rc)
		rc = server_arg_u64(r, "from", 0, UINT64_C(1) << 62, 0, &f.from);
	if (!rc)
		rc = server_arg_u64(r, "back", 0, 1, 0, &back);
	if (!rc && (!text || !*text))
		rc = weft_err_set(r->err, -EINVAL, "'filter': say what to look for");
	if (!rc)
		rc = weft_filter_new(&f.filter, text, r->err);
	if (!rc)
		rc = weft_filter_bind(f.filter, f.t->trace, r->err);
	f.back = !rc && back;
	if (!rc)
		rc = find(&f);
	if (!rc)
		rc = put_found(&f, a);
	free(f.wanted);
	weft_filter_free(f.filter);
	return rc;
}
