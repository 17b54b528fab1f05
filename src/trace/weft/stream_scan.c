/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass over a stream: only the heads of its pages (32 bytes each), from which come runs of pages. A page that does not
 * continue the run before it is read whole and checked, so that a flipped bit in a head invents no thread; the others are
 * checked when they are decoded. Neighbouring bad pages are one problem.
 *
 * Reading each head costs more than copying the whole file, so a run's end is guessed (the last run's length, else by doubling
 * and halving) and what lies between two pages that belong to it is not looked at: skimming. A page that is something else
 * after all shows when it is decoded.
 */
#include "stream.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	struct stream *s;
	struct page_run bad; /* the stretch of bad pages that is open */
	const struct page_fault *bad_why;
	struct page_run last; /* copy of the run that the page before belongs to; n == 0: none */
	bool last_is_meta;
	uint32_t usual; /* pages that were skimmed in the run before */
};

static const struct page_fault fault_magic = {"page-magic", "no page (magic number)"},
			       fault_crc = {"page-checksum", "checksum differs"},
			       fault_head = {"page-header", "impossible page header"},
			       fault_read = {"page-unreadable", "cannot be read"};

const struct page_fault *stream_page_fault(const struct weft_page *p)
{
	if (p->magic != WEFT_PAGE_MAGIC)
		return &fault_magic;
	if (p->flags & WEFT_PAGE_SEALED && p->used >= WEFT_PAGE_HEAD && p->used <= WEFT_PAGE_BYTES && p->used % 8 == 0)
		return &fault_crc;
	return &fault_head;
}

static int end_bad(struct scan *c)
{
	struct page_run *b = &c->bad;
	if (!b->n)
		return 0;
	c->s->n_bad_pages += b->n;
	uint64_t offset = (uint64_t)b->page * WEFT_PAGE_BYTES, lost = (uint64_t)b->n * WEFT_PAGE_BYTES;
	char which[48];
	if (b->n == 1)
		snprintf(which, sizeof which, "page %u", b->page);
	else
		snprintf(which, sizeof which, "pages %u to %u", b->page, b->page + b->n - 1);
	int rc = stream_problem(c->s, c->bad_why->rule, offset, lost, "%s: %s; %llu bytes skipped", which, c->bad_why->text,
	                        (unsigned long long)lost);
	b->n = 0;
	return rc;
}

static int note_bad(struct scan *c, uint32_t page, const struct page_fault *why)
{
	int rc = 0;
	if (c->bad.n && (c->bad.page + c->bad.n != page || why != c->bad_why))
		rc = end_bad(c);
	if (!c->bad.n) {
		c->bad.page = page;
		c->bad_why = why;
	}
	c->bad.n++;
	return rc;
}

static bool continues(const struct scan *c, const struct weft_page *p)
{
	return c->last.n && c->last_is_meta == (p->type == WEFT_PAGE_META) && p->thread == c->last.thread &&
	       p->seq == c->last.seq + c->last.n;
}

static int add_page(struct scan *c, const struct weft_page *p, uint32_t page)
{
	struct stream *s = c->s;
	bool meta = p->type == WEFT_PAGE_META;
	if (continues(c, p) && c->last.page + c->last.n == page) {
		c->last.n++;
		if (meta)
			s->meta.at[s->meta.n - 1].n++;
		else
			s->run.at[s->run.n - 1].n++;
		return 0;
	}
	c->last = (struct page_run){p->thread, p->seq, page, 1};
	c->last_is_meta = meta;
	return meta ? weft_vec_push(&s->meta, c->last) : weft_vec_push(&s->run, c->last);
}

bool stream_page_continues(const struct weft_page *p, uint32_t thread, uint32_t seq)
{
	return p->magic == WEFT_PAGE_MAGIC && p->zero == 0 && p->flags == WEFT_PAGE_SEALED && p->type == WEFT_PAGE_EVENTS &&
	       p->thread && p->thread == thread && p->seq == seq;
}

/* Whether the page `ahead` of the last one that was scanned is of the same run, if those between are. */
static bool agrees(const struct scan *c, uint64_t ahead, struct weft_page *room)
{
	uint64_t page = (uint64_t)c->last.page + c->last.n - 1 + ahead;
	const struct weft_page *p = page > c->s->n_pages
	                                    ? NULL
	                                    : stream_bytes_at(&c->s->bytes, page * WEFT_PAGE_BYTES, WEFT_PAGE_HEAD, room);
	return p && stream_page_continues(p, c->last.thread, (uint32_t)(c->last.seq + c->last.n - 1 + ahead));
}

/* How many pages from here on seem to belong to the run of the last one that was scanned; they are added to it. */
static uint32_t skim_run(struct scan *c, struct weft_page *room)
{
	if (!c->last.n || c->last_is_meta || UINT32_MAX - c->last.seq < c->s->n_pages)
		return 0;
	bool is_usual = c->usual && agrees(c, c->usual, room); /* then the page behind these is looked at next, and tells more */
	uint64_t known = is_usual ? c->usual : 0, step = 1;
	while (!is_usual && agrees(c, known + step, room)) {
		known += step;
		step *= 2;
	}
	for (step /= 2; step; step /= 2)
		known += agrees(c, known + step, room) ? step : 0;
	c->last.n += (uint32_t)known;
	c->s->run.at[c->s->run.n - 1].n += (uint32_t)known;
	c->usual = known ? (uint32_t)known : c->usual;
	return (uint32_t)known;
}

/* bytes: of the page, which are read at first: its head, or all where it is hardly of the run before. */
static int scan_page(struct scan *c, uint32_t page, size_t bytes, struct weft_page *room)
{
	struct stream *s = c->s;
	uint64_t offset = (uint64_t)page * WEFT_PAGE_BYTES;
	const struct weft_page *p = stream_bytes_at(&s->bytes, offset, bytes, room);
	if (!p)
		return note_bad(c, page, &fault_read);
	if (continues(c, p) && stream_page_continues(p, c->last.thread, p->seq))
		return add_page(c, p, page);
	struct weft_page_walk w;
	if (bytes < WEFT_PAGE_BYTES)
		p = stream_bytes_at(&s->bytes, offset, WEFT_PAGE_BYTES, room);
	if (!p)
		return note_bad(c, page, &fault_read);
	enum weft_page_verdict v = weft_page_begin(&w, p, true);
	if (v == WEFT_PAGE_EMPTY) {
		s->n_unused_pages++;
		return 0;
	}
	if (v == WEFT_PAGE_BAD)
		return note_bad(c, page, stream_page_fault(p));
	if (v == WEFT_PAGE_OPEN && p->word[0] == 0)
		return 0; /* begun, nothing in it yet */
	return add_page(c, p, page);
}

static int by_thread_and_seq(const void *x, const void *y)
{
	const struct page_run *a = x, *b = y;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->page < b->page ? -1 : a->page > b->page;
}

static const struct weft_page *page_of_seq(struct stream *s, const struct page_run *kept, size_t n, uint32_t seq,
                                           struct weft_page *room)
{
	while (n > 0 && kept[n - 1].seq > seq)
		n--;
	uint64_t page = n ? (uint64_t)kept[n - 1].page + (seq - kept[n - 1].seq) : 0;
	return n ? stream_bytes_at(&s->bytes, page * WEFT_PAGE_BYTES, WEFT_PAGE_BYTES, room) : NULL;
}

/*
 * libweft copies finished pages to another place of the file before it uses theirs again: when the process was killed in between
 * they are there twice, with the same records to the last bit, though perhaps not sealed any more. That is no damage.
 */
static bool are_copies(struct stream *s, const struct page_run *kept, size_t n, const struct page_run *r, uint32_t twice)
{
	struct weft_page *room = malloc(2 * sizeof *room);
	bool same = room != NULL;
	for (uint32_t i = 0; same && i < twice; i++) {
		const struct weft_page *a = page_of_seq(s, kept, n, r->seq + i, &room[0]);
		const struct weft_page *b = stream_bytes_at(&s->bytes, (uint64_t)(r->page + i) * WEFT_PAGE_BYTES, WEFT_PAGE_BYTES,
		                                            &room[1]);
		same = a && b && a->base == b->base && memcmp(a->word, b->word, sizeof a->word) == 0;
	}
	free(room);
	return same;
}

/*
 * Pages that come twice are left out the second time; gaps are a problem, but in the events of a ring: there the old pages went,
 * and a thread that found no old range free took its own last one, and kept an older one.
 */
static int check_order(struct stream *s, struct page_run *run, size_t *n, bool ring)
{
	size_t kept = 0;
	int rc = 0;
	uint64_t bad_left = s->n_bad_pages;
	for (size_t i = 0; !rc && i < *n; i++) {
		struct page_run r = run[i];
		const struct page_run *last = kept && run[kept - 1].thread == r.thread ? &run[kept - 1] : NULL;
		uint64_t expect = last ? (uint64_t)last->seq + last->n : ring ? r.seq : 0;
		uint64_t offset = (uint64_t)r.page * WEFT_PAGE_BYTES;
		char whose[40] = "definitions";
		if (r.thread)
			snprintf(whose, sizeof whose, "thread %u", r.thread);
		if (r.seq < expect) {
			uint32_t twice = expect - r.seq < r.n ? (uint32_t)(expect - r.seq) : r.n;
			if (!are_copies(s, run, kept, &r, twice))
				rc = stream_problem(s, "page-twice", offset, (uint64_t)twice * WEFT_PAGE_BYTES,
				                    "page %u: %u pages of %s come twice; left out", r.page, twice, whose);
			r.seq += twice;
			r.page += twice;
			r.n -= twice;
			if (!r.n)
				continue;
		} else if (r.seq > expect && !(ring && r.thread)) {
			uint64_t missing = r.seq - expect, known = missing < bad_left ? missing : bad_left;
			bad_left -= known;
			s->n_missing_pages += missing;
			rc = stream_problem(s, "page-missing", offset, (missing - known) * WEFT_PAGE_BYTES,
			                    "page %u: before it, %llu pages of %s are missing", r.page,
			                    (unsigned long long)missing, whose);
		}
		run[kept++] = r;
	}
	*n = kept;
	return rc;
}

static int make_threads(struct stream *s)
{
	for (size_t i = 0; i < s->run.n; i++) {
		struct stream_thread *last = s->thread.n ? &s->thread.at[s->thread.n - 1] : NULL;
		if (last && last->number == s->run.at[i].thread) {
			last->n_runs++;
			continue;
		}
		struct stream_thread t = {.number = s->run.at[i].thread,
		                          .first_run = (uint32_t)i,
		                          .n_runs = 1,
		                          .row = WEFT_NONE,
		                          .tid = -1};
		if (weft_vec_push(&s->thread, t))
			return -ENOMEM;
	}
	return 0;
}

int stream_scan(struct stream *s, bool skim)
{
	struct scan c = {.s = s};
	struct weft_page *room = malloc(sizeof *room);
	uint64_t n = s->bytes.n / WEFT_PAGE_BYTES;
	int rc = !room ? -ENOMEM : n > UINT32_MAX ? -EFBIG : 0;
	s->n_pages = n ? n - 1 : 0;
	if (!rc && !s->head_good)
		rc = stream_problem(s, "header-damaged", 0, sizeof s->head,
		                    "the header is damaged; the pages are read without it");
	for (uint64_t page = 1; !rc && page < n; page++) {
		rc = scan_page(&c, (uint32_t)page, skim ? WEFT_PAGE_BYTES : WEFT_PAGE_HEAD, room);
		if (!rc && skim && c.last.page + c.last.n == page + 1)
			page += skim_run(&c, room);
	}
	if (!rc)
		rc = end_bad(&c);
	uint64_t rest = s->bytes.n % WEFT_PAGE_BYTES;
	if (!rc && rest && s->bytes.n > WEFT_PAGE_BYTES)
		rc = stream_problem(s, "file-end", s->bytes.n - rest, rest, "page %llu: the file ends inside it",
		                    (unsigned long long)n);
	free(room);
	if (rc)
		return rc;
	if (s->run.n)
		qsort(s->run.at, s->run.n, sizeof *s->run.at, by_thread_and_seq);
	if (s->meta.n)
		qsort(s->meta.at, s->meta.n, sizeof *s->meta.at, by_thread_and_seq);
	rc = check_order(s, s->meta.at, &s->meta.n, false);
	if (!rc)
		rc = check_order(s, s->run.at, &s->run.n, s->head.flags & WEFT_STREAM_RING);
	return rc ? rc : make_threads(s);
}
