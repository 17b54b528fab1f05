/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of the text of views, and what is said about one that is wrong. A newline ends a
 * statement, but not inside brackets, behind an operator, or in front of a line that goes on with |
 * or where.
 */
#include "text_priv.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

int text_memory(struct text *p)
{
	return weft_err_set(p->err, -ENOMEM, "%s: %s", p->path, weft_err_name(-ENOMEM));
}

const char *text_keep(struct text *p, struct weft_str s)
{
	return weft_arena_strndup(&p->view->arena, s.n ? s.at : "", s.n);
}

/* The line, and under it a mark; tabs stay tabs, so that the mark stands where it should. */
static const char *make_caret(struct text *p, const struct text_token *t)
{
	const char *from = t->at.at, *to = from;
	while (from > p->begin && from[-1] != '\n')
		from--;
	while (to < p->end && *to != '\n' && *to)
		to++;
	struct weft_buf b = {0};
	size_t n = (size_t)(to - from) < 200 ? (size_t)(to - from) : 200;
	for (size_t i = 0; i < n; i++)
		weft_buf_putc(&b, from[i] == '\t' || (unsigned char)from[i] >= ' ' ? from[i] : '?');
	weft_buf_putc(&b, '\n');
	for (const char *z = from; z < t->at.at && z < from + n; z++)
		if (((unsigned char)*z & 0xc0) != 0x80)
			weft_buf_putc(&b, *z == '\t' ? '\t' : ' ');
	weft_buf_putc(&b, '^');
	const char *kept = b.failed ? NULL : text_keep(p, weft_str_n(b.at, b.n));
	weft_buf_fini(&b);
	return kept;
}

static int fail_at(struct text *p, const struct text_token *t, const char *fmt, va_list args)
{
	char text[400];
	vsnprintf(text, sizeof text, fmt, args);
	weft_one_line(text);
	if (t->at.at)
		p->view->caret = make_caret(p, t);
	return weft_err_set(p->err, WEFT_E_SYNTAX, "%s:%u:%u: %s", p->path, t->line, t->column, text);
}

int text_fail_at(struct text *p, const struct text_token *t, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int rc = fail_at(p, t, fmt, args);
	va_end(args);
	return rc;
}

int text_fail(struct text *p, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int rc = fail_at(p, &p->now, fmt, args);
	va_end(args);
	return rc;
}

int text_unknown(struct text *p, const struct text_token *t, const char *what, const char *near)
{
	int n = t->at.n > 60 ? 60 : (int)t->at.n;
	if (near && *near)
		return text_fail_at(p, t, "unknown %s '%.*s' (did you mean '%s'?)", what, n, t->at.at, near);
	return text_fail_at(p, t, "unknown %s '%.*s'", what, n, t->at.at);
}

/* ---- scanning ---- */

static bool word_begins(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool word_goes_on(const struct text *p, const char *z)
{
	if (isalnum((unsigned char)*z) || *z == '_')
		return true;
	return *z == '.' && z + 1 < p->end && (isalnum((unsigned char)z[1]) || z[1] == '_');
}

static size_t number_length(const struct text *p)
{
	const char *z = p->at, *end = p->end;
	while (z < end && isdigit((unsigned char)*z))
		z++;
	if (z + 1 < end && *z == '.' && isdigit((unsigned char)z[1]))
		for (z++; z < end && isdigit((unsigned char)*z); z++) {}
	const char *e = z;
	if (e < end && (*e == 'e' || *e == 'E')) {
		e++;
		if (e < end && (*e == '+' || *e == '-'))
			e++;
		if (e < end && isdigit((unsigned char)*e)) {
			while (e < end && isdigit((unsigned char)*e))
				e++;
			z = e;
		}
	}
	return (size_t)(z - p->at);
}

static int take_number(struct text *p)
{
	size_t n = number_length(p);
	p->now.kind = TEXT_NUMBER;
	p->now.at = weft_str_n(p->at, n);
	p->at += n;
	int rc = weft_parse_double(p->now.at, &p->now.number);
	if (rc == -ERANGE)
		p->now.number = HUGE_VAL;
	else if (rc)
		return text_fail(p, "expected a number");
	return 0;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* Behind a backslash; the character, or -1. */
static int take_escape(struct text *p)
{
	char c = p->at < p->end ? *p->at++ : 0;
	if (c == 'n')
		return '\n';
	if (c == 't')
		return '\t';
	if (c == '"' || c == '\\')
		return c;
	if (c == 'x' && p->end - p->at >= 2 && hex_digit(p->at[0]) >= 0 && hex_digit(p->at[1]) >= 0) {
		int v = hex_digit(p->at[0]) * 16 + hex_digit(p->at[1]);
		p->at += 2;
		return v ? v : -1;
	}
	return -1;
}

static int take_string(struct text *p)
{
	struct weft_buf b = {0};
	const char *from = p->at++;
	int rc = 0;
	while (!rc && p->at < p->end && *p->at != '"' && *p->at != '\n' && *p->at) {
		int c = *p->at++;
		if (c == '\\' && (c = take_escape(p)) < 0)
			rc = text_fail(p, "an escape is one of \\n \\t \\\\ \\\" \\xHH");
		weft_buf_putc(&b, (char)c);
	}
	if (!rc && (p->at == p->end || *p->at != '"'))
		rc = text_fail(p, "the string has no end");
	p->now.kind = TEXT_STRING;
	if (!rc) {
		p->at++;
		p->now.at = weft_str_n(from, (size_t)(p->at - from));
		const char *kept = b.failed ? NULL : text_keep(p, weft_str_n(b.at, b.n));
		p->now.string = weft_str(kept);
		rc = kept ? 0 : text_memory(p);
	}
	weft_buf_fini(&b);
	return rc;
}

static bool take_sign(struct text *p)
{
	static const char *const signs[] = {"==", "!=", "<=", ">=", "..", "=", "<", ">", "+", "-", "*", "/",
	                                    "%",  "|",  "(",  ")",  "[",  "]", "{", "}", ",", ":", NULL};
	for (int i = 0; signs[i]; i++) {
		size_t n = strlen(signs[i]);
		if ((size_t)(p->end - p->at) < n || memcmp(p->at, signs[i], n) != 0)
			continue;
		p->now.kind = TEXT_SIGN;
		p->now.at = weft_str_n(p->at, n);
		p->at += n;
		if (n == 1 && strchr("([", *signs[i]))
			p->depth++;
		if (n == 1 && strchr(")]", *signs[i]) && p->depth)
			p->depth--;
		return true;
	}
	return false;
}

/* Blanks and comments; with lines, also newlines. */
static void skip_blanks(struct text *p, bool lines)
{
	for (; p->at < p->end; p->at++) {
		if (*p->at == '#') {
			while (p->at + 1 < p->end && p->at[1] != '\n')
				p->at++;
		} else if (*p->at == '\n' && lines) {
			p->line++;
			p->line_at = p->at + 1;
		} else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
			return;
		}
	}
}

/* Does what comes behind the newline go on with the statement? */
static bool line_goes_on(struct text *p)
{
	static const char *const open[] = {"=", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "|", ",", "..", NULL};
	if (p->depth || (p->now.kind == TEXT_SIGN && text_word(open, p->now.at) >= 0))
		return true;
	struct text ahead = *p;
	skip_blanks(&ahead, true);
	size_t left = (size_t)(ahead.end - ahead.at);
	if (left && *ahead.at == '|')
		return true;
	return left > 5 && !memcmp(ahead.at, "where", 5) && !word_goes_on(&ahead, ahead.at + 5);
}

/* Counts on from where it was asked for last: a line can be the whole text. */
static uint32_t column_of(struct text *p, const char *at)
{
	bool on = p->counted_at >= p->line_at && p->counted_at <= at;
	uint32_t n = on ? p->counted : 1;
	for (const char *z = on ? p->counted_at : p->line_at; z < at; z++)
		n += ((unsigned char)*z & 0xc0) != 0x80;
	p->counted_at = at;
	return p->counted = n;
}

int text_next(struct text *p)
{
	skip_blanks(p, false);
	if (p->at < p->end && *p->at == '\n' && line_goes_on(p))
		skip_blanks(p, true);
	p->now = (struct text_token){.kind = TEXT_END, .at = {p->at, 0}, .line = p->line, .column = column_of(p, p->at)};
	if (p->at == p->end)
		return 0;
	char c = *p->at;
	if (c == '\n' || c == ';') {
		p->now.kind = TEXT_LINE;
		p->now.at.n = 1;
		p->at++;
		if (c == '\n') {
			p->line++;
			p->line_at = p->at;
		}
		return 0;
	}
	if (isdigit((unsigned char)c))
		return take_number(p);
	if (c == '"')
		return take_string(p);
	if (word_begins(c)) {
		while (p->at < p->end && word_goes_on(p, p->at))
			p->at++;
		p->now.kind = TEXT_WORD;
		p->now.at.n = (size_t)(p->at - p->now.at.at);
		return 0;
	}
	if (take_sign(p))
		return 0;
	p->now.at.n = 1;
	return text_fail(p, "what is '%c' here?", c > ' ' && c < 127 ? c : '?');
}

int text_begin(struct text *p)
{
	p->line = 1;
	p->line_at = p->begin;
	p->at = p->begin;
	return text_next(p);
}

/* ---- taking tokens ---- */

bool text_is(const struct text *p, const char *z)
{
	return (p->now.kind == TEXT_SIGN || p->now.kind == TEXT_WORD) && weft_str_eq(p->now.at, z);
}

int text_take(struct text *p, const char *z, bool *was)
{
	*was = text_is(p, z);
	return *was ? text_next(p) : 0;
}

int text_expect(struct text *p, const char *z)
{
	if (text_is(p, z))
		return text_next(p);
	if (p->now.kind == TEXT_END)
		return text_fail(p, "expected '%s', found the end", z);
	if (p->now.kind == TEXT_LINE)
		return text_fail(p, "expected '%s', found the end of the line", z);
	return text_fail(p, "expected '%s', found '%.*s'", z, (int)(p->now.at.n > 60 ? 60 : p->now.at.n), p->now.at.at);
}

int text_skip_lines(struct text *p)
{
	int rc = 0;
	while (!rc && p->now.kind == TEXT_LINE)
		rc = text_next(p);
	return rc;
}

int text_key(struct text *p, const void *table, unsigned n_rows, size_t row_bytes, const char *such_as, unsigned *row)
{
	enum { KEYS = 64 };
	const char *known[KEYS];
	char typed[TEXT_NAME];
	unsigned n = n_rows < KEYS ? n_rows : KEYS;
	for (*row = 0; *row < n; ++*row) {
		known[*row] = *(const char *const *)((const char *)table + *row * row_bytes);
		if (text_is(p, known[*row]))
			return text_next(p);
	}
	if (p->now.kind != TEXT_WORD)
		return text_fail(p, "expected a key such as %s, or '}'", such_as);
	text_typed(typed, p->now.at);
	return text_unknown(p, &p->now, "key", weft_nearest(typed, known, n));
}

bool text_ends(const struct text *p)
{
	return p->now.kind == TEXT_LINE || p->now.kind == TEXT_END || text_is(p, "}");
}

int text_number(struct text *p, double *out)
{
	bool minus;
	int rc = text_take(p, "-", &minus);
	if (rc)
		return rc;
	if (p->now.kind != TEXT_NUMBER)
		return text_fail(p, "expected a number");
	*out = minus ? -p->now.number : p->now.number;
	return text_next(p);
}

int text_count(struct text *p, uint32_t *out)
{
	if (p->now.kind != TEXT_NUMBER || p->now.number != floor(p->now.number) || p->now.number > UINT32_MAX)
		return text_fail(p, "expected a whole number");
	*out = (uint32_t)p->now.number;
	return text_next(p);
}

int text_choice(struct text *p, const char *const *words, const char *what, int *out)
{
	size_t n = 0;
	char z[TEXT_NAME];
	if (p->now.kind != TEXT_WORD)
		return text_fail(p, "expected a %s", what);
	*out = text_word(words, p->now.at);
	if (*out >= 0)
		return text_next(p);
	while (words[n])
		n++;
	text_typed(z, p->now.at);
	return text_unknown(p, &p->now, what, weft_nearest(z, words, n));
}
