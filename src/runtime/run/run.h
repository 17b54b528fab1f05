/* SPDX-License-Identifier: Apache-2.0 */
/* A task's way: submitted, placed when it is ready, run on a worker. */
#ifndef WEFT_RUNTIME_RUN_RUN_H
#define WEFT_RUNTIME_RUN_RUN_H

#include "runtime/task/task.h"

/* ---- submit.c ---- */

/* starpu_task_submit; 0 or negative. `nodeps`: tags and data order nothing. */
int rt_task_submit(struct starpu_task *t, bool nodeps) WEFT_MUST_CHECK;
/* A ready task goes over to another scheduling context: who waits for a context waits for what it has now. */
void rt_task_change_ctx(struct starpu_task *t, unsigned ctx);

/* ---- place.c ---- */

/* What the core calls for placed jobs and idle workers. */
extern const struct rt_sched_hooks rt_run_hooks;
/* Before the core begins. */
void rt_run_begin(const struct rt_machine *m);
/* A placed job goes where it shall run, now that it may. */
void rt_place(struct rt_submitter *s, struct rt_job *j);
/* A placed job runs on this worker; and it has begun to. */
void rt_place_on(struct rt_job *j, unsigned worker);
void rt_placed_ran(unsigned worker);

/* ---- run.c ---- */

/* The body of a plain job, and of any other task. */
enum rt_verdict rt_body_plain(struct rt_job *j, struct rt_worker *w);
enum rt_verdict rt_body_timed(struct rt_job *j, struct rt_worker *w); /* the same while tasks are profiled */
/* A plain job that is being prepared has its times taken. */
void rt_job_timed(struct rt_job *j);
static inline bool rt_job_is_plain(const struct rt_job *j)
{
	return j->body == rt_body_plain || j->body == rt_body_timed;
}
/* A function of the program's that is no task. */
void rt_call_back(void (*func)(void *), void *arg);
enum rt_verdict rt_body_task(struct rt_job *j, struct rt_worker *w);
/*
 * Around the time that a task takes of its worker or device: what is recorded, profiled, measured. Of those that a device has at a
 * time, one after the other.
 */
struct rt_stretch {
	uint64_t measured_from_ns;  /* 0: it is not */
	uint64_t measured_until_ns; /* 0: until it stops */
	bool traced;
	uint64_t counted_from_ns; /* 0: nobody counts the time */
};
struct rt_stretch rt_task_begins(struct rt_job *j, struct rt_worker *w);
void rt_task_stops(struct rt_job *j, struct rt_worker *w, const struct rt_stretch *s);
/* The function has run (drivers whose `run` said RT_LATER, on the worker). */
void rt_task_ran(struct rt_job *j, struct rt_worker *w);

#endif
