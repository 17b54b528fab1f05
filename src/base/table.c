/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Printing one table in three forms. The text form is measured first and printed then, formatting each cell twice rather
 * than keeping all texts.
 */
#include "table.h"
#include "json.h"
#include "str.h"
#include "visible.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

void weft_table_init(struct weft_table *t, const struct weft_column *columns, unsigned n_columns)
{
	*t = (struct weft_table){.column = columns, .n_columns = n_columns};
}

void weft_table_fini(struct weft_table *t)
{
	weft_arena_fini(&t->arena);
	free(t->cell.at);
	*t = (struct weft_table){0};
}

int weft_table_row(struct weft_table *t, const struct weft_cell *cells)
{
	if (weft_vec_reserve(&t->cell, t->cell.n + t->n_columns))
		return -ENOMEM;
	struct weft_cell *row = t->cell.at + t->cell.n;
	for (unsigned i = 0; i < t->n_columns; i++) {
		row[i] = cells[i];
		if (cells[i].kind != WEFT_CELL_TEXT)
			continue;
		row[i].text = weft_arena_strdup(&t->arena, cells[i].text ? cells[i].text : "");
		if (!row[i].text)
			return -ENOMEM;
	}
	t->cell.n += t->n_columns;
	return 0;
}

size_t weft_table_rows(const struct weft_table *t)
{
	return t->n_columns ? t->cell.n / t->n_columns : 0;
}

/* -- cells: how a kind is written for people, for programs, and in JSON -- */

enum { CELL_SIZE = 64 };

/* The text is the cell's own or in `scratch`, CELL_SIZE large. */
typedef const char *cell_text_fn(const struct weft_cell *c, char *scratch);
typedef void cell_json_fn(const struct weft_cell *c, struct weft_json *j);

static const char *text_own(const struct weft_cell *c, char *scratch)
{
	(void)scratch;
	return c->text;
}

static const char *text_u64(const struct weft_cell *c, char *scratch)
{
	scratch[weft_fmt_u64(scratch, c->u64)] = '\0';
	return scratch;
}

static const char *text_i64(const struct weft_cell *c, char *scratch)
{
	scratch[weft_fmt_i64(scratch, c->i64)] = '\0';
	return scratch;
}

static const char *text_double(const struct weft_cell *c, char *scratch)
{
	if (isnan(c->f64))
		return "";
	weft_fmt_double(scratch, c->f64);
	return scratch;
}

static const char *people_double(const struct weft_cell *c, char *scratch)
{
	if (isnan(c->f64))
		return "-";
	snprintf(scratch, CELL_SIZE, "%.6g", c->f64);
	return scratch;
}

static const char *people_percent(const struct weft_cell *c, char *scratch)
{
	if (!isfinite(c->f64))
		return "-";
	snprintf(scratch, CELL_SIZE, fabs(c->f64) < 1e9 ? "%.2f %%" : "%.3g %%", c->f64);
	return scratch;
}

static const char *people_ns(const struct weft_cell *c, char *scratch)
{
	return weft_human_ns(scratch, c->u64);
}

static const char *people_bytes(const struct weft_cell *c, char *scratch)
{
	return weft_human_bytes(scratch, c->u64);
}

static const char *people_none(const struct weft_cell *c, char *scratch)
{
	(void)c, (void)scratch;
	return "-";
}

static const char *text_none(const struct weft_cell *c, char *scratch)
{
	(void)c, (void)scratch;
	return "";
}

static void json_text(const struct weft_cell *c, struct weft_json *j)
{
	weft_json_string(j, c->text);
}

static void json_u64(const struct weft_cell *c, struct weft_json *j)
{
	weft_json_u64(j, c->u64);
}

static void json_i64(const struct weft_cell *c, struct weft_json *j)
{
	weft_json_i64(j, c->i64);
}

static void json_double(const struct weft_cell *c, struct weft_json *j)
{
	weft_json_double(j, c->f64);
}

static void json_none(const struct weft_cell *c, struct weft_json *j)
{
	(void)c;
	weft_json_null(j);
}

static const struct {
	cell_text_fn *people, *plain;
	cell_json_fn *json;
} kinds[] = {
	[WEFT_CELL_TEXT] = {text_own, text_own, json_text},
	[WEFT_CELL_U64] = {text_u64, text_u64, json_u64},
	[WEFT_CELL_I64] = {text_i64, text_i64, json_i64},
	[WEFT_CELL_DOUBLE] = {people_double, text_double, json_double},
	[WEFT_CELL_NS] = {people_ns, text_u64, json_u64},
	[WEFT_CELL_BYTES] = {people_bytes, text_u64, json_u64},
	[WEFT_CELL_PERCENT] = {people_percent, text_double, json_double},
	[WEFT_CELL_NONE] = {people_none, text_none, json_none},
};

/* -- text -- */

/* Columns that a terminal needs: characters, not bytes. */
static size_t text_width(const char *z)
{
	char escape[WEFT_ESCAPE];
	size_t width = 0;
	unsigned n;
	for (size_t left = strlen(z); left; z += n, left -= n) {
		const char *seen = weft_escape_of(z, left, escape, &n);
		width += seen ? strlen(seen) : 1;
		n = seen ? n : weft_utf8_len(z, left);
		n = n ? n : 1;
	}
	return width;
}

/* Bytes of the text that fit into so many columns of a terminal. */
static size_t text_head(const char *z, size_t most)
{
	char escape[WEFT_ESCAPE];
	size_t width = 0, at = 0;
	unsigned n;
	for (size_t left = strlen(z); left; at += n, left -= n) {
		const char *seen = weft_escape_of(z + at, left, escape, &n);
		width += seen ? strlen(seen) : 1;
		if (width > most)
			break;
		n = seen ? n : weft_utf8_len(z + at, left);
		n = n ? n : 1;
	}
	return at;
}

/* What is printed of a line, and the blanks that are due before its next text; so that no line ends in blanks. */
struct line {
	const struct weft_table *table;
	FILE *to;
	size_t blanks, indent; /* indent: of the last column */
	unsigned column;
};

/* The last column's text goes on below itself, behind blanks where it has some. */
static void print_wrapped(const char *text, size_t width, size_t indent, FILE *to)
{
	while (text_width(text) > width) {
		size_t n = text_head(text, width), at = n;
		while (at && text[at] != ' ')
			at--;
		char *part = strndup(text, at ? at : n ? n : 1);
		weft_put_visible(part ? part : "", to);
		fprintf(to, "\n%*s", (int)indent, "");
		text += at ? at + 1 : n ? n : 1;
		free(part);
	}
	weft_put_visible(text, to);
}

/* The text without what has no room; a mark says so. */
static void print_head(const char *text, size_t width, FILE *to)
{
	char *head = strndup(text, text_head(text, width - 1));
	weft_put_visible(head ? head : "", to);
	fputs("\xe2\x80\xa6", to);
	free(head);
}

/* A terminal's columns; of what is none, as many as there may be. */
static size_t line_room(FILE *to)
{
	struct winsize size;
	int fd = fileno(to);
	return fd >= 0 && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= 40 ? size.ws_col : SIZE_MAX;
}

/* Takes from the widest texts what a line has too much; numbers stay whole. The last column's text comes first: it can be wrapped. */
static void narrow(const struct weft_table *t, size_t *width, size_t room)
{
	enum { LEAST = 12, LEAST_WRAPPED = 30 };
	size_t all = 2 * ((size_t)t->n_columns - 1);
	for (unsigned k = 0; k < t->n_columns; k++)
		all += width[k];
	const unsigned last = t->n_columns - 1;
	if (all > room && t->column[last].kind == WEFT_CELL_TEXT && width[last] > LEAST_WRAPPED) {
		size_t take = all - room < width[last] - LEAST_WRAPPED ? all - room : width[last] - LEAST_WRAPPED;
		width[last] -= take;
		all -= take;
	}
	while (all > room) {
		unsigned widest = t->n_columns, next = LEAST;
		for (unsigned k = 0; k < t->n_columns; k++)
			if (t->column[k].kind == WEFT_CELL_TEXT && width[k] > LEAST &&
			    (widest == t->n_columns || width[k] > width[widest]))
				widest = k;
		if (widest == t->n_columns)
			return;
		for (unsigned k = 0; k < t->n_columns; k++)
			if (t->column[k].kind == WEFT_CELL_TEXT && width[k] < width[widest] && width[k] > next)
				next = (unsigned)width[k];
		size_t take = all - room < width[widest] - next ? all - room : width[widest] - next;
		take = take ? take : 1; /* two of the same width, in turn */
		width[widest] -= take;
		all -= take;
	}
}

/* The next cell of the line: text is aligned left, all else right. */
static void print_aligned(struct line *l, const char *text, size_t width)
{
	size_t full = text_width(text), pad = full < width ? width - full : 0;
	bool left = l->table->column[l->column].kind == WEFT_CELL_TEXT;
	l->blanks += left ? 0 : pad;
	if (*text) {
		fprintf(l->to, "%*s", (int)l->blanks, "");
		l->blanks = 0;
	}
	if (full > width && l->column + 1 == l->table->n_columns)
		print_wrapped(text, width, l->indent, l->to);
	else if (full > width)
		print_head(text, width, l->to);
	else
		weft_put_visible(text, l->to);
	l->blanks += 2 + (left ? pad : 0);
	if (++l->column < l->table->n_columns)
		return;
	fputc('\n', l->to);
	l->blanks = l->column = 0;
}

static int print_text(const struct weft_table *t, FILE *to)
{
	char scratch[CELL_SIZE];
	size_t *width = calloc(t->n_columns, sizeof *width);
	if (!width)
		return -ENOMEM;
	for (unsigned k = 0; k < t->n_columns; k++)
		width[k] = text_width(t->column[k].title);
	for (size_t i = 0; i < t->cell.n; i++) {
		const struct weft_cell *c = &t->cell.at[i];
		size_t w = text_width(kinds[c->kind].people(c, scratch));
		if (w > width[i % t->n_columns])
			width[i % t->n_columns] = w;
	}
	narrow(t, width, line_room(to));
	struct line line = {.table = t, .to = to};
	for (unsigned k = 0; k + 1 < t->n_columns; k++)
		line.indent += width[k] + 2;
	for (unsigned k = 0; k < t->n_columns; k++)
		print_aligned(&line, t->column[k].title, width[k]);
	for (size_t i = 0; i < t->cell.n; i++) {
		const struct weft_cell *c = &t->cell.at[i];
		print_aligned(&line, kinds[c->kind].people(c, scratch), width[line.column]);
	}
	free(width);
	return 0;
}

/* -- CSV -- */

/*
 * Spreadsheets compute a cell that begins like a formula, also one in quotes; a name from a trace could run a command so. An
 * apostrophe in front makes it text for them. Numbers are not names, and stay as they are.
 */
static bool is_formula(const struct weft_cell *c)
{
	double number;
	return c->kind == WEFT_CELL_TEXT && c->text[0] && c->text[1] && strchr("=+-@\t\r", c->text[0]) &&
	       weft_parse_double(weft_str(c->text), &number) != 0;
}

static void print_field(const char *before, const char *text, bool last, FILE *to)
{
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(before, to);
		fputs(text, to);
	} else {
		fputc('"', to);
		fputs(before, to);
		for (; *text; text++) {
			if (*text == '"')
				fputc('"', to);
			fputc(*text, to);
		}
		fputc('"', to);
	}
	fputc(last ? '\n' : ',', to);
}

static void print_csv_head(const struct weft_table *t, FILE *to)
{
	for (unsigned k = 0; k < t->n_columns; k++)
		print_field("", t->column[k].key, k + 1 == t->n_columns, to);
}

static void print_csv_rows(const struct weft_table *t, FILE *to)
{
	char scratch[CELL_SIZE];
	for (size_t i = 0; i < t->cell.n; i++) {
		const struct weft_cell *c = &t->cell.at[i];
		print_field(is_formula(c) ? "'" : "", kinds[c->kind].plain(c, scratch), (i + 1) % t->n_columns == 0, to);
	}
}

/* -- JSON -- */

static void print_json_rows(const struct weft_table *t, struct weft_json *j)
{
	for (size_t row = 0; row < weft_table_rows(t); row++) {
		const struct weft_cell *c = t->cell.at + row * t->n_columns;
		weft_json_object(j);
		for (unsigned k = 0; k < t->n_columns; k++) {
			weft_json_key(j, t->column[k].key);
			kinds[c[k].kind].json(&c[k], j);
		}
		weft_json_end(j);
	}
}

/* -- all of it, or in parts -- */

int weft_table_part(struct weft_table *t, enum weft_table_form form, FILE *to, bool last)
{
	bool first = !t->begun;
	int rc = 0;
	t->begun = !last;
	if (form == WEFT_TABLE_JSON) {
		if (first) {
			weft_json_init(&t->json, to, true);
			weft_json_array(&t->json);
		}
		print_json_rows(t, &t->json);
		if (last)
			weft_json_end(&t->json);
	} else if (form == WEFT_TABLE_CSV) {
		if (first)
			print_csv_head(t, to);
		print_csv_rows(t, to);
	} else if (first || t->cell.n) {
		rc = print_text(t, to);
	}
	weft_arena_fini(&t->arena);
	t->cell.n = 0;
	return !rc && ferror(to) ? -EIO : rc;
}

int weft_table_print(const struct weft_table *t, enum weft_table_form form, FILE *to)
{
	struct weft_json j;
	int rc = 0;
	if (form == WEFT_TABLE_JSON) {
		weft_json_init(&j, to, true);
		weft_json_array(&j);
		print_json_rows(t, &j);
		weft_json_end(&j);
	} else if (form == WEFT_TABLE_CSV) {
		print_csv_head(t, to);
		print_csv_rows(t, to);
	} else {
		rc = print_text(t, to);
	}
	return !rc && ferror(to) ? -EIO : rc;
}
