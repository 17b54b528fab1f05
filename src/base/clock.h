/* SPDX-License-Identifier: Apache-2.0 */
/* Time of day and of the machine, in integer nanoseconds. All are thread-safe, and all but the last are async-signal-safe. */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t weft_monotonic_ns(void);
uint64_t weft_realtime_ns(void);
/* What is added to the one for the other. Both are read side by side, however often the thread is put aside meanwhile. */
uint64_t weft_realtime_offset_ns(void);
uint64_t weft_thread_cpu_ns(void);  /* CPU time of the calling thread */
uint64_t weft_process_cpu_ns(void); /* CPU time of the process */

/*
 * CPU time of a process, of all its threads, also of a zombie that nobody has waited for; pid 0: the calling one. `total_ns` is exact;
 * the kernel may know user and system time by ticks only: their ratio divides the total, as getrusage does.
 */
struct weft_cpu_time {
	uint64_t total_ns, user_ns;
};
bool weft_process_cpu_time(pid_t pid, struct weft_cpu_time *out);
/* The part of `total_ns` that was not in the kernel, when ticks say that the two were so long; all of it when they say nothing. */
uint64_t weft_cpu_user_ns(uint64_t total_ns, uint64_t user_ticks_ns, uint64_t system_ticks_ns);
/* That the first thread of a process (0: this one) could run, but others did, or it had no more of its share; 0 where nobody counts that. */
uint64_t weft_process_delay_ns(pid_t pid);

#endif
