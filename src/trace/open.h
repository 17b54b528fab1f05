/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a trace of any format. */
#ifndef WEFT_TRACE_OPEN_H
#define WEFT_TRACE_OPEN_H

#include "trace/store/index_files.h"

/*
 * Opens `NAME.weft/`, a stream file, `.prv`, Paje (both also packed by gzip or zstd). Builds the index when there is none or it is older than
 * the streams. Damage is no failure: it is listed in `problem`. how may be NULL. Freed by weft_trace_close.
 * A pipe (a FIFO, `-` for stdin) is read once, and never leaves an index.
 */
int weft_trace_open(struct weft_trace **out, const char *path, const struct weft_open_how *how,
                    struct weft_err *err) WEFT_MUST_CHECK;

/* A folder, or one file of our own format. */
bool weft_trace_is_ours(const char *path);

/*
 * Opens several recordings of our own format as one trace, for instance of each rank its own: clocks are aligned, and messages have both ends.
 * No index is left. Where nodes share no point that their recorders passed together, the ends of the MPI_Barriers that all have called are taken for such.
 */
int weft_trace_open_together(struct weft_trace **out, const char *const *path, uint32_t n, const struct weft_open_how *how,
                             struct weft_err *err) WEFT_MUST_CHECK;

/*
 * One try at building the trace that will be called `name` from `path`, with an index folder or (dir NULL) without. Takes the
 * stream, if there is one.
 */
int open_build(struct weft_trace **out, const struct weft_reader *reader, const char *name, const char *path, const char *dir,
               const struct index_stamps *stamps, struct text_stream *stream, const struct weft_open_how *how,
               struct weft_err *err) WEFT_MUST_CHECK;

#endif
