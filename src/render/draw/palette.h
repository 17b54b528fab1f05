/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of regions: by the state class first (computing is blue and green, waiting red,
 * communicating orange...), then by name, so that a region has its colour in every picture of every
 * trace. Within a class neighbours differ in lightness, too, and the hues are those of the
 * colour-blind safe sets of Okabe and Ito, and of Tol.
 */
#ifndef WEFT_RENDER_PALETTE_H
#define WEFT_RENDER_PALETTE_H

#include "base/err.h"
#include <stdint.h>

struct weft_palette_name {
	const char *name;
	unsigned state; /* weft_state_class */
};
/*
 * Colours 0xRRGGBB of n regions that are in one picture. A name's place is its hash; of two with
 * one place the one that is first in the alphabet keeps it and the other takes the next that is
 * free, while there is one.
 */
int weft_palette_choose(const struct weft_palette_name *names, unsigned n, uint32_t *color) WEFT_MUST_CHECK;

#endif
