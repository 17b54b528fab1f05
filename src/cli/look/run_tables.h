/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of what runtimes did, by name: mpi-profile, mpi-matrix, openmp, locks, io, memory. */
#ifndef WEFT_CLI_RUN_TABLES_H
#define WEFT_CLI_RUN_TABLES_H

#include "cli/common/cli.h"

/*
 * Whether there is a table of this name for the trace: traces of other formats have none, and are left to the library's view of that name.
 */
bool cli_run_table_named(const char *name);
bool cli_run_table_has(const struct weft_trace *t, const char *name);
/* Whether it is a recorded trace that has none of it, of which no view has, either: then says so. */
bool cli_run_table_lacks(const struct weft_trace *t, const char *name);
/* Prints it; the exit status. to: WEFT_NEVER: no end. */
int cli_run_table(const struct weft_trace *t, const char *name, uint64_t from, uint64_t to, const struct cli_common *c);

#endif
