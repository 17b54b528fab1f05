/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finished pages: sealed with their checksum, then copied to the archive, the unmapped part of the file; their place is free for
 * the next records. In a ring they stay where they are, and are sealed at the end of the process only.
 *
 *     file   | header | mapped: threads write here ... | archive ........ | mapped: more, when needed | archive ..... |
 *
 * A process that is killed between the copy and the emptying of the page leaves it twice; the reader takes one. Where the copy
 * cannot be made (no space, the size limit) the page stays where it is, and is not used again: nothing is lost, but soon no
 * thread finds a free range any more. By the helper, and by threads that find no free range.
 */
#include "rec_priv.h"
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define BATCH_RANGES 32u

/* As weft_page_seal does; but a child that a handler made while we computed leaves the page alone. False: it is not sealed now. */
static bool archive_seal_page(const struct rec_space *s, struct weft_page *p)
{
	uint32_t used = p->used;
	if (p->magic != WEFT_PAGE_MAGIC || used < WEFT_PAGE_HEAD || used > WEFT_PAGE_BYTES || (p->flags & WEFT_PAGE_SEALED))
		return false;
	uint32_t crc = weft_page_crc(p, used);
	if (!rec_space_ours(s))
		return false;
	p->crc = crc;
	__atomic_store_n(&p->flags, WEFT_PAGE_SEALED, __ATOMIC_RELEASE);
	return true;
}

void rec_archive_seal(struct rec_space *s, struct rec_range r, uint32_t but_from)
{
	for (uint32_t i = r.first; i < r.first + r.n && i < but_from; i++) {
		struct weft_page *p = rec_space_page(s, i);
		if (archive_seal_page(s, p))
			weft_add_u64(&s->sum, weft_page_mark(p, i));
	}
}

/* n pages that stand, or now stand, at the place `number`. */
static void archive_count(struct rec_space *s, const struct weft_page *p, uint32_t n, uint64_t number)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += weft_page_mark(&p[i], number + i);
	weft_add_u64(&s->sum, sum);
}

/* Up to n pages in a row of the archive. */
static int archive_place(struct rec_space *s, uint32_t n, struct rec_range *out)
{
	uint64_t word = weft_load_u64(&s->archive);
	for (;;) {
		struct rec_range have = rec_range_of(word), fresh;
		if (have.n) {
			uint32_t take = have.n < n ? have.n : n;
			if (!weft_cas_u64(&s->archive, &word,
			                  rec_range_word((struct rec_range){have.first + take, have.n - take})))
				continue;
			*out = (struct rec_range){have.first, take};
			return 0;
		}
		int rc = rec_space_grow_archive(s, &fresh);
		if (rc)
			return rc;
		/* Somebody else was faster: threads may write there. */
		if (!weft_cas_u64(&s->archive, &word, rec_range_word(fresh)))
			rec_space_adopt(s, fresh);
		word = weft_load_u64(&s->archive);
	}
}

static int archive_write_all(const struct rec_space *s, int fd, struct iovec *at, unsigned n, struct rec_range to)
{
	const struct iovec *end = at + n;
	off_t offset = (off_t)to.first << REC_PAGE_SHIFT;
	while (at < end) {
		/* Signals come at the end of system calls: here we may be in a child that a handler made since the last one. */
		if (!rec_space_ours(s))
			return -EBADF;
		ssize_t done = pwritev(fd, at, (int)(end - at), offset);
		if (done < 0 && errno != EINTR)
			return -errno;
		if (done <= 0)
			continue;
		offset += done;
		while (at < end && (size_t)done >= at->iov_len)
			done -= (ssize_t)at++->iov_len;
		if (done) {
			at->iov_base = (char *)at->iov_base + done;
			at->iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* A descriptor that the program closed, and perhaps used again, meanwhile, has taken our pages elsewhere: then once more. */
static int archive_write(struct rec_space *s, const struct iovec *part, unsigned n, struct rec_range to)
{
	struct iovec left[BATCH_RANGES];
	for (;;) {
		int fd = rec_space_fd(s);
		if (fd < 0)
			return fd;
		memcpy(left, part, n * sizeof *left);
		int rc = archive_write_all(s, fd, left, n, to);
		if (rec_space_fd_holds(s, fd))
			return rc;
	}
}

/* Takes `n` pages off the front of the ranges, as parts to write. */
static unsigned archive_parts(const struct rec_space *s, struct rec_range **range, uint32_t n, struct iovec *part)
{
	unsigned parts = 0;
	while (n) {
		struct rec_range *r = *range;
		uint32_t take = r->n < n ? r->n : n;
		part[parts++] = (struct iovec){rec_space_page(s, r->first), (size_t)take << REC_PAGE_SHIFT};
		r->first += take;
		r->n -= take;
		n -= take;
		if (!r->n)
			++*range;
	}
	return parts;
}

static void archive_count_parts(struct rec_space *s, const struct iovec *part, unsigned n, uint64_t number)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t pages = (uint32_t)(part[i].iov_len >> REC_PAGE_SHIFT);
		archive_count(s, part[i].iov_base, pages, number);
		number += pages;
	}
}

/* How many of the pages were copied: those at the front. */
static uint32_t archive_copy(struct rec_space *s, const struct rec_range *range, unsigned n, uint32_t pages)
{
	struct rec_range left[BATCH_RANGES], *at = left, to;
	struct iovec part[BATCH_RANGES];
	uint32_t copied = 0;
	int rc = 0;
	memcpy(left, range, n * sizeof *left);
	while (rc == 0 && copied < pages) {
		rc = archive_place(s, pages - copied, &to);
		if (rc)
			break;
		unsigned parts = archive_parts(s, &at, to.n, part);
		rc = archive_write(s, part, parts, to);
		if (rc == 0) {
			archive_count_parts(s, part, parts, to.first);
			copied += to.n;
		}
	}
	/* Of the size limit everybody learns where he reaches it. */
	if (rc && !s->limit_pages)
		weft_store_u32(&s->failed, (uint32_t)-rc);
	return copied;
}

void rec_archive_empty(const struct rec_space *s, struct rec_range r)
{
	for (uint32_t i = r.first; i < r.first + r.n; i++)
		if (!rec_page_empty(s, rec_space_page(s, i)))
			return;
}

static bool archive_ranges(struct rec_space *s, const struct rec_range *range, unsigned n, uint32_t pages)
{
	uint32_t copied = archive_copy(s, range, n, pages);
	bool any = copied > 0;
	for (unsigned i = 0; i < n; i++) {
		struct rec_range done = {range[i].first, range[i].n < copied ? range[i].n : copied};
		/* What was not copied stays. */
		if (done.n < range[i].n)
			archive_count(s, rec_space_page(s, done.first + done.n), range[i].n - done.n, done.first + done.n);
		rec_archive_empty(s, done);
		rec_space_free(s, done);
		copied -= done.n;
	}
	return any;
}

/* Into its place by address. */
static void archive_insert(struct rec_range *range, unsigned n, struct rec_range r)
{
	while (n && range[n - 1].first > r.first) {
		range[n] = range[n - 1];
		n--;
	}
	range[n] = r;
}

/* Ranges that lie side by side become one: threads divide them, and nothing else makes them larger again. How many are left. */
static unsigned archive_join(const struct rec_space *s, struct rec_range *range, unsigned n)
{
	unsigned left = 0;
	for (unsigned i = 0; i < n; i++)
		if (!left || !rec_space_join(s, &range[left - 1], range[i]))
			range[left++] = range[i];
	return left;
}

bool rec_archive_some(struct rec_space *s)
{
	struct rec_range range[BATCH_RANGES], r;
	unsigned n = 0;
	uint32_t pages = 0;
	if (s->mode == REC_RING)
		return false;
	while (n < BATCH_RANGES && pages < s->chunk_pages && rec_space_retired(s, &r)) {
		for (uint32_t i = r.first; i < r.first + r.n; i++)
			(void)archive_seal_page(s, rec_space_page(s, i));
		archive_insert(range, n++, r);
		pages += r.n;
	}
	return archive_ranges(s, range, archive_join(s, range, n), pages);
}
