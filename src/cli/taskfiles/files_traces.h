/* SPDX-License-Identifier: Apache-2.0 */
/* Several traces whose states are compared: the sums of each, and all names of states. */
#ifndef WEFT_CLI_FILES_TRACES_H
#define WEFT_CLI_FILES_TRACES_H

#include "files_cli.h"

struct files_traces {
	char **path; /* borrowed */
	struct state_sums *at;
	unsigned n;
	struct weft_intern names; /* in any of them */
};
/* 0, or the exit status after a message; then fini all the same. */
int files_traces_read(struct files_traces *t, const struct files_args *a, char **path, int n, bool keep_lengths);
void files_traces_fini(struct files_traces *t);
/* Of a state that a trace does not have: none. Its lengths are borrowed. */
struct state_sum files_traces_sum(const struct files_traces *t, unsigned trace, const char *name);
/* The names, what took longest in the first trace last: malloc'd, or NULL. */
const char **files_traces_order(const struct files_traces *t);

#endif
