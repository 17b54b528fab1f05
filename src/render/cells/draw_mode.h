/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many values become the one that a pixel shows: Paraver's ten ways, used twice, for the bursts
 * within a pixel's time and for the rows that share a line of pixels. Values come one after the
 * other, and none is kept but by DRAW_MODE, which counts the different ones.
 *
 *     draw_sum_begin(&s, seed);
 *     draw_sum_add(&s, v); …
 *     shown = draw_sum_get(&s);
 */
#ifndef WEFT_RENDER_DRAW_MODE_H
#define WEFT_RENDER_DRAW_MODE_H

#include "metric/view/view.h"

struct draw_count;
struct draw_sum {
	enum weft_draw mode;
	uint64_t n;    /* values */
	uint64_t seed; /* of random ways: the same values and seed give the same choice */
	double best, sum, first;
	uint64_t n_not_zero;
	bool waiting;             /* for the next value that is not 0 */
	struct draw_count *count; /* owned; a hash table of the values of this pixel */
	uint32_t n_counts, cap, era;
	uint64_t most;
	bool failed; /* out of memory: what is shown means nothing */
};
void draw_sum_init(struct draw_sum *s, enum weft_draw mode);
void draw_sum_fini(struct draw_sum *s);
void draw_sum_begin(struct draw_sum *s, uint64_t seed);
void draw_sum_add(struct draw_sum *s, double v);
double draw_sum_get(const struct draw_sum *s); /* 0 without any value */

/*
 * How a .cfg calls it without its prefix: "last", "maximum", "minnotzero"…; and back: WEFT_DRAWS
 * when it is none.
 */
extern const char *const draw_mode_names[WEFT_DRAWS];
enum weft_draw draw_mode_find(const char *name);

#endif
