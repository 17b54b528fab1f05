/* SPDX-License-Identifier: Apache-2.0 */
/* data_rows.c: rows with tabs or blanks between; a task's row. */
#include "harness.h"
#include "taskfiles/data_rows.h"
#include <string.h>

static struct text_lines *lines_of(const char *text)
{
	struct text_lines *t;
	REQUIRE(text_lines_open_memory(&t, text, strlen(text), "distrib.data", NULL) == 0);
	return t;
}

TEST(columns_are_divided_by_tabs_or_blanks)
{
	struct text_lines *t = lines_of("# head\n\nname\t0\tCPU 0\n  a  b\n");
	struct columns c;
	CHECK_I64(columns_next(&c, t, NULL), 1);
	CHECK_U64(c.n, 3);
	CHECK(weft_str_eq(c.at[2], "CPU 0"));
	CHECK_I64(columns_next(&c, t, NULL), 1);
	CHECK_U64(c.n, 2);
	CHECK(weft_str_eq(c.at[1], "b"));
	CHECK_I64(columns_next(&c, t, NULL), 0);
	text_lines_close(t);
}

TEST(a_row_says_what_a_task_took)
{
	struct text_lines *t = lines_of("gemm kernel\t0_1\t1327104\te96a96cb\t2.052482000\n");
	struct task_row r;
	CHECK_I64(task_row_next(&r, t, NULL), 1);
	CHECK(weft_str_eq(r.codelet, "gemm kernel"));
	CHECK_STR(r.worker, "0_1");
	CHECK_STR(r.footprint, "e96a96cb");
	CHECK_U64(r.size, 1327104);
	CHECK_NEAR(r.ms, 2.052482, 1e-12);
	text_lines_close(t);
}

TEST(rows_that_are_none_are_refused)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a\t0\t1\n", "distrib.data:1: expected codelet, worker, size, footprint and milliseconds, found 3 columns"},
		{"a\t0\t1\tff\t1\na\t0\tx\tff\t1\n", "distrib.data:2: column 3, size: expected a number, found 'x'"},
		{"a\t0\t1\tff\t1,5\n", "distrib.data:1: column 5, milliseconds: expected a number, found '1,5'"},
		{"a\t../0\t1\tff\t1\n", "distrib.data:1: a worker or footprint that is none"},
		{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "distrib.data:1: more than 16 columns"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text_lines *t = lines_of(cases[i].text);
		struct weft_err err = {0};
		struct task_row r;
		int rc;
		while ((rc = task_row_next(&r, t, &err)) > 0)
			;
		CHECK_I64(rc, WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].want);
		text_lines_close(t);
	}
}
