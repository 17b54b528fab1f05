/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `weft tune` share. */
#ifndef WEFT_CLI_TUNE_RUN_H
#define WEFT_CLI_TUNE_RUN_H

#include "cli/common/cli.h"
#include "tune/analyze/analyze.h"
#include <sys/types.h>

enum { TUNE_ATTACH_MAX = 64 };

struct tune_args {
	struct cli_common common;
	struct weft_opt_list tunlet, exe, rank, host, enters, handlers, attach, place;
	bool dry_run, undo, force, waits;
	const char *when_full, *report, *output, *replay, *collectors, *listen;
	uint64_t window_ns, limit_ns, sync_ns;
	double busy;
};

/* Runs the command (or attaches) under controller and analyzer; the exit status. */
int tune_run(const struct tune_args *args, struct analyze_how *how, char **argv);

/* -- tune_check.c: operand: the program, the specification, perhaps an actor -- */
int tune_check_command(const struct tune_args *args, struct analyze_how *with, char **operand, int n);

/* -- tune_files.c -- */
/* A file of Weft's: beside the program in a build folder, or where it is installed. 0, or -ENOENT. */
/* A name without a folder that is no file here may be a tunlet that came with Weft. */
void tune_find_tunlet(const char *given, char *out, size_t room);
/* The folder with the tunlets that come with Weft. 0, or -ENOENT. */
int tune_shipped_folder(char *out, size_t room) WEFT_MUST_CHECK;
int tune_agent_path(char *out, size_t room, struct weft_err *err) WEFT_MUST_CHECK;
/* What --when-full says, or NULL; false: nothing that it could mean. */
bool tune_when_full(const char *given, bool *waits);
/* The tunlets of the command line, opened; warnings are printed. CLI_OK, or the exit status after a message. */
int tune_open(const struct tune_args *args, struct analyze_how *how);
void tune_close(struct analyze_how *how);

#endif
