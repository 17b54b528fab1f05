/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of an exported file: collected in one buffer that goes to the file in large pieces, numbers made by hand. Errors
 * are kept until the end, so that the code that says what is written reads as what is written.
 */
#include "export_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int export_open(struct export_out *o, const char *path, struct weft_err *err)
{
	*o = (struct export_out){.at = malloc(EXPORT_BUFFER)};
	if (!o->at)
		return weft_err_set(err, -ENOMEM, "cannot write '%s': out of memory", path);
	int rc = weft_out_open(&o->file, path, err);
	if (rc)
		free(o->at);
	else
		setvbuf(o->file.to, NULL, _IONBF, 0);
	return rc;
}

int export_close(struct export_out *o, int rc, struct weft_err *err)
{
	if (rc == 0)
		export_flush(o);
	free(o->at);
	if (rc == 0)
		rc = o->failed;
	if (rc == 0)
		return weft_out_commit(&o->file, err);
	weft_err_set(err, rc, "cannot write '%s': %s", o->file.path ? o->file.path : "-", weft_err_name(rc));
	weft_out_abandon(&o->file);
	return rc;
}

void export_fail(struct export_out *o, int code)
{
	if (!o->failed)
		o->failed = code;
}

void export_flush(struct export_out *o)
{
	if (o->n && !o->failed && fwrite(o->at, 1, o->n, o->file.to) != o->n)
		export_fail(o, errno ? -errno : -EIO);
	o->n = 0;
}

void export_bytes_slow(struct export_out *o, const char *at, size_t n)
{
	while (n) {
		if (o->n == EXPORT_BUFFER)
			export_flush(o);
		size_t part = n < EXPORT_BUFFER - o->n ? n : EXPORT_BUFFER - o->n;
		memcpy(o->at + o->n, at, part);
		o->n += part;
		at += part;
		n -= part;
	}
}

void export_u64(struct export_out *o, uint64_t v)
{
	char *at = export_room(o, 20);
	o->n += weft_fmt_u64(at, v);
}

void export_i64(struct export_out *o, int64_t v)
{
	char *at = export_room(o, 20);
	o->n += weft_fmt_i64(at, v);
}

void export_hex(struct export_out *o, uint64_t v)
{
	char *at = export_room(o, 20);
	unsigned digits = 1;
	while (digits < 16 && v >> (4 * digits))
		digits++;
	*at++ = '0';
	*at++ = 'x';
	for (unsigned i = digits; i-- > 0;)
		*at++ = "0123456789abcdef"[v >> (4 * i) & 15];
	o->n += digits + 2;
}

void export_double(struct export_out *o, double v, const char *not_finite)
{
	if (!isfinite(v)) {
		export_text(o, not_finite);
		return;
	}
	char *at = export_room(o, WEFT_FMT_DOUBLE);
	o->n += weft_fmt_double(at, v);
}

/* How many bytes stand in a JSON string as they are. */
static size_t json_plain(const char *z, size_t left)
{
	size_t n = 0;
	while (n < left && z[n] >= 0x20 && z[n] < 0x7f && z[n] != '"' && z[n] != '\\')
		n++;
	return n;
}

/* The next character of a JSON string, escaped, into `out` (8 bytes); how many bytes it became. */
static unsigned json_next(const char **z, size_t *left, char *out)
{
	const unsigned char c = (unsigned char)**z;
	unsigned taken = weft_utf8_len(*z, *left), made = taken;
	if (taken == 0) {
		taken = 1;
		made = 3;
		memcpy(out, "\xef\xbf\xbd", 3);
	} else if (c < 0x20 || c == 0x7f) {
		made = 6;
		memcpy(out, "\\u00", 4);
		out[4] = "0123456789abcdef"[c >> 4];
		out[5] = "0123456789abcdef"[c & 15];
	} else if (c == '"' || c == '\\') {
		made = 2;
		out[0] = '\\';
		out[1] = (char)c;
	} else {
		memcpy(out, *z, taken);
	}
	*z += taken;
	*left -= taken;
	return made;
}

void export_json(struct export_out *o, const char *z)
{
	size_t left = strlen(z);
	export_char(o, '"');
	while (left) {
		size_t plain = json_plain(z, left);
		export_bytes(o, z, plain);
		z += plain;
		left -= plain;
		if (!left)
			break;
		char *at = export_room(o, 8);
		o->n += json_next(&z, &left, at);
	}
	export_char(o, '"');
}

void export_json_add(struct weft_buf *b, const char *z)
{
	size_t left = strlen(z);
	char one[8];
	weft_buf_putc(b, '"');
	while (left)
		weft_buf_add(b, one, json_next(&z, &left, one));
	weft_buf_putc(b, '"');
}
