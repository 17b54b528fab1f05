/* SPDX-License-Identifier: Apache-2.0 */
/* XML files of options: every key lands where it belongs; what nobody knows is a warning, what cannot be read an error. */
#include "harness.h"
#include "tool/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(struct weft_tool_options *o, const char *text, struct weft_err *err)
{
	*err = (struct weft_err){0};
	return weft_tool_options_parse(o, "o.xml", text, strlen(text), err);
}

TEST(every_key)
{
	struct weft_tool_options o;
	struct weft_err err;
	REQUIRE(parse(&o,
	              "<?xml version='1.0'?><config><filter><discard_states>1</discard_states><discard_events>0</discard_events>"
	              "<discard_communications>true</discard_communications><states>A,B c<min_state_time>9</min_state_time></states>"
	              "<types use='discard'><type>1-5</type><type>7<value>-8</value><value>9</value></type></types><comms>64</comms>"
	              "</filter><cutter><tasks>1,3-5</tasks><max_trace_size>1.5</max_trace_size><by_time>1</by_time>"
	              "<minimum_time>10</minimum_time><maximum_time>20</maximum_time>"
	              "<minimum_time_percentage>12.5</minimum_time_percentage><maximum_time_percentage>50</maximum_time_percentage>"
	              "<original_time>1</original_time><break_states>1</break_states><remove_first_states>1</remove_first_states>"
	              "<remove_last_states>1</remove_last_states><keep_events>1</keep_events></cutter></config>",
	              &err) == 0);
	CHECK_U64(o.has, WEFT_TOOL_HAS_FILTER | WEFT_TOOL_HAS_CUT);
	CHECK(o.filter.discard_states && !o.filter.discard_events && o.filter.discard_comms && o.filter.some_states);
	REQUIRE(o.filter.state.n == 2 && o.filter.type.n == 2 && o.filter.type.at[1].value.n == 2);
	CHECK_STR(o.filter.state.at[1], "B c");
	CHECK_U64(o.filter.min_state_time, 9);
	CHECK(o.filter.types_discarded && o.filter.type.at[0].type.first == 1 && o.filter.type.at[0].type.last == 5);
	CHECK_I64(o.filter.type.at[1].value.at[0], -8);
	CHECK_I64(o.filter.min_bytes, 64);
	REQUIRE(o.cut.task.n == 2);
	CHECK(o.cut.task.at[1].first == 3 && o.cut.task.at[1].last == 5);
	CHECK_U64(o.cut.max_bytes, 1500000);
	CHECK(o.cut.by_time && o.cut.from == 10 && o.cut.to == 20 && o.cut.original_time && o.cut.break_states);
	CHECK(o.cut.remove_first_states && o.cut.remove_last_states && o.cut.keep_events == WEFT_TOOL_KEEP_BOUNDARY);
	CHECK_NEAR(o.cut.from_percent, 12.5, 0);
	weft_tool_options_fini(&o);
}

TEST(every_key_of_counters)
{
	struct weft_tool_options o;
	struct weft_err err;
	REQUIRE(parse(&o,
	              "<config><software_counters><range><by_intervals_vs_by_states>1</by_intervals_vs_by_states>"
	              "<sampling_interval>5</sampling_interval><minimum_burst_time>6</minimum_burst_time>"
	              "<accum_events>1;2</accum_events><count_events>3:1,2;4-9</count_events></range><algorithm>"
	              "<remove_states>1</remove_states><summarize_useful_states>1</summarize_useful_states>"
	              "<global_counters>1</global_counters><only_in_burst_counting>1</only_in_burst_counting>"
	              "<keep_events>7;8</keep_events></algorithm></software_counters></config>",
	              &err) == 0);
	const struct weft_tool_counters *c = &o.counters;
	CHECK_U64(o.has, WEFT_TOOL_HAS_COUNTERS);
	CHECK(c->by_intervals && c->interval == 5 && c->min_burst_time == 6 && c->remove_states && c->summarize && c->global &&
	      c->only_in_burst);
	REQUIRE(c->accumulate.n == 2 && c->count.n == 2 && c->keep.n == 2);
	CHECK(c->count.at[0].value.n == 2 && c->count.at[1].type.last == 9);
	weft_tool_options_fini(&o);
}

TEST(wrong_ones)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "o.xml:1:1: no element found"},
		{"<config>", "o.xml:1:9: no element found"},
		{"<config>\n<filter></config>", "o.xml:2:11: mismatched tag"},
		{"<tools/>", "o.xml:1: expected <config>, found <tools>"},
		{"<config><cutter><by_time>maybe</by_time></cutter></config>",
	         "o.xml:1: <by_time>: expected 0 or 1, found 'maybe'"},
		{"<config><cutter>\n<minimum_time>-1</minimum_time></cutter></config>",
	         "o.xml:2: <minimum_time>: expected a number, found '-1'"},
		{"<config><cutter><tasks>5-3</tasks></cutter></config>",
	         "o.xml:1: <tasks>: expected numbers of tasks like 1,3-5, found '5-3'"},
		{"<config><cutter><keep_events>some</keep_events></cutter></config>",
	         "o.xml:1: <keep_events>: expected 0, 1 (boundary) or all, found 'some'"},
		{"<config><filter><types><type>MPI</type></types></filter></config>",
	         "o.xml:1: <type>: expected an event type like 50000001 or a range like 42000000-42999999, found 'MPI'"},
		{"<config><filter><types><type>1<value>x</value></type></types></filter></config>",
	         "o.xml:1: <value>: expected a value, found 'x'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_tool_options o;
		struct weft_err err;
		CHECK(parse(&o, cases[i].text, &err) == WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].error);
		weft_tool_options_fini(&o);
	}
}

TEST(unknown_keys_are_named)
{
	struct weft_tool_options o;
	struct weft_err err;
	REQUIRE(parse(&o, "<config><filter><state>x</state></filter>\n<cuter/><x/></config>", &err) == 0);
	REQUIRE(o.warning.n == 3);
	CHECK_STR(o.warning.at[0], "o.xml:1: unknown key <state> in <filter> (did you mean <states>?)");
	CHECK_STR(o.warning.at[1], "o.xml:2: unknown key <cuter> in <config> (did you mean <cutter>?)");
	CHECK_STR(o.warning.at[2], "o.xml:2: unknown key <x> in <config>");
	weft_tool_options_fini(&o);
}

TEST(what_is_deep_is_refused)
{
	struct weft_tool_options o;
	struct weft_err err;
	char text[400] = "";
	for (unsigned i = 0; i < 40; i++)
		strcat(text, "<config>");
	CHECK(parse(&o, text, &err) == WEFT_E_SYNTAX);
	CHECK(strstr(err.text, "too deep") != NULL);
	weft_tool_options_fini(&o);
}

TEST(lists_of_types)
{
	static const struct {
		const char *text;
		size_t n;
		int rc;
	} cases[] = {
		{"1", 1, 0},
		{"1,2,3", 3, 0},
		{"1;2", 2, 0},
		{"1:2,3;4", 2, 0},
		{"", 0, 0},
		{" 1 - 2 ; ", 1, 0},
		{"1,", 1, 0},
		{"1:", 1, 0},
		{"a", 0, WEFT_E_SYNTAX},
		{"1:a", 0, WEFT_E_SYNTAX},
		{"3-2", 0, WEFT_E_SYNTAX},
		{"-1", 0, WEFT_E_SYNTAX},
		{"1:-1", 1, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_tool_type_list l = {0};
		CHECK_I64(weft_tool_types_parse(&l, cases[i].text, strlen(cases[i].text)), cases[i].rc);
		CHECK_U64(l.n, cases[i].n);
		weft_tool_types_free(&l);
	}
}

static void check_memory_options(const struct weft_tool_options *o)
{
	CHECK_U64(o->filter.state.n, 2);
	CHECK(o->filter.state.n == 2 && !strcmp(o->filter.state.at[0], "A") && !strcmp(o->filter.state.at[1], "B"));
	CHECK_U64(o->filter.type.n, 1);
	CHECK_U64(o->counters.count.n + o->counters.accumulate.n, 1);
}

TEST(memory_may_run_out)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_tool_options o;
		struct weft_err err;
		int rc = parse(&o,
		               "<config><filter><states>A,B</states><types><type>1<value>2</value></type></types><odd/></filter>"
		               "<software_counters><range><events>1</events></range></software_counters></config>",
		               &err);
		if (rc)
			CHECK(rc == -12 && err.code == -12 && test_alloc_failed());
		else
			check_memory_options(&o);
		weft_tool_options_fini(&o);
	}
}
