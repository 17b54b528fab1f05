/* SPDX-License-Identifier: Apache-2.0 */
/* The one function behind every growable array: growth by half, so that freed blocks can be used again by the next one. */
#include "vec.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 64 };

int weft_vec_grow(void *at_pp, size_t *cap, size_t need, size_t elem_bytes)
{
	if (need <= *cap)
		return 0;
	size_t want = *cap + *cap / 2;
	if (want < FIRST_BYTES / elem_bytes)
		want = FIRST_BYTES / elem_bytes;
	if (want < need)
		want = need;
	size_t bytes;
	if (__builtin_mul_overflow(want, elem_bytes, &bytes) || bytes > PTRDIFF_MAX)
		return -ENOMEM;

	/* at_pp points to a T *, which need not look like a void * to the optimiser: hence the copies. */
	void *at;
	memcpy(&at, at_pp, sizeof at);
	at = realloc(at, bytes);
	if (!at)
		return -ENOMEM;
	memcpy(at_pp, &at, sizeof at);
	*cap = want;
	return 0;
}
