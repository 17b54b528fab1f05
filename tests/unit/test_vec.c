/* SPDX-License-Identifier: Apache-2.0 */
/* vec.c: growth, its limits, and arrays that survive a growth that failed. */
#include "harness.h"
#include "base/vec.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

TEST(vec_push_keeps_what_was_pushed)
{
	WEFT_VEC(uint32_t) v = {0};
	for (uint32_t i = 0; i < 10000; i++)
		REQUIRE(weft_vec_push(&v, i * 3) == 0);
	CHECK_U64(v.n, 10000);
	CHECK(v.cap >= v.n && v.cap <= 2 * v.n);
	for (uint32_t i = 0; i < 10000; i++)
		CHECK_U64(v.at[i], i * 3);
	free(v.at);
}

TEST(vec_push_takes_structs)
{
	struct pair {
		int a, b;
	};
	WEFT_VEC(struct pair) v = {0};
	REQUIRE(weft_vec_push(&v, (struct pair){1, 2}) == 0);
	CHECK_I64(v.at[0].b, 2);
	free(v.at);
}

TEST(vec_reserve_makes_room_once)
{
	WEFT_VEC(char) v = {0};
	REQUIRE(weft_vec_reserve(&v, 1000) == 0);
	CHECK(v.cap >= 1000);
	char *at = v.at;
	REQUIRE(weft_vec_reserve(&v, 1000) == 0);
	REQUIRE(weft_vec_reserve(&v, v.n) == 0);
	CHECK(v.at == at);
	free(v.at);
}

TEST(vec_growth_that_cannot_be_fails_and_keeps_the_array)
{
	static const size_t needs[] = {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1};
	WEFT_VEC(uint64_t) v = {0};
	REQUIRE(weft_vec_push(&v, 17) == 0);
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		CHECK_I64(weft_vec_reserve(&v, needs[i]), -ENOMEM);
	CHECK_U64(v.n, 1);
	CHECK_U64(v.at[0], 17);
	free(v.at);
}

TEST(vec_large_elements)
{
	struct block {
		char bytes[5000];
	};
	WEFT_VEC(struct block) v = {0};
	for (int i = 0; i < 10; i++)
		REQUIRE(weft_vec_push(&v, (struct block){{0}}) == 0);
	CHECK_U64(v.n, 10);
	free(v.at);
}

TEST(vec_each_allocation_fails)
{
	TEST_EACH_ALLOCATION_FAILS {
		WEFT_VEC(uint64_t) v = {0};
		bool failed = false;
		for (uint64_t i = 0; i < 100; i++)
			failed = weft_vec_push(&v, i) < 0 || failed;
		CHECK(failed == test_alloc_failed());
		CHECK_U64(v.n, failed ? 99 : 100);
		free(v.at);
	}
}
