/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External profiling tools.
 */
#ifndef __STARPU_PROFILING_TOOL_H__
#define __STARPU_PROFILING_TOOL_H__

#include <starpu_data.h>

#ifdef __cplusplus
extern "C" {
#endif

union starpu_prof_tool_event_info;

struct starpu_conf;
struct starpu_prof_tool_api_info;
struct starpu_prof_tool_data_info;
struct starpu_prof_tool_info;

enum starpu_prof_tool_event {
	starpu_prof_tool_event_none = 0,
	starpu_prof_tool_event_init = 1,
	starpu_prof_tool_event_terminate = 2,
	starpu_prof_tool_event_init_begin = 3,
	starpu_prof_tool_event_init_end = 4,
	starpu_prof_tool_event_driver_init = 5,
	starpu_prof_tool_event_driver_deinit = 6,
	starpu_prof_tool_event_driver_init_start = 7,
	starpu_prof_tool_event_driver_init_end = 8,
	starpu_prof_tool_event_start_cpu_exec = 9,
	starpu_prof_tool_event_end_cpu_exec = 10,
	starpu_prof_tool_event_start_gpu_exec = 11,
	starpu_prof_tool_event_end_gpu_exec = 12,
	starpu_prof_tool_event_start_transfer = 13,
	starpu_prof_tool_event_end_transfer = 14,
	starpu_prof_tool_event_user_start = 15,
	starpu_prof_tool_event_user_end = 16,
};

enum starpu_prof_tool_driver_type {
	starpu_prof_tool_driver_cpu = 0,
	starpu_prof_tool_driver_gpu = 1,
	starpu_prof_tool_driver_hip = 2,
	starpu_prof_tool_driver_ocl = 3,
};

enum starpu_prof_tool_command {
	starpu_prof_tool_command_reg = 0,
	starpu_prof_tool_command_toggle = 1,
	starpu_prof_tool_command_toggle_per_thread = 2,
};

typedef void (*starpu_prof_tool_cb_func)(struct starpu_prof_tool_info *, union starpu_prof_tool_event_info *,
                                         struct starpu_prof_tool_api_info *);
typedef void (*starpu_prof_tool_entry_register_func)(enum starpu_prof_tool_event, starpu_prof_tool_cb_func,
                                                     enum starpu_prof_tool_command);

struct starpu_prof_tool_data_info {
	starpu_data_handle_t handle;
	unsigned dimensions;
	int coordinates[5];
	enum starpu_data_access_mode mode;
};

struct starpu_prof_tool_info {
	struct starpu_conf *conf;
	enum starpu_prof_tool_event event_type;
	unsigned starpu_version[3];
	int thread_id;
	int worker_id;
	const char *task_name;
	const char *model_name;
	int device_number;
	enum starpu_prof_tool_driver_type driver_type;
	unsigned memnode;
	unsigned bytes_to_transfer;
	unsigned bytes_transfered;
	void *fun_ptr;
	long iterations[2];
	int nbuffers;
	struct starpu_prof_tool_data_info *buffers;
	double flops;
};

struct starpu_prof_tool_api_info {
	char unused;
};

union starpu_prof_tool_event_info {
	enum starpu_prof_tool_event event_type;
};

void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg);

#ifdef __cplusplus
}
#endif
#endif
