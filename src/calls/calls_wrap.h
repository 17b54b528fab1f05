/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of calls with descriptors and streams. A call of stdio that ends in the stream's buffer is no I/O, and shorter than its region would take:
 * its region is recorded afterwards, with its own begin, when it has lasted for about a microsecond; others are counted.
 */
#ifndef WEFT_CALLS_WRAP_H
#define WEFT_CALLS_WRAP_H

#include "calls_priv.h"
#include <stdio.h>

/* ENTER, descriptor, file. */
CALLS_INLINE void calls_enter_file(struct calls_open *o, weft_region r, int fd, uint32_t file)
{
	uint32_t on = *r, fd_on = *calls_def.fd, file_on = *calls_def.file;
	calls_push(o, r);
	if (CALLS_UNLIKELY(!on || !fd_on || !file_on))
		return;
	uint64_t w[4] = {(on | WEFT_HEAD_ENTER) | (uint64_t)(fd_on | WEFT_HEAD_ATTR) << 32, (uint64_t)fd,
	                 file_on | WEFT_HEAD_ATTR_S, file};
	weft_record_head(r, on, 3u << 12 | WEFT_HEAD_BUNDLE | 4u << 8, 4, w, 0);
}

/* A string of the program's, as an id; of an address that may be none. 0: nothing. */
uint32_t calls_text_at(calls_word at);
CALLS_INLINE void calls_enter_command(struct calls_open *o, unsigned id, calls_word text)
{
	int error = errno;
	uint32_t command = calls_text_at(text);
	calls_enter_bare(o, calls_def.region[id]);
	if (command)
		weft_attr_string(calls_def.command, command);
	errno = error;
}

struct calls_late {
	uint64_t began; /* 0: the region is open */
	uint64_t ticks; /* of its begin, where callers are asked for; else 0 */
	uintptr_t at;   /* where the thread's next event was to go */
	FILE *file;     /* NULL: not known */
	int64_t bytes;  /* negative: not known */
};
enum { CALLS_SHORT_TICKS = 2500, CALLS_LATE_ROOM = 256 };

static inline void calls_late_begin(struct calls_late *l, unsigned id)
{
	l->at = weft_thread_1.at;
	l->began = 0;
	l->ticks = calls_begin_ticks();
	if (CALLS_UNLIKELY(calls_each_stdio || l->at + CALLS_LATE_ROOM > weft_thread_1.limit))
		weft_enter(calls_def.region[id]);
	else
		l->began = weft_ticks();
}

static inline bool calls_late_lasted(const struct calls_late *l)
{
	uint32_t least = weft_thread_1.clock == 1 ? CALLS_SHORT_TICKS : 1000;
	if (!l->began || weft_ticks() - l->began >= least)
		return true;
	calls_self.short_calls++;
	return false;
}

/* Its begin lies back: in order, when this thread has recorded nothing since. Else it begins now. */
static inline void calls_enter_ago(weft_region r, uint64_t began, uintptr_t was_at)
{
	uint32_t on = *r;
	uintptr_t at = *(volatile uintptr_t *)&weft_thread_1.at;
	uint64_t since = began - weft_thread_1.base;
	if (at != was_at || at + 8 > weft_thread_1.limit || since >> 32 || !on || !weft_claim(&weft_thread_1.at, at, at + 8)) {
		weft_enter(r);
		return;
	}
	__atomic_store_n((uint64_t *)at, since << 32 | on | WEFT_HEAD_ENTER, __ATOMIC_RELEASE);
}

/* The region's end, with what is known of the call. */
void calls_late_told(struct calls_late *l, unsigned id);

#endif
