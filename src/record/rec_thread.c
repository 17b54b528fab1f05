/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads come at their first event and go with their thread-specific data.
 *
 * What others must be able to see of a thread lies in a slot, which outlives it and is used again; slots are never freed, and
 * taking one is lock-free, because the first event of a thread may stand in a signal handler. A thread that ends gives the
 * unused pages of its range back, so that thousands of short threads need a page each.
 *
 * A destructor of thread-specific data that runs after ours may record too: then the thread begins again, under its old number,
 * and the kernel of pthread_key_create calls our destructor again. After the last round of destructors nobody ends it any more:
 * its slot and range stay taken, which costs their memory and nothing else.
 */
#include "rec_priv.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS_FIRST 64u

__thread struct weft_thread weft_thread_1 __attribute__((tls_model("initial-exec")));
__thread struct rec_self rec_self __attribute__((tls_model("initial-exec")));

static pthread_key_t thread_key;

/* The kernel's area of restartable sequences, where glibc 2.35 and later registered it; its second word is the cpu. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

static void thread_at_end(void *slot)
{
	(void)slot;
	rec_unseen_begin();
	rec_thread_end();
	rec_unseen_end();
}

int rec_thread_init(void)
{
	return -pthread_key_create(&thread_key, thread_at_end);
}

static const volatile uint32_t *thread_cpu_word(const struct weft_thread *t)
{
	if (&__rseq_size && __rseq_size >= 8) {
		const volatile uint32_t *cpu = (const uint32_t *)((char *)__builtin_thread_pointer() + __rseq_offset) + 1;
		if ((int32_t)cpu[0] >= 0)
			return cpu;
	}
	return &t->last_cpu;
}

/* ---- Slots ---- */

/* Segment k holds SLOTS_FIRST << k slots, from index SLOTS_FIRST * ((1 << k) - 1). */
static unsigned slot_segment(uint32_t index, uint32_t *within)
{
	uint32_t n = index / SLOTS_FIRST + 1;
	unsigned k = 31u - (unsigned)__builtin_clz(n);
	*within = index - SLOTS_FIRST * ((1u << k) - 1);
	return k;
}

struct rec_slot *rec_slot_at(uint32_t index)
{
	uint32_t within;
	unsigned k = slot_segment(index, &within);
	struct rec_slot *segment = weft_load_ptr(&rec.slots.segment[k]);
	return segment ? &segment[within] : NULL;
}

static struct rec_slot *slot_make(void)
{
	uint32_t index = weft_add_u32(&rec.slots.n, 1), within;
	unsigned k = slot_segment(index, &within);
	if (k >= REC_SLOT_SEGMENTS)
		return NULL;
	if (!weft_load_ptr(&rec.slots.segment[k])) {
		void *fresh = rec_mmap(((size_t)SLOTS_FIRST << k) * sizeof(struct rec_slot)), *found = NULL;
		if (!fresh)
			return NULL;
		if (!weft_cas_ptr(&rec.slots.segment[k], &found, fresh))
			rec_munmap(fresh, ((size_t)SLOTS_FIRST << k) * sizeof(struct rec_slot));
	}
	struct rec_slot *slot = rec_slot_at(index);
	slot->index = index;
	return slot;
}

struct rec_slot *rec_slot_take(void)
{
	uint64_t top = weft_load_u64(&rec.slots.free);
	struct rec_slot *slot = NULL;
	while ((uint32_t)top) {
		slot = rec_slot_at((uint32_t)top - 1);
		/* Relaxed: meaningless when somebody else took the slot meanwhile; then the compare-and-swap fails. */
		uint64_t next = ((top >> 32) + 1) << 32 | weft_load_relaxed_u32(&slot->next_free);
		if (weft_cas_u64(&rec.slots.free, &top, next))
			break;
		slot = NULL;
	}
	if (!slot)
		slot = slot_make();
	if (slot)
		weft_store_u32(&slot->used, 1);
	return slot;
}

static void slot_give(struct rec_slot *slot)
{
	uint64_t top = weft_load_u64(&rec.slots.free), mine;
	weft_store_u32(&slot->used, 0);
	do {
		weft_store_relaxed_u32(&slot->next_free, (uint32_t)top);
		mine = ((top >> 32) + 1) << 32 | (slot->index + 1);
	} while (!weft_cas_u64(&rec.slots.free, &top, mine));
}

uint64_t rec_threads_dropped(void)
{
	uint64_t sum = weft_load_u64(&rec.lost);
	uint32_t n = weft_load_u32(&rec.slots.n);
	for (uint32_t i = 0; i < n; i++) {
		struct rec_slot *slot = rec_slot_at(i);
		if (slot)
			sum += weft_load_u64(&slot->dropped);
	}
	return sum;
}

/* ---- Begin and end ---- */

/*
 * A handler that comes in between may have taken one, and begun with it: ours goes back. In the child of one that forks, it may be
 * free already, and for others as well.
 */
struct rec_slot *rec_thread_slot(void)
{
	while (!rec_self.slot) {
		struct rec_slot *me = rec_slot_take(), *none = NULL;
		if (!me)
			return NULL;
		if (!__atomic_compare_exchange_n(&rec_self.slot, &none, me, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			slot_give(me);
		else if (!weft_load_u32(&me->used)) /* forked before that */
			rec_self.slot = NULL;
	}
	return rec_self.slot;
}

bool rec_thread_begin(struct rec_stream *s)
{
	struct weft_thread *t = &weft_thread_1;
	struct rec_slot *me = rec_thread_slot();
	if (!me)
		return false;
	bool again = rec_self.stream == s; /* after its end */
	if (!again) {
		rec_self.number = weft_add_u32(&s->threads, 1) + 1;
		rec_self.seq = 0;
		rec_self.stream = s;
	}
	rec_self.limit = 0;
	__atomic_store_n(&t->limit, 0, __ATOMIC_RELAXED);
	t->at = 0;
	t->base = 0;
	t->last_cpu = UINT32_MAX;
	t->cpu = thread_cpu_word(t);
	t->clock = rec.clock.kind == WEFT_CLOCK_TSC;
	me->stream = s;
	me->number = rec_self.number;
	me->seq = rec_self.seq;
	me->tid = (uint32_t)syscall(SYS_gettid);
	me->held = 0;
	me->begin_ticks = rec.clock.ticks();
	weft_store_u32(&me->page, 0);
	weft_store_u64(&me->range, 0);
	weft_store_u64(&me->prev, 0);
	/* Keys beyond the first 32 of a process may allocate here; ours is made when the library is loaded. */
	pthread_setspecific(thread_key, me);
	return true;
}

void rec_thread_tell(struct weft_thread *t, struct rec_slot *me)
{
	char name[17] = "";
	const char *at = me->name;
	if (me->number > WEFT_ID_MAX)
		return;
	size_t n = me->name_bytes;
	if (!n && prctl(PR_GET_NAME, name, 0, 0, 0) == 0) {
		at = name;
		n = strlen(name);
	}
	uint64_t word[WEFT_WORDS_LONG - 1] = {me->tid,
	                                      rec_pair(1, rec_self.own_fd ? WEFT_THREAD_OF_WEFT : WEFT_THREAD_OF_PROGRAM),
	                                      me->begin_ticks, n};
	memcpy(&word[4], at, n);
	unsigned words = 4 + (unsigned)(n + 7) / 8;
	rec_slow_append(t, WEFT_EV_THREAD | words << 8 | me->number << 12, words, word);
}

/* Everything that it wrote is complete, and the pages that it did not reach are free. */
static void thread_give_range(struct rec_slot *me)
{
	struct rec_space *s = &me->stream->space;
	struct rec_range range = rec_range_of(weft_load_u64(&me->range));
	uint32_t page = weft_load_u32(&me->page);
	rec_space_retire(s, rec_range_of(weft_load_u64(&me->prev)));
	weft_store_u64(&me->prev, 0);
	weft_store_u64(&me->range, 0);
	weft_store_u32(&me->page, 0);
	if (!range.n)
		return;
	uint32_t written = page + 1 - range.first;
	rec_space_retire(s, (struct rec_range){range.first, written});
	rec_space_free(s, (struct rec_range){page + 1, range.n - written});
}

/* With all signals blocked: what a handler recorded meanwhile would have no page, nor soon a slot. */
static void thread_end_quietly(struct rec_slot *me)
{
	if (me->stream && me->stream == rec_stream()) {
		if (weft_load_u64(&me->range))
			weft_record_slow(WEFT_EV_THREAD_END, 0, NULL);
		rec_slow_tell_dropped();
		rec_busy_begin();
		rec_say(&me->busy, 1); /* with rec_stream_close, as in slow_heavy */
		if (!rec_look(&me->stream->closing)) {
			rec_slow_close_page(&weft_thread_1, me);
			thread_give_range(me);
		}
		weft_store_u32(&me->busy, 0);
		rec_busy_end();
	}
	rec_busy_begin();
	rec_self.limit = 0;
	weft_thread_1.limit = 0;
	weft_thread_1.at = 0;
	rec_self.seq = me->seq;
	rec_self.slot = NULL;
	rec_slow_drop_side(me);
	me->stream = NULL;
	me->name_bytes = 0;
	weft_add_u64(&rec.lost, weft_swap_u64(&me->dropped, 0));
	me->untold = 0;
	slot_give(me);
	rec_busy_end();
}

void rec_thread_end(void)
{
	struct rec_slot *me = rec_self.slot;
	sigset_t all, before;
	if (!me || rec_self.busy)
		return;
	rec_signals_most(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	thread_end_quietly(me);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rec_threads_forget(void)
{
	uint32_t n = weft_load_u32(&rec.slots.n);
	struct rec_slot *mine = rec_self.slot;
	weft_store_u64(&rec.slots.free, 0);
	for (uint32_t i = 0; i < n; i++) {
		struct rec_slot *slot = rec_slot_at(i);
		if (!slot)
			continue;
		weft_store_u64(&slot->dropped, 0);
		slot->untold = 0;
		slot->side_n = slot->side_from = 0;
		if (slot != mine) {
			slot->stream = NULL;
			slot->name_bytes = 0;
			slot_give(slot);
		}
	}
	weft_store_u64(&rec.lost, 0);
}

void weft_name_thread(const char *name)
{
	if (!name || rec_init())
		return;
	rec_check_process();
	rec_busy_begin();
	struct rec_slot *me = rec_thread_slot();
	if (me) {
		size_t n = strnlen(name, REC_NAME_BYTES + 1);
		/* Cut between characters, not inside one. */
		while (n > REC_NAME_BYTES || (n && (name[n] & 0xc0) == 0x80))
			n--;
		memcpy(me->name, name, n);
		me->name_bytes = (uint8_t)n;
		pthread_setspecific(thread_key, me);
	}
	rec_busy_end();
	/* A thread that has not begun says its name when it does. */
	if (!me || !me->stream || me->stream != rec_stream() || me->number > WEFT_ID_MAX)
		return;
	uint64_t word[WEFT_WORDS_LONG - 1] = {me->tid, rec_pair(1, 0), me->begin_ticks, me->name_bytes};
	unsigned words = 4 + (me->name_bytes + 7u) / 8;
	memcpy(&word[4], me->name, me->name_bytes);
	weft_record_slow(WEFT_EV_THREAD | words << 8 | me->number << 12, words, word);
}
