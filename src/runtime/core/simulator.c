/* SPDX-License-Identifier: Apache-2.0 */
/* Who simulates, if anybody; and which variables belong to a strand. */
#include "simulator.h"
#include "base/err.h"
#include <string.h>

const struct rt_simulator *rt_simulator;
struct rt_sim_own rt_sim_own[RT_SIM_OWNS];
unsigned char rt_sim_initial[RT_SIM_OWN_BYTES];

void rt_sim_keeps_own(void *(*at)(void), size_t bytes)
{
	size_t before = 0;
	unsigned i = 0;
	for (; i < RT_SIM_OWNS && rt_sim_own[i].at && rt_sim_own[i].at != at; i++)
		before += rt_sim_own[i].bytes;
	if (i + 1 == RT_SIM_OWNS || before + bytes > RT_SIM_OWN_BYTES)
		WEFT_BUG("no room for what strands have of their own");
	rt_sim_own[i] = (struct rt_sim_own){at, bytes, before};
	memcpy(rt_sim_initial + before, at(), bytes);
}
