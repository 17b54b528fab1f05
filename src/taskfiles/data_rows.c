/* SPDX-License-Identifier: Apache-2.0 */
#include "data_rows.h"
#include <stdio.h>
#include <string.h>

static bool split(struct columns *c, struct weft_str line)
{
	bool tabs = memchr(line.at, '\t', line.n) != NULL;
	struct weft_str rest = line, part;
	c->n = 0;
	while (tabs ? weft_str_cut(&rest, '\t', &part) : (part = weft_str_word(&rest)).n > 0) {
		if (c->n == COLUMNS_MOST)
			return false;
		c->at[c->n++] = part;
	}
	return true;
}

int columns_next(struct columns *c, struct text_lines *from, struct weft_err *err)
{
	struct weft_str line;
	int rc;
	while ((rc = text_lines_next(from, &line, err)) > 0) {
		if (!weft_str_trim(line).n || *line.at == '#')
			continue;
		return split(c, line) ? 1 : text_lines_wrong(from, err, "more than %d columns", COLUMNS_MOST);
	}
	return rc;
}

int columns_double(const struct columns *c, const struct text_lines *from, unsigned i, const char *what, double *out,
                   struct weft_err *err)
{
	struct weft_str text = i < c->n ? weft_str_trim(c->at[i]) : weft_str_n("", 0);
	if (i < c->n && !weft_parse_double(text, out))
		return 0;
	return text_lines_wrong(from, err, "column %u, %s: expected a number, found '%.*s'", i + 1, what,
	                        (int)(text.n < 60 ? text.n : 60), text.n ? text.at : "");
}

static bool copy(char *to, size_t room, struct weft_str from)
{
	from = weft_str_trim(from);
	snprintf(to, room, "%.*s", (int)(from.n < room ? from.n : room - 1), from.n ? from.at : "");
	return from.n && from.n < room && !memchr(from.at, '/', from.n);
}

int task_row_next(struct task_row *r, struct text_lines *from, struct weft_err *err)
{
	struct columns c;
	int rc = columns_next(&c, from, err);
	if (rc <= 0)
		return rc;
	if (c.n != 5)
		return text_lines_wrong(from, err,
		                        "expected codelet, worker, size, footprint and milliseconds, found %u column%s", c.n,
		                        c.n == 1 ? "" : "s");
	r->codelet = c.at[0];
	if (!copy(r->worker, sizeof r->worker, c.at[1]) || !copy(r->footprint, sizeof r->footprint, c.at[3]))
		return text_lines_wrong(from, err, "a worker or footprint that is none");
	if (weft_parse_u64(weft_str_trim(c.at[2]), &r->size))
		return text_lines_wrong(from, err, "column 3, size: expected a number, found '%.*s'",
		                        (int)(c.at[2].n < 60 ? c.at[2].n : 60), c.at[2].n ? c.at[2].at : "");
	rc = columns_double(&c, from, 4, "milliseconds", &r->ms, err);
	return rc ? rc : 1;
}
