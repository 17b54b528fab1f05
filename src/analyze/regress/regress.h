/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is something slower than it was? Several runs before and several after, figure by figure (the time of a region, say): the change, the interval that
 * it lies in, how great it is against the runs' own spread, and whether chance explains it, corrected for how many figures were asked.
 *
 *     interval       bootstrap of the ratio of means: runs drawn again with repetition, 95 of 100
 *     p              by permutation: how often runs that are mixed at random differ as much; all mixtures where they are few. Where so few runs
 *                    could never be significant that way, by Welch's t test, which assumes that times spread evenly about their mean
 *     correction     Holm's over all figures (the chance of a single false alarm), or Benjamini and Hochberg's (their share)
 *     effect         Hedges' g: the difference of means in units of the common spread
 *
 * With fewer than two runs on a side nothing is known of chance: p is NAN, and the verdict rests on the least change alone. Deterministic: the random
 * numbers depend on the figures only.
 */
#ifndef WEFT_ANALYZE_REGRESS_H
#define WEFT_ANALYZE_REGRESS_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

enum weft_verdict { WEFT_VERDICT_SAME, WEFT_VERDICT_SLOWER, WEFT_VERDICT_FASTER, WEFT_VERDICT_NEW, WEFT_VERDICT_GONE };
extern const char *const weft_verdict_names[];

struct weft_regress_figure { /* what to compare; values borrowed */
	const double *base, *now;
	uint32_t n_base, n_now;
};
struct weft_regress_result {
	double base, now;    /* means; NAN: none */
	double change;       /* now / base - 1 */
	double low, high;    /* its interval; NAN: not known */
	double p, corrected; /* NAN: not known */
	double effect;       /* NAN: not known */
	enum weft_verdict verdict;
};
struct weft_regress_how {
	double level;    /* below which corrected p counts; 0: 0.05 */
	double least;    /* a change of less than that part of the base never counts; 0: any does */
	double smallest; /* nor does one of less than so much of the figure itself */
	bool by_share;   /* Benjamini and Hochberg's correction */
	unsigned threads;
};
/* result: one for each figure. 0 or -ENOMEM. */
int weft_regress_compute(struct weft_regress_result *result, const struct weft_regress_figure *figure, uint32_t n,
                         const struct weft_regress_how *how) WEFT_MUST_CHECK;

#endif
