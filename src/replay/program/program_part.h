/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stretches of a program that was made from a trace with edges (weft_replay_from.edge), each as a program of its own:
 *
 *     weft_replay_cutter_new(&c, program);
 *     for (stretch …)
 *         if (weft_replay_cut(&p, c, stretch) == 0) …
 *         weft_replay_program_free(p);
 *     weft_replay_cutter_free(c);
 *
 * Several cutters may cut one program at the same time; what they cut borrows from it.
 */
#ifndef WEFT_REPLAY_PROGRAM_PART_H
#define WEFT_REPLAY_PROGRAM_PART_H

#include "program.h"

struct weft_replay_cutter;

/* Also on failure: free. 16 bytes for each message and collective operation of the program. */
int weft_replay_cutter_new(struct weft_replay_cutter **out, const struct weft_replay_program *of) WEFT_MUST_CHECK;
void weft_replay_cutter_free(struct weft_replay_cutter *c);
/* From edge `stretch` to the next. Also on failure: free what *out is (it may be NULL). O(what is done in it). */
int weft_replay_cut(struct weft_replay_program **out, struct weft_replay_cutter *c, uint32_t stretch) WEFT_MUST_CHECK;

#endif
