/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codelets (what is computed, by which functions on which devices) and tasks (one such computation on given data):
 * making them, submitting them, waiting for them.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_TASK_H__
#define __STARPU_TASK_H__

#include <errno.h>
#include <assert.h>
#include <starpu_data.h>
#include <starpu_util.h>
#include <starpu_task_bundle.h>
#include <starpu_task_dep.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_CODELET_GET_MODE(codelet, i) ((codelet)->dyn_modes ? (codelet)->dyn_modes[i] : (codelet)->modes[i])
#define STARPU_CODELET_GET_NODE(codelet, i) ((codelet)->dyn_nodes ? (codelet)->dyn_nodes[i] : (codelet)->nodes[i])
#define STARPU_CODELET_NOPLANS (1 << 2)
#define STARPU_CODELET_SET_MODE(codelet, mode, i) \
	(*((codelet)->dyn_modes ? &(codelet)->dyn_modes[i] : &(codelet)->modes[i]) = (mode))
#define STARPU_CODELET_SET_NODE(codelet, __node, i) \
	(*((codelet)->dyn_nodes ? &(codelet)->dyn_nodes[i] : &(codelet)->nodes[i]) = (__node))
#define STARPU_CODELET_SIMGRID_EXECUTE (1 << 0)
#define STARPU_CODELET_SIMGRID_EXECUTE_AND_INJECT (1 << 1)
#define STARPU_CPU STARPU_WORKER_TO_MASK(STARPU_CPU_WORKER)
#define STARPU_CUDA STARPU_WORKER_TO_MASK(STARPU_CUDA_WORKER)
#define STARPU_CUDA_ASYNC (1 << 0)
#define STARPU_HIP STARPU_WORKER_TO_MASK(STARPU_HIP_WORKER)
#define STARPU_HIP_ASYNC (1 << 0)
#define STARPU_MAIN_RAM 0
#define STARPU_MAX_FPGA STARPU_WORKER_TO_MASK(STARPU_MAX_FPGA_WORKER)
#define STARPU_MPI_SC STARPU_WORKER_TO_MASK(STARPU_MPI_SC_WORKER)
#define STARPU_MULTIPLE_CPU_IMPLEMENTATIONS ((starpu_cpu_func_t)-1)
#define STARPU_MULTIPLE_CUDA_IMPLEMENTATIONS ((starpu_cuda_func_t)-1)
#define STARPU_MULTIPLE_HIP_IMPLEMENTATIONS ((starpu_hip_func_t)-1)
#define STARPU_MULTIPLE_OPENCL_IMPLEMENTATIONS ((starpu_opencl_func_t)-1)
#define STARPU_NOWHERE ((1ULL) << 0)
#define STARPU_OPENCL STARPU_WORKER_TO_MASK(STARPU_OPENCL_WORKER)
#define STARPU_OPENCL_ASYNC (1 << 0)
#define STARPU_SPECIFIC_NODE_CPU (-2)
#define STARPU_SPECIFIC_NODE_FAST (-4)
#define STARPU_SPECIFIC_NODE_LOCAL (-1)
#define STARPU_SPECIFIC_NODE_LOCAL_OR_CPU (-5)
#define STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU (-6)
#define STARPU_SPECIFIC_NODE_NONE (-7)
#define STARPU_SPECIFIC_NODE_SLOW (-3)
#define STARPU_SYCL STARPU_WORKER_TO_MASK(STARPU_SYCL_WORKER)
#define STARPU_SYCL_ASYNC (1 << 0)
#define STARPU_TASK_GET_HANDLE(task, i) (STARPU_TASK_GET_HANDLES(task)[i])
#define STARPU_TASK_GET_HANDLES(task) ((task)->dyn_handles ? (task)->dyn_handles : (task)->handles)
#define STARPU_TASK_GET_MODE(task, i) \
	((task)->dyn_modes                                  ? (task)->dyn_modes[i] \
	 : (task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? (task)->modes[i] \
	                                                    : STARPU_CODELET_GET_MODE((task)->cl, i))
#define STARPU_TASK_GET_NBUFFERS(task) \
	((unsigned)((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? (task)->nbuffers : (task)->cl->nbuffers))
#define STARPU_TASK_GET_NODE(task, i) \
	((task)->dyn_nodes                                  ? (task)->dyn_nodes[i] \
	 : (task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? (task)->nodes[i] \
	                                                    : STARPU_CODELET_GET_NODE((task)->cl, i))
#define STARPU_TASK_INITIALIZER \
	{ \
		.where = -1, .specific_nodes = 0, .sequential_consistency = 1, .detach = 1, .workerid = 0, \
		.priority = STARPU_DEFAULT_PRIO, .status = (enum starpu_task_status)STARPU_TASK_INIT, .magic = 42, \
		.sched_ctx = STARPU_NMAX_SCHED_CTXS, .predicted = __builtin_nan(""), .predicted_transfer = __builtin_nan(""), \
		.predicted_start = __builtin_nan("") \
	}
#define STARPU_TASK_INVALID STARPU_TASK_INIT
#define STARPU_TASK_SET_HANDLE(task, handle, i) (STARPU_TASK_GET_HANDLES(task)[i] = (handle))
#define STARPU_TASK_SET_MODE(task, mode, i) \
	do { \
		if ((task)->dyn_modes) \
			(task)->dyn_modes[i] = (mode); \
		else if ((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS) \
			(task)->modes[i] = (mode); \
		else \
			STARPU_CODELET_SET_MODE((task)->cl, mode, i); \
	} while (0)
#define STARPU_TASK_SET_NODE(task, node, i) \
	do { \
		if ((task)->dyn_nodes) \
			(task)->dyn_nodes[i] = (node); \
		else if ((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS) \
			(task)->nodes[i] = (node); \
		else \
			STARPU_CODELET_SET_NODE((task)->cl, node, i); \
	} while (0)
#define STARPU_TASK_TYPE_DATA_ACQUIRE (1 << 1)
#define STARPU_TASK_TYPE_INTERNAL (1 << 0)
#define STARPU_TASK_TYPE_NORMAL 0
#define STARPU_TCPIP_SC STARPU_WORKER_TO_MASK(STARPU_TCPIP_SC_WORKER)
#define STARPU_VARIABLE_NBUFFERS (-1)
#define STARPU_WORKER_TO_MASK(worker_archtype) (1U << ((worker_archtype) + 1))

struct _starpu_trs_epoch;
struct starpu_codelet;
struct starpu_omp_task;
struct starpu_perf_counter_sample;
struct starpu_perf_counter_sample_cl_values;
struct starpu_perfmodel;
struct starpu_profiling_task_info;
struct starpu_task;
struct starpu_transaction;

enum starpu_codelet_type {
	STARPU_SEQ = 0,
	STARPU_SPMD = 1,
	STARPU_FORKJOIN = 2,
};

enum starpu_task_status {
	STARPU_TASK_INIT = 0,
	STARPU_TASK_BLOCKED = 1,
	STARPU_TASK_READY = 2,
	STARPU_TASK_RUNNING = 3,
	STARPU_TASK_FINISHED = 4,
	STARPU_TASK_BLOCKED_ON_TAG = 5,
	STARPU_TASK_BLOCKED_ON_TASK = 6,
	STARPU_TASK_BLOCKED_ON_DATA = 7,
	STARPU_TASK_STOPPED = 8,
};

typedef void (*starpu_cpu_func_t)(void **, void *);
typedef void (*starpu_cuda_func_t)(void **, void *);
typedef void (*starpu_hip_func_t)(void **, void *);
typedef void (*starpu_sycl_func_t)(void **, void *);
typedef void (*starpu_opencl_func_t)(void **, void *);
typedef void (*starpu_max_fpga_func_t)(void **, void *);
/* Of 1.3: a name of a function on a device that is not here. */
typedef void (*starpu_mic_kernel_t)(void **, void *);
typedef starpu_mic_kernel_t (*starpu_mic_func_t)(struct starpu_codelet *, unsigned);
typedef void (*starpu_mpi_ms_kernel_t)(void **, void *);
typedef starpu_mpi_ms_kernel_t (*starpu_mpi_ms_func_t)(struct starpu_codelet *, unsigned);
typedef int (*starpu_recursive_task_func_t)(struct starpu_task *, void *, void **);
typedef void (*starpu_recursive_task_gen_dag_func_t)(struct starpu_task *, void *, void **);
typedef struct _starpu_trs_epoch *starpu_trs_epoch_t;

struct starpu_codelet {
	uint32_t where;
	int (*can_execute)(unsigned, struct starpu_task *, unsigned);
	enum starpu_codelet_type type;
	int max_parallelism;
	starpu_cpu_func_t cpu_func; /* one implementation; or cpu_funcs */
	starpu_cuda_func_t cuda_func;
	starpu_opencl_func_t opencl_func;
	starpu_cpu_func_t cpu_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_cuda_func_t cuda_funcs[STARPU_MAXIMPLEMENTATIONS];
	char cuda_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_hip_func_t hip_funcs[STARPU_MAXIMPLEMENTATIONS];
	char hip_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_sycl_func_t sycl_funcs[STARPU_MAXIMPLEMENTATIONS];
	char sycl_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_opencl_func_t opencl_funcs[STARPU_MAXIMPLEMENTATIONS];
	char opencl_flags[STARPU_MAXIMPLEMENTATIONS];
	starpu_max_fpga_func_t max_fpga_funcs[STARPU_MAXIMPLEMENTATIONS];
	const char *cpu_funcs_name[STARPU_MAXIMPLEMENTATIONS];
	starpu_recursive_task_func_t recursive_task_func;
	starpu_recursive_task_gen_dag_func_t recursive_task_gen_dag_func;
	unsigned long recursive_task_splitter_register_ind;
	int nbuffers;
	enum starpu_data_access_mode modes[STARPU_NMAXBUFS];
	enum starpu_data_access_mode *dyn_modes;
	unsigned specific_nodes;
	int nodes[STARPU_NMAXBUFS];
	int *dyn_nodes;
	struct starpu_perfmodel *model;
	struct starpu_perfmodel *energy_model;
	unsigned long per_worker_stats[STARPU_NMAXWORKERS];
	const char *name;
	unsigned color;
	void (*callback_func)(void *);
	int flags;
	struct starpu_perf_counter_sample *perf_counter_sample;
	struct starpu_perf_counter_sample_cl_values *perf_counter_values;
	int checked;
	/* Of 1.3. */
	starpu_mic_func_t mic_funcs[STARPU_MAXIMPLEMENTATIONS];
	starpu_mpi_ms_func_t mpi_ms_funcs[STARPU_MAXIMPLEMENTATIONS];
};

struct starpu_data_descr {
	starpu_data_handle_t handle;
	enum starpu_data_access_mode mode;
};

struct starpu_task {
	const char *name;
	long iterations[2];
	const char *file;
	int line;
	struct starpu_codelet *cl;
	int32_t where;
	int nbuffers;
	starpu_data_handle_t *dyn_handles;
	void **dyn_interfaces;
	enum starpu_data_access_mode *dyn_modes;
	int *dyn_nodes;
	starpu_data_handle_t handles[STARPU_NMAXBUFS];
	void *interfaces[STARPU_NMAXBUFS];
	enum starpu_data_access_mode modes[STARPU_NMAXBUFS];
	int nodes[STARPU_NMAXBUFS];
	unsigned specific_nodes;
	unsigned char *handles_sequential_consistency;
	void *cl_arg;
	size_t cl_arg_size;
	void *cl_ret;
	size_t cl_ret_size;
	void (*soon_callback_func)(void *, double);
	void *soon_callback_arg;
	void (*prologue_callback_func)(void *);
	void *prologue_callback_arg;
	void (*prologue_callback_pop_func)(void *);
	void *prologue_callback_pop_arg;
	void (*epilogue_callback_func)(void *);
	void *epilogue_callback_arg;
	void (*callback_func)(void *);
	void *callback_arg;
	struct starpu_transaction *transaction;
	starpu_trs_epoch_t trs_epoch;
	starpu_tag_t tag_id;
	unsigned cl_arg_free : 1;
	unsigned cl_ret_free : 1;
	unsigned soon_callback_arg_free : 1;
	unsigned prologue_callback_arg_free : 1;
	unsigned prologue_callback_pop_arg_free : 1;
	unsigned epilogue_callback_arg_free : 1;
	unsigned callback_arg_free : 1;
	unsigned use_tag : 1;
	unsigned sequential_consistency : 1;
	unsigned synchronous : 1;
	unsigned execute_on_a_specific_worker : 1;
	unsigned detach : 1;
	unsigned destroy : 1;
	unsigned regenerate : 1;
	unsigned no_submitorder : 1;
	unsigned char mf_skip;
	unsigned char failed;
	unsigned char scheduled;
	unsigned char prefetched;
	unsigned workerid;
	unsigned workerorder;
	uint32_t *workerids;
	unsigned workerids_len;
	int priority;
	enum starpu_task_status status;
	int magic;
	unsigned type;
	unsigned color;
	unsigned sched_ctx;
	int hypervisor_tag;
	unsigned possibly_parallel;
	starpu_task_bundle_t bundle;
	struct starpu_profiling_task_info *profiling_info;
	double flops;
	double predicted;
	double predicted_transfer;
	double predicted_start;
	struct starpu_task *prev;
	struct starpu_task *next;
	void *starpu_private;
	struct starpu_omp_task *omp_task;
	unsigned recursive_task_is_sync_task : 1;
	unsigned long recursive_task_parent;
	starpu_recursive_task_func_t recursive_task_func;
	void *recursive_task_func_arg;
	starpu_recursive_task_gen_dag_func_t recursive_task_gen_dag_func;
	void *recursive_task_gen_dag_func_arg;
	unsigned recursive_task_communication_already_made;
	unsigned nb_termination_call_required;
	void *sched_data;
};

/* The first value of the enumeration, also for the preprocessor. */
#define STARPU_TASK_INIT 0
/* Kinds of workers of 1.3 that are not here. */
#define STARPU_MIC ((1ULL) << 30)
#define STARPU_MPI_MS STARPU_MPI_SC
#define STARPU_TCPIP_MS STARPU_TCPIP_SC

extern struct starpu_codelet starpu_codelet_nop;
void starpu_task_init(struct starpu_task *task);
void starpu_task_clean(struct starpu_task *task);
struct starpu_task *starpu_task_create(void);
struct starpu_task *starpu_task_create_sync(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
void starpu_task_destroy(struct starpu_task *task);
void starpu_task_set_destroy(struct starpu_task *task);
int starpu_task_submit(struct starpu_task *task);
static inline int starpu_task_submit_line(struct starpu_task *task, const char *file, int line)
{
	if (STARPU_LIKELY(task != NULL)) {
		task->file = file;
		task->line = line;
	}
	return starpu_task_submit(task);
}
int starpu_task_submit_nodeps(struct starpu_task *task);
int starpu_task_submit_to_ctx(struct starpu_task *task, unsigned sched_ctx_id);
int starpu_task_finished(struct starpu_task *task);
int starpu_task_wait(struct starpu_task *task);
int starpu_task_wait_array(struct starpu_task **tasks, unsigned nb_tasks);
int starpu_task_wait_for_all(void);
int starpu_task_wait_for_n_submitted(unsigned n);
int starpu_task_wait_for_all_in_ctx(unsigned sched_ctx_id);
int starpu_task_wait_for_n_submitted_in_ctx(unsigned sched_ctx_id, unsigned n);
int starpu_task_wait_for_no_ready(void);
int starpu_task_nready(void);
int starpu_task_nsubmitted(void);
void starpu_iteration_push(unsigned long iteration);
void starpu_iteration_pop(void);
void starpu_do_schedule(void);
void starpu_reset_scheduler(void);
void starpu_codelet_init(struct starpu_codelet *cl);
void starpu_codelet_display_stats(struct starpu_codelet *cl);
struct starpu_task *starpu_task_get_current(void);
int starpu_task_get_current_data_node(unsigned i);
const char *starpu_task_get_model_name(struct starpu_task *task);
const char *starpu_task_get_name(struct starpu_task *task);
struct starpu_task *starpu_task_dup(struct starpu_task *task);
void starpu_task_set_implementation(struct starpu_task *task, unsigned impl);
unsigned starpu_task_get_implementation(struct starpu_task *task);
void starpu_create_sync_task(starpu_tag_t sync_tag, unsigned ndeps, starpu_tag_t *deps, void (*callback)(void *),
                             void *callback_arg);
void starpu_create_callback_task(void (*callback)(void *), void *callback_arg);
void starpu_task_ft_prologue(void *check_ft);
struct starpu_task *starpu_task_ft_create_retry(const struct starpu_task *meta_task, const struct starpu_task *template_task,
                                                void (*check_ft)(void *));
void starpu_task_ft_failed(struct starpu_task *task);
void starpu_task_ft_success(struct starpu_task *meta_task);
void starpu_task_watchdog_set_hook(void (*hook)(void *), void *hook_arg);
char *starpu_task_status_get_as_string(enum starpu_task_status status);
void starpu_set_limit_min_submitted_tasks(int limit_min);
int starpu_get_limit_min_submitted_tasks(void);
void starpu_set_limit_max_submitted_tasks(int limit_min);
int starpu_get_limit_max_submitted_tasks(void);
struct starpu_transaction *starpu_transaction_open(int (*do_start_func)(void *, void *), void *do_start_arg);
void starpu_transaction_next_epoch(struct starpu_transaction *p_trs, void *do_start_arg);
void starpu_transaction_close(struct starpu_transaction *p_trs);
#define starpu_task_submit(task) starpu_task_submit_line((task), __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif
#endif
