/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_METRIC_VIEW_JOIN_H
#define WEFT_METRIC_VIEW_JOIN_H

#include "view.h"

/* Ends the window's functions with one that joins values of equal labels. 0 or -ENOMEM. */
int view_join_labels(struct weft_view *v, struct weft_window *w, const struct weft_trace *t) WEFT_MUST_CHECK;

#endif
