/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an event costs in this process, as the controller asks for it: it puts a probe into the
 * target, has it called some hundred times on the command thread, and compares that with the same
 * without the probe. The least of several rounds counts: others use the processor, too.
 */
#include "agent_priv.h"
#include <time.h>
#include <weft/record.h>

enum { ROUNDS = 16, CALLS = 60 }; /* all their events fit into a ring, twice */

WEFT_PUBLIC void weft_agent_target(void);
WEFT_PUBLIC uint64_t weft_agent_measure(void);

__attribute__((noinline, noclone)) void weft_agent_target(void)
{
	/* One instruction, long enough for any jump. */
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0" ::: "memory");
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Picoseconds of one call. */
uint64_t weft_agent_measure(void)
{
	uint64_t least = UINT64_MAX;
	struct agent_thread *t = agent_self;
	if (t)
		t->ours = 0; /* hits of this thread count for nothing otherwise */
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t from = now_ns();
		for (unsigned k = 0; k < CALLS; k++)
			weft_agent_target();
		uint64_t took = now_ns() - from;
		least = took < least ? took : least;
	}
	if (t)
		t->ours = 1;
	return least * 1000 / CALLS;
}
