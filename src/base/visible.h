/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from elsewhere (names in traces, views and programs) for a terminal. What would steer the terminal, or turn round what is read,
 * is written as an escape that is seen: \x1b, \u009b, \u202e. All that Weft prints as text for people goes through here, through a
 * table (table.h), or is a line of weft_one_line, which has question marks instead.
 */
#ifndef WEFT_BASE_VISIBLE_H
#define WEFT_BASE_VISIBLE_H

#include "err.h"
#include "str.h"
#include <stdio.h>

void weft_put_visible(const char *z, FILE *to);
void weft_buf_visible(struct weft_buf *b, struct weft_str text);
/* As fprintf. Newlines that the format begins and ends with are newlines; others came with the arguments, and become visible, too. */
void weft_print_visible(FILE *to, const char *fmt, ...) WEFT_PRINTF(2, 3);

enum { WEFT_ESCAPE = 8 };
/* The escape of the character at z[0, n), terminated, into `out`; its bytes in *n_bytes; NULL: it is harmless. */
const char *weft_escape_of(const char *z, size_t n, char out[WEFT_ESCAPE], unsigned *n_bytes);

#endif
