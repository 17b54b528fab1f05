/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library, for the other files of libweft-preload. */
#ifndef WEFT_PRELOAD_LIBC_H
#define WEFT_PRELOAD_LIBC_H

#include "preload_calls.h"

/* What the libraries behind us have under the name, in its default version. Async-signal-safe. */
PRELOAD_HIDDEN void *preload_libc_next(const char *name);
/* The caller makes a thread, which is the program's unless the caller is a runtime: what waits for nothing but its age is recorded from now on. Not in a signal handler. */
PRELOAD_HIDDEN void preload_libc_thread(const void *caller);

#endif
