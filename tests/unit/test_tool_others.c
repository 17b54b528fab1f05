/* SPDX-License-Identifier: Apache-2.0 */
/* Shifter, event-driven cut, translation, dump: objects of several applications, parts by the thousand, values with other names. */
#include "tool_maker.h"

static const char trace[] = "1:1:1:1:1:0:-1:1\n1:1:1:1:2:10:20:1\n2:3:1:2:1:30:7:1:8:-2\n1:3:2:1:1:40:50:3\n# note\n"
			    "3:3:1:2:1:60:61:1:1:1:1:62:63:64:-7\n";

static char *shifted(const char *times, enum weft_tool_level level, const char *want_error)
{
	struct weft_err err = {0};
	tool_put_trace(trace);
	tool_put("times", times);
	int rc = weft_tool_shift(tool_path("in.prv"), tool_path("out.prv"), tool_path("times"), level, 2, NULL, &err);
	CHECK((rc == 0) == !want_error);
	if (want_error)
		CHECK(strstr(err.text, want_error) != NULL);
	return tool_get(rc ? "none" : "out.prv");
}

TEST(shift)
{
	static const struct {
		enum weft_tool_level level;
		const char *times, *out;
	} cases[] = {
		{WEFT_TOOL_THREAD, "1\n2\n# c\n\n30\n-40\n",
	         "#Paraver (2024-Feb-01 10:00:07):1030_ns:2(2,2):2:2(2:1,1:2),1(1:2)\n1:1:1:1:1:1:-1:1\n1:1:1:1:2:12:22:1\n"
	         "2:3:1:2:1:60:7:1:8:-2\n1:3:2:1:1:0:10:3\n3:3:1:2:1:90:91:1:1:1:1:92:93:64:-7\n"},
		{WEFT_TOOL_TASK, "1\n2\n3\n99999\n",
	         "#Paraver (2024-Feb-01 10:00:07):100999_ns:2(2,2):2:2(2:1,1:2),1(1:2)\n1:1:1:1:1:1:-1:1\n1:1:1:1:2:11:21:1\n"
	         "2:3:1:2:1:32:7:1:8:-2\n1:3:2:1:1:43:53:3\n3:3:1:2:1:62:63:1:1:1:1:64:65:64:-7\n"},
		{WEFT_TOOL_APP, "0\n5\r\n",
	         "#Paraver (2024-Feb-01 10:00:07):1005_ns:2(2,2):2:2(2:1,1:2),1(1:2)\n1:1:1:1:1:0:-1:1\n1:1:1:1:2:10:20:1\n"
	         "2:3:1:2:1:30:7:1:8:-2\n1:3:2:1:1:45:55:3\n3:3:1:2:1:60:61:1:1:1:1:62:63:64:-7\n"},
		{WEFT_TOOL_WORKLOAD, "7",
	         "#Paraver (2024-Feb-01 10:00:07):1007_ns:2(2,2):2:2(2:1,1:2),1(1:2)\n1:1:1:1:1:7:-1:1\n1:1:1:1:2:17:27:1\n"
	         "2:3:1:2:1:37:7:1:8:-2\n1:3:2:1:1:47:57:3\n3:3:1:2:1:67:68:1:1:1:1:69:70:64:-7\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = shifted(cases[i].times, cases[i].level, NULL);
		CHECK_STR(got, cases[i].out);
		free(got);
	}
}

TEST(shift_says_what_is_wrong)
{
	free(shifted("1\n2\n3\n", WEFT_TOOL_THREAD, "fewer times (3) than the trace has threads (4)"));
	free(shifted("1\n2\n", WEFT_TOOL_TASK, "fewer times (2) than the trace has tasks (3)"));
	free(shifted("1\n", WEFT_TOOL_APP, "applications (2)"));
	free(shifted("# 1\n", WEFT_TOOL_WORKLOAD, "fewer times (0)"));
	free(shifted("1\n2s\n", WEFT_TOOL_WORKLOAD, "times:2: expected a time, found '2s'"));
}

TEST(dates)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"31/12/2023 at 23:59:58.5", "2023-Dec-31 23:59:58.500000"},
		{"2023/Jan/05 at 01:02:03.123", "2023-Jan-05 01:02:03.123000"},
		{"10/02/2020 at 12:30", "2020-Feb-10 12:30:00"},
		{"10/02/2020", "2020-Feb-10 00:00:00"},
		{"no date", "no date"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[200], want[200];
		struct weft_err err = {0};
		snprintf(text, sizeof text, "#Paraver (%s):10:0:1:1(1:0)\n", cases[i].in);
		snprintf(want, sizeof want, "#Paraver (%s):10:0:1:1(1:0)\n", cases[i].out);
		tool_put("in.prv", text);
		REQUIRE(weft_tool_dump(tool_path("in.prv"), tool_path("dump"), &err) == 0);
		char *got = tool_get("dump");
		CHECK_STR(got, want);
		free(got);
	}
}

/* -- parts -- */

TEST(tasks_move_on_alone)
{
	static const char *const parts[] = {
		"1:1:1:1:1:0:9:1\n1:3:1:2:1:0:9:1\n2:3:1:2:1:5:7:1\n2:1:1:1:1:10:99:0\n1:3:2:1:1:0:9:1\n2:3:1:2:1:30:5:1:99:3\n",
		/* with all threads; the event itself ends the one part and begins the other */
		"2:1:1:1:1:10:99:0\n1:1:1:1:2:10:20:1\n3:1:1:1:1:60:61:3:1:2:1:62:63:64:7\n2:1:1:1:2:70:98:99:99:1\n2:3:1:2:1:30:5:1:99:3\n",
		"2:1:1:1:2:70:98:99:99:1\n1:1:1:1:1:70:80:1\n",
	};
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	tool_put_trace("# note\n1:1:1:1:1:0:9:1\n1:3:1:2:1:0:9:1\n2:3:1:2:1:5:7:1\n2:1:1:1:1:10:99:0\n1:1:1:1:2:10:20:1\n"
	               "3:1:1:1:1:60:61:3:1:2:1:62:63:64:7\n2:1:1:1:2:70:98:99:99:1\n1:1:1:1:1:70:80:1\n1:3:2:1:1:0:9:1\n"
	               "2:3:1:2:1:30:5:1:99:3\n");
	REQUIRE(weft_tool_split(tool_path("in.prv"), tool_path("it.prv"), 99, &report, &err) == 0);
	CHECK_U64(report.parts, 3);
	for (unsigned i = 0; i < 3; i++) {
		char name[32], *got, *pcf;
		snprintf(name, sizeof name, "it-part%u.prv", i + 1);
		got = tool_body(name);
		CHECK_STR(got, parts[i]);
		snprintf(name, sizeof name, "it-part%u.pcf", i + 1);
		pcf = tool_get(name);
		CHECK_STR(pcf, TOOL_LABELS);
		free(pcf);
		free(got);
	}
}

/* More parts than files may be open, which all are growing until the end. */
TEST_IN(TIER_FULL, parts_by_the_thousand)
{
	enum { PARTS = 1200 };
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	int status;
	FILE *prv = fopen(tool_path("in.prv"), "w");
	REQUIRE(prv != NULL);
	fputs(TOOL_HEADER("9000"), prv);
	for (unsigned task = 1; task < 3; task++)
		for (unsigned i = 1; i < PARTS; i++)
			fprintf(prv, "2:1:1:%u:1:%u:99:1\n", task, i);
	REQUIRE(fclose(prv) == 0);
	REQUIRE(weft_tool_split(tool_path("in.prv"), tool_path("it-part7.prv"), 99, &report, &err) == 0);
	CHECK_U64(report.parts, PARTS);
	char *lines = test_shell(&status, "cd '%s' && cat it-part*.prv | grep -vc '^#'; ls | grep -c tmp", test_dir());
	CHECK_STR(lines, "4796\n0\n");
	free(lines);
}

/* -- translation -- */

TEST(values_take_the_numbers_of_their_names)
{
	static const char reference[] =
		"STATES\n5 Extra\nEVENT_TYPE\n9 50000001 MPI call\nVALUES\n0 End\n1 MPI_Recv\n2 MPI_Send\n3 MPI_Wait\n"
		"EVENT_TYPE\n9 60000019 Function\nVALUES\n0 End\n7 solve\nEVENT_TYPE\n6 123 Other\n";
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	tool_put_trace("1:1:1:1:1:0:9:1\n2:1:1:1:1:1:50000001:1:42000050:1\n2:1:1:1:1:2:50000001:0\n2:1:1:1:1:3:50000001:2\n"
	               "2:1:1:1:1:4:60000019:7:50000001:9\n2:1:1:1:1:5:60000019:0\n");
	tool_put("ref.pcf", reference);
	tool_put("ref.prv", TOOL_HEADER("1"));
	REQUIRE(weft_tool_translate(tool_path("in.prv"), tool_path("out.prv"), tool_path("ref.prv"), 2, &report, &err) == 0);
	char *got = tool_body("out.prv"), *pcf = tool_get("out.pcf");
	CHECK_STR(got, "1:1:1:1:1:0:9:1\n2:1:1:1:1:1:50000001:2:42000050:1\n2:1:1:1:1:2:50000001:0\n2:1:1:1:1:3:50000001:1\n"
	               "2:1:1:1:1:4:60000019:8:50000001:9\n2:1:1:1:1:5:60000019:0\n");
	CHECK_U64(report.translated, 3);
	CHECK(strstr(pcf, "12\tI/O\n5\tExtra\n") != NULL);
	const char *types = strstr(pcf, "EVENT_TYPE");
	REQUIRE(types != NULL);
	CHECK_STR(
		types,
		"EVENT_TYPE\n0   123    Other\n0   42000050    PAPI_TOT_INS\n0   42000059    PAPI_TOT_CYC\n\n"
		"EVENT_TYPE\n0   50000001    MPI call\nVALUES\n0  End\n1  MPI_Recv\n2  MPI_Send\n3  MPI_Wait\n\n"
		"EVENT_TYPE\n0   60000019    Function\nVALUES\n0  End\n7  solve\n8  main\n\nEVENT_TYPE\n0   61000000    Without values\n\n");
	free(got);
	free(pcf);
}

TEST(equal_labels_change_nothing)
{
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	tool_put_trace(trace);
	REQUIRE(weft_tool_translate(tool_path("in.prv"), tool_path("out.prv"), tool_path("in.prv"), 1, &report, &err) == 0);
	char *got = tool_body("out.prv");
	CHECK_STR(got, trace);
	CHECK_U64(report.translated, 0);
	free(got);
	CHECK(weft_tool_translate(tool_path("in.prv"), tool_path("out.prv"), tool_path("none.prv"), 1, &report, &err) < 0);
	CHECK(strstr(err.text, "none.pcf") != NULL);
}

TEST_IN(TIER_FULL, memory_may_run_out)
{
	tool_put_trace(trace);
	tool_put("times", "1\n2\n3\n4\n");
	tool_put("ref.pcf", "EVENT_TYPE\n9 50000001 MPI call\nVALUES\n1 MPI_Recv\n2 Other\n");
	REQUIRE(weft_tool_shift(tool_path("in.prv"), tool_path("a.prv"), tool_path("times"), WEFT_TOOL_THREAD, 1, NULL, NULL) ==
	        0);
	REQUIRE(weft_tool_split(tool_path("in.prv"), tool_path("b.prv"), 7, NULL, NULL) == 0);
	REQUIRE(weft_tool_translate(tool_path("in.prv"), tool_path("c.prv"), tool_path("ref.prv"), 1, NULL, NULL) == 0);
	char *shifted = tool_take("a.prv"), *part = tool_take("b.prv"), *translated = tool_take("c.prv");
	CHECK(*shifted && *translated);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0}, second = {0}, third = {0};
		int rc = weft_tool_shift(tool_path("in.prv"), tool_path("a.prv"), tool_path("times"), WEFT_TOOL_THREAD, 1, NULL,
		                         &err);
		tool_check_memory(rc, &err, "a.prv", shifted);
		rc = weft_tool_split(tool_path("in.prv"), tool_path("b.prv"), 7, NULL, &second);
		tool_check_memory(rc, &second, "b.prv", part);
		rc = weft_tool_translate(tool_path("in.prv"), tool_path("c.prv"), tool_path("ref.prv"), 1, NULL, &third);
		tool_check_memory(rc, &third, "c.prv", translated);
	}
	free(shifted);
	free(part);
	free(translated);
}
