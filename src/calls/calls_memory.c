/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc() and its like: each is a point of its function with the bytes asked for, and one with the address, in one record. What is in
 * use is a sum of what allocations have in fact, kept by each thread and added to the process's when it has changed by 64 KB or after 256
 * calls; the counter is told then. The C library's malloc_usable_size() stands with the C library's malloc(). With callers each call is a
 * region, too, as those belong to one.
 */
#include "calls_priv.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { TELL_BYTES = 64 << 10, TELL_CALLS = 256 };
static struct weft_atomic_u64 in_use;
static size_t (*usable)(void *);

void calls_memory_define(weft_category in)
{
	static const struct {
		unsigned id;
		const char *name;
	} function[] = {
		{LINK_LIBC_malloc, "malloc"},     {LINK_LIBC_calloc, "calloc"},
		{LINK_LIBC_realloc, "realloc"},   {LINK_LIBC_reallocarray, "reallocarray"},
		{LINK_LIBC_free, "free"},         {LINK_LIBC_posix_memalign, "posix_memalign"},
		{LINK_LIBC_memalign, "memalign"}, {LINK_LIBC_aligned_alloc, "aligned_alloc"},
		{LINK_LIBC_valloc, "valloc"},     {LINK_LIBC_pvalloc, "pvalloc"},
	};
	for (unsigned i = 0; i < sizeof function / sizeof *function; i++) {
		calls_def.memory[function[i].id] = weft_define_type(function[i].name, "bytes", in);
		/* A call stack is a region's. */
		calls_def.memory_call[function[i].id] = calls_has_callers
		                                                ? weft_define_region(function[i].name, WEFT_STATE_MEMORY, in)
		                                                : WEFT_OFF;
	}
	calls_def.memory_address = weft_define_type("memory at", "address", in);
	calls_def.memory_in_use = weft_define_counter("memory in use", "bytes", in);
	calls_def.size = weft_define_attr("size", "bytes", in);
	calls_def.address = weft_define_attr("address", "address", in);
	usable = (size_t(*)(void *))calls_link->calls.find("malloc_usable_size");
}

static void __attribute__((noinline)) tell(void)
{
	uint64_t change = (uint64_t)calls_self.in_use;
	calls_self.in_use = 0;
	calls_self.n_memory = 0;
	weft_count(calls_def.memory_in_use, (int64_t)(weft_add_u64(&in_use, change) + change));
}

static inline void changed(int64_t bytes)
{
	calls_self.in_use += bytes;
	if (CALLS_UNLIKELY(++calls_self.n_memory >= TELL_CALLS || calls_self.in_use >= TELL_BYTES ||
	                   calls_self.in_use <= -TELL_BYTES))
		tell();
}

static inline int64_t usable_at(void *at)
{
	return at && usable ? (int64_t)usable(at) : 0;
}

static inline void noted(unsigned id, uint64_t bytes, const void *at)
{
	calls_two(calls_def.memory[id], WEFT_HEAD_POINT, bytes, calls_def.memory_address, WEFT_HEAD_POINT, (uintptr_t)at);
}

/* Where callers are asked for, the call is a region around those points. 0: it is none. Finding callers takes no memory. */
static __attribute__((noinline)) uint64_t call_begins(unsigned id, const void *caller)
{
	if (calls_passes(caller))
		return 0;
	weft_enter(calls_def.memory_call[id]);
	return weft_ticks();
}

static __attribute__((noinline)) void call_ends(unsigned id, uint64_t began)
{
	calls_tell_callers(began);
	weft_leave(calls_def.memory_call[id]);
}

#define CALL_BEGINS(name) uint64_t began = CALLS_UNLIKELY(calls_has_callers) ? call_begins(LINK_LIBC_##name, CALLS_CALLER) : 0
#define CALL_ENDS(name) \
	do { \
		if (CALLS_UNLIKELY(began != 0)) \
			call_ends(LINK_LIBC_##name, began); \
	} while (0)

#define TAKING(name, take, pass, bytes) \
	static void *wrap_##name take \
	{ \
		typedef void *real_take take; \
		CALL_BEGINS(name); \
		void *at = ((real_take *)calls_link->calls.real[LINK_LIBC_##name])pass; \
		if (CALLS_LIKELY(!calls_passes(CALLS_CALLER)) && CALLS_LIKELY(at != NULL)) { \
			noted(LINK_LIBC_##name, (bytes), at); \
			changed(usable_at(at)); \
		} \
		CALL_ENDS(name); \
		return at; \
	}
TAKING(malloc, (size_t size), (size), size)
TAKING(calloc, (size_t n, size_t size), (n, size), n *size)
TAKING(aligned_alloc, (size_t align, size_t size), (align, size), size)
TAKING(memalign, (size_t align, size_t size), (align, size), size)
TAKING(valloc, (size_t size), (size), size)
TAKING(pvalloc, (size_t size), (size), size)

static int wrap_posix_memalign(void **out, size_t align, size_t size)
{
	CALL_BEGINS(posix_memalign);
	int rc = CALLS_REAL(posix_memalign)(out, align, size);
	if (rc == 0 && !calls_passes(CALLS_CALLER)) {
		noted(LINK_LIBC_posix_memalign, size, *out);
		changed(usable_at(*out));
	}
	CALL_ENDS(posix_memalign);
	return rc;
}

/* Given back before the call: behind it another thread may have the same address, and have told so. */
static void wrap_free(void *at)
{
	CALL_BEGINS(free);
	if (CALLS_LIKELY(at != NULL) && !calls_passes(CALLS_CALLER)) {
		int64_t bytes = usable_at(at);
		noted(LINK_LIBC_free, (uint64_t)bytes, at);
		changed(-bytes);
	}
	CALLS_REAL(free)(at);
	CALL_ENDS(free);
}

/* What moves is a free and an allocation; the old place is told first, for the same reason. */
static void *grow(unsigned id, void *at, size_t bytes, size_t n, size_t size)
{
	int64_t before = usable_at(at);
	if (at)
		noted(LINK_LIBC_free, (uint64_t)before, at);
	void *to = id == LINK_LIBC_realloc ? CALLS_REAL(realloc)(at, bytes) : CALLS_REAL(reallocarray)(at, n, size);
	if (to) {
		noted(id, bytes, to);
		changed(usable_at(to) - before);
	} else if (at && bytes) {
		noted(id, (uint64_t)before, at); /* it is where it was */
	} else {
		changed(-before);
	}
	return to;
}

static void *wrap_realloc(void *at, size_t size)
{
	if (calls_passes(CALLS_CALLER))
		return CALLS_REAL(realloc)(at, size);
	CALL_BEGINS(realloc);
	void *to = grow(LINK_LIBC_realloc, at, size, 1, size);
	CALL_ENDS(realloc);
	return to;
}

static void *wrap_reallocarray(void *at, size_t n, size_t size)
{
	size_t bytes;
	if (calls_passes(CALLS_CALLER) || __builtin_mul_overflow(n, size, &bytes))
		return CALLS_REAL(reallocarray)(at, n, size);
	CALL_BEGINS(reallocarray);
	void *to = grow(LINK_LIBC_reallocarray, at, bytes, n, size);
	CALL_ENDS(reallocarray);
	return to;
}

#define PUT(name) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name)
void calls_memory_put(void **slot)
{
	PUT(malloc);
	PUT(calloc);
	PUT(aligned_alloc);
	PUT(memalign);
	PUT(valloc);
	PUT(pvalloc);
	PUT(posix_memalign);
	PUT(free);
	PUT(realloc);
	PUT(reallocarray);
}
