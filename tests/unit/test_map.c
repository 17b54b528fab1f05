/* SPDX-License-Identifier: Apache-2.0 */
/* map.c: the map against a plain array, the interner, and the hash. */
#include "harness.h"
#include "base/map.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(map_empty)
{
	struct weft_map m = {0};
	uint64_t v = 77, key;
	size_t pos = 0;
	CHECK(!weft_map_get(&m, 0, &v));
	CHECK(!weft_map_get(&m, 5, &v));
	CHECK(!weft_map_del(&m, 5));
	CHECK(!weft_map_next(&m, &pos, &key, &v));
	CHECK_U64(v, 77);
	weft_map_fini(&m);
}

TEST(map_any_key)
{
	static const uint64_t keys[] = {0, 1, UINT64_MAX, 1ull << 63, 0x8000, 42};
	enum { N = sizeof keys / sizeof keys[0] };
	struct weft_map m = {0};
	uint64_t v;
	for (size_t i = 0; i < N; i++)
		REQUIRE(weft_map_put(&m, keys[i], i + 100) == 0);
	CHECK_U64(m.n, N);
	for (size_t i = 0; i < N; i++) {
		REQUIRE(weft_map_get(&m, keys[i], &v));
		CHECK_U64(v, i + 100);
	}
	REQUIRE(weft_map_put(&m, 0, 7) == 0 && weft_map_put(&m, 1, 8) == 0);
	CHECK_U64(m.n, N);
	CHECK(weft_map_get(&m, 0, &v) && v == 7);
	CHECK(weft_map_get(&m, 1, &v) && v == 8);
	CHECK(weft_map_del(&m, 0) && !weft_map_del(&m, 0) && !weft_map_get(&m, 0, &v));
	CHECK(weft_map_del(&m, 1) && !weft_map_get(&m, 1, &v));
	CHECK_U64(m.n, N - 2);
	REQUIRE(weft_map_put(&m, 0, 9) == 0);
	weft_map_clear(&m);
	CHECK_U64(m.n, 0);
	for (size_t i = 0; i < N; i++)
		CHECK(!weft_map_get(&m, keys[i], &v));
	REQUIRE(weft_map_put(&m, 42, 3) == 0);
	CHECK(weft_map_get(&m, 42, &v) && v == 3 && m.n == 1);
	weft_map_fini(&m);
}

/* Small keys, so that puts, replacements, hits and deletions all are frequent, and runs of slots long. */
TEST(map_does_what_an_array_does)
{
	enum { KEYS = 700 };
	struct weft_map m = {0};
	static uint64_t model[KEYS];
	static bool there[KEYS];
	size_t n = 0;
	memset(there, 0, sizeof there);
	for (int step = 0; step < 200000; step++) {
		uint64_t key = test_random() % KEYS, v = test_random(), got = 0;
		bool grow = step / 20000 % 2 == 0;
		if (test_random() % 3 < (grow ? 2u : 1u)) {
			REQUIRE(weft_map_put(&m, key, v) == 0);
			n += !there[key];
			there[key] = true;
			model[key] = v;
		} else {
			REQUIRE(weft_map_del(&m, key) == there[key]);
			n -= there[key];
			there[key] = false;
		}
		key = test_random() % KEYS;
		REQUIRE(weft_map_get(&m, key, &got) == there[key]);
		REQUIRE(!there[key] || got == model[key]);
		REQUIRE(m.n == n);
	}
	size_t pos = 0, seen = 0;
	for (uint64_t key, v; weft_map_next(&m, &pos, &key, &v); seen++)
		REQUIRE(key < KEYS && there[key] && model[key] == v);
	CHECK_U64(seen, n);
	weft_map_fini(&m);
}

/* Where runs are longest: keys whose home is one of the last slots, so that runs pass the end of the array. */
TEST(map_deletes_in_runs_that_pass_the_end)
{
	struct weft_map m = {0};
	uint64_t keys[11], v;
	size_t n = 0;
	for (uint64_t key = 1; n < 11; key++)
		if ((weft_hash_u64(key) & 15) >= 13)
			keys[n++] = key;
	for (size_t gone = 0; gone < n; gone++) {
		for (size_t i = 0; i < n; i++)
			REQUIRE(weft_map_put(&m, keys[i], i) == 0);
		REQUIRE(m.cap == 16);
		for (size_t k = 0; k < n; k++) {
			size_t i = (gone + k * 3) % n;
			REQUIRE(weft_map_del(&m, keys[i]));
			REQUIRE(!weft_map_get(&m, keys[i], &v));
			for (size_t later = k + 1; later < n; later++) {
				size_t j = (gone + later * 3) % n;
				REQUIRE(weft_map_get(&m, keys[j], &v) && v == j);
			}
		}
	}
	weft_map_fini(&m);
}

TEST(map_each_allocation_fails)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_map m = {0};
		int failures = 0;
		uint64_t v;
		for (uint64_t i = 0; i < 100; i++) {
			int rc = weft_map_put(&m, i, i);
			CHECK(rc == 0 || rc == -ENOMEM);
			failures += rc != 0;
			CHECK(weft_map_get(&m, i, &v) == (rc == 0));
		}
		CHECK_I64(failures, test_alloc_failed());
		CHECK_U64(m.n, 100 - (uint64_t)failures);
		weft_map_fini(&m);
	}
}

TEST(intern_numbers_in_order_of_coming)
{
	struct weft_intern t = {0};
	uint32_t id = 77;
	CHECK(!weft_intern_find(&t, weft_str("a"), &id));
	CHECK_U64(id, 77);
	static const char *const names[] = {"main", "", "main()", "solve", "m"};
	for (uint32_t i = 0; i < 5; i++) {
		CHECK_I64(weft_intern_add(&t, weft_str(names[i]), &id), 0);
		CHECK_U64(id, i);
	}
	for (uint32_t i = 0; i < 5; i++) {
		CHECK_I64(weft_intern_add(&t, weft_str(names[i]), &id), 0);
		CHECK_U64(id, i);
		CHECK(weft_intern_find(&t, weft_str(names[i]), &id));
		CHECK_U64(id, i);
		CHECK_STR(t.name[i], names[i]);
		CHECK_U64(t.len[i], strlen(names[i]));
	}
	CHECK_U64(t.n, 5);
	CHECK_I64(weft_intern_add(&t, weft_str_n("a\0b", 3), &id), 0);
	CHECK(!weft_intern_find(&t, weft_str("a"), &id));
	weft_intern_fini(&t);
}

TEST(intern_many)
{
	struct weft_intern t = {0};
	char name[32];
	uint32_t id = 0;
	for (uint32_t i = 0; i < 50000; i++) {
		snprintf(name, sizeof name, "function_%u", i);
		REQUIRE(weft_intern_add(&t, weft_str(name), &id) == 0 && id == i);
	}
	for (uint32_t i = 0; i < 50000; i += 7) {
		snprintf(name, sizeof name, "function_%u", i);
		REQUIRE(weft_intern_find(&t, weft_str(name), &id) && id == i);
	}
	weft_intern_fini(&t);
}

/* Two strings of one hash cannot be had easily; a chain made by hand can: both names in the chain of the first's hash. */
TEST(intern_tells_names_of_one_hash_apart)
{
	struct weft_intern t = {0};
	uint32_t id = 0;
	REQUIRE(weft_intern_add(&t, weft_str("other"), &id) == 0);
	REQUIRE(weft_map_put(&t.map, weft_hash("wanted", 6), id) == 0); /* as if "other" had that hash */
	CHECK(!weft_intern_find(&t, weft_str("wanted"), &id));
	REQUIRE(weft_intern_add(&t, weft_str("wanted"), &id) == 0);
	CHECK_U64(id, 1);
	CHECK_U64(t.next[1], 0);
	CHECK(weft_intern_find(&t, weft_str("wanted"), &id) && id == 1);
	CHECK(weft_intern_find(&t, weft_str("other"), &id) && id == 0);
	weft_intern_fini(&t);
}

TEST(intern_each_allocation_fails)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_intern t = {0};
		uint32_t id, want = 0;
		int failures = 0;
		for (int i = 0; i < 200; i++) {
			char name[16];
			snprintf(name, sizeof name, "n%d", i);
			int rc = weft_intern_add(&t, weft_str(name), &id);
			CHECK(rc == 0 || rc == -ENOMEM);
			failures += rc != 0;
			CHECK(weft_intern_find(&t, weft_str(name), &id) == (rc == 0));
			if (!rc)
				CHECK_U64(id, want++);
		}
		CHECK_I64(failures, test_alloc_failed());
		weft_intern_fini(&t);
	}
}

TEST(hash_depends_on_each_byte_and_on_the_length)
{
	uint8_t at[80] = {0};
	static uint64_t seen[80 * 9];
	size_t n = 0;
	for (size_t len = 0; len < 80; len++) {
		seen[n++] = weft_hash(at, len); /* zeroes of every length */
		for (size_t bit = 0; bit < 8 && len > 0; bit++) {
			at[len - 1] = (uint8_t)(1 << bit);
			seen[n++] = weft_hash(at, 79);
			at[len - 1] = 0;
		}
	}
	uint64_t same = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			same += seen[i] == seen[k];
	CHECK_U64(same, 0);
}

/* Buckets by the low bits, as the map uses them: no more collisions than chance brings. */
TEST(hash_spreads_similar_names)
{
	enum { NAMES = 1 << 16, BUCKETS = 1 << 16 };
	static uint16_t bucket[BUCKETS];
	memset(bucket, 0, sizeof bucket);
	unsigned used = 0;
	char name[40];
	for (int i = 0; i < NAMES; i++) {
		int len = snprintf(name, sizeof name, "kernel_%d_part", i);
		used += bucket[weft_hash(name, (size_t)len) % BUCKETS]++ == 0;
	}
	CHECK_NEAR(used, BUCKETS * 0.632, BUCKETS * 0.01); /* 1 - 1/e */
}
