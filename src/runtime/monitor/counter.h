/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of tasks: what is counted, and who listens.
 *
 *     a job's stations (task/count.h) ─> values: global, of each worker, of each codelet
 *                                         └─ sample, at some of the stations ─> the listener of the slot
 *
 * A job counts when it was submitted while collecting: upper->counted says in which collection (they are numbered), and whether it is
 * in the number of those that wait or are ready. What costs more than an addition is counted from when a set has it enabled: peaks,
 * times, and what is counted of codelets.
 */
#ifndef WEFT_RUNTIME_MONITOR_COUNTER_H
#define WEFT_RUNTIME_MONITOR_COUNTER_H

#include "monitor_names.h"
#include "runtime/task/task.h"
#include <starpu_perf_monitoring.h>

/* ---- counter_names.c: the table ---- */

enum counter {
	COUNTER_G_SUBMITTED,
	COUNTER_G_PEAK_SUBMITTED,
	COUNTER_G_PEAK_READY,
	COUNTER_W_EXECUTED,
	COUNTER_W_TIME,
	COUNTER_C_SUBMITTED,
	COUNTER_C_PEAK_SUBMITTED,
	COUNTER_C_PEAK_READY,
	COUNTER_C_EXECUTED,
	COUNTER_C_TIME,
	COUNTERS
};
extern const struct monitor_items counter_items;
enum { COUNTER_PEAK = 1, COUNTER_TIMED = 2, COUNTER_CODELET = 4 }; /* what a counter wants counted */
unsigned counter_wants(unsigned at);

/* ---- counter_count.c: counting ---- */

/* Of those that are submitted, in two halves of a word: how many wait for dependencies, how many are ready and wait for a worker. */
struct counter_crowd {
	struct weft_atomic_u64 now[2]; /* by the number of the collection: a late station of the last one spoils nothing */
	struct weft_atomic_u64 peak_waiting, peak_ready;
};
struct counter_global {
	_Alignas(64) struct weft_atomic_u64 submitted;
	struct counter_crowd crowd;
};
struct counter_worker {
	_Alignas(64) struct weft_atomic_u64 executed; /* only the worker stores */
	struct weft_atomic_u64 ns;
	unsigned id;
};
extern struct counter_global counter_global;
extern struct counter_worker counter_worker[STARPU_NMAXWORKERS];

/* A set that wants this (COUNTER_…) is there, or is there no more. */
void counter_want(unsigned what, int more);

/*
 * Those who look at the program from outside (../live) have a counter counted, too, whether or not the program collects; until they look
 * away. Listeners hear nothing of that. With the lock of monitor.h.
 */
void counter_look(unsigned at);
bool counter_is_looked_at(unsigned at);
void counter_look_away(void);

/* ---- counter_codelets.c: what is counted of each codelet ---- */

/* Who listens; at most one. */
struct counter_slot {
	struct weft_atomic_u64 owner; /* the thread that samples or changes it; 0: none */
	unsigned depth;               /* of the owner */
	struct weft_atomic_ptr listener;
};
enum { COUNTER_CODELET_NAME = 48 };
struct counter_codelet {
	struct starpu_codelet *cl;
	char name[COUNTER_CODELET_NAME]; /* as it was when it was first counted: the codelet may be gone */
	struct counter_codelet *next_constant;
	struct counter_slot slot;
	_Alignas(64) struct weft_atomic_u64 submitted;
	struct counter_crowd crowd;
	_Alignas(64) struct weft_atomic_u64 executed;
	struct weft_atomic_u64 ns;
};
/* NULL: there is none, or no memory for it. */
struct counter_codelet *counter_codelet_of(struct starpu_codelet *cl, bool make);
void counter_each_codelet(void (*each)(struct counter_codelet *c, void *arg), void *arg);
void counter_codelets_end(void);

/* ---- counter_listen.c: sets, samples, listeners ---- */

/* A counter's value now, of this worker or codelet where it is one's: doubles hold what is below 2^53. */
double counter_value(unsigned at, unsigned worker, const struct counter_codelet *c);
/* The program collects, or not: only then are listeners called. */
void counter_listeners_hear(bool on);
bool counter_is_heard(const struct counter_slot *s);
void counter_sample_global(void);
void counter_sample_worker(unsigned worker);
void counter_sample_codelet(struct counter_codelet *c);
void counter_listeners_end(void);

#endif
