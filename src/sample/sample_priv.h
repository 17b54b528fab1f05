/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft-sample share.
 *
 *     sample_core.c     begin: settings, the threads that there are; children
 *          |
 *     sample_thread.c   a slot for each thread, with its timer <-- begin and end of threads (libweft-preload)
 *          |
 *     sample_tick.c     the handler: call stack, event; counters where they go with samples
 */
#ifndef WEFT_SAMPLE_PRIV_H
#define WEFT_SAMPLE_PRIV_H

#include "base/atomic.h"
#include "link/link_counter.h"
#include "link/link_sample.h"
#include "unwind/unwind.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <weft/record.h>

enum { SAMPLE_FRAMES_MOST = 250, SAMPLE_HZ = 100, SAMPLE_HZ_MOST = 10000 };

struct sample_settings {
	int signal;
	bool samples; /* the category is wanted */
	bool wall;    /* by CLOCK_MONOTONIC, waiting threads as well */
	uint64_t period_ns;
	link_thread_on *on_thread;
};
extern struct sample_settings sample_settings;
extern weft_category sample_category;
extern weft_type sample_period;

struct sample_counter {
	int fd; /* -1: none */
	uint64_t id, last, enabled, running;
};

/* Of one thread; never freed, used again. What its handler writes is nobody else's. */
struct sample_thread {
	pid_t tid; /* 0: free */
	int timer; /* the kernel's number; -1: none */
	bool told; /* its period stands in the trace */
	bool is_main;
	struct unwind_stack own; /* zeros: not known */
	struct sample_thread *next_free;
	struct sample_counter counter[LINK_COUNTERS_MOST];
	uint64_t word[SAMPLE_FRAMES_MOST + 1]; /* the event: number of addresses, addresses */
};

void sample_tick(int signal, siginfo_t *info, void *context);

/* Of this thread, at its begin: with its stack's bounds. Of another one: without. 0 or -errno; -EEXIST: it has one. */
int sample_thread_begin_own(void);
int sample_thread_begin(pid_t tid);
void sample_thread_end_own(void);
/* In a child: none of the parent's threads has a timer; this one gets its own again. */
void sample_thread_child(void);
bool sample_thread_is_slot(const void *at);

/* ---- sample_count.c ---- */

void sample_count_define(void); /* as WEFT_COUNTERS says */
unsigned sample_counters(void); /* how many */
void sample_count_begin(struct sample_thread *t);
void sample_count_end(struct sample_thread *t);
void sample_count_take(struct sample_thread *t); /* in the handler of this thread */

#endif
