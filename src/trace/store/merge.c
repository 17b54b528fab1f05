/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All threads in time order: a heap of cursors by (time of the next event, thread). The cursor on top goes on until another's
 * event is due, which costs one comparison an event while a thread is alone. A cursor's scratch is as large as its thread's
 * largest block, and exists from its first event to its last, so that ten thousand short threads need no more than those that
 * live at the same time. Where even that would be much, the cursors share one scratch and keep windows of 256 to 2048 events, for
 * each of which the block is decoded again.
 */
#include "cursor.h"
#include "store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_WINDOW = 256, MOST_WINDOW = 2048 };
#define MOST_SCRATCH (UINT64_C(256) << 20) /* of all cursors, whatever the memory limit allows */

struct window { /* owned: one piece of memory */
	uint64_t *time, *value;
	uint32_t *what;
	uint32_t cap;
};
struct source {
	struct weft_cursor cursor;
	struct weft_block block; /* of the cursor, or in the window */
	struct window window;    /* .time is NULL until it is needed */
	uint32_t at;
	uint32_t skip, left; /* windows: events of the block that are done with, and that come after the window */
	uint64_t time;       /* of its next event */
};

struct weft_merge {
	struct source *source; /* owned */
	uint32_t *heap;        /* owned; indices in source */
	uint32_t n_sources, n_heap;
	uint32_t window;            /* events in one */
	struct col_scratch *shared; /* owned; NULL: each cursor has its own */
	int failed;
};

static bool before(const struct weft_merge *m, uint32_t a, uint32_t b)
{
	const struct source *x = &m->source[a], *y = &m->source[b];
	return x->time != y->time ? x->time < y->time : x->cursor.thread < y->cursor.thread;
}

static void sift_down(struct weft_merge *m, uint32_t at)
{
	uint32_t moved = m->heap[at];
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= m->n_heap)
			break;
		if (child + 1 < m->n_heap && before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], moved))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
}

/* The time of a thread's first event in the range, from the block table alone; a bound when the range begins inside a block. */
static bool first_time(const struct weft_trace *t, const struct weft_cursor *c, uint64_t *time)
{
	if (c->next_block >= c->priv[0])
		return false;
	uint64_t first = t->store->block[c->next_block].first;
	*time = first > c->from ? first : c->from;
	return c->to == WEFT_NEVER || *time < c->to;
}

/* As the index says; a window that turns out too small only means more of them. */
static uint32_t largest_block(const struct weft_merge *m, const struct source *s)
{
	uint64_t n = m->source[0].cursor.trace->thread[s->cursor.thread].n_events;
	return n < WEFT_BLOCK_EVENTS ? (uint32_t)n + !n : WEFT_BLOCK_EVENTS;
}

/* Whether all cursors may have a scratch of their own; if not, how many events their windows have. */
static int choose_scratch(struct weft_merge *m, const struct weft_trace *t)
{
	uint64_t want = 0, have = t->store->memory / 4 < MOST_SCRATCH ? t->store->memory / 4 : MOST_SCRATCH;
	for (uint32_t i = 0; i < m->n_sources; i++)
		want += col_scratch_bytes(largest_block(m, &m->source[i]));
	if (want <= have)
		return 0;
	m->window = LEAST_WINDOW;
	while (m->window < MOST_WINDOW && m->n_sources * col_scratch_bytes(2 * m->window) <= have)
		m->window *= 2;
	m->shared = calloc(1, sizeof *m->shared);
	return m->shared ? 0 : -ENOMEM;
}

int weft_merge_new(struct weft_merge **out, const struct weft_trace *t, const bool *wanted, uint64_t from, uint64_t to)
{
	*out = NULL;
	struct weft_merge *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	m->source = calloc(t->n_threads + 1u, sizeof *m->source);
	m->heap = calloc(t->n_threads + 1u, sizeof *m->heap);
	int rc = m->source && m->heap ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < t->n_threads; i++) {
		struct source *s = &m->source[m->n_sources];
		if (wanted && !wanted[i])
			continue;
		rc = weft_cursor_begin(&s->cursor, t, i, from, to);
		if (!rc && first_time(t, &s->cursor, &s->time)) {
			m->heap[m->n_heap++] = m->n_sources;
			m->n_sources++;
		}
	}
	if (!rc)
		rc = choose_scratch(m, t);
	if (rc) {
		weft_merge_free(m);
		return rc;
	}
	for (uint32_t i = m->n_heap / 2; i-- > 0;)
		sift_down(m, i);
	*out = m;
	return 0;
}

static int window_make(const struct weft_merge *m, struct source *s)
{
	uint32_t n = largest_block(m, s) < m->window ? largest_block(m, s) : m->window;
	s->window.time = malloc(n * (2 * sizeof(uint64_t) + sizeof(uint32_t)));
	if (!s->window.time)
		return -ENOMEM;
	s->window.cap = n;
	s->window.value = s->window.time + n;
	s->window.what = (uint32_t *)(void *)(s->window.value + n);
	return 0;
}

/* The next block of the cursor; or, with a shared scratch, the next window of it. */
static int next_events(struct weft_merge *m, struct source *s)
{
	if (!m->shared)
		return weft_cursor_next(&s->cursor, &s->block);
	if (!s->window.time && window_make(m, s))
		return -ENOMEM;
	struct weft_block b;
	s->cursor.next_block -= s->left > 0; /* the same block again */
	s->cursor.scratch = m->shared;
	int rc = weft_cursor_next(&s->cursor, &b);
	s->cursor.scratch = NULL;
	if (rc <= 0)
		return rc;
	s->skip = s->left ? s->skip : 0;
	uint32_t n = b.n - s->skip < s->window.cap ? b.n - s->skip : s->window.cap;
	memcpy(s->window.time, b.time + s->skip, n * sizeof *b.time);
	memcpy(s->window.what, b.what + s->skip, n * sizeof *b.what);
	memcpy(s->window.value, b.value + s->skip, n * sizeof *b.value);
	s->skip += n;
	s->left = b.n - s->skip;
	s->block = (struct weft_block){n, s->window.time, s->window.what, s->window.value};
	return 1;
}

/* Brings the next event of a source whose block is used up; false when it has none. */
static bool refill(struct weft_merge *m, struct source *s)
{
	int rc = next_events(m, s);
	s->at = 0;
	if (rc > 0)
		return true;
	if (rc < 0)
		m->failed = rc;
	weft_cursor_end(&s->cursor);
	free(s->window.time);
	s->window.time = NULL;
	return false;
}

int weft_merge_next(struct weft_merge *m, struct weft_event *e)
{
	while (m->n_heap && !m->failed) {
		struct source *s = &m->source[m->heap[0]];
		if (s->at == s->block.n) {
			if (refill(m, s))
				s->time = s->block.time[0];
			else
				m->heap[0] = m->heap[--m->n_heap];
			if (m->n_heap)
				sift_down(m, 0);
			continue;
		}
		uint32_t i = s->at++;
		*e = (struct weft_event){s->block.time[i], s->cursor.thread, weft_what_kind(s->block.what[i]),
		                         weft_what_id(s->block.what[i]), s->block.value[i]};
		if (s->at < s->block.n && s->block.time[s->at] != s->time) {
			s->time = s->block.time[s->at];
			sift_down(m, 0);
		}
		return 1;
	}
	return m->failed;
}

void weft_merge_free(struct weft_merge *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->source && i < m->n_sources; i++) {
		weft_cursor_end(&m->source[i].cursor);
		free(m->source[i].window.time);
	}
	if (m->shared)
		col_scratch_fini(m->shared);
	free(m->shared);
	free(m->source);
	free(m->heap);
	free(m);
}
