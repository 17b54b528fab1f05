/* SPDX-License-Identifier: Apache-2.0 */
/* What a task may ask and set: internal control variables, threads, levels, devices, time. */
#include "omp.h"

static const struct omp_region *region(void)
{
	return omp_current()->thread->region;
}

/* The caller's thread, or the one of its ancestors, at this level; NULL: there is no such level. */
static const struct omp_thread *thread_at(int level)
{
	const struct omp_thread *t = omp_current()->thread;
	if (level < 0 || level > (int)t->region->level)
		return NULL;
	while ((int)t->region->level > level)
		t = t->region->parent->thread;
	return t;
}

/* ---- threads and levels ---- */

void starpu_omp_set_num_threads(int threads)
{
	if (threads > 0)
		omp_current()->icvs.nthreads = threads;
}

int starpu_omp_get_num_threads(void)
{
	return (int)region()->n;
}

int starpu_omp_get_thread_num(void)
{
	return (int)omp_current()->thread->number;
}

int starpu_omp_get_max_threads(void)
{
	return (int)omp_threads_of(omp_current(), 0);
}

int starpu_omp_get_num_procs(void)
{
	return omp.procs;
}

int starpu_omp_get_thread_limit(void)
{
	return omp.thread_limit;
}

int starpu_omp_in_parallel(void)
{
	return region()->active > 0;
}

int starpu_omp_get_level(void)
{
	return (int)region()->level;
}

int starpu_omp_get_active_level(void)
{
	return (int)region()->active;
}

int starpu_omp_get_ancestor_thread_num(int level)
{
	const struct omp_thread *t = thread_at(level);
	return t ? (int)t->number : -1;
}

int starpu_omp_get_team_size(int level)
{
	const struct omp_thread *t = thread_at(level);
	return t ? (int)t->region->n : -1;
}

int starpu_omp_in_final(void)
{
	return omp_current()->final;
}

/* ---- control variables ---- */

void starpu_omp_set_dynamic(int dynamic_threads)
{
	omp_current()->icvs.dynamic = dynamic_threads != 0;
}

int starpu_omp_get_dynamic(void)
{
	return omp_current()->icvs.dynamic;
}

void starpu_omp_set_nested(int nested)
{
	struct omp_icvs *icvs = &omp_current()->icvs;
	if (!nested != (icvs->max_active_levels < 2))
		icvs->max_active_levels = nested ? OMP_LEVELS : 1;
}

int starpu_omp_get_nested(void)
{
	return omp_current()->icvs.max_active_levels > 1;
}

void starpu_omp_set_max_active_levels(int max_levels)
{
	if (max_levels >= 0)
		omp_current()->icvs.max_active_levels = max_levels < OMP_LEVELS ? max_levels : OMP_LEVELS;
}

int starpu_omp_get_max_active_levels(void)
{
	return omp_current()->icvs.max_active_levels;
}

void starpu_omp_set_schedule(enum starpu_omp_sched_value kind, int modifier)
{
	struct omp_icvs *icvs = &omp_current()->icvs;
	if (kind < starpu_omp_sched_static || kind > starpu_omp_sched_auto)
		return;
	icvs->sched = (uint8_t)kind;
	icvs->sched_modifier = modifier;
}

void starpu_omp_get_schedule(enum starpu_omp_sched_value *kind, int *modifier)
{
	const struct omp_icvs *icvs = &omp_current()->icvs;
	*kind = (enum starpu_omp_sched_value)icvs->sched;
	*modifier = icvs->sched_modifier;
}

int starpu_omp_get_cancellation(void)
{
	return omp.cancellation;
}

int starpu_omp_get_max_task_priority(void)
{
	return omp.max_task_priority;
}

enum starpu_omp_proc_bind_value starpu_omp_get_proc_bind(void)
{
	return (enum starpu_omp_proc_bind_value)omp_current()->icvs.bind;
}

/* ---- devices: the host is the only one that code is sent to by this interface ---- */

void starpu_omp_set_default_device(int device_num)
{
	if (device_num >= 0)
		omp_current()->icvs.default_device = device_num;
}

int starpu_omp_get_default_device(void)
{
	return omp_current()->icvs.default_device;
}

int starpu_omp_get_num_devices(void)
{
	return 1;
}

int starpu_omp_get_num_teams(void)
{
	return 1;
}

int starpu_omp_get_team_num(void)
{
	return 0;
}

int starpu_omp_is_initial_device(void)
{
	return 1;
}

int starpu_omp_get_initial_device(void)
{
	return 0;
}

/* ---- time, in seconds ---- */

double starpu_omp_get_wtime(void)
{
	return starpu_timing_now() / 1e6;
}

double starpu_omp_get_wtick(void)
{
	struct timespec step;
	clock_getres(CLOCK_MONOTONIC, &step);
	return (double)step.tv_sec + (double)step.tv_nsec / 1e9;
}
