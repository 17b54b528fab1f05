/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of what runtimes did, by name: mpi-profile, mpi-matrix, openmp, locks, io, memory. */
#ifndef WEFT_METRIC_RUN_TABLES_H
#define WEFT_METRIC_RUN_TABLES_H

#include "base/table.h"
#include "trace/store/trace.h"

/*
 * Whether there is a table of this name for the trace: traces of other formats have none, and are left to the library's view of that name.
 */
bool weft_run_table_named(const char *name);
bool weft_run_table_has(const struct weft_trace *t, const char *name);
/* The category that a recorded trace would need for it; NULL: the trace is a foreign one, which views are for. */
const char *weft_run_table_lacks(const struct weft_trace *t, const char *name);
const char *weft_run_table_at(unsigned i); /* names; NULL behind the last */

enum { WEFT_RUN_COLUMNS = 12, WEFT_RANK_LABEL = 40 };
struct weft_run_table_how {
	uint64_t from, to; /* to: WEFT_NEVER: no end */
	bool own_threads;
};
struct weft_run_table {
	struct weft_table table;
	struct weft_column column[WEFT_RUN_COLUMNS]; /* the table's */
	uint64_t peak_bytes;                         /* of memory in use; 0: not said */
	uint64_t lock_entries;                       /* times that locks were taken; 0: not said */
};
/* A table that is named. 0 or negative; then fini all the same. Not to be moved: the table points into it. */
int weft_run_table_make(struct weft_run_table *out, const struct weft_trace *t, const char *name,
                        const struct weft_run_table_how *how) WEFT_MUST_CHECK;
void weft_run_table_fini(struct weft_run_table *r);

/* A process as tables of messages call it: its rank, else its number. */
void weft_rank_label(const struct weft_trace *t, uint32_t process, char *out); /* WEFT_RANK_LABEL bytes */

#endif
