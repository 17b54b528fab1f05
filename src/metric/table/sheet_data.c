/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for programs. CSV is a line for each row of one table; of several traces or planes, whose columns may differ, a line
 * for each cell: trace, plane, row, column, value. JSON is an array of tables.
 */
#include "table_sheet.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_field(FILE *to, const char *z)
{
	if (!z[strcspn(z, ",\"\n\r")]) {
		fputs(z, to);
		return;
	}
	fputc('"', to);
	for (; *z; z++) {
		if (*z == '"')
			fputc('"', to);
		fputc(*z, to);
	}
	fputc('"', to);
}

static void put_number(FILE *to, double v)
{
	char z[WEFT_FMT_DOUBLE];
	weft_fmt_double(z, v);
	fputs(strstr(z, "nan") || strstr(z, "inf") ? "" : z, to);
}

static const char *text_of(const struct weft_buf *b)
{
	return b->n && !b->failed ? b->at : "";
}

static void plane_label(const struct weft_sheet *p, struct weft_buf *out)
{
	if (p->result->hist->extra != WEFT_NONE)
		weft_plane_label(p->result, p->plane, out);
}

/* ---- CSV ---- */

static int put_wide(const struct weft_sheet *p, FILE *to)
{
	struct weft_buf z = {0};
	fputs("row", to);
	for (uint32_t i = 0; i < p->n_columns; i++) {
		z.n = 0;
		weft_sheet_column_label(p, i, &z);
		fputc(',', to);
		put_field(to, text_of(&z));
	}
	fputc('\n', to);
	for (uint32_t row = 0; row < p->result->n_rows; row++) {
		put_field(to, p->row[row]);
		for (uint32_t i = 0; i < p->n_columns; i++) {
			const struct weft_result_cell *c = weft_sheet_cell(p, row, i);
			fputc(',', to);
			if (c)
				put_number(to, c->value);
		}
		fputc('\n', to);
	}
	int rc = z.failed ? -ENOMEM : 0;
	weft_buf_fini(&z);
	return rc;
}

static int put_long(const struct weft_sheet *p, FILE *to)
{
	struct weft_buf plane = {0}, label = {0};
	plane_label(p, &plane);
	for (uint32_t row = 0; row < p->result->n_rows; row++) {
		for (uint32_t i = 0; i < p->n_columns; i++) {
			const struct weft_result_cell *c = weft_sheet_cell(p, row, i);
			if (!c)
				continue;
			label.n = 0;
			weft_sheet_column_label(p, i, &label);
			put_field(to, p->trace);
			fputc(',', to);
			put_field(to, text_of(&plane));
			fputc(',', to);
			put_field(to, p->row[row]);
			fputc(',', to);
			put_field(to, text_of(&label));
			fputc(',', to);
			put_number(to, c->value);
			fputc('\n', to);
		}
	}
	int rc = plane.failed || label.failed ? -ENOMEM : 0;
	weft_buf_fini(&plane);
	weft_buf_fini(&label);
	return rc;
}

int weft_sheet_csv(const struct weft_sheet *p, struct weft_sheet_set *s)
{
	if (!s->long_form)
		return put_wide(p, s->to);
	if (!s->begun)
		fputs("trace,plane,row,column,value\n", s->to);
	s->begun = true;
	return put_long(p, s->to);
}

/* ---- JSON ---- */

static void put_json_columns(const struct weft_sheet *p, struct weft_json *j, struct weft_buf *z)
{
	const struct weft_axis *a = &p->result->column;
	weft_json_key(j, "columns");
	weft_json_array(j);
	for (uint32_t i = 0; i < p->n_columns; i++) {
		z->n = 0;
		weft_sheet_column_label(p, i, z);
		weft_json_object(j);
		weft_json_key(j, "label");
		weft_json_string(j, text_of(z));
		weft_json_key(j, "from");
		weft_json_double(j, a->min + p->column[i] * a->delta);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_json_rows(const struct weft_sheet *p, struct weft_json *j)
{
	weft_json_key(j, "rows");
	weft_json_array(j);
	for (uint32_t row = 0; row < p->result->n_rows; row++) {
		weft_json_object(j);
		weft_json_key(j, "label");
		weft_json_string(j, p->row[row]);
		weft_json_key(j, "values");
		weft_json_array(j);
		for (uint32_t i = 0; i < p->n_columns; i++) {
			const struct weft_result_cell *c = weft_sheet_cell(p, row, i);
			if (c)
				weft_json_double(j, c->value);
			else
				weft_json_null(j);
		}
		weft_json_end(j);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_key(j, "totals");
	weft_json_object(j);
	for (unsigned k = 0; k < WEFT_TOTALS; k++) {
		weft_json_key(j, weft_total_names[k]);
		weft_json_array(j);
		for (uint32_t i = 0; i < p->n_columns; i++)
			weft_json_double(j, p->total[i][k]);
		weft_json_end(j);
	}
	weft_json_end(j);
}

int weft_sheet_json(const struct weft_sheet *p, struct weft_sheet_set *s)
{
	const struct weft_result *r = p->result;
	struct weft_json *j = &s->json;
	struct weft_buf z = {0};
	weft_json_object(j);
	weft_json_key(j, "table");
	weft_json_string(j, r->hist->name);
	weft_json_key(j, "trace");
	weft_json_string(j, p->trace);
	weft_json_key(j, "statistic");
	weft_json_string(j, weft_stat_name(r->hist->stat));
	weft_json_key(j, "unit");
	weft_json_string(j, weft_value_form(r).unit);
	weft_json_key(j, "begin_ns");
	weft_json_u64(j, (uint64_t)(r->begin * (double)r->space->unit_ns));
	weft_json_key(j, "end_ns");
	weft_json_u64(j, (uint64_t)(r->end * (double)r->space->unit_ns));
	if (r->hist->extra != WEFT_NONE) {
		plane_label(p, &z);
		weft_json_key(j, "plane");
		weft_json_string(j, text_of(&z));
	}
	put_json_columns(p, j, &z);
	put_json_rows(p, j);
	weft_json_end(j);
	int rc = z.failed ? -ENOMEM : 0;
	weft_buf_fini(&z);
	return rc;
}
