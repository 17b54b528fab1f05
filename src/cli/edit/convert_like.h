/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as another tool would have recorded it, written as that tool's files. */
#ifndef WEFT_CLI_CONVERT_LIKE_H
#define WEFT_CLI_CONVERT_LIKE_H

#include "cli/common/cli.h"
#include "likeextrae/like.h"

/*
 * Writes `path`, or a trace that is open, in Extrae's words as the .prv `output`; the exit status. symbols: a folder that stands for /, or NULL.
 * words: what of it; memory and threads are those of `c`.
 */
int cli_write_extrae(const struct cli_common *c, const char *path, const char *output, const char *symbols,
                     const struct weft_extrae_how *words);
int cli_write_extrae_trace(const struct cli_common *c, const struct weft_trace *t, const char *output, const char *symbols,
                           const struct weft_extrae_how *words);

#endif
