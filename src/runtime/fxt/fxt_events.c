/* SPDX-License-Identifier: Apache-2.0 */
/* STARPU_FXT_EVENTS: names of StarPU's categories, and what of ours each is. */
#include "fxt.h"
#include "runtime/core/life_trace.h"
#include "runtime/task/complain.h"
#include <string.h>

/* Those of what the runtime does not do (MPI, hypervisor) are known all the same: a list that names them is right. */
static const struct {
	const char *name;
	uint32_t groups;
} events[] = {
	{"USER", RT_GROUP_USER},
	{"TASK", RT_GROUP_TASK},
	{"TASK_VERBOSE", RT_GROUP_TASK_VERBOSE},
	{"TASK_VERBOSE_EXTRA", RT_GROUP_TASK_EXTRA | RT_GROUP_SUBMISSION},
	{"DATA", RT_GROUP_DATA},
	{"DATA_VERBOSE", RT_GROUP_DATA},
	{"WORKER", RT_GROUP_WORKER},
	{"WORKER_VERBOSE", RT_GROUP_WORKER_VERBOSE},
	{"DSM", RT_GROUP_DSM},
	{"DSM_VERBOSE", RT_GROUP_DSM_VERBOSE},
	{"SCHED", RT_GROUP_SCHED},
	{"SCHED_VERBOSE", RT_GROUP_SCHED_VERBOSE},
	{"LOCK", RT_GROUP_LOCK},
	{"LOCK_VERBOSE", RT_GROUP_LOCK},
	{"EVENT", 0},
	{"EVENT_VERBOSE", 0},
	{"MPI", 0},
	{"MPI_VERBOSE", 0},
	{"MPI_VERBOSE_EXTRA", 0},
	{"HYP", 0},
	{"HYP_VERBOSE", 0},
};

uint32_t rt_fxt_groups(const char *list, uint32_t known)
{
	static const char between[] = ",| \t";
	uint32_t groups = 0;
	bool any = false;
	for (const char *at = list ? list + strspn(list, between) : ""; *at; at += strspn(at, between)) {
		size_t n = strcspn(at, between), i = 0;
		while (i < sizeof events / sizeof *events && (strlen(events[i].name) != n || memcmp(events[i].name, at, n) != 0))
			i++;
		if (i < sizeof events / sizeof *events) {
			groups |= events[i].groups;
			any = true;
		} else {
			rt_say("STARPU_FXT_EVENTS: there are no events '%.*s'", (int)(n < 60 ? n : 60), at);
		}
		at += n;
	}
	return any ? groups | RT_GROUP_ALWAYS : known;
}
