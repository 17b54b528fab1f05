/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_CLI_TABLE_SCALE_H
#define WEFT_CLI_TABLE_SCALE_H

#include "metric/view/view.h"

#define CLI_TABLE_COLUMNS_UNSAID UINT64_MAX
struct cli_table_scale {
	const char *min, *max, *delta; /* as they were said; NULL: they were not */
	uint64_t columns;
	double own_min, own_max, own_delta; /* what they mean */
};
/* What the options mean; 0, or the exit status after a message. */
int cli_table_scale_read(struct cli_table_scale *s);
/* Changes the table's scale; what was not said stays as the view has it. 0, or the exit status after a message. */
int cli_table_scale_set(const struct cli_table_scale *o, struct weft_hist *h);

#endif
