/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft record --probe`: functions of programs that know nothing of Weft, watched by libweft-agent in every process of the
 * command. A thread of its own takes the processes as they appear and puts the probes in before their main; what they see, the
 * processes write by themselves, each into its stream of libweft.
 */
#ifndef WEFT_CLI_RECORD_PROBE_H
#define WEFT_CLI_RECORD_PROBE_H

#include "base/opt.h"
#include "base/str.h"
#include <sys/types.h>

struct record_prober;

struct record_prober_how {
	const struct weft_opt_list *probes; /* as texts (probe_watch.h); borrowed */
	const char *dir;                    /* of the trace, absolute; borrowed */
	bool attach;                        /* to a process that runs: none that we start gets an agent */
};

struct record_probed {
	uint32_t processes; /* that got probes; children which have theirs by fork() are not counted */
};

/*
 * Reads the probes, listens, and sets the environment that brings the agent into the command's processes: before the command's
 * process is made. Then it must be started.
 */
int record_prober_new(struct record_prober **out, const struct record_prober_how *how, struct weft_err *err) WEFT_MUST_CHECK;
int record_prober_start(struct record_prober *p) WEFT_MUST_CHECK;
/* In place of starting: loads the agent into a process, and has it take samples ("": none) and watch. Fails where nothing at all would be recorded. */
int record_prober_attach(struct record_prober *p, pid_t pid, const char *samples, struct weft_err *err) WEFT_MUST_CHECK;
void record_prober_look(struct record_prober *p); /* for threads that began since */
/*
 * Processes that still run go on recording, but for one that was attached to. `remarks`: lines about probes that could not be put anywhere. Frees; p may be NULL.
 */
void record_prober_finish(struct record_prober *p, struct record_probed *totals, struct weft_buf *remarks);

/* ---- record_outside.c: a process without a dynamic linker is seen from outside (probe/probe_outside.h), and we write its stream ---- */

struct record_outside;
struct record_outside_how {
	const char *dir, *name;             /* of the trace, of the program; borrowed */
	const char *samples;                /* a number a second; "": none */
	const struct weft_opt_list *probes; /* borrowed */
};

int record_outside_begin(struct record_outside **out, pid_t pid, const struct record_outside_how *how,
                         struct weft_err *err) WEFT_MUST_CHECK;
void record_outside_look(struct record_outside *o);
/* Remarks, as lines, on what could not be watched. Frees; NULL is fine. */
void record_outside_finish(struct record_outside *o, bool ended, struct weft_buf *remarks);

#endif
