/* SPDX-License-Identifier: Apache-2.0 */
/* .row: blocks of names, which keep their places whatever they look like. */
#include "harness.h"
#include "trace/paraver/row.h"
#include <errno.h>
#include <string.h>

static int parse(struct row *r, const char *text)
{
	return row_parse(r, text, strlen(text));
}

TEST(names_of_levels)
{
	struct row r;
	REQUIRE(parse(&r,
	              "LEVEL CPU SIZE 2\n1.vm\n2.vm \n\nLEVEL NODE SIZE 1\nvm\r\n\n LEVEL  THREAD\tSIZE 3 \r\nTHREAD 1.1.1\n\nLEVEL up\n") ==
	        0);
	CHECK_U64(r.n_problems, 0);
	CHECK_U64(r.level[ROW_CPU].name.n, 2);
	CHECK_STR(r.level[ROW_CPU].name.at[1], "2.vm ");
	CHECK_STR(r.level[ROW_NODE].name.at[0], "vm");
	REQUIRE(r.level[ROW_THREAD].name.n == 3);
	CHECK_STR(r.level[ROW_THREAD].name.at[1], ""); /* an empty name is one */
	CHECK_STR(r.level[ROW_THREAD].name.at[2], "LEVEL up");
	CHECK(!r.level[ROW_APPL].there);
	row_fini(&r);
}

/* A name cannot steer a terminal, nor turn round what is read; white space in it is a blank. */
TEST(names_are_one_harmless_line)
{
	struct row r;
	REQUIRE(parse(&r, "LEVEL THREAD SIZE 3\na\x1b[31mb\nc\td\x7f"
	                  "e\nf\u202eg\xe9h\n") == 0);
	REQUIRE(r.level[ROW_THREAD].name.n == 3);
	CHECK_STR(r.level[ROW_THREAD].name.at[0], "a?[31mb");
	CHECK_STR(r.level[ROW_THREAD].name.at[1], "c d?e");
	CHECK_STR(r.level[ROW_THREAD].name.at[2], "f?g\xe9h");
	row_fini(&r);
}

TEST(a_level_that_comes_twice_is_the_later_one)
{
	struct row r;
	REQUIRE(parse(&r, "LEVEL NODE SIZE 2\na\nb\nLEVEL NODE SIZE 1\nc\n") == 0);
	CHECK_U64(r.level[ROW_NODE].name.n, 1);
	CHECK_STR(r.level[ROW_NODE].name.at[0], "c");
	row_fini(&r);
}

TEST(what_is_wrong_is_a_problem)
{
	static const struct {
		const char *text, *problem;
		uint64_t line, names;
	} cases[] = {
		{"names\n", "expected LEVEL <level> SIZE <n>", 1, 0},
		{"LEVEL NODE SIZE 2\na\n", "a block has fewer names than its SIZE says", 3, 1},
		{"LEVEL NODE SIZE 2\na\nLEVEL CPU SIZE 0\n", "a block has fewer names than its SIZE says", 3, 1},
		{"LEVEL NODE SIZE 1\na\nb\n", "a name beyond the SIZE of its block", 3, 1},
		{"LEVEL ROOM SIZE 1\na\nLEVEL NODE SIZE 1\nb\n", "a block of an unknown level", 1, 1},
		{"LEVEL NODE SIZE x\n", "expected LEVEL <level> SIZE <n>", 1, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct row r;
		REQUIRE(parse(&r, cases[i].text) == 0);
		CHECK_U64(r.n_problems, 1);
		if (r.problem.n) {
			CHECK_STR(r.problem.at[0].text, cases[i].problem);
			CHECK_U64(r.problem.at[0].line, cases[i].line);
		}
		CHECK_U64(r.level[ROW_NODE].name.n, cases[i].names);
		row_fini(&r);
	}
}

TEST(without_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct row r;
		int rc = parse(&r, "LEVEL NODE SIZE 2\na\nb\nc\nLEVEL X SIZE 1\n");
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		row_fini(&r);
	}
}
