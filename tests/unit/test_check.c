/* SPDX-License-Identifier: Apache-2.0 */
/* weft_trace_check: each rule fires where it should, and a sound trace gives none. */
#include "trace/open.h"
#include "stream_maker.h"
#include "trace/check.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void begin(struct maker *m)
{
	maker_begin(m, 42);
	m->head.start_ticks = 100;
	maker_process(m, 1, 42, 0, 100, "prog");
	maker_clock(m, 100, 100, 5000000100);
	maker_thread(m, 1, 42, 1, 100, "main");
	maker_meta(m, WEFT_EV_DEF_STRING, 1, 0, NULL, "text");
	maker_region(m, 1, "solve");
	maker_type(m, 1, "step");
	maker_comm(m, 1, 1, "world");
	maker_meta(m, WEFT_EV_DEF_FLOW, 1, 1, (uint64_t[]){0}, "dep");
}

static struct weft_check_report report;

static const struct weft_check_finding *found(const char *rule)
{
	for (size_t i = 0; i < report.finding.n; i++)
		if (strcmp(report.finding.at[i].rule, rule) == 0)
			return &report.finding.at[i];
	return NULL;
}

static void check_path(const char *name)
{
	struct weft_err err = {0};
	int rc = weft_trace_check(test_path(name), NULL, &report, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
}

/* Saves the stream and checks it: it must give this one finding (NULL: none) and no other. */
static void check_only(struct maker *m, const char *rule, const char *text)
{
	maker_save(m, test_path("a.stream"));
	maker_end(m);
	check_path("a.stream");
	const struct weft_check_finding *f = rule ? found(rule) : NULL;
	CHECK(!rule || f);
	if (f)
		CHECK(strstr(f->at.text, text) != NULL);
	CHECK_U64(report.finding.n, rule ? 1 : 0);
	for (size_t i = 0; i < report.finding.n; i++)
		if (&report.finding.at[i] != f || !strstr(f->at.text, text))
			printf("# %s: %s\n", report.finding.at[i].rule, report.finding.at[i].at.text);
	weft_check_report_fini(&report);
}

static void both(struct maker *m, uint64_t ticks)
{
	maker_event(m, 1, ticks, WEFT_EV_ENTER, 1, 0, NULL);
	maker_event(m, 1, ticks + 1, WEFT_EV_LEAVE, 1, 0, NULL);
}

TEST(a_sound_stream_has_no_findings)
{
	struct maker m;
	begin(&m);
	for (uint64_t i = 0; i < 1000; i++)
		both(&m, 200 + 10 * i);
	maker_event(&m, 1, 20000, WEFT_EV_POINT_S, 1, 1, (uint64_t[]){1});
	maker_save(&m, test_path("a.stream"));
	maker_end(&m);
	check_path("a.stream");
	CHECK_U64(report.finding.n, 0);
	CHECK_U64(report.n_streams, 1);
	CHECK_U64(report.n_threads, 1);
	CHECK_U64(report.n_records, 2001 + 8);
	CHECK_U64(report.n_definitions, 8);
	CHECK_U64(report.n_pages, 5);
	CHECK_U64(report.lost_bytes, 0);
	CHECK(report.index == WEFT_INDEX_NONE);
	weft_check_report_fini(&report);
}

TEST(each_rule_about_records)
{
	static const struct {
		const char *rule, *text;
		unsigned kind, id, n;
		uint64_t words[3];
	} rows[] = {
		{"record-short", "1 records have fewer words", WEFT_EV_POINT, 1, 0, {0}},
		{"record-short", "(first: enter_flow #4097)", WEFT_EV_ENTER_FLOW, 1 << WEFT_BOTH_FLOW_SHIFT | 1, 0, {0}},
		{"id-undefined", "(first: point #9)", WEFT_EV_POINT, 9, 1, {0}},
		{"string-undefined", "(first: point_s #1)", WEFT_EV_POINT_S, 1, 1, {7}},
		{"kind-unknown", "does not know", 63, 0, 0, {0}},
		{"record-place", "(first: def_string #5)", WEFT_EV_DEF_STRING, 5, 2, {1, 65}},
		{"time-back", "earlier than the one before", WEFT_EV_TIME, 0, 0, {0}},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct maker m;
		begin(&m);
		both(&m, 500);
		if (rows[i].kind == WEFT_EV_TIME)
			both(&m, 300);
		else
			maker_event(&m, 1, 600, rows[i].kind, rows[i].id, rows[i].n, rows[i].words);
		both(&m, 700);
		maker_save(&m, test_path("a.stream"));
		maker_end(&m);
		check_path("a.stream");
		const struct weft_check_finding *f = found(rows[i].rule);
		if (!CHECK(f != NULL))
			printf("# %s\n", rows[i].rule);
		else
			CHECK(strstr(f->at.text, rows[i].text) != NULL);
		CHECK_U64(report.finding.n, 1);
		weft_check_report_fini(&report);
	}
}

TEST(both_numbers_of_a_record_that_has_two_are_looked_at)
{
	static const struct {
		unsigned region, flow;
		const char *text; /* NULL: sound */
	} rows[] = {
		{1, 1, NULL},
		{9, 1, "2 records name something that is not defined (first: enter #9)"},
		{1, 9, "1 records name something that is not defined (first: flow_in #9)"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct maker m;
		begin(&m);
		maker_event(&m, 1, 500, WEFT_EV_FLOW_OUT, 1, 1, (uint64_t[]){7});
		maker_event(&m, 1, 510, WEFT_EV_ENTER_FLOW, rows[i].flow << WEFT_BOTH_FLOW_SHIFT | rows[i].region, 1,
		            (uint64_t[]){7});
		maker_event(&m, 1, 520, WEFT_EV_LEAVE, rows[i].region, 0, NULL);
		maker_save(&m, test_path("a.stream"));
		maker_end(&m);
		check_path("a.stream");
		CHECK_U64(report.n_records, 4 + 8);
		const struct weft_check_finding *f = found("id-undefined");
		if (rows[i].text)
			CHECK(f && strstr(f->at.text, rows[i].text));
		else
			CHECK_U64(report.finding.n, 0);
		weft_check_report_fini(&report);
	}
}

TEST(each_rule_about_what_was_recorded)
{
	struct maker m;
	begin(&m);
	maker_event(&m, 1, 200, WEFT_EV_LEAVE, 1, 0, NULL);
	check_only(&m, "leave-unmatched", "thread 1.1.1: 1 regions are left that were not entered");
	begin(&m);
	maker_event(&m, 1, 200, WEFT_EV_ENTER, 1, 0, NULL);
	check_only(&m, "enter-unclosed", "1 regions are not left");
	begin(&m);
	maker_event(&m, 1, 200, WEFT_EV_SEND, 1, 2, (uint64_t[]){0, 8});
	check_only(&m, "message-unmatched", "1 of 1 messages");
	begin(&m);
	maker_event(&m, 1, 200, WEFT_EV_RECV, 1, 2, (uint64_t[]){0, 8});
	maker_event(&m, 1, 300, WEFT_EV_SEND, 1, 2, (uint64_t[]){0, 8});
	check_only(&m, "message-backward", "1 messages come before they are sent");
	begin(&m);
	maker_event(&m, 1, 200, WEFT_EV_FLOW_OUT, 1, 1, (uint64_t[]){3});
	check_only(&m, "flow-unmatched", "1 of 1 flows");
	begin(&m);
	m.head.dropped = 17;
	check_only(&m, "events-missing", "17 events");
	begin(&m);
	m.head.state = WEFT_STREAM_OPEN;
	check_only(&m, "stream-open", "process 42");
	begin(&m);
	m.head.state = WEFT_STREAM_FULL;
	m.head.reason = ENOSPC;
	check_only(&m, "stream-full", "no space left");
	begin(&m);
	m.head.state = WEFT_STREAM_FULL;
	m.head.reason = 0;
	check_only(&m, "stream-full", "the limit was reached");
}

TEST(each_rule_about_clocks)
{
	struct maker m;
	begin(&m);
	maker_clock(&m, 200 + 1000000000, 50, 6000000000);
	check_only(&m, "clock-rejected", "1 samples");
	begin(&m);
	maker_clock(&m, 100 + 1000000000, 100 + 1000000000, 6000000000);
	maker_clock(&m, 100 + 2000000000, 100 + 2001000000, 7000000000);
	check_only(&m, "clock-drift", "500 ppm");
}

TEST(each_rule_about_pages)
{
	struct maker m;
	begin(&m);
	for (uint64_t i = 0; i < 5000; i++)
		both(&m, 200 + 10 * i);
	maker_finish(&m);
	struct weft_page damaged = m.page.at[7];
	damaged.word[9] ^= 1;
	struct weft_page whole = m.page.at[7];
	m.page.at[7] = damaged;
	check_only(&m, "page-checksum", "page 7: checksum differs");
	begin(&m);
	for (uint64_t i = 0; i < 5000; i++)
		both(&m, 200 + 10 * i);
	maker_finish(&m);
	whole.word[1]++; /* not the same as the one that is there */
	weft_page_seal(&whole, whole.used);
	REQUIRE(weft_vec_push(&m.page, whole) == 0);
	check_only(&m, "page-twice", "come twice");
	begin(&m);
	m.lane[1].seq = 2;
	both(&m, 200);
	check_only(&m, "page-missing", "2 pages of thread 1");
	begin(&m);
	m.leave_open = true;
	both(&m, 200);
	maker_save(&m, test_path("a.stream"));
	maker_end(&m);
	check_path("a.stream");
	CHECK_U64(report.finding.n, 2); /* of the definitions, and of the thread */
	CHECK_U64(report.n_pages_open, 2);
	CHECK_U64(report.count[WEFT_CHECK_NOTE], 2);
	CHECK(found("page-open") != NULL);
	weft_check_report_fini(&report);
}

TEST(lost_bytes_are_summed_up)
{
	struct maker m;
	begin(&m);
	for (uint64_t i = 0; i < 5000; i++)
		both(&m, 200 + 10 * i);
	maker_finish(&m);
	m.page.at[3].magic = 0;
	m.page.at[4].magic = 0;
	m.page.at[9].word[0] ^= 1;
	maker_save(&m, test_path("a.stream"));
	maker_end(&m);
	check_path("a.stream");
	CHECK_U64(report.lost_bytes, 3 * 4096);
	CHECK_U64(report.n_pages_bad, 3);
	CHECK_U64(report.n_pages_missing, 2);
	CHECK(found("page-magic") && found("page-checksum") && found("page-missing"));
	weft_check_report_fini(&report);
}

TEST(the_index_is_held_against_the_streams)
{
	struct maker m;
	struct weft_trace *t;
	begin(&m);
	for (uint64_t i = 0; i < 500; i++)
		both(&m, 200 + 10 * i);
	REQUIRE(mkdir(test_path("t.weft"), 0777) == 0);
	maker_save(&m, test_path("t.weft/a.stream"));
	check_path("t.weft");
	CHECK(report.index == WEFT_INDEX_NONE);
	weft_check_report_fini(&report);
	REQUIRE(weft_trace_open(&t, test_path("t.weft"), NULL, NULL) == 0);
	weft_trace_close(t);
	check_path("t.weft");
	CHECK(report.index == WEFT_INDEX_GOOD);
	CHECK_U64(report.finding.n, 0);
	weft_check_report_fini(&report);
	int fd = open(test_path("t.weft/index/columns"), O_RDWR);
	REQUIRE(fd >= 0 && pwrite(fd, "xxxx", 4, 500) == 4);
	check_path("t.weft");
	CHECK(report.index == WEFT_INDEX_DAMAGED);
	CHECK(found("index-damaged") != NULL);
	weft_check_report_fini(&report);
	close(fd);
	both(&m, 9000);
	maker_save(&m, test_path("t.weft/a.stream"));
	check_path("t.weft");
	CHECK(report.index == WEFT_INDEX_STALE);
	CHECK(found("index-stale") != NULL);
	weft_check_report_fini(&report);
	maker_end(&m);
}

TEST(what_cannot_be_read_at_all_is_a_failure)
{
	struct weft_err err = {0};
	CHECK(weft_trace_check(test_path("nothing"), NULL, &report, &err) == -ENOENT);
	CHECK(err.text[0] != 0);
	weft_check_report_fini(&report);
}
