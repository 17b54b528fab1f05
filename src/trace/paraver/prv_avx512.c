/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel for AVX-512 with VBMI2 (Ice Lake, Zen 4 and later). A line is looked at through windows of 64 bytes:
 *
 *     2:16:1:16:1:72551045:50000001:31:42000050:1045571:42000059:2266\n      text
 *      ^  ^ ^  ^ ^        ^        ^  ^        ^       ^        ^    ^       separators, by compare
 *      1  4 6  9 11 …                                                        their places, by compress
 *     └ cpu:app:task:thread ┘ time    type …                                 the first by its bytes, the rest as numbers
 *
 * Four numbers at once are moved to the ends of four 16-byte lanes (one byte permutation: the line is in a register), and
 * become integers by multiply-adds. The objects are not converted at all: their bytes are looked up in a table of what was
 * seen before. So a line costs few branches, of which only its kind is hard to foresee. Whatever is not as it should be
 * goes to prv_swar_line as a whole, before anything of it was emitted.
 */
#include "prv_emit.h"

#if defined __x86_64__
#include <immintrin.h>
#include <stdlib.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))
#define AVX512_INLINE static inline __attribute__((always_inline)) AVX512

enum { MOST_NUMBERS = 65, PREFIX_BYTES = 16 };

bool prv_avx512_here(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
}

struct window {
	__m512i text, place;     /* place: of each separator, a byte each */
	uint64_t colon, newline; /* newline: its bit, or 0 when the line goes on behind the window */
	uint64_t separators;     /* both, of this line */
	bool good;               /* nothing else than digits and separators */
};

struct constants {
	__m512i iota, lane, from_end, digit_mask, tens, hundreds, ten_thousands, hundred_millions, evens;
};

AVX512_INLINE struct constants constants_make(void)
{
	return (struct constants){
		.iota = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
	                                41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
	                                19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
		/* 0, 1, 2, 3 in the bytes of the four lanes */
		.lane = _mm512_set_epi64(0x0303030303030303, 0x0303030303030303, 0x0202020202020202, 0x0202020202020202,
	                                 0x0101010101010101, 0x0101010101010101, 0, 0),
		/* -16 … -1 in each lane */
		.from_end = _mm512_broadcast_i32x4(
			_mm_set_epi8(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16)),
		.digit_mask = _mm512_set1_epi8(0x0f),
		.tens = _mm512_set1_epi16(10 | 1 << 8),
		.hundreds = _mm512_set1_epi32(100 | 1 << 16),
		.ten_thousands = _mm512_set1_epi32(10000 | 1 << 16),
		.hundred_millions = _mm512_set1_epi64(100000000),
		.evens = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0),
	};
}

AVX512_INLINE struct window look(const struct constants *k, const char *p)
{
	struct window w;
	w.text = _mm512_loadu_si512(p);
	w.colon = _mm512_cmpeq_epi8_mask(w.text, _mm512_set1_epi8(':'));
	uint64_t newline = _mm512_cmpeq_epi8_mask(w.text, _mm512_set1_epi8('\n'));
	uint64_t digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(w.text, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
	uint64_t line = newline ^ (newline - 1); /* up to the newline; all when there is none */
	w.newline = newline & line;
	w.separators = (w.colon & line) | w.newline;
	w.good = (~(digit | w.colon) & line) == w.newline;
	w.place = _mm512_maskz_compress_epi8(w.separators, k->iota);
	return w;
}

/* Four numbers, that which ends at separator `first` and the next three, to out. *longer: bits where one has over 16 digits. */
AVX512_INLINE void convert4(const struct constants *k, const struct window *w, unsigned first, uint64_t *out, uint64_t *longer)
{
	__m512i which = _mm512_add_epi8(k->lane, _mm512_set1_epi8((char)first));
	__m512i end = _mm512_permutexvar_epi8(which, w->place);
	__m512i before = _mm512_permutexvar_epi8(_mm512_sub_epi8(which, _mm512_set1_epi8(1)), w->place);
	__m512i from = _mm512_add_epi8(end, k->from_end);
	__mmask64 inside = _mm512_cmpgt_epi8_mask(from, before);
	*longer |= _mm512_cmpgt_epi8_mask(_mm512_sub_epi8(end, before), _mm512_set1_epi8(17));
	__m512i d = _mm512_and_si512(_mm512_maskz_permutexvar_epi8(inside, from, w->text), k->digit_mask);
	d = _mm512_maddubs_epi16(d, k->tens);
	d = _mm512_madd_epi16(d, k->hundreds);
	d = _mm512_packus_epi32(d, d);
	d = _mm512_madd_epi16(d, k->ten_thousands);
	d = _mm512_add_epi64(_mm512_mul_epu32(d, k->hundred_millions), _mm512_srli_epi64(d, 32));
	_mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(_mm512_permutexvar_epi64(k->evens, d)));
}

/* All numbers of a window that are complete, from the one that ends at separator `first` on. Their count. */
AVX512_INLINE unsigned convert(const struct constants *k, const struct window *w, unsigned first, uint64_t *out, uint64_t *longer)
{
	unsigned n = (unsigned)_mm_popcnt_u64(w->separators) - first;
	for (unsigned i = 0; i < n; i += 4)
		convert4(k, w, first + i, out + i, longer);
	return n;
}

/* The windows behind the first one. p: where the last window began; becomes where the line's last one begins. False: fallback. */
AVX512_INLINE bool convert_rest(const struct constants *k, struct window *w, const char **p, uint64_t *out, unsigned *n,
                                uint64_t *longer)
{
	do {
		/* On from the last separator, which is then the first of the window. */
		unsigned step = 63 - (unsigned)_lzcnt_u64(w->separators);
		if (!w->separators || !step || *n >= MOST_NUMBERS)
			return false;
		*p += step;
		*w = look(k, *p);
		if (!w->good)
			return false;
		*n += convert(k, w, 1, out + *n, longer);
	} while (!w->newline);
	return true;
}

static __attribute__((noinline)) bool prefix_new(struct prv_chunk *c, struct prv_prefix *at, const char *p, uint64_t low,
                                                 uint64_t high)
{
	uint32_t row, cpu;
	if (!prv_swar_objects(c->model, p, &row, &cpu))
		return false;
	*at = (struct prv_prefix){{low, high}, row, cpu};
	return true;
}

/* The thread and cpu that `bytes` bytes at p name. NULL: fallback. */
AVX512_INLINE const struct prv_prefix *prefix_find(struct prv_chunk *c, const char *p, unsigned bytes)
{
	if (bytes > PREFIX_BYTES)
		return NULL;
	__m128i key = _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(0xffff, bytes), p);
	uint64_t low = (uint64_t)_mm_cvtsi128_si64(key), high = (uint64_t)_mm_extract_epi64(key, 1);
	uint64_t hash = (low ^ high * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
	struct prv_prefix *at = &c->prefix[hash >> (64 - c->prefix_bits)];
	if (WEFT_LIKELY(at->key[0] == low && at->key[1] == high))
		return at;
	return prefix_new(c, at, p, low, high) ? at : NULL;
}

AVX512_INLINE bool emit_comm(struct prv_chunk *c, const uint64_t *f)
{
	const struct prv_model *m = c->model;
	uint64_t cpu[2] = {f[0], f[6]};
	struct prv_comm comm = {
		.send_row = prv_model_row(m, f[1], f[2], f[3]),
		.recv_row = prv_model_row(m, f[7], f[8], f[9]),
		.time = {f[4], f[5], f[10], f[11]},
		.size = f[12],
		.tag = (int32_t)f[13],
	};
	if (comm.send_row == WEFT_NONE || comm.recv_row == WEFT_NONE || f[13] > INT32_MAX)
		return false;
	if (!prv_cpu_fits(m, comm.send_row, &cpu[0]) || !prv_cpu_fits(m, comm.recv_row, &cpu[1]))
		return false;
	for (int i = 0; i < 4; i++)
		if (comm.time[i] > m->most_time)
			return false;
	comm.send_cpu = (uint32_t)cpu[0];
	comm.recv_cpu = (uint32_t)cpu[1];
	prv_emit_comm(c, &comm);
	return true;
}

/* number: time, then types and values; or begin, end, state. */
AVX512_INLINE bool emit(struct prv_chunk *c, char kind, const struct prv_prefix *who, const uint64_t *number, unsigned n)
{
	uint64_t most = c->model->most_time;
	if (kind == '1') {
		if (n != 3 || number[1] < number[0] || number[1] > most || number[2] > UINT32_MAX)
			return false;
		prv_emit_state(c, who->row, who->cpu, number[0], number[1], (uint32_t)number[2]);
		return true;
	}
	if (n < 3 || n % 2 == 0 || number[0] > most)
		return false;
	uint64_t types = 0;
	for (unsigned i = 1; i < n; i += 2)
		types |= number[i];
	if (types > UINT32_MAX)
		return false;
	prv_emit_events(c, who->row, who->cpu, number[0], (n - 1) / 2, number + 1);
	return true;
}

/* Returns where the next line begins, or NULL for the fallback. */
AVX512_INLINE const char *line_fast(const struct constants *k, struct prv_chunk *c, const char *p)
{
	uint64_t number[MOST_NUMBERS + 64 + 8], longer = 0;
	struct window w = look(k, p);
	char kind = *p;
	if (!w.good || !(w.colon & 2) || (unsigned char)(kind - '1') > 2)
		return NULL;
	const struct prv_prefix *who = NULL;
	unsigned first = 1;
	if (kind != '3') {
		unsigned fifth = (unsigned)_tzcnt_u64(_pdep_u64(1 << 4, w.separators));
		if (fifth >= 64 || !(who = prefix_find(c, p + 2, fifth - 2)))
			return NULL;
		first = 5;
	}
	if (_mm_popcnt_u64(w.separators) < first)
		return NULL;
	unsigned n = convert(k, &w, first, number, &longer);
	if (!w.newline && !convert_rest(k, &w, &p, number, &n, &longer))
		return NULL;
	/* The last number must have a digit: a field that is not there is another thing than an empty one. */
	if (longer || (w.colon << 1 & w.newline))
		return NULL;
	if (!(kind == '3' ? n == 14 && emit_comm(c, number) : emit(c, kind, who, number, n)))
		return NULL;
	return p + _tzcnt_u64(w.newline) + 1;
}

static bool prefix_make(struct prv_chunk *c)
{
	if (c->prefix)
		return true;
	c->prefix_bits = 8;
	while (c->prefix_bits < 16 && 1u << c->prefix_bits < 4 * c->model->header->n_threads)
		c->prefix_bits++;
	c->prefix = calloc((size_t)1 << c->prefix_bits, sizeof *c->prefix);
	return c->prefix != NULL;
}

AVX512 void prv_parse_avx512(struct prv_chunk *c)
{
	const struct constants k = constants_make();
	const char *p = c->at, *end = c->at + c->n;
	if (!prefix_make(c)) {
		c->failed = true;
		return;
	}
	while (p < end && !c->failed) {
		const char *next = line_fast(&k, c, p);
		if (WEFT_LIKELY(next != NULL)) {
			c->n_lines++;
			p = next;
		} else {
			p = prv_swar_line(c, p, end);
		}
	}
}
#endif
