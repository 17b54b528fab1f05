/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Support for OpenMP compilers and programs: parallel regions, work sharing, tasks and locks as functions.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_OPENMP_H__
#define __STARPU_OPENMP_H__

#include <starpu_task.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_arbiter;
struct starpu_codelet;
struct starpu_omp_parallel_region_attr;
struct starpu_omp_task_region_attr;

enum starpu_omp_sched_value {
	starpu_omp_sched_undefined = 0,
	starpu_omp_sched_static = 1,
	starpu_omp_sched_dynamic = 2,
	starpu_omp_sched_guided = 3,
	starpu_omp_sched_auto = 4,
	starpu_omp_sched_runtime = 5,
};

enum starpu_omp_proc_bind_value {
	starpu_omp_proc_bind_undefined = -1,
	starpu_omp_proc_bind_false = 0,
	starpu_omp_proc_bind_true = 1,
	starpu_omp_proc_bind_master = 2,
	starpu_omp_proc_bind_close = 3,
	starpu_omp_proc_bind_spread = 4,
};

typedef struct {
	void *internal;
} starpu_omp_lock_t;
typedef struct {
	void *internal;
} starpu_omp_nest_lock_t;

struct starpu_omp_parallel_region_attr {
	struct starpu_codelet cl;
	starpu_data_handle_t *handles;
	void *cl_arg;
	size_t cl_arg_size;
	unsigned cl_arg_free;
	int if_clause;
	int num_threads;
};

struct starpu_omp_task_region_attr {
	struct starpu_codelet cl;
	starpu_data_handle_t *handles;
	void *cl_arg;
	size_t cl_arg_size;
	unsigned cl_arg_free;
	int priority;
	int if_clause;
	int final_clause;
	int untied_clause;
	int mergeable_clause;
	int is_loop;
	int nogroup_clause;
	int collapse;
	int num_tasks;
	unsigned long long nb_iterations;
	unsigned long long grainsize;
	unsigned long long begin_i;
	unsigned long long end_i;
	unsigned long long chunk;
};

int starpu_omp_init(void);
void starpu_omp_shutdown(void);
void starpu_omp_parallel_region(const struct starpu_omp_parallel_region_attr *attr);
void starpu_omp_master(void (*f)(void *), void *arg);
int starpu_omp_master_inline(void);
void starpu_omp_barrier(void);
void starpu_omp_critical(void (*f)(void *), void *arg, const char *name);
void starpu_omp_critical_inline_begin(const char *name);
void starpu_omp_critical_inline_end(const char *name);
void starpu_omp_single(void (*f)(void *), void *arg, int nowait);
int starpu_omp_single_inline(void);
void starpu_omp_single_copyprivate(void (*f)(void *, void *, unsigned long long), void *arg, void *data,
                                   unsigned long long data_size);
void *starpu_omp_single_copyprivate_inline_begin(void *data);
void starpu_omp_single_copyprivate_inline_end(void);
void starpu_omp_for(void (*f)(unsigned long long, unsigned long long, void *), void *arg, unsigned long long nb_iterations,
                    unsigned long long chunk, int schedule, int ordered, int nowait);
int starpu_omp_for_inline_first(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                                unsigned long long *_first_i, unsigned long long *_nb_i);
int starpu_omp_for_inline_next(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                               unsigned long long *_first_i, unsigned long long *_nb_i);
void starpu_omp_for_alt(void (*f)(unsigned long long, unsigned long long, void *), void *arg, unsigned long long nb_iterations,
                        unsigned long long chunk, int schedule, int ordered, int nowait);
int starpu_omp_for_inline_first_alt(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                                    unsigned long long *_begin_i, unsigned long long *_end_i);
int starpu_omp_for_inline_next_alt(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                                   unsigned long long *_begin_i, unsigned long long *_end_i);
void starpu_omp_ordered(void (*f)(void *), void *arg);
void starpu_omp_ordered_inline_begin(void);
void starpu_omp_ordered_inline_end(void);
void starpu_omp_sections(unsigned long long nb_sections, void (**section_f)(void *arg), void **section_arg, int nowait);
void starpu_omp_sections_combined(unsigned long long nb_sections, void (*section_f)(unsigned long long, void *),
                                  void *section_arg, int nowait);
void starpu_omp_task_region(const struct starpu_omp_task_region_attr *attr);
void starpu_omp_taskwait(void);
void starpu_omp_taskgroup(void (*f)(void *), void *arg);
void starpu_omp_taskgroup_inline_begin(void);
void starpu_omp_taskgroup_inline_end(void);
void starpu_omp_taskloop_inline_begin(struct starpu_omp_task_region_attr *attr);
void starpu_omp_taskloop_inline_end(const struct starpu_omp_task_region_attr *attr);
void starpu_omp_set_num_threads(int threads);
int starpu_omp_get_num_threads(void);
int starpu_omp_get_thread_num(void);
int starpu_omp_get_max_threads(void);
int starpu_omp_get_num_procs(void);
int starpu_omp_in_parallel(void);
void starpu_omp_set_dynamic(int dynamic_threads);
int starpu_omp_get_dynamic(void);
void starpu_omp_set_nested(int nested);
int starpu_omp_get_nested(void);
int starpu_omp_get_cancellation(void);
void starpu_omp_set_schedule(enum starpu_omp_sched_value kind, int modifier);
void starpu_omp_get_schedule(enum starpu_omp_sched_value *kind, int *modifier);
int starpu_omp_get_thread_limit(void);
void starpu_omp_set_max_active_levels(int max_levels);
int starpu_omp_get_max_active_levels(void);
int starpu_omp_get_level(void);
int starpu_omp_get_ancestor_thread_num(int level);
int starpu_omp_get_team_size(int level);
int starpu_omp_get_active_level(void);
int starpu_omp_in_final(void);
enum starpu_omp_proc_bind_value starpu_omp_get_proc_bind(void);
int starpu_omp_get_num_places(void);
int starpu_omp_get_place_num_procs(int place_num);
void starpu_omp_get_place_proc_ids(int place_num, int *ids);
int starpu_omp_get_place_num(void);
int starpu_omp_get_partition_num_places(void);
void starpu_omp_get_partition_place_nums(int *place_nums);
void starpu_omp_set_default_device(int device_num);
int starpu_omp_get_default_device(void);
int starpu_omp_get_num_devices(void);
int starpu_omp_get_num_teams(void);
int starpu_omp_get_team_num(void);
int starpu_omp_is_initial_device(void);
int starpu_omp_get_initial_device(void);
int starpu_omp_get_max_task_priority(void);
void starpu_omp_init_lock(starpu_omp_lock_t *lock);
void starpu_omp_destroy_lock(starpu_omp_lock_t *lock);
void starpu_omp_set_lock(starpu_omp_lock_t *lock);
void starpu_omp_unset_lock(starpu_omp_lock_t *lock);
int starpu_omp_test_lock(starpu_omp_lock_t *lock);
void starpu_omp_init_nest_lock(starpu_omp_nest_lock_t *lock);
void starpu_omp_destroy_nest_lock(starpu_omp_nest_lock_t *lock);
void starpu_omp_set_nest_lock(starpu_omp_nest_lock_t *lock);
void starpu_omp_unset_nest_lock(starpu_omp_nest_lock_t *lock);
int starpu_omp_test_nest_lock(starpu_omp_nest_lock_t *lock);
void starpu_omp_atomic_fallback_inline_begin(void);
void starpu_omp_atomic_fallback_inline_end(void);
double starpu_omp_get_wtime(void);
double starpu_omp_get_wtick(void);
void starpu_omp_vector_annotate(starpu_data_handle_t handle, uint32_t slice_base);
struct starpu_arbiter *starpu_omp_get_default_arbiter(void);
void starpu_omp_handle_register(starpu_data_handle_t handle);
void starpu_omp_handle_unregister(starpu_data_handle_t handle);
starpu_data_handle_t starpu_omp_data_lookup(const void *ptr);

#ifdef __cplusplus
}
#endif
#endif
