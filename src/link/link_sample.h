/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the library that is preloaded into every process (src/preload), which waits until one has taken some CPU time, and the one that
 * takes samples and reads counters (src/sample), which is loaded then.
 */
#ifndef WEFT_LINK_SAMPLE_H
#define WEFT_LINK_SAMPLE_H

#include "link_thread.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { LINK_SAMPLE_VERSION = 2 };
#define LINK_SAMPLE_LIBRARY "libweft-sample.so.0"
#define LINK_SAMPLE_BEGIN "weft_sample_begin"
#define LINK_SAMPLE_LOOK "weft_sample_look"
#define LINK_SAMPLE_END "0"

struct link_sample {
	uint32_t version;
	int signal; /* whose handler is ours: of samples from now on */
	link_thread_on *on_thread;
	/* The C library's sigaction; what is done with a signal of this number that is not ours, in its handler. */
	int (*action)(int, const struct sigaction *, struct sigaction *);
	void (*foreign)(int, siginfo_t *, void *);
	/* Takes what tells whether a timer's value is ours, besides the first one's, which may still come. */
	void (*know_timers)(bool (*)(const void *));
	const void *first_timer;
	const char *settings; /* as in WEFT_SAMPLE; NULL: what the environment says */
	int here;             /* the caller is a thread of the program, not one of ours */
};

/* 0 or -errno. Not in a signal handler. */
typedef int link_sample_begin(const struct link_sample *);
/* Where nobody tells of threads: those that have begun or ended since; false: samples end. */
typedef void link_sample_look(bool go_on);

#endif
