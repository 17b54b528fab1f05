/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing JSON, and checking a text against RFC 8259. The checker keeps its nesting in a bit per level instead of on the
 * C stack, so that hostile input costs nothing but an error.
 */
#include "json.h"
#include "str.h"
#include "visible.h"
#include <math.h>
#include <string.h>

/* -- writing -- */

enum { WRITE_DEPTH = 64 };

void weft_json_init(struct weft_json *j, FILE *to, bool pretty)
{
	*j = (struct weft_json){.to = to, .pretty = pretty};
}

static void json_newline(struct weft_json *j)
{
	if (j->pretty)
		fprintf(j->to, "\n%*s", 2 * (int)j->depth, "");
}

/* What goes in front of a value or a key: the comma and the line. */
static void json_before(struct weft_json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->depth == 0)
		return;
	if (!j->first[j->depth - 1])
		fputc(',', j->to);
	j->first[j->depth - 1] = false;
	json_newline(j);
}

static void json_after(struct weft_json *j)
{
	if (j->depth == 0)
		fputc('\n', j->to);
}

static void json_open(struct weft_json *j, bool object)
{
	if (j->depth == WRITE_DEPTH)
		WEFT_BUG("JSON nested deeper than %d", WRITE_DEPTH);
	json_before(j);
	fputc(object ? '{' : '[', j->to);
	j->object[j->depth] = object;
	j->first[j->depth++] = true;
}

void weft_json_object(struct weft_json *j)
{
	json_open(j, true);
}

void weft_json_array(struct weft_json *j)
{
	json_open(j, false);
}

void weft_json_end(struct weft_json *j)
{
	if (j->depth == 0)
		WEFT_BUG("JSON ended once too often");
	j->depth--;
	if (!j->first[j->depth])
		json_newline(j);
	fputc(j->object[j->depth] ? '}' : ']', j->to);
	json_after(j);
}

static const char *json_escape(unsigned char c)
{
	static const char *const named[128] = {
		['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t", ['\b'] = "\\b", ['\f'] = "\\f",
	};
	return c < 128 ? named[c] : NULL;
}

/* Runs of plain characters go out in one piece. */
static void json_quote(struct weft_json *j, const char *at, size_t n)
{
	size_t run = 0;
	fputc('"', j->to);
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)at[i];
		unsigned len = weft_utf8_len(at + i, n - i);
		char hidden[WEFT_ESCAPE];
		unsigned hazard = weft_text_hazard(at + i, n - i);
		const char *escape = json_escape(c);
		if (hazard > 1) /* what could steer a terminal is printed as an escape, which means the same */
			escape = weft_escape_of(at + i, n - i, hidden, &hazard);
		if (len > 0 && !hazard && !escape) {
			i += len;
			continue;
		}
		fwrite(at + run, 1, i - run, j->to);
		if (escape)
			fputs(escape, j->to);
		else if (len > 0)
			fprintf(j->to, "\\u%04x", c);
		else
			fputs("\xef\xbf\xbd", j->to);
		i += hazard > 1 ? hazard : 1;
		run = i;
	}
	fwrite(at + run, 1, n - run, j->to);
	fputc('"', j->to);
}

void weft_json_key(struct weft_json *j, const char *key)
{
	json_before(j);
	json_quote(j, key, strlen(key));
	fputs(j->pretty ? ": " : ":", j->to);
	j->after_key = true;
}

void weft_json_text(struct weft_json *j, const char *at, size_t n)
{
	json_before(j);
	fwrite(at, 1, n, j->to);
	json_after(j);
}

void weft_json_string_n(struct weft_json *j, const char *at, size_t n)
{
	json_before(j);
	json_quote(j, at, n);
	json_after(j);
}

void weft_json_string(struct weft_json *j, const char *z)
{
	if (z)
		weft_json_string_n(j, z, strlen(z));
	else
		weft_json_null(j);
}

static void json_word(struct weft_json *j, const char *at, size_t n)
{
	json_before(j);
	fwrite(at, 1, n, j->to);
	json_after(j);
}

void weft_json_u64(struct weft_json *j, uint64_t v)
{
	char digits[20];
	json_word(j, digits, weft_fmt_u64(digits, v));
}

void weft_json_i64(struct weft_json *j, int64_t v)
{
	char digits[20];
	json_word(j, digits, weft_fmt_i64(digits, v));
}

void weft_json_double(struct weft_json *j, double v)
{
	char digits[WEFT_FMT_DOUBLE];
	if (isfinite(v))
		json_word(j, digits, weft_fmt_double(digits, v));
	else
		weft_json_null(j);
}

void weft_json_bool(struct weft_json *j, bool v)
{
	json_word(j, v ? "true" : "false", v ? 4 : 5);
}

void weft_json_null(struct weft_json *j)
{
	json_word(j, "null", 4);
}

/* -- checking -- */

enum { CHECK_DEPTH = 512 };

struct check {
	const char *at;
	size_t n, i;
	unsigned depth;
	uint64_t object[CHECK_DEPTH / 64]; /* bit per level: an object, else an array */
	struct weft_err *err;
};

static int check_peek(const struct check *c)
{
	return c->i < c->n ? (unsigned char)c->at[c->i] : -1;
}

static bool check_take(struct check *c, char want)
{
	if (check_peek(c) != want)
		return false;
	c->i++;
	return true;
}

static void check_blanks(struct check *c)
{
	while (c->i < c->n && memchr(" \t\n\r", c->at[c->i], 4))
		c->i++;
}

static int check_fail(struct check *c, const char *what)
{
	if (c->i >= c->n)
		return weft_err_set(c->err, WEFT_E_SYNTAX, "byte %zu: expected %s, found the end", c->i, what);
	unsigned char found = (unsigned char)c->at[c->i];
	if (found > ' ' && found < 0x7f)
		return weft_err_set(c->err, WEFT_E_SYNTAX, "byte %zu: expected %s, found '%c'", c->i, what, found);
	return weft_err_set(c->err, WEFT_E_SYNTAX, "byte %zu: expected %s, found byte 0x%02x", c->i, what, found);
}

static bool is_hex(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int check_escape(struct check *c)
{
	int e = check_peek(c);
	if (e <= 0 || !strchr("\"\\/bfnrtu", e))
		return check_fail(c, "an escape");
	c->i++;
	for (int k = 0; e == 'u' && k < 4; k++, c->i++)
		if (!is_hex(check_peek(c)))
			return check_fail(c, "a hexadecimal digit");
	return 0;
}

static int check_string(struct check *c)
{
	if (!check_take(c, '"'))
		return check_fail(c, "a string");
	while (!check_take(c, '"')) {
		unsigned len = weft_utf8_len(c->at + c->i, c->n - c->i);
		if (check_take(c, '\\')) {
			int rc = check_escape(c);
			if (rc)
				return rc;
		} else if (len == 0 || check_peek(c) < ' ') {
			return check_fail(c, "the rest of a string");
		} else {
			c->i += len;
		}
	}
	return 0;
}

static int check_digits(struct check *c)
{
	size_t from = c->i;
	while (check_peek(c) >= '0' && check_peek(c) <= '9')
		c->i++;
	return c->i > from ? 0 : check_fail(c, "a digit");
}

static int check_number(struct check *c)
{
	int rc = 0;
	check_take(c, '-');
	if (!check_take(c, '0'))
		rc = check_digits(c);
	if (!rc && check_take(c, '.'))
		rc = check_digits(c);
	if (!rc && (check_take(c, 'e') || check_take(c, 'E'))) {
		if (!check_take(c, '+'))
			check_take(c, '-');
		rc = check_digits(c);
	}
	return rc;
}

static int check_word(struct check *c)
{
	static const char *const words[] = {"true", "false", "null"};
	for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
		size_t len = strlen(words[k]);
		if (c->n - c->i >= len && memcmp(c->at + c->i, words[k], len) == 0) {
			c->i += len;
			return 0;
		}
	}
	return check_fail(c, "a value");
}

static bool check_in_object(const struct check *c)
{
	unsigned level = c->depth - 1;
	return c->object[level / 64] >> level % 64 & 1;
}

static int check_open(struct check *c)
{
	if (c->depth == CHECK_DEPTH)
		return weft_err_set(c->err, WEFT_E_SYNTAX, "byte %zu: nested deeper than %d", c->i, CHECK_DEPTH);
	uint64_t bit = 1ull << c->depth % 64, *set = &c->object[c->depth / 64];
	*set = check_peek(c) == '{' ? *set | bit : *set & ~bit;
	c->depth++;
	c->i++;
	return 0;
}

static int check_key(struct check *c)
{
	check_blanks(c);
	int rc = check_string(c);
	if (rc)
		return rc;
	check_blanks(c);
	return check_take(c, ':') ? 0 : check_fail(c, "':'");
}

/* One value, or the opening of an object or array up to its first value. *open: a value must follow. */
static int check_value(struct check *c, bool *open)
{
	*open = false;
	check_blanks(c);
	int first = check_peek(c);
	if (first == '"')
		return check_string(c);
	if (first == '-' || (first >= '0' && first <= '9'))
		return check_number(c);
	if (first != '{' && first != '[')
		return check_word(c);
	int rc = check_open(c);
	if (rc)
		return rc;
	check_blanks(c);
	if (check_take(c, first == '{' ? '}' : ']')) {
		c->depth--;
		return 0;
	}
	*open = true;
	return first == '{' ? check_key(c) : 0;
}

/* After a value: closes what ends here. *more: another value must follow. */
static int check_after(struct check *c, bool *more)
{
	for (*more = false; c->depth > 0; c->depth--) {
		bool object = check_in_object(c);
		check_blanks(c);
		if (check_take(c, ',')) {
			*more = true;
			return object ? check_key(c) : 0;
		}
		if (!check_take(c, object ? '}' : ']'))
			return check_fail(c, object ? "',' or '}'" : "',' or ']'");
	}
	return 0;
}

int weft_json_check(const char *at, size_t n, struct weft_err *err)
{
	struct check c = {.at = at, .n = n, .err = err};
	bool more = true;
	while (more) {
		int rc = check_value(&c, &more);
		if (!rc && !more)
			rc = check_after(&c, &more);
		if (rc)
			return rc;
	}
	check_blanks(&c);
	return c.i == n ? 0 : check_fail(&c, "the end");
}
