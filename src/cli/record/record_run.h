/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `weft record` share: record_cmd.c has the flow, each of the others one step of it. */
#ifndef WEFT_CLI_RECORD_PRIV_H
#define WEFT_CLI_RECORD_PRIV_H

#include "base/err.h"
#include "base/map.h"
#include "base/opt.h"
#include "record_stream.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct record_args {
	const char *output, *save_on, *watch, *extrae, *join, *sample, *callers, *ranks, *while_file, *attach, *toggle_on, *first;
	bool force, quiet, pack, environment, paused, representative;
	uint64_t ring, stop_at, sample_period, bursts, after, only_for, stretch;
	double tolerance;
	struct weft_opt_list off, on, probe, counters;
};

#define RECORD_NOT_GIVEN UINT64_MAX  /* a size that no option says */
#define RECORD_TOLERANCE_NONE (-1.0) /* no part that an option says */
#define RECORD_ARGS_NONE \
	{ \
		.ring = RECORD_NOT_GIVEN, .stop_at = RECORD_NOT_GIVEN, .sample_period = RECORD_NOT_GIVEN, \
		.bursts = RECORD_NOT_GIVEN, .after = RECORD_NOT_GIVEN, .only_for = RECORD_NOT_GIVEN, \
		.stretch = RECORD_NOT_GIVEN, .tolerance = RECORD_TOLERANCE_NONE \
	}

/* ---- record_extrae_run.c: as Extrae's settings want it ---- */

struct record_extrae;
/*
 * Where there are settings: *a anew, of their options and those of argv, which is as the shell gave it. An exit status. *joined: what the
 * arguments borrow from; freed by the caller.
 */
int record_extrae_apply(struct record_args *a, int argc, char **argv, struct record_extrae *e, char ***joined);
/* The .prv at the end, called as `command` where no name was said. */
void record_extrae_merge(const struct record_extrae *e, const char *trace, const char *command, bool quiet);

/* ---- record_dir.c: the trace's directory ---- */

struct record_dir {
	char *path;  /* absolute; owned, as all of them */
	char *shown; /* as the user would call it */
	char *aside; /* what --force replaces, until the command runs; or NULL */
	bool made;   /* it was not there before */
	int lock;    /* descriptor that holds the lock of the directory; negative: none */
};
/* Makes the directory: `output`, or when NULL a new one called after the program. force: what is there is replaced when it is a trace. */
int record_dir_make(struct record_dir *d, const char *output, const char *program, bool force,
                    struct weft_err *err) WEFT_MUST_CHECK;
void record_dir_keep(struct record_dir *d); /* the command runs: what it replaces can go */
void record_dir_undo(struct record_dir *d); /* as if nothing had been */
void record_dir_fini(struct record_dir *d);

/* ---- record_environment.c: for commands that others start ---- */

/* The run that KEY names: all who say the same key record into one trace. */
void record_join_id(uint8_t run_id[16], const char *key);
/* Holds others of the same trace off, until the descriptor is closed; negative: there are no locks here. */
int record_join_lock(const char *output);
/* Where the run already records, when `output` is its trace; malloc'd, absolute. NULL: it is none of that run. */
char *record_join_find(const char *output, const uint8_t run_id[16]);
/* What the command's environment is to have, a line each; false: not written. */
bool record_print_environment(const char *merged);

/* ---- record_cmd.c ---- */

/* Of a process in a time namespace of its own CLOCK_MONOTONIC is another clock: libweft says it in the same words. */
void record_boot_id(char *out, size_t n);

/* ---- record_launch.c: the command's process ---- */

struct record_child {
	pid_t pid;
	int go;           /* write end: a byte lets it exec; -1 once used */
	int result;       /* read end: errno of a failed exec, or the end of file when it has become the command; -1 once known */
	bool size_signal; /* the command has SIGXFSZ as its default, which we ignore */
};
/* Sets the environment that libweft reads. save_signal: 0 for none. */
int record_set_environment(const struct record_args *a, const char *dir, const uint8_t *run_id, int save_signal,
                           struct weft_err *err) WEFT_MUST_CHECK;
/* A pattern that --on or --off took names a runtime: no process needs to have used it. */
bool record_names_runtime(const char *pattern);
bool record_lists(const struct weft_opt_list *list, const char *category);
/* What finds the runtimes that the command's processes use, and which of them are asked for; 0 or -errno. */
int record_preload(const struct record_args *a) WEFT_MUST_CHECK;
/* ---- record_sample.c ---- */

/* Checks --sample, --sample-period, --callers, --counters, --ranks, --first and --while and sets the environment for them. */
int record_sample(const struct record_args *a, struct weft_err *err) WEFT_MUST_CHECK;
/* Prints the counters that there are. */
int record_list_counters(FILE *to);

/* A process that waits for `go` and then execs argv with the signal mask `mask`. */
int record_fork(struct record_child *c, char **argv, const void *mask, struct weft_err *err) WEFT_MUST_CHECK;
int record_go(struct record_child *c, bool watched) WEFT_MUST_CHECK; /* watched: by more than its parent */
/* "USR1", "SIGUSR1", "10": the signal, or -EINVAL. */
int record_parse_signal(const char *text);

/* ---- record_topology.c: the machine ---- */

/* Writes topology-HOST.xml into dir and a CPU_AT record for each cpu. 0, or negative: then nothing was written. */
int record_topology(struct record_stream *s, const char *dir, const char *host) WEFT_MUST_CHECK;

/* ---- record_count.c: what the streams of libweft hold ---- */

struct record_totals {
	uint64_t streams, events, bytes, dropped;
	uint32_t threads;
	bool estimated; /* events and threads were counted in a part of the pages only */
	int reason;     /* errno value of a stream that could not go on, or 0 */
	bool limit;     /* a stream was full because of --stop-at */
	int pack_error; /* negative: some streams could not be compressed, and are as they were */
	bool ask_categories;
	struct weft_intern categories; /* that processes had, when they are asked for */
};
/* False: it is no stream. By a read: what is mapped may shrink, or have no space for a hole, which would end us. */
/* Processes that could not make a stream, and what the last of them says of it. */
unsigned record_count_missing(const char *dir, char *reason, size_t room);
bool record_read_head(const char *path, struct weft_stream_head *h);
/* Adds what the stream file holds; nothing when it is none. */
void record_count_stream(struct record_totals *t, const char *path);
/* Paths of the streams in dir, without the one called `except`: count, or negative. Freed by weft_list_free. */
int record_list_streams(const char *dir, const char *except, char ***paths);
/* Writes down which streams there are, in the stream of `weft record` itself, called `own`. */
void record_list_into(struct record_stream *s, const char *dir, const char *own);
/* Sends `sig` to each process of this host that is recording into dir; how many there are. */
unsigned record_signal_recorders(const char *dir, const char *host, int sig);

/* ---- record_category.c: names in --on and --off ---- */

bool record_category_asked(const struct record_args *a);
/* Adds the names of categories in a stream of so many pages. */
void record_note_categories(struct weft_intern *had, int fd, uint64_t pages);
/* Says which of those that were asked for no process had. */
void record_check_categories(const struct record_args *a, const struct weft_intern *had);

/* ---- record_pack.c: compressing finished streams meanwhile ---- */

struct record_packer;
/* A thread of lowest priority that counts into *totals and compresses each stream that is closed. */
int record_packer_start(struct record_packer **out, const char *dir, struct record_totals *totals);
/* Ends it after what it is doing; then all other streams are counted, and compressed when `pack`. p may be NULL. */
void record_packer_finish(struct record_packer *p, const char *dir, const char *own_stream, bool pack,
                          struct record_totals *totals);

/* ---- record_attach.c: a process that runs already, until it ends, or SIGINT, SIGTERM or SIGHUP comes. The exit status. ---- */

int record_attach(const struct record_args *args);

#endif
