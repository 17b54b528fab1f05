/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Paje trace in the order of its times. Lines without a time (definitions) come first, lines of one time stay as they stood. A file is
 * stretches that are in order already; those are merged, so that memory is needed for stretches, not for lines.
 */
#ifndef WEFT_TASKFILES_PAJE_ORDER_H
#define WEFT_TASKFILES_PAJE_ORDER_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct paje_order {
	uint64_t lines, stretches; /* 1 stretch: it was in order */
};
/* at, n: the trace's text, named `name` in errors. to: NULL only counts. 0 or negative; -EIO: `to` failed. */
int paje_order_write(const char *at, size_t n, const char *name, FILE *to, struct paje_order *out,
                     struct weft_err *err) WEFT_MUST_CHECK;

#endif
