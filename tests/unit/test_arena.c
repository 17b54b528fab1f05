/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c: alignment, zeroes, large objects among small ones, and memory that runs out. */
#include "harness.h"
#include "base/arena.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool all_zero(const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i])
			return false;
	return true;
}

TEST(arena_memory_is_aligned_zeroed_and_apart)
{
	struct weft_arena a = {0};
	char *at[2000];
	for (size_t i = 0; i < 2000; i++) {
		size_t bytes = i % 97;
		at[i] = weft_arena_alloc(&a, bytes);
		REQUIRE(at[i]);
		CHECK((uintptr_t)at[i] % 16 == 0);
		CHECK(all_zero(at[i], bytes));
		memset(at[i], (int)(i & 0x7f) + 1, bytes);
	}
	for (size_t i = 0; i < 2000; i++)
		for (size_t k = 0; k < i % 97; k++)
			if (at[i][k] != (char)((i & 0x7f) + 1)) {
				CHECK(!"object overwritten");
				break;
			}
	weft_arena_fini(&a);
}

TEST(arena_empty_objects_are_distinct)
{
	struct weft_arena a = {0};
	char *x = weft_arena_alloc(&a, 0), *y = weft_arena_alloc(&a, 0);
	CHECK(x && y && x != y);
	weft_arena_fini(&a);
}

TEST(arena_large_objects_do_not_waste_the_current_chunk)
{
	struct weft_arena a = {0};
	char *small = weft_arena_alloc(&a, 32);
	char *large = weft_arena_alloc(&a, 3 << 20);
	char *larger = weft_arena_alloc(&a, 5 << 20);
	char *next = weft_arena_alloc(&a, 32);
	REQUIRE(small && large && larger && next);
	CHECK(next == small + 32);
	CHECK(all_zero(large, 3 << 20));
	memset(large, 1, 3 << 20);
	memset(larger, 1, 5 << 20);
	CHECK(a.bytes >= (8u << 20) + 64);
	weft_arena_fini(&a);
}

TEST(arena_large_object_first)
{
	struct weft_arena a = {0};
	char *large = weft_arena_alloc(&a, 1 << 21), *small = weft_arena_alloc(&a, 16);
	REQUIRE(large && small);
	memset(large, 1, 1 << 21);
	CHECK(all_zero(small, 16));
	weft_arena_fini(&a);
}

TEST(arena_fini_leaves_it_usable)
{
	struct weft_arena a = {0};
	weft_arena_fini(&a);
	CHECK(weft_arena_alloc(&a, 100) != NULL);
	weft_arena_fini(&a);
	CHECK_U64(a.bytes, 0);
	CHECK(weft_arena_alloc(&a, 100) != NULL);
	weft_arena_fini(&a);
}

TEST(arena_impossible_sizes_fail_cleanly)
{
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2 + 1, PTRDIFF_MAX, (size_t)PTRDIFF_MAX - 4096};
	struct weft_arena a = {0};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		CHECK(weft_arena_alloc(&a, sizes[i]) == NULL);
	CHECK(weft_arena_strndup(&a, "x", SIZE_MAX) == NULL);
	char *p = weft_arena_strdup(&a, "still fine");
	CHECK_STR(p, "still fine");
	weft_arena_fini(&a);
}

TEST(arena_strings)
{
	struct weft_arena a = {0};
	CHECK_STR(weft_arena_strdup(&a, ""), "");
	CHECK_STR(weft_arena_strndup(&a, "abcdef", 3), "abc");
	CHECK_STR(weft_arena_strndup(&a, NULL, 0), "");
	char *nul = weft_arena_strndup(&a, "a\0b", 3);
	CHECK(nul && memcmp(nul, "a\0b", 4) == 0);
	CHECK_STR(weft_arena_printf(&a, "%s=%d", "x", 42), "x=42");
	char long_text[5000];
	memset(long_text, 'y', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	CHECK_STR(weft_arena_printf(&a, "%s", long_text), long_text);
	weft_arena_fini(&a);
}

TEST(arena_each_allocation_fails)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_arena a = {0};
		bool ok = weft_arena_alloc(&a, 10) != NULL;
		ok = weft_arena_alloc(&a, 1 << 20) && ok;
		ok = weft_arena_printf(&a, "%d", 7) && ok;
		CHECK(ok == !test_alloc_failed());
		CHECK_STR(weft_arena_strdup(&a, "usable after a failure"), "usable after a failure");
		weft_arena_fini(&a);
	}
}
