/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as Extrae would have recorded it: its types, values and labels, states, communications and callers, so that views which
 * name these compute. What comes out is a trace like one that was read from a .prv, for the writer of .prv or for a view.
 */
#ifndef WEFT_LIKEEXTRAE_LIKE_H
#define WEFT_LIKEEXTRAE_LIKE_H

#include "symbols/symbols.h"

struct weft_extrae_how {
	uint64_t memory; /* 0: a quarter of the machine's */
	bool own_threads;
	bool other_openmp; /* OpenMP in the newer vocabulary */
	bool dependencies; /* of OpenMP's tasks, as communications */
	bool split_states; /* a state record for each region, though the state does not change */
	bool addresses;    /* callers and samples as addresses, not as numbers of functions and lines */
	bool absolute;     /* counters' sums as well, of the type's number + 1000000 */
	bool apps;         /* applications as they are, not one of all processes that have a rank */
	double percent;    /* only so much of the time from the begin; 0: all */
};
/* 0; or -ENOMEM, or what reading gave, in err. `t` is not needed afterwards. */
int weft_extrae_make(struct weft_trace **out, const struct weft_trace *t, struct weft_symbols *s,
                     const struct weft_extrae_how *how, struct weft_err *err) WEFT_MUST_CHECK;

#endif
