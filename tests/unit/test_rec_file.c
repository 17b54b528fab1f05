/* SPDX-License-Identifier: Apache-2.0 */
/* rec_file.c, text_lines.c: records as recutils write them; what is wrong is said with its line. */
#include "harness.h"
#include "taskfiles/rec_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct text_lines *lines_of(const char *text)
{
	struct text_lines *t;
	REQUIRE(text_lines_open_memory(&t, text, strlen(text), "a.rec", NULL) == 0);
	return t;
}

static bool is(const struct record *r, const char *name, const char *want)
{
	return weft_str_eq(record_get(r, name), want);
}

TEST(records_have_fields)
{
	struct text_lines *t = lines_of(
		"# a comment\n\nName: potrf\nJobId: 7\nEmpty:\n\n\nName: gemm\r\nParameters:  M1 M2\n# within\nTime: 1.5");
	struct record r = {.line = 0};
	struct weft_err err = {0};
	uint64_t id;
	double time;
	CHECK_I64(record_next(&r, t, &err), 1);
	CHECK(is(&r, "Name", "potrf") && is(&r, "Empty", ""));
	CHECK_U64(r.line, 3);
	CHECK_U64(r.field.n, 3);
	CHECK(record_get(&r, "Model").at == NULL);
	CHECK_I64(record_u64(&r, t, "JobId", &id, &err), 0);
	CHECK_U64(id, 7);
	CHECK_I64(record_next(&r, t, &err), 1);
	CHECK(is(&r, "Name", "gemm") && is(&r, "Parameters", " M1 M2")); /* one blank belongs to the field's name */
	CHECK_I64(record_double(&r, t, "Time", &time, &err), 0);
	CHECK_NEAR(time, 1.5, 0);
	CHECK_I64(record_next(&r, t, &err), 0);
	record_fini(&r);
	text_lines_close(t);
}

TEST(values_go_on_over_lines)
{
	struct text_lines *t = lines_of("A: one\n+ two\n+three\nB: left \\\nright\nC: \\\nnext\n");
	struct record r = {.line = 0};
	CHECK_I64(record_next(&r, t, NULL), 1);
	CHECK(is(&r, "A", "one\ntwo\nthree"));
	CHECK(is(&r, "B", "left right"));
	CHECK(is(&r, "C", "next"));
	record_fini(&r);
	text_lines_close(t);
}

TEST(types_are_said_by_records_of_their_own)
{
	struct text_lines *t = lines_of("%rec: timing\n%key: Model\n\nModel: a\n\n%rec: other\n\nX: b\n\n%rec: last\n");
	struct record r = {.line = 0};
	CHECK_I64(record_next(&r, t, NULL), 1);
	CHECK_STR(record_type(&r), "timing");
	CHECK(is(&r, "Model", "a"));
	CHECK_I64(record_next(&r, t, NULL), 1);
	CHECK_STR(record_type(&r), "other");
	CHECK_I64(record_next(&r, t, NULL), 0);
	record_fini(&r);
	text_lines_close(t);
}

static void check_wrong(const char *text, const char *want)
{
	struct text_lines *t = lines_of(text);
	struct record r = {.line = 0};
	struct weft_err err = {0};
	uint64_t id;
	int rc = record_next(&r, t, &err);
	if (rc > 0)
		rc = record_u64(&r, t, "JobId", &id, &err);
	CHECK_I64(rc, WEFT_E_SYNTAX);
	CHECK_STR(err.text, want);
	record_fini(&r);
	text_lines_close(t);
}

TEST(what_is_wrong_is_said_with_its_line)
{
	check_wrong("Name: a\nno field\n", "a.rec:2: expected 'Field: value', found 'no field'");
	check_wrong("Name: a\n1x: b\n", "a.rec:2: expected 'Field: value', found '1x: b'");
	check_wrong("+ b\n", "a.rec:1: a line that goes on with a value, where none stands before");
	check_wrong("\n\nName: a\n", "a.rec:3: a record without 'JobId'");
	check_wrong("Name: a\nJobId: 7x\n", "a.rec:1: field 'JobId': expected a number, found '7x'");
}
