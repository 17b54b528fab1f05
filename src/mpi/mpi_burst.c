/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts (WEFT_BURSTS=NS): in place of calls and messages only where the program computes for at least so long, and what lies between:
 * a region "MPI" from the first call behind such a burst to the end of the last one before the next, with how many calls there were and their time,
 * in all, from rank to rank, and collective ones, and the bytes that were sent from rank to rank.
 *
 * Which call is the last one before a burst is known only when the next comes. So each call's end writes the region's end, as one record of 12
 * words at most, and a call that comes too early for a burst takes it back: the words are zeroed, then the thread's place is moved back. A
 * signal handler that records between the two keeps its event behind: then the record is put back, and the region is begun anew.
 */
#include "mpi_priv.h"
#include "base/clock.h"
#include "base/str.h"
#include <stdlib.h>

enum { BURST_WORDS_MOST = 12 };

uint64_t mpi_burst_ns;
static struct {
	weft_region between;
	weft_attr calls, time, pairs, pair_time, collectives, collective_time, bytes;
	uint64_t ticks; /* the threshold */
	double ticks_per_ns;
} burst;
static __thread struct {
	uint64_t began, ended; /* ticks of the call; of the last one */
	uint64_t calls, time, pairs, pair_time, collectives, collective_time, bytes;
	uintptr_t at, end; /* the record that may be taken back; 0: there is none */
	bool open;         /* ... or the region is */
} here __attribute__((tls_model("initial-exec")));

/* By a look at both clocks, once. */
static double ticks_per_ns(void)
{
	enum { LOOK_NS = 100000 };
	uint64_t ticks = weft_ticks(), from_ns = weft_monotonic_ns(), passed_ns;
	while ((passed_ns = weft_monotonic_ns() - from_ns) < LOOK_NS)
		;
	return (double)(weft_ticks() - ticks) / (double)passed_ns;
}

void mpi_burst_define(weft_category category)
{
	const char *text = getenv("WEFT_BURSTS");
	if (!text || weft_parse_u64(weft_str(text), &mpi_burst_ns) || !mpi_burst_ns) {
		mpi_burst_ns = 0;
		return;
	}
	burst.between = weft_define_region("MPI", WEFT_STATE_COMMUNICATING, category);
	burst.calls = weft_define_attr("calls", "", category);
	burst.time = weft_define_attr("time in calls", "ns", category);
	burst.pairs = weft_define_attr("point-to-point calls", "", category);
	burst.pair_time = weft_define_attr("time in point-to-point calls", "ns", category);
	burst.collective_time = weft_define_attr("time in collective calls", "ns", category);
	burst.collectives = weft_define_attr("collective calls", "", category);
	burst.bytes = weft_define_attr("bytes sent", "bytes", category);
	burst.ticks_per_ns = ticks_per_ns();
	burst.ticks = (uint64_t)((double)mpi_burst_ns * burst.ticks_per_ns);
}

/* The region's end, taken back: it goes on. */
static bool take_back(void)
{
	uint64_t kept[BURST_WORDS_MOST];
	volatile uint64_t *word = (volatile uint64_t *)here.at;
	unsigned n = (unsigned)((here.end - here.at) / 8);
	if (!here.at || *(volatile uintptr_t *)&weft_thread_1.at != here.end)
		return false;
	for (unsigned i = 0; i < n; i++)
		kept[i] = word[i];
	for (unsigned i = 0; i < n; i++)
		word[i] = 0;
	if (weft_claim(&weft_thread_1.at, here.end, here.at))
		return true;
	for (unsigned i = n; i-- > 0;)
		word[i] = kept[i];
	return false;
}

void mpi_burst_enter(struct mpi_call *c)
{
	here.began = c->began = weft_ticks();
	bool short_one = here.ended && here.began - here.ended < burst.ticks;
	if (!here.open && !(short_one && take_back())) {
		here.calls = here.time = here.pairs = here.pair_time = here.collectives = here.collective_time = here.bytes = 0;
		weft_enter(burst.between);
	}
	here.open = true;
	here.at = 0;
}

/* Sends and receives; what completes them, probes, and what only prepares them are other calls. */
static bool is_point_to_point(const struct mpi_call *c)
{
	static void (*const all[])(struct mpi_call *, int) = {mpi_after_send,      mpi_after_isend,
	                                                      mpi_after_recv,      mpi_after_irecv,
	                                                      mpi_after_sendrecv,  mpi_after_replace,
	                                                      mpi_after_isendrecv, mpi_after_isendrecv_replace,
	                                                      mpi_after_mrecv,     mpi_after_imrecv};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (mpi_hooks[c->id].after == all[i])
			return true;
	return false;
}

static uint64_t bytes_sent(const struct mpi_call *c)
{
	void (*after)(struct mpi_call *, int) = mpi_hooks[c->id].after;
	bool sends = after == mpi_after_send || after == mpi_after_isend || after == mpi_after_sendrecv ||
	             after == mpi_after_replace;
	return sends && mpi_count_int(c, 3) != mpi.proc_null ? mpi_bytes(c, 1, 2) : 0;
}

static uint64_t burst_ns(uint64_t ticks)
{
	return (uint64_t)((double)ticks / burst.ticks_per_ns);
}

void mpi_burst_leave(struct mpi_call *c, int rc)
{
	struct weft_bundle b;
	bool collective = mpi_hooks[c->id].after == mpi_after_collective, pair = is_point_to_point(c);
	here.ended = weft_ticks();
	uint64_t took = here.ended - here.began;
	here.calls++;
	here.time += took;
	here.pairs += pair;
	here.pair_time += pair ? took : 0;
	here.collectives += collective;
	here.collective_time += collective ? took : 0;
	here.bytes += rc ? 0 : bytes_sent(c);
	weft_bundle_begin(&b);
	weft_bundle_add_two(&b, burst.calls, WEFT_HEAD_ATTR, here.calls, burst.time, WEFT_HEAD_ATTR, burst_ns(here.time));
	weft_bundle_add_two(&b, burst.pairs, WEFT_HEAD_ATTR, here.pairs, burst.pair_time, WEFT_HEAD_ATTR,
	                    burst_ns(here.pair_time));
	weft_bundle_add_two(&b, burst.collectives, WEFT_HEAD_ATTR, here.collectives, burst.collective_time, WEFT_HEAD_ATTR,
	                    burst_ns(here.collective_time));
	weft_bundle_add(&b, burst.bytes, WEFT_HEAD_ATTR, here.bytes);
	weft_bundle_add(&b, burst.between, WEFT_HEAD_LEAVE, 0);
	uintptr_t at = *(volatile uintptr_t *)&weft_thread_1.at, words = b.n;
	weft_bundle_record(&b);
	uintptr_t end = *(volatile uintptr_t *)&weft_thread_1.at;
	/* Where something else was written with it, that stays. */
	here.at = end == at + 8 * words ? at : 0;
	here.end = end;
	here.open = false;
}
