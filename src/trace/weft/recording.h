/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a trace is being recorded, for those who would replace it. */
#ifndef WEFT_TRACE_RECORDING_H
#define WEFT_TRACE_RECORDING_H

#include "base/err.h"

/*
 * Locks the folder for the recording that begins in it, until the descriptor that is returned is closed. -EBUSY: another recording
 * has it. -EOPNOTSUPP where the file system has no locks: go on without.
 */
int weft_trace_lock(const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* 0, or -EBUSY: a `weft record`, or a process of this machine that one has left running, records into the folder. */
int weft_trace_check_idle(const char *path, struct weft_err *err) WEFT_MUST_CHECK;

#endif
