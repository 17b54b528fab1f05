/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C with the highest bit first and no inversion, four bytes at a time: table[k][b] is what byte b does to the sum k bytes
 * later. The tables are made at the first use. Numbers are hashed as they lie in memory.
 */
#include <starpu.h>
#include <starpu_hash.h>
#include <pthread.h>

static const uint32_t polynomial = UINT32_C(0x1edc6f41);
static uint32_t table[4][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		uint32_t crc = (uint32_t)byte << 24;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? polynomial : 0);
		table[0][byte] = crc;
	}
	for (unsigned k = 1; k < 4; k++)
		for (unsigned byte = 0; byte < 256; byte++)
			table[k][byte] = table[k - 1][byte] << 8 ^ table[0][table[k - 1][byte] >> 24];
}

uint32_t starpu_hash_crc32c_be_n(const void *input, size_t n, uint32_t inputcrc)
{
	const unsigned char *at = input;
	pthread_once(&once, make_table);
	for (; n >= 4; n -= 4, at += 4) {
		uint32_t x = inputcrc ^ ((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
		inputcrc = table[3][x >> 24] ^ table[2][x >> 16 & 255] ^ table[1][x >> 8 & 255] ^ table[0][x & 255];
	}
	for (; n; n--, at++)
		inputcrc = inputcrc << 8 ^ table[0][inputcrc >> 24 ^ *at];
	return inputcrc;
}

uint32_t starpu_hash_crc32c_be_ptr(void *input, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(&input, sizeof input, inputcrc);
}

uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t inputcrc)
{
	pthread_once(&once, make_table);
	/* Its bytes as they lie in memory, the first the most significant. */
	uint32_t x = inputcrc ^ __builtin_bswap32(input);
	return table[3][x >> 24] ^ table[2][x >> 16 & 255] ^ table[1][x >> 8 & 255] ^ table[0][x & 255];
}

uint32_t starpu_hash_crc32c_string(const char *str, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(str, strlen(str), inputcrc);
}
