/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a view needs of a trace: the kinds of records and the types of events that its windows and
 * tables look at.
 */
#ifndef WEFT_METRIC_VIEW_NEED_H
#define WEFT_METRIC_VIEW_NEED_H

#include "trace/filter/need.h"
#include "metric/view/view.h"

/* Of a bound view, all of it. need->type is the caller's, to be freed. 0 or -ENOMEM. */
int weft_view_need(const struct weft_view *v, const struct weft_space *s, struct weft_need *need) WEFT_MUST_CHECK;

#endif
