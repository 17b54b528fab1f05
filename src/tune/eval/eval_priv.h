/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's side of a tunlet at work.
 *
 *     eval.c        the child process: its begin and end, requests, answers
 *     eval_text.c   results, values and faults as text
 */
#ifndef WEFT_TUNE_EVAL_PRIV_H
#define WEFT_TUNE_EVAL_PRIV_H

#include "eval_work.h"
#include "tune/live/live.h"
#include <sys/types.h>

struct known_process {
	uint32_t actor;
	int64_t id;
	char host[EVAL_HOST_MAX];
};

struct weft_eval {
	struct weft_spec *s;
	struct weft_eval_how how;
	struct tune_library library;
	pid_t pid;
	int socket;
	WEFT_VEC(struct known_process) process;
	struct weft_map process_at; /* id -> place there */
	WEFT_VEC(uint32_t) child;   /* collectors */
	struct answer answer;
	struct request request;
	char name[128];
	volatile uint32_t *running; /* shared with the child; its values are checked */
	unsigned restarts;
	struct live *live; /* the events so far; NULL: no parameter is a metric */
	bool has_cost;
	double cost;
};

#endif
