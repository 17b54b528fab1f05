/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipeline: the variables that are seen and set from outside, and the begin and end of each process.
 */
#include "pipe_priv.h"
#include <errno.h>
#include <stdlib.h>

/* The hub's. */
volatile int PipeEpoch;    /* from 1: as many items as may be in the pipeline were taken out in each */
volatile int PipeStages;   /* stages */
volatile int PipeServers;  /* processes that serve them */
volatile int PipeWindow;   /* items of an epoch */
volatile int PipeBatchNow; /* items of a message, in this epoch */
/* A server's. */
volatile int ServerEpoch; /* of the batch that it works on */
volatile int ServerStage; /* from 0 */
volatile int ServerItems; /* of it */
/* Tuning points, from the next epoch on. */
volatile int PipeBatch; /* items of a message; 0: 1 */
/* Servers of each stage; 0: what is left over. */
volatile int PipeReplicas1, PipeReplicas2, PipeReplicas3, PipeReplicas4, PipeReplicas5, PipeReplicas6, PipeReplicas7,
	PipeReplicas8;
volatile int *const pipe_replicas[WEFT_PIPE_STAGES] = {
	&PipeReplicas1, &PipeReplicas2, &PipeReplicas3, &PipeReplicas4,
	&PipeReplicas5, &PipeReplicas6, &PipeReplicas7, &PipeReplicas8,
};

static int run_hub(struct pipe_hub *h)
{
	int rc = -ENOMEM;
	bool room = true;
	h->items = calloc(h->places, h->program->item_bytes ? h->program->item_bytes : 1);
	h->done = calloc(h->places, sizeof *h->done);
	h->server = calloc((size_t)h->link->size, sizeof *h->server);
	for (unsigned s = 0; s < h->program->stages; s++) {
		h->queue[s].at = calloc(h->places, sizeof *h->queue[s].at);
		room = room && h->queue[s].at;
	}
	if (!room || !h->items || !h->done || !h->server)
		h->rc = h->rc ? h->rc : -ENOMEM; /* the servers are told */
	rc = pipe_hub_run(h);
	for (unsigned s = 0; s < h->program->stages; s++)
		free(h->queue[s].at);
	free(h->items);
	free(h->done);
	free(h->server);
	free(h->batch.at);
	free(h->message.at);
	free(h->in.at);
	return rc;
}

static int run_server(struct pipe_worker *w)
{
	int rc = pipe_server_run(w);
	free(w->in.at);
	free(w->message.at);
	return rc;
}

int weft_pipe_run(const struct weft_pipe *program, void *user, struct weft_frame_link *link,
                  const struct weft_pipe_options *options)
{
	static const struct weft_pipe_options none = {0};
	const struct weft_pipe_options *o = options ? options : &none;
	if (!program->source || !program->sink || program->stages < 1 || program->stages > WEFT_PIPE_STAGES || link->size < 1)
		return -EINVAL;
	int window = frame_setting("WEFT_PIPE_WINDOW", o->window);
	if (window <= 0)
		window = link->size > 5 ? 16 * (link->size - 1) : 64;
	PipeBatch = frame_setting("WEFT_PIPE_BATCH", o->batch);
	PipeStages = (int)program->stages;
	PipeServers = link->size - 1;
	PipeWindow = window;
	for (unsigned s = 0; s < WEFT_PIPE_STAGES; s++)
		*pipe_replicas[s] = o->replicas[s];
	int begun = program->initialise ? program->initialise(user, link->rank, link->size) : 0;
	begun = begun < 0 ? begun : 0;
	int rc;
	if (link->rank == 0)
		rc = run_hub(&(struct pipe_hub){.program = program,
		                                .user = user,
		                                .link = link,
		                                .places = (uint32_t)window,
		                                .rc = begun});
	else
		rc = run_server(&(struct pipe_worker){.program = program, .user = user, .link = link, .rc = begun});
	int end = program->finalise ? program->finalise(user, link->rank) : 0;
	return rc < 0 ? rc : end < 0 ? end : 0;
}
