/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The background thread: keeps some chunks reserved and touched ahead of the threads that record, seals what they have finished,
 * samples the clocks, and looks for objects that were loaded. It is started by the first definition while recording is on, since a
 * thread cannot be made where an event may stand, in a signal handler; a child that never defines anything does without one.
 *
 * All signals but SIGTRAP and SIGBUS are blocked in it. It sleeps on a futex until a chunk is taken or the next sample is due. Its state lies in wiped
 * memory: a child knows that it has none.
 */
#include "rec_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <linux/close_range.h>
#include <unistd.h>

#define STACK_BYTES (256u << 10)
#define READY_LEAST 2u
#define READY_MOST 16u
#define END_WAIT_NS 10000000000u /* a busy machine, a slow disk: free pages are given back only when it has ended */
#define SECOND_NS 1000000000u
#define SAMPLES_EACH_SECOND 100u /* after so many the samples become rarer: they are never overwritten */
#define DRIFT_PPM 50.0
#define LOOK_NS 50000000u /* for the file of WEFT_WHILE */

struct helper {
	struct rec_stream *stream;
	uint64_t next_sample_ns;
	uint32_t samples, ready, missed;
};

void rec_helper_wake(void)
{
	struct rec_wiped *w = rec.wiped;
	/* Together with the loop below: it says that it sleeps, then looks at the count; we change the count, then look. */
	__atomic_fetch_add(&w->helper_wake.v, 1, __ATOMIC_SEQ_CST);
	if (rec_look(&w->helper_sleeps))
		rec_futex_wake(&w->helper_wake);
}

/* ---- What it does ---- */

/*
 * Chunks that are free or will be as soon as they are archived. More where threads found none and had to do our work; the
 * mapped part of the file never becomes smaller, so not many more at once.
 */
static void helper_fill(struct helper *h)
{
	struct rec_space *s = &h->stream->space;
	struct rec_range r;
	uint32_t missed = weft_load_u32(&s->missed);
	if (missed != h->missed && h->ready < READY_MOST)
		h->ready++;
	h->missed = missed;
	while (rec_space_ready(s) < h->ready && rec_space_grow(s, true, false, &r) == 0)
		rec_space_free(s, r);
}

static void helper_note_drift(struct rec_stream *s, double rate, double before)
{
	char text[128], number[WEFT_FMT_DOUBLE];
	double ppm = (rate / before - 1) * 1e6;
	if (s->drift_told || fabs(ppm) <= DRIFT_PPM)
		return;
	s->drift_told = true;
	weft_fmt_double(number, floor(ppm));
	char *end = stpcpy(stpcpy(stpcpy(text, "the clock's rate changed by "), number), " parts per million");
	rec_meta_text(s, WEFT_TEXT_NOTE, weft_str_n(text, (size_t)(end - text)));
}

static uint64_t helper_pause_ns(uint32_t samples)
{
	static const uint64_t first[] = {10000000u, 90000000u, 900000000u};
	if (samples < sizeof first / sizeof *first)
		return first[samples];
	return samples < SAMPLES_EACH_SECOND ? SECOND_NS : 10ull * SECOND_NS;
}

static void helper_sample(struct helper *h)
{
	struct rec_stream *s = h->stream;
	struct rec_sample now = rec_clock_sample();
	double rate = rec_clock_rate(&s->last, &now), whole = rec_clock_rate(&s->first, &now);
	if (!rec_lock())
		return;
	rec_meta_clock(s, &now);
	if (rate > 0 && whole > 0) {
		/* Short intervals say more of the sampling than of the clock. */
		if (h->samples > 3)
			helper_note_drift(s, rate, whole);
		rec.ticks_per_ns = whole;
	}
	s->last = now;
	rec_unlock();
	rec_modules_update(s);
}

/* Starts or stops recording as WEFT_WHILE's file comes and goes. */
static void helper_switch(void)
{
	bool wanted = rec_while();
	if (!wanted)
		rec_first_again();
	if (wanted && !weft_load_u32(&rec.on) && !rec_first_over())
		(void)weft_start(NULL);
	else if (!wanted && weft_load_u32(&rec.on))
		weft_stop();
}

/* One round; returns when the next is due. */
static uint64_t helper_round(struct helper *h)
{
	struct rec_stream *s = h->stream;
	/* At its end the process does not wait for what it seals itself. */
	while (!weft_load_u32(&rec.wiped->helper_end) && rec_archive_some(&s->space))
		;
	helper_fill(h);
	uint64_t now = weft_monotonic_ns();
	if (now >= h->next_sample_ns) {
		helper_sample(h);
		h->next_sample_ns = now + helper_pause_ns(h->samples++);
	}
	if (rec_save_asked())
		(void)rec_save(s, NULL);
	if (rec.while_file[0])
		helper_switch();
	__atomic_store_n(&s->head->helper_cpu_ns, weft_thread_cpu_ns(), __ATOMIC_RELAXED);
	return rec.while_file[0] && h->next_sample_ns > now + LOOK_NS ? now + LOOK_NS : h->next_sample_ns;
}

/*
 * A table of files of our own, with the stream's alone: what the program closes, or makes of the number, is nothing to us. The
 * other descriptors must go at once, or pipes would stay open that the program closes.
 */
static void helper_own_files(struct rec_stream *s)
{
	int fd = rec_space_fd(&s->space);
	if (fd <= 0 || close_range((unsigned)fd + 1, ~0u, CLOSE_RANGE_UNSHARE))
		return;
	(void)close_range(0, (unsigned)fd - 1, 0);
	if (rec_space_fd_holds(&s->space, fd))
		rec_self.own_fd = fd;
}

static void helper_run(struct rec_stream *s)
{
	struct rec_wiped *w = rec.wiped;
	struct helper h = {.stream = s, .ready = READY_LEAST};
	rec_foreign_end(); /* of helper_create: a thread is made when it runs */
	prctl(PR_SET_NAME, "weft-helper", 0, 0, 0);
	h.missed = weft_load_u32(&h.stream->space.missed);
	h.next_sample_ns = weft_monotonic_ns() + helper_pause_ns(h.samples++);
	helper_own_files(h.stream);
	rec_topology_write(h.stream);
	while (!weft_load_u32(&w->helper_end) && !weft_load_u32(&h.stream->closing)) {
		uint32_t seen = weft_load_u32(&w->helper_wake);
		uint64_t due = helper_round(&h), now = weft_monotonic_ns();
		rec_say(&w->helper_sleeps, 1); /* with rec_helper_wake */
		if (due > now && rec_look(&w->helper_wake) == seen)
			rec_futex_wait(&w->helper_wake, seen, due - now);
		weft_store_u32(&w->helper_sleeps, 0);
	}
	__atomic_store_n(&h.stream->head->helper_cpu_ns, weft_thread_cpu_ns(), __ATOMIC_RELAXED);
}

static void *helper_main(void *arg)
{
	rec_unseen_begin();
	helper_run(arg);
	rec_unseen_end();
	weft_store_u32(&rec.wiped->helper, REC_HELPER_ENDED);
	rec_futex_wake(&rec.wiped->helper);
	return NULL;
}

/* ---- Its begin and end ---- */

static int helper_create_thread(struct rec_stream *s, size_t stack_bytes)
{
	pthread_attr_t attr;
	pthread_t id;
	int rc = pthread_attr_init(&attr);
	if (rc)
		return rc;
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (stack_bytes)
		(void)pthread_attr_setstacksize(&attr, stack_bytes);
	rc = pthread_create(&id, &attr, helper_main, s);
	pthread_attr_destroy(&attr);
	return rc;
}

static enum rec_helper_state helper_create(struct rec_stream *s)
{
	/* Not created while others fork for so long: at the next definition. */
	if (!rec_foreign_begin(true))
		return REC_HELPER_NONE;
	weft_store_u32(&rec.wiped->helper, REC_HELPER_RUNNING);
	int rc = helper_create_thread(s, STACK_BYTES);
	/* A program with much thread-local memory wants a larger stack. */
	if (rc == EINVAL)
		rc = helper_create_thread(s, 0);
	if (rc)
		rec_foreign_end();
	return rc ? REC_HELPER_FAILED : REC_HELPER_RUNNING;
}

/* All signals are blocked: the helper's thread begins with that; and the child of a handler that forks would go on with our stream. */
static void helper_start(void)
{
	struct rec_stream *s = rec_stream();
	uint32_t none = REC_HELPER_NONE;
	if (!s || !weft_cas_u32(&rec.wiped->helper, &none, REC_HELPER_STARTING))
		return;
	rec_modules_update(s);
	enum rec_helper_state state = helper_create(s);
	if (state != REC_HELPER_RUNNING)
		weft_store_u32(&rec.wiped->helper, state);
}

void rec_signals_most(sigset_t *out)
{
	sigfillset(out);
	/* What runs of the C library meanwhile may be watched by a trap (src/agent): blocked, that would end the process. */
	sigdelset(out, SIGTRAP);
	sigdelset(out, SIGBUS); /* of a stream that was cut off */
}

void rec_helper_ensure(void)
{
	sigset_t all, old;
	if (rec.no_helper || (!weft_load_u32(&rec.on) && !rec.while_file[0]) || !rec_stream() ||
	    weft_load_u32(&rec.wiped->helper) != REC_HELPER_NONE)
		return;
	rec_signals_most(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rec_unseen_begin();
	helper_start();
	rec_unseen_end();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool rec_helper_end(void)
{
	struct weft_atomic_u32 *state = &rec.wiped->helper;
	uint64_t from = weft_monotonic_ns();
	weft_store_u32(&rec.wiped->helper_end, 1);
	rec_helper_wake();
	for (;;) {
		uint32_t now = weft_load_u32(state);
		if (now != REC_HELPER_RUNNING && now != REC_HELPER_STARTING)
			return true;
		uint64_t past = weft_monotonic_ns() - from;
		if (past >= END_WAIT_NS)
			return false;
		rec_futex_wait(state, now, END_WAIT_NS - past);
	}
}
