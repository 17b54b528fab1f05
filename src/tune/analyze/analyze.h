/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analyzer: processes and events in from controllers (message.h), through the evaluation of
 * tunlets (eval.h) and the arbiter, actions out; measured events, decisions and actions are passed
 * to the display, the report and the trace (analyze_show, analyze_report, analyze_sink). It runs in
 * a process of its own.
 */
#ifndef WEFT_TUNE_ANALYZE_H
#define WEFT_TUNE_ANALYZE_H

#include "tune/wire/message.h"
#include "tune/lang/spec.h"
#include <stdbool.h>
#include <stdint.h>

enum { ANALYZE_TUNLETS = 16, ANALYZE_OVERRIDES = 64 };
#define ANALYZE_TUNING UINT32_MAX

/* A property of an actor from the command line, which overrides the specification's. */
struct analyze_override {
	const char *actor; /* NULL: all actors */
	const char *value; /* borrowed */
};

struct analyze_overrides {
	struct analyze_override at[ANALYZE_OVERRIDES];
	unsigned n;
};

struct analyze_tunlet_how {
	struct weft_spec *spec; /* without errors; borrowed */
	const char *handlers;   /* path of the handlers of a tunlet written by hand, or NULL */
};

/* Something at an instant, for a trace: a measured event, an attribute, a value, an action. */
struct analyze_point {
	uint64_t time;    /* ns of the monotonic clock */
	uint32_t process; /* number as in `process`; 0: the analyzer */
	uint32_t thread;  /* of a process: tid, or ANALYZE_TUNING for what was done to it; of the analyzer: the tunlet */
	const char *name;
	struct message_value value;
};

struct analyze_sink {
	void *ctx; /* NULL: there is none */
	void (*process)(void *ctx, uint32_t number, const struct message_process *m, uint64_t time);
	void (*point)(void *ctx, const struct analyze_point *p);
};

struct analyze_how {
	struct analyze_tunlet_how tunlet[ANALYZE_TUNLETS];
	unsigned n_tunlets;
	const int *controller; /* streams of channel.h; the analyzer's from now on */
	unsigned n_controllers;
	unsigned collectors, hosts; /* of the run, for the report; hosts 0: not reported */
	bool adapts;                /* collectors and analyzer are processes of tunlets, which may change how many there are */
	bool may_adapt;             /* not so yet: when the analyzer is busy; tunlet[n_tunlets] is the one for that */
	double busy;                /* for which share of its time, then; 0: 0.5 */
	int life;                   /* struct analyze_end comes from it; or it hangs up */
	int ready;                  /* a byte is written to it when all is prepared */
	struct analyze_overrides exe, rank, host, enters;
	bool dry_run, quiet, verbose, terminal;
	bool undo;          /* at the end, in processes that run on */
	const char *report; /* file, or NULL: a short one on stderr */
	struct analyze_sink sink;
	const char *replay;  /* a trace, instead of controllers */
	const char *command; /* for headings */
	uint64_t window_ns;  /* how long events wait for earlier ones of other processes; 0: 5 ms */
	uint64_t limit_ns;   /* of one evaluation; 0: 1 s */
	uint32_t sync_ms;    /* how long a synchronised action waits for its thread; 0: 10 s */
};

struct analyze_end {
	int32_t status;  /* as wait gives it */
	uint64_t cpu_ns; /* of the command and its children */
};

int analyze_run(const struct analyze_how *how, struct weft_err *err) WEFT_MUST_CHECK;

#endif
