/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events out of the rings of an agent, and what was lost of them. Nothing that stands there is
 * believed.
 */
#include "probe_priv.h"
#include <string.h>

static struct link_ring *ring_at(const struct probe_session *s, uint32_t k)
{
	return (void *)(s->rings + (size_t)k * s->agent.ring_bytes);
}

/* Rings that were ever used, as far as that can be believed. */
static uint32_t rings_used(const struct probe_session *s)
{
	uint32_t n = weft_load_u32(&ring_at(s, 0)->n_rings);
	return n < s->agent.n_rings ? n : s->agent.n_rings;
}

static void read_record(const uint64_t *record, uint32_t tid, struct probe_event *out)
{
	*out = (struct probe_event){.ticks = record[1], .site = link_rec_site(record[0]), .tid = tid};
	out->when = link_rec_kind(record[0]) == LINK_REC_ENTER ? LINK_ENTRY : LINK_EXIT;
	out->incomplete = link_rec_flags(record[0]) & LINK_REC_INCOMPLETE;
	out->left = link_rec_flags(record[0]) & LINK_REC_LEFT;
	out->n = link_rec_words(record[0]) - 2;
	memcpy(out->value, record + 2, out->n * 8ul);
}

/* `total` of a ring have been lost by now: the event that says so, unless it was said. */
static bool read_lost(struct probe_session *s, uint32_t which, uint64_t total, const uint64_t ticks[2], struct probe_event *out)
{
	uint64_t before = s->told[which];
	if (total <= before)
		return false;
	s->told[which] = total;
	/* What an empty ring has said before its thread wrote it down begins anew behind that. */
	uint64_t since = ticks[0] > s->told_until[which] ? ticks[0] : s->told_until[which];
	*out = (struct probe_event){.ticks = since, .tid = s->tid[which], .when = PROBE_LOST, .lost = total - before};
	out->until = s->told_until[which] = ticks[1] > since ? ticks[1] : since;
	return true;
}

/* Of an empty ring: nobody has come since to write it down. */
static bool lost_at_end(struct probe_session *s, uint32_t which, struct probe_event *out)
{
	struct link_ring *r = ring_at(s, which);
	uint64_t total = weft_load_u64(&r->dropped), last = weft_load_u64(&r->lost_last), first = weft_load_u64(&r->lost_first);
	/* Records that came meanwhile stand before what was lost after them. */
	if (WEFT_LIKELY(total == s->told[which]) || weft_load_u64(&r->written) != weft_load_u64(&r->read))
		return false;
	return read_lost(s, which, total, (uint64_t[]){first ? first : last, last}, out);
}

/* Records of one ring, up to the next event. */
static bool next_of(struct probe_session *s, uint32_t which, struct probe_event *out)
{
	uint64_t record[LINK_REC_WORDS];
	while (link_ring_take(ring_at(s, which), s->agent.ring_bytes, record, &s->lost)) {
		unsigned kind = link_rec_kind(record[0]), words = link_rec_words(record[0]);
		if (kind == LINK_REC_THREAD) {
			s->tid[which] = words > 2 ? (uint32_t)record[2] : 0;
		} else if (kind != LINK_REC_LOST) {
			read_record(record, s->tid[which], out);
			return true;
		} else if (words > 3 && read_lost(s, which, record[2], (uint64_t[]){record[1], record[3]}, out)) {
			return true;
		}
	}
	return lost_at_end(s, which, out);
}

bool probe_next(struct probe_session *s, struct probe_event *out)
{
	uint32_t n = rings_used(s);
	/* A ring is read until it is empty, then the next one. */
	for (uint32_t k = 0; k < n; k++) {
		uint32_t which = s->next_ring < n ? s->next_ring : 0;
		if (next_of(s, which, out))
			return true;
		s->next_ring = which + 1;
	}
	return false;
}

uint64_t probe_lost(const struct probe_session *s)
{
	return s->lost;
}

uint64_t probe_dropped(const struct probe_session *s)
{
	uint64_t sum = weft_load_u64(&ring_at(s, 0)->elsewhere);
	for (uint32_t k = 0, n = rings_used(s); k < n; k++)
		sum += weft_load_u64(&ring_at(s, k)->dropped);
	return sum;
}

void probe_when_full(struct probe_session *s, bool waits)
{
	weft_store_u32(&ring_at(s, 0)->when_full, waits ? LINK_FULL_WAIT : LINK_FULL_DROP);
}
