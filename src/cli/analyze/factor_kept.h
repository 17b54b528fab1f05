/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of which `weft record --representative` left stretches out: what it kept stands for what is not there. */
#ifndef WEFT_CLI_FACTOR_KEPT_H
#define WEFT_CLI_FACTOR_KEPT_H

#include "factor_run.h"

/* Whether gaps lie in the run, which has one stretch. */
bool factor_has_gaps(const struct factor_run *r, const struct weft_trace *t);
/* Its factors, by what was kept, each stretch as often as it stands for others; the ideal run is that of each, one after the other. 0, or the exit status after a message. */
int factor_kept(struct factor_run *r, const struct weft_trace *t, const struct weft_space *s, const struct factor_run_how *how);

#endif
