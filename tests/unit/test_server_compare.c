/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the area compare, on the traces of the tutorials: dev/make-learn says what is in them. */
#include "server_stage.h"
#include <math.h>

static void open_both(struct stage *s)
{
	stage_begin(s);
	stage_add(s, "share/weft/learn/balanced.weft");
	stage_add(s, "share/weft/learn/imbalance.weft");
	stage_add(s, "share/weft/learn/first.weft");
	stage_read(s);
}

TEST(marks_are_what_happens_as_often_in_both)
{
	struct stage s;
	open_both(&s);
	const struct pulse_value *list = stage_json(&s, "compare/marks?a=0&b=1");
	bool found = false;
	for (const struct pulse_value *m = list->first; m; m = m->next) {
		const struct pulse_value *times = pulse_get(m, "times");
		if (!strcmp(pulse_text(m, "name", ""), "step"))
			found = stage_item(times, 0)->number == 40 && stage_item(times, 1)->number == 40;
		CHECK(stage_item(times, 0)->number >= 2);
		CHECK(strcmp(pulse_text(m, "name", ""), "read input") != 0); /* it happens once */
	}
	CHECK(found);
	const struct pulse_value *v = stage_json(&s, "compare/align?a=0&b=1&mark=step"), *times = pulse_get(v, "times");
	CHECK_U64(stage_count(stage_item(times, 0)), 40);
	double before = -1;
	for (const struct pulse_value *t = stage_item(times, 1)->first; t; t = t->next) {
		CHECK(t->number > before);
		before = t->number;
	}
	stage_ask(&s, "compare/align?a=0&b=1", NULL);
	CHECK(s.rc != 0 && strstr(s.err.text, "'mark'"));
	stage_end(&s);
}

TEST(the_table_has_both_and_what_changed_most_first)
{
	struct stage s;
	open_both(&s);
	const struct pulse_value *v = stage_json(&s, "compare/table?a=0&b=1&view=regions"), *items = pulse_get(v, "items");
	const struct pulse_value *first = stage_item(items, 0);
	CHECK_STR(stage_item(first, 1)->text, "MPI_Recv");
	CHECK(stage_item(first, 3)->number > 8 * stage_item(first, 2)->number);
	double last = INFINITY;
	for (const struct pulse_value *i = items->first; i; i = i->next) {
		double change = fabs(stage_item(i, 3)->number - stage_item(i, 2)->number);
		CHECK(change <= last);
		last = change;
	}
	/* Of a range only: before the first step nothing is received. */
	v = stage_json(&s, "compare/table?a=0&b=1&view=regions&ato=500000&bto=500000");
	for (const struct pulse_value *i = pulse_get(v, "items")->first; i; i = i->next)
		CHECK(strcmp(stage_item(i, 1)->text, "MPI_Recv") != 0);
	stage_ask(&s, "compare/table?a=0&b=1&view=../secret", NULL);
	CHECK(s.rc != 0 && strstr(s.err.text, "unknown view"));
	stage_ask(&s, "compare/table?a=0&b=9", NULL);
	CHECK(s.rc != 0);
	stage_end(&s);
}

TEST(both_trees_add_up)
{
	struct stage s;
	open_both(&s);
	const struct pulse_value *v = stage_json(&s, "compare/flame?a=0&b=1"), *nodes = pulse_get(v, "nodes");
	unsigned n = stage_count(nodes);
	double *total = calloc(2 * (size_t)n + 2, sizeof *total);
	unsigned i = 0;
	for (const struct pulse_value *x = nodes->first; x; x = x->next, i++)
		for (unsigned k = 0; k < 2; k++) {
			double all = stage_item(x, 2 + k)->number, self = stage_item(x, 4 + k)->number;
			int parent = (int)stage_item(x, 0)->number;
			total[2 * i + k] += all - self;
			CHECK(parent < (int)i);
			if (parent >= 0)
				total[2 * (unsigned)parent + k] -= all;
		}
	for (unsigned k = 0; k < 2 * n; k++)
		CHECK(total[k] >= -1); /* what is left out is less than half a thousandth */
	free(total);
	/* A trace beside itself differs in nothing. */
	nodes = pulse_get(stage_json(&s, "compare/flame?a=1&b=1"), "nodes");
	for (const struct pulse_value *x = nodes->first; x; x = x->next)
		CHECK_NEAR(stage_item(x, 2)->number, stage_item(x, 3)->number, 0);
	stage_end(&s);
}

TEST(what_got_slower_first)
{
	struct stage s;
	open_both(&s);
	const struct pulse_value *v = stage_json(&s, "compare/slower?a=0&b=1&mark=step");
	CHECK_U64(stage_count(pulse_get(v, "steps")), 39);
	CHECK_NEAR(pulse_number(v, "first", -2), 1, 0); /* in the first one nobody has waited yet */
	CHECK_STR(stage_item(stage_item(pulse_get(v, "culprits"), 0), 0)->text, "MPI_Recv");
	v = stage_json(&s, "compare/slower?a=1&b=0&mark=step");
	CHECK_NEAR(pulse_number(v, "first", -2), -1, 0);
	stage_ask(&s, "compare/slower?a=0&b=1&mark=nothing", NULL);
	CHECK(s.rc != 0 && strstr(s.err.text, "'mark'"));
	stage_end(&s);
}
