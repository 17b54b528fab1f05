/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See peer_stream.h. Pages of a thread are taken in the order of their numbers, wherever they stand: while a program records, finished pages are
 * copied to another place of the file, and their place is used again. So each look visits the heads of all pages; of each thread the page
 * that is next is copied, seen to be the same still, and walked from where the look before has stopped.
 *
 *     place 0 1 2 3 4 …      thread 1: 7 is next, 12 records of it are known
 *           │ │ └─ thread 1, page 7 ──> copy ──> records from the 13th on
 *           │ └─── thread 1, page 6 (known)
 *
 * A page is over when it is sealed, or when its thread was seen to have a later one before it was copied.
 * One that does not come for two looks was overwritten (a flight recorder's): what lies between is lost, and regions begin anew.
 */
#include "peer_stream.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/vec.h"
#include "format/format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PASSES_MOST = 10000, BEHIND_TRIES = 50, BEHIND_US = 2000, DEPTH = 256, IDS_MOST = WEFT_ID_MAX + 1 };

struct region {
	char *name; /* owned; NULL: not known yet */
	uint64_t calls, ticks;
};

struct shown {      /* a counter's last value */
	char *name; /* owned */
	double value;
	bool is_there;
};

enum { SPENT = 8 };

struct lane {
	uint32_t thread, tid, seq, seen;  /* seq: the page that is next; seen: records of it */
	char *name;                       /* owned, or NULL */
	bool own, ended, began, is_there; /* own: Weft's, not the program's; is_there: the next page, at this look */
	unsigned missed;                  /* looks for which it was not, and a later one was */
	uint32_t later, latest;           /* the least of these; the last of all pages that were seen */
	uint64_t events, from;            /* from: since when it is where it is, in ticks */
	uint32_t stack[DEPTH];
	unsigned depth;
	struct {
		uint32_t region; /* 0: in none */
		uint64_t ticks;
	} spent[SPENT]; /* since the last sample; where there are more regions the least gives way */
	uint64_t told;  /* up to which time they have been told, in ticks */
};

struct peer_stream {
	int fd;
	const struct weft_stream_head *head; /* the mapping */
	size_t bytes;
	uint32_t meta_seq, meta_seen, meta_latest;
	WEFT_VEC(struct lane *) lane;
	WEFT_VEC(struct region) region;
	WEFT_VEC(struct shown) counter;
	uint64_t events, lost_pages, sent, received, sent_bytes, received_bytes;
	struct weft_page page; /* the copy that is walked */
};

/* ---- the file ---- */

static int map_all(struct peer_stream *s)
{
	struct stat st;
	if (fstat(s->fd, &st) || (size_t)st.st_size < WEFT_PAGE_BYTES)
		return -EINVAL;
	size_t bytes = (size_t)st.st_size / WEFT_PAGE_BYTES * WEFT_PAGE_BYTES;
	if (bytes == s->bytes)
		return 0;
	if (s->head)
		munmap((void *)(uintptr_t)s->head, s->bytes);
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, s->fd, 0);
	s->head = at == MAP_FAILED ? NULL : at;
	s->bytes = s->head ? bytes : 0;
	return s->head ? 0 : -ENOMEM;
}

int peer_stream_open(const char *path, struct peer_stream **out, struct weft_err *err)
{
	struct peer_stream *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s)
		return weft_err_set(err, -ENOMEM, "out of memory");
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || map_all(s) || memcmp(s->head->magic, WEFT_STREAM_MAGIC, sizeof s->head->magic) != 0) {
		int rc = weft_err_set(err, -EINVAL, "'%s' cannot be read as a stream", path);
		peer_stream_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void peer_stream_close(struct peer_stream *s)
{
	for (size_t i = 0; i < s->lane.n; i++) {
		free(s->lane.at[i]->name);
		free(s->lane.at[i]);
	}
	for (size_t i = 0; i < s->region.n; i++)
		free(s->region.at[i].name);
	for (size_t i = 0; i < s->counter.n; i++)
		free(s->counter.at[i].name);
	free(s->lane.at);
	free(s->region.at);
	free(s->counter.at);
	if (s->head)
		munmap((void *)(uintptr_t)s->head, s->bytes);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

int peer_stream_fd(const struct peer_stream *s)
{
	return s->fd;
}

/* ---- names ---- */

static struct region *region_at(struct peer_stream *s, uint32_t id)
{
	while (s->region.n <= id && id < IDS_MOST)
		if (weft_vec_push(&s->region, (struct region){.name = NULL}))
			return NULL;
	return id < s->region.n ? &s->region.at[id] : NULL;
}

static struct shown *counter_at(struct peer_stream *s, uint32_t id)
{
	while (s->counter.n <= id && id < IDS_MOST)
		if (weft_vec_push(&s->counter, (struct shown){.name = NULL}))
			return NULL;
	return id < s->counter.n ? &s->counter.at[id] : NULL;
}

static struct lane *lane_of(struct peer_stream *s, uint32_t thread)
{
	for (size_t i = s->lane.n; i-- > 0;)
		if (s->lane.at[i]->thread == thread)
			return s->lane.at[i];
	struct lane *l = calloc(1, sizeof *l);
	if (!l || weft_vec_push(&s->lane, l)) {
		free(l);
		return NULL;
	}
	l->thread = thread;
	return l;
}

static void take_name(char **to, const struct weft_record *r, unsigned first)
{
	const char *at;
	uint32_t n;
	if (!weft_record_bytes(r, first, &at, &n))
		return;
	free(*to);
	*to = strndup(at, n);
	if (*to)
		weft_one_line(*to);
}

static void hear_definition(struct peer_stream *s, const struct weft_record *r)
{
	struct region *region = r->kind == WEFT_EV_DEF_REGION ? region_at(s, r->id) : NULL;
	struct shown *counter = r->kind == WEFT_EV_DEF_COUNTER ? counter_at(s, r->id) : NULL;
	struct lane *l = r->kind == WEFT_EV_THREAD && r->n >= 3 ? lane_of(s, r->id) : NULL;
	if (region)
		take_name(&region->name, r, 2);
	if (counter)
		take_name(&counter->name, r, 2);
	if (!l)
		return;
	l->tid = (uint32_t)r->payload[0];
	l->own = r->payload[1] >> 32 == WEFT_THREAD_OF_WEFT;
	take_name(&l->name, r, 3);
}

/* ---- events ---- */

static uint32_t lane_region(const struct lane *l)
{
	return l->depth ? l->stack[(l->depth < DEPTH ? l->depth : DEPTH) - 1] : 0;
}

static void lane_spend(struct lane *l, uint32_t region, uint64_t ticks)
{
	unsigned least = 0;
	for (unsigned i = 0; i < SPENT; i++) {
		if (l->spent[i].ticks && l->spent[i].region == region) {
			l->spent[i].ticks += ticks;
			return;
		}
		least = l->spent[i].ticks < l->spent[least].ticks ? i : least;
	}
	if (l->spent[least].ticks < ticks) {
		l->spent[least].region = region;
		l->spent[least].ticks = ticks;
	}
}

/* Up to now the thread was in the innermost region. */
static void stream_spend(struct peer_stream *s, struct lane *l, uint64_t now)
{
	struct region *r = l->depth && l->depth <= DEPTH ? region_at(s, l->stack[l->depth - 1]) : NULL;
	if (r && now > l->from)
		r->ticks += now - l->from;
	uint64_t from = l->from > l->told ? l->from : l->told;
	if (l->from && now > from)
		lane_spend(l, lane_region(l), now - from);
	l->from = now;
}

static void hear_message(struct peer_stream *s, const struct weft_record *r)
{
	bool sends = r->kind == WEFT_EV_SEND;
	*(sends ? &s->sent : &s->received) += 1;
	*(sends ? &s->sent_bytes : &s->received_bytes) += r->n > 1 ? r->payload[1] : 0;
}

static void hear_counter(struct peer_stream *s, const struct weft_record *r)
{
	struct shown *c = r->n ? counter_at(s, r->id) : NULL;
	if (!c)
		return;
	c->is_there = true;
	if (r->kind == WEFT_EV_COUNTER_F)
		memcpy(&c->value, &r->payload[0], sizeof c->value);
	else
		c->value = (double)(int64_t)r->payload[0];
}

static void hear_event(struct peer_stream *s, struct lane *l, const struct weft_record *r)
{
	struct region *region = r->kind == WEFT_EV_ENTER ? region_at(s, r->id) : NULL;
	l->events++;
	s->events += !l->own;
	if (r->kind == WEFT_EV_ENTER) {
		stream_spend(s, l, r->ticks);
		if (l->depth++ < DEPTH)
			l->stack[l->depth - 1] = r->id;
		if (region)
			region->calls++;
	} else if (r->kind == WEFT_EV_LEAVE) {
		stream_spend(s, l, r->ticks);
		l->depth -= l->depth > 0;
	} else if (r->kind == WEFT_EV_SEND || r->kind == WEFT_EV_RECV) {
		hear_message(s, r);
	} else if (r->kind == WEFT_EV_COUNTER || r->kind == WEFT_EV_COUNTER_F) {
		hear_counter(s, r);
	} else if (r->kind == WEFT_EV_THREAD_END) {
		l->ended = true;
	}
}

/* ---- pages ---- */

static const struct weft_page *page_at(const struct peer_stream *s, size_t i)
{
	return (const struct weft_page *)(const void *)((const char *)s->head + i * WEFT_PAGE_BYTES);
}

/* The page that is there now, as it stays: its place may be used for another one in between. */
static bool copy_page(struct peer_stream *s, size_t i)
{
	const struct weft_page *p = page_at(s, i);
	memcpy(&s->page, p, sizeof s->page);
	weft_fence_acquire();
	return p->thread == s->page.thread && p->seq == s->page.seq && p->type == s->page.type && p->magic == WEFT_PAGE_MAGIC;
}

/* Records from the *seen-th on. Whether nothing more will come into the page. */
static bool walk_copy(struct peer_stream *s, struct lane *l, uint32_t *seen)
{
	struct weft_page_walk w;
	struct weft_record r;
	bool sealed = s->page.flags & WEFT_PAGE_SEALED;
	enum weft_page_verdict verdict = weft_page_begin(&w, &s->page, sealed);
	int rc = 0;
	if (verdict != WEFT_PAGE_GOOD && verdict != WEFT_PAGE_OPEN)
		return false;
	for (uint32_t n = 0; (rc = weft_page_next(&w, &r)) > 0; n++) {
		if (n < *seen)
			continue;
		if (l && r.kind < 64)
			hear_event(s, l, &r);
		else
			hear_definition(s, &r);
		*seen = n + 1;
	}
	return verdict == WEFT_PAGE_GOOD || rc < 0;
}

/* What of the thread is not there any more. */
static void skip_to(struct peer_stream *s, struct lane *l, uint32_t seq)
{
	s->lost_pages += l->began ? seq - l->seq : 0;
	l->seq = seq;
	l->seen = l->missed = 0;
	l->depth = 0;
	l->began = true;
}

/* True: something was taken, and what comes behind it may stand before it in the file. */
static bool take_page(struct peer_stream *s, size_t i)
{
	const struct weft_page *p = page_at(s, i);
	if (p->magic != WEFT_PAGE_MAGIC)
		return false;
	if (p->type == WEFT_PAGE_META) {
		bool over = s->meta_latest > s->meta_seq;
		s->meta_latest = p->seq > s->meta_latest ? p->seq : s->meta_latest;
		if (p->seq != s->meta_seq || !copy_page(s, i) || !(walk_copy(s, NULL, &s->meta_seen) || over))
			return false;
		s->meta_seq++;
		s->meta_seen = 0;
		return true;
	}
	struct lane *l = p->type == WEFT_PAGE_EVENTS && p->thread ? lane_of(s, p->thread) : NULL;
	if (!l || p->seq < l->seq)
		return false;
	bool over = l->latest > l->seq;
	l->latest = p->seq > l->latest ? p->seq : l->latest;
	if (p->seq > l->seq) {
		l->later = !l->later || p->seq < l->later ? p->seq : l->later;
		return false;
	}
	l->is_there = true;
	if (!copy_page(s, i) || s->page.seq != l->seq || s->page.thread != l->thread)
		return false;
	l->began = true;
	if (!walk_copy(s, l, &l->seen) && !over)
		return false;
	l->seq++;
	l->seen = 0;
	return true;
}

static void take_all(struct peer_stream *s)
{
	size_t pages = s->bytes / WEFT_PAGE_BYTES;
	for (size_t i = 0; i < s->lane.n; i++)
		s->lane.at[i]->later = s->lane.at[i]->is_there = 0;
	/* Mostly in order: few rounds, and the last one takes nothing. */
	bool more = true;
	for (unsigned pass = 0; more && pass < PASSES_MOST; pass++) {
		more = false;
		for (size_t i = 1; i < pages; i++)
			more |= take_page(s, i);
		/* What was copied before a later page was seen: once more. */
		for (size_t i = 0; i < s->lane.n; i++)
			more |= s->lane.at[i]->is_there && s->lane.at[i]->latest > s->lane.at[i]->seq;
		for (size_t i = 0; i < s->lane.n && more; i++)
			s->lane.at[i]->is_there = false;
	}
}

/* A later page is there, and the next one is not: it is being copied, to a place that was visited already or is beyond what is mapped. */
static bool is_behind(const struct peer_stream *s)
{
	for (size_t i = 0; i < s->lane.n; i++)
		if (s->lane.at[i]->latest > s->lane.at[i]->seq && !s->lane.at[i]->is_there)
			return true;
	return false;
}

static void skip_missing(struct peer_stream *s)
{
	for (size_t i = 0; i < s->lane.n; i++) {
		struct lane *l = s->lane.at[i];
		l->missed = l->later > l->seq && !l->is_there ? l->missed + 1 : 0;
		if (l->missed > 1)
			skip_to(s, l, l->later);
	}
}

int peer_stream_look(struct peer_stream *s)
{
	uint32_t state = __atomic_load_n(&s->head->state, __ATOMIC_ACQUIRE); /* before the look: what is there then is all */
	int rc = 0;
	for (unsigned tries = 0; tries < BEHIND_TRIES; tries++) {
		rc = map_all(s);
		if (rc)
			return rc;
		take_all(s);
		if (!is_behind(s))
			break;
		usleep(BEHIND_US);
	}
	skip_missing(s);
	return state == WEFT_STREAM_CLOSED ? -EPIPE : 0;
}

/* ---- a sample ---- */

static double seconds_of(const struct peer_stream *s, uint64_t ticks)
{
	double rate = s->head->clock == WEFT_CLOCK_MONOTONIC || !(s->head->ticks_per_ns > 0) ? 1 : s->head->ticks_per_ns;
	return (double)ticks / rate / 1e9;
}

double peer_stream_seconds(const struct peer_stream *s)
{
	return (double)(weft_monotonic_ns() - s->head->start_monotonic) / 1e9;
}

static void add_text(struct weft_json *j, const char *key, const char *text)
{
	weft_json_key(j, key);
	weft_json_string(j, text);
}

static void add_count(struct weft_json *j, const char *key, uint64_t v)
{
	weft_json_key(j, key);
	weft_json_u64(j, v);
}

static void add_number(struct weft_json *j, const char *key, double v)
{
	weft_json_key(j, key);
	weft_json_double(j, v);
}

static const char *region_name(const struct peer_stream *s, uint32_t id)
{
	return id < s->region.n && s->region.at[id].name ? s->region.at[id].name : "?";
}

/* Where the thread has been since the last sample, up to now. */
static void sample_spent(const struct peer_stream *s, struct lane *l, uint64_t now, struct weft_json *j)
{
	uint64_t from = l->from > l->told ? l->from : l->told;
	if (l->from && now > from)
		lane_spend(l, lane_region(l), now - from);
	weft_json_key(j, "spent");
	weft_json_array(j);
	for (unsigned i = 0; i < SPENT; i++) {
		if (!l->spent[i].ticks)
			continue;
		weft_json_object(j);
		add_text(j, "region", l->spent[i].region ? region_name(s, l->spent[i].region) : NULL);
		add_number(j, "s", seconds_of(s, l->spent[i].ticks));
		weft_json_end(j);
		l->spent[i].ticks = 0;
	}
	weft_json_end(j);
	l->told = now;
}

/* The time now, on the recording's clock. */
static uint64_t ticks_now(const struct peer_stream *s)
{
	double ns = (double)(weft_monotonic_ns() - s->head->start_monotonic);
	double rate = s->head->clock == WEFT_CLOCK_MONOTONIC || !(s->head->ticks_per_ns > 0) ? 1 : s->head->ticks_per_ns;
	return s->head->start_ticks + (uint64_t)(ns * rate);
}

static void sample_threads(const struct peer_stream *s, struct weft_json *j)
{
	weft_json_key(j, "threads");
	weft_json_array(j);
	for (size_t i = 0; i < s->lane.n; i++) {
		const struct lane *l = s->lane.at[i];
		double since = peer_stream_seconds(s) - seconds_of(s, l->from - s->head->start_ticks);
		char number[24];
		if (l->own || l->ended)
			continue;
		snprintf(number, sizeof number, "thread %u", l->tid);
		weft_json_object(j);
		add_count(j, "id", l->tid);
		add_text(j, "name", l->name && *l->name ? l->name : number);
		add_text(j, "region", l->depth ? region_name(s, lane_region(l)) : NULL);
		add_count(j, "depth", l->depth);
		add_number(j, "since_s", l->from && since > 0 ? since : 0);
		add_count(j, "events", l->events);
		sample_spent(s, s->lane.at[i], ticks_now(s), j);
		weft_json_end(j);
	}
	weft_json_end(j);
}

/* Calls and own time, without that of regions within; of open ones up to their thread's last change. */
static void sample_regions(const struct peer_stream *s, struct weft_json *j)
{
	weft_json_key(j, "regions");
	weft_json_array(j);
	for (size_t i = 0; i < s->region.n; i++) {
		const struct region *r = &s->region.at[i];
		if (!r->calls)
			continue;
		weft_json_object(j);
		add_text(j, "name", region_name(s, (uint32_t)i));
		add_count(j, "calls", r->calls);
		add_number(j, "time_s", seconds_of(s, r->ticks));
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void sample_counters(const struct peer_stream *s, struct weft_json *j)
{
	weft_json_key(j, "recorded_counters");
	weft_json_array(j);
	for (size_t i = 0; i < s->counter.n; i++) {
		if (!s->counter.at[i].is_there)
			continue;
		weft_json_object(j);
		add_text(j, "name", s->counter.at[i].name ? s->counter.at[i].name : "?");
		add_number(j, "value", s->counter.at[i].value);
		weft_json_end(j);
	}
	weft_json_end(j);
}

void peer_stream_sample(const struct peer_stream *s, struct weft_json *j)
{
	weft_json_key(j, "events");
	weft_json_object(j);
	add_count(j, "recorded", s->events);
	add_count(j, "dropped", s->head->dropped);
	add_count(j, "lost_pages", s->lost_pages);
	weft_json_end(j);
	weft_json_key(j, "message_ends");
	weft_json_object(j);
	add_count(j, "sent", s->sent);
	add_count(j, "received", s->received);
	add_count(j, "sent_bytes", s->sent_bytes);
	add_count(j, "received_bytes", s->received_bytes);
	weft_json_end(j);
	sample_threads(s, j);
	sample_regions(s, j);
	sample_counters(s, j);
}
