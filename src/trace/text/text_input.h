/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text files as blocks of whole lines, for parsers that work in parallel. Plain files are read where each block lies; packed
 * ones (gzip, zstd; told by their first bytes) are unpacked in order by a thread of their own, which also reads pipes.
 *
 *     open ── line, line, …  (the head, one after the other) ── block 0, 1, 2, …  (several threads at once)
 */
#ifndef WEFT_TRACE_TEXT_INPUT_H
#define WEFT_TRACE_TEXT_INPUT_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_PAD 64 /* bytes that may be read in front of a block's text, and behind it; those behind it are newlines */

struct text_block {
	char *at;        /* whole lines; the last of the file may lack its newline. Borrows from memory */
	size_t n;        /* may be 0, where one line is longer than a block */
	uint64_t offset; /* of `at` in the (unpacked) text */
	char *memory;    /* owned; a block can be used again and again */
	size_t cap;
};
void text_block_fini(struct text_block *b);

struct text_input;
/*
 * A line without end would be kept whole in memory. The longest that mean something are headers of millions of threads; those of
 * blocks are records, and there is one for each worker.
 */
enum { TEXT_HEAD_LINE_MOST = 32 << 20, TEXT_LINE_MOST = 8 << 20 };

/* block_bytes: how much text a block has, about. */
int text_input_open(struct text_input **out, const char *path, size_t block_bytes, struct weft_err *err) WEFT_MUST_CHECK;
/* Of what can be read once only: takes fd, of which the first bytes were read already, also on failure. */
struct text_stream {
	int fd; /* -1: none */
	size_t n_first;
	uint8_t first[4096];
};
int text_input_open_stream(struct text_input **out, struct text_stream *from, const char *path, size_t block_bytes,
                           struct weft_err *err) WEFT_MUST_CHECK;
void text_input_close(struct text_input *in); /* may be NULL */

/* The next line, without its newline, valid until the next call. 1, 0 at the end, negative. One thread, before any block. */
int text_input_line(struct text_input *in, struct weft_str *line, struct weft_err *err) WEFT_MUST_CHECK;
void text_input_unread(struct text_input *in);           /* puts the line back that was read last, once */
uint64_t text_input_offset(const struct text_input *in); /* of what follows the lines so far */

void text_input_set_block(struct text_input *in, size_t block_bytes); /* before the first block */
/*
 * Block i of what follows the lines that were read: 1, 0 when the text ends before it, negative. Thread-safe. Every i from 0
 * on must be asked for once, and lower ones no later than higher ones (a packed file waits for them).
 */
int text_input_block(struct text_input *in, uint64_t i, struct text_block *b, struct weft_err *err) WEFT_MUST_CHECK;

/* At the end: whether the last line has no newline, as when a file was cut off. */
bool text_input_is_cut(const struct text_input *in);

bool text_input_packed(const struct text_input *in);
uint64_t text_input_bytes(const struct text_input *in);      /* of the file, packed as it is; 0: not known (a pipe) */
uint64_t text_input_bytes_read(const struct text_input *in); /* of them so far, for a progress bar */
/* At the end: what is wrong with a packed file ("the gzip stream ends early"), or NULL. What stood before is read. */
const char *text_input_damage(const struct text_input *in);

#endif
