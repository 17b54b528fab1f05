/* SPDX-License-Identifier: Apache-2.0 */
/* .pcf: sections, groups of types, precision, and lines that mean nothing. */
#include "harness.h"
#include "trace/paraver/pcf.h"
#include <errno.h>
#include <string.h>

static const char sample[] = "DEFAULT_OPTIONS\n\n"
			     "LEVEL               THREAD\n"
			     "UNITS               NANOSEC\n"
			     "DEFAULT_SEMANTIC\n"
			     "THREAD_FUNC          State As Is\n\n\n"
			     "# a comment\n"
			     "STATES\n"
			     "0    Idle\n"
			     "\t1\tRunning  it \r\n"
			     "STATES_COLOR\n"
			     "0    {117,195,255}\n"
			     "7    { 1 , 2 , 3 }\n"
			     "EVENT_TYPE\n"
			     "9   50000001    MPI Point-to-point\n"
			     "6   50000002    MPI: other\n"
			     "PRECISION 3\n"
			     "VALUES\n"
			     "1   MPI_Send\n"
			     "-4  Below\n"
			     "0   End\n"
			     "EVENT_TYPE\n"
			     "7   42000050 PAPI_TOT_INS [Instr completed]\n"
			     "EVENT_TYPE\n"
			     "0   5  Late\n"
			     "VALUES\n"
			     "2   two\n"
			     "PRECISION 1\n"
			     "GRADIENT_COLOR\n"
			     "0    {0,255,2}\n"
			     "GRADIENT_NAMES\n"
			     "0    Gradient 0\n"
			     "STATES\n"
			     "9 Blocked";

TEST(all_sections)
{
	struct pcf p;
	REQUIRE(pcf_parse(&p, sample, sizeof sample - 1) == 0);
	CHECK_U64(p.n_problems, 0);
	REQUIRE(p.option.n == 3);
	CHECK_STR(p.option.at[1].key, "UNITS");
	CHECK_STR(p.option.at[1].value, "NANOSEC");
	CHECK(!p.option.at[1].semantic);
	CHECK_STR(p.option.at[2].value, "State As Is");
	CHECK(p.option.at[2].semantic);
	REQUIRE(p.state.n == 3);
	CHECK_STR(p.state.at[1].text, "Running  it");
	CHECK_I64(p.state.at[2].value, 9);
	CHECK_STR(p.state.at[2].text, "Blocked");
	REQUIRE(p.color.n == 2);
	CHECK_U64(p.color.at[0].blue, 255);
	CHECK_U64(p.color.at[1].index, 7);
	CHECK_U64(p.color.at[1].green, 2);
	REQUIRE(p.type.n == 4);
	CHECK_U64(p.type.at[0].gradient, 9);
	CHECK_U64(p.type.at[1].number, 50000002);
	CHECK_STR(p.type.at[1].label, "MPI: other");
	CHECK_U64(p.type.at[1].group, p.type.at[0].group);
	CHECK_STR(p.type.at[2].label, "PAPI_TOT_INS [Instr completed]");
	const struct pcf_group *g = &p.group.at[p.type.at[0].group];
	CHECK_U64(g->precision, 3);
	REQUIRE(g->value.n == 3);
	CHECK_I64(g->value.at[1].value, -4);
	CHECK_STR(g->value.at[2].text, "End");
	CHECK_U64(p.group.at[p.type.at[2].group].value.n, 0);
	CHECK_U64(p.group.at[p.type.at[3].group].precision, 1);
	pcf_fini(&p);
}

TEST(lines_that_mean_nothing)
{
	static const char text[] = "what is this\n"
				   "VALUES\n"
				   "STATES\n"
				   "x Idle\n"
				   "-1 Below\n"
				   "STATES_COLOR\n"
				   "1 {1,2}\n"
				   "1 {1,2,256}\n"
				   "1 {1,2,3,4}\n"
				   "1 1,2,3\n"
				   "EVENT_TYPE\n"
				   "9 4294967296 Too large\n"
				   "9 x No number\n"
				   "PRECISION x\n"
				   "PRECISION 19\n"
				   "VALUES\n"
				   "v label\n"
				   "STATES_COLOR {\n"
				   "9 12 Last\x01type\n";
	struct pcf p;
	REQUIRE(pcf_parse(&p, text, sizeof text - 1) == 0);
	static const uint64_t lines[] = {1, 2, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 17, 18};
	REQUIRE(p.problem.n == sizeof lines / sizeof *lines);
	for (size_t i = 0; i < p.problem.n; i++)
		CHECK_U64(p.problem.at[i].line, lines[i]);
	CHECK_STR(p.problem.at[0].text, "not understood before the first section: 'what is this'");
	CHECK_STR(p.problem.at[2].text, "not understood in section STATES: 'x Idle'");
	CHECK_U64(p.problem.at[2].offset, 27);
	/* Behind VALUES the line is a value's. */
	CHECK_I64(p.group.at[0].value.at[0].value, 9);
	CHECK_STR(p.group.at[0].value.at[0].text, "12 Last?type");
	pcf_fini(&p);
}

TEST(problems_are_counted_beyond_what_is_kept)
{
	char text[1000];
	struct pcf p;
	memset(text, '\n', sizeof text);
	for (size_t i = 0; i < sizeof text; i += 2)
		text[i] = '?';
	REQUIRE(pcf_parse(&p, text, sizeof text) == 0);
	CHECK_U64(p.n_problems, 500);
	CHECK_U64(p.problem.n, PCF_MOST_PROBLEMS);
	pcf_fini(&p);
	REQUIRE(pcf_parse(&p, "", 0) == 0);
	CHECK_U64(p.n_problems, 0);
	pcf_fini(&p);
}

TEST(without_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct pcf p;
		int rc = pcf_parse(&p, sample, sizeof sample - 1);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		pcf_fini(&p);
	}
}
