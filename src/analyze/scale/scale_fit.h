/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves through a figure that was measured at several sizes (processes, threads), to ask what it will be at another.
 *
 *     amdahl   y = x0 / (f + (1 - f) x)                    what is serial takes its part at every size
 *     pipe     y = x0 x / ((1 - f) + f (2x - 1))           a pipeline that fills and drains
 *     linear   y = x0 + f x
 *     term     y = c0 + c1 x^a log2(x)^b                   a, b of a table, chosen by what predicts points that were left out best
 *
 * Pure arithmetic; deterministic; thread-safe.
 */
#ifndef WEFT_ANALYZE_SCALE_FIT_H
#define WEFT_ANALYZE_SCALE_FIT_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

enum weft_fit_model { WEFT_FIT_AMDAHL, WEFT_FIT_PIPE, WEFT_FIT_LINEAR, WEFT_FIT_TERM, WEFT_FIT_MODELS };
extern const char *const weft_fit_model_names[];                                 /* ends with NULL */
enum weft_fit_sigma { WEFT_SIGMA_FIRST, WEFT_SIGMA_EQUAL, WEFT_SIGMA_DECREASE }; /* how far each point may lie from the curve */
extern const char *const weft_fit_sigma_names[];

struct weft_fit {
	enum weft_fit_model model;
	double x0, f;            /* of terms: c0, c1 */
	double power, log_power; /* of terms */
	double error;            /* mean relative error of points that were predicted without them; NAN: too few points */
};
/*
 * n >= 1 points, x > 0. bounded: f within 0..1 (not of terms). -EINVAL: no point, or one that is no number or x <= 0. With one point the
 * curve is flat (f is 0; of amdahl and pipe: 1, 0.5).
 */
int weft_fit_find(struct weft_fit *fit, enum weft_fit_model model, const double *x, const double *y, uint32_t n, bool bounded,
                  enum weft_fit_sigma sigma) WEFT_MUST_CHECK;
double weft_fit_at(const struct weft_fit *fit, double x);
/* "0.3 + 0.02 * p^0.5 * log2(p)", into out (128 bytes are enough); x is called `var`. Returns out. */
char *weft_fit_text(const struct weft_fit *fit, const char *var, char *out);

/* A part of the program, with the interval that holds it in 95 of 100 cases; low and high NAN: too few points. */
struct weft_fraction {
	double value, low, high;
};
/*
 * The serial fraction by Amdahl, 1/S = f + (1 - f)/p, or by Gustafson, S = p - f (p - 1): least squares over all points with p > 1.
 * value NAN: there is none.
 */
struct weft_fraction weft_amdahl_fraction(const double *p, const double *speedup, uint32_t n);
struct weft_fraction weft_gustafson_fraction(const double *p, const double *speedup, uint32_t n);

#endif
