/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every event that the inline path of <weft/record.h> does not finish.
 *
 *     light   another cpu since the last event, or a signal handler that took our place between the reservation's load and its
 *             compare-and-swap: corrected with the same reservations, so handlers may come in between, here too
 *     heavy   first event of a thread, end of a page, a time that does not fit 32 bits: the block itself changes
 *
 * While the block changes it is closed (limit = 0): a handler of this thread that records then ends up here as well, sees that its
 * thread is busy, and puts its event aside, into a few words of the slot; what was put aside is written as soon as the block is open
 * again, with its time, before the event that was interrupted. That is rarely needed, because what takes longer, to find and clear
 * the next page, is done before: the inline path stops some bytes before the end of a page, and leaves them to handlers that come in
 * this while. Only what does not fit there either is dropped and counted. A reservation that was loaded before a heavy part that came in between fails, since `at` has moved; so do the
 * time and the cpu that were computed with it.
 */
#include "rec_priv.h"
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#define RESERVE_PAGE 32u   /* bytes at the end of a page, for handlers while the next one is made ready */
#define RESERVE_RANGE 512u /* the same in the last page of a range: finding another may take system calls */

/* Where the open page ends; 0: the block is closed. */
static uintptr_t slow_end(const struct weft_thread *t)
{
	uintptr_t end = __atomic_load_n(&t->limit, __ATOMIC_RELAXED);
	return end ? end : rec_self.limit;
}

static void slow_close(struct weft_thread *t)
{
	__atomic_store_n(&t->limit, 0, __ATOMIC_RELAXED);
	rec_self.limit = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* with handlers of this thread: no reservation succeeds from here on */
}

enum slow_result { SLOW_DONE, SLOW_NO_ROOM, SLOW_TIME };

static uint64_t slow_head(uint64_t since, uint32_t head)
{
	return since << 32 | head;
}

static void slow_write(uintptr_t at, uint64_t head, unsigned n, const uint64_t *payload)
{
	uint64_t *word = (uint64_t *)at;
	for (unsigned i = 0; i < n; i++)
		word[1 + i] = payload[i];
	__atomic_store_n(word, head, __ATOMIC_RELEASE);
}

uint32_t rec_cpu(uint64_t *word)
{
	unsigned cpu = 0, node = 0;
	if (getcpu(&cpu, &node))
		cpu = node = 0;
	*word = rec_pair(cpu, node);
	return cpu;
}

/* The time of the last record of the open page. Only when the thread changed its cpu, which is rare: else not worth the walk. */
static uint64_t slow_last_time(const struct rec_slot *me, uintptr_t at)
{
	struct weft_page *p = rec_space_page(&me->stream->space, weft_load_u32(&me->page));
	struct weft_page_walk w = {.at = p->word, .end = (const uint64_t *)at, .base = p->base};
	struct weft_record r;
	uint64_t last = p->base;
	while (weft_page_next(&w, &r) == 1)
		if (r.ticks > last)
			last = r.ticks;
	return last;
}

/*
 * Writes the record if the block needs no change. A clock that went back is held at the page's base once that has been said
 * (me->held); the heavy part says it.
 */
/*
 * A SEND or RECV says how long ago it began, and time passes here until it is written: on this way its last word is the instant itself.
 */
static bool slow_ages(uint32_t head, unsigned n)
{
	return n == 3 && (weft_head_kind(head) == WEFT_EV_SEND || weft_head_kind(head) == WEFT_EV_RECV);
}

static uint64_t slow_ago(uint64_t began, uint64_t now)
{
	return now > began ? now - began : 0;
}

static void slow_write_aged(uintptr_t at, uint64_t head, unsigned n, const uint64_t *payload, uint64_t now)
{
	if (slow_ages((uint32_t)head, n))
		slow_write(at, head, n, (const uint64_t[]){payload[0], payload[1], slow_ago(payload[2], now)});
	else
		slow_write(at, head, n, payload);
}

static enum slow_result slow_light(struct weft_thread *t, struct rec_slot *me, uint32_t head, unsigned n, const uint64_t *payload)
{
	for (;;) {
		uintptr_t at = __atomic_load_n(&t->at, __ATOMIC_RELAXED), end = at + 8 + 8 * (uintptr_t)n;
		uint64_t base = __atomic_load_n(&t->base, __ATOMIC_RELAXED);
		if (end > slow_end(t))
			return SLOW_NO_ROOM;
		uint32_t cpu = *t->cpu;
		bool moved = cpu != t->last_cpu;
		uint64_t now = rec.clock.ticks();
		if (now < base && me->held)
			now = base;
		else if (now >= base && me->held)
			me->held = 0;
		if ((now - base) >> 32)
			return SLOW_TIME;
		if (!moved) {
			if (!weft_claim(&t->at, at, end))
				continue;
			slow_write_aged(at, slow_head(now - base, head), n, payload, now);
			return SLOW_DONE;
		}
		if (end + 16 > slow_end(t))
			return SLOW_NO_ROOM;
		if (now < slow_last_time(me, at))
			return SLOW_TIME;
		uint64_t word;
		rec_cpu(&word);
		if (!weft_claim(&t->at, at, at + 16))
			continue;
		t->last_cpu = cpu;
		word = rec_pair(cpu, (uint32_t)(word >> 32));
		slow_write(at, slow_head(now - base, WEFT_EV_CPU | 1 << 8), 1, &word);
	}
}

/* ---- what handlers put aside ---- */

static bool slow_put_aside(struct rec_slot *me, uint32_t head, unsigned n, const uint64_t *payload)
{
	uintptr_t at, end;
	do {
		at = __atomic_load_n(&me->side_n, __ATOMIC_RELAXED);
		end = at + 2 + n;
		if (end > REC_SIDE_WORDS)
			return false;
	} while (!weft_claim(&me->side_n, at, end));
	me->side[at] = rec.clock.ticks();
	me->side[at + 1] = (uint64_t)n << 32 | head;
	if (n)
		memcpy(&me->side[at + 2], payload, n * sizeof *payload);
	if (slow_ages(head, n))
		me->side[at + 4] = slow_ago(payload[2], me->side[at]);
	return true;
}

/* With the time that it had, but not before what stands in the page already. */
static enum slow_result slow_write_aside(struct weft_thread *t, const struct rec_slot *me, const uint64_t *aside)
{
	uint32_t n = (uint32_t)(aside[1] >> 32);
	for (;;) {
		uintptr_t at = __atomic_load_n(&t->at, __ATOMIC_RELAXED), end = at + 8 + 8 * (uintptr_t)n;
		uint64_t base = __atomic_load_n(&t->base, __ATOMIC_RELAXED);
		if (end > slow_end(t))
			return SLOW_NO_ROOM;
		uint64_t last = slow_last_time(me, at), since = (aside[0] < last ? last : aside[0]) - base;
		if (since >> 32)
			return SLOW_TIME;
		if (!weft_claim(&t->at, at, end))
			continue;
		slow_write(at, slow_head(since, (uint32_t)aside[1]), n, aside + 2);
		return SLOW_DONE;
	}
}

/* DONE: there is nothing aside any more. Else it is written from side_from on next time. */
static enum slow_result slow_write_all_aside(struct weft_thread *t, struct rec_slot *me)
{
	uint32_t from = me->side_from;
	uintptr_t n;
	do {
		n = __atomic_load_n(&me->side_n, __ATOMIC_RELAXED);
		while (from < n) {
			enum slow_result r = slow_write_aside(t, me, &me->side[from]);
			me->side_from = from;
			if (r != SLOW_DONE)
				return r;
			from += 2 + (uint32_t)(me->side[from + 1] >> 32);
		}
		me->side_from = 0;
	} while (n && !weft_claim(&me->side_n, n, 0));
	return SLOW_DONE;
}

void rec_slow_append(struct weft_thread *t, uint32_t head, unsigned n, const uint64_t *payload)
{
	uint64_t now = rec.clock.ticks(), since = now < t->base ? 0 : now - t->base;
	if (!rec_space_ours(&rec_self.slot->stream->space))
		return;
	slow_write(t->at, slow_head(since >> 32 ? 0 : since, head), n, payload);
	__atomic_store_n(&t->at, t->at + 8 + 8 * (uintptr_t)n, __ATOMIC_RELAXED);
}

void rec_slow_close_page(struct weft_thread *t, struct rec_slot *me)
{
	slow_close(t);
	uintptr_t at = __atomic_load_n(&t->at, __ATOMIC_RELAXED);
	if (!at)
		return;
	uint32_t in_page = at & (WEFT_PAGE_BYTES - 1);
	rec_space_page(&me->stream->space, weft_load_u32(&me->page))->used = in_page ? in_page : WEFT_PAGE_BYTES;
	__atomic_store_n(&t->at, 0, __ATOMIC_RELAXED);
}

/* The next page of the thread's range, or the first of another range; 0: there is none. *chunk: another range begins. */
static uint32_t slow_next_page(struct rec_slot *me, bool *chunk)
{
	struct rec_stream *s = me->stream;
	uint32_t was = weft_load_u32(&me->page);
	struct rec_range range = rec_range_of(weft_load_u64(&me->range)), prev = rec_range_of(weft_load_u64(&me->prev)), next;
	*chunk = false;
	if (was && was + 1 < range.first + range.n)
		return was + 1;
	/* Once an event did not fit, none comes after it, even if the helper is just about to free some pages. */
	if (rec_stream_is_full(s))
		return 0;
	int rc = rec_space_take(&s->space, range.n == 0, false, &next);
	if (rc && s->space.mode == REC_RING && prev.n) {
		/* All of the ring is in the hands of threads: this one takes what it wrote before its current range. */
		rec_archive_empty(&s->space, prev);
		next = prev;
		prev.n = 0;
		rc = 0;
	}
	if (rc) {
		rec_stream_full(s, -rc);
		return 0;
	}
	*chunk = true;
	weft_store_u64(&me->prev, rec_range_word(range));
	weft_store_u64(&me->range, rec_range_word(next));
	rec_space_retire(&s->space, prev);
	if (prev.n && s->space.mode != REC_RING)
		rec_helper_wake();
	return next.first;
}

static void slow_tell_cpu(struct weft_thread *t, bool always)
{
	uint64_t word;
	uint32_t cpu = rec_cpu(&word);
	if (!always && cpu == t->last_cpu)
		return;
	t->last_cpu = cpu;
	rec_slow_append(t, WEFT_EV_CPU | 1 << 8, 1, &word);
}

/* What stands at the begin of a page, while it is closed to everybody else. */
static void slow_begin_page(struct weft_thread *t, struct rec_slot *me, bool chunk, uint64_t back)
{
	bool first = me->seq == 1, again = chunk && me->stream->space.mode == REC_RING;
	if (first || again)
		rec_thread_tell(t, me);
	if (first)
		rec_slow_append(t, WEFT_EV_THREAD_BEGIN, 0, NULL);
	if (first || again || t->cpu == &t->last_cpu)
		slow_tell_cpu(t, first || again);
	if (back && !me->held) {
		rec_slow_append(t, WEFT_EV_CLOCK_BACK | 1 << 8, 1, &back);
		me->held = 1;
	}
}

/* From here on the inline path may write again; not in a child, whose first event comes back here and begins anew. */
static void slow_open_block(struct weft_thread *t, struct rec_slot *me, uintptr_t limit)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	bool ours = rec_space_ours(&me->stream->space);
	if (ours && weft_load_u32(&rec.metered))
		rec_self.limit = limit;
	else if (ours)
		__atomic_store_n(&t->limit, limit, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&t->at, 0, __ATOMIC_RELAXED);
}

/* While the thread is here, its handlers may use the end of the page that is full for itself. */
static void slow_open_reserve(struct weft_thread *t, struct rec_slot *me)
{
	uintptr_t at = __atomic_load_n(&t->at, __ATOMIC_RELAXED);
	if (at)
		slow_open_block(t, me, (uintptr_t)rec_space_page(&me->stream->space, weft_load_u32(&me->page)) + WEFT_PAGE_BYTES);
}

static uintptr_t slow_limit(const struct rec_slot *me, uint32_t page, const struct weft_page *p)
{
	struct rec_range range = rec_range_of(weft_load_u64(&me->range));
	unsigned reserve = page + 1 == range.first + range.n ? RESERVE_RANGE : RESERVE_PAGE;
	return (uintptr_t)p + WEFT_PAGE_BYTES - reserve;
}

/*
 * The next page of this thread. What takes time comes first, the old page being open to handlers; then the block is closed, set
 * to the new page, and opened again, in some nanoseconds.
 */
static bool slow_open_page(struct weft_thread *t, struct rec_slot *me)
{
	struct rec_stream *s = me->stream;
	bool chunk;
	slow_open_reserve(t, me);
	uint32_t page = slow_next_page(me, &chunk);
	if (!page) {
		rec_slow_close_page(t, me);
		return false;
	}
	struct weft_page *p = rec_space_page(&s->space, page);
	bool ours = rec_page_begin(&s->space, p, (struct rec_page_name){WEFT_PAGE_EVENTS, me->number, me->seq++, 0});
	slow_close(t);
	uint64_t now = rec.clock.ticks(), base = now;
	/*
	 * A clock that went back, but not behind the page's base, is noticed only where it may well be: on another cpu. To look for it
	 * always would cost every page a walk.
	 */
	if (t->at && (now < t->base || *t->cpu != t->last_cpu))
		base = slow_last_time(me, t->at);
	if (base < now)
		base = now;
	rec_slow_close_page(t, me);
	weft_store_u32(&me->page, page);
	if (ours && rec_space_ours(&s->space)) {
		__atomic_store_n(&p->base, base, __ATOMIC_RELAXED);
		__atomic_store_n(&t->base, base, __ATOMIC_RELAXED);
		__atomic_store_n(&t->at, (uintptr_t)p->word, __ATOMIC_RELAXED);
		slow_begin_page(t, me, chunk, base > now ? base - now : 0);
	}
	slow_open_block(t, me, slow_limit(me, page, p));
	return true;
}

/*
 * The time does not fit behind the base: either much has passed, or the clock is behind the last record. False: no room for it,
 * which needs a page of its own then.
 */
static bool slow_new_base(struct weft_thread *t, struct rec_slot *me)
{
	uintptr_t limit = slow_end(t);
	slow_close(t);
	if (!t->at || t->at + 32 > limit)
		return false;
	uint64_t now = rec.clock.ticks(), last = slow_last_time(me, t->at), base = now < last ? last : now;
	if (!rec_space_ours(&me->stream->space))
		return true;
	slow_write(t->at, slow_head(0, WEFT_EV_TIME | 1 << 8), 1, &base);
	__atomic_store_n(&t->at, t->at + 16, __ATOMIC_RELAXED);
	__atomic_store_n(&t->base, base, __ATOMIC_RELAXED);
	if (now < last && !me->held) {
		uint64_t back = last - now;
		rec_slow_append(t, WEFT_EV_CLOCK_BACK | 1 << 8, 1, &back);
		me->held = 1;
	}
	slow_open_block(t, me, limit);
	return true;
}

/* How many events the record says. */
static uint32_t slow_events(uint32_t head)
{
	return weft_head_kind(head) == WEFT_EV_BUNDLE ? weft_head_id(head) : weft_head_kind(head) == WEFT_EV_ENTER_FLOW ? 2 : 1;
}

/* The head of the stream has it at once: who is killed has no end, and a child no helper. */
static void slow_drop(struct rec_slot *me, uint64_t n)
{
	struct rec_stream *s = rec_stream();
	if (s && rec_space_ours(&s->space))
		__atomic_fetch_add(&s->head->dropped, n, __ATOMIC_RELAXED);
	if (!me) {
		weft_add_u64(&rec.lost, n);
		return;
	}
	__atomic_fetch_add(&me->untold, n, __ATOMIC_RELAXED); /* a handler may take them meanwhile */
	/* Relaxed: a sum for people; only this thread adds. */
	weft_store_relaxed_u64(&me->dropped, weft_load_relaxed_u64(&me->dropped) + n);
}

/* Makes sure that this thread has a slot and belongs to the process's stream. NULL: events cannot be recorded now. */
static struct rec_slot *slow_ready(void)
{
	struct rec_stream *s = rec_stream();
	if (!s && weft_load_u32(&rec.on) && rec_stream_attach() == 0)
		s = rec_stream();
	if (!s)
		return NULL;
	struct rec_slot *me = rec_self.slot;
	if (me && me->stream == s)
		return me;
	return rec_thread_begin(s) ? rec_self.slot : NULL;
}

static bool slow_make_room(struct weft_thread *t, struct rec_slot *me, enum slow_result why)
{
	return (why == SLOW_TIME && slow_new_base(t, me)) || slow_open_page(t, me);
}

/* The process ends, and all that could be recorded is: an event that began before is not missing. */
static bool slow_is_over(void)
{
	const struct rec_slot *me = rec_self.slot;
	return weft_load_u32(&rec.closed) || (me && me->stream && rec_look(&me->stream->closing));
}

static void slow_heavy(uint32_t head, unsigned n, const uint64_t *payload)
{
	struct weft_thread *t = &weft_thread_1;
	for (;;) {
		struct rec_slot *me = slow_ready();
		if (!me)
			break;
		rec_say(&me->busy, 1); /* with rec_stream_close: it sees us busy, or we see that it is closing */
		bool open = !rec_look(&me->stream->closing);
		enum slow_result r = open ? slow_write_all_aside(t, me) : SLOW_NO_ROOM;
		if (open && r == SLOW_DONE)
			r = slow_light(t, me, head, n, payload);
		if (open && r != SLOW_DONE)
			open = slow_make_room(t, me, r);
		weft_store_u32(&me->busy, 0);
		if (r == SLOW_DONE)
			return;
		if (!open)
			break;
	}
	if (!slow_is_over())
		slow_drop(rec_self.slot, slow_events(head));
}

/* What others, who record by us, have lost: told like our own losses (src/agent). */
static void slow_lost(uint64_t n)
{
	if (rec_self.busy) {
		__atomic_fetch_add(&rec_self.nested, (uint32_t)n, __ATOMIC_RELAXED);
		return;
	}
	rec_busy_begin();
	slow_drop(slow_ready(), n);
	rec_busy_end();
	rec_slow_tell_dropped();
}

void rec_slow_record(uint32_t head, unsigned n, const uint64_t *payload)
{
	/* Before anything that takes time: what handlers cannot write meanwhile is put aside there. */
	struct rec_slot *me = rec_thread_slot();
	uint64_t since[3];
	if (slow_ages(head, n)) {
		memcpy(since, payload, 2 * sizeof *payload);
		since[2] = rec.clock.ticks() - payload[2];
		payload = since;
	}
	if (weft_head_kind(head) == WEFT_EV_DROPPED && n == 1) {
		slow_lost(payload[0]);
		return;
	}
	if (rec_self.busy) {
		/* A handler in the middle of the heavy part below: what the light one cannot do waits for the end of that. */
		bool done = me && me->stream == rec_stream() && slow_light(&weft_thread_1, me, head, n, payload) == SLOW_DONE;
		if (!done && (!me || !slow_put_aside(me, head, n, payload)))
			__atomic_fetch_add(&rec_self.nested, slow_events(head), __ATOMIC_RELAXED);
		return;
	}
	if (me && me->stream == rec_stream() && slow_light(&weft_thread_1, me, head, n, payload) == SLOW_DONE)
		return;
	rec_busy_begin();
	slow_heavy(head, n, payload);
	rec_busy_end();
	rec_slow_tell_dropped();
}

void weft_record_slow(uint32_t head, unsigned n, const uint64_t *payload)
{
	int saved = errno;
	/* A child that fork() did not make: off, though it was on when this event began. */
	if (!weft_load_u32(&rec.wiped->owner))
		return;
	rec_unseen_begin();
	uint32_t why = weft_load_u32(&rec.metered);
	if (WEFT_UNLIKELY(why & REC_METER))
		rec_meter_event(head, payload);
	if (WEFT_LIKELY(!(why & REC_CALLERS)) || !rec_callers_event(head, n, payload, __builtin_return_address(0)))
		rec_slow_record(head, n, payload);
	if (WEFT_UNLIKELY(why & REC_FIRST))
		rec_first_event(head, payload);
	rec_unseen_end();
	errno = saved;
}

void rec_slow_tell_dropped(void)
{
	struct rec_slot *me = rec_self.slot;
	uint64_t n = me && me->stream && me->stream == rec_stream() ? __atomic_exchange_n(&me->untold, 0, __ATOMIC_RELAXED) : 0;
	if (n && slow_light(&weft_thread_1, me, WEFT_EV_DROPPED | 1 << 8, 1, &n) != SLOW_DONE)
		__atomic_fetch_add(&me->untold, n, __ATOMIC_RELAXED);
}

void rec_slow_drop_side(struct rec_slot *me)
{
	uintptr_t n;
	do {
		n = __atomic_load_n(&me->side_n, __ATOMIC_RELAXED);
		while (me->side_from < n) {
			uint64_t word = me->side[me->side_from + 1];
			if (!slow_is_over())
				slow_drop(rec_self.slot, slow_events((uint32_t)word));
			me->side_from += 2 + (uint32_t)(word >> 32);
		}
		me->side_from = 0;
	} while (n && !weft_claim(&me->side_n, n, 0));
}

static bool slow_has_aside(void)
{
	return rec_self.slot && __atomic_load_n(&rec_self.slot->side_n, __ATOMIC_RELAXED);
}

/* What came since the last look, though its page may be full. */
static void slow_end_aside(void)
{
	struct weft_thread *t = &weft_thread_1;
	struct rec_slot *me = slow_ready();
	enum slow_result r = SLOW_NO_ROOM;
	if (me) {
		rec_say(&me->busy, 1); /* as in slow_heavy */
		bool open = !rec_look(&me->stream->closing);
		while (open && (r = slow_write_all_aside(t, me)) != SLOW_DONE)
			open = slow_make_room(t, me, r);
		weft_store_u32(&me->busy, 0);
	}
	if (r != SLOW_DONE)
		rec_slow_drop_side(rec_self.slot);
}

void rec_busy_begin(void)
{
	rec_unseen_begin();
	rec_self.busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void rec_busy_end(void)
{
	do {
		rec_self.busy = 1;
		uint32_t nested = __atomic_exchange_n(&rec_self.nested, 0, __ATOMIC_RELAXED);
		if (nested)
			slow_drop(rec_self.slot, nested);
		if (slow_has_aside())
			slow_end_aside();
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		rec_self.busy = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (rec_self.nested || slow_has_aside());
	rec_unseen_end();
}
