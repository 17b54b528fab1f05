/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the kind "runtime" share: the live channel of a process with the task runtime (runtime_way.c), and what bounds its
 * iterations (runtime_bounds.c). The thread of the process calls all of it.
 */
#ifndef WEFT_TUNE_POINT_RUNTIME_H
#define WEFT_TUNE_POINT_RUNTIME_H

#include "control_priv.h"
#include "base/arena.h"
#include "pulse/pulse.h"
#include "runtime_sample.h"

/* What bounds iterations in one way, for all events that are bounded so. */
struct runtime_bounds {
	char *text; /* as the specification says it; owned */
	struct runtime_method method;
	bool is_open;              /* an iteration has begun; */
	uint64_t number, ended;    /* this one, and the one that has ended now */
	double from;               /* the counter's value at its beginning */
	uint64_t from_ns;          /* when that was */
	double begun;              /* of the program's own iterations: how many the last sample knew */
	uint64_t numbers;          /* given so far */
	bool ends_now, begins_now; /* by the last sample */
};

/* A knob that was turned, and what it takes to turn it back. */
struct runtime_turned {
	uint32_t action;
	char *command; /* owned */
};

struct runtime_live {
	int fd; /* -1: there is no channel, now */
	bool was_there, is_said;
	uint64_t next_try_ns;
	unsigned tries;
	double hz; /* as it was said */
	struct weft_buf in;
	struct weft_arena of_sample, of_answer;
	const struct pulse_value *sample; /* the last one, or NULL */
	const struct pulse_value *answer; /* to the last command */
	unsigned owed;                    /* answers that are to come */
	WEFT_VEC(struct runtime_bounds) bounds;
	WEFT_VEC(struct runtime_turned) turned;
};

/* -- runtime_way.c -- */
/* Connects when there is somebody. What is wanted has to be said then: true. */
bool runtime_connect(struct control_process *t, struct runtime_live *l);
void runtime_disconnect(struct control_process *t, struct runtime_live *l);
/* The answer comes later. */
void runtime_say(struct runtime_live *l, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* What there is, without waiting for more: 1 when a sample has come (it is in l->sample), 0: nothing more, -EPIPE: it has ended. */
int runtime_hear(struct runtime_live *l) WEFT_MUST_CHECK;

/* -- runtime_bounds.c -- */
int runtime_bounds_add(struct runtime_live *l, const char *method, uint32_t *at, struct weft_err *err) WEFT_MUST_CHECK;
/* What the last sample ends and begins. */
void runtime_bounds_look(struct runtime_live *l);
/* Where the instant and the counters of an end or a begin are: of the program's own iterations those that it said then. */
const struct pulse_value *runtime_bounds_instant(const struct runtime_live *l, const struct runtime_bounds *b, bool at_exit);
/* Nothing is open any more. */
void runtime_bounds_lose(struct runtime_live *l);
void runtime_bounds_free(struct runtime_live *l);

#endif
