/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Master/worker: the variables that are seen and set from outside, and the begin and end of each process.
 */
#include "mw_priv.h"
#include <errno.h>
#include <stdlib.h>

/* The master's. */
volatile int iteration;        /* current iteration, from 1 */
volatile int TheWorkUnitBytes; /* size of a tuple */
volatile int TheNumTuples;     /* tuples of the iteration */
volatile int nw;               /* workers that take part in it */
volatile int TheMaxWorkers;    /* workers that there are */
volatile int workerTID;        /* who is sent to: its rank */
volatile int numtuples;        /* how much */
volatile int workerTIDr;       /* who answered */
volatile int nbytes;           /* how much */
/* A worker's. */
volatile int CurrentIteration; /* of the chunk that it computes */
volatile int NroTasks;         /* tuples of it */
/* Tuning points. */
volatile int NOptWorkers;     /* workers from the next iteration on; 0: all that there are */
volatile int globalSizeChunk; /* tuples of the chunks that are sent from now on; 0: the iteration in one chunk a worker */

static int run_master(struct mw_master *m)
{
	m->has_shared = calloc((size_t)m->link->size, sizeof *m->has_shared);
	int rc = m->has_shared ? mw_master_run(m) : -ENOMEM;
	free(m->has_shared);
	free(m->results.at);
	free(m->message.at);
	free(m->in.at);
	return rc;
}

static int run_worker(struct mw_worker *w)
{
	int rc = mw_worker_run(w);
	free(w->shared.at);
	free(w->in.at);
	free(w->results.at);
	free(w->message.at);
	return rc;
}

int weft_mw_run(const struct weft_mw *program, void *user, struct weft_frame_link *link, const struct weft_mw_options *options)
{
	if (!program->partition || !program->compute || link->size < 1 || program->tuple_bytes > INT32_MAX)
		return -EINVAL;
	TheMaxWorkers = link->size - 1;
	NOptWorkers = frame_setting("WEFT_MW_WORKERS", options ? options->workers : 0);
	globalSizeChunk = frame_setting("WEFT_MW_CHUNK", options ? options->chunk : 0);
	int begun = program->initialise ? program->initialise(user, link->rank, link->size) : 0;
	begun = begun < 0 ? begun : 0;
	/* A process that could not begin takes part in the messages all the same, so that the others hear of it. */
	int rc;
	if (link->rank == 0)
		rc = run_master(&(struct mw_master){.program = program, .user = user, .link = link, .rc = begun});
	else
		rc = run_worker(&(struct mw_worker){.program = program, .user = user, .link = link, .rc = begun});
	int end = program->finalise ? program->finalise(user, link->rank) : 0;
	return rc < 0 ? rc : end < 0 ? end : 0;
}
