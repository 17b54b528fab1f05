/* SPDX-License-Identifier: Apache-2.0 */
/* record_kinds.c: what differs how much, and which stretches are kept. */
#include "harness.h"
#include "cli/record/record_kinds.h"

#define MS UINT64_C(1000000)

static struct record_kinds begin(double tolerance)
{
	return (struct record_kinds){.origin_ns = 1000 * MS, .stretch_ns = 10 * MS, .tolerance = tolerance};
}

/* One stretch of a thread that enters a region so often, and is in it for so long; outside for the rest. */
static void pass(struct record_kinds *k, uint64_t stretch, uint32_t region, unsigned calls, uint64_t ms)
{
	const uint64_t from = k->origin_ns + stretch * k->stretch_ns;
	for (unsigned i = 0; i < calls; i++)
		record_kinds_enter(k, region, from);
	record_kinds_spend(k, region, from, from + ms * MS);
	record_kinds_spend(k, 0, from + ms * MS, from + k->stretch_ns);
	record_kinds_decide(k, from + k->stretch_ns);
}

TEST(record_kinds_distance_is_the_greater_of_times_and_entries)
{
	struct record_kinds_part x[2] = {{10, 0}, {90, 4}}, y[2] = {{20, 0}, {80, 2}}, z[1] = {{100, 0}};
	struct record_kinds_shape a = {.part = {x, 2, 2}}, b = {.part = {y, 2, 2}}, c = {.part = {z, 1, 1}}, none = {.part = {0}};
	CHECK(record_kinds_distance(&a, &a) == 0);
	CHECK(record_kinds_distance(&none, &none) == 0);
	CHECK(record_kinds_distance(&a, &none) == 1);
	CHECK(record_kinds_distance(&a, &b) == 0.5); /* entries: 2 of 4; times: 20 of 110 */
	CHECK(record_kinds_distance(&a, &c) == 1);   /* no entry */
	CHECK(record_kinds_distance(&b, &a) == record_kinds_distance(&a, &b));
}

TEST(record_kinds_keeps_two_of_each)
{
	struct record_kinds k = begin(0.2);
	uint32_t a = record_kinds_region(&k, weft_str("a")), b = record_kinds_region(&k, weft_str("b"));
	unsigned kept = 0;
	CHECK(a && b && a != b && record_kinds_region(&k, weft_str("a")) == a);
	for (uint64_t i = 0; i < 210; i++)
		pass(&k, i, i >= 100 && i < 110 ? b : a, 5, i % 2 ? 8 : 9);
	REQUIRE(k.decided.n == 210 && !k.failed);
	CHECK(k.kind.shape.n == 2);
	for (size_t i = 0; i < 210; i++) {
		CHECK(k.decided.at[i].kind == (i >= 100 && i < 110 ? 2 : 1));
		CHECK(k.decided.at[i].left_out == !(i == 0 || i == 1 || i == 100 || i == 101));
		kept += !k.decided.at[i].left_out;
	}
	CHECK(kept == 4);
	record_kinds_fini(&k);
}

TEST(record_kinds_tolerance_says_what_is_alike)
{
	static const struct {
		double tolerance;
		size_t kinds;
	} cases[] = {{0, 10}, {0.3, 3}, {1, 1}};
	for (unsigned c = 0; c < 3; c++) {
		struct record_kinds k = begin(cases[c].tolerance);
		uint32_t a = record_kinds_region(&k, weft_str("a"));
		for (uint64_t i = 0; i < 10; i++)
			pass(&k, i, a, 1, i + 1);
		CHECK(k.kind.shape.n == cases[c].kinds ||
		      (cases[c].tolerance == 0.3 && k.kind.shape.n > 1 && k.kind.shape.n < 10));
		record_kinds_fini(&k);
	}
}

/* Time is divided where a stretch ends; what comes late for a stretch that was decided does not change the next. */
TEST(record_kinds_divides_time)
{
	struct record_kinds k = begin(0.1);
	uint32_t a = record_kinds_region(&k, weft_str("a"));
	record_kinds_spend(&k, a, k.origin_ns + 5 * MS, k.origin_ns + 25 * MS);
	REQUIRE(k.open.n == 3);
	CHECK(k.open.at[0].part.at[a].ns == 5e6 && k.open.at[1].part.at[a].ns == 1e7 && k.open.at[2].part.at[a].ns == 5e6);
	record_kinds_decide(&k, k.origin_ns + 19 * MS);
	CHECK(k.decided.n == 1);
	record_kinds_spend(&k, a, k.origin_ns, k.origin_ns + 11 * MS);
	CHECK(k.open.at[0].part.at[a].ns == 1.1e7);
	record_kinds_spend(&k, a, 0, k.origin_ns);
	CHECK(record_kinds_at(&k, 0) == 0 && k.open.at[1].part.at[a].ns == 5e6);
	record_kinds_fini(&k);
}

/* Beyond so many kinds nothing is alike: all is kept, and no memory taken. */
TEST(record_kinds_are_bounded)
{
	struct record_kinds k = begin(0);
	uint32_t a = record_kinds_region(&k, weft_str("a"));
	for (unsigned i = 0; i < RECORD_KINDS_MOST + 5; i++)
		pass(&k, i, a, i + 1, 5);
	CHECK(k.kind.shape.n == RECORD_KINDS_MOST);
	REQUIRE(k.decided.n == RECORD_KINDS_MOST + 5);
	CHECK(k.decided.at[RECORD_KINDS_MOST + 4].kind == 0 && !k.decided.at[RECORD_KINDS_MOST + 4].left_out);
	record_kinds_fini(&k);
}
