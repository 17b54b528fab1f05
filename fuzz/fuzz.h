/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target is a file fuzz_X.c with one function, which takes any bytes and must not crash, leak or break a promise.
 * libFuzzer calls it in the fuzz build, replay.c with the files of fuzz/corpus/X in all others.
 */
#ifndef WEFT_FUZZ_FUZZ_H
#define WEFT_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n); /* always returns 0 */

/* What must hold for every input. */
#define FUZZ_REQUIRE(c) \
	do { \
		if (!(c)) { \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #c); \
			abort(); \
		} \
	} while (0)

#endif
