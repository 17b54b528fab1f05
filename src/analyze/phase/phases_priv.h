/* SPDX-License-Identifier: Apache-2.0 */
/* Between the finding of regions (phases.c) and of the iterations of one (iterations.c). */
#ifndef WEFT_ANALYZE_PHASES_PRIV_H
#define WEFT_ANALYZE_PHASES_PRIV_H

#include "phases.h"

struct phase_list {
	struct weft_phase_iteration *at; /* owned */
	size_t n, cap;
};
/*
 * Of a region whose period is known: adds its iterations to the list, and fills inner, outer, first, n, perturbed. None begins before `least` or ends
 * behind `most`, which the region lies between. 0 or -ENOMEM.
 */
int phase_iterations(struct phase_list *list, struct weft_phase_region *r, uint32_t number, const struct weft_signal *s,
                     uint64_t least, uint64_t most) WEFT_MUST_CHECK;

#endif
