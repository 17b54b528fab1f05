/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a record grows while its lines come, so that places in it are kept as numbers, and made pointers when it is whole. */
#include "rec_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 4096, TEXT_MOST = 16 << 20 };

void record_fini(struct record *r)
{
	free(r->field.at);
	free(r->cut.at);
	weft_buf_fini(&r->text);
	weft_buf_fini(&r->type);
	*r = (struct record){.line = 0};
}

static void clear(struct record *r)
{
	r->field.n = r->cut.n = 0;
	r->text.n = 0;
	r->line = 0;
}

static bool is_name(struct weft_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.at[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c == '%' && !i);
		if (!letter && (!i || !((c >= '0' && c <= '9') || c == '_')))
			return false;
	}
	return s.n > 0;
}

/* Appends to the text, and remembers where that ends. */
static int add_piece(struct record *r, struct weft_str s)
{
	weft_buf_add(&r->text, s.at, s.n);
	return r->text.failed || weft_vec_push(&r->cut, r->text.n) ? -ENOMEM : 0;
}

static int add_field(struct record *r, const struct text_lines *from, struct weft_str line, struct weft_err *err)
{
	struct weft_str name, value = line;
	if (!memchr(line.at, ':', line.n) || !weft_str_cut(&value, ':', &name) || !is_name(name))
		return text_lines_wrong(from, err, "expected 'Field: value', found '%.*s'", (int)(line.n < 60 ? line.n : 60),
		                        line.at);
	if (r->cut.n >= 2 * FIELDS_MOST)
		return text_lines_wrong(from, err, "a record of more than %d fields", FIELDS_MOST);
	if (value.n && (*value.at == ' ' || *value.at == '\t'))
		value = weft_str_n(value.at + 1, value.n - 1);
	return add_piece(r, name) || add_piece(r, value) ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
}

/* What goes on with the value before; `own_line`: behind a newline. */
static int extend(struct record *r, const struct text_lines *from, struct weft_str more, bool own_line, struct weft_err *err)
{
	if (!r->cut.n)
		return text_lines_wrong(from, err, "a line that goes on with a value, where none stands before");
	if (own_line)
		weft_buf_putc(&r->text, '\n');
	weft_buf_add(&r->text, more.at, more.n);
	r->cut.at[r->cut.n - 1] = r->text.n;
	return r->text.failed ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
}

static bool take_backslash(struct record *r)
{
	if (!r->cut.n || !r->text.n || r->text.at[r->text.n - 1] != '\\' || r->cut.at[r->cut.n - 1] == r->cut.at[r->cut.n - 2])
		return false;
	r->text.n--;
	r->cut.at[r->cut.n - 1]--;
	return true;
}

/* Pointers, now that the text stays where it is. */
static int finish(struct record *r, struct weft_err *err)
{
	size_t begin = 0;
	for (size_t i = 0; i + 1 < r->cut.n; i += 2) {
		size_t middle = r->cut.at[i], end = r->cut.at[i + 1];
		struct record_field f = {weft_str_n(r->text.at + begin, middle - begin),
		                         weft_str_n(r->text.at + middle, end - middle)};
		if (weft_vec_push(&r->field, f))
			return weft_err_set(err, -ENOMEM, "out of memory");
		begin = end;
	}
	return 1;
}

/* Whether these are words about the records behind them. */
static bool is_about(struct record *r)
{
	if (!r->field.n || r->field.at[0].name.at[0] != '%')
		return false;
	struct weft_str type = record_get(r, "%rec");
	r->type.n = 0;
	weft_buf_add(&r->type, type.n ? type.at : "", type.n);
	return true;
}

static int take_line(struct record *r, struct text_lines *from, struct weft_str line, bool goes_on, struct weft_err *err)
{
	if (r->text.n + line.n > TEXT_MOST)
		return text_lines_wrong(from, err, "a record of more than %d MiB", TEXT_MOST >> 20);
	if (goes_on)
		return extend(r, from, line, false, err);
	if (*line.at == '+') {
		size_t skip = line.n > 1 && line.at[1] == ' ' ? 2 : 1;
		return extend(r, from, weft_str_n(line.at + skip, line.n - skip), true, err);
	}
	r->line = r->line ? r->line : text_lines_number(from);
	return add_field(r, from, line, err);
}

int record_next(struct record *r, struct text_lines *from, struct weft_err *err)
{
	struct weft_str line;
	bool goes_on = false;
	int rc, failed;
	for (clear(r); (rc = text_lines_next(from, &line, err)) > 0;) {
		if (!goes_on && line.n && *line.at == '#')
			continue;
		if (goes_on || line.n) {
			failed = take_line(r, from, line, goes_on, err);
			if (failed)
				return failed;
			goes_on = take_backslash(r);
			continue;
		}
		if (!r->cut.n)
			continue;
		failed = finish(r, err);
		if (failed < 0 || !is_about(r))
			return failed;
		clear(r);
	}
	if (rc < 0 || !r->cut.n)
		return rc;
	rc = finish(r, err);
	return rc < 0 || !is_about(r) ? rc : 0;
}

struct weft_str record_get(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->field.n; i++)
		if (weft_str_eq(r->field.at[i].name, name))
			return r->field.at[i].value.n ? r->field.at[i].value : weft_str_n("", 0);
	return weft_str_n(NULL, 0);
}

const char *record_type(const struct record *r)
{
	return r->type.n ? r->type.at : "";
}

/* ---- fields that must be there ---- */

static int wrong(const struct record *r, const struct text_lines *from, struct weft_err *err, const char *name,
                 const char *wanted, struct weft_str found)
{
	if (!found.at)
		return weft_err_set(err, WEFT_E_SYNTAX, "%s:%llu: a record without '%s'", text_lines_name(from),
		                    (unsigned long long)r->line, name);
	return weft_err_set(err, WEFT_E_SYNTAX, "%s:%llu: field '%s': expected %s, found '%.*s'", text_lines_name(from),
	                    (unsigned long long)r->line, name, wanted, (int)(found.n < 60 ? found.n : 60), found.at);
}

int record_double(const struct record *r, const struct text_lines *from, const char *name, double *out, struct weft_err *err)
{
	struct weft_str text = record_get(r, name);
	return text.at && !weft_parse_double(weft_str_trim(text), out) ? 0 : wrong(r, from, err, name, "a number", text);
}

int record_u64(const struct record *r, const struct text_lines *from, const char *name, uint64_t *out, struct weft_err *err)
{
	struct weft_str text = record_get(r, name);
	return text.at && !weft_parse_u64(weft_str_trim(text), out) ? 0 : wrong(r, from, err, name, "a number", text);
}

int record_text(const struct record *r, const struct text_lines *from, const char *name, struct weft_str *out,
                struct weft_err *err)
{
	*out = record_get(r, name);
	return out->at ? 0 : wrong(r, from, err, name, "", *out);
}
