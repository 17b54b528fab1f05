/* SPDX-License-Identifier: Apache-2.0 */
/* graph_profile.c: against a walk over every ns. */
#include "harness.h"
#include "graph/graph.h"
#include <stdlib.h>

enum { NODES = 12, TIME = 90 };

static void check_profile(const uint64_t *begin, const uint64_t *end, uint64_t from, uint64_t to, uint32_t bins)
{
	uint64_t *busy;
	REQUIRE(weft_graph_parallelism(&(struct weft_graph_span){begin, end, NULL, NODES}, from, to, bins, &busy) == 0);
	for (uint32_t k = 0; k < bins; k++) {
		uint64_t sum = 0, length = to > from ? to - from : 0;
		for (uint64_t at = from + length * k / bins; at < from + length * (k + 1) / bins; at++)
			for (uint32_t i = 0; i < NODES; i++)
				sum += begin[i] != UINT64_MAX && begin[i] <= at && at < end[i];
		CHECK_U64(busy[k], sum);
	}
	free(busy);
}

TEST(sums_are_those_of_every_ns)
{
	for (unsigned k = 0; k < 400; k++) {
		uint64_t begin[NODES], end[NODES];
		for (uint32_t i = 0; i < NODES; i++) {
			begin[i] = test_random() % 10 == 0 ? UINT64_MAX : test_random() % TIME;
			end[i] = begin[i] == UINT64_MAX ? 0 : begin[i] + test_random() % 40;
		}
		uint64_t from = test_random() % TIME;
		check_profile(begin, end, from, from + test_random() % TIME, 1 + (uint32_t)(test_random() % 33));
	}
}

TEST(ends_from_durations)
{
	const uint64_t begin[] = {0, 5}, duration[] = {10, 10};
	uint64_t *busy;
	REQUIRE(weft_graph_parallelism(&(struct weft_graph_span){begin, NULL, duration, 2}, 0, 15, 3, &busy) == 0);
	CHECK_U64(busy[0], 5);
	CHECK_U64(busy[1], 10);
	CHECK_U64(busy[2], 5);
	free(busy);
}

TEST(times_as_long_as_they_can_be)
{
	const uint64_t begin[] = {0}, end[] = {UINT64_MAX - 1};
	uint64_t *busy;
	REQUIRE(weft_graph_parallelism(&(struct weft_graph_span){begin, end, NULL, 1}, 0, UINT64_MAX - 1, 2, &busy) == 0);
	CHECK_U64(busy[0], (UINT64_MAX - 1) / 2);
	CHECK_U64(busy[1], (UINT64_MAX - 1) / 2);
	free(busy);
}
