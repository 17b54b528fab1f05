/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: slices that borrow, buffers that grow, numbers in and out.
 * Parsers here take the whole slice or fail: "12x" is not a number. None of them looks at the locale.
 */
#ifndef WEFT_BASE_STR_H
#define WEFT_BASE_STR_H

#include "err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A slice: borrows from whoever made it; not terminated. */
struct weft_str {
	const char *at;
	size_t n;
};

static inline struct weft_str weft_str_n(const char *at, size_t n)
{
	return (struct weft_str){at, n};
}
struct weft_str weft_str(const char *z); /* of a terminated string; NULL gives the empty slice */
bool weft_str_eq(struct weft_str a, const char *z);
struct weft_str weft_str_trim(struct weft_str s);        /* without blanks (also newlines) at both ends */
struct weft_str weft_str_behind_mark(struct weft_str s); /* without the mark of UTF-8 that some editors put in front of a text */
struct weft_str weft_str_word(struct weft_str *rest);    /* up to a blank; what is left begins and ends without blanks */
/*
 * The next part up to sep; false at the end. n separators make n + 1 parts, so "a," has the parts "a" and "", and "" the
 * part ""; only weft_str(NULL) has none. At the end rest->at is NULL.
 */
bool weft_str_cut(struct weft_str *rest, char sep, struct weft_str *part);

void weft_one_line(char *z); /* hazards become '?', so that a text from a file cannot steer a terminal */
/*
 * Bytes of the character at `at` when it can steer a terminal, or turn round what is read: controls (C0, DEL, C1), marks of direction,
 * separators of lines; 0: it is harmless.
 */
unsigned weft_text_hazard(const char *at, size_t n);
unsigned weft_utf8_len(const char *at, size_t n); /* bytes of the character at `at`; 0 when that is no valid UTF-8 */

/* 0 or WEFT_E_SYNTAX (-ERANGE when it does not fit); *out is untouched on failure. */
int weft_parse_u64(struct weft_str s, uint64_t *out) WEFT_MUST_CHECK; /* digits only: no sign, no blanks */
int weft_parse_i64(struct weft_str s, int64_t *out) WEFT_MUST_CHECK;
int weft_parse_double(struct weft_str s, double *out) WEFT_MUST_CHECK; /* decimal; no hexadecimal, inf or nan; rounds correctly */
/* A number, its decimals, perhaps one blank, a unit. */
int weft_parse_bytes(struct weft_str s, uint64_t *out) WEFT_MUST_CHECK; /* "64M", "1.5GiB", "4096": powers of 1024; whole bytes */
int weft_parse_ns(struct weft_str s, uint64_t *out) WEFT_MUST_CHECK;    /* "10ms", "1.5s", "3us", "2min", "17" = ns; exact */

/* A growing text. Zero-initialised is empty. After a failed allocation `failed` stays set and appends do nothing. */
struct weft_buf {
	char *at; /* owned; terminated whenever n > 0 */
	size_t n, cap;
	bool failed;
};
void weft_buf_fini(struct weft_buf *b);
void weft_buf_add(struct weft_buf *b, const char *at, size_t n);
void weft_buf_puts(struct weft_buf *b, const char *z);
void weft_buf_putc(struct weft_buf *b, char c);
void weft_buf_printf(struct weft_buf *b, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* For a shell: in single quotes where it is not plain; ./ before what would be an option, as only the name of a file begins so. */
void weft_buf_shell(struct weft_buf *b, struct weft_str word);
void weft_buf_u64(struct weft_buf *b, uint64_t v); /* decimal, fast */
void weft_buf_i64(struct weft_buf *b, int64_t v);

/* Writes decimal digits at `at` (room for 20), returns their count. Not terminated. */
unsigned weft_fmt_u64(char *at, uint64_t v);
unsigned weft_fmt_i64(char *at, int64_t v); /* room for 20 */
/* The shortest decimal that reads back as v, whatever the locale ("0.1", "1e+300", "nan"). Terminated. */
#define WEFT_FMT_DOUBLE 32
unsigned weft_fmt_double(char *at, double v);

/* For people, into `out` (32 bytes are enough), in three digits: "1.21 ms", "3.42 MiB", "12.3 M", "3 min 07 s". Return out. */
char *weft_human_ns(char *out, uint64_t ns);
char *weft_human_bytes(char *out, uint64_t bytes);
char *weft_human_count(char *out, uint64_t n);

/*
 * The known name nearest to `name` by edit distance (at most a third of its length; case counts for nothing), or NULL: for "did you mean". The first
 * of equals. A swap of neighbours is one edit.
 */
const char *weft_nearest(const char *name, const char *const *known, size_t n_known);
/* Likewise, however far it is. NULL: there is none, or the name is longer than any word. */
const char *weft_closest(const char *name, const char *const *known, size_t n_known);

/* Shell-like match with * and ? (one UTF-8 character); the whole text must match. Linear in practice, never exponential. */
bool weft_glob(const char *pattern, const char *text);

#endif
