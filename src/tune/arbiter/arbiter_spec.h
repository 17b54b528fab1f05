/* SPDX-License-Identifier: Apache-2.0 */
/* Registers a specification's priority, holds, weight and tuning points with the arbiter. */
#ifndef WEFT_TUNE_ARBITER_SPEC_H
#define WEFT_TUNE_ARBITER_SPEC_H

#include "arbiter.h"
#include "tune/lang/spec.h"

/* The specification as a tunlet, its point k as point *first_point + k. 0 or -ENOMEM. */
int weft_arbiter_add(struct weft_arbiter *a, struct weft_spec *s, unsigned *tunlet, unsigned *first_point) WEFT_MUST_CHECK;

#endif
