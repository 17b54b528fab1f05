/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What paramedir writes, byte for byte: rows as lines of intervals, tables as lines of cells; and
 * the labels of values.
 */
#ifndef WEFT_METRIC_PARAVER_OUT_H
#define WEFT_METRIC_PARAVER_OUT_H

#include "base/str.h"
#include "metric/hist/hist.h"
#include <stdio.h>

struct weft_paraver_how {
	bool trace_units;  /* times of rows as whole numbers of the trace's units */
	bool many_files;   /* a file for each row, without its name */
	bool hide_empty;   /* columns, whatever the view says */
	bool one_plane;    /* only the plane that the view looks at */
	unsigned decimals; /* of tables */
	unsigned threads;
};

/* The rows of a window, into path (path_00001 and so on, when there are many). */
int weft_paraver_rows(const struct weft_space *s, const struct weft_window *w, const char *path,
                      const struct weft_paraver_how *how, struct weft_err *err) WEFT_MUST_CHECK;
/* The same of all rows, into what is open. */
int weft_paraver_rows_to(const struct weft_space *s, const struct weft_window *w, FILE *to, const struct weft_paraver_how *how,
                         struct weft_err *err) WEFT_MUST_CHECK;
int weft_paraver_table(const struct weft_result *r, const char *path, const struct weft_paraver_how *how,
                       struct weft_err *err) WEFT_MUST_CHECK;

/* ---- labels ---- */

/* What an object is called in tables: by the .row file, or "THREAD 1.1.1". */
void weft_object_label(const struct weft_space *s, enum weft_level level, uint32_t object, struct weft_buf *out);
/* What a value of the window means: "MPI_Send", "200.00 us", "3". */
void weft_value_name(const struct weft_space *s, const struct weft_window *w, const struct weft_view *v, double value,
                     bool is_short, struct weft_buf *out);
/* What a column of a table is called: a value, a range of them, or a partner. */
void weft_column_label(const struct weft_result *r, uint32_t column, struct weft_buf *out);
/* The same of a plane, of a table of three dimensions. */
void weft_plane_label(const struct weft_result *r, uint32_t plane, struct weft_buf *out);
/* 1234.5 as "1,234.50" */
void weft_grouped(double v, unsigned decimals, struct weft_buf *out);

#endif
