/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/phase/signal.h"
#include "structure_maker.h"

static uint64_t begin[] = {0, 100, 150, 400}, end[] = {200, 300, 250, 1000};
static const struct weft_bursts bursts = {.n = 4, .begin = begin, .end = end};

TEST(how_many_compute)
{
	struct weft_signal s;
	double v[10];
	REQUIRE(weft_signal_make(&s, &bursts, WEFT_SIGNAL_COMPUTING, 1000) == 0);
	weft_signal_sample(&s, 0, 500, 10, v);
	static const double want[] = {1, 1, 2, 3, 2, 1, 0, 0, 1, 1};
	for (unsigned i = 0; i < 10; i++)
		CHECK_NEAR(v[i], want[i], 1e-12);
	weft_signal_sample(&s, 0, 1000, 1, v);
	CHECK_NEAR(v[0], 1.1, 1e-12);
	weft_signal_values(&s, -50, 100, 10, v);
	CHECK_NEAR(v[0], 0, 0);
	CHECK_NEAR(v[1], 1, 0);
	CHECK_NEAR(v[2], 3, 0);
	CHECK_NEAR(v[3], 1, 0);
	weft_signal_sample(&s, 900, 2000, 2, v);
	CHECK_NEAR(v[0], 100.0 / 550, 1e-12);
	CHECK_NEAR(v[1], 0, 0);
	weft_signal_fini(&s);
}

TEST(durations_and_calls)
{
	struct weft_signal s;
	double v[10];
	REQUIRE(weft_signal_make(&s, &bursts, WEFT_SIGNAL_DURATIONS, 1000) == 0);
	weft_signal_sample(&s, 150, 200, 1, v);
	CHECK_NEAR(v[0], 500e-6, 1e-12);
	weft_signal_fini(&s);
	REQUIRE(weft_signal_make(&s, &bursts, WEFT_SIGNAL_CALLS, 1000) == 0);
	weft_signal_sample(&s, 0, 500, 2, v);
	CHECK_NEAR(v[0] * 250e-9, 2, 1e-9); /* at 200 and, at its end, 250 */
	CHECK_NEAR(v[1] * 250e-9, 1, 1e-9);
	weft_signal_fini(&s);
	REQUIRE(weft_signal_make(&s, &(struct weft_bursts){0}, WEFT_SIGNAL_COMPUTING, 1000) == 0);
	weft_signal_sample(&s, 0, 1000, 2, v);
	CHECK_NEAR(v[0], 0, 0);
	weft_signal_fini(&s);
}
