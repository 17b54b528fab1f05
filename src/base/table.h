/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A printed table: the same rows as aligned text for a person, as CSV (RFC 4180, lines ending in LF), or as a JSON array
 * of objects. In CSV a text that a spreadsheet would take for a formula (that begins with = + - @, and is no number) has an
 * apostrophe in front; JSON has it as it is. Cells keep their type: people see "1.21 ms", JSON and CSV get 1210000. An empty cell, and a double that is
 * nan, is "-" for a person, nothing in CSV and null in JSON.
 */
#ifndef WEFT_BASE_TABLE_H
#define WEFT_BASE_TABLE_H

#include "arena.h"
#include "json.h"
#include "vec.h"
#include <stdint.h>
#include <stdio.h>

enum weft_cell_kind {
	WEFT_CELL_TEXT,
	WEFT_CELL_U64,
	WEFT_CELL_I64,
	WEFT_CELL_DOUBLE,
	WEFT_CELL_NS,      /* u64 */
	WEFT_CELL_BYTES,   /* u64 */
	WEFT_CELL_PERCENT, /* f64: 12.5 is printed "12.50 %", and 12.5 for programs */
	WEFT_CELL_NONE,
};
enum weft_table_form { WEFT_TABLE_TEXT, WEFT_TABLE_CSV, WEFT_TABLE_JSON };

struct weft_column {
	const char *key;   /* JSON key and CSV heading, e.g. "total_ns" */
	const char *title; /* heading for people, e.g. "total" */
	enum weft_cell_kind kind;
};
struct weft_cell {
	enum weft_cell_kind kind; /* the column's, or WEFT_CELL_NONE for an empty cell */
	union {
		const char *text; /* copied by weft_table_row */
		uint64_t u64;
		int64_t i64;
		double f64;
	};
};
struct weft_table {
	const struct weft_column *column; /* borrowed */
	unsigned n_columns;
	struct weft_arena arena;
	WEFT_VEC(struct weft_cell) cell; /* row after row */
	struct weft_json json;           /* private: what weft_table_part() has open */
	bool begun;
};

void weft_table_init(struct weft_table *t, const struct weft_column *columns, unsigned n_columns);
void weft_table_fini(struct weft_table *t);
int weft_table_row(struct weft_table *t, const struct weft_cell *cells) WEFT_MUST_CHECK; /* n_columns cells; 0 or -ENOMEM */
size_t weft_table_rows(const struct weft_table *t);
/*
 * For more rows than should be kept: prints those that there are and forgets them; `last`: no more will come. As text each part has widths and
 * headings of its own. The same results.
 */
int weft_table_part(struct weft_table *t, enum weft_table_form form, FILE *to, bool last) WEFT_MUST_CHECK;
/* 0, -ENOMEM, or -EIO when the stream has failed. */
int weft_table_print(const struct weft_table *t, enum weft_table_form form, FILE *to) WEFT_MUST_CHECK;

#endif
