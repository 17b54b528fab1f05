/* SPDX-License-Identifier: Apache-2.0 */
#include "record_follow.h"
#include "base/fs.h"
#include "record_run.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUTURE_NS UINT64_C(1000000000) /* by so much clocks may differ; what is later was never recorded: the stream is damaged */

enum { FOLLOW_DEPTH = 128, REGIONS_MOST = 1 << 20 };
enum { PASSES_MOST = 3 }; /* of a look: pages stand nearly in order, and what is missed comes with the next */

struct follow_lane {
	uint32_t thread, seq, seen, latest; /* seq: the page that is next; seen: records of it; latest: of all that there are */
	bool own, begun, ended;
	uint64_t from_ns;
	uint32_t stack[FOLLOW_DEPTH];
	unsigned depth;
};

struct record_follow {
	int fd;
	struct weft_stream_head head;
	WEFT_VEC(struct follow_lane) lane;
	WEFT_VEC(uint32_t) region; /* of the stream -> of record_kinds */
	struct follow_lane meta;
	uint64_t now_ns;
	bool grew; /* later pages were seen than before: what was read of earlier ones may not be all */
	struct weft_page page;
};

/* By a damaged head it may be anything, also no number. */
static uint64_t moved(uint64_t from, double by)
{
	if (!(by > -(double)from))
		return 0;
	return by < 0x1p62 ? from + (uint64_t)(int64_t)by : UINT64_MAX;
}

static double rate_of(const struct weft_stream_head *h)
{
	return h->clock == WEFT_CLOCK_MONOTONIC || !(h->ticks_per_ns > 0) ? 1 : h->ticks_per_ns;
}

uint64_t record_follow_ns(const struct weft_stream_head *h, uint64_t ticks)
{
	return moved(h->start_monotonic, ((double)ticks - (double)h->start_ticks) / rate_of(h));
}

uint64_t record_follow_ticks(const struct weft_stream_head *h, uint64_t ns)
{
	return moved(h->start_ticks, ceil(((double)ns - (double)h->start_monotonic) * rate_of(h)));
}

struct record_follow *record_follow_open(const char *path)
{
	struct record_follow *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0 || !record_read_head(path, &f->head) || f->head.flags & (WEFT_STREAM_PACKED | WEFT_STREAM_RING)) {
		record_follow_close(f);
		return NULL;
	}
	return f;
}

void record_follow_close(struct record_follow *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->lane.at);
	free(f->region.at);
	free(f);
}

static struct follow_lane *lane_of(struct record_follow *f, uint32_t thread)
{
	for (size_t i = f->lane.n; i-- > 0;)
		if (f->lane.at[i].thread == thread)
			return &f->lane.at[i];
	return weft_vec_push(&f->lane, (struct follow_lane){.thread = thread}) ? NULL : &f->lane.at[f->lane.n - 1];
}

static void hear_definition(struct record_follow *f, struct record_kinds *k, const struct weft_record *r)
{
	const char *name;
	uint32_t n;
	struct follow_lane *l = r->kind == WEFT_EV_THREAD && r->n >= 2 ? lane_of(f, r->id) : NULL;
	if (l)
		l->own = r->payload[1] >> 32 == WEFT_THREAD_OF_WEFT;
	if (r->kind != WEFT_EV_DEF_REGION || r->id >= REGIONS_MOST || !weft_record_bytes(r, 2, &name, &n))
		return;
	while (f->region.n <= r->id)
		if (weft_vec_push(&f->region, 0)) {
			k->failed = true;
			return;
		}
	f->region.at[r->id] = record_kinds_region(k, weft_str_n(name, n));
}

static uint32_t region_of(const struct record_follow *f, uint32_t id)
{
	return id < f->region.n ? f->region.at[id] : 0;
}

static void lane_reach(struct record_follow *f, struct record_kinds *k, struct follow_lane *l, uint64_t ns)
{
	const unsigned top = l->depth < FOLLOW_DEPTH ? l->depth : FOLLOW_DEPTH;
	if (!l->own && l->begun && !l->ended && ns > l->from_ns)
		record_kinds_spend(k, top ? region_of(f, l->stack[top - 1]) : 0, l->from_ns, ns);
	l->from_ns = ns > l->from_ns || !l->begun ? ns : l->from_ns;
	l->begun = true;
}

static void hear_event(struct record_follow *f, struct record_kinds *k, struct follow_lane *l, const struct weft_record *r)
{
	const uint64_t ns = record_follow_ns(&f->head, r->ticks);
	if (ns > f->now_ns + FUTURE_NS)
		return;
	lane_reach(f, k, l, ns);
	if (r->kind == WEFT_EV_ENTER) {
		if (!l->own)
			record_kinds_enter(k, region_of(f, r->id), ns);
		if (l->depth++ < FOLLOW_DEPTH)
			l->stack[l->depth - 1] = r->id;
	} else if (r->kind == WEFT_EV_LEAVE) {
		l->depth -= l->depth > 0;
	} else if (r->kind == WEFT_EV_OFF && !r->id) {
		l->depth = 0;
	} else if (r->kind == WEFT_EV_THREAD_END) {
		l->ended = true;
	}
}

/* The records of the page behind those that are known; whether nothing more comes into it. */
static bool walk_page(struct record_follow *f, struct record_kinds *k, struct follow_lane *l)
{
	struct weft_page_walk w;
	struct weft_record r;
	const bool sealed = f->page.flags & WEFT_PAGE_SEALED;
	const enum weft_page_verdict v = weft_page_begin(&w, &f->page, sealed);
	const uint32_t thread = l->thread;
	if (v != WEFT_PAGE_GOOD && v != WEFT_PAGE_OPEN)
		return false;
	for (uint32_t n = 0; weft_page_next(&w, &r) > 0; n++) {
		l = thread ? lane_of(f, thread) : &f->meta;
		if (n < l->seen)
			continue;
		l->seen = n + 1;
		if (thread && r.kind < 64)
			hear_event(f, k, l, &r);
		else
			hear_definition(f, k, &r);
	}
	return v == WEFT_PAGE_GOOD;
}

/* Takes the page at a place if it is the next of its thread; true: another of its thread may be next now. */
static bool take_page(struct record_follow *f, struct record_kinds *k, uint64_t at, bool meta)
{
	struct weft_page head;
	if (pread(f->fd, &head, WEFT_PAGE_HEAD, (off_t)at) != WEFT_PAGE_HEAD || head.magic != WEFT_PAGE_MAGIC ||
	    (head.type == WEFT_PAGE_META) != meta || (!meta && !head.thread))
		return false;
	struct follow_lane *l = meta ? &f->meta : lane_of(f, head.thread);
	if (!l || head.seq < l->seq)
		return false;
	const bool over = head.seq == l->seq && l->latest > l->seq; /* a later one has been seen before this one is read */
	f->grew = f->grew || head.seq > l->latest;
	l->latest = head.seq > l->latest ? head.seq : l->latest;
	if (head.seq != l->seq || pread(f->fd, &f->page, sizeof f->page, (off_t)at) != sizeof f->page ||
	    f->page.seq != head.seq || f->page.thread != head.thread || f->page.type != head.type)
		return false;
	const bool sealed = walk_page(f, k, l);
	l = meta ? &f->meta : lane_of(f, head.thread);
	if (!l || !(sealed || over))
		return false;
	l->seq++;
	l->seen = 0;
	return true;
}

static uint64_t known_until(const struct record_follow *f, uint64_t now_ns)
{
	uint64_t known = now_ns;
	for (size_t i = 0; i < f->lane.n; i++) {
		const struct follow_lane *l = &f->lane.at[i];
		if (l->latest > l->seq && l->from_ns < known)
			known = l->from_ns;
	}
	return known;
}

uint64_t record_follow_look(struct record_follow *f, struct record_kinds *k, uint64_t now_ns)
{
	struct stat st;
	f->now_ns = now_ns;
	for (unsigned meta = 2; meta-- > 0;) {
		bool more = true;
		for (unsigned pass = 0; more && pass < PASSES_MOST; pass++) {
			const uint64_t end = fstat(f->fd, &st) ? 0 : (uint64_t)st.st_size / WEFT_PAGE_BYTES * WEFT_PAGE_BYTES;
			more = f->grew = false;
			for (uint64_t at = WEFT_PAGE_BYTES; at < end; at += WEFT_PAGE_BYTES)
				more |= take_page(f, k, at, meta);
			more = more || f->grew;
		}
	}
	return known_until(f, now_ns);
}

void record_follow_reach(struct record_follow *f, struct record_kinds *k, uint64_t ns)
{
	for (size_t i = 0; i < f->lane.n; i++)
		if (f->lane.at[i].begun)
			lane_reach(f, k, &f->lane.at[i], ns);
}
