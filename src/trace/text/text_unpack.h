/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking a file in a thread of its own, for text_input.c only. */
#ifndef WEFT_TRACE_TEXT_UNPACK_H
#define WEFT_TRACE_TEXT_UNPACK_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_unpack;

/* Is this the first of a packed file that we know? */
int text_unpack_knows(const uint8_t *first, size_t n);
/*
 * Starts the thread. fd: borrowed until free; path: for messages, likewise; first: its first bytes, as given to knows (of which
 * there need to be no more than those), which are yet to be read from fd, or were taken from it. What is not packed goes through as
 * it is.
 */
int text_unpack_new(struct text_unpack **out, int fd, const char *path, const uint8_t *first, size_t n_first, bool were_taken,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* What a packed file begins with, unpacked: as much of it as comes of its first bytes; its count, or 0. */
size_t text_unpack_peek(const uint8_t *first, size_t n_first, char *to, size_t room);
void text_unpack_free(struct text_unpack *u); /* may be NULL; ends the thread */
/* Up to n bytes: their count, 0 at the end, negative on failure. One caller at a time. */
int64_t text_unpack_read(struct text_unpack *u, char *at, size_t n, struct weft_err *err) WEFT_MUST_CHECK;
uint64_t text_unpack_taken(struct text_unpack *u);           /* bytes of the file that were used so far */
const char *text_unpack_damage(const struct text_unpack *u); /* after the end */

#endif
