/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "trace/weft/clock_priv.h"
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

static void sample(struct clock_stream *s, uint64_t ticks, uint64_t monotonic, uint64_t realtime)
{
	struct clock_sample c = {ticks, monotonic, realtime};
	REQUIRE(weft_vec_push(&s->sample, c) == 0);
}

static void sync_at(struct clock_stream *s, uint64_t ticks, uint64_t key)
{
	struct clock_sync c = {ticks, key, 0};
	REQUIRE(weft_vec_push(&s->sync, c) == 0);
}

static int64_t at(const struct clock_stream *s, uint64_t ticks)
{
	uint32_t hint = 0;
	return clock_ns(&s->line, ticks, &hint);
}

static struct clock_report align(struct clock_stream *a, struct clock_stream *b)
{
	struct clock_report r;
	struct clock_stream *all[] = {a, b};
	REQUIRE(clock_align(all, b ? 2 : 1, &r) == 0);
	return r;
}

TEST(ticks_between_two_samples_are_interpolated)
{
	struct clock_stream s = {.domain = "a", .ticks_per_ns = 2.1};
	sample(&s, 1000, 5000, 100 * SECOND + 5000);
	sample(&s, 1000 + 2 * SECOND, 5000 + SECOND, 101 * SECOND + 5000);
	struct clock_report r = align(&s, NULL);
	CHECK(r.axis_is_realtime);
	CHECK_I64(at(&s, 1000), 100 * SECOND + 5000);
	CHECK_I64(at(&s, 1000 + 2 * SECOND), 101 * SECOND + 5000);
	CHECK_I64(at(&s, 1000 + SECOND), 100 * SECOND + SECOND / 2 + 5000);
	/* Outside with the same slope. */
	CHECK_I64(at(&s, 1000 + 4 * SECOND), 102 * SECOND + 5000);
	CHECK(llabs(at(&s, 0) - (100 * SECOND + 4500)) <= 1);
	clock_stream_fini(&s);
}

TEST(each_stretch_between_samples_has_its_own_slope)
{
	struct clock_stream s = {.domain = "a"};
	sample(&s, 0, 0, SECOND);
	sample(&s, 3 * SECOND, SECOND, 2 * SECOND);
	sample(&s, 5 * SECOND, 2 * SECOND, 3 * SECOND); /* it slowed down */
	align(&s, NULL);
	CHECK_I64(at(&s, 3 * SECOND / 2), SECOND + SECOND / 2);
	CHECK_I64(at(&s, 4 * SECOND), 2 * SECOND + SECOND / 2);
	CHECK(s.drift_ppm > 100000);
	clock_stream_fini(&s);
}

TEST(time_never_goes_back)
{
	struct clock_stream s = {.domain = "a", .ticks_per_ns = 2.3};
	uint64_t ticks = 7777, mono = 12345;
	for (unsigned i = 0; i < 200; i++) {
		sample(&s, ticks, mono, mono + 1000 * SECOND);
		uint64_t step = 1 + test_random() % 10000000;
		ticks += step;
		mono += (uint64_t)((double)step / (2.3 + (double)(test_random() % 100) / 1000));
	}
	align(&s, NULL);
	int64_t last = INT64_MIN;
	uint32_t hint = 0;
	unsigned back = 0;
	for (uint64_t t = 0; t < ticks + 1000000; t += 1 + test_random() % 20000) {
		int64_t ns = clock_ns(&s.line, t, &hint);
		back += ns < last;
		last = ns;
	}
	/* Also at the knots themselves, from both sides. */
	for (size_t i = 1; i < s.line.knot.n; i++)
		back += at(&s, s.line.knot.at[i].ticks - 1) > at(&s, s.line.knot.at[i].ticks);
	CHECK_U64(back, 0);
	clock_stream_fini(&s);
}

TEST(samples_that_cannot_be_true_are_rejected)
{
	struct clock_stream s = {.domain = "a", .ticks_per_ns = 1};
	sample(&s, 0, 0, SECOND);
	sample(&s, SECOND, SECOND, 2 * SECOND);
	sample(&s, 2 * SECOND, SECOND / 2, 3 * SECOND);  /* time went back */
	sample(&s, 3 * SECOND, 90 * SECOND, 4 * SECOND); /* thirty times too fast */
	sample(&s, 4 * SECOND, 4 * SECOND, 5 * SECOND);
	align(&s, NULL);
	CHECK_U64(s.n_rejected, 2);
	CHECK_I64(at(&s, 3 * SECOND), 4 * SECOND);
	clock_stream_fini(&s);
}

TEST(time_of_day_that_is_set_moves_nothing)
{
	struct clock_stream s = {.domain = "a", .ticks_per_ns = 1};
	sample(&s, 0, 0, 100 * SECOND);
	sample(&s, SECOND, SECOND, 5 * SECOND); /* set back by an hour and more */
	sample(&s, 2 * SECOND, 2 * SECOND, 500 * SECOND);
	align(&s, NULL);
	CHECK_I64(at(&s, SECOND), 101 * SECOND);
	CHECK_I64(at(&s, 2 * SECOND), 102 * SECOND);
	clock_stream_fini(&s);
}

TEST(without_samples_the_header_serves_and_then_a_guess)
{
	struct clock_stream s = {.domain = "a",
	                         .ticks_per_ns = 2,
	                         .start_ticks = 1000,
	                         .start_monotonic = 10,
	                         .start_realtime = SECOND};
	align(&s, NULL);
	CHECK_I64(at(&s, 3000), SECOND + 1000);
	CHECK(!s.guessed);
	clock_stream_fini(&s);
	struct clock_stream none = {.domain = "a"};
	struct clock_report r = align(&none, NULL);
	CHECK(none.guessed);
	CHECK(!r.axis_is_realtime);
	CHECK_I64(at(&none, 500), 500);
	clock_stream_fini(&none);
}

TEST(two_near_samples_do_not_decide_the_rate)
{
	struct clock_stream s = {.domain = "a", .ticks_per_ns = 2};
	sample(&s, 1000, 1000, SECOND + 1000);
	sample(&s, 1200, 1050, SECOND + 1050); /* 200 ticks in 50 ns: noise of the sampling */
	align(&s, NULL);
	CHECK(llabs(at(&s, 1200 + 2 * SECOND) - (2 * SECOND + 1050)) < 10);
	clock_stream_fini(&s);
}

TEST(streams_of_one_boot_share_the_monotonic_clock)
{
	struct clock_stream a = {.domain = "boot", .ticks_per_ns = 1}, b = {.domain = "boot", .ticks_per_ns = 1};
	sample(&a, 0, 1000, 50 * SECOND);
	sample(&b, 0, 2 * SECOND + 1000, 40 * SECOND); /* the time of day was set in between */
	align(&a, &b);
	CHECK_I64(at(&b, 0) - at(&a, 0), 2 * SECOND);
	clock_stream_fini(&a);
	clock_stream_fini(&b);
}

TEST(streams_of_two_boots_meet_by_the_time_of_day)
{
	struct clock_stream a = {.domain = "x", .ticks_per_ns = 1}, b = {.domain = "y", .ticks_per_ns = 1};
	sample(&a, 0, 1000, 50 * SECOND);
	sample(&b, 0, 77 * SECOND, 53 * SECOND);
	struct clock_report r = align(&a, &b);
	CHECK_I64(at(&b, 0) - at(&a, 0), 3 * SECOND);
	CHECK_U64(r.n_domains, 2);
	CHECK_U64(r.n_synced, 0);
	clock_stream_fini(&a);
	clock_stream_fini(&b);
}

TEST(sync_points_override_the_time_of_day_and_are_interpolated)
{
	struct clock_stream a = {.domain = "x", .ticks_per_ns = 1}, b = {.domain = "y", .ticks_per_ns = 1};
	sample(&a, 0, 0, 50 * SECOND);
	sample(&a, 10 * SECOND, 10 * SECOND, 60 * SECOND);
	sample(&b, 0, 0, 99 * SECOND); /* its time of day is wrong, and its crystal 1000 ppm fast */
	sample(&b, 10 * SECOND, 10 * SECOND, 109 * SECOND);
	sync_at(&a, 1 * SECOND, 1);
	sync_at(&a, 9 * SECOND, 2);
	sync_at(&b, 3 * SECOND, 1);
	sync_at(&b, 3 * SECOND + 8008000000, 2);
	sync_at(&b, 5 * SECOND, 77); /* nobody else was there */
	struct clock_report r = align(&a, &b);
	CHECK_U64(r.n_synced, 1);
	CHECK(llabs(at(&b, 3 * SECOND) - at(&a, SECOND)) <= 2);
	CHECK(llabs(at(&b, 3 * SECOND + 8008000000) - at(&a, 9 * SECOND)) <= 2);
	CHECK(llabs(at(&b, 3 * SECOND + 4004000000) - at(&a, 5 * SECOND)) <= 2);
	/* Before the first and behind the last, with the slope between them. */
	CHECK(llabs(at(&b, 3 * SECOND - 1001000000) - at(&a, 0)) <= 4);
	CHECK(llabs(at(&b, 3 * SECOND + 9009000000) - at(&a, 10 * SECOND)) <= 4);
	clock_stream_fini(&a);
	clock_stream_fini(&b);
}

TEST(one_sync_point_gives_an_offset)
{
	struct clock_stream a = {.domain = "x", .ticks_per_ns = 1}, b = {.domain = "y", .ticks_per_ns = 1};
	sample(&a, 0, 0, 50 * SECOND);
	sample(&b, 0, 0, 99 * SECOND);
	sync_at(&a, 5 * SECOND, 1);
	sync_at(&b, 7 * SECOND, 1);
	align(&a, &b);
	CHECK_I64(at(&b, 7 * SECOND), at(&a, 5 * SECOND));
	CHECK_I64(at(&b, 8 * SECOND), at(&a, 6 * SECOND));
	CHECK_I64(at(&b, 6 * SECOND), at(&a, 4 * SECOND));
	clock_stream_fini(&a);
	clock_stream_fini(&b);
}

TEST(offline_ticks_are_the_axis)
{
	struct clock_stream a = {.domain = "x", .offline = true}, b = {.domain = "y", .ticks_per_ns = 1};
	sample(&a, 0, 0, 50 * SECOND);
	sample(&b, 0, 7, 53 * SECOND);
	struct clock_report r = align(&a, &b);
	CHECK(r.offline);
	CHECK_U64(r.realtime_at_0, 50 * SECOND);
	CHECK_I64(at(&a, 12345), 12345);
	CHECK_I64(at(&b, 0), 3 * SECOND); /* a live stream beside it finds its place by the time of day */
	clock_stream_fini(&a);
	clock_stream_fini(&b);
}

TEST(alignment_says_when_memory_is_out)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct clock_stream a = {.domain = "x", .ticks_per_ns = 1}, b = {.domain = "y", .ticks_per_ns = 1};
		struct clock_stream *all[] = {&a, &b};
		struct clock_report r;
		struct clock_sample one = {0, 1000, 50 * SECOND};
		struct clock_sync met = {5, 1, 0};
		int rc = weft_vec_push(&a.sample, one) || weft_vec_push(&b.sample, one) || weft_vec_push(&a.sync, met) ||
		         weft_vec_push(&b.sync, met);
		if (!rc)
			rc = clock_align(all, 2, &r);
		CHECK((rc != 0) == test_alloc_failed());
		clock_stream_fini(&a);
		clock_stream_fini(&b);
	}
}
