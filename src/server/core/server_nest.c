/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of what is open: see server_nest.h. A stack is made again from a mark by entering what was open, at the times at which it was. */
#include "server_nest.h"
#include "base/atomic.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { MARK_EVENTS = 65536, LOCKS = 16, DEPTH_MOST = 100000 };

struct nest_open { /* a region that is open at a mark */
	uint64_t begin;
	uint32_t region;
};
struct nest_mark {
	uint64_t time;   /* of the first event behind it; those before it are earlier */
	size_t first, n; /* in `open` */
};
struct nest_thread {
	WEFT_VEC(struct nest_mark) mark;
	WEFT_VEC(struct nest_open) open;
	uint32_t depth;
};
struct server_nests {
	const struct weft_trace *trace;
	pthread_mutex_t lock[LOCKS];    /* by thread: held while one is walked first */
	struct weft_atomic_ptr *thread; /* struct nest_thread; NULL: not yet. Owned */
};

int server_nests_new(struct server_nests **out, const struct weft_trace *t)
{
	struct server_nests *n = *out = calloc(1, sizeof *n);
	if (!n)
		return -ENOMEM;
	n->trace = t;
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_init(&n->lock[i], NULL);
	n->thread = calloc((size_t)t->n_threads + 1, sizeof *n->thread);
	if (n->thread)
		return 0;
	server_nests_free(n);
	*out = NULL;
	return -ENOMEM;
}

static void free_thread(struct nest_thread *h)
{
	if (h) {
		free(h->mark.at);
		free(h->open.at);
	}
	free(h);
}

void server_nests_free(struct server_nests *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; n->thread && i < n->trace->n_threads; i++)
		free_thread(weft_load_ptr(&n->thread[i]));
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&n->lock[i]);
	free(n->thread);
	free(n);
}

static const struct weft_wanted wanted = {.kinds = UINT64_C(1) << WEFT_EV_ENTER | UINT64_C(1) << WEFT_EV_LEAVE |
                                                   UINT64_C(1) << WEFT_EV_OFF | UINT64_C(1) << WEFT_EV_ON |
                                                   UINT64_C(1) << WEFT_EV_THREAD_END};

/* ---- the first walk ---- */

static int put_mark(struct nest_thread *h, const struct weft_span_walk *w, uint64_t time)
{
	int rc = weft_vec_push(&h->mark, ((struct nest_mark){time, h->open.n, w->open.n}));
	for (size_t i = 0; i < w->open.n && !rc; i++)
		rc = weft_vec_push(&h->open, ((struct nest_open){w->open.at[i].begin, w->open.at[i].region}));
	return rc;
}

static int see_depth(void *arg, const struct weft_span *s)
{
	struct nest_thread *h = arg;
	h->depth = s->depth + 1 > h->depth ? s->depth + 1 : h->depth;
	return 0;
}

static int walk_first(const struct server_nests *n, uint32_t thread, struct nest_thread *h)
{
	struct weft_cursor c;
	struct weft_block b;
	struct weft_span_walk w;
	uint64_t since = MARK_EVENTS, last = 0;
	bool any = false;
	int rc = weft_cursor_begin(&c, n->trace, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	weft_cursor_want(&c, wanted);
	weft_span_begin(&w, n->trace, thread, see_depth, h);
	while (!w.result && (rc = weft_cursor_next(&c, &b)) > 0) {
		/* Deep stacks are marked more rarely, so that marks stay a small part of the events. */
		if (since >= MARK_EVENTS + 16 * w.open.n && (!any || b.time[0] > last)) {
			rc = put_mark(h, &w, any ? b.time[0] : 0);
			since = 0;
		}
		if (rc >= 0)
			rc = weft_span_feed(&w, &b);
		if (rc)
			break;
		any = true;
		since += b.n;
		last = b.time[b.n - 1];
	}
	weft_cursor_end(&c);
	int end_rc = weft_span_end(&w, n->trace->end);
	return rc ? rc : end_rc;
}

static int get_thread(struct server_nests *n, uint32_t thread, const struct nest_thread **out)
{
	*out = weft_load_ptr(&n->thread[thread]);
	if (*out)
		return 0;
	pthread_mutex_t *lock = &n->lock[thread % LOCKS];
	int rc = 0;
	pthread_mutex_lock(lock);
	*out = weft_load_ptr(&n->thread[thread]);
	if (!*out) {
		struct nest_thread *h = calloc(1, sizeof *h);
		rc = h ? walk_first(n, thread, h) : -ENOMEM;
		if (rc)
			free_thread(h);
		else
			weft_store_ptr(&n->thread[thread], h);
		*out = rc ? NULL : h;
	}
	pthread_mutex_unlock(lock);
	return rc;
}

int server_nest_depth(struct server_nests *n, uint32_t thread, uint32_t *depth)
{
	const struct nest_thread *h;
	*depth = 0;
	int rc = get_thread(n, thread, &h);
	if (!rc)
		*depth = h->depth;
	return rc;
}

/* ---- a stretch ---- */

struct stretch {
	uint64_t from, to;
	int (*on_span)(void *arg, const struct weft_span *s);
	void *arg;
};

static int pass_span(void *arg, const struct weft_span *s)
{
	const struct stretch *x = arg;
	bool in = s->begin < x->to && (s->end > x->from || (s->end == s->begin && s->begin >= x->from));
	return in ? x->on_span(x->arg, s) : 0;
}

/* The last mark at `from` or before it. */
static const struct nest_mark *find_mark(const struct nest_thread *h, uint64_t from)
{
	size_t low = 0, high = h->mark.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (h->mark.at[middle].time <= from)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &h->mark.at[low - 1] : NULL;
}

/* Enters what was open, at its times. */
static int restore(struct weft_span_walk *w, const struct nest_thread *h, const struct nest_mark *m)
{
	int rc = 0;
	for (size_t i = 0; i < m->n && !rc; i++) {
		const struct nest_open *o = &h->open.at[m->first + i];
		const uint32_t what = weft_what(WEFT_EV_ENTER, o->region);
		const uint64_t none = 0;
		rc = weft_span_feed(w, &(struct weft_block){.n = 1, .time = &o->begin, .what = &what, .value = &none});
	}
	return rc;
}

int server_nest_walk(struct server_nests *n, uint32_t thread, uint64_t from, uint64_t to, uint64_t most,
                     int (*on_span)(void *arg, const struct weft_span *s), void *arg)
{
	const struct nest_thread *h;
	struct stretch x = {from, to, on_span, arg};
	struct weft_span_walk w;
	struct weft_cursor c;
	struct weft_block b;
	int rc = get_thread(n, thread, &h);
	const struct nest_mark *m = rc ? NULL : find_mark(h, from);
	if (rc || !m)
		return rc; /* without a mark there is no event before `from`, as the first one is at 0 */
	rc = weft_cursor_begin(&c, n->trace, thread, m->time, to);
	if (rc)
		return rc;
	weft_cursor_want(&c, wanted);
	weft_span_begin(&w, n->trace, thread, pass_span, &x);
	rc = restore(&w, h, m);
	for (uint64_t seen = 0; !rc && (rc = weft_cursor_next(&c, &b)) > 0;) {
		seen += b.n;
		rc = seen > most ? -E2BIG : weft_span_feed(&w, &b);
	}
	weft_cursor_end(&c);
	uint64_t life = n->trace->thread[thread].end, end = life == WEFT_NEVER ? n->trace->end : life;
	int end_rc = weft_span_end(&w, end < to ? end : to);
	return rc ? rc : end_rc;
}
