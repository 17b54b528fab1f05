/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c: each clock is the one that its name says. */
#include "harness.h"
#include "base/clock.h"
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

static uint64_t spin_for(uint64_t cpu_ns)
{
	uint64_t from = weft_thread_cpu_ns(), now;
	while ((now = weft_thread_cpu_ns()) - from < cpu_ns)
		;
	return now - from;
}

TEST(clock_monotonic_never_goes_back)
{
	uint64_t before = weft_monotonic_ns();
	for (int i = 0; i < 10000; i++) {
		uint64_t now = weft_monotonic_ns();
		REQUIRE(now >= before);
		before = now;
	}
}

TEST(clock_realtime_is_the_time_of_day)
{
	uint64_t now = weft_realtime_ns();
	time_t t = time(NULL);
	CHECK_NEAR((double)(now / second), (double)t, 2);
}

TEST(clock_cpu_time_stands_still_in_a_sleep)
{
	uint64_t wall = weft_monotonic_ns(), cpu = weft_thread_cpu_ns();
	usleep(50000);
	wall = weft_monotonic_ns() - wall;
	cpu = weft_thread_cpu_ns() - cpu;
	CHECK(wall >= 50000000);
	CHECK(cpu < wall / 2);
}

TEST(clock_cpu_times_count_work)
{
	uint64_t process = weft_process_cpu_ns(), wall = weft_monotonic_ns();
	uint64_t thread = spin_for(5000000);
	CHECK(weft_process_cpu_ns() - process >= thread);
	CHECK(weft_monotonic_ns() - wall >= 5000000);
}
