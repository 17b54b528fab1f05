/* SPDX-License-Identifier: Apache-2.0 */
/* Events put into a trace: where they stand, on which cpu, what the .pcf says; and where states are found. */
#include "tool/tool_insert.h"
#include "base/str.h"
#include "tool_maker.h"
#include <errno.h>

static const char trace[] = "1:1:1:1:1:0:50:1\n2:2:1:1:2:10:5:6\n1:2:1:1:2:10:90:3\n# note\n3:3:1:2:1:60:61:1:1:1:1:62:63:64:7\n"
			    "1:4:2:1:1:70:80:1\n";
static const struct weft_tool_new_label labels[] = {{0, "End"}, {6, "Cluster 1"}};
static const struct weft_tool_new_type types[] = {{90000001, 9, "Cluster ID", labels, 2}, {90000101, 0, "Iteration", NULL, 0}};

TEST(inserts)
{
	static const struct weft_tool_new_event event[] = {
		{0, 0, 1, 0, 6},   {10, 1, 0, 1, 1},  {10, 1, 2, 0, 6},
		{50, 0, 0, 0, 0},  {60, 2, 3, 1, -4}, {75, 99, 0, 0, 1}, /* no such thread */
		{500, 3, 0, 0, 0},
	};
	struct weft_tool_insert how = {event, 7, types, 2, false};
	struct weft_err err = {0};
	tool_put_trace(trace);
	REQUIRE(weft_tool_insert(tool_path("in.prv"), tool_path("out.prv"), &how, &err) == 0);
	char *got = tool_body("out.prv");
	CHECK_STR(
		got,
		"2:1:1:1:1:0:90000001:6\n1:1:1:1:1:0:50:1\n2:0:1:1:2:10:90000101:1\n2:2:1:1:2:10:90000001:6\n2:2:1:1:2:10:5:6\n"
		"1:2:1:1:2:10:90:3\n# note\n2:1:1:1:1:50:90000001:0\n2:3:1:2:1:60:90000101:-4\n3:3:1:2:1:60:61:1:1:1:1:62:63:64:7\n"
		"1:4:2:1:1:70:80:1\n2:4:2:1:1:500:90000001:0\n");
	free(got);
	got = tool_get("out.pcf");
	CHECK(strstr(got, "9 60000019 Function\n") != NULL);
	const char *end = strstr(got, "EVENT_TYPE\n9\t90000001");
	REQUIRE(end != NULL);
	CHECK_STR(end,
	          "EVENT_TYPE\n9\t90000001\tCluster ID\nVALUES\n0\tEnd\n6\tCluster 1\n\n\nEVENT_TYPE\n0\t90000101\tIteration\n");
	free(got);
	how.alone = true;
	REQUIRE(weft_tool_insert(tool_path("in.prv"), tool_path("out.prv"), &how, &err) == 0);
	got = tool_body("out.prv");
	CHECK(!strncmp(got, "2:1:1:1:1:0:90000001:6\n2:0:1:1:2:10:90000101:1\n", 44));
	CHECK(!strstr(got, "1:4:2:1:1:70:80:1"));
	free(got);
}

TEST(into_a_trace_without_lines)
{
	static const struct weft_tool_new_event event[] = {{5, 0, 1, 1, 3}};
	struct weft_tool_insert how = {event, 1, types, 2, false};
	struct weft_err err = {0};
	tool_put("e.prv", TOOL_HEADER("1000"));
	REQUIRE(weft_tool_insert(tool_path("e.prv"), tool_path("f.prv"), &how, &err) == 0);
	char *got = tool_body("f.prv");
	CHECK_STR(got, "2:1:1:1:1:5:90000101:3\n");
	free(got);
	CHECK(weft_tool_insert(tool_path("nothing.prv"), tool_path("g.prv"), &how, &err) < 0);
	CHECK(err.text[0] != '\0');
}

static int on_state(void *arg, const struct weft_tool_state *s)
{
	struct weft_buf *b = arg;
	weft_buf_printf(b, "%u %u %llu..%llu line %llu; ", s->thread, s->cpu, (unsigned long long)s->begin,
	                (unsigned long long)s->end, (unsigned long long)s->line);
	return b->n > 1000 ? 7 : 0;
}

TEST(finds_states)
{
	struct weft_buf b = {0};
	struct weft_err err = {0};
	tool_put_trace(trace);
	CHECK_I64(weft_tool_states(tool_path("in.prv"), 1, on_state, &b, &err), 0);
	CHECK_STR(b.at, "0 1 0..50 line 2; 3 4 70..80 line 7; ");
	weft_buf_fini(&b);
}
