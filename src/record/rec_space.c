/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a stream file, and who may write them.
 *
 *     grow --> ready --> a thread's range --> its range before --+-- keep: retired --> sealed, copied to the archive, emptied --> ready
 *                  \______ rests: what is less than half a chunk _/ +-- ring: old --> a thread's range
 *
 * A range of pages belongs to exactly one place of this drawing; queues move it, so there is no table of owners. Threads write to
 * few pages again and again, which stay in the caches and never fault; what they have finished is copied to its final place in
 * the file (the archive, rec_archive.c), where nobody maps it. To record into a mapping that grows with the file would be simpler,
 * but touching a page of a mapped file for the first time costs 2 to 4 microseconds, and copying one 0.1.
 *
 * The mapped part grows by a chunk at a time (the file doubles until a chunk is 64 pages): its space is reserved on the disk before
 * anybody writes to it, since a store to a mapped page without space would kill the program with SIGBUS. The file is mapped in
 * large segments, once, beyond its end; pages never move. Who cuts the file off ends the recording, and not the program
 * (guard.h).
 *
 * A range is retired only when its thread has left the next one too, or has ended: a record that was interrupted in the middle by
 * a signal handler, which then filled the rest of the range, is still complete before anybody reads the page to seal it.
 *
 * take, rest and retire may be called by any thread at any time, also in signal handlers.
 */
#include "rec_priv.h"
#include "guard.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE ((size_t)WEFT_PAGE_BYTES)
#define READY_CELLS 256u
#define RESTS_CELLS 1024u
#define RESTS_MANY 64u
#define RETIRED_CELLS 1024u
#define FREE_MOST (READY_CELLS + RESTS_CELLS + 2u)
#define ARCHIVE_LARGE 1024u    /* pages: 4 MiB */
#define SEGMENT_SHIFT_MOST 18u /* 1 GiB */
#define SEGMENT_SHIFT_LEAST 8u /* 1 MiB */

/* ---- The file and its mapping ---- */

/* The descriptor may have been closed by the program, and its number be in use for a file of its own. */
static bool space_fd_is_ours(const struct rec_space *s, int fd)
{
	struct stat st;
	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino;
}

bool rec_space_ours(const struct rec_space *s)
{
	return weft_load_u32(&rec.wiped->owner) == s->owner;
}

bool rec_space_fd_holds(const struct rec_space *s, int fd)
{
	return rec_self.own_fd || space_fd_is_ours(s, fd);
}

int rec_space_fd(struct rec_space *s)
{
	if (!rec_space_ours(s))
		return -EBADF;
	if (rec_self.own_fd)
		return rec_self.own_fd;
	int fd = weft_load_i32(&s->fd);
	if (space_fd_is_ours(s, fd))
		return fd;
	fd = weft_fd_high(open(s->path, O_RDWR | O_CLOEXEC));
	if (space_fd_is_ours(s, fd)) {
		weft_store_i32(&s->fd, fd);
		return fd;
	}
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

/* mapped: it will be written through the mapping, so it must be there whatever the file system can do. */
static int space_reserve(struct rec_space *s, struct rec_range r, bool mapped)
{
	struct rlimit most;
	off_t from = (off_t)r.first << REC_PAGE_SHIFT, bytes = (off_t)r.n << REC_PAGE_SHIFT;
	/* Growing beyond this limit would raise SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && (rlim_t)(from + bytes) > most.rlim_cur)
		return -EFBIG;
	for (;;) {
		int fd = rec_space_fd(s);
		if (fd < 0)
			return fd;
		int rc = fallocate(fd, 0, from, bytes) ? -errno : 0;
		if (rc == -EOPNOTSUPP)
			rc = mapped ? space_write_zeros(fd, from, (size_t)bytes) : 0;
		/* Unless it was interrupted, or the descriptor was pulled from under us. */
		if (rc != -EINTR && rec_space_fd_holds(s, fd))
			return rc;
	}
}

static int space_map(struct rec_space *s, uint32_t page)
{
	uint32_t i = page >> s->segment_shift;
	if (i >= REC_SEGMENTS)
		return -EFBIG;
	if (weft_load_ptr(&s->segment[i]))
		return 0;
	int fd = rec_space_fd(s);
	if (fd < 0)
		return fd;
	size_t bytes = PAGE << s->segment_shift;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)i * (off_t)bytes), *found = NULL;
	if (at == MAP_FAILED)
		return -errno;
	(void)madvise(at, bytes, MADV_DONTDUMP);
	if (!weft_cas_ptr(&s->segment[i], &found, at))
		munmap(at, bytes);
	else
		(void)weft_guard_add(at, bytes, &s->failed);
	return 0;
}

/* The address range may be limited (ulimit -v): then smaller segments, and more of them, so that the program has what it needs. */
static int space_map_first(struct rec_space *s)
{
	size_t most = rec_reserve_most(PAGE << SEGMENT_SHIFT_MOST);
	int rc = -ENOMEM;
	for (s->segment_shift = SEGMENT_SHIFT_MOST; s->segment_shift >= SEGMENT_SHIFT_LEAST; s->segment_shift -= 2) {
		if (PAGE << s->segment_shift > most && s->segment_shift > SEGMENT_SHIFT_LEAST)
			continue;
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

uint32_t rec_space_pages(struct rec_space *s)
{
	struct stat st;
	int fd = rec_space_fd(s);
	return fd >= 0 && fstat(fd, &st) == 0 ? (uint32_t)(st.st_size >> REC_PAGE_SHIFT) : 0;
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

/* Queues in one mapping. In a ring, more cells than it has pages, so that no range ever gets lost. */
static int space_queues(struct rec_space *s)
{
	size_t most = RETIRED_CELLS;
	if (s->mode == REC_RING)
		while (most < s->limit_pages + (uint64_t)RETIRED_CELLS)
			most *= 2;
	struct {
		struct weft_queue *queue;
		size_t cells;
	} all[] = {{&s->ready, READY_CELLS},
	           {&s->rests, s->mode == REC_RING ? most : RESTS_CELLS},
	           {&s->retired, most},
	           {&s->old, most}};
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
		int fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return weft_fd_high(fd);
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/*
 * What had that name before goes; not while its process records, whose lock goes with its last descriptor: then ours has the process's
 * number behind its name.
 */
static int space_create_named(struct rec_space *s, const char *file)
{
	char number[20];
	struct stat st;
	size_t n = strlen(file);
	if (n + 1 + sizeof number >= sizeof s->path)
		return -ENAMETOOLONG;
	memcpy(s->path, file, n + 1);
	for (int tries = 0; tries < 16; tries++) {
		int old = open(s->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (old >= 0 && fstat(old, &st) == 0 && S_ISREG(st.st_mode)) {
			if (flock(old, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
				size_t digits = weft_fmt_u64(number, (uint64_t)getpid());
				s->path[n] = '-';
				memcpy(s->path + n + 1, number, digits);
				s->path[n + 1 + digits] = 0;
			} else if (unlink(s->path)) {
				int e = errno;
				close(old);
				return -e;
			}
		}
		if (old >= 0)
			close(old);
		int fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0) {
			(void)flock(fd, LOCK_EX | LOCK_NB); /* where it cannot be, the last one has the name */
			return weft_fd_high(fd);
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int rec_space_open(struct rec_space *s, const char *dir, enum rec_mode mode, uint64_t limit_bytes)
{
	struct stat st;
	s->owner = weft_load_u32(&rec.wiped->owner);
	s->mode = mode;
	uint64_t limit = limit_bytes >> REC_PAGE_SHIFT;
	s->limit_pages = mode == REC_KEEP              ? 0
	                 : limit < 2 * REC_FIRST_PAGES ? 2 * REC_FIRST_PAGES
	                 : limit > UINT32_MAX          ? UINT32_MAX
	                                               : (uint32_t)limit;
	/* Small rings have small chunks, so that some threads can share them. */
	s->chunk_pages = mode == REC_RING && limit < 32 * REC_CHUNK_PAGES ? space_power_below(s->limit_pages / 16)
	                                                                  : REC_CHUNK_PAGES;
	int rc = space_queues(s);
	int fd = rc ? rc : rec.one_file ? space_create_named(s, dir) : space_create(s, dir);
	if (fd < 0)
		return fd;
	weft_store_i32(&s->fd, fd);
	if (fstat(fd, &st)) {
		rc = -errno;
		goto out;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	rc = space_reserve(s, (struct rec_range){0, REC_FIRST_PAGES}, true);
	if (rc == 0)
		rc = space_map_first(s);
out:
	if (rc) {
		close(fd);
		unlink(s->path);
		return rc;
	}
	weft_store_u64(&s->pages, REC_FIRST_PAGES);
	weft_store_u64(&s->meta_pages, 1);
	rec_space_free(s, (struct rec_range){1, REC_FIRST_PAGES - 1});
	return 0;
}

/* ---- Ranges ---- */

void rec_space_adopt(struct rec_space *s, struct rec_range r)
{
	/* Where fallocate is not supported, nothing is reserved for the archive: a store there would raise SIGBUS. */
	if (space_map(s, r.first) == 0 && space_reserve(s, r, true) == 0)
		rec_space_free(s, r);
}

/* Doubles the file until it grows by whole chunks: every range is aligned to its size, none crosses a segment's end. */
static uint32_t space_step(const struct rec_space *s, uint64_t pages)
{
	uint64_t n = pages < REC_CHUNK_PAGES ? pages : REC_CHUNK_PAGES;
	return n > s->chunk_pages ? s->chunk_pages : (uint32_t)n;
}

/* A range at the end of the file, of n pages (0: as the file doubles), for its caller to reserve. */
static int space_extend(struct rec_space *s, uint32_t want, bool meta, struct rec_range *out)
{
	uint64_t pages = weft_load_u64(&s->pages);
	uint32_t n;
	do {
		int failed = (int)weft_load_u32(&s->failed);
		if (failed)
			return -failed;
		n = want ? want : space_step(s, pages);
		if (s->limit_pages && !meta) {
			/* The last piece may be smaller: nothing comes after it, so it upsets no alignment. */
			uint64_t most = s->limit_pages + weft_load_u64(&s->meta_pages);
			if (pages >= most)
				return -ENOSPC;
			n = most - pages < n ? (uint32_t)(most - pages) : n;
		}
		if (pages + n > UINT32_MAX)
			return -EFBIG;
	} while (!weft_cas_u64(&s->pages, &pages, pages + n));
	*out = (struct rec_range){(uint32_t)pages, n};
	return 0;
}

int rec_space_grow(struct rec_space *s, bool touch, bool meta, struct rec_range *out)
{
	struct rec_range r;
	int rc = space_extend(s, 0, meta, &r);
	if (rc)
		return rc;
	rc = space_map(s, r.first);
	if (rc == 0)
		rc = space_reserve(s, r, true);
	if (rc) {
		weft_store_u32(&s->failed, (uint32_t)-rc);
		return rc;
	}
	if (touch)
		space_touch(s, r);
	*out = r;
	return 0;
}

int rec_space_grow_archive(struct rec_space *s, struct rec_range *out)
{
	/* Reserving has a price by the call: larger pieces once it is clear that much is coming. */
	uint32_t n = s->limit_pages || weft_load_u64(&s->pages) < ARCHIVE_LARGE ? s->chunk_pages : ARCHIVE_LARGE;
	int rc = space_extend(s, n, false, out);
	if (rc == 0 && (rc = space_reserve(s, *out, false)) != 0)
		weft_store_u32(&s->failed, (uint32_t)-rc);
	return rc;
}

static uint32_t space_queued(const struct weft_queue *q)
{
	uint64_t head = weft_load_u64(&q->head), tail = weft_load_u64(&q->tail);
	return tail > head ? (uint32_t)(tail - head) : 0;
}

static bool range_push(struct weft_queue *q, struct rec_range r)
{
	return weft_queue_push(q, (uint64_t)r.n << 32 | r.first);
}

static struct rec_range range_of_value(uint64_t value)
{
	return (struct rec_range){(uint32_t)value, (uint32_t)(value >> 32)};
}
_Static_assert((uint64_t)ARCHIVE_LARGE << 32 <= WEFT_QUEUE_VALUE_MAX, "the largest range must fit a value of the queues");

static bool range_pop(struct weft_queue *q, struct rec_range *out)
{
	uint64_t value;
	if (!weft_queue_pop(q, &value))
		return false;
	*out = range_of_value(value);
	return true;
}

/* What says whose page it is, as one word: no two pages of a stream have the same but 0, "nobody's". */
static struct weft_atomic_u64 *page_owner(struct weft_page *p)
{
	return (struct weft_atomic_u64 *)&p->thread;
}

/* False: somebody has taken the range meanwhile, or this is a child. */
static bool space_disown(struct rec_space *s, const struct weft_queue_front *f)
{
	struct rec_range r = range_of_value(f->value);
	for (uint32_t i = r.first; i < r.first + r.n; i++) {
		struct weft_atomic_u64 *owner = page_owner(rec_space_page(s, i));
		uint64_t was = weft_load_u64(owner);
		if (!weft_queue_still(&s->old, f) || !rec_space_ours(s))
			return false;
		(void)weft_cas_u64(owner, &was, 0);
	}
	return true;
}

/*
 * The oldest range of a ring. What it holds must be gone, page by page from the oldest on, before the next range is taken: else a kill
 * could leave a thread an older range without a newer one. And it must not matter whether a thread is stopped in the middle. So a
 * range is emptied while it is still in the queue, by all that want it; who comes late finds other owners in the pages, and fails.
 */
static bool space_take_oldest(struct rec_space *s, struct rec_range *out)
{
	struct weft_queue_front f;
	do {
		if (!rec_space_ours(s) || !weft_queue_look(&s->old, &f))
			return false;
	} while (!space_disown(s, &f) || !weft_queue_take(&s->old, &f));
	*out = range_of_value(f.value);
	return true;
}

/*
 * What shall be divided comes from small ranges, if there are any. So does a chunk once they are many: the file need not grow for it,
 * and the queue never gets full, which would lose pages.
 */
static bool space_take_free(struct rec_space *s, bool one, struct rec_range *out)
{
	bool small = one || space_queued(&s->rests) > RESTS_MANY;
	return range_pop(small ? &s->rests : &s->ready, out) || range_pop(small ? &s->ready : &s->rests, out);
}

/* The first page of the range that is being divided: pages taken one after the other lie together, and become one range again. */
static bool space_take_single(struct rec_space *s, struct rec_range *out)
{
	uint64_t word = weft_load_u64(&s->singles);
	struct rec_range have;
	do {
		have = rec_range_of(word);
		if (!have.n)
			return false;
	} while (!weft_cas_u64(&s->singles, &word, rec_range_word((struct rec_range){have.first + 1, have.n - 1})));
	*out = (struct rec_range){have.first, 1};
	return true;
}

/* Leaves the first page; the others are the next singles. */
static void space_divide(struct rec_space *s, struct rec_range *r)
{
	struct rec_range others = {r->first + 1, r->n - 1};
	if (others.n)
		rec_space_free(s, rec_range_of(weft_swap_u64(&s->singles, rec_range_word(others))));
	r->n = 1;
}

/* The file cannot grow any more: what was set apart for the archive is the last that there is. */
static bool space_take_last(struct rec_space *s, bool one, struct rec_range *out)
{
	struct rec_range r = rec_range_of(weft_swap_u64(&s->archive, 0));
	if (!r.n)
		return false;
	rec_space_adopt(s, r);
	return space_take_free(s, one, out);
}

static int space_take_more(struct rec_space *s, bool one, bool meta, struct rec_range *out)
{
	weft_add_u32(&s->missed, 1);
	/* Less than a chunk is not worth the call. */
	bool worth = s->mode != REC_RING && weft_load_u64(&s->retired_pages) >= s->chunk_pages;
	if (worth && rec_archive_some(s) && space_take_free(s, one, out))
		return 0;
	int rc = rec_space_grow(s, !one, meta, out);
	if (!rc)
		return 0;
	bool found = s->mode == REC_RING ? space_take_oldest(s, out) : space_take_last(s, one, out);
	return found ? 0 : rc;
}

/*
 * What is free; else, when finished pages wait for the archive, they are brought there by this thread; else the file grows; and
 * when it may not, a ring gives its oldest range.
 */
int rec_space_take(struct rec_space *s, bool one, bool meta, struct rec_range *out)
{
	bool found = (one && space_take_single(s, out)) || space_take_free(s, one, out);
	int rc = found ? 0 : space_take_more(s, one, meta, out);
	if (rc)
		return rc;
	if (one)
		space_divide(s, out);
	if (meta)
		weft_add_u64(&s->meta_pages, out->n);
	return 0;
}

/* Half a chunk serves as one, so that the next thread goes on where the last one stopped, and the file need not grow. */
void rec_space_free(struct rec_space *s, struct rec_range r)
{
	if (!r.n || (r.n >= (s->chunk_pages + 1) / 2 && range_push(&s->ready, r)))
		return;
	/* When this queue is full the pages stay unused: a gap of zeros in the file. */
	(void)range_push(&s->rests, r);
}

bool rec_space_join(const struct rec_space *s, struct rec_range *r, struct rec_range next)
{
	bool apart = next.first != r->first + r->n || (r->first ^ next.first) >> s->segment_shift;
	if (!apart)
		r->n += next.n;
	return !apart;
}

void rec_space_retire(struct rec_space *s, struct rec_range r)
{
	if (!r.n)
		return;
	if (s->mode == REC_RING) {
		(void)range_push(&s->old, r); /* which has room for all that there can be */
		return;
	}
	weft_add_u64(&s->retired_pages, r.n);
	/* When the queue is full it stays where it is. */
	if (!range_push(&s->retired, r)) {
		weft_add_u64(&s->retired_pages, -(uint64_t)r.n);
		rec_archive_seal(s, r, UINT32_MAX);
	}
}

bool rec_space_retired(struct rec_space *s, struct rec_range *out)
{
	if (s->mode == REC_RING)
		return range_pop(&s->old, out);
	if (!range_pop(&s->retired, out))
		return false;
	weft_add_u64(&s->retired_pages, -(uint64_t)out->n);
	return true;
}

/* ---- Pages ---- */

static struct weft_atomic_u64 *page_magic(struct weft_page *p)
{
	return (struct weft_atomic_u64 *)&p->magic;
}

/* All but the magic, by lines of the cache, each after a look: a child must not clear what its parent has written since. */
static bool page_clear(const struct rec_space *s, struct weft_page *p)
{
	weft_store_u64(page_owner(p), 0);
	memset(&p->base, 0, (size_t)WEFT_CACHE_LINE - offsetof(struct weft_page, base));
	for (char *at = (char *)p + WEFT_CACHE_LINE, *end = (char *)(p + 1); at < end; at += WEFT_CACHE_LINE) {
		if (!rec_space_ours(s))
			return false;
		memset(at, 0, WEFT_CACHE_LINE);
	}
	return rec_space_ours(s);
}

/*
 * A page of zeros. First it is unsealed, since its checksum does not hold any more when, next, its records go; its magic goes
 * last: whoever finds none need not clear the page.
 * Better where its lines are in the cache anyway, after the copy to the archive, than by the thread that gets it.
 */
bool rec_page_empty(const struct rec_space *s, struct weft_page *p)
{
	if (!rec_space_ours(s))
		return false;
	__atomic_store_n(&p->flags, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&p->word[0], 0, __ATOMIC_RELEASE);
	if (!page_clear(s, p))
		return false;
	weft_store_u64(page_magic(p), 0);
	return true;
}

/*
 * The page may hold an older one. First it is nobody's, last it is its new owner's; it is readable, as the old, as none or as the new
 * one, at every instant; and whoever copies it meanwhile sees its head change before its records do.
 */
bool rec_page_begin(const struct rec_space *s, struct weft_page *p, struct rec_page_name name)
{
	/* A write that changes nothing: a first touch takes long, and signals like to come at its end, where we then look. */
	uint64_t none = 0;
	(void)weft_cas_u64(page_owner(p), &none, none);
	if (!rec_space_ours(s))
		return false;
	bool clean = weft_load_u64(page_magic(p)) == 0;
	__atomic_store_n(&p->word[0], 0, __ATOMIC_RELEASE);
	weft_store_u64(page_owner(p), 0);
	weft_store_u64(page_magic(p),
	               WEFT_PAGE_MAGIC | (uint64_t)name.type << 32); /* not sealed: its checksum need not hold any more */
	if (!clean && !page_clear(s, p))
		return false;
	__atomic_store_n(&p->base, name.base, __ATOMIC_RELEASE);
	weft_store_u64(page_owner(p), rec_pair(name.thread, name.seq));
	return true;
}

uint32_t rec_space_ready(const struct rec_space *s)
{
	return space_queued(&s->ready) + (uint32_t)(weft_load_u64(&s->retired_pages) / s->chunk_pages);
}

/* ---- The end ---- */

static void space_punch(int fd, struct rec_range r)
{
	(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)r.first << REC_PAGE_SHIFT,
	                (off_t)r.n << REC_PAGE_SHIFT);
}

/* Free ranges at the end of the file are cut off, elsewhere they become holes. */
void rec_space_trim(struct rec_space *s)
{
	struct rec_range r;
	uint32_t pages = rec_space_pages(s), end = pages, n = 0;
	struct rec_range *free = rec_mmap(FREE_MOST * sizeof *free);
	int fd = rec_space_fd(s);
	if (!free || fd < 0)
		return;
	struct weft_atomic_u64 *word[] = {&s->archive, &s->singles};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
		r = rec_range_of(weft_swap_u64(word[i], 0));
		if (r.n)
			free[n++] = r;
	}
	while (n < FREE_MOST && range_pop(&s->ready, &r))
		free[n++] = r;
	while (n < FREE_MOST && range_pop(&s->rests, &r))
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
			space_punch(fd, free[i]);
	if (end < pages)
		(void)!ftruncate(fd, (off_t)end << REC_PAGE_SHIFT);
	munmap(free, FREE_MOST * sizeof *free);
}

/* ---- After a fork ---- */

void rec_space_close_fd(struct rec_space *s)
{
	int fd = weft_swap_i32(&s->fd, -1);
	if (space_fd_is_ours(s, fd))
		close(fd);
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
		weft_guard_remove(at);
		if (all)
			space_make_private(at, PAGE << s->segment_shift);
		else
			space_forget_segment(s, at, i << s->segment_shift, keep, n_keep);
	}
}
