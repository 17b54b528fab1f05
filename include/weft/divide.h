/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divide and conquer: problems that are divided to a depth, whose parts workers solve, and whose solutions are combined.
 *
 *     problem → divide → divide → … → solve (a worker) → combine → … → solved
 *
 * Process 0 divides and combines; the others solve. How deep it divides may change at any time; the solutions are the same, if
 * combining the solutions of the parts gives that of the whole, bit for bit. The tunlet divide.tsl, which comes with Weft, changes it
 * while the program runs; see weft-mw(7). A program solves one problem after the other, since one that is over can teach nothing.
 */
#ifndef WEFT_DIVIDE_H
#define WEFT_DIVIDE_H

#include <weft/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_DIVIDE_DEPTH 20 /* at most */

struct weft_divide_bytes {
	const void *data;
	size_t bytes;
};

/* Parts of a problem, as `divide` finds them. */
struct weft_divide_parts;
/* 0, or -ENOMEM. The bytes are copied. Parts keep their order. */
WEFT_FRAME_PUBLIC int weft_divide_part(struct weft_divide_parts *parts, const void *data, size_t bytes);

/* Problems and solutions are plain memory of any length. A negative result of a function ends the run, everywhere, with that code. */
struct weft_divide {
	int (*initialise)(void *user, int rank, int size); /* in each process; or NULL */
	/* Process 0: makes problem number n (from 1): 1; or 0: there are no more. */
	int (*problem)(void *user, int number, struct weft_frame_bytes *out);
	/* Process 0: gives the parts; none: the problem is too small to be divided. */
	int (*divide)(void *user, struct weft_divide_bytes problem, struct weft_divide_parts *parts);
	/* Anywhere: all of it, with no further division. */
	int (*solve)(void *user, struct weft_divide_bytes problem, struct weft_frame_bytes *out);
	/* Process 0: the solution of the whole from those of its parts, in their order. */
	int (*combine)(void *user, const struct weft_divide_bytes *part, unsigned n, struct weft_frame_bytes *out);
	/* Process 0. */
	int (*solved)(void *user, int number, struct weft_divide_bytes solution);
	int (*finalise)(void *user, int rank); /* in each process; or NULL */
};

struct weft_divide_options {
	int depth; /* to begin with: 0 is the whole problem for one worker; WEFT_DIVIDE_DEPTH in the environment comes first */
};

/* To be called by all processes of the link: 0, or what a function returned, or -EINVAL, -ENOMEM, -EIO, -EPROTO. */
WEFT_FRAME_PUBLIC int weft_divide_run(const struct weft_divide *program, void *user, struct weft_frame_link *link,
                                      const struct weft_divide_options *options);

#ifdef __cplusplus
}
#endif

#endif
