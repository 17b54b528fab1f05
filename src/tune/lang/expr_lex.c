/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of C, as far as tunlets need them; comments are blanks. */
#include "expr.h"
#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t skip(const char *text, uint32_t at, uint32_t end)
{
	for (;;) {
		while (at < end && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r')))
			at++;
		if (at + 1 < end && text[at] == '/' && text[at + 1] == '/') {
			while (at < end && text[at] != '\n')
				at++;
		} else if (at + 1 < end && text[at] == '/' && text[at + 1] == '*') {
			for (at += 2; at < end && !(text[at] == '*' && at + 1 < end && text[at + 1] == '/');)
				at++;
			at = at + 2 < end ? at + 2 : end;
		} else {
			return at;
		}
	}
}

static uint32_t number_end(const char *text, uint32_t at, uint32_t end)
{
	bool hex = at + 1 < end && text[at] == '0' && (text[at + 1] | 32) == 'x';
	while (at < end && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '.')) {
		bool sign = !hex && (text[at] | 32) == 'e' && at + 1 < end && (text[at + 1] == '+' || text[at + 1] == '-');
		at += sign ? 2 : 1;
	}
	return at;
}

static uint32_t quoted_end(const char *text, uint32_t at, uint32_t end)
{
	char quote = text[at++];
	while (at < end && text[at] != quote && text[at] != '\n')
		at += text[at] == '\\' && at + 1 < end ? 2 : 1;
	return at < end && text[at] == quote ? at + 1 : 0;
}

struct token expr_token(const char *text, uint32_t at, uint32_t end)
{
	static const char *const ops[] = {"<<=", ">>=", "...", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
	                                  "^=",  "==",  "!=",  "<=", ">=", "&&", "||", "<<", ">>", "->", "::"};
	struct token t = {TOKEN_END, {at = skip(text, at, end), 0}};
	if (at >= end)
		return t;
	uint32_t p = at;
	if (is_letter(text[at])) {
		t.kind = TOKEN_NAME;
		while (p < end && (is_letter(text[p]) || is_digit(text[p])))
			p++;
	} else if (is_digit(text[at]) || (text[at] == '.' && at + 1 < end && is_digit(text[at + 1]))) {
		t.kind = TOKEN_NUMBER;
		p = number_end(text, at, end);
	} else if (text[at] == '"' || text[at] == '\'') {
		p = quoted_end(text, at, end);
		t.kind = p ? TOKEN_STRING : TOKEN_BAD;
		p = p ? p : at + 1;
	} else {
		t.kind = strchr("+-*/%<>=!&|^~?:;,.()[]{}#", text[at]) && text[at] ? TOKEN_OP : TOKEN_BAD;
		p = at + 1;
		for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
			uint32_t n = (uint32_t)strlen(ops[i]);
			if (at + n <= end && memcmp(text + at, ops[i], n) == 0) {
				p = at + n;
				break;
			}
		}
	}
	t.where.n = p - at;
	return t;
}

bool token_is(const char *text, struct token t, const char *z)
{
	return t.kind != TOKEN_END && t.where.n == strlen(z) && memcmp(text + t.where.at, z, t.where.n) == 0;
}

static const struct {
	const char *name, *c_name;
	unsigned n_args;
} math[] = {
	{"sqrt", "sqrt", 1},   {"cbrt", "cbrt", 1},   {"pow", "pow", 2},     {"exp", "exp", 1},     {"log", "log", 1},
	{"log2", "log2", 1},   {"log10", "log10", 1}, {"sin", "sin", 1},     {"cos", "cos", 1},     {"tan", "tan", 1},
	{"asin", "asin", 1},   {"acos", "acos", 1},   {"atan", "atan", 1},   {"atan2", "atan2", 2}, {"sinh", "sinh", 1},
	{"cosh", "cosh", 1},   {"tanh", "tanh", 1},   {"floor", "floor", 1}, {"ceil", "ceil", 1},   {"round", "round", 1},
	{"trunc", "trunc", 1}, {"fabs", "fabs", 1},   {"abs", "fabs", 1},    {"fmod", "fmod", 2},   {"hypot", "hypot", 2},
	{"fmin", "fmin", 2},   {"fmax", "fmax", 2},   {"min", "fmin", 2},    {"max", "fmax", 2},
};

const char *expr_math_function(const char *name, unsigned *n_args)
{
	for (size_t i = 0; i < sizeof math / sizeof math[0]; i++)
		if (strcmp(math[i].name, name) == 0) {
			*n_args = math[i].n_args;
			return math[i].c_name;
		}
	return NULL;
}

const char *expr_text(struct weft_spec *s, struct span where)
{
	char line[120];
	uint32_t n = 0;
	bool blank = false;
	for (uint32_t i = where.at; i < where.at + where.n && n < sizeof line - 8; i++) {
		char c = s->text[i];
		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			blank = n > 0;
			continue;
		}
		if (blank)
			line[n++] = ' ';
		blank = false;
		line[n++] = c;
	}
	line[n] = '\0';
	return spec_printf(s, "%s%s", line, n >= sizeof line - 8 ? "..." : "");
}
