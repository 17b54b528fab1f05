/* SPDX-License-Identifier: Apache-2.0 */
/* How threads that have ended did, by the kernel's account of them. One thread calls all of these. */
#ifndef WEFT_CLI_RECORD_WATCH_TASKSTATS_H
#define WEFT_CLI_RECORD_WATCH_TASKSTATS_H

#include "record_watch.h"

struct record_account {
	struct record_cpu cpu; /* of the thread */
	int status;            /* wait status: the process's, when it was the last of its threads */
};

struct record_taskstats;
/* 0, or negative where the kernel does not tell us. */
int record_taskstats_open(struct record_taskstats **out) WEFT_MUST_CHECK;
/* Reads what has come. */
void record_taskstats_fetch(struct record_taskstats *t);
/* The account of a thread that has ended; it is gone then. False: none has come. */
bool record_taskstats_take(struct record_taskstats *t, pid_t tid, struct record_account *out);
void record_taskstats_close(struct record_taskstats *t); /* t may be NULL */

#endif
