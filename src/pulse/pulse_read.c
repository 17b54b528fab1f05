/* SPDX-License-Identifier: Apache-2.0 */
/* A reader by descent: one function a kind of value. weft_json_check has seen that the text is JSON, so that little can be wrong. */
#include "pulse_read.h"
#include "base/json.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 16 };

struct reader {
	const char *at, *end;
	struct weft_arena *arena;
	unsigned depth;
	int rc; /* the first failure */
};

static struct pulse_value *read_value(struct reader *r);

static char next_char(struct reader *r)
{
	while (r->at < r->end && memchr(" \t\r\n", *r->at, 4))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

static char read_escape(struct reader *r)
{
	static const char escapes[][2] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'b', '\b'}, {'f', '\f'}};
	char c = *r->at++;
	for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
		if (escapes[i][0] == c)
			return escapes[i][1];
	if (c != 'u')
		return c;
	char hex[5] = {r->at[0], r->at[1], r->at[2], r->at[3], '\0'};
	unsigned long code = strtoul(hex, NULL, 16);
	r->at += 4;
	return code && code < 0x80 ? (char)code : '?';
}

/* From behind the quote on. */
static const char *read_text(struct reader *r)
{
	const char *close = ++r->at;
	while (*close != '"')
		close += *close == '\\' ? 2 : 1;
	char *text = weft_arena_alloc(r->arena, (size_t)(close - r->at) + 1), *to = text;
	if (!text) {
		r->rc = -ENOMEM;
		return "";
	}
	while (*r->at != '"') {
		char c = *r->at++;
		*to++ = c == '\\' ? read_escape(r) : c;
	}
	*to = '\0';
	r->at++;
	return text;
}

/* Behind the bracket, to behind the other. */
static struct pulse_value *read_members(struct reader *r, bool has_keys)
{
	struct pulse_value *first = NULL, **end = &first;
	char close = has_keys ? '}' : ']';
	r->at++;
	while (!r->rc && next_char(r) != close) {
		const char *key = NULL;
		if (*r->at == ',') {
			r->at++;
			next_char(r);
		}
		if (has_keys) {
			key = read_text(r);
			next_char(r);
			r->at++; /* the colon */
		}
		struct pulse_value *v = r->rc ? NULL : read_value(r);
		if (!v)
			return first;
		v->key = key;
		*end = v;
		end = &v->next;
	}
	r->at++;
	return first;
}

static void read_word(struct reader *r, struct pulse_value *v)
{
	char c = *r->at;
	v->kind = c == 'n' ? PULSE_NULL : PULSE_BOOL;
	v->truth = c == 't';
	r->at += c == 'f' ? 5 : 4;
}

static void read_number(struct reader *r, struct pulse_value *v)
{
	char digits[64];
	size_t n = strspn(r->at, "+-0123456789.eE");
	size_t kept = n < sizeof digits ? n : sizeof digits - 1;
	memcpy(digits, r->at, kept);
	digits[kept] = '\0';
	v->kind = PULSE_NUMBER;
	v->number = strtod(digits, NULL);
	r->at += n;
}

static struct pulse_value *read_value(struct reader *r)
{
	struct pulse_value *v = weft_arena_alloc(r->arena, sizeof *v);
	if (!v || r->depth == DEPTH_MOST) {
		r->rc = v ? WEFT_E_SYNTAX : -ENOMEM;
		return NULL;
	}
	*v = (struct pulse_value){.kind = PULSE_NULL};
	r->depth++;
	char c = next_char(r);
	if (c == '{' || c == '[') {
		v->kind = c == '{' ? PULSE_OBJECT : PULSE_ARRAY;
		v->first = read_members(r, c == '{');
	} else if (c == '"') {
		v->kind = PULSE_TEXT;
		v->text = read_text(r);
	} else if (c == 't' || c == 'f' || c == 'n') {
		read_word(r, v);
	} else {
		read_number(r, v);
	}
	r->depth--;
	return r->rc ? NULL : v;
}

int pulse_read(const char *text, size_t n, struct weft_arena *arena, struct pulse_value **out, struct weft_err *err)
{
	*out = NULL;
	int rc = weft_json_check(text, n, err);
	if (rc)
		return rc;
	char *copy = weft_arena_alloc(arena, n + 1); /* with an end that numbers stop at */
	if (!copy)
		return weft_err_set(err, -ENOMEM, "no memory");
	memcpy(copy, text, n);
	copy[n] = '\0';
	struct reader r = {.at = copy, .end = copy + n, .arena = arena};
	*out = read_value(&r);
	if (r.rc)
		return weft_err_set(err, r.rc, r.rc == -ENOMEM ? "no memory" : "JSON that is nested more than %d levels deep",
		                    DEPTH_MOST);
	return 0;
}

const struct pulse_value *pulse_get(const struct pulse_value *v, const char *key)
{
	for (const struct pulse_value *m = v && v->kind == PULSE_OBJECT ? v->first : NULL; m; m = m->next)
		if (strcmp(m->key, key) == 0)
			return m;
	return NULL;
}

double pulse_number(const struct pulse_value *v, const char *key, double otherwise)
{
	const struct pulse_value *m = pulse_get(v, key);
	return m && m->kind == PULSE_NUMBER ? m->number : otherwise;
}

const char *pulse_text(const struct pulse_value *v, const char *key, const char *otherwise)
{
	const struct pulse_value *m = pulse_get(v, key);
	return m && m->kind == PULSE_TEXT ? m->text : otherwise;
}
