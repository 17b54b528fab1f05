/* SPDX-License-Identifier: Apache-2.0 */
/* A .row file: the names of a .prv's objects, in blocks "LEVEL <level> SIZE <n>" of n lines. */
#ifndef WEFT_TRACE_ROW_H
#define WEFT_TRACE_ROW_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include <stdint.h>

enum row_level { ROW_WORKLOAD, ROW_APPL, ROW_TASK, ROW_THREAD, ROW_SYSTEM, ROW_NODE, ROW_CPU, ROW_LEVELS };
extern const char *const row_level_name[ROW_LEVELS];

struct row_problem {
	uint64_t line, offset;
	const char *text;
};
struct row {
	struct weft_arena arena; /* owns the texts */
	struct row_names {
		WEFT_VEC(const char *) name;
		uint64_t size; /* as the block says */
		bool there;
	} level[ROW_LEVELS];
	WEFT_VEC(struct row_problem) problem; /* the first ROW_MOST_PROBLEMS */
	uint64_t n_problems;
};
enum { ROW_MOST_PROBLEMS = 100 };

/* 0 or -ENOMEM; what is wrong in the text is a problem and no failure. Then fini all the same. */
int row_parse(struct row *r, const char *text, size_t n) WEFT_MUST_CHECK;
void row_fini(struct row *r);

#endif
