/* SPDX-License-Identifier: Apache-2.0 */
/* How verbs are told which bursts are meant. */
#ifndef WEFT_CLI_BURSTS_CLI_H
#define WEFT_CLI_BURSTS_CLI_H

#include "analyze/burst/burst.h"
#include "cli/common/cli.h"

/*
 * "states", "compute", "regions", "type=NAME", "csv=FILE": into how->of and what goes with it; NULL is ANY. 0, or the exit status after a message.
 * `cmd` may be NULL, for programs of foreign names. rows: what FILE lists, for the caller to free, in any case.
 */
int cli_bursts_of(const struct weft_command *cmd, const char *text, const struct weft_trace *t, struct weft_bursts_how *how,
                  struct weft_burst_row **rows);
/* "PREFIX.ENDING" into room; the ending of a trace (.prv, .weft, packed) is taken off first. False: too long. */
bool cli_prefixed(char *room, size_t n, const char *output, const char *ending);

#endif
