/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft-calls share. A call of the program comes through libweft-preload's slot to a function of ours:
 *
 *     wrap_read(fd, ...)            most are alike and made from the table (calls_wrap.c); locks, waits and memory have their own
 *       calls_passes(caller)?       libweft's own calls, children of vfork(): as if we were not there
 *       calls_enter(&open, ...)     the region; a cancellation that unwinds through us leaves it
 *       real(...)
 *       calls_leave(&open, ...)
 *
 * All of it may run in a signal handler: nothing allocates, no lock of ours is waited for by who may hold it, errno is the call's.
 */
#ifndef WEFT_CALLS_PRIV_H
#define WEFT_CALLS_PRIV_H

#include "base/atomic.h"
#include "link/link_libc.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <weft/record.h>

#define CALLS_LIKELY(x) __builtin_expect(!!(x), 1)
#define CALLS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CALLS_CALLER __builtin_return_address(0)

typedef intptr_t calls_word;

/* ---- what is defined (calls_core.c) ---- */

struct calls_defined {
	weft_region region[LINK_LIBC_CALLS];
	weft_region create; /* pthread_create, which libweft-preload bears */
	weft_attr fd, file, bytes, error, result, lock, holder, condition, address, size, pid, command, short_calls;
	weft_type lock_taken, lock_released, lock_entries;
	weft_flow started, ended, woken, passed, opened;
	weft_type memory[LINK_LIBC_CALLS], memory_address;
	weft_region memory_call[LINK_LIBC_CALLS];
	weft_counter memory_in_use;
};
extern struct calls_defined calls_def;
extern const struct link_libc *calls_link;
extern bool calls_each_lock, calls_each_stdio, calls_has_callers;

#define CALLS_REAL(name) ((__typeof__(&(name)))calls_link->calls.real[LINK_LIBC_##name])
#define CALLS_REGION(name) calls_def.region[LINK_LIBC_##name]

/* Puts it into the slot, where its part is asked for and the C library has the function. */
void calls_put(void **slot, unsigned call, void *wrapper);

/* ---- of a thread ---- */

enum { CALLS_VFORKED = 1, CALLS_YOUNG = 2, CALLS_OURS = 4 };
enum { CALLS_HELD = 3 };
struct calls_self {
	uint32_t quiet;   /* CALLS_VFORKED…: calls go through as if we were not there */
	uint32_t holding; /* it has a lock of ours */
	uintptr_t open;   /* the innermost region: the frame of its wrapper; 0: none */
	weft_region open_region;
	uint32_t entries, short_calls; /* since they were told: locks taken without waiting, calls of stdio too short */
	uint32_t n_held, n_memory;     /* noted locks; calls for memory since the counter */
	int64_t in_use;                /* bytes taken, less given back, since the counter */
	const void *held[CALLS_HELD];
};
extern __thread struct calls_self calls_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Text of the program itself, from where most calls come. */
struct calls_range {
	uintptr_t from, bytes;
};
extern struct calls_range calls_program;
bool calls_is_runtime(const void *caller); /* a runtime's library, or one of ours */
bool calls_still_quiet(void);

static inline bool calls_passes(const void *caller)
{
	if ((uintptr_t)caller - calls_program.from >= calls_program.bytes && calls_is_runtime(caller))
		return true;
	return CALLS_UNLIKELY(calls_self.quiet) && calls_still_quiet();
}

/* ---- regions ---- */

struct calls_open {
	uintptr_t outer;
	weft_region outer_region, region; /* NULL: left */
};
/* A region whose frame is not above ours has been jumped over. */
void calls_drop_stale(void);

/* Inline up to the wrapper, whose frame it is. */
#define CALLS_INLINE static inline __attribute__((always_inline))
CALLS_INLINE void calls_push(struct calls_open *o, weft_region r)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	if (CALLS_UNLIKELY(calls_self.open != 0) && calls_self.open <= frame)
		calls_drop_stale();
	o->outer = calls_self.open;
	o->outer_region = calls_self.open_region;
	o->region = r;
	calls_self.open_region = r;
	calls_self.open = frame;
}
static inline void calls_pop(struct calls_open *o)
{
	calls_self.open = o->outer;
	calls_self.open_region = o->outer_region;
	o->region = NULL;
}
/* Behind a wrapper that a cancellation unwinds. */
static inline void calls_unwound(struct calls_open *o)
{
	if (o->region) {
		weft_leave(o->region);
		calls_pop(o);
	}
}
#define CALLS_OPEN(name) __attribute__((cleanup(calls_unwound))) struct calls_open name

/* Two events of one instant as one record; kinds are constants. */
CALLS_INLINE void calls_two(weft_def a, uint32_t a_kind, uint64_t a_word, weft_def b, uint32_t b_kind, uint64_t b_word)
{
	uint32_t a_on = *a, b_on = *b;
	if (CALLS_UNLIKELY(!a_on || !b_on)) {
		weft_record(a, a_kind, a_kind >> 8, &a_word);
		weft_record(b, b_kind, b_kind >> 8, &b_word);
		return;
	}
	uint64_t w[3] = {(a_on | a_kind) | (uint64_t)(b_on | b_kind) << 32, a_kind >> 8 ? a_word : b_word, b_word};
	enum { TWO = 2u << 12 | WEFT_HEAD_BUNDLE };
	if ((a_kind >> 8) + (b_kind >> 8) == 2)
		weft_record_head(a, a_on, TWO | 3u << 8, 3, w, 0);
	else
		weft_record_head(a, a_on, TWO | 2u << 8, 2, w, 0);
}

/* With an attribute; with the same at its end. */
CALLS_INLINE void calls_enter(struct calls_open *o, weft_region r, weft_attr a, int64_t value)
{
	calls_push(o, r);
	calls_two(r, WEFT_HEAD_ENTER, 0, a, WEFT_HEAD_ATTR, (uint64_t)value);
}
CALLS_INLINE void calls_enter_bare(struct calls_open *o, weft_region r)
{
	calls_push(o, r);
	weft_enter(r);
}
CALLS_INLINE void calls_leave(struct calls_open *o, weft_attr a, int64_t value)
{
	calls_two(a, WEFT_HEAD_ATTR, (uint64_t)value, o->region, WEFT_HEAD_LEAVE, 0);
	calls_pop(o);
}
static inline void calls_leave_bare(struct calls_open *o)
{
	weft_leave(o->region);
	calls_pop(o);
}

/* ---- who called: told before the end of a call, where it is asked for (calls_core.c) ---- */

void calls_tell_callers(uint64_t began);
static inline uint64_t calls_begin_ticks(void)
{
	return CALLS_UNLIKELY(calls_has_callers) ? weft_ticks() : 0;
}
static inline void calls_callers(uint64_t began)
{
	if (CALLS_UNLIKELY(began != 0))
		calls_tell_callers(began);
}

/* ---- spin locks of a moment: false: not got, for this thread has one, or something is very wrong ---- */

bool calls_lock(struct weft_atomic_u32 *lock);
void calls_unlock(struct weft_atomic_u32 *lock);

/* ---- the parts ---- */

void calls_wrap_all(void **slot);
void calls_lock_put(void **slot);
void calls_lock_forked(void);
void calls_lock_told(void); /* a thread ends: how many it took */
void calls_wait_put(void **slot);
void calls_print_put(void **slot);
void calls_char_put(void **slot);
void calls_exec_put(void **slot);
void calls_memory_put(void **slot);
void calls_memory_define(weft_category category);
void calls_process_put(void **slot);
void calls_thread_put(void **slot);
int calls_thread_begin(void);
void calls_thread_forked(void);

/* Names of descriptors (calls_file.c): ids of strings, 0: none. */
uint32_t calls_file_of(int fd);
void calls_file_set(int fd, const char *path); /* NULL: look when it is asked for */
void calls_file_forget(void);                  /* all of them */

/* Who wakes whom (calls_wake.c). */
struct calls_waiter;
struct calls_waiter *calls_wake_expect(const void *at);
void calls_wake(const void *at, weft_flow by, bool all);                     /* records the arrows' beginnings */
struct calls_waiter *calls_wake_meet(const void *at, unsigned n);            /* of n, the last wakes the others: NULL */
uint64_t calls_wake_done(const void *at, struct calls_waiter *, bool woken); /* the arrow's key, or 0 */
void calls_wake_forked(void);

/* Something that a condition variable lets go of, and takes again. */
void calls_lock_released(const void *lock);
void calls_lock_taken_again(const void *lock);

#endif
