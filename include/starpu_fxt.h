/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces, by Weft's own recorder: STARPU_FXT_TRACE=1 switches it on. Files of other tools are made of them by commands, which these
 * functions run. docs/tasks.md has what is recorded.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_FXT_H__
#define __STARPU_FXT_H__

#include <starpu_perfmodel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_fxt_codelet_event;
struct starpu_fxt_mpi_offset;
struct starpu_fxt_options;
struct starpu_perfmodel_arch;

struct starpu_fxt_codelet_event {
	char symbol[2048];
	int workerid;
	char perfmodel_archname[256];
	uint32_t hash;
	size_t size;
	float time;
};

struct starpu_fxt_mpi_offset {
	uint64_t local_time_start;
	int64_t offset_start;
	uint64_t local_time_end;
	int64_t offset_end;
	int nb_barriers;
};

struct starpu_fxt_options {
	unsigned per_task_colour;
	unsigned no_events;
	unsigned no_counter;
	unsigned no_bus;
	unsigned no_flops;
	unsigned ninputfiles;
	unsigned no_smooth;
	unsigned no_acquire;
	unsigned memory_states;
	unsigned internal;
	unsigned label_deps;
	unsigned use_task_color;
	unsigned show_workers;
	unsigned iter_clusters;
	char *filenames[STARPU_FXT_MAX_FILES];
	char *out_paje_path;
	char *distrib_time_path;
	char *activity_path;
	char *sched_tasks_path;
	char *dag_path;
	char *tasks_path;
	char *data_path;
	char *papi_path;
	char *comms_path;
	char *number_events_path;
	char *anim_path;
	char *states_path;
	char *dir;
	char worker_names[STARPU_NMAXWORKERS][256];
	int nworkers;
	struct starpu_perfmodel_arch worker_archtypes[STARPU_NMAXWORKERS];
	char *file_prefix;
	struct starpu_fxt_mpi_offset file_offset;
	int file_rank;
	struct starpu_fxt_codelet_event **dumped_codelets;
	long dumped_codelets_count;
};

void starpu_fxt_options_init(struct starpu_fxt_options *options);
void starpu_fxt_options_shutdown(struct starpu_fxt_options *options);
void starpu_fxt_options_set_dir(struct starpu_fxt_options *options); /* of 1.3 */
void starpu_fxt_generate_trace(struct starpu_fxt_options *options);
void starpu_fxt_autostart_profiling(int autostart);
void starpu_fxt_start_profiling(void);
void starpu_fxt_stop_profiling(void);
void starpu_fxt_write_data_trace(char *filename_in);
void starpu_fxt_write_data_trace_in_dir(char *filename_in, char *dir);
int starpu_fxt_is_enabled(void);
void starpu_fxt_trace_user_event(unsigned long code);
void starpu_fxt_trace_user_event_string(const char *s);
void starpu_fxt_trace_user_meta_string(const char *s);

#ifdef __cplusplus
}
#endif
#endif
