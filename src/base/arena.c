/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bump allocation from a list of chunks. Chunks double from 4 KiB to 1 MiB, so that a small arena costs little and a
 * large one few calls. An object that is large beside the chunk gets a chunk of its own, put *behind* the newest one,
 * so that the free space there stays in use.
 *
 *     head -> [next|bytes| objects ... at->        <-end]    newest, filling
 *               |
 *               v
 *             [next|bytes| one large object ]  -> ...        older, full
 */
#include "arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_FIRST = 4096, CHUNK_LAST = 1 << 20, ALIGN = 16 };

struct weft_arena_chunk {
	struct weft_arena_chunk *next;
	size_t bytes; /* with this header */
	_Alignas(ALIGN) char data[];
};

_Static_assert(sizeof(struct weft_arena_chunk) % ALIGN == 0, "objects start aligned");

void weft_arena_fini(struct weft_arena *a)
{
	while (a->head) {
		struct weft_arena_chunk *next = a->head->next;
		free(a->head);
		a->head = next;
	}
	*a = (struct weft_arena){0};
}

/* calloc, not malloc and memset: fresh pages from the kernel are zero already and stay untouched until used. */
static struct weft_arena_chunk *arena_chunk(struct weft_arena *a, size_t data_bytes)
{
	size_t bytes = sizeof(struct weft_arena_chunk) + data_bytes;
	struct weft_arena_chunk *c = calloc(1, bytes);
	if (!c)
		return NULL;
	c->bytes = bytes;
	a->bytes += bytes;
	return c;
}

static void *arena_large(struct weft_arena *a, size_t bytes)
{
	struct weft_arena_chunk *c = arena_chunk(a, bytes);
	if (!c)
		return NULL;
	if (a->head) {
		c->next = a->head->next;
		a->head->next = c;
	} else {
		a->head = c;
		a->at = a->end = c->data + bytes;
	}
	return c->data;
}

static size_t arena_next_chunk_bytes(const struct weft_arena *a)
{
	size_t bytes = CHUNK_FIRST;
	while (bytes < CHUNK_LAST && bytes <= a->bytes)
		bytes *= 2;
	return bytes;
}

void *weft_arena_alloc(struct weft_arena *a, size_t bytes)
{
	if (bytes > PTRDIFF_MAX - 2 * CHUNK_LAST)
		return NULL;
	bytes = bytes ? (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
	if (bytes > (size_t)(a->end - a->at)) {
		size_t chunk_bytes = arena_next_chunk_bytes(a);
		if (bytes > chunk_bytes / 4)
			return arena_large(a, bytes);
		struct weft_arena_chunk *c = arena_chunk(a, chunk_bytes - sizeof *c);
		if (!c)
			return NULL;
		c->next = a->head;
		a->head = c;
		a->at = c->data;
		a->end = (char *)c + c->bytes;
	}
	void *p = a->at;
	a->at += bytes;
	return p;
}

char *weft_arena_strndup(struct weft_arena *a, const char *s, size_t len)
{
	if (len >= PTRDIFF_MAX)
		return NULL;
	char *p = weft_arena_alloc(a, len + 1);
	if (p && len)
		memcpy(p, s, len);
	return p;
}

char *weft_arena_strdup(struct weft_arena *a, const char *s)
{
	return weft_arena_strndup(a, s, strlen(s));
}

char *weft_arena_printf(struct weft_arena *a, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	char *p = NULL;
	int n = vsnprintf(NULL, 0, fmt, args);
	if (n >= 0)
		p = weft_arena_alloc(a, (size_t)n + 1);
	if (p)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(args);
	return p;
}
