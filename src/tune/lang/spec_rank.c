/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of an actor in words: a list of conditions with commas, of which one must hold. A condition
 * is a number ("0"), a range ("2-4", "1-" without end), or a comparison ("> 8", "!= 0"; "rank > 8"
 * is the same). `%` makes classes: "% 2 == 1".
 */
#include "spec_model.h"
#include <string.h>

enum compare { EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };
static const struct {
	const char *z;
	enum compare c;
} compares[] = {{"==", EQUAL}, {"!=", UNEQUAL}, {"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"<", LESS}, {">", GREATER}};

static struct weft_str skip(struct weft_str s, size_t n)
{
	return weft_str_trim(weft_str_n(s.at + n, s.n - n));
}

static bool begins(struct weft_str s, const char *z)
{
	return s.n >= strlen(z) && memcmp(s.at, z, strlen(z)) == 0;
}

static bool holds(enum compare c, int64_t a, int64_t b)
{
	const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
	return results[c];
}

/* "4", "2-4", "1-" */
static bool in_range(struct weft_str s, int64_t rank, bool *in)
{
	uint64_t from, to = INT64_MAX;
	struct weft_str low;
	struct weft_str rest = s;
	if (!weft_str_cut(&rest, '-', &low) || weft_parse_u64(weft_str_trim(low), &from))
		return false;
	if (!rest.at)
		to = from;
	else if (weft_str_trim(rest).n && weft_parse_u64(weft_str_trim(rest), &to))
		return false;
	*in = rank >= 0 && (uint64_t)rank >= from && (uint64_t)rank <= to;
	return true;
}

/* One condition; false: it is none. */
static bool condition(struct weft_str s, int64_t rank, bool *in)
{
	uint64_t modulus = 0, number;
	size_t n = 0;
	if (begins(s, "rank"))
		s = skip(s, 4);
	if (begins(s, "%")) {
		s = skip(s, 1);
		while (n < s.n && s.at[n] >= '0' && s.at[n] <= '9')
			n++;
		if (weft_parse_u64(weft_str_n(s.at, n), &modulus) || modulus == 0 || modulus > INT32_MAX)
			return false;
		s = skip(s, n);
	}
	for (size_t i = 0; i < sizeof compares / sizeof compares[0]; i++) {
		if (!begins(s, compares[i].z))
			continue;
		if (weft_parse_u64(skip(s, strlen(compares[i].z)), &number) || number > INT32_MAX)
			return false;
		*in = rank >= 0 && holds(compares[i].c, modulus ? rank % (int64_t)modulus : rank, (int64_t)number);
		return true;
	}
	return !modulus && in_range(s, rank, in);
}

static bool walk(const char *z, int64_t rank, bool *in)
{
	struct weft_str rest = weft_str(z), part;
	*in = false;
	while (weft_str_cut(&rest, ',', &part)) {
		bool one = false;
		if (!condition(weft_str_trim(part), rank, &one))
			return false;
		*in |= one;
	}
	return true;
}

bool weft_spec_rank_valid(const char *z)
{
	bool in;
	return walk(z, 0, &in);
}

bool weft_spec_rank_in(const char *z, int64_t rank)
{
	bool in;
	return walk(z, rank, &in) && in;
}
