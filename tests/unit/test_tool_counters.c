/* SPDX-License-Identifier: Apache-2.0 */
/* Software counters: when they are emitted, what they are called, each key of the algorithm. */
#include "tool_maker.h"

#define SC(range, algorithm) "<software_counters><range>" range "</range><algorithm>" algorithm "</algorithm></software_counters>"
#define EVERY(n) "<by_intervals_vs_by_states>1</by_intervals_vs_by_states><sampling_interval>" #n "</sampling_interval>"
#define BURSTS(n) "<by_intervals_vs_by_states>0</by_intervals_vs_by_states><minimum_burst_time>" #n "</minimum_burst_time>"
#define GLOBAL "<global_counters>1</global_counters>"
#define NO_STATES "<remove_states>1</remove_states>"

TEST(by_intervals)
{
	static const char in[] = "1:1:1:1:1:0:100:1\n2:1:1:1:1:10:50000001:1\n2:1:1:1:1:20:50000001:0\n2:1:1:1:1:30:50000001:1\n"
				 "1:1:1:1:1:100:150:3\n1:1:1:1:1:150:260:1\n2:1:1:1:1:160:50000001:2\n1:1:1:1:1:260:300:1\n"
				 "1:1:1:1:1:300:420:1\n3:1:1:1:1:100:110:3:1:2:1:500:600:64:7\n2:3:1:2:1:310:50000001:1\n";
	static const struct tool_case cases[] = {
		/* at 150, as that state ends 250 after the last emission; the next from there on at 300 */
		{SC(EVERY(250) "<count_events>50000001</count_events>", NO_STATES), in,
	         "2:0:1:1:1:150:15001001:2\n2:0:1:1:1:300:15001001:0\n2:0:1:1:1:300:15001002:1\n"
	         "2:0:1:1:1:990:15001001:0\n2:0:1:1:1:990:15001002:0\n2:0:1:2:1:990:15001001:1\n"},
		{SC(EVERY(250) "<count_events>50000001</count_events>", GLOBAL), in,
	         "1:1:1:1:1:0:100:1\n2:0:1:1:1:150:25001:2\n1:1:1:1:1:150:260:1\n1:1:1:1:1:260:300:1\n2:0:1:1:1:300:25001:1\n"
	         "1:1:1:1:1:300:420:1\n2:0:1:1:1:990:25001:0\n2:0:1:2:1:990:25001:1\n"},
		{SC(EVERY(5000) "<count_events>50000001:2,3</count_events>", NO_STATES), in, "2:0:1:1:1:990:15001002:1\n"},
		{SC(EVERY(5000) "<accum_events>50000001</accum_events>", NO_STATES), in,
	         "2:0:1:1:1:990:50000001:4\n2:0:1:2:1:990:50000001:1\n"},
		{SC(EVERY(5000) "<accum_events>50000001:2</accum_events><count_events>50000001</count_events>", NO_STATES GLOBAL),
	         in, "2:0:1:1:1:990:50000001:2\n2:0:1:1:1:990:25001:3\n2:0:1:2:1:990:25001:1\n"},
		/* only events behind the begin of the last Running state, and up to its end */
		{SC(EVERY(5000) "<count_events>50000001</count_events>",
	            NO_STATES GLOBAL "<only_in_burst_counting>1</only_in_burst_counting>"),
	         in, "2:0:1:1:1:990:25001:3\n"},
		{SC(EVERY(250) "<count_events>50000001</count_events>",
	            GLOBAL "<summarize_useful_states>1</summarize_useful_states>"),
	         in,
	         "2:0:1:1:1:150:1:100\n2:0:1:1:1:150:25001:2\n2:0:1:1:1:300:1:150\n2:0:1:1:1:300:25001:1\n"
	         "2:0:1:1:1:990:25001:0\n2:0:1:2:1:990:25001:1\n"},
		{SC(EVERY(5000) "<count_events>50000001</count_events>", NO_STATES GLOBAL
	            "<summarize_useful_states>1</summarize_useful_states><keep_events>50000001:2;42000050</keep_events>"),
	         in, "2:1:1:1:1:160:50000001:2\n2:0:1:1:1:990:25001:3\n2:0:1:2:1:990:25001:1\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(by_states)
{
	static const char in[] = "2:1:1:1:1:5:50000001:1\n1:1:1:1:1:10:100:1\n2:1:1:1:1:10:50000001:1\n2:1:1:1:1:100:50000001:1\n"
				 "2:1:1:1:1:101:50000001:1\n1:1:1:1:1:110:120:1\n1:1:1:1:1:120:200:3\n1:1:1:1:1:200:300:1\n"
				 "2:1:1:1:1:250:50000001:1\n";
	static const struct tool_case cases[] = {
		/* before the burst; in it, with what is at its end; before the next; in that, at the trace's end */
		{SC(BURSTS(50) "<count_events>50000001</count_events>", GLOBAL), in,
	         "2:0:1:1:1:10:25001:1\n1:1:1:1:1:10:100:1\n2:0:1:1:1:100:25001:2\n2:0:1:1:1:200:25001:1\n1:1:1:1:1:200:300:1\n"
	         "2:0:1:1:1:300:25001:1\n2:0:1:1:1:1000:25001:0\n"},
		{SC(BURSTS(50) "<count_events>50000001</count_events>",
	            GLOBAL NO_STATES "<only_in_burst_counting>1</only_in_burst_counting>"),
	         in, "2:0:1:1:1:100:25001:1\n2:0:1:1:1:200:25001:0\n2:0:1:1:1:300:25001:1\n2:0:1:1:1:1000:25001:0\n"},
		/* 0: any state */
		{SC(BURSTS(0) "<count_events>50000001</count_events>", GLOBAL), "1:1:1:1:1:0:10:3\n2:1:1:1:1:5:50000001:2\n",
	         "1:1:1:1:1:0:10:3\n2:0:1:1:1:10:25001:1\n2:0:1:1:1:1000:25001:0\n"},
		{SC(BURSTS(500) "<count_events>50000001</count_events>", GLOBAL), in, ""},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(the_old_key_goes_where_it_is_told)
{
	static const char in[] = "2:1:1:1:1:5:50000001:2\n";
	static const struct tool_case cases[] = {
		{SC(EVERY(50) "<events>50000001</events>", ""), in, "2:0:1:1:1:990:50000001:2\n"},
		{SC(EVERY(50) "<events>50000001</events>",
	            "<count_events_vs_accumulate_values>1</count_events_vs_accumulate_values>"),
	         in, "2:0:1:1:1:990:50000001:2\n"},
		{SC(EVERY(50) "<events>50000001</events>",
	            "<count_events_vs_accumulate_values>0</count_events_vs_accumulate_values>"),
	         in, "2:0:1:1:1:990:15001002:1\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(labels)
{
	static const struct {
		const char *xml, *types;
	} cases[] = {
		{SC(EVERY(9) "<count_events>50000001</count_events>", ""),
	         "EVENT_TYPE\n0   15001001    MPI_Send_counter\n0   15001002    MPI_Recv_counter\n0   15001003    value 3_counter\n\n"},
		{SC(EVERY(9) "<count_events>50000001:2,3</count_events>", ""),
	         "EVENT_TYPE\n0   15001002    MPI_Recv_counter\n0   15001003    value 3_counter\n\n"}, /* 3 has no name, but comes */
		{SC(EVERY(9) "<count_events>50000001;60000019</count_events>", GLOBAL),
	         "EVENT_TYPE\n0   25001    MPI call_counter\n0   26019    Function_counter\n\n"},
		{SC(EVERY(9) "<accum_events>42000000-42999999</accum_events>", "<keep_events>60000019</keep_events>"),
	         "EVENT_TYPE\n0   42000050    PAPI_TOT_INS\n0   42000059    PAPI_TOT_CYC\n\nEVENT_TYPE\n0   60000019    Function\n"
	         "VALUES\n0  End\n7  main\n\n"},
		{SC(EVERY(9) "<accum_events>99</accum_events>", ""), ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		free(tool_run(cases[i].xml, "2:1:1:1:1:5:50000001:3\n"));
		char *pcf = tool_get("out.pcf"), *at = strstr(pcf, "STATES_COLOR\n\n");
		REQUIRE(at != NULL);
		CHECK_STR(at + 14, cases[i].types);
		free(pcf);
	}
}

TEST(memory_may_run_out)
{
	struct weft_tool_counters how = {.by_intervals = true, .interval = 10};
	tool_put_trace("1:1:1:1:1:5:10:1\n2:1:1:1:1:6:50000001:1:42000050:7\n1:1:1:1:1:50:100:1\n");
	REQUIRE(weft_tool_types_parse(&how.count, "50000001", 8) == 0 && weft_tool_types_parse(&how.keep, "42000050", 8) == 0);
	REQUIRE(weft_tool_counters(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, NULL) == 0);
	char *expected = tool_take("out.prv");
	CHECK(strstr(expected, "15001001:1") != NULL);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		int rc = weft_tool_counters(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, &err);
		tool_check_memory(rc, &err, "out.prv", expected);
	}
	free(expected);
	weft_tool_types_free(&how.count);
	weft_tool_types_free(&how.keep);
}
