/* SPDX-License-Identifier: Apache-2.0 */
/* A predicted run of a .dim program as Paraver's files: .prv, .pcf, .row. */
#ifndef WEFT_REPLAY_DIM_PRV_H
#define WEFT_REPLAY_DIM_PRV_H

#include "replay/sim/replay.h"

struct weft_replay_prv;
/* memory: bytes for what is sorted; more goes to temporary files. 0: no limit. */
int weft_replay_prv_new(struct weft_replay_prv **out, const struct weft_replay_program *p, const struct weft_replay_machine *m,
                        uint64_t memory, struct weft_err *err) WEFT_MUST_CHECK;
void weft_replay_prv_free(struct weft_replay_prv *w);
/* What a run tells; borrows from w. */
const struct weft_replay_sink *weft_replay_prv_sink(struct weft_replay_prv *w);
/* Only what begins in [from, to) is kept; to 0: all. */
void weft_replay_prv_window(struct weft_replay_prv *w, double from_ns, double to_ns);
/* Writes path and beside it .row and .pcf (pcf_from: the input's, whose events are kept; may be missing). */
int weft_replay_prv_write(struct weft_replay_prv *w, double time_ns, const char *path, const char *pcf_from,
                          struct weft_err *err) WEFT_MUST_CHECK;

#endif
