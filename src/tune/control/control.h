/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller: on one machine, the agents of its processes; towards the analyzer, messages
 * (message.h). It runs in a process of its own.
 *
 *     listener ── acceptor thread ── one thread a process: its wants, its actions, its events
 *     up       ── main thread: messages for processes into their queues
 *
 * A thread a process, because an action may wait for a thread of that process for a long time, and
 * the others' rings must be read meanwhile.
 */
#ifndef WEFT_TUNE_CONTROL_H
#define WEFT_TUNE_CONTROL_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_listener;

struct control_how {
	struct probe_listener *listener; /* the controller's from now on */
	int up;                          /* a stream to the analyzer, or to a collector: channel.h */
	int life;                        /* hangs up when the run is over without a word; -1: none */
	uint32_t number;                 /* of this controller in the run */
	const pid_t *attach;             /* processes that run already */
	unsigned n_attach;
	const char *agent;       /* path of the agent, for those */
	struct control_end *end; /* or NULL */
	bool waits;              /* threads whose rings are full: they wait, instead of losing events */
};

/* Counts of the processes that connected. */
struct control_end {
	unsigned processes;                         /* processes that were accepted */
	unsigned foreign, silent, unfit, unwatched; /* struct probe_refused */
};

/*
 * Returns when the analyzer has said END, or is gone; everything is out of the processes then.
 * -ESRCH: none could be attached to.
 */
int control_run(const struct control_how *how, struct weft_err *err) WEFT_MUST_CHECK;

#endif
