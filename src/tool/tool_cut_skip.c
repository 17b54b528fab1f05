/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most lines of a small cut lie outside of it, which their times alone tell. They are passed over here, 64 bytes at a look:
 *
 *     2:16:1:16:1:72551045:50000001:31\n
 *                ^5       ^6           ^      the colons around the times, and the line's end, from three bit masks
 *
 * Whatever is not written as it should be up to its times ends the skipping, and is looked at by who knows all rules.
 */
#include "tool_cut_priv.h"

#if defined __x86_64__
#include <immintrin.h>

#define WIDE __attribute__((target("avx2,bmi,bmi2")))
#define WIDE_INLINE static inline __attribute__((always_inline)) WIDE

struct look {
	uint64_t colon, newline; /* colon: of this line; newline: its bit, or 0 when the line goes on */
};

WIDE_INLINE struct look look(const char *at)
{
	const __m256i a = _mm256_loadu_si256((const void *)at), b = _mm256_loadu_si256((const void *)(at + 32));
	const __m256i colon = _mm256_set1_epi8(':'), newline = _mm256_set1_epi8('\n');
	uint64_t c = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, colon)) |
	             (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, colon)) << 32;
	uint64_t n = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, newline)) |
	             (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, newline)) << 32;
	return (struct look){c & (n ^ (n - 1)), n & -n};
}

/* The number between the n-th colon and the next, and that all of it is digits. */
WIDE_INLINE bool time_at(const char *line, uint64_t colon, unsigned n, uint64_t *out)
{
	enum { SAFE_DIGITS = 18 };
	uint64_t from = _tzcnt_u64(_pdep_u64(UINT64_C(1) << (n - 1), colon)), to = _tzcnt_u64(_pdep_u64(UINT64_C(1) << n, colon));
	return to < 64 && to - from > 1 && to - from <= SAFE_DIGITS && tool_digits_end(line + from + 1, out) == line + to;
}

WIDE_INLINE bool is_outside(const struct cut *c, const char *line, uint64_t colon)
{
	uint64_t a, b;
	if (!(colon & 2) || !time_at(line, colon, 5, &a))
		return false;
	switch (line[0]) {
	case '1':
		return a > c->to || (time_at(line, colon, 6, &b) && b >= a && b < c->from);
	case '2':
		return a > c->to || (a < c->from && c->how->keep_events == WEFT_TOOL_KEEP_INSIDE);
	case '3':
		return a < c->from || (time_at(line, colon, 6, &b) && b > c->to);
	default:
		return false;
	}
}

static WIDE const char *skip_wide(const struct cut *c, const char *at, const char *end, uint64_t *lines)
{
	while (at < end) {
		struct look l = look(at);
		if (!is_outside(c, at, l.colon))
			return at;
		const char *stop = l.newline ? at + _tzcnt_u64(l.newline)
		                             : memchr(at + 64, '\n', (size_t)(end - at > 64 ? end - at - 64 : 0));
		++*lines;
		at = stop ? stop + 1 : end;
	}
	return at;
}

const char *cut_skip(const struct cut *c, const char *at, const char *end, uint64_t *lines)
{
	return c->wide ? skip_wide(c, at, end, lines) : at;
}

bool cut_skips_wide(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#else
const char *cut_skip(const struct cut *c, const char *at, const char *end, uint64_t *lines)
{
	(void)c, (void)end, (void)lines;
	return at;
}

bool cut_skips_wide(void)
{
	return false;
}
#endif
