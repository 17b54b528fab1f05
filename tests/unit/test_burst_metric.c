/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/burst/burst_metric.h"
#include "structure_maker.h"

static struct weft_bursts made(double *count)
{
	static uint64_t begin[] = {0, 0, 0, 0}, end[] = {100, 200, 5, 400};
	return (struct weft_bursts){.n = 4, .begin = begin, .end = end, .count = count, .n_counters = 2};
}

TEST(points)
{
	double count[] = {1, M_E, 50, M_E * M_E, 10, 10, 10, NAN};
	struct weft_bursts b = made(count);
	struct weft_burst_metric m[] = {{.name = "x", .a = 0, .log = true, .factor = 2, .least = -INFINITY, .most = 6},
	                                {.name = "y",
	                                 .operation = '/',
	                                 .a = WEFT_METRIC_DURATION,
	                                 .b = 1,
	                                 .factor = 1,
	                                 .least = -INFINITY,
	                                 .most = INFINITY}};
	struct weft_burst_choice choice = {.metric = m, .n = 2, .least_ns = 10, .normalise = true};
	struct weft_burst_points p;
	REQUIRE(weft_burst_points_make(&p, &b, &choice) == 0);
	CHECK_U64(p.n, 2);
	CHECK_U64(p.fate[0], WEFT_BURST_NOISE);
	CHECK_U64(p.fate[2], WEFT_BURST_SHORT); /* before its range is asked */
	CHECK_U64(p.fate[3], WEFT_BURST_MISSING);
	CHECK_NEAR(p.raw[0], 1, 0);
	CHECK_NEAR(p.raw[1], 10, 0);
	CHECK_NEAR(p.at[0], 0, 0);
	CHECK_NEAR(p.at[2], 2, 1e-12);
	CHECK_NEAR(p.at[3], 1, 1e-12);
	weft_burst_points_fini(&p);
	choice.least_ns = 0;
	REQUIRE(weft_burst_points_make(&p, &b, &choice) == 0);
	CHECK_U64(p.fate[2], WEFT_BURST_OUT_OF_RANGE);
	weft_burst_points_fini(&p);
}

TEST(constant_values)
{
	double count[] = {3, 3, 3, 3, 0, 0, 0, 0};
	struct weft_bursts b = made(count);
	struct weft_burst_metric m[] = {{.name = "x", .a = 0, .factor = 1, .least = -INFINITY, .most = INFINITY},
	                                {.name = "z", .a = 1, .log = true, .factor = 1, .least = -INFINITY, .most = INFINITY}};
	struct weft_burst_choice choice = {.metric = m, .n = 2, .normalise = true};
	struct weft_burst_points p;
	REQUIRE(weft_burst_points_make(&p, &b, &choice) == 0);
	CHECK_U64(p.n, 4);
	for (unsigned i = 0; i < 8; i++)
		CHECK_NEAR(p.at[i], 0, 0);
	weft_burst_points_fini(&p);
}

TEST(as_text)
{
	struct weft_arena a = {0};
	struct weft_burst_metric m;
	struct weft_err err = {0};
	const char *names[8];
	uint32_t n = 0;
	REQUIRE(weft_burst_metric_parse(&m, "log(INS)", &a, names, &n, &err) == 0);
	CHECK(m.log && m.a == 0 && !m.operation);
	CHECK_STR(m.name, "INS");
	REQUIRE(weft_burst_metric_parse(&m, "INS / CYC", &a, names, &n, &err) == 0);
	CHECK(m.operation == '/' && m.a == 0 && m.b == 1);
	REQUIRE(weft_burst_metric_parse(&m, "log(duration)", &a, names, &n, &err) == 0);
	CHECK(m.a == WEFT_METRIC_DURATION && m.log);
	REQUIRE(weft_burst_metric_parse(&m, "a-b", &a, names, &n, &err) ==
	        0); /* a name may have a dash; an operation stands apart */
	CHECK(!m.operation);
	CHECK_U64(n, 3);
	CHECK_I64(weft_burst_metric_parse(&m, "INS/", &a, names, &n, &err), WEFT_E_SYNTAX);
	CHECK_STR(err.text, "metric 'INS/': a metric has no name");
	weft_arena_fini(&a);
}
