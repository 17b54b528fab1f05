/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Gantt chart of StarPU's handbook (4.1.1), computed: a row of states for each worker and each thread that submits, curves of the whole program, of memory
 * nodes and of workers. Everything is by pixel: a cell has the state that had most of its time.
 */
#ifndef WEFT_CHARTS_GANTT_H
#define WEFT_CHARTS_GANTT_H

#include "base/vec.h"
#include "task_fields.h"

struct gantt_paint {
	uint32_t colour, region; /* region: of the trace; 0: in none; of memory nodes: GANTT_NODE_STATE on */
	const char *name;
	uint64_t ns; /* on workers */
};
enum { GANTT_NODE_STATE = 0x40000000 };
enum gantt_kind { GANTT_NODE, GANTT_WORKER, GANTT_THREAD };
struct gantt_row {
	char label[64];
	uint16_t *cell; /* by pixel: number of a paint */
	enum gantt_kind kind;
	uint32_t of;      /* index in weft_tasks.worker, of the trace's threads; GANTT_NODE: number of the node */
	uint32_t process; /* of a node */
	uint64_t task_ns; /* in tasks, within the range */
};
enum gantt_curve_of { GANTT_SUBMITTED, GANTT_READY, GANTT_FLOPS, GANTT_WORKER_FLOPS, GANTT_MEMORY, GANTT_BANDWIDTH };
struct gantt_curve {
	char label[64];
	double *value, most;
	uint32_t colour;
	const char *unit;
	enum gantt_curve_of of;
	int64_t row; /* the worker's, below which it stands; -1: above all */
};

/* What is drawn over the rows, where it is asked for; GANTT_NODES: rows of memory nodes. */
enum {
	GANTT_CURVES = 1,
	GANTT_NODES = 2,
	GANTT_EVENTS = 4, /* the program's own, and its waits for all tasks */
	GANTT_PUSH = 8,
	GANTT_POP = 16,
	GANTT_TRANSFERS = 32,
	GANTT_DEPENDENCIES = 64,
};
struct gantt_point {
	uint32_t row, pixel;
	unsigned kind; /* GANTT_EVENTS, GANTT_PUSH, GANTT_POP */
	char text[48]; /* of an event */
};
struct gantt_arrow {
	uint32_t from_row, to_row;
	double from, to; /* in pixels */
	unsigned kind;   /* GANTT_TRANSFERS, GANTT_DEPENDENCIES */
};
struct gantt {
	const struct task_view *tasks; /* borrowed */
	uint64_t from, to;
	unsigned width;                     /* pixels */
	bool by_codelet;                    /* each codelet its colour, else tasks are green, unless they have one of their own */
	unsigned show;                      /* GANTT_CURVES… */
	WEFT_VEC(struct gantt_paint) paint; /* [0]: in no region */
	WEFT_VEC(struct gantt_row) row;     /* memory nodes, workers, threads */
	uint32_t first_worker;              /* its row */
	WEFT_VEC(struct gantt_curve) curve;
	WEFT_VEC(struct gantt_point) point; /* one for each kind, row and pixel */
	WEFT_VEC(struct gantt_arrow) arrow; /* likewise for its ends; at most GANTT_ARROWS_MOST */
	uint64_t left_out;                  /* arrows beyond that */
};
enum { GANTT_ARROWS_MOST = 20000 };
/* tasks, from, to, width (at least 1), by_codelet, show are set. 0 or negative; fini in any case. */
int gantt_compute(struct gantt *g) WEFT_MUST_CHECK;
void gantt_fini(struct gantt *g);
/* Of gantt_compute(): */
int gantt_curves(struct gantt *g) WEFT_MUST_CHECK;
int gantt_nodes(struct gantt *g) WEFT_MUST_CHECK;
int gantt_marks(struct gantt *g) WEFT_MUST_CHECK;
int gantt_paint(struct gantt *g, struct gantt_paint paint, uint16_t *out) WEFT_MUST_CHECK; /* the number of this paint */

/* From the first submission to the last task's end, or as `range` ("25%..75%", "1ms..2ms"; NULL: none) says. */
int gantt_range(struct gantt *g, const char *range, struct weft_err *err) WEFT_MUST_CHECK;
/* An amount from `from` to `to`, added as amount per ns to each pixel that it touches. */
void gantt_spread(const struct gantt *g, double *value, uint64_t from, uint64_t to, double amount);
static inline double gantt_x(const struct gantt *g, uint64_t at)
{
	return ((double)at - (double)g->from) / (double)(g->to - g->from) * g->width;
}

#endif
