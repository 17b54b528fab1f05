/* SPDX-License-Identifier: Apache-2.0 */
/* The same run on an ideal network: what serialization and transfer are told apart by. */
#ifndef WEFT_CLI_FACTOR_IDEAL_H
#define WEFT_CLI_FACTOR_IDEAL_H

#include "factor_run.h"

/*
 * Replays the trace as basic analysis does: no latency, bandwidth without end, collective operations that cost nothing, messages from 32 KiB on
 * by rendezvous. Sets the factors of run->f[0], or with `stretches` of each, replayed by itself: all threads begin it together, and what is not whole
 * in it is passed over; weight: 0 for those that nobody asks for, NULL: all are. run->no_ideal is the reason where there are none. 0, or the exit status after a message.
 */
int factor_ideal(struct factor_run *run, const struct weft_trace *t, bool stretches, const double *weight,
                 const struct cli_common *c);

#endif
