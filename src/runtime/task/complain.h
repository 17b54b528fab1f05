/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the runtime to the user, "starpu: …" on stderr. */
#ifndef WEFT_RUNTIME_TASK_COMPLAIN_H
#define WEFT_RUNTIME_TASK_COMPLAIN_H

#include "base/atomic.h"
#include "base/err.h"

/* A line, unless STARPU_SILENT is set. */
void rt_say(const char *fmt, ...) WEFT_PRINTF(1, 2);
/*
 * The program used the interface wrongly, and going on would corrupt its data: prints a line, and
 * aborts.
 */
_Noreturn void rt_misuse(const char *fmt, ...) WEFT_PRINTF(1, 2);

/* A number of the environment; one outside of its range is said, and `otherwise` it is. */
int rt_env_number(const char *name, int least, int most, int otherwise);
/* The same of a factor, from 0 on. */
float rt_env_factor(const char *name, float otherwise);

#define RT_EXPECT(holds, ...) \
	do { \
		if (WEFT_UNLIKELY(!(holds))) \
			rt_misuse(__VA_ARGS__); \
	} while (0)

#endif
