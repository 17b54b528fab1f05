/* SPDX-License-Identifier: Apache-2.0 */
/* efficiency.c: factors of known times, their product, idle time against a walk over every ns. */
#include "harness.h"
#include "graph/efficiency.h"
#include <stdlib.h>
#include <string.h>

TEST(factors_of_known_times)
{
	const double effort[WEFT_EFFORTS] = {60, 20, 10, 10, 25, 75}; /* of 200 */
	double classic[WEFT_EFFICIENCY_CLASSIC], fine[WEFT_EFFICIENCY_FINE];
	double all = weft_efficiency(weft_efficiency_classic, WEFT_EFFICIENCY_CLASSIC, effort, 30, classic);
	CHECK_NEAR(classic[0], 0.5, 1e-12);
	CHECK_NEAR(classic[1], 60.0 / 80, 1e-12);
	CHECK_NEAR(classic[2], 80.0 / 90, 1e-12);
	CHECK_NEAR(classic[3], 90.0 / 200, 1e-12);
	CHECK_NEAR(all, 30.0 / 200, 1e-12);
	CHECK_NEAR(weft_efficiency(weft_efficiency_fine, WEFT_EFFICIENCY_FINE, effort, 30, fine), 30.0 / 200, 1e-12);
	CHECK_NEAR(fine[3], 90.0 / 100, 1e-12);
	CHECK_NEAR(fine[4], 100.0 / 125, 1e-12);
	CHECK_NEAR(fine[5], 125.0 / 200, 1e-12);
	CHECK_NEAR(weft_efficiency(weft_efficiency_fine, WEFT_EFFICIENCY_FINE, effort, -1, fine), 60.0 / 200, 1e-12);
	CHECK_NEAR(fine[0], 1, 0);
}

TEST(no_time_at_all)
{
	const double nothing[WEFT_EFFORTS] = {0};
	double value[WEFT_EFFICIENCY_FINE];
	CHECK_NEAR(weft_efficiency(weft_efficiency_fine, WEFT_EFFICIENCY_FINE, nothing, -1, value), 1, 0);
}

enum { SPANS = 9, KINDS = 2, TIME = 60 };
struct span {
	uint64_t from, to;
	uint32_t kind; /* KINDS: a ready task */
};

static void check_split(const struct span *span, uint64_t from, uint64_t to)
{
	struct weft_idle_step step[2 * SPANS];
	double late[WEFT_IDLE_KINDS], starved[WEFT_IDLE_KINDS], want_late[KINDS] = {0}, want_starved[KINDS] = {0};
	for (unsigned i = 0; i < SPANS; i++) {
		int idle = span[i].kind < KINDS;
		step[2 * i] = (struct weft_idle_step){span[i].from, idle, !idle, span[i].kind % KINDS};
		step[2 * i + 1] = (struct weft_idle_step){span[i].to, -idle, -!idle, span[i].kind % KINDS};
	}
	for (uint64_t at = from; at < to; at++) {
		double n[KINDS + 1] = {0};
		for (unsigned i = 0; i < SPANS; i++)
			n[span[i].kind] += span[i].from <= at && at < span[i].to;
		double idle = n[0] + n[1], could = idle > n[KINDS] ? n[KINDS] : idle;
		for (unsigned k = 0; k < KINDS && idle > 0; k++) {
			want_late[k] += could * n[k] / idle;
			want_starved[k] += (idle - could) * n[k] / idle;
		}
	}
	weft_idle_split(step, 2 * SPANS, from, to, late, starved);
	for (unsigned k = 0; k < KINDS; k++) {
		CHECK_NEAR(late[k], want_late[k], 1e-9);
		CHECK_NEAR(starved[k], want_starved[k], 1e-9);
	}
}

TEST(idle_time_is_divided_as_every_ns_says)
{
	for (unsigned k = 0; k < 300; k++) {
		struct span span[SPANS];
		for (unsigned i = 0; i < SPANS; i++) {
			span[i].from = test_random() % TIME;
			span[i].to = span[i].from + test_random() % 20;
			span[i].kind = (uint32_t)(test_random() % (KINDS + 1));
		}
		uint64_t from = test_random() % 30;
		check_split(span, from, from + test_random() % TIME);
	}
}
