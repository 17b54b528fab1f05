/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft data` prints: a table for each subject, and the curve of memory nodes. */
#ifndef WEFT_CLI_DATA_TABLES_H
#define WEFT_CLI_DATA_TABLES_H

#include "base/table.h"
#include "render/draw/picture.h"
#include "tasks/data_use.h"

enum { DATA_COLUMNS_MOST = 24, DATA_TEXT = 128 };
struct data_view {
	struct weft_tasks tasks;
	struct weft_use use;
	const char *pattern;  /* of data: names, or 0x...; NULL: all */
	bool people, several; /* for people; of several programs */
	uint64_t most;        /* rows; 0: all */
	uint64_t shown, n;    /* of the last table */
};
struct data_column {
	struct weft_column column;
	enum { DATA_ALWAYS, DATA_IN_FILES, DATA_OF_SEVERAL } where; /* IN_FILES: not for people */
};
/* Fills the cells of a row; texts live until the next row. */
struct data_table {
	const char *by, *help;
	const struct data_column *column;
	unsigned n_columns;
	int (*make)(struct data_view *v, struct weft_table *t, const struct data_table *self);
};
extern const struct data_table data_tables[];
extern const unsigned n_data_tables;

/* Prints one of them, or negative. */
int data_print(struct data_view *v, const struct data_table *table, enum weft_table_form form) WEFT_MUST_CHECK;
bool data_matches(const struct data_view *v, uint32_t data);

/* data_returns.c */
int data_make_returns(struct data_view *v, struct weft_table *t, const struct data_table *self) WEFT_MUST_CHECK;
int data_make_trips(struct data_view *v, struct weft_table *t, const struct data_table *self) WEFT_MUST_CHECK;
/* For those who make rows: whether one more is shown; adds it. */
bool data_shows(struct data_view *v);
int data_row(struct data_view *v, struct weft_table *t, const struct data_table *self,
             const struct weft_cell *cell) WEFT_MUST_CHECK;
void data_name(const struct data_view *v, uint32_t data, char out[DATA_TEXT]); /* with coordinates: "A (3 4)" */
void data_handle(const struct data_view *v, uint32_t data, char out[DATA_TEXT]);

/* data_curve.c: a plot for each node; as CSV. Appended to out. */
int data_curve_picture(const struct data_view *v, enum weft_picture_form form, struct weft_buf *out) WEFT_MUST_CHECK;
int data_curve_csv(const struct data_view *v, struct weft_buf *out) WEFT_MUST_CHECK;

#endif
