/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of this folder share: opening a trace with its causal model, names of paths and threads. */
#ifndef WEFT_CLI_WHATIF_COMMON_H
#define WEFT_CLI_WHATIF_COMMON_H

#include "cli/common/cli.h"
#include "replay/causal/causal.h"

/* Opens, reads; 0 or the exit status, then nothing has to be closed. */
int whatif_open(const struct cli_common *common, const char *path, struct weft_trace **t, struct weft_causal *c);
void whatif_close(struct weft_trace *t, struct weft_causal *c);
/* "main / solve", without what is outside of all regions; the region's own name for `whole` = false. Into a buffer of the caller's. */
const char *whatif_path_name(const struct weft_causal *c, uint32_t path, bool whole, struct weft_buf *to);

#endif
