/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C, in two ways with one result.
 *
 * Portable: slicing by 8 (Kounavis and Berry, Intel, 2005): eight tables, each the CRC of a byte followed by 0 to 7 zero
 * bytes. A CRC is linear over GF(2), so an entry is the XOR of the constants of its set bits: the tables are constant
 * expressions of 64 numbers, and nothing needs building at run time.
 *
 * x86-64 with SSE4.2 and PCLMUL: the crc32 instruction has a latency of 3 cycles and a throughput of 1, so three blocks
 * go side by side, and are then joined:
 *
 *     | block a | block b | block c |     crc(abc) = a * x^16L  ^  b * x^8L  ^  c   (mod P), for blocks of L bytes
 *
 * The product of two 32-bit remainders fits 64 bits in bit-reversed order with one position to spare, and the crc32 of a
 * 64-bit value v is v * x^32 mod P. So one crc32 reduces both products, when the constants are x^(16L-33) and x^(8L-33).
 */
#include "crc.h"
#include <stdbool.h>
#include <string.h>

#define ENTRY_(i, c0, c1, c2, c3, c4, c5, c6, c7) \
	(((i)&1 ? c0 : 0) ^ ((i)&2 ? c1 : 0) ^ ((i)&4 ? c2 : 0) ^ ((i)&8 ? c3 : 0) ^ ((i)&16 ? c4 : 0) ^ ((i)&32 ? c5 : 0) ^ \
	 ((i)&64 ? c6 : 0) ^ ((i)&128 ? c7 : 0))
#define ENTRY(i, ...) ENTRY_(i, __VA_ARGS__)
#define ENTRIES_4(i, ...) \
	ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__), ENTRY((i) + 2, __VA_ARGS__), ENTRY((i) + 3, __VA_ARGS__)
#define ENTRIES_16(i, ...) \
	ENTRIES_4(i, __VA_ARGS__), ENTRIES_4((i) + 4, __VA_ARGS__), ENTRIES_4((i) + 8, __VA_ARGS__), \
		ENTRIES_4((i) + 12, __VA_ARGS__)
#define ENTRIES_64(i, ...) \
	ENTRIES_16(i, __VA_ARGS__), ENTRIES_16((i) + 16, __VA_ARGS__), ENTRIES_16((i) + 32, __VA_ARGS__), \
		ENTRIES_16((i) + 48, __VA_ARGS__)
#define ENTRIES(...) \
	{ \
		ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__), \
			ENTRIES_64(192, __VA_ARGS__) \
	}

/* slice[k][byte]: the CRC of a byte and k zero bytes. A row's constants are those of the bytes 1, 2, 4 … 128. */
static const uint32_t slice[8][256] = {
	ENTRIES(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
	ENTRIES(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
	ENTRIES(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
	ENTRIES(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
	ENTRIES(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
	ENTRIES(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
	ENTRIES(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
	ENTRIES(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};

uint32_t weft_crc32c_portable(uint32_t crc, const void *at, size_t n)
{
	const uint8_t *b = at;
	uint32_t c = ~crc;
	for (; n >= 8; n -= 8, b += 8) {
		c ^= (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
		c = slice[7][c & 255] ^ slice[6][c >> 8 & 255] ^ slice[5][c >> 16 & 255] ^ slice[4][c >> 24] ^ slice[3][b[4]] ^
		    slice[2][b[5]] ^ slice[1][b[6]] ^ slice[0][b[7]];
	}
	for (; n > 0; n--, b++)
		c = slice[0][(c ^ *b) & 255] ^ c >> 8;
	return ~c;
}

/* a * b mod P, bit-reversed: the highest bit is x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;
	for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
		product ^= a & bit ? b : 0;
		b = b >> 1 ^ (b & 1 ? 0x82f63b78 : 0);
	}
	return product;
}

/* What the first piece says is moved by as many bits as the second has: times x^8n. */
uint32_t weft_crc32c_join(uint32_t first, uint32_t second, uint64_t n)
{
	uint32_t x8n = 1u << 31, power = 1u << 23;
	for (; n; n >>= 1) {
		if (n & 1)
			x8n = multiply(x8n, power);
		power = multiply(power, power);
	}
	return multiply(first, x8n) ^ second;
}

#ifdef __x86_64__

#include <immintrin.h>

#define SSE42 __attribute__((target("sse4.2,pclmul")))

/* A pass over blocks of one size: large ones first, since joining costs about as much as 100 bytes. */
struct crc_pass {
	size_t block_bytes;
	uint32_t x16l, x8l; /* x^(16L-33), x^(8L-33) mod P, bit-reversed */
};

static const struct crc_pass crc_passes[] = {
	{2048, 0x82f89c77, 0xa51b6135},
	{256, 0xdd7e3b0c, 0xb9e02b86},
};

static inline uint64_t word_at(const uint8_t *b)
{
	uint64_t v;
	memcpy(&v, b, sizeof v);
	return v;
}

SSE42 static inline uint64_t crc_join(const struct crc_pass *pass, uint64_t c0, uint64_t c1, uint64_t c2)
{
	__m128i p0 = _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)c0), _mm_cvtsi64_si128(pass->x16l), 0);
	__m128i p1 = _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)c1), _mm_cvtsi64_si128(pass->x8l), 0);
	return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(p0, p1))) ^ c2;
}

SSE42 static uint32_t crc_sse42(uint32_t crc, const void *at, size_t n)
{
	const uint8_t *b = at;
	uint64_t c = (uint32_t)~crc;
	for (size_t k = 0; k < sizeof crc_passes / sizeof crc_passes[0]; k++) {
		size_t l = crc_passes[k].block_bytes;
		for (; n >= 3 * l; n -= 3 * l, b += 3 * l) {
			uint64_t c1 = 0, c2 = 0;
			for (size_t i = 0; i < l; i += 8) {
				if (i % 64 == 0) { /* the next three: what fetches ahead by itself stops at the end of a page */
					__builtin_prefetch(b + 3 * l + i);
					__builtin_prefetch(b + 4 * l + i);
					__builtin_prefetch(b + 5 * l + i);
				}
				c = _mm_crc32_u64(c, word_at(b + i));
				c1 = _mm_crc32_u64(c1, word_at(b + l + i));
				c2 = _mm_crc32_u64(c2, word_at(b + 2 * l + i));
			}
			c = crc_join(&crc_passes[k], c, c1, c2);
		}
	}
	for (; n >= 8; n -= 8, b += 8)
		c = _mm_crc32_u64(c, word_at(b));
	uint32_t last = (uint32_t)c;
	for (; n > 0; n--, b++)
		last = _mm_crc32_u8(last, *b);
	return ~last;
}

uint32_t weft_crc32c(uint32_t crc, const void *at, size_t n)
{
	if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
		return crc_sse42(crc, at, n);
	return weft_crc32c_portable(crc, at, n);
}

#else

uint32_t weft_crc32c(uint32_t crc, const void *at, size_t n)
{
	return weft_crc32c_portable(crc, at, n);
}

#endif
