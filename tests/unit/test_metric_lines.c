/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and events as lines over a picture: by which times, and which of them a filter lets through. */
#include "metric_maker.h"

static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)\n"
			  "2:1:1:1:1:100:50:1:60:5\n2:1:1:1:1:200:60:3\n2:1:1:1:1:300:50:0\n"
			  "3:1:1:1:1:100:110:2:1:2:1:500:600:64:7\n3:2:1:2:1:650:660:1:1:1:1:640:645:10:8\n";

static void check_line(const struct weft_message_line *l, uint32_t from, double begin, double end, bool physical)
{
	CHECK_U64(l->from, from);
	CHECK_U64(l->to, !from);
	CHECK_NEAR(l->begin, begin, 0);
	CHECK_NEAR(l->end, end, 0);
	CHECK(l->physical == physical);
}

TEST(messages_are_lines_by_the_times_that_a_filter_lets_through)
{
	static const double seven = 7;
	struct made f;
	struct weft_metric m;
	struct weft_message_line line[2];
	make_trace(&f, prv, NULL, NULL);
	weft_metric_init(&m);
	m.filter.logical = m.filter.physical = true;
	CHECK_U64(weft_message_lines(&f.s, &m, 0, line), 2);
	check_line(&line[0], 0, 100, 500, false);
	check_line(&line[1], 0, 110, 600, true);
	CHECK_U64(weft_message_lines(&f.s, &m, 1, line), 2);
	check_line(&line[0], 1, 650, 640, false);
	m.filter.logical = false;
	CHECK_U64(weft_message_lines(&f.s, &m, 0, line), 1);
	check_line(&line[0], 0, 110, 600, true);
	m.filter.test[WEFT_OF_TAG] = (struct weft_test){WEFT_TEST_EQ, {&seven, 1}};
	CHECK_U64(weft_message_lines(&f.s, &m, 0, line), 1);
	CHECK_U64(weft_message_lines(&f.s, &m, 1, line), 0);
	m.filter.physical = false;
	CHECK_U64(weft_message_lines(&f.s, &m, 0, line), 0);
	unmake_trace(&f);
}

TEST(lines_of_events_are_those_of_the_first_metric)
{
	static const double fifty = 50;
	struct made f;
	struct weft_metric a, b, outer, inner, events;
	make_trace(&f, prv, NULL, NULL);
	weft_metric_init(&a);
	weft_metric_init(&b);
	weft_metric_init(&inner);
	weft_metric_init(&outer);
	a.filter.test[WEFT_OF_TYPE] = (struct weft_test){WEFT_TEST_EQ, {&fifty, 1}};
	inner.parent[0] = &a;
	inner.parent[1] = &b;
	outer.parent[0] = &inner;
	outer.parent[1] = &b;
	CHECK(weft_metric_first(&outer) == &a && weft_metric_first(&a) == &a);
	weft_metric_of_events(&events, weft_metric_first(&outer));
	events.unit = WEFT_NS;
	check_row(&f, &events, 0, "0| 0 100| 200 300| 0 1000|"); /* those of type 60 are no ends */
	weft_metric_of_events(&events, &b);
	events.unit = WEFT_NS;
	check_row(&f, &events, 0, "0| 0 100| 0 100| 100 200| 100 300| 0 1000|");
	unmake_trace(&f);
}
