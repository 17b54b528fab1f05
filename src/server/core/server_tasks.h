/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a trace, read when a page first asks for them and kept with the trace; and the graph that was asked for last. What is shown of them
 * is computed by src/charts, as verbs do.
 */
#ifndef WEFT_SERVER_SERVER_TASKS_H
#define WEFT_SERVER_SERVER_TASKS_H

#include "charts/gantt.h"
#include "charts/graph_view.h"
#include "server_session.h"

struct server_tasks;

/*
 * A copy of the view of the request's trace, for this request alone: the tables are shared and do not change, its scratch text is its own. It needs no
 * fini. With paths. -ENOENT: the trace has no tasks.
 */
int server_tasks_get(const struct server_request *r, struct task_view *out, struct server_trace **trace) WEFT_MUST_CHECK;
void server_tasks_free(struct server_tasks *t);

/* The chart that a request asks for (from, to, width, show, colors); fini in any case. */
int server_task_chart(const struct server_request *r, struct task_view *v, const struct server_trace *t,
                      struct gantt *g) WEFT_MUST_CHECK;
/* The graph that a request asks for (by, most, filter); fini in any case. `how` has what its links need. */
int server_task_graph(const struct server_request *r, struct task_view *v, struct graph_view *g,
                      struct graph_how *how) WEFT_MUST_CHECK;

/* What a page calls a field's kind. */
const char *server_cell_kind(enum weft_cell_kind kind);

/* The routes of the files. */
int server_task_gantt(const struct server_request *r, struct server_answer *a);
int server_task_one(const struct server_request *r, struct server_answer *a);
int server_task_path(const struct server_request *r, struct server_answer *a);
int server_task_schedule(const struct server_request *r, struct server_answer *a);
int server_task_nodes(const struct server_request *r, struct server_answer *a);
int server_task_copies(const struct server_request *r, struct server_answer *a);

#endif
