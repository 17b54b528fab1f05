/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text, line by line, in bounded memory: a file (packed or a pipe, too), or what is in memory. The line is numbered, so that whoever finds
 * something wrong in it can say where: "tasks.rec:17: …".
 */
#ifndef WEFT_TASKFILES_TEXT_LINES_H
#define WEFT_TASKFILES_TEXT_LINES_H

#include "base/str.h"

struct text_lines;
int text_lines_open(struct text_lines **out, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* Borrows the text and its name. */
int text_lines_open_memory(struct text_lines **out, const char *at, size_t n, const char *name,
                           struct weft_err *err) WEFT_MUST_CHECK;
void text_lines_close(struct text_lines *t); /* may be NULL */

/* The next one without its end (a carriage return belongs to that), valid until the next call. 1, 0 at the end, negative. */
int text_lines_next(struct text_lines *t, struct weft_str *line, struct weft_err *err) WEFT_MUST_CHECK;
uint64_t text_lines_number(const struct text_lines *t); /* of the line that was read last, from 1 */
const char *text_lines_name(const struct text_lines *t);

/* "NAME:LINE: " and what is wrong: WEFT_E_SYNTAX. */
int text_lines_wrong(const struct text_lines *t, struct weft_err *err, const char *fmt, ...) WEFT_PRINTF(3, 4);

#endif
