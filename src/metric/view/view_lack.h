/* SPDX-License-Identifier: Apache-2.0 */
/* What a view asks for and a trace does not have, in words. */
#ifndef WEFT_METRIC_VIEW_LACK_H
#define WEFT_METRIC_VIEW_LACK_H

#include "base/str.h"
#include "view.h"

/*
 * The event types of those windows of a bound view that find none of theirs in the trace, at most
 * four: "'MPI Point-to-pint' (did you mean 'MPI Point-to-point'?), 50000002 (the nearest is
 * 50000001 'MPI Point-to-point')". Nothing when none is missing.
 */
void weft_view_missing(const struct weft_view *v, const struct weft_space *s, struct weft_buf *out);

#endif
