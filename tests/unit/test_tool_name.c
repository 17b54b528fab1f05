/* SPDX-License-Identifier: Apache-2.0 */
/* Names of traces that nobody named, of parts, and of the files beside them. */
#include "tool_maker.h"

TEST(beside)
{
	static const struct {
		const char *prv, *beside;
	} cases[] = {{"a/t.prv", "a/t.pcf"},
	             {"t.prv.gz", "t.pcf"},
	             {"t.prv.zst", "t.pcf"},
	             {"t", "t.pcf"},
	             {"t.prv.x", "t.prv.x.pcf"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = weft_tool_beside(cases[i].prv, ".pcf");
		CHECK_STR(got, cases[i].beside);
		free(got);
	}
}

TEST(parts)
{
	static const struct {
		const char *out, *part;
	} cases[] = {{"a/t.prv", "a/t-part2.prv"},       {"t-part1.prv", "t-part2.prv"},   {"t-part31.prv.gz", "t-part2.prv.gz"},
	             {"t-part.prv", "t-part-part2.prv"}, {"part1.prv", "part1-part2.prv"}, {"t", "t-part2"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = weft_tool_part_name(cases[i].out, 2);
		CHECK_STR(got, cases[i].part);
		free(got);
	}
}

TEST(the_number_grows)
{
	static const char *const taken[] = {"t.chop1.prv", "t.chop2.prv", "t.split1-part1.prv"};
	const char *in = tool_path("t.prv.gz");
	for (unsigned i = 0; i < 3; i++)
		tool_put(taken[i], "");
	char *chop = weft_tool_name(in, "chop"), *split = weft_tool_name(in, "split"), *filter = weft_tool_name(in, "filter");
	CHECK_STR(chop, tool_path("t.chop3.prv"));
	CHECK_STR(split, tool_path("t.split2.prv"));
	CHECK_STR(filter, tool_path("t.filter1.prv"));
	free(chop);
	free(split);
	free(filter);
}

TEST(a_trace_is_removed_with_what_is_beside_it)
{
	int status;
	tool_put("t.prv", "");
	tool_put("t.pcf", "");
	tool_put("u.prv", "");
	weft_tool_remove(tool_path("t.prv"));
	char *left = test_shell(&status, "ls '%s'", test_dir());
	CHECK_STR(left, "u.prv\n");
	free(left);
}
