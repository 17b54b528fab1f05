/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread's pages are read in order and written anew. What pairs with something elsewhere stays (messages, arrows, collective operations), as does
 * what comes once (threads, processes, switches); all else of a gap goes. Where a gap begins the open regions are left, and OFF stands; where it ends ON, then
 * the regions that are open are entered, and counters have their last values: so every value is right behind it. In front of an ON of the first thread stand points that say
 * what was left out:
 *
 *     … OFF | SEND RECV …  left out: like kind 2, stretches 17, time 1.7 s | ON, ENTER main, COUNTER …  stretch 2 …
 */
#include "record_represent.h"
#include "base/fs.h"
#include "format/crc.h"
#include "record_follow.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPES = 4, OPEN_MOST = 256 };
enum { TYPE_STRETCH, TYPE_LIKE, TYPE_STRETCHES, TYPE_TIME };
static const struct {
	const char *name, *unit;
} types[TYPES] = {{"stretch", ""}, {"left out: like", ""}, {"left out: stretches", ""}, {"left out: time", "ns"}};

struct place { /* of a page in the old file */
	uint32_t thread, seq;
	uint64_t at;
};

struct gap {
	uint64_t from, to; /* ticks */
	size_t first, end; /* stretches */
};

struct held { /* the last of a counter's values */
	uint32_t kind, id, n;
	uint64_t *payload; /* owned */
};

struct leave_out {
	const struct record_kinds *k;
	struct weft_stream_head head;
	int fd;
	struct weft_replace to;
	WEFT_VEC(struct place) place;
	WEFT_VEC(struct gap) gap;
	uint32_t most_type, most_string, most_category, meta_pages;
	bool is_first; /* this thread has the points */
	size_t next;   /* gap; stretch */
	size_t stretch;
	uint64_t last; /* ticks of the last record written */
	bool off;
	uint32_t open[OPEN_MOST];
	unsigned depth;
	WEFT_VEC(struct held) held;
	uint64_t count[RECORD_KINDS_MOST + 1]; /* by kind, of a gap */
	struct weft_page old, page;
	struct weft_page_writer w;
	uint32_t thread, seq;
	int rc;
};

/* ---- pages out ---- */

static void out_end(struct leave_out *o)
{
	if (!o->w.page || o->rc)
		return;
	weft_page_write_end(&o->w);
	o->rc = weft_write_all(o->to.fd, &o->page, sizeof o->page, o->head.pages * WEFT_PAGE_BYTES);
	o->head.sum += weft_page_mark(&o->page, o->head.pages++);
	o->w.page = NULL;
}

static void out_begin(struct leave_out *o, unsigned type, uint64_t base)
{
	weft_page_write_begin(&o->w, &o->page, type, o->thread, o->seq++, base);
}

static void out_record(struct leave_out *o, const struct weft_record *r)
{
	const unsigned type = o->thread ? WEFT_PAGE_EVENTS : WEFT_PAGE_META;
	if (!o->w.page)
		out_begin(o, type, r->ticks);
	if (!o->rc && weft_page_write(&o->w, r)) {
		out_end(o);
		out_begin(o, type, r->ticks);
		o->rc = o->rc ? o->rc : weft_page_write(&o->w, r);
	}
	o->last = r->ticks;
}

static void out_simple(struct leave_out *o, uint64_t ticks, uint32_t kind, uint32_t id)
{
	out_record(o, &(struct weft_record){.ticks = ticks, .kind = kind, .id = id});
}

static void out_point(struct leave_out *o, uint64_t ticks, unsigned type, uint64_t value)
{
	out_record(o, &(struct weft_record){.ticks = ticks,
	                                    .kind = WEFT_EV_POINT,
	                                    .id = o->most_type + 1 + type,
	                                    .n = 1,
	                                    .payload = &value});
}

/* ---- gaps ---- */

static uint64_t begin_of(const struct leave_out *o, size_t stretch)
{
	return record_follow_ticks(&o->head, o->k->origin_ns + stretch * o->k->stretch_ns);
}

static int find_gaps(struct leave_out *o)
{
	const struct record_kinds *k = o->k;
	for (size_t i = 0, end; i < k->decided.n; i = end) {
		for (end = i + 1; end < k->decided.n && k->decided.at[end].left_out == k->decided.at[i].left_out;)
			end++;
		const struct gap g = {begin_of(o, i), begin_of(o, end), i, end};
		if (k->decided.at[i].left_out && weft_vec_push(&o->gap, g))
			return -ENOMEM;
	}
	return 0;
}

/* What the gap was like: for each kind how many stretches, how long. */
static void say_gap(struct leave_out *o, const struct gap *g, uint64_t at)
{
	memset(o->count, 0, sizeof o->count);
	for (size_t i = g->first; i < g->end; i++)
		o->count[o->k->decided.at[i].kind]++;
	for (uint32_t kind = 1; kind <= RECORD_KINDS_MOST; kind++) {
		if (!o->count[kind])
			continue;
		out_point(o, at, TYPE_LIKE, kind);
		out_point(o, at, TYPE_STRETCHES, o->count[kind]);
		out_point(o, at, TYPE_TIME, o->count[kind] * o->k->stretch_ns);
	}
}

/* What its last record has not reached; a gap that begins behind the process's end is none of it. */
static void say_rest(struct leave_out *o)
{
	for (; o->is_first && o->next < o->gap.n && o->gap.at[o->next].from <= o->head.end_ticks; o->next++)
		say_gap(o, &o->gap.at[o->next], o->last);
}

static void gap_begin(struct leave_out *o, uint64_t ticks)
{
	const uint64_t at = ticks > o->last ? ticks : o->last;
	for (unsigned i = o->depth < OPEN_MOST ? o->depth : OPEN_MOST; i-- > 0;)
		out_simple(o, at, WEFT_EV_LEAVE, o->open[i]);
	out_simple(o, at, WEFT_EV_OFF, 0);
	o->off = true;
}

/* At its end, or where the thread ends before: then nothing is entered again, but counters have their last values all the same. */
static void gap_end(struct leave_out *o, const struct gap *g, uint64_t at)
{
	if (o->is_first)
		say_gap(o, g, at);
	out_simple(o, at, WEFT_EV_ON, 0);
	for (unsigned i = 0; i < o->depth && i < OPEN_MOST && at == g->to; i++)
		out_simple(o, at, WEFT_EV_ENTER, o->open[i]);
	for (size_t i = 0; i < o->held.n; i++)
		out_record(o, &(struct weft_record){at, o->held.at[i].kind, o->held.at[i].id, o->held.at[i].n,
		                                    o->held.at[i].payload});
	o->off = false;
}

/* Kept stretches that begin up to then say of which kind they are. */
static void say_stretches(struct leave_out *o, uint64_t ticks)
{
	const struct record_kinds *k = o->k;
	for (; o->is_first && !o->off && o->stretch < k->decided.n && begin_of(o, o->stretch) <= ticks; o->stretch++)
		if (!k->decided.at[o->stretch].left_out) {
			const uint64_t at = begin_of(o, o->stretch);
			out_point(o, at > o->last ? at : o->last, TYPE_STRETCH, k->decided.at[o->stretch].kind);
		}
}

static void move_to(struct leave_out *o, uint64_t ticks)
{
	while (o->next < o->gap.n) {
		const struct gap *g = &o->gap.at[o->next];
		if (!o->off && g->from > ticks)
			break;
		if (!o->off) {
			say_stretches(o, g->from ? g->from - 1 : 0);
			gap_begin(o, g->from);
		}
		if (g->to > ticks)
			return;
		gap_end(o, g, g->to);
		o->stretch = o->stretch > g->end ? o->stretch : g->end;
		o->next++;
	}
	say_stretches(o, ticks);
}

/* ---- records ---- */

static bool is_held(uint32_t kind)
{
	return kind == WEFT_EV_COUNTER || kind == WEFT_EV_COUNTER_F || kind == WEFT_EV_COUNTER_SET || kind == WEFT_EV_CPU;
}

static bool pairs_or_comes_once(uint32_t kind)
{
	return kind == WEFT_EV_SEND || kind == WEFT_EV_RECV || kind == WEFT_EV_FLOW_OUT || kind == WEFT_EV_FLOW_IN ||
	       kind == WEFT_EV_COLLECTIVE || kind == WEFT_EV_DEPENDENCY || (kind >= WEFT_EV_ON && kind != WEFT_EV_TIME);
}

static void hold(struct leave_out *o, const struct weft_record *r)
{
	struct held *h = NULL;
	for (size_t i = 0; i < o->held.n && !h; i++)
		if (o->held.at[i].kind == r->kind && (o->held.at[i].id == r->id || r->kind == WEFT_EV_CPU))
			h = &o->held.at[i];
	if (!h && weft_vec_push(&o->held, (struct held){.kind = r->kind})) {
		o->rc = -ENOMEM;
		return;
	}
	h = h ? h : &o->held.at[o->held.n - 1];
	uint64_t *payload = realloc(h->payload, (r->n + 1) * sizeof *payload);
	if (!payload) {
		o->rc = -ENOMEM;
		return;
	}
	memcpy(payload, r->payload, r->n * sizeof *payload);
	*h = (struct held){r->kind, r->id, r->n, payload};
}

static void follow_stack(struct leave_out *o, const struct weft_record *r)
{
	if (r->kind == WEFT_EV_ENTER) {
		if (o->depth++ < OPEN_MOST)
			o->open[o->depth - 1] = r->id;
	} else if (r->kind == WEFT_EV_LEAVE) {
		o->depth -= o->depth > 0;
	} else if (r->kind == WEFT_EV_OFF && !r->id) {
		o->depth = 0;
	}
}

/* The thread ends within a gap. */
static void end_within(struct leave_out *o, uint64_t ticks)
{
	if (o->off)
		gap_end(o, &o->gap.at[o->next++], ticks > o->last ? ticks : o->last);
}

static void take_record(struct leave_out *o, const struct weft_record *r)
{
	if (o->seq == 0 && !o->w.page) /* a gap that began before the thread */
		while (o->next < o->gap.n && o->gap.at[o->next].to <= r->ticks)
			o->next++;
	if (o->seq == 0 && !o->w.page)
		o->last = r->ticks;
	move_to(o, r->ticks);
	if (r->kind == WEFT_EV_THREAD_END)
		end_within(o, r->ticks);
	follow_stack(o, r);
	if (is_held(r->kind))
		hold(o, r);
	if (!o->off || pairs_or_comes_once(r->kind))
		out_record(o, r);
}

static bool take_thread(struct leave_out *o, size_t first, size_t end)
{
	o->thread = o->place.at[first].thread;
	o->seq = 0;
	o->next = o->stretch = o->depth = 0;
	o->off = false;
	o->last = 0;
	for (size_t i = 0; i < o->held.n; i++)
		free(o->held.at[i].payload);
	o->held.n = 0;
	for (size_t i = first; i < end && !o->rc; i++) {
		struct weft_page_walk w;
		struct weft_record r;
		if (o->place.at[i].seq != i - first || weft_read_all(o->fd, &o->old, sizeof o->old, o->place.at[i].at))
			return false;
		const enum weft_page_verdict v = weft_page_begin(&w, &o->old, true);
		int rc = v == WEFT_PAGE_GOOD || v == WEFT_PAGE_OPEN ? 0 : -1;
		while (!rc && (rc = weft_page_next(&w, &r)) > 0) {
			rc = 0;
			take_record(o, &r);
		}
		if (rc)
			return false;
	}
	end_within(o, o->last);
	say_rest(o);
	out_end(o);
	return true;
}

/* ---- definitions ---- */

static void note_ids(struct leave_out *o)
{
	struct weft_page_walk w;
	struct weft_record r;
	if (weft_page_begin(&w, &o->old, false) == WEFT_PAGE_BAD)
		return;
	while (weft_page_next(&w, &r) > 0) {
		uint32_t *most = r.kind == WEFT_EV_DEF_TYPE       ? &o->most_type
		                 : r.kind == WEFT_EV_DEF_STRING   ? &o->most_string
		                 : r.kind == WEFT_EV_DEF_CATEGORY ? &o->most_category
		                                                  : NULL;
		if (most && r.id > *most)
			*most = r.id;
	}
}

static void define(struct leave_out *o, uint32_t kind, uint32_t id, const uint64_t *word, unsigned n, const char *text)
{
	uint64_t payload[16] = {0};
	const size_t bytes = strlen(text);
	memcpy(payload, word, n * sizeof *word);
	payload[n] = bytes;
	memcpy(payload + n + 1, text, bytes);
	out_record(o, &(struct weft_record){0, kind, id, n + 1 + (uint32_t)((bytes + 7) / 8), payload});
}

/* Pages of definitions as they are, and behind them ours. */
static bool take_meta(struct leave_out *o, size_t end)
{
	o->thread = 0;
	for (size_t i = 0; i < end && !o->rc; i++) {
		if (o->place.at[i].seq != i || weft_read_all(o->fd, &o->old, sizeof o->old, o->place.at[i].at))
			return false;
		note_ids(o);
		o->rc = weft_write_all(o->to.fd, &o->old, sizeof o->old, o->head.pages * WEFT_PAGE_BYTES);
		o->head.sum += weft_page_mark(&o->old, o->head.pages++);
	}
	o->seq = (uint32_t)end;
	const uint64_t none = 0, ns = o->most_string + 1;
	define(o, WEFT_EV_DEF_CATEGORY, o->most_category + 1, &none, 0, "representative");
	define(o, WEFT_EV_DEF_STRING, (uint32_t)ns, &none, 0, "ns");
	for (unsigned i = 0; i < TYPES; i++) {
		const uint64_t word[2] = {(o->most_category + 1) | (*types[i].unit ? ns << 32 : 0), 0};
		define(o, WEFT_EV_DEF_TYPE, o->most_type + 1 + i, word, 2, types[i].name);
	}
	out_end(o);
	return true;
}

/* ---- the file ---- */

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* All pages, in order; one that is there twice counts once. */
static int list_pages(struct leave_out *o)
{
	struct stat st;
	size_t n = 0;
	if (fstat(o->fd, &st))
		return -errno;
	for (uint64_t at = WEFT_PAGE_BYTES; at + WEFT_PAGE_BYTES <= (uint64_t)st.st_size; at += WEFT_PAGE_BYTES) {
		struct weft_page p;
		int rc = weft_read_all(o->fd, &p, WEFT_PAGE_HEAD + 8, at);
		if (!rc && p.magic == WEFT_PAGE_MAGIC && (p.type == WEFT_PAGE_META || (p.thread && p.word[0])))
			rc = weft_vec_push(&o->place, (struct place){p.type == WEFT_PAGE_META ? 0 : p.thread, p.seq, at});
		if (rc)
			return rc;
	}
	if (o->place.n)
		qsort(o->place.at, o->place.n, sizeof *o->place.at, by_place);
	for (size_t i = 0; i < o->place.n; i++)
		if (!n || o->place.at[n - 1].thread != o->place.at[i].thread || o->place.at[n - 1].seq != o->place.at[i].seq)
			o->place.at[n++] = o->place.at[i];
	o->place.n = n;
	return 0;
}

static bool take_all(struct leave_out *o)
{
	size_t end = 0, first_thread = 0;
	while (end < o->place.n && o->place.at[end].thread == 0)
		end++;
	if (!take_meta(o, end))
		return false;
	for (size_t first = end; first < o->place.n && !o->rc; first = end) {
		while (end < o->place.n && o->place.at[end].thread == o->place.at[first].thread)
			end++;
		o->is_first = !first_thread++;
		if (!take_thread(o, first, end))
			return false;
	}
	return true;
}

static int write_head(struct leave_out *o)
{
	union {
		struct weft_stream_head head;
		char bytes[WEFT_PAGE_BYTES];
	} page;
	memset(&page, 0, sizeof page);
	const uint64_t dropped = o->head.dropped;
	o->head.sum += weft_stream_sum_begin(&o->head);
	page.head = o->head;
	page.head.dropped = dropped;
	return weft_write_all(o->to.fd, &page, sizeof page, 0);
}

static int write_all_anew(struct leave_out *o, const char *path)
{
	struct stat st;
	int rc = fstat(o->fd, &st) ? -errno : weft_replace_open(&o->to, path, st.st_mode & 0777);
	if (rc)
		return rc;
	o->head.pages = 1;
	o->head.sum = 0;
	const bool whole = take_all(o);
	rc = o->rc ? o->rc : whole ? write_head(o) : 1;
	if (!rc)
		return weft_replace_commit(&o->to, WEFT_REPLACE_PLAIN);
	weft_replace_abandon(&o->to);
	return rc;
}

int record_leave_out(const char *path, const struct record_kinds *k)
{
	struct leave_out *o = calloc(1, sizeof *o);
	int rc = 0;
	if (!o)
		return -ENOMEM;
	o->k = k;
	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (o->fd < 0)
		rc = -errno;
	else if (!record_read_head(path, &o->head) || o->head.state == WEFT_STREAM_OPEN || o->head.flags)
		rc = 1;
	rc = rc ? rc : find_gaps(o);
	if (!rc && o->gap.n)
		rc = list_pages(o);
	if (!rc && o->gap.n)
		rc = write_all_anew(o, path);
	for (size_t i = 0; i < o->held.cap && i < o->held.n; i++)
		free(o->held.at[i].payload);
	free(o->held.at);
	free(o->place.at);
	free(o->gap.at);
	if (o->fd >= 0)
		close(o->fd);
	free(o);
	return rc;
}
