/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers, the threads that run tasks, and memory nodes, the places where data lies: asking about them, collections of them.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_WORKER_H__
#define __STARPU_WORKER_H__

#include <stdlib.h>
#include <stdio.h>
#include <hwloc.h>
#include <starpu_config.h>
#include <starpu_thread.h>
#include <starpu_data_interfaces.h>
#include <starpu_task.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_UNKNOWN_WORKER ((enum starpu_worker_archtype) - 1)

struct starpu_sched_ctx_iterator;
struct starpu_task;
struct starpu_tree;
struct starpu_worker_collection;

enum starpu_worker_archtype {
	STARPU_CPU_WORKER = 0,
	STARPU_CUDA_WORKER = 1,
	STARPU_OPENCL_WORKER = 2,
	STARPU_MAX_FPGA_WORKER = 4,
	STARPU_MPI_SC_WORKER = 5,
	STARPU_TCPIP_SC_WORKER = 6,
	STARPU_HIP_WORKER = 7,
	STARPU_SYCL_WORKER = 8,
	STARPU_NARCH = 9,
	STARPU_ANY_WORKER = 255,
	/* Of 1.3 and 1.4. */
	STARPU_MIC_WORKER = 3,
	STARPU_MPI_MS_WORKER = STARPU_MPI_SC_WORKER,
	STARPU_TCPIP_MS_WORKER = STARPU_TCPIP_SC_WORKER,
};

enum starpu_worker_collection_type {
	STARPU_WORKER_TREE = 0,
	STARPU_WORKER_LIST = 1,
};

struct starpu_sched_ctx_iterator {
	int cursor;
	void *value;
	void *possible_value;
	char visited[STARPU_NMAXWORKERS];
	int possibly_parallel;
};

struct starpu_worker_collection {
	int *workerids;
	void *collection_private;
	unsigned nworkers;
	void *unblocked_workers;
	unsigned nunblocked_workers;
	__extension__ union {
		void *primaries;
		void *masters; /* of 1.3 */
	};
	__extension__ union {
		unsigned nprimaries;
		unsigned nmasters;
	};
	char present[STARPU_NMAXWORKERS];
	char is_unblocked[STARPU_NMAXWORKERS];
	__extension__ union {
		char is_primary[STARPU_NMAXWORKERS];
		char is_master[STARPU_NMAXWORKERS];
	};
	enum starpu_worker_collection_type type;
	unsigned (*has_next)(struct starpu_worker_collection *, struct starpu_sched_ctx_iterator *);
	int (*get_next)(struct starpu_worker_collection *, struct starpu_sched_ctx_iterator *);
	int (*add)(struct starpu_worker_collection *, int);
	int (*remove)(struct starpu_worker_collection *, int);
	void (*init)(struct starpu_worker_collection *);
	void (*deinit)(struct starpu_worker_collection *);
	void (*init_iterator)(struct starpu_worker_collection *, struct starpu_sched_ctx_iterator *);
	void (*init_iterator_for_parallel_tasks)(struct starpu_worker_collection *, struct starpu_sched_ctx_iterator *,
	                                         struct starpu_task *);
};

extern struct starpu_worker_collection starpu_worker_list;
extern struct starpu_worker_collection starpu_worker_tree;
void starpu_worker_wait_for_initialisation(void);
unsigned starpu_worker_archtype_is_valid(enum starpu_worker_archtype type);
enum starpu_worker_archtype starpu_arch_mask_to_worker_archtype(unsigned mask);
unsigned starpu_worker_get_count(void);
unsigned starpu_cpu_worker_get_count(void);
unsigned starpu_cuda_worker_get_count(void);
unsigned starpu_hip_worker_get_count(void);
unsigned starpu_sycl_worker_get_count(void);
unsigned starpu_opencl_worker_get_count(void);
unsigned starpu_mpi_sc_worker_get_count(void);
unsigned starpu_tcpip_sc_worker_get_count(void);
int starpu_worker_get_id(void);
unsigned starpu_worker_get_id_check(void);
unsigned _starpu_worker_get_id_check(const char *file, int line);
#define starpu_worker_get_id_check() _starpu_worker_get_id_check(__FILE__, __LINE__)
int starpu_worker_get_bindid(int workerid);
void starpu_sched_find_all_worker_combinations(void);
enum starpu_worker_archtype starpu_worker_get_type(int id);
int starpu_worker_get_count_by_type(enum starpu_worker_archtype type);
unsigned starpu_worker_get_ids_by_type(enum starpu_worker_archtype type, int *workerids, unsigned maxsize);
int starpu_worker_get_by_type(enum starpu_worker_archtype type, int num);
int starpu_worker_get_by_devid(enum starpu_worker_archtype type, int devid);
unsigned starpu_worker_type_can_execute_task(enum starpu_worker_archtype worker_type, const struct starpu_task *task);
void starpu_worker_get_name(int id, char *dst, size_t maxlen);
void starpu_worker_display_all(FILE *output);
void starpu_worker_display_names(FILE *output, enum starpu_worker_archtype type);
void starpu_worker_display_count(FILE *output, enum starpu_worker_archtype type);
int starpu_worker_get_devid(int id);
int starpu_worker_get_devnum(int id);
int starpu_worker_get_subworkerid(int id);
struct starpu_tree *starpu_workers_get_tree(void);
unsigned starpu_worker_get_sched_ctx_list(int worker, unsigned **sched_ctx);
void starpu_worker_get_current_task_exp_end(unsigned workerid, struct timespec *date);
unsigned starpu_worker_is_blocked_in_parallel(int workerid);
unsigned starpu_worker_is_sub_worker_somewhere(int workerid);
const char *starpu_worker_get_type_as_string(enum starpu_worker_archtype type);
enum starpu_worker_archtype starpu_worker_get_type_from_string(const char *type);
const char *starpu_worker_get_type_as_env_var(enum starpu_worker_archtype type);
int starpu_bindid_get_workerids(int bindid, int **workerids);
int starpu_worker_get_devids(enum starpu_worker_archtype type, int *devids, int num);
int starpu_worker_get_stream_workerids(unsigned devid, int *workerids, enum starpu_worker_archtype type);
hwloc_cpuset_t starpu_worker_get_hwloc_cpuset(int workerid);
hwloc_obj_t starpu_worker_get_hwloc_obj(int workerid);
int starpu_memory_node_get_devid(unsigned node);
unsigned starpu_memory_devid_find_node(int devid, enum starpu_node_kind kind);
unsigned starpu_worker_get_local_memory_node(void);
unsigned starpu_worker_get_memory_node(unsigned workerid);
unsigned starpu_memory_nodes_get_count(void);
unsigned starpu_memory_nodes_get_count_by_kind(enum starpu_node_kind kind);
unsigned starpu_memory_node_get_ids_by_type(enum starpu_node_kind kind, unsigned *memory_nodes_ids, unsigned maxsize);
int starpu_memory_node_get_name(unsigned node, char *name, size_t size);
unsigned starpu_memory_nodes_get_numa_count(void);
int starpu_memory_nodes_numa_id_to_devid(int osid);
int starpu_memory_nodes_numa_devid_to_id(unsigned id);
int starpu_memory_nodes_numa_id_to_hwloclogid(unsigned id);
enum starpu_node_kind starpu_node_get_kind(unsigned node);
int starpu_node_needs_offset(unsigned node);
enum starpu_worker_archtype starpu_memory_node_get_worker_archtype(enum starpu_node_kind node_kind);
enum starpu_node_kind starpu_worker_get_memory_node_kind(enum starpu_worker_archtype type);
int starpu_worker_sched_op_pending(void);
void starpu_worker_relax_on(void);
void starpu_worker_relax_off(void);
int starpu_worker_get_relax_state(void);
void starpu_worker_lock(int workerid);
int starpu_worker_trylock(int workerid);
void starpu_worker_unlock(int workerid);
void starpu_worker_lock_self(void);
void starpu_worker_unlock_self(void);
unsigned starpu_combined_worker_get_count(void);
unsigned starpu_worker_is_combined_worker(int id);
int starpu_combined_worker_get_id(void);
int starpu_combined_worker_get_size(void);
int starpu_combined_worker_get_rank(void);
int starpu_combined_worker_assign_workerid(int nworkers, int *workerid_array);
int starpu_combined_worker_get_description(int workerid, int *worker_size, int **combined_workerid);
int starpu_combined_worker_can_execute_task(unsigned workerid, struct starpu_task *task, unsigned nimpl);
void starpu_parallel_task_barrier_init(struct starpu_task *task, int workerid);
void starpu_parallel_task_barrier_init_n(struct starpu_task *task, int worker_size);

/* Called by a worker that is about to sleep, as there is nothing to do, and by one that has woken; NULL: nobody. */
void starpu_worker_set_going_to_sleep_callback(void (*callback)(unsigned workerid));
void starpu_worker_set_waking_up_callback(void (*callback)(unsigned workerid));

/* Names of 1.3 and 1.4 that later versions renamed. */
unsigned starpu_mic_worker_get_count(void);
unsigned starpu_mpi_ms_worker_get_count(void);
unsigned starpu_tcpip_ms_worker_get_count(void);
unsigned starpu_worker_is_slave_somewhere(int workerid);
int starpu_worker_get_mp_nodeid(int id);

#ifdef __cplusplus
}
#endif
#endif
