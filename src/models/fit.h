/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves through measurements: what a model says about a size that was not measured.
 *
 *   power      y = alpha x^beta      from sums that grow with each sample: least squares of ln y over ln x
 *   offset     y = a x^b + c         from the history: for a given c a line in (ln x, ln (y - c)); c is searched
 *   products   y = k0 + sum of k_i * p1^e_i1 * p2^e_i2 …     from rows of parameters: linear least squares by QR
 */
#ifndef WEFT_MODELS_FIT_H
#define WEFT_MODELS_FIT_H

#include "model.h"

/* A sample; alpha and beta follow when `weft_fit_power_valid`. x and y must be positive: others are left out (false). */
bool weft_fit_power_add(struct weft_model_fit *f, uint64_t x, double y, uint32_t times);
/* Enough samples, and sizes far enough apart (the smallest below 90 % of the largest). */
bool weft_fit_power_valid(const struct weft_model_fit *f, uint32_t min_samples);

/* a, b, c from the entries' means. False: there are not enough different sizes, or no such curve; they are NaN then. */
bool weft_fit_offset(struct weft_model_fit *f, const struct weft_model_entry *entry, uint32_t n);
/* The same for n points; weight may be NULL. */
struct weft_fit_points {
	const double *x, *y, *weight;
	uint32_t n;
};
bool weft_fit_offset_points(const struct weft_fit_points *p, double abc[3]);

/* Products of powers: term i is the product of parameter[j] to the power of product[i][j]. */
struct weft_fit_terms {
	unsigned *const *product;
	uint32_t n_terms, n_parameters;
};
double weft_fit_term(const struct weft_fit_terms *t, uint32_t term, const double *parameter);
double weft_fit_products(const struct weft_fit_terms *t, const double *coeff, const double *parameter);
/* coeff[0..n_terms]; rows of n_parameters each. 0, -ENOMEM, -EDOM (fewer rows than coefficients, or they depend on each other). */
int weft_fit_products_find(const struct weft_fit_terms *t, const double *row, const double *y, uint32_t n,
                           double *coeff) WEFT_MUST_CHECK;
/*
 * The same without the rows that are far from all others: a task that was interrupted took a hundred times as long, and would bend the
 * whole equation. far[i] says which were left out (may be NULL). Where there are none it is the same.
 */
int weft_fit_products_robust(const struct weft_fit_terms *t, const double *row, const double *y, uint32_t n, double *coeff,
                             bool *far) WEFT_MUST_CHECK;

#endif
