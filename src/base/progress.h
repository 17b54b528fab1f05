/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress bar on stderr for work that lasts: shown only when stderr is a terminal, after half a second, ten times a
 * second at most, wiped at the end. step() is cheap and thread-safe. Or, where a
 * program has another place to show it, it is told there.
 */
#ifndef WEFT_BASE_PROGRESS_H
#define WEFT_BASE_PROGRESS_H

#include "atomic.h"

/* How far the work of a thread is, for others to look at. Zeroed: nothing has begun. */
struct weft_progress_seen {
	struct weft_atomic_ptr what; /* const char * of a constant; NULL: nothing is under way */
	struct weft_atomic_u64 done, total;
};
struct weft_progress {
	const char *what; /* borrowed */
	uint64_t total;   /* 0: unknown, shows a count only */
	struct weft_atomic_u64 done, next_ns;
	uint64_t start_ns;
	bool on;
	struct weft_progress_seen *seen; /* borrowed; NULL: the terminal */
};

/* What this thread begins from now on is told there, in place of the terminal; NULL: no more. */
void weft_progress_tell(struct weft_progress_seen *seen);

void weft_progress_begin(struct weft_progress *p, const char *what, uint64_t total);
void weft_progress_step(struct weft_progress *p, uint64_t more); /* p may be NULL: does nothing */
void weft_progress_end(struct weft_progress *p);

#endif
