/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divide and conquer, inside: what is measured and set, and the tree of a problem.
 */
#ifndef WEFT_DIVIDE_PRIV_H
#define WEFT_DIVIDE_PRIV_H

#include "frame_priv.h"
#include "weft/divide.h"

enum divide_kind { DIVIDE_LEAF = 1, DIVIDE_ANSWER, DIVIDE_END };

/* What they mean stands where they are defined (divide_run.c). */
#define DIVIDE_VARIABLE(name, symbol) extern volatile int name __asm__(symbol) FRAME_VISIBLE
DIVIDE_VARIABLE(DivideProblem, "_ZN8_CDivide13DivideProblemE");
DIVIDE_VARIABLE(DivideWorkers, "_ZN8_CDivide13DivideWorkersE");
DIVIDE_VARIABLE(DivideDepthNow, "_ZN8_CDivide14DivideDepthNowE");
DIVIDE_VARIABLE(DivideLeaves, "_ZN8_CDivide12DivideLeavesE");
DIVIDE_VARIABLE(DivideDepth, "_ZN8_CDivide11DivideDepthE");
DIVIDE_VARIABLE(SolverProblem, "_ZN7_CSolve13SolverProblemE");

/* A problem or a part of one. Nodes are in one array, a node's parts in a row behind it. */
struct divide_node {
	uint32_t parent, first, n; /* parts */
	uint32_t open;             /* parts without a solution yet */
	unsigned depth;
	struct weft_frame_bytes problem, solution; /* owned */
};

struct weft_divide_parts {
	struct divide_root *root;
	uint32_t of;
};

struct divide_root {
	const struct weft_divide *program;
	void *user;
	struct weft_frame_link *link;
	struct divide_node *node;
	uint32_t n, room;
	uint32_t next; /* node that is looked at next when leaves are given away */
	bool *busy;    /* by rank */
	uint32_t *has; /* by rank: the leaf that it solves */
	int n_busy, number;
	struct weft_frame_bytes message, in;
	int rc; /* the first failure */
};

struct divide_worker {
	const struct weft_divide *program;
	void *user;
	struct weft_frame_link *link;
	struct frame_head task;
	struct weft_frame_bytes in, out, message;
	int rc;
};

int divide_root_run(struct divide_root *r);
int divide_worker_run(struct divide_worker *w);

int divide_split(struct divide_root *r) __asm__("_ZN8_CDivide9_D_DivideEv") FRAME_MEASURED;
int divide_conquer(struct divide_root *r) __asm__("_ZN8_CDivide10_D_ConquerEv") FRAME_MEASURED;
int divide_solve(struct divide_worker *w) __asm__("_ZN7_CSolve8_S_SolveEv") FRAME_MEASURED;

#endif
