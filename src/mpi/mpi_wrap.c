/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that stand in for MPI's: one for each call, all alike. What MPI calls inside itself under its public names (MPICH's
 * Fortran, ROMIO) is part of the call that the program made, and passed on.
 */
#include "mpi_arguments.h"
#include "base/clock.h"
#include "mpi_poll.h"
#include "mpi_priv.h"
#include <stdlib.h>

enum { POLLS_TIMED = 64 };

#define MPI_POLL(name, arguments, kind, flag) [LINK_MPI_##name] = {MPI_POLL_##kind, flag, 0, 0, 0, 0},
#define MPI_POLL_REQUESTS(name, arguments, kind, flag, n, requests, status, ignore) \
	[LINK_MPI_##name] = {MPI_POLL_##kind, flag, n, requests, status, offsetof(struct mpi_shape, ignore)},
static const struct mpi_poll mpi_polls[LINK_MPI_CALLS] = {MPI_POLLS(MPI_POLL, MPI_POLL_REQUESTS)};
#undef MPI_POLL_REQUESTS
#undef MPI_POLL

weft_region mpi_region[LINK_MPI_CALLS];
const struct link_calls *mpi_link;
/* The call that this thread is in. */
static __thread struct {
	struct mpi_call *call;
	const char *frame; /* NULL: in none */
	unsigned id;
	struct {
		uint64_t n, timed, ticks, since;
	} in_vain[MPI_POLL_KINDS];
} here __attribute__((tls_model("initial-exec")));

#define MPI_CALL(name, n, kind) {"MPI_" #name, WRAP_STATE_##kind},
enum {
	WRAP_STATE_SEND = WEFT_STATE_COMMUNICATING,
	WRAP_STATE_RECV = WEFT_STATE_COMMUNICATING,
	WRAP_STATE_EXCHANGE = WEFT_STATE_COMMUNICATING,
	WRAP_STATE_POST = WEFT_STATE_COMMUNICATING,
	WRAP_STATE_WAIT = WEFT_STATE_WAITING,
	WRAP_STATE_PROBE = WEFT_STATE_WAITING,
	WRAP_STATE_COLLECTIVE = WEFT_STATE_SYNCHRONIZING,
	WRAP_STATE_RMA = WEFT_STATE_COMMUNICATING,
	WRAP_STATE_FILE = WEFT_STATE_IO,
	WRAP_STATE_OTHER = WEFT_STATE_OVERHEAD,
};
static const struct {
	const char *name;
	int state;
} wrapped[LINK_MPI_CALLS] = {
#include "link/link_mpi_calls.def"
};
#undef MPI_CALL

static weft_category category;
static weft_type polled = WEFT_OFF, poll_time = WEFT_OFF, unfollowed = WEFT_OFF;
static uint64_t first_ticks, first_ns; /* both clocks at the begin */

bool mpi_callers_asked; /* so that calls need no clock for them otherwise */

void mpi_define(void)
{
	mpi_callers_asked = getenv("WEFT_CALLERS") != NULL;
	category = weft_define_category("mpi", 1);
	mpi_burst_define(category);
	polled = weft_define_type("MPI polls in vain", "", category);
	poll_time = weft_define_type("time in MPI polls in vain", "ns", category);
	first_ticks = weft_ticks();
	first_ns = weft_monotonic_ns();
	unfollowed = weft_define_type("MPI operations lost", "", category);
	for (unsigned i = 0; i < LINK_MPI_CALLS; i++)
		mpi_region[i] = WEFT_OFF;
}

/* A process uses some dozen of five hundred: each is defined when it is first called. */
static weft_region region_of(unsigned id)
{
	weft_region r = mpi_region[id];
	if (WEFT_LIKELY(r != WEFT_OFF))
		return r;
	r = weft_define_region(wrapped[id].name, (enum weft_state_class)wrapped[id].state, category);
	__atomic_store_n(&mpi_region[id], r, __ATOMIC_RELEASE);
	return r;
}

void mpi_attr_define(weft_attr *attr, const char *name, const char *unit)
{
	/* Of bursts nothing is said that belongs to a single call. */
	if (!mpi_bursts && __atomic_load_n(attr, __ATOMIC_ACQUIRE) == WEFT_OFF)
		__atomic_store_n(attr, weft_define_attr(name, unit, category), __ATOMIC_RELEASE);
}

void mpi_lost(uint64_t n)
{
	weft_point(unfollowed, (int64_t)n);
}

bool mpi_leave_with(struct mpi_call *c, weft_comm of, uint32_t kind, const uint64_t *word)
{
	weft_region r = region_of(c->id);
	uint32_t on = *of, leave = *r;
	if (!on || !leave || mpi_callers_asked || mpi_pvars_on || mpi_hooks[c->id].poll)
		return false;
	const uint64_t words[4] = {(on | kind) | (uint64_t)(leave | WEFT_HEAD_LEAVE) << 32, word[0], word[1], word[2]};
	weft_record_head(of, on, 2 << 12 | WEFT_HEAD_BUNDLE | 4 << 8, 4, words, 0);
	c->left = true;
	return true;
}

static enum mpi_poll_kind poll_of(unsigned id)
{
	return (enum mpi_poll_kind)mpi_polls[id].kind;
}

static inline void count_in_vain(enum mpi_poll_kind k, uint64_t began)
{
	if (here.in_vain[k].n % POLLS_TIMED == 0) {
		here.in_vain[k].since = here.in_vain[k].n ? here.in_vain[k].since : began;
		here.in_vain[k].timed++;
		here.in_vain[k].ticks += weft_ticks() - began;
	}
	here.in_vain[k].n++;
}

/* Their time is that of those that were timed, for all: at most what has passed since the first, if one of these was interrupted. */
static void tell_in_vain(enum mpi_poll_kind k)
{
	if (!here.in_vain[k].n)
		return;
	uint64_t now = weft_ticks(), most = now - here.in_vain[k].since;
	double ticks = (double)here.in_vain[k].ticks / (double)here.in_vain[k].timed * (double)here.in_vain[k].n;
	double passed = (double)(now - first_ticks), ns = (double)(weft_monotonic_ns() - first_ns);
	weft_point(polled, (int64_t)here.in_vain[k].n);
	weft_point(poll_time, (int64_t)((ticks < (double)most ? ticks : (double)most) * ns / (passed > 0 ? passed : 1)));
	here.in_vain[k].n = here.in_vain[k].timed = here.in_vain[k].ticks = 0;
}

static inline void call_here(struct mpi_call *c, const char *frame)
{
	here.call = c;
	here.id = c->id;
	here.frame = frame;
	c->open = true;
	c->left = false;
}

static inline void call_begin(struct mpi_call *c, const char *frame)
{
	const struct mpi_hook *h = &mpi_hooks[c->id];
	call_here(c, frame);
	if (WEFT_UNLIKELY(mpi_bursts)) {
		mpi_burst_enter(c);
		return;
	}
	/* The clock takes as long as a call that asks in vain: of these it is read now and then. */
	if (h->poll ? !(here.in_vain[poll_of(c->id)].n % POLLS_TIMED) || mpi_callers_asked
	            : h->before || h->after || mpi_callers_asked)
		c->began = weft_ticks();
	if (!h->poll)
		weft_enter(region_of(c->id));
	if (WEFT_UNLIKELY(h->before == mpi_before_finalize))
		for (unsigned k = 0; k < MPI_POLL_KINDS; k++)
			tell_in_vain((enum mpi_poll_kind)k);
	if (h->before)
		h->before(c);
}

/* A program that polls would fill its trace with nothing: what was in vain is counted, and the number told with the next success. */
static void __attribute__((noinline)) poll_end(struct mpi_call *c, int rc)
{
	const struct mpi_hook *h = &mpi_hooks[c->id];
	bool success = rc || *(const int *)c->a[h->poll] != 0;
	if (success)
		weft_enter(region_of(c->id));
	if (h->after)
		h->after(c, rc);
	if (!success) {
		count_in_vain(poll_of(c->id), c->began);
		return;
	}
	if (WEFT_UNLIKELY(mpi_callers_asked))
		weft_callers((const void *)mpi_wrap_all, c->began);
	if (WEFT_UNLIKELY(mpi_pvars_on))
		mpi_pvars_read();
	tell_in_vain(poll_of(c->id));
	weft_leave(region_of(c->id));
}

static inline void call_end(struct mpi_call *c, int rc)
{
	const struct mpi_hook *h = &mpi_hooks[c->id];
	here.frame = NULL;
	if (WEFT_UNLIKELY(!c->open))
		return; /* an error handler was called meanwhile */
	c->open = false;
	if (WEFT_UNLIKELY(mpi_bursts)) {
		mpi_burst_leave(c, rc);
		return;
	}
	if (WEFT_UNLIKELY(h->poll)) {
		poll_end(c, rc);
		return;
	}
	if (h->after)
		h->after(c, rc);
	if (c->left)
		return;
	if (WEFT_UNLIKELY(mpi_callers_asked))
		weft_callers((const void *)mpi_wrap_all, c->began);
	if (WEFT_UNLIKELY(mpi_pvars_on))
		mpi_pvars_read();
	weft_leave(region_of(c->id));
}

/* The short way of calls that only ask. */
static inline __attribute__((always_inline)) bool poll_begin(struct mpi_call *c, const char *frame, const struct mpi_poll *p)
{
	if (WEFT_UNLIKELY(!mpi_polls_quick || here.frame) || (p->status && !mpi_poll_note(c, p)))
		return false;
	call_here(c, frame);
	if (WEFT_UNLIKELY(here.in_vain[p->kind].n % POLLS_TIMED == 0))
		c->began = weft_ticks();
	return true;
}

/* False: there was something, or it failed. */
static inline __attribute__((always_inline)) bool poll_in_vain(struct mpi_call *c, int rc, const struct mpi_poll *p)
{
	if (rc || *(const int *)c->a[p->flag] || WEFT_UNLIKELY(!c->open))
		return false;
	here.frame = NULL;
	c->open = false;
	count_in_vain((enum mpi_poll_kind)p->kind, c->began);
	return true;
}

/* An exception, or the end of the thread, goes through the call. */
static inline void call_unwound(struct mpi_call *c)
{
	if (WEFT_UNLIKELY(c->open))
		call_end(c, -1);
}

/*
 * A call from inside a call lies below it in the stack. One that does not was left by a jump that nobody told us of (out of a signal
 * handler, or of a function that MPI calls): it has ended.
 */
static bool __attribute__((noinline)) call_is_nested(const char *frame)
{
	if (frame < here.frame)
		return true;
	if (!mpi_hooks[here.id].poll && !mpi_bursts)
		weft_leave(region_of(here.id));
	here.frame = NULL;
	return false;
}

struct mpi_call *mpi_call_raised(int code)
{
	struct mpi_call *c = here.frame ? here.call : NULL;
	if (c)
		call_end(c, code ? code : -1);
	return c;
}

void mpi_call_resumed(struct mpi_call *c)
{
	if (!c)
		return;
	here.call = c;
	here.id = c->id;
	here.frame = (const char *)c->a; /* what is called from now on lies below */
}

#define PASS_0
#define PASS_1 a[0]
#define PASS_2 PASS_1, a[1]
#define PASS_3 PASS_2, a[2]
#define PASS_4 PASS_3, a[3]
#define PASS_5 PASS_4, a[4]
#define PASS_6 PASS_5, a[5]
#define PASS_7 PASS_6, a[6]
#define PASS_8 PASS_7, a[7]
#define PASS_9 PASS_8, a[8]
#define PASS_10 PASS_9, a[9]
#define PASS_11 PASS_10, a[10]
#define PASS_12 PASS_11, a[11]
#define PASS_13 PASS_12, a[12]

#define MPI_CALL(name, n, kind) \
	static __attribute__((noinline)) int wrap_##name(TAKE_##n) \
	{ \
		int (*real)(TAKE_##n) = (int (*)(TAKE_##n))mpi_link->real[LINK_MPI_##name]; \
		const char *frame = __builtin_dwarf_cfa(); \
		if (WEFT_UNLIKELY(here.frame != NULL) && call_is_nested(frame)) \
			return real(LIST_##n); \
		mpi_word a[n + 1] = {LIST_##n}; \
		struct mpi_call c __attribute__((cleanup(call_unwound))); \
		c.id = LINK_MPI_##name; \
		c.a = a; \
		call_begin(&c, frame); \
		int rc = real(PASS_##n); \
		call_end(&c, rc); \
		return rc; \
	}
#include "link/link_mpi_calls.def"
#undef MPI_CALL

#define MPI_POLL(name, n, ...) \
	static int poll_##name(TAKE_##n) \
	{ \
		const struct mpi_poll *p = &mpi_polls[LINK_MPI_##name]; \
		mpi_word a[n] = {LIST_##n}; \
		struct mpi_call c __attribute__((cleanup(call_unwound))); \
		c.id = LINK_MPI_##name; \
		c.a = a; \
		c.open = false; \
		if (!poll_begin(&c, __builtin_dwarf_cfa(), p)) \
			return wrap_##name(LIST_##n); \
		int rc = ((int (*)(TAKE_##n))mpi_link->real[LINK_MPI_##name])(PASS_##n); \
		if (!poll_in_vain(&c, rc, p)) \
			call_end(&c, rc); \
		return rc; \
	}
MPI_POLLS(MPI_POLL, MPI_POLL)
#undef MPI_POLL

/*
 * A call under the other name is the same one, where both lead to one function. Where they do not, a profiler stands between the program and
 * MPI, and calls PMPI_X for the MPI_X that it was called for.
 */
void mpi_wrap_all(void **slot)
{
	static void *const wrapper[LINK_MPI_CALLS] = {
#define MPI_CALL(name, n, kind) (void *)wrap_##name,
#include "link/link_mpi_calls.def"
#undef MPI_CALL
	};
	static void *const poll[LINK_MPI_CALLS] = {
#define MPI_POLL(name, ...) [LINK_MPI_##name] = (void *)poll_##name,
		MPI_POLLS(MPI_POLL, MPI_POLL)
#undef MPI_POLL
	};
	for (unsigned i = 0; i < LINK_MPI_CALLS; i++) {
		void *real = mpi_link->real[i], *with = poll[i] ? poll[i] : wrapper[i];
		if (real)
			__atomic_store_n(&slot[i], with, __ATOMIC_RELEASE);
		if (real && real == mpi_link->real[LINK_MPI_CALLS + i])
			__atomic_store_n(&slot[LINK_MPI_CALLS + i], with, __ATOMIC_RELEASE);
	}
}
