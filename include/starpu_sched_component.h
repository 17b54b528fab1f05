/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedulers built from components: queues, work stealing, decisions by models, in a tree over the workers.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_SCHED_COMPONENT_H__
#define __STARPU_SCHED_COMPONENT_H__

#include <hwloc.h>
#include <starpu_bitmap.h>
#include <starpu_perfmodel.h>
#include <starpu_scheduler.h>
#include <starpu_thread_util.h>
#include <starpu_task_list.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_COMPONENT_MUTEX_LOCK(m) \
	do { \
		const int weft_relaxed_ = starpu_worker_get_relax_state(); \
		if (!weft_relaxed_) \
			starpu_worker_relax_on(); \
		STARPU_PTHREAD_MUTEX_LOCK(m); \
		if (!weft_relaxed_) \
			starpu_worker_relax_off(); \
	} while (0)
#define STARPU_COMPONENT_MUTEX_TRYLOCK(m) STARPU_PTHREAD_MUTEX_TRYLOCK(m)
#define STARPU_COMPONENT_MUTEX_UNLOCK(m) STARPU_PTHREAD_MUTEX_UNLOCK(m)
#define STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(component) ((component)->properties & STARPU_SCHED_COMPONENT_HOMOGENEOUS)
#define STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component) \
	((component)->properties & STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE)
#define STARPU_SCHED_SIMPLE_COMBINED_WORKERS (1 << 16)
#define STARPU_SCHED_SIMPLE_DECIDE_ALWAYS (1 << 4)
#define STARPU_SCHED_SIMPLE_DECIDE_ARCHS 3
#define STARPU_SCHED_SIMPLE_DECIDE_MASK 15
#define STARPU_SCHED_SIMPLE_DECIDE_MEMNODES 2
#define STARPU_SCHED_SIMPLE_DECIDE_WORKERS 1
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW (1 << 9)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP (1 << 14)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT (1 << 13)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO (1 << 10)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY (1 << 11)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY_FIRST (1 << 12)
#define STARPU_SCHED_SIMPLE_FIFO_ABOVE (1 << 7)
#define STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO (1 << 8)
#define STARPU_SCHED_SIMPLE_IMPL (1 << 6)
#define STARPU_SCHED_SIMPLE_PERFMODEL (1 << 5)
#define STARPU_SCHED_SIMPLE_PRE_DECISION (1 << 17)
#define STARPU_SCHED_SIMPLE_WS_BELOW (1 << 15)

struct starpu_bitmap;
struct starpu_sched_component;
struct starpu_sched_component_composed_recipe;
struct starpu_sched_component_fifo_data;
struct starpu_sched_component_heteroprio_data;
struct starpu_sched_component_mct_data;
struct starpu_sched_component_perfmodel_select_data;
struct starpu_sched_component_prio_data;
struct starpu_sched_component_specs;
struct starpu_sched_tree;
struct starpu_task;

enum starpu_sched_component_properties {
	STARPU_SCHED_COMPONENT_HOMOGENEOUS = 1,
	STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE = 2,
};

typedef struct starpu_sched_component *(*starpu_sched_component_create_t)(struct starpu_sched_tree *, void *);

struct starpu_sched_component {
	struct starpu_sched_tree *tree;
	struct starpu_bitmap workers;
	struct starpu_bitmap workers_in_ctx;
	void *data;
	char *name;
	unsigned nchildren;
	struct starpu_sched_component **children;
	unsigned nparents;
	struct starpu_sched_component **parents;
	void (*add_child)(struct starpu_sched_component *, struct starpu_sched_component *);
	void (*remove_child)(struct starpu_sched_component *, struct starpu_sched_component *);
	void (*add_parent)(struct starpu_sched_component *, struct starpu_sched_component *);
	void (*remove_parent)(struct starpu_sched_component *, struct starpu_sched_component *);
	int (*push_task)(struct starpu_sched_component *, struct starpu_task *);
	struct starpu_task *(*pull_task)(struct starpu_sched_component *, struct starpu_sched_component *);
	int (*can_push)(struct starpu_sched_component *, struct starpu_sched_component *);
	int (*can_pull)(struct starpu_sched_component *);
	void (*do_schedule)(struct starpu_sched_component *);
	int (*notify)(struct starpu_sched_component *, int, void *);
	double (*estimated_load)(struct starpu_sched_component *);
	double (*estimated_end)(struct starpu_sched_component *);
	void (*deinit_data)(struct starpu_sched_component *);
	void (*notify_change_workers)(struct starpu_sched_component *);
	int properties;
	hwloc_obj_t obj;
};

struct starpu_sched_tree {
	struct starpu_sched_component *root;
	struct starpu_bitmap workers;
	unsigned sched_ctx_id;
	starpu_pthread_mutex_t lock;
};

struct starpu_sched_component_fifo_data {
	unsigned ntasks_threshold;
	double exp_len_threshold;
	int ready;
	int exp;
	int ready_first;
};

struct starpu_sched_component_prio_data {
	unsigned ntasks_threshold;
	double exp_len_threshold;
	int ready;
	int exp;
};

struct starpu_sched_component_mct_data {
	double alpha;
	double beta;
	double _gamma;
	double idle_power;
	int nolock;
};

struct starpu_sched_component_heteroprio_data {
	struct starpu_sched_component_mct_data *mct;
	unsigned batch;
};

struct starpu_sched_component_perfmodel_select_data {
	struct starpu_sched_component *calibrator_component;
	struct starpu_sched_component *no_perfmodel_component;
	struct starpu_sched_component *perfmodel_component;
};

struct starpu_sched_component_specs {
	struct starpu_sched_component_composed_recipe *hwloc_machine_composed_sched_component;
	struct starpu_sched_component_composed_recipe *hwloc_component_composed_sched_component;
	struct starpu_sched_component_composed_recipe *hwloc_socket_composed_sched_component;
	struct starpu_sched_component_composed_recipe *hwloc_cache_composed_sched_component;
	struct starpu_sched_component_composed_recipe *(*worker_composed_sched_component)(enum starpu_worker_archtype);
	int mix_heterogeneous_workers;
};

struct starpu_sched_tree *starpu_sched_tree_create(unsigned sched_ctx_id);
void starpu_sched_tree_destroy(struct starpu_sched_tree *tree);
void starpu_sched_tree_deinitialize(unsigned sched_ctx_id);
struct starpu_sched_tree *starpu_sched_tree_get(unsigned sched_ctx_id);
void starpu_sched_tree_update_workers(struct starpu_sched_tree *t);
void starpu_sched_tree_update_workers_in_ctx(struct starpu_sched_tree *t);
int starpu_sched_tree_push_task(struct starpu_task *task);
struct starpu_task *starpu_sched_tree_pop_task(unsigned sched_ctx);
int starpu_sched_component_push_task(struct starpu_sched_component *from, struct starpu_sched_component *to,
                                     struct starpu_task *task);
struct starpu_task *starpu_sched_component_pull_task(struct starpu_sched_component *from, struct starpu_sched_component *to);
struct starpu_task *starpu_sched_component_pump_to(struct starpu_sched_component *component, struct starpu_sched_component *to,
                                                   int *success);
struct starpu_task *starpu_sched_component_pump_downstream(struct starpu_sched_component *component, int *success);
int starpu_sched_component_send_can_push_to_parents(struct starpu_sched_component *component);
void starpu_sched_tree_add_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers);
void starpu_sched_tree_remove_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers);
void starpu_sched_tree_do_schedule(unsigned sched_ctx_id);
void starpu_sched_component_connect(struct starpu_sched_component *parent, struct starpu_sched_component *child);
struct starpu_sched_component *starpu_sched_component_create(struct starpu_sched_tree *tree, const char *name);
void starpu_sched_component_destroy(struct starpu_sched_component *component);
void starpu_sched_component_destroy_rec(struct starpu_sched_component *component);
void starpu_sched_component_add_child(struct starpu_sched_component *component, struct starpu_sched_component *child);
int starpu_sched_component_can_execute_task(struct starpu_sched_component *component, struct starpu_task *task);
int starpu_sched_component_execute_preds(struct starpu_sched_component *component, struct starpu_task *task, double *length);
double starpu_sched_component_transfer_length(struct starpu_sched_component *component, struct starpu_task *task);
void starpu_sched_component_prefetch_on_node(struct starpu_sched_component *component, struct starpu_task *task);
struct starpu_sched_component *starpu_sched_component_worker_get(unsigned sched_ctx, int workerid);
struct starpu_sched_component *starpu_sched_component_worker_new(unsigned sched_ctx, int workerid);
struct starpu_sched_component *starpu_sched_component_parallel_worker_create(struct starpu_sched_tree *tree, unsigned nworkers,
                                                                             unsigned *workers);
int starpu_sched_component_worker_get_workerid(struct starpu_sched_component *worker_component);
int starpu_sched_component_is_worker(struct starpu_sched_component *component);
int starpu_sched_component_is_simple_worker(struct starpu_sched_component *component);
int starpu_sched_component_is_combined_worker(struct starpu_sched_component *component);
void starpu_sched_component_worker_pre_exec_hook(struct starpu_task *task, unsigned sched_ctx_id);
void starpu_sched_component_worker_post_exec_hook(struct starpu_task *task, unsigned sched_ctx_id);
struct starpu_task *starpu_sched_component_parents_pull_task(struct starpu_sched_component *component,
                                                             struct starpu_sched_component *to);
int starpu_sched_component_can_push(struct starpu_sched_component *component, struct starpu_sched_component *to);
int starpu_sched_component_can_pull(struct starpu_sched_component *component);
int starpu_sched_component_can_pull_all(struct starpu_sched_component *component);
double starpu_sched_component_estimated_load(struct starpu_sched_component *component);
double starpu_sched_component_estimated_end_min(struct starpu_sched_component *component);
double starpu_sched_component_estimated_end_min_add(struct starpu_sched_component *component, double exp_len);
double starpu_sched_component_estimated_end_average(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_fifo_create(struct starpu_sched_tree *tree,
                                                                  struct starpu_sched_component_fifo_data *fifo_data);
int starpu_sched_component_is_fifo(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_prio_create(struct starpu_sched_tree *tree,
                                                                  struct starpu_sched_component_prio_data *prio_data);
int starpu_sched_component_is_prio(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_work_stealing_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_work_stealing(struct starpu_sched_component *component);
int starpu_sched_tree_work_stealing_push_task(struct starpu_task *task);
struct starpu_sched_component *starpu_sched_component_random_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_random(struct starpu_sched_component *);
struct starpu_sched_component *starpu_sched_component_eager_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_eager(struct starpu_sched_component *);
struct starpu_sched_component *starpu_sched_component_eager_prio_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_eager_prio(struct starpu_sched_component *);
struct starpu_sched_component *starpu_sched_component_eager_calibration_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_eager_calibration(struct starpu_sched_component *);
struct starpu_sched_component *starpu_sched_component_mct_create(struct starpu_sched_tree *tree,
                                                                 struct starpu_sched_component_mct_data *mct_data);
int starpu_sched_component_is_mct(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_heft_create(struct starpu_sched_tree *tree,
                                                                  struct starpu_sched_component_mct_data *mct_data);
int starpu_sched_component_is_heft(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_splitter_create(struct starpu_sched_tree *tree);
struct starpu_sched_component *starpu_sched_component_heteroprio_create(struct starpu_sched_tree *tree,
                                                                        struct starpu_sched_component_heteroprio_data *params);
int starpu_sched_component_is_heteroprio(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_best_implementation_create(struct starpu_sched_tree *tree, void *arg);
struct starpu_sched_component *starpu_sched_component_perfmodel_select_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_perfmodel_select_data *perfmodel_select_data);
int starpu_sched_component_is_perfmodel_select(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_stage_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_stage(struct starpu_sched_component *component);
struct starpu_sched_component *starpu_sched_component_userchoice_create(struct starpu_sched_tree *tree, void *arg);
int starpu_sched_component_is_userchoice(struct starpu_sched_component *component);
struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create(void);
struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create_singleton(
	struct starpu_sched_component *(*create_component)(struct starpu_sched_tree *, void *), void *arg);
void starpu_sched_component_composed_recipe_add(struct starpu_sched_component_composed_recipe *recipe,
                                                struct starpu_sched_component *(*create_component)(struct starpu_sched_tree *,
                                                                                                   void *),
                                                void *arg);
void starpu_sched_component_composed_recipe_destroy(struct starpu_sched_component_composed_recipe *);
struct starpu_sched_component *starpu_sched_component_composed_component_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_composed_recipe *recipe);
struct starpu_sched_tree *starpu_sched_component_make_scheduler(unsigned sched_ctx_id, struct starpu_sched_component_specs s);
void starpu_sched_component_initialize_simple_scheduler(starpu_sched_component_create_t create_decision_component, void *data,
                                                        unsigned flags, unsigned sched_ctx_id);
void starpu_sched_component_initialize_simple_schedulers(unsigned sched_ctx_id, unsigned ndecisions, ...);

#ifdef __cplusplus
}
#endif
#endif
