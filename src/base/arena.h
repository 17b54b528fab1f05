/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocation: many small objects that die together. One arena per request or file; not thread-safe. */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include "err.h"
#include <stddef.h>
#include <stdint.h>

struct weft_arena_chunk;

struct weft_arena {
	struct weft_arena_chunk *head; /* newest chunk first; owned */
	char *at, *end;                /* free space in the newest chunk */
	size_t bytes;                  /* allocated from the system so far */
};

/* Zero-initialised is a valid empty arena. fini frees all that came from it, and leaves it empty and usable. */
void weft_arena_fini(struct weft_arena *a);

/* 16-byte aligned, zeroed; NULL when memory is out. O(1) amortised. */
void *weft_arena_alloc(struct weft_arena *a, size_t bytes) WEFT_MUST_CHECK;
char *weft_arena_strdup(struct weft_arena *a, const char *s) WEFT_MUST_CHECK;
char *weft_arena_strndup(struct weft_arena *a, const char *s, size_t len) WEFT_MUST_CHECK;
char *weft_arena_printf(struct weft_arena *a, const char *fmt, ...) WEFT_PRINTF(2, 3) WEFT_MUST_CHECK;

#endif
