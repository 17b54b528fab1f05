/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with StarPU's old names only (STARPU_USE_DEPRECATED_API): each must be the function, the structure or the enumeration
 * that has a new name since.
 */
#define STARPU_USE_DEPRECATED_API
#define STARPU_USE_DEPRECATED_ONE_ZERO_API
#include "starpu_check.h"
#include <starpu_scheduler.h>

/* ---- functions: the old name's address is the new name's ---- */

typedef void any(void);
#define SAME(old, new) \
	{ \
#old, #new, (any *)(old), (any *)(new) \
	}
static const struct {
	const char *old, *new;
	any *old_at, *new_at;
} functions[] = {
	SAME(starpu_allocate_buffer_on_node, starpu_malloc_on_node),
	SAME(starpu_free_buffer_on_node, starpu_free_on_node),
	SAME(starpu_helper_cublas_init, starpu_cublas_init),
	SAME(starpu_helper_cublas_shutdown, starpu_cublas_shutdown),
	SAME(starpu_canonical_block_filter_bcsr, starpu_bcsr_filter_canonical_block),
	SAME(starpu_vertical_block_filter_func_csr, starpu_csr_filter_vertical_block),
	SAME(starpu_block_filter_func, starpu_matrix_filter_block),
	SAME(starpu_block_shadow_filter_func, starpu_matrix_filter_block_shadow),
	SAME(starpu_vertical_block_filter_func, starpu_matrix_filter_vertical_block),
	SAME(starpu_vertical_block_shadow_filter_func, starpu_matrix_filter_vertical_block_shadow),
	SAME(starpu_block_filter_func_vector, starpu_vector_filter_block),
	SAME(starpu_block_shadow_filter_func_vector, starpu_vector_filter_block_shadow),
	SAME(starpu_vector_list_filter_func, starpu_vector_filter_list),
	SAME(starpu_vector_divide_in_2_filter_func, starpu_vector_filter_divide_in_2),
	SAME(starpu_block_filter_func_block, starpu_block_filter_block),
	SAME(starpu_block_shadow_filter_func_block, starpu_block_filter_block_shadow),
	SAME(starpu_vertical_block_filter_func_block, starpu_block_filter_vertical_block),
	SAME(starpu_vertical_block_shadow_filter_func_block, starpu_block_filter_vertical_block_shadow),
	SAME(starpu_depth_block_filter_func_block, starpu_block_filter_depth_block),
	SAME(starpu_depth_block_shadow_filter_func_block, starpu_block_filter_depth_block_shadow),
	SAME(starpu_display_codelet_stats, starpu_codelet_display_stats),
	SAME(starpu_memory_display_stats, starpu_data_display_memory_stats),
	SAME(starpu_handle_to_pointer, starpu_data_handle_to_pointer),
	SAME(starpu_handle_get_local_ptr, starpu_data_get_local_ptr),
	SAME(starpu_crc32_be_n, starpu_hash_crc32c_be_n),
	SAME(starpu_crc32_be, starpu_hash_crc32c_be),
	SAME(starpu_crc32_string, starpu_hash_crc32c_string),
	SAME(starpu_history_based_expected_perf, starpu_perfmodel_history_based_expected_perf),
	SAME(starpu_permodel_history_based_expected_perf, starpu_perfmodel_history_based_expected_perf),
	SAME(starpu_set_profiling_id, starpu_profiling_set_id),
	SAME(starpu_worker_get_profiling_info, starpu_profiling_worker_get_info),
	SAME(starpu_bus_profiling_helper_display_summary, starpu_profiling_bus_helper_display_summary),
	SAME(starpu_worker_profiling_helper_display_summary, starpu_profiling_worker_helper_display_summary),
	SAME(starpu_handle_get_interface_id, starpu_data_get_interface_id),
	SAME(starpu_get_handle_interface_id, starpu_data_get_interface_id),
	SAME(starpu_handle_get_size, starpu_data_get_size),
	SAME(starpu_handle_pack_data, starpu_data_pack),
	SAME(starpu_handle_unpack_data, starpu_data_unpack),
	SAME(starpu_print_bus_bandwidth, starpu_bus_print_bandwidth),
	SAME(starpu_get_current_task, starpu_task_get_current),
	SAME(starpu_unpack_cl_args, starpu_codelet_unpack_args),
	SAME(starpu_pack_cl_args, starpu_codelet_pack_args),
	SAME(starpu_task_deinit, starpu_task_clean),
};

/* ---- structures ---- */

#define SAME_STRUCT(old, new) _Static_assert(_Generic((struct old *)0, struct new * : 1, default : 0), #old)
SAME_STRUCT(starpu_buffer_descr, starpu_data_descr);
SAME_STRUCT(starpu_buffer_descr_t, starpu_data_descr);
SAME_STRUCT(starpu_task_profiling_info, starpu_profiling_task_info);
SAME_STRUCT(starpu_worker_profiling_info, starpu_profiling_worker_info);
SAME_STRUCT(starpu_bus_profiling_info, starpu_profiling_bus_info);
SAME_STRUCT(starpu_machine_topology_s, starpu_machine_topology);
SAME_STRUCT(starpu_htbl32_node_s, starpu_htbl32_node);
SAME_STRUCT(starpu_history_list_t, starpu_perfmodel_history_list);
SAME_STRUCT(starpu_regression_model_t, starpu_perfmodel_regression_model);
SAME_STRUCT(starpu_per_arch_perfmodel_t, starpu_perfmodel_per_arch);
SAME_STRUCT(starpu_perfmodel_t, starpu_perfmodel);
SAME_STRUCT(starpu_sched_policy_s, starpu_sched_policy);
SAME_STRUCT(starpu_data_interface_ops_t, starpu_data_interface_ops);

static int ran;

static void old_function(void *buffers[], void *arg)
{
	int number = 0;
	(void)buffers;
	starpu_unpack_cl_args(arg, &number);
	ran += starpu_get_current_task() ? number : 0;
}

/* A codelet and its task as a program of then has them. */
static void check_run(void)
{
	static starpu_codelet_t cl = {.where = STARPU_CPU, .cpu_func = old_function, .nbuffers = 1, .modes = {STARPU_RW}};
	int values[4] = {0}, number = 5;
	enum starpu_access_mode mode = STARPU_RW;
	enum starpu_archtype type = STARPU_CPU_WORKER;
	starpu_data_handle handle;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)values, 4, sizeof *values);
	CHECK(starpu_handle_get_size(handle) == sizeof values && starpu_handle_get_local_ptr(handle) == values);
	CHECK(starpu_get_handle_interface_id(handle) == STARPU_VECTOR_INTERFACE_ID);
	starpu_vector_interface_t *v = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
	CHECK(v->nx == 4 && starpu_worker_get_count_by_type(type) >= 1);
	CHECK(starpu_insert_task(&cl, mode, handle, STARPU_VALUE, &number, sizeof number, 0) == 0);
	starpu_task_wait_for_all();
	starpu_data_unregister(handle);
	CHECK(ran == 5);
}

int main(void)
{
	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
		if (functions[i].old_at != functions[i].new_at) {
			CHECK(!"the old name is the new one's");
			fprintf(stderr, "%s is not %s\n", functions[i].old, functions[i].new);
		}
	CHECK(starpu_init(NULL) == 0);
	check_run();
	starpu_shutdown();
	return checks_failed();
}
