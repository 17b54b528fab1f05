/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talk on stderr: "weft: warning: …". The tools set the level from --quiet/--verbose; the libraries that live in other
 * people's processes stay silent unless WEFT_VERBOSE is set. Thread-safe: one write(2) a line.
 */
#ifndef WEFT_BASE_LOG_H
#define WEFT_BASE_LOG_H

#include "err.h"

enum weft_log_level { WEFT_LOG_ERROR, WEFT_LOG_WARN, WEFT_LOG_INFO, WEFT_LOG_DEBUG };

void weft_log_set(enum weft_log_level up_to, const char *program); /* program: borrowed for good, e.g. "weft dump" */
void weft_log(enum weft_log_level level, const char *fmt, ...) WEFT_PRINTF(2, 3);

#endif
