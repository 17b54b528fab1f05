/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: one table in its three forms. */
#include "harness.h"
#include "base/json.h"
#include "base/table.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_column columns[] = {
	{"name", "name", WEFT_CELL_TEXT},      {"n", "calls", WEFT_CELL_U64},      {"delta", "delta", WEFT_CELL_I64},
	{"total_ns", "total", WEFT_CELL_NS},   {"bytes", "size", WEFT_CELL_BYTES}, {"ratio", "ratio", WEFT_CELL_DOUBLE},
	{"share", "share", WEFT_CELL_PERCENT}, {"note", "note", WEFT_CELL_TEXT},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static int add_rows(struct weft_table *t)
{
	const struct weft_cell rows[][N_COLUMNS] = {
		{{WEFT_CELL_TEXT, {.text = "main"}},
	         {WEFT_CELL_U64, {.u64 = UINT64_MAX}},
	         {WEFT_CELL_I64, {.i64 = -5}},
	         {WEFT_CELL_NS, {.u64 = 1210000}},
	         {WEFT_CELL_BYTES, {.u64 = 1536}},
	         {WEFT_CELL_DOUBLE, {.f64 = 0.1}},
	         {WEFT_CELL_PERCENT, {.f64 = 12.5}},
	         {WEFT_CELL_TEXT, {.text = "first"}}},
		{{WEFT_CELL_TEXT, {.text = "a, \"b\"\n\xc3\xa9"}},
	         {.kind = WEFT_CELL_NONE},
	         {WEFT_CELL_I64, {.i64 = 1234}},
	         {WEFT_CELL_NS, {.u64 = 0}},
	         {WEFT_CELL_BYTES, {.u64 = 0}},
	         {WEFT_CELL_DOUBLE, {.f64 = NAN}},
	         {WEFT_CELL_PERCENT, {.f64 = NAN}},
	         {WEFT_CELL_TEXT, {.text = NULL}}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int rc = weft_table_row(t, rows[i]);
		if (rc)
			return rc;
	}
	return 0;
}

static char *printed(const struct weft_table *t, enum weft_table_form form, int *rc)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	REQUIRE(to);
	*rc = weft_table_print(t, form, to);
	fclose(to);
	return text;
}

static void check_printed(const struct weft_table *t, enum weft_table_form form, const char *want)
{
	int rc;
	char *text = printed(t, form, &rc);
	CHECK_I64(rc, 0);
	CHECK_STR(text, want);
	if (form == WEFT_TABLE_JSON)
		CHECK_I64(weft_json_check(text, strlen(text), NULL), 0);
	free(text);
}

TEST(table_for_people)
{
	struct weft_table t;
	weft_table_init(&t, columns, N_COLUMNS);
	REQUIRE(add_rows(&t) == 0);
	CHECK_U64(weft_table_rows(&t), 2);
	check_printed(&t, WEFT_TABLE_TEXT,
	              "name                        calls  delta    total      size  ratio    share  note\n"
	              "main         18446744073709551615     -5  1.21 ms  1.50 KiB    0.1  12.50 %  first\n"
	              "a, \"b\"\\x0a\xc3\xa9                     -   1234     0 ns       0 B      -        -\n");
	weft_table_fini(&t);
}

TEST(table_as_csv)
{
	struct weft_table t;
	weft_table_init(&t, columns, N_COLUMNS);
	REQUIRE(add_rows(&t) == 0);
	check_printed(&t, WEFT_TABLE_CSV,
	              "name,n,delta,total_ns,bytes,ratio,share,note\n"
	              "main,18446744073709551615,-5,1210000,1536,0.1,12.5,first\n"
	              "\"a, \"\"b\"\"\n\xc3\xa9\",,1234,0,0,,,\n");
	weft_table_fini(&t);
}

TEST(table_as_json)
{
	struct weft_table t;
	weft_table_init(&t, columns, N_COLUMNS);
	REQUIRE(add_rows(&t) == 0);
	check_printed(&t, WEFT_TABLE_JSON,
	              "[\n"
	              "  {\n"
	              "    \"name\": \"main\",\n"
	              "    \"n\": 18446744073709551615,\n"
	              "    \"delta\": -5,\n"
	              "    \"total_ns\": 1210000,\n"
	              "    \"bytes\": 1536,\n"
	              "    \"ratio\": 0.1,\n"
	              "    \"share\": 12.5,\n"
	              "    \"note\": \"first\"\n"
	              "  },\n"
	              "  {\n"
	              "    \"name\": \"a, \\\"b\\\"\\n\xc3\xa9\",\n"
	              "    \"n\": null,\n"
	              "    \"delta\": 1234,\n"
	              "    \"total_ns\": 0,\n"
	              "    \"bytes\": 0,\n"
	              "    \"ratio\": null,\n"
	              "    \"share\": null,\n"
	              "    \"note\": \"\"\n"
	              "  }\n"
	              "]\n");
	weft_table_fini(&t);
}

/* Two rows at once, and one after the other: CSV and JSON are the same. */
TEST(table_in_parts_is_the_whole)
{
	for (unsigned form = WEFT_TABLE_CSV; form <= WEFT_TABLE_JSON; form++) {
		struct weft_table t, twice;
		char *text = NULL, *want;
		size_t n = 0;
		int rc;
		weft_table_init(&t, columns, N_COLUMNS);
		weft_table_init(&twice, columns, N_COLUMNS);
		REQUIRE(add_rows(&twice) == 0 && add_rows(&twice) == 0);
		want = printed(&twice, (enum weft_table_form)form, &rc);
		FILE *to = open_memstream(&text, &n);
		REQUIRE(to && add_rows(&t) == 0 && weft_table_part(&t, (enum weft_table_form)form, to, false) == 0);
		CHECK_U64(weft_table_rows(&t), 0);
		REQUIRE(add_rows(&t) == 0 && weft_table_part(&t, (enum weft_table_form)form, to, false) == 0);
		REQUIRE(weft_table_part(&t, (enum weft_table_form)form, to, true) == 0);
		fclose(to);
		CHECK_STR(text, want);
		free(text);
		free(want);
		weft_table_fini(&t);
		weft_table_fini(&twice);
	}
}

TEST(table_without_rows)
{
	struct weft_table t;
	weft_table_init(&t, columns, 2);
	CHECK_U64(weft_table_rows(&t), 0);
	check_printed(&t, WEFT_TABLE_TEXT, "name  calls\n");
	check_printed(&t, WEFT_TABLE_CSV, "name,n\n");
	check_printed(&t, WEFT_TABLE_JSON, "[]\n");
	weft_table_fini(&t);
}

TEST(table_quotes_what_csv_needs_quoted)
{
	static const char *const cases[][2] = {
		{"plain", "plain"},
		{"", ""},
		{"a b", "a b"},
		{"a,b", "\"a,b\""},
		{"a\"b", "\"a\"\"b\""},
		{"\"", "\"\"\"\""},
		{"\n", "\"\n\""},
		{"\r", "\"\r\""},
		{"a;b\t'", "a;b\t'"},
		{"-", "-"},
		/* What a spreadsheet would compute; numbers are none of that. */
		{"=1+2", "'=1+2"},
		{"+a", "'+a"},
		{"-a,b", "\"'-a,b\""},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"\t=1", "'\t=1"},
		{"-5", "-5"},
		{"+1e3", "'+1e3"},
		{"a=b", "a=b"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weft_table t;
		char want[64];
		weft_table_init(&t, columns, 1);
		REQUIRE(weft_table_row(&t, &(struct weft_cell){WEFT_CELL_TEXT, {.text = cases[i][0]}}) == 0);
		snprintf(want, sizeof want, "name\n%s\n", cases[i][1]);
		check_printed(&t, WEFT_TABLE_CSV, want);
		weft_table_fini(&t);
	}
}

TEST(table_doubles_at_their_limits)
{
	static const struct weft_column numbers[] = {{"x", "x", WEFT_CELL_DOUBLE}, {"p", "p", WEFT_CELL_PERCENT}};
	static const double values[] = {INFINITY, 1e300, -1e-300, 0};
	struct weft_table t;
	weft_table_init(&t, numbers, 2);
	for (size_t i = 0; i < 4; i++)
		REQUIRE(weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_DOUBLE, {.f64 = values[i]}},
		                                                {WEFT_CELL_PERCENT, {.f64 = values[i]}}}) == 0);
	check_printed(&t, WEFT_TABLE_TEXT,
	              "      x         p\n"
	              "    inf         -\n"
	              " 1e+300  1e+300 %\n"
	              "-1e-300   -0.00 %\n"
	              "      0    0.00 %\n");
	check_printed(&t, WEFT_TABLE_CSV, "x,p\ninf,inf\n1e+300,1e+300\n-1e-300,-1e-300\n0,0\n");
	weft_table_fini(&t);
}

TEST(table_copies_texts)
{
	struct weft_table t;
	char text[] = "before";
	weft_table_init(&t, columns, 1);
	REQUIRE(weft_table_row(&t, &(struct weft_cell){WEFT_CELL_TEXT, {.text = text}}) == 0);
	strcpy(text, "after!");
	check_printed(&t, WEFT_TABLE_CSV, "name\nbefore\n");
	weft_table_fini(&t);
}

TEST(table_reports_a_failed_stream)
{
	struct weft_table t;
	weft_table_init(&t, columns, N_COLUMNS);
	REQUIRE(add_rows(&t) == 0);
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		SKIP("no /dev/full");
	setvbuf(full, NULL, _IONBF, 0);
	CHECK_I64(weft_table_print(&t, WEFT_TABLE_TEXT, full), -EIO);
	fclose(full);
	weft_table_fini(&t);
}

TEST(table_each_allocation_fails)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_table t;
		weft_table_init(&t, columns, N_COLUMNS);
		int rc = add_rows(&t);
		FILE *null = fopen("/dev/null", "w");
		if (!rc)
			rc = weft_table_print(&t, WEFT_TABLE_TEXT, null);
		fclose(null);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_table_fini(&t);
	}
}
