/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of this process: opened when recording begins, by whoever comes first; closed when the process ends in order.
 *
 * Closing must not take a page from under a thread that still runs, since exit() does not wait for threads: they are told first
 * (closing), then those in the middle of taking a range are waited for (busy; at most some milliseconds). Pages that a living
 * thread can still write stay as they are, open, and the reader takes them up to their last whole record.
 */
#include "rec_priv.h"
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format/crc.h"

#define RATE_LEAST_NS 20000u /* a first estimate of the clock's rate wants two samples this far apart */
#define QUIET_MOST_NS 1000000000u

static void stream_write_head(struct rec_stream *s, double rate)
{
	struct weft_stream_head h = {
		.major = WEFT_FORMAT_MAJOR,
		.minor = WEFT_FORMAT_MINOR,
		.page_bytes = WEFT_PAGE_BYTES,
		.pid = s->pid,
		.clock = rec.clock.kind,
		.start_ticks = s->first.ticks,
		.start_realtime = s->first.realtime_ns,
		.start_monotonic = s->first.monotonic_ns,
		.ticks_per_ns = rate,
		.flags = s->space.mode == REC_RING ? WEFT_STREAM_RING : 0,
		.state = WEFT_STREAM_OPEN,
		.dropped = rec_threads_dropped(),
	};
	uint64_t magic;
	memcpy(h.run_id, rec.run_id, sizeof h.run_id);
	memcpy(h.magic, WEFT_STREAM_MAGIC, sizeof h.magic);
	memcpy(&magic, h.magic, sizeof magic);
	h.crc = weft_crc32c(0, &h, offsetof(struct weft_stream_head, crc));
	memset(h.magic, 0, sizeof h.magic);
	*s->head = h;
	/* Last: a file that was left before this is empty, not damaged. */
	__atomic_store_n((uint64_t *)s->head, magic, __ATOMIC_RELEASE);
}

static double stream_rate(const struct rec_stream *s)
{
	struct rec_sample now;
	if (rec.ticks_per_ns > 0)
		return rec.ticks_per_ns;
	/* Bounded, since the clock may not move (in tests it does what it is told). */
	for (int i = 0; i < 1000; i++) {
		now = rec_clock_sample();
		if (now.monotonic_ns - s->first.monotonic_ns >= RATE_LEAST_NS)
			break;
	}
	double rate = rec_clock_rate(&s->first, &now);
	return rec.ticks_per_ns = rate > 0 ? rate : 1;
}

int rec_stream_open(const char *dir, struct rec_stream **out)
{
	struct rec_stream *s = rec_mmap(sizeof *s);
	if (!s)
		return -ENOMEM;
	s->first = rec_clock_sample();
	s->pid = (uint32_t)getpid();
	if (!rec.one_file)
		(void)mkdir(dir, 0777);
	int rc = rec_space_open(&s->space, dir, rec.mode, rec.size_bytes);
	if (rc) {
		rec_munmap(s->space.cells, s->space.cells_bytes);
		rec_munmap(s, sizeof *s);
		return rc;
	}
	s->head = (struct weft_stream_head *)rec_space_page(&s->space, 0);
	stream_write_head(s, stream_rate(s));
	rec_meta_clock(s, &s->first);
	rec_process_texts(s);
	rec_define_write_all(s);
	s->last = s->first;
	*out = s;
	return 0;
}

/*
 * Where there is no room for a stream, a link whose target is the reason says that a process is missing: it takes no block of the disk,
 * and no limit of files' sizes keeps it off.
 */
static void stream_leave_word(int reason)
{
	char path[sizeof rec.dir + 100], host[65] = "", number[20];
	if (rec.one_file || gethostname(host, sizeof host - 1) || strchr(host, '/'))
		return;
	char *at = stpcpy(path, rec.dir);
	*at++ = '/';
	at = stpcpy(at, host);
	*at++ = '-';
	at = mempcpy(at, number, weft_fmt_u64(number, (uint64_t)getpid()));
	strcpy(at, WEFT_STREAM_MISSING);
	(void)!symlink(weft_err_name(reason), path);
}

int rec_stream_attach(void)
{
	struct rec_stream *s;
	int rc = 0;
	if (!rec_lock())
		return -EDEADLK;
	if (weft_load_u32(&rec.closed) || !rec.dir[0] || (rec.one_file && rec.file_owner != rec.owner)) {
		rc = -ENOENT;
	} else if (!rec_stream()) {
		rc = rec_stream_open(rec.dir, &s);
		if (rc == 0)
			weft_store_ptr(&rec.stream, s);
		else if (rc != -ENOENT && rc != -ENOTDIR)
			stream_leave_word(rc);
	}
	weft_store_u32(&rec.reason, (uint32_t)-rc);
	if (rc) {
		weft_store_u32(&rec.on, 0);
		rec_define_live_all();
	}
	rec_unlock();
	return rc;
}

void rec_stream_full(struct rec_stream *s, int reason)
{
	/* In a ring it only means that this thread found no range just now. */
	if (s->space.mode == REC_RING || rec_stream_is_full(s) || !rec_space_ours(&s->space))
		return;
	/* 0: the limit that was set, and not the disk. */
	if (reason == ENOSPC && s->space.limit_pages && !weft_load_u32(&s->space.failed))
		reason = 0;
	__atomic_store_n(&s->head->reason, (uint32_t)reason, __ATOMIC_RELAXED); /* several threads may find it full at once */
	__atomic_store_n(&s->head->state, WEFT_STREAM_FULL, __ATOMIC_RELEASE);
}

bool rec_stream_is_full(const struct rec_stream *s)
{
	return __atomic_load_n(&s->head->state, __ATOMIC_ACQUIRE) == WEFT_STREAM_FULL;
}

static bool stream_is_quiet(void)
{
	uint32_t n = weft_load_u32(&rec.slots.n);
	for (uint32_t i = 0; i < n; i++) {
		struct rec_slot *slot = rec_slot_at(i);
		if (slot && weft_load_u32(&slot->used) && rec_look(&slot->busy))
			return false;
	}
	return true;
}

/* A thread that has no processor just now is waited for; not ourselves, in a handler that interrupted an event. */
static bool stream_wait_quiet(void)
{
	uint64_t from = rec.clock.monotonic_ns();
	while (!stream_is_quiet()) {
		if (rec_self.busy || rec.clock.monotonic_ns() - from > QUIET_MOST_NS)
			return false;
		sched_yield();
	}
	return true;
}

/*
 * What other threads have finished. Not the current page, nor the one before it, where a record may stand that a signal handler
 * interrupted.
 */
static void stream_seal_living(struct rec_stream *s)
{
	uint32_t n = weft_load_u32(&rec.slots.n);
	for (uint32_t i = 0; i < n; i++) {
		struct rec_slot *slot = rec_slot_at(i);
		if (!slot || !weft_load_u32(&slot->used))
			continue;
		uint32_t page = weft_load_u32(&slot->page);
		rec_archive_seal(&s->space, rec_range_of(weft_load_u64(&slot->prev)), UINT32_MAX);
		rec_archive_seal(&s->space, rec_range_of(weft_load_u64(&slot->range)), page ? page - 1 : 0);
	}
}

/* whole: nobody else writes, but threads that live in pages that they have; so what the file holds is known. */
static void stream_close_head(struct rec_stream *s, bool whole)
{
	struct weft_stream_head closed = {.state = WEFT_STREAM_CLOSED,
	                                  .reason = __atomic_load_n(&s->head->reason,
	                                                            __ATOMIC_RELAXED), /* nobody writes it now */
	                                  .helper_cpu_ns = s->head->helper_cpu_ns,
	                                  .end_ticks = s->head->end_ticks,
	                                  .pages = rec_space_pages(&s->space)};
	if (whole && !weft_load_u32(&s->space.failed)) {
		s->head->sum = weft_stream_sum_begin(&closed) + weft_load_u64(&s->space.sum);
		s->head->pages = closed.pages;
	}
	__atomic_store_n(&s->head->state, WEFT_STREAM_CLOSED, __ATOMIC_RELEASE);
}

static void stream_close(struct rec_stream *s)
{
	rec_thread_end();
	bool helper_gone = rec_helper_end();
	rec_modules_update(s);
	if (!rec_lock())
		return;
	struct rec_sample now = rec_clock_sample();
	struct rec_range r;
	rec_meta_clock(s, &now);
	rec_say(&s->closing, 1); /* with slow_heavy and rec_thread_end: either they see it, or we that they are busy */
	bool quiet = stream_wait_quiet();
	weft_store_u32(&rec.closed, 1); /* before the stream is gone: who finds none knows why */
	weft_store_ptr(&rec.stream, NULL);
	while (rec_space_retired(&s->space, &r))
		rec_archive_seal(&s->space, r, UINT32_MAX);
	if (quiet)
		stream_seal_living(s);
	rec_meta_seal(s);
	if (quiet && helper_gone)
		rec_space_trim(&s->space);
	s->head->end_ticks = rec.clock.ticks();
	__atomic_store_n(&s->head->dropped, rec_threads_dropped(), __ATOMIC_RELAXED);
	if (!rec_stream_is_full(s))
		stream_close_head(s, quiet && helper_gone);
	rec_unlock();
}

void rec_stream_close(struct rec_stream *s)
{
	rec_unseen_begin();
	stream_close(s);
	rec_unseen_end();
}
