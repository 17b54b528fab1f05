/* SPDX-License-Identifier: Apache-2.0 */
/* Least digit first, eleven bits a digit; a digit that all keys share is passed over. */
#include "key_order.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

unsigned weft_key_bits(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* Where each digit begins; false: all keys have the same. */
static bool begin_digit(const uint64_t *key, size_t n, unsigned shift, size_t *begin)
{
	memset(begin, 0, DIGITS * sizeof *begin);
	for (size_t i = 0; i < n; i++)
		begin[key[i] >> shift & (DIGITS - 1)]++;
	size_t sum = 0;
	for (unsigned d = 0; d < DIGITS; d++) {
		size_t count = begin[d];
		if (count == n)
			return false;
		begin[d] = sum;
		sum += count;
	}
	return true;
}

int weft_key_order(uint64_t *key, uint32_t *index, size_t n, unsigned bits)
{
	size_t begin[DIGITS];
	if (n < 2)
		return 0;
	uint64_t *other_key = malloc(n * sizeof *key);
	uint32_t *other_index = malloc(n * sizeof *index);
	uint64_t *from_key = key, *to_key = other_key;
	uint32_t *from_index = index, *to_index = other_index;
	if (!other_key || !other_index) {
		free(other_key);
		free(other_index);
		return -ENOMEM;
	}
	for (unsigned shift = 0; shift < bits; shift += DIGIT) {
		if (!begin_digit(from_key, n, shift, begin))
			continue;
		for (size_t i = 0; i < n; i++) {
			size_t to = begin[from_key[i] >> shift & (DIGITS - 1)]++;
			to_key[to] = from_key[i];
			to_index[to] = from_index[i];
		}
		uint64_t *k = from_key;
		uint32_t *x = from_index;
		from_key = to_key, from_index = to_index;
		to_key = k, to_index = x;
	}
	if (from_key != key) {
		memcpy(key, from_key, n * sizeof *key);
		memcpy(index, from_index, n * sizeof *index);
	}
	free(other_key);
	free(other_index);
	return 0;
}
