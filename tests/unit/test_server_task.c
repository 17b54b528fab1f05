/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the area task on traces of known tasks: tests/golden/traces/make_tasks.py and make_kinds.py say what is in them. */
#include "server_stage.h"

static void open_tiles(struct stage *s)
{
	stage_begin(s);
	stage_add(s, "tests/golden/traces/tiles.weft");
	stage_add(s, "tests/golden/traces/heat.weft");
	stage_add(s, "tests/golden/traces/kinds.weft");
	stage_read(s);
}

/* The head of a chart, and where its cells begin. */
static const struct pulse_value *chart_head(struct stage *s, const uint16_t **cell)
{
	struct pulse_value *v = NULL;
	const unsigned char *b = (const unsigned char *)s->answer.body.at;
	REQUIRE(s->rc == 0 && s->answer.body.n > 4);
	uint32_t n = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
	REQUIRE(n % 4 == 0 && n + 4 <= s->answer.body.n);
	CHECK(pulse_read(s->answer.body.at + 4, n, &s->arena, &v, NULL) == 0);
	*cell = (const uint16_t *)(const void *)(b + 4 + n);
	return v;
}

TEST(a_chart_has_the_cells_of_its_pixels)
{
	struct stage s;
	const uint16_t *cell;
	open_tiles(&s);
	/* From 1.05 to 1.25 ms worker 0 is in potrf all the time, worker 1 sleeps. */
	stage_ask(&s, "task/gantt?from=1050000&to=1250000&width=100&show=", NULL);
	const struct pulse_value *head = chart_head(&s, &cell), *paints = pulse_get(head, "paints");
	CHECK_U64(stage_count(pulse_get(head, "rows")), 3);
	CHECK_STR(pulse_text(stage_item(pulse_get(head, "rows"), 0), "label", ""), "CPU 0");
	for (unsigned x = 0; x < 100; x++) {
		CHECK_STR(pulse_text(stage_item(paints, cell[x]), "name", ""), "potrf");
		CHECK_STR(pulse_text(stage_item(paints, cell[100 + x]), "name", ""), "sleeping");
	}
	CHECK_U64((uint64_t)pulse_number(head, "width", 0), 100);
	CHECK_U64(stage_count(pulse_get(head, "tasks")), 1);
	stage_end(&s);
}

TEST(a_chart_ends_with_its_curves)
{
	struct stage s;
	const uint16_t *cell;
	open_tiles(&s);
	stage_ask(&s, "task/gantt?width=50&show=curves", NULL);
	const struct pulse_value *head = chart_head(&s, &cell);
	unsigned rows = stage_count(pulse_get(head, "rows")), curves = stage_count(pulse_get(head, "curves"));
	CHECK_U64(curves, 2);
	size_t at = (size_t)((const char *)cell - s.answer.body.at) + 2u * 50 * rows;
	at += (4 - at % 4) % 4;
	CHECK_U64(s.answer.body.n, at + 4u * 50 * curves);
	const float *value = (const float *)(const void *)(s.answer.body.at + at);
	float most = 0;
	for (unsigned x = 0; x < 50; x++)
		most = value[x] > most ? value[x] : most;
	CHECK_NEAR(most, pulse_number(stage_item(pulse_get(head, "curves"), 0), "most", 0), 1e-3);
	stage_end(&s);
}

TEST(one_task_is_told_with_its_neighbours_and_data)
{
	struct stage s;
	open_tiles(&s);
	const struct pulse_value *v = stage_json(&s, "task/task?task=1"), *f;
	CHECK_STR(pulse_text(v, "name", ""), "trsm");
	CHECK_U64(stage_count(pulse_get(v, "before")), 1);
	CHECK_STR(stage_item(stage_item(pulse_get(v, "before"), 0), 1)->text, "potrf");
	CHECK_U64(stage_count(pulse_get(v, "data")), 2);
	CHECK_STR(pulse_text(stage_item(pulse_get(v, "data"), 0), "mode", ""), "R");
	unsigned seen = 0;
	for (f = pulse_get(v, "fields")->first; f; f = f->next) {
		if (!strcmp(pulse_text(f, "name", ""), "duration"))
			seen += pulse_number(f, "value", 0) == 300000;
		if (!strcmp(pulse_text(f, "name", ""), "line"))
			seen += pulse_number(f, "value", 0) == 24;
	}
	CHECK_U64(seen, 2);
	stage_ask(&s, "task/task?task=20", NULL);
	CHECK(s.rc != 0);
	CHECK_STR(s.err.text, "'task': expected a number from 0 to 19, found '20'");
	stage_end(&s);
}

TEST(the_critical_path_and_the_graph_agree)
{
	struct stage s;
	open_tiles(&s);
	const struct pulse_value *p = stage_json(&s, "task/path");
	CHECK_U64((uint64_t)pulse_number(p, "critical_ns", 0), 2400000); /* potrf trsm gemm trsm gemm trsm syrk potrf */
	CHECK_U64(stage_count(pulse_get(p, "path")), 8);
	const struct pulse_value *v = stage_json(&s, "task/graph?by=none"), *g = pulse_get(v, "graph");
	CHECK_U64(stage_count(pulse_get(g, "boxes")), 20);
	CHECK_U64(stage_count(pulse_get(g, "path")), 8);
	CHECK_U64(stage_count(pulse_get(v, "index")), 20);
	v = stage_json(&s, "task/graph?by=codelet");
	CHECK_U64(stage_count(pulse_get(pulse_get(v, "graph"), "boxes")), 4);
	stage_json(&s, "task/graph?filter=codelet=gemm");
	stage_ask(&s, "task/graph?filter=codelet", NULL);
	CHECK(s.rc != 0 && s.err.text[0]);
	stage_ask(&s, "task/graph?by=wish", NULL);
	CHECK(s.rc != 0 && strstr(s.err.text, "'by'"));
	stage_end(&s);
}

TEST(a_schedule_has_every_instant_of_its_tasks)
{
	struct stage s;
	open_tiles(&s);
	const struct pulse_value *v = stage_json(&s, "task/schedule"), *row = stage_item(pulse_get(v, "tasks"), 0);
	CHECK_U64(stage_count(pulse_get(v, "tasks")), 20);
	CHECK_U64(stage_count(pulse_get(v, "workers")), 2);
	CHECK_NEAR(stage_item(row, 2)->number, 1000000, 0); /* submitted */
	CHECK_NEAR(stage_item(row, 7)->number - stage_item(row, 6)->number, 200000, 0);
	v = stage_json(&s, "task/schedule?from=0&to=1000");
	CHECK_U64(stage_count(pulse_get(v, "tasks")), 0);
	stage_end(&s);
}

TEST(memory_nodes_and_copies)
{
	struct stage s;
	open_tiles(&s);
	const struct pulse_value *v = stage_json(&s, "task/nodes?trace=2");
	CHECK(stage_count(pulse_get(v, "nodes")) >= 2);
	CHECK(stage_count(pulse_get(v, "ways")) >= 2);
	double n = 0;
	for (const struct pulse_value *w = pulse_get(v, "ways")->first; w; w = w->next)
		n += pulse_number(w, "n", 0);
	v = stage_json(&s, "task/copies?trace=2");
	CHECK_NEAR(pulse_number(v, "all", -1), n, 0);
	CHECK_U64(stage_count(pulse_get(v, "copies")), (uint64_t)n);
	stage_end(&s);
}

TEST(a_trace_without_tasks_says_so)
{
	static const char *const routes[] = {"task/gantt?trace=1", "task/graph?trace=1",    "task/task?trace=1&task=0",
	                                     "task/path?trace=1",  "task/schedule?trace=1", "task/nodes?trace=1"};
	struct stage s;
	open_tiles(&s);
	for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++) {
		stage_ask(&s, routes[i], NULL);
		CHECK(s.rc == -2 && strstr(s.err.text, "has no tasks"));
	}
	stage_end(&s);
}
