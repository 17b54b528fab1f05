/* SPDX-License-Identifier: Apache-2.0 */
/* A stretch of a trace as a trace of its own. */
#ifndef WEFT_CLI_PHASES_CUT_H
#define WEFT_CLI_PHASES_CUT_H

#include "cli/common/cli.h"

/* [from, to) of t, which was read from path: a .prv of a .prv line by line, a .weft of either. 0, or the exit status after a message. */
int phases_cut(const struct cli_common *c, const struct weft_trace *t, const char *path, const char *output, uint64_t from,
               uint64_t to, bool force);

#endif
