/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipeline: items that go through stages, each of which several processes may serve.
 *
 *     static int source(void *user, uint64_t number, void *item) { … return 1; }     process 0: 0 when there are no more
 *     static int blur(void *user, uint64_t number, void *item) { … return 0; }       a server: changes the item in its place
 *     static int sink(void *user, uint64_t number, const void *item) { … return 0; } process 0: in the order of numbers
 *     …
 *     static const struct weft_pipe_stage stages[] = {{"blur", blur}, {"edges", edges}};
 *     const struct weft_pipe program = {.item_bytes = sizeof(struct image), .stages = 2, .stage = stages, .source = source, .sink = sink};
 *     weft_pipe_run(&program, &me, &mpi.link, NULL);
 *
 * How many processes serve a stage, and how many items go into a message, may change at any time; what comes out is the same.
 * The tunlet pipeline.tsl, which comes with Weft, changes it while the program runs; see weft-mw(7).
 */
#ifndef WEFT_PIPELINE_H
#define WEFT_PIPELINE_H

#include <weft/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_PIPE_STAGES 8

struct weft_pipe_stage {
	const char *name;
	int (*work)(void *user, uint64_t number, void *item);
};

/* Items are plain memory, all of one size. A negative result of a function ends the run, everywhere, with that code. */
struct weft_pipe {
	size_t item_bytes;
	unsigned stages; /* 1 to WEFT_PIPE_STAGES */
	const struct weft_pipe_stage *stage;
	int (*initialise)(void *user, int rank, int size); /* in each process; or NULL */
	int (*source)(void *user, uint64_t number, void *item);
	int (*sink)(void *user, uint64_t number, const void *item);
	int (*finalise)(void *user, int rank); /* in each process; or NULL */
};

struct weft_pipe_options {
	int batch; /* items of a message, to begin with; 0: 1; WEFT_PIPE_BATCH comes first */
	int window; /* items from one tuning to the next, and in the pipeline at once; 0: 16 a server, at least 64; WEFT_PIPE_WINDOW */
	int replicas[WEFT_PIPE_STAGES]; /* servers of each stage, to begin with; all 0: equal parts */
};

/*
 * To be called by all processes of the link, with the same program: 0, or what a function returned, or -EINVAL, -ENOMEM, -EIO, -EPROTO. With fewer
 * servers than stages each serves all of them; a link of one process does everything by itself.
 */
WEFT_FRAME_PUBLIC int weft_pipe_run(const struct weft_pipe *program, void *user, struct weft_frame_link *link,
                                    const struct weft_pipe_options *options);

#ifdef __cplusplus
}
#endif

#endif
