/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the area table: the same numbers as `weft table`, `weft stat` and `weft calls` print; what is wrong is said. */
#include "base/pool.h"
#include "server_stage.h"
#include "trace/store/cursor.h"
#include <errno.h>

static void open_heat(struct stage *s)
{
	stage_begin(s);
	stage_add(s, "tests/golden/traces/heat.weft");
	stage_add(s, "tests/golden/views/sample.prv");
	stage_read(s);
}

/* What a command prints as JSON. */
static const struct pulse_value *printed(struct stage *s, const char *command)
{
	struct pulse_value *v = NULL;
	struct weft_err err = {0};
	int status;
	char *text = test_shell(&status, "cd %s && \"$WEFT_BUILD/weft\" %s --json -q 2>/dev/null", test_dir(), command);
	REQUIRE(status == 0 && text);
	char *kept = weft_arena_strdup(&s->arena, text);
	CHECK(kept && pulse_read(kept, strlen(kept), &s->arena, &v, &err) == 0);
	free(text);
	return v;
}

/* Column `key` of a row of a table of named columns. */
static const struct pulse_value *field(const struct pulse_value *answer, const struct pulse_value *row, const char *key)
{
	unsigned i = 0;
	for (const struct pulse_value *c = pulse_get(answer, "columns")->first; c; c = c->next, i++)
		if (!strcmp(pulse_text(c, "key", ""), key))
			return stage_item(row, i);
	return NULL;
}

TEST(a_profile_has_the_numbers_of_stat)
{
	static const char *const keys[] = {"calls",  "self_ns", "total_ns", "min_ns",       "mean_ns",
	                                   "p50_ns", "p99_ns",  "max_ns",   "share_percent"};
	struct stage s;
	unsigned compared = 0;
	open_heat(&s);
	const struct pulse_value *v = stage_json(&s, "table/profile?by=region"), *stat = printed(&s, "stat heat.weft");
	CHECK_U64(stage_count(pulse_get(v, "rows")), stage_count(stat));
	for (const struct pulse_value *row = pulse_get(v, "rows")->first; row; row = row->next)
		for (const struct pulse_value *line = stat->first; line; line = line->next) {
			if (strcmp(pulse_text(line, "region", ""), field(v, row, "name")->text) != 0)
				continue;
			compared++;
			for (unsigned k = 0; k < sizeof keys / sizeof *keys; k++)
				CHECK_NEAR(field(v, row, keys[k])->number, pulse_number(line, keys[k], -1), 1e-9);
		}
	CHECK_U64(compared, 4);
	stage_end(&s);
}

/* Cells of an answer's row: label, object, then pairs. -1: nothing. */
static double cell_of(const struct pulse_value *row, unsigned column)
{
	for (unsigned i = 2, n = stage_count(row); i + 1 < n; i += 2)
		if ((unsigned)stage_item(row, i)->number == column)
			return stage_item(row, i + 1)->number;
	return -1;
}

static void check_table(struct stage *s, const char *address, const char *command)
{
	const struct pulse_value *v = stage_json(s, address), *t = stage_item(printed(s, command), 0);
	const struct pulse_value *rows = pulse_get(t, "rows"), *total = pulse_get(pulse_get(t, "totals"), "Average");
	REQUIRE(v && t);
	CHECK_STR(pulse_text(v, "statistic", ""), pulse_text(t, "statistic", "?"));
	CHECK_U64(stage_count(pulse_get(v, "columns")), stage_count(pulse_get(t, "columns")));
	CHECK_U64(stage_count(pulse_get(v, "rows")), stage_count(rows));
	for (unsigned r = 0; r < stage_count(rows); r++) {
		const struct pulse_value *mine = stage_item(pulse_get(v, "rows"), r), *line = stage_item(rows, r),
					 *values = pulse_get(line, "values");
		CHECK_STR(stage_item(mine, 0)->text, pulse_text(line, "label", ""));
		for (unsigned c = 0; c < stage_count(values); c++) {
			const struct pulse_value *is = stage_item(values, c);
			CHECK_NEAR(cell_of(mine, c), is->kind == PULSE_NUMBER ? is->number : -1, 1e-9);
		}
	}
	for (unsigned c = 0; c < stage_count(total); c++)
		CHECK_NEAR(stage_item(pulse_get(pulse_get(v, "totals"), "Average"), c)->number, stage_item(total, c)->number,
		           1e-9);
}

TEST(a_view_has_the_numbers_of_table)
{
	struct stage s;
	open_heat(&s);
	check_table(&s, "table/view?view=regions", "table regions heat.weft");
	check_table(&s, "table/view?trace=1&view=states", "table states sample.prv");
	check_table(&s, "table/view?view=states&statistic=bursts&from=50000000&to=100000000",
	            "table states heat.weft --statistic bursts --time 50ms..100ms");
	check_table(&s, "table/view?view=regions&rows=helper*", "table regions heat.weft --rows 'helper*'");
	check_table(&s, "table/view?trace=1&view=useful&window=1", "table useful sample.prv --window 1");
	stage_end(&s);
}

TEST(a_cell_leads_back_to_time)
{
	struct stage s;
	open_heat(&s);
	/* Row 0, column 2: solve of the first thread. */
	const struct pulse_value *v = stage_json(&s, "table/cell?view=regions&row=0&column=2&keep=1"),
				 *row = stage_item(pulse_get(v, "rows"), 0);
	const struct pulse_value *list = printed(&s, "table regions heat.weft --cell 'main 1.1.1,solve' --timeline");
	unsigned n = stage_count(list);
	CHECK(n > 1);
	CHECK_U64(stage_count(pulse_get(v, "rows")), 1);
	CHECK_U64(stage_count(pulse_get(row, "intervals")), 3 * n);
	for (unsigned i = 0; i < n; i++) {
		CHECK_NEAR(stage_item(pulse_get(row, "intervals"), 3 * i)->number,
		           pulse_number(stage_item(list, i), "begin_ns", -1), 0);
		CHECK_NEAR(stage_item(pulse_get(row, "intervals"), 3 * i + 1)->number,
		           pulse_number(stage_item(list, i), "duration_ns", -1), 0);
	}
	/* It is a view now, of the whole trace. */
	CHECK_STR(pulse_text(v, "view", ""), "@1");
	CHECK_U64((uint64_t)pulse_number(stage_json(&s, "table/view?view=@1"), "to", 0), 140010000);
	stage_ask(&s, "table/cell?view=regions&row=9", NULL);
	CHECK(s.rc != 0 && strstr(s.err.text, "'row'"));
	stage_ask(&s, "table/cell?trace=1&view=mpi-matrix&row=0", NULL);
	CHECK(s.rc != 0);
	stage_end(&s);
}

TEST(calls_are_those_that_calls_prints)
{
	struct stage s;
	unsigned compared = 0;
	open_heat(&s);
	const struct pulse_value *v = stage_json(&s, "table/calls?of=regions&least=0"),
				 *list = printed(&s, "calls heat.weft --of regions --least 0");
	CHECK_STR(pulse_text(v, "of", ""), "regions");
	CHECK_U64(stage_count(pulse_get(v, "nodes")), stage_count(list) + 1); /* and the root */
	for (const struct pulse_value *n = pulse_get(v, "nodes")->first->next, *line = list->first; n && line;
	     n = n->next, line = line->next, compared++) {
		CHECK_STR(stage_item(stage_item(pulse_get(v, "names"), (unsigned)stage_item(n, 1)->number), 0)->text,
		          pulse_text(line, "function", "?"));
		CHECK_NEAR(stage_item(n, 2)->number, pulse_number(line, "self_ns", -1), 0);
		CHECK_NEAR(stage_item(n, 3)->number, pulse_number(line, "total_ns", -1), 0);
		CHECK_NEAR(stage_item(n, 4)->number, pulse_number(line, "calls", -1), 0);
	}
	CHECK(compared > 3);
	stage_end(&s);
}

TEST(a_flame_over_time_has_bars_that_do_not_overlap)
{
	struct stage s;
	double last[8] = {0}, solve = 0;
	open_heat(&s);
	const struct pulse_value *v = stage_json(&s, "table/flame?thread=0&width=4000"), *bars = pulse_get(v, "bars");
	for (unsigned i = 0, n = stage_count(bars); i + 4 < n; i += 5) {
		unsigned level = (unsigned)stage_item(bars, i)->number;
		double begin = stage_item(bars, i + 1)->number, length = stage_item(bars, i + 2)->number;
		REQUIRE(level < 8);
		CHECK(begin >= last[level]);
		last[level] = begin + length;
		if (!strcmp(stage_item(stage_item(pulse_get(v, "names"), (unsigned)stage_item(bars, i + 3)->number), 0)->text,
		            "solve"))
			solve += length;
	}
	CHECK_NEAR(solve, 90100000, 0);
	/* In few pixels few bars: what shares one is merged. */
	v = stage_json(&s, "table/flame?thread=0&width=2");
	CHECK(stage_count(pulse_get(v, "bars")) / 5 <= 8);
	stage_ask(&s, "table/flame?thread=99", NULL);
	CHECK(s.rc != 0);
	stage_end(&s);
}

TEST(messages_are_those_of_the_matrix)
{
	struct stage s;
	double n = 0, bytes = 0;
	open_heat(&s);
	const struct pulse_value *v = stage_json(&s, "table/messages"), *list = printed(&s, "table mpi-matrix heat.weft");
	for (const struct pulse_value *line = list->first; line; line = line->next) {
		n += pulse_number(line, "messages", 0);
		bytes += pulse_number(line, "bytes", 0);
	}
	CHECK(n > 0);
	CHECK_NEAR(pulse_number(v, "n", -1), n, 0);
	CHECK_NEAR(pulse_number(v, "bytes", -1), bytes, 0);
	CHECK_U64(stage_count(pulse_get(v, "cells")), stage_count(list));
	CHECK_NEAR(pulse_number(stage_json(&s, "table/messages?from=1&to=2"), "n", -1), 0, 0);
	CHECK_U64(stage_count(pulse_get(stage_json(&s, "table/messages?level=node"), "ends")), 1);
	stage_end(&s);
}

TEST(efficiency_is_a_product)
{
	struct stage s;
	open_heat(&s);
	const struct pulse_value *t = pulse_get(stage_json(&s, "table/efficiency?trace=1"), "threads"),
				 *table = pulse_get(stage_item(printed(&s, "table efficiency sample.prv"), 0), "totals");
	CHECK_NEAR(pulse_number(t, "parallel", 0), pulse_number(t, "balance", -1) * pulse_number(t, "communication", -1), 1e-12);
	CHECK_NEAR(100 * pulse_number(t, "parallel", 0), stage_item(pulse_get(table, "Average"), 0)->number, 1e-9);
	CHECK_NEAR(pulse_number(t, "balance", 0), stage_item(pulse_get(table, "Avg/Max"), 0)->number, 1e-9);
	stage_end(&s);
}

TEST(groups_add_up_to_the_profile)
{
	struct stage s;
	double by_group = 0, by_region = 0;
	open_heat(&s);
	const struct pulse_value *v = stage_json(&s, "table/groups"), *p = stage_json(&s, "table/profile");
	for (const struct pulse_value *row = pulse_get(v, "rows")->first; row; row = row->next)
		by_group += field(v, row, "self_ns")->number;
	for (const struct pulse_value *row = pulse_get(p, "rows")->first; row; row = row->next)
		by_region += field(p, row, "self_ns")->number;
	CHECK_NEAR(by_group, by_region, 0);
	CHECK_STR(field(v, pulse_get(v, "rows")->first, "group")->text, "user");
	stage_end(&s);
}

static bool has_name(const struct pulse_value *list, const char *name)
{
	for (const struct pulse_value *v = list->first; v; v = v->next)
		if (!strcmp(pulse_text(v, "name", ""), name))
			return true;
	return false;
}

TEST(hints_are_views_that_the_trace_can_feed)
{
	struct stage s;
	open_heat(&s);
	const struct pulse_value *all = pulse_get(stage_json(&s, "table/views"), "views"),
				 *ours = pulse_get(stage_json(&s, "table/hints"), "hints"),
				 *paraver = pulse_get(stage_json(&s, "table/hints?trace=1"), "hints");
	CHECK(stage_count(all) > 40);
	CHECK(has_name(all, "regions") && has_name(ours, "regions") && !has_name(paraver, "regions"));
	CHECK(has_name(all, "ipc") && !has_name(ours, "ipc"));
	CHECK(has_name(ours, "states") && has_name(paraver, "states"));
	stage_end(&s);
}

TEST(a_text_is_checked_in_its_place)
{
	struct stage s;
	open_heat(&s);
	const struct pulse_value *v = stage_json(&s, "table/metric?text=a = state\nb = ratee(3)");
	CHECK(!pulse_get(v, "ok")->truth);
	CHECK_STR(pulse_text(v, "error", ""), "unknown metric or function 'ratee' (did you mean 'rate'?)");
	CHECK_U64((uint64_t)pulse_number(v, "line", 0), 2);
	CHECK_U64((uint64_t)pulse_number(v, "column", 0), 5);
	CHECK(!pulse_get(stage_json(&s, "table/metric?text= "), "ok")->truth);
	v = stage_json(&s, "table/metric?text=a = state == Running&add=1&title=mine");
	CHECK(pulse_get(v, "ok")->truth);
	CHECK_STR(pulse_text(v, "view", ""), "@1");
	CHECK(has_name(pulse_get(stage_json(&s, "table/views"), "views"), "@1"));
	/* A text that is not a view yet has a table, too, the same as that of the view. */
	double of_text = cell_of(stage_item(pulse_get(stage_json(&s, "table/view?text=a = state == Running"), "rows"), 0), 0);
	CHECK_NEAR(of_text, cell_of(stage_item(pulse_get(stage_json(&s, "table/view?view=@1"), "rows"), 0), 0), 0);
	v = stage_json(&s, "table/words");
	CHECK(has_name(pulse_get(v, "sources"), "value") && has_name(pulse_get(v, "stages"), "in_range") &&
	      has_name(pulse_get(v, "levels"), "sum"));
	stage_end(&s);
}

TEST(what_is_wrong_is_said)
{
	static const struct {
		const char *address, *words;
	} wrong[] = {
		{"table/view", "'view': expected the name of a view"},
		{"table/view?view=nothing", "nothing"},
		{"table/view?view=../../etc/passwd", "passwd"},
		{"table/view?view=/etc/passwd", "passwd"},
		{"table/view?view=states&table=x", "there is none called 'x'"},
		{"table/view?view=states&statistic=timme", "did you mean 'time'"},
		{"table/view?view=states&delta=0", "'delta'"},
		{"table/view?view=states&delta=1&columns=3", "exclude each other"},
		{"table/view?view=states&min=3&max=1", "less than"},
		{"table/view?view=states&columns=x", "'columns'"},
		{"table/view?view=states&rows=nobody", "no row is called"},
		{"table/view?view=states&plane=p", "plane"},
		{"table/profile?by=wish", "'by'"},
		{"table/profile?filter=regoin", "regoin"},
		{"table/runs?name=tables", "tables"},
		{"table/calls?of=x", "'of'"},
		{"table/calls?least=2", "'least'"},
		{"table/calls?trace=7", "'trace'"},
		{"table/messages?level=cpu", "'level'"},
		{"table/metric", "'text'"},
		{"table/efficiency?from=5&to=5", "to"},
	};
	struct stage s;
	open_heat(&s);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		stage_ask(&s, wrong[i].address, NULL);
		if (!CHECK(s.rc < 0) || !CHECK(strstr(s.err.text, wrong[i].words)))
			fprintf(stderr, "# %s: %d '%s'\n", wrong[i].address, s.rc, s.err.text);
	}
	stage_end(&s);
}

static bool has_left(const struct server_request *r)
{
	(void)r;
	return true;
}

TEST(what_nobody_waits_for_is_given_up)
{
	static const struct {
		const char *address;
		bool stops; /* with so few events; others may have ended before they look */
	} tables[] = {
		{"table/view?view=states", true},
		{"table/profile", true},
		{"table/groups", true},
		{"table/efficiency", true},
		{"table/calls?of=regions", false},
		{"table/flame?thread=0", false},
		{"table/messages", false},
		{"table/cell?view=regions&row=0&column=2", false},
	};
	struct stage s;
	open_heat(&s);
	for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
		stage_ask(&s, tables[i].address, NULL);
		REQUIRE(s.rc == 0);
		char *whole = strndup(s.answer.body.at, s.answer.body.n);
		s.gone = has_left;
		stage_ask(&s, tables[i].address, NULL);
		CHECK(s.rc == -ECANCELED || (s.rc == 0 && !tables[i].stops));
		/* What was given up has left nothing behind. */
		s.gone = NULL;
		stage_ask(&s, tables[i].address, NULL);
		CHECK(s.rc == 0 && s.answer.body.n == strlen(whole) && !memcmp(s.answer.body.at, whole, s.answer.body.n));
		free(whole);
	}
	stage_end(&s);
}

static bool enough(void *arg)
{
	return ++*(unsigned *)arg > 2;
}

TEST(who_walks_over_events_is_told)
{
	struct stage s;
	unsigned looks = 0, blocks = 0;
	const struct weft_stop stop = {enough, &looks};
	int rc = 0;
	open_heat(&s);
	weft_stop_set(&stop);
	for (unsigned i = 0; i < 1000 && rc >= 0; i++) {
		struct weft_cursor c;
		struct weft_block b;
		REQUIRE(weft_cursor_begin(&c, s.session->trace[0].trace, 0, 0, WEFT_NEVER) == 0);
		while ((rc = weft_cursor_next(&c, &b)) > 0)
			blocks++;
		weft_cursor_end(&c);
	}
	weft_stop_set(NULL);
	CHECK_I64(rc, -ECANCELED);
	CHECK(blocks > 64 && blocks < 100); /* looks are far between, as a look costs more than a block */
	stage_end(&s);
}

TEST(without_memory_nothing_is_lost)
{
	static const char *const addresses[] = {"table/view?view=states", "table/profile",
	                                        "table/groups",           "table/messages",
	                                        "table/calls?of=regions", "table/flame?thread=0",
	                                        "table/efficiency",       "table/cell?view=regions&row=0&column=2"};
	struct stage s;
	open_heat(&s);
	for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++)
		stage_ask(&s, addresses[i], NULL); /* what is kept is made */
	for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		char *text = strdup(addresses[i]), *query = strchr(text, '?'), *name = NULL, *value = NULL;
		struct server_arg arg[4];
		unsigned n = 0;
		char *rest = NULL;
		if (query)
			*query++ = 0;
		for (char *part = query ? strtok_r(query, "&", &rest) : NULL; part; part = strtok_r(NULL, "&", &rest)) {
			name = part;
			value = strchr(part, '=');
			*value++ = 0;
			arg[n++] = (struct server_arg){name, value};
		}
		const struct server_route *route = server_route_find(text);
		TEST_EACH_ALLOCATION_FAILS {
			struct weft_err err = {0};
			struct server_answer a = {.status = 200};
			struct server_request r = {.session = s.session, .arg = arg, .n_args = n, .body = "", .err = &err};
			int rc = route->answer(&r, &a);
			if (!test_alloc_failed())
				CHECK(rc == 0);
			weft_buf_fini(&a.body);
		}
		free(text);
	}
	stage_end(&s);
}
