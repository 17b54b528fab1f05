/* SPDX-License-Identifier: Apache-2.0 */
/* Between the finding of one thread's bursts (burst_find.c) and what is made of them (burst.c). */
#ifndef WEFT_ANALYZE_BURST_PRIV_H
#define WEFT_ANALYZE_BURST_PRIV_H

#include "burst.h"
#include "metric/func/metric.h"
#include "metric/func/metric_schema.h"

struct burst {
	uint64_t begin, end;
	int64_t value;
	uint32_t region;
};
struct burst_list {
	struct burst *at; /* owned; by begin */
	size_t n, cap;
};
/* space: of COMPUTE only. 0, -ENOMEM, or what reading says. */
int burst_find(struct burst_list *out, const struct weft_trace *t, const struct weft_space *space, uint32_t thread,
               const struct weft_bursts_how *how) WEFT_MUST_CHECK;

#endif
