/* SPDX-License-Identifier: Apache-2.0 */
/* crc.c: known vectors, and both ways against the bit-by-bit definition. */
#include "harness.h"
#include "format/crc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The definition: one bit at a time. */
static uint32_t crc_by_definition(uint32_t crc, const uint8_t *at, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static void check_both(const void *at, size_t n, uint32_t want)
{
	CHECK_U64(weft_crc32c(0, at, n), want);
	CHECK_U64(weft_crc32c_portable(0, at, n), want);
}

/* RFC 3720, appendix B.4, and the check value of the catalogue of CRCs. */
TEST(crc_known_vectors)
{
	uint8_t bytes[32];
	check_both("", 0, 0);
	check_both("123456789", 9, 0xe3069283);
	check_both("a", 1, 0xc1d04330);
	memset(bytes, 0, 32);
	check_both(bytes, 32, 0x8a9136aa);
	memset(bytes, 0xff, 32);
	check_both(bytes, 32, 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	check_both(bytes, 32, 0x46dd794e);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	check_both(bytes, 32, 0x113fdb5c);
	static const uint8_t iscsi_read[48] = {
		0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02,
	};
	check_both(iscsi_read, 48, 0xd9963a56);
}

/* Sizes around every border: words, 3 x 256, 3 x 2048, and what remains; at every alignment of a word. */
TEST(crc_ways_agree)
{
	static const size_t sizes[] = {0,   1,    7,    8,    9,    15,   63,   255,  256,  767,   768,   769,  775,
	                               776, 1535, 1536, 1544, 6143, 6144, 6145, 6911, 6912, 12288, 13056, 20011};
	enum { ROOM = 20011 + 8 };
	uint8_t *at = malloc(ROOM);
	REQUIRE(at);
	for (size_t i = 0; i < ROOM; i++)
		at[i] = (uint8_t)test_random();
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		for (size_t offset = 0; offset < 8; offset++) {
			uint32_t start = (uint32_t)test_random();
			uint32_t want = crc_by_definition(start, at + offset, sizes[i]);
			CHECK_U64(weft_crc32c(start, at + offset, sizes[i]), want);
			CHECK_U64(weft_crc32c_portable(start, at + offset, sizes[i]), want);
		}
	}
	free(at);
}

TEST(crc_goes_on_from_any_place)
{
	enum { N = 9000 };
	static uint8_t at[N];
	for (size_t i = 0; i < N; i++)
		at[i] = (uint8_t)test_random();
	uint32_t want = crc_by_definition(0, at, N);
	for (int round = 0; round < 500; round++) {
		size_t cut = test_random() % (N + 1);
		CHECK_U64(weft_crc32c(weft_crc32c(0, at, cut), at + cut, N - cut), want);
		CHECK_U64(weft_crc32c_portable(weft_crc32c(0, at, cut), at + cut, N - cut), want);
	}
}

TEST(crc_of_two_pieces_is_joined)
{
	static uint8_t bytes[70000];
	static const size_t sizes[] = {0, 1, 2, 7, 8, 255, 4096, 65536, sizeof bytes};
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)test_random();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t k = 0; k <= i; k++) {
			uint32_t first = weft_crc32c(0, bytes, sizes[k]),
				 second = weft_crc32c(0, bytes + sizes[k], sizes[i] - sizes[k]);
			CHECK_U64(weft_crc32c_join(first, second, sizes[i] - sizes[k]), weft_crc32c(0, bytes, sizes[i]));
		}
}

TEST(crc_sees_each_flipped_bit)
{
	static uint8_t at[800];
	uint32_t whole = weft_crc32c(0, at, sizeof at);
	for (size_t i = 0; i < sizeof at * 8; i++) {
		at[i / 8] ^= (uint8_t)(1 << i % 8);
		CHECK(weft_crc32c(0, at, sizeof at) != whole);
		at[i / 8] ^= (uint8_t)(1 << i % 8);
	}
}
