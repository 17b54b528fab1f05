/* SPDX-License-Identifier: Apache-2.0 */
/* What a view asks for and a trace does not have, in words. */
#ifndef WEFT_METRIC_VIEW_LACK_H
#define WEFT_METRIC_VIEW_LACK_H

#include "base/str.h"
#include "view.h"

/*
 * The event types that a bound view's windows name and the trace has no events of, at most four: "'MPI Point-to-pint' (did you
 * mean 'MPI Point-to-point'?), 50000002". Nothing when none is missing.
 */
void weft_view_missing(const struct weft_view *v, const struct weft_space *s, struct weft_buf *out);

#endif
