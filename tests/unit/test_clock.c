/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c: each clock is the one that its name says. */
#include "harness.h"
#include "base/clock.h"
#include <signal.h>
#include <sys/wait.h>
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

TEST(clock_offset_makes_one_time_of_the_other)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t before = weft_realtime_ns(), between = weft_monotonic_ns() + weft_realtime_offset_ns();
		REQUIRE(between + 1000 >= before && between <= weft_realtime_ns() + 1000);
	}
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

TEST(clock_tells_the_cpu_time_of_a_process_that_is_a_zombie)
{
	struct weft_cpu_time t, after;
	int told[2];
	REQUIRE(pipe(told) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		spin_for(30000000);
		uint64_t own = weft_process_cpu_ns();
		_exit(write(told[1], &own, sizeof own) == (ssize_t)sizeof own ? 0 : 1);
	}
	uint64_t own = 0;
	siginfo_t info;
	CHECK(read(told[0], &own, sizeof own) == (ssize_t)sizeof own);
	REQUIRE(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	REQUIRE(weft_process_cpu_time(pid, &t));
	CHECK(own >= 30000000 && t.total_ns >= own);
	CHECK(t.user_ns <= t.total_ns);
	usleep(20000);
	CHECK(weft_process_cpu_time(pid, &after) && after.total_ns == t.total_ns);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	CHECK(!weft_process_cpu_time(pid, &t));
	CHECK_U64(t.total_ns, 0);
	close(told[0]);
	close(told[1]);
}

TEST(clock_tells_the_cpu_time_of_the_caller)
{
	struct weft_cpu_time t;
	uint64_t before = weft_process_cpu_ns();
	REQUIRE(weft_process_cpu_time(0, &t));
	CHECK(t.total_ns >= before && t.total_ns <= weft_process_cpu_ns());
}

TEST(clock_divides_cpu_time_as_ticks_are)
{
	static const struct {
		uint64_t total, user, system, expected;
	} cases[] = {
		{1000, 0, 0, 1000},  {1000, 30, 10, 750}, {1000, 0, 10, 0},
		{1000, 10, 0, 1000}, {0, 10, 10, 0},      {UINT64_MAX, 1, 1, UINT64_C(1) << 63},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_U64(weft_cpu_user_ns(cases[i].total, cases[i].user, cases[i].system), cases[i].expected);
}
