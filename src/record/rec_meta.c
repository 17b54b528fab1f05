/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions in the stream: records in meta pages, which all threads share. Under the lock, so a page has one writer at a time;
 * a page that is full is sealed at once. Like events, records appear whole: the head last.
 */
#include "rec_priv.h"
#include <errno.h>
#include <string.h>

#define TEXT_PART_BYTES 3840u

void rec_meta_seal(struct rec_stream *s)
{
	if (s->meta.w.page && rec_space_ours(&s->space)) {
		weft_page_write_end(&s->meta.w);
		weft_add_u64(&s->space.sum, weft_page_mark(s->meta.w.page, s->meta.page));
	}
	s->meta.w.page = NULL;
}

/* Never back, whatever the clock does. */
static uint64_t meta_ticks(struct rec_stream *s)
{
	uint64_t now = rec.clock.ticks();
	return s->meta.last = now < s->meta.last ? s->meta.last : now;
}

static bool meta_open(struct rec_stream *s)
{
	struct rec_range r;
	rec_meta_seal(s);
	int rc = rec_space_take(&s->space, true, true, &r);
	if (rc) {
		rec_stream_full(s, -rc);
		return false;
	}
	struct weft_page *p = rec_space_page(&s->space, r.first);
	uint64_t base = meta_ticks(s);
	uint32_t seq = s->meta.seq++;
	if (!rec_page_begin(&s->space, p, (struct rec_page_name){WEFT_PAGE_META, 0, seq, base}))
		return false;
	s->meta.page = r.first;
	s->meta.w = (struct weft_page_writer){.page = p, .at = p->word, .base = base};
	return true;
}

void rec_meta_put(struct rec_stream *s, unsigned kind, uint32_t id, unsigned n, const uint64_t *words, struct weft_str text)
{
	uint64_t *payload = s->payload;
	if (!rec_space_ours(&s->space))
		return;
	memcpy(payload, words, n * sizeof *words);
	if (text.at) {
		payload[n] = text.n;
		if (text.n)
			payload[n + 1 + (text.n - 1) / 8] = 0;
		memcpy(&payload[n + 1], text.at, text.n);
		n += 1 + (unsigned)(text.n + 7) / 8;
	}
	struct weft_record r = {.ticks = meta_ticks(s), .kind = kind, .id = id, .n = n, .payload = payload};
	if (s->meta.w.page && weft_page_write(&s->meta.w, &r) == 0)
		return;
	if (meta_open(s)) {
		r.ticks = meta_ticks(s);
		if (weft_page_write(&s->meta.w, &r) == 0)
			return;
	}
	weft_add_u64(&rec.lost, 1);
}

void rec_meta_clock(struct rec_stream *s, const struct rec_sample *at)
{
	uint64_t word[3] = {at->ticks, at->monotonic_ns, at->realtime_ns};
	rec_meta_put(s, WEFT_EV_CLOCK, 0, 3, word, weft_str(NULL));
}

void rec_meta_text(struct rec_stream *s, enum weft_text which, struct weft_str text)
{
	uint32_t parts = text.n ? (uint32_t)((text.n + TEXT_PART_BYTES - 1) / TEXT_PART_BYTES) : 1;
	for (uint32_t part = 0; part < parts; part++) {
		uint64_t word[2] = {which, rec_pair(part, parts)};
		size_t from = (size_t)part * TEXT_PART_BYTES, n = text.n - from;
		rec_meta_put(s, WEFT_EV_PROCESS_TEXT, 1, 2, word,
		             weft_str_n(text.at + from, n < TEXT_PART_BYTES ? n : TEXT_PART_BYTES));
	}
}
