/* SPDX-License-Identifier: Apache-2.0 */
/* The filter: each key, alone and at its edges; the same bytes whatever the number of threads and the packing. */
#include "tool_maker.h"

#define S1 "1:1:1:1:1:0:100:1\n"
#define S3 "1:1:1:1:1:100:150:3\n"
#define S9 "1:1:1:1:1:150:200:9\n"
#define E1 "2:1:1:1:1:100:50000001:1:42000050:500:60000019:7\n"
#define E0 "2:1:1:1:1:150:50000001:0:42000050:-3\n"
#define C64 "3:1:1:1:1:100:110:3:1:2:1:500:600:64:7\n"
#define C0 "3:1:1:1:1:100:110:3:1:2:1:500:600:0:7\n"
#define ALL "# a note\n" S1 S3 S9 E1 E0 C64 C0

TEST(kinds)
{
	static const struct tool_case cases[] = {
		{"<filter/>", ALL, ALL},
		{"<filter><discard_states>1</discard_states></filter>", ALL, "# a note\n" E1 E0 C64 C0},
		{"<filter><discard_events>1</discard_events></filter>", ALL, "# a note\n" S1 S3 S9 C64 C0},
		{"<filter><discard_communications>1</discard_communications></filter>", ALL, "# a note\n" S1 S3 S9 E1 E0},
		{"<filter><discard_events>1</discard_events><types><type>50000001</type></types></filter>", E1, ""},
		{"<filter/>", S1 "\n4:1:2\n9:what\n1\n" S3, S1 "4:1:2\n" S3},
		{"<filter/>", "1:1:1:1:1:0:100:1\r\n2:1:1:1:1:5:7:8", "1:1:1:1:1:0:100:1\n2:1:1:1:1:5:7:8\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(states)
{
	static const struct tool_case cases[] = {
		{"<filter><states>All</states></filter>", S1 S3 S9, S1 S3 S9},
		{"<filter><states>Running</states></filter>", S1 S3 S9, S1},
		{"<filter><states> Waiting a message , Idle </states></filter>", S1 S3 S9, S3},
		{"<filter><states>Running fast</states></filter>", S1 S3, S1}, /* the .pcf's name is a part of the listed one */
		{"<filter><states>Run</states></filter>", S1 S3, ""},          /* not the other way round */
		{"<filter><states>All<min_state_time>100</min_state_time></states></filter>", S1 S3, S1},
		{"<filter><states>Running<min_state_time>101</min_state_time></states></filter>", S1 S3, ""},
		{"<filter><states>Running<min_state_time>0</min_state_time></states></filter>", "1:1:1:1:1:5:5:1\n",
	         "1:1:1:1:1:5:5:1\n"},
		{"<filter><states></states></filter>", S1 S9, S1 S9},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(types)
{
	static const struct tool_case cases[] = {
		{"<filter><types><type>50000001</type></types></filter>", E1 E0,
	         "2:1:1:1:1:100:50000001:1\n2:1:1:1:1:150:50000001:0\n"},
		{"<filter><types><type>42000000-42999999</type><type>60000019</type></types></filter>", E1 E0,
	         "2:1:1:1:1:100:42000050:500:60000019:7\n2:1:1:1:1:150:42000050:-3\n"},
		{"<filter><types><type>50000001<value>0</value><value>2</value></type></types></filter>", E1 E0,
	         "2:1:1:1:1:150:50000001:0\n"},
		{"<filter><types><type>42000050\n<value>-3</value></type></types></filter>", E1 E0,
	         "2:1:1:1:1:150:42000050:-3\n"},
		{"<filter><types use=\"discard\"><type>42000000-42999999</type></types></filter>", E1 E0,
	         "2:1:1:1:1:100:50000001:1:60000019:7\n2:1:1:1:1:150:50000001:0\n"},
		{"<filter><types use=\"discard\"><type>50000001<value>0</value></type></types></filter>", E1 E0,
	         E1 "2:1:1:1:1:150:42000050:-3\n"},
		{"<filter><types use=\"keep\"><type>60000019</type></types></filter>", E1 E0, "2:1:1:1:1:100:60000019:7\n"},
		{"<filter><types></types></filter>", E1, E1},
		{"<filter><types><type>1-4294967295</type></types></filter>", E1 E0, E1 E0},
		/* a pair that comes twice, one without a value */
		{"<filter><types><type>77</type></types></filter>", "2:1:1:1:1:9:77:1:78:2:77:3:77\n", "2:1:1:1:1:9:77:1:77:3\n"},
		/* two entries of one type: either will do */
		{"<filter><types><type>77<value>1</value></type><type>70-80<value>3</value></type></types></filter>",
	         "2:1:1:1:1:9:77:1:78:2:77:3:77:4\n", "2:1:1:1:1:9:77:1:77:3\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

/* Numbers of all lengths and looks, among neighbours that go and that stay: quick and slow ways give the same. */
TEST(pairs_of_any_look)
{
#define DROP77 "<filter><types use=\"discard\"><type>77</type></types></filter>"
#define KEEP77 "<filter><types><type>77</type></types></filter>"
#define HEAD "2:1:1:1:1:9"
	static const struct tool_case cases[] = {
		{DROP77, HEAD ":1:2:77:3:12345678:4:77:5:123456789:6:1234567890:7\n",
	         HEAD ":1:2:12345678:4:123456789:6:1234567890:7\n"},
		{KEEP77, HEAD ":1:2:77:3:12345678:4:77:5:123456789:6:77:7\n", HEAD ":77:3:77:5:77:7\n"},
		{KEEP77, HEAD ":77:1234567890123456789:1:-5:77:-9223372036854775807:77:0\n",
	         HEAD ":77:1234567890123456789:77:-9223372036854775807:77:0\n"},
		{DROP77, HEAD ":77:1\n" HEAD ":77:1:5:1\n" HEAD ":5:1:77:1\n", HEAD ":5:1\n" HEAD ":5:1\n"},
		{DROP77, HEAD ":5:-:6:1:77:\n", HEAD ":5:0:6:1\n"},
		{DROP77, HEAD ":5:1:6:2:\n" HEAD ":5:1:6\n" HEAD ":\n" HEAD "\n", HEAD ":5:1:6:2\n" HEAD ":5:1\n"},
		{DROP77, HEAD ":5 1 77:2:007:3\n", HEAD ":5:1:007:3\n"},
		{KEEP77, HEAD ":0077:2:00000000077:3\n", HEAD ":0077:2:00000000077:3\n"},
		{"<filter><types><type>77<value>-5</value></type></types></filter>", HEAD ":77:-5:77:5:77:-6:77:-5\n",
	         HEAD ":77:-5:77:-5\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(communications)
{
	static const struct tool_case cases[] = {
		{"<filter><comms>0</comms></filter>", C64 C0, C64 C0},
		{"<filter><comms>64</comms></filter>", C64 C0, C64},
		{"<filter><comms>65</comms></filter>", C64 C0, ""},
		{"<filter><comms></comms></filter>", C64 C0, C64 C0},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(header_and_what_stands_beside)
{
	struct weft_tool_filter f = {.min_bytes = 0};
	struct weft_err err = {0};
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"#Paraver (1/2/2024):10:0:1:1(1:0)\n", "#Paraver (1/2/2024):10:0:1:1(1:0)\n"},
		{"#Paraver (1/2/2024):10_ns:0:1:1(1:0)\n", "#Paraver (1/2/2024):10_ns:0:1:1(1:0)\n"},
		{"#Paraver (1/2/2024):10_ms:0:1:1(1:0)\n", "#Paraver (1/2/2024):10_ns:0:1:1(1:0)\n"},
		{"new format\n#Paraver (noon):10:1(2):1:1(1:1),2\nc:1:1:1:1\ni:2\n#x\n",
	         "#Paraver (noon):10:1(2):1:1(1:1),2\nc:1:1:1:1\ni:2\n#x\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tool_put("in.prv", cases[i].in);
		REQUIRE(weft_tool_filter(tool_path("in.prv"), tool_path("out.prv"), &f, 1, NULL, &err) == 0);
		char *got = tool_get("out.prv");
		CHECK_STR(got, cases[i].out);
		free(got);
	}
	tool_put("in.pcf", "STATES\n");
	tool_put("in.row", "LEVEL NODE SIZE 0\n");
	REQUIRE(weft_tool_filter(tool_path("in.prv"), tool_path("new.prv"), &f, 1, NULL, &err) == 0);
	char *pcf = tool_get("new.pcf"), *row = tool_get("new.row");
	CHECK_STR(pcf, "STATES\n");
	CHECK_STR(row, "LEVEL NODE SIZE 0\n");
	free(pcf);
	free(row);
}

/* Larger than a round of blocks, so that texts of several rounds are put together. */
TEST_IN(TIER_FULL, threads_and_packing_change_nothing)
{
	struct weft_tool_filter f = {.min_bytes = 0};
	struct weft_err err = {0};
	int status;
	REQUIRE(weft_tool_types_parse(&f.type, "50000001:3;42000000-42000100", 28) == 0);
	FILE *prv = fopen(tool_path("in.prv"), "w");
	REQUIRE(prv != NULL);
	fputs(TOOL_HEADER("9000000"), prv);
	for (unsigned i = 0; i < 400000; i++)
		fprintf(prv, "2:1:1:1:1:%u:%u:%u:42000050:%u\n", i, i % 3 ? 50000001 : 7, i % 5, i);
	REQUIRE(fclose(prv) == 0);
	for (unsigned threads = 1; threads < 6; threads += 2) {
		char name[32];
		snprintf(name, sizeof name, "out%u.prv%s", threads, threads == 3 ? ".gz" : threads == 5 ? ".zst" : "");
		REQUIRE(weft_tool_filter(tool_path(threads == 5 ? "out3.prv.gz" : "in.prv"), tool_path(name), &f, threads, NULL,
		                         &err) == 0);
	}
	free(test_shell(&status,
	                "cd '%s' && awk -F: 'NR==1 {print;next} {s=\"\"; if ($7==50000001 && $8==3) s=\":\" $7 \":\" $8;"
	                " print $1\":\"$2\":\"$3\":\"$4\":\"$5\":\"$6 s \":\" $9 \":\" $10}' in.prv >want && cmp want out1.prv &&"
	                " zcat out3.prv.gz | cmp want - && zstd -dcq out5.prv.zst | cmp want -",
	                test_dir()));
	CHECK(status == 0);
	weft_tool_types_free(&f.type);
}

TEST(what_cannot_be_read_is_said)
{
	struct weft_tool_filter f = {.min_bytes = 0};
	struct weft_err err = {0};
	CHECK(weft_tool_filter(tool_path("none.prv"), tool_path("out.prv"), &f, 1, NULL, &err) < 0);
	CHECK(strstr(err.text, "none.prv") != NULL);
	tool_put("in.prv", "no trace\n");
	err.code = 0;
	CHECK(weft_tool_filter(tool_path("in.prv"), tool_path("out.prv"), &f, 1, NULL, &err) < 0);
	CHECK(strstr(err.text, "no Paraver trace") != NULL);
	tool_put_trace(S1);
	err.code = 0;
	CHECK(weft_tool_filter(tool_path("in.prv"), "/nowhere/at/all.prv", &f, 1, NULL, &err) < 0);
	char *out = tool_get("out.prv");
	CHECK_STR(out, "");
	free(out);
}

TEST(memory_may_run_out)
{
	struct weft_tool_filter f = {.some_states = true};
	tool_put_trace(ALL);
	REQUIRE(weft_tool_types_parse(&f.type, "50000001", 8) == 0);
	const char *name = "Running";
	REQUIRE(weft_vec_push(&f.state, name) == 0);
	REQUIRE(weft_tool_filter(tool_path("in.prv"), tool_path("out.prv"), &f, 1, NULL, NULL) == 0);
	char *expected = tool_take("out.prv");
	CHECK(strlen(expected) > 0 && strcmp(expected, ALL) != 0);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		int rc = weft_tool_filter(tool_path("in.prv"), tool_path("out.prv"), &f, 1, NULL, &err);
		tool_check_memory(rc, &err, "out.prv", expected);
	}
	free(expected);
	free(f.state.at);
	weft_tool_types_free(&f.type);
}
