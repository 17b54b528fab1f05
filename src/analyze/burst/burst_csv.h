/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts that a list gives: what Paraver saves of a timeline as text, one interval a line, with blanks between.
 *
 *     1.2.1    1000    500    3      application.process.thread, begin and length in units of the trace, value; a value of 0 is no burst
 *     1.2      1000    500    3      of processes with one thread
 */
#ifndef WEFT_ANALYZE_BURST_CSV_H
#define WEFT_ANALYZE_BURST_CSV_H

#include "burst.h"

/* path: for messages. 0, -ENOMEM, or -EINVAL with the line that is wrong. Also on failure: free(*out). By thread, then begin. */
int weft_burst_csv_parse(struct weft_burst_row **out, size_t *n_rows, const struct weft_trace *t, const char *path,
                         const char *text, size_t n, struct weft_err *err) WEFT_MUST_CHECK;

#endif
