/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking a file in a thread of its own, for text_input.c only. */
#ifndef WEFT_TRACE_TEXT_UNPACK_H
#define WEFT_TRACE_TEXT_UNPACK_H

#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

struct text_unpack;

/* Is this the first of a packed file that we know? */
int text_unpack_knows(const uint8_t *first, size_t n);
/* Starts the thread. fd: borrowed until free; path: for messages, likewise; first: its first bytes, as given to knows. */
int text_unpack_new(struct text_unpack **out, int fd, const char *path, const uint8_t *first, size_t n_first,
                    struct weft_err *err) WEFT_MUST_CHECK;
void text_unpack_free(struct text_unpack *u); /* may be NULL; ends the thread */
/* Up to n bytes: their count, 0 at the end, negative on failure. One caller at a time. */
int64_t text_unpack_read(struct text_unpack *u, char *at, size_t n, struct weft_err *err) WEFT_MUST_CHECK;
uint64_t text_unpack_taken(struct text_unpack *u);           /* packed bytes read so far */
const char *text_unpack_damage(const struct text_unpack *u); /* after the end */

#endif
