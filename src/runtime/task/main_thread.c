/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binds the thread that begins the runtime to the unit that the CPU driver has left for it
 * (STARPU_MAIN_THREAD_BIND and the like). Its former binding is restored at the end, when the same
 * thread ends the runtime: else the next begin would find one unit only.
 */
#include "begin.h"
#include "machine.h"
#include <pthread.h>

static struct {
	pthread_t thread;
	hwloc_cpuset_t before; /* owned; NULL: nobody is bound */
} bound;

void rt_main_begin(const struct rt_machine *m)
{
	hwloc_obj_t pu = m->main_pu < 0 ? NULL : hwloc_get_obj_by_type(m->topology, HWLOC_OBJ_PU, (unsigned)m->main_pu);
	if (!pu || !m->binds)
		return;
	hwloc_cpuset_t before = hwloc_bitmap_alloc();
	/* A refusal is no fault, as with workers: the thread runs where it may. */
	if (before && !hwloc_get_cpubind(m->topology, before, HWLOC_CPUBIND_THREAD) &&
	    !hwloc_set_cpubind(m->topology, pu->cpuset, HWLOC_CPUBIND_THREAD)) {
		bound.thread = pthread_self();
		bound.before = before;
	} else {
		hwloc_bitmap_free(before);
	}
}

void rt_main_end(const struct rt_machine *m)
{
	if (bound.before && pthread_equal(bound.thread, pthread_self()))
		hwloc_set_cpubind(m->topology, bound.before, HWLOC_CPUBIND_THREAD);
	hwloc_bitmap_free(bound.before);
	bound.before = NULL;
}
