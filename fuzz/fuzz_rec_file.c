/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records, rows and trace.rec: any bytes are read or refused with one line. Records that were read are written and read back the same.
 */
#include "fuzz.h"

#include "taskfiles/data_rows.h"
#include "taskfiles/rec_file.h"
#include "taskfiles/state_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct text_lines *lines_of(const void *at, size_t n)
{
	struct text_lines *t;
	FUZZ_REQUIRE(text_lines_open_memory(&t, at, n, "fuzz", NULL) == 0);
	return t;
}

static void print_value(struct weft_buf *out, struct weft_str value)
{
	for (size_t i = 0; i < value.n; i++)
		if (value.at[i] == '\n')
			weft_buf_puts(out, "\n+ ");
		else
			weft_buf_putc(out, value.at[i]);
}

/* A value that ends a line with a backslash, or with a carriage return, cannot be said. */
static bool can_be_said(struct weft_str value)
{
	for (size_t i = 0; i < value.n; i++)
		if ((value.at[i] == '\\' || value.at[i] == '\r') && (i + 1 == value.n || value.at[i + 1] == '\n'))
			return false;
	return true;
}

static void read_records(const uint8_t *at, size_t n)
{
	struct weft_err err = {0};
	struct record r = {.line = 0}, again = {.line = 0};
	struct text_lines *t = lines_of(at, n);
	int rc;
	while ((rc = record_next(&r, t, &err)) > 0) {
		struct weft_buf text = {0};
		bool sayable = true;
		FUZZ_REQUIRE(r.field.n > 0);
		for (size_t i = 0; i < r.field.n; i++) {
			weft_buf_add(&text, r.field.at[i].name.at, r.field.at[i].name.n);
			weft_buf_puts(&text, ": ");
			print_value(&text, r.field.at[i].value);
			weft_buf_putc(&text, '\n');
			sayable &= can_be_said(r.field.at[i].value);
		}
		struct text_lines *back = lines_of(text.at, text.n);
		if (sayable) {
			FUZZ_REQUIRE(record_next(&again, back, NULL) == 1 && again.field.n == r.field.n);
			for (size_t i = 0; i < r.field.n; i++)
				FUZZ_REQUIRE(
					again.field.at[i].value.n == r.field.at[i].value.n &&
					!memcmp(again.field.at[i].value.at, r.field.at[i].value.at, again.field.at[i].value.n));
		}
		text_lines_close(back);
		weft_buf_fini(&text);
	}
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n'));
	record_fini(&r);
	record_fini(&again);
	text_lines_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_err err = {0};
	struct state_sums sums = {.keep_lengths = true};
	struct task_row row;
	int rc;
	read_records(at, n);
	struct text_lines *t = lines_of(at, n);
	rc = state_sums_read_rec(&sums, t, &err);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n'));
	FUZZ_REQUIRE(isfinite(sums.parts.task + sums.parts.idle) && sums.parts.task >= 0 && sums.parts.runtime >= 0);
	state_sums_fini(&sums);
	text_lines_close(t);
	t = lines_of(at, n);
	err = (struct weft_err){0};
	while ((rc = task_row_next(&row, t, &err)) > 0)
		FUZZ_REQUIRE(isfinite(row.ms) && strlen(row.worker) > 0);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n'));
	text_lines_close(t);
	return 0;
}
