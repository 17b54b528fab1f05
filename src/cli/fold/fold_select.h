/* SPDX-License-Identifier: Apache-2.0 */
/* Which bursts are the instances that are folded. */
#ifndef WEFT_CLI_FOLD_SELECT_H
#define WEFT_CLI_FOLD_SELECT_H

#include "fold_run.h"

/* Into *out, and its name into r->region. 0, or the exit status after a message. */
int fold_select(struct fold_run *r, struct weft_bursts *out);

#endif
