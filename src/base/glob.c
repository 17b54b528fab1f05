/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching names: globs, and the known name nearest to a mistyped one.
 *
 * The glob keeps one place to go back to, the last star seen: a later star that matched makes every earlier choice
 * irrelevant, since it can absorb whatever an earlier star would have taken instead. So the time is at most
 * pattern x text, and a few passes over the text in practice.
 */
#include "str.h"
#include <limits.h>
#include <string.h>

/* The next character: a name's UTF-8 counts as people see it, so that ? takes a whole letter. */
static const char *glob_step(const char *z)
{
	z++;
	while (((unsigned char)*z & 0xc0) == 0x80)
		z++;
	return z;
}

bool weft_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;
	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (*pattern == '?') {
			pattern++;
			text = glob_step(text);
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = resume = glob_step(resume);
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

enum { NAME_LIMIT = 64 };

static unsigned min_u(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return a == b || (((a ^ b) == 0x20) && ((a | 0x20) >= 'a' && (a | 0x20) <= 'z'));
}

/*
 * Edits (insert, delete, replace, swap of neighbours) from a to b, whatever the case of letters: three rows of the usual table.
 * O(|a| |b|).
 */
static unsigned edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned rows[3][NAME_LIMIT + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= n_b; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			unsigned replace = above[j - 1] + !same(a[i - 1], b[j - 1]);
			row[j] = min_u(replace, min_u(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = min_u(row[j], before[j - 2] + 1);
		}
		unsigned *free_row = before;
		before = above;
		above = row;
		row = free_row;
	}
	return above[n_b];
}

/* The first of those that are nearer than `bound`. */
static const char *nearer_than(unsigned bound, const char *name, const char *const *known, size_t n_known)
{
	size_t n = strlen(name);
	if (n > NAME_LIMIT)
		return NULL;
	const char *best = NULL;
	unsigned best_distance = bound;
	for (size_t i = 0; i < n_known; i++) {
		size_t n_known_name = strlen(known[i]);
		if (n_known_name > NAME_LIMIT)
			continue;
		unsigned d = edit_distance(name, n, known[i], n_known_name);
		if (d < best_distance) {
			best_distance = d;
			best = known[i];
		}
	}
	return best;
}

const char *weft_nearest(const char *name, const char *const *known, size_t n_known)
{
	return nearer_than((unsigned)strlen(name) / 3 + 1, name, known, n_known);
}

const char *weft_closest(const char *name, const char *const *known, size_t n_known)
{
	return nearer_than(UINT_MAX, name, known, n_known);
}
