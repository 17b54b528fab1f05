/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a thread between chunks: what its appender has got, and what is still to come. Lanes are given to it in
 * the order of the file; different threads may be served by different workers at once.
 */
#ifndef WEFT_TRACE_PRV_TAIL_H
#define WEFT_TRACE_PRV_TAIL_H

#include "prv_chunk.h"

struct prv_cpu_since {
	uint64_t time;
	uint32_t cpu;
};
struct prv_tail {
	struct weft_appender *to; /* borrowed; NULL until the first lane */
	uint64_t last;            /* time of the last event in order */
	uint32_t cpu;             /* in force behind it */
	bool any;
	WEFT_VEC(struct prv_cpu_since) history; /* every change of the cpu so far, by time */
	WEFT_VEC(struct prv_end) end;           /* waiting, by time; message: its number in the builder */
};
void prv_tail_fini(struct prv_tail *t);

/*
 * Gives a thread's lane to its appender. ids: of the chunk's own list of unknown numbers, or NULL; first_message: number of
 * the chunk's first message. The lane is changed. 0 or negative.
 */
int prv_tail_append(struct prv_tail *t, struct prv_lane *l, const uint32_t *ids, uint64_t first_message) WEFT_MUST_CHECK;
int prv_tail_flush(struct prv_tail *t) WEFT_MUST_CHECK; /* at the end of the file: gives what is waiting */

#endif
