/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table for people. Whichever way it lies better: columns side by side when there is room, else each on a line of its own;
 * when neither fits, in parts. What has one column of values gets bars.
 */
#include "table_text.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 16, GAP = 2 };

struct text_table {
	const struct weft_sheet *page;
	struct weft_value_form form;
	unsigned width;
	bool turned; /* a line is a column of the table */
	FILE *to;
	WEFT_VEC(char *) label; /* of what stands side by side, then of the lines */
	uint32_t n_across, n_down;
};

static char *take_label(struct weft_buf *b)
{
	char *z = b->failed ? NULL : b->n ? b->at : strdup("");
	if (b->failed)
		weft_buf_fini(b);
	return z;
}

static int push_label(struct text_table *t, bool column, uint32_t i)
{
	struct weft_buf b = {0};
	if (column)
		weft_sheet_column_label(t->page, i, &b);
	else
		weft_buf_puts(&b, t->page->row[i]);
	char *z = take_label(&b);
	if (z && !weft_vec_push(&t->label, z))
		return 0;
	free(z);
	return -ENOMEM;
}

static int make_labels(struct text_table *t)
{
	int rc = 0;
	t->n_across = t->turned ? t->page->result->n_rows : t->page->n_columns;
	t->n_down = t->turned ? t->page->n_columns : t->page->result->n_rows;
	for (uint32_t i = 0; i < t->n_across && !rc; i++)
		rc = push_label(t, !t->turned, i);
	for (uint32_t i = 0; i < t->n_down && !rc; i++)
		rc = push_label(t, t->turned, i);
	return rc;
}

static void drop_labels(struct text_table *t)
{
	for (size_t i = 0; i < t->label.n; i++)
		free(t->label.at[i]);
	free(t->label.at);
	t->label.at = NULL;
	t->label.n = t->label.cap = 0;
}

static unsigned label_width(const char *z)
{
	unsigned n = 0;
	for (; *z; z++)
		n += ((unsigned char)*z & 0xc0) != 0x80;
	return n;
}

/* About as wide as it will be; numbers of up to 10 characters. */
static unsigned wanted_width(const struct text_table *t, uint32_t from, uint32_t n)
{
	unsigned all = 0;
	for (uint32_t i = 0; i < t->n_down; i++) {
		unsigned w = label_width(t->label.at[t->n_across + i]);
		all = w > all ? w : all;
	}
	for (uint32_t i = 0; i < n; i++) {
		unsigned w = label_width(t->label.at[from + i]);
		all += GAP + (w > 10 ? w : 10);
	}
	return all;
}

static struct weft_cell value_at(const struct text_table *t, uint32_t down, uint32_t across)
{
	const struct weft_result_cell *c = t->turned ? weft_sheet_cell(t->page, across, down)
	                                             : weft_sheet_cell(t->page, down, across);
	return c ? weft_value_cell(&t->form, c->value) : (struct weft_cell){WEFT_CELL_NONE, .u64 = 0};
}

static double number_at(const struct text_table *t, uint32_t down, uint32_t across)
{
	const struct weft_result_cell *c = t->turned ? weft_sheet_cell(t->page, across, down)
	                                             : weft_sheet_cell(t->page, down, across);
	return c && c->value > 0 && isfinite(c->value) ? c->value : 0;
}

static struct weft_cell total_cell(const struct text_table *t, uint32_t column, unsigned which)
{
	struct weft_value_form ratio = {WEFT_CELL_DOUBLE, 1, ""};
	return weft_value_cell(which == WEFT_AVG_MAX ? &ratio : &t->form, t->page->total[column][which]);
}

/* Totals are of the table's columns: lines of a table that is not turned, behind an empty one. */
static int put_totals(const struct text_table *t, struct weft_table *out, struct weft_cell *cell, uint32_t from, uint32_t n)
{
	for (uint32_t i = 0; i < n + 2; i++)
		cell[i] = (struct weft_cell){WEFT_CELL_TEXT, .text = ""};
	int rc = weft_table_rows(out) ? weft_table_row(out, cell) : 0;
	for (unsigned k = 0; k < WEFT_TOTALS && !rc; k++) {
		cell[0] = (struct weft_cell){WEFT_CELL_TEXT, .text = weft_total_names[k]};
		for (uint32_t i = 0; i < n; i++)
			cell[i + 1] = total_cell(t, from + i, k);
		rc = weft_table_row(out, cell);
	}
	return rc;
}

static void make_bar(char *bar, double v, double most)
{
	unsigned n = most > 0 ? (unsigned)(v / most * BAR + 0.5) : 0;
	memset(bar, '#', n);
	bar[n] = 0;
}

/* What stands behind the values of a turned table: some totals of the line. */
static const unsigned line_totals[] = {WEFT_AVERAGE, WEFT_MAXIMUM, WEFT_AVG_MAX};
enum { LINE_TOTALS = 3 };

/* A part of the table: [from, from + n) of what stands side by side, and behind it totals and a bar, or what of them there is. */
struct part {
	uint32_t from, n, behind; /* totals of a line */
	bool bars;
	double most;
	struct weft_column *column;
	struct weft_cell *cell;
};

static int put_line(const struct text_table *t, struct weft_table *out, const struct part *p, uint32_t down)
{
	char bar[BAR + 1] = "";
	uint32_t k = 0;
	p->cell[k++] = (struct weft_cell){WEFT_CELL_TEXT, .text = t->label.at[t->n_across + down]};
	for (uint32_t i = 0; i < p->n; i++)
		p->cell[k++] = value_at(t, down, p->from + i);
	for (uint32_t i = 0; i < p->behind; i++)
		p->cell[k++] = total_cell(t, down, line_totals[i]);
	if (p->bars)
		make_bar(bar, number_at(t, down, 0), p->most);
	p->cell[k] = (struct weft_cell){WEFT_CELL_TEXT, .text = bar};
	return weft_table_row(out, p->cell);
}

static void name_columns(const struct text_table *t, const struct part *p)
{
	uint32_t k = 0;
	p->column[k++] = (struct weft_column){"row", "", WEFT_CELL_TEXT};
	for (uint32_t i = 0; i < p->n; i++)
		p->column[k++] = (struct weft_column){"value", t->label.at[p->from + i], t->form.kind};
	for (uint32_t i = 0; i < p->behind; i++)
		p->column[k++] = (struct weft_column){"total", weft_total_names[line_totals[i]], t->form.kind};
	p->column[k] = (struct weft_column){"bar", "", WEFT_CELL_TEXT};
}

static int print_part(const struct text_table *t, uint32_t from, uint32_t n)
{
	const struct weft_result *r = t->page->result;
	struct part p = {.from = from, .n = n, .bars = t->n_across == 1};
	bool totals = r->n_rows > 1;
	p.behind = totals && t->turned && from + n == t->n_across ? LINE_TOTALS : 0;
	p.column = calloc((size_t)n + p.behind + 2, sizeof *p.column);
	p.cell = calloc((size_t)n + p.behind + 2, sizeof *p.cell);
	for (uint32_t d = 0; d < t->n_down && p.bars; d++)
		p.most = fmax(p.most, number_at(t, d, 0));
	int rc = p.column && p.cell ? 0 : -ENOMEM;
	struct weft_table lines;
	if (!rc)
		name_columns(t, &p);
	weft_table_init(&lines, p.column, n + p.behind + 2);
	for (uint32_t d = 0; d < t->n_down && !rc && (t->turned || !r->hist->only_totals); d++)
		rc = put_line(t, &lines, &p, d);
	if (!rc && totals && !t->turned)
		rc = put_totals(t, &lines, p.cell, from, n);
	if (!rc)
		rc = weft_table_print(&lines, WEFT_TABLE_TEXT, t->to);
	weft_table_fini(&lines);
	free(p.column);
	free(p.cell);
	return rc;
}

static int print_parts(const struct text_table *t)
{
	int rc = 0;
	for (uint32_t from = 0, n; from < t->n_across && !rc; from += n) {
		n = 1;
		while (from + n < t->n_across && wanted_width(t, from, n + 1) <= t->width)
			n++;
		if (from)
			fputc('\n', t->to);
		rc = print_part(t, from, n);
	}
	return rc;
}

int cli_sheet_text(const struct weft_sheet *p, unsigned width, FILE *to)
{
	struct text_table t = {.page = p,
	                       .form = weft_value_form(p->result),
	                       .width = width,
	                       .turned = p->result->hist->vertical,
	                       .to = to};
	if (!p->n_columns || !p->result->n_rows) {
		fprintf(to, "nothing\n");
		return 0;
	}
	int rc = make_labels(&t);
	if (!rc && !t.turned && p->n_columns > p->result->n_rows && wanted_width(&t, 0, t.n_across) > width) {
		drop_labels(&t);
		t.turned = true;
		rc = make_labels(&t);
	}
	if (!rc)
		rc = print_parts(&t);
	drop_labels(&t);
	return rc;
}
