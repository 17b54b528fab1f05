/* SPDX-License-Identifier: Apache-2.0 */
/* Whether time is simulated. */
#include "virtual_time.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* No instant of a task is 0, which says "none". */
enum { BEGINS_NS = 1000000 };
struct rt_simulated rt_simulated = {.now_ns = {BEGINS_NS}};

static bool names_a_machine(void)
{
	char path[4096];
	const char *dir = getenv("STARPU_PERF_MODEL_DIR"), *host = getenv("STARPU_HOSTNAME");
	if (!dir || !*dir || !host || !*host || snprintf(path, sizeof path, "%s/bus/%s.machine", dir, host) >= (int)sizeof path)
		return false;
	return access(path, R_OK) == 0;
}

static __attribute__((constructor)) void look(void)
{
	const char *asked = getenv("STARPU_SIMULATED");
	rt_simulated.is = asked && *asked ? atoi(asked) > 0 : names_a_machine();
	if (rt_simulated.is && !(asked && *asked)) /* for programs that ask */
		setenv("STARPU_SIMULATED", "1", 1);
}
