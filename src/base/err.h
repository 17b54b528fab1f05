/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors as values.  A function that can fail returns 0 (or a count) or a negative errno-style code; parsers,
 * configuration and I/O also fill a struct weft_err, whose text is complete enough to print as it is:
 *
 *     cannot open 'a.prv': no such file or directory
 *     a.prv:17: expected a state number, found 'x'
 *
 * The struct is untouched on success.  The first error wins: setting an error that is already set keeps the old one.
 */
#ifndef WEFT_BASE_ERR_H
#define WEFT_BASE_ERR_H

#include <stddef.h>

#define WEFT_MUST_CHECK __attribute__((warn_unused_result))
#define WEFT_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Codes of our own, beside the negative errno values. */
#define WEFT_E_SYNTAX (-2001)  /* input does not follow its format */
#define WEFT_E_DAMAGED (-2002) /* a checksum or an invariant of a file of ours does not hold */
#define WEFT_E_VERSION (-2003) /* a file of ours, but of a version that this build cannot read */
#define WEFT_E_LIMIT (-2004)   /* a limit that the user set was reached */

struct weft_err {
	int code;       /* 0: none */
	char text[500]; /* one line, no full stop, no newline */
};

/* Fills `e` (may be NULL) with a formatted text; returns `code`, so that `return weft_err_set(e, -EINVAL, ...)` works. */
int weft_err_set(struct weft_err *e, int code, const char *fmt, ...) WEFT_PRINTF(3, 4);

/* Like weft_err_set, and appends ": " and what errno_value means, in lower case. Returns -errno_value. */
int weft_err_sys(struct weft_err *e, int errno_value, const char *fmt, ...) WEFT_PRINTF(3, 4);

/* Puts "text: " in front of an error that is set; does nothing when none is. Returns e->code. */
int weft_err_prefix(struct weft_err *e, const char *fmt, ...) WEFT_PRINTF(2, 3);

/* What a code means, in lower case ("no such file or directory", "damaged file"). Never NULL. Thread-safe. */
const char *weft_err_name(int code);

/* An impossible state: prints file, line and how to report it on stderr, and exits 70. For the tools, never for libweft. */
#define WEFT_BUG(...) weft_bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void weft_bug_at(const char *file, int line, const char *fmt, ...) WEFT_PRINTF(3, 4);

#endif
