/* SPDX-License-Identifier: Apache-2.0 */
/* Area time, without a connection: rows, cells, regions, places, events, on traces whose every event is known (tests/golden/traces). */
#include "server_stage.h"
#include <errno.h>
#include <math.h>

#define HEAT "tests/golden/traces/heat.weft"
enum { NS = 1, MS = 1000000 * NS };

static const struct pulse_value *at(const struct pulse_value *v, const char *key)
{
	return pulse_get(v, key);
}
static double number(const struct pulse_value *v, const char *key)
{
	const struct pulse_value *x = at(v, key);
	return x ? x->number : NAN;
}
static const char *text(const struct pulse_value *v, const char *key)
{
	const struct pulse_value *x = at(v, key);
	return x && x->text ? x->text : "";
}

/* ---- cells ---- */

struct cells {
	uint32_t word[8];
	double range[4];
	double value[256];
	uint32_t color[256], count[256];
	const uint8_t *place;
};

static void read_cells(struct stage *s, const char *address, struct cells *c)
{
	stage_ask(s, address, NULL);
	REQUIRE(s->rc == 0 && s->answer.body.n >= 64);
	const char *p = s->answer.body.at;
	memcpy(c->word, p, sizeof c->word);
	memcpy(c->range, p + 32, sizeof c->range);
	CHECK_U64(c->word[0], 0x4c454357);
	REQUIRE(c->word[4] <= 256 && c->word[5] == 1);
	REQUIRE(s->answer.body.n == 64 + 16 * c->word[4] + (size_t)c->word[2] * c->word[3]);
	for (uint32_t i = 0; i < c->word[4]; i++) {
		memcpy(&c->value[i], p + 64 + 16 * i, 8);
		memcpy(&c->color[i], p + 72 + 16 * i, 4);
		memcpy(&c->count[i], p + 76 + 16 * i, 4);
	}
	c->place = (const uint8_t *)p + 64 + 16 * c->word[4];
}

static double cell(const struct cells *c, uint32_t line, uint32_t x)
{
	return c->value[c->place[line * c->word[3] + x]];
}

/* heat.weft: solve is region 2, MPI_Recv 4; rank 0 solves until 50 ms, rank 1 waits from 41.2 ms on. */
TEST(cells_show_what_takes_most_of_a_pixel)
{
	struct stage s;
	struct cells c;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	read_cells(&s, "time/cells?from=0&to=140000000&width=140&rows=0-2", &c);
	CHECK_U64(c.word[2], 3);
	CHECK_U64(c.word[3], 140);
	CHECK_NEAR(cell(&c, 0, 10), 2, 0);
	CHECK_NEAR(cell(&c, 1, 10), -1, 0); /* the helper is not there yet */
	CHECK_NEAR(cell(&c, 2, 45), 4, 0);
	uint64_t all = 0;
	for (uint32_t i = 0; i < c.word[4]; i++)
		all += c.count[i];
	CHECK_U64(all, 3 * 140);
	/* A row asked for alone, or from another place on, is the same. */
	struct cells part;
	read_cells(&s, "time/cells?from=40000000&to=60000000&width=20&rows=2", &part);
	CHECK_NEAR(cell(&part, 0, 5), 4, 0);
	stage_end(&s);
}

/* 4 tasks, 400,000 times 90 ns running and then 10 ns waiting: 3.2 million states. */
static void write_many_states(void)
{
	enum { TASKS = 4, TIMES = 400000 };
	FILE *f = fopen(test_path("many.prv"), "w");
	REQUIRE(f);
	fprintf(f, "#Paraver (01/01/2024 at 10:00):%u_ns:1(%u):1:%u(1:1,1:1,1:1,1:1)\n", 100 * TIMES, TASKS, TASKS);
	for (unsigned i = 0; i < TIMES; i++)
		for (unsigned k = 1; k <= TASKS; k++)
			fprintf(f, "1:%u:1:%u:1:%u:%u:1\n1:%u:1:%u:1:%u:%u:3\n", k, k, 100 * i, 100 * i + 90, k, k, 100 * i + 90,
			        100 * i + 100);
	REQUIRE(fclose(f) == 0);
}

TEST(cells_show_what_takes_most_of_a_pixel_of_many_events)
{
	struct weft_err err = {0};
	struct stage s;
	struct cells c;
	write_many_states();
	stage_begin(&s);
	REQUIRE(server_session_add(s.session, test_path("many.prv"), &err) == 0);
	stage_read(&s);
	REQUIRE(s.session->trace[0].trace->n_events > 3000000);
	for (unsigned i = 0; i < 2; i++) { /* and again, from what was kept */
		read_cells(&s, "time/cells?from=0&to=40000000&width=100&rows=0-3", &c);
		CHECK_U64(c.word[4], 1);
		CHECK_NEAR(c.value[0], 1, 0);
		CHECK_U64(c.count[0], 400);
	}
	read_cells(&s, "time/cells?from=39000000&to=39000100&width=10&rows=0-3", &c);
	for (unsigned x = 0; x < 10; x++)
		CHECK_NEAR(cell(&c, 3, x), x < 9 ? 1 : 3, 0);
	stage_end(&s);
}

TEST(rows_of_a_line_are_fused)
{
	struct stage s;
	struct cells c;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	read_cells(&s, "time/cells?from=0&to=140000000&width=140&rows=0~2,2,0_2&fuse=maximum", &c);
	CHECK_U64(c.word[2], 3);
	CHECK_NEAR(cell(&c, 0, 45), 4, 0); /* of 2, away, 4 */
	CHECK_NEAR(cell(&c, 1, 45), 4, 0);
	CHECK_NEAR(cell(&c, 2, 10), 2, 0);
	stage_end(&s);
}

TEST(all_ways_of_drawing)
{
	static const char *const ways[] = {"last",    "maximum",        "minnotzero", "random",           "randnotzero",
	                                   "average", "averagenotzero", "mode",       "absolute_maximum", "absolute_minimum"};
	struct stage s;
	struct cells c;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		char address[200];
		snprintf(address, sizeof address, "time/cells?view=useful&from=0&to=140000000&width=70&draw=%s&fuse=%s", ways[i],
		         ways[i]);
		read_cells(&s, address, &c);
		CHECK_NEAR(cell(&c, 0, 5), 1, 0);
	}
	stage_end(&s);
}

/* ---- rows, values ---- */

TEST(rows_have_names_and_what_they_are_in)
{
	struct stage s;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	const struct pulse_value *v = stage_json(&s, "time/rows");
	CHECK_NEAR(number(v, "n"), 3, 0);
	CHECK_STR(stage_item(at(v, "names"), 1)->text, "heat 0 · helper");
	CHECK_NEAR(stage_item(at(at(v, "up"), "process"), 2)->number, 1, 0);
	CHECK_STR(text(v, "level"), "thread");
	v = stage_json(&s, "time/rows?view=useful&level=process");
	CHECK_NEAR(number(v, "n"), 2, 0);
	v = stage_json(&s, "time/legend?values=2,-1");
	CHECK_STR(text(stage_item(at(v, "values"), 0), "name"), "solve");
	CHECK_STR(text(stage_item(at(v, "values"), 1), "name"), "not there");
	v = stage_json(&s, "time/depths");
	CHECK_NEAR(stage_item(at(v, "depths"), 0)->number, 2, 0);
	CHECK_NEAR(stage_item(at(v, "depths"), 1)->number, 1, 0);
	stage_end(&s);
}

/* ---- regions in each other ---- */

TEST(few_intervals_come_exactly)
{
	struct stage s;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	const struct pulse_value *v = stage_json(&s, "time/exact?nested=1&rows=0&from=0&to=3000000");
	const struct pulse_value *spans = at(stage_item(at(v, "rows"), 0), "spans");
	/* depth, begin, end, region; ends that lie behind the range are the range's */
	const double want[] = {1, 200000, 3 * MS, 2, 0, 100000, 3 * MS, 1};
	CHECK_U64(stage_count(spans), 8);
	for (unsigned i = 0; i < 8; i++)
		CHECK_NEAR(stage_item(spans, i)->number, want[i], 0);
	v = stage_json(&s, "time/exact?nested=1&rows=0-2&most=3");
	CHECK(at(v, "many") != NULL);
	struct cells c;
	read_cells(&s, "time/nest?rows=0&depth=2&from=0&to=140000000&width=140", &c);
	CHECK_U64(c.word[2], 2);
	CHECK_NEAR(cell(&c, 0, 10), 1, 0);
	CHECK_NEAR(cell(&c, 1, 10), 2, 0);
	stage_end(&s);
}

/* ---- a place, and looking for one ---- */

TEST(a_place_tells_all_about_itself)
{
	struct stage s;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	const struct pulse_value *v = stage_json(&s, "time/at?row=0&at=3000000");
	CHECK_STR(text(at(v, "value"), "name"), "solve");
	CHECK_U64(stage_count(at(v, "stack")), 2);
	const struct pulse_value *inner = stage_item(at(v, "stack"), 1);
	CHECK_STR(text(inner, "name"), "solve");
	CHECK_STR(text(inner, "file"), "heat.c");
	CHECK_NEAR(number(inner, "line"), 20, 0);
	CHECK_NEAR(number(inner, "begin"), 200000, 0);
	CHECK(number(inner, "end") > 3 * MS); /* its true end, though the question ends there */
	CHECK(stage_count(at(v, "events")) > 0);
	stage_end(&s);
}

TEST(finding_goes_both_ways)
{
	struct stage s;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	const struct pulse_value *v = stage_json(&s, "time/find?filter=region=MPI_Recv&from=0");
	double first = number(v, "time");
	CHECK(first > 41 * MS && first < 42 * MS);
	CHECK_NEAR(number(v, "row"), 2, 0);
	char address[120];
	snprintf(address, sizeof address, "time/find?filter=region=MPI_Recv&from=%.0f&back=1", first + 1);
	CHECK_NEAR(number(stage_json(&s, address), "time"), first, 0);
	snprintf(address, sizeof address, "time/find?filter=region=MPI_Recv&from=%.0f&back=1", first);
	CHECK(!at(stage_json(&s, address), "time"));
	v = stage_json(&s, "time/find?filter=duration>35ms&from=45000000"); /* by durations: regions as a whole */
	CHECK(number(v, "time") > 45 * MS && number(v, "end") - number(v, "time") > 35 * MS);
	stage_ask(&s, "time/find?filter=regoin=x&from=0", NULL);
	CHECK(s.rc && strstr(s.err.text, "regoin"));
	stage_end(&s);
}

TEST(messages_and_flows)
{
	struct stage s;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	const struct pulse_value *v = stage_json(&s, "time/messages?row=0");
	CHECK_U64(stage_count(at(v, "messages")), 2);
	CHECK_NEAR(number(stage_item(at(v, "messages"), 0), "size"), 65536, 0);
	v = stage_json(&s, "time/messages?row=1");
	CHECK_U64(stage_count(at(v, "messages")), 0);
	v = stage_json(&s, "time/messages?most=1");
	CHECK_U64(stage_count(at(v, "messages")), 1);
	CHECK_NEAR(number(v, "n"), 2, 0);
	v = stage_json(&s, "time/messages?from=100000000&to=140000000");
	CHECK_U64(stage_count(at(v, "messages")), 1);
	v = stage_json(&s, "time/flows");
	CHECK_U64(stage_count(at(v, "flows")), 1);
	stage_end(&s);
}

TEST(what_is_wrong_is_said)
{
	static const struct {
		const char *address, *words;
	} cases[] = {
		{"time/cells?rows=0-3", "'rows': expected rows below 3"},
		{"time/cells?rows=", "'rows'"},
		{"time/cells?width=0", "'width': expected a number from 1"},
		{"time/cells?width=99999999", "'width'"},
		{"time/cells?from=5&to=5", "'to': expected a time after 'from'"},
		{"time/cells?draw=laast", "did you mean 'last'"},
		{"time/cells?view=nosuch", "unknown view 'nosuch'"},
		{"time/cells?view=../../etc/passwd", "unknown view"},
		{"time/cells?view=useful&window=99", "no window"},
		{"time/cells?trace=1", "'trace'"},
		{"time/cells?level=cpu", "'level'"},
		{"time/at?row=3", "'row'"},
		{"time/find?from=0", "'filter'"},
		{"time/curve", "regions are no curve"},
		{"time/legend?values=x", "'values'"},
	};
	struct stage s;
	stage_begin(&s);
	stage_add(&s, HEAT);
	stage_read(&s);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		stage_ask(&s, cases[i].address, NULL);
		if (!CHECK(s.rc < 0 && strstr(s.err.text, cases[i].words)))
			printf("#   %s: %s\n", cases[i].address, s.err.text);
	}
	stage_end(&s);
}

/* As stage_ask, without allocations of its own: the address was taken apart before. */
static int ask_again(struct stage *s, const struct server_route *route, const struct server_arg *arg, unsigned n)
{
	weft_buf_fini(&s->answer.body);
	s->answer = (struct server_answer){.status = 200};
	s->err = (struct weft_err){0};
	struct server_request r = {.session = s->session, .arg = arg, .n_args = n, .body = "", .err = &s->err};
	return route->answer(&r, &s->answer);
}

TEST(memory_that_runs_out_is_said)
{
	static const struct {
		const char *path;
		struct server_arg arg[4];
		unsigned n;
	} asked[] = {
		{"time/cells", {{"width", "20"}}, 1},
		{"time/cells", {{"view", "useful"}, {"width", "20"}, {"draw", "average"}}, 3},
		{"time/nest", {{"width", "20"}}, 1},
		{"time/exact", {{"nested", "1"}}, 1},
		{"time/rows", {{0}}, 0},
		{"time/legend", {{0}}, 0},
		{"time/messages", {{"row", "0"}}, 1},
		{"time/at", {{"row", "0"}, {"at", "3000000"}}, 2},
	};
	struct stage s;
	stage_begin(&s);
	s.session->threads = 1;
	stage_add(&s, HEAT);
	stage_read(&s);
	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
		const struct server_route *route = server_route_find(asked[i].path);
		REQUIRE(route && ask_again(&s, route, asked[i].arg, asked[i].n) == 0); /* what is made once is there */
		char *whole = strndup(s.answer.body.at, s.answer.body.n);
		size_t n = s.answer.body.n;
		TEST_EACH_ALLOCATION_FAILS {
			s.rc = ask_again(&s, route, asked[i].arg, asked[i].n);
			bool same = s.rc == 0 && !s.answer.body.failed && s.answer.body.n == n &&
			            !memcmp(s.answer.body.at, whole, strnlen(whole, n));
			CHECK(same || s.rc == -ENOMEM || s.answer.body.failed);
		}
		free(whole);
	}
	stage_end(&s);
}
