/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody needs of a trace, and the filter that keeps just this: for traces that are larger than memory, of which a view
 * uses a small part. The filtered trace has the same times and objects, and the same view works on it.
 */
#ifndef WEFT_TRACE_NEED_H
#define WEFT_TRACE_NEED_H

#include "base/str.h"
#include "trace/store/trace.h"

struct weft_need {
	bool states, regions, messages, flows, counters, points, cpus; /* all of that kind; points: of every type */
	const uint32_t *type;                                          /* or points of these types (ids); borrowed */
	size_t n_types;
	uint64_t least_ns; /* states and regions that last at least that long */
};
/* An expression of the filter grammar, appended; "kind=*" when everything is needed. 0 or -ENOMEM. */
int weft_need_filter(const struct weft_need *n, const struct weft_trace *t, struct weft_buf *out) WEFT_MUST_CHECK;
/* The same as a command for a shell: weft filter 'big.prv' -o big.filtered.weft -f '…'. 0 or -ENOMEM. */
int weft_need_command(const struct weft_need *n, const struct weft_trace *t, struct weft_buf *out) WEFT_MUST_CHECK;
/* Whether the columns and tables of the trace are larger than `memory` (0: no limit, then never); *bytes: how large. */
bool weft_trace_is_large(const struct weft_trace *t, uint64_t memory, uint64_t *bytes);

#endif
