/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divide and conquer: the variables that are seen and set from outside, the workers, the begin and end of each process.
 */
#include "divide_priv.h"
#include <errno.h>
#include <stdlib.h>

/* The root's. */
volatile int DivideProblem;  /* number of the problem, from 1 */
volatile int DivideWorkers;  /* processes that solve */
volatile int DivideDepthNow; /* how deep this problem is divided */
volatile int DivideLeaves;   /* parts that it came to */
/* A worker's. */
volatile int SolverProblem; /* whose part it solves */
/* Tuning point: depth of the next problems. */
volatile int DivideDepth;

/* Measured: _S_Solve. */
int divide_solve(struct divide_worker *w)
{
	w->out.n = 0;
	return w->program->solve(w->user, (struct weft_divide_bytes){w->in.at, w->in.n}, &w->out);
}

int divide_worker_run(struct divide_worker *w)
{
	for (;;) {
		int from, rc = frame_receive(w->link, 0, &from, &w->task, &w->in);
		if (rc)
			return rc;
		if (w->task.kind == DIVIDE_END)
			return w->rc ? w->rc : w->task.rc;
		if (w->task.kind != DIVIDE_LEAF)
			return -EPROTO;
		SolverProblem = w->task.iteration;
		rc = w->rc ? w->rc : divide_solve(w);
		w->rc = rc < 0 ? rc : 0;
		struct frame_head head = w->task;
		head.kind = DIVIDE_ANSWER;
		head.rc = w->rc;
		head.bytes = w->rc ? 0 : w->out.n;
		rc = frame_send(w->link, 0, &head, NULL, w->out.at, &w->message);
		if (rc)
			return rc;
	}
}

static int run_root(struct divide_root *r)
{
	r->busy = calloc((size_t)r->link->size, sizeof *r->busy);
	r->has = calloc((size_t)r->link->size, sizeof *r->has);
	if (!r->busy || !r->has)
		r->rc = r->rc ? r->rc : -ENOMEM; /* the workers are told */
	int rc = divide_root_run(r);
	free(r->node);
	free(r->busy);
	free(r->has);
	free(r->message.at);
	free(r->in.at);
	return rc;
}

static int run_worker(struct divide_worker *w)
{
	int rc = divide_worker_run(w);
	free(w->in.at);
	free(w->out.at);
	free(w->message.at);
	return rc;
}

int weft_divide_run(const struct weft_divide *program, void *user, struct weft_frame_link *link,
                    const struct weft_divide_options *options)
{
	if (!program->problem || !program->divide || !program->solve || !program->combine || !program->solved || link->size < 1)
		return -EINVAL;
	DivideDepth = frame_setting("WEFT_DIVIDE_DEPTH", options ? options->depth : 0);
	DivideWorkers = link->size - 1;
	int begun = program->initialise ? program->initialise(user, link->rank, link->size) : 0;
	begun = begun < 0 ? begun : 0;
	int rc;
	if (link->rank == 0)
		rc = run_root(&(struct divide_root){.program = program, .user = user, .link = link, .rc = begun});
	else
		rc = run_worker(&(struct divide_worker){.program = program, .user = user, .link = link, .rc = begun});
	int end = program->finalise ? program->finalise(user, link->rank) : 0;
	return rc < 0 ? rc : end < 0 ? end : 0;
}
