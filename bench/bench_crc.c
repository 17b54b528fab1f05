/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of a megabyte in cache: ours beside zlib's CRC-32 and ISA-L's CRC-32C, above the floor of adding up its words. */
#include "bench.h"

#include "format/crc.h"

#include <isa-l/crc.h>
#include <string.h>
#include <zlib.h>

enum { BYTES = 1 << 20, REPEATS = 64 };
static uint8_t block[BYTES];

static uint64_t crc_ours(void)
{
	return weft_crc32c(0, block, BYTES);
}

static uint64_t crc_isal(void)
{
	return crc32_iscsi(block, BYTES, 0);
}

static uint64_t crc_zlib(void)
{
	return crc32(0, block, BYTES);
}

static uint64_t sum_words(void)
{
	uint64_t sum = 0, word;
	for (size_t i = 0; i < BYTES; i += sizeof word) {
		memcpy(&word, block + i, sizeof word);
		sum += word;
	}
	return sum;
}

/* The function's GB/s. */
static double rate(void *arg)
{
	uint64_t (*const *sum)(void) = arg;
	uint64_t from = bench_now_ns();
	for (unsigned i = 0; i < REPEATS; i++)
		bench_keep((*sum)());
	return (double)BYTES * REPEATS / (double)(bench_now_ns() - from);
}

static uint64_t (*ours)(void) = crc_ours, (*isal)(void) = crc_isal, (*zlib)(void) = crc_zlib, (*words)(void) = sum_words;
static const struct bench_variant variants[] = {
	{"ours", rate, &ours}, {"isal", rate, &isal}, {"zlib", rate, &zlib}, {"floor", rate, &words}, {0},
};
static const struct bench benches[] = {{"crc", "GB/s", 0, variants}, {0}};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < BYTES; i++)
		block[i] = (uint8_t)(i * 31 + i / 251);
	return bench_main(argc, argv, benches);
}
