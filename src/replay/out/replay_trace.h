/* SPDX-License-Identifier: Apache-2.0 */
/* A predicted run as a trace: what was recorded, at the times that were predicted. */
#ifndef WEFT_REPLAY_TRACE_H
#define WEFT_REPLAY_TRACE_H

#include "replay/sim/replay.h"

struct weft_replay_trace;
/* Of a program made from a trace with its events. */
int weft_replay_trace_new(struct weft_replay_trace **out, const struct weft_replay_program *p,
                          const struct weft_replay_machine *m, const struct weft_open_how *how,
                          struct weft_err *err) WEFT_MUST_CHECK;
const struct weft_replay_sink *weft_replay_trace_sink(struct weft_replay_trace *w);
/* Consumes w, also on failure. */
int weft_replay_trace_finish(struct weft_replay_trace *w, double time_ns, struct weft_trace **out,
                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_replay_trace_free(struct weft_replay_trace *w);

#endif
