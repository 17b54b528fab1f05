/* SPDX-License-Identifier: Apache-2.0 */
/* The command's processes and threads, from what a watch has seen; written as records of the launcher's stream. */
#ifndef WEFT_CLI_RECORD_TREE_H
#define WEFT_CLI_RECORD_TREE_H

#include "base/map.h"
#include "record_stream.h"
#include "record_watch.h"

struct record_tree_thread {
	struct record_lane lane;
	uint32_t process; /* index */
	pid_t tid;
	uint64_t begin;
	char name[16];
};
struct record_tree_process {
	pid_t pid, parent;
	uint32_t live_threads;
	uint64_t begin;
	char program[16];
	bool exec;             /* has become a program of its own */
	struct record_cpu cpu; /* of its threads that have ended, together */
	uint32_t uncounted;    /* threads that have ended, and nobody knows their CPU time */
};

struct record_tree {
	struct record_stream *stream; /* borrowed */
	WEFT_VEC(struct record_tree_thread) thread;
	WEFT_VEC(struct record_tree_process) process;
	struct weft_map thread_of, process_of; /* tid, pid -> index of the one that lives */
	const char *host, *boot_id;            /* borrowed */
	pid_t command;
	int command_status; /* wait status, or -1 as long as it runs */
	struct record_cpu command_cpu;
	uint64_t execs, unknown;
};

/* Begins with the command's process, a child of ours. */
int record_tree_init(struct record_tree *t, struct record_stream *s, pid_t command, const char *host,
                     const char *boot_id) WEFT_MUST_CHECK;
void record_tree_see(void *tree, const struct record_seen_event *e); /* of record_watch_take */
/* How many processes have not ended. */
uint32_t record_tree_live(const struct record_tree *t);
void record_tree_fini(struct record_tree *t);

#endif
