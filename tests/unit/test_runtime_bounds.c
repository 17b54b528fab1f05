/* SPDX-License-Identifier: Apache-2.0 */
/* What samples end and begin: by time, by a counter, by what the program says. */
#include "harness.h"
#include "tune/control/point_runtime.h"
#include <string.h>

static struct runtime_live live;

static void see(const char *text)
{
	struct weft_err err = {0};
	struct pulse_value *v;
	weft_arena_fini(&live.of_sample);
	REQUIRE(pulse_read(text, strlen(text), &live.of_sample, &v, &err) == 0);
	live.sample = v;
	runtime_bounds_look(&live);
}

static const struct runtime_bounds *bounded(const char *method)
{
	struct weft_err err = {0};
	uint32_t at;
	live = (struct runtime_live){.fd = -1};
	REQUIRE(runtime_bounds_add(&live, method, &at, &err) == 0);
	CHECK_I64(at, 0);
	REQUIRE(runtime_bounds_add(&live, method, &at, &err) == 0); /* for another event */
	CHECK_I64(at, 0);
	return &live.bounds.at[0];
}

static void done(void)
{
	runtime_bounds_free(&live);
	weft_arena_fini(&live.of_sample);
}

static void check(const struct runtime_bounds *b, bool ends, bool begins, uint64_t number)
{
	CHECK(b->ends_now == ends);
	CHECK(b->begins_now == begins);
	CHECK_I64((long long)b->number, (long long)number);
	CHECK(!ends || b->ended == number - begins);
}

TEST(time_ends_one_and_begins_the_next)
{
	const struct runtime_bounds *b = bounded("every 10ms");
	see("{\"sample\":0,\"at_ns\":1000000000}");
	check(b, false, true, 1);
	see("{\"sample\":1,\"at_ns\":1004000000}");
	check(b, false, false, 1);
	see("{\"sample\":2,\"at_ns\":1009500000}"); /* a little early */
	check(b, true, true, 2);
	see("{\"sample\":3,\"at_ns\":1050000000}");
	check(b, true, true, 3);
	runtime_bounds_lose(&live); /* another life of the runtime */
	see("{\"sample\":0,\"at_ns\":1060000000}");
	check(b, false, true, 4);
	done();
}

#define EXECUTED(n) "{\"sample\":0,\"at_ns\":5,\"counters\":[{\"name\":\"starpu.task.w_total_executed\",\"values\":[" n ",1]}]}"

TEST(a_counter_ends_one_when_it_has_grown_enough)
{
	const struct runtime_bounds *b = bounded("every 10 starpu.task.w_total_executed");
	see("{\"sample\":0,\"at_ns\":4,\"counters\":[]}");
	check(b, false, false, 0); /* it is not counted yet */
	see(EXECUTED("3"));
	check(b, false, true, 1);
	see(EXECUTED("12"));
	check(b, false, false, 1);
	see(EXECUTED("13"));
	check(b, true, true, 2);
	see(EXECUTED("99"));
	check(b, true, true, 3);
	done();
}

#define SAID(number, begun, ended, at_end) \
	"{\"sample\":0,\"at_ns\":5,\"iterations\":{\"number\":" number ",\"begun\":" begun ",\"ended\":" ended \
	",\"at_begin\":{\"number\":" number "},\"at_end\":{\"number\":" at_end "}}}"

TEST(the_program_says_its_own)
{
	const struct runtime_bounds *b = bounded("iteration");
	see("{\"sample\":0,\"at_ns\":5}");
	check(b, false, false, 0);
	see(SAID("70", "1", "0", "null"));
	check(b, false, true, 70);
	see(SAID("70", "1", "0", "null"));
	check(b, false, false, 70);
	see(SAID("70", "1", "1", "70"));
	check(b, true, false, 70);
	see(SAID("71", "2", "1", "70"));
	check(b, false, true, 71);
	see(SAID("72", "3", "2", "71")); /* both at once */
	check(b, true, true, 72);
	see(SAID("75", "6", "5", "74")); /* two were over in between: of 72 nobody knows the end */
	check(b, false, true, 75);
	see(SAID("76", "7", "7", "76")); /* begun and ended in between: not seen */
	check(b, false, false, 75);
	done();
}

TEST(what_bounds_nothing_is_refused)
{
	static const char *const wrong[] = {"",
	                                    "sometimes",
	                                    "every",
	                                    "every ",
	                                    "every 10us",
	                                    "every 0 tasks",
	                                    "every 5",
	                                    "every 5 nothing",
	                                    "every 5 starpu.dmda.s_beta_knob",
	                                    "every -5 tasks"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct weft_err err = {0};
		uint32_t at;
		live = (struct runtime_live){.fd = -1};
		CHECK(runtime_bounds_add(&live, wrong[i], &at, &err) < 0 && *err.text);
		done();
	}
}
