/* SPDX-License-Identifier: Apache-2.0 */
/* A library that programs load, unload, and load again while it is instrumented. FILLER moves its code. */
#include <stdint.h>

#ifdef FILLER
__attribute__((noinline)) int library_filler(int x)
{
	volatile int y = x;
	return y * 11 + y / 3 + y % 7;
}
#endif

__attribute__((noinline)) int library_work(int x)
{
	volatile int y = x * 5;
	return y + 2;
}
