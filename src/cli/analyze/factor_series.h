/* SPDX-License-Identifier: Apache-2.0 */
/* Factors over time: of a run's stretches, one after the other. */
#ifndef WEFT_CLI_FACTOR_SERIES_H
#define WEFT_CLI_FACTOR_SERIES_H

#include "factor_run.h"
#include "render/draw/picture.h"

enum factor_by { FACTOR_BY_NONE, FACTOR_BY_PHASE, FACTOR_BY_ITERATION, FACTOR_BY_WINDOW };

/*
 * Iterations or phases that are found without a hint, as `weft phases` does: edges in ns, ascending, and what each stretch is called; both the
 * caller's to free. Times between iterations are stretches, too. 0, or the exit status after a message.
 */
int factor_series_find(const struct weft_trace *t, enum factor_by by, const struct cli_common *c, uint64_t from, uint64_t to,
                       double **edge, char (**label)[FACTOR_LABEL], uint32_t *n);
int factor_series_print(const struct factor_run *run, const struct cli_common *c);
/* A line of coloured stretches for each factor, as wide as they last. */
int factor_series_picture(const struct factor_run *run, enum weft_picture_form form, struct weft_buf *out) WEFT_MUST_CHECK;

#endif
