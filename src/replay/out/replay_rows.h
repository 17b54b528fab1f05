/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction as a table, a row a rank: the same for the command and for pages. */
#ifndef WEFT_REPLAY_ROWS_H
#define WEFT_REPLAY_ROWS_H

#include "base/table.h"
#include "replay/program/program.h"
#include "replay/sim/replay.h"

enum { WEFT_REPLAY_COLUMNS = 19, WEFT_REPLAY_ALWAYS = 18 }; /* the last one only where memory limits */
extern const struct weft_column weft_replay_columns[WEFT_REPLAY_COLUMNS];

/* The table was begun with the columns, or with those that there are always. */
int weft_replay_row(struct weft_table *t, uint32_t rank, const struct weft_replay_rank *measured,
                    const struct weft_replay_rank_result *x) WEFT_MUST_CHECK;

#endif
