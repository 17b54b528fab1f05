/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that no agent can be loaded into, since it has no dynamic linker: what the kernel's events say of it from outside.
 *
 *     samples     a clock of each thread, with its registers and the next bytes of its stack, which are unwound here
 *     functions   probes of the kernel at begin and return; without values
 *
 * Threads that it makes later are seen as well. One thread at a time uses it.
 */
#ifndef WEFT_PROBE_OUTSIDE_H
#define WEFT_PROBE_OUTSIDE_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum probe_outside_what { PROBE_OUTSIDE_SAMPLE, PROBE_OUTSIDE_ENTER, PROBE_OUTSIDE_LEAVE, PROBE_OUTSIDE_THREAD_END };
struct probe_outside_event {
	enum probe_outside_what what;
	uint64_t time_ns; /* of CLOCK_MONOTONIC */
	pid_t tid;
	uint32_t function; /* the how manieth that probe_outside_watch has named */
	uint32_t n;        /* addresses of a sample, as in a SAMPLE record */
	const uint64_t *address;
	bool cut, lost; /* there was more of the stack than was seen; who called the last address is not known */
};
struct probe_outside_module {
	uint64_t first, end;
	char path[512];
	uint8_t build_id[64];
	size_t build_id_bytes;
};
struct probe_outside;

/* period_ns: 0: no samples. All threads that there are; nothing is seen before probe_outside_go. */
int probe_outside_open(struct probe_outside **out, pid_t pid, uint64_t period_ns, struct weft_err *err) WEFT_MUST_CHECK;
/* Functions of that name, a C or C++ one, or a pattern; says each. How many, or a reason. */
typedef void probe_outside_named(void *arg, uint32_t function, const char *name);
int probe_outside_watch(struct probe_outside *o, const char *name, probe_outside_named *says, void *arg, struct weft_err *err);
int probe_outside_go(struct probe_outside *o, struct weft_err *err) WEFT_MUST_CHECK;
const struct probe_outside_module *probe_outside_module(const struct probe_outside *o); /* the program */
/* Tells of what has been, in the order of time, but the newest (unless it is the last look). 0 or what see() says. */
typedef int probe_outside_see(void *arg, const struct probe_outside_event *e);
int probe_outside_look(struct probe_outside *o, bool last, probe_outside_see *see, void *arg) WEFT_MUST_CHECK;
uint64_t probe_outside_lost(const struct probe_outside *o); /* events that nobody has fetched in time */
void probe_outside_close(struct probe_outside *o);          /* NULL is fine */

#endif
