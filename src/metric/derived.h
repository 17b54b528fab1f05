/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that are made from others, as metrics make Paraver's form of our own. What was built of one stays inside the index of the
 * trace that it was made from, in a folder of its name that looks like a trace's: so indices and pyramids work there as
 * everywhere. It carries the stamps of the original's files, and is of no use when they have changed.
 */
#ifndef WEFT_TRACE_DERIVED_H
#define WEFT_TRACE_DERIVED_H

#include "trace/store/trace.h"

/* The one called `name` that was kept of t; -ENOENT and the like when there is none that holds. */
int weft_derived_open(struct weft_trace **out, const struct weft_trace *t, const char *name) WEFT_MUST_CHECK;
/*
 * Reads `path`, a .prv that was made from t, and keeps what comes of it under `name`, where t has an index that stays and is worth
 * it; else in unnamed files. The .prv is not needed any more then.
 */
int weft_derived_build(struct weft_trace **out, const struct weft_trace *t, const char *name, const char *path,
                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
