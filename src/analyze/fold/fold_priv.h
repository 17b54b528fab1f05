/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of folding. */
#ifndef WEFT_ANALYZE_FOLD_PRIV_H
#define WEFT_ANALYZE_FOLD_PRIV_H

#include "analyze/burst/key_order.h"
#include "folding.h"

int fold_gather_stacks(struct weft_folding *f, const struct weft_trace *t, const struct weft_fold_how *how) WEFT_MUST_CHECK;

#endif
