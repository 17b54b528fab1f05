/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a stream file, and who may write them.
 *
 *     grow ---> ready ---> a thread's range ---> its previous range ---> retired ---> sealed (---> old, in a ring ---> a thread's)
 *                   \____> rests (what a thread that ended, or that wanted one page only, left over) ____/
 *
 * A range of pages belongs to exactly one place of this drawing; queues move it, so there is no table of owners. The file grows by
 * a chunk at a time (it doubles until a chunk is 64 pages): the space is reserved on the disk before anybody writes to it, since
 * a store to a mapped page without space would kill the program with SIGBUS. The file is mapped in large segments, once, beyond
 * its end; pages never move.
 *
 * A range is retired only when its thread has left the next one too, or has ended: a record that was interrupted in the middle by
 * a signal handler, which then filled the rest of the range, is still complete before anybody reads the page to seal it.
 *
 * take, rest and retire may be called by any thread at any time, also in signal handlers.
 */
#include "rec_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE ((size_t)WEFT_PAGE_BYTES)
#define READY_CELLS 256u
#define RESTS_CELLS 1024u
#define RETIRED_CELLS 1024u
#define SEGMENT_SHIFT_MOST 18u /* 1 GiB */
#define SEGMENT_SHIFT_LEAST 8u /* 1 MiB */

/* ---- The file and its mapping ---- */

/* The descriptor may have been closed by the program, and its number be in use for a file of its own. */
static bool space_fd_is_ours(const struct rec_space *s, int fd)
{
	struct stat st;
	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino;
}

static int space_fd(struct rec_space *s)
{
	if (space_fd_is_ours(s, s->fd))
		return s->fd;
	int fd = open(s->path, O_RDWR | O_CLOEXEC);
	if (space_fd_is_ours(s, fd))
		return s->fd = fd;
	if (fd >= 0)
		close(fd);
	return -EBADF;
}

static int space_write_zeros(int fd, off_t from, size_t bytes)
{
	static const char zeros[16 * WEFT_PAGE_BYTES];
	while (bytes > 0) {
		ssize_t n = pwrite(fd, zeros, bytes < sizeof zeros ? bytes : sizeof zeros, from);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			from += n;
			bytes -= (size_t)n;
		}
	}
	return 0;
}

static int space_reserve(struct rec_space *s, uint32_t first, uint32_t n)
{
	struct rlimit most;
	off_t from = (off_t)first << REC_PAGE_SHIFT, bytes = (off_t)n << REC_PAGE_SHIFT;
	/* Growing beyond this limit would raise SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && (rlim_t)(from + bytes) > most.rlim_cur)
		return -EFBIG;
	int fd = space_fd(s);
	if (fd < 0)
		return fd;
	int rc;
	do
		rc = fallocate(fd, 0, from, bytes) ? -errno : 0;
	while (rc == -EINTR);
	return rc == -EOPNOTSUPP ? space_write_zeros(fd, from, (size_t)bytes) : rc;
}

static int space_map(struct rec_space *s, uint32_t page)
{
	uint32_t i = page >> s->segment_shift;
	if (i >= REC_SEGMENTS)
		return -EFBIG;
	if (weft_load_ptr(&s->segment[i]))
		return 0;
	int fd = space_fd(s);
	if (fd < 0)
		return fd;
	size_t bytes = PAGE << s->segment_shift;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)i * (off_t)bytes), *found = NULL;
	if (at == MAP_FAILED)
		return -errno;
	(void)madvise(at, bytes, MADV_DONTDUMP);
	if (!weft_cas_ptr(&s->segment[i], &found, at))
		munmap(at, bytes);
	return 0;
}

/* The address range may be limited (ulimit -v): then smaller segments, and more of them. */
static int space_map_first(struct rec_space *s)
{
	int rc = -ENOMEM;
	for (s->segment_shift = SEGMENT_SHIFT_MOST; s->segment_shift >= SEGMENT_SHIFT_LEAST; s->segment_shift -= 2) {
		rc = space_map(s, 0);
		if (rc != -ENOMEM)
			break;
	}
	return rc;
}

struct weft_page *rec_space_page(const struct rec_space *s, uint32_t page)
{
	char *at = weft_load_ptr(&s->segment[page >> s->segment_shift]);
	return (struct weft_page *)(at + ((size_t)(page & ((1u << s->segment_shift) - 1)) << REC_PAGE_SHIFT));
}

struct weft_page *rec_space_mapped(const struct rec_space *s, uint32_t page)
{
	return weft_load_ptr(&s->segment[page >> s->segment_shift]) ? rec_space_page(s, page) : NULL;
}

static void space_touch(struct rec_space *s, struct rec_range r)
{
	char *at = (char *)rec_space_page(s, r.first);
	if (madvise(at, r.n * PAGE, MADV_POPULATE_WRITE) == 0 || errno == EINTR)
		return;
	/* Kernels before 5.14. The pages are zero and nobody's yet. */
	for (uint32_t i = 0; i < r.n; i++)
		*(volatile char *)(at + i * PAGE) = 0;
}

static uint32_t space_power_below(uint64_t n)
{
	uint32_t p = 1;
	while (p * 2 <= n)
		p *= 2;
	return p;
}

/* Queues in one mapping. In a ring, as many cells as there can be ranges, so that no range ever gets lost. */
static int space_queues(struct rec_space *s)
{
	size_t most = RETIRED_CELLS;
	if (s->mode == REC_RING)
		while (most < s->limit_pages)
			most *= 2;
	struct {
		struct weft_queue *queue;
		size_t cells;
	} all[] = {{&s->ready, READY_CELLS}, {&s->rests, s->mode == REC_RING ? most : RESTS_CELLS}, {&s->retired, most}, {&s->old, most}};
	size_t n = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		n += all[i].cells;
	s->cells_bytes = n * sizeof(struct weft_queue_cell);
	struct weft_queue_cell *cell = s->cells = rec_mmap(s->cells_bytes);
	if (!cell)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		weft_queue_init(all[i].queue, cell, all[i].cells);
		cell += all[i].cells;
	}
	return 0;
}

static int space_create(struct rec_space *s, const char *dir)
{
	char host[65] = "";
	if (gethostname(host, sizeof host - 1) || !*host)
		strcpy(host, "host");
	for (char *c = host; *c; c++)
		if (*c == '/')
			*c = '_';
	for (unsigned n = 0; n < 1000000; n++) {
		char *at = s->path, number[20];
		size_t dir_bytes = strlen(dir);
		if (dir_bytes + sizeof host + 64 > sizeof s->path)
			return -ENAMETOOLONG;
		memcpy(at, dir, dir_bytes);
		at += dir_bytes;
		*at++ = '/';
		at = stpcpy(at, host);
		*at++ = '-';
		at = mempcpy(at, number, weft_fmt_u64(number, (uint64_t)getpid()));
		*at++ = '-';
		at = mempcpy(at, number, weft_fmt_u64(number, n));
		strcpy(at, ".stream");
		s->fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (s->fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* A descriptor of high number, out of the way of programs that expect the lowest ones. */
static void space_move_fd(struct rec_space *s)
{
	struct rlimit most;
	int low = getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur > 1024 ? 1000 : 200;
	int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, low);
	if (fd < 0)
		return;
	close(s->fd);
	s->fd = fd;
}

int rec_space_open(struct rec_space *s, const char *dir, enum rec_mode mode, uint64_t limit_bytes)
{
	struct stat st;
	s->mode = mode;
	uint64_t limit = limit_bytes >> REC_PAGE_SHIFT;
	s->limit_pages = mode == REC_KEEP ? 0 : limit < 2 * REC_FIRST_PAGES ? 2 * REC_FIRST_PAGES : limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit;
	/* Small rings have small chunks, so that some threads can share them. */
	s->chunk_pages = mode == REC_RING && limit < 32 * REC_CHUNK_PAGES ? space_power_below(s->limit_pages / 16) : REC_CHUNK_PAGES;
	int rc = space_queues(s);
	if (rc == 0)
		rc = space_create(s, dir);
	if (rc)
		return rc;
	space_move_fd(s);
	if (fstat(s->fd, &st)) {
		rc = -errno;
		goto out;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	rc = space_reserve(s, 0, REC_FIRST_PAGES);
	if (rc == 0)
		rc = space_map_first(s);
out:
	if (rc) {
		close(s->fd);
		unlink(s->path);
		return rc;
	}
	weft_store_u64(&s->pages, REC_FIRST_PAGES);
	weft_store_u64(&s->meta_pages, 1);
	rec_space_rest(s, (struct rec_range){1, REC_FIRST_PAGES - 1});
	return 0;
}

/* ---- Ranges ---- */

/* Doubles the file until it grows by whole chunks: every range is aligned to its size, none crosses a segment's end. */
static uint32_t space_step(const struct rec_space *s, uint64_t pages)
{
	uint64_t n = pages < REC_CHUNK_PAGES ? pages : REC_CHUNK_PAGES;
	return n > s->chunk_pages ? s->chunk_pages : (uint32_t)n;
}

int rec_space_grow(struct rec_space *s, bool touch, bool meta, struct rec_range *out)
{
	uint64_t pages = weft_load_u64(&s->pages);
	uint32_t n;
	do {
		int failed = (int)weft_load_u32(&s->failed);
		if (failed)
			return -failed;
		n = space_step(s, pages);
		if (s->limit_pages && !meta && pages + n > s->limit_pages + weft_load_u64(&s->meta_pages))
			return -ENOSPC;
		if (pages + n > UINT32_MAX)
			return -EFBIG;
	} while (!weft_cas_u64(&s->pages, &pages, pages + n));
	struct rec_range r = {(uint32_t)pages, n};
	int rc = space_map(s, r.first);
	if (rc == 0)
		rc = space_reserve(s, r.first, r.n);
	if (rc) {
		weft_store_u32(&s->failed, (uint32_t)-rc);
		return rc;
	}
	if (touch)
		space_touch(s, r);
	*out = r;
	return 0;
}

static bool space_pop(struct weft_queue *q, struct rec_range *out)
{
	uint64_t w;
	if (!weft_queue_pop(q, &w))
		return false;
	*out = rec_range_of(w);
	return true;
}

/*
 * Parts that are left over first, then what the helper has prepared. Without either the file grows in the caller; and when
 * it may not, a ring gives its oldest range.
 */
int rec_space_take(struct rec_space *s, bool one, bool meta, struct rec_range *out)
{
	if (!space_pop(&s->rests, out)) {
		if (space_pop(&s->ready, out)) {
			rec_helper_wake();
		} else {
			int rc = rec_space_grow(s, !one, meta, out);
			if (rc == 0) {
				weft_add_u32(&s->missed, 1);
				rec_helper_wake();
			} else if (s->mode != REC_RING || (!space_pop(&s->old, out) && !space_pop(&s->retired, out))) {
				return rc;
			}
		}
	}
	if (one && out->n > 1) {
		rec_space_rest(s, (struct rec_range){out->first + 1, out->n - 1});
		out->n = 1;
	}
	if (meta)
		weft_add_u64(&s->meta_pages, out->n);
	return 0;
}

void rec_space_rest(struct rec_space *s, struct rec_range r)
{
	/* When the queue is full the pages stay unused: a gap of zeros in the file. */
	if (r.n)
		(void)weft_queue_push(&s->rests, rec_range_word(r));
}

void rec_space_retire(struct rec_space *s, struct rec_range r)
{
	if (r.n && !weft_queue_push(&s->retired, rec_range_word(r)))
		rec_space_seal(s, r, UINT32_MAX);
}

/* ---- Pages ---- */

/*
 * In an order that makes the page readable, as the old one, as an empty one or as the new one, at every instant; and that shows
 * in its head, to whoever copies it meanwhile, before its records change.
 */
void rec_page_begin(struct weft_page *p, unsigned type, uint32_t thread, uint32_t seq, uint64_t base, bool stale)
{
	typedef uint64_t pair __attribute__((vector_size(16), may_alias));
	pair name = {WEFT_PAGE_MAGIC | (uint64_t)type << 32, rec_pair(thread, seq)};
	if (stale) {
		__atomic_store_n(&p->flags, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&p->word[0], 0, __ATOMIC_RELEASE);
	}
	*(volatile pair *)p = name; /* one instruction: magic and thread appear together */
	__atomic_store_n(&p->base, base, __ATOMIC_RELEASE);
	__atomic_store_n((uint64_t *)&p->used, 0, __ATOMIC_RELEASE);
	/* Also when it is zero already: the lines come into the cache, all at once. */
	memset(&p->word[1], 0, sizeof p->word - sizeof p->word[0]);
	__atomic_signal_fence(__ATOMIC_RELEASE);
}

void rec_space_seal(struct rec_space *s, struct rec_range r, uint32_t but_from)
{
	for (uint32_t i = r.first; i < r.first + r.n && i < but_from; i++) {
		struct weft_page *p = rec_space_page(s, i);
		if (p->magic == WEFT_PAGE_MAGIC && p->used >= WEFT_PAGE_HEAD && p->used <= WEFT_PAGE_BYTES && !(p->flags & WEFT_PAGE_SEALED))
			weft_page_seal(p, p->used);
	}
}

bool rec_space_seal_one(struct rec_space *s)
{
	struct rec_range r;
	if (!space_pop(&s->retired, &r))
		return false;
	rec_space_seal(s, r, UINT32_MAX);
	if (s->mode == REC_RING)
		(void)weft_queue_push(&s->old, rec_range_word(r));
	else
		(void)madvise(rec_space_page(s, r.first), r.n * PAGE, MADV_DONTNEED); /* it stays in the file; only our view goes */
	return true;
}

uint32_t rec_space_ready(const struct rec_space *s)
{
	uint64_t head = weft_load_u64(&s->ready.head), tail = weft_load_u64(&s->ready.tail);
	return tail > head ? (uint32_t)(tail - head) : 0;
}

/* ---- The end ---- */

static void space_punch(struct rec_space *s, int fd, struct rec_range r)
{
	(void)s;
	(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)r.first << REC_PAGE_SHIFT, (off_t)r.n << REC_PAGE_SHIFT);
}

/*
 * Free ranges that were never written (in a ring those in `rests` may have been: they stay). At the end of the file they are cut
 * off, elsewhere they become holes.
 */
void rec_space_trim(struct rec_space *s)
{
	struct rec_range r;
	uint64_t end = weft_load_u64(&s->pages);
	struct rec_range *free = rec_mmap((READY_CELLS + RESTS_CELLS) * sizeof *free);
	uint32_t n = 0;
	int fd = space_fd(s);
	if (!free || fd < 0)
		return;
	while (n < READY_CELLS && space_pop(&s->ready, &r))
		free[n++] = r;
	if (s->mode != REC_RING)
		while (n < READY_CELLS + RESTS_CELLS && space_pop(&s->rests, &r))
			free[n++] = r;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < n; i++)
			if (free[i].n && free[i].first + free[i].n == end) {
				end = free[i].first;
				free[i].n = 0;
				again = true;
			}
	}
	for (uint32_t i = 0; i < n; i++)
		if (free[i].n)
			space_punch(s, fd, free[i]);
	(void)!ftruncate(fd, (off_t)end << REC_PAGE_SHIFT);
	munmap(free, (READY_CELLS + RESTS_CELLS) * sizeof *free);
}

/* ---- After a fork ---- */

void rec_space_close_fd(struct rec_space *s)
{
	if (space_fd_is_ours(s, s->fd))
		close(s->fd);
	s->fd = -1;
}

static void space_make_private(char *at, size_t bytes)
{
	void *got = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (got == MAP_FAILED)
		munmap(at, bytes); /* a crash of this child rather than a write to the parent's trace */
}

static void space_forget_segment(struct rec_space *s, char *at, uint32_t first, const struct rec_range *keep, unsigned n_keep)
{
	uint32_t pages = 1u << s->segment_shift, gone = 0;
	/* Kept ranges in the order of their addresses; there are two at most. */
	unsigned low = n_keep == 2 && keep[1].first < keep[0].first;
	for (unsigned i = 0; i < n_keep; i++) {
		struct rec_range k = keep[i ^ low];
		if (!k.n || k.first - first >= pages)
			continue;
		uint32_t from = k.first - first;
		if (from > gone)
			munmap(at + gone * PAGE, (from - gone) * PAGE);
		space_make_private(at + from * PAGE, k.n * PAGE);
		gone = from + k.n;
	}
	if (gone < pages)
		munmap(at + gone * PAGE, (pages - gone) * PAGE);
}

void rec_space_forget(struct rec_space *s, const struct rec_range *keep, unsigned n_keep, bool all)
{
	for (uint32_t i = 0; i < REC_SEGMENTS; i++) {
		char *at = weft_load_ptr(&s->segment[i]);
		if (!at)
			continue;
		if (all)
			space_make_private(at, PAGE << s->segment_shift);
		else
			space_forget_segment(s, at, i << s->segment_shift, keep, n_keep);
	}
}
