/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft-sample share.
 *
 *     sample_core.c     begin: settings, the threads that there are; children
 *          |
 *     sample_thread.c   a slot for each thread, with its timer <-- begin and end of threads (libweft-preload)
 *          |
 *     sample_tick.c     the handler: call stack, event; counters where they go with samples
 *     sample_count.c    counters of threads: with ticks, at regions
 *     sample_each.c     a thread of ours: counters of the process each so often -- sample_machine.c
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
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <weft/record.h>

enum { SAMPLE_FRAMES_MOST = 250, SAMPLE_HZ = 100, SAMPLE_HZ_MOST = 10000 };

struct sample_settings {
	int signal;
	bool samples; /* the category is wanted */
	bool wall;    /* by CLOCK_MONOTONIC, waiting threads as well */
	uint64_t period_ns;
	link_thread_on *on_thread;
	void (*foreign)(int, siginfo_t *, void *);
	const void *first_timer;
};
extern struct sample_settings sample_settings;
extern weft_category sample_category;
extern weft_type sample_period;

struct sample_counter {
	int fd;                  /* of perf; -1: none */
	uint8_t leader, n_group; /* its group's first counter; of that one, how many are in the group */
	uint64_t id, last;       /* id, enabled and running: of the group's first */
	uint64_t enabled, running;
};

/* Of one thread; never freed, used again. What its handler writes is nobody else's. */
struct sample_thread {
	pid_t tid; /* 0: free */
	int timer; /* the kernel's number; -1: none */
	bool told; /* its period stands in the trace */
	bool is_main;
	struct unwind_stack own; /* zeros: not known */
	struct sample_thread *next_free;
	bool busy, met;                 /* reads counters; has been at a region */
	uint8_t set[LINK_PLANS_MOST];   /* by plan: the list whose turn it is */
	uint32_t told_set, was_nothing; /* bits, by plan */
	struct sample_counter counter[LINK_COUNTED_MOST];
	uint64_t word[SAMPLE_FRAMES_MOST + 1]; /* the event: number of addresses, addresses */
};

void sample_tick(int signal, siginfo_t *info, void *context);

/* Of this thread, at its begin: with its stack's bounds. Of another one: without. 0 or -errno; -EEXIST: it has one. */
int sample_thread_begin_own(void);
int sample_thread_begin(pid_t tid);
void sample_thread_end_own(void);
void sample_thread_last(void); /* what this thread's counters have counted at last */
/* In a child: none of the parent's threads has a timer; this one gets its own again. */
void sample_thread_child(void);
/* Timers of threads that are gone, or all. */
void sample_thread_sweep(bool all);
bool sample_thread_is_slot(const void *at);
/* This thread's slot, made where it has none; NULL: no memory, or not now. For signal handlers, too. */
struct sample_thread *sample_thread_here(void);

/* ---- sample_count.c ---- */

struct sample_counts {
	struct link_plans plans;
	weft_category category;
	weft_counter counter[LINK_COUNTED_MOST];
	weft_type counted, list;
	uint64_t began_ns;
	bool has[3]; /* by enum link_counter_where */
};
extern struct sample_counts sample_counts;
struct sample_values {
	uint32_t has; /* bits, by counter */
	uint64_t per_cent, value[LINK_COUNTED_MOST];
};

void sample_count_define(bool asked); /* as WEFT_COUNTERS says */
uint64_t sample_now_ns(void);
uint8_t sample_count_turn(const struct link_plan *p); /* the list whose turn it is now */
void sample_count_begin(struct sample_thread *t);
void sample_count_end(struct sample_thread *t);
void sample_count_take(struct sample_thread *t, enum link_counter_where where); /* of this thread */
void sample_count_read(struct sample_thread *t, unsigned plan, struct sample_values *out);
bool sample_count_rotate(struct sample_thread *t, unsigned plan, uint8_t set); /* false: it is this list's turn */
void sample_count_tell(const struct sample_values *v, int set);                /* set: said where it is not negative */
uint64_t sample_usage_of(const struct rusage *u, unsigned what, clockid_t clock);
int sample_count_meter(void); /* at regions from now on, where that is asked for */

/* What perf's counters of all threads have counted, of threads that ended as well; and the next list's turn in all of them. */
void sample_threads_add(unsigned plan, unsigned set, struct sample_values *out);
void sample_threads_rotate(unsigned plan, uint8_t set);

/* ---- sample_each.c ---- */

int sample_each_begin(void);
void sample_each_child(void);
void sample_each_end(void);

/* ---- sample_machine.c ---- */

bool sample_read_rss(uint64_t *out);
uint64_t sample_read_heap(unsigned what); /* link_counter.type */
void sample_machine_find(void);
void sample_machine_take(struct weft_bundle *b, unsigned plan);
void sample_machine_child(void);

#endif
