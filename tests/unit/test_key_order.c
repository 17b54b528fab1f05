/* SPDX-License-Identifier: Apache-2.0 */
/* Orders by key against a plain sort, with ties, few and many bits. */
#include "analyze/burst/key_order.h"
#include "harness.h"
#include <errno.h>
#include <stdlib.h>

struct pair {
	uint64_t key;
	uint32_t index;
};

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void check(size_t n, unsigned bits)
{
	uint64_t *key = malloc((n + 1) * sizeof *key);
	uint32_t *index = malloc((n + 1) * sizeof *index);
	struct pair *pair = malloc((n + 1) * sizeof *pair);
	REQUIRE(key && index && pair);
	for (size_t i = 0; i < n; i++) {
		key[i] = bits == 64 ? test_random() : test_random() & ((UINT64_C(1) << bits) - 1);
		index[i] = (uint32_t)i;
		pair[i] = (struct pair){key[i], (uint32_t)i};
	}
	qsort(pair, n, sizeof *pair, by_key);
	CHECK_I64(weft_key_order(key, index, n, bits), 0);
	for (size_t i = 0; i < n; i++) {
		REQUIRE(key[i] == pair[i].key);
		REQUIRE(index[i] == pair[i].index);
	}
	free(key);
	free(index);
	free(pair);
}

TEST(as_a_plain_sort)
{
	static const unsigned bits[] = {1, 7, 11, 12, 22, 33, 64};
	for (unsigned k = 0; k < 7; k++) {
		check(0, bits[k]);
		check(1, bits[k]);
		check(5000, bits[k]);
	}
}

TEST(bits)
{
	CHECK_U64(weft_key_bits(0), 0);
	CHECK_U64(weft_key_bits(1), 1);
	CHECK_U64(weft_key_bits(255), 8);
	CHECK_U64(weft_key_bits(256), 9);
	CHECK_U64(weft_key_bits(UINT64_MAX), 64);
}

TEST(without_memory)
{
	uint64_t key[3] = {3, 1, 2};
	uint32_t index[3] = {0, 1, 2};
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_key_order(key, index, 3, 2);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
	}
	CHECK_U64(key[0], 1);
	CHECK_U64(index[2], 0);
}
