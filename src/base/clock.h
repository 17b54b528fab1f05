/* SPDX-License-Identifier: Apache-2.0 */
/* Time of day and of the machine, in integer nanoseconds. All are thread-safe, and all but the last are async-signal-safe. */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

uint64_t weft_monotonic_ns(void);
uint64_t weft_realtime_ns(void);
uint64_t weft_thread_cpu_ns(void);  /* CPU time of the calling thread */
uint64_t weft_process_cpu_ns(void); /* CPU time of the process */
/* That the first thread of a process (0: this one) could run, but others did, or it had no more of its share; 0 where nobody counts that. */
uint64_t weft_process_delay_ns(pid_t pid);

#endif
