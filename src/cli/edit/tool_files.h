/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace tools work on .prv files. For a trace of ours they get one that was converted into a folder beside the output,
 * and what they make is converted back where the output is to be a trace of ours.
 */
#ifndef WEFT_CLI_TOOL_FILES_H
#define WEFT_CLI_TOOL_FILES_H

#include "cli/common/cli.h"
#include "tool/tool.h"

struct cli_tool_files {
	const struct cli_common *common;
	const char *out; /* borrowed */
	char *from, *to; /* what the tool reads and writes. Owned */
	char *folder;    /* temporary, NULL: none. Owned */
	bool force, to_weft;
};
bool cli_is_prv(const char *path); /* by its name */
/* 0, or the exit status after a message. Then end all the same. */
int cli_tool_begin(struct cli_tool_files *f, const struct cli_common *common, const char *in, const char *out, bool force);
/*
 * status: begin's; rc: the tool's, when that was 0. Converts back, removes what was temporary, says what the report has to say;
 * the exit status.
 */
int cli_tool_end(struct cli_tool_files *f, int status, int rc, const struct weft_tool_report *report, const struct weft_err *err);
/* Reads a file of options that must have a section, and prints its warnings. 0 or the exit status; then fini all the same. */
int cli_tool_xml(const char *path, struct weft_tool_options *o, unsigned section, const char *name);
/* An option's list of event types (NULL: none). 0, or the exit status after a message. */
int cli_tool_types(const struct weft_command *cmd, const char *option, const char *text, struct weft_tool_type_list *l);
/* Warns of lines that were left out. */
void cli_tool_say(const char *in, const struct weft_tool_report *report);

#endif
