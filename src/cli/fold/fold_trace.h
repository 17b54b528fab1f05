/* SPDX-License-Identifier: Apache-2.0 */
/* One instance with the samples of all, as events: what fold_trace.c writes as a .prv, and fold_weft.c as a trace of ours. */
#ifndef WEFT_CLI_FOLD_TRACE_H
#define WEFT_CLI_FOLD_TRACE_H

#include "fold_run.h"

enum { FOLD_REGION_TYPE = 600000001, FOLD_PHASE_TYPE = 600000002, FOLD_FUNCTION_TYPE = 600000004, FOLD_LINE_TYPE = 600000005 };

struct fold_event {
	uint64_t time;
	uint32_t type, order;
	uint64_t value;
};
struct fold_trace {
	const struct fold_run *r;
	uint64_t end;
	WEFT_VEC(struct fold_event) event; /* by time */
	int rc;
};
/* What Paraver calls the counter in this trace, or a number of our own. Its events are counts since the one before. */
uint32_t fold_counter_code(const struct fold_run *r, unsigned counter);
/* "34 (a.c)" */
void fold_line_text(const struct fold_run *r, uint32_t line, char *text, size_t n);

int fold_write_weft(const struct fold_trace *f, const char *path);

#endif
