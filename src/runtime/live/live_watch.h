/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What workers are at, for those who look at the program: a lane for each worker, which only that worker writes, word by word, and
 * anybody reads. Sums only grow, from when somebody first looked on: who looks takes differences.
 */
#ifndef WEFT_RUNTIME_LIVE_WATCH_H
#define WEFT_RUNTIME_LIVE_WATCH_H

#include "runtime/task/machine.h"

enum live_state { LIVE_OTHER, LIVE_EXECUTING, LIVE_CALLBACK, LIVE_SLEEPING, LIVE_STATES };
enum { LIVE_CODELETS = 64, LIVE_CODELET_NAME = 48 };

struct live_worker {
	enum live_state state;
	char codelet[LIVE_CODELET_NAME]; /* what it executes; empty: nothing */
	uint64_t tasks;
	uint64_t spent_ns[LIVE_STATES]; /* what it is at until now, too */
};

struct live_codelet {
	char name[LIVE_CODELET_NAME];
	uint64_t tasks, time_ns;
};

void live_watch_set(bool on);
struct live_worker live_watch_worker(unsigned worker);
/* Of all workers, in the order in which they first ran; at most LIVE_CODELETS. The count. More kinds than that are "others". */
unsigned live_watch_codelets(struct live_codelet *out);

#endif
