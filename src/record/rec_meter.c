/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters at regions: a function of a recording library, called before the entry to a region, and before its end, on the region's own thread.
 * The inline path knows nothing of it. While there is such a function the path finds each page full (limit 0; where the page really ends
 * stands in rec_self), so that all events come by weft_record_slow, which asks here.
 */
#include "rec_priv.h"
#include <errno.h>

enum { BITS = 64 };

static struct {
	struct weft_meter of;
	uint64_t *skips; /* by region: a bit, set where its category is not wanted */
} meter;

void rec_meter_region(uint32_t id, const char *category)
{
	if (meter.skips && !meter.of.wants(category))
		__atomic_fetch_or(&meter.skips[id / BITS], (uint64_t)1 << id % BITS, __ATOMIC_RELAXED);
}

void rec_meter_begin(uint32_t why)
{
	if (__atomic_fetch_or(&rec.metered.v, why, __ATOMIC_SEQ_CST))
		return;
	/* Other threads come with their next page. */
	rec_busy_begin();
	rec_self.limit = weft_thread_1.limit;
	weft_thread_1.limit = 0;
	rec_busy_end();
}

int weft_meter(const struct weft_meter *m)
{
	if (!m || !m->read || !m->wants)
		return -EINVAL;
	int rc = rec_init();
	if (rc)
		return rc;
	rec_check_process();
	if (!rec_lock())
		return -EDEADLK;
	if (weft_load_u32(&rec.metered) & REC_METER) {
		rec_unlock();
		return -EBUSY;
	}
	meter.of = *m;
	meter.skips = rec_mmap((WEFT_ID_MAX + 1) / 8);
	rec_define_meter_all();
	rec_unlock();
	if (!meter.skips)
		return -ENOMEM;
	rec_meter_begin(REC_METER);
	return 0;
}

static uint32_t head_region(uint32_t head)
{
	enum weft_kind kind = weft_head_kind(head);
	if (kind == WEFT_EV_ENTER_FLOW)
		return weft_head_id(head) % 4096;
	return kind == WEFT_EV_ENTER || kind == WEFT_EV_LEAVE ? weft_head_id(head) : 0;
}

/* What the event says of a region, or 0: of a bundle, its first or second event. */
static uint32_t meter_region(uint32_t head, const uint64_t *payload)
{
	if (weft_head_kind(head) != WEFT_EV_BUNDLE)
		return head_region(head);
	uint64_t heads = payload[weft_head_words(head) == WEFT_WORDS_LONG];
	uint32_t first = head_region((uint32_t)heads);
	return first || weft_head_id(head) < 2 ? first : head_region((uint32_t)(heads >> 32));
}

static void meter_read(void)
{
	if (rec_self.metering || rec_self.busy)
		return;
	rec_self.metering = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* with handlers of this thread: what they record meanwhile is not metered */
	meter.of.read();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	rec_self.metering = 0;
}

void weft_read_counters(void)
{
	int saved = errno;
	if (weft_load_u32(&rec.metered) & REC_METER)
		meter_read();
	errno = saved;
}

void rec_meter_event(uint32_t head, const uint64_t *payload)
{
	uint32_t region = meter_region(head, payload);
	if (!region)
		return;
	/* Relaxed: the bit was set before anybody had the region. */
	if (__atomic_load_n(&meter.skips[region / BITS], __ATOMIC_RELAXED) >> region % BITS & 1)
		return;
	meter_read();
}
