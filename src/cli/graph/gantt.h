/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Gantt chart of StarPU's handbook (4.1.1), computed: a row of states for each worker and each thread that submits, curves of the whole program, of memory
 * nodes and of workers. Everything is by pixel: a cell has the state that had most of its time.
 */
#ifndef WEFT_CLI_GANTT_H
#define WEFT_CLI_GANTT_H

#include "base/vec.h"
#include "task_fields.h"

struct gantt_paint {
	uint32_t colour, region; /* region: of the trace; 0: in none */
	const char *name;
	uint64_t ns; /* on workers */
};
struct gantt_row {
	char label[64];
	uint16_t *cell; /* by pixel: number of a paint */
	bool worker;
};
struct gantt_curve {
	char label[64];
	double *value, most;
	uint32_t colour;
	const char *unit;
	int64_t row; /* the worker's, below which it stands; -1: above all */
};
struct gantt {
	const struct task_view *tasks; /* borrowed */
	uint64_t from, to;
	unsigned width;                     /* pixels */
	bool by_codelet;                    /* each codelet its colour, else tasks are green, unless they have one of their own */
	WEFT_VEC(struct gantt_paint) paint; /* [0]: in no region */
	WEFT_VEC(struct gantt_row) row;
	WEFT_VEC(struct gantt_curve) curve;
};
/* tasks, from, to, width (at least 1), by_codelet are set. 0 or negative; fini in any case. */
int gantt_compute(struct gantt *g) WEFT_MUST_CHECK;
void gantt_fini(struct gantt *g);
int gantt_curves(struct gantt *g) WEFT_MUST_CHECK; /* of gantt_compute() */

#endif
