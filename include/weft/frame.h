/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Weft's frameworks have in common: how the processes of a program reach each other.
 *
 * A framework (weft/mw.h, weft/pipeline.h, weft/divide.h) is a library that is linked with no MPI: it sends and receives through a
 * link, a table of three functions. weft/frame_mpi.h makes one of a communicator, in the user's own program, so that
 * every MPI will do; any other means of messages is such a table, too.
 *
 * All functions return 0 or a negative errno-style code.
 */
#ifndef WEFT_FRAME_H
#define WEFT_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_FRAME_PUBLIC __attribute__((visibility("default")))
#define WEFT_FRAME_ANY (-1)

struct weft_frame_link {
	int rank, size; /* 0 is the master, the source, the root */
	/* Returns when `data` may be used again. Messages between two processes stay in order. */
	int (*send)(struct weft_frame_link *l, int to, const void *data, size_t bytes);
	/* Waits for a message from `from` (or WEFT_FRAME_ANY): who sent it, and how long it is. */
	int (*wait)(struct weft_frame_link *l, int from, int *sender, size_t *bytes);
	/* Takes it. */
	int (*receive)(struct weft_frame_link *l, int sender, void *data, size_t bytes);
};

/*
 * For a link's `wait`, while there is nothing: gives the processor away, first by yielding, then by sleeping (up to 0.2 ms), so that
 * processes that wait leave the processors to those that compute. *turn begins with 0.
 */
WEFT_FRAME_PUBLIC void weft_frame_idle(unsigned *turn);

/* Bytes that a function of the user's gives; how many they are is known when it returns. */
struct weft_frame_bytes;
/* 0, or -ENOMEM. The bytes are copied. */
WEFT_FRAME_PUBLIC int weft_frame_put(struct weft_frame_bytes *to, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
