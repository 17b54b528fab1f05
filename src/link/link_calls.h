/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the library that is preloaded into every process (src/preload), which bears the names of runtimes' functions and knows nothing, and
 * one that records a runtime (src/mpi and its like), which is loaded at the first call in a process that is to be recorded.
 */
#ifndef WEFT_LINK_CALLS_H
#define WEFT_LINK_CALLS_H

#include "link_thread.h"
#include <stdint.h>

enum { LINK_CALLS_VERSION = 2 };

struct link_calls {
	uint32_t version, n_calls;
	void **slot;                     /* where a call of the program goes: the recording side puts its own functions there */
	void *const *real;               /* what the runtime has under the name; NULL: nothing */
	void *(*find)(const char *name); /* another name of the runtime, or NULL */
	link_thread_on *on_thread;
};

/* A recording library's one function: 0 or -errno, and then no slot has changed. */
typedef int link_calls_begin(const struct link_calls *);
/* What lies behind a recording library that the program itself is linked with. */
typedef void *link_calls_behind(const char *name);

#endif
