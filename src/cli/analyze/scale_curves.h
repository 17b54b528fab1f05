/* SPDX-License-Identifier: Apache-2.0 */
/* Curves through the factors of runs of several sizes, in per cent: three that are fitted, and two that are products of them. */
#ifndef WEFT_CLI_SCALE_CURVES_H
#define WEFT_CLI_SCALE_CURVES_H

#include "analyze/factor/factors.h"
#include "analyze/scale/scale_fit.h"
#include "base/str.h"

enum { SCALE_LOAD, SCALE_COMMUNICATION, SCALE_COMPUTATION, SCALE_FITS, SCALE_PARALLEL = SCALE_FITS, SCALE_GLOBAL, SCALE_CURVES };
extern const char *const scale_curve_names[SCALE_CURVES];

enum { SCALE_RUNS_MOST = 64 };
struct scale_curves_how {
	enum weft_fit_model model;
	enum weft_fit_sigma sigma;
	bool bounded;
	double limit;
};
struct scale_curves {
	struct scale_curves_how how;
	struct weft_fit fit[SCALE_FITS];
	uint32_t n;
	double x[SCALE_RUNS_MOST], y[SCALE_CURVES][SCALE_RUNS_MOST]; /* as measured */
};
/* -EINVAL: a factor is not known. */
int scale_curves_find(struct scale_curves *c, const struct weft_factors *f, uint32_t n,
                      const struct scale_curves_how *how) WEFT_MUST_CHECK;
double scale_curve_at(const struct scale_curves *c, unsigned curve, double x);   /* per cent, within 0..100 but of scalability */
char *scale_curve_text(const struct scale_curves *c, unsigned curve, char *out); /* 128 bytes */
/* As gnuplot's commands, or a picture, by the name's end. */
int scale_curves_write(const struct scale_curves *c, const char *name, struct weft_buf *out) WEFT_MUST_CHECK;

#endif
