/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heteroprio policy: buckets of priorities with an order of their own for each kind of worker.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_HETEROPRIO_H__
#define __STARPU_HETEROPRIO_H__

#include <starpu_worker.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_HETEROPRIO_MAX_PREFETCH 2

enum starpu_autoheteroprio_priority_ordering_policy {
	STARPU_HETEROPRIO_NOD_TIME_COMBINATION = 0,
	STARPU_HETEROPRIO_BEST_NODS_SCORE = 1,
	STARPU_HETEROPRIO_BEST_NODS = 2,
	STARPU_HETEROPRIO_URT_PURE = 3,
	STARPU_HETEROPRIO_URT = 4,
	STARPU_HETEROPRIO_URT_2 = 5,
	STARPU_HETEROPRIO_URT_DOT_DIFF_PURE = 6,
	STARPU_HETEROPRIO_URT_DOT_DIFF_PURE_2 = 7,
	STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE = 8,
	STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE_2 = 9,
	STARPU_HETEROPRIO_URT_DOT_DIFF_2 = 10,
	STARPU_HETEROPRIO_URT_DOT_DIFF_3 = 11,
	STARPU_HETEROPRIO_URT_DOT_DIFF_4 = 12,
	STARPU_HETEROPRIO_URT_DOT_DIFF_5 = 13,
	STARPU_HETEROPRIO_URT_DOT_DIFF_6 = 14,
	STARPU_HETEROPRIO_URT_DOT_DIFF_7 = 15,
	STARPU_HETEROPRIO_URT_DOT_DIFF_8 = 16,
	STARPU_HETEROPRIO_URT_DOT_DIFF_9 = 17,
	STARPU_HETEROPRIO_URT_DOT_DIFF_10 = 18,
	STARPU_HETEROPRIO_URT_DOT_DIFF_11 = 19,
	STARPU_HETEROPRIO_URTS_PER_SECONDS = 20,
	STARPU_HETEROPRIO_URTS_PER_SECONDS_2 = 21,
	STARPU_HETEROPRIO_URTS_PER_SECONDS_DIFF = 22,
	STARPU_HETEROPRIO_URTS_TIME_RELEASED_DIFF = 23,
	STARPU_HETEROPRIO_URTS_TIME_COMBINATION = 24,
	STARPU_HETEROPRIO_NODS_PER_SECOND = 25,
	STARPU_HETEROPRIO_NODS_TIME_RELEASED = 26,
	STARPU_HETEROPRIO_NODS_TIME_RELEASED_DIFF = 27,
};

#define STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY_COUNT 28
#define STARPU_HETEROPRIO_MAX_PRIO 100

/* Of 1.3, which had kinds of its own here. */
#define starpu_heteroprio_types starpu_worker_archtype
#define STARPU_CPU_IDX STARPU_CPU_WORKER
#define STARPU_CUDA_IDX STARPU_CUDA_WORKER
#define STARPU_OPENCL_IDX STARPU_OPENCL_WORKER
#define STARPU_MIC_IDX STARPU_MIC_WORKER
#define STARPU_MPI_MS_IDX STARPU_MPI_MS_WORKER
#define STARPU_NB_TYPES STARPU_NARCH

extern const char starpu_autoheteroprio_priority_ordering_policy_names[28][64];
void starpu_heteroprio_set_use_locality(unsigned sched_ctx_id, unsigned use_locality);
void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned max_prio);
void starpu_heteroprio_set_mapping(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned source_prio,
                                   unsigned dest_bucket_id);
void starpu_heteroprio_set_faster_arch(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned bucket_id);
void starpu_heteroprio_set_arch_slow_factor(unsigned sched_ctx_id, enum starpu_worker_archtype arch, unsigned bucket_id,
                                            float slow_factor);
void starpu_heteroprio_map_wgroup_memory_nodes(unsigned sched_ctx_id);
void starpu_heteroprio_print_wgroups(FILE *stream, unsigned sched_ctx_id);

#ifdef __cplusplus
}
#endif
#endif
