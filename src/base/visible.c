/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of harmless text are written at once; what is not (weft_text_hazard) is rare. */
#include "visible.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Of valid UTF-8 with two or three bytes, which is all that hazards have. */
static unsigned code_point(const char *z, unsigned n)
{
	const unsigned char *b = (const unsigned char *)z;
	return n == 2 ? (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu) : (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
}

const char *weft_escape_of(const char *z, size_t n, char out[WEFT_ESCAPE], unsigned *n_bytes)
{
	*n_bytes = weft_text_hazard(z, n);
	if (!*n_bytes)
		return NULL;
	if (*n_bytes == 1)
		snprintf(out, WEFT_ESCAPE, "\\x%02x", (unsigned char)*z);
	else
		snprintf(out, WEFT_ESCAPE, "\\u%04x", code_point(z, *n_bytes) & 0xffff);
	return out;
}

/* Harmless text up to a hazard, its length in *n_plain; and the hazard's escape, or NULL at the end. Takes both off. */
static const char *next_part(struct weft_str *rest, size_t *n_plain, char escape[WEFT_ESCAPE])
{
	for (size_t i = 0; i < rest->n;) {
		unsigned n;
		if (weft_escape_of(rest->at + i, rest->n - i, escape, &n)) {
			*n_plain = i;
			*rest = weft_str_n(rest->at + i + n, rest->n - i - n);
			return escape;
		}
		n = weft_utf8_len(rest->at + i, rest->n - i);
		i += n ? n : 1;
	}
	*n_plain = rest->n;
	*rest = weft_str_n(NULL, 0);
	return NULL;
}

void weft_buf_visible(struct weft_buf *b, struct weft_str text)
{
	char room[WEFT_ESCAPE];
	size_t n;
	for (const char *escape = ""; escape;) {
		const char *from = text.at;
		escape = next_part(&text, &n, room);
		weft_buf_add(b, from, n);
		if (escape)
			weft_buf_puts(b, escape);
	}
}

static void put_visible(struct weft_str text, FILE *to)
{
	char room[WEFT_ESCAPE];
	size_t n;
	for (const char *escape = ""; escape;) {
		const char *from = text.at;
		escape = next_part(&text, &n, room);
		if (n)
			fwrite(from, 1, n, to);
		if (escape)
			fputs(escape, to);
	}
}

void weft_put_visible(const char *z, FILE *to)
{
	put_visible(weft_str(z), to);
}

void weft_print_visible(FILE *to, const char *fmt, ...)
{
	va_list args;
	char *z;
	va_start(args, fmt);
	int n = vasprintf(&z, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	size_t all = (size_t)n, first = strspn(fmt, "\n"), end = strlen(fmt), last = 0;
	while (last + first < end && fmt[end - 1 - last] == '\n')
		last++;
	fwrite(z, 1, first, to);
	put_visible(weft_str_n(z + first, all - first - last), to);
	fwrite(z + all - last, 1, last, to);
	free(z);
}
