/* SPDX-License-Identifier: Apache-2.0 */
/* What usage.c and usage_regions.c share. */
#ifndef WEFT_ANALYZE_USAGE_PRIV_H
#define WEFT_ANALYZE_USAGE_PRIV_H

#include "usage.h"

/*
 * Adds [begin, end), in the trace's units, to the stretches that it lies in: of a count `value` in parts, of time (is_count false) the time in ns.
 * *hint: a stretch not behind `begin`; moves on to the one that `begin` lies in.
 */
void usage_add(const struct weft_usage *u, double *sum, uint32_t *hint, double begin, double end, double value, bool is_count);
/*
 * Of a trace whose regions say what is MPI, point-to-point, collective and parallel: these sums, where there are such regions. 0 or
 * negative.
 */
int usage_of_regions(struct weft_usage *u, unsigned threads) WEFT_MUST_CHECK;

#endif
