/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft stat` prints of a trace in which programs said nothing of themselves. */
#ifndef WEFT_CLI_STAT_PROCESSES_H
#define WEFT_CLI_STAT_PROCESSES_H

#include "cli/common/cli.h"

/* Whether there is nothing else to print: no region and no state is defined. */
bool cli_stat_has_processes_only(const struct weft_trace *t);
/* A row for each process, the first `top` (0: all); the exit status. */
int cli_stat_processes(const struct weft_trace *t, const struct cli_common *c, uint64_t top);

#endif
