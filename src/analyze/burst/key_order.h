/* SPDX-License-Identifier: Apache-2.0 */
/* Many numbers put in order by a key, stably: by digits, so that ten million take a fraction of a second. */
#ifndef WEFT_ANALYZE_KEY_ORDER_H
#define WEFT_ANALYZE_KEY_ORDER_H

#include "base/err.h"
#include <stdint.h>

/* Sorts the pairs (key[i], index[i]) by key; equal keys keep their order. bits: keys are below 2^bits. 0 or -ENOMEM. O(n · bits). */
int weft_key_order(uint64_t *key, uint32_t *index, size_t n, unsigned bits) WEFT_MUST_CHECK;
unsigned weft_key_bits(uint64_t most); /* how many bits `most` takes */

#endif
