/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers of regions that no function of a recording library stands around, as OpenMP's are told by their begins and ends: who asks marks
 * the regions, and their callers are recorded behind their entry; or, where only calls of some length are wanted, before their end. As with
 * counters at regions all threads' blocks are kept closed then, so that each event comes by weft_record_slow, which asks here.
 *
 * A call stack is that of the innermost open region. So events of a bundle are recorded one by one where a region of it is closed by what follows.
 */
#include "rec_priv.h"
#include <errno.h>

enum { BITS = 64 };

static struct {
	uint64_t *bits; /* by region */
	struct rec_between between;
} callers;

int weft_callers_at(weft_region region, const void *own, const void *runtime)
{
	if (!weft_callers_anywhere(NULL, 0))
		return 0;
	uint32_t id = rec_define_id(region);
	rec_check_process();
	if (!rec_lock())
		return 0;
	callers.between.own = own ? own : callers.between.own;
	callers.between.runtime = runtime ? runtime : callers.between.runtime;
	if (!callers.bits)
		callers.bits = rec_mmap((WEFT_ID_MAX + 1) / 8);
	if (callers.bits && id)
		__atomic_fetch_or(&callers.bits[id / BITS], (uint64_t)1 << id % BITS, __ATOMIC_RELAXED);
	rec_unlock();
	if (callers.bits && id)
		rec_meter_begin(REC_CALLERS);
	return callers.bits != NULL;
}

/* The region that the event enters, or leaves, if it is marked; else 0. */
static uint32_t region_of(uint32_t head, unsigned kind)
{
	uint32_t id = weft_head_id(head);
	if (weft_head_kind(head) != kind)
		return 0;
	/* Relaxed: the bit was set before anybody had the region. */
	return __atomic_load_n(&callers.bits[id / BITS], __ATOMIC_RELAXED) >> id % BITS & 1 ? id : 0;
}

static void record_callers(const void *via, uint64_t began)
{
	struct rec_between between = callers.between;
	between.via = via;
	rec_callers_record(&between, began);
}

static void call_begins(uint32_t region, const void *via)
{
	struct rec_slot *me = rec_self.slot;
	if (!rec_callers_timed()) {
		record_callers(via, 0);
	} else if (me && me->n_calls < REC_CALLS_MOST) {
		me->call[me->n_calls].region = region;
		me->call[me->n_calls++].ticks = rec.clock.ticks();
	}
}

/* Those that have not been left, since recording was off meanwhile, go as well. */
static void call_ends(uint32_t region, const void *via)
{
	struct rec_slot *me = rec_self.slot;
	uint32_t n = me ? me->n_calls : 0;
	while (n && me->call[n - 1].region != region)
		n--;
	if (!n)
		return;
	me->n_calls = n - 1;
	record_callers(via, me->call[n - 1].ticks);
}

static void record_one(uint32_t head, unsigned n, const uint64_t *payload, const void *via)
{
	uint32_t enters = region_of(head, WEFT_EV_ENTER), leaves = region_of(head, WEFT_EV_LEAVE);
	if (leaves && rec_callers_timed())
		call_ends(leaves, via);
	rec_slow_record(head, n, payload);
	if (enters)
		call_begins(enters, via);
}

struct bundle {
	const uint64_t *word; /* of the next two heads, or behind the first one's payload */
	uint64_t heads;
	bool second;
};

static uint32_t bundle_next(struct bundle *b, const uint64_t **payload)
{
	if (!b->second)
		b->heads = *b->word++;
	uint32_t head = (uint32_t)(b->second ? b->heads >> 32 : b->heads);
	*payload = b->word;
	b->word += weft_head_words(head);
	b->second = !b->second;
	return head;
}

static bool record_bundle(uint32_t head, unsigned n, const uint64_t *payload, const void *via)
{
	struct bundle b = {payload + (weft_head_words(head) == WEFT_WORDS_LONG), 0, false}, again = b;
	uint32_t entered = 0;
	bool apart = false, any = false;
	const uint64_t *words;
	for (uint32_t i = 0; i < weft_head_id(head); i++) {
		uint32_t one = bundle_next(&b, &words);
		uint32_t enters = region_of(one, WEFT_EV_ENTER), leaves = region_of(one, WEFT_EV_LEAVE);
		apart |= (weft_head_kind(one) == WEFT_EV_LEAVE && entered) || (weft_head_kind(one) == WEFT_EV_ENTER && entered) ||
		         (leaves && rec_callers_timed());
		entered = enters ? enters : entered;
		any |= enters || leaves;
	}
	if (any && !apart && entered) {
		rec_slow_record(head, n, payload);
		call_begins(entered, via);
	}
	for (uint32_t i = 0; apart && i < weft_head_id(head); i++) {
		uint32_t one = bundle_next(&again, &words);
		record_one(one, weft_head_words(one), words, via);
	}
	return apart || entered;
}

bool rec_callers_event(uint32_t head, unsigned n, const uint64_t *payload, const void *via)
{
	if (rec_self.busy)
		return false;
	if (weft_head_kind(head) == WEFT_EV_BUNDLE)
		return record_bundle(head, n, payload, via);
	if (!region_of(head, WEFT_EV_ENTER) && !region_of(head, WEFT_EV_LEAVE))
		return false;
	record_one(head, n, payload, via);
	return true;
}
