/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of the latest tasks with what each is at, for those who ask for it (`graph SEQ`), and breaks: a worker that has taken a task stands
 * still before it begins, until somebody lets it go on. All of it ends when nobody watches any more.
 */
#ifndef WEFT_RUNTIME_LIVE_GRAPH_H
#define WEFT_RUNTIME_LIVE_GRAPH_H

#include "base/json.h"
#include "runtime/task/watch.h"

/* A station that a task passes; at RT_AT_POP the call may last until the task may begin. */
void live_graph_pass(enum rt_station at, struct starpu_task *t, unsigned worker);
void live_graph_watch(bool on); /* somebody looks, the last one has gone: who stands still goes on */

/* Members of an answer: what has changed since `seq` ("0": all). -EINVAL: nobody watches. */
int live_graph_tell(const char *seq, struct weft_json *answer, struct weft_err *err) WEFT_MUST_CHECK;
/* "codelet NAME", "task REF", "none". */
int live_graph_break(const char *what, struct weft_err *err) WEFT_MUST_CHECK;
void live_graph_pause(void);                                                   /* each task before it begins */
int live_graph_step(const char *worker, struct weft_err *err) WEFT_MUST_CHECK; /* one goes on, others stand; NULL: the first */
void live_graph_go(void);

#endif
