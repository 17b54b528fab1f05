/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether all is there that was written: a stream that was closed says how many pages it had and what they add up to, and the stream
 * of `weft record` says which others there were. Nothing can be said of streams that were not closed, or by a writer before 1.2.
 */
#include "format/crc.h"
#include "stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_closed(const struct stream *s)
{
	return s->head_good && s->head.state == WEFT_STREAM_CLOSED && s->head.pages;
}

int stream_check_length(struct stream *s)
{
	uint64_t pages = s->bytes.n / WEFT_PAGE_BYTES, had = s->head.pages;
	if (!is_closed(s) || pages == had)
		return 0;
	uint64_t lost = pages < had ? (had - pages) * WEFT_PAGE_BYTES : 0;
	return stream_problem(s, "stream-length", pages * WEFT_PAGE_BYTES, lost, "has %llu of %llu pages: %s",
	                      (unsigned long long)pages, (unsigned long long)had,
	                      pages < had ? "the rest was cut off" : "something was appended");
}

int stream_check_sum(struct stream *s)
{
	uint64_t pages = s->bytes.n / WEFT_PAGE_BYTES;
	if (!is_closed(s) || !s->head.sum || pages != s->head.pages || s->n_bad_pages)
		return 0;
	uint64_t sum = weft_stream_sum_begin(&s->head);
	struct weft_page *room = malloc((size_t)STREAM_PIECE_PAGES * WEFT_PAGE_BYTES);
	if (!room)
		return -ENOMEM;
	for (uint64_t at = 1; at < pages; at += STREAM_PIECE_PAGES) {
		uint64_t n = pages - at < STREAM_PIECE_PAGES ? pages - at : STREAM_PIECE_PAGES;
		const struct weft_page *p = stream_bytes_at(&s->bytes, at * WEFT_PAGE_BYTES, n * WEFT_PAGE_BYTES, room);
		for (uint64_t i = 0; p && i < n; i++)
			sum += weft_page_mark(&p[i], at + i);
	}
	free(room);
	return sum == s->head.sum ? 0
	                          : stream_problem(s, "stream-checksum", 0, 0,
	                                           "is not what was written: pages are missing, or others in their place");
}

/* ---- the list ---- */

static const struct stream *stream_called(const struct stream_set *set, const char *name)
{
	for (size_t i = 0; i < set->at.n; i++)
		if (!strcmp(set->at.at[i]->name, name))
			return set->at.at[i];
	return NULL;
}

static bool of_other_run(const struct stream *a, const struct stream *b)
{
	static const uint8_t unknown[sizeof a->head.run_id];
	return a->head_good && b->head_good && memcmp(a->head.run_id, unknown, sizeof unknown) &&
	       memcmp(b->head.run_id, unknown, sizeof unknown) && memcmp(a->head.run_id, b->head.run_id, sizeof unknown);
}

static int check_list_of(const struct stream_set *set, struct stream *s)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < s->listed.n; i++) {
		const struct stream_listed *l = &s->listed.at[i];
		const struct stream *there = stream_called(set, l->name);
		if (!there)
			rc = stream_problem(s, "stream-missing", 0, l->pages * WEFT_PAGE_BYTES, "the stream '%s' is missing",
			                    l->name);
		else if (l->sum && there->head_good && there->head.sum != l->sum)
			rc = stream_problem(s, "stream-other", 0, 0, "the stream '%s' is not the one that was recorded", l->name);
	}
	for (size_t i = 0; !rc && i < set->at.n; i++)
		if (of_other_run(set->at.at[i], s))
			rc = stream_problem(set->at.at[i], "stream-foreign", 0, 0, "is of another run than '%s'", s->name);
	return rc;
}

int stream_set_check_list(struct stream_set *set)
{
	int rc = 0;
	for (size_t i = 0; !rc && set->folder && i < set->at.n; i++)
		if (set->at.at[i]->listed.n)
			rc = check_list_of(set, set->at.at[i]);
	return rc;
}

/* ---- rings ---- */

/* When the oldest page that is left of a thread begins, behind the last gap; 0: nothing of it is gone. */
static int ring_thread_from(const struct stream *s, const struct stream_thread *t, uint64_t *from)
{
	struct weft_page *room = NULL;
	uint32_t hint = 0;
	int rc = 0;
	*from = 0;
	for (uint32_t r = t->first_run + t->n_runs; r-- > t->first_run && !*from && !rc;) {
		const struct page_run *run = &s->run.at[r];
		uint32_t expect = r > t->first_run ? run[-1].seq + run[-1].n : 0;
		if (run->seq == expect)
			continue;
		room = room ? room : malloc(sizeof *room);
		const struct weft_page *p =
			room ? stream_bytes_at(&s->bytes, (uint64_t)run->page * WEFT_PAGE_BYTES, sizeof *room, room) : NULL;
		int64_t ns = p ? clock_ns(&s->clock.line, p->base, &hint) : 0;
		rc = !room ? -ENOMEM : !p ? -EIO : 0;
		*from = ns > 0 ? (uint64_t)ns : 1;
	}
	free(room);
	return rc;
}

int stream_tell_ring(struct stream *s)
{
	struct build_ring ring = {.ended = s->head.state == WEFT_STREAM_CLOSED && !(s->head.flags & WEFT_STREAM_SNAPSHOT)};
	uint32_t number = 0;
	if (!s->head_good || !(s->head.flags & WEFT_STREAM_RING) || s->own_process == WEFT_NONE)
		return 0;
	for (size_t i = 0; i < s->thread.n; i++) {
		const struct stream_thread *t = &s->thread.at[i];
		uint64_t from = 0;
		if (!t->n_runs && t->own)
			continue;
		int rc = ring_thread_from(s, t, &from);
		if (rc)
			return rc;
		/* Of a thread that is gone altogether nobody knows what it sent, nor until when. */
		if (t->number != ++number || !t->n_runs)
			from = WEFT_NEVER;
		number = t->number;
		ring.from = from > ring.from ? from : ring.from;
	}
	uint32_t row = s->process.at[s->own_process].row;
	return ring.from && row != WEFT_NONE ? builder_set_ring(s->b, row, &ring) : 0;
}
