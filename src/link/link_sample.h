/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the library that is preloaded into every process (src/preload), which waits until one has taken some CPU time, and the one that
 * takes samples and reads counters (src/sample), which is loaded then.
 */
#ifndef WEFT_LINK_SAMPLE_H
#define WEFT_LINK_SAMPLE_H

#include "link_thread.h"
#include <stdint.h>

enum { LINK_SAMPLE_VERSION = 1 };
#define LINK_SAMPLE_LIBRARY "libweft-sample.so.0"
#define LINK_SAMPLE_BEGIN "weft_sample_begin"

struct link_sample {
	uint32_t version;
	int signal; /* whose handler is ours: of samples from now on */
	link_thread_on *on_thread;
};

/* 0 or -errno. Not in a signal handler. */
typedef int link_sample_begin(const struct link_sample *);

#endif
