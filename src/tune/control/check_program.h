/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out before a run what a tunlet could measure and tune in a program: the program is started
 * under the agent, inspected while it waits in front of main, and ended there. So the findings are
 * those of a run; only constructors have run.
 */
#ifndef WEFT_TUNE_CHECK_PROGRAM_H
#define WEFT_TUNE_CHECK_PROGRAM_H

#include "tune/lang/spec.h"
#include <stdbool.h>

struct tune_finding {
	bool point;               /* a tuning point; else an event */
	const char *name, *actor; /* actor: "" for a point of all */
	int rc;                   /* 0: it can be done; text then is a remark, or "" */
	bool traps;
	const char *text;
};

struct tune_check_how {
	struct weft_spec *spec;
	char *const *argv; /* the program */
	const char *agent;
	const char *actor; /* whose events, or NULL: those of all */
	void (*found)(void *ctx, const struct tune_finding *f);
	void *ctx;
};

/* 0, or a reason why the program could not be looked at. */
int tune_check(const struct tune_check_how *how, struct weft_err *err) WEFT_MUST_CHECK;

#endif
