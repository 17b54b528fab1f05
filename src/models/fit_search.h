/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which equation rows of parameters follow: y = k0 + k1 * (a product of powers) + … Candidates are all products of powers up to a
 * degree. For each number of terms the set of candidates is found whose equation is nearest to the rows (relative errors: a long task
 * does not outweigh the short ones); of those the one with the least Bayesian information criterion is the answer, which a further
 * term must earn.
 */
#ifndef WEFT_MODELS_FIT_SEARCH_H
#define WEFT_MODELS_FIT_SEARCH_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

enum { WEFT_SEARCH_TERMS = 6, WEFT_SEARCH_PARAMETERS = 64 };

struct weft_fit_rows {
	const double *cell; /* n rows: y, then n_parameters parameters */
	uint32_t n, n_parameters;
};
struct weft_fit_equation {
	uint32_t n_terms;
	unsigned power[WEFT_SEARCH_TERMS][WEFT_SEARCH_PARAMETERS];
	double coeff[WEFT_SEARCH_TERMS + 1]; /* as a program's own fit finds them; the intercept first */
	double r2, error, bic;               /* of the rows that are not far from it; error: the mean of the relative errors */
	uint32_t n_far;                      /* rows that were left out */
};
struct weft_fit_found {
	/* By the number of terms, from none. What is far from the best of a first search has no part in the second. */
	struct weft_fit_equation equation[WEFT_SEARCH_TERMS + 1];
	uint32_t n, best, candidates;
};
/* most_terms: 1 to WEFT_SEARCH_TERMS; degree: 1 to 6. 0, -ENOMEM, -EDOM: fewer rows than an equation wants, or none that says anything. */
int weft_fit_search(const struct weft_fit_rows *rows, uint32_t degree, uint32_t most_terms,
                    struct weft_fit_found *out) WEFT_MUST_CHECK;
/* One equation with the powers that it has: its coefficients and figures; far[i]: which rows were left out (may be NULL). 0, -ENOMEM, -EDOM. */
int weft_fit_equation(const struct weft_fit_rows *rows, struct weft_fit_equation *e, bool *far) WEFT_MUST_CHECK;

#endif
