/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable arrays, as a plain struct of pointer, length and capacity:
 *
 *     struct { uint64_t *at; size_t n, cap; } v = {0};
 *     if (weft_vec_push(&v, 42)) return -ENOMEM;
 *     free(v.at);
 */
#ifndef WEFT_BASE_VEC_H
#define WEFT_BASE_VEC_H

#include "err.h"
#include <stddef.h>

#define WEFT_VEC(type) \
	struct { \
		type *at; \
		size_t n, cap; \
	}

/* Makes room for `need` elements in all (grows by half); the new space is not initialised. 0 or -ENOMEM. O(1) amortised. */
int weft_vec_grow(void *at_pp, size_t *cap, size_t need, size_t elem_bytes) WEFT_MUST_CHECK;

#define weft_vec_reserve(v, need) ((need) <= (v)->cap ? 0 : weft_vec_grow(&(v)->at, &(v)->cap, (need), sizeof *(v)->at))
/* 0 or -ENOMEM */
#define weft_vec_push(v, ...) (weft_vec_reserve((v), (v)->n + 1) ? -12 : ((v)->at[(v)->n++] = (__VA_ARGS__), 0))

#endif
