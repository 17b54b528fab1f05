/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C with the highest bit first and no inversion: byte by byte through a table, which is made at the first use. Numbers are
 * hashed as they lie in memory.
 */
#include <starpu.h>
#include <starpu_hash.h>
#include <pthread.h>

static const uint32_t polynomial = UINT32_C(0x1edc6f41);
static uint32_t table[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		uint32_t crc = (uint32_t)byte << 24;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? polynomial : 0);
		table[byte] = crc;
	}
}

uint32_t starpu_hash_crc32c_be_n(const void *input, size_t n, uint32_t inputcrc)
{
	const unsigned char *at = input;
	pthread_once(&once, make_table);
	for (size_t i = 0; i < n; i++)
		inputcrc = inputcrc << 8 ^ table[inputcrc >> 24 ^ at[i]];
	return inputcrc;
}

uint32_t starpu_hash_crc32c_be_ptr(void *input, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(&input, sizeof input, inputcrc);
}

uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(&input, sizeof input, inputcrc);
}

uint32_t starpu_hash_crc32c_string(const char *str, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(str, strlen(str), inputcrc);
}
