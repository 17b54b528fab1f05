/* SPDX-License-Identifier: Apache-2.0 */
/* `weft record --representative`: a thread that follows the streams while they fill, and decides what is new; at the end the rest goes. */
#ifndef WEFT_CLI_RECORD_REPRESENT_H
#define WEFT_CLI_RECORD_REPRESENT_H

#include "record_kinds.h"
#include "record_run.h"

struct record_represent;

struct record_represented {
	uint64_t stretches, left_out, kinds;
	unsigned changed, as_they_are; /* streams */
	int error;                     /* of one that could not be written */
	bool failed;                   /* there was no memory to decide with */
};

/* Options that go with it, or not: 0, or said why. */
int record_represent_check(const struct record_args *a, struct weft_err *err) WEFT_MUST_CHECK;
/* own: the stream of `weft record` itself, which stays whole. */
int record_represent_start(struct record_represent **out, const struct record_args *a, const char *dir,
                           const char *own) WEFT_MUST_CHECK;
/* When the command has ended. out may be NULL; frees. */
void record_represent_finish(struct record_represent *p, struct record_represented *out);

/* ---- record_leave_out.c ---- */

/* A stream that is closed, anew without what is left out. 0: done; 1: it stays (its process records, or something is damaged); or -errno. */
int record_leave_out(const char *path, const struct record_kinds *k) WEFT_MUST_CHECK;

#endif
