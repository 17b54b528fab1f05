/* SPDX-License-Identifier: Apache-2.0 */
/* What we use of OpenMP's tool interface (OpenMP 5.0, chapter 4): numbers and types. */
#ifndef WEFT_OMPT_H
#define WEFT_OMPT_H

#include <stdint.h>

union ompt_data {
	uint64_t value;
	void *ptr;
};

enum ompt_callback {
	OMPT_THREAD_END = 2,
	OMPT_PARALLEL_BEGIN = 3,
	OMPT_PARALLEL_END = 4,
	OMPT_TASK_CREATE = 5,
	OMPT_TASK_SCHEDULE = 6,
	OMPT_IMPLICIT_TASK = 7,
	OMPT_SYNC_REGION_WAIT = 16,
	OMPT_MUTEX_RELEASED = 17,
	OMPT_DEPENDENCES = 18,
	OMPT_TASK_DEPENDENCE = 19,
	OMPT_WORK = 20,
	OMPT_MASKED = 21,
	OMPT_SYNC_REGION = 23,
	OMPT_LOCK_INIT = 24,
	OMPT_MUTEX_ACQUIRE = 26,
	OMPT_MUTEX_ACQUIRED = 27,
	OMPT_NEST_LOCK = 28,
	OMPT_CANCEL = 30,
	OMPT_REDUCTION = 31,
};
enum ompt_endpoint { OMPT_BEGIN = 1, OMPT_END = 2, OMPT_BEGINEND = 3 };
enum ompt_sync {
	OMPT_SYNC_BARRIER_IMPLICIT = 2,
	OMPT_SYNC_TASKWAIT = 5,
	OMPT_SYNC_TASKGROUP = 6,
	OMPT_SYNC_REDUCTION = 7,
	OMPT_SYNC_BARRIER_PARALLEL = 9,
};
enum ompt_work {
	OMPT_WORK_LOOP = 1,
	OMPT_WORK_SECTIONS,
	OMPT_WORK_SINGLE,
	OMPT_WORK_SINGLE_OTHER,
	OMPT_WORK_WORKSHARE,
	OMPT_WORK_DISTRIBUTE,
	OMPT_WORK_TASKLOOP,
	OMPT_WORK_SCOPE,
	OMPT_WORKS
};
enum ompt_mutex {
	OMPT_MUTEX_LOCK = 1,
	OMPT_MUTEX_TEST,
	OMPT_MUTEX_NEST,
	OMPT_MUTEX_TEST_NEST,
	OMPT_MUTEX_CRITICAL,
	OMPT_MUTEX_ATOMIC,
	OMPT_MUTEX_ORDERED
};
enum ompt_task_flag { OMPT_TASK_INITIAL = 1, OMPT_TASK_EXPLICIT = 4, OMPT_TASK_TASKWAIT = 16 };
enum ompt_task_status {
	OMPT_TASK_COMPLETE = 1,
	OMPT_TASK_YIELD,
	OMPT_TASK_CANCEL,
	OMPT_TASK_DETACH,
	OMPT_TASK_EARLY,
	OMPT_TASK_LATE,
	OMPT_TASK_SWITCH
};
enum { OMPT_DEPENDENCE_IN = 1, OMPT_DEPENDENCE_MOST = 4 /* behind these: loops whose iterations wait for each other */ };
struct ompt_dependence {
	union ompt_data on;
	int kind;
};
enum ompt_parallel_flag { OMPT_PARALLEL_LEAGUE = 0x40000000 };
enum ompt_cancel_flag {
	OMPT_CANCEL_PARALLEL = 1,
	OMPT_CANCEL_SECTIONS = 2,
	OMPT_CANCEL_LOOP = 4,
	OMPT_CANCEL_TASKGROUP = 8,
	OMPT_CANCEL_ACTIVATED = 16
};

typedef void ompt_function(void);
typedef ompt_function *ompt_lookup(const char *name);
typedef int ompt_set_callback(int which, ompt_function *callback);
struct ompt_start {
	int (*initialize)(ompt_lookup *lookup, int device, union ompt_data *tool);
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};

#endif
