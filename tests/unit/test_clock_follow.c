/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks with known faults, exchanges with random delays: what the estimate makes of them. */
#include "harness.h"
#include "tune/wire/clock_follow.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
static const uint64_t begin = UINT64_C(1700000000) * SECOND;

/* A delay that is mostly short, sometimes not. */
static uint64_t delay(uint64_t least)
{
	uint64_t r = test_random() % 100;
	return least + test_random() % (20 * US) + (r < 20 ? test_random() % (3 * MS) : 0);
}

/* One exchange, begun at the true time t, by a clock with a fault. */
static void exchange(struct follow *f, const struct follow_fault *fault, uint64_t t)
{
	uint64_t there = delay(30 * US), here = delay(30 * US), inside = test_random() % (50 * US);
	follow_exchange(f, follow_faulty(fault, t), t + there, t + there + inside,
	                follow_faulty(fault, t + there + inside + here));
}

static double error_at(const struct follow *f, const struct follow_fault *fault, uint64_t t)
{
	return (double)(int64_t)(follow_time(f, follow_faulty(fault, t)) - t);
}

static const struct {
	int64_t ahead_ns;
	double ppm;
} faults[] = {{0, 0}, {5000000, 0}, {-3600000000000, 0}, {250000, 50}, {-70000000, -80}, {86400000000000, 100}, {1, -20}};

TEST(offset_and_drift_are_found)
{
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		struct follow f = {0};
		struct follow_fault fault = {faults[i].ahead_ns, faults[i].ppm, begin};
		uint64_t t = begin, last = 0;
		double worst = 0;
		for (int k = 0; k < 480; k++, t += 125 * MS) {
			exchange(&f, &fault, t);
			/* Corrected time never goes back, whatever is learnt. */
			for (uint64_t between = 0; between < 125 * MS; between += 12345678) {
				uint64_t now = follow_time(&f, follow_faulty(&fault, t + 10 * MS + between));
				CHECK(now >= last);
				last = now;
			}
			if (k > 160)
				worst = fmax(worst, fabs(error_at(&f, &fault, t + 100 * MS)));
		}
		/* Half of the least round trip bounds what can be known. */
		if (!CHECK(worst < 40e3))
			printf("# fault %zu: %g ns\n", i, worst);
		CHECK(fabs(f.drift * 1e6 + faults[i].ppm) < 3);
		/* And it holds for a while when nothing more is heard. */
		CHECK(fabs(error_at(&f, &fault, t + 10 * SECOND)) < 80e3);
	}
}

TEST(one_exchange_is_better_than_none)
{
	struct follow f = {0};
	struct follow_fault fault = {123456789, 0, begin};
	CHECK(follow_time(&f, 4711) == 4711);
	exchange(&f, &fault, begin);
	CHECK(fabs(error_at(&f, &fault, begin + MS)) < 5e6);
}

TEST(impossible_exchanges_are_passed_over)
{
	struct follow f = {0};
	follow_exchange(&f, 100, 50, 40, 200);
	follow_exchange(&f, 200, 50, 60, 100);
	follow_exchange(&f, 100, 50, 500, 200);
	CHECK(!f.known);
	follow_exchange(&f, 100, 1150, 1150, 200);
	CHECK(f.known);
	CHECK_U64(follow_time(&f, 150), 1150);
}

TEST(a_clock_that_was_set_is_followed)
{
	struct follow f = {0};
	struct follow_fault fault = {0, 0, begin};
	uint64_t t = begin;
	for (int k = 0; k < 80; k++, t += 125 * MS)
		exchange(&f, &fault, t);
	fault.ahead_ns = 7200 * (int64_t)SECOND;
	for (int k = 0; k < 640; k++, t += 125 * MS)
		exchange(&f, &fault, t);
	CHECK(fabs(error_at(&f, &fault, t)) < 50e3);
}

/* All but one take long, alike in both directions: what they say of the drift still counts. */
TEST(an_exchange_that_is_quick_by_chance_is_one_of_many)
{
	struct follow f = {0};
	struct follow_fault fault = {3 * (int64_t)SECOND, 60, begin};
	uint64_t t = begin;
	for (int k = 0; k < 480; k++, t += 125 * MS) {
		uint64_t way = k == 40 ? 10 * US : 100 * US + test_random() % (20 * US);
		follow_exchange(&f, follow_faulty(&fault, t), t + way, t + way, follow_faulty(&fault, t + 2 * way));
		if (k > 60 && !CHECK(fabs(error_at(&f, &fault, t + 100 * MS)) < 50e3))
			break;
	}
}
