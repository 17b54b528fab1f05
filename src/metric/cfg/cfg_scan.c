/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a .cfg's keys: numbers, words, lists; and what is said about one that is wrong. */
#include "cfg_parts.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cfg_fail(struct cfg *c, const char *fmt, ...)
{
	char text[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	weft_one_line(text);
	c->hist_is_wrong = c->in_hist;
	return weft_err_set(c->err, WEFT_E_SYNTAX, "%s:%llu: %s", c->path, (unsigned long long)c->line, text);
}

int cfg_unknown(struct cfg *c, const char *what, const char *name, const char *const *known, size_t n_known)
{
	const char *near = weft_nearest(name, known, n_known), *closest = weft_closest(name, known, n_known);
	if (near)
		return cfg_fail(c, "unknown %s '%.100s' (did you mean '%s'?)", what, name, near);
	if (closest)
		return cfg_fail(c, "unknown %s '%.100s' (the nearest is '%s')", what, name, closest);
	return cfg_fail(c, "unknown %s '%.100s'", what, name);
}

const char *cfg_keep(struct cfg *c, struct weft_str s)
{
	return weft_arena_strndup(&c->view->arena, s.n ? s.at : "", s.n);
}

int cfg_other(struct cfg *c, const char *key, struct weft_str value)
{
	struct weft_key_line l = {cfg_keep(c, weft_str(key)), cfg_keep(c, value)};
	return l.key && l.text ? weft_vec_push(&c->other, l) : -ENOMEM;
}

static void skip_blanks(struct weft_str *s)
{
	while (s->n && isspace((unsigned char)*s->at)) {
		s->at++;
		s->n--;
	}
}

bool cfg_take_char(struct weft_str *s, char ch)
{
	skip_blanks(s);
	if (!s->n || *s->at != ch)
		return false;
	s->at++;
	s->n--;
	return true;
}

struct weft_str cfg_take_token(struct weft_str *s)
{
	skip_blanks(s);
	struct weft_str t = {s->at, 0};
	while (t.n < s->n && !isspace((unsigned char)t.at[t.n]))
		t.n++;
	s->at += t.n;
	s->n -= t.n;
	return t;
}

bool cfg_take_number(struct weft_str *s, double *out)
{
	skip_blanks(s);
	struct weft_str t = {s->at, 0};
	while (t.n < s->n && (isalnum((unsigned char)t.at[t.n]) || strchr("+-.", t.at[t.n])))
		t.n++;
	if (!t.n)
		return false;
	struct weft_str digits = t;
	if (*digits.at == '+' && digits.n > 1) {
		digits.at++;
		digits.n--;
	}
	int rc = weft_parse_double(digits, out);
	if (rc == -ERANGE)
		*out = *t.at == '-' ? -HUGE_VAL : HUGE_VAL;
	else if (rc)
		return false;
	s->at += t.n;
	s->n -= t.n;
	return true;
}

bool cfg_take_count(struct weft_str *s, uint32_t *out)
{
	double v;
	struct weft_str was = *s;
	if (cfg_take_number(s, &v) && v >= 0 && v <= UINT32_MAX && v == floor(v)) {
		*out = (uint32_t)v;
		return true;
	}
	*s = was;
	return false;
}

int cfg_take_list(struct cfg *c, struct weft_str *s, uint32_t n, struct weft_list *out)
{
	if (n > s->n) /* each takes a character at least */
		return cfg_fail(c, "expected %u numbers", n);
	double *at = weft_arena_alloc(&c->view->arena, ((size_t)n + 1) * sizeof *at);
	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (!cfg_take_number(s, &at[i]))
			return cfg_fail(c, "expected %u numbers, found %u", n, i);
	*out = (struct weft_list){at, n};
	return 0;
}

int cfg_bool(struct cfg *c, struct weft_str value, bool *out)
{
	struct weft_str t = cfg_take_token(&value);
	char low[8] = "";
	for (size_t i = 0; i < t.n && i < sizeof low - 1; i++)
		low[i] = (char)tolower((unsigned char)t.at[i]);
	if (strcmp(low, "true") != 0 && strcmp(low, "false") != 0)
		return cfg_fail(c, "expected true or false, found '%.*s'", (int)(t.n > 40 ? 40 : t.n), t.n ? t.at : "");
	*out = low[0] == 't';
	return 0;
}

int cfg_number(struct cfg *c, struct weft_str value, double *out)
{
	if (cfg_take_number(&value, out))
		return 0;
	return cfg_fail(c, "expected a number, found '%.*s'", (int)(value.n > 40 ? 40 : value.n), value.n ? value.at : "");
}

int cfg_count(struct cfg *c, struct weft_str value, uint32_t *out)
{
	if (cfg_take_count(&value, out))
		return 0;
	return cfg_fail(c, "expected a whole number, found '%.*s'", (int)(value.n > 40 ? 40 : value.n), value.n ? value.at : "");
}

int cfg_word(struct cfg *c, struct weft_str value, const char *const *names, const char *what)
{
	struct weft_str t = weft_str_trim(value);
	size_t n = 0;
	for (; names[n]; n++)
		if (weft_str_eq(t, names[n]))
			return (int)n;
	const char *z = cfg_keep(c, t);
	return z ? cfg_unknown(c, what, z, names, n) : -ENOMEM;
}
