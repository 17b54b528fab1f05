/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first line of a .prv file:
 *
 *     #Paraver (20/11/2026 at 11:30):1000_ns:2(4,4):1:2(1:1,3:2),1
 *               date                  end     nodes │ │ │ │ └ node  └ communicator lines that follow
 *                                      (cpus each)  │ │ └ threads of the first task
 *                                      applications ┘ └ tasks of the first application
 */
#ifndef WEFT_TRACE_PRV_HEADER_H
#define WEFT_TRACE_PRV_HEADER_H

#include "base/arena.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>

enum prv_unit { PRV_US, PRV_NS, PRV_MS, PRV_UNITS };
extern const uint64_t prv_unit_ns[PRV_UNITS];
extern const char *const prv_unit_suffix[PRV_UNITS]; /* "", "_ns", "_ms" */

/* More objects than this are no trace but a damaged header. */
#define PRV_MOST_OBJECTS (1u << 20)

struct prv_task {
	uint32_t n_threads;
	uint32_t node;         /* from 1; 0: not said */
	uint32_t first_thread; /* row of its first thread, over all applications */
};
struct prv_app {
	uint32_t first_task, n_tasks;
};
struct prv_header {
	struct weft_arena arena; /* owns what is pointed to */
	const char *date;        /* as it stands between the parentheses */
	uint64_t end;            /* in units */
	enum prv_unit unit;
	bool has_resources;
	uint32_t *node_cpus; /* cpus of each node */
	uint32_t n_nodes, n_cpus;
	struct prv_app *app;
	struct prv_task *task;
	uint32_t n_apps, n_tasks, n_threads, n_comms;
	const char *rest; /* what follows the last field and means nothing to us; NULL: nothing */
};

/* 0, WEFT_E_SYNTAX (the text has the column and what was expected there) or -ENOMEM. Then fini all the same. */
int prv_header_parse(struct prv_header *h, struct weft_str line, struct weft_err *err) WEFT_MUST_CHECK;
void prv_header_fini(struct prv_header *h);

/* A date in one of the forms that tools write, as ns since 1970 (in UTC: the header says no zone). False when it is none of them. */
bool prv_date_parse(struct weft_str date, uint64_t *ns);

#endif
