/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling of tasks, workers and buses.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_PROFILING_H__
#define __STARPU_PROFILING_H__

#include <errno.h>
#include <time.h>
#include <stdint.h>
#include <starpu_util.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_NS_PER_S 1000000000
#define STARPU_PROFILING_DISABLE 0
#define STARPU_PROFILING_ENABLE 1
#define starpu_timespec_cmp(a, b, CMP) ((a)->tv_sec == (b)->tv_sec ? (a)->tv_nsec CMP(b)->tv_nsec : (a)->tv_sec CMP(b)->tv_sec)

struct starpu_profiling_bus_info;
struct starpu_profiling_worker_info;

struct starpu_profiling_task_info {
	struct timespec submit_time;
	struct timespec push_start_time;
	struct timespec push_end_time;
	struct timespec pop_start_time;
	struct timespec pop_end_time;
	struct timespec acquire_data_start_time;
	struct timespec acquire_data_end_time;
	struct timespec start_time;
	struct timespec end_time;
	struct timespec release_data_start_time;
	struct timespec release_data_end_time;
	struct timespec callback_start_time;
	struct timespec callback_end_time;
	int workerid;
	uint64_t used_cycles;
	uint64_t stall_cycles;
	double energy_consumed;
	long long papi_values[15];
	int papi_event_set;
};

struct starpu_profiling_worker_info {
	struct timespec start_time;
	struct timespec total_time;
	struct timespec executing_time;
	struct timespec callback_time;
	struct timespec waiting_time;
	struct timespec sleeping_time;
	struct timespec scheduling_time;
	struct timespec all_executing_time;
	struct timespec all_callback_time;
	struct timespec all_waiting_time;
	struct timespec all_sleeping_time;
	struct timespec all_scheduling_time;
	int executed_tasks;
	uint64_t used_cycles;
	uint64_t stall_cycles;
	double energy_consumed;
	double flops;
};

struct starpu_profiling_bus_info {
	struct timespec start_time;
	struct timespec total_time;
	long long transferred_bytes;
	int transfer_count;
};

void starpu_profiling_init(void);
void starpu_profiling_set_id(int new_id);
int starpu_profiling_status_set(int status);
int starpu_profiling_status_get(void);
int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info *worker_info);
int starpu_bus_get_count(void);
int starpu_bus_get_id(int src, int dst);
int starpu_bus_get_src(int busid);
int starpu_bus_get_dst(int busid);
void starpu_bus_set_direct(int busid, int direct);
int starpu_bus_get_direct(int busid);
void starpu_bus_set_ngpus(int busid, int ngpus);
int starpu_bus_get_ngpus(int busid);
int starpu_bus_get_profiling_info(int busid, struct starpu_profiling_bus_info *bus_info);
static inline void starpu_timespec_clear(struct timespec *tsp)
{
	tsp->tv_sec = 0;
	tsp->tv_nsec = 0;
}
static inline void starpu_timespec_add(struct timespec *a, struct timespec *b, struct timespec *result)
{
	long ns = a->tv_nsec + b->tv_nsec;
	result->tv_sec = a->tv_sec + b->tv_sec + ns / STARPU_NS_PER_S;
	result->tv_nsec = ns % STARPU_NS_PER_S;
}
static inline void starpu_timespec_accumulate(struct timespec *result, struct timespec *a)
{
	starpu_timespec_add(result, a, result);
}
static inline void starpu_timespec_sub(const struct timespec *a, const struct timespec *b, struct timespec *result)
{
	long ns = a->tv_nsec - b->tv_nsec;
	result->tv_sec = a->tv_sec - b->tv_sec - (ns < 0);
	result->tv_nsec = ns < 0 ? ns + STARPU_NS_PER_S : ns;
}
double starpu_timing_timespec_delay_us(struct timespec *start, struct timespec *end);
double starpu_timing_timespec_to_us(struct timespec *ts);
void starpu_profiling_bus_helper_display_summary(void);
void starpu_profiling_worker_helper_display_summary(void);
void starpu_data_display_memory_stats(void);

#ifdef __cplusplus
}
#endif
#endif
