/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hypervisor of scheduling contexts. This is a build without it: the calls do nothing.
 */
#ifndef __STARPU_SCHED_CTX_HYPERVISOR_H__
#define __STARPU_SCHED_CTX_HYPERVISOR_H__

#include <stddef.h>
#include <stdint.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_task;

struct starpu_sched_ctx_performance_counters {
	void (*notify_idle_cycle)(unsigned, int, double);
	void (*notify_poped_task)(unsigned, int);
	void (*notify_pushed_task)(unsigned, int);
	void (*notify_post_exec_task)(struct starpu_task *, size_t, uint32_t, int, double);
	void (*notify_submitted_job)(struct starpu_task *, uint32_t, size_t);
	void (*notify_empty_ctx)(unsigned, struct starpu_task *);
	void (*notify_delete_context)(unsigned);
};

void starpu_sched_ctx_set_perf_counters(unsigned sched_ctx_id, void *perf_counters);
void starpu_sched_ctx_call_pushed_task_cb(int workerid, unsigned sched_ctx_id);
void starpu_sched_ctx_notify_hypervisor_exists(void);
unsigned starpu_sched_ctx_check_if_hypervisor_exists(void);
void starpu_sched_ctx_update_start_resizing_sample(unsigned sched_ctx_id, double start_sample);

#ifdef __cplusplus
}
#endif
#endif
