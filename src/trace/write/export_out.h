/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes on their way to a file, for whoever writes large texts: one buffer, numbers made by hand, errors kept until the end, a file that
 * appears whole or not at all.
 */
#ifndef WEFT_TRACE_EXPORT_OUT_H
#define WEFT_TRACE_EXPORT_OUT_H

#include "base/fs.h"
#include "base/str.h"
#include <string.h>

#define EXPORT_BUFFER ((size_t)1 << 18)
#define EXPORT_ROOM 4096u /* what export_room gives at most */
struct export_out {
	struct weft_out file;
	char *at; /* owned: EXPORT_BUFFER bytes */
	size_t n;
	int failed; /* first error, of writing or of an exporter's memory; then nothing more is written */
};
int export_open(struct export_out *o, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* rc 0: the file appears; else, or when writing failed, it does not. Frees. Returns rc or what went wrong. */
int export_close(struct export_out *o, int rc, struct weft_err *err) WEFT_MUST_CHECK;
void export_fail(struct export_out *o, int code);
void export_flush(struct export_out *o);

/* Where the next `n` bytes go, n <= EXPORT_ROOM; o->n is moved by the caller, which writes there. */
static inline char *export_room(struct export_out *o, size_t n)
{
	if (n > EXPORT_BUFFER - o->n)
		export_flush(o);
	return o->at + o->n;
}
void export_bytes_slow(struct export_out *o, const char *at, size_t n); /* any number, flushing on the way */
static inline void export_bytes(struct export_out *o, const char *at, size_t n)
{
	if (n - 1 >= EXPORT_BUFFER - o->n) { /* also when n is 0, and `at` perhaps NULL */
		export_bytes_slow(o, at, n);
		return;
	}
	memcpy(o->at + o->n, at, n);
	o->n += n;
}
static inline void export_text(struct export_out *o, const char *z)
{
	export_bytes(o, z, strlen(z));
}
static inline void export_char(struct export_out *o, char c)
{
	*export_room(o, 1) = c;
	o->n++;
}
void export_u64(struct export_out *o, uint64_t v);
void export_i64(struct export_out *o, int64_t v);
void export_hex(struct export_out *o, uint64_t v); /* 0x1f */
void export_double(struct export_out *o, double v,
                   const char *not_finite);              /* shortest form; `not_finite` for what is no number */
void export_json(struct export_out *o, const char *z);   /* quoted and escaped; bad UTF-8 becomes U+FFFD */
void export_json_add(struct weft_buf *b, const char *z); /* the same */

/* v / 10^decimals with exactly that many decimals: 1234567 with 3 is 1234.567. Inline, so that it divides by constants. */
static inline void export_fixed(struct export_out *o, uint64_t v, unsigned decimals)
{
	char *from = export_room(o, 48), *at = from;
	uint64_t unit = 1;
	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	at += weft_fmt_u64(at, v / unit);
	*at++ = '.';
	uint64_t rest = v % unit;
	for (unsigned i = decimals; i-- > 0; rest /= 10)
		at[i] = (char)('0' + rest % 10);
	o->n += (size_t)(at - from) + decimals;
}

#endif
