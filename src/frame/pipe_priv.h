/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipeline, inside: what is measured and set.
 *
 * Process 0 is the hub: it makes the items, keeps a queue for each stage, gives batches to servers that are free, and takes items out in
 * their order. All data goes through it. That costs a copy more than servers that send to each other, and makes moving a server to
 * another stage a matter of one variable: nobody has to be told, and nothing is under way between servers.
 */
#ifndef WEFT_PIPE_PRIV_H
#define WEFT_PIPE_PRIV_H

#include "frame_priv.h"
#include "weft/pipeline.h"

enum pipe_kind { PIPE_BATCH = 1, PIPE_ANSWER, PIPE_END };

/* What they mean stands where they are defined (pipe_run.c). */
#define PIPE_VARIABLE(name, symbol) extern volatile int name __asm__(symbol) FRAME_VISIBLE
PIPE_VARIABLE(PipeEpoch, "_ZN9_CPipeHub9PipeEpochE");
PIPE_VARIABLE(PipeStages, "_ZN9_CPipeHub10PipeStagesE");
PIPE_VARIABLE(PipeServers, "_ZN9_CPipeHub11PipeServersE");
PIPE_VARIABLE(PipeWindow, "_ZN9_CPipeHub10PipeWindowE");
PIPE_VARIABLE(PipeBatchNow, "_ZN9_CPipeHub12PipeBatchNowE");
PIPE_VARIABLE(PipeBatch, "_ZN9_CPipeHub9PipeBatchE");
PIPE_VARIABLE(PipeReplicas1, "_ZN9_CPipeHub13PipeReplicas1E");
PIPE_VARIABLE(PipeReplicas2, "_ZN9_CPipeHub13PipeReplicas2E");
PIPE_VARIABLE(PipeReplicas3, "_ZN9_CPipeHub13PipeReplicas3E");
PIPE_VARIABLE(PipeReplicas4, "_ZN9_CPipeHub13PipeReplicas4E");
PIPE_VARIABLE(PipeReplicas5, "_ZN9_CPipeHub13PipeReplicas5E");
PIPE_VARIABLE(PipeReplicas6, "_ZN9_CPipeHub13PipeReplicas6E");
PIPE_VARIABLE(PipeReplicas7, "_ZN9_CPipeHub13PipeReplicas7E");
PIPE_VARIABLE(PipeReplicas8, "_ZN9_CPipeHub13PipeReplicas8E");
PIPE_VARIABLE(ServerEpoch, "_ZN12_CPipeServer11ServerEpochE");
PIPE_VARIABLE(ServerStage, "_ZN12_CPipeServer11ServerStageE");
PIPE_VARIABLE(ServerItems, "_ZN12_CPipeServer11ServerItemsE");

extern volatile int *const pipe_replicas[WEFT_PIPE_STAGES];

struct pipe_server {
	bool busy;
	unsigned stage;    /* that it is to serve */
	unsigned given, n; /* stage of the items that it has, and how many */
};

/* Items by their place, number % places; the queues hold places. */
struct pipe_queue {
	uint32_t *at;
	uint64_t head, n;
};

struct pipe_hub {
	const struct weft_pipe *program;
	void *user;
	struct weft_frame_link *link;
	uint32_t places;      /* items in the pipeline at most, and in an epoch */
	unsigned char *items; /* places × item_bytes */
	bool *done;           /* of each place: ready for the sink */
	struct pipe_queue queue[WEFT_PIPE_STAGES];
	struct pipe_server *server; /* by rank; [0] unused */
	int busy;
	uint64_t made, taken; /* items: from the source, by the sink */
	bool dry;             /* the source has no more */
	struct weft_frame_bytes batch, message, in;
	int rc; /* the first failure */
};

struct pipe_worker {
	const struct weft_pipe *program;
	void *user;
	struct weft_frame_link *link;
	struct frame_head task;
	struct weft_frame_bytes in, message;
	int rc;
};

int pipe_hub_run(struct pipe_hub *h);
int pipe_server_run(struct pipe_worker *w);
/* Servers of each stage (at least 1 each, servers in all) out of what is wanted. servers ≥ stages. */
void pipe_share(const int *wanted, unsigned stages, unsigned servers, unsigned *out);

int pipe_begin_epoch(struct pipe_hub *h) __asm__("_ZN9_CPipeHub11_P_NewEpochEv") FRAME_MEASURED;
int pipe_end_epoch(struct pipe_hub *h) __asm__("_ZN9_CPipeHub11_P_EndEpochEv") FRAME_MEASURED;
int pipe_do_stage(struct pipe_worker *w) __asm__("_ZN12_CPipeServer10_S_DoStageEv") FRAME_MEASURED;

#endif
