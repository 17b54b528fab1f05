/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inserting a task in one call, and packing its arguments.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_TASK_UTIL_H__
#define __STARPU_TASK_UTIL_H__

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <starpu_task.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_CALLBACK (2 << STARPU_MODE_SHIFT)
#define STARPU_CALLBACK_ARG (4 << STARPU_MODE_SHIFT)
#define STARPU_CALLBACK_ARG_NFREE (38 << STARPU_MODE_SHIFT)
#define STARPU_CALLBACK_WITH_ARG (3 << STARPU_MODE_SHIFT)
#define STARPU_CALLBACK_WITH_ARG_NFREE (39 << STARPU_MODE_SHIFT)
#define STARPU_CL_ARGS (26 << STARPU_MODE_SHIFT)
#define STARPU_CL_ARGS_NFREE (27 << STARPU_MODE_SHIFT)
#define STARPU_DATA_ARRAY (8 << STARPU_MODE_SHIFT)
#define STARPU_DATA_MODE_ARRAY (9 << STARPU_MODE_SHIFT)
#define STARPU_EPILOGUE_CALLBACK (46 << STARPU_MODE_SHIFT)
#define STARPU_EPILOGUE_CALLBACK_ARG (47 << STARPU_MODE_SHIFT)
#define STARPU_EXECUTE_ON_DATA (7 << STARPU_MODE_SHIFT)
#define STARPU_EXECUTE_ON_NODE (6 << STARPU_MODE_SHIFT)
#define STARPU_EXECUTE_ON_WORKER (19 << STARPU_MODE_SHIFT)
#define STARPU_EXECUTE_WHERE (20 << STARPU_MODE_SHIFT)
#define STARPU_FLOPS (13 << STARPU_MODE_SHIFT)
#define STARPU_HANDLES_SEQUENTIAL_CONSISTENCY (30 << STARPU_MODE_SHIFT)
#define STARPU_HYPERVISOR_TAG (12 << STARPU_MODE_SHIFT)
#define STARPU_MODE_SHIFT 17
#define STARPU_NAME (25 << STARPU_MODE_SHIFT)
#define STARPU_NODE_ARRAY (10 << STARPU_MODE_SHIFT)
#define STARPU_NODE_SELECTION_POLICY (24 << STARPU_MODE_SHIFT)
#define STARPU_POSSIBLY_PARALLEL (22 << STARPU_MODE_SHIFT)
#define STARPU_PRIORITY (5 << STARPU_MODE_SHIFT)
#define STARPU_PROLOGUE_CALLBACK (15 << STARPU_MODE_SHIFT)
#define STARPU_PROLOGUE_CALLBACK_ARG (16 << STARPU_MODE_SHIFT)
#define STARPU_PROLOGUE_CALLBACK_ARG_NFREE (40 << STARPU_MODE_SHIFT)
#define STARPU_PROLOGUE_CALLBACK_POP (17 << STARPU_MODE_SHIFT)
#define STARPU_PROLOGUE_CALLBACK_POP_ARG (18 << STARPU_MODE_SHIFT)
#define STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE (41 << STARPU_MODE_SHIFT)
#define STARPU_RECURSIVE_TASK_FUNC (48 << STARPU_MODE_SHIFT)
#define STARPU_RECURSIVE_TASK_FUNC_ARG (49 << STARPU_MODE_SHIFT)
#define STARPU_RECURSIVE_TASK_GEN_DAG_FUNC (50 << STARPU_MODE_SHIFT)
#define STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG (51 << STARPU_MODE_SHIFT)
#define STARPU_RECURSIVE_TASK_NO_PRUNE (53 << STARPU_MODE_SHIFT)
#define STARPU_RECURSIVE_TASK_PARENT (52 << STARPU_MODE_SHIFT)
#define STARPU_SCHED_CTX (14 << STARPU_MODE_SHIFT)
#define STARPU_SEQUENTIAL_CONSISTENCY (35 << STARPU_MODE_SHIFT)
#define STARPU_SHIFTED_MODE_MAX (57 << STARPU_MODE_SHIFT)
#define STARPU_SOON_CALLBACK (54 << STARPU_MODE_SHIFT)
#define STARPU_SOON_CALLBACK_ARG (55 << STARPU_MODE_SHIFT)
#define STARPU_SOON_CALLBACK_ARG_NFREE (56 << STARPU_MODE_SHIFT)
#define STARPU_TAG (11 << STARPU_MODE_SHIFT)
#define STARPU_TAG_ONLY (21 << STARPU_MODE_SHIFT)
#define STARPU_TASK_COLOR (29 << STARPU_MODE_SHIFT)
#define STARPU_TASK_DEPS_ARRAY (28 << STARPU_MODE_SHIFT)
#define STARPU_TASK_END_DEP (33 << STARPU_MODE_SHIFT)
#define STARPU_TASK_END_DEPS_ARRAY (32 << STARPU_MODE_SHIFT)
#define STARPU_TASK_FILE (44 << STARPU_MODE_SHIFT)
#define STARPU_TASK_LINE (45 << STARPU_MODE_SHIFT)
#define STARPU_TASK_NO_SUBMITORDER (37 << STARPU_MODE_SHIFT)
#define STARPU_TASK_PROFILING_INFO (36 << STARPU_MODE_SHIFT)
#define STARPU_TASK_SCHED_DATA (42 << STARPU_MODE_SHIFT)
#define STARPU_TASK_SYNCHRONOUS (31 << STARPU_MODE_SHIFT)
#define STARPU_TASK_WORKERIDS (34 << STARPU_MODE_SHIFT)
#define STARPU_TRANSACTION (43 << STARPU_MODE_SHIFT)
#define STARPU_VALUE (1 << STARPU_MODE_SHIFT)
#define STARPU_WORKER_ORDER (23 << STARPU_MODE_SHIFT)

struct starpu_codelet;
struct starpu_codelet_pack_arg_data;
struct starpu_data_descr;
struct starpu_task;

struct starpu_codelet_pack_arg_data {
	char *arg_buffer;
	size_t arg_buffer_size;
	size_t arg_buffer_used;
	size_t current_offset;
	int nargs;
};

int starpu_task_set(struct starpu_task *task, struct starpu_codelet *cl, ...);
struct starpu_task *starpu_task_build(struct starpu_codelet *cl, ...);
int starpu_task_insert(struct starpu_codelet *cl, ...);
int starpu_insert_task(struct starpu_codelet *cl, ...);
void starpu_task_insert_data_make_room(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                       int current_buffer, int room);
void starpu_task_insert_data_process_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                         int *current_buffer, int arg_type, starpu_data_handle_t handle);
void starpu_task_insert_data_process_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                               int *current_buffer, int nb_handles, starpu_data_handle_t *handles);
void starpu_task_insert_data_process_mode_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_buffers,
                                                    int *current_buffer, int nb_descrs, struct starpu_data_descr *descrs);
void starpu_task_insert_data_make_node_room(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_nodes,
                                            int current_node, int room);
void starpu_task_insert_process_node_array_arg(struct starpu_codelet *cl, struct starpu_task *task, int *allocated_nodes,
                                               int *current_node, int nb_nodes, int *node_array);
void starpu_codelet_pack_args(void **arg_buffer, size_t *arg_buffer_size, ...);
void starpu_codelet_pack_arg_init(struct starpu_codelet_pack_arg_data *state);
void starpu_codelet_pack_arg(struct starpu_codelet_pack_arg_data *state, const void *ptr, size_t ptr_size);
void starpu_codelet_pack_arg_fini(struct starpu_codelet_pack_arg_data *state, void **cl_arg, size_t *cl_arg_size);
void starpu_codelet_unpack_args(void *cl_arg, ...);
void starpu_codelet_unpack_arg_init(struct starpu_codelet_pack_arg_data *state, void *cl_arg, size_t cl_arg_size);
void starpu_codelet_unpack_arg(struct starpu_codelet_pack_arg_data *state, void *ptr, size_t size);
void starpu_codelet_dup_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size);
void starpu_codelet_pick_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size);
void starpu_codelet_unpack_arg_fini(struct starpu_codelet_pack_arg_data *state);
void starpu_codelet_unpack_discard_arg(struct starpu_codelet_pack_arg_data *state);
void starpu_codelet_unpack_args_and_copyleft(void *cl_arg, void *buffer, size_t buffer_size, ...);

/* Each call says where it stands in the source. */
#define starpu_task_insert(cl, ...) starpu_task_insert((cl), STARPU_TASK_FILE, __FILE__, STARPU_TASK_LINE, __LINE__, __VA_ARGS__)
#define starpu_insert_task(cl, ...) starpu_insert_task((cl), STARPU_TASK_FILE, __FILE__, STARPU_TASK_LINE, __LINE__, __VA_ARGS__)
#define starpu_task_build(cl, ...) starpu_task_build((cl), STARPU_TASK_FILE, __FILE__, STARPU_TASK_LINE, __LINE__, __VA_ARGS__)
#define starpu_task_set(task, cl, ...) \
	starpu_task_set((task), (cl), STARPU_TASK_FILE, __FILE__, STARPU_TASK_LINE, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
