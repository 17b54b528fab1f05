/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that stand in for MPI's: one for each call, all alike. What MPI calls inside itself under its public names (MPICH's
 * Fortran, ROMIO) is part of the call that the program made, and passed on.
 */
#include "mpi_priv.h"
#include <stdlib.h>

weft_region mpi_region[LINK_MPI_CALLS];
const struct link_calls *mpi_link;
/* The call that this thread is in. */
static __thread struct {
	struct mpi_call *call;
	const char *frame; /* NULL: in none */
	unsigned id;
	bool poll;
	uint64_t in_vain;
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
static weft_type polled = WEFT_OFF, unfollowed = WEFT_OFF;

static bool callers_asked; /* so that calls need no clock for them otherwise */

void mpi_define(void)
{
	callers_asked = getenv("WEFT_CALLERS") != NULL;
	category = weft_define_category("mpi", 1);
	polled = weft_define_type("MPI polls in vain", "", category);
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
	if (__atomic_load_n(attr, __ATOMIC_ACQUIRE) == WEFT_OFF)
		__atomic_store_n(attr, weft_define_attr(name, unit, category), __ATOMIC_RELEASE);
}

void mpi_lost(uint64_t n)
{
	weft_point(unfollowed, (int64_t)n);
}

static inline void call_begin(struct mpi_call *c, const char *frame)
{
	const struct mpi_hook *h = &mpi_hooks[c->id];
	here.call = c;
	here.id = c->id;
	here.frame = frame;
	c->open = true;
	if (h->before || h->after || callers_asked)
		c->began = weft_ticks();
	if (!h->poll)
		weft_enter(region_of(c->id));
	if (h->before)
		h->before(c);
}

/* A program that polls would fill its trace with nothing: what was in vain is counted, and the number told with the next success. */
static void __attribute__((noinline)) poll_end(struct mpi_call *c, int rc)
{
	const struct mpi_hook *h = &mpi_hooks[c->id];
	bool success = rc || *(const int *)c->a[h->poll - 1] != 0;
	if (success)
		weft_enter(region_of(c->id));
	if (h->after)
		h->after(c, rc);
	if (!success) {
		here.in_vain++;
		return;
	}
	if (WEFT_UNLIKELY(callers_asked))
		weft_callers((const void *)mpi_wrap_all, c->began);
	weft_leave(region_of(c->id));
	if (here.in_vain)
		weft_point(polled, (int64_t)here.in_vain);
	here.in_vain = 0;
}

static inline void call_end(struct mpi_call *c, int rc)
{
	const struct mpi_hook *h = &mpi_hooks[c->id];
	here.frame = NULL;
	if (WEFT_UNLIKELY(!c->open))
		return; /* an error handler was called meanwhile */
	c->open = false;
	if (WEFT_UNLIKELY(h->poll)) {
		poll_end(c, rc);
		return;
	}
	if (h->after)
		h->after(c, rc);
	if (WEFT_UNLIKELY(callers_asked))
		weft_callers((const void *)mpi_wrap_all, c->began);
	weft_leave(region_of(c->id));
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
	if (!mpi_hooks[here.id].poll)
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

#define TAKE_0 void
#define TAKE_1 mpi_word a0
#define TAKE_2 TAKE_1, mpi_word a1
#define TAKE_3 TAKE_2, mpi_word a2
#define TAKE_4 TAKE_3, mpi_word a3
#define TAKE_5 TAKE_4, mpi_word a4
#define TAKE_6 TAKE_5, mpi_word a5
#define TAKE_7 TAKE_6, mpi_word a6
#define TAKE_8 TAKE_7, mpi_word a7
#define TAKE_9 TAKE_8, mpi_word a8
#define TAKE_10 TAKE_9, mpi_word a9
#define TAKE_11 TAKE_10, mpi_word a10
#define TAKE_12 TAKE_11, mpi_word a11
#define TAKE_13 TAKE_12, mpi_word a12
#define LIST_0
#define LIST_1 a0
#define LIST_2 LIST_1, a1
#define LIST_3 LIST_2, a2
#define LIST_4 LIST_3, a3
#define LIST_5 LIST_4, a4
#define LIST_6 LIST_5, a5
#define LIST_7 LIST_6, a6
#define LIST_8 LIST_7, a7
#define LIST_9 LIST_8, a8
#define LIST_10 LIST_9, a9
#define LIST_11 LIST_10, a10
#define LIST_12 LIST_11, a11
#define LIST_13 LIST_12, a12
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
	static int wrap_##name(TAKE_##n) \
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
	for (unsigned i = 0; i < LINK_MPI_CALLS; i++) {
		void *real = mpi_link->real[i];
		if (real)
			__atomic_store_n(&slot[i], wrapper[i], __ATOMIC_RELEASE);
		if (real && real == mpi_link->real[LINK_MPI_CALLS + i])
			__atomic_store_n(&slot[LINK_MPI_CALLS + i], wrapper[i], __ATOMIC_RELEASE);
	}
}
