/* SPDX-License-Identifier: Apache-2.0 */
/* The cutter: each key at its edges, on small traces made for it. */
#include "base/str.h"
#include "tool_maker.h"

#define TIME(a, b) "<by_time>1</by_time><minimum_time>" #a "</minimum_time><maximum_time>" #b "</maximum_time>"
#define KEEP "<original_time>1</original_time>"
#define CUT(keys) "<cutter>" keys "</cutter>"
#define CLOSING "# Appending events with value 0\n"

TEST(bounds_of_states)
{
	static const char in[] = "1:1:1:1:1:0:99:1\n1:1:1:1:1:99:100:2\n1:1:1:1:1:100:300:3\n1:1:1:1:1:300:400:4\n"
				 "1:1:1:1:1:400:500:5\n1:1:1:1:1:401:500:6\n";
	static const struct tool_case cases[] = {
		/* what touches a bound is in */
		{CUT(TIME(100, 400) KEEP), in,
	         "1:1:1:1:1:99:100:2\n1:1:1:1:1:100:300:3\n1:1:1:1:1:300:400:4\n1:1:1:1:1:400:500:5\n"},
		/* whole, the earliest becomes 0 */
		{CUT(TIME(100, 400)), in, "1:1:1:1:1:0:1:2\n1:1:1:1:1:1:201:3\n1:1:1:1:1:201:301:4\n1:1:1:1:1:301:401:5\n"},
		{CUT(TIME(150, 350) "<break_states>1</break_states>"), in, "1:1:1:1:1:0:150:3\n1:1:1:1:1:150:200:4\n"},
		/* original times keep states whole, whatever else is said */
		{CUT(TIME(150, 350) KEEP "<break_states>1</break_states>"), in, "1:1:1:1:1:100:300:3\n1:1:1:1:1:300:400:4\n"},
		{CUT(TIME(150, 350) KEEP "<remove_first_states>1</remove_first_states>"), in, "1:1:1:1:1:300:400:4\n"},
		{CUT(TIME(150, 350) KEEP "<remove_last_states>1</remove_last_states>"), in, "1:1:1:1:1:100:300:3\n"},
		/* a state that begins at the bound is not over it */
		{CUT(TIME(100, 400) KEEP
	             "<remove_first_states>1</remove_first_states><remove_last_states>1</remove_last_states>"),
	         in, "1:1:1:1:1:100:300:3\n1:1:1:1:1:300:400:4\n1:1:1:1:1:400:500:5\n"},
		{CUT(TIME(0, 1000) KEEP), "1:1:1:1:1:900:-1:1\n", "1:1:1:1:1:900:-1:1\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(events_in_range)
{
	static const char events[] = "2:1:1:1:1:99:7:0\n2:1:1:1:1:100:7:0\n2:1:1:1:1:400:7:0\n2:1:1:1:1:401:7:0\n";
	static const char behind[] = "1:1:1:1:1:50:200:1\n2:1:1:1:1:60:7:0\n2:1:1:2:1:60:7:0\n2:1:1:1:1:150:7:0\n";
	static const struct tool_case cases[] = {
		{CUT(TIME(100, 400) KEEP), events, "2:1:1:1:1:100:7:0\n2:1:1:1:1:400:7:0\n"},
		{CUT(TIME(100, 400)), events, "2:1:1:1:1:0:7:0\n2:1:1:1:1:300:7:0\n"},
		{CUT(TIME(100, 400) KEEP "<keep_events>1</keep_events>"), events, "2:1:1:1:1:100:7:0\n2:1:1:1:1:400:7:0\n"},
		{CUT(TIME(100, 400) KEEP "<keep_events>all</keep_events>"), events,
	         "2:1:1:1:1:99:7:0\n2:1:1:1:1:100:7:0\n2:1:1:1:1:400:7:0\n"},
		/* before the range only with a kept state, of that thread */
		{CUT(TIME(100, 400) KEEP), behind, "1:1:1:1:1:50:200:1\n2:1:1:1:1:150:7:0\n"},
		{CUT(TIME(100, 400) KEEP "<keep_events>1</keep_events>"), behind,
	         "1:1:1:1:1:50:200:1\n2:1:1:1:1:60:7:0\n2:1:1:1:1:150:7:0\n"},
		{CUT(TIME(100, 400) KEEP "<remove_first_states>1</remove_first_states>"), behind, ""},
		{CUT(TIME(100, 150) KEEP "<remove_last_states>1</remove_last_states>"), behind, ""},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

/* Lines outside are passed over by their times; those that are not written as usual, or are long, must not be mistaken. */
TEST(what_lies_outside_is_passed_over)
{
	static const char in[] =
		"1:1:1:1:1:0:99:1\n2:1:1:1:1:0000000000000000000000000000000000000000000000000000000000150:7:1\n"
		"2:1:1:1:1:99:7:1\n2:1:1:1:1:150:7:2:8:3:9:4:10:5:11:6:12:7:13:8:14:9:15:10:16:11:17:12:18:13:19:14\n"
		"2:1:1:1:1:401:7:1:8:3:9:4:10:5:11:6:12:7:13:8:14:9:15:10:16:11:17:12:18:13:19:14:20:15:21:16:22:17\n"
		"3:1:1:1:1:99:200:3:1:2:1:200:200:64:7\n3:1:1:1:1:150:401:3:1:2:1:200:200:64:7\n# 2:1:1:1:1:150:7:1\n"
		"1:1:1:1:1:401:500:1\n1:1:1:1:1:99:-1:1\n1:1:1:1:1:150:20:9\n3:1:1:1:1:150:160:3:1:2:1:200:210:64:7\n"
		"1:1:1:1:1:50:100:4\n2:1:1:1:1:1844674407370955161600:7:1";
	static const struct tool_case cases[] = {
		{CUT(TIME(100, 400) KEEP), in,
	         "2:1:1:1:1:150:7:1\n2:1:1:1:1:150:7:2:8:3:9:4:10:5:11:6:12:7:13:8:14:9:15:10:16:11:17:12:18:13:19:14\n"
	         "# 2:1:1:1:1:150:7:1\n1:1:1:1:1:150:150:9\n3:1:1:1:1:150:160:3:1:2:1:200:210:64:7\n1:1:1:1:1:50:100:4\n" CLOSING
	         "2:1:1:1:1:210:7:0:8:0:9:0:10:0:11:0:12:0:13:0:14:0:15:0:16:0:17:0:18:0:19:0\n"},
	};
	tool_check(cases, 1);
}

TEST(communications_lie_within)
{
	static const struct {
		const char *times;
		bool in;
	} comms[] = {
		{"100:110:200:400", true},  {"99:110:200:300", false},  {"100:110:99:300", false},
		{"100:401:200:300", false}, {"100:110:200:401", false}, {"100:100:100:100", true},
	};
	for (size_t i = 0; i < sizeof comms / sizeof *comms; i++) {
		char line[100], *got;
		int a, b, c, d;
		REQUIRE(sscanf(comms[i].times, "%d:%d:%d:%d", &a, &b, &c, &d) == 4);
		snprintf(line, sizeof line, "3:1:1:1:1:%d:%d:3:1:2:1:%d:%d:64:-7\n", a, b, c, d);
		got = tool_run(CUT(TIME(100, 400) KEEP), line);
		CHECK_STR(got, comms[i].in ? line : "");
		free(got);
	}
	static const struct tool_case moved[] = {
		{CUT(TIME(100, 400)), "3:1:1:1:1:150:160:3:1:2:1:120:170:64:-7\n", "3:1:1:1:1:30:40:3:1:2:1:0:50:64:-7\n"}};
	tool_check(moved, 1);
}

TEST(tasks_of_any_application)
{
	static const char in[] = "1:1:1:1:1:0:10:1\n1:1:1:1:2:0:10:1\n1:3:1:2:1:0:10:1\n1:3:2:1:1:0:10:1\n2:3:1:2:1:5:7:0\n"
				 "3:1:1:1:1:1:2:3:1:2:1:3:4:64:7\n3:3:1:2:1:1:2:3:1:2:1:3:4:64:8\n";
	static const struct tool_case cases[] = {
		{CUT("<tasks>1</tasks>" TIME(0, 1000) KEEP), in,
	         "1:1:1:1:1:0:10:1\n1:1:1:1:2:0:10:1\n1:3:2:1:1:0:10:1\n3:1:1:1:1:1:2:3:1:2:1:3:4:64:7\n"},
		{CUT("<tasks>2-5</tasks>" TIME(0, 1000) KEEP), in,
	         "1:3:1:2:1:0:10:1\n2:3:1:2:1:5:7:0\n3:1:1:1:1:1:2:3:1:2:1:3:4:64:7\n3:3:1:2:1:1:2:3:1:2:1:3:4:64:8\n"},
		{CUT("<tasks>7, 9-12</tasks>" TIME(0, 1000) KEEP), in, ""},
		{CUT("<tasks> 1 , 2 </tasks>" TIME(0, 1000) KEEP), in, in},
		{CUT("<tasks></tasks>" TIME(0, 1000) KEEP), in, in},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(what_is_open_is_closed)
{
	static const struct tool_case cases[] = {
		{CUT(TIME(0, 1000) KEEP), "2:1:1:1:1:10:7:1:5:2\n2:2:1:1:1:20:7:0\n2:3:1:2:1:30:9:-1\n",
	         "2:1:1:1:1:10:7:1:5:2\n2:2:1:1:1:20:7:0\n2:3:1:2:1:30:9:-1\n" CLOSING "2:2:1:1:1:30:5:0\n2:3:1:2:1:30:9:0\n"},
		{CUT(TIME(0, 1000) KEEP), "2:1:1:1:1:10:7:1\n2:1:1:1:1:20:7:0\n", "2:1:1:1:1:10:7:1\n2:1:1:1:1:20:7:0\n"},
		/* counters too, behind the others; what the .pcf does not have is an event like any */
		{CUT(TIME(0, 1000) KEEP), "2:1:1:1:1:10:42000059:9:50000001:2:42000050:8:42000077:6\n1:1:1:1:1:0:500:1\n",
	         "2:1:1:1:1:10:42000059:0:50000001:2:42000050:0:42000077:6\n1:1:1:1:1:0:500:1\n" CLOSING
	         "2:1:1:1:1:500:42000077:0:50000001:0\n2:1:1:1:1:500:42000050:0:42000059:0\n"},
		/* not what the .pcf has without values */
		{CUT(TIME(0, 1000) KEEP), "2:1:1:1:1:10:61000000:9:50000001:2:61000001:5\n",
	         "2:1:1:1:1:10:61000000:9:50000001:2:61000001:5\n" CLOSING "2:1:1:1:1:10:50000001:0:61000001:0\n"},
		/* only a thread's first sample is 0 */
		{CUT(TIME(0, 1000) KEEP), "2:1:1:1:1:10:42000059:9\n2:1:1:1:1:20:42000059:8\n2:1:1:1:2:20:42000059:7\n",
	         "2:1:1:1:1:10:42000059:0\n2:1:1:1:1:20:42000059:8\n2:1:1:1:2:20:42000059:0\n" CLOSING
	         "2:1:1:1:1:20:42000059:0\n2:1:1:1:2:20:42000059:0\n"},
		{CUT(TIME(15, 1000)), "2:1:1:1:1:10:42000059:9\n2:1:1:1:1:20:42000059:8\n",
	         "2:1:1:1:1:0:42000059:0\n" CLOSING "2:1:1:1:1:0:42000059:0\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

/* The header's end and the note, with 1000 as the trace's end. */
TEST(heads)
{
	static const char in[] = "1:1:1:1:1:0:600:1\n1:1:1:1:1:600:1000:3\n";
	static const struct {
		const char *keys, *end, *note;
	} cases[] = {
		{TIME(100, 700) KEEP, "1000_ns:", ":0:100:700\n"},
		{TIME(100, 700), "1000_ns:", ":0:100:700\n"}, /* whole states from 0 to 1000 */
		{TIME(100, 700) "<break_states>1</break_states>", "600_ns:", ":100:100:700\n"},
		{TIME(2000, 3000), "18446744052234715136_ns:", ":21474836480:2000:3000\n"}, /* nothing */
		{"<minimum_time_percentage>10</minimum_time_percentage><maximum_time_percentage>60</maximum_time_percentage>"
	         "<break_states>1</break_states>",
	         "250_ns:", ":100:50:300\n"},
		{"<minimum_time_percentage>10</minimum_time_percentage><maximum_time_percentage>60</maximum_time_percentage>" KEEP,
	         "1000_ns:", ":0:100:600\n"},
		{KEEP, "1000_ns:", ":0:0:1000\n"}, /* everything, without a word */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char xml[500], *text;
		snprintf(xml, sizeof xml, "<cutter>%s</cutter>", cases[i].keys);
		free(tool_run(xml, in));
		text = tool_get("out.prv");
		const char *end = strstr(text, "10:00:07):"), *note = strstr(text, "in.prv\"");
		REQUIRE(end && note);
		CHECK(!strncmp(end + 10, cases[i].end, strlen(cases[i].end)));
		CHECK(!strncmp(note + 7, cases[i].note, strlen(cases[i].note)));
		CHECK(strstr(text, "):2(2,2)") == NULL);
		free(text);
	}
}

TEST(stops_at_its_size)
{
	char body[64 * 100] = "", *got;
	struct weft_tool_cut how = {.to_percent = 100, .original_time = true, .max_bytes = 60};
	struct weft_err err = {0};
	for (unsigned i = 0; i < 64; i++)
		snprintf(body + strlen(body), 40, "1:1:1:1:1:%u:%u:1\n", 100 + i, 101 + i); /* 20 bytes each */
	tool_put_trace(body);
	REQUIRE(weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, &err) == 0);
	got = tool_body("out.prv");
	CHECK_STR(got, "1:1:1:1:1:100:101:1\n1:1:1:1:1:101:102:1\n1:1:1:1:1:102:103:1\n1:1:1:1:1:103:104:1\n");
	free(got);
}

TEST(odd_lines_are_counted)
{
	struct weft_tool_cut how = {.to_percent = 100, .original_time = true};
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	tool_put_trace("1:1:1:1:1:0:10:1\n1:1:9:1:1:0:10:1\n2:1:1:1:9:5:7:1\n# note\nwhat\n2:1:1:1:1:-5:7:1\n");
	REQUIRE(weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &how, &report, &err) == 0);
	char *got = tool_body("out.prv");
	CHECK_STR(got, "1:1:1:1:1:0:10:1\n1:1:9:1:1:0:10:1\n2:1:1:1:9:5:7:1\n# note\n" CLOSING "2:1:1:1:9:10:7:0\n");
	CHECK_U64(report.odd_lines, 2);
	CHECK_U64(report.first_odd, 6);
	CHECK_U64(report.strange_lines, 2);
	CHECK_U64(report.first_strange, 3);
	free(got);
}

/* Several blocks, the earliest and the latest anywhere: whoever finds them, what is written is the same. */
TEST(times_move_by_the_earliest_of_all_blocks)
{
	enum { LINES = 120000, EARLIEST = 70001, LATEST = 90001 };
	struct weft_buf body = {0};
	for (unsigned i = 0; i < LINES; i++) {
		unsigned time = i == EARLIEST ? 101 : i == LATEST ? 399 : 200 + i % 100;
		weft_buf_printf(&body, i % 3 ? "2:1:1:1:1:%u:60000019:%u\n" : "2:3:2:1:1:0%u:60000019:%u\n", time, i % 7);
	}
	REQUIRE(!body.failed);
	tool_put_trace(body.at);
	weft_buf_fini(&body);
	char *text[2];
	for (unsigned i = 0; i < 2; i++) {
		struct weft_tool_cut how = {.by_time = true, .from = 100, .to = 400, .threads = i ? 5 : 1};
		REQUIRE(weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, NULL) == 0);
		text[i] = tool_body("out.prv");
	}
	CHECK(!strcmp(text[0], text[1]));
	CHECK(strstr(text[0], "\n2:1:1:1:1:0:60000019:1\n") != NULL);   /* line 70001 */
	CHECK(strstr(text[0], "\n2:1:1:1:1:298:60000019:2\n") != NULL); /* line 90001: 399 - 101 */
	CHECK(strstr(text[0], ":60000019:6\n2:3:2:1:1:") != NULL);      /* written as we write numbers, without a 0 before */
	free(text[0]);
	free(text[1]);
}

/* ---- against a simple model, over several blocks ---- */

enum { THREADS = 4, FROM = 100, TO = 400, MODEL_LINES = 110000 };
static const char *const who[THREADS] = {"1:1:1", "1:1:2", "1:2:1", "2:1:1"};

struct model {
	const struct weft_tool_cut *how;
	struct weft_buf out;
	uint64_t last, kept_bytes;
	bool full;
	struct {
		bool has_state, finished, counted, open, any;
	} thread[THREADS];
};

static void model_keep(struct model *m, const char *line, size_t in_bytes, uint64_t last)
{
	weft_buf_puts(&m->out, line);
	m->last = last > m->last ? last : m->last;
	m->kept_bytes += in_bytes;
	m->full = m->how->max_bytes && m->kept_bytes > m->how->max_bytes;
}

static void model_state(struct model *m, unsigned thread, unsigned begin, unsigned end, const char *line)
{
	if (m->full || end < FROM || begin > TO || (begin < FROM && m->how->remove_first_states))
		return;
	if (end > TO && begin < TO && m->how->remove_last_states) {
		m->thread[thread].finished = true;
		return;
	}
	m->thread[thread].has_state = true;
	model_keep(m, line, strlen(line), end);
}

static bool model_keeps(const struct model *m, unsigned thread, unsigned time)
{
	bool has_state = m->thread[thread].has_state;
	if (time > TO || m->how->keep_events == WEFT_TOOL_KEEP_ALL)
		return time <= TO;
	if (time < FROM)
		return m->how->keep_events == WEFT_TOOL_KEEP_BOUNDARY && has_state;
	return !m->thread[thread].finished && (has_state || !m->how->remove_first_states);
}

static void model_event(struct model *m, unsigned thread, unsigned time, bool counter, unsigned value)
{
	char line[64], in[64];
	if (m->full || !model_keeps(m, thread, time))
		return;
	bool sample = counter && !m->thread[thread].counted;
	snprintf(in, sizeof in, "2:%u:%s:%u:%s:%u\n", thread + 1, who[thread], time, counter ? "42000050" : "60000019", value);
	snprintf(line, sizeof line, "2:%u:%s:%u:%s:%u\n", thread + 1, who[thread], time, counter ? "42000050" : "60000019",
	         sample ? 0 : value);
	m->thread[thread].counted |= counter;
	if (!counter)
		m->thread[thread].open = value;
	model_keep(m, line, strlen(in), time);
}

static void model_close(struct model *m)
{
	bool begun = false;
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned counter = 0; counter < 2; counter++) {
			if (!(counter ? m->thread[i].counted : m->thread[i].open))
				continue;
			weft_buf_puts(&m->out, begun ? "" : CLOSING);
			begun = true;
			weft_buf_printf(&m->out, "2:%u:%s:%llu:%s:0\n", i + 1, who[i], (unsigned long long)m->last,
			                counter ? "42000050" : "60000019");
		}
}

/*
 * Threads come into being one after the other: what makes a difference later (a first kept state, a last one, a first sample) is
 * rare, and stands anywhere in a block, so that parts are settled both as they are and anew.
 */
static void model_line(struct model *m, struct weft_buf *body, uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	uint64_t r = *seed >> 24;
	unsigned thread = (unsigned)(r % THREADS), rare = (unsigned)(r >> 4) % 9000, time = (unsigned)(r >> 18) % 500;
	char line[64];
	if (rare < 2 || rare % 4 == 3) { /* states: most lie before the range */
		unsigned begin = rare == 0 ? 150 : rare == 1 ? 390 : time % 60, end = begin + 30;
		snprintf(line, sizeof line, "1:%u:%s:%u:%u:1\n", thread + 1, who[thread], begin, end);
		weft_buf_puts(body, line);
		model_state(m, thread, begin, end, line);
		return;
	}
	bool counter = rare == 2 || (m->thread[thread].any && rare % 16 == 4);
	m->thread[thread].any |= counter;
	weft_buf_printf(body, "2:%u:%s:%u:%s:%u\n", thread + 1, who[thread], time, counter ? "42000050" : "60000019", rare % 5);
	model_event(m, thread, time, counter, rare % 5);
}

TEST(blocks_know_what_was_before_them)
{
	static const struct weft_tool_cut cases[] = {
		{.max_bytes = 0},
		{.keep_events = WEFT_TOOL_KEEP_BOUNDARY},
		{.keep_events = WEFT_TOOL_KEEP_ALL, .max_bytes = 1500000},
		{.remove_first_states = true},
		{.remove_last_states = true, .keep_events = WEFT_TOOL_KEEP_BOUNDARY},
		{.remove_first_states = true, .remove_last_states = true, .max_bytes = 700000},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_tool_cut how = cases[i];
		struct model m = {.how = &how};
		struct weft_buf body = {0};
		uint64_t seed = i;
		how.by_time = how.original_time = true;
		how.from = FROM;
		how.to = TO;
		for (unsigned k = 0; k < MODEL_LINES; k++)
			model_line(&m, &body, &seed);
		model_close(&m);
		REQUIRE(!body.failed && !m.out.failed);
		tool_put_trace(body.at);
		for (how.threads = 1; how.threads <= 3; how.threads += 2) {
			REQUIRE(weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, NULL) == 0);
			char *got = tool_body("out.prv");
			CHECK(!strcmp(got, m.out.at));
			free(got);
		}
		weft_buf_fini(&body);
		weft_buf_fini(&m.out);
	}
}

TEST(lines_that_are_not_plain_are_written_anew)
{
	static const struct tool_case cases[] = {
		{CUT(TIME(100, 400) KEEP), "1:01:1:1:1:100:200:3\n", "1:1:1:1:1:100:200:3\n"},
		{CUT(TIME(100, 400) KEEP), "1:1:1:1:1:100:200:3:9\n", "1:1:1:1:1:100:200:3\n"},
		{CUT(TIME(100, 400) KEEP), "2:1:1:1:1:0100:7:0\n", "2:1:1:1:1:100:7:0\n"},
		{CUT(TIME(100, 400) KEEP), "2:1:1:1:1:100:7:-0:8:0\n", "2:1:1:1:1:100:7:0:8:0\n"},
		{CUT(TIME(100, 400) KEEP), "2:1:1:1:1:100:7:0:8\n", "2:1:1:1:1:100:7:0\n"},
		{CUT(TIME(100, 400) KEEP), "2:1:1:1:1:100:7::8:0\n", "2:1:1:1:1:100:7:0:8:0\n"},
		{CUT(TIME(100, 400) KEEP), "2:1:1:1:1:100:7 0\n", "2:1:1:1:1:100:7:0\n"},
		{CUT(TIME(100, 400) KEEP), "2:1:1:1:1:100:7:0:\n", "2:1:1:1:1:100:7:0\n"},
	};
	tool_check(cases, sizeof cases / sizeof *cases);
}

TEST(memory_may_run_out)
{
	struct weft_tool_cut how = {.to_percent = 100};
	tool_put_trace("1:1:1:1:1:5:10:1\n2:1:1:1:1:6:7:1:42000050:7\n");
	REQUIRE(weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, NULL) == 0);
	char *expected = tool_take("out.prv");
	CHECK(strstr(expected, "1:42000050") != NULL);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		int rc = weft_tool_cut(tool_path("in.prv"), tool_path("out.prv"), &how, NULL, &err);
		tool_check_memory(rc, &err, "out.prv", expected);
	}
	free(expected);
}
