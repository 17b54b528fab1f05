/* SPDX-License-Identifier: Apache-2.0 */
/* The objects and definitions of a trace as tables: what `weft info --list WHAT` prints. */
#ifndef WEFT_CLI_INFO_LIST_H
#define WEFT_CLI_INFO_LIST_H

#include "base/table.h"
#include "trace/store/trace.h"

struct info_list {
	const char *name; /* "threads" */
	const struct weft_column *columns;
	unsigned n_columns;
	int (*fill)(struct weft_table *table, const struct weft_trace *t, const struct info_list *l);
	enum weft_class of; /* for lists of definitions */
};
extern const struct info_list info_lists[]; /* ends with name NULL */

#endif
