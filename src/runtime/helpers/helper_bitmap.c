/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of workers: bits, and how many there are. Numbers outside of the set are in no set, and cannot be put into one. */
#include <starpu.h>
#include <starpu_bitmap.h>
#include <stdbool.h>

enum { WORD = 8 * sizeof(unsigned long), WORDS = sizeof((struct starpu_bitmap *)0)->bits / sizeof(unsigned long) };

static bool fits(int e)
{
	return e >= 0 && (unsigned)e < (unsigned)WORDS * WORD;
}

static unsigned long bit(int e)
{
	return 1ul << (unsigned)e % WORD;
}

static void count(struct starpu_bitmap *b)
{
	b->cardinal = 0;
	for (unsigned i = 0; i < WORDS; i++)
		b->cardinal += __builtin_popcountl(b->bits[i]);
}

void starpu_bitmap_init(struct starpu_bitmap *b)
{
	*b = (struct starpu_bitmap){.cardinal = 0};
}

struct starpu_bitmap *starpu_bitmap_create(void)
{
	return calloc(1, sizeof(struct starpu_bitmap));
}

void starpu_bitmap_destroy(struct starpu_bitmap *b)
{
	free(b);
}

int starpu_bitmap_get(struct starpu_bitmap *b, int e)
{
	return fits(e) && (b->bits[(unsigned)e / WORD] & bit(e)) != 0;
}

void starpu_bitmap_set(struct starpu_bitmap *b, int e)
{
	STARPU_ASSERT_MSG(fits(e), "worker %d in a set of %d", e, (int)(WORDS * WORD));
	b->cardinal += !starpu_bitmap_get(b, e);
	b->bits[(unsigned)e / WORD] |= bit(e);
}

void starpu_bitmap_unset(struct starpu_bitmap *b, int e)
{
	if (!starpu_bitmap_get(b, e))
		return;
	b->cardinal--;
	b->bits[(unsigned)e / WORD] &= ~bit(e);
}

void starpu_bitmap_unset_all(struct starpu_bitmap *b)
{
	starpu_bitmap_init(b);
}

void starpu_bitmap_unset_and(struct starpu_bitmap *a, struct starpu_bitmap *b, struct starpu_bitmap *c)
{
	for (unsigned i = 0; i < WORDS; i++)
		a->bits[i] = b->bits[i] & c->bits[i];
	count(a);
}

void starpu_bitmap_or(struct starpu_bitmap *a, struct starpu_bitmap *b)
{
	for (unsigned i = 0; i < WORDS; i++)
		a->bits[i] |= b->bits[i];
	count(a);
}

int starpu_bitmap_and_get(struct starpu_bitmap *b1, struct starpu_bitmap *b2, int e)
{
	return starpu_bitmap_get(b1, e) && starpu_bitmap_get(b2, e);
}

int starpu_bitmap_cardinal(struct starpu_bitmap *b)
{
	return b->cardinal;
}

int starpu_bitmap_next(struct starpu_bitmap *b, int e)
{
	unsigned from = (unsigned)(e + 1);
	for (unsigned i = from / WORD; i < WORDS; i++) {
		unsigned long rest = b->bits[i];
		if (i == from / WORD)
			rest &= ~0ul << from % WORD;
		if (rest)
			return (int)(i * WORD) + __builtin_ctzl(rest);
	}
	return -1;
}

int starpu_bitmap_first(struct starpu_bitmap *b)
{
	return starpu_bitmap_next(b, -1);
}

int starpu_bitmap_last(struct starpu_bitmap *b)
{
	for (unsigned i = WORDS; i-- > 0;)
		if (b->bits[i])
			return (int)(i * WORD + WORD - 1) - __builtin_clzl(b->bits[i]);
	return -1;
}

int starpu_bitmap_has_next(struct starpu_bitmap *b, int e)
{
	return starpu_bitmap_next(b, e) != -1;
}
