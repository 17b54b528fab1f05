/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded run as a program: its tasks as a file that starpu_replay submits, and a machine of so many processors. */
#ifndef WEFT_CLI_SIMULATE_TRACE_H
#define WEFT_CLI_SIMULATE_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct simulate_trace {
	char folder[PATH_MAX]; /* temporary */
	char tasks[PATH_MAX + 16];
	char program[PATH_MAX]; /* starpu_replay */
	uint32_t workers;       /* that the trace has */
};
bool simulate_is_trace(const char *operand); /* not a program */
/* 0, or the exit status after a message. End it in either case. */
int simulate_trace_begin(struct simulate_trace *t, const char *path);
void simulate_trace_end(struct simulate_trace *t);
/* The files of a machine of that name of so many processors, in folder/bus. 0, or the exit status after a message. */
int simulate_make_machine(const char *folder, const char *name, uint32_t cpus);

#endif
