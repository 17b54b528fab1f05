/* SPDX-License-Identifier: Apache-2.0 */
/* A time axis: where its ticks stand and what they say. */
#ifndef WEFT_RENDER_AXIS_H
#define WEFT_RENDER_AXIS_H

#include <stdint.h>

/*
 * The distance of ticks, 1, 2 or 5 times a power of ten ns (of s: 1, 2, 5, 10, ...), so that at
 * most `most` (>= 1) fit into `span`.
 */
uint64_t weft_axis_step(uint64_t span_ns, unsigned most);
/*
 * "12.5 ms": `at` with as many decimals as ticks of this distance need, in one unit for all ticks
 * up to `last`. out: 32 bytes.
 */
char *weft_axis_label(char *out, uint64_t at_ns, uint64_t step_ns, uint64_t last_ns);

#endif
