/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a scheduling policy, and what policies may ask.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_SCHEDULER_H__
#define __STARPU_SCHEDULER_H__

#include <starpu_task.h>
#include <starpu_worker.h>
#include <starpu_thread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_perfmodel;
struct starpu_perfmodel_arch;
struct starpu_sched_policy;
struct starpu_task;

typedef void (*starpu_notify_ready_soon_func)(void *, struct starpu_task *, double);

struct starpu_sched_policy {
	void (*init_sched)(unsigned);
	void (*deinit_sched)(unsigned);
	int (*push_task)(struct starpu_task *);
	double (*simulate_push_task)(struct starpu_task *);
	void (*push_task_notify)(struct starpu_task *, int, int, unsigned);
	struct starpu_task *(*pop_task)(unsigned);
	void (*submit_hook)(struct starpu_task *);
	void (*pre_exec_hook)(struct starpu_task *, unsigned);
	void (*post_exec_hook)(struct starpu_task *, unsigned);
	void (*do_schedule)(unsigned);
	void (*reset_scheduler)(unsigned);
	void (*add_workers)(unsigned, int *, unsigned);
	void (*remove_workers)(unsigned, int *, unsigned);
	int prefetches;
	const char *policy_name;
	const char *policy_description;
	enum starpu_worker_collection_type worker_type;
	struct starpu_task *(*pop_every_task)(unsigned); /* of 1.3, which never calls it */
};

struct starpu_sched_policy **starpu_sched_get_predefined_policies(void);
struct starpu_sched_policy **starpu_sched_get_predefined_policies_non_default(void);
struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);
struct starpu_sched_policy **starpu_get_sched_lib_policies(void);
struct starpu_sched_policy *starpu_sched_get_sched_policy_in_ctx(unsigned sched_ctx_id);
struct starpu_sched_policy *starpu_sched_get_sched_policy(void);
void starpu_worker_get_sched_condition(int workerid, starpu_pthread_mutex_t **sched_mutex, starpu_pthread_cond_t **sched_cond);
unsigned long starpu_task_get_job_id(struct starpu_task *task);
int starpu_sched_get_min_priority(void);
int starpu_sched_get_max_priority(void);
int starpu_sched_set_min_priority(int min_prio);
int starpu_sched_set_max_priority(int max_prio);
int starpu_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl);
int starpu_worker_can_execute_task_impl(unsigned workerid, struct starpu_task *task, unsigned *impl_mask);
int starpu_worker_can_execute_task_first_impl(unsigned workerid, struct starpu_task *task, unsigned *nimpl);
int starpu_push_local_task(int workerid, struct starpu_task *task, int back);
int starpu_push_task_end(struct starpu_task *task);
int starpu_get_prefetch_flag(void);
int starpu_prefetch_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio);
int starpu_prefetch_task_input_on_node(struct starpu_task *task, unsigned node);
int starpu_idle_prefetch_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio);
int starpu_idle_prefetch_task_input_on_node(struct starpu_task *task, unsigned node);
int starpu_prefetch_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio);
int starpu_prefetch_task_input_for(struct starpu_task *task, unsigned worker);
int starpu_idle_prefetch_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio);
int starpu_idle_prefetch_task_input_for(struct starpu_task *task, unsigned worker);
uint32_t starpu_task_footprint(struct starpu_perfmodel *model, struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                               unsigned nimpl);
uint32_t starpu_task_data_footprint(struct starpu_task *task);
double starpu_task_expected_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl);
double starpu_task_worker_expected_length(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id, unsigned nimpl);
double starpu_task_expected_length_average(struct starpu_task *task, unsigned sched_ctx_id);
double starpu_worker_get_relative_speedup(struct starpu_perfmodel_arch *perf_arch);
double starpu_task_expected_data_transfer_time(unsigned memory_node, struct starpu_task *task);
double starpu_task_expected_data_transfer_time_for(struct starpu_task *task, unsigned worker);
double starpu_data_expected_transfer_time(starpu_data_handle_t handle, unsigned memory_node, enum starpu_data_access_mode mode);
double starpu_task_expected_energy(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl);
double starpu_task_worker_expected_energy(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id, unsigned nimpl);
double starpu_task_expected_energy_average(struct starpu_task *task, unsigned sched_ctx_id);
double starpu_task_expected_conversion_time(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl);
void starpu_task_notify_ready_soon_register(starpu_notify_ready_soon_func f, void *data);
void starpu_sched_ctx_worker_shares_tasks_lists(int workerid, int sched_ctx_id);
void starpu_sched_task_break(struct starpu_task *task);
int starpu_wake_worker(int workerid);
int starpu_wake_worker_relax(int workerid);
int starpu_wake_worker_no_relax(int workerid);
int starpu_wake_worker_locked(int workerid);
int starpu_wake_worker_relax_light(int workerid);

#ifdef __cplusplus
}
#endif
#endif
