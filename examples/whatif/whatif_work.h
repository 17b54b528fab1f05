/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work of a known length for the programs of this folder: a region of the program's own in which its thread sleeps, so that runs last what
 * they say on any machine, however many threads there are. `fixed`: the program was called with that word, and does the remedy.
 */
#ifndef WHATIF_WORK_H
#define WHATIF_WORK_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <weft/record.h>

static inline void work_us(weft_region region, long us)
{
	struct timespec until;
	weft_enter(region);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += us * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	weft_leave(region);
}

static inline bool is_fixed(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "fixed") == 0;
}

#endif
