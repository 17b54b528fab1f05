/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of the events that a reader wants, found by their codes. Few codes, the usual case, are compared with many
 * events at a time: eight comparisons make a byte, and a table has the places of the bits that are set in it. So nothing jumps
 * depending on the data, as the events of a program are hard to foresee.
 */
#include "columns_priv.h"
#include <string.h>

enum { FEW = 4, STEP = 16 };

/* place_of[m]: the numbers of the bits that are set in m, a byte each, the least first. */
#define BITS_BELOW(m, b) \
	((b > 0 ? (m)&1 : 0) + (b > 1 ? (m) >> 1 & 1 : 0) + (b > 2 ? (m) >> 2 & 1 : 0) + (b > 3 ? (m) >> 3 & 1 : 0) + \
	 (b > 4 ? (m) >> 4 & 1 : 0) + (b > 5 ? (m) >> 5 & 1 : 0) + (b > 6 ? (m) >> 6 & 1 : 0))
#define PLACE(m, b) ((uint64_t)((m) >> b & 1 ? b : 0) << 8 * BITS_BELOW(m, b))
#define PLACES_1(m) \
	(PLACE(m, 0) | PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) | PLACE(m, 7))
#define PLACES_4(m) PLACES_1(m), PLACES_1((m) + 1), PLACES_1((m) + 2), PLACES_1((m) + 3)
#define PLACES_16(m) PLACES_4(m), PLACES_4((m) + 4), PLACES_4((m) + 8), PLACES_4((m) + 12)
#define PLACES_64(m) PLACES_16(m), PLACES_16((m) + 16), PLACES_16((m) + 32), PLACES_16((m) + 48)
static const uint64_t place_of[256] = {PLACES_64(0), PLACES_64(64), PLACES_64(128), PLACES_64(192)};

typedef uint8_t codes_16 __attribute__((vector_size(16)));
typedef uint8_t places_8 __attribute__((vector_size(8)));
typedef uint16_t wide_8 __attribute__((vector_size(16)));

/* Of eight events from i on, whose flags are 0 or 1 each; returns how many are set. */
static inline uint32_t put_places(uint64_t flags, uint32_t i, uint16_t *place)
{
	places_8 at;
	memcpy(&at, &place_of[flags * 0x0102040810204080u >> 56], sizeof at);
	wide_8 wide = __builtin_convertvector(at, wide_8) + (uint16_t)i;
	memcpy(place, &wide, sizeof wide);
	return (uint32_t)(flags * 0x0101010101010101u >> 56);
}

/* The first n events, a multiple of STEP. */
static inline __attribute__((always_inline)) uint32_t find_few(const uint8_t *codes, uint32_t n, const codes_16 *code,
                                                               unsigned n_codes, uint16_t *place)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i += STEP) {
		codes_16 x, is = {0};
		memcpy(&x, codes + i, sizeof x);
		for (unsigned c = 0; c < n_codes; c++)
			is |= (codes_16)(x == code[c]);
		uint64_t flags[2];
		is &= 1;
		memcpy(flags, &is, sizeof is);
		k += put_places(flags[0], i, place + k);
		k += put_places(flags[1], i + 8, place + k);
	}
	return k;
}

uint32_t col_find_places(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place)
{
	codes_16 code[FEW] = {{0}};
	uint32_t n_chosen = 0, i = 0, k = 0;
	for (uint32_t c = 0; c < 256; c++)
		if (chosen[c] && n_chosen++ < FEW)
			code[n_chosen - 1] += (uint8_t)c;
	if (n_chosen > 0 && n_chosen <= FEW) {
		i = n / STEP * STEP;
		k = find_few(codes, i, code, n_chosen, place);
	}
	for (; i < n; i++) {
		place[k] = (uint16_t)i;
		k += chosen[codes[i]];
	}
	return k;
}
