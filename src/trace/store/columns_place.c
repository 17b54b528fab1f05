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
static inline uint32_t put_places(uint64_t flags, uint32_t i, uint16_t *place, uint64_t *bits)
{
	places_8 at;
	uint64_t byte = flags * 0x0102040810204080u >> 56;
	bits[i / 64] |= byte << i % 64;
	memcpy(&at, &place_of[byte], sizeof at);
	wide_8 wide = __builtin_convertvector(at, wide_8) + (uint16_t)i;
	memcpy(place, &wide, sizeof wide);
	return (uint32_t)(flags * 0x0101010101010101u >> 56);
}

/* The first n events, a multiple of STEP. */
static inline __attribute__((always_inline)) uint32_t find_few(const uint8_t *codes, uint32_t n, const codes_16 *code,
                                                               unsigned n_codes, uint16_t *place, uint64_t *bits)
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
		k += put_places(flags[0], i, place + k, bits);
		k += put_places(flags[1], i + 8, place + k, bits);
	}
	return k;
}

/* The events [from, n), one by one. */
static uint32_t find_any(const uint8_t *codes, uint32_t from, uint32_t n, const uint8_t chosen[256], uint16_t *place,
                         uint64_t *bits)
{
	uint32_t k = 0;
	for (uint32_t i = from, to; i < n; i = to) {
		uint64_t word = 0;
		for (to = n < i / 64 * 64 + 64 ? n : i / 64 * 64 + 64; i < to; i++) {
			const uint64_t is = chosen[codes[i]];
			place[k] = (uint16_t)i;
			word |= is << i % 64;
			k += (uint32_t)is;
		}
		bits[(to - 1) / 64] |= word;
	}
	return k;
}

uint32_t col_find_places_portable(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place,
                                  uint64_t bits[COL_WORDS])
{
	codes_16 code[FEW] = {{0}};
	uint32_t n_chosen = 0, done = 0, k = 0;
	memset(bits, 0, COL_WORDS * sizeof *bits);
	for (uint32_t c = 0; c < 256; c++)
		if (chosen[c] && n_chosen++ < FEW)
			code[n_chosen - 1] += (uint8_t)c;
	if (n_chosen > 0 && n_chosen <= FEW) {
		done = n / STEP * STEP;
		k = find_few(codes, done, code, n_chosen, place, bits);
	}
	return k + find_any(codes, done, n, chosen, place + k, bits);
}

#ifdef __x86_64__

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512bw,avx512vbmi,avx512vbmi2,popcnt")))

/* The places of the bits of a mask, from `first` on; room for 32 of them. */
AVX512 static inline uint32_t put_mask(uint32_t mask, uint32_t first, uint16_t *place)
{
	const __m512i bits = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,
	                                      10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	__m512i at = _mm512_add_epi16(bits, _mm512_set1_epi16((short)first));
	_mm512_storeu_si512(place, _mm512_maskz_compress_epi16(mask, at));
	return (uint32_t)__builtin_popcount(mask);
}

/*
 * All n events, 64 at a time, and whatever is chosen: a register has 64 entries of a table, two instructions look up a code in
 * four of them.
 */
AVX512 static uint32_t find_wide(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place, uint64_t *bits)
{
	__m512i table[4];
	uint32_t k = 0;
	memcpy(table, chosen, sizeof table);
	for (uint32_t i = 0; i < n; i += 64) {
		__mmask64 there = n - i < 64 ? (UINT64_C(1) << (n - i)) - 1 : UINT64_MAX;
		__m512i x = _mm512_maskz_loadu_epi8(there, codes + i);
		__m512i low = _mm512_permutex2var_epi8(table[0], x, table[1]),
			high = _mm512_permutex2var_epi8(table[2], x, table[3]);
		__m512i is = _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
		bits[i / 64] = _mm512_mask_test_epi8_mask(there, is, is);
		k += put_mask((uint32_t)bits[i / 64], i, place + k);
		k += put_mask((uint32_t)(bits[i / 64] >> 32), i + 32, place + k);
	}
	return k;
}

static bool has_wide(void)
{
	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("avx512vbmi2");
}

#else

static uint32_t find_wide(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place, uint64_t *bits)
{
	return col_find_places_portable(codes, n, chosen, place, bits);
}

static bool has_wide(void)
{
	return false;
}

#endif

uint32_t col_find_places(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place, uint64_t bits[COL_WORDS])
{
	if (!has_wide())
		return col_find_places_portable(codes, n, chosen, place, bits);
	memset(bits, 0, COL_WORDS * sizeof *bits);
	return find_wide(codes, n, chosen, place, bits);
}
