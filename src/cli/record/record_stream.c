/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages are taken from the end of the file, which grows by posix_fallocate before the mapping is touched: a full disk is an
 * error code here and never SIGBUS. The address range is reserved once, far larger than the file, so that pages never move.
 */
#include "record_stream.h"
#include "base/clock.h"
#include "format/crc.h"
#include "record/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM_MOST (UINT64_C(16) << 30) /* address space: a page for each of 4 million threads */
#define ROOM_LEAST (UINT64_C(1) << 20)
#define GROW_LEAST (UINT64_C(64) << 10)
#define GROW_MOST (UINT64_C(4) << 20)

static struct weft_stream_head *stream_head(const struct record_stream *s)
{
	return (struct weft_stream_head *)s->at;
}

/* An address range limit (ulimit -v) makes it smaller. */
static int stream_map(struct record_stream *s)
{
	for (s->room = ROOM_MOST; s->room >= ROOM_LEAST; s->room /= 4) {
		void *at = mmap(NULL, s->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
		if (at != MAP_FAILED) {
			s->at = at;
			(void)weft_guard_add(at, s->room, &s->cut);
			return 0;
		}
	}
	return -errno;
}

static void stream_unmap(struct record_stream *s)
{
	if (!s->at)
		return;
	weft_guard_remove(s->at);
	munmap(s->at, s->room);
}

static int stream_grow(struct record_stream *s, uint64_t to)
{
	if (weft_load_u32(&s->cut))
		return -(int)weft_load_u32(&s->cut);
	if (to <= s->bytes)
		return 0;
	uint64_t step = s->bytes < GROW_LEAST ? GROW_LEAST : s->bytes > GROW_MOST ? GROW_MOST : s->bytes;
	uint64_t bytes = s->bytes + step < s->room ? s->bytes + step : s->room;
	if (to > bytes)
		return -EFBIG;
	int error = posix_fallocate(s->fd, (off_t)s->bytes, (off_t)(bytes - s->bytes));
	if (error)
		return -error;
	s->bytes = bytes;
	return 0;
}

uint64_t record_stream_ticks(const struct record_stream *s)
{
#if defined __x86_64__
	if (s->ticks_per_ns > 0)
		return __builtin_ia32_rdtsc();
#endif
	(void)s;
	return weft_monotonic_ns();
}

static void stream_write_head(struct record_stream *s, const uint8_t *run_id)
{
	struct weft_stream_head h = {
		.magic = WEFT_STREAM_MAGIC,
		.major = WEFT_FORMAT_MAJOR,
		.minor = WEFT_FORMAT_MINOR,
		.page_bytes = WEFT_PAGE_BYTES,
		.pid = (uint32_t)getpid(),
		.clock = s->ticks_per_ns > 0 ? WEFT_CLOCK_TSC : WEFT_CLOCK_MONOTONIC,
		.start_realtime = weft_realtime_ns(),
		.start_monotonic = weft_monotonic_ns(),
		.ticks_per_ns = s->ticks_per_ns > 0 ? s->ticks_per_ns : 1,
		.state = WEFT_STREAM_OPEN,
	};
	h.start_ticks = record_stream_ticks(s);
	memcpy(h.run_id, run_id, sizeof h.run_id);
	h.crc = weft_crc32c(0, &h, offsetof(struct weft_stream_head, crc));
	memcpy(s->at, &h, sizeof h);
}

int record_stream_open(struct record_stream *s, const char *dir, const char *name, const uint8_t *run_id, double ticks_per_ns,
                       struct weft_err *err)
{
	*s = (struct record_stream){.fd = -1, .ticks_per_ns = ticks_per_ns};
	int rc = -ENOMEM;
	if (asprintf(&s->path, "%s/%s", dir, name) < 0) {
		s->path = NULL;
		return weft_err_sys(err, ENOMEM, "cannot make a stream in '%s'", dir);
	}
	s->fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->fd < 0) {
		rc = -errno;
		goto fail;
	}
	if ((rc = stream_map(s)) || (rc = stream_grow(s, WEFT_PAGE_BYTES)))
		goto fail;
	s->used = WEFT_PAGE_BYTES;
	stream_write_head(s, run_id);
	record_stream_clock(s);
	return 0;
fail:
	weft_err_sys(err, -rc, "cannot write '%s'", s->path);
	stream_unmap(s);
	if (s->fd >= 0) {
		unlink(s->path);
		close(s->fd);
	}
	free(s->path);
	*s = (struct record_stream){.fd = -1};
	return rc;
}

static void stream_drop(struct record_stream *s, int error)
{
	struct weft_stream_head *h = stream_head(s);
	h->dropped++;
	h->reason = (uint32_t)error;
	h->state = WEFT_STREAM_FULL;
}

/* The next page of a chain, sealed the one before; false when there is no space. */
static bool stream_next_page(struct record_stream *s, struct weft_page_writer *w, unsigned type, uint32_t thread, uint32_t *pages,
                             uint64_t base)
{
	int rc = stream_grow(s, s->used + WEFT_PAGE_BYTES);
	if (rc) {
		stream_drop(s, -rc);
		return false;
	}
	if (w->page)
		weft_page_write_end(w);
	weft_page_write_begin(w, (struct weft_page *)(s->at + s->used), type, thread, (*pages)++, base);
	s->used += WEFT_PAGE_BYTES;
	return true;
}

void record_stream_event(struct record_stream *s, struct record_lane *lane, const struct weft_record *r)
{
	if (lane->writer.page && weft_page_write(&lane->writer, r) == 0)
		return;
	if (stream_next_page(s, &lane->writer, WEFT_PAGE_EVENTS, lane->thread, &lane->pages, r->ticks) &&
	    weft_page_write(&lane->writer, r))
		stream_drop(s, E2BIG);
}

void record_stream_end_lane(struct record_lane *lane)
{
	if (lane->writer.page)
		weft_page_write_end(&lane->writer);
	lane->writer.page = NULL;
}

void record_stream_meta(struct record_stream *s, const struct weft_record *r, const char *text, size_t text_bytes)
{
	uint64_t word[WEFT_WORDS_MAX];
	struct weft_record all = {r->ticks, r->kind, r->id, r->n, word};
	size_t room = (WEFT_WORDS_MAX - r->n - 1) * 8;
	memcpy(word, r->payload, r->n * 8);
	if (text) {
		size_t n = text_bytes < room ? text_bytes : room;
		size_t words = (n + 7) / 8;
		word[r->n] = n;
		memset(&word[r->n + 1], 0, words * 8);
		memcpy(&word[r->n + 1], text, n);
		all.n += 1 + (uint32_t)words;
	}
	if (s->meta.page && weft_page_write(&s->meta, &all) == 0)
		return;
	if (stream_next_page(s, &s->meta, WEFT_PAGE_META, 0, &s->meta_pages, r->ticks) && weft_page_write(&s->meta, &all))
		stream_drop(s, E2BIG);
}

void record_stream_clock(struct record_stream *s)
{
	uint64_t ticks = record_stream_ticks(s), now = weft_monotonic_ns();
	uint64_t realtime = weft_realtime_ns();
	record_stream_meta(s, &(struct weft_record){ticks, WEFT_EV_CLOCK, 0, 3, (uint64_t[]){ticks, now, realtime}}, NULL, 0);
}

uint64_t record_stream_dropped(const struct record_stream *s)
{
	return stream_head(s)->dropped;
}

static void stream_sum(const struct record_stream *s)
{
	struct weft_stream_head *h = stream_head(s), closed = *h;
	closed.state = WEFT_STREAM_CLOSED;
	closed.pages = s->used / WEFT_PAGE_BYTES;
	h->sum = weft_stream_sum_begin(&closed);
	for (uint64_t i = 1; i < closed.pages; i++)
		h->sum += weft_page_mark((const struct weft_page *)(s->at + i * WEFT_PAGE_BYTES), i);
	h->pages = closed.pages;
}

void record_stream_close(struct record_stream *s)
{
	if (!s->at)
		return;
	record_stream_clock(s);
	if (s->meta.page)
		weft_page_write_end(&s->meta);
	struct weft_stream_head *h = stream_head(s);
	h->end_ticks = record_stream_ticks(s);
	/* What lies behind is a reserve of zeros: harmless where it cannot be cut off. */
	if (ftruncate(s->fd, (off_t)s->used))
		(void)0;
	/* Last: who finds a closed stream reads all of the file (record_pack.c). */
	if (h->state == WEFT_STREAM_OPEN)
		stream_sum(s);
	if (h->state == WEFT_STREAM_OPEN)
		__atomic_store_n(&h->state, WEFT_STREAM_CLOSED, __ATOMIC_RELEASE);
	stream_unmap(s);
	close(s->fd);
	free(s->path);
	*s = (struct record_stream){.fd = -1};
}
